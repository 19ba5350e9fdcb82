/**
 * Writes new lines in place of Include lines if the sections that include a file need different
 * lines: for example if one of them is inside a section with a login. The largest group of sections
 * keeps the file. Each other section gets its own lines instead of its Include line.
 */
import type { ConfigFile, ConfigLine, Scope } from '../config/configuration';
import { isTransparent, sectionKind } from '../config/sections';
import { argumentsOf, indentOf, LineKind, type Line } from '../syntax/line';
import { addTo } from '../syntax/groups';
import { forEachItem, Section, type List, type PlacedLine } from '../syntax/tree';
import type { ConversionInput } from './conversion-input';
import type { SectionLines } from './decide-section';
import { printTree } from './print';
import { isAccessLine } from './read';
import { styleOfNewLines, type TextEdit } from './rewrite';
import { LOGIN_LINES } from './second-macros';
import { MERGING_COMMENTS, NO_TREE } from './section-edits';
import type { SectionEntry } from './section-order';
import { sharedLines } from './shared-text';

/** An Include line that the new lines of its section replace. */
export interface InlinedInclude extends Pick<SectionLines, 'tree' | 'authMerging'> {
  /** The section with the Include line. */
  readonly scope: Scope;
  readonly include: PlacedLine;
  /** The lines of the included file that stay as they are. */
  readonly loginLines: readonly Line[];
}

/** What happens to an included file if the sections with its lines need different lines. */
export interface SplitFile {
  /** A section that needs the lines which the file itself gets. */
  readonly keptEntry: SectionEntry;
  readonly inlinedIncludes: readonly InlinedInclude[];
}

/**
 * Groups the sections that read their access lines from one file by the new lines that they need.
 * Null if the Include lines must stay. `keyOf`: equal for sections with equal new lines.
 */
export function splitFile(
  entries: readonly SectionEntry[],
  convertedSections: ReadonlyMap<SectionEntry, SectionLines>,
  { options, survey, configuration: { fragments } }: ConversionInput,
  keyOf: (entry: SectionEntry) => string,
): SplitFile | null {
  const [first] = entries;
  const included = first && sharedLines(first.scope)?.[0]?.file;
  if (!included || options.keepsBoth === true || survey.source !== '2.2') return null;
  // Another reader might need other lines, or lines that are not known.
  if (included.readings !== entries.length) return null;
  const loginLines = loginLinesOf(included, first.scope);
  if (loginLines === null) return null;
  const groups = new Map<string, SectionEntry[]>();
  const includes = new Map<SectionEntry, PlacedLine>();
  for (const entry of entries) {
    const isOnly = fragments.get(entry.scope)?.length === 1;
    const include = isOnly ? includeOf(entry.scope, included) : null;
    if (include === null || !convertedSections.has(entry)) return null;
    includes.set(entry, include);
    addTo(groups, keyOf(entry), entry);
  }
  const [kept, ...others] = [...groups.values()].sort((a, b) => b.length - a.length);
  const inlinedIncludes = others.flat().map((entry): InlinedInclude => {
    const { tree, authMerging } = convertedSections.get(entry)!;
    return { scope: entry.scope, include: includes.get(entry)!, loginLines, tree, authMerging };
  });
  return inlinedIncludes.length === 0 ? null : { keptEntry: kept![0]!, inlinedIncludes };
}

/** Writes the new lines of a section in place of its Include line. */
export function inlinedIncludeEdit({ scope, include, loginLines, tree, authMerging }: InlinedInclude): TextEdit {
  const { line, offset } = include;
  const style = styleOfNewLines(line, indentOf(scope.section!.open));
  const { start, end } = argumentsOf(line)[0]!;
  const rows = [
    `# As in httpd 2.2: the lines of ${line.text.slice(start, end)}, with what this section requires.`,
    ...loginLines.map(({ text }) => text.trim()),
    ...(authMerging ? [MERGING_COMMENTS[authMerging], `AuthMerging ${authMerging}`] : []),
  ];
  const before = rows.map((row) => `${style.indent}${row}${style.eol}`).join('');
  return { start: offset, end: offset + line.length, text: before + printTree(tree ?? NO_TREE, style) };
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The lines of an included file besides access lines and comments. Null if there are others than
 * those of a login, because other fixes may change these.
 */
function loginLinesOf({ tree: { root } }: ConfigFile, { lines }: Scope): readonly Line[] | null {
  const accessLines = new Set(lines.filter(isAccessLine).map((at: ConfigLine) => at.offset));
  const loginLines: Line[] = [];
  let isPlain = root.unpairedTagCount === 0 && root.templateLineCount === 0;
  const walk = (list: List, base: number, isInSection: boolean) =>
    forEachItem(list, base, (item, offset) => {
      if (item instanceof Section) walk(item.body, offset + item.open.length, true);
      else if (item.kind !== LineKind.Directive) isPlain &&= !item.isPragma;
      else if (!accessLines.has(offset)) {
        isPlain &&= !isInSection && LOGIN_LINES.has(item.name) && isPlainText(item);
        loginLines.push(item);
      }
    });
  walk(root, 0, false);
  return isPlain ? loginLines : null;
}

/** Whether a line has the same text in a file with another encoding. */
function isPlainText({ isJoined, text }: Line): boolean {
  return !isJoined && /^[\t\r\n -~]*$/.test(text);
}

/**
 * The Include line of a section that reads a file. Null if there is none or more than one, or if it
 * cannot be changed for this section alone.
 */
function includeOf(scope: Scope, included: ConfigFile): PlacedLine | null {
  const { section, file, offset, activity } = scope;
  const isWritten = section !== null && file.tree.lineAt(offset)?.line === section.open;
  if (!isWritten || activity !== 'active' || file.readings !== 1 || file.tree.root.templateLineCount > 0) return null;
  if (sharedLines(scope)?.[0]?.file !== included) return null;
  const found: PlacedLine[] = [];
  let isPlain = true;
  const walk = (list: List, base: number, isInCondition: boolean) =>
    forEachItem(list, base, (item, at) => {
      if (item instanceof Section) {
        if (isTransparent(sectionKind(item.name))) walk(item.body, at + item.open.length, true);
      } else if (item.name === 'use') isPlain = false;
      else if (item.name === 'include' || item.name === 'includeoptional') {
        isPlain &&= !isInCondition;
        found.push({ line: item, offset: at });
      }
    });
  walk(section.body, offset + section.open.length, false);
  const [include] = found;
  return isPlain && found.length === 1 && namesFile(include!.line, included) ? include! : null;
}

/** Whether an Include line names one file, also on a server that has more files than this copy. */
function namesFile(line: Line, { path }: ConfigFile): boolean {
  const [name, ...others] = argumentsOf(line);
  if (name === undefined || others.length > 0 || line.isJoined || /[*?[]/.test(name.value)) return false;
  return baseName(name.value) === baseName(path);
}

function baseName(path: string): string {
  return path.replace(/\\/g, '/').replace(/^.*\//, '');
}
