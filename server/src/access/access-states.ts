/**
 * The states that the sections of one server inherit. Each is computed once, because thousands of
 * sections inherit the same ones.
 */
import { treeOf } from './access-tree';
import { fold, startState, stateKey, type InheritedAccess } from './inherited-access';
import type { Tree24 } from './model';
import { isReason, type NotConverted } from './not-converted';
import type { SectionAccess } from './section-access';
import type { Survey } from './survey';

export class AccessStates {
  readonly start: InheritedAccess;
  private readonly states = new Map<string, InheritedAccess>();
  private readonly next = new Map<InheritedAccess, Map<SectionAccess, InheritedAccess>>();
  private readonly trees = new Map<string, Tree24 | NotConverted>();
  private readonly treesOfStates = new Map<InheritedAccess, Tree24 | NotConverted>();

  constructor(readonly survey: Survey) {
    this.start = startState(survey);
    this.states.set(stateKey(this.start), this.start);
  }

  /** The state after a section. Equal states are one object. */
  after(state: InheritedAccess, own: SectionAccess): InheritedAccess {
    let ofState = this.next.get(state);
    if (!ofState) this.next.set(state, (ofState = new Map()));
    let next = ofState.get(own);
    if (!next) {
      const made = fold(state, own, this.survey.source);
      const key = stateKey(made);
      next = this.states.get(key);
      if (!next) this.states.set(key, (next = made));
      ofState.set(own, next);
    }
    return next;
  }

  /** The Require tree of a state of this object, or why there is none. */
  treeOf(state: InheritedAccess): Tree24 | NotConverted {
    let tree = this.treesOfStates.get(state);
    if (tree === undefined) this.treesOfStates.set(state, (tree = this.treeOfAny(state)));
    return tree;
  }

  /** The Require tree of any state, or why there is none. Equal trees are one object. */
  treeOfAny(state: InheritedAccess): Tree24 | NotConverted {
    const key = stateKey(state);
    let tree = this.trees.get(key);
    if (tree === undefined) {
      const made = treeOf(state, this.survey);
      tree = made;
      if (!isReason(made)) {
        const text = `tree ${JSON.stringify(made)}`;
        tree = this.trees.get(text) ?? made;
        this.trees.set(text, tree);
      }
      this.trees.set(key, tree);
    }
    return tree;
  }

  /**
   * The Require tree if 2.4 with mod_access_compat reads the lines of the state, or why there is
   * none.
   */
  compatTreeOf(state: InheritedAccess): Tree24 | NotConverted {
    const key = `2.4 ${stateKey(state)}`;
    let tree = this.trees.get(key);
    if (tree === undefined) this.trees.set(key, (tree = treeOf(state, { ...this.survey, source: '2.4' })));
    return tree;
  }
}
