/**
 * A configuration file as a syntax tree that is updated at each edit. It has the interface of
 * `TextDocument` of vscode-languageserver-textdocument, but the time of an edit does not depend on
 * the size of the file.
 *
 * Lines and characters are those of the language server protocol: 0-based, UTF-16; a line ends at
 * LF, CR LF or CR. (For httpd a lone CR is a space and no line end: see line.ts.)
 */
import type { Position, Range, TextDocument, TextDocumentContentChangeEvent } from 'vscode-languageserver-textdocument';
import { addTo } from './groups';
import { isOpenEnded, Line, LineKind, pushLines } from './line';
import { cacheOf } from './memory';
import {
  concatLists,
  EMPTY_LIST,
  joinLists,
  lineAt,
  List,
  listOf,
  MAX_SECTION_DEPTH,
  Pairing,
  replaceItems,
  Section,
  splitItems,
  splitLines,
  textOf,
  unpairedTags,
  type LocatedLine,
  type PlacedLine,
} from './tree';

/**
 * Maximum number of unpaired tags that `pairRemainingTags` tries to pair. A file with more is not a
 * configuration, and its unpaired tags stay unpaired.
 */
const MAX_UNPAIRED_TAGS = 1000;

/**
 * The syntax tree of a file; immutable. Parsing never fails. The texts of the leaves, joined, are
 * the text of the file.
 */
export class Tree {
  private constructor(
    /**
     * The lines of the file, with only those pairs of tags that the rule at the top of tree.ts
     * finds. `edit` works on this list.
     */
    private readonly listForEdits: List,
    /**
     * The lines of the file, for all readers. Its pairs are those of `listForEdits`, and also pairs
     * of tags with a stray close tag between them.
     */
    readonly root: List,
  ) {}

  /**
   * Parses the text of a file. Calls `onBody` with the body of each section, inner bodies first, so
   * that `onBody` can compute values to cache (see `Pairing`).
   */
  static parse(text: string, onBody?: (body: List) => void): Tree {
    return Tree.fromList(listFrom(text, onBody));
  }

  private static fromList(listForEdits: List): Tree {
    return new Tree(listForEdits, pairRemainingTags(listForEdits));
  }

  get length(): number {
    return this.root.length;
  }

  /** The number of lines as the language server protocol counts them: line ends plus one. */
  get lineCount(): number {
    return this.root.lineEnds + 1;
  }

  /** The text between two UTF-16 offsets; without arguments, the text of the file. */
  text(from = 0, to = this.length): string {
    return textOf(this.root, from, to);
  }

  /** The logical line at an offset (UTF-16, 0 to length); null in an empty file. */
  lineAt(offset: number): PlacedLine | null {
    return lineAt(this.root, offset);
  }

  /**
   * Returns the tree of the text in which `from` to `to` (UTF-16 offsets) is replaced by `text`.
   * Parses only the logical lines that the edit touches, and the lines after them that a
   * continuation now joins to them.
   */
  edit(from: number, to: number, text: string): Tree {
    const totalLength = this.listForEdits.length;
    if (totalLength === 0 || (from === 0 && to === totalLength)) return Tree.parse(text);
    const firstEditedLine = lineAt(this.listForEdits, from)!;
    // An edit at the end of the file changes the last line only if that line is incomplete. It is
    // incomplete without a line end, or with a continuation.
    const isAfterLast = from === totalLength && !isOpenEnded(firstEditedLine.line.text);
    const regionStart = isAfterLast ? totalLength : firstEditedLine.offset;
    let regionEnd = isAfterLast ? totalLength : firstEditedLine.offset + firstEditedLine.line.length;
    if (to > regionEnd) {
      const lineAtEnd = lineAt(this.listForEdits, to)!;
      regionEnd = lineAtEnd.offset === to ? to : lineAtEnd.offset + lineAtEnd.line.length;
    }
    let region = textOf(this.listForEdits, regionStart, from) + text + textOf(this.listForEdits, to, regionEnd);
    while (regionEnd < totalLength && isOpenEnded(region)) {
      const followingLine = lineAt(this.listForEdits, regionEnd)!;
      region += followingLine.line.text;
      regionEnd += followingLine.line.length;
    }
    return Tree.fromList(replaceRegion(this.listForEdits, regionStart, regionEnd, listFrom(region)));
  }

  /**
   * Converts an offset (UTF-16) to a 0-based line and character. An offset past the end gives the
   * end of the file; an offset between CR and LF gives the position before CR.
   */
  positionAt(offset: number): Position {
    const target = Math.max(0, Math.min(offset, this.length));
    const locatedLine = lineAt(this.root, target);
    if (!locatedLine) return { line: 0, character: 0 };
    return positionIn(locatedLine, target);
  }

  /**
   * The range between two offsets. Takes less time than two calls of `positionAt` if both are in
   * one logical line.
   */
  rangeAt(start: number, end: number): Range {
    const locatedLine = lineAt(this.root, start);
    if (!locatedLine || start < 0 || end < start || end >= locatedLine.offset + locatedLine.line.length)
      return { start: this.positionAt(start), end: this.positionAt(end) };
    return rangeIn(locatedLine, start, end);
  }

  /**
   * Converts a 0-based line and character (UTF-16) to an offset. A character past the end of its
   * line gives the end of the line.
   */
  offsetAt(position: Position): number {
    if (position.line < 0) return 0;
    if (position.line >= this.lineCount) return this.length;
    const lineStart = position.line === 0 ? 0 : offsetAfterLineEnd(this.root, position.line);
    const locatedLine = position.character > 0 ? lineAt(this.root, lineStart) : null;
    if (!locatedLine) return lineStart;
    // The logical line ends with LF or at the end of the file, so it contains the rest of this
    // physical line.
    return Math.min(
      lineStart + position.character,
      locatedLine.offset + lineEndFrom(locatedLine.line.text, lineStart - locatedLine.offset),
    );
  }
}

/** The range between two UTF-16 offsets of the file; both are in the logical line `locatedLine`. */
export function rangeIn(locatedLine: LocatedLine, start: number, end: number): Range {
  const { line, offset, lineEnds } = locatedLine;
  // If the logical line is one physical line, it has no line end before its own end.
  if (line.lineEnds === (line.text.endsWith('\n') ? 1 : 0)) {
    const contentLength = line.lineEnds === 0 ? line.length : line.length - (line.text.endsWith('\r\n') ? 2 : 1);
    return {
      start: { line: lineEnds, character: Math.min(start - offset, contentLength) },
      end: { line: lineEnds, character: Math.min(end - offset, contentLength) },
    };
  }
  return { start: positionIn(locatedLine, start), end: positionIn(locatedLine, end) };
}

/**
 * A document that `TextDocuments` of vscode-languageserver manages. It applies each change of the
 * text to its tree.
 */
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

  /**
   * `TextDocuments` calls this. Applies the changes in order, each to the result of the one before.
   */
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
      const { start, end } = orderedRange(change.range);
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
    const { start, end } = orderedRange(range);
    return this.tree.text(this.tree.offsetAt(start), this.tree.offsetAt(end));
  }

  getLineRange(line: number): Range {
    if (line < 0) return { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
    const validLine = Math.min(line, this.lineCount - 1);
    const lineStart = this.offsetAt({ line: validLine, character: 0 });
    const lineEnd = this.offsetAt({ line: validLine, character: Number.MAX_SAFE_INTEGER });
    return { start: { line: validLine, character: 0 }, end: { line: validLine, character: lineEnd - lineStart } };
  }

  getEOLCharacters(line: number): string {
    if (line < 0 || line >= this.lineCount) return '';
    const lineEnd = this.offsetAt({ line, character: Number.MAX_SAFE_INTEGER });
    return this.tree.text(lineEnd, this.offsetAt({ line: line + 1, character: 0 }));
  }

  positionAt(offset: number): Position {
    return this.tree.positionAt(offset);
  }

  offsetAt(position: Position): number {
    return this.tree.offsetAt(position);
  }
}

// ---------------------------------------------------------------------------------------------------------------------

function orderedRange(range: Range): Range {
  const { start, end } = range;
  const isBackward = start.line > end.line || (start.line === end.line && start.character > end.character);
  return isBackward ? { start: end, end: start } : range;
}

/** Parses a text into a list of its lines, with their sections. */
function listFrom(text: string, onBody?: (body: List) => void): List {
  const pairing = new Pairing(onBody);
  pushLines(text, pairing);
  return pairing.list();
}

/** Replaces the lines between two offsets, at which lines begin, by the lines of `parsed`. */
function replaceRegion(listForEdits: List, start: number, end: number, parsed: List): List {
  if (end > start && parsed.unpairedOpens + parsed.unpairedCloses === 0 && parsed.height === 0) {
    const listAfterReplacement = replaceItems(listForEdits, start, end, parsed.children as readonly (Line | Section)[]);
    if (listAfterReplacement) return listAfterReplacement;
  }
  const [left, listFromStart] = splitLines(listForEdits, start);
  const [, right] = splitLines(listFromStart, end - start);
  return concatLists(concatLists(left, parsed), right);
}

/**
 * Pairs tags that the rule of tree.ts leaves unpaired: those of sections that contain a stray close
 * tag. Goes from left to right; each close tag takes the nearest open tag of its name that is still
 * unpaired. The time depends on the number of unpaired tags, not on the size of the file.
 */
function pairRemainingTags(listForEdits: List): List {
  if (
    listForEdits.unpairedCloses === 0 ||
    listForEdits.unpairedOpens === 0 ||
    listForEdits.unpairedOpens + listForEdits.unpairedCloses > MAX_UNPAIRED_TAGS
  )
    return listForEdits;
  const pairs: { open: PlacedLine; close: PlacedLine }[] = [];
  const stack: PlacedLine[] = [];
  /**
   * For each name, the stack indices of the open tags with this name, including tags that are no
   * longer on the stack.
   */
  const openIndexesByName = new Map<string, number[]>();
  for (const tag of unpairedTags(listForEdits)) {
    const { kind, name } = tag.line;
    if (kind === LineKind.Open) {
      addTo(openIndexesByName, name, stack.push(tag) - 1);
      continue;
    }
    const openIndexesOfName = openIndexesByName.get(name);
    while (openIndexesOfName && openIndexesOfName.length > 0 && stack[openIndexesOfName.at(-1)!]?.line.name !== name)
      openIndexesOfName.pop();
    const openIndex = openIndexesOfName?.pop();
    if (openIndex === undefined) continue;
    pairs.push({ open: stack[openIndex]!, close: tag });
    stack.length = openIndex;
  }
  // An outer pair closes after its inner pairs, so the last pair in the array is an outermost one.
  const buildList = (upTo: number, from: number): List => {
    // Builds the list of the text from `from` to `upTo`. Takes the pairs in it from the end of
    // `pairs`.
    let list = EMPTY_LIST;
    let position = upTo;
    while (pairs.length > 0 && pairs[pairs.length - 1]!.open.offset >= from) {
      const { open, close } = pairs.pop()!;
      const closeEnd = close.offset + close.line.length;
      list = joinLists(listBetween(listForEdits, closeEnd, position), list);
      const body = buildList(close.offset, open.offset + open.line.length);
      const section =
        body.depth < MAX_SECTION_DEPTH
          ? listOf([new Section(open.line, body, close.line)])
          : listBetween(listForEdits, open.offset, closeEnd);
      list = joinLists(section, list);
      position = open.offset;
    }
    return joinLists(listBetween(listForEdits, from, position), list);
  };
  return buildList(listForEdits.length, 0);
}

/** The part of a list between two offsets at which lines begin. */
function listBetween(list: List, from: number, to: number): List {
  return splitItems(splitItems(list, to)[0], from)[1];
}

/**
 * The line and character of an offset that is within the logical line `locatedLine` or at its end.
 */
function positionIn(locatedLine: LocatedLine, offset: number): Position {
  const startsOfRows = rowStartsOf(locatedLine.line);
  const offsetInLine = offset - locatedLine.offset;
  let low = 0;
  for (let high = startsOfRows.length - 1; high - low > 1; ) {
    const middle = (low + high) >> 1;
    if (startsOfRows[middle]! <= offsetInLine) low = middle;
    else high = middle;
  }
  const lineStart = startsOfRows[low]!;
  return {
    line: locatedLine.lineEnds + low,
    character: Math.min(offsetInLine, endOfLine(locatedLine.line.text, startsOfRows, low)) - lineStart,
  };
}

const rowStartsCache = cacheOf<Line, readonly number[]>();

/**
 * The offsets in `line` where its physical lines start, followed by the length of `line` plus one.
 * The result is cached for long lines, because callers ask for many positions in one line.
 */
function rowStartsOf(line: Line): readonly number[] {
  let startsOfRows = rowStartsCache.get(line);
  if (!startsOfRows) {
    const lineStarts = [0];
    for (
      let nextLineStart = nextLineEnd(line.text, 0);
      nextLineStart >= 0;
      nextLineStart = nextLineEnd(line.text, nextLineStart)
    )
      lineStarts.push(nextLineStart);
    lineStarts.push(line.length + 1);
    startsOfRows = lineStarts;
    if (line.length >= MIN_CACHED_LENGTH) rowStartsCache.set(line, startsOfRows);
  }
  return startsOfRows;
}

/**
 * Minimum length of lines for which `rowStartsOf` caches its result, in UTF-16 units. For a shorter
 * line, computing the result takes as little time as a lookup in the cache.
 */
const MIN_CACHED_LENGTH = 200;

/** The offset after line end number `count` (1-based). The list must have that many line ends. */
function offsetAfterLineEnd(list: List, count: number): number {
  let remainingLineEnds = count;
  let offset = 0;
  let node = list;
  descend: for (;;) {
    for (const child of node.children) {
      if (remainingLineEnds > child.lineEnds) {
        remainingLineEnds -= child.lineEnds;
        offset += child.length;
        continue;
      }
      if (child instanceof List) {
        node = child;
        continue descend;
      }
      if (child instanceof Line) return offset + offsetAfterLineEndIn(child, remainingLineEnds);
      if (remainingLineEnds <= child.open.lineEnds) return offset + offsetAfterLineEndIn(child.open, remainingLineEnds);
      remainingLineEnds -= child.open.lineEnds;
      offset += child.open.length;
      if (remainingLineEnds <= child.body.lineEnds) {
        node = child.body;
        continue descend;
      }
      return offset + child.body.length + offsetAfterLineEndIn(child.close, remainingLineEnds - child.body.lineEnds);
    }
    throw new RangeError(`no line end number ${count}`);
  }
}

function offsetAfterLineEndIn(line: Line, count: number): number {
  let position = 0;
  for (let i = 0; i < count; i++) position = nextLineEnd(line.text, position);
  return position;
}

/** The offset right after the first line end at or after `start`; -1 if there is none. */
function nextLineEnd(text: string, start: number): number {
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 10) return i + 1;
    if (code === 13) return text.charCodeAt(i + 1) === 10 ? i + 2 : i + 1;
  }
  return -1;
}

/**
 * The offset where the first line end at or after `start` begins; without one, the length of the
 * text.
 */
function lineEndFrom(text: string, start: number): number {
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 10 || code === 13) return i;
  }
  return text.length;
}

/**
 * The offset where the physical line number `index` (0-based) ends, without its line end.
 * `startsOfRows`: the result of `rowStartsOf`.
 */
function endOfLine(text: string, startsOfRows: readonly number[], index: number): number {
  const nextLineStart = startsOfRows[index + 1]!;
  if (nextLineStart > text.length) return text.length;
  return text[nextLineStart - 1] === '\n' &&
    text[nextLineStart - 2] === '\r' &&
    nextLineStart - 2 >= startsOfRows[index]!
    ? nextLineStart - 2
    : nextLineStart - 1;
}
