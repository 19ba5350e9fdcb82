/**
 * Computes what access a section can inherit. There are several possible results if it is uncertain
 * which sections apply before it.
 */
import type { AccessStates } from './access-states';
import type { InheritedAccess } from './inherited-access';
import { notConverted, type NotConverted } from './not-converted';
import { needsOwnTree } from './section-access';
import type { SectionEntry, Stage } from './section-order';
import type { SectionsBefore, AppliedSection } from './sections-before';

export interface PossibleAccess {
  readonly possibleStates: readonly InheritedAccess[];
  /**
   * Whether no other section of the same stage (directories, files, locations) applies before it.
   */
  readonly isFirstOfStage: boolean;
}

/** Limit of sections that may or may not apply. With n of them, 2^n combinations are tried. */
export const MAX_UNCERTAIN_SECTIONS = 7;

/**
 * Returns the possible inherited accesses of a section, or the reason if they are unknown. Calls
 * `meets` for each section with access control that applies before it.
 */
export function inheritedBy(
  entry: SectionEntry,
  before: SectionsBefore,
  states: AccessStates,
  meets: (other: SectionEntry) => void,
): PossibleAccess | NotConverted {
  const { stage, ownAccess } = entry;
  const found = new Set<InheritedAccess>();
  let problem: NotConverted | null = null;
  let isFirstOfStage = true;
  // In most folders the same sections apply before it, so each is reported once.
  const others = new Set<SectionEntry>();
  // Folders with the same sections share one list.
  let last: readonly AppliedSection[] | null = null;
  for (const context of before.serversToSearchFor(entry)) {
    for (const { appliedSections } of before.sequencesBefore(entry, context)) {
      if (appliedSections === last) continue;
      last = appliedSections;
      for (const step of appliedSections) others.add(step.entry);
      problem ??= addStates(appliedSections, states, found);
    }
  }
  for (const other of others) {
    if (!needsOwnTree(other.ownAccess)) continue;
    if (other !== entry && needsOwnTree(ownAccess)) meets(other);
    if (other.stage === stage && isMergedBeforeInheriting(stage)) isFirstOfStage = false;
  }
  return problem ?? { possibleStates: [...found], isFirstOfStage };
}

/**
 * Adds to `found` the access after some sections, for each combination of the uncertain ones.
 * Returns the reason if there are too many combinations; otherwise null.
 */
export function addStates(
  steps: readonly AppliedSection[],
  states: AccessStates,
  found: Set<InheritedAccess>,
): NotConverted | null {
  if (steps.length === 0) {
    found.add(states.initialAccess);
    return null;
  }
  const optional = steps.filter((step) => !step.isCertain);
  if (optional.length > MAX_UNCERTAIN_SECTIONS) return notConverted('too-many-sections', null);
  for (let bits = 0; bits < 2 ** optional.length; bits++) {
    let state = states.initialAccess;
    for (const step of steps)
      if (step.isCertain || (bits & (1 << optional.indexOf(step))) !== 0)
        state = states.accessAfter(state, step.entry.ownAccess);
    found.add(state);
  }
  return null;
}

/**
 * Whether httpd first merges the sections of a stage with each other, and then their result with
 * what earlier stages decided. For directories there is no difference, because no stage is before
 * theirs.
 */
function isMergedBeforeInheriting(stage: Stage): boolean {
  return stage === 'files' || stage === 'location' || stage === 'proxy';
}
