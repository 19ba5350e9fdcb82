/** Finds and reads the files that a command checks: files and folders that the user names. */
import { realpathSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { isMainFileName } from '../config/file-summary';
import { checkoutOf, SYSTEM_FOLDER } from '../config/changeable-folders';
import { isWithin } from '../config/files';
import { decode, type Encoding } from '../host/decode';
import { configurationFiles, explain, deviceAndInode, readBytes } from '../host/node';
import { realpath } from '../host/promises';
import type { FileSystemSnapshot } from '../host/file-system-snapshot';
import { Tree } from '../syntax/document';
import { shortPath } from './short-path';
import { countWithNoun, type Terminal } from './terminal';

/** A file that a command checks. */
export interface InputFile {
  /** The path as the user gave it, or below the folder that the user gave. */
  readonly path: string;
  readonly tree: Tree;
  readonly encoding: Encoding;
}

/**
 * Returns the configuration directories of the servers with these main files. For a main file in
 * `conf`, that is the parent directory. Omits directories that several programs share, such as
 * `/etc` for `/etc/httpd.conf`.
 */
export function serverFoldersOf(paths: readonly string[]): readonly string[] {
  const sharedPaths = sharedFolders();
  const folders = paths
    .filter(isMainFileName)
    .map((file) => path.resolve(path.dirname(file)))
    // A checkout with the name `conf` is a directory of its own.
    .map((folder) =>
      checkoutOf(folder, LINK_RESOLVING_VIEW.kind) === folder ? folder : folder.replace(/(?<=.)\/conf$/, ''),
    )
    .filter((folder) => !sharedPaths.has(folder));
  return [...new Set(folders)];
}

/** Directories that contain more than one server or program. */
export function sharedFolders(): ReadonlySet<string> {
  return new Set([homedir(), LINK_RESOLVING_VIEW.realPath(homedir()), tmpdir(), ...DIRECTORIES_OF_MANY_PROGRAMS]);
}

/**
 * If a path that the user names leads out of its checkout through a link, returns where it leads:
 * another author of the checkout may have made the link. Otherwise null, and also for paths in
 * directories of the system.
 */
export function linkOutOfCheckout(namedPath: string): string | null {
  const fullPath = path.resolve(namedPath);
  const checkout = SYSTEM_FOLDER.test(fullPath) ? null : checkoutOf(path.dirname(fullPath), LINK_RESOLVING_VIEW.kind);
  const target = LINK_RESOLVING_VIEW.realPath(fullPath);
  return checkout === null || isWithin(target, LINK_RESOLVING_VIEW.realPath(checkout)) ? null : target;
}

/**
 * A file view that only resolves links and finds what is at a path. A path that does not exist
 * stays as it is.
 */
export const LINK_RESOLVING_VIEW = {
  kind(file: string): 'file' | 'folder' | null {
    try {
      return statSync(file).isDirectory() ? 'folder' : 'file';
    } catch {
      return null;
    }
  },
  realPath(file: string): string {
    try {
      return realpathSync.native(file);
    } catch {
      return file;
    }
  },
};

/**
 * Directories that several programs share: those of the Filesystem Hierarchy Standard, and of macOS
 * and BSD.
 */
const DIRECTORIES_OF_MANY_PROGRAMS =
  '/ /etc /usr /usr/local /usr/local/etc /opt /srv /var /home /root /private /private/etc /Library /Users /Applications'.split(
    ' ',
  );

/** Returns a file if it has already been read; null otherwise. */
export type FindFileAlreadyRead = (path: string) => Omit<InputFile, 'path'> | null;

/**
 * Returns why a main configuration file that the user names is not read, as words to put after its
 * name. `kind`: what exists at the path.
 */
export function mainFileProblem(kind: 'file' | 'folder' | null): string {
  if (kind === 'folder') return 'is a directory; give the file that the server reads first';
  return kind === null ? 'does not exist' : 'cannot be read';
}

/**
 * Reads the files one after another, each once, even if it has several names. Reports an unreadable
 * file to `terminal` (`hadProblems`) and goes on. Skips excluded files. Calls `onEmpty` for each
 * given directory without configuration files.
 */
export async function* inputFiles(
  paths: readonly string[],
  terminal: Terminal,
  findFileAlreadyRead: FindFileAlreadyRead = () => null,
  isExcluded: (file: string) => boolean = () => false,
  snapshot?: FileSystemSnapshot,
  onEmpty: (folder: string) => void = (folder) => reportEmptyFolder(folder, terminal),
): AsyncGenerator<InputFile> {
  const idsOfFilesRead = new Set<string>();
  for (const givenPath of paths) {
    let status;
    try {
      status = statSync(givenPath);
    } catch (error) {
      terminal.reportProblem(givenPath, explain(error).message);
      continue;
    }
    if (status.isDirectory()) {
      if (!(yield* filesBelow(givenPath, idsOfFilesRead, terminal, findFileAlreadyRead, isExcluded, snapshot)))
        onEmpty(givenPath);
      continue;
    }
    if (idsOfFilesRead.has(deviceAndInode(status)) || isExcluded(givenPath)) continue;
    idsOfFilesRead.add(deviceAndInode(status));
    const file = await readInputFile(givenPath, terminal, findFileAlreadyRead);
    if (file) yield file;
  }
}

/**
 * The configuration files in these directories that can be read. Does not follow links out of them.
 * Empty if the directories have more names than a configuration directory has: they may then hold
 * the files that the server serves, and the user did not ask to search these.
 */
export async function filesInFolders(
  folders: readonly string[],
  findFileAlreadyRead: FindFileAlreadyRead,
  isExcluded: (file: string) => boolean,
): Promise<readonly InputFile[]> {
  const files: InputFile[] = [];
  const idsOfFilesFound = new Set<string>();
  let entriesLeft = MAX_SEARCHED_ENTRIES;
  for (const folder of folders) {
    const realFolder = await realpath(folder).catch(() => null);
    if (realFolder === null) continue;
    for await (const file of configurationFiles(folder, {
      foundPaths: idsOfFilesFound,
      mayEnter: (each) => isWithin(each, realFolder),
      isCancelled: () => entriesLeft-- <= 0,
    })) {
      if (isExcluded(file)) continue;
      const contentOrProblem = await contentOf(file, findFileAlreadyRead);
      if (!('problem' in contentOrProblem)) files.push({ path: shortPath(file), ...contentOrProblem });
    }
  }
  return entriesLeft < 0 ? [] : files;
}

/** The largest number of files and directories that `filesInFolders` looks at. */
const MAX_SEARCHED_ENTRIES = 5000;

/** Reports that no configuration file was found in a directory that the user named. */
export function reportEmptyFolder(folder: string, terminal: Terminal): void {
  const pattern = path.normalize(folder) === '.' ? '' : `, or a pattern: '${path.join(folder, '**')}'`;
  terminal.reportProblem(
    folder,
    `no httpd configuration found in this directory; give the directory of httpd.conf or apache2.conf${pattern}`,
  );
}

/**
 * Reads the files below a directory. Returns false only if it certainly has no configuration file:
 * none was found, and everything could be searched.
 */
async function* filesBelow(
  folder: string,
  idsOfFilesRead: Set<string>,
  terminal: Terminal,
  findFileAlreadyRead: FindFileAlreadyRead,
  isExcluded: (file: string) => boolean,
  snapshot: FileSystemSnapshot | undefined,
): AsyncGenerator<InputFile, boolean> {
  let fileCount = 0;
  let isEmpty = true;
  const options = {
    foundPaths: idsOfFilesRead,
    snapshot,
    onFolder: (path: string) => terminal.showProgress(() => `${countWithNoun(fileCount, 'file')}: ${path}`),
    onProblem: (path: string, problem: { message: string }) => {
      isEmpty = false;
      terminal.reportProblem(path, problem.message);
    },
  };
  for await (const path of configurationFiles(folder, options)) {
    isEmpty = false;
    if (isExcluded(path)) continue;
    fileCount++;
    terminal.showProgress(() => `${countWithNoun(fileCount, 'file')}: ${path}`);
    const file = await readInputFile(path, terminal, findFileAlreadyRead);
    if (file) yield file;
  }
  terminal.clearProgress();
  return !isEmpty || (await hasConfiguration(folder, snapshot));
}

/**
 * Whether there are configuration files below the directory, also if another path led to them
 * before.
 */
async function hasConfiguration(folder: string, snapshot: FileSystemSnapshot | undefined): Promise<boolean> {
  for await (const _ of configurationFiles(folder, { snapshot })) return true;
  return false;
}

/** Reads a file. If it cannot be read or is no text, reports that and returns null. */
async function readInputFile(
  path: string,
  terminal: Terminal,
  findFileAlreadyRead: FindFileAlreadyRead,
): Promise<InputFile | null> {
  const contentOrProblem = await contentOf(path, findFileAlreadyRead);
  if (!('problem' in contentOrProblem)) return { path, ...contentOrProblem };
  terminal.reportProblem(path, contentOrProblem.problem);
  return null;
}

/** The content of a file, or in words why it cannot be read. */
async function contentOf(
  path: string,
  findFileAlreadyRead: FindFileAlreadyRead,
): Promise<Omit<InputFile, 'path'> | { readonly problem: string }> {
  const knownContent = findFileAlreadyRead(path);
  if (knownContent) return knownContent;
  const content = await readBytes(path);
  if ('problem' in content) return { problem: content.problem.message };
  const decodedFile = decode(content.bytes);
  return 'problem' in decodedFile
    ? decodedFile
    : { tree: Tree.parse(decodedFile.text), encoding: decodedFile.encoding };
}
