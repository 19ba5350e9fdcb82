/** Finds the symbols of a file for the outline, and the parts that an editor can fold. */
import {
  FoldingRangeKind,
  SymbolKind,
  type DocumentSymbol,
  type FoldingRange,
  type Range,
} from 'vscode-languageserver-types';
import { sectionKind } from '../config/sections';
import { rangeIn, type Tree } from '../syntax/document';
import { contentEnd, contentStart, LineKind, type Line, rawArguments, spelledName, argumentsOf } from '../syntax/line';
import { cacheOf, counters } from '../syntax/memory';
import { forEachItem, type List, NodeKind, Section } from '../syntax/tree';

/** Counts the lists that were read since the start of the program; tests read it. */
export const workCounts = counters({ lists: 0 });

/** The maximum number of symbols. More symbols would take long to send and to show. */
const MAX_OUTLINE_SYMBOLS = 6000;

/**
 * The symbols of a file: sections with their contents. If there are too many, directives are left
 * out, and then the inner levels of sections. A level is shown completely or not at all. The
 * outermost level is always shown.
 */
export function documentSymbols(tree: Tree): DocumentSymbol[] {
  // In a long file, counting the directives takes longer than leaving them out.
  const isLongFile = tree.lineCount > 2 * MAX_OUTLINE_SYMBOLS;
  const allSymbols = isLongFile ? null : symbolsInList(tree.root, symbolsWithDirectives);
  if (allSymbols && levelsWithinLimit(allSymbols) === allSymbols.nestingLevels.length)
    return symbolsOf(allSymbols, 0, allSymbols.nestingLevels.length);
  const sections = symbolsInList(tree.root, symbolsOfSectionsOnly);
  return symbolsOf(sections, 0, Math.max(1, levelsWithinLimit(sections)));
}

/**
 * The foldable parts of a file, in order: sections, blocks of comments, and continued lines. Line
 * numbers are 0-based.
 */
export function foldingRanges({ root }: Tree): FoldingRange[] {
  const ranges: FoldingRange[] = [];
  foldBody(root, 0, root.lineEnds, ranges);
  return ranges;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * A symbol. Its rows are counted from the start of its list, so that it can be cached and used if
 * the list moves.
 */
interface SymbolEntry {
  readonly name: string;
  readonly detail?: string;
  readonly kind: SymbolKind;
  readonly range: Range;
  readonly selectionRange: Range;
  /** The symbols in a section; rows are counted from the start of its body. */
  readonly innerSymbols?: { readonly entries: ListSymbols; readonly row: number };
}

/** The symbols of a list, and of its child lists. */
interface ListSymbols {
  readonly items: readonly (SymbolEntry | { readonly entries: ListSymbols; readonly row: number })[];
  /**
   * The number of symbols on each level: in the list itself, in its sections, in their sections and
   * so on.
   */
  readonly nestingLevels: readonly number[];
}

type SymbolCache = WeakMap<List, ListSymbols>;

/** The symbols by list: in the first cache sections and directives, in the second only sections. */
const symbolsWithDirectives: SymbolCache = cacheOf<List, ListSymbols>();
const symbolsOfSectionsOnly: SymbolCache = cacheOf<List, ListSymbols>();

/** The symbols of the first `levels` levels; at least one level. */
function symbolsOf(
  { items }: ListSymbols,
  row: number,
  levels: number,
  symbols: DocumentSymbol[] = [],
): DocumentSymbol[] {
  for (const entry of items) {
    if ('entries' in entry) symbolsOf(entry.entries, row + entry.row, levels, symbols);
    else {
      const { name, detail, kind, range, selectionRange, innerSymbols } = entry;
      symbols.push({
        name,
        ...(detail !== undefined && { detail }),
        kind,
        range: movedRange(range, row),
        selectionRange: movedRange(selectionRange, row),
        ...(innerSymbols &&
          levels > 1 &&
          innerSymbols.entries.nestingLevels.length > 0 && {
            children: symbolsOf(innerSymbols.entries, row + innerSymbols.row, levels - 1),
          }),
      });
    }
  }
  return symbols;
}

/** How many levels fit into the limit, counted from the outermost one. */
function levelsWithinLimit({ nestingLevels }: ListSymbols): number {
  let sum = 0;
  const firstLevelOverLimit = nestingLevels.findIndex((count) => (sum += count) > MAX_OUTLINE_SYMBOLS);
  return firstLevelOverLimit < 0 ? nestingLevels.length : firstLevelOverLimit;
}

function movedRange({ start, end }: Range, rows: number): Range {
  return {
    start: { line: start.line + rows, character: start.character },
    end: { line: end.line + rows, character: end.character },
  };
}

/** The symbols of a list. `cache` decides whether directives are among them. */
function symbolsInList(list: List, cache: SymbolCache): ListSymbols {
  let cachedSymbols = cache.get(list);
  if (!cachedSymbols) cache.set(list, (cachedSymbols = readSymbols(list, cache)));
  return cachedSymbols;
}

const NO_SYMBOLS: ListSymbols = { items: [], nestingLevels: [] };

/** Reads the symbols of a list. `cache` decides whether directives are among them. */
function readSymbols(list: List, cache: SymbolCache): ListSymbols {
  workCounts.lists++;
  const symbolItems: ListSymbols['items'][number][] = [];
  const nestingLevels: number[] = [];
  const countSymbols = (addedCounts: readonly number[], firstLevel: number) =>
    addedCounts.forEach(
      (each, level) => (nestingLevels[firstLevel + level] = (nestingLevels[firstLevel + level] ?? 0) + each),
    );
  const addEntry = (entry: SymbolEntry) => {
    symbolItems.push(entry);
    countSymbols(COUNT_OF_ONE, 0);
    if (entry.innerSymbols) countSymbols(entry.innerSymbols.entries.nestingLevels, 1);
  };
  let childRow = 0;
  for (const child of list.children) {
    if (child.kind === NodeKind.List) {
      const innerSymbols = symbolsInList(child, cache);
      if (innerSymbols.items.length > 0) symbolItems.push({ entries: innerSymbols, row: childRow });
      countSymbols(innerSymbols.nestingLevels, 0);
    } else if (child.kind === NodeKind.Section) addEntry(sectionEntry(child, childRow, cache));
    // The editor would reject the whole outline if a symbol had an empty name, as in `""`.
    else if (cache === symbolsWithDirectives && child.kind === LineKind.Directive && child.name.trim() !== '')
      addEntry(directiveEntry(child, childRow));
    childRow += child.lineEnds;
  }
  return symbolItems.length === 0 ? NO_SYMBOLS : { items: symbolItems, nestingLevels };
}

const COUNT_OF_ONE: readonly number[] = [1];

/**
 * The symbol of a section, with the symbols inside it. `row`: the row of its open tag in the list.
 */
function sectionEntry(section: Section, row: number, cache: SymbolCache): SymbolEntry {
  const { open, body, close } = section;
  const kindOfSection = sectionKind(section.name);
  const tagArguments = rawArguments(open).value;
  const host = section.name === 'virtualhost' ? hostNameOf(section) : undefined;
  const selectionRange = lineRange(open, row);
  return {
    // The host is part of the name, not a detail: editors show only the name in breadcrumbs, and
    // twenty virtual hosts may have one address.
    name: `<${spelledName(open)}${tagArguments ? ` ${shortenedText(tagArguments)}` : ''}>${host === undefined ? '' : ` ${shortenedText(host)}`}`,
    kind:
      kindOfSection === 'conditional'
        ? SymbolKind.Event
        : kindOfSection === 'container'
          ? SymbolKind.Namespace
          : SymbolKind.Module,
    range: { start: selectionRange.start, end: lineRange(close, row + open.lineEnds + body.lineEnds).end },
    selectionRange,
    innerSymbols: {
      entries: kindOfSection === 'opaque' ? NO_SYMBOLS : symbolsInList(body, cache),
      row: row + open.lineEnds,
    },
  };
}

/** The symbol of a directive. For LoadModule, the module is part of its name. */
function directiveEntry(line: Line, row: number): SymbolEntry {
  const range = lineRange(line, row);
  const [module] = line.name === 'loadmodule' ? argumentsOf(line) : [];
  if (module)
    return {
      name: `${spelledName(line)} ${shortenedText(module.value)}`,
      kind: SymbolKind.Module,
      range,
      selectionRange: range,
    };
  return {
    name: spelledName(line),
    detail: shortenedText(rawArguments(line).value),
    kind: SymbolKind.Property,
    range,
    selectionRange: range,
  };
}

/** The range of a line without the white space around it. */
function lineRange(line: Line, row: number): Range {
  return rangeIn({ line, offset: 0, lineEnds: row }, contentStart(line), contentEnd(line));
}

/**
 * The name of a virtual host: its ServerName (also one under a condition), otherwise its first
 * ServerAlias; undefined if it has neither.
 */
function hostNameOf(section: Section): string | undefined {
  const valueByDirective = new Map<string, string | undefined>();
  const visit = (body: List): void =>
    forEachItem(body, 0, (item) => {
      if (item instanceof Section) {
        if (sectionKind(item.name) === 'conditional') visit(item.body);
      } else if (
        item.kind === LineKind.Directive &&
        (item.name === 'servername' || item.name === 'serveralias') &&
        !valueByDirective.has(item.name)
      )
        valueByDirective.set(item.name, argumentsOf(item)[0]?.value);
    });
  visit(section.body);
  return valueByDirective.get('servername') ?? valueByDirective.get('serveralias');
}

/** A text, cut at 60 UTF-16 units. */
function shortenedText(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/**
 * Adds the foldable parts of a file, or of the body of a section. Adjacent comment lines are one
 * block. `lastFileRow` is the number of line ends in the file.
 */
function foldBody(body: List, row: number, lastFileRow: number, ranges: FoldingRange[]): void {
  const comments: CommentRun = { firstRow: -1, lastRow: -1 };
  foldList(body, row, lastFileRow, comments, ranges);
  endCommentRun(comments, ranges);
}

/**
 * The first and last row of a comment block that the next line may continue; -1 if there is none.
 */
interface CommentRun {
  firstRow: number;
  lastRow: number;
}

function endCommentRun(commentRun: CommentRun, ranges: FoldingRange[]): void {
  if (commentRun.lastRow > commentRun.firstRow)
    ranges.push({ startLine: commentRun.firstRow, endLine: commentRun.lastRow, kind: FoldingRangeKind.Comment });
  commentRun.firstRow = commentRun.lastRow = -1;
}

/**
 * Adds the foldable parts of a list. For most lines it reads only the kind, because they have one
 * row. `comments`: the comment block before the list, which may continue in it.
 */
function foldList(
  { children }: List,
  row: number,
  lastFileRow: number,
  comments: CommentRun,
  ranges: FoldingRange[],
): void {
  let firstRow = row;
  for (let i = 0; i < children.length; i++) {
    const child = children[i]!;
    const nextRow = firstRow + child.lineEnds;
    if (child.kind === NodeKind.List) foldList(child, firstRow, lastFileRow, comments, ranges);
    else if (child.kind === LineKind.Comment) {
      if (comments.firstRow < 0) comments.firstRow = firstRow;
      comments.lastRow = lastRow(child, nextRow, lastFileRow);
    } else {
      if (comments.firstRow >= 0) endCommentRun(comments, ranges);
      if (child.kind === NodeKind.Section) {
        const { open, body } = child;
        // The folded part ends before the closing tag, so that the tag stays visible.
        const lastFoldedRow = firstRow + open.lineEnds + body.lineEnds - 1;
        if (lastFoldedRow > firstRow) ranges.push({ startLine: firstRow, endLine: lastFoldedRow });
        if (sectionKind(child.name) !== 'opaque') foldBody(body, firstRow + open.lineEnds, lastFileRow, ranges);
      } else {
        const lastRowOfLine = lastRow(child, nextRow, lastFileRow);
        if (lastRowOfLine > firstRow) ranges.push({ startLine: firstRow, endLine: lastRowOfLine });
      }
    }
    firstRow = nextRow;
  }
}

/**
 * The last row of a line that can continue over several rows. `nextRow`: the row that follows the
 * line. `lastFileRow`: the last row of the file, whose text may have no line break.
 */
function lastRow({ text }: Line, nextRow: number, lastFileRow: number): number {
  return nextRow === lastFileRow && !/[\r\n]$/.test(text) ? nextRow : nextRow - 1;
}
