/**
 * Whether work grows linearly with a text: how often each block of the program runs for a text, and
 * for one of four times the length.
 */
import { counted, shownPlace } from './counted';
import { GENERATORS } from './generators';
import { WORK } from './look';

/** Of each length and the next. */
const FACTOR = 4;
/**
 * Sorting is a little more than linear, and some of it comes in steps: nothing, one look at the
 * whole text, two. What runs once for each pair runs sixteen times as often.
 */
const MOST = FACTOR * 2.5;
/** A block that runs so often for each character of the longest text costs little yet. */
const RARE = 0.5;

/**
 * A limit in the product up to which work grows faster: these kinds of work are counted beyond it,
 * from texts of so many characters on. Everything else is counted from the usual length on.
 */
interface Limit {
  readonly kinds: readonly string[];
  readonly limit: string;
  readonly from: number;
}

const EDITOR = ['the editor', 'the editor, in a .htaccess'];
const PLAN = 'the plan, its report, and findings in all forms';
/** What asks what becomes of access control. */
const CONVERTING = [...EDITOR, 'fixes', 'a whole configuration', PLAN, 'typing'];

const limited = (limit: string, from: number, ...kinds: readonly string[]): Limit => ({ kinds, limit, from });
/** Reached by about 1,600 sections that may all apply together. */
const pairs = (from: number) => limited('MAX_LOOKS in access/configuration-conversion.ts', from, ...CONVERTING);
const depth = (from: number, ...kinds: readonly string[]) => limited('MAX_DEPTH in syntax/tree.ts', from, ...kinds);

/** Each kind of client is asked about with each operand. */
const CLIENTS = limited('MAX_GROUPED in features/explain-access.ts', 20_000, ...EDITOR, 'typing');
/** A fix that hundreds of findings share stands with each up to so many places. */
const SHARED = limited('MOST_SHARED in cli/report.ts', 30_000, PLAN);

export const LIMITS: Readonly<Record<string, Limit>> = {
  'sections of one place': pairs(120_000),
  'sections in one condition': pairs(120_000),
  'sections of patterns': pairs(120_000),
  'sections of regular expressions': pairs(120_000),
  'Files sections': pairs(120_000),
  'Files sections in one folder': pairs(120_000),
  'FilesMatch sections': pairs(120_000),
  'comments above old lines': pairs(150_000),
  'AuthType lines': pairs(220_000),
  'template loops with sections': pairs(160_000),
  'conditions of expressions': pairs(130_000),
  'lines of Windows': pairs(120_000),
  'containers of Require in each other': depth(8_000, PLAN),
  'sections in each other': depth(8_000, 'typing'),
  'virtual hosts in each other': depth(8_000, 'the editor, in a .htaccess', 'typing'),
  'macros in each other': depth(8_000, ...Object.keys(WORK)),
  'Allow lines of variables': CLIENTS,
  'Allow lines of hosts': CLIENTS,
  'Allow and Deny lines': CLIENTS,
  'Alias lines into sections': SHARED,
  'virtual hosts with a section each': SHARED,
  'different old lines': SHARED,
  'tags of different names crosswise': limited(
    'MOST_TAGS in analysis/engine.ts, MAX_UNPAIRED in syntax/document.ts',
    40_000,
    ...Object.keys(WORK),
  ),
  'closing tags in a section, below open ones': limited(
    'MOST_TAGS in analysis/engine.ts, MAX_UNPAIRED in syntax/document.ts',
    40_000,
    ...Object.keys(WORK),
  ),
};

export type Asked = (name: string, kind: string) => boolean;

/**
 * Tells what grows faster than the texts do, twice: work that begins at a length of its own grows
 * once. `characters` of the shortest text; the others have four times and sixteen times as many.
 * The counts are the same in each process that asks the same.
 */
export function* grown(characters: number, isAsked: Asked = () => true): Generator<string> {
  for (const [name, make] of Object.entries(GENERATORS)) {
    const { kinds: late, from } = LIMITS[name] ?? { kinds: [], from: 0 };
    for (const [kind, work] of Object.entries(WORK)) {
      if (!isAsked(name, kind)) continue;
      const shortest = late.includes(kind) ? Math.max(from, characters) : characters;
      yield* grownFrom(`${name}, ${kind}`, shortest, make, work);
    }
  }
}

/** A short form: all kinds of work at once, but for those of `LIMITS`. */
export function* grownInAll(characters: number, isAsked: Asked = () => true): Generator<string> {
  for (const [name, make] of Object.entries(GENERATORS)) {
    const late = LIMITS[name]?.kinds ?? [];
    const kinds = Object.keys(WORK).filter((kind) => !late.includes(kind) && isAsked(name, kind));
    if (kinds.length === 0) continue;
    yield* grownFrom(name, characters, make, (text) => kinds.forEach((kind) => WORK[kind]!(text)));
  }
}

// ---------------------------------------------------------------------------------------------------------------------

function* grownFrom(
  what: string,
  characters: number,
  make: (characters: number) => string,
  work: (text: string) => unknown,
): Generator<string> {
  // What is made once in a process is made here.
  work(make(100));
  const counts = (times: number) => counted(() => work(make(characters * times)));
  const [small, middle] = [counts(1), counts(FACTOR)];
  const rare = RARE * characters * FACTOR ** 2;
  const before = (place: string) => Math.max(1, middle.get(place) ?? 0);
  const suspects = [...middle.keys()].filter((place) => {
    const times = before(place) / Math.max(1, small.get(place) ?? 0);
    // Whatever does not get to be many, growing as fast once more and as fast again, needs no
    // longer text.
    return times > MOST && before(place) * times * FACTOR > rare;
  });
  if (suspects.length === 0) return;
  const large = counts(FACTOR ** 2);
  const [worst] = suspects
    .map((place) => ({ place, count: large.get(place) ?? 0 }))
    .filter(({ place, count }) => count > rare && count > MOST * before(place))
    .sort((a, b) => b.count - a.count);
  if (worst)
    yield `${what}: ${worst.count} times, ${(worst.count / before(worst.place)).toFixed(1)} times as often for ${FACTOR} times as much: ${shownPlace(worst.place)}`;
}
