/**
 * Every cache, lazy value and counter at the top level of a module is made here; nothing else there
 * changes (test/architecture/state.test.ts). A cached value can always be computed again: no result
 * depends on the cache.
 */

/** A value that is made when it is first needed, once. */
export function lazy<Value>(make: () => Value): () => Value {
  let cached: { readonly value: Value } | null = null;
  return () => (cached ??= { value: make() }).value;
}

/** A cache. The caller limits its size. */
export function cache<Key, Value>(): Map<Key, Value> {
  return new Map();
}

/** Values about objects, kept as long as the objects exist. */
export function cacheOf<Key extends object, Value>(): WeakMap<Key, Value> {
  return new WeakMap();
}

/** The last key and its value, for callers that ask about one line several times in a row. */
export function latest<Value>(value: Value): { value: Value } {
  return { value };
}

/** A fixed number of slots for the most recent values; new values overwrite old ones. */
export function slots<Value>(count: number, empty: Value): Value[] {
  return new Array<Value>(count).fill(empty);
}

/** Numbers objects: the same object always gets the same number. */
export function numbering<Key extends object>(): (key: Key) => number {
  const numbers = new WeakMap<Key, number>();
  let last = 0;
  return (key) => {
    let number = numbers.get(key);
    if (number === undefined) numbers.set(key, (number = ++last));
    return number;
  };
}

/** Counters of work since the start of the program. Only tests read them. */
export function counters<Counters extends Record<string, number>>(counts: Counters): Counters {
  return counts;
}
