/** Finds and reads the files that a command checks: files and folders that the user names. */
import { statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { isMainName } from '../analysis/main-file';
import { decode, type Encoding } from '../host/decode';
import { configurationFiles, explain, identityOf, readBytes } from '../host/node';
import type { FileSystemSnapshot } from '../host/file-system-snapshot';
import { Tree } from '../syntax/document';
import { amount, type Terminal } from './terminal';

export interface InputFile {
  /** The path as the user gave it, or below the folder that the user gave. */
  readonly path: string;
  readonly tree: Tree;
  readonly encoding: Encoding;
}

/**
 * The directories that belong to main files. For a file in `conf`, that is the parent directory.
 * Leaves out directories that do not belong to one server alone, such as `/etc` for
 * `/etc/httpd.conf`.
 */
export function foldersBeside(paths: readonly string[]): readonly string[] {
  const shared = new Set([homedir(), tmpdir(), ...SHARED_DIRECTORIES]);
  const folders = paths
    .filter(isMainName)
    .map((file) => path.resolve(path.dirname(file)).replace(/(?<=.)\/conf$/, ''))
    .filter((folder) => !shared.has(folder));
  return [...new Set(folders)];
}

/**
 * Directories that many programs use (Filesystem Hierarchy Standard, and those of macOS and BSD).
 */
const SHARED_DIRECTORIES =
  '/ /etc /usr /usr/local /usr/local/etc /opt /srv /var /home /root /private /private/etc /Library /Users /Applications'.split(
    ' ',
  );

/** Returns a file that has already been read; null if it has not. */
export type KnownFiles = (path: string) => Omit<InputFile, 'path'> | null;

/**
 * The reason why a given main configuration file is not read, as words after its name. `kind`: what
 * is at the path.
 */
export function rootProblem(kind: 'file' | 'folder' | null): string {
  if (kind === 'folder') return 'is a directory; give the file that the server reads first';
  return kind === null ? 'does not exist' : 'cannot be read';
}

/**
 * Reads the files one after another, each once even if it has several names. If a file is
 * unreadable, this is reported to `terminal` (`hadProblems`), and the others are read. Excluded
 * files are not read. Calls `onEmpty` for each given directory without configuration.
 */
export async function* inputFiles(
  paths: readonly string[],
  terminal: Terminal,
  knownFiles: KnownFiles = () => null,
  isExcluded: (file: string) => boolean = () => false,
  snapshot?: FileSystemSnapshot,
  onEmpty: (folder: string) => void = (folder) => noteEmpty(folder, terminal),
): AsyncGenerator<InputFile> {
  const seen = new Set<string>();
  for (const given of paths) {
    let info;
    try {
      info = statSync(given);
    } catch (error) {
      terminal.problem(given, explain(error).message);
      continue;
    }
    if (info.isDirectory()) {
      if (!(yield* filesBelow(given, seen, terminal, knownFiles, isExcluded, snapshot))) onEmpty(given);
      continue;
    }
    if (seen.has(identityOf(info)) || isExcluded(given)) continue;
    seen.add(identityOf(info));
    const file = await read(given, terminal, knownFiles);
    if (file) yield file;
  }
}

export function noteEmpty(folder: string, terminal: Terminal): void {
  terminal.note(
    `${folder}: no httpd configuration found in this directory; give the directory of httpd.conf or apache2.conf`,
  );
}

/** Reads the files below a directory. Returns whether there are any. */
async function* filesBelow(
  folder: string,
  seen: Set<string>,
  terminal: Terminal,
  knownFiles: KnownFiles,
  isExcluded: (file: string) => boolean,
  snapshot: FileSystemSnapshot | undefined,
): AsyncGenerator<InputFile, boolean> {
  let count = 0;
  let isEmpty = true;
  const options = {
    seen,
    snapshot,
    onKnown: () => (isEmpty = false),
    onFolder: (path: string) => terminal.progress(`${amount(count, 'file')}: ${path}`),
    onProblem: (path: string, problem: { message: string }) => {
      isEmpty = false;
      terminal.problem(path, problem.message);
    },
  };
  for await (const path of configurationFiles(folder, options)) {
    isEmpty = false;
    if (isExcluded(path)) continue;
    count++;
    terminal.progress(`${amount(count, 'file')}: ${path}`);
    const file = await read(path, terminal, knownFiles);
    if (file) yield file;
  }
  terminal.clear();
  return !isEmpty;
}

async function read(path: string, terminal: Terminal, knownFiles: KnownFiles): Promise<InputFile | null> {
  const ready = knownFiles(path);
  if (ready) return { path, ...ready };
  const content = await readBytes(path);
  if ('problem' in content) {
    terminal.problem(path, content.problem.message);
    return null;
  }
  const decoded = decode(content.bytes);
  if ('problem' in decoded) {
    terminal.problem(path, decoded.problem);
    return null;
  }
  return { path, tree: Tree.parse(decoded.text), encoding: decoded.encoding };
}
