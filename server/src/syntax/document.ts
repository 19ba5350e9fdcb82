/**
 * A configuration file as a tree that follows its edits. The same interface as `TextDocument` of
 * vscode-languageserver-textdocument, with the cost of an edit independent of the file's size.
 *
 * Lines and characters are those of the protocol: 0-based, UTF-16, a line ends at LF, CR LF or CR. (To httpd a lone CR is
 * a blank and no line end: see line.ts.)
 */
import type { Position, Range, TextDocument, TextDocumentContentChangeEvent } from 'vscode-languageserver-textdocument';
import { addTo } from './groups';
import { isOpenEnded, Line, LineKind, pushLines } from './line';
import { cacheOf } from './memory';
import {
  concat,
  EMPTY,
  join,
  lineAt,
  List,
  listOf,
  MAX_DEPTH,
  Pairing,
  replaceItems,
  Section,
  splitItems,
  splitLines,
  textOf,
  unpairedTags,
  type Located,
  type Placed,
} from './tree';

/** Past so many unpaired tags a file is no configuration, and its rest stays flat. */
const MAX_UNPAIRED = 1000;

/** The tree of a file: a value. Parsing never fails, and joining the leaves gives the text. */
export class Tree {
  private constructor(
    /** Sections that pair by the associative rule of tree.ts; what edits work on. */
    private readonly raw: List,
    /** The tree to read: `raw`, and sections that hold stray closes paired too. */
    readonly root: List,
  ) {}

  /** `look` gets the bodies of sections, those within first, for what is known of them later: see `Pairing`. */
  static parse(text: string, look?: (body: List) => void): Tree {
    return Tree.of(listFrom(text, look));
  }

  private static of(raw: List): Tree {
    return new Tree(raw, pairRest(raw));
  }

  get length(): number {
    return this.root.length;
  }

  /** Number of lines in the sense of the protocol: line ends plus one. */
  get lineCount(): number {
    return this.root.breaks + 1;
  }

  text(from = 0, to = this.length): string {
    return textOf(this.root, from, to);
  }

  /** The logical line at an offset (UTF-16, 0 to length), null in an empty file. */
  lineAt(offset: number): Placed | null {
    return lineAt(this.root, offset);
  }

  /**
   * The tree after replacing `from` to `to` (UTF-16 offsets) by `text`. Re-lexes the logical lines that the edit touches,
   * and one more where the last of them would swallow it.
   */
  edit(from: number, to: number, text: string): Tree {
    const total = this.raw.length;
    if (total === 0 || (from === 0 && to === total)) return Tree.parse(text);
    const first = lineAt(this.raw, from)!;
    // An edit at the end of the file continues the last line only where that is not ended.
    const isBehindLast = from === total && !isOpenEnded(first.line.text);
    const start = isBehindLast ? total : first.offset;
    let end = isBehindLast ? total : first.offset + first.line.length;
    if (to > end) {
      const last = lineAt(this.raw, to)!;
      end = last.offset === to ? to : last.offset + last.line.length;
    }
    let region = textOf(this.raw, start, from) + text + textOf(this.raw, to, end);
    while (end < total && isOpenEnded(region)) {
      const next = lineAt(this.raw, end)!;
      region += next.line.text;
      end += next.line.length;
    }
    return Tree.of(replaceRegion(this.raw, start, end, listFrom(region)));
  }

  /** Offset (UTF-16) to 0-based line and character; past the end gives the end, and within CR LF the place before it. */
  positionAt(offset: number): Position {
    const target = Math.max(0, Math.min(offset, this.length));
    const placed = lineAt(this.root, target);
    if (!placed) return { line: 0, character: 0 };
    return positionIn(placed, target);
  }

  /** The range of two offsets; cheaper than asking for each where both lie in one logical line. */
  rangeAt(start: number, end: number): Range {
    const placed = lineAt(this.root, start);
    if (!placed || start < 0 || end < start || end >= placed.offset + placed.line.length)
      return { start: this.positionAt(start), end: this.positionAt(end) };
    return rangeIn(placed, start, end);
  }

  /** 0-based line and character (UTF-16) to an offset; a character past the line's end gives the line's end. */
  offsetAt(position: Position): number {
    if (position.line < 0) return 0;
    if (position.line >= this.lineCount) return this.length;
    const start = position.line === 0 ? 0 : behindBreak(this.root, position.line);
    const placed = position.character > 0 ? lineAt(this.root, start) : null;
    if (!placed) return start;
    // A logical line ends with LF or with the file, so the rest of this line of the protocol stands in it whole.
    return Math.min(start + position.character, placed.offset + endFrom(placed.line.text, start - placed.offset));
  }
}

/** The range of two offsets (UTF-16, in the file) of one logical line; cheap where the place of the line is known already. */
export function rangeIn(placed: Located, start: number, end: number): Range {
  const { line, offset, breaks } = placed;
  // No line end in it but its own.
  if (line.breaks === (line.text.endsWith('\n') ? 1 : 0)) {
    const most = line.breaks === 0 ? line.length : line.length - (line.text.endsWith('\r\n') ? 2 : 1);
    return {
      start: { line: breaks, character: Math.min(start - offset, most) },
      end: { line: breaks, character: Math.min(end - offset, most) },
    };
  }
  return { start: positionIn(placed, start), end: positionIn(placed, end) };
}

/** Our `TextDocument`: hands the raw changes to the tree. */
export class ConfigDocument implements TextDocument {
  constructor(
    readonly uri: string,
    readonly languageId: string,
    public version: number,
    public tree: Tree,
  ) {}

  static create(uri: string, languageId: string, version: number, content: string): ConfigDocument {
    return new ConfigDocument(uri, languageId, version, Tree.parse(content));
  }

  /** For `TextDocuments`: applies changes in order, each to the result of the one before, as the protocol says. */
  static update(
    document: ConfigDocument,
    changes: readonly TextDocumentContentChangeEvent[],
    version: number,
  ): ConfigDocument {
    for (const change of changes) {
      if (!('range' in change) || change.range === undefined) {
        document.tree = Tree.parse(change.text);
        continue;
      }
      const { start, end } = ordered(change.range);
      document.tree = document.tree.edit(document.tree.offsetAt(start), document.tree.offsetAt(end), change.text);
    }
    document.version = version;
    return document;
  }

  get lineCount(): number {
    return this.tree.lineCount;
  }

  getText(range?: Range): string {
    if (!range) return this.tree.text();
    const { start, end } = ordered(range);
    return this.tree.text(this.tree.offsetAt(start), this.tree.offsetAt(end));
  }

  getLineRange(line: number): Range {
    if (line < 0) return { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
    const number = Math.min(line, this.lineCount - 1);
    const start = this.offsetAt({ line: number, character: 0 });
    const end = this.offsetAt({ line: number, character: Number.MAX_SAFE_INTEGER });
    return { start: { line: number, character: 0 }, end: { line: number, character: end - start } };
  }

  getEOLCharacters(line: number): string {
    if (line < 0 || line >= this.lineCount) return '';
    const end = this.offsetAt({ line, character: Number.MAX_SAFE_INTEGER });
    return this.tree.text(end, this.offsetAt({ line: line + 1, character: 0 }));
  }

  positionAt(offset: number): Position {
    return this.tree.positionAt(offset);
  }

  offsetAt(position: Position): number {
    return this.tree.offsetAt(position);
  }
}

// ---------------------------------------------------------------------------------------------------------------------

function ordered(range: Range): Range {
  const { start, end } = range;
  const isBackward = start.line > end.line || (start.line === end.line && start.character > end.character);
  return isBackward ? { start: end, end: start } : range;
}

function listFrom(text: string, look?: (body: List) => void): List {
  const pairing = new Pairing(look);
  pushLines(text, pairing);
  return pairing.list();
}

function replaceRegion(raw: List, start: number, end: number, parsed: List): List {
  if (end > start && parsed.opens + parsed.closes === 0 && parsed.height === 0) {
    const replaced = replaceItems(raw, start, end, parsed.children as readonly (Line | Section)[]);
    if (replaced) return replaced;
  }
  const [left, rest] = splitLines(raw, start);
  const [, right] = splitLines(rest, end - start);
  return concat(concat(left, parsed), right);
}

/**
 * Pairs what the associative rule leaves: a section with a stray close in it. From left to right, each close takes the
 * nearest open of its name that is still to be had. Work grows with the number of unpaired tags, not with the file.
 */
function pairRest(raw: List): List {
  if (raw.closes === 0 || raw.opens === 0 || raw.opens + raw.closes > MAX_UNPAIRED) return raw;
  const pairs: { open: Placed; close: Placed }[] = [];
  const stack: Placed[] = [];
  /** Where in the stack tags of a name stand, or stood. */
  const byName = new Map<string, number[]>();
  for (const tag of unpairedTags(raw)) {
    const { kind, name } = tag.line;
    if (kind === LineKind.Open) {
      addTo(byName, name, stack.push(tag) - 1);
      continue;
    }
    const own = byName.get(name);
    while (own && own.length > 0 && stack[own.at(-1)!]?.line.name !== name) own.pop();
    const top = own?.pop();
    if (top === undefined) continue;
    pairs.push({ open: stack[top]!, close: tag });
    stack.length = top;
  }
  // An enclosing pair closes after what it holds, so the last pair is an outermost one.
  const build = (upTo: number, from: number): List => {
    // Builds [from, upTo) of the file, taking pairs from the end of the array that lie within.
    let list = EMPTY;
    let position = upTo;
    while (pairs.length > 0 && pairs[pairs.length - 1]!.open.offset >= from) {
      const { open, close } = pairs.pop()!;
      const closeEnd = close.offset + close.line.length;
      list = join(slice(raw, closeEnd, position), list);
      const body = build(close.offset, open.offset + open.line.length);
      const section =
        body.depth < MAX_DEPTH ? listOf([new Section(open.line, body, close.line)]) : slice(raw, open.offset, closeEnd);
      list = join(section, list);
      position = open.offset;
    }
    return join(slice(raw, from, position), list);
  };
  return build(raw.length, 0);
}

function slice(list: List, from: number, to: number): List {
  return splitItems(splitItems(list, to)[0], from)[1];
}

/** The position of an offset within a logical line, or at its end. */
function positionIn(placed: Located, offset: number): Position {
  const starts = startsOf(placed.line);
  const within = offset - placed.offset;
  let low = 0;
  for (let high = starts.length - 1; high - low > 1; ) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= within) low = middle;
    else high = middle;
  }
  const start = starts[low]!;
  return { line: placed.breaks + low, character: Math.min(within, endOfLine(placed.line.text, starts, low)) - start };
}

const startsOfLines = cacheOf<Line, readonly number[]>();

/** Where the physical lines of a logical line begin, and its length: of a long one many ask, one place after the other. */
function startsOf(line: Line): readonly number[] {
  let starts = startsOfLines.get(line);
  if (!starts) {
    const found = [0];
    for (let next = nextBreak(line.text, 0); next >= 0; next = nextBreak(line.text, next)) found.push(next);
    found.push(line.length + 1);
    starts = found;
    if (line.length >= LONG_LINE) startsOfLines.set(line, starts);
  }
  return starts;
}

/** Of a shorter line this is found again as soon as remembered. */
const LONG_LINE = 200;

/** The offset behind the `count`th line end, counted from 1. There must be so many. */
function behindBreak(list: List, count: number): number {
  let rest = count;
  let offset = 0;
  let node = list;
  descend: for (;;) {
    for (const child of node.children) {
      if (rest > child.breaks) {
        rest -= child.breaks;
        offset += child.length;
        continue;
      }
      if (child instanceof List) {
        node = child;
        continue descend;
      }
      if (child instanceof Line) return offset + behindBreakIn(child, rest);
      if (rest <= child.open.breaks) return offset + behindBreakIn(child.open, rest);
      rest -= child.open.breaks;
      offset += child.open.length;
      if (rest <= child.body.breaks) {
        node = child.body;
        continue descend;
      }
      return offset + child.body.length + behindBreakIn(child.close, rest - child.body.breaks);
    }
    throw new RangeError(`no line end number ${count}`);
  }
}

function behindBreakIn(line: Line, count: number): number {
  let position = 0;
  for (let i = 0; i < count; i++) position = nextBreak(line.text, position);
  return position;
}

/** The offset behind the next line end at or after `start`, -1 where there is none. */
function nextBreak(text: string, start: number): number {
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 10) return i + 1;
    if (code === 13) return text.charCodeAt(i + 1) === 10 ? i + 2 : i + 1;
  }
  return -1;
}

/** The offset of the line end at or after `start`, or of the end of the text. */
function endFrom(text: string, start: number): number {
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 10 || code === 13) return i;
  }
  return text.length;
}

/** The offset of the end of a physical line, or of the end of the text; `starts` as of `startsOf`. */
function endOfLine(text: string, starts: readonly number[], index: number): number {
  const next = starts[index + 1]!;
  if (next > text.length) return text.length;
  return text[next - 1] === '\n' && text[next - 2] === '\r' && next - 2 >= starts[index]! ? next - 2 : next - 1;
}
