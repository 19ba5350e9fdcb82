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
  const walk = (node: List, base: number, rows: number): boolean => {
    const held = heldIn(node);
    if (!hashes.some((hash) => mayHave(held.bits, hash))) return true;
    work.looks++;
    let offset = base;
    let row = rows;
    let next = 0;
    const { own } = held;
    for (let index = 0; index < node.children.length; index++) {
      const child = node.children[index]!;
      for (; next < own.length && own[next]!.index === index; next++) {
        const { occurrence, line, hash } = own[next]!;
        if (!hashes.includes(hash) || !wanted.some((each) => isWanted(each, occurrence))) continue;
        if (visit({ occurrence, line, offset, row }) === false) return false;
      }
      if (child.kind === NodeKind.List) {
        if (!walk(child, offset, row)) return false;
      } else if (
        child.kind === NodeKind.Section &&
        !walk(child.body, offset + child.open.length, row + child.open.breaks)
      )
        return false;
      offset += child.length;
      row += child.breaks;
    }
    return true;
  };
  walk(list, 0, 0);
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
      const { kind, role, name, isPattern } = occurrence;
      if (role === 'define' && SYMBOLS.has(kind) && !isPattern && symbols.length < MAX_SYMBOLS)
        symbols.push({ name, kind, within, offset, row });
    }
  };
  const walk = (node: List, base: number, rows: number, within: string, isText: boolean): void => {
    let offset = base;
    let row = rows;
    for (const child of node.children) {
      if (child.kind === NodeKind.List) walk(child, offset, row, within, isText);
      else if (child.kind === NodeKind.Section) {
        add(child.open, offset, row, within, isText);
        const symbol = symbolOf(child, within, offset, row);
        if (symbol && symbols.length < MAX_SYMBOLS) symbols.push(symbol);
        walk(
          child.body,
          offset + child.open.length,
          row + child.open.breaks,
          symbol?.name ?? within,
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

/** Visits them until `visit` returns false; with `test` those whose line's text passes it. */
export function forEachSymbol(
  list: List,
  visit: (symbol: FileSymbol) => boolean | void,
  test?: (text: string) => boolean,
): void {
  const walk = (node: List, base: number, rows: number, around: Section | null): boolean => {
    const held = heldIn(node);
    if (!held.hasSymbols) return true;
    work.looks++;
    let offset = base;
    let row = rows;
    let next = 0;
    const { own } = held;
    for (let index = 0; index < node.children.length; index++) {
      const child = node.children[index]!;
      for (; next < own.length && own[next]!.index === index; next++) {
        const {
          occurrence: { kind, role, name, isPattern },
          line,
        } = own[next]!;
        if (
          role === 'define' &&
          SYMBOLS.has(kind) &&
          !isPattern &&
          (!test || test(line.text)) &&
          visit({ name, kind, within: around ? tagOf(around) : '', offset, row }) === false
        )
          return false;
      }
      if (child.kind === NodeKind.List) {
        if (!walk(child, offset, row, around)) return false;
      } else if (child.kind === NodeKind.Section) {
        const symbol =
          SECTIONS.has(child.name) && (!test || test(child.open.text))
            ? symbolOf(child, around ? tagOf(around) : '', offset, row)
            : null;
        if (symbol && visit(symbol) === false) return false;
        if (
          !walk(
            child.body,
            offset + child.open.length,
            row + child.open.breaks,
            SECTIONS.has(child.name) ? child : around,
          )
        )
          return false;
      }
      offset += child.length;
      row += child.breaks;
    }
    return true;
  };
  walk(list, 0, 0, null);
}

// ---------------------------------------------------------------------------------------------------------------------

/** An occurrence among the children of one list. */
interface Own {
  readonly occurrence: Occurrence;
  readonly line: Line;
  /** Of the child that it stands in, or whose open tag it stands in. */
  readonly index: number;
  readonly hash: number;
}

interface Held {
  readonly own: readonly Own[];
  /** Of everything below. */
  readonly bits: Bits;
  readonly hasSymbols: boolean;
}

/** 256 bits, two for each name: a section of usual size sets one in eight of them. */
type Bits = Int32Array;
const WORDS = 8;

const NO_BITS: Bits = new Int32Array(WORDS);
const NO_OWN: readonly Own[] = [];
const NOTHING: Held = { own: NO_OWN, bits: NO_BITS, hasSymbols: false };

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
  let bits: Bits | null = null;
  let hasSymbols = false;
  const add = (index: number, line: Line, occurrences: readonly Occurrence[]) => {
    for (const occurrence of occurrences) {
      const hash = hashOf(occurrence.kind, nameFor(occurrence));
      (own ??= []).push({ occurrence, line, index, hash });
      bits ??= new Int32Array(WORDS);
      bits[(hash >>> 5) & (WORDS - 1)]! |= 1 << (hash & 31);
      bits[(hash >>> 13) & (WORDS - 1)]! |= 1 << ((hash >>> 8) & 31);
      hasSymbols ||= occurrence.role === 'define' && SYMBOLS.has(occurrence.kind);
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
      hasSymbols ||= SECTIONS.has(child.name);
      below(isText || isOpaque(child.name) ? heldAsText(child.body) : heldIn(child.body));
    } else if (child.kind !== LineKind.Blank && child.kind !== LineKind.Comment) {
      add(index, child, isText ? textOf(child) : namesInLine(child));
    }
  }
  return own || bits || hasSymbols ? { own: own ?? NO_OWN, bits: bits ?? NO_BITS, hasSymbols } : NOTHING;
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

/** null for a section that nobody looks for by name. */
function symbolOf(section: Section, within: string, offset: number, row: number): FileSymbol | null {
  const { name } = section;
  return SECTIONS.has(name)
    ? { name: tagOf(section), kind: name === 'virtualhost' ? 'virtual-host' : 'section', within, offset, row }
    : null;
}

function tagOf({ open }: Section): string {
  const text = open.text.slice(open.nameStart - 1, contentEnd(open));
  const tag = open.isJoined ? text.replace(/\\\r?\n\s*/g, ' ') : text;
  return tag.length > 100 ? `${tag.slice(0, 99)}…` : tag;
}
