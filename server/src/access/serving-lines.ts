/**
 * Lists the lines that map URLs to directories. Some name the directory. For others, such as
 * UserDir, only a part of the path is known.
 */
import { textAfterUrl } from '../config/alias';
import { mayHoldAny, type ConfigLine, type Configuration, type Scope } from '../config/configuration';
import {
  globPattern,
  isAbsolute,
  joinedPath,
  localPathAsSpelled,
  parentOf,
  resolvePath,
  type FileView,
} from '../config/files';
import { argumentsOf, type Line } from '../syntax/line';
import { FILE_CHOOSERS, DYNAMIC_HOSTS } from './mappers';

/** A line that maps URLs to directories. */
export interface ServingLine {
  readonly at: ConfigLine;
  /**
   * The main server or virtual host of the line. Null inside a directory section, where some lines
   * have another meaning.
   */
  readonly server: Scope | null;
}

/** Directories that a line serves although it does not name them. */
export interface UnnamedFolders {
  readonly servingLine: ConfigLine;
  /**
   * The parents of the served directories. Null if the line does not show them, as for the home
   * directories of users (UserDir).
   */
  readonly parents: readonly ServedParent[] | null;
  /** Paths to search on the server; see `ServerSearch`. */
  readonly searchPaths: readonly string[];
}

/** A directory that contains served directories whose names the line does not give. */
export interface ServedParent {
  readonly folder: string;
  /**
   * The path components below the parent folder, with `*` for unknown parts. Empty if the server
   * serves everything below the parent.
   */
  readonly pathsBelow: readonly string[];
  /** The path for the user to search on the server. */
  readonly searchPath: string;
}

/**
 * Finds the lines that may serve directories, from the top down. If several lines name the same
 * directory, only the first is listed, because thousands of virtual hosts can have one directory
 * under several names. A line of a file that is included again is listed once for each server.
 */
export function servingLines(root: Scope): readonly ServingLine[] {
  const mayHaveOne = mayHoldAny(MAY_SERVE_UNNAMED);
  const found: ServingLine[] = [];
  const known = new Set<string>();
  let last: string | null = null;
  const listed = new Map<Scope | null, Set<Line>>();
  const isNew = ({ line, expandedLine }: ConfigLine, server: Scope | null): boolean => {
    const plain = ALIAS_DIRECTIVES.has(line.name) ? textAfterUrl(expandedLine) : null;
    if (plain !== null && (plain === last || known.has(plain))) return false;
    if (plain !== null) known.add((last = plain));
    const ofServer = listed.get(server) ?? new Set();
    listed.set(server, ofServer);
    return ofServer.size < ofServer.add(expandedLine).size;
  };
  const look = (scope: Scope, server: Scope | null): void => {
    if (!mayHaveOne(scope)) return;
    const { lines } = scope;
    for (let i = 0; i < lines.length; i++) {
      const at = lines[i]!;
      if (!MAY_SERVE_UNNAMED.has(at.line.name)) continue;
      if (isNew(at, server)) found.push({ at, server });
    }
    const { children } = scope;
    for (let i = 0; i < children.length; i++) {
      const child = children[i]!;
      look(child, scope === root && child.kind === 'virtualhost' ? child : null);
    }
  };
  look(root, root);
  return found;
}

/** The directories that lines name. The value is the first line that serves the directory. */
export function servedFolders(
  serving: readonly ServingLine[],
  configuration: Configuration,
  view: FileView,
): Map<string, ConfigLine> {
  const folders = new Map<string, ConfigLine>();
  for (const { at } of serving) {
    const index = INDEX_OF_DIRECTORY.get(at.line.name);
    if (index === undefined) continue;
    const words = argumentsOf(at.expandedLine);
    const path = words[index]?.value;
    if (!path || path.includes('${')) continue;
    const folder = resolvePath(configuration.serverRoot, path);
    if (!folders.has(folder)) folders.set(folder, at);
    // With `Alias /icons/ /srv/icons`, the URL /icons/.old/x leads to /srv/icons.old/x
    // (try_alias_list in mod_alias.c).
    if (
      at.line.name === 'documentroot' ||
      path.endsWith('/') ||
      words[0]?.value.endsWith('/') !== true ||
      folder === '/'
    )
      continue;
    const around = parentOf(folder);
    for (const name of view.list(localPathAsSpelled(around, configuration.pathMap, view)) ?? []) {
      const beside = joinedPath(around, name);
      if (beside.startsWith(folder) && !folders.has(beside)) folders.set(beside, at);
    }
  }
  return folders;
}

/** The directories that lines serve without naming them. */
export function unnamedFolders(
  serving: readonly ServingLine[],
  configuration: Configuration,
  view: FileView,
): UnnamedFolders[] {
  const tops = probableTopDirectories(serving, configuration);
  const usersByServer = new Map<Scope | null, readonly string[] | null>();
  const usersOf = (server: Scope | null): readonly string[] | null => {
    const known = usersByServer.get(server);
    if (known !== undefined) return known;
    const { rootScope } = configuration;
    const users = enabledUsers(server === null ? [rootScope] : [server, rootScope]);
    usersByServer.set(server, users);
    return users;
  };
  return serving.flatMap((each) => unnamedFoldersOfLine(each, configuration, view, tops, usersOf) ?? []);
}

/**
 * Finds directories below `top` on this machine. `existingFolders`: those that exist.
 * `missingFolders`: the deepest existing parents of those that do not. For `/home/ann` without
 * public_html, a request leads to a missing path, and the .htaccess file of `/home/ann` decides
 * access to it.
 */
export function foldersOfParent(
  { folder, pathsBelow }: ServedParent,
  { pathMap }: Configuration,
  view: FileView,
): { readonly existingFolders: readonly string[]; readonly missingFolders: readonly string[] } {
  const isHere = (path: string): boolean => view.kind(localPathAsSpelled(path, pathMap, view)) === 'folder';
  let folders = [folder];
  for (const name of pathsBelow) {
    const glob = globPattern(name.replace(/[?[\]\\]/g, '\\$&'));
    folders = folders.flatMap((around) =>
      name.includes('*')
        ? (view.list(localPathAsSpelled(around, pathMap, view)) ?? [])
            .filter((each) => glob.test(each))
            .map((each) => joinedPath(around, each))
            .filter(isHere)
        : [joinedPath(around, name)],
    );
  }
  if (pathsBelow.length === 0) return { existingFolders: folders, missingFolders: [] };
  return { existingFolders: folders.filter(isHere), missingFolders: folders.filter((each) => !isHere(each)) };
}

// ---------------------------------------------------------------------------------------------------------------------

/** The directories that a line serves without naming them. Null if there are none. */
function unnamedFoldersOfLine(
  { at, server }: ServingLine,
  configuration: Configuration,
  view: FileView,
  tops: ReadonlySet<string>,
  usersOf: (server: Scope | null) => readonly string[] | null,
): UnnamedFolders | null {
  const { line, expandedLine } = at;
  const { serverRoot } = configuration;
  const words = argumentsOf(expandedLine).map(({ value }) => value);
  const all = (path: string, special: RegExp): UnnamedFolders => {
    const folder = folderBefore(path, special, serverRoot);
    // The root directory contains all files, so no narrower parent is known.
    return {
      servingLine: at,
      parents: folder === '/' ? null : [{ folder, pathsBelow: [], searchPath: folder }],
      searchPaths: [folder],
    };
  };
  if (FILE_CHOOSERS.has(line.name)) return all('/', MATCHES_NOTHING);
  if (DYNAMIC_HOSTS.has(line.name)) {
    const path = words[0] ?? 'none';
    if (path.toLowerCase() === 'none') return null;
    return path.includes('${') ? all(path, /%|\$\{/) : unnamedByPattern(at, hostPattern(path), serverRoot);
  }
  if (ALIAS_MATCH_DIRECTIVES.has(line.name)) return all(words[1] ?? '/', /[$&\\]/);
  const index = INDEX_OF_DIRECTORY.get(line.name);
  if (index !== undefined)
    return (expandedLine.mayVary || expandedLine.isJoined) && words[index]?.includes('${')
      ? all(words[index], /\$\{/)
      : null;
  if (line.name === 'userdir') return foldersOfUsers(at, usersOf(server), configuration);
  // In a directory, a RewriteRule makes URLs instead of paths.
  const isFolder = (path: string) =>
    view.kind(localPathAsSpelled(path, configuration.pathMap, view)) === 'folder' || tops.has(path);
  if (line.name !== 'rewriterule' || server === null || !mayResultInPath(words, isFolder)) return null;
  const to = words[1]!;
  return to.startsWith('/')
    ? all(to.search(REWRITE_REFERENCE) < 0 ? parentOf(to) : to, REWRITE_REFERENCE)
    : all('/', MATCHES_NOTHING);
}

/**
 * The deepest directory of a path before the first match of `special`, which marks the unknown
 * part.
 */
function folderBefore(path: string, special: RegExp, serverRoot: string): string {
  const at = path.search(special);
  const literal = at < 0 ? path : path.slice(0, path.lastIndexOf('/', at) + 1);
  if (at === 0) return '/';
  return resolvePath(serverRoot, literal === '' ? '.' : literal);
}

/** The unnamed directories of a path in which each `*` is a part of one name. */
function unnamedByPattern(servingLine: ConfigLine, pattern: string, serverRoot: string): UnnamedFolders {
  const top = servedParentOf(pattern, serverRoot);
  return { servingLine, parents: top.folder === '/' ? null : [top], searchPaths: [top.searchPath] };
}

function servedParentOf(pattern: string, serverRoot: string): ServedParent {
  const folder = folderBefore(pattern, /\*/, serverRoot);
  const below = pattern.includes('*') ? pattern.slice(pattern.lastIndexOf('/', pattern.indexOf('*'))).split('/') : [];
  return { folder, pathsBelow: below.filter(Boolean), searchPath: folder };
}

/**
 * Replaces `%0` and the like by `*`: they are parts of a host name, which has no slash
 * (vhost_alias_interpolate in modules/mappers/mod_vhost_alias.c). `%%` is a percent sign.
 */
function hostPattern(path: string): string {
  return path.replace(/%(%|p|-?\d+\+?(?:\.-?\d+\+?)?)/g, (_, what: string) => (what === '%' ? '%' : '*'));
}

/**
 * The directories of users (set_user_dir and translate_userdir in modules/mappers/mod_userdir.c).
 * In an absolute path, the user's name replaces the first `*`, or follows the path. Another word is
 * a folder in the user's home. Null if no user has a directory: `UserDir disabled` without names,
 * and none is enabled. `users`: see `enabledUsers`.
 */
function foldersOfUsers(
  servingLine: ConfigLine,
  users: readonly string[] | null,
  { serverRoot }: Configuration,
): UnnamedFolders | null {
  const words = argumentsOf(servingLine.expandedLine).map(({ value }) => value);
  if (words.length === 0 || USER_KEYWORDS.test(words[0]!)) return null;
  if (users?.length === 0) return null;
  const paths = words.filter((word) => !/^[a-z]+:\/\//i.test(word));
  if (paths.length === 0) return null;
  const isInHome = (path: string) => !isAbsolute(path) || path.includes('${');
  const tops = paths
    .filter((path) => !isInHome(path))
    .map((path) => {
      const pattern = path.includes('*')
        ? path.replace('*', '\0').replace(/\*/g, '').replace('\0', '*')
        : joinedPath(path, '*');
      return { ...servedParentOf(pattern, serverRoot), search: resolvePath('/', pattern) };
    });
  const homes = paths.filter(isInHome).flatMap((path) => searchPathsInHomes(path, users));
  return {
    servingLine,
    parents: paths.some(isInHome) ? null : tops,
    searchPaths: [...tops.map(({ search }) => search), ...homes],
  };
}

/** Where a folder in the homes of users may be: below `/home`, and in each user's home. */
function searchPathsInHomes(path: string, users: readonly string[] | null): string[] {
  if (path.includes('${')) return ['/'];
  return (users ?? ['*']).flatMap((user) => [`/home/${user}/${path}`, `~${user}/${path}`]);
}

/** The users that have a directory, if only some do. Null if all do. */
function enabledUsers(servers: readonly Scope[]): readonly string[] | null {
  const lines = servers.flatMap((scope) => scope.lines).filter(({ line }) => line.name === 'userdir');
  const words = lines.map(({ expandedLine }) => argumentsOf(expandedLine).map(({ value }) => value));
  const isOff = lines.some(
    ({ activity }, i) => activity === 'active' && words[i]!.length === 1 && /^disabled?$/i.test(words[i]![0]!),
  );
  return isOff ? words.filter(([first = '']) => /^enabled?$/i.test(first)).flatMap(([, ...names]) => names) : null;
}

/**
 * Whether a RewriteRule of a server may result in a path of the file system. It does if the first
 * component exists as a directory (prefix_stat in modules/mappers/mod_rewrite.c). Otherwise the
 * result is a URL.
 */
function mayResultInPath([, to = '-', flags = '']: readonly string[], isFolder: (path: string) => boolean): boolean {
  if (/[[,]\s*(PT|passthrough|F|forbidden|G|gone|P|proxy)\s*[,\]]/i.test(flags)) return false;
  if (!to.startsWith('/')) return /^[$%]/.test(to) && !/^%\{DOCUMENT_ROOT\}/i.test(to);
  const first = to.split('/')[1]!;
  return /[$%]/.test(first) || isFolder(`/${first}`);
}

/** Matches references in the target of a RewriteRule. */
const REWRITE_REFERENCE = /[$%\\&]/;

const MATCHES_NOTHING = /(?!)/;

const USER_KEYWORDS = /^(en|dis)abled?$/i;

/**
 * Directories that a server probably has at its top: those of the Filesystem Hierarchy Standard,
 * and those in paths of the configuration.
 */
function probableTopDirectories(
  serving: readonly ServingLine[],
  { serverRoot, rootScope }: Configuration,
): ReadonlySet<string> {
  const named = serving.flatMap(({ at: { line, expandedLine } }) => {
    const index = INDEX_OF_DIRECTORY.get(line.name);
    return index === undefined ? [] : (argumentsOf(expandedLine)[index]?.value ?? []);
  });
  const sections = rootScope.children.flatMap(({ kind, words }) => (kind === 'directory' ? (words[0] ?? []) : []));
  const first = [serverRoot, ...named, ...sections].flatMap((path) => /^\/[\w.-]+(?=\/.)/.exec(path) ?? []);
  return new Set([...USUAL_TOP_DIRECTORIES, ...first]);
}

const USUAL_TOP_DIRECTORIES = ['/srv', '/var', '/home', '/usr', '/opt', '/mnt', '/export', '/tmp'];

const ALIAS_MATCH_DIRECTIVES: ReadonlySet<string> = new Set(['aliasmatch', 'scriptaliasmatch', 'wsgiscriptaliasmatch']);

/** For each directive, the index of the argument that names the served directory. */
const INDEX_OF_DIRECTORY: ReadonlyMap<string, number> = new Map([
  ['documentroot', 0],
  ['alias', 1],
  ['scriptalias', 1],
  ['wsgiscriptalias', 1],
]);

/** Directives whose first argument is a URL. */
const ALIAS_DIRECTIVES: ReadonlySet<string> = new Set(['alias', 'scriptalias', 'wsgiscriptalias']);

/** Names of lines that may serve directories which the configuration does not name. */
const MAY_SERVE_UNNAMED: ReadonlySet<string> = new Set([
  'userdir',
  ...ALIAS_MATCH_DIRECTIVES,
  ...INDEX_OF_DIRECTORY.keys(),
  ...FILE_CHOOSERS,
  ...DYNAMIC_HOSTS,
  'rewriterule',
]);
