/** Finds the names in both tags of a section. */
import type { Tree } from '../syntax/document';
import type { Line } from '../syntax/line';
import { sectionsAt } from './sections-at';

/** The name in a tag of a section, with its place. */
export interface NameSpan {
  /** UTF-16 offsets in the file. */
  readonly start: number;
  readonly end: number;
  /** The name as spelled in the file. */
  readonly name: string;
}

/**
 * The names in both tags of a section, such as `Directory` in `<Directory /x>` and `</Directory>`.
 * Null unless an offset (UTF-16) is in one of the names, at its end, or on the `<` or `</` before
 * it; also null for an unpaired tag.
 */
export function tagPair(tree: Tree, offset: number): { readonly open: NameSpan; readonly close: NameSpan } | null {
  const placedSection = sectionsAt(tree, offset).at(-1);
  if (!placedSection) return null;
  const { section } = placedSection;
  const openName = spanOf(section.open, placedSection.offset);
  const closingName = spanOf(section.close, placedSection.offset + section.length - section.close.length);
  const isInName = ({ start, end }: NameSpan, markLength: number) => offset >= start - markLength && offset <= end;
  return isInName(openName, 1) || isInName(closingName, 2) ? { open: openName, close: closingName } : null;
}

/**
 * The names of both tags if an editor may change them together, because they have the same
 * spelling. Null if they differ, or if the offset (UTF-16) is not in one of the names or at its
 * end.
 */
export function namesToEditTogether(tree: Tree, offset: number): readonly NameSpan[] | null {
  const pair = tagPair(tree, offset);
  if (!pair || pair.open.name !== pair.close.name) return null;
  const bothNames = [pair.open, pair.close];
  return bothNames.some(({ start, end }) => offset >= start && offset <= end) ? bothNames : null;
}

// ---------------------------------------------------------------------------------------------------------------------

/** The name of a section tag and its offsets in the file. */
function spanOf({ text, nameStart, nameEnd }: Line, lineOffset: number): NameSpan {
  return { start: lineOffset + nameStart, end: lineOffset + nameEnd, name: text.slice(nameStart, nameEnd) };
}
