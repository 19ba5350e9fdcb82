/**
 * Decides which files a command may change because a main file includes them. A repository of
 * somebody else can contain a main file with `Include /home/*`, and `fix --write` of that file must
 * change nothing there. For a main file of a server on this machine, all included files may change.
 */
import { argumentsOf, Line } from '../syntax/line';
import { List } from '../syntax/tree';
import { baseName, isAbsolute, isWithin, parentOf, pathComponents, resolvePath } from './files';
import { guessServerRoot, layoutAfterLine, layoutBeforeLines, type LayoutOptions } from './server-root';

/** The facts that decide which files a main file leads to. */
export interface ChangeOptions extends LayoutOptions {
  /** Whether a path is a file or a folder; null if it is missing. */
  readonly kind: (path: string) => 'file' | 'folder' | null;
  /** Directories that contain more than one server or program, such as the user's home. */
  readonly sharedFolders?: ReadonlySet<string>;
}

/**
 * Makes a test for the files that a main file leads to: whether a command may change them. `lines`:
 * the lines of the main file. The test takes paths with links resolved.
 *
 * - A main file in a directory of the system leads to all files that it includes.
 * - A main file in a checkout, such as a clone of git, leads to files in the checkout only. Its
 *   lines and its path come from somebody else, so they decide nothing.
 * - Any other main file leads to all files that it includes, if it is where its ServerRoot line
 *   says.
 * - If it is elsewhere, it leads to files in its directory, and in the directories of the copy. A
 *   directory of many things, such as a home directory, does not count.
 *
 * Directories that the user maps are added.
 */
export function makeChangeTest(lines: List, options: ChangeOptions): (file: string) => boolean {
  const { root, serverRoot: givenRoot, pathMap: userMap, realPath, kind } = options;
  if (SYSTEM_FOLDER.test(root)) return () => true;
  const namedRoot = serverRootOf(lines);
  const checkoutFolder = checkoutOf(parentOf(root), kind);
  if (
    checkoutFolder === null &&
    givenRoot === undefined &&
    namedRoot !== null &&
    isWhereServerRootSays(namedRoot, options)
  )
    return () => true;
  const isShared = (folder: string) =>
    pathComponents(folder).length < 2 || HOME_FOLDER.test(folder) || options.sharedFolders?.has(folder) === true;
  const { pathMap } = namedRoot === null ? layoutBeforeLines(options) : layoutAfterLine(namedRoot, options);
  const isUsualRoot = namedRoot === null || USUAL_SERVER_ROOT.test(namedRoot);
  const copyFolders = (isUsualRoot ? pathMap.copyFolders : undefined) ?? [];
  const foldersOfServer = checkoutFolder === null ? [guessServerRoot(root), ...copyFolders] : [checkoutFolder];
  const folders = [parentOf(root), ...foldersOfServer.map(realPath)].filter((folder) => !isShared(folder));
  for (const { to, enclosingDirectory } of userMap?.entries ?? [])
    if (enclosingDirectory === undefined || isWithin(realPath(to), realPath(enclosingDirectory)))
      folders.push(realPath(to));
  return (file) => folders.some((folder) => isWithin(file, folder));
}

/** The nearest directory that is a checkout of a version control system, or null. */
export function checkoutOf(folder: string, kind: ChangeOptions['kind']): string | null {
  for (let each = folder; ; each = parentOf(each)) {
    if (['.git', '.hg', '.svn'].some((name) => kind(`${each === '/' ? '' : each}/${name}`) !== null)) return each;
    if (parentOf(each) === each) return null;
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/** Matches a file in a directory of the system. Homes of users can be in /usr/home on FreeBSD. */
export const SYSTEM_FOLDER = /^\/(?:etc|private\/etc|usr(?!\/home\/)|Library|Applications)\//;

/**
 * Matches a ServerRoot as servers have it. With another ServerRoot, a main file could make a
 * directory far above it count as the directory of a copy.
 */
const USUAL_SERVER_ROOT =
  /^(?:\/(?:etc|usr|opt|var|srv|private|Library|Applications)|[a-z]:\/(?:xampp|wamp|apache|appserv|program files|bitnami|laragon|easyphp|uwamp|ms4w)[^/]*)\//i;

/** Matches the home directory of a user. */
const HOME_FOLDER = /^\/(?:home|Users|export\/home|usr\/home)\/[^/]+$/;

/**
 * Matches paths whose target depends on the process that reads them. Every main file can be below
 * such a path.
 */
const PATH_OF_PROCESS = /^\/(?:proc|dev|sys)(?:\/|$)/;

/** The absolute path in the first ServerRoot line outside of sections; null if there is none. */
function serverRootOf(lines: List): string | null {
  const line = firstServerRootLine(lines);
  const value = line === null ? undefined : argumentsOf(line)[0]?.value;
  return value !== undefined && isAbsolute(value) ? resolvePath('/', value) : null;
}

function firstServerRootLine({ children }: List): Line | null {
  for (const child of children) {
    const line = child instanceof List ? firstServerRootLine(child) : child instanceof Line ? child : null;
    if (line?.name === 'serverroot') return line;
  }
  return null;
}

/**
 * Whether a main file is where its ServerRoot line says: in that directory, or in its directory
 * `conf` or `etc`. Or the ServerRoot is below the directory of the main file. A ServerRoot such as
 * `/` or `/home` says nothing, because every main file is below it.
 */
function isWhereServerRootSays(serverRoot: string, { root, realPath }: LayoutOptions): boolean {
  if (PATH_OF_PROCESS.test(serverRoot)) return false;
  const folder = parentOf(root);
  const possibleServerRoots = [
    guessServerRoot(root),
    folder,
    ...(baseName(folder) === 'etc' ? [parentOf(folder)] : []),
  ];
  return [serverRoot, realPath(serverRoot)].some(
    (path) => pathComponents(path).length > 1 && (possibleServerRoots.includes(path) || isWithin(path, folder)),
  );
}
