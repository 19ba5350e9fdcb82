/**
 * Code lenses: above a virtual host, what it serves and who has access; above a macro or variable,
 * how often it is used.
 */
import { textIfOneLine } from '../access/print';
import { readSection } from '../access/read';
import { translate } from '../access/translate';
import { isTransparent, sectionKind } from '../config/sections';
import type { Tree } from '../syntax/document';
import { argumentsOf, LineKind, rawArguments, spelledName, type Line } from '../syntax/line';
import { forEachItem, Section, type List } from '../syntax/tree';
import { forEachSymbol } from './occurrences';

/** A code lens without its text: what it is about, and the line above which it is shown. */
export interface CodeLensPlace {
  /** What the lens is about. */
  readonly kind: 'virtual-host' | 'macro' | 'variable';
  /** The name of a macro or variable. */
  readonly name: string;
  /** The start of the line in the file in UTF-16 units, and its 0-based line number. */
  readonly offset: number;
  readonly row: number;
}

/** Limit for the code lenses of one file. */
const MAX_LENSES = 2000;

/**
 * The code lenses of a file without their texts, which are computed when a lens becomes visible.
 */
export function lensesOf(tree: Tree): CodeLensPlace[] {
  const lenses: CodeLensPlace[] = [];
  forEachSymbol(tree.root, ({ kind, name, offset, row }) => {
    if (kind === 'virtual-host' || kind === 'macro' || kind === 'variable') lenses.push({ kind, name, offset, row });
    return lenses.length < MAX_LENSES;
  });
  return lenses;
}

/**
 * The text above the virtual host whose open tag is on the 0-based line `row`: its names, the
 * directory that it serves, and the access that its own lines give. Null if no virtual host begins
 * on this line.
 */
export function virtualHostLensText(tree: Tree, row: number): string | null {
  const section = virtualHostAtRow(tree, row);
  if (!section) return null;
  const hostLines = linesOfScope(section.body);
  const firstLine = (name: string) => hostLines.find((line) => line.name === name);
  const argumentAt = (line: Line | undefined, index = 0) => (line ? argumentsOf(line)[index]?.value : undefined);
  const hostNames = hostLines.flatMap((line) =>
    line.name === 'servername' || line.name === 'serveralias' ? argumentsOf(line).map((word) => word.value) : [],
  );
  const documentRoot = argumentAt(firstLine('documentroot'));
  const proxyPassLines = hostLines.filter((line) => line.name === 'proxypass' || line.name === 'proxypassmatch');
  const includeCount = hostLines.filter((line) => line.name === 'include' || line.name === 'includeoptional').length;
  const summaryParts = [
    hostNames.length === 0
      ? 'serves what no other virtual host has'
      : `serves ${listedText(hostNames, MAX_SHOWN_HOST_NAMES)}`,
    documentRoot === undefined ? '' : `from ${documentRoot}`,
    proxyPassLines.length === 0
      ? ''
      : `through ${listedText([...new Set(proxyPassLines.map((line) => argumentsOf(line).find(({ value: word }) => word.includes('://'))?.value ?? '').filter(Boolean))], 2)}`,
    includeCount === 0 ? '' : includeCount === 1 ? 'with 1 Include' : `with ${includeCount} Includes`,
  ];
  const access = accessTextsIn(section);
  return [summaryParts.filter(Boolean).join(' '), access.length === 0 ? '' : listedText(access, MAX_SHOWN_SCOPES, '; ')]
    .filter(Boolean)
    .join(' · ');
}

/** The text above a macro or variable: `3 uses`. */
export function useCountText(count: number): string {
  return count === 0 ? 'not used' : count === 1 ? '1 use' : `${count} uses`;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Maximum number of names of a virtual host that a code lens shows. */
const MAX_SHOWN_HOST_NAMES = 3;
/** Maximum number of sections whose access a code lens shows. */
const MAX_SHOWN_SCOPES = 3;

const OLD_ACCESS_DIRECTIVES = new Set(['order', 'allow', 'deny', 'satisfy']);

/** The virtual host whose open tag is on a 0-based line; null if there is none. */
function virtualHostAtRow(tree: Tree, row: number): Section | null {
  const rowStart = tree.offsetAt({ line: row, character: 0 });
  const findVirtualHost = (list: List, listOffset: number): Section | null => {
    let section: Section | null = null;
    let offset = listOffset;
    for (const child of list.children) {
      if (rowStart < offset + child.length) {
        if (child instanceof Section)
          section =
            child.name === 'virtualhost' && tree.positionAt(offset).line === row
              ? child
              : findVirtualHost(child.body, offset + child.open.length);
        else if ('children' in child) section = findVirtualHost(child, offset);
        break;
      }
      offset += child.length;
    }
    return section;
  };
  return findVirtualHost(tree.root, 0);
}

/** The lines of a scope, including those in conditional sections. */
function linesOfScope(body: List): Line[] {
  const directiveLines: Line[] = [];
  const walk = (list: List): void =>
    forEachItem(list, 0, (item) => {
      if (item instanceof Section) {
        if (isTransparent(sectionKind(item.name))) walk(item.body);
      } else if (item.kind === LineKind.Directive) directiveLines.push(item);
    });
  walk(body);
  return directiveLines;
}

/**
 * The access of each scope in the virtual host that has access lines: `<Location /admin>: ip
 * 10.0.0.0/8`.
 */
function accessTextsIn(host: Section): string[] {
  const accessTexts: string[] = [];
  const visit = (section: Section): void => {
    const accessLines = linesOfScope(section.body).filter(
      ({ name }) => OLD_ACCESS_DIRECTIVES.has(name) || name === 'require',
    );
    const accessOfScope = accessLines.length === 0 ? null : accessText(accessLines);
    if (accessOfScope !== null)
      accessTexts.push(
        section === host
          ? accessOfScope
          : `<${spelledName(section.open)} ${rawArguments(section.open).value}>: ${accessOfScope}`,
      );
    const walk = (list: List): void =>
      forEachItem(list, 0, (item) => {
        if (!(item instanceof Section)) return;
        const kindOfSection = sectionKind(item.name);
        if (isTransparent(kindOfSection)) walk(item.body);
        else if (kindOfSection === 'container' && item.name !== 'macro') visit(item);
      });
    walk(section.body);
  };
  visit(host);
  return accessTexts;
}

/**
 * The access that lines give, in a short form such as `all granted`. If this needs several Require
 * lines, returns only a number or a general word: `3 rules`, `several rules`.
 */
function accessText(lines: readonly Line[]): string {
  const requireLines = lines.filter(({ name }) => name === 'require');
  const hasOldLines = lines.length > requireLines.length;
  const requireLine = hasOldLines
    ? textIfOneLine(translate(readSection(lines)))
    : requireLines.length === 1
      ? `Require ${rawArguments(requireLines[0]!).value}`
      : null;
  if (requireLine === null) return hasOldLines ? 'several rules' : `${requireLines.length} rules`;
  const requiredText = requireLine.replace(/^Require\s+/i, '');
  if (/^all\s+granted$/i.test(requiredText)) return 'everyone';
  return /^all\s+denied$/i.test(requiredText) ? 'no one' : requiredText;
}

/** Joins the first items, and says how many more there are. */
function listedText(items: readonly string[], maxShown: number, comma = ', '): string {
  return items.length <= maxShown
    ? items.join(comma)
    : `${items.slice(0, maxShown).join(comma)} and ${items.length - maxShown} more`;
}
