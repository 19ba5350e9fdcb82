/**
 * The fewest requests that show what each section decides: a URL to which it applies and that no
 * inner section takes over, and one client for each decision.
 */
import { accessSections, requestFor, urlClasses, type AccessSection, type UrlClass } from './access-sections';
import { ANY_USER } from './clients';
import type { Access, Request, RequestConfiguration, RequestServer } from './model';
import { REQUEST_SERVERS } from './model';
import { siteOf, type Site } from './site';
import { accessAt, answersTogether } from './together';

export interface WitnessRequest {
  readonly request: Request;
  /** Whether the answer depends on the address, so that it must be sent from there. */
  readonly needsAddress: boolean;
  /** Whether any user of the password file will do. */
  readonly isAnyUser: boolean;
  readonly section: AccessSection;
  readonly expected: Readonly<Record<RequestServer, Access>>;
}

export interface WitnessRequests {
  readonly requests: readonly WitnessRequest[];
  /** Sections that no URL of this configuration reaches. */
  readonly unreached: readonly AccessSection[];
}

/** Null if the main file cannot be read. */
export function witnessRequests(configuration: RequestConfiguration): WitnessRequests | null {
  const sites = REQUEST_SERVERS.map((server) => siteOf(configuration, server));
  if (!sites.every((site) => site !== null)) return null;
  const asIs = sites[AS_IS]!;
  const sections = accessSections(asIs);
  const best = bestUrls(sections, sites);
  const requests = sections.flatMap((section) => {
    const found = best.get(section);
    return found ? requestsOf(section, found.url, sites) : [];
  });
  return { requests, unreached: sections.filter((section) => !best.has(section)) };
}

// ---------------------------------------------------------------------------------------------------------------------

/** The place of mod_access_compat with the files as they are, among the servers. */
const AS_IS = REQUEST_SERVERS.indexOf('2.4-compat');

interface Best {
  readonly url: UrlClass;
  /** How many sections about access come after this one. */
  readonly after: number;
}

function bestUrls(sections: readonly AccessSection[], sites: readonly Site[]): Map<AccessSection, Best> {
  const byScope = new Map(sections.map((section) => [section.scope, section]));
  const byFile = new Map(sections.flatMap((each) => (each.scope.kind === 'htaccess' ? [[each.file, each]] : [])));
  const best = new Map<AccessSection, Best>();
  for (const url of urlClasses(sites)) {
    const applied = url.first.usual[AS_IS]!.sections.flatMap(({ scope }) => {
      const section = byScope.get(scope) ?? (scope.kind === 'htaccess' ? byFile.get(scope.file.path) : undefined);
      return section ? [section] : [];
    });
    for (const [index, section] of applied.entries()) {
      const after = applied.length - 1 - index;
      if (after < (best.get(section)?.after ?? Number.POSITIVE_INFINITY)) best.set(section, { url, after });
    }
  }
  return best;
}

function requestsOf(section: AccessSection, { host, path, clients }: UrlClass, sites: readonly Site[]): WitnessRequest[] {
  const decided = clients().map((client) => {
    const request = requestFor(host, path, client);
    const together = answersTogether(request, sites);
    const accesses = sites.map((_, server) => accessAt(server, together));
    return { request, accesses, key: accesses.join() };
  });
  const first = new Map<string, (typeof decided)[number]>();
  for (const each of decided) if (!first.has(each.key)) first.set(each.key, each);
  return [...first.values()].map(({ request, accesses, key }): WitnessRequest => {
    const alike = decided.filter((each) => isSameBut(each.request, request, 'from'));
    const needsAddress = alike.some((each) => each.key !== key);
    const users = decided.filter((each) => isSameBut(each.request, request, 'user') && each.request.user !== null);
    return {
      request: needsAddress ? request : { ...request, from: null },
      needsAddress,
      isAnyUser: request.user !== null && (request.user === ANY_USER || users.every((each) => each.key === key)),
      section,
      expected: Object.fromEntries(REQUEST_SERVERS.map((server, index) => [server, accesses[index]!])) as Record<
        RequestServer,
        Access
      >,
    };
  });
}

function isSameBut(a: Request, b: Request, but: 'from' | 'user'): boolean {
  const key = ({ method, from, user, headers }: Request) =>
    JSON.stringify([method, but === 'from' ? user : from, [...headers]]);
  return key(a) === key(b);
}
