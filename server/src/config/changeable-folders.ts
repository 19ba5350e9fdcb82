/**
 * Decides which files a main file may lead a change to. A repository from elsewhere can contain a
 * main file with `Include /home/*`, and `fix --write` of that file must change nothing there. A
 * main file of a server on this machine leads to all its files, wherever they are.
 */
import { argumentsOf, Line } from '../syntax/line';
import { List } from '../syntax/tree';
import { baseName, isAbsolute, isWithin, parentOf, pathComponents, resolvePath } from './files';
import { guessServerRoot, layoutAfterLine, layoutBeforeLines, type LayoutOptions } from './server-root';

/**
 * Makes a test for the files that a main file leads to: whether a command may change them. It may
 * change all files of a copy, which are looked up in the copy only, and all files of a main file in
 * a directory of the system or where its own ServerRoot line says. For any other main file, it may
 * change those in the directory of the main file and in the directories that settings name.
 * `lines`: the lines of the main file. The test takes paths with links resolved.
 */
export function changeTestOf(lines: List, options: LayoutOptions): (file: string) => boolean {
  const { root, serverRoot: givenRoot, pathMap: userMap, identity } = options;
  const namedRoot = serverRootOf(lines);
  const { pathMap } = namedRoot === null ? layoutBeforeLines(options) : layoutAfterLine(namedRoot, options);
  if (pathMap.copyFolders !== undefined || SYSTEM_FOLDER.test(root)) return () => true;
  if (givenRoot === undefined && namedRoot !== null && isOwnRoot(namedRoot, options)) return () => true;
  const mappedFolders = userMap?.entries.map(({ to }) => to) ?? [];
  const folders = [guessServerRoot(root), ...(givenRoot === undefined ? [] : [givenRoot]), ...mappedFolders];
  const identities = folders.map(identity);
  return (file) => [...folders, ...identities].some((folder) => isWithin(file, folder));
}

// ---------------------------------------------------------------------------------------------------------------------

/** A file in a directory of the system. Homes of users can be in /usr/home on FreeBSD. */
const SYSTEM_FOLDER = /^\/(?:etc|private\/etc|usr(?!\/home\/)|Library|Applications)\//;

/** A path whose target depends on the process that reads it: every main file is below it. */
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
function isOwnRoot(serverRoot: string, { root, identity }: LayoutOptions): boolean {
  if (PATH_OF_PROCESS.test(serverRoot)) return false;
  const folder = parentOf(root);
  const homes = [guessServerRoot(root), folder, ...(baseName(folder) === 'etc' ? [parentOf(folder)] : [])];
  return [serverRoot, identity(serverRoot)].some(
    (path) => pathComponents(path).length > 1 && (homes.includes(path) || isWithin(path, folder)),
  );
}
