/**
 * Computes what access a section can inherit. There are several possible results if it is uncertain
 * which sections apply before it.
 */
import type { AccessStates } from './access-states';
import type { InheritedAccess } from './inherited-access';
import { notConverted, type NotConverted } from './not-converted';
import { needsOwnTree } from './section-access';
import type { Entry, Stage } from './section-order';
import type { SectionsBefore, AppliedSection } from './sections-before';

export interface Inherited {
  readonly states: readonly InheritedAccess[];
  /** Whether no other section of the same stage applies before it. */
  readonly isFirstOfWalk: boolean;
}

/** Limit of uncertain sections. With n of them, 2^n combinations are tried. */
export const MAX_OPTIONAL = 7;

/**
 * Returns the possible inherited accesses of a section, or the reason if they are unknown. Calls
 * `meets` for each section with access control that applies before it.
 */
export function inheritedBy(
  entry: Entry,
  before: SectionsBefore,
  states: AccessStates,
  meets: (other: Entry) => void,
): Inherited | NotConverted {
  const { stage, ownAccess } = entry;
  const found = new Set<InheritedAccess>();
  let problem: NotConverted | null = null;
  let isFirstOfWalk = true;
  // The same sections apply before it in most folders.
  const others = new Set<Entry>();
  for (const context of before.contextsOf(entry)) {
    for (const { steps } of before.sequencesBefore(entry, context)) {
      for (const step of steps) others.add(step.entry);
      problem ??= addStates(steps, states, found);
    }
  }
  for (const other of others) {
    if (!needsOwnTree(other.ownAccess)) continue;
    if (other !== entry && needsOwnTree(ownAccess)) meets(other);
    if (other.stage === stage && isMergedApart(stage)) isFirstOfWalk = false;
  }
  return problem ?? { states: [...found], isFirstOfWalk };
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
    found.add(states.start);
    return null;
  }
  const optional = steps.filter((step) => !step.isCertain);
  if (optional.length > MAX_OPTIONAL) return notConverted('too-many-sections', null);
  for (let bits = 0; bits < 2 ** optional.length; bits++) {
    let state = states.start;
    for (const step of steps)
      if (step.isCertain || (bits & (1 << optional.indexOf(step))) !== 0)
        state = states.after(state, step.entry.ownAccess);
    found.add(state);
  }
  return null;
}

/**
 * Whether httpd first merges the sections of a stage with each other, and then the result with the
 * directories. This is so for directories, too, but makes no difference, because they apply first.
 */
function isMergedApart(stage: Stage): boolean {
  return stage === 'files' || stage === 'location' || stage === 'proxy';
}
