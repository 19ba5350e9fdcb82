/**
 * Finds a small set of requests that show what each section decides. For each section, it finds a
 * URL to which the section applies and as few later sections as possible, and one client for each
 * decision.
 */
import {
  accessSections,
  leftOutSections,
  maxWorkFor,
  requestFor,
  urlClasses,
  type AccessSection,
  type UrlClass,
  type WorkBudget,
} from './access-sections';
import { ONLY_IN_24 } from '../access/section-access';
import type { ConfigLine, Scope } from '../config/configuration';
import { ANY_USER } from './clients';
import type { Access, Request, RequestConfiguration, FileLine, RequestServer, UnknownFact } from './model';
import { REQUEST_SERVERS } from './model';
import { siteOf, textOf, wordsOf, type Site } from './site';
import { decisionIfNotStarting } from './start';
import { accessAt, answersTogether, type AnswersOfServers } from './together';
import type { SearchState } from './urls';
import { reasonsForNoUrl, unreachedReasons, type UnreachedReason } from './urls-of-file';

/** A request that shows a decision of a section. */
export interface WitnessRequest {
  readonly request: Request;
  /**
   * Whether the answer depends on the client's address. Then the request must be sent from that
   * address.
   */
  readonly mustSendFromAddress: boolean;
  /** Whether any user of the password file can be used for the login. */
  readonly isAnyUser: boolean;
  readonly section: AccessSection;
  /** The computed answer of each server. */
  readonly expected: Readonly<Record<RequestServer, Access>>;
  /**
   * If an answer is unknown: the answers if the parts that are missing in this copy of the server's
   * files do not matter. Null if no answer is unknown, or if one of them is still unknown.
   */
  readonly expectedOfCopy: Readonly<Record<RequestServer, Access>> | null;
  /** The facts on which the answers depend, if an answer is unknown. */
  readonly openFacts: readonly UnknownFact[];
}

/** The requests for all sections of a configuration, and the sections without one. */
export interface WitnessRequests {
  readonly requests: readonly WitnessRequest[];
  /**
   * The reason why the answers of 2.2 do not help users: it does not start with the files, or
   * all access lines are for 2.4. Null if 2.2 can read the files.
   */
  readonly whyNot22: { readonly what: string; readonly place: FileLine } | null;
  /** Sections without a request: no tried URL leads to them, or a limit left them out. */
  readonly unreachedSections: readonly AccessSection[];
  /** The reason why no URL leads to one of the `unreachedSections`; null if it is unknown. */
  readonly whyUnreached: (section: AccessSection) => UnreachedReason | null;
  /**
   * Possible reasons, as sentences, for the `unreachedSections`. Null if only a part of a
   * configuration was given, which is then the reason.
   */
  readonly possibleReasons: () => readonly string[] | null;
  /** Whether a section still has Order, Allow, Deny or Satisfy after the conversion. */
  readonly hasOldLines: (section: AccessSection) => boolean;
  /** The number of sections with access lines that apply after a section to its request. */
  readonly laterSectionCount: (section: AccessSection) => number;
}

/**
 * Leaves out duplicate requests. If several sections have the same request, it belongs to the last
 * of them that applies. `sectionsTakenOver`: the sections that have no request after that.
 */
export function fewestRequests({ requests, laterSectionCount }: WitnessRequests): {
  readonly requests: readonly WitnessRequest[];
  readonly sectionsTakenOver: readonly AccessSection[];
} {
  const bestRequestByKey = new Map<string, WitnessRequest>();
  const keyOf = ({ request }: WitnessRequest) =>
    JSON.stringify([request.host, request.port, request.path, clientKey(request)]);
  for (const each of requests) {
    const bestRequestSoFar = bestRequestByKey.get(keyOf(each));
    if (!bestRequestSoFar || laterSectionCount(each.section) < laterSectionCount(bestRequestSoFar.section))
      bestRequestByKey.set(keyOf(each), each);
  }
  const bestRequests = requests.filter((each) => bestRequestByKey.get(keyOf(each)) === each);
  const shownSections = new Set(bestRequests.map(({ section }) => section));
  return {
    requests: bestRequests,
    sectionsTakenOver: [...new Set(requests.map(({ section }) => section))].filter((each) => !shownSections.has(each)),
  };
}

/**
 * Finds the requests for all sections. Null if the main file cannot be read. `triesCopy`: whether
 * to compute `expectedOfCopy`. Then clients whose answers differ only in `expectedOfCopy` also get
 * separate requests. `limit`: the work that may be done for the answers.
 */
export function witnessRequests(
  configuration: RequestConfiguration,
  { triesCopy = false, limit }: { readonly triesCopy?: boolean; readonly limit?: WorkBudget } = {},
): WitnessRequests | null {
  const sites = REQUEST_SERVERS.map((server) => siteOf(configuration, server));
  if (!sites.every((site) => site !== null)) return null;
  const compatSite = sites[INDEX_OF_COMPAT]!;
  const sections = accessSections(compatSite);
  const restOfSections = leftOutSections(compatSite);
  const searchState = { isComplete: true };
  const { workLeft } = limit ?? { workLeft: maxWorkFor(sites) };
  const limitOfUrls = { workLeft: workLeft / 2 };
  const bestUrlBySection = bestUrls(sections, sites, searchState, limitOfUrls);
  const limitOfAnswers: AnswerLimit = {
    workLeft: workLeft / 2 + limitOfUrls.workLeft,
    workLeftForCopy: triesCopy ? workLeft : -1,
  };
  const unansweredSections = new Set<AccessSection>();
  const requests = sections.flatMap((section) => {
    const bestUrl = bestUrlBySection.get(section);
    if (!bestUrl) return [];
    const requestsOfSection =
      limitOfAnswers.workLeft < 0 ? null : requestsOf(section, bestUrl.url, sites, limitOfAnswers);
    if (requestsOfSection === null) unansweredSections.add(section);
    return requestsOfSection ?? [];
  });
  const reasonUnreached = unreachedReasons(configuration);
  const keysWithOldLines = keysOfOldSections(sites[REQUEST_SERVERS.indexOf('2.4')]!);
  const unreachedSections = [
    ...sections.filter((section) => !bestUrlBySection.has(section) || unansweredSections.has(section)),
    ...(restOfSections === null ? [] : [restOfSections]),
  ];
  const whyUnreached = (section: AccessSection) =>
    (section === restOfSections ? REASON_TOO_MANY_SECTIONS : null) ??
    (bestUrlBySection.has(section) ? null : reasonUnreached(section.scope)) ??
    (searchState.isComplete && !unansweredSections.has(section) ? null : REASON_SEARCH_STOPPED);
  return {
    requests,
    whyNot22: whyNotReadBy22(sites[INDEX_OF_22]!, keysWithOldLines.size === 0 ? sections : []),
    unreachedSections,
    whyUnreached,
    possibleReasons: () =>
      reasonsForNoUrl(
        configuration,
        unreachedSections.map(({ scope }) => scope),
      ),
    hasOldLines: (section) => keysWithOldLines.has(keyOfSection(section)),
    laterSectionCount: (section) => bestUrlBySection.get(section)?.laterSectionCount ?? 0,
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** The reason for a section whose URLs were not all tried. */
const REASON_SEARCH_STOPPED: UnreachedReason = {
  what: 'the search for its URLs took too long and was stopped; "httpd-upgrade explain --request" answers for one URL',
  place: null,
  isStopped: true,
};

/** The reason for the sections that were left out. */
const REASON_TOO_MANY_SECTIONS: UnreachedReason = {
  what: 'Use or Include lines read the same text too often',
  place: null,
};

/** The work that is left for the clients of all sections. */
interface AnswerLimit extends WorkBudget {
  /**
   * The work that may still be done for `expectedOfCopy`: the answers if the parts that are missing
   * in this copy of the server's files do not matter.
   */
  workLeftForCopy: number;
}

/** The index of 2.4 with mod_access_compat in the list of servers. */
const INDEX_OF_COMPAT = REQUEST_SERVERS.indexOf('2.4-compat');
/** The index of 2.2 in the list of servers. */
const INDEX_OF_22 = REQUEST_SERVERS.indexOf('2.2');

/** The access directives of 2.2. */
const OLD_DIRECTIVES = new Set(['order', 'allow', 'deny', 'satisfy']);

/** The keys (`keyOfSection`) of sections with Order, Allow, Deny or Satisfy lines. */
function keysOfOldSections(site: Site): ReadonlySet<string> {
  const hasOldLines = ({ scope }: AccessSection) =>
    scope.lines.some(({ line, activity }) => activity !== 'inactive' && OLD_DIRECTIVES.has(line.name));
  return new Set(accessSections(site).filter(hasOldLines).map(keyOfSection));
}

/**
 * A key that identifies a section. It has the tag, too, because a macro can insert several sections
 * at the same place.
 */
function keyOfSection({ file, line, scope }: Pick<AccessSection, 'file' | 'line' | 'scope'>): string {
  return `${file}:${line} ${scope.section ? textOf(scope.section.open) : ''}`;
}

/** A URL to which a section and as few later sections as possible apply. */
interface BestUrl {
  readonly url: UrlClass;
  /** The number of sections with access lines that apply after the section, for this URL. */
  readonly laterSectionCount: number;
}

/**
 * The best URL for each section. If 2.4 refuses a line, it answers 500 for the URLs of a section,
 * and the answers name no sections. For such a section, the answers of 2.2 are used.
 */
function bestUrls(
  sections: readonly AccessSection[],
  sites: readonly Site[],
  searchState: SearchState,
  limit: WorkBudget,
): Map<AccessSection, BestUrl> {
  const sectionByScope = new Map(sections.map((section) => [section.scope, section]));
  const sectionByKey = new Map(sections.map((section) => [keyOfSection(section), section]));
  const sectionByFile = new Map(
    sections.flatMap((each) => (each.scope.kind === 'htaccess' ? [[each.file, each]] : [])),
  );
  const sectionOf = (scope: Scope, site: Site) =>
    sectionByScope.get(scope) ??
    (scope.kind === 'htaccess'
      ? sectionByFile.get(scope.file.path)
      : sectionByKey.get(keyOfSection({ ...site.placeOf(scope), scope })));
  const bestUrlsOfServers = [INDEX_OF_COMPAT, INDEX_OF_22].map((server) => ({
    server,
    bestUrlOfSection: new Map<AccessSection, BestUrl>(),
  }));
  for (const url of urlClasses(sites, searchState, { limit }))
    for (const { server, bestUrlOfSection } of bestUrlsOfServers) {
      const appliedSections = url.answersToSimpleClient.usualAnswers[server]!.sections.flatMap(
        ({ scope }) => sectionOf(scope, sites[server]!) ?? [],
      );
      for (const [index, section] of appliedSections.entries()) {
        const laterSectionCount = appliedSections.length - 1 - index;
        if (laterSectionCount < (bestUrlOfSection.get(section)?.laterSectionCount ?? Number.POSITIVE_INFINITY))
          bestUrlOfSection.set(section, { url, laterSectionCount });
      }
    }
  const [bestForCompat, bestFor22] = bestUrlsOfServers.map(({ bestUrlOfSection }) => bestUrlOfSection) as [
    Map<AccessSection, BestUrl>,
    Map<AccessSection, BestUrl>,
  ];
  return new Map([...bestFor22, ...bestForCompat]);
}

/**
 * The line that prevents the start of 2.2, or that is for 2.4 in a configuration without old lines,
 * and why. Null if there is no such line. `sectionsWithoutOldLines`: empty if there are old lines.
 */
function whyNotReadBy22(site22: Site, sectionsWithoutOldLines: readonly AccessSection[]): WitnessRequests['whyNot22'] {
  const decision = decisionIfNotStarting(site22);
  const [line] = decision?.lines ?? [];
  if (decision && line) return { what: decision.why, place: site22.placeOf(line) };
  const lineOf24 = sectionsWithoutOldLines.flatMap(({ scope }) => scope.lines).find(isRequireOf24);
  return lineOf24 === undefined
    ? null
    : {
        what: `\`${lineOf24.line.text.trim()}\` is for 2.4, and no section has Order, Allow, Deny or Satisfy`,
        place: site22.placeOf(lineOf24),
      };
}

/** Whether httpd reads the line, and it is a Require line with a word that only 2.4 knows. */
function isRequireOf24(configLine: ConfigLine): boolean {
  if (configLine.line.name !== 'require' || configLine.activity !== 'active') return false;
  const [firstWord = ''] = wordsOf(configLine);
  return ONLY_IN_24.has(firstWord.toLowerCase());
}

/** A request of one client, with the access at each server. */
interface DecidedRequest {
  readonly request: Request;
  readonly accesses: readonly Access[];
  /** See WitnessRequest.expectedOfCopy. */
  readonly accessesOfCopy: readonly Access[] | null;
  readonly openFacts: readonly UnknownFact[];
  /** A text that is equal for requests with the same answers of all servers. */
  readonly answersKey: string;
}

/** The requests for one section. Null if a limit leaves out some of its clients. */
function requestsOf(
  section: AccessSection,
  { host, path, findClients, answersToSimpleClient }: UrlClass,
  sites: readonly Site[],
  limit: AnswerLimit,
): WitnessRequest[] | null {
  // Each client takes about as long as the simple one. So if less work is left, it is not enough
  // for any client.
  if (answersToSimpleClient.workDone > limit.workLeft) return null;
  const decidedRequests: DecidedRequest[] = [];
  for (const client of findClients()) {
    if (limit.workLeft < 0) return null;
    const request = requestFor(host, path, client);
    const comparedAnswers = answersTogether(request, sites, { maxWork: limit.workLeft, needsOnlyAccess: true });
    limit.workLeft -= comparedAnswers.workDone;
    if (comparedAnswers.isStopped) return null;
    const accesses = sites.map((_, server) => accessAt(server, comparedAnswers));
    const areAccessesKnown = !accesses.includes('unknown');
    const accessesOfCopy = areAccessesKnown ? null : accessesInCopy(request, sites, limit);
    const openFacts = areAccessesKnown ? [] : openFactsOf(comparedAnswers);
    const answersKey = [...accesses, ...(accessesOfCopy ?? [])].join();
    decidedRequests.push({ request, accesses, accessesOfCopy, openFacts, answersKey });
  }
  const keyByClient = new Map(decidedRequests.map((each) => [clientKey(each.request), each.answersKey]));
  const usualRequest = decidedRequests[0]?.request;
  const firstByKey = new Map<string, DecidedRequest>();
  for (const each of decidedRequests) {
    const answersAndDifference = `${each.answersKey} ${keyOfDifference(each, usualRequest!, keyByClient)}`;
    if (!firstByKey.has(answersAndDifference)) firstByKey.set(answersAndDifference, each);
  }
  return [...firstByKey.values()].map(
    ({ request, accesses, accessesOfCopy, openFacts, answersKey }): WitnessRequest => {
      const similarRequests = decidedRequests.filter((each) => isSameExcept(each.request, request, 'from'));
      const needsAddress = similarRequests.some((each) => each.answersKey !== answersKey);
      const users = decidedRequests.filter(
        (each) => isSameExcept(each.request, request, 'user') && each.request.user !== null,
      );
      return {
        request: needsAddress ? request : { ...request, from: null },
        mustSendFromAddress: needsAddress,
        isAnyUser:
          request.user !== null && (request.user === ANY_USER || users.every((each) => each.answersKey === answersKey)),
        section,
        openFacts,
        expected: accessByServer(accesses),
        expectedOfCopy: accessesOfCopy && accessByServer(accessesOfCopy),
      };
    },
  );
}

/** The answers if the missing parts do not matter. Null if one of them is unknown, too. */
function accessesInCopy(request: Request, sites: readonly Site[], limit: AnswerLimit): readonly Access[] | null {
  if (limit.workLeftForCopy < 0) return null;
  const answersOfCopy = answersTogether(request, sites, { ignoresMissingParts: true, maxWork: limit.workLeftForCopy });
  limit.workLeftForCopy -= answersOfCopy.workDone;
  const accesses = sites.map((_, server) => accessAt(server, answersOfCopy));
  return answersOfCopy.isStopped || accesses.includes('unknown') ? null : accesses;
}

/** The accesses by server, from a list in the order of `REQUEST_SERVERS`. */
function accessByServer(accesses: readonly Access[]): Record<RequestServer, Access> {
  return Object.fromEntries(REQUEST_SERVERS.map((server, index) => [server, accesses[index]!])) as Record<
    RequestServer,
    Access
  >;
}

/** The facts that decide between answers, or that make an answer unknown. */
function openFactsOf({ decisiveFacts, usualAnswers }: AnswersOfServers): readonly UnknownFact[] {
  return decisiveFacts.length > 0
    ? decisiveFacts
    : usualAnswers.flatMap(({ answer, unknownFacts }) => [...answer.unknown, ...unknownFacts]);
}

/**
 * The properties of a client that change its answer in comparison with the usual client: login,
 * header or method, joined by commas. So a client that gets access by its password and one that
 * gets access by its address are two requests.
 */
function keyOfDifference(
  { request, answersKey }: DecidedRequest,
  usualRequest: Request,
  keyByClient: ReadonlyMap<string, string>,
): string {
  const partsToReset: [name: string, isUsual: boolean, other: Request][] = [
    ['login', request.user === null, { ...request, user: null }],
    ['header', request.headers.size === 0, { ...request, headers: new Map() }],
    ['method', request.method === usualRequest.method, { ...request, method: usualRequest.method }],
  ];
  return partsToReset
    .filter(([, isUsual, other]) => !isUsual && (keyByClient.get(clientKey(other)) ?? answersKey) !== answersKey)
    .map(([name]) => name)
    .join();
}

/** A text that is equal for requests of equal clients. */
function clientKey({ method, from, user, headers }: Request): string {
  return JSON.stringify([method, from, user, [...headers]]);
}

/** Whether the clients of two requests are equal, apart from one property. */
function isSameExcept(a: Request, b: Request, ignoredProperty: 'from' | 'user'): boolean {
  return clientKey({ ...a, [ignoredProperty]: null }) === clientKey({ ...b, [ignoredProperty]: null });
}
