/**
 * The access that sections inherit (`InheritedAccess`), computed once for each combination of
 * earlier sections. Thousands of sections share the same one.
 */
import { treeOf } from './access-tree';
import { accessAfter, startState, stateKey, type InheritedAccess } from './inherited-access';
import type { Tree24 } from './model';
import { isReason, type NotConverted } from './not-converted';
import type { SectionAccess } from './section-access';
import type { Survey } from './survey';

export class AccessStates {
  readonly initialAccess: InheritedAccess;
  private readonly states = new Map<string, InheritedAccess>();
  private readonly nextStates = new Map<InheritedAccess, Map<SectionAccess, InheritedAccess>>();
  private readonly treeByKey = new Map<string, Tree24 | NotConverted>();
  private readonly treeByState = new Map<InheritedAccess, Tree24 | NotConverted>();

  constructor(readonly survey: Survey) {
    this.initialAccess = startState(survey);
    this.states.set(stateKey(this.initialAccess), this.initialAccess);
  }

  /** Returns the inherited access after one more section. Equal results are the same object. */
  accessAfter(state: InheritedAccess, own: SectionAccess): InheritedAccess {
    let ofState = this.nextStates.get(state);
    if (!ofState) this.nextStates.set(state, (ofState = new Map()));
    let next = ofState.get(own);
    if (!next) {
      const made = accessAfter(state, own, this.survey.source);
      const key = stateKey(made);
      next = this.states.get(key);
      if (!next) this.states.set(key, (next = made));
      ofState.set(own, next);
    }
    return next;
  }

  /**
   * The Require tree for a state that this object has returned, or the reason why there is none.
   */
  treeOf(state: InheritedAccess): Tree24 | NotConverted {
    let tree = this.treeByState.get(state);
    if (tree === undefined) this.treeByState.set(state, (tree = this.treeOfAny(state)));
    return tree;
  }

  /**
   * Like `treeOf`, for a state that this object has not returned. Equal trees are the same object.
   */
  treeOfAny(state: InheritedAccess): Tree24 | NotConverted {
    const key = stateKey(state);
    let tree = this.treeByKey.get(key);
    if (tree === undefined) {
      const made = treeOf(state, this.survey);
      tree = made;
      if (!isReason(made)) {
        const text = `tree ${JSON.stringify(made)}`;
        tree = this.treeByKey.get(text) ?? made;
        this.treeByKey.set(text, tree);
      }
      this.treeByKey.set(key, tree);
    }
    return tree;
  }

  /**
   * The Require tree that decides as 2.4 does if mod_access_compat evaluates the old lines of the
   * state. If there is no such tree, the reason.
   */
  compatTreeOf(state: InheritedAccess): Tree24 | NotConverted {
    const key = `2.4 ${stateKey(state)}`;
    let tree = this.treeByKey.get(key);
    if (tree === undefined) this.treeByKey.set(key, (tree = treeOf(state, { ...this.survey, source: '2.4' })));
    return tree;
  }
}
