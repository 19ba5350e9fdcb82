/**
 * Counts how often each block of the program runs, using V8. A program imports this before anything
 * of the product, because V8 counts blocks only in code that it compiles later. The process has to
 * run with the flags of flags.ts.
 */
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { fileURLToPath } from 'node:url';

/**
 * What one item of an array or a character of a text costs where the engine itself looks at them,
 * in proportion to a block of ours. Counted by name, not by place.
 */
const NATIVE = 8;

const session = new Session();
session.connect();
post('Profiler.enable');
post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

let natives: Map<string, number> | null = null;
countNatives();

/** Counts by places, `file:line function`, and by what the engine looks at. */
export function counted(work: () => unknown): Map<string, number> {
  post('Profiler.takePreciseCoverage');
  natives = new Map();
  const looked = natives;
  try {
    work();
  } finally {
    natives = null;
  }
  const counts = new Map<string, number>();
  for (const { url, functions } of post<Coverage>('Profiler.takePreciseCoverage').result) {
    const at = url.indexOf('/server/src/');
    if (at < 0) continue;
    for (const { functionName, ranges } of functions)
      for (const { startOffset, count } of ranges) counts.set(`${url} ${startOffset} ${functionName}`, count);
  }
  for (const [name, count] of looked) counts.set(name, Math.floor(count / NATIVE));
  return counts;
}

/** A place of `counted`, as a person finds it. */
export function shownPlace(place: string): string {
  const [url, offset, name] = place.split(' ');
  if (offset === undefined) return place;
  const line = readFileSync(fileURLToPath(url), 'utf8').slice(0, Number(offset)).split('\n').length;
  return `${url.slice(url.indexOf('/server/src/') + 1)}:${line} ${name}`;
}

// ---------------------------------------------------------------------------------------------------------------------

function post<Answer>(method: string, params: object = {}): Answer {
  let answer: Answer | undefined;
  session.post(method, params, (error, result) => {
    if (error) throw error;
    answer = result as Answer;
  });
  return answer!;
}

/** What V8 does by itself, block counts say nothing of: how much such a call looks at. */
function countNatives(): void {
  const count = (
    owner: object,
    name: string,
    cost: (self: { length: number }, result: unknown, from: number) => number,
  ) => {
    const methods = owner as Record<string, (...given: unknown[]) => unknown>;
    const own = methods[name]!;
    Object.defineProperty(owner, name, {
      configurable: true,
      writable: true,
      value: function (this: { length: number }, ...given: unknown[]): unknown {
        const all = natives;
        if (!all) return own.apply(this, given);
        const from = typeof given[1] === 'number' ? given[1] : 0;
        const before = cost(this, undefined, from);
        const result = own.apply(this, given);
        const key = `${owner === String.prototype ? 'String' : 'Array'}.${name}`;
        all.set(key, (all.get(key) ?? 0) + Math.max(before, cost(this, result, from)));
        return result;
      },
    });
  };
  const found = (self: { length: number }, result: unknown, from: number) =>
    result === undefined
      ? 0
      : Math.max(0, (typeof result === 'number' && result >= 0 ? result + 1 : self.length) - from);
  const made = (_: object, result: unknown) => (result === undefined ? 0 : (result as { length: number }).length);
  const all = (self: { length: number }) => self.length;
  for (const name of ['indexOf', 'lastIndexOf', 'includes'])
    count(Array.prototype, name, name === 'indexOf' ? found : all);
  for (const name of ['slice', 'concat']) count(Array.prototype, name, made);
  for (const name of ['shift', 'unshift', 'splice', 'join', 'reverse']) count(Array.prototype, name, all);
  count(String.prototype, 'indexOf', found);
  for (const name of ['includes', 'split', 'replace', 'replaceAll', 'toLowerCase', 'toUpperCase', 'trim', 'match'])
    count(String.prototype, name, all);
  for (const name of ['repeat', 'padEnd', 'padStart']) count(String.prototype, name, made);
}

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
    }[];
  }[];
}
