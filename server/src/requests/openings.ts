/**
 * Finds requests that 2.2 denies and 2.4 with mod_access_compat allows, with the same files. There
 * is one request for each line that causes this. The work is limited, so some requests may be
 * missing, but none is wrong.
 */
import { isAccessLine } from '../access/read';
import { argumentsOf } from '../syntax/line';
import { isLoopback } from './addresses';
import { requestFor, urlClasses } from './access-sections';
import type { ComputedAnswer } from './decide';
import type { Reason, Request, RequestConfiguration, UnknownFact } from './model';
import { sectionsText, serverText } from './same-text';
import { siteOf, textOf, type Site } from './site';
import { decisionIfNotStarting } from './start';
import { answersTogether, type Outcome, type AnswersOfServers } from './together';

/** A request that 2.2 denies and 2.4 allows. */
export interface OpenedRequest {
  readonly request: Request;
  /**
   * The line because of which access opens: a line that decides in 2.2 and that 2.4 does not read;
   * without such a line, the line that allows the request in 2.4; if no line does, the last one
   * that decides in 2.2, or the last section that applies.
   */
  readonly causingLine: Reason;
  /** Whether only 2.2 reads `causingLine`. */
  readonly isReadOnlyBy22: boolean;
  /** The answer of 2.2. `answerAfter`: the answer of 2.4 with mod_access_compat. */
  readonly answerBefore: ComputedAnswer;
  readonly answerAfter: ComputedAnswer;
  /** Facts on which the answers depend, and that the files do not show. */
  readonly unknownFacts: readonly UnknownFact[];
}

/** The result of the search for requests that 2.2 denies and 2.4 allows. */
export interface OpenedRequests {
  readonly openedRequests: readonly OpenedRequest[];
  /** Whether all requests were tried. False if a limit left some out. */
  readonly isComplete: boolean;
}

/** Finds the requests that 2.2 denies and 2.4 with mod_access_compat allows. */
export function findOpenings(configuration: RequestConfiguration): OpenedRequests {
  const siteOf22 = siteOf(configuration, '2.2');
  const siteOf24 = siteOf(configuration, '2.4-compat');
  if (!siteOf22 || !siteOf24 || decisionIfNotStarting(siteOf22)) return NO_OPENINGS;
  const sites = [siteOf22, siteOf24];
  const isSameServer = serverText(siteOf22) === serverText(siteOf24);
  const openedByLine = new Map<string, OpenedRequest>();
  const searchState = { isComplete: true };
  let workDone = 0;
  for (const { host, path, answersToSimpleClient, findClients } of urlClasses(sites, searchState, {
    ...EXPLORE_OPTIONS,
    limit: { workLeft: MAX_WORK_OF_URLS },
  })) {
    if (isSameServer && isDecidedAlike(answersToSimpleClient.usualAnswers)) continue;
    for (const client of findClients()) {
      if (workDone > MAX_WORK_OF_ANSWERS) return { openedRequests: [...openedByLine.values()], isComplete: false };
      const request = requestFor(host, path, client);
      const comparedAnswers = answersTogether(request, sites, {
        ...EXPLORE_OPTIONS,
        maxWork: MAX_WORK_OF_ANSWERS - workDone,
      });
      if (comparedAnswers.isStopped) return { openedRequests: [...openedByLine.values()], isComplete: false };
      workDone += comparedAnswers.workDone;
      const openedPair = openedAnswers(comparedAnswers);
      if (openedPair === null || isAllowedAsLocal(openedPair[1]!, request)) continue;
      const openedRequest = openingOf(openedPair, comparedAnswers.decisiveFacts, request, sites);
      const causingLineKey = openedRequest && `${openedRequest.causingLine.file}:${openedRequest.causingLine.line}`;
      // The simplest clients come first, and the first one for a line is used.
      if (causingLineKey && !openedByLine.has(causingLineKey)) openedByLine.set(causingLineKey, openedRequest);
    }
  }
  return { openedRequests: [...openedByLine.values()], isComplete: searchState.isComplete };
}

// ---------------------------------------------------------------------------------------------------------------------

const NO_OPENINGS: OpenedRequests = { openedRequests: [], isComplete: true };
/**
 * Limits of the work (AnswersOfServers.workDone): for choosing URLs, and for comparing answers.
 * Both together take about half a second.
 */
const MAX_WORK_OF_URLS = 1_000_000;
const MAX_WORK_OF_ANSWERS = 1_000_000;
/** The assumptions of the search (OpenFacts). */
const EXPLORE_OPTIONS = { correctsProviders: true };

/**
 * The answers of both servers under assumptions with which 2.2 denies the request and 2.4 allows
 * it. The usual assumptions are preferred, for example that missing directories have no .htaccess
 * files. Other assumptions count only if no answer is unknown. Null if there is no such pair.
 */
function openedAnswers({ answersOfCombinations, outcomes }: AnswersOfServers): readonly ComputedAnswer[] | null {
  const openingIndex = outcomes.findIndex(
    ([outcomeBefore, outcomeAfter]) => isRefusedOutcome(outcomeBefore!) && outcomeAfter!.access === 'granted',
  );
  return openingIndex <= 0 || outcomes.flat().every(isKnownOutcome)
    ? (answersOfCombinations[openingIndex] ?? null)
    : null;
}

function isRefusedOutcome({ access }: Outcome): boolean {
  return access === 'denied' || access === 'login';
}

function isKnownOutcome({ access }: Outcome): boolean {
  return access !== 'unknown';
}

/**
 * Whether both versions read the same lines and decide in the same way. They do for Order, Allow
 * and Deny, and for Require lines that name users, unless they are in `<Limit>`. `Satisfy All`
 * counts as alike, although 2.4 can forget the host rules because of it: another rule reports that.
 */
function isDecidedAlike(usualAnswers: readonly ComputedAnswer[]): boolean {
  const [answerBefore, answerAfter] = usualAnswers as [ComputedAnswer, ComputedAnswer];
  return (
    sectionsText(answerBefore) === sectionsText(answerAfter) &&
    answerBefore.sections.every(({ lines }) => lines.every(isPlainLine))
  );
}

/** Whether `Require local` allows a client on the server's own machine, which is intended. */
function isAllowedAsLocal({ answer }: ComputedAnswer, { from }: Request): boolean {
  return from !== null && isLoopback(from) && answer.because.some(({ text }) => /^require\s+local$/i.test(text));
}

/** Whether both versions decide in the same way by a line. */
function isPlainLine({
  line,
  expandedLine,
  enclosingSections,
}: ComputedAnswer['sections'][number]['lines'][number]): boolean {
  if (!isAccessLine({ line })) return true;
  const firstArgument = argumentsOf(expandedLine)[0]?.value.toLowerCase() ?? '';
  if (line.name === 'satisfy') return firstArgument === 'all';
  return line.name === 'require'
    ? enclosingSections.length === 0 && (firstArgument === 'valid-user' || firstArgument === 'user')
    : true;
}

/**
 * The opened request for a pair of answers (2.2, 2.4). Null if no line and no section can be named
 * as the cause.
 */
function openingOf(
  answers: readonly ComputedAnswer[],
  unknownFacts: readonly UnknownFact[],
  request: Request,
  sites: readonly Site[],
): OpenedRequest | null {
  const [answerBefore, answerAfter] = answers as [ComputedAnswer, ComputedAnswer];
  const placesReadBy24 = new Set(placesOf(answerAfter, sites[1]!));
  const reasonOnlyIn22 = answerBefore.answer.because.find(({ file, line }) => !placesReadBy24.has(`${file}:${line}`));
  const causingLine =
    reasonOnlyIn22 ??
    answerAfter.answer.because[0] ??
    answerBefore.answer.because[0] ??
    tagOfLastSection(answerBefore, sites[0]!);
  return causingLine === null
    ? null
    : {
        request,
        causingLine,
        isReadOnlyBy22: reasonOnlyIn22 !== undefined,
        answerBefore,
        answerAfter,
        unknownFacts,
      };
}

/** The places of the lines that a server reads for a request. */
function placesOf({ sections }: ComputedAnswer, site: Site): string[] {
  return sections.flatMap(({ lines }) =>
    lines.map((line) => {
      const place = site.placeOf(line);
      return `${place.file}:${place.line}`;
    }),
  );
}

/** The tag of the last section with an access line. Null if there is none. */
function tagOfLastSection({ sections }: ComputedAnswer, site: Site): Reason | null {
  const lastSection = sections.findLast(({ scope, lines }) => scope.section !== null && lines.some(isAccessLine));
  return lastSection ? { ...site.placeOf(lastSection.scope), text: textOf(lastSection.scope.section!.open) } : null;
}
