/**
 * Finds a small set of requests that show what each section decides. A section gets a URL to which
 * it applies and no section inside it does, and one client for each decision.
 */
import {
  accessSections,
  maxWorkFor,
  requestFor,
  urlClasses,
  type AccessSection,
  type UrlClass,
  type WorkLimit,
} from './access-sections';
import type { Scope } from '../config/configuration';
import { ANY_USER } from './clients';
import type { Access, Request, RequestConfiguration, RequestPlace, RequestServer, UnknownFact } from './model';
import { REQUEST_SERVERS } from './model';
import { siteOf, textOf, type Site } from './site';
import { decisionIfNotStarting } from './start';
import { accessAt, answersTogether, type AnswersOfServers } from './together';
import type { SearchState } from './urls';
import { unreachedReasons, type UnreachedReason } from './urls-of-file';

export interface WitnessRequest {
  readonly request: Request;
  /**
   * Whether the answer depends on the client's address. Then the request must be sent from that
   * address.
   */
  readonly needsAddress: boolean;
  /** Whether any user of the password file can be used for the login. */
  readonly isAnyUser: boolean;
  readonly section: AccessSection;
  readonly expected: Readonly<Record<RequestServer, Access>>;
  /**
   * If an answer is unknown: the answers if the parts that are not in this copy do not matter. Null
   * if one of them is unknown, too.
   */
  readonly expectedOfCopy: Readonly<Record<RequestServer, Access>> | null;
  /** The facts on which the answers depend, if an answer is unknown. */
  readonly openFacts: readonly UnknownFact[];
}

export interface WitnessRequests {
  readonly requests: readonly WitnessRequest[];
  /** The reason why 2.2 does not start with the files. Null if it starts. */
  readonly whyNoStart: { readonly what: string; readonly place: RequestPlace } | null;
  /** Sections to which no tried URL leads. */
  readonly unreachedSections: readonly AccessSection[];
  /** The reason why no URL leads to such a section; null if it is unknown. */
  readonly whyUnreached: (section: AccessSection) => UnreachedReason | null;
  /** Whether a section still has Order, Allow, Deny or Satisfy after the conversion. */
  readonly isOld: (section: AccessSection) => boolean;
  /** How many sections with access lines apply after a section, for its request. */
  readonly depthOf: (section: AccessSection) => number;
}

/**
 * Leaves out duplicate requests: each request belongs to the innermost section. `takenOver`: the
 * sections without a request of their own, because inner sections apply to all their URLs.
 */
export function fewestRequests({ requests, depthOf }: WitnessRequests): {
  readonly requests: readonly WitnessRequest[];
  readonly takenOver: readonly AccessSection[];
} {
  const best = new Map<string, WitnessRequest>();
  const keyOf = ({ request }: WitnessRequest) =>
    JSON.stringify([request.host, request.port, request.path, clientKey(request)]);
  for (const each of requests) {
    const bestKnown = best.get(keyOf(each));
    if (!bestKnown || depthOf(each.section) < depthOf(bestKnown.section)) best.set(keyOf(each), each);
  }
  const bestRequests = requests.filter((each) => best.get(keyOf(each)) === each);
  const shownSections = new Set(bestRequests.map(({ section }) => section));
  return {
    requests: bestRequests,
    takenOver: [...new Set(requests.map(({ section }) => section))].filter((each) => !shownSections.has(each)),
  };
}

/**
 * Finds the requests. Null if the main file cannot be read. `triesCopy`: whether to compute
 * `expectedOfCopy`, and to tell apart clients that get different answers only there. `limit`: the
 * work for the answers; it is taken from it.
 */
export function witnessRequests(
  configuration: RequestConfiguration,
  { triesCopy = false, limit }: { readonly triesCopy?: boolean; readonly limit?: WorkLimit } = {},
): WitnessRequests | null {
  const sites = REQUEST_SERVERS.map((server) => siteOf(configuration, server));
  if (!sites.every((site) => site !== null)) return null;
  const asIs = sites[COMPAT_INDEX]!;
  const sections = accessSections(asIs);
  const tried = { isComplete: true };
  const { workLeft } = limit ?? { workLeft: maxWorkFor(sites) };
  const limitOfUrls = { workLeft: workLeft / 2 };
  const best = bestUrls(sections, sites, tried, limitOfUrls);
  const limitOfAnswers: AnswerLimit = {
    workLeft: workLeft / 2 + limitOfUrls.workLeft,
    workLeftForCopy: triesCopy ? workLeft : -1,
  };
  const leftOut = new Set<AccessSection>();
  const requests = sections.flatMap((section) => {
    const candidate = best.get(section);
    if (!candidate) return [];
    const ofSection = limitOfAnswers.workLeft < 0 ? null : requestsOf(section, candidate.url, sites, limitOfAnswers);
    if (ofSection === null) leftOut.add(section);
    return ofSection ?? [];
  });
  const reasonUnreached = unreachedReasons(configuration);
  const old = oldSections(sites[REQUEST_SERVERS.indexOf('2.4')]!);
  return {
    requests,
    whyNoStart: whyNotStarting(sites[INDEX_OF_22]!),
    unreachedSections: sections.filter((section) => !best.has(section) || leftOut.has(section)),
    whyUnreached: (section) =>
      (best.has(section) ? null : reasonUnreached(section.scope)) ??
      (tried.isComplete && !leftOut.has(section) ? null : LEFT_OUT),
    isOld: (section) => old.has(keyOfSection(section)),
    depthOf: (section) => best.get(section)?.after ?? 0,
  };
}

// ---------------------------------------------------------------------------------------------------------------------

const LEFT_OUT: UnreachedReason = {
  what: 'the search for its URLs took too long and was stopped; "httpd-upgrade explain --request" answers for one URL',
  place: null,
};

/** The work that is left for the clients of all sections. */
interface AnswerLimit extends WorkLimit {
  /** The work that is left for the answers if the missing parts do not matter. */
  workLeftForCopy: number;
}

/** The index of 2.4 with mod_access_compat in the list of servers. */
const COMPAT_INDEX = REQUEST_SERVERS.indexOf('2.4-compat');
const INDEX_OF_22 = REQUEST_SERVERS.indexOf('2.2');

const OLD_NAMES = new Set(['order', 'allow', 'deny', 'satisfy']);

/** The places of sections with old lines. */
function oldSections(site: Site): ReadonlySet<string> {
  const isOld = ({ scope }: AccessSection) =>
    scope.lines.some(({ line, activity }) => activity !== 'inactive' && OLD_NAMES.has(line.name));
  return new Set(accessSections(site).filter(isOld).map(keyOfSection));
}

/** A macro inserts sections that have the same place, so the name counts, too. */
function keyOfSection({ file, line, scope }: Pick<AccessSection, 'file' | 'line' | 'scope'>): string {
  return `${file}:${line} ${scope.section ? textOf(scope.section.open) : ''}`;
}

interface BestUrl {
  readonly url: UrlClass;
  /** The number of sections with access lines that apply after this one. */
  readonly after: number;
}

/**
 * The best URL for each section. If a server does not accept a line, it answers 500 for a URL and
 * shows no sections. So the answers of 2.2 count for a section that 2.4 shows for no URL.
 */
function bestUrls(
  sections: readonly AccessSection[],
  sites: readonly Site[],
  tried: SearchState,
  limit: WorkLimit,
): Map<AccessSection, BestUrl> {
  const byScope = new Map(sections.map((section) => [section.scope, section]));
  const byPlace = new Map(sections.map((section) => [keyOfSection(section), section]));
  const byFile = new Map(sections.flatMap((each) => (each.scope.kind === 'htaccess' ? [[each.file, each]] : [])));
  const sectionOf = (scope: Scope, site: Site) =>
    byScope.get(scope) ??
    (scope.kind === 'htaccess'
      ? byFile.get(scope.file.path)
      : byPlace.get(keyOfSection({ ...site.placeOf(scope), scope })));
  const bestOfServers = [COMPAT_INDEX, INDEX_OF_22].map((server) => ({
    server,
    best: new Map<AccessSection, BestUrl>(),
  }));
  for (const url of urlClasses(sites, tried, { limit }))
    for (const { server, best } of bestOfServers) {
      const applied = url.answersToUsualClient.usualAnswers[server]!.sections.flatMap(
        ({ scope }) => sectionOf(scope, sites[server]!) ?? [],
      );
      for (const [index, section] of applied.entries()) {
        const after = applied.length - 1 - index;
        if (after < (best.get(section)?.after ?? Number.POSITIVE_INFINITY)) best.set(section, { url, after });
      }
    }
  const [ofCompat, of22] = bestOfServers.map(({ best }) => best) as [
    Map<AccessSection, BestUrl>,
    Map<AccessSection, BestUrl>,
  ];
  return new Map([...of22, ...ofCompat]);
}

/** The line that prevents the start of 2.2, and why. Null if 2.2 starts. */
function whyNotStarting(site: Site): WitnessRequests['whyNoStart'] {
  const decision = decisionIfNotStarting(site);
  const [line] = decision?.lines ?? [];
  return decision && line ? { what: decision.why, place: site.placeOf(line) } : null;
}

interface DecidedRequest {
  readonly request: Request;
  readonly accesses: readonly Access[];
  /** See WitnessRequest.expectedOfCopy. */
  readonly accessesOfCopy: readonly Access[] | null;
  readonly openFacts: readonly UnknownFact[];
  /** A key of the answers of all servers. */
  readonly answersKey: string;
}

/** The requests for one section. Null if a limit leaves out some of its clients. */
function requestsOf(
  section: AccessSection,
  { host, path, clients, answersToUsualClient }: UrlClass,
  sites: readonly Site[],
  limit: AnswerLimit,
): WitnessRequest[] | null {
  // Each client takes about as long as the usual one.
  if (answersToUsualClient.workDone > limit.workLeft) return null;
  const decided: DecidedRequest[] = [];
  for (const client of clients()) {
    if (limit.workLeft < 0) return null;
    const request = requestFor(host, path, client);
    const together = answersTogether(request, sites, { maxWork: limit.workLeft });
    limit.workLeft -= together.workDone;
    if (together.isStopped) return null;
    const accesses = sites.map((_, server) => accessAt(server, together));
    const isKnown = !accesses.includes('unknown');
    const accessesOfCopy = isKnown ? null : accessesInCopy(request, sites, limit);
    const openFacts = isKnown ? [] : openFactsOf(together);
    const answersKey = [...accesses, ...(accessesOfCopy ?? [])].join();
    decided.push({ request, accesses, accessesOfCopy, openFacts, answersKey });
  }
  const keyByClient = new Map(decided.map((each) => [clientKey(each.request), each.answersKey]));
  const usual = decided[0]?.request;
  const firstByKey = new Map<string, DecidedRequest>();
  for (const each of decided) {
    const kind = `${each.answersKey} ${keyOfDifference(each, usual!, keyByClient)}`;
    if (!firstByKey.has(kind)) firstByKey.set(kind, each);
  }
  return [...firstByKey.values()].map(
    ({ request, accesses, accessesOfCopy, openFacts, answersKey }): WitnessRequest => {
      const alike = decided.filter((each) => isSameExcept(each.request, request, 'from'));
      const needsAddress = alike.some((each) => each.answersKey !== answersKey);
      const users = decided.filter((each) => isSameExcept(each.request, request, 'user') && each.request.user !== null);
      return {
        request: needsAddress ? request : { ...request, from: null },
        needsAddress,
        isAnyUser:
          request.user !== null && (request.user === ANY_USER || users.every((each) => each.answersKey === answersKey)),
        section,
        openFacts,
        expected: byServer(accesses),
        expectedOfCopy: accessesOfCopy && byServer(accessesOfCopy),
      };
    },
  );
}

/** The answers if the missing parts do not matter. Null if one of them is unknown, too. */
function accessesInCopy(request: Request, sites: readonly Site[], limit: AnswerLimit): readonly Access[] | null {
  if (limit.workLeftForCopy < 0) return null;
  const together = answersTogether(request, sites, { ignoresMissingParts: true, maxWork: limit.workLeftForCopy });
  limit.workLeftForCopy -= together.workDone;
  const accesses = sites.map((_, server) => accessAt(server, together));
  return together.isStopped || accesses.includes('unknown') ? null : accesses;
}

function byServer(accesses: readonly Access[]): Record<RequestServer, Access> {
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
 * A text for the properties that change the answer in comparison with the usual client: login,
 * header or method. If a password gives access, and an address does so, too, they are two requests.
 */
function keyOfDifference(
  { request, answersKey }: DecidedRequest,
  usual: Request,
  known: ReadonlyMap<string, string>,
): string {
  const changes: [name: string, isUsual: boolean, other: Request][] = [
    ['login', request.user === null, { ...request, user: null }],
    ['header', request.headers.size === 0, { ...request, headers: new Map() }],
    ['method', request.method === usual.method, { ...request, method: usual.method }],
  ];
  return changes
    .filter(([, isUsual, other]) => !isUsual && (known.get(clientKey(other)) ?? answersKey) !== answersKey)
    .map(([name]) => name)
    .join();
}

function clientKey({ method, from, user, headers }: Request): string {
  return JSON.stringify([method, from, user, [...headers]]);
}

function isSameExcept(a: Request, b: Request, but: 'from' | 'user'): boolean {
  return clientKey({ ...a, [but]: null }) === clientKey({ ...b, [but]: null });
}
