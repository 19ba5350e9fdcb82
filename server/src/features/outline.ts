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

/** Lists read since the start of the program, for the tests that count what an edit costs. */
export const work = counters({ lists: 0 });

/** Nobody scrolls through more, and to write down ten thousand takes an editor's patience: each has two ranges and a name. */
const MAX_SYMBOLS = 6000;

/**
 * Sections with what is in them, directives too, as long as these are not too many; then sections alone, and of these the outer ones: all of a level or none.
 * The outermost are always there.
 */
export function documentSymbols(tree: Tree): DocumentSymbol[] {
  // Most lines are directives: to count those of a long file takes longer than to leave them out.
  const isLong = tree.lineCount > 2 * MAX_SYMBOLS;
  const whole = isLong ? null : entriesIn(tree.root, withDirectives);
  if (whole && levelsWithin(whole) === whole.levels.length) return symbolsOf(whole, 0, whole.levels.length);
  const sections = entriesIn(tree.root, sectionsOnly);
  return symbolsOf(sections, 0, Math.max(1, levelsWithin(sections)));
}

/** Sections, blocks of comments, and continued lines, in their order. Line numbers are 0-based. */
export function foldingRanges({ root }: Tree): FoldingRange[] {
  const ranges: FoldingRange[] = [];
  foldBody(root, 0, root.breaks, ranges);
  return ranges;
}

// ---------------------------------------------------------------------------------------------------------------------

/** A symbol as it is wherever its list stands: rows count from where that begins. */
interface Entry {
  readonly name: string;
  readonly detail?: string;
  readonly kind: SymbolKind;
  readonly range: Range;
  readonly selectionRange: Range;
  /** Of a section; they count from its body. */
  readonly inside?: { readonly entries: Entries; readonly row: number };
}

/** Those of a list, and of the lists among its children. */
interface Entries {
  readonly items: readonly (Entry | { readonly entries: Entries; readonly row: number })[];
  /** How many there are: of the list itself, in its sections, in the sections of these … */
  readonly levels: readonly number[];
}

type Cache = WeakMap<List, Entries>;

const withDirectives: Cache = cacheOf<List, Entries>();
const sectionsOnly: Cache = cacheOf<List, Entries>();

/** Those of the first `levels`, one at least. */
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

/** How many levels, from the outermost, have no more symbols together than there may be. */
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
  let found = cache.get(list);
  if (!found) cache.set(list, (found = readEntries(list, cache)));
  return found;
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
    // A symbol without a name, as of `""`, would cost the editor the whole outline.
    else if (cache === withDirectives && child.kind === LineKind.Directive && child.name.trim() !== '')
      add(directiveEntry(child, row));
    row += child.breaks;
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
    // Not as a detail: breadcrumbs and lists to choose from show the name alone, and twenty virtual hosts have one address.
    name: `<${spelledName(open)}${text ? ` ${shortened(text)}` : ''}>${host === undefined ? '' : ` ${shortened(host)}`}`,
    kind: kind === 'conditional' ? SymbolKind.Event : kind === 'container' ? SymbolKind.Namespace : SymbolKind.Module,
    range: { start: selectionRange.start, end: lineRange(close, row + open.breaks + body.breaks).end },
    selectionRange,
    inside: { entries: kind === 'opaque' ? NONE : entriesIn(body, cache), row: row + open.breaks },
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
  return rangeIn({ line, offset: 0, breaks: row }, contentStart(line), contentEnd(line));
}

/** What people call a virtual host: its ServerName, under a condition too, or else its first ServerAlias. */
function serverName(section: Section): string | undefined {
  const names = new Map<string, string | undefined>();
  const look = (body: List): void =>
    forEachItem(body, 0, (item) => {
      if (item instanceof Section) {
        if (sectionKind(item.name) === 'conditional') look(item.body);
      } else if (
        item.kind === LineKind.Directive &&
        (item.name === 'servername' || item.name === 'serveralias') &&
        !names.has(item.name)
      )
        names.set(item.name, argumentsOf(item)[0]?.value);
    });
  look(section.body);
  return names.get('servername') ?? names.get('serveralias');
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** A comment block is a run of comment lines next to each other. `end`: the file's line ends. */
function foldBody(body: List, row: number, end: number, ranges: FoldingRange[]): void {
  const comments: CommentRun = { first: -1, last: -1 };
  foldList(body, row, end, comments, ranges);
  endComments(comments, ranges);
}

/** Those that stand last so far; -1 where there are none. */
interface CommentRun {
  first: number;
  last: number;
}

function endComments(run: CommentRun, ranges: FoldingRange[]): void {
  if (run.last > run.first) ranges.push({ startLine: run.first, endLine: run.last, kind: FoldingRangeKind.Comment });
  run.first = run.last = -1;
}

/** Most of a file are lines of one row each: of these the kind is asked, and nothing else. */
function foldList({ children }: List, row: number, end: number, comments: CommentRun, ranges: FoldingRange[]): void {
  let first = row;
  for (let i = 0; i < children.length; i++) {
    const child = children[i]!;
    const next = first + child.breaks;
    if (child.kind === NodeKind.List) foldList(child, first, end, comments, ranges);
    else if (child.kind === LineKind.Comment) {
      if (comments.first < 0) comments.first = first;
      comments.last = lastRow(child, next, end);
    } else {
      if (comments.first >= 0) endComments(comments, ranges);
      if (child.kind === NodeKind.Section) {
        const { open, body } = child;
        // The closing tag stays to be seen.
        const lastInside = first + open.breaks + body.breaks - 1;
        if (lastInside > first) ranges.push({ startLine: first, endLine: lastInside });
        if (sectionKind(child.name) !== 'opaque') foldBody(body, first + open.breaks, end, ranges);
      } else {
        const last = lastRow(child, next, end);
        if (last > first) ranges.push({ startLine: first, endLine: last });
      }
    }
    first = next;
  }
}

/** The last row of a line, by the row behind its line ends; the last line of a file may have none. */
function lastRow({ text }: Line, next: number, end: number): number {
  return next === end && !/[\r\n]$/.test(text) ? next : next - 1;
}
