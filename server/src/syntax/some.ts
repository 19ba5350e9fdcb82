/** A list that is never empty. */
export type NonEmpty<T> = readonly [T, ...T[]];

/** Whether a list is not empty. Narrows the type of the list to `NonEmpty`. */
export function isNotEmpty<T>(list: readonly T[]): list is NonEmpty<T> {
  return list.length > 0;
}
