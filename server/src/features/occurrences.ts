/**
 * The occurrences of names in a file, cached on the lists of its tree: an edit renews the lists of
 * one path, and a search skips lists that cannot have the name. Each list is summarized in a few
 * bits instead of a set of names, because a file of a hundred thousand lines has as many names.
 */
import type { Steps } from '../config/resumable';
import { contentEnd, LineKind, type Line } from '../syntax/line';
import { type List, NodeKind, type Section } from '../syntax/tree';
import { cacheOf, counters, recentSlots } from '../syntax/memory';
import { Template } from '../syntax/template';
import { isOpaque, namesInLine, opaqueText, pathsInLine, type NameKind, type Occurrence } from './names-in-line';

/** An occurrence and its line. */
export interface InLine {
  readonly occurrence: Occurrence;
  readonly line: Line;
  /**
   * Whether the line is one physical line without template text: offsets of the occurrence are then
   * characters of that line.
   */
  readonly isPlain: boolean;
}

/** An occurrence in a file. */
export interface Placed extends InLine {
  /** Offset of the line in the file (UTF-16), and its first row (0-based). */
  readonly offset: number;
  readonly row: number;
}

/** Counters for tests: lists gathered and lists searched since the start of the program. */
export const work = counters({ lists: 0, looks: 0 });

/** A name to look for. Patterns, whose name is unknown, are searched separately. */
export interface Wanted {
  readonly kind: NameKind;
  /** In the form of `compared`; null for patterns. */
  readonly name: string | null;
}

/**
 * The form in which names are compared first: ignoring case. Case-sensitive kinds are checked
 * again.
 */
export function compared(name: string): string {
  return /[A-Z]/.test(name) ? name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : name;
}

/**
 * Visits the occurrences of some names, in the order of the file, until `visit` returns false.
 * `offset` and `row` are those of the line in the file, `which` is the index in `wantedNames`.
 */
export function forEachOccurrence(
  list: List,
  wantedNames: readonly Wanted[],
  visit: (occurrence: InLine, offset: number, row: number, which: number) => boolean | void,
): void {
  const hashes = Int32Array.from(wantedNames, ({ kind, name }) => hashOf(kind, name));
  // One bit for each wanted name: rules out most names at once.
  let some = 0;
  for (const hash of hashes) some |= 1 << (hash & 31);
  // Runs for every name in every list that may have one: compares hashes, which are adjacent in
  // memory, before strings.
  const isWanted = ({ occurrences: items, hashes: ownHashes }: Held, index: number): number => {
    const hash = ownHashes[index]!;
    if ((some & (1 << (hash & 31))) === 0) return -1;
    for (let i = 0; i < hashes.length; i++)
      if (
        hashes[i] === hash &&
        wantedNames[i]!.name === items[index]!.key &&
        wantedNames[i]!.kind === items[index]!.occurrence.kind
      )
        return i;
    return -1;
  };
  const mayHaveOne = ({ innerBits }: Held, index: number): boolean => {
    for (let i = 0; i < hashes.length; i++) if (mayHave(innerBits, index * WORDS, hashes[i]!)) return true;
    return false;
  };
  forEachHeld(
    list,
    mayHaveOne,
    ({ occurrences: ownOccurrences }) => ownOccurrences,
    isWanted,
    (occurrence, offset, row, _, which) => visit(occurrence, offset, row, which) !== false,
  );
}

/**
 * Visits the paths of files in those lines that pass the test: reading all lines of a large file
 * takes long.
 */
export function forEachPath(list: List, test: (line: Line) => boolean, visit: (placed: Placed) => void): void {
  const read = (line: Line, offset: number, row: number) => {
    if (test(line))
      for (const occurrence of pathsInLine(line)) visit({ occurrence, line, offset, row, isPlain: isPlain(line) });
  };
  const walk = (node: List, base: number, rows: number): void => {
    let offset = base;
    let row = rows;
    for (const child of node.children) {
      if (child.kind === NodeKind.List) walk(child, offset, row);
      else if (child.kind === NodeKind.Section) {
        read(child.open, offset, row);
        if (!isOpaque(child.name)) walk(child.body, offset + child.open.length, row + child.open.lineEnds);
      } else read(child, offset, row);
      offset += child.length;
      row += child.lineEnds;
    }
  };
  walk(list, 0, 0);
}

/** The names and symbols that are kept of a closed file. */
export interface SymbolSummary {
  /** Sorted hashes of its names: they show whether the file may have a name, but not where. */
  readonly print: Int32Array;
  readonly symbols: readonly FileSymbol[];
}

/** Reads a file once, and caches nothing on its tree. */
export function summaryOf(list: List): SymbolSummary {
  const hashes = new Set<number>();
  const symbols: FileSymbol[] = [];
  const add = (line: Line, offset: number, row: number, within: string, isText: boolean) => {
    for (const occurrence of isText ? textOf(line) : namesInLine(line)) {
      hashes.add(hashOf(occurrence.kind, nameFor(occurrence)));
      const { kind, name } = occurrence;
      if (isSymbol(occurrence) && symbols.length < MAX_SYMBOLS) symbols.push({ name, kind, within, offset, row });
    }
  };
  const walk = (node: List, base: number, rows: number, within: string, isText: boolean): void => {
    let offset = base;
    let row = rows;
    for (const child of node.children) {
      if (child.kind === NodeKind.List) walk(child, offset, row, within, isText);
      else if (child.kind === NodeKind.Section) {
        add(child.open, offset, row, within, isText);
        const tag = SECTIONS.has(child.name) ? tagOf(child) : null;
        if (tag !== null && symbols.length < MAX_SYMBOLS)
          symbols.push({ name: tag, kind: sectionSymbol(child), within, offset, row });
        walk(
          child.body,
          offset + child.open.length,
          row + child.open.lineEnds,
          tag ?? within,
          isText || isOpaque(child.name),
        );
      } else if (child.kind !== LineKind.Blank && child.kind !== LineKind.Comment)
        add(child, offset, row, within, isText);
      offset += child.length;
      row += child.lineEnds;
    }
  };
  walk(list, 0, 0, '', false);
  if (hashes.size === 0 && symbols.length === 0) return EMPTY_SUMMARY;
  return { print: Int32Array.from(hashes).sort(), symbols };
}

/** Limit for the symbols of one file. */
const MAX_SYMBOLS = 5000;
const EMPTY_SUMMARY: SymbolSummary = { print: new Int32Array(0), symbols: [] };

/** Whether a file with these hashes may have the name. */
export function isIn(print: Int32Array, { kind, name }: Wanted): boolean {
  const wantedHash = hashOf(kind, name);
  let low = 0;
  let high = print.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (print[middle] === wantedHash) return true;
    if (print[middle]! < wantedHash) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}

/** Gathers the names of a large tree in advance. */
export function* gather(list: List): Steps<void> {
  for (const child of list.children) {
    if (child.kind === NodeKind.List) yield* gather(child);
    else if (child.kind === NodeKind.Section) yield* gather(child.body);
  }
  heldIn(list);
  yield;
}

/** A symbol that users can jump to. */
export interface FileSymbol {
  readonly name: string;
  readonly kind: 'virtual-host' | 'section' | NameKind;
  /** The tag of the section around it, or ''. */
  readonly within: string;
  /** Offset of the line in the file (UTF-16), and its first row (0-based). */
  readonly offset: number;
  readonly row: number;
}

/**
 * Visits symbols until `visit` returns false; with `test` only those whose lower-case name passes.
 */
export function forEachSymbol(
  list: List,
  visit: (symbol: FileSymbol) => boolean | void,
  test?: (small: string) => boolean,
): void {
  forEachHeld(
    list,
    ({ inner }, index) => inner[index]!.held.hasSymbols,
    ({ symbols }) => symbols,
    ({ symbols }, index) => (test?.(symbols[index]!.small) === false ? -1 : index),
    ({ name, kind }, offset, row, section) =>
      visit({ name, kind, within: section ? tagOf(section) : '', offset, row }) !== false,
  );
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Something on a line of a list, outside of inner sections: the start of that line in the list
 * (UTF-16 units and line ends before it).
 */
interface OfList {
  readonly offset: number;
  readonly row: number;
}

/** The place of a name on a line of a list. */
interface Own extends OfList, InLine {
  /** In the form of `compared`; null for a pattern. */
  readonly key: string | null;
}

/** A symbol (a section or definition for the outline) on a line of a list. */
interface OwnSymbol extends OfList {
  readonly name: string;
  readonly small: string;
  readonly kind: FileSymbol['kind'];
}

/** A child list, or the body of a section. */
interface Inner extends OfList {
  readonly held: Held;
  /** The section, if it is a symbol. */
  readonly section: Section | null;
}

/** The names and symbols in a list, its inner lists included. */
interface Held {
  readonly occurrences: readonly Own[];
  /** The hash of kind and name for each of those. */
  readonly hashes: Int32Array;
  readonly symbols: readonly OwnSymbol[];
  /** Inner lists that have something. */
  readonly inner: readonly Inner[];
  /** The bits of everything below. */
  readonly bits: Bits;
  /** The bits of `inner`, adjacent in memory: most inner lists are skipped without reading them. */
  readonly innerBits: Int32Array;
  readonly hasSymbols: boolean;
}

/**
 * Visits the items of a list and of its inner lists that pass a test by their index in `inner`, in
 * the order of the file, until `visit` returns false. `which` gets the index of an item and returns
 * the index of the wanted name, or -1. Does not read the tree, because loading a hundred thousand
 * lines from memory would take most of the time. `section` is the nearest section that is a symbol.
 */
function forEachHeld<T extends OfList>(
  list: List,
  passes: (held: Held, index: number) => boolean,
  itemsOf: (held: Held) => readonly T[],
  which: (held: Held, index: number) => number,
  visit: (item: T, offset: number, row: number, section: Section | null, which: number) => boolean,
): void {
  const walk = (held: Held, offset: number, row: number, section: Section | null): boolean => {
    work.looks++;
    const items = itemsOf(held);
    const { inner } = held;
    let next = 0;
    for (let index = 0; index <= inner.length; index++) {
      if (index < inner.length && !passes(held, index)) continue;
      const within = inner[index];
      for (; next < items.length; next++) {
        const match = which(held, next);
        if (match < 0) continue;
        const item = items[next]!;
        if (within && item.offset >= within.offset) break;
        if (!visit(item, offset + item.offset, row + item.row, section, match)) return false;
      }
      if (within && !walk(within.held, offset + within.offset, row + within.row, within.section ?? section))
        return false;
    }
    return true;
  };
  walk(heldIn(list), 0, 0, null);
}

/** 256 bits, two for each name: a section of usual size sets one in eight of them. */
type Bits = Int32Array;
const WORDS = 8;

const NO_BITS: Bits = new Int32Array(WORDS);
const NONE: readonly never[] = [];
const NO_NUMBERS = new Int32Array(0);
const NOTHING: Held = {
  occurrences: NONE,
  hashes: NO_NUMBERS,
  symbols: NONE,
  inner: NONE,
  bits: NO_BITS,
  innerBits: NO_NUMBERS,
  hasSymbols: false,
};

const heldByList = cacheOf<List, Held>();

/** Kinds of names that users look for. */
const SYMBOLS: ReadonlySet<NameKind> = new Set<NameKind>([
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
const SECTIONS: ReadonlySet<string> = new Set([
  'virtualhost',
  'location',
  'locationmatch',
  'directory',
  'directorymatch',
  'proxymatch',
]);

function heldIn(list: List): Held {
  let held = heldByList.get(list);
  if (!held) heldByList.set(list, (held = hold(list)));
  return held;
}

function hold(list: List, isText = false): Held {
  work.lists++;
  const occurrences: Own[] = [];
  const hashes: number[] = [];
  const symbols: OwnSymbol[] = [];
  const inner: Inner[] = [];
  let bits: Bits | null = null;
  let hasSymbols = false;
  let offset = 0;
  let row = 0;
  const addSymbol = (name: string, kind: FileSymbol['kind']) =>
    symbols.push({ name, small: name.toLowerCase(), kind, offset, row });
  const add = (line: Line) => {
    for (const occurrence of isText ? textOf(line) : namesInLine(line)) {
      const name = nameFor(occurrence);
      const hash = hashOf(occurrence.kind, name);
      occurrences.push({
        occurrence,
        line,
        key: name === null ? null : shared(name, hash),
        offset,
        row,
        isPlain: isPlain(line),
      });
      hashes.push(hash);
      bits ??= new Int32Array(WORDS);
      bits[(hash >>> 5) & (WORDS - 1)]! |= 1 << (hash & 31);
      bits[(hash >>> 13) & (WORDS - 1)]! |= 1 << ((hash >>> 8) & 31);
      if (isSymbol(occurrence)) addSymbol(occurrence.name, occurrence.kind);
    }
  };
  const addInner = (held: Held, section: Section | null, before: number, lineEnds: number) => {
    if (held === NOTHING) return;
    inner.push({ held, section, offset: offset + before, row: row + lineEnds });
    hasSymbols ||= held.hasSymbols;
    if (held.bits === NO_BITS) return;
    bits ??= new Int32Array(WORDS);
    for (let i = 0; i < WORDS; i++) bits[i]! |= held.bits[i]!;
  };
  for (const child of list.children) {
    if (child.kind === NodeKind.List) addInner(isText ? heldAsText(child) : heldIn(child), null, 0, 0);
    else if (child.kind === NodeKind.Section) {
      const { open, body, name } = child;
      const isNamed = SECTIONS.has(name);
      add(open);
      if (isNamed) addSymbol(tagOf(child), sectionSymbol(child));
      const held = isText || isOpaque(name) ? heldAsText(body) : heldIn(body);
      addInner(held, isNamed ? child : null, open.length, open.lineEnds);
    } else if (child.kind !== LineKind.Blank && child.kind !== LineKind.Comment) add(child);
    offset += child.length;
    row += child.lineEnds;
  }
  if (occurrences.length + symbols.length + inner.length === 0) return NOTHING;
  hasSymbols ||= symbols.length > 0;
  return {
    occurrences: trimmed(occurrences),
    hashes: hashes.length === 0 ? NO_NUMBERS : Int32Array.from(hashes),
    symbols: trimmed(symbols),
    inner: trimmed(inner),
    bits: bits ?? NO_BITS,
    innerBits: sideBySide(inner),
    hasSymbols,
  };
}

function sideBySide(inner: readonly Inner[]): Int32Array {
  if (inner.length === 0) return NO_NUMBERS;
  const bits = new Int32Array(inner.length * WORDS);
  for (let index = 0; index < inner.length; index++) bits.set(inner[index]!.held.bits, index * WORDS);
  return bits;
}

/**
 * Trims the array, because most lists have no items of some kind, and a grown array has spare
 * capacity.
 */
function trimmed<T>(items: readonly T[]): readonly T[] {
  return items.length === 0 ? NONE : items.slice();
}

/** The body of a section of another language. */
function heldAsText(list: List): Held {
  let held = heldByList.get(list);
  if (!held) heldByList.set(list, (held = hold(list, true)));
  return held;
}

function textOf(line: Line): readonly Occurrence[] {
  const occurrence = opaqueText(line);
  return occurrence ? [occurrence] : [];
}

/** All patterns have one name. */
function nameFor({ name, isPattern }: Occurrence): string | null {
  return isPattern ? null : compared(name);
}

/**
 * Returns the previous string with the same name: a name in thousands of lines is then one string
 * in memory.
 */
function shared(name: string, hash: number): string {
  const slot = hash & (KEYS - 1);
  const earlier = keys[slot];
  return earlier === name ? earlier : (keys[slot] = name);
}

const KEYS = 1024;
const keys = recentSlots<string>(KEYS, '');

function isPlain(line: Line): boolean {
  return !line.isJoined && line.template === Template.None && line.lineEnds === (line.text.endsWith('\n') ? 1 : 0);
}

/** Whether the bits that begin at an index have both bits of a hash. */
function mayHave(bits: Int32Array, from: number, hash: number): boolean {
  return (
    (bits[from + ((hash >>> 5) & (WORDS - 1))]! & (1 << (hash & 31))) !== 0 &&
    (bits[from + ((hash >>> 13) & (WORDS - 1))]! & (1 << ((hash >>> 8) & 31))) !== 0
  );
}

function hashOf(kind: NameKind, name: string | null): number {
  const text = name === null ? `${kind} ` : `${kind} ${name}`;
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x2c1b3c6d) ^ (hash >>> 12);
}

function isSymbol({ kind, role, isPattern }: Occurrence): boolean {
  return role === 'define' && SYMBOLS.has(kind) && !isPattern;
}

function sectionSymbol({ name }: Section): FileSymbol['kind'] {
  return name === 'virtualhost' ? 'virtual-host' : 'section';
}

function tagOf({ open }: Section): string {
  const text = open.text.slice(open.nameStart - 1, contentEnd(open));
  const tag = open.isJoined ? text.replace(/\\\r?\n\s*/g, ' ') : text;
  return tag.length > 100 ? `${tag.slice(0, 99)}…` : tag;
}
