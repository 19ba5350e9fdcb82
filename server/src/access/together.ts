/** Decides which sections are converted together or not at all. */
import type { Scope } from '../config/configuration';
import { addTo } from '../syntax/groups';
import type { Section } from '../syntax/tree';
import type { ConversionInput } from './conversion-input';
import type { SectionLines } from './decide-section';
import { removedConditionsIn } from './removable-conditions';
import { notConvertedBecauseOfLine, notConverted, type NotConverted, placeText } from './not-converted';
import { isAccessLine, OLD_NAMES } from './read';
import { needsOwnTree } from './section-access';
import { sectionName } from './section-name';
import { tagPosition, type SectionEntry } from './section-order';
import { splitFile, type SplitFile } from './inlined-includes';
import { splitMacro, type SplitMacro } from './second-macros';
import { isFromElsewhere, keyOfAccessLines, sectionsSharingLines, withParameters } from './shared-text';

/** What happens to the sections of a server. A section in neither map does not change. */
export interface Decisions {
  readonly convertedSections: ReadonlyMap<SectionEntry, SectionLines>;
  readonly reasonByEntry: ReadonlyMap<SectionEntry, NotConverted>;
  /** For each section, those that may apply to the same request. */
  readonly relatedEntries: ReadonlyMap<SectionEntry, readonly SectionEntry[]>;
}

/**
 * For each section: the sections whose text must change together with it. They have the same text
 * (a file is included more than once, or a .htaccess file has several names), or read access lines
 * from the same included file or macro.
 */
export type Copies = ReadonlyMap<SectionEntry, readonly SectionEntry[]>;

/**
 * The macros and included files that are split, by the sections that read their access lines from
 * them.
 */
export type SplitTexts = Map<readonly SectionEntry[], SplitText>;

/** A macro gets further macros after it; some of the Include lines of a file get lines in place. */
type SplitText = (SplitMacro | SplitFile) & Partial<SplitMacro & SplitFile>;

export function copiesOf(entries: readonly SectionEntry[], { readings }: ConversionInput): Copies {
  const places = new Map<string, SectionEntry[]>();
  for (const entry of entries) {
    const { section, file, offset } = entry.scope;
    const isRepeated =
      (section !== null && file.readings > 1) || (readings.size > 0 && (readings.get(file.path) ?? 0) > 1);
    if (!isRepeated || !needsOwnTree(entry.ownAccess)) continue;
    addTo(places, `${section === null ? 'file' : offset} ${file.path}`, entry);
  }
  const touching = entries.filter(({ ownAccess }) => needsOwnTree(ownAccess));
  return copiesFromLists([...places.values(), ...sectionsSharingLines(touching)]);
}

/** Joins lists that have an entry in common. */
function copiesFromLists(lists: readonly (readonly SectionEntry[])[]): Copies {
  const all = new Map<SectionEntry, readonly SectionEntry[]>();
  for (const list of lists) {
    const parts = new Set(list.map((entry) => all.get(entry) ?? [entry]));
    const whole = [...new Set([...parts].flat())].sort((a, b) => a.orderNumber - b.orderNumber);
    for (const entry of whole) all.set(entry, whole);
  }
  return all;
}

/**
 * The reasons why sections are not converted, each also given for the copies of its section. A
 * shared text can only be changed if the new lines are right for all sections that have it, or if
 * it is a macro or a file that can be split. Adds these to `splitTexts`, by the copies.
 */
export function reasonsWithCopies(
  { convertedSections, reasonByEntry }: Decisions,
  copies: Copies,
  input: ConversionInput,
  splitTexts: SplitTexts,
): Map<SectionEntry, NotConverted> {
  const all = new Map(reasonByEntry);
  for (const list of new Set(copies.values())) {
    const refused = list.find((entry) => all.has(entry));
    const results = new Set(list.map((entry) => keyOfLines(convertedSections.get(entry), entry.scope)));
    const differ = results.size > 1 || new Set(list.map(({ scope }) => keyOfAccessLines(scope))).size > 1;
    const split = refused || !differ ? null : splitOf(list, convertedSections, input);
    if (split !== null) splitTexts.set(list, split);
    const reason = refused ? all.get(refused)! : differ && split === null ? reasonOfDifferentLines(list, input) : null;
    if (reason !== null) for (const entry of list) all.set(entry, reason);
  }
  return all;
}

/**
 * For each section, those that may apply to the same request. Each pair is listed for both
 * sections, perhaps twice.
 */
export type RelatedSections = Map<SectionEntry, SectionEntry[]>;

/**
 * Records that two sections may apply to the same request. It is called for all pairs of sections,
 * so it does not check whether the pair is already recorded.
 */
export function addRelated(related: RelatedSections, one: SectionEntry, other: SectionEntry): void {
  addTo(related, one, other);
  addTo(related, other, one);
}

/** Relates all sections inside a removed condition, because they must be converted together. */
export function relateSectionsInConditions(
  related: RelatedSections,
  entries: readonly SectionEntry[],
  removedConditions: ReadonlySet<Section>,
): void {
  if (removedConditions.size === 0) return;
  const firsts = new Map<Section, SectionEntry>();
  for (const entry of entries) {
    if (!needsOwnTree(entry.ownAccess)) continue;
    for (const { section } of removedConditionsIn(entry.scope, removedConditions)) {
      const first = firsts.get(section);
      if (first === undefined) firsts.set(section, entry);
      else addRelated(related, entry, first);
    }
  }
}

/**
 * A group number for each section. Sections that share a request, directly or through others, and
 * copies have the same number.
 */
export function groupNumbers(
  { convertedSections, reasonByEntry, relatedEntries }: Decisions,
  copies: Copies,
): ReadonlyMap<SectionEntry, number> {
  const numbers = new Map<SectionEntry, number>();
  const visitedCopies = new Set<readonly SectionEntry[]>();
  for (const start of convertedSections.keys()) {
    if (numbers.has(start) || reasonByEntry.has(start)) continue;
    // Most sections share no request with another section.
    if (!relatedEntries.has(start) && !copies.has(start)) {
      numbers.set(start, start.orderNumber);
      continue;
    }
    const pending = [start];
    for (let entry = pending.pop(); entry; entry = pending.pop()) {
      if (numbers.has(entry) || reasonByEntry.has(entry)) continue;
      numbers.set(entry, start.orderNumber);
      for (const other of relatedEntries.get(entry) ?? []) if (!numbers.has(other)) pending.push(other);
      for (const copy of unvisitedCopies(entry, copies, visitedCopies)) pending.push(copy);
    }
  }
  return numbers;
}

/**
 * Reasons against converting groups whose new lines would look like lines of 2.2. If old lines
 * remain near them, the program would take a converted `Require user x` for a line of 2.2 in the
 * next run, and convert it again. So a group with unconverted related sections is only converted if
 * one of its sections has something that 2.2 does not have.
 */
export function mistakableReasons(decisions: Decisions, copies: Copies): ReadonlyMap<SectionEntry, NotConverted> {
  const { convertedSections, reasonByEntry, relatedEntries } = decisions;
  const found = new Map<SectionEntry, NotConverted>();
  if (reasonByEntry.size === 0) return found;
  const numbers = groupNumbers(decisions, copies);
  const groups = new Map<number, SectionEntry[]>();
  for (const entry of convertedSections.keys())
    if (!reasonByEntry.has(entry)) addTo(groups, numbers.get(entry)!, entry);
  const stays = (entry: SectionEntry) => reasonByEntry.has(entry) || found.has(entry);
  for (const group of groups.values()) {
    const staying = group
      .flatMap((entry) => [...(relatedEntries.get(entry) ?? [])])
      .find((other) => stays(other) && other.scope.lines.some(({ line }) => OLD_NAMES.has(line.name)));
    if (
      staying === undefined ||
      group.some((entry) => entry.ownAccess.hasLinesOf24 || hasFormOf24(convertedSections.get(entry)!))
    )
      continue;
    const reason = notConverted(
      'beside-old-lines',
      tagPosition(staying),
      sectionName(staying.scope),
      placeText(staying.scope.file, staying.scope.offset),
    );
    for (const entry of group) found.set(entry, reason);
  }
  return found;
}

// ---------------------------------------------------------------------------------------------------------------------

/** The copies of a section. Empty at the second call for the same list, so that it is read once. */
function unvisitedCopies(
  entry: SectionEntry,
  copies: Copies,
  visited: Set<readonly SectionEntry[]>,
): readonly SectionEntry[] {
  const same = copies.get(entry);
  if (same === undefined || visited.has(same)) return [];
  visited.add(same);
  return same;
}

function reasonOfDifferentLines(copies: readonly SectionEntry[], { readings }: ConversionInput): NotConverted {
  const { scope } = copies[0]!;
  const foreign = scope.lines.find((at) => isAccessLine(at) && isFromElsewhere(at, scope));
  if (foreign !== undefined)
    return foreign.macro === undefined
      ? notConvertedBecauseOfLine('includes-differ', foreign, foreign.file.path)
      : notConvertedBecauseOfLine('from-macro', foreign, foreign.macro);
  const { path } = scope.file;
  if (copies.every((copy) => copy.scope === scope)) return notConverted('hosts-differ', null, path);
  return notConverted(readings.has(path) ? 'links-differ' : 'includes-differ', null, path);
}

/**
 * How a text is split whose sections need different lines. Null if it is not split. If a macro is
 * split, the program must see in the next run that the lines of each section are written for 2.4.
 */
function splitOf(
  list: readonly SectionEntry[],
  convertedSections: ReadonlyMap<SectionEntry, SectionLines>,
  input: ConversionInput,
): SplitText | null {
  const keyOf = (entry: SectionEntry) => keyOfLines(convertedSections.get(entry), entry.scope);
  const isOf24 = (entry: SectionEntry) => convertedSections.has(entry) && hasFormOf24(convertedSections.get(entry)!);
  const split = list.every(isOf24) ? splitMacro(list, convertedSections, input, keyOf) : null;
  return split ?? splitFile(list, convertedSections, input, keyOf);
}

function keyOfLines(lines: SectionLines | undefined, scope: Scope): string {
  return lines ? `${lines.authMerging} ${JSON.stringify(lines.tree && withParameters(lines.tree, scope))}` : '';
}

/**
 * Whether the lines contain something that 2.2 does not have. Several requirements without a
 * container are also possible in 2.2.
 */
function hasFormOf24({ tree, authMerging }: SectionLines): boolean {
  return (
    authMerging !== null ||
    tree === null ||
    (tree.type === 'any' ? tree.inner : [tree]).some(({ type }) => type !== 'user')
  );
}
