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
    for (const url of new Set(urlsOf(file, host))) {
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
  const reasonOfDirectory = reasonsOfDirectories(configuration);
  return (scope) => {
    const reason = reasonInTag(scope);
    const path = reason === null ? pathOf(scope) : null;
    return path === null ? reason : reasonOfDirectory(path);
  };
}

/** Like `unreachedReasons`, for the path of a directory. */
export function reasonsOfDirectories(configuration: RequestConfiguration): (path: string) => UnreachedReason | null {
  const site = siteOf(configuration, '2.4-compat');
  if (site === null) return () => null;
  const hosts = hostsOf(site);
  const otherMappings = [...new Set(hosts.flatMap(({ scopes }) => scopes))]
    .flatMap(({ lines }) => lines)
    .filter(({ line, activity }) => OTHER_MAPPINGS.has(line.name) && activity !== 'inactive');
  const targets = new Map<string, RequestTarget>();
  const targetOf: TargetOf = (url, host) => {
    const key = `${hosts.indexOf(host)} ${url}`;
    const known = targets.get(key);
    if (known || targets.size >= MAX_DECIDED_URLS) return known ?? null;
    const { target } = decide(requestTo(url, host, null), configuration, '2.4-compat');
    targets.set(key, target);
    return target;
  };
  const reasons = new Map<string, UnreachedReason | null>();
  const reasonOfDirectory = (path: string): UnreachedReason | null => {
    const all = targetsOfDirectory(path, hosts, targetOf);
    if (all === null) return null;
    if (all.length === 0) return reasonWithoutMapping(path, otherMappings, site);
    const [{ kind: taker, place }] = all as [RequestTarget];
    const what = REASON_BY_TARGET[taker];
    return what !== undefined && all.every((target) => target.kind === taker) ? { what, place } : null;
  };
  return (path) => {
    const known = reasons.get(path);
    if (known !== undefined) return known;
    const found = reasonOfDirectory(path);
    reasons.set(path, found);
    return found;
  };
}

/** Where a URL of a host leads; null after the limit. */
type TargetOf = (url: string, host: HostOfUrl) => RequestTarget | null;

/** The reason that the tag of a section, or a condition around it, shows. */
function reasonInTag({ words, activity }: Scope): UnreachedReason | null {
  if (words.some((word) => word.includes('${'))) return { what: 'no line here defines its variable', place: null };
  if (words.some((word) => /@\w+@/.test(word))) return { what: 'its path is a placeholder of a template', place: null };
  if (activity !== 'active') return { what: 'a condition around it, such as `<IfDefine>`, may be false', place: null };
  return null;
}

/** The path of a `<Directory>` section without a pattern; null for other sections. */
function pathOf({ kind, words }: Scope): string | null {
  const [path] = words;
  return kind === 'directory' && words.length === 1 && isAbsolute(path!) && !/[*?[\]$]/.test(path!) ? path! : null;
}

/** The reason for a directory to which no DocumentRoot or Alias leads. */
function reasonWithoutMapping(path: string, others: readonly ConfigLine[], site: Site): UnreachedReason | null {
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
function targetsOfDirectory(
  path: string,
  hosts: readonly HostOfUrl[],
  targetOf: TargetOf,
): readonly RequestTarget[] | null {
  const targets: RequestTarget[] = [];
  for (const host of hosts)
    for (const folder of [path, ...host.servedFolders.filter((each) => isWithin(each, path))]) {
      const [url] = urlsOf(`${folder.replace(/\/$/, '')}/x`, host);
      if (url === undefined) continue;
      const target = targetOf(url, host);
      if (target === null) return null;
      targets.push(target);
    }
  return targets;
}

/** The path in a log line with AH01630 or AH01797. Null for other lines. */
export function refusedFile(message: string): string | null {
  return /client denied by server configuration: (?:uri )?(\/.*?)(?:, referer: .*)?$/.exec(message)?.[1] ?? null;
}

// ---------------------------------------------------------------------------------------------------------------------

const MAX_REQUESTS = 20;

/** Limit of URLs that are decided to find the reasons of one configuration. */
const MAX_DECIDED_URLS = 100;

function isSamePlace(a: RequestPlace | null, b: RequestPlace): boolean {
  return a !== null && a.file === b.file && a.line === b.line;
}

interface HostOfUrl {
  /** Null for the main server. */
  readonly scope: Scope | null;
  /** The scopes whose lines map its URLs: the virtual host, then the main server. */
  readonly scopes: readonly Scope[];
  readonly name: string | null;
  readonly port: number | null;
  /** The lines that map its URLs, the document root last. */
  readonly mappings: readonly (ServedFolder | UsersFolders)[];
  /** The directories of its DocumentRoot and Alias lines. */
  readonly servedFolders: readonly string[];
}

interface ServedFolder {
  readonly url: string;
  readonly folder: string;
}

/** The paths of a UserDir line. */
interface UsersFolders {
  readonly templates: readonly string[];
}

function hostsOf(site: Site): HostOfUrl[] {
  const [reading] = site.hostReadings;
  const first = reading?.connections[0]?.port ?? null;
  const made = (scope: Scope | null, name: string | null, port: number | null): HostOfUrl => {
    const scopes = scope ? [scope, site.root] : [site.root];
    return {
      scope,
      scopes,
      name,
      port,
      mappings: mappingsOf(scopes, site),
      servedFolders: servedFolders(scopes, site),
    };
  };
  const hosts = (reading?.scopes ?? []).map((scope, index) => {
    const section = reading!.hosts.sections[index]!;
    const ports = section.addresses.map((word) => splitAddress(word, section.mainPort)?.port ?? 0);
    return made(scope, serverNameOf(reading!.hosts, section), ports.find((port) => port > 0) ?? first);
  });
  return [...hosts, made(null, reading?.hosts.mainName ?? null, first)];
}

function servedFolders(scopes: readonly Scope[], { configuration }: Site): string[] {
  const folders = new Set<string>();
  for (const { lines } of scopes)
    for (const line of lines) {
      if (!FOLDER_DIRECTIVES.has(line.line.name)) continue;
      const path = wordsOf(line)[line.line.name === 'documentroot' ? 0 : 1];
      if (path !== undefined) folders.add(resolvePath(configuration.serverRoot, path));
    }
  return [...folders];
}

const FOLDER_DIRECTIVES: ReadonlySet<string> = new Set(['documentroot', 'alias', 'scriptalias']);

/** The lines of a host that map URLs; equal ones once. */
function mappingsOf(scopes: readonly Scope[], { configuration }: Site): (ServedFolder | UsersFolders)[] {
  const found = new Map<string, ServedFolder | UsersFolders>();
  const folderOf = (path: string) => resolvePath(configuration.serverRoot, path);
  const add = (mapping: ServedFolder | UsersFolders) => {
    const key = JSON.stringify(mapping);
    if (!found.has(key)) found.set(key, mapping);
  };
  for (const { lines } of scopes)
    for (const line of lines) {
      if (line.activity === 'inactive') continue;
      const { name } = line.line;
      if (name === 'alias' || name === 'scriptalias') {
        const [url = '', path = ''] = wordsOf(line);
        add({ url, folder: folderOf(path) });
      } else if (name === 'userdir') add({ templates: wordsOf(line).filter((word) => isAbsolute(word)) });
    }
  const root = scopes.flatMap(({ lines }) => lines.findLast(({ line }) => line.name === 'documentroot') ?? [])[0];
  return [...found.values(), ...(root ? [{ url: '', folder: folderOf(wordsOf(root)[0] ?? '') }] : [])];
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

/** The URLs of a host that lead to a file, in the order of its lines. */
function urlsOf(file: string, { mappings }: HostOfUrl): string[] {
  return mappings.flatMap((mapping) => {
    if ('templates' in mapping) return urlsOfUsers(mapping, file);
    const { url, folder } = mapping;
    if (!isWithin(file, folder)) return [];
    return [`${url.replace(/\/$/, '')}${file.slice(folder === '/' ? 0 : folder.length)}` || '/'];
  });
}

function urlsOfUsers({ templates }: UsersFolders, file: string): string[] {
  return templates.flatMap((path) => {
    const [before = '', after = ''] = path.includes('*') ? path.split('*') : [`${path}/`, ''];
    const user = file.startsWith(before) ? file.slice(before.length).split('/')[0] : undefined;
    return user && file.startsWith(before + user + after)
      ? [`/~${user}${file.slice((before + user + after).length)}`]
      : [];
  });
}
