/** Document symbols and folding ranges: one walk over the tree each. */
import { FoldingRangeKind, SymbolKind, type DocumentSymbol, type FoldingRange } from 'vscode-languageserver-types';
import { sectionKind } from '../config/sections';
import type { Tree } from '../syntax/document';
import { contentEnd, contentStart, Line, LineKind, rawArguments, spelledName, argumentsOf } from '../syntax/line';
import { forEachItem, type List, Section } from '../syntax/tree';

/** Past so many lines the outline shows sections only: nobody scrolls through a hundred thousand directives. */
const MAX_LINES_WITH_DIRECTIVES = 10_000;

/** Sections with what is in them; in files of reasonable size also the directives. */
export function documentSymbols(tree: Tree): DocumentSymbol[] {
  return symbolsIn(tree, tree.root, 0, tree.lineCount <= MAX_LINES_WITH_DIRECTIVES);
}

/** Sections, blocks of comments, and continued lines. Line numbers are 0-based. */
export function foldingRanges(tree: Tree): FoldingRange[] {
  const ranges: FoldingRange[] = [];
  foldList(tree.root, 0, ranges);
  return ranges.sort((a, b) => a.startLine - b.startLine);
}

// ---------------------------------------------------------------------------------------------------------------------

function symbolsIn(tree: Tree, list: List, base: number, withDirectives: boolean): DocumentSymbol[] {
  const symbols: DocumentSymbol[] = [];
  forEachItem(list, base, (item, offset) => {
    if (item instanceof Section) symbols.push(sectionSymbol(tree, item, offset, withDirectives));
    // A symbol without a name, as of `""`, would cost the editor the whole outline.
    else if (withDirectives && item.kind === LineKind.Directive && item.name.trim() !== '')
      symbols.push(directiveSymbol(tree, item, offset));
  });
  return symbols;
}

function sectionSymbol(tree: Tree, section: Section, offset: number, withDirectives: boolean): DocumentSymbol {
  const kind = sectionKind(section.name);
  const text = rawArguments(section.open).value;
  const host = section.name === 'virtualhost' ? serverName(section) : undefined;
  return {
    // Not as a detail: breadcrumbs and lists to choose from show the name alone, and twenty virtual hosts have one address.
    name: `<${spelledName(section.open)}${text ? ` ${shortened(text)}` : ''}>${host === undefined ? '' : ` ${shortened(host)}`}`,
    kind: kind === 'conditional' ? SymbolKind.Event : kind === 'container' ? SymbolKind.Namespace : SymbolKind.Module,
    range: {
      start: tree.positionAt(offset + contentStart(section.open)),
      end: tree.positionAt(offset + section.length - section.close.length + contentEnd(section.close)),
    },
    selectionRange: lineRange(tree, section.open, offset),
    children: kind === 'opaque' ? [] : symbolsIn(tree, section.body, offset + section.open.length, withDirectives),
  };
}

function directiveSymbol(tree: Tree, line: Line, offset: number): DocumentSymbol {
  const range = lineRange(tree, line, offset);
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

function lineRange(tree: Tree, line: Line, offset: number) {
  return { start: tree.positionAt(offset + contentStart(line)), end: tree.positionAt(offset + contentEnd(line)) };
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

/** A comment block is a run of comment lines next to each other. */
function foldList(list: List, firstLine: number, ranges: FoldingRange[]): void {
  let line = firstLine;
  let comments: { first: number; last: number } | null = null;
  const endComments = () => {
    if (comments && comments.last > comments.first)
      ranges.push({ startLine: comments.first, endLine: comments.last, kind: FoldingRangeKind.Comment });
    comments = null;
  };
  forEachItem(list, 0, (item) => {
    const last = line + rows(item) - 1;
    if (item instanceof Line && item.kind === LineKind.Comment) {
      comments = { first: comments?.first ?? line, last };
    } else {
      endComments();
      if (item instanceof Section) {
        // The closing tag stays to be seen.
        const lastInside = line + item.open.breaks + item.body.breaks - 1;
        if (lastInside > line) ranges.push({ startLine: line, endLine: lastInside });
        if (sectionKind(item.name) !== 'opaque') foldList(item.body, line + item.open.breaks, ranges);
      } else if (last > line) {
        ranges.push({ startLine: line, endLine: last });
      }
    }
    line += item.breaks;
  });
  endComments();
}

/** Lines that an item takes; the last line of a file may have no line end. */
function rows(item: Line | Section): number {
  const { text } = item instanceof Section ? item.close : item;
  return item.breaks + (/[\r\n]$/.test(text) ? 0 : 1);
}
