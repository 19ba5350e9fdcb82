/** Whether work grows as a text does: how often each block of the program runs for a text, and for one of four times the length. */
import { counted, shownPlace } from './counted';
import { GENERATORS } from './generators';
import { WORK } from './look';

/** Of each length and the next. */
const FACTOR = 4;
/** Sorting is a little more than linear, and some of it comes in steps. What runs once for each pair runs sixteen times as often. */
const MOST = FACTOR * 2;
/** A block that runs so often for each character of the longest text costs little yet. */
const RARE = 0.5;

const PAIRS = 'MAX_LOOKS in access/configuration-conversion.ts, see test/access/large.test.ts';
const DEPTH = 'MAX_DEPTH in syntax/tree.ts';
const CLIENTS = 'MAX_GROUPED in features/explain-access.ts';
const SHARED = 'MOST_SHARED in cli/report.ts, see test/cli/ci.test.ts';

/** What grows up to a limit that stands in the code, which texts of these lengths do not reach. Whoever asks for one of these by its name has it counted. */
const LIMITED: Readonly<Record<string, string>> = {
  'sections of one place': PAIRS,
  'sections in one condition': PAIRS,
  'sections of patterns': PAIRS,
  'sections of regular expressions': PAIRS,
  'Files sections': PAIRS,
  'Files sections in one folder': PAIRS,
  'FilesMatch sections': PAIRS,
  'comments above old lines': PAIRS,
  'AuthType lines': PAIRS,
  'template loops with sections': PAIRS,
  'conditions of expressions': PAIRS,
  'lines of Windows': PAIRS,
  'containers of Require in each other': DEPTH,
  'sections in each other': DEPTH,
  'virtual hosts in each other': DEPTH,
  'macros in each other': DEPTH,
  'conditions in each other': DEPTH,
  'limits in each other': DEPTH,
  'Allow lines of variables': CLIENTS,
  'Allow lines of hosts': CLIENTS,
  'Allow and Deny lines': CLIENTS,
  'Alias lines into sections': SHARED,
  'different old lines': SHARED,
  // MAX_UNPAIRED in syntax/document.ts bounds the pairing; rules/section-unpaired.ts, which looks through open tags for each stray one, has no limit yet.
  'tags of different names crosswise': 'MAX_UNPAIRED in syntax/document.ts',
  // No limit: an Array.indexOf that nobody has found yet, with a small factor.
  'parameters in the body of a macro': '',
};

/**
 * Tells what grows faster than the texts do, twice: work that begins at a length of its own grows once. `characters` of the shortest text; the others have four times and sixteen times as many. The counts are the same in each process
 * that asks the same.
 */
export function* grown(
  characters: number,
  isAsked: (name: string, kind: string) => boolean = (name) => !(name in LIMITED),
): Generator<string> {
  for (const [name, make] of Object.entries(GENERATORS)) {
    const texts = [1, FACTOR, FACTOR ** 2].map((times) => make(characters * times));
    for (const [kind, work] of Object.entries(WORK)) {
      if (!isAsked(name, kind)) continue;
      // What is made once in a process is made here.
      work(make(100));
      const [small, middle, large] = texts.map((text) => counted(() => work(text)));
      const worst = [...large!]
        .map(([place, count]) => {
          const before = Math.max(1, middle!.get(place) ?? 0);
          return { place, count, ratio: count / before, first: before / Math.max(1, small!.get(place) ?? 0) };
        })
        .filter(({ count, ratio, first }) => count > RARE * characters * FACTOR ** 2 && ratio > MOST && first > MOST)
        .sort((a, b) => b.count - a.count)[0];
      if (worst)
        yield `${name}, ${kind}: ${worst.count} times, ${worst.ratio.toFixed(1)} times as often for ${FACTOR} times as much: ${shownPlace(worst.place)}`;
    }
  }
}
