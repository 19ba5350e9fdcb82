/** Searches in sorted lists. */

/** The index of the first element of a sorted list that is not less than `limit`. */
export function firstIndexFrom<T extends number | string>(sorted: readonly T[], limit: T): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
