/**
 * Finds access lines that are not in the section itself, because they come from an included file or
 * a macro. Several sections may read the same text. So the text can be changed only if all of them
 * need the same new lines.
 */
import type { ConfigLine, Scope } from '../config/configuration';
import { DIRECTORY_SECTIONS } from '../config/sections';
import { argumentsOf, type Line } from '../syntax/line';
import type { Tree } from '../syntax/document';
import { cacheOf } from '../syntax/memory';
import { forEachItem, Section, type List } from '../syntax/tree';
import type { Leaf24, Tree24 } from './model';
import { isAccessLine, OLD_ACCESS_NAMES } from './read';

/**
 * Returns the access lines of a section if all of them come from one included file, or from macros
 * in one file. Null if they do not, or if they cannot be replaced in that file.
 */
export function sharedLines(scope: Scope): readonly ConfigLine[] | null {
  if (scope.section === null || scope.activityByVersion !== undefined || !DIRECTORY_SECTIONS.includes(scope.kind))
    return null;
  const accessLines = scope.lines.filter(isAccessLine);
  const [firstLine] = accessLines;
  if (
    firstLine === undefined ||
    !isFromIncludeOrMacro(firstLine, scope) ||
    !accessLines.some(({ line }) => OLD_ACCESS_NAMES.has(line.name))
  )
    return null;
  const offsets = new Set(accessLines.map(({ offset }) => offset));
  const areOfOneFile = accessLines.every(
    (at) => at.file === firstLine.file && (at.macro === undefined) === (firstLine.macro === undefined),
  );
  return areOfOneFile &&
    offsets.size === accessLines.length &&
    accessLines.every((at) => isReplaceable(at, scope)) &&
    areParametersOfOneMacro(accessLines)
    ? accessLines
    : null;
}

/**
 * Whether no argument changes the lines, or all of them come from one macro. The new lines stand
 * together in one macro, and a parameter of another macro has no value or another value there.
 */
function areParametersOfOneMacro(accessLines: readonly ConfigLine[]): boolean {
  const [firstLine] = accessLines;
  return (
    accessLines.every(({ macro }) => macro === firstLine!.macro) ||
    accessLines.every((at) => writtenLine(at)?.text.trim() === at.line.text.trim())
  );
}

/** Whether a line of a section comes from an included file or a macro. */
export function isFromIncludeOrMacro({ file, macro }: ConfigLine, scope: Scope): boolean {
  return macro !== undefined || file !== scope.file;
}

/**
 * The line as it is written in its file. Null if the arguments of a macro change it, unless they
 * replace only whole words of an Allow or Deny line.
 */
export function writtenLine(at: ConfigLine): Line | null {
  if (at.macro === undefined) return at.line;
  const lineInFile = at.file.tree.lineAt(at.offset);
  if (lineInFile?.offset !== at.offset) return null;
  const hasSameText = lineInFile.line.text.trim() === at.line.text.trim();
  return hasSameText || parametersOf(lineInFile.line, at.line) !== null ? lineInFile.line : null;
}

/**
 * For an Allow or Deny line in a macro: the parameters that are whole words of the line. The key is
 * the argument that a Use line gives for the parameter. Null if the arguments change the line in
 * another way, or for another directive.
 */
function parametersOf(writtenLine: Line, line: Line): ReadonlyMap<string, string> | null {
  if (writtenLine.name !== line.name || (line.name !== 'allow' && line.name !== 'deny')) return null;
  const [writtenWords, words] = [writtenLine, line].map((each) => argumentsOf(each).map(({ value }) => value));
  const parameterByArgument = new Map<string, string>();
  if (writtenWords!.length !== words!.length) return null;
  for (const [index, word] of writtenWords!.entries()) {
    const argumentOfUse = words![index]!;
    if (word === argumentOfUse) continue;
    if (!SAFE_PARAMETER.test(word)) return null;
    parameterByArgument.set(argumentOfUse, parameterByArgument.get(argumentOfUse) ?? word);
  }
  return parameterByArgument;
}

/**
 * Matches a parameter of a macro that begins with `$`, `%`, `@` or `&`. Such a parameter cannot
 * occur by chance in the words of new lines.
 */
const SAFE_PARAMETER = /^[$%@&]\w+$/;

/**
 * The new lines of a section as they must be written in the macro from which its old lines come.
 * They have the parameters of the macro instead of the arguments of the Use line.
 */
export function withParameters(tree: Tree24, { lines }: Scope): Tree24 {
  const parameterByArgument = new Map<string, string>();
  for (const at of lines) {
    if (at.macro === undefined || !OLD_ACCESS_NAMES.has(at.line.name)) continue;
    const lineInFile = at.file.tree.lineAt(at.offset);
    for (const [value, name] of (lineInFile && parametersOf(lineInFile.line, at.line)) ?? [])
      if (!parameterByArgument.has(value)) parameterByArgument.set(value, name);
  }
  return parameterByArgument.size === 0
    ? tree
    : replaceOperands(tree, (operand) => parameterByArgument.get(operand) ?? operand);
}

function replaceOperands(tree: Tree24, newOperandFor: (operand: string) => string): Tree24 {
  switch (tree.type) {
    case 'match':
      return { ...tree, operands: tree.operands.map(newOperandFor) };
    case 'not':
      return { ...tree, inner: replaceOperands(tree.inner, newOperandFor) as Leaf24 };
    case 'any':
    case 'all':
    case 'none':
      return { ...tree, inner: tree.inner.map((each) => replaceOperands(each, newOperandFor)) };
    case 'limited':
      return { ...tree, inner: replaceOperands(tree.inner, newOperandFor) };
    default:
      return tree;
  }
}

/** A text that is equal for sections with the same access lines at the same places. */
export function keyOfAccessLines({ lines }: Scope): string {
  return lines
    .filter(isAccessLine)
    .map(({ file, offset }) => `${file.path}:${offset}`)
    .join(' ');
}

/**
 * Groups the sections by the access lines that they read. Only lines count that a section reads
 * from an included file or a macro. A group may have only one section.
 */
export function sectionsSharingLines<T extends { readonly scope: Scope }>(
  entries: readonly T[],
): Iterable<readonly T[]> {
  const entriesByLine = new Map<string, T[]>();
  const visit = (onAccessLine: (entry: T, at: ConfigLine) => void) => {
    for (const entry of entries) {
      const { lines } = entry.scope;
      for (let i = 0; i < lines.length; i++) if (isAccessLine(lines[i]!)) onAccessLine(entry, lines[i]!);
    }
  };
  const keyOf = (at: ConfigLine) => `${at.file.path}:${at.offset}`;
  visit((entry, at) => isFromIncludeOrMacro(at, entry.scope) && entriesByLine.set(keyOf(at), []));
  if (entriesByLine.size > 0) visit((entry, at) => entriesByLine.get(keyOf(at))?.push(entry));
  return entriesByLine.values();
}

// ---------------------------------------------------------------------------------------------------------------------

/** Whether a new line can replace an access line in the included file or macro. */
function isReplaceable(at: ConfigLine, scope: Scope): boolean {
  if (at.activityByVersion !== undefined || at.conditionals.length > 0) return false;
  if (at.activity !== 'active' && at.activity !== scope.activity) return false;
  // A `<Limit>` that is around the Include or Use line is not in the inserted text, so it cannot be
  // removed there.
  if (at.enclosingSections.some(({ file, isInMacro }) => isInMacro || at.macro !== undefined || file !== at.file))
    return false;
  return at.macro === undefined || (writtenLine(at) !== null && hasPlainMacro(at));
}

/**
 * Whether no parameter of the macro around a line can occur by chance in new lines. mod_macro
 * replaces parameters anywhere in the text, so a parameter `ip` would change `Require ip`. So each
 * parameter must begin with `$`, `%`, `@` or `&`.
 */
function hasPlainMacro({ file, offset }: ConfigLine): boolean {
  // Hundreds of Use lines can insert the same line, so the answer is cached.
  let answersByOffset = safeParametersCache.get(file.tree);
  if (!answersByOffset) safeParametersCache.set(file.tree, (answersByOffset = new Map()));
  let hasSafeParameters = answersByOffset.get(offset);
  if (hasSafeParameters === undefined) {
    const macro = macroAround(file.tree.root, 0, offset);
    const parameters = macro && argumentsOf(macro.open).slice(1);
    hasSafeParameters = parameters?.every(({ value }) => /^[$%@&]\w/.test(value)) === true;
    answersByOffset.set(offset, hasSafeParameters);
  }
  return hasSafeParameters;
}

const safeParametersCache = cacheOf<Tree, Map<number, boolean>>();

/** The innermost `<Macro>` around an offset. Null if there is none. */
function macroAround(list: List, base: number, offset: number): Section | null {
  let foundMacro: Section | null = null;
  forEachItem(list, base, (item, start) => {
    if (!(item instanceof Section) || offset < start || offset >= start + item.length) return;
    const innerMacro = macroAround(item.body, start + item.open.length, offset);
    foundMacro = innerMacro ?? (item.name === 'macro' ? item : null);
  });
  return foundMacro;
}
