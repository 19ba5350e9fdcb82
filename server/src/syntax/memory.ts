/**
 * Every cache, lazy value and counter at the top level of a module is made by these functions; a
 * module has no other state (test/architecture/state.test.ts). A cached value can always be
 * computed again: no result depends on the cache.
 */

/** Returns a function that calls `make` at its first call and always returns that result. */
export function lazy<Value>(make: () => Value): () => Value {
  let computedValue: { readonly value: Value } | null = null;
  return () => (computedValue ??= { value: make() }).value;
}

/** A cache. The caller limits its size. */
export function cache<Key, Value>(): Map<Key, Value> {
  return new Map();
}

/** A cache whose keys are objects. A value is kept as long as its object exists. */
export function cacheOf<Key extends object, Value>(): WeakMap<Key, Value> {
  return new WeakMap();
}

/**
 * A cache of one value, usually the most recent key with its result. It helps if callers ask about
 * one line several times in a row. The caller replaces the value.
 */
export function latestValue<Value>(value: Value): { value: Value } {
  return { value };
}

/**
 * A cache with `count` slots, all `empty` at first. The caller computes the slot of a value, and a
 * new value overwrites the value in its slot.
 */
export function recentSlots<Value>(count: number, empty: Value): Value[] {
  return new Array<Value>(count).fill(empty);
}

/**
 * Returns a function that gives each object a number: the same object always gets the same number.
 */
export function numbering<Key extends object>(): (key: Key) => number {
  const numberByKey = new WeakMap<Key, number>();
  let lastNumber = 0;
  return (key) => {
    let number = numberByKey.get(key);
    if (number === undefined) numberByKey.set(key, (number = ++lastNumber));
    return number;
  };
}

/**
 * Counters of how often something was done since the start of the program. Only tests read them.
 */
export function counters<Counters extends Record<string, number>>(counts: Counters): Counters {
  return counts;
}
