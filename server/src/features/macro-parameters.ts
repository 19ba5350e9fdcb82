/**
 * Finds where the parameters of a macro occur in its body, and renames them. As in mod_macro, the
 * longest name wins if several match at one place, and comments have no parameters.
 */
import { applyEdits } from '../analysis/fixes';
import { nameFinder, bodyWithValues, type Macro } from '../config/macro';
import type { Edit } from '../rules/rule';
import type { Tree } from '../syntax/document';
import { addTo } from '../syntax/groups';
import { argumentsOf, endAt, LineKind, logicalText, type Line } from '../syntax/line';
import { forEachLine, List, Section, textOf } from '../syntax/tree';
import { placedWord } from '../syntax/word-text';

/** A parameter of a macro. */
export interface MacroParameter {
  readonly name: string;
  /** The section of the macro. */
  readonly section: Section;
  /** The UTF-16 offset in the file of the macro's opening tag. */
  readonly offset: number;
  /** Where the parameter occurs, the opening tag first; UTF-16 offsets in the file. */
  readonly places: readonly ParameterPlace[];
  /** The parameters of the macros around this one. */
  readonly outerParameters: readonly string[];
}

/** One occurrence of a macro parameter. */
export interface ParameterPlace {
  readonly start: number;
  readonly end: number;
  /** Whether this is the parameter in the opening tag. */
  readonly isDefinition: boolean;
  /** Whether a continuation splits the name. */
  readonly isSplit: boolean;
}

/**
 * The macro parameter at a UTF-16 offset of a file; null if there is none. Outer macros come first,
 * because httpd inserts their arguments first, also in the tags of inner macros.
 */
export function parameterAt(tree: Tree, offset: number): MacroParameter | null {
  const macros = macrosAround(tree.root, offset);
  for (const [index, { section, offset: macroOffset }] of macros.entries()) {
    for (const [name, places] of placesIn(section, macroOffset)) {
      if (places.some(({ start, end }) => start <= offset && offset <= end)) {
        return {
          name,
          section,
          offset: macroOffset,
          places,
          outerParameters: macros
            .slice(0, index)
            .flatMap((outerMacro) => parametersOf(outerMacro.section.open).map((each) => each.name)),
        };
      }
    }
  }
  return null;
}

/**
 * The edits that rename the parameter, or why that is refused. The new name may be given without
 * the sign `$`, `%` or `@`.
 */
export function renamedParameter(
  parameter: MacroParameter,
  newName: string,
): readonly Edit[] | { readonly refused: string } {
  const { name, section, offset, places, outerParameters } = parameter;
  const parameterSign = /^[$%@]/.exec(name)?.[0] ?? '';
  const fullName = parameterSign !== '' && !/^[$%@]/.test(newName) ? `${parameterSign}${newName}` : newName;
  const refusalFor = (why: string) => ({ refused: why });
  if ((/^[$%@]/.exec(fullName)?.[0] ?? '') !== parameterSign)
    return refusalFor(`\`${newName}\` begins with another sign than \`${name}\`, and \`@\` adds quotes.`);
  if (!/^[$%@]?[\p{L}_][\p{L}\p{N}_-]*$/u.test(fullName))
    return refusalFor(`\`${newName}\` is not a name of a parameter.`);
  if (
    parametersOf(section.open).some(
      (otherParameter) => otherParameter.name !== name && otherParameter.name === fullName,
    )
  )
    return refusalFor(`The macro has a parameter \`${fullName}\`.`);
  const outerParameter = outerParameters.find((each) => fullName.includes(each));
  if (outerParameter !== undefined) return refusalFor(`The macro around has a parameter \`${outerParameter}\`.`);
  if (places.some(({ isSplit }) => isSplit)) return refusalFor(`A continued line runs through \`${name}\`.`);
  if (section.templateLineCount > 0) return refusalFor('The macro has template text.');
  const edits = places.map(({ start, end }) => ({ start, end, text: fullName }));
  // Whatever the arguments are, the body must give the same lines as before the rename.
  const bodyStart = offset + section.open.length;
  const bodyBefore = textOf(section.body);
  const editsInBody = edits.filter(({ start }) => start >= bodyStart);
  const bodyAfter = applyEdits(
    bodyBefore,
    editsInBody.map((edit) => ({ ...edit, start: edit.start - bodyStart, end: edit.end - bodyStart })),
  );
  const parameterNames = parametersOf(section.open).map((each) => each.name);
  const placeholderValues = parameterNames.map((_, index) => `\u0001${index}\u0002`);
  const macro = (parameters: readonly string[], text: string): Macro => ({
    name: '',
    parameters,
    text,
    file: '',
    line: section.open,
    row: 0,
  });
  const oldText = bodyWithValues(macro(parameterNames, bodyBefore), placeholderValues);
  const newText = bodyWithValues(
    macro(
      parameterNames.map((each) => (each === name ? fullName : each)),
      bodyAfter,
    ),
    placeholderValues,
  );
  if (typeof oldText !== 'string' || oldText !== newText)
    return refusalFor(`\`${fullName}\` would be found elsewhere in the macro, too, or another parameter in it.`);
  return edits;
}

// ---------------------------------------------------------------------------------------------------------------------

/** A macro, and the UTF-16 offset of its opening tag in the file. */
interface SurroundingMacro {
  readonly section: Section;
  readonly offset: number;
}

/** The macros around an offset, outermost first. The opening tag is part of its macro. */
export function macrosAround(root: List, offset: number): SurroundingMacro[] {
  const macros: SurroundingMacro[] = [];
  const walk = (list: List, listOffset: number): void => {
    let childStart = listOffset;
    for (const child of list.children) {
      if (
        offset < childStart + child.length ||
        (offset === childStart + child.length && child === list.children.at(-1))
      ) {
        if (child instanceof List) return walk(child, childStart);
        if (!(child instanceof Section)) return;
        if (child.name === 'macro') macros.push({ section: child, offset: childStart });
        return walk(child.body, childStart + child.open.length);
      }
      childStart += child.length;
    }
  };
  walk(root, 0);
  return macros;
}

/**
 * The parameters in a macro's opening tag, with UTF-16 offsets in the line. Flags such as
 * `/IgnoreEmptyArgs` are left out, as in macro_section of mod_macro.
 */
export function parametersOf(
  openTag: Line,
): { readonly name: string; readonly start: number; readonly end: number; readonly isSplit: boolean }[] {
  const parameterWords = argumentsOf(openTag).slice(1);
  while (parameterWords.length > 0 && openTag.text[parameterWords[0]!.start] === '/') parameterWords.shift();
  return parameterWords.flatMap((word) => {
    const { value, lineOffsetOf, lineEndOf: endOf } = placedWord(openTag, word);
    if (value === '') return [];
    const [start, end] = [lineOffsetOf(0), endOf(value.length)];
    return [{ name: value, start, end, isSplit: openTag.text.slice(start, end) !== value }];
  });
}

/** Where each parameter of a macro occurs, including its opening tag. */
function placesIn(section: Section, offset: number): Map<string, ParameterPlace[]> {
  const placesByName = new Map<string, ParameterPlace[]>();
  for (const { name, start, end, isSplit } of parametersOf(section.open))
    addTo(placesByName, name, { start: offset + start, end: offset + end, isSplit, isDefinition: true });
  const findNextName = nameFinder(placesByName.keys());
  const bodyStart = offset + section.open.length;
  forEachLine(section.body, 0, section.body.length, (line, lineOffset) => {
    if (line.kind === LineKind.Comment || line.kind === LineKind.Blank) return;
    const logicalLine = logicalText(line);
    // Searches as mod_macro does (substitute_macro_args in modules/core/mod_macro.c): for the first
    // parameter in the text, and for the longest one if several begin at one place.
    for (
      let match = findNextName(logicalLine.text, 0);
      match;
      match = findNextName(logicalLine.text, match.start + match.name.length)
    ) {
      const { start: index, name } = match;
      const startInLine = logicalLine.lineOffsetOf(index);
      const endInLine = endAt(logicalLine, index + name.length);
      placesByName.get(name)!.push({
        start: bodyStart + lineOffset + startInLine,
        end: bodyStart + lineOffset + endInLine,
        isDefinition: false,
        isSplit: endInLine - startInLine !== name.length,
      });
    }
  });
  return placesByName;
}
