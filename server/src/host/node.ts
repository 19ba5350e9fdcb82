/** The host (host.ts) for node: reads, searches and writes files of this machine. */
import { convertedDirectoryTest, rememberConverted } from './change-home';
import { closeSync, constants, lstatSync, openSync, readdirSync, readSync, realpathSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { isHttpdPath, isOpenBsdHttpd, looksLikeHttpd, mayBeOpenBsd } from '../directives/recognize';
import { isAccepted, rememberAccepted } from './accepted';
import { decode } from './decode';
import { linkTargetAt, diskFileView } from './node-files';
import { access, readdir, realpath, stat } from './promises';
import {
  explainReadError,
  isKernelFile,
  kindInWords,
  MAX_FILE_SIZE,
  problemContent,
  mayRead,
  OUTSIDE_OF_LIMIT_PROBLEM,
  readBytesNow,
  readingLimit,
  readOpenFile,
} from './read-now';
import { pathInFolder, type SnapshotEntry, type FileSystemSnapshot } from './file-system-snapshot';
import { fileUriOf, pathOfFileUri } from './uris';
import type { FileContent, FileProblem, Host, HostChange, HostChangeOutcome } from './host';
import { TimeSlice } from './slice';

export { explainReadError as explain } from './read-now';

/**
 * Limit for the size in bytes of a file that a search finds. The user did not name such a file, so
 * the limit is lower.
 */
const MAX_FOUND_FILE_SIZE = 32 * 1024 * 1024;

/** Folders that never hold configuration and may be large. */
const SKIPPED_FOLDERS = new Set(['.git', '.hg', '.svn', 'node_modules']);

/**
 * Whether change.ts stores or prepares files in a folder. The files there are copies of
 * configuration, so a search skips them.
 */
function hasPreparedFiles(folder: string): boolean {
  return /\/(httpd-upgrade\/changes|\.httpd-upgrade-\d{8}-\d{6}[^/]*)$/.test(folder);
}

/** The host for this machine. */
export const nodeHost: Host = {
  acceptedFiles: { isAccepted, remember: rememberAccepted },
  fileView: diskFileView,
  uriOf: fileUriOf,
  pathOf: pathOfFileUri,
  readFile(uri) {
    const file = pathOfFileUri(uri);
    return file === null ? Promise.resolve(problemContent('other', 'is not a file')) : readBytes(file);
  },
  async status(uri) {
    const path = pathOfFileUri(uri);
    if (path === null) return null;
    try {
      const file = await realpath(path);
      if (isKernelFile(file)) return null;
      const status = await stat(file);
      const kind = status.isDirectory() ? 'folder' : status.isFile() && status.size <= MAX_FILE_SIZE ? 'file' : null;
      return (
        kind && { kind, realUri: fileUriOf(file), ...(kind === 'file' && status.nlink > 1 && { hasHardLinks: true }) }
      );
    } catch {
      return null;
    }
  },
  linkTarget(uri) {
    const path = pathOfFileUri(uri);
    return Promise.resolve(path === null ? null : linkTargetAt(path));
  },
  async mayWrite(uri) {
    const path = pathOfFileUri(uri);
    return (
      path !== null &&
      (await access(path, constants.W_OK).then(
        () => true,
        () => false,
      ))
    );
  },
  async list(uri) {
    const path = pathOfFileUri(uri);
    if (path === null) return null;
    try {
      const entries = await readdir(path, { withFileTypes: true });
      return entries.map((entry) => ({
        name: entry.name,
        kind: entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? 'link' : 'other',
      }));
    } catch {
      return null;
    }
  },
  readNow(uri) {
    const file = pathOfFileUri(uri);
    return file === null ? problemContent('other', 'is not a file') : readBytesNow(file);
  },
  change: changeFiles,
  recordConversion: (directories, texts) => rememberConverted({ converted: directories }, texts),
  isConverted(uri) {
    const directory = pathOfFileUri(uri);
    return directory !== null && convertedDirectoryTest()(directory);
  },
  isUpgraded(uri) {
    const directory = pathOfFileUri(uri);
    return directory !== null && convertedDirectoryTest('upgraded')(directory);
  },
  async findFiles(folders, isCancelled, onFile, mayEnter, onLink) {
    const foundUris: string[] = [];
    const asUris = (onUri: typeof onFile) =>
      onUri && ((file: string, realPath: string) => onUri(fileUriOf(file), fileUriOf(realPath)));
    const [onFound, onLinked] = [asUris(onFile), asUris(onLink)];
    // One set for all folders, because one workspace folder may be inside another.
    const foundPaths = new Set<string>();
    for (const folder of folders) {
      const path = pathOfFileUri(folder);
      if (path === null) continue;
      for await (const file of configurationFiles(path, {
        isCancelled,
        foundPaths,
        onFound,
        onLink: onLinked,
        mayEnter,
      }))
        foundUris.push(fileUriOf(file));
    }
    return foundUris;
  },
};

/** Writes all files or none: see `Host.change`. */
async function changeFiles(
  changes: readonly HostChange[],
  allowedFolders: readonly string[],
): Promise<HostChangeOutcome> {
  const { changeFunctions, realPaths } = await import('./change');
  const diskChanges = changeFunctions();
  const pathByUri = new Map(changes.map(({ uri }) => [uri, pathOfFileUri(uri)]));
  const otherUri = changes.find(({ uri }) => pathByUri.get(uri) === null);
  if (otherUri) return { uri: otherUri.uri, problem: 'is not a file of this machine' };
  const outcome = await diskChanges.write(
    changes.map(({ uri, before, after }) => ({ path: pathByUri.get(uri)!, before, after })),
    { writablePaths: await realPaths(allowedFolders) },
  );
  if ('id' in outcome) {
    return {
      undo: async () => {
        const { problems } = await diskChanges.undo(outcome.id);
        return problems.length === 0
          ? null
          : problems
              .map(({ path: file, reason }) => `${file || 'the change'} could not be taken back: ${reason}`)
              .join('; ');
      },
    };
  }
  const { path: file, reason } = outcome.problems[0]!;
  return { uri: changes.find(({ uri }) => pathByUri.get(uri) === file)?.uri ?? changes[0]!.uri, problem: reason };
}

/** Reads a complete regular file. Does not wait for a FIFO and does not read a device. */
export async function readBytes(file: string): Promise<FileContent> {
  if (!mayRead(file)) return OUTSIDE_OF_LIMIT_PROBLEM;
  let handle;
  try {
    // Checked before opening: opening a tape device or a FIFO can have side effects.
    const statusBefore = await stat(file);
    if (statusBefore.isDirectory()) return problemContent('directory', 'is a directory');
    if (!statusBefore.isFile()) return problemContent('special', `is ${kindInWords(statusBefore)}, not a regular file`);
    if (statusBefore.size > MAX_FILE_SIZE)
      return problemContent('large', `is larger than ${MAX_FILE_SIZE / 1024 / 1024} MB`);
    handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!(await handle.stat()).isFile()) return problemContent('special', 'is not a regular file');
    return statusBefore.size === 0 ? readOpenFile(handle.fd, 0) : { bytes: await handle.readFile() };
  } catch (error) {
    return { problem: explainReadError(error) };
  } finally {
    await handle?.close();
  }
}

/** How to search for configuration files, and which functions to call meanwhile. */
export interface SearchOptions {
  readonly isCancelled?: () => boolean;
  /**
   * Files (by `deviceAndInode`) and folders (by path, with links resolved) that were already found.
   * The search skips them, and adds new ones.
   */
  readonly foundPaths?: Set<string>;
  /** Called for each folder that is searched. */
  readonly onFolder?: (folder: string) => void;
  /** Called for each entry that cannot be read or searched. */
  readonly onProblem?: (path: string, problem: FileProblem) => void;
  /** Called for each file whose name is not that of a configuration. */
  readonly onOtherFile?: (file: string) => void;
  /** Called before each file that is found. `realPath`: its path with links resolved. */
  readonly onFound?: (path: string, realPath: string) => void;
  /** Called for each link to a file or folder, with its target. */
  readonly onLink?: (path: string, target: string) => void;
  /** Returns false for folders and files to skip. Gets their paths with links resolved. */
  readonly mayEnter?: (path: string) => boolean;
  /**
   * The results of earlier searches in the same run, so that nothing is read twice. With a
   * snapshot, the search lists folders synchronously.
   */
  readonly snapshot?: FileSystemSnapshot;
}

/**
 * Finds the configuration files below a folder, in the order of the bytes of their names. The paths
 * begin with `folder` as given. Follows links to folders, but enters each real folder once. Returns
 * a file with several links once.
 */
export async function* configurationFiles(folder: string, givenOptions: SearchOptions = {}): AsyncGenerator<string> {
  const options = withReadingLimit(givenOptions);
  const foundPaths = options.foundPaths ?? new Set<string>();
  const slice = new TimeSlice();
  const foldersToSearch = [folder];
  let realTop: string | null = null;
  let nameCountOutside = 0;
  while (foldersToSearch.length > 0) {
    if (options.isCancelled?.()) return;
    const folderToSearch = foldersToSearch.pop()!;
    const folders: string[] = [];
    try {
      const listing = options.snapshot && readFolder(options.snapshot, folderToSearch);
      const realFolder = listing?.realPath ?? (await realpath(folderToSearch));
      realTop ??= realFolder;
      if (isSkippedFolder(folderToSearch, { realFolder, realTop, foundPaths, options })) continue;
      options.onFolder?.(folderToSearch);
      const namesInFolder = listing?.names ?? sortedByBytes(await readdir(folderToSearch));
      if (realFolder !== realTop && !realFolder.startsWith(realTop.endsWith(path.sep) ? realTop : realTop + path.sep)) {
        const isWithinLimit = nameCountOutside <= MAX_NAMES_OUTSIDE;
        nameCountOutside += namesInFolder.length + 1;
        const message = `is not searched: links to other directories lead to more than ${MAX_NAMES_OUTSIDE} files`;
        if (nameCountOutside > MAX_NAMES_OUTSIDE && isWithinLimit)
          options.onProblem?.(folderToSearch, { code: 'other', message });
        if (nameCountOutside > MAX_NAMES_OUTSIDE) continue;
      }
      for (const name of namesInFolder) {
        if (slice.isOver) await slice.pause();
        if (options.isCancelled?.()) return;
        const fullPath = pathInFolder(folderToSearch, name);
        if (options.mayEnter && !(await mayEnterTarget(fullPath, options.mayEnter))) continue;
        const entryKind = kindOfEntry(fullPath, foundPaths, options);
        if (entryKind === 'folder' && !SKIPPED_FOLDERS.has(name) && !hasPreparedFiles(fullPath)) folders.push(fullPath);
        if (entryKind === 'configuration' || entryKind === 'linked configuration') {
          options.onFound?.(
            fullPath,
            entryKind === 'configuration' ? path.join(realFolder, name) : await realpath(fullPath),
          );
          yield fullPath;
        }
      }
    } catch (error) {
      options.onProblem?.(folderToSearch, explainReadError(error));
    }
    for (const folder of folders.reverse()) foldersToSearch.push(folder);
  }
}

/**
 * Whether a file that `configurationFiles` did not return looks like configuration of httpd, by its
 * first bytes. False for programs, and for files that are large or cannot be read.
 */
export function hasConfigurationText(file: string): boolean {
  try {
    const { kind, size } = readEntry(file);
    if (kind !== 'file' || size === 0 || size > MAX_UNUSUALLY_NAMED_SIZE || isKernelFile(realpathSync.native(file)))
      return false;
    const text = beginningOf(file);
    return !text.startsWith('#!') && looksLikeHttpd(text);
  } catch {
    return false;
  }
}

/** The largest size in bytes of a configuration file that has not the name of one. */
const MAX_UNUSUALLY_NAMED_SIZE = 1024 * 1024;

/** Identifies a file by its device and inode: equal for all links to the file. */
export function deviceAndInode(info: { readonly dev: number; readonly ino: number }): string {
  return `${info.dev}:${info.ino}`;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Adds the reading limit to the options of a search, unless they have their own `mayEnter`. */
function withReadingLimit(givenOptions: SearchOptions): SearchOptions {
  return readingLimit.value === null ? givenOptions : { mayEnter: mayRead, ...givenOptions };
}

/**
 * The largest number of names that are read in directories outside of the searched folder. Links
 * can lead there, and a link to `/` would make the search endless.
 */
const MAX_NAMES_OUTSIDE = 20_000;

/** The largest number of nested directories. The deeper a path is, the longer each access takes. */
const MAX_DIRECTORY_DEPTH = 100;

const TOO_DEEP_PROBLEM: FileProblem = {
  code: 'other',
  message: `is not searched: it is more than ${MAX_DIRECTORY_DEPTH} directories deep`,
};

/**
 * Whether the search skips a folder: `mayEnter` forbids it, it was already searched, or it is too
 * deep below `realTop`. `realFolder`: the path of the folder with links resolved, which is added to
 * `foundPaths`.
 */
function isSkippedFolder(
  folder: string,
  {
    realFolder,
    realTop,
    foundPaths,
    options,
  }: {
    readonly realFolder: string;
    readonly realTop: string;
    readonly foundPaths: Set<string>;
    readonly options: SearchOptions;
  },
): boolean {
  if (options.mayEnter?.(realFolder) === false) return true;
  if (foundPaths.has(realFolder)) return true;
  foundPaths.add(realFolder);
  const isTooDeep = realFolder.split(path.sep).length > realTop.split(path.sep).length + MAX_DIRECTORY_DEPTH;
  if (isTooDeep) options.onProblem?.(folder, TOO_DEEP_PROBLEM);
  return isTooDeep;
}

/**
 * Whether `mayEnter` allows the target of a link; for a link that leads nowhere, the path of the
 * link. True for everything that is no link.
 */
async function mayEnterTarget(file: string, mayEnter: (path: string) => boolean): Promise<boolean> {
  return !lstatSync(file).isSymbolicLink() || mayEnter(await realpath(file).catch(() => file));
}

/**
 * How the search treats an entry: enters a folder, returns a configuration, or skips the entry
 * (`other`). Adds a configuration to `foundPaths`, and reports the entry to the functions in
 * `options`.
 */
function kindOfEntry(
  file: string,
  foundPaths: Set<string>,
  options: SearchOptions,
): 'folder' | 'configuration' | 'linked configuration' | 'other' {
  try {
    const entry = options.snapshot?.entryByPath.get(file) ?? readEntry(file);
    options.snapshot?.entryByPath.set(file, entry);
    if (options.onLink && entry.isLink && entry.kind !== 'other') options.onLink(file, realpathSync.native(file));
    if (entry.kind !== 'file') return entry.kind;
    const isHttpdByPath = isHttpdPath(file.split(path.sep).join('/'));
    if (isHttpdByPath === false) {
      options.onOtherFile?.(file);
      return 'other';
    }
    if (foundPaths.has(entry.identity)) return 'other';
    if (entry.size > MAX_FOUND_FILE_SIZE) {
      const message = `is larger than ${MAX_FOUND_FILE_SIZE / 1024 / 1024} MB; to check it, name it on the command line`;
      if (isHttpdByPath) options.onProblem?.(file, { code: 'large', message });
      return 'other';
    }
    if (isHttpdByPath === undefined && !(entry.looksLikeHttpd ??= hasHttpdContent(file, options.snapshot)))
      return 'other';
    if (
      isHttpdByPath &&
      mayBeOpenBsd(file) &&
      !(entry.looksLikeHttpd ??= !isOpenBsdHttpd(beginningOf(file, options.snapshot)))
    )
      return 'other';
    foundPaths.add(entry.identity);
    return entry.isLink ? 'linked configuration' : 'configuration';
  } catch (error) {
    // A link that leads nowhere is ignored. An unreadable file is reported if it may be
    // configuration.
    const reason = explainReadError(error);
    if (reason.code === 'missing' && file.includes('\ufffd') && mayBeConfiguration(file))
      options.onProblem?.(file, { code: 'other', message: 'has a name that is not UTF-8, so it is not checked' });
    if (reason.code !== 'missing' && isHttpdPath(file.split(path.sep).join('/')) !== false)
      options.onProblem?.(file, reason);
    return 'other';
  }
}

/** The entry at a path, from the disk. Throws if it is missing, or is a link that leads nowhere. */
function readEntry(file: string): SnapshotEntry {
  const ownStatus = lstatSync(file);
  const isLink = ownStatus.isSymbolicLink();
  const targetStatus = isLink ? statSync(file) : ownStatus;
  const kind = targetStatus.isDirectory() ? 'folder' : targetStatus.isFile() ? 'file' : 'other';
  return {
    kind,
    isLink,
    size: targetStatus.size,
    identity: kind === 'file' ? deviceAndInode(targetStatus) : '',
    looksLikeHttpd: null,
  };
}

/**
 * The names in a folder, sorted, and its path with links resolved. Uses the snapshot as a cache.
 */
function readFolder(
  { listingByFolder }: FileSystemSnapshot,
  folder: string,
): { readonly realPath: string; readonly names: readonly string[] } {
  let listing = listingByFolder.get(folder);
  if (listing === undefined)
    listingByFolder.set(
      folder,
      (listing = { realPath: realpathSync.native(folder), names: sortedByBytes(readdirSync(folder)) }),
    );
  return listing;
}

/** Whether a file with this name may be configuration, although node cannot decode the name. */
function mayBeConfiguration(file: string): boolean {
  const kind = diskFileView().kind(file);
  return kind === 'folder' || (kind === 'file' && isHttpdPath(file.split(path.sep).join('/')) !== false);
}

/** A buffer for the first bytes of the file that is being tested. */
const sampleBuffer = Buffer.alloc(16 * 1024);

/**
 * The text of the first bytes of a file; '' if the file is not text. Stores a short file in the
 * snapshot.
 */
function beginningOf(file: string, snapshot?: FileSystemSnapshot): string {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const byteCount = readSync(descriptor, sampleBuffer, 0, sampleBuffer.length, 0);
    if (byteCount < sampleBuffer.length) snapshot?.storeContent(file, sampleBuffer.subarray(0, byteCount));
    const decodedFile = decodeSample(byteCount);
    return 'text' in decodedFile ? decodedFile.text : '';
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Decodes the first bytes of a file. If there are more, cuts them at the last line end, because
 * half a character would look like another encoding.
 */
function decodeSample(byteCount: number): ReturnType<typeof decode> {
  const isWholeFileRead = byteCount < sampleBuffer.length;
  return decode(sampleBuffer.subarray(0, isWholeFileRead ? byteCount : sampleBuffer.lastIndexOf(10) + 1 || byteCount));
}

/**
 * Whether the first bytes of a file look like configuration of httpd. Stores a short file, and the
 * result of `looksLikeConfiguration` for it, in the snapshot.
 */
function hasHttpdContent(file: string, snapshot?: FileSystemSnapshot): boolean {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const byteCount = readSync(descriptor, sampleBuffer, 0, sampleBuffer.length, 0);
    const decodedFile = decodeSample(byteCount);
    if (!('text' in decodedFile)) return false;
    const isHttpd = looksLikeHttpd(decodedFile.text);
    if (snapshot && byteCount < sampleBuffer.length) {
      snapshot.looksLikeConfigurationByPath.set(file, snapshot.looksLikeConfiguration(decodedFile.text));
      if (isHttpd) snapshot.storeContent(file, sampleBuffer.subarray(0, byteCount));
    }
    return isHttpd;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Sorts names by their bytes, as a C program does. For ASCII names, JavaScript's order is the same.
 */
function sortedByBytes(names: string[]): string[] {
  if (names.every((name) => /^[\x00-\x7f]*$/.test(name))) return names.sort();
  return names.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
