/**
 * The interface to the files of a configuration. It gives their trees, by absolute paths with
 * forward slashes. Callers pass an implementation in, because only a host can read files. The
 * interface is synchronous, because the reading of a configuration is.
 */
import type { Tree } from '../syntax/document';
import { cacheOf } from '../syntax/memory';
import type { Steps } from './resumable';

/** The files of a machine, as far as a configuration needs them. */
export interface FileView {
  /** The parsed file; null if it is missing, unreadable or no text. */
  read(path: string): Tree | null;
  /** Names in a folder; null if it is no folder. */
  list(path: string): readonly string[] | null;
  /** Whether a path is a file or a folder, after following links; null if it is neither. */
  kind(path: string): 'file' | 'folder' | null;
  /** The path with symbolic links resolved. All names of a file have the same result. */
  realPath(path: string): string;
  /**
   * The target of a symbolic link as written; null if it is no link. undefined if the host cannot
   * tell.
   */
  link?(path: string): string | null;
  /**
   * Whether a file that was read is not UTF-8. A non-ASCII name in it then stands for other bytes
   * than a name that looks the same in a UTF-8 file.
   */
  isOtherEncoding?(path: string): boolean;
  /** The permissions of a path as in st_mode, after following links; null if they are unknown. */
  mode?(path: string): number | null;
  /**
   * Returns the paths that were queried and for which the view would now return something else.
   * `open` returns the tree of a file that is open in an editor. Undefined if the host cannot tell.
   */
  findChangedPaths?(open: (path: string) => Tree | null): Steps<readonly string[]>;
}

/** One entry of a `PathMap`: where a path of the server is on this machine. */
export interface MapEntry {
  /** A path on the server. */
  readonly from: string;
  /** The path of the same file or directory on this machine. */
  readonly to: string;
  /**
   * A directory that paths below `to` must not leave through links. A path that leaves it counts as
   * missing. Set for entries from settings that come with the files, because somebody else may have
   * written them.
   */
  readonly enclosingDirectory?: string;
  /**
   * Set if the entry is only for files that the copy of the server lacks (an answer `here=PATH`).
   * Files that the copy has are read from the copy.
   */
  readonly isForMissing?: true;
}

/**
 * Maps paths in a configuration to the places of the files, for trees that were copied from another
 * machine.
 */
export interface PathMap {
  /**
   * The first entry whose `from` is the path or a directory above it applies. Paths have no slash
   * at the end.
   */
  readonly entries: readonly MapEntry[];
  /**
   * For a copy of a server: the directories that contain its files. Paths that no entry maps count
   * as missing, and so do targets of links outside of these directories.
   */
  readonly copyFolders?: readonly string[];
  /** Whether paths of this machine have drives, as on Windows. */
  readonly hasDrives?: boolean;
}

/** The path on this machine for a path in the configuration. */
export function localPathOf(path: string, map: PathMap): string {
  for (const { from, to } of map.entries) {
    const pathInside = pathBelow(path, from);
    if (pathInside !== null) return pathInside === '' ? to : joinedPath(to, pathInside);
  }
  // A Windows path exists on no other system.
  const isForeign = driveOf(path) !== '' && map.hasDrives !== true;
  return map.copyFolders || isForeign ? joinedPath(MISSING_PATH, path.replace(/^\//, '')) : path;
}

/** A path below which no file can exist, because /dev/null is a device. */
const MISSING_PATH = '/dev/null';

/**
 * Like `localPathOf`, but with names as the file system of this machine spells them. On Windows,
 * paths ignore case, and httpd uses the name that the file has (APR_FILEPATH_TRUENAME;
 * apr_filepath_merge in file_io/win32/filepath.c of APR).
 */
export function localPathAsSpelled(path: string, map: PathMap, view: Pick<FileView, 'kind' | 'list'>): string {
  const candidates = localPathsOf(path, map).map((each) => spelledLocalPath(each, path, view));
  return candidates.slice(0, -1).find((each) => view.kind(each) !== null) ?? candidates.at(-1)!;
}

/**
 * The places where a path in the configuration can be: in the copy, then in the directories for
 * what the copy lacks.
 */
export function localPathsOf(path: string, map: PathMap): string[] {
  const entriesForMissing = map.entries.filter(
    ({ from, isForMissing }) => isForMissing && pathBelow(path, from) !== null,
  );
  if (entriesForMissing.length === 0) return [localPathOf(path, map)];
  const entriesOfCopy = map.entries.filter(({ isForMissing }) => !isForMissing);
  return [entriesOfCopy, ...entriesForMissing.map((entry) => [entry])].map((entries) =>
    localPathOf(path, { ...map, entries }),
  );
}

/**
 * The local path with names as this machine spells them, if `path` is a path on a Windows drive.
 * Names that do not exist stay as they are.
 */
function spelledLocalPath(localPath: string, path: string, view: Pick<FileView, 'kind' | 'list'>): string {
  if (driveOf(path) === '' || localPath.startsWith(`${MISSING_PATH}/`) || view.kind(localPath) !== null)
    return localPath;
  const pathParts = localPath.split('/');
  let existingCount = pathParts.length - 1;
  while (existingCount > 1 && view.kind(pathParts.slice(0, existingCount).join('/')) !== 'folder') existingCount--;
  let folder = pathParts.slice(0, existingCount).join('/');
  for (; existingCount < pathParts.length; existingCount++) {
    const lowerPart = pathParts[existingCount]!.toLowerCase();
    const spelledName = view.list(folder === '' ? '/' : folder)?.find((each) => each.toLowerCase() === lowerPart);
    if (spelledName === undefined) break;
    folder += `/${spelledName}`;
  }
  return [folder, ...pathParts.slice(existingCount)].join('/');
}

/**
 * Restricts a view to the files of a copy. All other files of this machine count as missing, even
 * if a link leads to them. An absolute link in the copy names a path of the server, and is followed
 * inside the copy. For example, a link to `/etc/apache2/sites-available/shop` leads to the copied
 * file.
 */
export function viewOfCopy<View extends Pick<FileView, 'realPath' | 'list'>>(
  view: View & PathMethods,
  map: PathMap,
): View {
  const { copyFolders } = map;
  const bounds = map.entries.flatMap(({ to, enclosingDirectory: boundary }) =>
    boundary === undefined ? [] : [{ to, boundary }],
  );
  if (!copyFolders) return bounds.length > 0 ? viewWithinBounds(view, bounds) : view;
  const realCopyFolders = copyFolders.map((top) => view.realPath(top));
  const isInCopy = (path: string): boolean => {
    const realPath = view.realPath(path);
    if (leavesBounds(path, realPath, bounds, view)) return false;
    return realCopyFolders.some((each) => realPath === each || realPath.startsWith(each === '/' ? '/' : `${each}/`));
  };
  const { kind, link } = view;
  const pathWithoutLinks = (path: string): string => {
    if (!kind || !link || copyFolders.length === 0) return path;
    let target = path;
    for (let count = 0; count < MAX_LINKS; count++) {
      if (isInCopy(target) && kind.call(view, target) !== null) return target;
      const linkTarget = targetOfFirstLink(
        target,
        [...copyFolders, ...realCopyFolders],
        (each) => link.call(view, each),
        map,
      );
      if (linkTarget === null) return path;
      target = linkTarget;
    }
    return path;
  };
  return {
    ...viewWithPaths(view, (path) => {
      const target = pathWithoutLinks(path);
      return isInCopy(target) ? target : null;
    }),
    realPath: (path: string) => view.realPath(pathWithoutLinks(path)),
  };
}

/** The methods of a file view that take a path. Not every view has all of them. */
type PathMethods = Pick<FileView, 'realPath' | 'list'> &
  Partial<Pick<FileView, 'kind' | 'read' | 'link'>> & {
    readonly content?: (path: string) => string | null;
    readonly fileSummary?: (path: string) => unknown;
    readonly included?: (path: string) => readonly string[];
  };

/**
 * Makes a view that uses `placeOf(path)` instead of each path. If `placeOf` returns null, the file
 * counts as missing.
 */
function viewWithPaths<View extends Pick<FileView, 'realPath' | 'list'>>(
  view: View & PathMethods,
  placeOf: (path: string) => string | null,
): View {
  const onlyAtPlaces =
    <Answer>(ask: (path: string) => Answer) =>
    (path: string): Answer | null => {
      const otherPath = placeOf(path);
      return otherPath === null ? null : ask(otherPath);
    };
  const restrictedMethods = {
    list: onlyAtPlaces((path) => view.list(path)),
    ...(view.kind && { kind: onlyAtPlaces((path) => view.kind!(path)) }),
  };
  return {
    ...view,
    ...restrictedMethods,
    ...(view.content && { content: onlyAtPlaces((path) => view.content!(path)) }),
    ...(view.fileSummary && { fileSummary: onlyAtPlaces((path) => view.fileSummary!(path)) }),
    ...(view.included && {
      included: (path: string) => includedFiles(path, { kind: () => null, ...restrictedMethods }),
    }),
    ...(view.read && { read: onlyAtPlaces((path) => view.read!(path)) }),
  };
}

/** For each mapped directory `to`: the directory `boundary` that its paths must not leave. */
type LinkBounds = readonly { readonly to: string; readonly boundary: string }[];

/**
 * Makes a view in which a path counts as missing if its links lead out of the directory that a
 * setting allows.
 */
function viewWithinBounds<View extends Pick<FileView, 'realPath' | 'list'>>(
  view: View & PathMethods,
  bounds: LinkBounds,
): View {
  return viewWithPaths(view, (path) => (leavesBounds(path, view.realPath(path), bounds, view) ? null : path));
}

function leavesBounds(path: string, realPath: string, bounds: LinkBounds, view: Pick<FileView, 'realPath'>): boolean {
  return bounds.some(
    ({ to, boundary }) =>
      isWithin(path, to) && !isWithin(realPath, boundary) && !isWithin(realPath, view.realPath(boundary)),
  );
}

/**
 * A view that resolves the links in a path. With `kind`, the function that uses it needs few
 * look-ups for a path with many missing directories.
 */
export type LinkView = Pick<FileView, 'realPath'> & Partial<Pick<FileView, 'kind'>>;

/**
 * Whether a path in a setting is in the directory of the settings. Links are followed in the part
 * of the path that exists. Names are separated by `/` or `\`. Without `view`, only the text of the
 * path decides.
 */
export function isInFolder(namedPath: string, folder: string, view?: LinkView): boolean {
  // A URL, a drive by itself, or a share is not a path below a directory.
  if (
    namedPath.includes('\0') ||
    (/^[\w+.-]+:/.test(namedPath) && !isAbsolute(namedPath)) ||
    /^[\\/]{2}/.test(namedPath)
  )
    return false;
  if (driveOf(namedPath) === '' && driveOf(folder) === '' && namedPath.split(/[\\/]/).reduce(depthAfter, 0) < 0)
    return false;
  const resolvedPath = resolvePath(folder, namedPath);
  if (!isWithin(resolvedPath, folder)) return false;
  if (!view) return true;
  // A path that is missing, or that has no links, is its own real path.
  for (
    let checkedPath = existingPart(resolvedPath, folder, view);
    checkedPath !== folder && checkedPath !== parentOf(checkedPath);
    checkedPath = parentOf(checkedPath)
  ) {
    const realPath = view.realPath(checkedPath);
    if (realPath !== checkedPath) return isWithin(realPath, folder) || isWithin(realPath, view.realPath(folder));
    // A view with `kind` makes the loop begin at a directory that exists. This directory is its own
    // real path, so no part of its path is a link. Without `kind`, it may be missing, and then the
    // directories above it decide.
    if (view.kind) return true;
  }
  return true;
}

/**
 * The path of a ServerRoot from the settings in a folder, without `.`, `..` and double slashes. A
 * relative ServerRoot is below the folder.
 */
export function resolvedServerRoot(folder: string, setting: string): string {
  return resolvePath(isAbsolute(setting) ? '/' : folder, setting);
}

/**
 * The entries to add to the map, so that a ServerRoot from a setting (`resolvedServerRoot`) gives
 * no access to other files. An entry is needed if the ServerRoot is below none of the folders and
 * no entry maps it. The files below the ServerRoot must then stay in the first folder.
 */
export function boundServerRoot(
  serverRoot: string,
  folders: readonly string[],
  map: PathMap,
  view?: LinkView,
): MapEntry[] {
  const [boundary] = folders;
  if (boundary === undefined || !isAbsolute(serverRoot) || localPathOf(serverRoot, map) !== serverRoot) return [];
  if (folders.some((folder) => isInFolder(serverRoot, folder, view))) return [];
  return [{ from: serverRoot, to: serverRoot, enclosingDirectory: boundary }];
}

/**
 * The longest part of a path below a folder that exists; the folder if nothing below it exists.
 * Uses a binary search, because everything below a missing directory is missing. If the view has no
 * `kind`, returns the whole path.
 */
function existingPart(path: string, folder: string, view: LinkView): string {
  if (!view.kind || path === folder || view.realPath(path) !== path) return path;
  const ends: number[] = [];
  for (let end = folder.length; end < path.length; ends.push(end)) {
    end = path.indexOf('/', end + 1);
    if (end < 0) end = path.length;
  }
  let [existing, missing] = [-1, ends.length];
  while (missing - existing > 1) {
    const middle = Math.floor((existing + missing) / 2);
    if (view.kind(path.slice(0, ends[middle])) === null) missing = middle;
    else existing = middle;
  }
  return existing < 0 ? folder : path.slice(0, ends[existing]);
}

/**
 * The depth of a path relative to its start, after one more part. Once a path was above its start,
 * the depth stays negative.
 */
function depthAfter(depth: number, part: string): number {
  if (depth < 0) return depth;
  return part === '..' ? depth - 1 : part === '' || part === '.' ? depth : depth + 1;
}

/** Maximum number of links that are followed in a path, as in Linux (path_resolution(7)). */
const MAX_LINKS = 40;

/**
 * Follows the first link in a path below some directories, and returns the new path, which is one
 * of the copy. Null if the path has no link, or if its target cannot be followed safely.
 */
function targetOfFirstLink(
  path: string,
  directories: readonly string[],
  link: (path: string) => string | null,
  map: PathMap,
): string | null {
  const linkPath = firstLinkIn(path, directories, link);
  if (linkPath === null) return null;
  const target = link(linkPath)!;
  // A `..` after a link to a directory starts at the target of that link. Such a target is not
  // followed here.
  for (const { index } of target.matchAll(/\/\.\.(?=\/|$)/g)) {
    const namedPath = target.slice(0, index);
    if (/^[./]*$/.test(namedPath)) continue;
    const folder = linkTarget(linkPath, namedPath, map);
    if (!directories.some((top) => isWithin(folder, top)) || firstLinkIn(folder, directories, link) !== null)
      return null;
  }
  return linkTarget(linkPath, target, map) + path.slice(linkPath.length);
}

/** The first link in a path below some directories; null if there is none. */
function firstLinkIn(
  path: string,
  directories: readonly string[],
  link: (path: string) => string | null,
): string | null {
  const directoryAbove = directories.find((each) => path.startsWith(`${each}/`));
  if (directoryAbove === undefined) return null;
  for (let end = path.indexOf('/', directoryAbove.length + 1); ; end = path.indexOf('/', end + 1)) {
    const linkPath = end < 0 ? path : path.slice(0, end);
    if (link(linkPath) !== null) return linkPath;
    if (end < 0) return null;
  }
}

/** The path that the target of a link in a copy names in that copy. */
export function linkTarget(linkPath: string, target: string, map: PathMap): string {
  return target.startsWith('/') ? localPathOf(resolvePath('/', target), map) : resolvePath(parentOf(linkPath), target);
}

/** The server's path for a path of this machine: the reverse of `localPathOf`. */
export function serverPathOf(localPath: string, map: PathMap): string {
  for (const { from, to } of map.entries) {
    // An entry that maps a path of the copy to itself does not show the server's path.
    if (from === to) continue;
    if (localPath === to) return from;
    if (localPath.startsWith(`${to}/`)) return joinedPath(from, localPath.slice(to.length + 1));
  }
  return localPath;
}

/** Whether a path of the configuration is absolute, on Unix or on Windows (`C:/Apache24`). */
export function isAbsolute(path: string): boolean {
  return path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path);
}

/**
 * `C:` for `c:\\Apache24` and everything on that drive; '' for a path without a drive. The letter
 * is in upper case, as in httpd.
 */
export function driveOf(path: string): string {
  return path.charCodeAt(1) === COLON_CODE && /^[A-Za-z]:([\\/]|$)/.test(path) ? `${path[0]!.toUpperCase()}:` : '';
}

const COLON_CODE = 58;

/**
 * Joins a path to the folder it is relative to, and removes `.`, `..` and double slashes. A path of
 * Windows becomes `C:/Apache24/conf`, whether it has `/` or `\`. Without a drive, a path that
 * begins with a slash is on the drive of the folder (apr_filepath_merge in file_io/win32/filepath.c
 * of APR).
 */
export function resolvePath(base: string, path: string): string {
  const driveOfPath = driveOf(path);
  const drive = driveOfPath === '' ? driveOf(base) : driveOfPath;
  if (drive !== '') return resolvedOnDrive(drive, base, driveOfPath === '' ? path : path.slice(driveOfPath.length));
  if (isNormalizedPath(path)) return path;
  return `/${normalizedPath(path.startsWith('/') ? path : `${base}/${path}`)}`;
}

function resolvedOnDrive(drive: string, base: string, path: string): string {
  const pathWithSlashes = path.replaceAll('\\', '/');
  // A path to a share of another machine has no drive.
  if (pathWithSlashes.startsWith('//')) return `/${normalizedPath(pathWithSlashes)}`;
  const isFromDriveRoot = pathWithSlashes.startsWith('/') || driveOf(base) !== drive;
  return `${drive}/${normalizedPath(isFromDriveRoot ? pathWithSlashes : `${base.slice(drive.length).replaceAll('\\', '/')}/${pathWithSlashes}`)}`;
}

function normalizedPath(path: string): string {
  const normalizedParts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') normalizedParts.pop();
    else normalizedParts.push(part);
  }
  return normalizedParts.join('/');
}

/**
 * The part of a path after a directory, without the slash between them. Null if the path is not in
 * the directory. If the directory is on a drive, upper and lower case are equal.
 */
export function pathBelow(path: string, directory: string): string | null {
  if (path.length < directory.length) return null;
  const ignoresCase = driveOf(directory) !== '';
  const pathStart = path.slice(0, directory.length);
  if (ignoresCase ? pathStart.toLowerCase() !== directory.toLowerCase() : pathStart !== directory) return null;
  const pathAfterDirectory = path.slice(directory.length);
  if (pathAfterDirectory === '' || directory.endsWith('/')) return pathAfterDirectory;
  return pathAfterDirectory.startsWith('/') ? pathAfterDirectory.slice(1) : null;
}

/** Whether a path is the directory or below it. */
export function isWithin(path: string, directory: string): boolean {
  return pathBelow(path, directory) !== null;
}

/** The path of a name in a directory. */
export function joinedPath(directory: string, name: string): string {
  return directory.endsWith('/') ? directory + name : `${directory}/${name}`;
}

/** All parent directories of a directory, the root first; empty for the root. */
export function parentFolders(folder: string): string[] {
  const parents: string[] = [];
  for (let inner = folder, outer = parentOf(inner); outer !== inner; inner = outer, outer = parentOf(inner))
    parents.push(outer);
  return parents.reverse();
}

/** The names in a server path, for comparison. For a path on a drive they are in lower case. */
export function pathComponents(path: string): string[] {
  if (isNormalizedPath(path)) return path.length === 1 ? [] : path.slice(1).split('/');
  const pathNames = path.split('/').filter((part) => part !== '' && part !== '.');
  return driveOf(path) === '' ? pathNames : pathNames.map((part) => part.toLowerCase());
}

/** The path that has these names. */
export function pathOfComponents(parts: readonly string[]): string {
  const joinedParts = parts.join('/');
  if (driveOf(joinedParts) === '') return `/${joinedParts}`;
  return parts.length === 1 ? `${joinedParts}/` : joinedParts;
}

/** Whether a path is absolute and has no `.`, `..` or double slashes. */
function isNormalizedPath(path: string): boolean {
  if (!path.startsWith('/') || path.includes('//')) return false;
  // A name may begin with a dot, such as `.htaccess`.
  if (path.includes('/.') && /\/\.\.?(?:\/|$)/.test(path)) return false;
  return path.length === 1 || !path.endsWith('/');
}

/** The directory that contains a path; the root for the root. */
export function parentOf(path: string): string {
  return isNormalizedPath(path) ? path.slice(0, path.lastIndexOf('/')) || '/' : resolvePath(path, '..');
}

/** The part of a path after its last slash. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/**
 * Deepest nesting of includes and of wildcards; AP_MAX_INCLUDE_DEPTH and AP_MAX_INCLUDE_DIR_DEPTH
 * of server/config.c.
 */
export const MAX_INCLUDE_DEPTH = 128;

/**
 * Maximum number of files that one Include reads. httpd has no such limit, but here `Include /`
 * must end.
 */
export const MAX_INCLUDED_FILES = 25_000;

/**
 * Maximum number of names that one Include reads in directories. An Include through a link to `/`
 * must end.
 */
export const MAX_READ_NAMES = 50_000;

const incompleteLists = cacheOf<readonly string[], true>();
const nameCountByList = cacheOf<readonly string[], number>();

/** How many names in directories `includedFiles` read to make this list. */
export function readNameCountOf(files: readonly string[]): number {
  return nameCountByList.get(files) ?? 0;
}

/** Whether `includedFiles` stopped before it had read all directories. */
export function isIncompleteList(files: readonly string[]): boolean {
  return incompleteLists.has(files);
}

/**
 * The files that `Include` reads, in httpd's order. For a folder, these are all files in it at any
 * depth. Each part of a path can have wildcards, and wildcards never match a leading dot. Names in
 * a folder are sorted by byte value (docs/how-httpd-reads.md, "Includes").
 */
export function includedFiles(path: string, view: Pick<FileView, 'kind' | 'list'>): string[] {
  const matchingFiles: string[] = [];
  let readNameCount = 0;
  const namesIn = (folder: string): readonly string[] => {
    const namesInFolder = view.list(folder) ?? [];
    readNameCount += namesInFolder.length + 1;
    return sortedByBytes(namesInFolder);
  };
  const isOverLimit = (): boolean => {
    const isOverNow = readNameCount >= MAX_READ_NAMES || matchingFiles.length >= MAX_INCLUDED_FILES;
    if (isOverNow) incompleteLists.set(matchingFiles, true);
    return isOverNow;
  };
  const addFilesAt = (currentPath: string, depth: number): void => {
    if (depth > MAX_INCLUDE_DEPTH || isOverLimit()) return;
    const kindOfCurrent = view.kind(currentPath);
    // httpd refuses a listed name that is a broken link or no regular file. The name stays in the
    // list, so that reading it reports a problem.
    if (kindOfCurrent === 'file' || (kindOfCurrent === null && depth > 0)) matchingFiles.push(currentPath);
    if (kindOfCurrent !== 'folder') return;
    for (const name of namesIn(currentPath)) addFilesAt(`${currentPath === '/' ? '' : currentPath}/${name}`, depth + 1);
  };
  const addMatchesIn = (folder: string, parts: readonly string[], depth: number): void => {
    if (depth > MAX_INCLUDE_DEPTH || isOverLimit()) return;
    const [part = '', ...rest] = parts;
    if (!hasWildcard(part)) {
      const pathOfPart = `${folder}/${part}`;
      if (rest.length > 0) addMatchesIn(pathOfPart, rest, depth + 1);
      else addFilesAt(pathOfPart, 0);
      return;
    }
    const pattern = globPattern(part);
    for (const name of namesIn(folder === '' ? '/' : folder)) {
      if (!pattern.test(name) || (name.startsWith('.') && !part.startsWith('.'))) continue;
      const pathOfName = `${folder}/${name}`;
      if (rest.length === 0) addFilesAt(pathOfName, depth + 1);
      // The contents of an unreadable folder are unknown. The folder stays in the list, so that
      // reading it reports a gap.
      else if (view.kind(pathOfName) === 'folder') {
        if (view.list(pathOfName) === null) matchingFiles.push(pathOfName);
        else addMatchesIn(pathOfName, rest, depth + 1);
      }
    }
  };
  if (hasWildcard(path)) addMatchesIn('', path.split('/').filter(Boolean), 0);
  else addFilesAt(path, 0);
  nameCountByList.set(matchingFiles, readNameCount);
  return matchingFiles;
}

/**
 * Whether a text has characters that are not ASCII. In a file that is not UTF-8, they stand for
 * other bytes.
 */
export function hasNonAscii(text: string): boolean {
  return /[^\0-\x7f]/.test(text);
}

/** Whether a text contains a wildcard of httpd: `*`, `?` or `[`. */
export function hasWildcard(text: string): boolean {
  return WILDCARD.test(text);
}

/**
 * The path of a `<Directory>` with wildcards, without the backslashes that quote a character:
 * `/srv/w\ww/*` becomes `/srv/www/*`, and `/srv/\*a?` becomes `/srv/[*]a?`. If the path has no
 * wildcard, or has a drive, a backslash quotes nothing: returns the path as it is (apr_fnmatch and
 * apr_fnmatch_test in APR).
 */
export function withoutQuotes(path: string): string {
  if (!path.includes('\\') || !hasWildcard(path) || driveOf(path) !== '') return path;
  const lastClose = path.lastIndexOf(']');
  let result = '';
  for (let index = 0; index < path.length; index++) {
    const char = path[index]!;
    if (char === '[' && index < lastClose) {
      // A class in brackets stays as it is.
      const end = path.indexOf(']', index) + 1;
      result += path.slice(index, end);
      index = end - 1;
    } else if (char === '\\' && index + 1 < path.length) {
      index++;
      const quoted = path[index]!;
      result += '*?[\\.'.includes(quoted) ? `[${quoted}]` : quoted;
    } else result += char;
  }
  return result;
}

/** The pattern is outside of the function, because it would be compiled at each call there. */
const WILDCARD = /[*?[]/;

/**
 * The directory that contains the first wildcard of a path, without the slash at its end:
 * `/etc/httpd` for `/etc/httpd/*.d/a`. Returns '' for the root and for a relative path, and the
 * whole path if there is no wildcard.
 */
export function wildcardFolder(path: string): string {
  const wildcardIndex = path.search(/[*?[]/);
  return wildcardIndex < 0 ? path : path.slice(0, Math.max(0, path.lastIndexOf('/', wildcardIndex)));
}

/** A compiled pattern with wildcards. */
export interface Glob {
  test(name: string): boolean;
}

/**
 * Compiles a pattern for one name of a path, which matches as apr_fnmatch does. It may have `*`,
 * `?`, and `[…]` with ranges and `!` or `^`; a backslash quotes. It is no regular expression,
 * because one with many stars could take exponential time. Here, an earlier star is not tried again
 * after a later star has matched.
 */
export function globPattern(glob: string): Glob {
  const tokens = globTokens(glob);
  return { test: (name) => tokens !== null && matchesGlob(tokens, name) };
}

/** A star, or a test for one UTF-16 unit. */
type GlobToken = '*' | ((unit: string) => boolean);

/** The tokens of a glob. Null if the glob matches nothing, such as one with a reversed range. */
function globTokens(glob: string): GlobToken[] | null {
  const tokens: GlobToken[] = [];
  const addLiteral = (unit: string) => tokens.push((character) => character === unit);
  for (let i = 0; i < glob.length; i++) {
    const character = glob[i]!;
    if (character === '*') {
      if (tokens[tokens.length - 1] !== '*') tokens.push('*');
    } else if (character === '?') tokens.push((unit) => unit !== '/');
    else if (character === '[') {
      const closingBracket = glob.indexOf(']', i + (/[!^]/.test(glob[i + 1] ?? '') ? 3 : 2));
      if (closingBracket < 0) {
        addLiteral('[');
        continue;
      }
      const bracketRegex = bracketPattern(
        glob
          .slice(i + 1, closingBracket)
          .replace(/^[!^]/, '^')
          .replace(/[\\\]]/g, '\\$&'),
      );
      if (bracketRegex === null) return null;
      tokens.push((unit) => bracketRegex.test(unit));
      i = closingBracket;
    } else if (character === '\\' && i + 1 < glob.length) addLiteral(glob[++i]!);
    else addLiteral(character);
  }
  return tokens;
}

/** The regular expression for the text between the brackets of a glob. Null if it is invalid. */
function bracketPattern(body: string): RegExp | null {
  try {
    return new RegExp(`^[${body}]$`);
  } catch {
    return null;
  }
}

/** Whether the tokens of a glob match a whole name. */
function matchesGlob(tokens: readonly GlobToken[], name: string): boolean {
  let tokenIndex = 0;
  let lastStarIndex = -1;
  let indexAtStar = 0;
  for (let index = 0; index < name.length; ) {
    const expectedToken = tokens[tokenIndex];
    if (expectedToken === '*') {
      lastStarIndex = tokenIndex++;
      indexAtStar = index;
    } else if (expectedToken !== undefined && expectedToken(name[index]!)) {
      tokenIndex++;
      index++;
    } else if (lastStarIndex >= 0 && name[indexAtStar] !== '/') {
      // The last star takes one more character. Earlier stars stay as they are.
      tokenIndex = lastStarIndex + 1;
      index = ++indexAtStar;
    } else return false;
  }
  while (tokens[tokenIndex] === '*') tokenIndex++;
  return tokenIndex === tokens.length;
}

/**
 * Sorts names by their bytes in UTF-8, as httpd does. That is the order of the code points. The
 * order of UTF-16 units is the same without characters above U+FFFF.
 */
function sortedByBytes(names: readonly string[]): string[] {
  const hasSurrogates = names.some((name) => /[\ud800-\udfff]/.test(name));
  return [...names].sort(hasSurrogates ? compareCodePoints : (a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

function compareCodePoints(a: string, b: string): number {
  const [pointsOfA, pointsOfB] = [[...a], [...b]];
  const index = pointsOfA.findIndex((point, at) => point !== pointsOfB[at]);
  if (index < 0) return pointsOfA.length - pointsOfB.length;
  return pointsOfA[index]!.codePointAt(0)! - (pointsOfB[index]?.codePointAt(0) ?? -1);
}
