/**
 * Finds the requests that lead to a file, because a log line about a refused client names only the
 * file. Each DocumentRoot, Alias and UserDir of each virtual host gives a URL to try, and `decide`
 * checks whether the URL leads to the file.
 */
import { hasUnknownPart } from '../access/require';
import type { Activity } from '../config/activity';
import type { ConfigLine, Scope } from '../config/configuration';
import { isMainFileTree } from '../config/file-summary';
import { isAbsolute, isWithin, resolvePath } from '../config/files';
import { PathIndex } from '../config/path-index';
import { serverNameOf, splitAddress } from '../config/virtual-hosts';
import { decide, workLimit } from './decide';
import type { Request, RequestConfiguration, FileLine, RequestTarget } from './model';
import { siteOf, wordsOf, type Site } from './site';
import { cacheOf, lazy } from '../syntax/memory';

/** Requests of a client to each URL that leads to a file, in the order of the virtual hosts. */
export function requestsToFile(file: string, from: string | null, configuration: RequestConfiguration): Request[] {
  const site = siteOf(configuration, '2.4-compat');
  if (!site) return [];
  const filePath = file.replace(/(?<=.)\/$/, '');
  const requests: Request[] = [];
  for (const host of hostsOf(site)) {
    for (const url of new Set(urlsOfFile(file, host))) {
      const request = requestTo(url, host, from);
      const { target, host: answeringHost } = decide(request, configuration, '2.4-compat');
      const isAnsweredByHost = host.scope
        ? isSamePlace(answeringHost.place, site.placeOf(host.scope))
        : answeringHost.name === 'main server';
      if (isAnsweredByHost && target.path.replace(/(?<=.)\/$/, '') === filePath) requests.push(request);
      if (requests.length >= MAX_REQUESTS_TO_FILE) return requests;
    }
  }
  return requests;
}

/**
 * Why no URL was found for a section. `what`: the reason as text. `place`: the line that causes it;
 * null if no single line does.
 */
export interface UnreachedReason {
  readonly what: string;
  readonly place: FileLine | null;
  /** Set if URLs may lead to the section, because the line at `place` has a pattern. */
  readonly mayBeReached?: boolean;
  /** Set if certainly no URL leads to the directory of the section. */
  readonly isCertain?: true;
  /** Set if the search for URLs was stopped, so that nothing is known about the section. */
  readonly isStopped?: true;
}

/**
 * Returns a function that finds the reason why no URL leads to a section. That function returns
 * null if the reason is unknown: for patterns, for missing files, and after `MAX_DECIDED_URLS`
 * URLs.
 */
export function unreachedReasons(configuration: RequestConfiguration): (scope: Scope) => UnreachedReason | null {
  const reasonOfDirectory = reasonsOfDirectories(configuration);
  return (scope) => {
    const reason = reasonInTag(scope);
    const directoryPath = reason === null ? directoryPathOf(scope) : null;
    return directoryPath === null ? reason : reasonOfDirectory(directoryPath, scope.parent);
  };
}

/** Why no URL leads to the directory of a section in a template. */
export const TEMPLATE_PATH = 'its path is a placeholder of a template';

/**
 * Possible reasons, as sentences, why no URL was found for some sections. Null if only a part of a
 * configuration was given, which is then the reason.
 */
export function reasonsForNoUrl(configuration: RequestConfiguration, scopes: readonly Scope[]): string[] | null {
  const site = siteOf(configuration, '2.4-compat');
  const mainTree = configuration.files.view.read(configuration.mainFile);
  if (site === null || (mainTree !== null && !isMainFileTree(mainTree.root, configuration.mainFile))) return null;
  const lines = linesWithin(site.root);
  // If a virtual host has each port, the lines of the main server answer no request.
  const hasHosts = site.root.children.some(({ kind }) => kind === 'virtualhost');
  const isProxy = ({ kind }: Scope) => kind.startsWith('proxy');
  const isLocation = ({ kind }: Scope) => kind.startsWith('location');
  const their = scopes.length === 1 ? 'its' : 'their';
  const reasons = [
    scopes.some(isProxy) &&
      'A <Proxy> section applies only to proxied requests, and no URL that was tried is proxied to a URL that it matches.',
    scopes.some(isLocation) && `No URL that was tried matches ${their} path or pattern.`,
    scopes.some((scope) => !isProxy(scope) && !isLocation(scope)) &&
      (hasHosts
        ? `No virtual host that answers requests has a DocumentRoot or Alias for ${their} directories or files.`
        : `No DocumentRoot or Alias leads to ${their} directories or files.`),
    !scopes.every(isProxy) &&
      lines.some(({ line }) => URL_TAKING_DIRECTIVE.test(line.name)) &&
      `A proxy or a rewrite rule takes ${their} URLs.`,
    [...lines, ...site.root.children].some(({ activity }) => activity !== 'active') &&
      'A condition, such as <IfDefine>, is false or not known. Run again with the -D options of the server.',
    site.configuration.gaps.length > 0 && 'Files of the configuration are not in this copy.',
  ];
  return reasons.filter((reason) => reason !== false);
}

/** The lines of a scope and of all sections in it. */
function linesWithin({ lines, children }: Scope): ConfigLine[] {
  return [...lines, ...children.flatMap(linesWithin)];
}

/** Matches directives that can take the URL of a section to another place. */
const URL_TAKING_DIRECTIVE = /^(?:proxypass(?:match)?|rewriterule|jkmount|wsgiscriptalias(?:match)?)$/;

/**
 * Like `unreachedReasons`, but the returned function takes the path of a directory. Its parameter
 * `server` is the virtual host whose URLs count; without it, those of all hosts do.
 */
export function reasonsOfDirectories(
  configuration: RequestConfiguration,
): (path: string, server?: Scope | null) => UnreachedReason | null {
  const site = siteOf(configuration, '2.4-compat');
  if (site === null) return () => null;
  const hostsOfSite = lazy(() => hostsOf(site));
  const indexByScope = lazy(() => new Map(hostsOfSite().map(({ scope }, index) => [scope, index])));
  const otherMappings = lazy(() =>
    [site.root, ...hostsOfSite().flatMap(({ scope }) => scope ?? [])]
      .flatMap(({ lines }) => lines)
      .filter(({ line, activity }) => OTHER_MAPPINGS.has(line.name) && activity !== 'inactive'),
  );
  const mayLeadToDirectory = lazy(() => directoriesOfMappings(site));
  const limit = lazy(() => workLimit(site));
  const targetByUrl = new Map<string, RequestTarget>();
  const targetOf: TargetOf = (url, host) => {
    const hostAndUrl = `${indexByScope().get(host.scope)} ${url}`;
    const knownTarget = targetByUrl.get(hostAndUrl);
    if (knownTarget || targetByUrl.size >= MAX_DECIDED_URLS || !limit().mayGoOn()) return knownTarget ?? null;
    const { target } = decide(requestTo(url, host, null), configuration, '2.4-compat', { limit: limit() });
    // After the limit, some possible answers were not computed, so the target is uncertain.
    if (!limit().mayGoOn()) return null;
    targetByUrl.set(hostAndUrl, target);
    return target;
  };
  const reasonByKey = new Map<string, UnreachedReason | null>();
  const reasonOfDirectory = (path: string, hosts: readonly HostOfUrl[]): UnreachedReason | null => {
    const targets = targetsOfDirectory(path, hosts, targetOf);
    if (targets === null) return null;
    if (targets.length === 0) return reasonWithoutMapping(path, mayLeadToDirectory()(path), otherMappings(), site);
    const [{ kind: kindOfTarget, place }] = targets as [RequestTarget];
    const reasonText = REASON_BY_TARGET[kindOfTarget];
    return reasonText !== undefined && targets.every((target) => target.kind === kindOfTarget)
      ? { what: reasonText, place }
      : null;
  };
  return (path, server = null) => {
    const hostIndex = server === null ? -1 : (indexByScope().get(server) ?? -1);
    const key = `${hostIndex} ${path}`;
    const cachedReason = reasonByKey.get(key);
    if (cachedReason !== undefined) return cachedReason;
    const reason = reasonOfDirectory(path, hostIndex < 0 ? hostsOfSite() : [hostsOfSite()[hostIndex]!]);
    reasonByKey.set(key, reason);
    return reason;
  };
}

/** Where a URL of a host leads. Null after the limit is reached. */
type TargetOf = (url: string, host: HostOfUrl) => RequestTarget | null;

/**
 * Why no URL was found for a section, if a variable or a placeholder in its tag is the cause, or a
 * condition around it. Null otherwise.
 */
function reasonInTag({ words, activity }: Scope): UnreachedReason | null {
  if (words.some((word) => word.includes('${'))) return { what: 'no line here defines its variable', place: null };
  if (words.some((word) => /@\w+@/.test(word))) return { what: TEMPLATE_PATH, place: null };
  if (activity !== 'active') return { what: 'a condition around it, such as `<IfDefine>`, may be false', place: null };
  return null;
}

/** The path of a `<Directory>` section without a pattern; null for other sections. */
function directoryPathOf({ kind, words }: Scope): string | null {
  const [path] = words;
  return kind === 'directory' && words.length === 1 && isAbsolute(path!) && !/[*?[\]$]/.test(path!) ? path! : null;
}

/**
 * The reason for a directory to which no DocumentRoot or Alias leads. `mayBeMapped`: whether a line
 * may map a URL to it. `otherMappings`: the lines that map URLs by patterns. Null if a pattern may
 * map a URL to the directory in a way that is not known.
 */
function reasonWithoutMapping(
  path: string,
  mayBeMapped: boolean,
  otherMappings: readonly ConfigLine[],
  site: Site,
): UnreachedReason | null {
  const isCertain = site.configuration.gaps.length === 0 && !mayBeMapped;
  if (isCertain || otherMappings.length === 0)
    return {
      what: 'no `DocumentRoot` or `Alias` leads to this directory',
      place: null,
      ...(isCertain && { isCertain }),
    };
  const mapping = otherMappings.find((each) =>
    wordsOf(each).some((word, index) => index > 0 && isWithin(word.replace(/\$\d.*$/s, ''), path)),
  );
  return mapping === undefined
    ? null
    : {
        what: `\`${mapping.line.text.trim().split(/\s/, 1)[0]}\` leads to this directory; its pattern does not show a URL`,
        place: site.placeOf(mapping),
        mayBeReached: true,
      };
}

function virtualHostsOf({ root }: Site): readonly Scope[] {
  return root.children.filter(({ kind }) => kind === 'virtualhost');
}

/**
 * Whether URLs of a virtual host may lead to a directory, or to a directory above or below it.
 * `host`: null for the main server. True if a part of the configuration is missing.
 */
export function mayServeDirectory(directory: string, host: Scope | null, site: Site): boolean {
  if (site.configuration.gaps.length > 0) return true;
  return mappingLines(host, site).some((configLine) => mayLeadTo(configLine, directory, site));
}

/**
 * The lines that map URLs, of a virtual host, of the main server and of their Location sections.
 */
function mappingLines(host: Scope | null, { root }: Site): readonly ConfigLine[] {
  const isDocumentRoot = ({ line, activity }: ConfigLine) => line.name === 'documentroot' && activity === 'active';
  const linesOfHost = host === null ? [] : mappingLinesIn(host);
  const linesOfServer = mappingLinesIn(root);
  return linesOfHost.some(isDocumentRoot)
    ? [...linesOfHost, ...linesOfServer.filter((configLine) => !isDocumentRoot(configLine))]
    : [...linesOfHost, ...linesOfServer];
}

/** The lines that map URLs, of a scope and of its Location sections. */
function mappingLinesIn(scope: Scope): readonly ConfigLine[] {
  const cachedLines = mappingLinesByScope.get(scope);
  if (cachedLines) return cachedLines;
  const isMappingLine = ({ line, activity }: ConfigLine) =>
    activity !== 'inactive' && (OTHER_MAPPINGS.has(line.name) || USUAL_MAPPINGS.has(line.name));
  const lines = [
    ...scope.lines.filter(isMappingLine),
    ...scope.children.filter(({ kind }) => kind.startsWith('location')).flatMap(mappingLinesIn),
  ];
  mappingLinesByScope.set(scope, lines);
  return lines;
}

const mappingLinesByScope = cacheOf<Scope, readonly ConfigLine[]>();

/**
 * Returns a function like `mayLeadTo` for all lines of a site that map URLs: those of the main
 * server and of all virtual hosts. Lines that map to the same paths count once, because thousands
 * of hosts often have the same lines.
 */
function directoriesOfMappings(site: Site): (directory: string) => boolean {
  const lineByPaths = new Map<string, ConfigLine>();
  for (const scope of [site.root, ...virtualHostsOf(site)])
    for (const configLine of mappingLinesIn(scope)) {
      const paths = mappedPaths(configLine);
      const key = [configLine.line.name, ...paths].join('\0');
      if (paths.length > 0 && !lineByPaths.has(key)) lineByPaths.set(key, configLine);
    }
  const isPlain = (configLine: ConfigLine) =>
    !MAPPING_OF_USERS_OR_HOSTS.test(configLine.line.name) &&
    mappedPaths(configLine).every((path) => !hasUnknownPart(path) && !/[$%*]/.test(path));
  const distinctLines = [...lineByPaths.values()];
  const otherLines = distinctLines.filter((configLine) => !isPlain(configLine));
  const folders = distinctLines
    .filter(isPlain)
    .flatMap(mappedPaths)
    .map((path) => resolvePath(site.configuration.serverRoot, path));
  const foldersByPath = new PathIndex(folders, (folder) => folder);
  return (directory) =>
    foldersByPath.itemsAround(directory).length > 0 ||
    foldersByPath.itemsIn(directory).length > 0 ||
    otherLines.some((configLine) => mayLeadTo(configLine, directory, site));
}

/**
 * The paths to which a line maps URLs. A relative substitution of a RewriteRule is left out: it
 * leads to the directory that the URL already leads to.
 */
function mappedPaths(configLine: ConfigLine): readonly string[] {
  const { name } = configLine.line;
  const words = wordsOf(configLine);
  if (MAPPING_OF_USERS_OR_HOSTS.test(name)) return words;
  const paths = words.slice(name === 'documentroot' ? 0 : 1).slice(0, 1);
  return name === 'rewriterule' ? paths.filter((path) => hasUnknownPart(path) || isAbsolute(path)) : paths;
}

/** Whether a line may map a URL to a file in a directory, or in a directory above or below it. */
function mayLeadTo(configLine: ConfigLine, directory: string, { configuration }: Site): boolean {
  const { name } = configLine.line;
  return mappedPaths(configLine).some((path) => {
    if (hasUnknownPart(path)) return true;
    const isPath = isAbsolute(path);
    if (!isPath && name === 'userdir') return `${directory}/`.includes(`/${path}/`);
    const [plainPart = ''] = path.split(/[$%*]/, 1);
    if (plainPart === path) {
      const folder = resolvePath(configuration.serverRoot, path);
      return isWithin(folder, directory) || isWithin(directory, folder);
    }
    const startOfPath = isPath ? plainPart : resolvePath(configuration.serverRoot, plainPart);
    return directory.startsWith(startOfPath) || startOfPath.startsWith(directory);
  });
}

/** Matches directives whose arguments are all paths, with parts for a user or a host. */
const MAPPING_OF_USERS_OR_HOSTS = /^(?:userdir|virtual)/;
/** Directives that map URLs without patterns. */
const USUAL_MAPPINGS: ReadonlySet<string> = new Set(['documentroot', 'alias', 'scriptalias']);

/** Directives that map URLs by patterns, users or hosts. */
const OTHER_MAPPINGS: ReadonlySet<string> = new Set([
  'aliasmatch',
  'scriptaliasmatch',
  'rewriterule',
  'userdir',
  'virtualdocumentroot',
  'virtualscriptalias',
]);

/** Why no URL leads to a directory, if its URLs have this kind of target. */
const REASON_BY_TARGET: Partial<Record<RequestTarget['kind'], string>> = {
  proxy: 'a proxy takes the URLs of this directory',
  redirect: 'a redirect takes the URLs of this directory',
};

/**
 * The targets of URLs that should lead to a directory: for each host, a URL of the directory itself
 * and of each served directory in it. Null if the limit of decided URLs is reached.
 */
function targetsOfDirectory(
  path: string,
  hosts: readonly HostOfUrl[],
  targetOf: TargetOf,
): readonly RequestTarget[] | null {
  const targets: RequestTarget[] = [];
  for (const host of hosts)
    for (const folder of [path, ...servedFoldersIn(path, host)]) {
      const [url] = urlsOfFile(`${folder.replace(/\/$/, '')}/x`, host);
      if (url === undefined) continue;
      const target = targetOf(url, host);
      if (target === null) return null;
      targets.push(target);
    }
  return targets;
}

/** The served directories of a host that are in a directory. */
function servedFoldersIn(path: string, { mappings }: HostOfUrl): readonly string[] {
  return mappings.flatMap(({ servedFolders }) => servedFolders.itemsIn(path));
}

/** The path in a log line with AH01630 or AH01797. Null for other lines. */
export function pathInRefusal(message: string): string | null {
  return /client denied by server configuration: (?:uri )?(\/.*?)(?:, referer: .*)?$/.exec(message)?.[1] ?? null;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Maximum number of requests that are found for one file. */
const MAX_REQUESTS_TO_FILE = 20;

/** Limit of URLs that are decided to find the reasons of one configuration. */
const MAX_DECIDED_URLS = 100;

function isSamePlace(a: FileLine | null, b: FileLine): boolean {
  return a !== null && a.file === b.file && a.line === b.line;
}

/** A virtual host or the main server, with the lines that map its URLs. */
interface HostOfUrl {
  /** Null for the main server. */
  readonly scope: Scope | null;
  readonly name: string | null;
  readonly port: number | null;
  /** The lines that map its URLs: those of the virtual host, then those of the main server. */
  readonly mappings: readonly ScopeMappings[];
}

/** The lines of the main server or of a virtual host that map URLs. */
interface ScopeMappings {
  /** Alias and UserDir lines, without duplicates, by the directories of the Alias lines. */
  readonly mappings: PathIndex<ServedFolder | UsersFolders>;
  /** The last DocumentRoot; null if there is none. */
  readonly documentRoot: string | null;
  /** The directories of DocumentRoot and Alias lines, also of inactive ones. */
  readonly servedFolders: PathIndex<string>;
}

/** A URL, and the directory to which an Alias line maps it. */
interface ServedFolder {
  readonly url: string;
  readonly folder: string;
}

/** The paths of a UserDir line. */
interface UsersFolders {
  /**
   * The absolute paths. A `*` stands for the name of the user; without it, the name is added at the
   * end.
   */
  readonly pathTemplates: readonly string[];
}

/** The virtual hosts of a site, then the main server. */
function hostsOf(site: Site): HostOfUrl[] {
  const [firstReading] = site.hostReadings;
  const firstPort = firstReading?.connections[0]?.port ?? null;
  const mappingsOfMainServer = mappingsOf(site.root, site);
  const hosts = (firstReading?.scopes ?? []).map((scope, index): HostOfUrl => {
    const section = firstReading!.hosts.sections[index]!;
    const ports = section.addresses.map((word) => splitAddress(word, section.mainPort)?.port ?? 0);
    return {
      scope,
      name: serverNameOf(firstReading!.hosts, section),
      port: ports.find((port) => port > 0) ?? firstPort,
      mappings: [mappingsOf(scope, site), mappingsOfMainServer],
    };
  });
  return [
    ...hosts,
    { scope: null, name: firstReading?.hosts.mainName ?? null, port: firstPort, mappings: [mappingsOfMainServer] },
  ];
}

/** Reads the lines of a scope that map URLs. */
function mappingsOf({ lines }: Scope, { configuration }: Site): ScopeMappings {
  const mappingByKey = new Map<string, ServedFolder | UsersFolders>();
  const folders = new Set<string>();
  const folderOf = (path: string) => resolvePath(configuration.serverRoot, path);
  let documentRoot: string | null = null;
  const addMapping = (mapping: ServedFolder | UsersFolders, activity: Activity) => {
    if (activity !== 'inactive') mappingByKey.set(JSON.stringify(mapping), mapping);
  };
  for (const configLine of lines) {
    const { name } = configLine.line;
    if (name === 'documentroot') {
      documentRoot = folderOf(wordsOf(configLine)[0] ?? '');
      folders.add(documentRoot);
    } else if (name === 'alias' || name === 'scriptalias') {
      const [url = '', path = ''] = wordsOf(configLine);
      folders.add(folderOf(path));
      addMapping({ url, folder: folderOf(path) }, configLine.activity);
    } else if (name === 'userdir')
      addMapping({ pathTemplates: wordsOf(configLine).filter((word) => isAbsolute(word)) }, configLine.activity);
  }
  return {
    mappings: new PathIndex([...mappingByKey.values()], (mapping) => ('folder' in mapping ? mapping.folder : '')),
    documentRoot,
    servedFolders: new PathIndex([...folders], (folder) => folder),
  };
}

/** The request of a client for a URL of a host. */
function requestTo(url: string, { name, port }: HostOfUrl, clientAddress: string | null): Request {
  return {
    method: 'GET',
    path: encodeURI(url),
    query: '',
    host: name?.toLowerCase() ?? null,
    port,
    isSecure: port === 443,
    from: clientAddress,
    user: null,
    headers: new Map(),
  };
}

/** The URLs of a host that lead to a file, in the order of its lines; the document root is last. */
function urlsOfFile(file: string, { mappings }: HostOfUrl): string[] {
  const urlsInFolder = ({ url, folder }: ServedFolder): string[] =>
    isWithin(file, folder) ? [`${url.replace(/\/$/, '')}${file.slice(folder === '/' ? 0 : folder.length)}` || '/'] : [];
  const documentRoot = mappings.find((each) => each.documentRoot !== null)?.documentRoot;
  return [
    ...mappings
      .flatMap((each) => each.mappings.itemsAround(file))
      .flatMap((mapping) => ('pathTemplates' in mapping ? urlsOfUsers(mapping, file) : urlsInFolder(mapping))),
    ...(documentRoot == null ? [] : urlsInFolder({ url: '', folder: documentRoot })),
  ];
}

/** The URLs of users (`/~user/…`) that lead to a file. */
function urlsOfUsers({ pathTemplates }: UsersFolders, file: string): string[] {
  return pathTemplates.flatMap((path) => {
    const [pathBeforeName = '', pathAfterName = ''] = path.includes('*') ? path.split('*') : [`${path}/`, ''];
    const user = file.startsWith(pathBeforeName) ? file.slice(pathBeforeName.length).split('/')[0] : undefined;
    return user && file.startsWith(pathBeforeName + user + pathAfterName)
      ? [`/~${user}${file.slice((pathBeforeName + user + pathAfterName).length)}`]
      : [];
  });
}
