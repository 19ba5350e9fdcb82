/**
 * Replaces Include lines if the sections that include a file need different new lines. For example,
 * only one of them may be inside of a section with a login. If most sections need the same new
 * lines, these are written into the file. Each other section gets its own lines instead of its
 * Include line.
 */
import type { ConfigFile, ConfigLine, Scope } from '../config/configuration';
import { isTransparent, sectionKind } from '../config/sections';
import { argumentsOf, indentOf, LineKind, type Line } from '../syntax/line';
import { addTo } from '../syntax/groups';
import { forEachItem, Section, type List, type PlacedLine } from '../syntax/tree';
import type { ConversionInput } from './conversion-input';
import type { SectionLines } from './decide-section';
import { namesOnlyFile } from './mixed-includes';
import { printTree } from './print';
import { isAccessLine } from './read';
import { styleOfNewLines, type TextEdit } from './rewrite';
import { LOGIN_DIRECTIVES } from './second-macros';
import { MERGING_COMMENTS, NO_TREE } from './section-edits';
import type { SectionEntry } from './section-order';
import { sharedLines } from './shared-text';

/** An Include line, and the new lines that replace it in its section. */
export interface InlinedInclude extends Pick<SectionLines, 'tree' | 'authMerging'> {
  /** The section with the Include line. */
  readonly scope: Scope;
  readonly includeLine: PlacedLine;
  /** The login lines of the included file, such as AuthType. They are copied unchanged. */
  readonly loginLines: readonly Line[];
}

/** The new lines for the sections that include a file, if they need different lines. */
export interface SplitFile {
  /**
   * One of the sections whose new lines are written into the file. They all need the same lines.
   */
  readonly entryWithSharedLines: SectionEntry;
  readonly inlinedIncludes: readonly InlinedInclude[];
}

/**
 * Divides the sections that read their access lines from one file by the new lines that they need.
 * The largest group keeps its Include lines. `keyOfLines`: returns the same text for sections with
 * the same new lines. Null if the Include lines cannot be replaced, or if all sections need the
 * same lines.
 */
export function splitFile(
  entries: readonly SectionEntry[],
  linesByEntry: ReadonlyMap<SectionEntry, SectionLines>,
  { options, survey, configuration: { fragments } }: ConversionInput,
  keyOfLines: (entry: SectionEntry) => string,
): SplitFile | null {
  const [firstEntry] = entries;
  const includedFile = firstEntry && sharedLines(firstEntry.scope)?.[0]?.file;
  if (!includedFile || options.keepsBoth === true || survey.source !== '2.2') return null;
  // If the file is also included in another place, that place might need other or unknown lines.
  if (includedFile.readingCount !== entries.length) return null;
  const loginLines = loginLinesOf(includedFile, firstEntry.scope);
  if (loginLines === null) return null;
  const entriesByNewLines = new Map<string, SectionEntry[]>();
  const includeByEntry = new Map<SectionEntry, PlacedLine>();
  for (const entry of entries) {
    const isOneFragment = fragments.get(entry.scope)?.length === 1;
    const includeLine = isOneFragment ? includeLineOf(entry.scope, includedFile) : null;
    if (includeLine === null || !linesByEntry.has(entry)) return null;
    includeByEntry.set(entry, includeLine);
    addTo(entriesByNewLines, keyOfLines(entry), entry);
  }
  const [largestGroup, ...otherGroups] = [...entriesByNewLines.values()].sort((a, b) => b.length - a.length);
  const inlinedIncludes = otherGroups.flat().map((entry): InlinedInclude => {
    const { tree, authMerging } = linesByEntry.get(entry)!;
    return { scope: entry.scope, includeLine: includeByEntry.get(entry)!, loginLines, tree, authMerging };
  });
  return inlinedIncludes.length === 0 ? null : { entryWithSharedLines: largestGroup![0]!, inlinedIncludes };
}

/** Makes the edit that replaces an Include line by the new lines of its section. */
export function inlinedIncludeEdit({ scope, includeLine, loginLines, tree, authMerging }: InlinedInclude): TextEdit {
  const { line, offset } = includeLine;
  const style = styleOfNewLines(line, indentOf(scope.section!.open));
  const { start, end } = argumentsOf(line)[0]!;
  const linesAboveTree = [
    `# As in httpd 2.2: the lines of ${line.text.slice(start, end)}, with what this section requires.`,
    ...loginLines.map(({ text }) => text.trim()),
    ...(authMerging ? [MERGING_COMMENTS[authMerging], `AuthMerging ${authMerging}`] : []),
  ];
  const textAboveTree = linesAboveTree.map((row) => `${style.indent}${row}${style.eol}`).join('');
  return { start: offset, end: offset + line.length, text: textAboveTree + printTree(tree ?? NO_TREE, style) };
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The lines of an included file that are neither access lines nor comments. Null if one of them
 * does not belong to a login: other fixes may change such a line, so a copy of it could differ.
 */
function loginLinesOf({ tree: { root } }: ConfigFile, { lines }: Scope): readonly Line[] | null {
  const accessLines = new Set(lines.filter(isAccessLine).map((at: ConfigLine) => at.offset));
  const loginLines: Line[] = [];
  let isCopyable = root.looseTagCount === 0 && root.templateLineCount === 0;
  const walk = (list: List, base: number, isInSection: boolean) =>
    forEachItem(list, base, (item, offset) => {
      if (item instanceof Section) walk(item.body, offset + item.open.length, true);
      else if (item.kind !== LineKind.Directive) isCopyable &&= !item.isPragma;
      else if (!accessLines.has(offset)) {
        isCopyable &&= !isInSection && LOGIN_DIRECTIVES.has(item.name) && isOneAsciiLine(item);
        loginLines.push(item);
      }
    });
  walk(root, 0, false);
  return isCopyable ? loginLines : null;
}

/**
 * Whether a line is one line of ASCII characters. Then it has the same text in a file with another
 * encoding.
 */
function isOneAsciiLine({ isJoined, text }: Line): boolean {
  return !isJoined && /^[\t\r\n -~]*$/.test(text);
}

/**
 * The Include line by which a section reads `includedFile`. Null if the section has no Include line
 * or several, or if the line cannot be changed for this section alone.
 */
function includeLineOf(scope: Scope, includedFile: ConfigFile): PlacedLine | null {
  const { section, file, offset, activity } = scope;
  const isWrittenInFile = section !== null && file.tree.lineAt(offset)?.line === section.open;
  if (!isWrittenInFile || activity !== 'active' || file.readingCount !== 1 || file.tree.root.templateLineCount > 0)
    return null;
  if (sharedLines(scope)?.[0]?.file !== includedFile) return null;
  const includeLines: PlacedLine[] = [];
  let isChangeable = true;
  const walk = (list: List, base: number, isInCondition: boolean) =>
    forEachItem(list, base, (item, itemOffset) => {
      if (item instanceof Section) {
        if (isTransparent(sectionKind(item.name))) walk(item.body, itemOffset + item.open.length, true);
      } else if (item.name === 'use') isChangeable = false;
      else if (item.name === 'include' || item.name === 'includeoptional') {
        isChangeable &&= !isInCondition;
        includeLines.push({ line: item, offset: itemOffset });
      }
    });
  walk(section.body, offset + section.open.length, false);
  const [includeLine] = includeLines;
  return isChangeable && includeLines.length === 1 && namesOnlyFile(includeLine!.line, includedFile)
    ? includeLine!
    : null;
}
