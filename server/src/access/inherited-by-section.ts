/**
 * Computes the access that a section can inherit. If it is uncertain which sections apply before
 * it, there are several possible results.
 */
import type { AccessStates } from './access-states';
import type { InheritedAccess } from './inherited-access';
import { notConverted, type NotConverted } from './not-converted';
import { needsOwnTree } from './section-access';
import type { SectionEntry, Stage } from './section-order';
import type { SectionsBefore, AppliedSection } from './sections-before';

/** The access that a section may inherit. */
export interface PossibleAccess {
  /** There are several if it is uncertain which sections apply before this section. */
  readonly possibleStates: readonly InheritedAccess[];
  /** Whether no section of the same stage (files, locations) applies before this section. */
  readonly isFirstOfStage: boolean;
}

/**
 * Limit of uncertain sections, which apply to some requests only. For n of them, there are 2^n
 * combinations.
 */
export const MAX_UNCERTAIN_SECTIONS = 7;

/**
 * So many sections count as one comparison when they are added to an inherited access, because
 * adding a section takes much less time than comparing two.
 */
const SECTIONS_PER_COMPARISON = 16;

/**
 * Returns the possible inherited accesses of a section, or the reason why they are unknown. Calls
 * `onAccessSection` once for each access section that applies before this section.
 */
export function accessInheritedBy(
  entry: SectionEntry,
  sectionsBefore: SectionsBefore,
  states: AccessStates,
  onAccessSection: (other: SectionEntry) => void,
): PossibleAccess | NotConverted {
  const { stage, ownAccess } = entry;
  const possibleStates = new Set<InheritedAccess>();
  let problem: NotConverted | null = null;
  let isFirstOfStage = true;
  // Most folders have the same earlier sections, so a set collects each of them only once.
  const earlierSections = new Set<SectionEntry>();
  // Two folders with the same sections often have the same list object. It is used only once.
  let lastSections: readonly AppliedSection[] | null = null;
  for (const requestedHost of sectionsBefore.serversToSearchFor(entry)) {
    for (const { appliedSections } of sectionsBefore.sequencesBefore(entry, requestedHost)) {
      if (appliedSections === lastSections) continue;
      lastSections = appliedSections;
      sectionsBefore.comparisonCount += Math.floor(appliedSections.length / SECTIONS_PER_COMPARISON);
      for (const applied of appliedSections) earlierSections.add(applied.entry);
      problem ??= addStatesAfter(appliedSections, states, possibleStates);
    }
  }
  for (const other of earlierSections) {
    if (!needsOwnTree(other.ownAccess)) continue;
    if (other !== entry && needsOwnTree(ownAccess)) onAccessSection(other);
    if (other.stage === stage && isMergedBeforeInheriting(stage)) isFirstOfStage = false;
  }
  return problem ?? { possibleStates: [...possibleStates], isFirstOfStage };
}

/**
 * Adds to `foundStates` the possible accesses after `appliedSections`: one for each combination of
 * the uncertain sections, which may apply or not. Returns the reason if there are too many
 * combinations; otherwise null.
 */
export function addStatesAfter(
  appliedSections: readonly AppliedSection[],
  states: AccessStates,
  foundStates: Set<InheritedAccess>,
): NotConverted | null {
  if (appliedSections.length === 0) {
    foundStates.add(states.initialAccess);
    return null;
  }
  const uncertainCount = appliedSections.filter(({ isCertain }) => !isCertain).length;
  if (uncertainCount > MAX_UNCERTAIN_SECTIONS) return notConverted('too-many-sections', null);
  for (const state of states.possibleAccessesAfter(appliedSections)) foundStates.add(state);
  return null;
}

/**
 * Whether httpd first merges the sections of a stage with each other, and then merges the result
 * into that of earlier stages. Directories are the first stage, so for them the order makes no
 * difference.
 */
function isMergedBeforeInheriting(stage: Stage): boolean {
  return stage === 'files' || stage === 'location' || stage === 'proxy';
}
