/**
 * Finds the requests that lead to a file. The log line about a refused client names only the file.
 * Each DocumentRoot, Alias and UserDir of each virtual host gives a candidate, and `decide` checks
 * whether it leads to the file.
 */
import type { ConfigLine, Scope } from '../config/configuration';
import { isAbsolute, isWithin, resolvePath } from '../config/files';
import { serverNameOf, splitAddress } from '../config/virtual-hosts';
import { decide } from './decide';
import type { Request, RequestConfiguration, RequestPlace, RequestTarget } from './model';
import { siteOf, wordsOf, type Site } from './site';

/** Requests of a client to each URL that leads to a file, in the order of the virtual hosts. */
export function requestsToFile(file: string, from: string | null, configuration: RequestConfiguration): Request[] {
  const site = siteOf(configuration, '2.4-compat');
  if (!site) return [];
  const path = file.replace(/(?<=.)\/$/, '');
  const found: Request[] = [];
  for (const host of hostsOf(site)) {
    const scopes = host.scope ? [host.scope, site.root] : [site.root];
    for (const url of new Set(urlsOf(file, scopes, site))) {
      const request = requestTo(url, host, from);
      const { target, host: answering } = decide(request, configuration, '2.4-compat');
      const isHere = host.scope
        ? isSamePlace(answering.place, site.placeOf(host.scope))
        : answering.name === 'main server';
      if (isHere && target.path.replace(/(?<=.)\/$/, '') === path) found.push(request);
      if (found.length >= MAX_REQUESTS) return found;
    }
  }
  return found;
}

/** The reason why no URL reaches a section, and the line that causes it. */
export interface UnreachedReason {
  readonly what: string;
  readonly place: RequestPlace | null;
}

/**
 * Returns a function that gives the reason why no URL reaches a section. Null if the reason is
 * unknown, as for patterns, for files that are missing in this copy, and after MAX_DECIDED_URLS.
 */
export function unreachedReasons(configuration: RequestConfiguration): (scope: Scope) => UnreachedReason | null {
  const site = siteOf(configuration, '2.4-compat');
  const targets = new Map<string, RequestTarget>();
  const targetOf = (url: string, host: HostOfUrl, index: number): RequestTarget | null => {
    const key = `${index} ${url}`;
    const known = targets.get(key);
    if (known || targets.size >= MAX_DECIDED_URLS) return known ?? null;
    const { target } = decide(requestTo(url, host, null), configuration, '2.4-compat');
    targets.set(key, target);
    return target;
  };
  const reasons = new Map<Scope, UnreachedReason | null>();
  return (scope) => {
    const known = reasons.get(scope);
    if (known !== undefined) return known;
    const reason = reasonUnreached(scope, site, targetOf);
    reasons.set(scope, reason);
    return reason;
  };
}

/** Where a URL of a host leads; null after the limit. `index`: the place of the host in `hostsOf`. */
type TargetOf = (url: string, host: HostOfUrl, index: number) => RequestTarget | null;

function reasonUnreached(scope: Scope, site: Site | null, targetOf: TargetOf): UnreachedReason | null {
  const { kind, words, activity } = scope;
  const [path] = words;
  if (words.some((word) => /@\w+@/.test(word))) return { what: 'its path is a placeholder of a template', place: null };
  if (activity !== 'active') return { what: 'a condition around it, such as `<IfDefine>`, may be false', place: null };
  if (kind !== 'directory' || words.length !== 1 || !isAbsolute(path!) || /[*?[\]$]/.test(path!)) return null;
  if (site === null) return null;
  const targets = targetsOfDirectory(path!, site, targetOf);
  if (targets === null) return null;
  if (targets.length === 0) return reasonWithoutMapping(path!, site);
  const [{ kind: taker, place }] = targets as [RequestTarget];
  const what = REASON_BY_TARGET[taker];
  return what !== undefined && targets.every((target) => target.kind === taker) ? { what, place } : null;
}

/** The reason for a directory to which no DocumentRoot or Alias leads. */
function reasonWithoutMapping(path: string, site: Site): UnreachedReason | null {
  const others = hostsOf(site)
    .flatMap(({ scope }) => [...(scope?.lines ?? []), ...site.root.lines])
    .filter(({ line, activity }) => activity !== 'inactive' && OTHER_MAPPINGS.has(line.name));
  if (others.length === 0) return { what: 'no `DocumentRoot` or `Alias` leads to this directory', place: null };
  const mapping = others.find((each) =>
    wordsOf(each).some((word, index) => index > 0 && isWithin(word.replace(/\$\d.*$/s, ''), path)),
  );
  return mapping === undefined
    ? null
    : {
        what: `\`${mapping.line.text.trim().split(/\s/, 1)[0]}\` leads to this directory; its pattern does not show a URL`,
        place: site.placeOf(mapping),
      };
}

const OTHER_MAPPINGS: ReadonlySet<string> = new Set([
  'aliasmatch',
  'scriptaliasmatch',
  'rewriterule',
  'userdir',
  'virtualdocumentroot',
  'virtualscriptalias',
]);

const REASON_BY_TARGET: Partial<Record<RequestTarget['kind'], string>> = {
  proxy: 'a proxy takes the URLs of this directory',
  redirect: 'a redirect takes the URLs of this directory',
};

/**
 * Where URLs of each host lead that should reach a directory: one URL for each served directory
 * that contains it or is in it. Null if they are too many.
 */
function targetsOfDirectory(path: string, site: Site, targetOf: TargetOf): readonly RequestTarget[] | null {
  const targets: RequestTarget[] = [];
  for (const [index, host] of hostsOf(site).entries()) {
    const scopes = host.scope ? [host.scope, site.root] : [site.root];
    const folders = servedFolders(scopes, site).filter((folder) => isWithin(folder, path));
    for (const folder of [path, ...folders]) {
      const [url] = urlsOf(`${folder.replace(/\/$/, '')}/x`, scopes, site);
      if (url === undefined) continue;
      const target = targetOf(url, host, index);
      if (target === null) return null;
      targets.push(target);
    }
  }
  return targets;
}

function servedFolders(scopes: readonly Scope[], { configuration }: Site): string[] {
  return scopes.flatMap(({ lines }) =>
    lines.flatMap((line) => {
      const path = wordsOf(line)[line.line.name === 'documentroot' ? 0 : 1];
      return /^(?:documentroot|(?:script)?alias)$/.test(line.line.name) && path !== undefined
        ? [resolvePath(configuration.serverRoot, path)]
        : [];
    }),
  );
}

/** The path in a log line with AH01630 or AH01797. Null for other lines. */
export function refusedFile(message: string): string | null {
  return /client denied by server configuration: (?:uri )?(\/.*?)(?:, referer: .*)?$/.exec(message)?.[1] ?? null;
}

// ---------------------------------------------------------------------------------------------------------------------

const MAX_REQUESTS = 20;

/** Limit of URLs that are decided to find the reasons of one configuration. */
const MAX_DECIDED_URLS = 500;

function isSamePlace(a: RequestPlace | null, b: RequestPlace): boolean {
  return a !== null && a.file === b.file && a.line === b.line;
}

interface HostOfUrl {
  /** Null for the main server. */
  readonly scope: Scope | null;
  readonly name: string | null;
  readonly port: number | null;
}

function hostsOf(site: Site): HostOfUrl[] {
  const [reading] = site.hostReadings;
  const first = reading?.connections[0]?.port ?? null;
  const hosts = (reading?.scopes ?? []).map((scope, index): HostOfUrl => {
    const section = reading!.hosts.sections[index]!;
    const ports = section.addresses.map((word) => splitAddress(word, section.mainPort)?.port ?? 0);
    return { scope, name: serverNameOf(reading!.hosts, section), port: ports.find((port) => port > 0) ?? first };
  });
  return [...hosts, { scope: null, name: reading?.hosts.mainName ?? null, port: first }];
}

function requestTo(url: string, { name, port }: HostOfUrl, from: string | null): Request {
  return {
    method: 'GET',
    path: encodeURI(url),
    query: '',
    host: name?.toLowerCase() ?? null,
    port,
    isSecure: port === 443,
    from,
    user: null,
    headers: new Map(),
  };
}

function urlsOf(file: string, scopes: readonly Scope[], { configuration }: Site): string[] {
  const urls: string[] = [];
  const at = (path: string) => resolvePath(configuration.serverRoot, path);
  const below = (url: string, folder: string) => {
    if (isWithin(file, folder))
      urls.push(`${url.replace(/\/$/, '')}${file.slice(folder === '/' ? 0 : folder.length)}` || '/');
  };
  for (const scope of scopes)
    for (const line of scope.lines) {
      if (line.activity === 'inactive') continue;
      const [first = '', second = ''] = wordsOf(line);
      if (line.line.name === 'alias' || line.line.name === 'scriptalias') below(first, at(second));
      if (line.line.name === 'userdir') addUrlsOfUsers(line, file, urls);
    }
  const root = scopes.flatMap(({ lines }) => lines.findLast(({ line }) => line.name === 'documentroot') ?? [])[0];
  if (root) below('', at(wordsOf(root)[0] ?? ''));
  return urls;
}

function addUrlsOfUsers(line: ConfigLine, file: string, urls: string[]): void {
  for (const path of wordsOf(line)) {
    if (!isAbsolute(path)) continue;
    const [before = '', after = ''] = path.includes('*') ? path.split('*') : [`${path}/`, ''];
    const user = file.startsWith(before) ? file.slice(before.length).split('/')[0] : undefined;
    if (user && file.startsWith(before + user + after))
      urls.push(`/~${user}${file.slice((before + user + after).length)}`);
  }
}
