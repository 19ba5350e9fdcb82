/**
 * All that a module keeps from one question to the next is made here: nothing else at the top of a module ever changes (test/architecture/state.test.ts).
 * Whatever is kept can be made again: no answer hangs on it.
 */

/** What is made when it is first asked for, once. */
export function lazy<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => (made ??= { value: make() }).value;
}

/** Answers by what was asked. Whoever fills it keeps it small. */
export function cache<Key, Value>(): Map<Key, Value> {
  return new Map();
}

/** Answers about objects, for as long as these are there. */
export function cacheOf<Key extends object, Value>(): WeakMap<Key, Value> {
  return new WeakMap();
}

/** What was asked last, and the answer: many ask about one line, one after the other. */
export function latest<Value>(value: Value): { value: Value } {
  return { value };
}

/** So many answers, the last ones, in the places of older ones. */
export function slots<Value>(count: number, empty: Value): Value[] {
  return new Array<Value>(count).fill(empty);
}

/** A number for each object, the same whenever it comes again. */
export function numbering<Key extends object>(): (key: Key) => number {
  const numbers = new WeakMap<Key, number>();
  let last = 0;
  return (key) => {
    let number = numbers.get(key);
    if (number === undefined) numbers.set(key, (number = ++last));
    return number;
  };
}

/** Work done since the start of the program, for the tests that count it. Nothing else reads it. */
export function counters<Counters extends Record<string, number>>(counts: Counters): Counters {
  return counts;
}
