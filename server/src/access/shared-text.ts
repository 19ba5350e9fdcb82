/**
 * Access lines that are not in the section itself: they come from an included file or from a macro.
 * Several sections may read the same text, so it can only be changed if all of them need the same
 * new lines.
 */
import type { ConfigLine, Scope } from '../config/configuration';
import { DIRECTORY_SECTIONS } from '../config/sections';
import { argumentsOf, type Line } from '../syntax/line';
import type { Tree } from '../syntax/document';
import { cacheOf } from '../syntax/memory';
import { forEachItem, Section, type List } from '../syntax/tree';
import type { Leaf24, Tree24 } from './model';
import { isAccessLine, OLD_NAMES } from './read';

/**
 * Returns the access lines of a section if all of them come from one included file, or from macros
 * in one file, and can be replaced there. Null otherwise.
 */
export function sharedLines(scope: Scope): readonly ConfigLine[] | null {
  if (scope.section === null || scope.byVersion !== undefined || !DIRECTORY_SECTIONS.includes(scope.kind)) return null;
  const lines = scope.lines.filter(isAccessLine);
  const [first] = lines;
  if (first === undefined || !isFromElsewhere(first, scope) || !lines.some(({ line }) => OLD_NAMES.has(line.name)))
    return null;
  const offsets = new Set(lines.map(({ offset }) => offset));
  const isOne = lines.every((at) => at.file === first.file && (at.macro === undefined) === (first.macro === undefined));
  return isOne && offsets.size === lines.length && lines.every((at) => isReplaceable(at, scope)) ? lines : null;
}

/** Whether the section gets a line from an included file or a macro. */
export function isFromElsewhere({ file, macro }: ConfigLine, scope: Scope): boolean {
  return macro !== undefined || file !== scope.file;
}

/**
 * The line as it is written in its file. Null if a macro's arguments change it, except that they
 * may be whole words of Allow and Deny.
 */
export function writtenLine(at: ConfigLine): Line | null {
  if (at.macro === undefined) return at.line;
  const written = at.file.tree.lineAt(at.offset);
  if (written?.offset !== at.offset) return null;
  const isSame = written.line.text.trim() === at.line.text.trim();
  return isSame || parametersOf(written.line, at.line) !== null ? written.line : null;
}

/**
 * The parameters that are whole words of a line of a macro, by the argument that a Use line gives.
 * Null if the arguments change the line in another way, or if it is not Allow or Deny.
 */
function parametersOf(written: Line, line: Line): ReadonlyMap<string, string> | null {
  if (written.name !== line.name || (line.name !== 'allow' && line.name !== 'deny')) return null;
  const [before, after] = [written, line].map((each) => argumentsOf(each).map(({ value }) => value));
  const parameters = new Map<string, string>();
  if (before!.length !== after!.length) return null;
  for (const [index, word] of before!.entries()) {
    const value = after![index]!;
    if (word === value) continue;
    if (!PARAMETER.test(word)) return null;
    parameters.set(value, parameters.get(value) ?? word);
  }
  return parameters;
}

/** A parameter that cannot be a part of a word in new lines. */
const PARAMETER = /^[$%@&]\w+$/;

/**
 * The new lines of a section as they are written in the macro from which its old lines come: with
 * the parameters instead of the arguments of this Use line.
 */
export function withParameters(tree: Tree24, { lines }: Scope): Tree24 {
  const parameters = new Map<string, string>();
  for (const at of lines) {
    if (at.macro === undefined || !OLD_NAMES.has(at.line.name)) continue;
    const written = at.file.tree.lineAt(at.offset);
    for (const [value, name] of (written && parametersOf(written.line, at.line)) ?? [])
      if (!parameters.has(value)) parameters.set(value, name);
  }
  return parameters.size === 0 ? tree : replaceOperands(tree, (operand) => parameters.get(operand) ?? operand);
}

function replaceOperands(tree: Tree24, nameOf: (operand: string) => string): Tree24 {
  switch (tree.type) {
    case 'match':
      return { ...tree, operands: tree.operands.map(nameOf) };
    case 'not':
      return { ...tree, inner: replaceOperands(tree.inner, nameOf) as Leaf24 };
    case 'any':
    case 'all':
    case 'none':
      return { ...tree, inner: tree.inner.map((each) => replaceOperands(each, nameOf)) };
    case 'limited':
      return { ...tree, inner: replaceOperands(tree.inner, nameOf) };
    default:
      return tree;
  }
}

/** A key that is equal for sections with the same access lines at the same places. */
export function keyOfAccessLines({ lines }: Scope): string {
  return lines
    .filter(isAccessLine)
    .map(({ file, offset }) => `${file.path}:${offset}`)
    .join(' ');
}

/**
 * Groups sections that read the same access line, if at least one reads it from an included file or
 * a macro. A group may have one section.
 */
export function sectionsSharingLines<T extends { readonly scope: Scope }>(
  entries: readonly T[],
): Iterable<readonly T[]> {
  const readers = new Map<string, T[]>();
  const visit = (take: (entry: T, at: ConfigLine) => void) => {
    for (const entry of entries) {
      const { lines } = entry.scope;
      for (let i = 0; i < lines.length; i++) if (isAccessLine(lines[i]!)) take(entry, lines[i]!);
    }
  };
  const keyOf = (at: ConfigLine) => `${at.file.path}:${at.offset}`;
  visit((entry, at) => isFromElsewhere(at, entry.scope) && readers.set(keyOf(at), []));
  if (readers.size > 0) visit((entry, at) => readers.get(keyOf(at))?.push(entry));
  return readers.values();
}

// ---------------------------------------------------------------------------------------------------------------------

function isReplaceable(at: ConfigLine, scope: Scope): boolean {
  if (at.byVersion !== undefined || at.conditionals.length > 0) return false;
  if (at.activity !== 'active' && at.activity !== scope.activity) return false;
  // The limit is around the Include or Use line, not in the text that it inserts.
  if (at.enclosingSections.some(({ file, isOfMacro }) => isOfMacro || at.macro !== undefined || file !== at.file))
    return false;
  return at.macro === undefined || (writtenLine(at) !== null && hasPlainMacro(at));
}

/**
 * Whether the parameters of the macro around a line cannot occur in new lines. mod_macro replaces
 * them anywhere in the text, so a parameter such as `ip` would change `Require ip`.
 */
function hasPlainMacro({ file, offset }: ConfigLine): boolean {
  // Hundreds of Use lines can insert the same line.
  let known = plainMacros.get(file.tree);
  if (!known) plainMacros.set(file.tree, (known = new Map()));
  let isPlain = known.get(offset);
  if (isPlain === undefined) {
    const around = macroAround(file.tree.root, 0, offset);
    const parameters = around && argumentsOf(around.open).slice(1);
    isPlain = parameters?.every(({ value }) => /^[$%@&]\w/.test(value)) === true;
    known.set(offset, isPlain);
  }
  return isPlain;
}

const plainMacros = cacheOf<Tree, Map<number, boolean>>();

/** The innermost `<Macro>` around an offset; null if there is none. */
function macroAround(list: List, base: number, offset: number): Section | null {
  let found: Section | null = null;
  forEachItem(list, base, (item, start) => {
    if (!(item instanceof Section) || offset < start || offset >= start + item.length) return;
    const inner = macroAround(item.body, start + item.open.length, offset);
    found = inner ?? (item.name === 'macro' ? item : null);
  });
  return found;
}
