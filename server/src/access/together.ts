/** Decides which sections are converted together or not at all. */
import type { Scope } from '../config/configuration';
import { addTo } from '../syntax/groups';
import type { Section } from '../syntax/tree';
import type { ConversionInput } from './conversion-input';
import type { SectionLines } from './decide-section';
import { removedConditionsIn } from './removable-conditions';
import { notConvertedBecauseOfLine, notConverted, type NotConverted, placeText } from './not-converted';
import { isAccessLine, OLD_ACCESS_NAMES } from './read';
import { needsOwnTree } from './section-access';
import { sectionName } from './section-name';
import { tagPosition, type SectionEntry } from './section-order';
import { splitFile, type SplitFile } from './inlined-includes';
import { splitMacro, type SplitMacro } from './second-macros';
import { mixedIncludes } from './mixed-includes';
import { isFromIncludeOrMacro, keyOfAccessLines, sectionsSharingLines, withParameters } from './shared-text';

/**
 * What the conversion does to the sections of a server. A section that is in neither
 * `linesByEntry` nor `reasonByEntry` needs no change.
 */
export interface Decisions {
  readonly linesByEntry: ReadonlyMap<SectionEntry, SectionLines>;
  readonly reasonByEntry: ReadonlyMap<SectionEntry, NotConverted>;
  /** For each section: the sections that may apply to the same requests. */
  readonly relatedSectionsByEntry: ReadonlyMap<SectionEntry, readonly SectionEntry[]>;
}

/**
 * For each section: the list of sections whose text must change together with its text. They have
 * the same text, because a file is included more than once or a .htaccess file has several paths.
 * Or they read access lines from the same included file or macro.
 */
export type Copies = ReadonlyMap<SectionEntry, readonly SectionEntry[]>;

/**
 * The macros and included files that get different lines for different sections. The key is the
 * list of sections that read their access lines from the macro or file.
 */
export type SplitTexts = Map<readonly SectionEntry[], SplitText>;

/** The new lines for a macro or an included file whose sections need different lines. */
type SplitText = (SplitMacro | SplitFile) & Partial<SplitMacro & SplitFile>;

/** Finds the copies of each section with access lines. */
export function copiesOf(entries: readonly SectionEntry[], { readingCountByPath }: ConversionInput): Copies {
  const entriesByPlace = new Map<string, SectionEntry[]>();
  for (const entry of entries) {
    const { section, file, offset } = entry.scope;
    const isReadRepeatedly =
      (section !== null && file.readingCount > 1) ||
      (readingCountByPath.size > 0 && (readingCountByPath.get(file.path) ?? 0) > 1);
    if (!isReadRepeatedly || !needsOwnTree(entry.ownAccess)) continue;
    addTo(entriesByPlace, `${section === null ? 'file' : offset} ${file.path}`, entry);
  }
  const accessEntries = entries.filter(({ ownAccess }) => needsOwnTree(ownAccess));
  // If all sections of a list also have access lines outside of the included file, the conversion
  // does not change that file.
  const lists = [...sectionsSharingLines(accessEntries)].filter((list) =>
    list.some(({ scope }) => mixedIncludes(scope) === null),
  );
  return copiesFromLists([...entriesByPlace.values(), ...lists]);
}

/** Joins lists that have a section in common. The result maps each section to its list. */
function copiesFromLists(lists: readonly (readonly SectionEntry[])[]): Copies {
  const listByEntry = new Map<SectionEntry, readonly SectionEntry[]>();
  for (const list of lists) {
    const joinedLists = new Set(list.map((entry) => listByEntry.get(entry) ?? [entry]));
    const joinedList = [...new Set([...joinedLists].flat())].sort((a, b) => a.orderNumber - b.orderNumber);
    for (const entry of joinedList) listByEntry.set(entry, joinedList);
  }
  return listByEntry;
}

/**
 * The reasons why sections are not converted. If a section has a reason, all its copies get the
 * same reason. Copies that need different lines also get a reason, unless their macro or included
 * file can have different lines for them. Adds these different lines to `splitTexts`.
 */
export function reasonsWithCopies(
  { linesByEntry, reasonByEntry }: Decisions,
  copies: Copies,
  input: ConversionInput,
  splitTexts: SplitTexts,
): Map<SectionEntry, NotConverted> {
  const allReasons = new Map(reasonByEntry);
  for (const list of new Set(copies.values())) {
    const unconvertedEntry = list.find((entry) => allReasons.has(entry));
    const keysOfConvertedLines = new Set(list.map((entry) => keyOfLines(linesByEntry.get(entry), entry.scope)));
    const doLinesDiffer =
      keysOfConvertedLines.size > 1 || new Set(list.map(({ scope }) => keyOfAccessLines(scope))).size > 1;
    const splitText = unconvertedEntry || !doLinesDiffer ? null : splitTextOf(list, linesByEntry, input);
    if (splitText !== null) splitTexts.set(list, splitText);
    const reason = unconvertedEntry
      ? allReasons.get(unconvertedEntry)!
      : doLinesDiffer && splitText === null
        ? reasonOfDifferentLines(list, input)
        : null;
    if (reason !== null) for (const entry of list) allReasons.set(entry, reason);
  }
  return allReasons;
}

/**
 * For each section: the sections that may apply to the same requests. Each pair is listed for both
 * sections, and can be listed twice.
 */
export type RelatedSections = Map<SectionEntry, SectionEntry[]>;

/**
 * Records that two sections may apply to the same request. It is called for each pair of sections.
 * To be fast, it does not check whether the pair is already recorded.
 */
export function addRelated(relatedSections: RelatedSections, one: SectionEntry, other: SectionEntry): void {
  addTo(relatedSections, one, other);
  addTo(relatedSections, other, one);
}

/**
 * Relates all sections inside of a removed condition to each other, because they must be converted
 * together.
 */
export function relateSectionsInConditions(
  relatedSections: RelatedSections,
  entries: readonly SectionEntry[],
  removedConditions: ReadonlySet<Section>,
): void {
  if (removedConditions.size === 0) return;
  const firstByCondition = new Map<Section, SectionEntry>();
  for (const entry of entries) {
    if (!needsOwnTree(entry.ownAccess)) continue;
    for (const { section } of removedConditionsIn(entry.scope, removedConditions)) {
      const firstEntry = firstByCondition.get(section);
      if (firstEntry === undefined) firstByCondition.set(section, entry);
      else addRelated(relatedSections, entry, firstEntry);
    }
  }
}

/**
 * A group number for each section that is converted. Two sections have the same number if they are
 * copies, or if they share a request, directly or through other sections.
 */
export function groupNumbers(
  { linesByEntry, reasonByEntry, relatedSectionsByEntry }: Decisions,
  copies: Copies,
): ReadonlyMap<SectionEntry, number> {
  const numberByEntry = new Map<SectionEntry, number>();
  const visitedCopies = new Set<readonly SectionEntry[]>();
  for (const firstEntry of linesByEntry.keys()) {
    if (numberByEntry.has(firstEntry) || reasonByEntry.has(firstEntry)) continue;
    // Most sections share no request with another section, and need no search.
    if (!relatedSectionsByEntry.has(firstEntry) && !copies.has(firstEntry)) {
      numberByEntry.set(firstEntry, firstEntry.orderNumber);
      continue;
    }
    const pendingEntries = [firstEntry];
    for (let entry = pendingEntries.pop(); entry; entry = pendingEntries.pop()) {
      if (numberByEntry.has(entry) || reasonByEntry.has(entry)) continue;
      numberByEntry.set(entry, firstEntry.orderNumber);
      for (const other of relatedSectionsByEntry.get(entry) ?? [])
        if (!numberByEntry.has(other)) pendingEntries.push(other);
      for (const copy of unvisitedCopies(entry, copies, visitedCopies)) pendingEntries.push(copy);
    }
  }
  return numberByEntry;
}

/**
 * Reasons not to convert groups of sections whose new lines would look like lines of 2.2. If other
 * sections keep old lines, the next run would mistake a converted `Require user x` for a line of
 * 2.2, and convert it again. So a group with unconverted related sections is converted only if one
 * of its new lines is not possible in 2.2.
 */
export function reasonsForMistakableGroups(
  decisions: Decisions,
  copies: Copies,
): ReadonlyMap<SectionEntry, NotConverted> {
  const { linesByEntry, reasonByEntry, relatedSectionsByEntry } = decisions;
  const foundReasons = new Map<SectionEntry, NotConverted>();
  if (reasonByEntry.size === 0) return foundReasons;
  const numberByEntry = groupNumbers(decisions, copies);
  const entriesByGroup = new Map<number, SectionEntry[]>();
  for (const entry of linesByEntry.keys())
    if (!reasonByEntry.has(entry)) addTo(entriesByGroup, numberByEntry.get(entry)!, entry);
  const isUnconverted = (entry: SectionEntry) => reasonByEntry.has(entry) || foundReasons.has(entry);
  for (const group of entriesByGroup.values()) {
    const sectionWithOldLines = group
      .flatMap((entry) => [...(relatedSectionsByEntry.get(entry) ?? [])])
      .find((other) => isUnconverted(other) && other.scope.lines.some(({ line }) => OLD_ACCESS_NAMES.has(line.name)));
    if (
      sectionWithOldLines === undefined ||
      group.some((entry) => entry.ownAccess.hasLinesOf24 || hasFormOf24(linesByEntry.get(entry)!))
    )
      continue;
    const reason = notConverted(
      'beside-old-lines',
      tagPosition(sectionWithOldLines),
      sectionName(sectionWithOldLines.scope),
      placeText(sectionWithOldLines.scope.file, sectionWithOldLines.scope.offset),
    );
    for (const entry of group) foundReasons.set(entry, reason);
  }
  return foundReasons;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The list of copies that contains `entry` (see `Copies`). Empty if there is none, or if the list
 * is in `visitedLists`. Otherwise adds the list to `visitedLists`, so that each list is used once.
 */
function unvisitedCopies(
  entry: SectionEntry,
  copies: Copies,
  visitedLists: Set<readonly SectionEntry[]>,
): readonly SectionEntry[] {
  const listOfCopies = copies.get(entry);
  if (listOfCopies === undefined || visitedLists.has(listOfCopies)) return [];
  visitedLists.add(listOfCopies);
  return listOfCopies;
}

/** The reason not to convert copies that need different lines. */
function reasonOfDifferentLines(
  copies: readonly SectionEntry[],
  { readingCountByPath }: ConversionInput,
): NotConverted {
  const { scope } = copies[0]!;
  const lineFromElsewhere = scope.lines.find((at) => isAccessLine(at) && isFromIncludeOrMacro(at, scope));
  if (lineFromElsewhere !== undefined)
    return lineFromElsewhere.macro === undefined
      ? notConvertedBecauseOfLine('includes-differ', lineFromElsewhere, lineFromElsewhere.file.path)
      : notConvertedBecauseOfLine('from-macro', lineFromElsewhere, lineFromElsewhere.macro);
  const { path } = scope.file;
  if (copies.every((copy) => copy.scope === scope)) return notConverted('hosts-differ', null, path);
  return notConverted(readingCountByPath.has(path) ? 'links-differ' : 'includes-differ', null, path);
}

/**
 * The new lines for a macro or an included file whose sections need different lines. Null if
 * different lines are not possible. A macro is copied only if its new lines have a form that the
 * next run recognizes as 2.4. Otherwise that run would convert them again.
 */
function splitTextOf(
  list: readonly SectionEntry[],
  linesByEntry: ReadonlyMap<SectionEntry, SectionLines>,
  input: ConversionInput,
): SplitText | null {
  const keyOfNewLines = (entry: SectionEntry) => keyOfLines(linesByEntry.get(entry), entry.scope);
  const hasLinesOf24 = (entry: SectionEntry) => linesByEntry.has(entry) && hasFormOf24(linesByEntry.get(entry)!);
  const splitOfMacro = list.every(hasLinesOf24) ? splitMacro(list, linesByEntry, input, keyOfNewLines) : null;
  return splitOfMacro ?? splitFile(list, linesByEntry, input, keyOfNewLines);
}

/** A text that is equal for equal new lines, as they are written in the macro or file. */
function keyOfLines(lines: SectionLines | undefined, scope: Scope): string {
  return lines ? `${lines.authMerging} ${JSON.stringify(lines.tree && withParameters(lines.tree, scope))}` : '';
}

/**
 * Whether a new line is not possible in 2.2. Requirements about users outside of containers are
 * possible in 2.2, too.
 */
function hasFormOf24({ tree, authMerging }: SectionLines): boolean {
  return (
    authMerging !== null ||
    tree === null ||
    (tree.type === 'any' ? tree.inner : [tree]).some(({ type }) => type !== 'user')
  );
}
