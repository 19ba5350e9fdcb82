/**
 * Lists the lines that map URLs to directories. Some lines name the directory. Others, such as
 * UserDir, give only a part of its path.
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
import { FILE_CHOOSING_DIRECTIVES, DYNAMIC_HOST_DIRECTIVES } from './mappers';

/** A line that maps URLs to directories. */
export interface ServingLine {
  readonly configLine: ConfigLine;
  /**
   * The main server or virtual host of the line. Null if the line is in a directory section, where
   * some directives have another effect.
   */
  readonly server: Scope | null;
}

/** Directories that a line serves without naming them. */
export interface UnnamedFolders {
  readonly servingLine: ConfigLine;
  /**
   * The parents of the served directories. Null if the line does not show them. For example,
   * UserDir serves directories in the homes of users.
   */
  readonly parents: readonly ServedParent[] | null;
  /** The paths to search on the server; see `ServerSearch`. */
  readonly searchPaths: readonly string[];
}

/** A directory that contains served directories, although no line names these. */
export interface ServedParent {
  readonly folder: string;
  /**
   * The names in the path below the parent, with `*` for unknown parts. Empty if the server may
   * serve everything below the parent.
   */
  readonly pathsBelow: readonly string[];
  /** The path that the user has to search on the server. */
  readonly searchPath: string;
}

/**
 * Finds the lines that may serve directories, in the order of the text. Of several Alias lines for
 * the same directory, only the first is listed: thousands of virtual hosts can have one directory
 * under several URLs. If a file is included several times, a line in it is listed once for each
 * server.
 */
export function servingLines(root: Scope): readonly ServingLine[] {
  const mayHaveServingLine = mayHoldAny(DIRECTIVES_SERVING_UNNAMED_FOLDERS);
  const servingLines: ServingLine[] = [];
  const listedTargets = new Set<string>();
  let lastTarget: string | null = null;
  const listedLinesByServer = new Map<Scope | null, Set<Line>>();
  const isNewInServer = ({ line, expandedLine }: ConfigLine, server: Scope | null): boolean => {
    const target = ALIAS_DIRECTIVES.has(line.name) ? textAfterUrl(expandedLine) : null;
    if (target !== null && (target === lastTarget || listedTargets.has(target))) return false;
    if (target !== null) listedTargets.add((lastTarget = target));
    const listedLines = listedLinesByServer.get(server) ?? new Set();
    listedLinesByServer.set(server, listedLines);
    return listedLines.size < listedLines.add(expandedLine).size;
  };
  const visit = (scope: Scope, server: Scope | null): void => {
    if (!mayHaveServingLine(scope)) return;
    const { lines } = scope;
    for (let i = 0; i < lines.length; i++) {
      const configLine = lines[i]!;
      if (!DIRECTIVES_SERVING_UNNAMED_FOLDERS.has(configLine.line.name)) continue;
      if (isNewInServer(configLine, server)) servingLines.push({ configLine, server });
    }
    const { children } = scope;
    for (let i = 0; i < children.length; i++) {
      const child = children[i]!;
      visit(child, scope === root && child.kind === 'virtualhost' ? child : null);
    }
  };
  visit(root, root);
  return servingLines;
}

/** The directories that the lines name. The value is the first line that serves the directory. */
export function findServedFolders(
  servingLines: readonly ServingLine[],
  configuration: Configuration,
  view: FileView,
): Map<string, ConfigLine> {
  const firstLineByFolder = new Map<string, ConfigLine>();
  for (const { configLine } of servingLines) {
    const pathIndex = INDEX_OF_DIRECTORY.get(configLine.line.name);
    if (pathIndex === undefined) continue;
    const words = argumentsOf(configLine.expandedLine);
    const servedPath = words[pathIndex]?.value;
    if (!servedPath || servedPath.includes('${')) continue;
    const folder = resolvePath(configuration.serverRoot, servedPath);
    if (!firstLineByFolder.has(folder)) firstLineByFolder.set(folder, configLine);
    // With `Alias /icons/ /srv/icons`, the URL /icons/.old/x leads to /srv/icons.old/x
    // (try_alias_list in mod_alias.c). So the line also serves folders such as /srv/icons.old.
    if (
      configLine.line.name === 'documentroot' ||
      servedPath.endsWith('/') ||
      words[0]?.value.endsWith('/') !== true ||
      folder === '/'
    )
      continue;
    const parent = parentOf(folder);
    for (const name of view.list(localPathAsSpelled(parent, configuration.pathMap, view)) ?? []) {
      const sibling = joinedPath(parent, name);
      if (sibling.startsWith(folder) && !firstLineByFolder.has(sibling)) firstLineByFolder.set(sibling, configLine);
    }
  }
  return firstLineByFolder;
}

/** The directories that the lines serve without naming them. */
export function findUnnamedFolders(
  allServingLines: readonly ServingLine[],
  configuration: Configuration,
  view: FileView,
): UnnamedFolders[] {
  const topDirectories = probableTopDirectories(allServingLines, configuration);
  const usersByServer = new Map<Scope | null, readonly string[] | null>();
  const usersOf = (server: Scope | null): readonly string[] | null => {
    const cachedUsers = usersByServer.get(server);
    if (cachedUsers !== undefined) return cachedUsers;
    const { rootScope } = configuration;
    const users = enabledUsers(server === null ? [rootScope] : [server, rootScope]);
    usersByServer.set(server, users);
    return users;
  };
  return allServingLines.flatMap(
    (each) => unnamedFoldersOfLine(each, configuration, view, topDirectories, usersOf) ?? [],
  );
}

/**
 * Finds the directories that a line serves below a parent directory. `existingFolders`: those that
 * exist on this machine. `missingFolders`: those that do not, if their parent may exist. For
 * example, `/home/ann` may have no public_html. Then the .htaccess file of `/home/ann` decides
 * access.
 */
export function foldersOfParent(
  { folder, pathsBelow }: ServedParent,
  { pathMap }: Configuration,
  view: FileView,
): { readonly existingFolders: readonly string[]; readonly missingFolders: readonly string[] } {
  const existsInCopy = (path: string): boolean => view.kind(localPathAsSpelled(path, pathMap, view)) === 'folder';
  let folders = [folder];
  for (const name of pathsBelow) {
    const glob = globPattern(name.replace(/[?[\]\\]/g, '\\$&'));
    folders = folders.flatMap((parentFolder) =>
      name.includes('*')
        ? (view.list(localPathAsSpelled(parentFolder, pathMap, view)) ?? [])
            .filter((each) => glob.test(each))
            .map((each) => joinedPath(parentFolder, each))
            .filter(existsInCopy)
        : [joinedPath(parentFolder, name)],
    );
  }
  if (pathsBelow.length === 0) return { existingFolders: folders, missingFolders: [] };
  return {
    existingFolders: folders.filter(existsInCopy),
    missingFolders: folders.filter((each) => !existsInCopy(each)),
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** The directories that a line serves without naming them. Null if there are none. */
function unnamedFoldersOfLine(
  { configLine, server }: ServingLine,
  configuration: Configuration,
  view: FileView,
  topDirectories: ReadonlySet<string>,
  usersOf: (server: Scope | null) => readonly string[] | null,
): UnnamedFolders | null {
  const { line, expandedLine } = configLine;
  const { serverRoot } = configuration;
  const words = argumentsOf(expandedLine).map(({ value }) => value);
  const allFoldersBelow = (path: string, unknownPart: RegExp): UnnamedFolders => {
    const folder = folderBefore(path, unknownPart, serverRoot);
    // With `/`, every folder can be served, so no parent is known.
    return {
      servingLine: configLine,
      parents: folder === '/' ? null : [{ folder, pathsBelow: [], searchPath: folder }],
      searchPaths: [folder],
    };
  };
  if (FILE_CHOOSING_DIRECTIVES.has(line.name)) return allFoldersBelow('/', MATCHES_NOTHING);
  if (DYNAMIC_HOST_DIRECTIVES.has(line.name)) {
    const hostsPath = words[0] ?? 'none';
    if (hostsPath.toLowerCase() === 'none') return null;
    return hostsPath.includes('${')
      ? allFoldersBelow(hostsPath, /%|\$\{/)
      : unnamedFoldersOfPattern(configLine, hostPattern(hostsPath), serverRoot);
  }
  if (ALIAS_MATCH_DIRECTIVES.has(line.name)) return allFoldersBelow(words[1] ?? '/', /[$&\\]/);
  const pathIndex = INDEX_OF_DIRECTORY.get(line.name);
  if (pathIndex !== undefined)
    return (expandedLine.mayHaveVariable || expandedLine.isJoined) && words[pathIndex]?.includes('${')
      ? allFoldersBelow(words[pathIndex], /\$\{/)
      : null;
  if (line.name === 'userdir') return foldersOfUsers(configLine, usersOf(server), configuration);
  // In a directory section, a RewriteRule results in a URL, not in a path.
  const isFolder = (path: string) =>
    view.kind(localPathAsSpelled(path, configuration.pathMap, view)) === 'folder' || topDirectories.has(path);
  if (line.name !== 'rewriterule' || server === null || !mayResultInPath(words, isFolder)) return null;
  const target = words[1]!;
  return target.startsWith('/')
    ? allFoldersBelow(target.search(REWRITE_REFERENCE) < 0 ? parentOf(target) : target, REWRITE_REFERENCE)
    : allFoldersBelow('/', MATCHES_NOTHING);
}

/**
 * The deepest directory of a path before its unknown part. `unknownPart` matches where that part
 * begins.
 */
function folderBefore(path: string, unknownPart: RegExp, serverRoot: string): string {
  const unknownStart = path.search(unknownPart);
  const knownPathBegin = unknownStart < 0 ? path : path.slice(0, path.lastIndexOf('/', unknownStart) + 1);
  if (unknownStart === 0) return '/';
  return resolvePath(serverRoot, knownPathBegin === '' ? '.' : knownPathBegin);
}

/** The directories that match a path in which each `*` stands for a part of one name. */
function unnamedFoldersOfPattern(servingLine: ConfigLine, pattern: string, serverRoot: string): UnnamedFolders {
  const parent = servedParentOf(pattern, serverRoot);
  return { servingLine, parents: parent.folder === '/' ? null : [parent], searchPaths: [parent.searchPath] };
}

/**
 * The parent of the directories that match a path in which each `*` stands for a part of one name.
 */
function servedParentOf(pattern: string, serverRoot: string): ServedParent {
  const folder = folderBefore(pattern, /\*/, serverRoot);
  const pathBelow = pattern.includes('*')
    ? pattern.slice(pattern.lastIndexOf('/', pattern.indexOf('*'))).split('/')
    : [];
  return { folder, pathsBelow: pathBelow.filter(Boolean), searchPath: folder };
}

/**
 * Replaces `%0`, `%1` and so on by `*`. They stand for parts of a host name, which has no slash
 * (vhost_alias_interpolate in modules/mappers/mod_vhost_alias.c). `%%` is a percent sign.
 */
function hostPattern(path: string): string {
  return path.replace(/%(%|p|-?\d+\+?(?:\.-?\d+\+?)?)/g, (_, reference: string) => (reference === '%' ? '%' : '*'));
}

/**
 * The directories of users (set_user_dir and translate_userdir in modules/mappers/mod_userdir.c).
 * In an absolute path, the user's name replaces the first `*`, or follows the path. A relative path
 * is a folder in the user's home. Null if the line serves no user. `users`: the result of
 * `enabledUsers`.
 */
function foldersOfUsers(
  servingLine: ConfigLine,
  users: readonly string[] | null,
  { serverRoot }: Configuration,
): UnnamedFolders | null {
  const words = argumentsOf(servingLine.expandedLine).map(({ value }) => value);
  if (words.length === 0 || USER_KEYWORDS.test(words[0]!)) return null;
  if (users?.length === 0) return null;
  const userPaths = words.filter((word) => !/^[a-z]+:\/\//i.test(word));
  if (userPaths.length === 0) return null;
  const isInHome = (path: string) => !isAbsolute(path) || path.includes('${');
  const parents = userPaths
    .filter((path) => !isInHome(path))
    .map((path) => {
      const pattern = path.includes('*')
        ? path.replace('*', '\0').replace(/\*/g, '').replace('\0', '*')
        : joinedPath(path, '*');
      return { ...servedParentOf(pattern, serverRoot), searchPath: resolvePath('/', pattern) };
    });
  const pathsInHomes = userPaths.filter(isInHome).flatMap((path) => searchPathsInHomes(path, users));
  return {
    servingLine,
    parents: userPaths.some(isInHome) ? null : parents,
    searchPaths: [...parents.map(({ searchPath }) => searchPath), ...pathsInHomes],
  };
}

/**
 * The paths at which a folder in the homes of users may be: below `/home`, and in the home of each
 * user.
 */
function searchPathsInHomes(path: string, users: readonly string[] | null): string[] {
  if (path.includes('${')) return ['/'];
  return (users ?? ['*']).flatMap((user) => [`/home/${user}/${path}`, `~${user}/${path}`]);
}

/** The users whose directories UserDir lines enable. Null if all are enabled. */
function enabledUsers(servers: readonly Scope[]): readonly string[] | null {
  const userDirLines = servers.flatMap((scope) => scope.lines).filter(({ line }) => line.name === 'userdir');
  const wordsOfLines = userDirLines.map(({ expandedLine }) => argumentsOf(expandedLine).map(({ value }) => value));
  const areUsersDisabled = userDirLines.some(
    ({ activity }, i) =>
      activity === 'active' && wordsOfLines[i]!.length === 1 && /^disabled?$/i.test(wordsOfLines[i]![0]!),
  );
  return areUsersDisabled
    ? wordsOfLines.filter(([first = '']) => /^enabled?$/i.test(first)).flatMap(([, ...names]) => names)
    : null;
}

/**
 * Whether a RewriteRule of a server may result in a path of the file system. The result is a path
 * if its first name is a directory at the top of the file system (prefix_stat in
 * modules/mappers/mod_rewrite.c). Otherwise it is a URL.
 */
function mayResultInPath(
  [, target = '-', flags = '']: readonly string[],
  isFolder: (path: string) => boolean,
): boolean {
  if (/[[,]\s*(PT|passthrough|F|forbidden|G|gone|P|proxy)\s*[,\]]/i.test(flags)) return false;
  if (!target.startsWith('/')) return /^[$%]/.test(target) && !/^%\{DOCUMENT_ROOT\}/i.test(target);
  const firstName = target.split('/')[1]!;
  return /[$%]/.test(firstName) || isFolder(`/${firstName}`);
}

/** Matches the references in the target of a RewriteRule, such as `$1`. */
const REWRITE_REFERENCE = /[$%\\&]/;

const MATCHES_NOTHING = /(?!)/;

const USER_KEYWORDS = /^(en|dis)abled?$/i;

/**
 * Directories that are probably at the top of the server's file system: those of the Filesystem
 * Hierarchy Standard, and those in paths of the configuration.
 */
function probableTopDirectories(
  allServingLines: readonly ServingLine[],
  { serverRoot, rootScope }: Configuration,
): ReadonlySet<string> {
  const servedPaths = allServingLines.flatMap(({ configLine: { line, expandedLine } }) => {
    const pathIndex = INDEX_OF_DIRECTORY.get(line.name);
    return pathIndex === undefined ? [] : (argumentsOf(expandedLine)[pathIndex]?.value ?? []);
  });
  const sectionPaths = rootScope.children.flatMap(({ kind, words }) => (kind === 'directory' ? (words[0] ?? []) : []));
  const topDirectories = [serverRoot, ...servedPaths, ...sectionPaths].flatMap(
    (path) => /^\/[\w.-]+(?=\/.)/.exec(path) ?? [],
  );
  return new Set([...USUAL_TOP_DIRECTORIES, ...topDirectories]);
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

/** Directives that map one URL to one directory or script. */
const ALIAS_DIRECTIVES: ReadonlySet<string> = new Set(['alias', 'scriptalias', 'wsgiscriptalias']);

/** Names of lines that may serve directories which the configuration does not name. */
const DIRECTIVES_SERVING_UNNAMED_FOLDERS: ReadonlySet<string> = new Set([
  'userdir',
  ...ALIAS_MATCH_DIRECTIVES,
  ...INDEX_OF_DIRECTORY.keys(),
  ...FILE_CHOOSING_DIRECTIVES,
  ...DYNAMIC_HOST_DIRECTIVES,
  'rewriterule',
]);
