/** Whether work grows as a text does: how often each block of the program runs, as V8 counts it, for a text and for one of four times the length. */
import { Session } from 'node:inspector';
import { GENERATORS } from './generators';
import { WORK } from './look';

const FACTOR = 4;
/** Sorting is a little more than linear, and some of it comes in steps. What runs once for each pair runs sixteen times as often. */
const MOST = FACTOR * 2;
/** A block that runs so often for each character costs little yet: some begin at a length of their own. */
const RARE = 4;

/** What grows faster than the texts. `characters` of the smaller one. */
export function grown(characters: number, names: readonly string[] = Object.keys(GENERATORS)): string[] {
  const session = new Session();
  session.connect();
  const post = <T>(method: string, params: object = {}): T => {
    let answer: T | undefined;
    session.post(method, params, (error, result) => {
      if (error) throw error;
      answer = result as T;
    });
    return answer!;
  };
  post('Profiler.enable');
  post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const counted = (work: (text: string) => unknown, text: string): Map<string, number> => {
    post('Profiler.takePreciseCoverage');
    work(text);
    const { result } = post<Coverage>('Profiler.takePreciseCoverage');
    const counts = new Map<string, number>();
    for (const { url, functions } of result) {
      if (!url.includes('/server/src/')) continue;
      for (const { functionName, ranges } of functions)
        for (const { startOffset, count } of ranges)
          counts.set(`${url.slice(url.indexOf('/server/src/'))} ${functionName} ${startOffset}`, count);
    }
    return counts;
  };
  const found: string[] = [];
  try {
    for (const name of names) {
      for (const [kind, work] of Object.entries(WORK)) {
        const measure = () => {
          const small = counted(work, GENERATORS[name](characters));
          const large = counted(work, GENERATORS[name](characters * FACTOR));
          return [...large]
            .map(([place, count]) => ({ place, count, ratio: count / Math.max(1, small.get(place) ?? 0) }))
            .filter(({ count, ratio }) => count > RARE * FACTOR * characters && ratio > MOST)
            .sort((a, b) => b.count - a.count)[0];
        };
        // V8 counts what a function does from its first few hundred calls on: what is called for the first time looks as if it grew.
        let worst = measure();
        for (let again = 0; worst && again < 3; again++) worst = measure();
        if (worst)
          found.push(
            `${name}, ${kind}: ${worst.count} times, ${worst.ratio.toFixed(1)} times as often for ${FACTOR} times as much: ${worst.place}`,
          );
      }
    }
  } finally {
    session.disconnect();
  }
  return found;
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
