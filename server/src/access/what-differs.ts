/**
 * Finds the sections because of which requests to one section inherit different access. The user
 * gets their names.
 */
import type { AccessStates } from './access-states';
import { MAX_UNCERTAIN_SECTIONS } from './inherited-by-section';
import { isReason } from './not-converted';
import { needsOwnTree, NO_ACCESS } from './section-access';
import type { SectionEntry } from './section-order';
import type { SectionsBefore, AppliedSection } from './sections-before';

/** Maximum number of sections for which the other sections are searched. */
const MAX_SEARCHED_SECTIONS = 30;
/** Maximum number of sequences of earlier sections that are compared for one section. */
const MAX_SEQUENCES = 100;

/** The other sections that matter to requests for a section. */
export interface OtherSections {
  /**
   * One or two sections because of which requests inherit different access: they apply to some of
   * the requests only. Empty if more than two sections make the difference.
   */
  readonly differingSections: readonly SectionEntry[];
  /**
   * Sections that refuse some of the requests, and whose lines new access lines in the section
   * would replace. Null if there are too many sections to find all of them.
   */
  readonly replaceableSections: readonly SectionEntry[] | null;
}

/** Returns a function that finds the other sections. After too many searches, it finds none. */
export function otherSectionsFinder(
  earlierSections: SectionsBefore,
  states: AccessStates,
): (entry: SectionEntry) => OtherSections {
  let searchesLeft = MAX_SEARCHED_SECTIONS;
  return (entry) => {
    if (searchesLeft-- <= 0) return { differingSections: [], replaceableSections: null };
    const sequences = earlierSections
      .serversToSearchFor(entry)
      .flatMap((requestedHost) => earlierSections.sequencesBefore(entry, requestedHost))
      .map(({ appliedSections }) => appliedSections);
    const searchedSequences = sequences.slice(0, MAX_SEQUENCES);
    return {
      differingSections: sectionsCausingDifference(entry, searchedSequences, states),
      replaceableSections:
        searchedSequences.length < sequences.length ? null : replaceableSections(entry, searchedSequences, states),
    };
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** The sections of `OtherSections.differing`. */
function sectionsCausingDifference(
  entry: SectionEntry,
  sequences: readonly (readonly AppliedSection[])[],
  states: AccessStates,
): readonly SectionEntry[] {
  const earlierCases: InheritedCase[] = [];
  let smallestDifference: readonly SectionEntry[] = [];
  for (const appliedEntries of sequences.flatMap(possibleSections)) {
    const accessOfAllSections = [...appliedEntries, entry].reduce(
      (access, { ownAccess }) => states.accessAfter(access, ownAccess),
      states.initialAccess,
    );
    const thisCase: InheritedCase = {
      treeOrReason: states.treeOf(accessOfAllSections),
      appliedEntries: new Set(appliedEntries),
    };
    for (const other of earlierCases) {
      const difference = other.treeOrReason === thisCase.treeOrReason ? [] : sectionsInOneOnly(thisCase, other);
      if (difference.length > 0 && (smallestDifference.length === 0 || difference.length < smallestDifference.length))
        smallestDifference = difference;
    }
    if (smallestDifference.length === 1) return smallestDifference;
    if (earlierCases.length < MAX_SEQUENCES) earlierCases.push(thisCase);
  }
  return smallestDifference.length === 2 ? smallestDifference : [];
}

/**
 * The sections of `OtherSections.replaceable`. In 2.2, access lines replace inherited access lines.
 * So new lines in the section would replace the lines of these sections.
 */
function replaceableSections(
  { ownAccess }: SectionEntry,
  sequences: readonly (readonly AppliedSection[])[],
  states: AccessStates,
): readonly SectionEntry[] {
  const mayRefuse = ({ ownAccess: { hostRules, userRequirements } }: SectionEntry): boolean => {
    if (ownAccess.userRequirements === null && userRequirements !== null) return true;
    if (ownAccess.hostRules !== null || hostRules === null) return false;
    const tree = states.treeOfAnyState(states.accessAfter(states.initialAccess, { ...NO_ACCESS, hostRules }));
    return isReason(tree) || tree.type !== 'granted';
  };
  const appliedSections = sequences.flat();
  const uncertainSections = appliedSections.filter(
    ({ entry, isCertain }) =>
      !isCertain || sequences.some((sequence) => !sequence.some((each) => each.isCertain && each.entry === entry)),
  );
  return [...new Set(uncertainSections.map(({ entry }) => entry))].filter(mayRefuse);
}

/**
 * One possible request to a section: the sections that apply before it, and the Require tree, or
 * reason, that results from all of them and the section.
 */
interface InheritedCase {
  readonly treeOrReason: unknown;
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
function possibleSections(appliedSections: readonly AppliedSection[]): (readonly SectionEntry[])[] {
  const uncertainSections = appliedSections.filter((step) => !step.isCertain);
  if (uncertainSections.length > MAX_UNCERTAIN_SECTIONS) return [];
  const possibleLists: (readonly SectionEntry[])[] = [];
  for (let bits = 0; bits < 2 ** uncertainSections.length; bits++)
    possibleLists.push(
      appliedSections
        .filter((step) => step.isCertain || (bits & (1 << uncertainSections.indexOf(step))) !== 0)
        .map(({ entry }) => entry),
    );
  return possibleLists;
}
