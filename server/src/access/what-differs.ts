/**
 * Finds out which sections are the reason that requests to one section inherit different access.
 * The user gets their names.
 */
import type { AccessStates } from './access-states';
import { MAX_UNCERTAIN_SECTIONS } from './inherited-by-section';
import { needsOwnTree } from './section-access';
import type { SectionEntry } from './section-order';
import type { SectionsBefore, AppliedSection } from './sections-before';

/** Limits of sections that are compared, and of orders of sections for each. */
const MAX_SECTIONS = 30;
const MAX_SEQUENCES = 100;

/**
 * Returns a function that takes a section. It gives the one or two others without which all
 * requests to the section would inherit the same access. It gives none if they are not found: the
 * difference comes from the section's own condition, or too many sections take part.
 */
export function differingSectionsFinder(
  before: SectionsBefore,
  states: AccessStates,
): (entry: SectionEntry) => readonly SectionEntry[] {
  let left = MAX_SECTIONS;
  return (entry) => (left-- > 0 ? sectionsCausingDifference(entry, before, states) : []);
}

// ---------------------------------------------------------------------------------------------------------------------

function sectionsCausingDifference(
  entry: SectionEntry,
  before: SectionsBefore,
  states: AccessStates,
): readonly SectionEntry[] {
  const sequences = before
    .serversToSearchFor(entry)
    .flatMap((context) => before.sequencesBefore(entry, context))
    .slice(0, MAX_SEQUENCES);
  const seen: InheritedCase[] = [];
  let nearest: readonly SectionEntry[] = [];
  for (const applied of sequences.flatMap(({ appliedSections }) => possibleSections(appliedSections))) {
    const state = [...applied, entry].reduce(
      (sum, { ownAccess }) => states.accessAfter(sum, ownAccess),
      states.initialAccess,
    );
    const here: InheritedCase = { tree: states.treeOf(state), appliedEntries: new Set(applied) };
    for (const other of seen) {
      const apart = other.tree === here.tree ? [] : sectionsInOneOnly(here, other);
      if (apart.length > 0 && (nearest.length === 0 || apart.length < nearest.length)) nearest = apart;
    }
    if (nearest.length === 1) return nearest;
    if (seen.length < MAX_SEQUENCES) seen.push(here);
  }
  return nearest.length === 2 ? nearest : [];
}

/**
 * One possible request to a section: the access that it inherits, and the other sections that
 * apply.
 */
interface InheritedCase {
  readonly tree: unknown;
  readonly appliedEntries: ReadonlySet<SectionEntry>;
}

/** The sections that apply in only one of two cases. */
function sectionsInOneOnly(one: InheritedCase, other: InheritedCase): readonly SectionEntry[] {
  return [...one.appliedEntries, ...other.appliedEntries].filter(
    (each) => needsOwnTree(each.ownAccess) && one.appliedEntries.has(each) !== other.appliedEntries.has(each),
  );
}

/** The sections that apply, one list for each combination of the uncertain ones. */
function possibleSections(steps: readonly AppliedSection[]): (readonly SectionEntry[])[] {
  const optional = steps.filter((step) => !step.isCertain);
  if (optional.length > MAX_UNCERTAIN_SECTIONS) return [];
  const found: (readonly SectionEntry[])[] = [];
  for (let bits = 0; bits < 2 ** optional.length; bits++)
    found.push(
      steps.filter((step) => step.isCertain || (bits & (1 << optional.indexOf(step))) !== 0).map(({ entry }) => entry),
    );
  return found;
}
