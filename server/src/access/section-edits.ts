/** Makes the edits that write the new lines of one section. */
import type { ConfigFile, ConfigLine, Scope } from '../config/configuration';
import { argumentsOf, indentOf, Line } from '../syntax/line';
import { forEachItem, type PlacedLine } from '../syntax/tree';
import type { SectionLines } from './decide-section';
import { mixedIncludes } from './mixed-includes';
import type { Tree24 } from './model';
import { commentsAbove, editsFor24, editsForBothVersions, limitsAround, linesOnlyIn24, type TextEdit } from './rewrite';
import { withParameters, writtenLine } from './shared-text';

/** The tree without lines. A section gets it if its old lines are removed without new ones. */
export const NO_TREE: Tree24 = { type: 'any', inner: [] };

/** Comments that are written above an AuthMerging line. */
export const MERGING_COMMENTS: Readonly<Record<NonNullable<SectionLines['authMerging']>, string>> = {
  And: '# As before: what the sections around this one require is required here, too.',
  Or: '# As before: what the sections around this one allow is allowed here, too.',
};

/** A section and its new lines. `removedLines`: see `Conversion`. */
interface SectionToWrite extends Pick<SectionLines, 'tree' | 'authMerging'> {
  readonly scope: Scope;
  readonly removedLines?: readonly ConfigLine[];
}

/**
 * Makes the edits that write the new lines of one section. If it has `removedLines`, it already has
 * the new lines, and the edits only remove these old lines. Null if `keepsBoth` is set, but the
 * lines cannot be written for both versions.
 */
export function sectionEdits(
  { scope, tree, authMerging, removedLines }: SectionToWrite,
  keepsBoth = false,
): TextEdit[] | null {
  if (removedLines) return removedLines.map(removalOf);
  const file = fileOf(scope);
  const includes = mixedIncludes(scope) ?? [];
  const linesOfFile = scope.lines.filter((line) => line.file === file);
  const isOfMacro = linesOfFile.some(({ macro }) => macro !== undefined);
  const writtenLines = isOfMacro ? linesOfFile.map((at) => ({ ...at, line: writtenLine(at) ?? at.line })) : linesOfFile;
  const oldLines = writtenLines.filter(isOldLine);
  const requireLines = writtenLines.filter(({ line }) => line.name === 'require');
  const anchor = writtenLines.find(({ line }) => line.name === 'authtype') ?? firstLineOf(scope);
  const replacedLines = new Set([...oldLines, ...requireLines].map(({ line }) => line));
  const enclosingLimits = [
    ...new Map(
      writtenLines
        .filter(({ line }) => replacedLines.has(line))
        .flatMap(({ enclosingSections }) => enclosingSections)
        .map((limit) => [limit.offset, limit]),
    ).values(),
  ];
  // The lines that a Use line inserts do not include the comments in the macro. So neither the
  // comments nor the indentation of the macro is used.
  const ownSection = scope.section !== null && file === scope.file && !isOfMacro ? scope.section : null;
  const commentsByOffset = isOfMacro
    ? undefined
    : commentsAbove(
        ownSection ? ownSection.body : file.tree.root,
        ownSection ? scope.offset + ownSection.open.length : 0,
        [...oldLines, ...enclosingLimits],
      );
  const rewrite = {
    oldLines,
    requireLines,
    tree: withParameters(tree ?? NO_TREE, scope),
    commentsByOffset,
    outerIndent: ownSection ? indentOf(ownSection.open) : '',
    ...limitsAround(enclosingLimits, replacedLines),
    anchor,
    linesBeforeTree: [
      ...includes.map(
        ({ line }) =>
          `# As in httpd 2.2: with the lines of ${argumentsOf(line)[0]!.value}, which is no longer read here.`,
      ),
      ...(authMerging ? [MERGING_COMMENTS[authMerging], `AuthMerging ${authMerging}`] : []),
    ],
  };
  if (!keepsBoth) return [...editsFor24(rewrite), ...includes.map(removalOf)];
  // Without old lines, and if the Require lines stay as they are, both versions can read them, so
  // no line is written twice. Only AuthMerging, which 2.2 does not know, gets a condition around
  // it.
  if (oldLines.length === 0 && editsFor24({ ...rewrite, linesBeforeTree: [] }).length === 0)
    return authMerging ? editsFor24({ ...rewrite, linesBeforeTree: linesOnlyIn24(rewrite) }) : [];
  // All lines must be in one file and in the same conditions. Otherwise no condition can be written
  // around them.
  const accessLines = [...oldLines, ...requireLines];
  const haveSameConditions = accessLines.every(
    ({ conditionals }) =>
      conditionals.length === accessLines[0]!.conditionals.length &&
      conditionals.every((each, index) => each === accessLines[0]!.conditionals[index]),
  );
  const isOneBlock = writtenLines.length === scope.lines.length && haveSameConditions;
  return isOneBlock ? editsForBothVersions(rewrite) : null;
}

/** Whether a line is an Order, Allow, Deny or Satisfy line. */
export function isOldLine({ line }: ConfigLine): boolean {
  return line.name === 'order' || line.name === 'allow' || line.name === 'deny' || line.name === 'satisfy';
}

/**
 * The file in which the new lines of a scope are written: that of its access lines, or of the scope
 * itself if it has none. Also that of the scope if it includes some of its access lines
 * (`mixedIncludes`).
 */
export function fileOf(scope: Scope): ConfigFile {
  const { lines } = scope;
  if (mixedIncludes(scope) !== null) return scope.file;
  for (let i = 0; i < lines.length; i++) if (isOldLine(lines[i]!)) return lines[i]!.file;
  return (lines.find(({ line }) => line.name === 'require') ?? scope).file;
}

// ---------------------------------------------------------------------------------------------------------------------

/** The edit that removes a line. */
function removalOf({ line, offset }: PlacedLine): TextEdit {
  return { start: offset, end: offset + line.length, text: '' };
}

/**
 * The first line in the text of a section; undefined if the section is empty. The new tree is
 * written before it if the section has no access lines and no AuthType of its own. Its login may be
 * in an included file, which other sections may also include.
 */
function firstLineOf({ section, offset }: Scope): PlacedLine | undefined {
  let firstLine: PlacedLine | undefined;
  if (section)
    forEachItem(
      section.body,
      offset + section.open.length,
      (item, at) => (firstLine ??= { line: item instanceof Line ? item : item.open, offset: at }),
    );
  return firstLine;
}
