/**
 * Caches the access that sections inherit (`InheritedAccess`), and its Require trees, because
 * thousands of sections inherit the same access.
 */
import { treeOf } from './access-tree';
import { accessAfter, startState, stateKey, type InheritedAccess } from './inherited-access';
import type { Tree24 } from './model';
import { isReason, type NotConverted } from './not-converted';
import type { SectionAccess } from './section-access';
import type { AppliedSection } from './sections-before';
import type { Survey } from './survey';

/** Computes and caches inherited accesses and their Require trees for one conversion. */
export class AccessStates {
  readonly initialAccess: InheritedAccess;
  private readonly stateByKey = new Map<string, InheritedAccess>();
  private readonly nextStatesByState = new Map<InheritedAccess, Map<SectionAccess, InheritedAccess>>();
  private readonly treeByKey = new Map<string, Tree24 | NotConverted>();
  private readonly treeByState = new Map<InheritedAccess, Tree24 | NotConverted>();

  constructor(readonly survey: Survey) {
    this.initialAccess = startState(survey);
    this.stateByKey.set(stateKey(this.initialAccess), this.initialAccess);
  }

  /** Returns the inherited access after one more section. Equal results are the same object. */
  accessAfter(state: InheritedAccess, ownAccess: SectionAccess): InheritedAccess {
    let nextStateByOwnAccess = this.nextStatesByState.get(state);
    if (!nextStateByOwnAccess) this.nextStatesByState.set(state, (nextStateByOwnAccess = new Map()));
    let nextState = nextStateByOwnAccess.get(ownAccess);
    if (!nextState) {
      const computedAccess = accessAfter(state, ownAccess, this.survey.source);
      const key = stateKey(computedAccess);
      nextState = this.stateByKey.get(key);
      if (!nextState) this.stateByKey.set(key, (nextState = computedAccess));
      nextStateByOwnAccess.set(ownAccess, nextState);
    }
    return nextState;
  }

  /**
   * Returns the possible accesses after all these sections, without repetitions. An uncertain
   * section may apply or not, so each combination of them gives one access.
   */
  possibleAccessesAfter(appliedSections: readonly AppliedSection[]): readonly InheritedAccess[] {
    let possibleStates: readonly InheritedAccess[] = [this.initialAccess];
    for (const { entry, isCertain } of appliedSections) {
      const statesAfter = possibleStates.map((state) => this.accessAfter(state, entry.ownAccess));
      possibleStates = isCertain ? distinct(statesAfter) : distinct([...possibleStates, ...statesAfter]);
    }
    return possibleStates;
  }

  /**
   * Returns the Require tree that decides as `state` does. `state` must be a result of
   * `accessAfter`, so that the object identifies it. If there is no such tree, returns the reason.
   */
  treeOf(state: InheritedAccess): Tree24 | NotConverted {
    let tree = this.treeByState.get(state);
    if (tree === undefined) this.treeByState.set(state, (tree = this.treeOfAnyState(state)));
    return tree;
  }

  /**
   * Like `treeOf`, for an access that is no result of `accessAfter` of this class. Equal trees are
   * the same object.
   */
  treeOfAnyState(state: InheritedAccess): Tree24 | NotConverted {
    const key = stateKey(state);
    let tree = this.treeByKey.get(key);
    if (tree === undefined) {
      const treeOrReason = treeOf(state, this.survey);
      tree = treeOrReason;
      if (!isReason(treeOrReason)) {
        const keyOfTree = `tree ${JSON.stringify(treeOrReason)}`;
        tree = this.treeByKey.get(keyOfTree) ?? treeOrReason;
        this.treeByKey.set(keyOfTree, tree);
      }
      this.treeByKey.set(key, tree);
    }
    return tree;
  }

  /**
   * Returns the Require tree that decides in 2.4 as mod_access_compat decides with the old lines of
   * the inherited access. If there is no such tree, returns the reason.
   */
  compatTreeOf(state: InheritedAccess): Tree24 | NotConverted {
    const key = `2.4 ${stateKey(state)}`;
    let tree = this.treeByKey.get(key);
    if (tree === undefined) this.treeByKey.set(key, (tree = treeOf(state, { ...this.survey, source: '2.4' })));
    return tree;
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/** The values without duplicates, in their order. */
function distinct<Value>(values: readonly Value[]): readonly Value[] {
  return values.length < 2 ? values : [...new Set(values)];
}
