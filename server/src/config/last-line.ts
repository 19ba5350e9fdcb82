/**
 * Finds the last line of a file if 2.4 loses it. 2.4 loses a last line that has no newline and is
 * directly below a Use line. Its mod_macro reads the line below a Use one character at a time, and
 * forgets the characters if the file ends before a newline (array_getstr of
 * modules/core/mod_macro.c). mod_macro 1.1, for 2.2, returned the line.
 */
import type { Tree } from '../syntax/document';
import { LineKind, type Line } from '../syntax/line';
import type { PlacedLine } from '../syntax/tree';
import { sectionKind } from './sections';

/** A last line that 2.4 loses, with the Use line above it. */
export interface LostLine {
  readonly useLine: Line;
  readonly lastLine: Line;
  /** The offset of the last line in the file, in UTF-16 units. */
  readonly offset: number;
}

/** The last line, if 2.4 loses it. Null if 2.4 reads the line, or if losing it changes nothing. */
export function lostLastLine(tree: Tree): LostLine | null {
  const { length } = tree;
  if (length === 0 || tree.text(length - 1) === '\n') return null;
  const { line: lastLine, offset } = tree.lineAt(length) as PlacedLine;
  if (offset === 0 || lastLine.text.includes('\n') || isHarmless(lastLine)) return null;
  const { line: useLine } = tree.lineAt(offset - 1) as PlacedLine;
  return useLine.kind === LineKind.Directive && useLine.name === 'use' ? { useLine, lastLine, offset } : null;
}

/**
 * Whether losing the line changes nothing. That includes a closing tag of a conditional section,
 * because httpd accepts an `<IfModule>` that is not closed at the end of the file.
 */
function isHarmless({ kind, name }: Line): boolean {
  return (
    kind === LineKind.Blank ||
    kind === LineKind.Comment ||
    (kind === LineKind.Close && sectionKind(name) === 'conditional')
  );
}
