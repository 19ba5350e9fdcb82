/**
 * The occurrences of names in a file. They are cached by the lists of its tree, because an edit
 * replaces only the lists around the changed line. For each list, a few bits show which names it
 * may have, so that a search can skip the list. A set of names would take too much memory in a long
 * file.
 */
import type { Steps } from '../config/resumable';
import { contentEnd, LineKind, type Line } from '../syntax/line';
import { type List, NodeKind, type Section } from '../syntax/tree';
import { cacheOf, counters, recentSlots } from '../syntax/memory';
import { Template } from '../syntax/template';
import { hasForeignText, namesInLine, foreignText, pathsInLine, type NameKind, type Occurrence } from './names-in-line';

/** An occurrence and its line. */
export interface OccurrenceInLine {
  readonly occurrence: Occurrence;
  readonly line: Line;
  /**
   * Whether the line is one physical line without template text. Then the offsets of the occurrence
   * are characters of that line.
   */
  readonly isSingleRowWithoutTemplate: boolean;
}

/** An occurrence in a file. */
export interface PlacedOccurrence extends OccurrenceInLine {
  /** The UTF-16 offset in the file at which the line starts. */
  readonly offset: number;
  /** The 0-based number of the line. */
  readonly row: number;
}

/**
 * Counts the lists whose names were collected, and the lists that were searched, since the start of
 * the program. Tests read it.
 */
export const workCounts = counters({ lists: 0, searchedLists: 0 });

/** A name to search for. */
export interface WantedName {
  readonly kind: NameKind;
  /** The result of `foldedName`; null for names that are patterns. */
  readonly name: string | null;
}

/**
 * Converts a name to lower case, so that names can be compared quickly. For a case-sensitive kind,
 * the caller then also compares the names exactly.
 */
export function foldedName(name: string): string {
  return /[A-Z]/.test(name) ? name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : name;
}

/**
 * Calls `visit` for the occurrences of the wanted names, in the order of the file, until `visit`
 * returns false. `offset` and `row` are those of the line in the file; `wantedIndex` is an index in
 * `wantedNames`.
 */
export function forEachOccurrence(
  list: List,
  wantedNames: readonly WantedName[],
  visit: (occurrence: OccurrenceInLine, offset: number, row: number, wantedIndex: number) => boolean | void,
): void {
  const hashes = Int32Array.from(wantedNames, ({ kind, name }) => hashOf(kind, name));
  // One bit for each wanted name, so that one comparison excludes most other names.
  let wantedBits = 0;
  for (const hash of hashes) wantedBits |= 1 << (hash & 31);
  // Runs for every name in every list that may have a wanted one. Compares hashes, which are
  // adjacent in memory, before strings.
  const wantedIndexOf = ({ occurrences: items, hashes: hashesOfList }: ListContents, index: number): number => {
    const hash = hashesOfList[index]!;
    if ((wantedBits & (1 << (hash & 31))) === 0) return -1;
    for (let i = 0; i < hashes.length; i++)
      if (
        hashes[i] === hash &&
        wantedNames[i]!.name === items[index]!.nameKey &&
        wantedNames[i]!.kind === items[index]!.occurrence.kind
      )
        return i;
    return -1;
  };
  const mayHaveWantedName = ({ innerBits }: ListContents, index: number): boolean => {
    for (let i = 0; i < hashes.length; i++)
      if (mayHaveHash(innerBits, index * INTEGERS_PER_SET, hashes[i]!)) return true;
    return false;
  };
  forEachItem(
    list,
    mayHaveWantedName,
    ({ occurrences }) => occurrences,
    wantedIndexOf,
    (occurrence, offset, row, _, wantedIndex) => visit(occurrence, offset, row, wantedIndex) !== false,
  );
}

/**
 * Calls `visit` for the paths of files in the lines for which `test` returns true. Other lines of a
 * large file are not read, because that takes long.
 */
export function forEachPath(
  list: List,
  test: (line: Line) => boolean,
  visit: (placed: PlacedOccurrence) => void,
): void {
  const visitPathsIn = (line: Line, offset: number, row: number) => {
    if (test(line))
      for (const occurrence of pathsInLine(line))
        visit({ occurrence, line, offset, row, isSingleRowWithoutTemplate: isSingleRowWithoutTemplate(line) });
  };
  const walk = (node: List, listOffset: number, rows: number): void => {
    let offset = listOffset;
    let childRow = rows;
    for (const child of node.children) {
      if (child.kind === NodeKind.List) walk(child, offset, childRow);
      else if (child.kind === NodeKind.Section) {
        visitPathsIn(child.open, offset, childRow);
        if (!hasForeignText(child.name)) walk(child.body, offset + child.open.length, childRow + child.open.lineEnds);
      } else visitPathsIn(child, offset, childRow);
      offset += child.length;
      childRow += child.lineEnds;
    }
  };
  walk(list, 0, 0);
}

/** The names and symbols of a file that is not open, as they are kept in memory. */
export interface SymbolSummary {
  /**
   * The sorted hashes of the file's names. They show whether the file may have a name, but not
   * where.
   */
  readonly nameHashes: Int32Array;
  /** The symbols of the file, in its order. */
  readonly symbols: readonly FileSymbol[];
}

/** Makes the summary of a file. Caches nothing on its tree. */
export function symbolSummaryOf(list: List): SymbolSummary {
  const hashes = new Set<number>();
  const symbols: FileSymbol[] = [];
  const addNamesIn = (line: Line, offset: number, row: number, containerTag: string, isForeignText: boolean) => {
    for (const occurrence of isForeignText ? opaqueOccurrences(line) : namesInLine(line)) {
      hashes.add(hashOf(occurrence.kind, searchKey(occurrence)));
      const { kind, name } = occurrence;
      if (isSymbol(occurrence) && symbols.length < MAX_SYMBOLS_OF_FILE)
        symbols.push({ name, kind, containerTag, offset, row });
    }
  };
  const walk = (node: List, listOffset: number, rows: number, containerTag: string, isForeignText: boolean): void => {
    let offset = listOffset;
    let childRow = rows;
    for (const child of node.children) {
      if (child.kind === NodeKind.List) walk(child, offset, childRow, containerTag, isForeignText);
      else if (child.kind === NodeKind.Section) {
        addNamesIn(child.open, offset, childRow, containerTag, isForeignText);
        const tag = SYMBOL_SECTIONS.has(child.name) ? openTagText(child) : null;
        if (tag !== null && symbols.length < MAX_SYMBOLS_OF_FILE)
          symbols.push({ name: tag, kind: symbolKindOfSection(child), containerTag, offset, row: childRow });
        walk(
          child.body,
          offset + child.open.length,
          childRow + child.open.lineEnds,
          tag ?? containerTag,
          isForeignText || hasForeignText(child.name),
        );
      } else if (child.kind !== LineKind.Blank && child.kind !== LineKind.Comment)
        addNamesIn(child, offset, childRow, containerTag, isForeignText);
      offset += child.length;
      childRow += child.lineEnds;
    }
  };
  walk(list, 0, 0, '', false);
  if (hashes.size === 0 && symbols.length === 0) return EMPTY_SUMMARY;
  return { nameHashes: Int32Array.from(hashes).sort(), symbols };
}

/** Limit for the symbols of one file. */
const MAX_SYMBOLS_OF_FILE = 5000;
const EMPTY_SUMMARY: SymbolSummary = { nameHashes: new Int32Array(0), symbols: [] };

/** Whether a file with these hashes may have a name. */
export function mayHaveName(nameHashes: Int32Array, { kind, name }: WantedName): boolean {
  const wantedHash = hashOf(kind, name);
  let low = 0;
  let high = nameHashes.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (nameHashes[middle] === wantedHash) return true;
    if (nameHashes[middle]! < wantedHash) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}

/** Collects the names of a large tree in steps, before a search needs them. */
export function* collectNames(list: List): Steps<void> {
  for (const child of list.children) {
    if (child.kind === NodeKind.List) yield* collectNames(child);
    else if (child.kind === NodeKind.Section) yield* collectNames(child.body);
  }
  contentsOf(list);
  yield;
}

/** A symbol that users can jump to. */
export interface FileSymbol {
  /** The text that users search for. */
  readonly name: string;
  /** The kind of the symbol. */
  readonly kind: 'virtual-host' | 'section' | NameKind;
  /** The open tag of the section around it; '' if there is none. */
  readonly containerTag: string;
  /** The UTF-16 offset in the file at which the line starts. */
  readonly offset: number;
  /** The 0-based number of the line. */
  readonly row: number;
}

/**
 * Calls `visit` for each symbol until `visit` returns false. With `test`, only for symbols for
 * whose lower-case name `test` returns true.
 */
export function forEachSymbol(
  list: List,
  visit: (symbol: FileSymbol) => boolean | void,
  test?: (lowerName: string) => boolean,
): void {
  forEachItem(
    list,
    ({ innerLists }, index) => innerLists[index]!.listContents.hasSymbols,
    ({ symbols }) => symbols,
    ({ symbols }, index) => (test?.(symbols[index]!.lowerName) === false ? -1 : index),
    ({ name, kind }, offset, row, section) =>
      visit({ name, kind, containerTag: section ? openTagText(section) : '', offset, row }) !== false,
  );
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Where a line starts in its list: UTF-16 units and line ends before it. Lines in sections inside
 * the list have positions in their own lists.
 */
interface PositionInList {
  readonly offset: number;
  readonly row: number;
}

/** The place of a name on a line of a list. */
interface ListOccurrence extends PositionInList, OccurrenceInLine {
  /** The result of `foldedName` for the name; null for a pattern. */
  readonly nameKey: string | null;
}

/** A symbol (a section, or a name that users look for) on a line of a list. */
interface ListSymbol extends PositionInList {
  readonly name: string;
  readonly lowerName: string;
  readonly kind: FileSymbol['kind'];
}

/** A list inside a list: a child list, or the body of a section. */
interface InnerList extends PositionInList {
  readonly listContents: ListContents;
  /** The section, if it is a symbol. */
  readonly section: Section | null;
}

/** The names and symbols in a list, and the lists inside it. */
interface ListContents {
  readonly occurrences: readonly ListOccurrence[];
  /** For each of the occurrences, the hash of its kind and name. */
  readonly hashes: Int32Array;
  readonly symbols: readonly ListSymbol[];
  /** The lists inside this list that have names or symbols. */
  readonly innerLists: readonly InnerList[];
  /** A bit set of all names in the list and in the lists inside it. */
  readonly nameBits: NameBits;
  /**
   * The bit sets of `innerLists` in one array: most inner lists are skipped without reading them.
   */
  readonly innerBits: Int32Array;
  readonly hasSymbols: boolean;
}

/**
 * Calls `visit` for items of a list and of its inner lists, in the order of the file, until `visit`
 * returns false. `mayMatch` returns whether to search the inner list at an index. `matchIndexOf`
 * gets the index of an item and returns the index of the wanted name, or -1. Does not read the
 * tree, because loading a hundred thousand lines from memory would take most of the time. `section`
 * is the nearest section that is a symbol.
 */
function forEachItem<T extends PositionInList>(
  list: List,
  mayMatch: (listContents: ListContents, index: number) => boolean,
  itemsOf: (listContents: ListContents) => readonly T[],
  matchIndexOf: (listContents: ListContents, index: number) => number,
  visit: (item: T, offset: number, row: number, section: Section | null, matchIndex: number) => boolean,
): void {
  const walk = (listContents: ListContents, offset: number, row: number, section: Section | null): boolean => {
    workCounts.searchedLists++;
    const itemsOfList = itemsOf(listContents);
    const { innerLists } = listContents;
    let nextItem = 0;
    for (let index = 0; index <= innerLists.length; index++) {
      if (index < innerLists.length && !mayMatch(listContents, index)) continue;
      const innerList = innerLists[index];
      for (; nextItem < itemsOfList.length; nextItem++) {
        const matchIndex = matchIndexOf(listContents, nextItem);
        if (matchIndex < 0) continue;
        const matchingItem = itemsOfList[nextItem]!;
        if (innerList && matchingItem.offset >= innerList.offset) break;
        if (!visit(matchingItem, offset + matchingItem.offset, row + matchingItem.row, section, matchIndex))
          return false;
      }
      if (
        innerList &&
        !walk(innerList.listContents, offset + innerList.offset, row + innerList.row, innerList.section ?? section)
      )
        return false;
    }
    return true;
  };
  walk(contentsOf(list), 0, 0, null);
}

/**
 * A set of names in 256 bits; each name sets two of them. The names of a section of usual size set
 * about one bit in eight.
 */
type NameBits = Int32Array;
/** The number of 32-bit integers of a `NameBits`. */
const INTEGERS_PER_SET = 8;

const NO_BITS: NameBits = new Int32Array(INTEGERS_PER_SET);
const NO_ITEMS: readonly never[] = [];
const NO_NUMBERS = new Int32Array(0);
const NO_CONTENTS: ListContents = {
  occurrences: NO_ITEMS,
  hashes: NO_NUMBERS,
  symbols: NO_ITEMS,
  innerLists: NO_ITEMS,
  nameBits: NO_BITS,
  innerBits: NO_NUMBERS,
  hasSymbols: false,
};

const contentsByList = cacheOf<List, ListContents>();

/** Kinds of names that users look for. */
const SYMBOL_KINDS: ReadonlySet<NameKind> = new Set<NameKind>([
  'host',
  'macro',
  'variable',
  'rewrite-map',
  'balancer',
  'log-format',
  'filter',
  'authn-provider',
  'authz-provider',
]);
/** Sections that are symbols. */
const SYMBOL_SECTIONS: ReadonlySet<string> = new Set([
  'virtualhost',
  'location',
  'locationmatch',
  'directory',
  'directorymatch',
  'proxymatch',
]);

/** The names and symbols of a list. They are cached by list. */
function contentsOf(list: List): ListContents {
  let cachedContents = contentsByList.get(list);
  if (!cachedContents) contentsByList.set(list, (cachedContents = gatherContents(list)));
  return cachedContents;
}

/**
 * Reads the names and symbols of a list. `isForeignText`: whether the list is in a section in
 * another language.
 */
function gatherContents(list: List, isForeignText = false): ListContents {
  workCounts.lists++;
  const occurrences: ListOccurrence[] = [];
  const nameHashes: number[] = [];
  const symbols: ListSymbol[] = [];
  const innerLists: InnerList[] = [];
  let bits: NameBits | null = null;
  let hasSymbols = false;
  let offset = 0;
  let childRow = 0;
  const addSymbol = (name: string, kind: FileSymbol['kind']) =>
    symbols.push({ name, lowerName: name.toLowerCase(), kind, offset, row: childRow });
  const addNamesIn = (line: Line) => {
    for (const occurrence of isForeignText ? opaqueOccurrences(line) : namesInLine(line)) {
      const nameToSearch = searchKey(occurrence);
      const hash = hashOf(occurrence.kind, nameToSearch);
      occurrences.push({
        occurrence,
        line,
        nameKey: nameToSearch === null ? null : sharedString(nameToSearch, hash),
        offset,
        row: childRow,
        isSingleRowWithoutTemplate: isSingleRowWithoutTemplate(line),
      });
      nameHashes.push(hash);
      bits ??= new Int32Array(INTEGERS_PER_SET);
      bits[(hash >>> 5) & (INTEGERS_PER_SET - 1)]! |= 1 << (hash & 31);
      bits[(hash >>> 13) & (INTEGERS_PER_SET - 1)]! |= 1 << ((hash >>> 8) & 31);
      if (isSymbol(occurrence)) addSymbol(occurrence.name, occurrence.kind);
    }
  };
  const addInner = (listContents: ListContents, section: Section | null, lengthBefore: number, lineEnds: number) => {
    if (listContents === NO_CONTENTS) return;
    innerLists.push({ listContents, section, offset: offset + lengthBefore, row: childRow + lineEnds });
    hasSymbols ||= listContents.hasSymbols;
    if (listContents.nameBits === NO_BITS) return;
    bits ??= new Int32Array(INTEGERS_PER_SET);
    for (let i = 0; i < INTEGERS_PER_SET; i++) bits[i]! |= listContents.nameBits[i]!;
  };
  for (const child of list.children) {
    if (child.kind === NodeKind.List)
      addInner(isForeignText ? contentsOfForeignText(child) : contentsOf(child), null, 0, 0);
    else if (child.kind === NodeKind.Section) {
      const { open, body, name } = child;
      const isSymbolSection = SYMBOL_SECTIONS.has(name);
      addNamesIn(open);
      if (isSymbolSection) addSymbol(openTagText(child), symbolKindOfSection(child));
      const bodyContents = isForeignText || hasForeignText(name) ? contentsOfForeignText(body) : contentsOf(body);
      addInner(bodyContents, isSymbolSection ? child : null, open.length, open.lineEnds);
    } else if (child.kind !== LineKind.Blank && child.kind !== LineKind.Comment) addNamesIn(child);
    offset += child.length;
    childRow += child.lineEnds;
  }
  if (occurrences.length + symbols.length + innerLists.length === 0) return NO_CONTENTS;
  hasSymbols ||= symbols.length > 0;
  return {
    occurrences: withoutSpareCapacity(occurrences),
    hashes: nameHashes.length === 0 ? NO_NUMBERS : Int32Array.from(nameHashes),
    symbols: withoutSpareCapacity(symbols),
    innerLists: withoutSpareCapacity(innerLists),
    nameBits: bits ?? NO_BITS,
    innerBits: joinedBits(innerLists),
    hasSymbols,
  };
}

/** The bit sets of the inner lists, one after the other. */
function joinedBits(innerLists: readonly InnerList[]): Int32Array {
  if (innerLists.length === 0) return NO_NUMBERS;
  const bits = new Int32Array(innerLists.length * INTEGERS_PER_SET);
  for (let index = 0; index < innerLists.length; index++)
    bits.set(innerLists[index]!.listContents.nameBits, index * INTEGERS_PER_SET);
  return bits;
}

/**
 * A copy of the array without spare capacity, to save memory: most lists have few items. Empty
 * lists share one array.
 */
function withoutSpareCapacity<T>(items: readonly T[]): readonly T[] {
  return items.length === 0 ? NO_ITEMS : items.slice();
}

/** The contents of a section in another language: its lines as `opaque` occurrences. */
function contentsOfForeignText(list: List): ListContents {
  let cachedContents = contentsByList.get(list);
  if (!cachedContents) contentsByList.set(list, (cachedContents = gatherContents(list, true)));
  return cachedContents;
}

function opaqueOccurrences(line: Line): readonly Occurrence[] {
  const occurrence = foreignText(line);
  return occurrence ? [occurrence] : [];
}

/** The key for a search: the name as `foldedName` writes it. All patterns have the key null. */
function searchKey({ name, isPattern }: Occurrence): string | null {
  return isPattern ? null : foldedName(name);
}

/**
 * Returns a cached string with the same characters, if there is one, so that a name in thousands of
 * lines is one string in memory.
 */
function sharedString(name: string, hash: number): string {
  const slot = hash & (SHARED_STRING_COUNT - 1);
  const earlierString = sharedStrings[slot];
  return earlierString === name ? earlierString : (sharedStrings[slot] = name);
}

/** The number of strings in the cache of `sharedString`; a power of 2. */
const SHARED_STRING_COUNT = 1024;
const sharedStrings = recentSlots<string>(SHARED_STRING_COUNT, '');

/** See `OccurrenceInLine`. */
function isSingleRowWithoutTemplate(line: Line): boolean {
  return !line.isJoined && line.template === Template.None && line.lineEnds === (line.text.endsWith('\n') ? 1 : 0);
}

/** Whether a name with this hash may be in the bit set that begins at index `from`. */
function mayHaveHash(bits: Int32Array, from: number, hash: number): boolean {
  return (
    (bits[from + ((hash >>> 5) & (INTEGERS_PER_SET - 1))]! & (1 << (hash & 31))) !== 0 &&
    (bits[from + ((hash >>> 13) & (INTEGERS_PER_SET - 1))]! & (1 << ((hash >>> 8) & 31))) !== 0
  );
}

function hashOf(kind: NameKind, name: string | null): number {
  const kindAndName = name === null ? `${kind} ` : `${kind} ${name}`;
  let hash = 0x811c9dc5;
  for (let i = 0; i < kindAndName.length; i++) hash = Math.imul(hash ^ kindAndName.charCodeAt(i), 0x01000193);
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x2c1b3c6d) ^ (hash >>> 12);
}

function isSymbol({ kind, role, isPattern }: Occurrence): boolean {
  return role === 'define' && SYMBOL_KINDS.has(kind) && !isPattern;
}

function symbolKindOfSection({ name }: Section): FileSymbol['kind'] {
  return name === 'virtualhost' ? 'virtual-host' : 'section';
}

function openTagText({ open }: Section): string {
  const tagText = open.text.slice(open.nameStart - 1, contentEnd(open));
  const tag = open.isJoined ? tagText.replace(/\\\r?\n\s*/g, ' ') : tagText;
  return tag.length > 100 ? `${tag.slice(0, 99)}…` : tag;
}
