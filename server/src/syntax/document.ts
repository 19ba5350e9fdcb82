/**
 * A configuration file as a tree that follows its edits. It has the interface of `TextDocument` of
 * vscode-languageserver-textdocument, but the cost of an edit does not depend on the size of the
 * file.
 *
 * Lines and characters are those of the protocol: 0-based, UTF-16; a line ends at LF, CR LF or CR.
 * (For httpd a lone CR is a space and no line end: see line.ts.)
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

/** A file with more unpaired tags is no configuration: its remaining tags are not paired. */
const MAX_UNPAIRED = 1000;

/** The tree of a file; immutable. Parsing never fails, and joining the leaves gives the text. */
export class Tree {
  private constructor(
    /** Sections paired by the associative rule of tree.ts; edits work on this list. */
    private readonly raw: List,
    /** The list for readers: `raw`, and also the pairs inside sections that hold stray closes. */
    readonly root: List,
  ) {}

  /**
   * `look` gets the body of each section, inner bodies first, to compute cached values early: see
   * `Pairing`.
   */
  static parse(text: string, look?: (body: List) => void): Tree {
    return Tree.of(listFrom(text, look));
  }

  private static of(raw: List): Tree {
    return new Tree(raw, pairRest(raw));
  }

  get length(): number {
    return this.root.length;
  }

  /** Number of lines as the protocol counts them: line ends plus one. */
  get lineCount(): number {
    return this.root.breaks + 1;
  }

  text(from = 0, to = this.length): string {
    return textOf(this.root, from, to);
  }

  /** The logical line at an offset (UTF-16, 0 to length); null in an empty file. */
  lineAt(offset: number): Placed | null {
    return lineAt(this.root, offset);
  }

  /**
   * The tree after replacing `from` to `to` (UTF-16 offsets) by `text`. Lexes again the logical
   * lines that the edit touches, and the next line if the last of them now continues into it.
   */
  edit(from: number, to: number, text: string): Tree {
    const total = this.raw.length;
    if (total === 0 || (from === 0 && to === total)) return Tree.parse(text);
    const first = lineAt(this.raw, from)!;
    // An edit at the end of the file continues the last line only if that line has no line end.
    const isAfterLast = from === total && !isOpenEnded(first.line.text);
    const start = isAfterLast ? total : first.offset;
    let end = isAfterLast ? total : first.offset + first.line.length;
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

  /**
   * Offset (UTF-16) to 0-based line and character. An offset past the end gives the end; one within
   * CR LF gives the position before it.
   */
  positionAt(offset: number): Position {
    const target = Math.max(0, Math.min(offset, this.length));
    const placed = lineAt(this.root, target);
    if (!placed) return { line: 0, character: 0 };
    return positionIn(placed, target);
  }

  /**
   * The range between two offsets; cheaper than two calls of `positionAt` if both are in one
   * logical line.
   */
  rangeAt(start: number, end: number): Range {
    const placed = lineAt(this.root, start);
    if (!placed || start < 0 || end < start || end >= placed.offset + placed.line.length)
      return { start: this.positionAt(start), end: this.positionAt(end) };
    return rangeIn(placed, start, end);
  }

  /**
   * 0-based line and character (UTF-16) to an offset; a character past the end of its line gives
   * the end of the line.
   */
  offsetAt(position: Position): number {
    if (position.line < 0) return 0;
    if (position.line >= this.lineCount) return this.length;
    const start = position.line === 0 ? 0 : offsetAfterBreak(this.root, position.line);
    const placed = position.character > 0 ? lineAt(this.root, start) : null;
    if (!placed) return start;
    // A logical line ends with LF or with the file, so it holds the rest of this physical line.
    return Math.min(start + position.character, placed.offset + endFrom(placed.line.text, start - placed.offset));
  }
}

/**
 * The range between two offsets (UTF-16, in the file) in one logical line whose location is known.
 */
export function rangeIn(placed: Located, start: number, end: number): Range {
  const { line, offset, breaks } = placed;
  // The line has no line end except its last characters.
  if (line.breaks === (line.text.endsWith('\n') ? 1 : 0)) {
    const most = line.breaks === 0 ? line.length : line.length - (line.text.endsWith('\r\n') ? 2 : 1);
    return {
      start: { line: breaks, character: Math.min(start - offset, most) },
      end: { line: breaks, character: Math.min(end - offset, most) },
    };
  }
  return { start: positionIn(placed, start), end: positionIn(placed, end) };
}

/** Our `TextDocument`: passes the changes on to the tree. */
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

  /** For `TextDocuments`: applies the changes in order, each to the result of the previous one. */
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
 * Pairs what the associative rule leaves flat: sections with a stray close in them. Goes from left
 * to right; each close takes the nearest open tag of its name that is still free. The work grows
 * with the number of unpaired tags, not with the file.
 */
function pairRest(raw: List): List {
  if (raw.closes === 0 || raw.opens === 0 || raw.opens + raw.closes > MAX_UNPAIRED) return raw;
  const pairs: { open: Placed; close: Placed }[] = [];
  const stack: Placed[] = [];
  /** Stack indices of tags by name, including tags that were popped. */
  const byName = new Map<string, number[]>();
  for (const tag of unpairedTags(raw)) {
    const { kind, name } = tag.line;
    if (kind === LineKind.Open) {
      addTo(byName, name, stack.push(tag) - 1);
      continue;
    }
    const indices = byName.get(name);
    while (indices && indices.length > 0 && stack[indices.at(-1)!]?.line.name !== name) indices.pop();
    const top = indices?.pop();
    if (top === undefined) continue;
    pairs.push({ open: stack[top]!, close: tag });
    stack.length = top;
  }
  // An enclosing pair closes after what it holds, so the last pair is an outermost one.
  const build = (upTo: number, from: number): List => {
    // Builds [from, upTo) of the file. Takes the pairs within it from the end of the array.
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

/**
 * The offsets of the physical lines in a logical line, and its length. Cached for long lines,
 * because callers ask for many positions in one line.
 */
function startsOf(line: Line): readonly number[] {
  let starts = startsOfLines.get(line);
  if (!starts) {
    const lineStarts = [0];
    for (let next = nextBreak(line.text, 0); next >= 0; next = nextBreak(line.text, next)) lineStarts.push(next);
    lineStarts.push(line.length + 1);
    starts = lineStarts;
    if (line.length >= LONG_LINE) startsOfLines.set(line, starts);
  }
  return starts;
}

/** For shorter lines, computing costs as little as a lookup in the cache. */
const LONG_LINE = 200;

/** The offset after the `count`th line end, counted from 1. The list must have that many. */
function offsetAfterBreak(list: List, count: number): number {
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
      if (child instanceof Line) return offset + offsetAfterBreakIn(child, rest);
      if (rest <= child.open.breaks) return offset + offsetAfterBreakIn(child.open, rest);
      rest -= child.open.breaks;
      offset += child.open.length;
      if (rest <= child.body.breaks) {
        node = child.body;
        continue descend;
      }
      return offset + child.body.length + offsetAfterBreakIn(child.close, rest - child.body.breaks);
    }
    throw new RangeError(`no line end number ${count}`);
  }
}

function offsetAfterBreakIn(line: Line, count: number): number {
  let position = 0;
  for (let i = 0; i < count; i++) position = nextBreak(line.text, position);
  return position;
}

/** The offset after the next line end at or after `start`; -1 if there is none. */
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

/**
 * The offset of the end of a physical line, or of the end of the text; `starts` comes from
 * `startsOf`.
 */
function endOfLine(text: string, starts: readonly number[], index: number): number {
  const next = starts[index + 1]!;
  if (next > text.length) return text.length;
  return text[next - 1] === '\n' && text[next - 2] === '\r' && next - 2 >= starts[index]! ? next - 2 : next - 1;
}
