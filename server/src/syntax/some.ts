/** A list that is never empty. */
export type NonEmpty<T> = readonly [T, ...T[]];

/** Whether a list is not empty; narrows the type to `Some`. */
export function isSome<T>(list: readonly T[]): list is NonEmpty<T> {
  return list.length > 0;
}
