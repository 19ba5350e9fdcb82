/**
 * Formatting: indents lines by nesting and puts one space between words. Columns that the author
 * aligned stay aligned. It changes only spaces that httpd ignores, and empty lines at the end of
 * the file, so names, arguments and line numbers stay. If a space may matter, it stays.
 *
 * Some text does not change: bodies of `<Perl>` and similar sections, all text after an unclosed
 * `<Perl>`, and template statements. Lines with NULs or lone CRs do not change, and lines so long
 * that 2.2 may cut them. Near unpaired tags and template statements, the indentation does not
 * change. Comments are only indented.
 */
import type { Range } from 'vscode-languageserver-types';
import { tagSpansOf, type Span } from '../analysis/template-text';
import { sectionKind } from '../config/sections';
import type { Tree } from '../syntax/document';
import { argumentsOf, contentEnd, contentStart, isByteOrderMark, LineKind, type Line } from '../syntax/line';
import { Template, TemplateTrait } from '../syntax/template';
import { List, Section, unpairedTags } from '../syntax/tree';
import { counters } from '../syntax/memory';
import { alignedGaps } from './format-alignment';
import { cellsOf, type Cells } from './format-gaps';

/** The user's settings for formatting. */
export interface FormatOptions {
  /** The number of columns of an indentation level, and of a tab. */
  readonly tabSize: number;
  /** Whether indentation is made of spaces, not of tabs. */
  readonly insertSpaces: boolean;
  /** Whether white space at the end of lines is removed. Default: true. */
  readonly trimTrailingWhitespace?: boolean;
  /** Whether columns that the author aligned stay aligned. */
  readonly alignment: 'keep' | 'none';
  /** Whether the file must end with a line end. Default: false. */
  readonly insertFinalNewline?: boolean;
  /** Whether empty lines at the end of the file are removed. */
  readonly trimFinalNewlines?: boolean;
}

/**
 * An edit that replaces the text between the UTF-16 offsets `start` and `end` with `text`. `range`:
 * `start` and `end` as lines and characters.
 */
export interface FormatEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly range: Range;
}

/** Counts the lines that formatting has read; tests read it. */
export const workCounts = counters({ lines: 0 });

/**
 * Returns the edits that format the lines from offset `from` to `to` (UTF-16), in order. Both
 * offsets are extended to whole lines.
 */
export function formatEdits(tree: Tree, options: FormatOptions, from = 0, to = tree.length): FormatEdit[] {
  const formattedRange = wholeLines(tree, from, to);
  const formatter: Formatter = {
    options,
    // Some lines around the range are also read, so that lines of a table keep their columns.
    from: formattedRange.start === 0 ? 0 : offsetOfLine(tree, formattedRange.firstLine - LINES_AROUND_RANGE),
    to:
      formattedRange.end === tree.length
        ? tree.length
        : offsetOfLine(tree, formattedRange.lastLine + LINES_AROUND_RANGE),
    templateSpans: tagSpansOf(tree.root),
    mayReplaceAnyWord: (tree.root.templateTraits & TemplateTrait.AnyWord) !== 0,
    rows: [],
    edits: [],
  };
  formatList(formatter, tree.root, { startOffset: 0, lineNumber: 0 }, { indentOfLines: 0, replacedTexts: [] });
  const edits = formatter.edits
    .filter(({ start }) => start >= formattedRange.start && start < formattedRange.end)
    .sort((a, b) => a.start - b.start);
  if (formattedRange.end < tree.length) return edits;
  const editAtEnd = editAtEndOfFile(tree, options);
  return editAtEnd && editAtEnd.start >= formattedRange.start
    ? [...edits.filter(({ end }) => end <= editAtEnd.start), editAtEnd]
    : edits;
}

/** Returns the text after the edits, which must be in order. */
export function textWithEdits(text: string, edits: readonly FormatEdit[]): string {
  const pieces: string[] = [];
  let position = 0;
  for (const edit of edits) {
    pieces.push(text.slice(position, edit.start), edit.text);
    position = edit.end;
  }
  pieces.push(text.slice(position));
  return pieces.join('');
}

/** Returns white space that is `columns` wide. */
export function indentation(
  columns: number,
  { tabSize, insertSpaces }: Pick<FormatOptions, 'tabSize' | 'insertSpaces'>,
): string {
  return insertSpaces
    ? ' '.repeat(columns)
    : '\t'.repeat(Math.floor(columns / tabSize)) + ' '.repeat(columns % tabSize);
}

/** The width in columns of white space that begins at column `from`. */
export function widthInColumns(blanks: string, tabSize: number, from = 0): number {
  let column = from;
  for (let i = 0; i < blanks.length; i++) column += blanks.charCodeAt(i) === TAB ? tabSize - (column % tabSize) : 1;
  return column - from;
}

/** The indentation of a line in columns. */
export function indentColumns(line: Line, tabSize: number): number {
  return widthInColumns(line.text.slice(0, contentStart(line)), tabSize);
}

// ---------------------------------------------------------------------------------------------------------------------

// The code of a tab character.
const TAB = 9;
const BACKSLASH = '\\';

/** The number of lines before and after a range that are also read. */
const LINES_AROUND_RANGE = 16;

/**
 * Maximum length of a line that may change, in UTF-16 units; each has at most three bytes. 2.2 cuts
 * a line after 8191 bytes and reads the rest as another line.
 */
const MAX_LINE_LENGTH = 2500;

/**
 * The state of one run of the formatter. Lines outside of the offsets `from` and `to` do not
 * change.
 */
interface Formatter {
  readonly options: FormatOptions;
  readonly from: number;
  readonly to: number;
  /** Text of a template language. The lines with such text do not change. */
  readonly templateSpans: readonly Span[];
  /** Whether a template language may replace any word of the file. */
  readonly mayReplaceAnyWord: boolean;
  /** The lines since the last `formatRows`, which may be a table. */
  rows: LineToFormat[];
  readonly edits: FormatEdit[];
}

/** A line whose gaps are formatted together with those of its neighbours. */
interface LineToFormat {
  readonly line: Line;
  readonly lineStart: LineStart;
  readonly replacedTexts: readonly string[];
}

/** A UTF-16 offset in the file, and its 0-based line as the protocol counts lines. */
interface LineStart {
  readonly startOffset: number;
  readonly lineNumber: number;
}

/** What the sections around a line decide about its formatting. */
interface SurroundingSections {
  /** The indentation of the lines in columns; null to keep it. */
  readonly indentOfLines: number | null;
  /** Texts that will be replaced: see `cellsOf`. */
  readonly replacedTexts: readonly string[];
}

/** Formats the lines of a list. `lineStart`: the start of its first line. */
function formatList(formatter: Formatter, list: List, lineStart: LineStart, outerSections: SurroundingSections): void {
  const areIndentsKept = list.unpairedOpens + list.unpairedCloses > 0 || hasStatement(list);
  const surroundingSections = areIndentsKept ? { ...outerSections, indentOfLines: null } : outerSections;
  const unclosedPerlTag =
    list.unpairedOpens > 0
      ? unpairedTags(list, lineStart.startOffset).find(
          ({ line }) => line.kind === LineKind.Open && sectionKind(line.name) === 'opaque',
        )
      : undefined;
  const walk = (node: List, start: LineStart) => {
    let { startOffset, lineNumber } = start;
    for (const child of node.children) {
      if (startOffset >= formatter.to || (unclosedPerlTag && startOffset > unclosedPerlTag.offset)) return;
      if (startOffset + child.length > formatter.from) {
        if (child instanceof List) walk(child, { startOffset, lineNumber });
        else if (child instanceof Section)
          formatSection(formatter, child, { startOffset, lineNumber }, surroundingSections);
        else formatLine(formatter, child, { startOffset, lineNumber }, surroundingSections);
      }
      startOffset += child.length;
      lineNumber += child.lineEnds;
    }
  };
  walk(list, lineStart);
  formatRows(formatter);
}

/**
 * Whether a template statement is directly in the list. The lines next to it may belong to the
 * statement.
 */
function hasStatement(list: List): boolean {
  if (list.branchLineCount === 0) return false;
  return list.children.some((child) =>
    child instanceof List ? hasStatement(child) : !(child instanceof Section) && child.template === Template.Structure,
  );
}

/** Formats both tags and the body of a section. */
function formatSection(
  formatter: Formatter,
  section: Section,
  lineStart: LineStart,
  surroundingSections: SurroundingSections,
): void {
  const { open, body, close } = section;
  const { tabSize } = formatter.options;
  formatLine(formatter, open, lineStart, surroundingSections);
  const indentOfTag = surroundingSections.indentOfLines ?? indentColumns(open, tabSize);
  const bodyStart = {
    startOffset: lineStart.startOffset + open.length,
    lineNumber: lineStart.lineNumber + open.lineEnds,
  };
  if (sectionKind(section.name) !== 'opaque') {
    const parameters =
      section.name === 'macro'
        ? argumentsOf(open)
            .slice(1)
            .map(({ value }) => value.toLowerCase())
            .filter((value) => value !== '')
        : [];
    formatList(formatter, body, bodyStart, {
      indentOfLines: indentOfTag + tabSize,
      replacedTexts:
        parameters.length > 0
          ? [...surroundingSections.replacedTexts, ...parameters]
          : surroundingSections.replacedTexts,
    });
  }
  formatLine(
    formatter,
    close,
    { startOffset: bodyStart.startOffset + body.length, lineNumber: bodyStart.lineNumber + body.lineEnds },
    { ...surroundingSections, indentOfLines: indentOfTag },
  );
}

/**
 * Formats a line. The gaps between its words may have to wait for the next lines (`formatRows`).
 */
function formatLine(
  formatter: Formatter,
  line: Line,
  lineStart: LineStart,
  surroundingSections: SurroundingSections,
): void {
  workCounts.lines++;
  if (lineStart.startOffset + line.length <= formatter.from || lineStart.startOffset >= formatter.to) return;
  if (line.kind === LineKind.Blank) {
    formatRows(formatter);
    if (!line.isJoined && !mustStayUnchanged(formatter, line, lineStart)) addTrimming(formatter, line, lineStart);
    return;
  }
  if (mustStayUnchanged(formatter, line, lineStart)) return formatRows(formatter);
  if (surroundingSections.indentOfLines !== null)
    addIndentation(formatter, line, lineStart, surroundingSections.indentOfLines);
  addTrimming(formatter, line, lineStart);
  if (line.kind === LineKind.Comment) return;
  const placedLine = { line, lineStart, replacedTexts: surroundingSections.replacedTexts };
  if (line.kind === LineKind.Close || line.template !== Template.None || formatter.mayReplaceAnyWord)
    return formatRows(formatter);
  if (line.isJoined || line.kind === LineKind.Open) formatRows(formatter);
  if (line.isJoined) return formatJoined(formatter, placedLine, surroundingSections.indentOfLines);
  formatter.rows.push(placedLine);
  if (line.kind === LineKind.Open) formatRows(formatter);
}

/** Whether a line must not change. The comment at the top of this file names these lines. */
function mustStayUnchanged({ templateSpans }: Formatter, line: Line, { startOffset }: LineStart): boolean {
  const { text } = line;
  if (
    line.template === Template.Structure ||
    text.length > MAX_LINE_LENGTH ||
    templateSpans.some(({ start, end }) => startOffset < end && startOffset + text.length > start)
  )
    return true;
  if (text.includes('\0') || (startOffset === 0 && isByteOrderMark(text))) return true;
  if (!text.includes('\r')) return false;
  for (let index = text.indexOf('\r'); index >= 0; index = text.indexOf('\r', index + 1))
    if (text.charCodeAt(index + 1) !== 10) return true;
  return false;
}

/** Adds the edit that indents a line by `indentWidth` columns. */
function addIndentation(formatter: Formatter, line: Line, lineStart: LineStart, indentWidth: number): void {
  if (mayIndent(line))
    addEdit(formatter, line, lineStart, 0, contentStart(line), indentation(indentWidth, formatter.options));
}

/**
 * Whether the indentation of a line may change. It may not if the line begins with a continuation
 * or with unusual white space.
 */
function mayIndent(line: Line): boolean {
  const indentEnd = contentStart(line);
  return !/^\\\r?\n/.test(line.text.slice(indentEnd, indentEnd + 3)) && isBlank(line.text.slice(0, indentEnd));
}

/** Adds the edit that removes spaces at the end of a line, unless a setting keeps them. */
function addTrimming(formatter: Formatter, line: Line, lineStart: LineStart): void {
  const { text } = line;
  if (formatter.options.trimTrailingWhitespace === false) return;
  const endBeforeNewline = text.endsWith('\r\n')
    ? text.length - 2
    : text.endsWith('\n')
      ? text.length - 1
      : text.length;
  const lastCharacter = text.charCodeAt(endBeforeNewline - 1);
  if (lastCharacter !== 32 && lastCharacter !== TAB) return;
  const trailingStart = Math.min(endBeforeNewline, contentEnd(line));
  // A backslash before spaces does not continue the line. Without the spaces it would.
  if (text[trailingStart - 1] !== BACKSLASH && isBlank(text.slice(trailingStart, endBeforeNewline)))
    addEdit(formatter, line, lineStart, trailingStart, endBeforeNewline, '');
}

/** Matches two spaces in a row, or a tab, after the indentation. */
const IRREGULAR_SPACES = /[^ \t](?: [ \t]|\t)/;

/** Formats the gaps of the collected lines. */
function formatRows(formatter: Formatter): void {
  const { rows, options } = formatter;
  if (rows.length === 0) return;
  formatter.rows = [];
  if (!rows.some(({ line }) => IRREGULAR_SPACES.test(line.text))) return;
  const table = rows.map(({ line, replacedTexts }) => {
    const cells = cellsOf(line, replacedTexts);
    return {
      name: line.name,
      cells,
      cellWidths: cells.cellStarts.slice(0, cells.freeGapCount + 1).map((start, k) => cells.cellEnds[k]! - start),
      gapLengths: widthsOfGaps(line, cells, options.tabSize),
    };
  });
  const isTable = options.alignment === 'keep' && rows.length > 1;
  const gaps = isTable ? alignedGaps(table) : table.map((row) => row.gapLengths.map(() => 1));
  rows.forEach(({ line, lineStart }, index) => {
    const { cellStarts, cellEnds } = table[index]!.cells;
    gaps[index]!.forEach((width, k) => {
      const [start, end] = [cellEnds[k]!, cellStarts[k + 1]!];
      if (isBlank(line.text.slice(start, end))) addEdit(formatter, line, lineStart, start, end, ' '.repeat(width));
    });
  });
}

/** The widths of the gaps that may change, in columns. */
function widthsOfGaps(line: Line, { cellStarts, cellEnds, freeGapCount }: Cells, tabSize: number): number[] {
  const widths: number[] = [];
  let column = widthInColumns(line.text.slice(0, cellStarts[0]), tabSize);
  for (let k = 0; k < freeGapCount; k++) {
    column += cellEnds[k]! - cellStarts[k]!;
    const width = widthInColumns(line.text.slice(cellEnds[k]!, cellStarts[k + 1]!), tabSize, column);
    widths.push(width);
    column += width;
  }
  return widths;
}

/**
 * Formats a line that continues in further rows. httpd reads the spaces at the start of a row, so
 * they change only between two words. A row that begins below a word of the first row stays below
 * this word. All other rows move with the first row, and are indented by at least one level.
 * `indentWidth`: the indentation of the first row in columns; null to keep it.
 */
function formatJoined(
  formatter: Formatter,
  { line, lineStart, replacedTexts }: LineToFormat,
  indentWidth: number | null,
): void {
  const { options } = formatter;
  const { text } = line;
  const { cellStarts, cellEnds, freeGapCount } = cellsOf(line, replacedTexts);
  const endOfFirstRow = text.indexOf('\n');
  const oldIndentColumns = indentColumns(line, options.tabSize);
  const newIndentColumns = indentWidth !== null && mayIndent(line) ? indentWidth : oldIndentColumns;
  /**
   * The column of each word in the first row: the key is the column before formatting, the value
   * the column after it.
   */
  const newColumnByOld = new Map<number, number>();
  let oldColumn = oldIndentColumns;
  let newColumn = newIndentColumns;
  for (let k = 0; k < freeGapCount; k++) {
    const [start, end] = [cellEnds[k]!, cellStarts[k + 1]!];
    const gap = text.slice(start, end);
    const continuationParts = /^([ \t]*)(\\\r?\n(?:[^]*\n)?)([ \t]*)$/.exec(gap);
    if (!continuationParts) {
      if (!isBlank(gap)) continue;
      addEdit(formatter, line, lineStart, start, end, ' ');
      if (end > endOfFirstRow) continue;
      const width = start - cellStarts[k]!;
      oldColumn += width + widthInColumns(gap, options.tabSize, oldColumn + width);
      newColumn += width + 1;
      newColumnByOld.set(oldColumn, newColumn);
      continue;
    }
    const [, blanksBefore = '', continuation = '', blanksAfter = ''] = continuationParts;
    if (blanksBefore !== '' && !isBackslashColumn(text, start + blanksBefore.length, options))
      addEdit(formatter, line, lineStart, start, start + blanksBefore.length, ' ');
    if (indentWidth === null) continue;
    const columnBefore = widthInColumns(blanksAfter, options.tabSize);
    const target =
      newColumnByOld.get(columnBefore) ??
      (columnBefore > oldIndentColumns
        ? Math.max(1, columnBefore + newIndentColumns - oldIndentColumns)
        : newIndentColumns + options.tabSize);
    addEdit(
      formatter,
      line,
      lineStart,
      start + blanksBefore.length + continuation.length,
      end,
      indentation(target, options),
    );
  }
}

/**
 * Whether the backslash at an offset is in the same column as another backslash at a row's end, so
 * that it stays there. False if columns do not stay aligned.
 */
function isBackslashColumn(text: string, offset: number, { alignment, tabSize }: FormatOptions): boolean {
  if (alignment === 'none') return false;
  const columns: number[] = [];
  let columnAtOffset = -1;
  let rowStart = 0;
  for (const physicalLine of text.split('\n')) {
    const content = physicalLine.endsWith('\r') ? physicalLine.slice(0, -1) : physicalLine;
    if (content.endsWith(BACKSLASH)) {
      const column = widthInColumns(content.slice(0, -1), tabSize);
      if (rowStart + content.length - 1 === offset) columnAtOffset = column;
      else columns.push(column);
    }
    rowStart += physicalLine.length + 1;
  }
  return columns.includes(columnAtOffset);
}

/** Adds an edit. Its offsets count from the start of the line, and are in one row of the line. */
function addEdit(
  { edits }: Formatter,
  { text, isJoined }: Line,
  lineStart: LineStart,
  start: number,
  end: number,
  newText: string,
): void {
  if (end - start === newText.length && text.startsWith(newText, start)) return;
  let { lineNumber } = lineStart;
  let physicalLineStart = 0;
  if (isJoined) {
    for (
      let nextNewline = text.indexOf('\n');
      nextNewline >= 0 && nextNewline < start;
      nextNewline = text.indexOf('\n', physicalLineStart)
    ) {
      physicalLineStart = nextNewline + 1;
      lineNumber++;
    }
  }
  edits.push({
    start: lineStart.startOffset + start,
    end: lineStart.startOffset + end,
    text: newText,
    range: {
      start: { line: lineNumber, character: start - physicalLineStart },
      end: { line: lineNumber, character: end - physicalLineStart },
    },
  });
}

function isBlank(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) !== 32 && text.charCodeAt(i) !== TAB) return false;
  return true;
}

/**
 * The edit for the end of the file, by the client's options; null if there is none. The caller
 * drops other edits in the removed part.
 */
function editAtEndOfFile(tree: Tree, { insertFinalNewline, trimFinalNewlines }: FormatOptions): FormatEdit | null {
  const lastLine = tree.lineAt(tree.length);
  if (!lastLine || lastLine.line.template === Template.Structure || lastLine.line.text.length > MAX_LINE_LENGTH)
    return null;
  const { text } = lastLine.line;
  if (lastLine.line.kind !== LineKind.Blank && !text.endsWith('\n')) {
    // No line end is added after a backslash, because it would continue the line.
    return insertFinalNewline && !text.endsWith(BACKSLASH) && !/[\0\r]/.test(text)
      ? formatEdit(tree, tree.length, tree.length, lineEndOfFile(tree))
      : null;
  }
  // If a section is unclosed, httpd's message has the number of the last line, which must stay.
  if (!trimFinalNewlines || tree.root.looseTagCount > 0 || tree.root.templateLineCount > 0) return null;
  const trailingBlankStart = startOfTrailingBlankLines(tree.root);
  return trailingBlankStart < tree.length && trailingBlankStart > 0
    ? formatEdit(tree, trailingBlankStart, tree.length, '')
    : null;
}

/** The offset after the last line that is not empty. */
function startOfTrailingBlankLines(root: List): number {
  let contentEndOffset = root.length;
  const walk = (list: List): boolean => {
    for (let index = list.children.length - 1; index >= 0; index--) {
      const child = list.children[index]!;
      if (child instanceof List) {
        if (walk(child)) return true;
      } else if (child.kind === LineKind.Blank && !(child as Line).isJoined) contentEndOffset -= child.length;
      else return true;
    }
    return false;
  };
  walk(root);
  return contentEndOffset;
}

function formatEdit(tree: Tree, start: number, end: number, text: string): FormatEdit {
  return { start, end, text, range: { start: tree.positionAt(start), end: tree.positionAt(end) } };
}

/** The line end of the file's first line. */
export function lineEndOfFile(tree: Tree): string {
  return tree.lineAt(0)?.line.text.endsWith('\r\n') ? '\r\n' : '\n';
}

/**
 * The lines from offset `from` to `to`, as offsets and as 0-based line numbers. `end` is after the
 * line end of `lastLine`.
 */
function wholeLines(
  tree: Tree,
  from: number,
  to: number,
): { start: number; end: number; firstLine: number; lastLine: number } {
  const firstLine = tree.positionAt(from).line;
  const endPosition = tree.positionAt(to);
  // If whole lines are selected, the selection ends at the beginning of the next line.
  const lastLine =
    endPosition.character === 0 && endPosition.line > firstLine ? endPosition.line - 1 : endPosition.line;
  return { start: offsetOfLine(tree, firstLine), end: offsetOfLine(tree, lastLine + 1), firstLine, lastLine };
}

function offsetOfLine(tree: Tree, line: number): number {
  return line <= 0 ? 0 : tree.offsetAt({ line, character: 0 });
}
