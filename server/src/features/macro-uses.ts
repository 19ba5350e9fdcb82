/** Finds macros in one file: which macro contains a line, and which other macros a macro uses. */
import type { Tree } from '../syntax/document';
import { argumentsOf, LineKind } from '../syntax/line';
import { forEachLine } from '../syntax/tree';
import { macrosAround } from './macro-parameters';

/** A macro, or a line that uses one. */
export interface MacroPlace {
  /** The name of the macro. */
  readonly name: string;
  /** The 0-based line number. */
  readonly row: number;
}

/** The innermost macro whose body contains a UTF-16 offset; null if there is none. */
export function macroAt(tree: Tree, offset: number): MacroPlace | null {
  const macro = macrosAround(tree.root, offset)
    .filter(({ section, offset: start }) => offset >= start + section.open.length)
    .at(-1);
  const macroName = macro && argumentsOf(macro.section.open)[0]?.value;
  return macroName === undefined ? null : { name: macroName, row: tree.positionAt(macro!.offset).line };
}

/** The Use lines in the body of the macro whose opening tag is on the 0-based line `row`. */
export function macroUsesIn(tree: Tree, row: number): MacroPlace[] {
  const rowStart = tree.offsetAt({ line: row, character: 0 });
  const macro = macrosAround(tree.root, rowStart).find(({ offset }) => tree.positionAt(offset).line === row);
  if (!macro) return [];
  const bodyStart = macro.offset + macro.section.open.length;
  const uses: MacroPlace[] = [];
  forEachLine(macro.section.body, 0, macro.section.body.length, (line, offset) => {
    const usedMacro = line.kind === LineKind.Directive && line.name === 'use' ? argumentsOf(line)[0]?.value : undefined;
    if (usedMacro !== undefined) uses.push({ name: usedMacro, row: tree.positionAt(bodyStart + offset).line });
  });
  return uses;
}
