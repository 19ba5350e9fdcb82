/** Macros in one file: which one contains a line, and which others one uses. */
import type { Tree } from '../syntax/document';
import { argumentsOf, LineKind } from '../syntax/line';
import { forEachLine } from '../syntax/tree';
import { macrosAround } from './macro-parameters';

export interface MacroPlace {
  readonly name: string;
  /** 0-based row of the line. */
  readonly row: number;
}

/** The innermost macro whose body contains an offset (UTF-16); null outside of macros. */
export function macroAt(tree: Tree, offset: number): MacroPlace | null {
  const macro = macrosAround(tree.root, offset)
    .filter(({ section, offset: start }) => offset >= start + section.open.length)
    .at(-1);
  const name = macro && argumentsOf(macro.section.open)[0]?.value;
  return name === undefined ? null : { name, row: tree.positionAt(macro!.offset).line };
}

/** The Use lines in the body of the macro whose opening tag is in a row (0-based). */
export function usesIn(tree: Tree, row: number): MacroPlace[] {
  const start = tree.offsetAt({ line: row, character: 0 });
  const macro = macrosAround(tree.root, start).find(({ offset }) => tree.positionAt(offset).line === row);
  if (!macro) return [];
  const bodyStart = macro.offset + macro.section.open.length;
  const uses: MacroPlace[] = [];
  forEachLine(macro.section.body, 0, macro.section.body.length, (line, offset) => {
    const name = line.kind === LineKind.Directive && line.name === 'use' ? argumentsOf(line)[0]?.value : undefined;
    if (name !== undefined) uses.push({ name, row: tree.positionAt(bodyStart + offset).line });
  });
  return uses;
}
