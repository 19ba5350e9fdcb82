/**
 * Maps the server's paths to paths of this machine, by the path of the main file and its
 * ServerRoot.
 *
 * If the main file is not where its ServerRoot or layout says, it is a copy from another machine.
 * Then paths of the server are looked up in the copy only, because files of this machine with the
 * same paths belong to another server.
 */
import {
  baseName,
  driveOf,
  hasWildcard,
  isWithin,
  parentOf,
  pathComponents,
  resolvePath,
  serverPathOf,
  type MapEntry,
  type PathMap,
} from './files';

/** The ServerRoot, and where the server's paths are on this machine. */
export interface ServerLayout {
  readonly serverRoot: string;
  readonly pathMap: PathMap;
}

/** Facts about the layout before any line is read. */
export interface LayoutOptions {
  /** The main file. */
  readonly root: string;
  /** The ServerRoot in the settings of the user. */
  readonly serverRoot?: string;
  readonly pathMap?: PathMap;
  /** Returns a path with its symbolic links resolved. */
  readonly realPath: (path: string) => string;
}

/**
 * The ServerRoot that the path of the main file suggests: `/etc/httpd` for
 * `/etc/httpd/conf/httpd.conf` (layout of httpd), otherwise the folder of the file (layout of
 * Debian).
 */
export function guessServerRoot(root: string): string {
  const folder = parentOf(root);
  return folder.endsWith('/conf') ? parentOf(folder) : folder;
}

/**
 * The layout before the first ServerRoot line. Debian's apache2.conf may have no such line, because
 * /etc/apache2 is compiled into its httpd.
 */
export function layoutBeforeLines(options: LayoutOptions): ServerLayout {
  const { root, serverRoot } = options;
  const pathMap = pathMapOf(options);
  const guessedRoot = guessServerRoot(root);
  if (isMappedElsewhere(root, pathMap))
    return {
      serverRoot: serverRoot ?? guessServerRoot(serverPathOf(root, pathMap)),
      pathMap: mapOfCopyFolders(pathMap.entries, []),
    };
  if (serverRoot !== undefined) return { serverRoot, pathMap };
  if (root.endsWith('/apache2.conf') && !isAtUsualPlace(DEBIAN_ROOT, options))
    return { serverRoot: DEBIAN_ROOT, pathMap: mapOfCopy(DEBIAN_ROOT, guessedRoot, options) };
  const parentOfEtc = folderAboveEtc(root);
  return {
    serverRoot: guessedRoot,
    pathMap:
      parentOfEtc === null
        ? pathMap
        : mapOfCopyFolders(
            [...pathMap.entries, { from: parentOfEtc, to: parentOfEtc }, { from: '/etc', to: `${parentOfEtc}/etc` }],
            [parentOfEtc],
          ),
  };
}

/** The layout after a ServerRoot line with an absolute path. */
export function layoutAfterLine(namedRoot: string, options: LayoutOptions): ServerLayout {
  const { root, serverRoot } = options;
  const mapOfOptions = pathMapOf(options);
  if (isMappedElsewhere(root, mapOfOptions))
    return { serverRoot: serverRoot ?? namedRoot, pathMap: mapOfCopyFolders(mapOfOptions.entries, []) };
  const isForeign = driveOf(namedRoot) !== '' && driveOf(root) === '';
  const isKnownRoot =
    serverRoot === namedRoot || (isForeign && serverRoot !== undefined && resolvePath('/', serverRoot) === namedRoot);
  if (serverRoot !== undefined && !isKnownRoot) {
    // The user has set another ServerRoot. It is the directory of the copy, so it is mapped to
    // itself, and the ServerRoot in the line is mapped to it. Entries of the user's map come first.
    return {
      serverRoot: namedRoot,
      pathMap: mapOfCopyFolders(
        [...mapOfOptions.entries, { from: serverRoot, to: serverRoot }, { from: namedRoot, to: serverRoot }],
        [serverRoot],
      ),
    };
  }
  const isRootOfThisMachine = !isForeign && (serverRoot !== undefined || isAtUsualPlace(namedRoot, options));
  return {
    serverRoot: namedRoot,
    pathMap: isRootOfThisMachine ? mapOfOptions : mapOfCopy(namedRoot, guessServerRoot(root), options),
  };
}

/**
 * The input of `findCopiedInclude`: the path in an Include line, and what is known about the copied
 * tree.
 */
export interface CopiedInclude {
  /** The path as the server has it. */
  readonly path: string;
  /** The files on this machine to which `path` leads with `pathMap`; empty if there are none. */
  readonly matchingFiles: readonly string[];
  /** The directory of the main file, as the caller names it. */
  readonly folder: string;
  readonly pathMap: PathMap;
  /** The map in the settings of the user. Undefined if they have none. */
  readonly userMap: PathMap | undefined;
  /** The files that an Include of a path of this machine reads. */
  readonly includedPaths: (path: string) => readonly string[];
}

/**
 * Finds the files of an Include in a copied tree, and the path map for later lines.
 *
 * If the path exists nowhere, but contains a directory with the name of the main file's directory,
 * both are taken as one directory. The rest of the path is looked up there. So
 * `/etc/apache2/vhosts.d` is `apache2/vhosts.d` here, even if ServerRoot is elsewhere (Gentoo:
 * /usr/lib/apache2; macOS: /usr).
 *
 * In a copy, a directory of the ServerRoot may also be beside the main file: `conf.d` in `conf`, if
 * `conf` is a copy from /etc/httpd.
 */
export function findCopiedInclude({ path, matchingFiles, folder, pathMap, userMap, includedPaths }: CopiedInclude): {
  readonly files: readonly string[];
  readonly pathMap: PathMap;
} {
  const unchangedFiles = { files: matchingFiles, pathMap };
  if (matchingFiles.length > 0 || userMap?.entries.some(isNotForMissing) || path.startsWith(`${folder}/`))
    return unchangedFiles;
  const mainFileEntry = entryBesideMainFile(path, folder, pathMap);
  const filesBeside =
    mainFileEntry === null ? [] : includedPaths(mainFileEntry.to + path.slice(mainFileEntry.from.length));
  if (mainFileEntry !== null && filesBeside.length > 0)
    return { files: filesBeside, pathMap: { ...pathMap, entries: [mainFileEntry, ...pathMap.entries] } };
  const indexOfFolderName = `${path}/`.indexOf(`/${baseName(folder)}/`);
  if (indexOfFolderName < 0) return unchangedFiles;
  const endOfFolderName = indexOfFolderName + baseName(folder).length + 1;
  const files = includedPaths(folder + path.slice(endOfFolderName));
  return files.length === 0
    ? unchangedFiles
    : {
        files,
        pathMap: { ...pathMap, entries: [...pathMap.entries, { from: path.slice(0, endOfFolderName), to: folder }] },
      };
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The entry that maps a directory of the ServerRoot to one of the same name beside the main file.
 * Null if this is no copy, if the main file is not in `conf`, or if the path is not in a directory
 * of the ServerRoot.
 */
function entryBesideMainFile(path: string, folder: string, { entries, copyFolders }: PathMap): MapEntry | null {
  if (copyFolders === undefined || baseName(folder) !== 'conf') return null;
  const rootEntry = entries.find(
    ({ from, to }) => from !== to && to === parentOf(folder) && path.startsWith(`${from}/`),
  );
  const [directory, ...rest] = rootEntry === undefined ? [] : path.slice(rootEntry.from.length + 1).split('/');
  if (rootEntry === undefined || directory === undefined || rest.length === 0 || hasWildcard(directory)) return null;
  return { from: `${rootEntry.from}/${directory}`, to: `${folder}/${directory}` };
}

const NO_MAP: PathMap = { entries: [] };

function pathMapOf({ root, pathMap = NO_MAP }: LayoutOptions): PathMap {
  return driveOf(root) === '' ? pathMap : { ...pathMap, hasDrives: true };
}

const DEBIAN_ROOT = '/etc/apache2';

/** Whether the user says that the main file is at another path on the server. */
function isMappedElsewhere(root: string, map: PathMap): boolean {
  return serverPathOf(root, { ...map, entries: map.entries.filter(isNotForMissing) }) !== root;
}

function isNotForMissing({ isForMissing }: MapEntry): boolean {
  return !isForMissing;
}

/**
 * For a directory of main files: the ServerRoots elsewhere that packages use with it. These are
 * packages of Gentoo, macOS and FreeBSD (httpd.conf.in and pkg-plist of www/apache22 and
 * www/apache24).
 */
const SERVER_ROOTS_BY_MAIN_FOLDER: ReadonlyMap<string, readonly string[]> = new Map([
  ['/etc/apache2', ['/usr/lib/apache2', '/usr/lib64/apache2', '/usr/lib32/apache2', '/usr']],
  ['/private/etc/apache2', ['/usr']],
  ['/usr/local/etc/apache22', ['/usr/local']],
  ['/usr/local/etc/apache24', ['/usr/local']],
]);

/**
 * Whether the main file and its ServerRoot are where a server has them: the main file is below the
 * ServerRoot, the ServerRoot is in or below the directory of the main file, or both are where a
 * package has them.
 */
function isAtUsualPlace(serverRoot: string, { root, realPath }: LayoutOptions): boolean {
  const guessedRoot = guessServerRoot(root);
  if (SERVER_ROOTS_BY_MAIN_FOLDER.get(guessedRoot)?.includes(serverRoot)) return true;
  return [serverRoot, realPath(serverRoot)].some((folder) => isWithin(root, folder) || isWithin(folder, guessedRoot));
}

/**
 * Makes the path map of a copy. `/etc/httpd` on the server is then the folder above `conf/` here.
 * If the path of that folder ends with the whole server path, the whole file system was copied. If
 * the folder is below a folder `etc`, paths of the server that begin with /etc are looked up there.
 * The copy's own paths map to themselves.
 */
function mapOfCopy(serverRoot: string, guessedRoot: string, options: LayoutOptions): PathMap {
  const { root } = options;
  const mapOfOptions = pathMapOf(options);
  const driveEntry = driveOf(serverRoot) === '' ? null : entryForDrive(serverRoot, guessedRoot);
  if (driveEntry !== null)
    return mapOfCopyFolders(
      [...mapOfOptions.entries, { from: driveEntry.to, to: driveEntry.to }, driveEntry],
      [driveEntry.to],
    );
  const copiedServerPath = [
    serverRoot,
    ...[...SERVER_ROOTS_BY_MAIN_FOLDER]
      .filter(([from, roots]) => roots.includes(serverRoot) && from.startsWith(`${serverRoot}/`))
      .map(([from]) => from),
  ].find((path) => guessedRoot.endsWith(path));
  if (copiedServerPath !== undefined) {
    const copyFolder = guessedRoot.slice(0, -copiedServerPath.length);
    return mapOfCopyFolders(
      [...mapOfOptions.entries, { from: copyFolder, to: copyFolder }, { from: '/', to: copyFolder }],
      [copyFolder],
    );
  }
  const isMainFileBelow = [...SERVER_ROOTS_BY_MAIN_FOLDER].some(
    ([from, roots]) => roots.includes(serverRoot) && from.startsWith(`${serverRoot}/`),
  );
  const parentOfEtc = isMainFileBelow ? null : folderAboveEtc(root);
  const entriesForEtc =
    parentOfEtc === null
      ? []
      : [
          { from: parentOfEtc, to: parentOfEtc },
          { from: '/etc', to: `${parentOfEtc}/etc` },
        ];
  // If packages use this ServerRoot with main files elsewhere, the copied folder also stands for
  // the directories of these main files.
  const mainFilesElsewhere =
    parentOfEtc === null
      ? [...SERVER_ROOTS_BY_MAIN_FOLDER].filter(([, roots]) => roots.includes(serverRoot)).map(([from]) => from)
      : [];
  const placesWithSameName = mainFilesElsewhere.filter((from) => baseName(from) === baseName(guessedRoot));
  const mainFileEntries = (placesWithSameName.length > 0 ? placesWithSameName : mainFilesElsewhere).map((from) => ({
    from,
    to: guessedRoot,
  }));
  return mapOfCopyFolders(
    [
      ...mapOfOptions.entries,
      { from: guessedRoot, to: guessedRoot },
      ...mainFileEntries,
      { from: serverRoot, to: guessedRoot },
      ...entriesForEtc,
    ],
    [guessedRoot, ...(parentOfEtc === null ? [] : [parentOfEtc])],
  );
}

/**
 * The entry that maps the top directory of a drive, for a ServerRoot on that drive. Null unless the
 * copy's path ends with the ServerRoot's path without the drive. With `C:/xampp/apache` in
 * `/x/xampp/apache`, `C:/xampp` is `/x/xampp`.
 */
function entryForDrive(serverRoot: string, guessedRoot: string): { readonly from: string; readonly to: string } | null {
  const rootParts = pathComponents(serverRoot).slice(1);
  const guessedParts = guessedRoot.split('/');
  if (rootParts.length === 0 || guessedParts.slice(-rootParts.length).join('/').toLowerCase() !== rootParts.join('/'))
    return null;
  return {
    from: serverRoot.split('/').slice(0, 2).join('/'),
    to: guessedParts.slice(0, guessedParts.length - rootParts.length + 1).join('/'),
  };
}

/**
 * The folder that contains `etc`: `/x` for `/x/etc/httpd/conf/httpd.conf`. Null if there is no
 * `etc` in the path, or if it is /etc of this machine.
 */
function folderAboveEtc(root: string): string | null {
  return /^(.+)\/etc\//.exec(root)?.[1] ?? null;
}

/**
 * The path map of a copy with these entries. Entries for what the copy lacks come last.
 * `foldersOfCopy`: directories of the copy to which no entry leads.
 */
function mapOfCopyFolders(givenEntries: PathMap['entries'], foldersOfCopy: readonly string[]): PathMap {
  const entries = [...givenEntries.filter(isNotForMissing), ...givenEntries.filter(({ isForMissing }) => isForMissing)];
  return { entries, copyFolders: [...new Set([...foldersOfCopy, ...entries.map(({ to }) => to)])] };
}
