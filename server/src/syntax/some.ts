/** A list that is never empty. */
export type Some<T> = readonly [T, ...T[]];

/** Whether a list is not empty; narrows its type. */
export function isSome<T>(list: readonly T[]): list is Some<T> {
  return list.length > 0;
}
