/**
 * Makes texts of the client that contain file names or lines safe to show: no character hides or
 * reverses another one.
 */
import { withHiddenShown } from '../../server/src/syntax/hidden-text';

interface Texts {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
}

/** Items of a list to choose from, with all their texts made visible; other fields stay. */
export function visibleItems<Item extends Texts>(items: readonly Item[]): Item[] {
  return items.map((item) => ({
    ...item,
    label: withHiddenShown(item.label),
    ...(item.description !== undefined && { description: withHiddenShown(item.description) }),
    ...(item.detail !== undefined && { detail: withHiddenShown(item.detail) }),
  }));
}
