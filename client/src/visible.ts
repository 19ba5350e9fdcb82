/** Texts that the client makes itself, from names of files and from lines, as they may be shown: no character hides or turns another one. */
import { visible } from '../../server/src/syntax/hidden-text';

interface Texts {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
}

/** Items of a list to choose from, with all that they show visible; what else they have stays. */
export function visibleItems<Item extends Texts>(items: readonly Item[]): Item[] {
  return items.map((item) => ({
    ...item,
    label: visible(item.label),
    ...(item.description !== undefined && { description: visible(item.description) }),
    ...(item.detail !== undefined && { detail: visible(item.detail) }),
  }));
}
