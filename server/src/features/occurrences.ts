/**
 * Where names stand in a file, kept on the lists of its tree: an edit makes the lists of one path anew, and a question passes by all lists that
 * cannot have the name. What a list has is summed up in some bits, not in a set of names: a file of a hundred thousand lines has as many of them.
 */
import type { Steps } from '../config/resumable';
import { contentEnd, LineKind, type Line } from '../syntax/line';
import { type List, NodeKind, type Section } from '../syntax/tree';
import { cacheOf, counters } from '../syntax/memory';
import { isOpaque, namesInLine, opaqueText, pathsInLine, type NameKind, type Occurrence } from './names-in-line';

/** An occurrence in a file. */
export interface Placed {
  readonly occurrence: Occurrence;
  readonly line: Line;
  /** Of the line in the file (UTF-16), and of its first line of the protocol (0-based). */
  readonly offset: number;
  readonly row: number;
}

/** Lists gathered and lists looked at for questions, since the start of the program, for the tests that count. */
export const work = counters({ lists: 0, looks: 0 });

/** A name to look for. Patterns, whose name is not known, are asked for apart. */
export interface Wanted {
  readonly kind: NameKind;
  /** As it is compared, see `compared`; null for patterns. */
  readonly name: string | null;
}

/** A name as names of its kind are compared at first: without regard to case. Whoever knows better looks again. */
export function compared(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Visits the places of some names, in the order of the file, until `visit` returns false. */
export function forEachOccurrence(
  list: List,
  wanted: readonly Wanted[],
  visit: (placed: Placed) => boolean | void,
): void {
  const hashes = wanted.map(({ kind, name }) => hashOf(kind, name));
  forEachHeld(
    list,
    ({ bits }) => hashes.some((hash) => mayHave(bits, hash)),
    ({ own }) => own,
    ({ occurrence, line, hash }, place) =>
      !hashes.includes(hash) || !wanted.some((each) => isWanted(each, occurrence))
        ? true
        : visit({ occurrence, line, offset: place.offset, row: place.row }) !== false,
  );
}

/** Visits the paths of files that lines have, of those lines that pass the test: to read all lines of a large file takes its time. */
export function forEachPath(list: List, test: (line: Line) => boolean, visit: (placed: Placed) => void): void {
  const read = (line: Line, offset: number, row: number) => {
    if (test(line)) for (const occurrence of pathsInLine(line)) visit({ occurrence, line, offset, row });
  };
  const walk = (node: List, base: number, rows: number): void => {
    let offset = base;
    let row = rows;
    for (const child of node.children) {
      if (child.kind === NodeKind.List) walk(child, offset, row);
      else if (child.kind === NodeKind.Section) {
        read(child.open, offset, row);
        if (!isOpaque(child.name)) walk(child.body, offset + child.open.length, row + child.open.breaks);
      } else read(child, offset, row);
      offset += child.length;
      row += child.breaks;
    }
  };
  walk(list, 0, 0);
}

/** What is kept of a file that is not open. */
export interface FileSummary {
  /** Numbers that stand for its names, in order: whether it has a name is known without it, where it stands is not. */
  readonly print: Int32Array;
  readonly symbols: readonly FileSymbol[];
}

/** Reads a file once, and keeps nothing on its tree. */
export function summaryOf(list: List): FileSummary {
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
          row + child.open.breaks,
          tag ?? within,
          isText || isOpaque(child.name),
        );
      } else if (child.kind !== LineKind.Blank && child.kind !== LineKind.Comment)
        add(child, offset, row, within, isText);
      offset += child.length;
      row += child.breaks;
    }
  };
  walk(list, 0, 0, '', false);
  if (hashes.size === 0 && symbols.length === 0) return EMPTY;
  return { print: Int32Array.from(hashes).sort(), symbols };
}

/** Of one file: nobody goes through more. */
const MAX_SYMBOLS = 5000;
const EMPTY: FileSummary = { print: new Int32Array(0), symbols: [] };

/** Whether a file with the fingerprint may have the name. */
export function isIn(print: Int32Array, { kind, name }: Wanted): boolean {
  const wanted = hashOf(kind, name);
  let low = 0;
  let high = print.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (print[middle] === wanted) return true;
    if (print[middle]! < wanted) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}

/** Gathers what a large tree has before anybody asks. */
export function* gather(list: List): Steps<void> {
  for (const child of list.children) {
    if (child.kind === NodeKind.List) yield* gather(child);
    else if (child.kind === NodeKind.Section) yield* gather(child.body);
  }
  heldIn(list);
  yield;
}

/** What there is for people to jump to. */
export interface FileSymbol {
  readonly name: string;
  readonly kind: 'virtual-host' | 'section' | NameKind;
  /** The tag of the section around it, or ''. */
  readonly within: string;
  /** Of the line in the file (UTF-16), and of its first line of the protocol (0-based). */
  readonly offset: number;
  readonly row: number;
}

/** Visits them until `visit` returns false; with `test` those whose name in small letters passes it. */
export function forEachSymbol(
  list: List,
  visit: (symbol: FileSymbol) => boolean | void,
  test?: (small: string) => boolean,
): void {
  forEachHeld(
    list,
    ({ hasSymbols }) => hasSymbols,
    ({ symbols }) => symbols,
    ({ name, small, kind }, { around, offset, row }) =>
      test?.(small) === false || visit({ name, kind, within: around ? tagOf(around) : '', offset, row }) !== false,
  );
}

// ---------------------------------------------------------------------------------------------------------------------

/** Something of a child of one list, or of the open tag of one. */
interface OfChild {
  /** Of the child. */
  readonly index: number;
}

interface Own extends OfChild {
  readonly occurrence: Occurrence;
  readonly line: Line;
  readonly hash: number;
}

interface OwnSymbol extends OfChild {
  readonly name: string;
  readonly small: string;
  readonly kind: FileSymbol['kind'];
}

interface Held {
  readonly own: readonly Own[];
  readonly symbols: readonly OwnSymbol[];
  /** Of everything below. */
  readonly bits: Bits;
  readonly hasSymbols: boolean;
}

/** Where something that is held stands. */
interface HeldPlace {
  readonly offset: number;
  readonly row: number;
  /** The nearest section around that people look for. */
  readonly around: Section | null;
}

/**
 * Visits what is held of the lists that pass a test, in the order of the file, until `visit` returns false. It goes through the children of those lists alone
 * that have something, and no further than to the last of it.
 */
function forEachHeld<T extends OfChild>(
  list: List,
  passes: (held: Held) => boolean,
  of: (held: Held) => readonly T[],
  visit: (item: T, place: HeldPlace) => boolean,
): void {
  const walk = (node: List, base: number, rows: number, around: Section | null): boolean => {
    const held = heldIn(node);
    if (!passes(held)) return true;
    work.looks++;
    const items = of(held);
    let offset = base;
    let row = rows;
    let next = 0;
    for (let index = 0; index < node.children.length; index++) {
      const child = node.children[index]!;
      for (; next < items.length && items[next]!.index === index; next++)
        if (!visit(items[next]!, { offset, row, around })) return false;
      if (child.kind === NodeKind.List) {
        if (!walk(child, offset, row, around)) return false;
      } else if (child.kind === NodeKind.Section) {
        const inside = SECTIONS.has(child.name) ? child : around;
        if (!walk(child.body, offset + child.open.length, row + child.open.breaks, inside)) return false;
      }
      offset += child.length;
      row += child.breaks;
    }
    return true;
  };
  walk(list, 0, 0, null);
}

/** 256 bits, two for each name: a section of usual size sets one in eight of them. */
type Bits = Int32Array;
const WORDS = 8;

const NO_BITS: Bits = new Int32Array(WORDS);
const NONE: readonly never[] = [];
const NOTHING: Held = { own: NONE, symbols: NONE, bits: NO_BITS, hasSymbols: false };

const known = cacheOf<List, Held>();

/** Names that people look for. */
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
  let held = known.get(list);
  if (!held) known.set(list, (held = hold(list)));
  return held;
}

function hold(list: List, isText = false): Held {
  work.lists++;
  let own: Own[] | null = null;
  let symbols: OwnSymbol[] | null = null;
  let bits: Bits | null = null;
  let hasSymbols = false;
  const addSymbol = (index: number, name: string, kind: FileSymbol['kind']) =>
    (symbols ??= []).push({ name, small: name.toLowerCase(), kind, index });
  const add = (index: number, line: Line, occurrences: readonly Occurrence[]) => {
    for (const occurrence of occurrences) {
      const hash = hashOf(occurrence.kind, nameFor(occurrence));
      (own ??= []).push({ occurrence, line, index, hash });
      bits ??= new Int32Array(WORDS);
      bits[(hash >>> 5) & (WORDS - 1)]! |= 1 << (hash & 31);
      bits[(hash >>> 13) & (WORDS - 1)]! |= 1 << ((hash >>> 8) & 31);
      if (isSymbol(occurrence)) addSymbol(index, occurrence.name, occurrence.kind);
    }
  };
  const below = ({ bits: others, hasSymbols: more }: Held) => {
    hasSymbols ||= more;
    if (others === NO_BITS) return;
    bits ??= new Int32Array(WORDS);
    for (let i = 0; i < WORDS; i++) bits[i]! |= others[i]!;
  };
  for (let index = 0; index < list.children.length; index++) {
    const child = list.children[index]!;
    if (child.kind === NodeKind.List) below(isText ? heldAsText(child) : heldIn(child));
    else if (child.kind === NodeKind.Section) {
      if (isText) add(index, child.open, textOf(child.open));
      else add(index, child.open, namesInLine(child.open));
      if (SECTIONS.has(child.name)) addSymbol(index, tagOf(child), sectionSymbol(child));
      below(isText || isOpaque(child.name) ? heldAsText(child.body) : heldIn(child.body));
    } else if (child.kind !== LineKind.Blank && child.kind !== LineKind.Comment) {
      add(index, child, isText ? textOf(child) : namesInLine(child));
    }
  }
  hasSymbols ||= symbols !== null;
  return own || hasSymbols || bits
    ? { own: own ?? NONE, symbols: symbols ?? NONE, bits: bits ?? NO_BITS, hasSymbols }
    : NOTHING;
}

/** The body of a section of another language. */
function heldAsText(list: List): Held {
  let held = known.get(list);
  if (!held) known.set(list, (held = hold(list, true)));
  return held;
}

function textOf(line: Line): readonly Occurrence[] {
  const occurrence = opaqueText(line);
  return occurrence ? [occurrence] : [];
}

/** Patterns are all one. */
function nameFor({ name, isPattern }: Occurrence): string | null {
  return isPattern ? null : compared(name);
}

function isWanted({ kind, name }: Wanted, occurrence: Occurrence): boolean {
  return occurrence.kind === kind && nameFor(occurrence) === name;
}

function mayHave(bits: Bits, hash: number): boolean {
  return (
    (bits[(hash >>> 5) & (WORDS - 1)]! & (1 << (hash & 31))) !== 0 &&
    (bits[(hash >>> 13) & (WORDS - 1)]! & (1 << ((hash >>> 8) & 31))) !== 0
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
