/**
 * Finds URLs to try, so that each section of a configuration applies to one of them. The URLs are
 * made from arguments of sections, lines that map URLs to directories, and .htaccess files. Some
 * URLs lead nowhere: `decide` finds out which sections apply to a URL.
 */
import { discoverHtaccess, type DiscoveredHtaccess } from '../access/htaccess-files';
import type { ConfigLine, Scope } from '../config/configuration';
import { hasWildcard, isAbsolute, joinedPath, resolvePath } from '../config/files';
import { PathIndex } from '../config/path-index';
import { cacheOf, counters } from '../syntax/memory';
import { sectionsWithoutHosts } from './asking';
import { matchesGlob } from './patterns';
import { globSample, regexSamples } from './sample';
import { wordsOf, type Site } from './site';
import { regexMatches } from '../syntax/regex-match';

/** A host name and port whose requests go to the main server or to a virtual host. */
export interface HostToTry {
  readonly name: string | null;
  readonly port: number | null;
  readonly isSecure: boolean;
  /** Null for the main server. */
  readonly scope: Scope | null;
}

const hostsBySite = cacheOf<Site, readonly HostToTry[]>();

/** The host names and ports to try: first those of the virtual hosts, then the main server's. */
export function hostsToTry(site: Site): readonly HostToTry[] {
  let hosts = hostsBySite.get(site);
  if (!hosts) hostsBySite.set(site, (hosts = findHosts(site)));
  return hosts;
}

/** Finds the hosts for `hostsToTry`. */
function findHosts(site: Site): HostToTry[] {
  const hostScopes = site.root.children.filter(
    ({ kind, activity }) => kind === 'virtualhost' && activity !== 'inactive',
  );
  const rootLine = virtualRootLineIn(site.root);
  const ports = [...new Set(site.hostReadings.flatMap(({ connections }) => connections.map(({ port }) => port)))];
  const [firstPort = listenedPort(site)] = ports;
  return [
    ...hostScopes.map((scope): HostToTry => {
      const port = Number(/:(\d+)$/.exec(scope.words[0] ?? '')?.[1] ?? firstPort ?? Number.NaN);
      const usesTls = scope.lines.some(
        (configLine) =>
          configLine.line.name === 'sslengine' &&
          wordsOf(configLine)[0]?.toLowerCase() !== 'off' &&
          configLine.activity !== 'inactive',
      );
      return {
        name: nameOf(scope),
        port: Number.isNaN(port) ? null : port,
        isSecure: usesTls || port === 443,
        scope,
      };
    }),
    { name: hostScopes.length > 0 ? null : nameOf(site.root), port: firstPort ?? null, isSecure: false, scope: null },
  ].flatMap((host) => withFolderNames(host, site, (host.scope && virtualRootLineIn(host.scope)) ?? rootLine));
}

/** The last VirtualDocumentRoot line of a scope. Null if there is none. */
function virtualRootLineIn({ lines }: Scope): ConfigLine | null {
  return (
    lines.findLast(
      (configLine) => configLine.line.name === 'virtualdocumentroot' && configLine.activity !== 'inactive',
    ) ?? null
  );
}

/**
 * Returns the hosts to try instead of a host. If its document root depends on the requested name
 * (VirtualDocumentRoot), these are hosts whose directory exists or has a section. Otherwise it is
 * the host itself.
 */
function withFolderNames(host: HostToTry, site: Site, virtualRootLine: ConfigLine | null): HostToTry[] {
  if (!virtualRootLine) return [host];
  const [, base, part] = /^(\/[^%]*)\/%(0|1|-1)(?:\/|$)/.exec(wordsOf(virtualRootLine)[0] ?? '') ?? [];
  const folders = base === undefined ? [] : [...namesBelow(base, host, site), ...(site.namesInFolder(base) ?? [])];
  const validNames = [...new Set(folders)].filter((name) => /^[a-z\d-]+$/.test(name));
  const hostNames = validNames.slice(0, MAX_NAMES).map((name) => (part === '1' ? `${name}.example.com` : name));
  return [
    ...(host.name === null ? [] : [host]),
    ...[...hostNames, 'www.example.com'].map((name) => ({ ...host, name })),
  ];
}

/** The names of directories directly below `base` that `<Directory>` sections name. */
function namesBelow(base: string, host: HostToTry, site: Site): string[] {
  return [site.root, ...(host.scope ? [host.scope] : [])]
    .flatMap(sectionsWithoutHosts)
    .flatMap(({ kind, words }) =>
      kind === 'directory' && words.length === 1 && words[0]!.startsWith(`${base}/`)
        ? [words[0]!.slice(base.length + 1).split('/', 1)[0]!]
        : [],
    );
}

/** Whether the search for URLs was complete. */
export interface SearchState {
  /** False if a limit left out a URL. Then it is unknown whether a URL reaches a section. */
  isComplete: boolean;
}

/**
 * The paths to try for a host, with escapes, the simplest first. At most `maxPaths`: if there are
 * more, sets `searchState.isComplete` to false.
 */
export function pathsToTry(
  site: Site,
  host: Scope | null,
  searchState: SearchState,
  maxPaths: number = MAX_PATHS,
): string[] {
  return new UrlCandidates(site, host, searchState, maxPaths).allUrls();
}

/**
 * For tests: counts the URLs that were made from lines and sections. The same URL can count several
 * times.
 */
export const urlCounts = counters({ made: 0 });

/** The .htaccess files that the server may read. `folder` of each is a path on the server. */
export function accessFilesOf(site: Site): readonly Scope[] {
  return discoveredHtaccess(site).files.map(({ scope }) => scope);
}

// ---------------------------------------------------------------------------------------------------------------------

const discoveredBySite = cacheOf<Site, DiscoveredHtaccess>();

/** The .htaccess files of a site, from the cache or searched now. */
function discoveredHtaccess(site: Site): DiscoveredHtaccess {
  let htaccessFiles = discoveredBySite.get(site);
  if (!htaccessFiles) discoveredBySite.set(site, (htaccessFiles = discoverHtaccess(site.configuration, site.view)));
  return htaccessFiles;
}

/** Maximum number of URLs for a host. Without it, thousands of sections would take too long. */
const MAX_PATHS = 3000;
/** Maximum number of files, directories or users that are taken from one list. */
const MAX_LIST_ITEMS = 40;
/** Maximum number of served directories of a host. */
const MAX_FOLDERS = 300;
/** Maximum number of host names, and of file names, that are tried in all directories. */
const MAX_NAMES = 10;

/** The port of the first Listen line; null if there is none. */
function listenedPort({ root }: Site): number | null {
  const listenLine = root.lines.find(
    (configLine) => configLine.line.name === 'listen' && configLine.activity !== 'inactive',
  );
  const port = /(?:^|:)(\d+)$/.exec(listenLine ? (wordsOf(listenLine)[0] ?? '') : '')?.[1];
  return port === undefined ? null : Number(port);
}

/**
 * The first usable name of a server, from ServerName and ServerAlias. A wildcard becomes `x`. Null
 * if there is none.
 */
function nameOf(scope: Scope): string | null {
  const linesOfDirective = (name: string) =>
    scope.lines.filter(({ line, activity }) => line.name === name && activity !== 'inactive');
  const namesInLines = [...linesOfDirective('servername').slice(-1), ...linesOfDirective('serveralias')].flatMap(
    wordsOf,
  );
  const namesWithoutPort = namesInLines
    .map((each) => each.replace(/^[a-z]+:\/\//i, '').replace(/:\d+$/, ''))
    .map((each) => each.replace(/\*/g, 'x').replace(/\?/g, 'x'));
  return namesWithoutPort.find((each) => /^[\w.-]+$/.test(each))?.toLowerCase() ?? null;
}

/** Directives whose arguments are URLs of this server, or patterns for them. */
const DIRECTIVES_WITH_URLS: ReadonlySet<string> = new Set([
  'alias',
  'scriptalias',
  'aliasmatch',
  'scriptaliasmatch',
  'userdir',
  'proxypass',
  'proxypassmatch',
]);

const urlLinesByScope = cacheOf<Scope, readonly ConfigLine[]>();

/**
 * The lines of a server that name URLs and may apply. Those of the main server are needed for each
 * host.
 */
function linesWithUrls(scope: Scope): readonly ConfigLine[] {
  let lines = urlLinesByScope.get(scope);
  if (!lines)
    urlLinesByScope.set(
      scope,
      (lines = scope.lines.filter(
        ({ line, activity }) => activity !== 'inactive' && DIRECTIVES_WITH_URLS.has(line.name),
      )),
    );
  return lines;
}

/** A URL and the path to which it leads. */
interface UrlMapping {
  /** Without a slash at its end. Empty for the document root. */
  readonly url: string;
  readonly path: string;
}

/** Collects the URLs to try for one host. */
class UrlCandidates {
  private readonly foundPaths = new Set<string>();
  private readonly mappings: readonly UrlMapping[];
  private readonly mappingsByPath: PathIndex<UrlMapping>;
  private readonly scopes: readonly Scope[];
  private cachedServedFolders: readonly string[] | null = null;
  private cachedNamedFolders: readonly string[] | null = null;
  private readonly urlsByFolder = new Map<string, readonly UrlMapping[]>();
  private readonly foldersByArgument = new Map<string, readonly string[]>();
  /** Sections whose URLs were added: their kind, argument, and folder. */
  private readonly addedSections = new Set<string>();
  /** File names in `<Files>` sections that may be in any directory. */
  private readonly fileNames = new Set<string>();

  constructor(
    private readonly site: Site,
    host: Scope | null,
    private readonly searchState: SearchState,
    private readonly maxPaths: number,
  ) {
    this.scopes = host ? [host, site.root] : [site.root];
    this.mappings = this.findMappings();
    this.mappingsByPath = new PathIndex(this.mappings, ({ path }) => path);
  }

  /** All URLs to try, the simplest first. */
  allUrls(): string[] {
    this.addFolder('', this.mappings.at(-1)?.path ?? '/');
    for (const scope of this.scopes) this.addScope(scope, null);
    for (const { url, path } of this.mappings) {
      if (this.endsSearchIfFull()) break;
      this.addFolder(url, path);
    }
    // Whether the server reads these files depends on AllowOverride. Here, all of them count.
    for (const folder of discoveredHtaccess(this.site).folders) {
      if (this.endsSearchIfFull()) break;
      this.addFolders(folder.replace(/(?<=.)\/$/, ''));
    }
    for (const scope of accessFilesOf(this.site)) this.addScope(scope, scope.folder!.replace(/(?<=.)\/$/, ''));
    this.addUrlsWithFileNames();
    return [...this.foundPaths];
  }

  /**
   * Returns whether the limit of URLs is reached. If so, records that the search is not complete.
   */
  private endsSearchIfFull(): boolean {
    if (this.isFull) this.searchState.isComplete = false;
    return this.isFull;
  }

  /**
   * Adds URLs with the names in `fileNames` in all directories of the found URLs. So a `<Files>`
   * section and the sections for a directory apply to one URL.
   */
  private addUrlsWithFileNames(): void {
    const bases = new Set([...this.foundPaths].map((url) => url.slice(0, url.lastIndexOf('/') + 1)));
    const basesWithoutEscapes = [...bases].filter((base) => !base.includes('%')).slice(0, MAX_LIST_ITEMS);
    for (const base of basesWithoutEscapes)
      for (const name of [...this.fileNames].slice(0, MAX_NAMES)) this.add(base + name);
  }

  /** Adds the file name in a URL to `fileNames`, which are tried in every directory. */
  private addFileName(url = ''): void {
    const fileName = url.slice(url.lastIndexOf('/') + 1);
    if (fileName !== '') this.fileNames.add(fileName);
  }

  /** The lines that map URLs to directories, the document root last. */
  private findMappings(): UrlMapping[] {
    const { serverRoot } = this.site.configuration;
    const possibleLines = this.scopes.flatMap((scope) => linesWithUrls(scope));
    const mappings = possibleLines.flatMap((configLine) => this.mappingsOf(configLine.line.name, wordsOf(configLine)));
    const patterns = new Set<string>();
    for (const configLine of possibleLines) {
      const patternKey = `${configLine.line.name} ${wordsOf(configLine)[0]}`;
      if (!patterns.has(patternKey)) this.addMatchingUrls(configLine.line.name, wordsOf(configLine));
      patterns.add(patternKey);
    }
    // The last DocumentRoot of the virtual host applies; if it has none, that of the main server.
    const documentRootLines = this.scopes.flatMap((scope) =>
      scope.lines
        .filter((configLine) => configLine.line.name === 'documentroot' && configLine.activity !== 'inactive')
        .slice(-1),
    );
    const documentRoot = documentRootLines[0] ? (wordsOf(documentRootLines[0])[0] ?? '') : 'htdocs';
    const mappingByKey = new Map(mappings.map((each) => [`${each.url}\0${each.path}`, each]));
    return [...mappingByKey.values(), { url: '', path: resolvePath(serverRoot, documentRoot) }];
  }

  /** The URLs that a line maps, each with the directory to which it leads. */
  private mappingsOf(name: string, words: readonly string[]): UrlMapping[] {
    const [firstWord = '', secondWord = ''] = words;
    if (name === 'alias' || name === 'scriptalias')
      return firstWord.startsWith('/') && secondWord !== ''
        ? [{ url: firstWord.replace(/\/$/, ''), path: resolvePath(this.site.configuration.serverRoot, secondWord) }]
        : [];
    if (name === 'aliasmatch' || name === 'scriptaliasmatch') return this.mappingsOfPrefix(firstWord, secondWord);
    if (name !== 'userdir') return [];
    return words
      .filter((sectionArgument) => isAbsolute(sectionArgument))
      .flatMap((sectionArgument) => this.directoriesOfUsers(sectionArgument));
  }

  /** The directories of users (UserDir) in this copy, and one that is missing. */
  private directoriesOfUsers(template: string): UrlMapping[] {
    const [pathBeforeName = '', pathAfterName = ''] = template.includes('*')
      ? template.split('*', 2)
      : [`${template}/`, ''];
    const users = pathBeforeName.endsWith('/')
      ? (this.site.namesInFolder(pathBeforeName.replace(/(?<=.)\/$/, '')) ?? [])
      : [];
    const existingUsers = users.filter(
      (name) => !/[*?]/.test(name) && this.site.kind(pathBeforeName + name + pathAfterName) === 'folder',
    );
    return [...existingUsers.slice(0, MAX_LIST_ITEMS), 'x'].map((name) => ({
      url: `/~${name}`,
      path: (pathBeforeName + name + pathAfterName).replace(/(?<=.)\/$/, ''),
    }));
  }

  /**
   * The mapping of an AliasMatch whose pattern is only a prefix: `^/icons(/.*)?$ /share/icons$1`.
   */
  private mappingsOfPrefix(pattern: string, target: string): UrlMapping[] {
    const [, prefix] = /^\^?(\/[\w/-]*)\(/.exec(pattern) ?? [];
    const [, folder] = /^([^$]*)\$1$/.exec(target) ?? [];
    if (prefix === undefined || folder === undefined) return [];
    const path = resolvePath(this.site.configuration.serverRoot, folder);
    return [{ url: prefix.replace(/\/$/, ''), path: path.replace(/(?<=.)\/$/, '') }];
  }

  /** Adds URLs that match a line with a pattern, or a line that leads to another server. */
  private addMatchingUrls(name: string, [firstArgument = '']: readonly string[]): void {
    if (name === 'aliasmatch' || name === 'scriptaliasmatch' || name === 'proxypassmatch')
      for (const url of regexSamples(firstArgument)) this.add(url);
    else if (name === 'proxypass' && firstArgument.startsWith('/')) this.add(`${firstArgument.replace(/\/$/, '')}/x`);
  }

  /**
   * Adds URLs for the sections in a scope. `folder`: the directory to which the scope applies; null
   * for a server.
   */
  private addScope(scope: Scope, folder: string | null): void {
    for (const child of sectionsWithoutHosts(scope)) {
      if (child.activity === 'inactive') continue;
      if (this.endsSearchIfFull()) return;
      const isTilde = child.words[0] === '~';
      const sectionArgument = (isTilde ? child.words[1] : child.words[0]) ?? '';
      const isRegex = isTilde || child.kind.endsWith('match');
      switch (child.kind) {
        case 'location':
        case 'locationmatch':
          if (this.markAsAdded(`${isRegex} ${sectionArgument}`)) this.addLocation(sectionArgument, isRegex);
          break;
        case 'directory':
        case 'directorymatch':
          for (const path of this.foldersOf(sectionArgument, isRegex)) {
            if (this.markAsAdded(`directory ${path}`)) this.addFolders(path);
            this.addScope(child, path);
          }
          break;
        case 'files':
        case 'filesmatch':
          if (this.markAsAdded(`files ${isRegex} ${sectionArgument}\0${folder}`))
            this.addFiles(sectionArgument, isRegex, folder);
          break;
        case 'if':
        case 'elseif':
        case 'else':
          this.addScope(child, folder);
          break;
        default:
      }
    }
  }

  /**
   * Marks the URLs of a section as added. Returns whether they were not marked before. `section`:
   * its kind, argument and folder.
   */
  private markAsAdded(section: string): boolean {
    return this.addedSections.size < this.addedSections.add(section).size;
  }

  /** Adds URLs to which a `<Location>` applies. */
  private addLocation(sectionArgument: string, isRegex: boolean): void {
    const urlsOfLocation = isRegex
      ? regexSamples(sectionArgument).flatMap((text) =>
          absolutePathsFor(text).filter((url) => regexMatches(sectionArgument, url) === true),
        )
      : hasWildcard(sectionArgument)
        ? [globSample(sectionArgument) ?? '']
        : [sectionArgument];
    if (isRegex && !sectionArgument.startsWith('^'))
      this.addFileName(urlsOfLocation.find((url) => !url.includes('/.')) ?? urlsOfLocation[0]);
    for (const url of urlsOfLocation) {
      if (!url.startsWith('/')) continue;
      const path = this.pathOfUrl(url);
      if (path !== null && (url.endsWith('/') || this.site.kind(path) === 'folder'))
        this.addFolder(url.replace(/\/$/, ''), path);
      this.add(url);
      if (!isRegex) this.add(`${url.replace(/\/$/, '')}/x`);
    }
  }

  /**
   * The directories to try for a `<Directory>`: its path; for a pattern, a sample that it matches,
   * and served directories that it matches.
   */
  private foldersOf(sectionArgument: string, isRegex: boolean): readonly string[] {
    const key = `${isRegex} ${sectionArgument}`;
    let folders = this.foldersByArgument.get(key);
    if (!folders) this.foldersByArgument.set(key, (folders = this.findFolders(sectionArgument, isRegex)));
    return folders;
  }

  private findFolders(sectionArgument: string, isRegex: boolean): string[] {
    if (!isRegex && !hasWildcard(sectionArgument)) return [resolvePath('/', sectionArgument)];
    if (!isRegex) {
      const sample = globSample(sectionArgument);
      const matchingFolders = this.servedFolders().filter(
        (path) => matchesGlob(sectionArgument, path) || matchesGlob(sectionArgument, `${path}/`),
      );
      return [...(sample === null ? [] : [resolvePath('/', sample)]), ...matchingFolders.slice(0, MAX_LIST_ITEMS)];
    }
    const sampledPaths = regexSamples(sectionArgument).flatMap((text) => [
      ...(text.startsWith('/') ? [text] : []),
      ...this.mappings.map(({ path }) => joinedPath(path, text.replace(/^\/+/, ''))),
    ]);
    const matchingFolders = this.servedFolders().filter((path) => regexMatches(sectionArgument, `${path}/`) === true);
    return [
      ...new Set([...sampledPaths.map((path) => resolvePath('/', path)), ...matchingFolders.slice(0, MAX_LIST_ITEMS)]),
    ];
  }

  /**
   * The served directories, and some directories in them that this copy has. The highest come
   * first.
   */
  private servedFolders(): readonly string[] {
    if (this.cachedServedFolders !== null) return this.cachedServedFolders;
    const folders = new Set(this.mappings.map(({ path }) => path).filter((path) => path !== '/'));
    for (const path of folders) {
      const entryNames = (this.site.namesInFolder(path) ?? []).slice(0, MAX_LIST_ITEMS);
      for (const name of entryNames)
        if (folders.size < MAX_FOLDERS && this.site.kind(joinedPath(path, name)) === 'folder')
          folders.add(joinedPath(path, name));
    }
    this.cachedServedFolders = [...folders];
    return this.cachedServedFolders;
  }

  /**
   * Adds URLs of files to which a `<Files>` applies, in `folder`; for null, in all named
   * directories.
   */
  private addFiles(sectionArgument: string, isRegex: boolean, folder: string | null): void {
    const fileNames = isRegex
      ? regexSamples(sectionArgument).flatMap((text) =>
          usualFileNames(text).filter((name) => regexMatches(sectionArgument, name)),
        )
      : hasWildcard(sectionArgument)
        ? [globSample(sectionArgument) ?? '']
        : [sectionArgument];
    if (folder === null) this.addFileName(fileNames[0]);
    const folders = folder === null ? [this.mappings.at(-1)!.path, ...this.namedFolders()] : [folder];
    for (const path of folders)
      for (const { url } of this.urlsOfFolder(path).slice(0, 3))
        for (const name of fileNames.slice(0, 3)) if (name !== '' && !name.includes('/')) this.add(`${url}/${name}`);
  }

  /**
   * The directories of sections and aliases. A `<Files>` section can change access in each of them.
   */
  private namedFolders(): readonly string[] {
    if (this.cachedNamedFolders !== null) return this.cachedNamedFolders;
    const namedFolders = this.scopes.flatMap(({ children }) =>
      children.flatMap(({ kind, words }) =>
        kind === 'directory' && words.length === 1 && !hasWildcard(words[0]!) ? [resolvePath('/', words[0]!)] : [],
      ),
    );
    this.cachedNamedFolders = [...new Set([...namedFolders, ...this.mappings.map(({ path }) => path)])].slice(
      0,
      MAX_LIST_ITEMS,
    );
    return this.cachedNamedFolders;
  }

  /**
   * The URLs that lead to a directory, with their paths. For a parent of served directories: the
   * URLs of these directories.
   */
  private urlsOfFolder(path: string): readonly UrlMapping[] {
    const cachedUrls = this.urlsByFolder.get(path);
    if (cachedUrls) return cachedUrls;
    const urlsOfPath = this.mappingsByPath
      .itemsAround(path)
      .map((mapping) => ({ url: mapping.url + path.slice(mapping.path.length).replace(/^(?=[^/])/, '/'), path }));
    const foundUrls = urlsOfPath.length > 0 ? urlsOfPath : this.mappingsByPath.itemsIn(path).slice(-MAX_LIST_ITEMS);
    this.urlsByFolder.set(path, foundUrls);
    return foundUrls;
  }

  /** Adds the URLs that lead to a directory. */
  private addFolders(folder: string): void {
    for (const { url, path } of this.urlsOfFolder(folder)) this.addFolder(url, path);
  }

  /**
   * The path of the file or directory that the URL leads to; null if no directory is served for it.
   */
  private pathOfUrl(url: string): string | null {
    const mapping = this.mappings.find((each) => url === each.url || url.startsWith(`${each.url}/`));
    return mapping ? resolvePath('/', mapping.path + url.slice(mapping.url.length)) : null;
  }

  /**
   * Adds the URL of a directory and of a file in it. An existing file is preferred. If the path is
   * a file, its own URL is also added, because sections that name the file do not apply to a longer
   * path.
   */
  private addFolder(url: string, path: string): void {
    if (this.site.kind(path) === 'file') this.add(url);
    const files = (this.site.namesInFolder(path) ?? [])
      .filter((name) => /^\w[\w.-]*$/.test(name))
      .slice(0, MAX_LIST_ITEMS);
    const file = [...files.filter((name) => name.startsWith('index.')), ...files].find(
      (name) => this.site.kind(joinedPath(path, name)) === 'file',
    );
    const folderUrl = url.replace(/\/$/, '');
    if (file !== undefined) this.add(`${folderUrl}/${file}`);
    this.add(`${folderUrl}/x`);
    this.add(`${folderUrl}/`);
  }

  /** Whether the limit of URLs is reached. */
  private get isFull(): boolean {
    return this.foundPaths.size >= this.maxPaths;
  }

  /** Adds a URL, unless the limit is reached. */
  private add(path: string): void {
    if (!path.startsWith('/')) return;
    urlCounts.made++;
    if (!this.isFull) this.foundPaths.add(encodedPath(path.replace(/\/{2,}/g, '/')));
    else this.searchState.isComplete = false;
  }
}

/**
 * Returns file names that contain the sample `text`, the most usual first: for `.bak`, `x.bak` and
 * `.bak`; for `old`, `old`, `xold` and `xoldx`.
 */
function usualFileNames(text: string): string[] {
  return text.startsWith('.') ? [`x${text}`, text] : [text, `x${text}`, `x${text}x`];
}

/** Returns absolute paths that contain the sample `text`, the shortest first. */
function absolutePathsFor(text: string): string[] {
  return text.startsWith('/') ? [text] : [`/${text}`, `/x${text}`, `/x/${text}`];
}

/** The path with the escapes that a URL needs. */
function encodedPath(path: string): string {
  return encodeURI(path).replace(/[?#]/g, (each) => (each === '?' ? '%3F' : '%23'));
}
