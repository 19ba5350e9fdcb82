/**
 * Makes texts of the client safe to show if they contain names or lines of files: makes invisible
 * characters visible, because these can hide or reverse other characters.
 */
import { withVisibleCharacters } from '../../server/src/syntax/hidden-text';

interface ItemTexts {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
}

/** The items of a list with all their texts made visible; other fields stay. */
export function visibleItems<Item extends ItemTexts>(items: readonly Item[]): Item[] {
  return items.map((item) => ({
    ...item,
    label: withVisibleCharacters(item.label),
    ...(item.description !== undefined && { description: withVisibleCharacters(item.description) }),
    ...(item.detail !== undefined && { detail: withVisibleCharacters(item.detail) }),
  }));
}
