/** A list that is never empty: what stands behind a check of a length, or comes out of one. */
export type Some<T> = readonly [T, ...T[]];

/** Whether a list has an item at all. */
export function isSome<T>(list: readonly T[]): list is Some<T> {
  return list.length > 0;
}
