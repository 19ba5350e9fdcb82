/**
 * Finds out which rows of the plan view a new plan changes, so that the editor draws only those
 * again.
 */
import type { PlanItem } from './plan-items';

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** The new items of the view, and which of them the editor has to draw again. */
export interface RenewedItems {
  /** The items at the top level. */
  readonly items: PlanItem[];
  /** Items whose row or list of children has changed. */
  readonly changedItems: readonly PlanItem[];
  /** Whether items at the top level were added, removed or moved. */
  readonly isTopChanged: boolean;
}

/**
 * The items of `after`, made from the objects of `before`: an item with the same id keeps its
 * object and gets the new contents. The editor finds a clicked row by its object, so with new
 * objects a click before the next drawing would be lost.
 */
export function renewItems(before: readonly PlanItem[], after: readonly PlanItem[]): RenewedItems {
  const itemsById = new Map<string, PlanItem>();
  const remember = (item: PlanItem) => {
    itemsById.set(item.id, item);
    item.children.forEach(remember);
  };
  before.forEach(remember);
  const changedItems: PlanItem[] = [];
  const renew = (item: PlanItem): PlanItem => {
    const oldItem = itemsById.get(item.id);
    const hasChanged = oldItem !== undefined && rowText(oldItem) !== rowText(item);
    const children = item.children.map(renew);
    if (!oldItem) return { ...item, children };
    if (hasChanged) changedItems.push(oldItem);
    for (const key of Object.keys(oldItem) as (keyof PlanItem)[])
      if (!(key in item)) delete (oldItem as Partial<Writable<PlanItem>>)[key];
    return Object.assign(oldItem, item, { children });
  };
  const idsBefore = idsOf(before);
  const renewedItems = after.map(renew);
  return { items: renewedItems, changedItems, isTopChanged: idsBefore !== idsOf(renewedItems) };
}

/**
 * Everything that the editor shows of an item, as one text. It contains only the ids of the
 * children.
 */
function rowText({ children, ...item }: PlanItem): string {
  return JSON.stringify([Object.entries(item).sort(), idsOf(children)]);
}

function idsOf(items: readonly PlanItem[]): string {
  return JSON.stringify(items.map(({ id }) => id));
}
