/** Document symbols and folding ranges: one walk over the tree each. */
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

/** Counter for tests: lists read since the start of the program. */
export const work = counters({ lists: 0 });

/** Limit for symbols; ten thousand are slow to send and to show. */
const MAX_SYMBOLS = 6000;

/**
 * Sections with their contents, including directives if there are not too many; otherwise sections
 * only, and of these the outer levels: all of a level or none. The outermost are always included.
 */
export function documentSymbols(tree: Tree): DocumentSymbol[] {
  // Counting the directives of a long file takes longer than omitting them.
  const isLong = tree.lineCount > 2 * MAX_SYMBOLS;
  const entries = isLong ? null : entriesIn(tree.root, withDirectives);
  if (entries && levelsWithin(entries) === entries.levels.length) return symbolsOf(entries, 0, entries.levels.length);
  const sections = entriesIn(tree.root, sectionsOnly);
  return symbolsOf(sections, 0, Math.max(1, levelsWithin(sections)));
}

/** Sections, blocks of comments, and continued lines, in order. Line numbers are 0-based. */
export function foldingRanges({ root }: Tree): FoldingRange[] {
  const ranges: FoldingRange[] = [];
  foldBody(root, 0, root.lineEnds, ranges);
  return ranges;
}

// ---------------------------------------------------------------------------------------------------------------------

/** A symbol independent of its list's position: rows count from the start of the list. */
interface Entry {
  readonly name: string;
  readonly detail?: string;
  readonly kind: SymbolKind;
  readonly range: Range;
  readonly selectionRange: Range;
  /** The contents of a section; rows count from its body. */
  readonly inside?: { readonly entries: Entries; readonly row: number };
}

/** The symbols of a list, and of its child lists. */
interface Entries {
  readonly items: readonly (Entry | { readonly entries: Entries; readonly row: number })[];
  /** The number of symbols by level: in the list itself, in its sections, in their sections … */
  readonly levels: readonly number[];
}

type Cache = WeakMap<List, Entries>;

const withDirectives: Cache = cacheOf<List, Entries>();
const sectionsOnly: Cache = cacheOf<List, Entries>();

/** The symbols of the first `levels` levels, at least one. */
function symbolsOf({ items }: Entries, row: number, levels: number, symbols: DocumentSymbol[] = []): DocumentSymbol[] {
  for (const entry of items) {
    if ('entries' in entry) symbolsOf(entry.entries, row + entry.row, levels, symbols);
    else {
      const { name, detail, kind, range, selectionRange, inside } = entry;
      symbols.push({
        name,
        ...(detail !== undefined && { detail }),
        kind,
        range: moved(range, row),
        selectionRange: moved(selectionRange, row),
        ...(inside &&
          levels > 1 &&
          inside.entries.levels.length > 0 && { children: symbolsOf(inside.entries, row + inside.row, levels - 1) }),
      });
    }
  }
  return symbols;
}

/** The number of levels, from the outermost, whose symbols fit into the limit. */
function levelsWithin({ levels }: Entries): number {
  let sum = 0;
  const first = levels.findIndex((count) => (sum += count) > MAX_SYMBOLS);
  return first < 0 ? levels.length : first;
}

function moved({ start, end }: Range, rows: number): Range {
  return {
    start: { line: start.line + rows, character: start.character },
    end: { line: end.line + rows, character: end.character },
  };
}

function entriesIn(list: List, cache: Cache): Entries {
  let entries = cache.get(list);
  if (!entries) cache.set(list, (entries = readEntries(list, cache)));
  return entries;
}

const NONE: Entries = { items: [], levels: [] };

function readEntries(list: List, cache: Cache): Entries {
  work.lists++;
  const items: Entries['items'][number][] = [];
  const levels: number[] = [];
  const count = (more: readonly number[], from: number) =>
    more.forEach((each, level) => (levels[from + level] = (levels[from + level] ?? 0) + each));
  const add = (entry: Entry) => {
    items.push(entry);
    count(ONE, 0);
    if (entry.inside) count(entry.inside.entries.levels, 1);
  };
  let row = 0;
  for (const child of list.children) {
    if (child.kind === NodeKind.List) {
      const entries = entriesIn(child, cache);
      if (entries.items.length > 0) items.push({ entries, row });
      count(entries.levels, 0);
    } else if (child.kind === NodeKind.Section) add(sectionEntry(child, row, cache));
    // A symbol with an empty name, as in `""`, would make the editor reject the whole outline.
    else if (cache === withDirectives && child.kind === LineKind.Directive && child.name.trim() !== '')
      add(directiveEntry(child, row));
    row += child.lineEnds;
  }
  return items.length === 0 ? NONE : { items, levels };
}

const ONE: readonly number[] = [1];

function sectionEntry(section: Section, row: number, cache: Cache): Entry {
  const { open, body, close } = section;
  const kind = sectionKind(section.name);
  const text = rawArguments(open).value;
  const host = section.name === 'virtualhost' ? serverName(section) : undefined;
  const selectionRange = lineRange(open, row);
  return {
    // Part of the name and not a detail: breadcrumbs show the name alone, and twenty virtual hosts
    // may have one address.
    name: `<${spelledName(open)}${text ? ` ${shortened(text)}` : ''}>${host === undefined ? '' : ` ${shortened(host)}`}`,
    kind: kind === 'conditional' ? SymbolKind.Event : kind === 'container' ? SymbolKind.Namespace : SymbolKind.Module,
    range: { start: selectionRange.start, end: lineRange(close, row + open.lineEnds + body.lineEnds).end },
    selectionRange,
    inside: { entries: kind === 'opaque' ? NONE : entriesIn(body, cache), row: row + open.lineEnds },
  };
}

function directiveEntry(line: Line, row: number): Entry {
  const range = lineRange(line, row);
  const [module] = line.name === 'loadmodule' ? argumentsOf(line) : [];
  if (module)
    return {
      name: `${spelledName(line)} ${shortened(module.value)}`,
      kind: SymbolKind.Module,
      range,
      selectionRange: range,
    };
  return {
    name: spelledName(line),
    detail: shortened(rawArguments(line).value),
    kind: SymbolKind.Property,
    range,
    selectionRange: range,
  };
}

function lineRange(line: Line, row: number): Range {
  return rangeIn({ line, offset: 0, lineEnds: row }, contentStart(line), contentEnd(line));
}

/**
 * The usual name of a virtual host: its ServerName, also under a condition, otherwise its first
 * ServerAlias.
 */
function serverName(section: Section): string | undefined {
  const names = new Map<string, string | undefined>();
  const visit = (body: List): void =>
    forEachItem(body, 0, (item) => {
      if (item instanceof Section) {
        if (sectionKind(item.name) === 'conditional') visit(item.body);
      } else if (
        item.kind === LineKind.Directive &&
        (item.name === 'servername' || item.name === 'serveralias') &&
        !names.has(item.name)
      )
        names.set(item.name, argumentsOf(item)[0]?.value);
    });
  visit(section.body);
  return names.get('servername') ?? names.get('serveralias');
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** A comment block is a run of adjacent comment lines. `end`: the file's number of line ends. */
function foldBody(body: List, row: number, end: number, ranges: FoldingRange[]): void {
  const comments: CommentRun = { first: -1, last: -1 };
  foldList(body, row, end, comments, ranges);
  endComments(comments, ranges);
}

/** Rows of the open run of comments, or -1. */
interface CommentRun {
  first: number;
  last: number;
}

function endComments(run: CommentRun, ranges: FoldingRange[]): void {
  if (run.last > run.first) ranges.push({ startLine: run.first, endLine: run.last, kind: FoldingRangeKind.Comment });
  run.first = run.last = -1;
}

/** Most lines of a file have one row: only their kind is read. */
function foldList({ children }: List, row: number, end: number, comments: CommentRun, ranges: FoldingRange[]): void {
  let first = row;
  for (let i = 0; i < children.length; i++) {
    const child = children[i]!;
    const next = first + child.lineEnds;
    if (child.kind === NodeKind.List) foldList(child, first, end, comments, ranges);
    else if (child.kind === LineKind.Comment) {
      if (comments.first < 0) comments.first = first;
      comments.last = lastRow(child, next, end);
    } else {
      if (comments.first >= 0) endComments(comments, ranges);
      if (child.kind === NodeKind.Section) {
        const { open, body } = child;
        // The closing tag stays visible.
        const lastInside = first + open.lineEnds + body.lineEnds - 1;
        if (lastInside > first) ranges.push({ startLine: first, endLine: lastInside });
        if (sectionKind(child.name) !== 'opaque') foldBody(body, first + open.lineEnds, end, ranges);
      } else {
        const last = lastRow(child, next, end);
        if (last > first) ranges.push({ startLine: first, endLine: last });
      }
    }
    first = next;
  }
}

/**
 * The last row of a line, from the row after its line ends; the last line of a file may have none.
 */
function lastRow({ text }: Line, next: number, end: number): number {
  return next === end && !/[\r\n]$/.test(text) ? next : next - 1;
}
