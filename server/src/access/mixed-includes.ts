/**
 * Finds sections that have access lines of their own and also include files that have only access
 * lines, such as a list of addresses. The new lines for all of these lines are written into the
 * section. They replace its own lines and its Include lines.
 */
import type { ConfigFile, Scope } from '../config/configuration';
import { DIRECTORY_SECTIONS, isTransparent, sectionKind } from '../config/sections';
import { argumentsOf, LineKind, type Line } from '../syntax/line';
import { forEachItem, Section, type PlacedLine } from '../syntax/tree';
import { isAccessLine } from './read';

/** An Include line, and the file that it names. */
export interface MixedInclude extends PlacedLine {
  readonly includedFile: ConfigFile;
}

/**
 * The Include lines that the new lines of a section replace. Null if the section does not have both
 * own and included access lines, or if an Include line cannot be removed.
 */
export function mixedIncludes(scope: Scope): readonly MixedInclude[] | null {
  const { section, file, offset, activity } = scope;
  if (section === null || scope.activityByVersion !== undefined || !DIRECTORY_SECTIONS.includes(scope.kind))
    return null;
  if (!hasIncludedLine(scope)) return null;
  const accessLines = scope.lines.filter(isAccessLine);
  const includedFiles = new Set(accessLines.map((at) => at.file));
  if (accessLines.filter((at) => at.file !== file).length > MAX_INCLUDED_LINES) return null;
  if (!includedFiles.delete(file) || includedFiles.size === 0) return null;
  const isWrittenOnce = file.tree.lineAt(offset)?.line === section.open && file.readingCount === 1;
  if (!isWrittenOnce || activity !== 'active' || file.tree.root.templateLineCount > 0) return null;
  const areUnconditional = accessLines.every(
    (at) => at.macro === undefined && at.activityByVersion === undefined && at.conditionals.length === 0,
  );
  if (!areUnconditional || ![...includedFiles].every((each) => hasOnlyAccessLines(each, scope))) return null;
  const includeLines = includeLinesIn(section, offset);
  if (includeLines === null || includeLines.length !== includedFiles.size) return null;
  const matchedIncludes = includeLines.flatMap((placedLine): MixedInclude[] => {
    const namedFiles = [...includedFiles].filter((each) => namesOnlyFile(placedLine.line, each));
    return namedFiles.length === 1 ? [{ ...placedLine, includedFile: namedFiles[0]! }] : [];
  });
  return new Set(matchedIncludes.map(({ includedFile }) => includedFile)).size === includedFiles.size
    ? matchedIncludes
    : null;
}

/**
 * Whether an Include line names this file and no other: it has no pattern, which could match more
 * files on the server. Compares only the last name of the path.
 */
export function namesOnlyFile(line: Line, { path }: ConfigFile): boolean {
  const [name, ...others] = argumentsOf(line);
  if (name === undefined || others.length > 0 || line.isJoined || /[*?[]/.test(name.value)) return false;
  return baseName(name.value) === baseName(path);
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Maximum number of included access lines. A longer list stays in its file, because many sections
 * may include it.
 */
const MAX_INCLUDED_LINES = 100;

/** Whether a section has a line of another file. */
function hasIncludedLine({ lines, file }: Scope): boolean {
  for (const at of lines) if (at.file !== file) return true;
  return false;
}

/**
 * The Include lines in a section. Null if one of them is in a condition inside the section, or if
 * the section contains a Use line.
 */
function includeLinesIn(section: Section, offset: number): readonly PlacedLine[] | null {
  const includeLines: PlacedLine[] = [];
  let areAllDirect = true;
  const walk = (body: Section['body'], base: number, isInCondition: boolean) =>
    forEachItem(body, base, (item, at) => {
      if (item instanceof Section) {
        if (isTransparent(sectionKind(item.name))) walk(item.body, at + item.open.length, true);
      } else if (/^(use|include|includeoptional)$/.test(item.name)) {
        areAllDirect &&= item.name !== 'use' && !isInCondition;
        includeLines.push({ line: item, offset: at });
      }
    });
  walk(section.body, offset + section.open.length, false);
  return areAllDirect ? includeLines : null;
}

/** Whether a file has only comments and access lines, and the section reads each line once. */
function hasOnlyAccessLines(file: ConfigFile, { lines }: Scope): boolean {
  const { root } = file.tree;
  if (root.looseTagCount > 0 || root.templateLineCount > 0) return false;
  const offsets = lines.filter((at) => at.file === file).map((at) => at.offset);
  const offsetsOfAccessLines = new Set(
    lines.filter((at) => at.file === file && isAccessLine(at)).map((at) => at.offset),
  );
  let areAllAccessLines = offsets.length === offsetsOfAccessLines.size;
  forEachItem(root, 0, (item, at) => {
    if (item instanceof Section) areAllAccessLines = false;
    else if (item.kind === LineKind.Directive) areAllAccessLines &&= offsetsOfAccessLines.has(at);
    else areAllAccessLines &&= !item.isPragma;
  });
  return areAllAccessLines;
}

function baseName(path: string): string {
  return path.replace(/\\/g, '/').replace(/^.*\//, '');
}
