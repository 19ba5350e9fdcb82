/**
 * Requests that 2.2 denies, and that 2.4 with mod_access_compat allows with the same files: one
 * for each line that decides. A limit bounds the work, so that some may be missing; none is wrong.
 */
import { isAccessLine } from '../access/read';
import { argumentsOf } from '../syntax/line';
import { isLoopback } from './addresses';
import { requestFor, urlClasses } from './access-sections';
import type { Computed } from './decide';
import type { Reason, Request, RequestConfiguration, UnknownFact } from './model';
import { sectionsText, serverText } from './same-text';
import { siteOf, textOf, type Site } from './site';
import { unstartable } from './start';
import { answersTogether, sectionsFor, type Outcome, type Together } from './together';

export interface Opening {
  readonly request: Request;
  /** A line that only 2.2 reads, otherwise the one that allows in 2.4. */
  readonly at: Reason;
  /** Whether only 2.2 reads that line. */
  readonly isLost: boolean;
  /** The answers of 2.2 and of 2.4 with mod_access_compat. */
  readonly before: Computed;
  readonly after: Computed;
  /** Facts that the files do not show and on which the answers depend. */
  readonly unknown: readonly UnknownFact[];
}

/** `mostUrls`: how many URLs are tried at most, of `MOST_URLS`. */
export function openings(configuration: RequestConfiguration, mostUrls = MOST_URLS): readonly Opening[] {
  const old = siteOf(configuration, '2.2');
  const now = siteOf(configuration, '2.4-compat');
  if (!old || !now || unstartable(old)) return [];
  const sites = [old, now];
  const isSameServer = serverText(old) === serverText(now);
  const found = new Map<string, Opening>();
  let left = MOST_REQUESTS;
  let sections = 0;
  for (const { host, path, first, clients } of urlClasses(sites, undefined, {
    ...OPTIONS,
    mostRuns: 1,
    most: Math.min(mostUrls, MOST_URLS),
    mostSections: MOST_SECTIONS,
  })) {
    if (isSameServer && isDecidedAlike(first.usual)) continue;
    for (const client of clients()) {
      if (left-- <= 0 || sections > MOST_SECTIONS) return [...found.values()];
      const request = requestFor(host, path, client);
      const together = answersTogether(request, sites, OPTIONS);
      sections += sectionsFor(together);
      const opened = openedIn(together);
      if (opened === null || isLocal(opened[1]!, request)) continue;
      const opening = openingOf(opened, together.decisive, request, sites);
      const key = opening && `${opening.at.file}:${opening.at.line}`;
      // The clients come in order: the first is the simplest.
      if (key && !found.has(key)) found.set(key, opening);
    }
  }
  return [...found.values()];
}

// ---------------------------------------------------------------------------------------------------------------------

const MOST_URLS = 1000;
const MOST_REQUESTS = 2000;
/** Of the sections that apply to them: thousands can apply to each request. */
const MOST_SECTIONS = 50_000;
const OPTIONS = { correctsProviders: true, mostRuns: 6 };

/**
 * The answers of which 2.4's allows the request and 2.2's does not: those with the usual facts,
 * such as no .htaccess file in a directory that is not at hand. Others count if no answer is
 * unknown. Null if there are none.
 */
function openedIn({ results, outcomes }: Together): readonly Computed[] | null {
  const index = outcomes.findIndex(([before, after]) => isRefused(before!) && after!.access === 'granted');
  return index <= 0 || outcomes.flat().every(isKnown) ? (results[index] ?? null) : null;
}

function isRefused({ access }: Outcome): boolean {
  return access === 'denied' || access === 'login';
}

function isKnown({ access }: Outcome): boolean {
  return access !== 'unknown';
}

/**
 * Whether both versions read the same lines, and have one meaning for them: Order, Allow and Deny,
 * and Require for users outside of limits. Another rule reports `Satisfy All` that forgets hosts.
 */
function isDecidedAlike(usual: readonly Computed[]): boolean {
  const [before, after] = usual as [Computed, Computed];
  return sectionsText(before) === sectionsText(after) && before.sections.every(({ lines }) => lines.every(isPlain));
}

/** A client of the machine itself that `Require local` allows is no news. */
function isLocal({ answer }: Computed, { from }: Request): boolean {
  return from !== null && isLoopback(from) && answer.because.some(({ text }) => /^require\s+local$/i.test(text));
}

function isPlain({ line, expanded, within }: Computed['sections'][number]['lines'][number]): boolean {
  if (!isAccessLine({ line })) return true;
  const word = argumentsOf(expanded)[0]?.value.toLowerCase() ?? '';
  if (line.name === 'satisfy') return word === 'all';
  return line.name === 'require' ? within.length === 0 && (word === 'valid-user' || word === 'user') : true;
}

function openingOf(
  answers: readonly Computed[],
  unknown: readonly UnknownFact[],
  request: Request,
  sites: readonly Site[],
): Opening | null {
  const [before, after] = answers as [Computed, Computed];
  const read = new Set(placesOf(after, sites[1]!));
  const lost = before.answer.because.find(({ file, line }) => !read.has(`${file}:${line}`));
  const at = lost ?? after.answer.because[0] ?? before.answer.because[0] ?? lastSection(before, sites[0]!);
  return at === null ? null : { request, at, isLost: lost !== undefined, before, after, unknown };
}

/** The lines that a server reads for a request. */
function placesOf({ sections }: Computed, site: Site): string[] {
  return sections.flatMap(({ lines }) =>
    lines.map((line) => {
      const place = site.placeOf(line);
      return `${place.file}:${place.line}`;
    }),
  );
}

function lastSection({ sections }: Computed, site: Site): Reason | null {
  const last = sections.findLast(({ scope, lines }) => scope.section !== null && lines.some(isAccessLine));
  return last ? { ...site.placeOf(last.scope), text: textOf(last.scope.section!.open) } : null;
}
