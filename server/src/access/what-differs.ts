/**
 * Finds the sections because of which requests to one section inherit different access. The user
 * gets their names.
 */
import type { AccessStates } from './access-states';
import { MAX_UNCERTAIN_SECTIONS } from './inherited-by-section';
import { needsOwnTree } from './section-access';
import type { SectionEntry } from './section-order';
import type { SectionsBefore, AppliedSection } from './sections-before';

/**
 * The search is done for at most so many sections, and for each of them with at most so many
 * sequences of earlier sections.
 */
const MAX_SEARCHED_SECTIONS = 30;
const MAX_SEQUENCES = 100;

/**
 * Returns a function that takes a section. It returns one or two other sections because of which
 * some requests to the section inherit different access. The list is empty if a single difference
 * of one or two sections does not explain that, or after too many searches.
 */
export function differingSectionsFinder(
  before: SectionsBefore,
  states: AccessStates,
): (entry: SectionEntry) => readonly SectionEntry[] {
  let searchesLeft = MAX_SEARCHED_SECTIONS;
  return (entry) => (searchesLeft-- > 0 ? sectionsCausingDifference(entry, before, states) : []);
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
  const earlierCases: InheritedCase[] = [];
  let smallestDifference: readonly SectionEntry[] = [];
  for (const appliedEntries of sequences.flatMap(({ appliedSections }) => possibleSections(appliedSections))) {
    const state = [...appliedEntries, entry].reduce(
      (sum, { ownAccess }) => states.accessAfter(sum, ownAccess),
      states.initialAccess,
    );
    const thisCase: InheritedCase = { tree: states.treeOf(state), appliedEntries: new Set(appliedEntries) };
    for (const other of earlierCases) {
      const difference = other.tree === thisCase.tree ? [] : sectionsInOneOnly(thisCase, other);
      if (difference.length > 0 && (smallestDifference.length === 0 || difference.length < smallestDifference.length))
        smallestDifference = difference;
    }
    if (smallestDifference.length === 1) return smallestDifference;
    if (earlierCases.length < MAX_SEQUENCES) earlierCases.push(thisCase);
  }
  return smallestDifference.length === 2 ? smallestDifference : [];
}

/**
 * One possible request to a section: the tree that results from all sections that apply, and the
 * other sections that apply.
 */
interface InheritedCase {
  readonly tree: unknown;
  readonly appliedEntries: ReadonlySet<SectionEntry>;
}

/** The sections that decide access and that apply in only one of two cases. */
function sectionsInOneOnly(one: InheritedCase, other: InheritedCase): readonly SectionEntry[] {
  return [...one.appliedEntries, ...other.appliedEntries].filter(
    (each) => needsOwnTree(each.ownAccess) && one.appliedEntries.has(each) !== other.appliedEntries.has(each),
  );
}

/**
 * The sections that apply before a section. There is one list for each combination of the uncertain
 * sections. Empty if there are too many combinations.
 */
function possibleSections(steps: readonly AppliedSection[]): (readonly SectionEntry[])[] {
  const uncertainSteps = steps.filter((step) => !step.isCertain);
  if (uncertainSteps.length > MAX_UNCERTAIN_SECTIONS) return [];
  const found: (readonly SectionEntry[])[] = [];
  for (let bits = 0; bits < 2 ** uncertainSteps.length; bits++)
    found.push(
      steps
        .filter((step) => step.isCertain || (bits & (1 << uncertainSteps.indexOf(step))) !== 0)
        .map(({ entry }) => entry),
    );
  return found;
}
