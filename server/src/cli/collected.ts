/**
 * Lets commands read archives and directories that cli/collect.sh made on a server. An archive is
 * unpacked into a private directory, which is deleted when the command ends. The output shows the
 * paths that the files have on the server. A command that writes needs `--output`.
 */
import { existsSync, readFileSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { COLLECTED_FILES_FOLDER } from '../config/collected';
import { isWithin } from '../config/files';
import { ArchiveError, packArchive, unpackCollected } from '../host/archive';
import { explain } from '../host/node';
import { readingLimit } from '../host/read-now';
import { PROJECT_FILE } from '../settings/project-file';
import type { CommonArguments } from './arguments';
import {
  collectedFacts,
  collectedFolder,
  textOfFile,
  isArchive,
  isArchiveName,
  mainFileOf,
  unreadFilesOf,
} from '../host/collected';
import { LINK_RESOLVING_VIEW } from './files';
import { writeWhole } from './output';
import { countWithNoun, type Terminal } from './terminal';

/** The text of the shell script that collects a configuration on a server. */
export function collectScript(): string {
  return readFileSync(path.join(__dirname, 'collect.sh'), 'utf8');
}

/** The arguments of a command whose paths may be collected archives or directories. */
export type FileCommand = CommonArguments & {
  readonly command: string;
  readonly write?: boolean;
  readonly mode?: string | null;
  readonly output?: string | null;
};

/**
 * Runs a command after collected archives and directories among its paths were replaced by the main
 * files in them. Returns the exit code; null if the program keeps running.
 */
export async function runOnCollected<Given extends FileCommand>(
  commandArguments: Given,
  terminal: Terminal,
  run: (commandArguments: Given) => Promise<number | null>,
): Promise<number | null> {
  const archives = commandArguments.paths.filter(isArchive);
  if (archives.length === 0) {
    for (const folder of commandArguments.paths) noteIncomplete(folder, terminal);
    return run({
      ...commandArguments,
      ...collectedInputs(commandArguments, commandArguments.paths),
      givenPaths: commandArguments.paths,
    });
  }
  const writesFiles =
    commandArguments.command === 'migrate' || commandArguments.write === true || commandArguments.mode === 'write';
  if (!writesFiles) return runOnCopy(commandArguments, terminal, run);
  const output = commandArguments.command === 'format' ? null : (commandArguments.output ?? null);
  const problem =
    output === null
      ? `an archive is not changed: add --output with a new directory, or a new archive such as migrated.tar.gz`
      : commandArguments.paths.length > 1
        ? '--output is for one archive: give one'
        : existsSync(output) && !isEmptyDirectory(output)
          ? `${output} exists already: name a new directory or archive with --output`
          : null;
  if (problem !== null) {
    terminal.reportFailure(problem);
    return 2;
  }
  return isArchiveName(output!)
    ? runIntoArchive(commandArguments, output!, terminal, run)
    : runIntoFolder(commandArguments, output!, terminal, run);
}

// ---------------------------------------------------------------------------------------------------------------------

/** Commands that also show or convert files that the server does not read. */
const COMMANDS_FOR_UNREAD_FILES: ReadonlySet<string> = new Set(['check', 'plan', 'fix']);

/**
 * Finds in the collected directories the main files (`paths`) and the files that the servers do not
 * read (`unreadPaths`).
 */
function collectedInputs(
  { command }: FileCommand,
  places: readonly string[],
): Pick<CommonArguments, 'paths' | 'unreadPaths'> {
  const unreadPaths = COMMANDS_FOR_UNREAD_FILES.has(command)
    ? places.flatMap((place) => unreadFilesOf(place).filter((file) => isBelow(place, file)))
    : [];
  const mainFiles = places.map((place) => (isBelow(place, mainFileOf(place)) ? mainFileOf(place) : place));
  return { paths: [...mainFiles, ...unreadPaths], unreadPaths };
}

/**
 * Whether a file is in a directory, after links are followed. A collection from another machine
 * could name files outside of its directory.
 */
function isBelow(folder: string, file: string): boolean {
  return isWithin(LINK_RESOLVING_VIEW.realPath(path.resolve(file)), LINK_RESOLVING_VIEW.realPath(path.resolve(folder)));
}

function isEmptyDirectory(folder: string): boolean {
  return statSync(folder).isDirectory() && readdirSync(folder).length === 0;
}

/**
 * Runs a command on an archive that is unpacked into a temporary directory. The output has the
 * paths of the server. Returns the exit code, or null as in `runOnCollected`.
 */
async function runOnCopy<Given extends FileCommand>(
  commandArguments: Given,
  terminal: Terminal,
  run: (commandArguments: Given) => Promise<number | null>,
): Promise<number | null> {
  return withPrivateFolder(async (folder) => {
    const unpackedPaths: string[] = [];
    for (const [i, file] of commandArguments.paths.entries()) {
      const unpackedPath = isArchive(file) ? path.join(folder, String(i)) : file;
      if (unpackedPath !== file && !(await unpackArchive(file, unpackedPath, terminal))) return 2;
      unpackedPaths.push(unpackedPath);
    }
    const unpackedFolders = commandArguments.paths.map((_, i) => path.join(folder, String(i)));
    const serverFolders = unpackedFolders.map((place) => {
      const collection = collectedFolder(place);
      return collection === null ? place : path.join(collection, COLLECTED_FILES_FOLDER);
    });
    return withServerPaths(serverFolders, commandArguments.output ?? null, () =>
      run({
        ...commandArguments,
        ...collectedInputs(commandArguments, unpackedPaths),
        givenPaths: commandArguments.paths,
      }),
    );
  });
}

/**
 * Unpacks an archive into a new directory and runs the command there. The directory is the result.
 * Returns the exit code, or null as in `runOnCollected`.
 */
async function runIntoFolder<Given extends FileCommand>(
  commandArguments: Given,
  output: string,
  terminal: Terminal,
  run: (commandArguments: Given) => Promise<number | null>,
): Promise<number | null> {
  if (!(await unpackArchive(commandArguments.paths[0]!, output, terminal))) {
    rmSync(output, { recursive: true, force: true });
    return 2;
  }
  const code = await run({
    ...commandArguments,
    ...collectedInputs(commandArguments, [output]),
    givenPaths: [output],
    output: null,
  });
  noteResultFolder(output, output, terminal);
  return code;
}

/**
 * Runs a command on an archive that is unpacked into a temporary directory, and packs the result as
 * a new archive. Returns the exit code, or null as in `runOnCollected`.
 */
async function runIntoArchive<Given extends FileCommand>(
  commandArguments: Given,
  output: string,
  terminal: Terminal,
  run: (commandArguments: Given) => Promise<number | null>,
): Promise<number | null> {
  return withPrivateFolder(async (folder) => {
    const unpackedFolder = path.join(folder, 'archive');
    if (!(await unpackArchive(commandArguments.paths[0]!, unpackedFolder, terminal))) return 2;
    const collection = collectedFolder(unpackedFolder);
    const filesFolder = collection === null ? unpackedFolder : path.join(collection, COLLECTED_FILES_FOLDER);
    const code = await withServerPaths([filesFolder], null, () =>
      run({
        ...commandArguments,
        ...collectedInputs(commandArguments, [unpackedFolder]),
        givenPaths: commandArguments.paths,
        output: null,
      }),
    );
    if (code === 2 || code === 130) return code;
    try {
      await packArchive(collection ?? unpackedFolder, output);
    } catch (error) {
      terminal.reportProblem(output, explain(error).message);
      return 2;
    }
    noteResultFolder(unpackedFolder, output, terminal);
    return code;
  });
}

/** Tells the user where the result is, and that removed passwords must be put back. */
function noteResultFolder(folder: string, output: string, terminal: Terminal): void {
  const passwords = collectedFacts(folder)?.passwordCount ?? 0;
  const passwordNote =
    passwords > 0
      ? `; ${countWithNoun(passwords, 'password')} in it ${passwords === 1 ? 'is a placeholder' : 'are placeholders'} (REMOVED…): copy the changed lines to the server, or put the passwords back`
      : '';
  terminal.note(`the copy is in ${output}${passwordNote}`);
}

/**
 * Tells the user if .htaccess files of some directories may be missing in a collection, and how to
 * collect them.
 */
function noteIncomplete(folder: string, terminal: Terminal): void {
  const { incompleteFolders = [] } = collectedFacts(folder) ?? {};
  if (incompleteFolders.length === 0) return;
  const [first, ...others] = incompleteFolders;
  terminal.note(
    `${first}${others.length > 0 ? ` and ${others.length} more` : ''}: .htaccess files may be missing in the archive. Run the script again, as root, with --seconds 0 --htaccess 0`,
  );
}

/** Unpacks an archive. Reports problems; returns whether it succeeded. */
async function unpackArchive(file: string, folder: string, terminal: Terminal): Promise<boolean> {
  try {
    await unpackCollected(file, folder, PROJECT_FILE);
    noteIncomplete(folder, terminal);
    return true;
  } catch (error) {
    terminal.reportProblem(file, error instanceof ArchiveError ? error.message : explain(error).message);
    return false;
  }
}

/**
 * Runs `work` with a private temporary directory, and always deletes this directory afterwards,
 * even if the user stops the program.
 */
async function withPrivateFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = realpathSync.native(mkdtempSync(path.join(tmpdir(), 'httpd-upgrade-')));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const exitOnSignal = () => process.exit(130);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  process.once('exit', remove);
  const limitBefore = readingLimit.value;
  if (limitBefore !== null) readingLimit.value = [...limitBefore, folder];
  for (const signal of signals) process.once(signal, exitOnSignal);
  try {
    return await work(folder);
  } finally {
    readingLimit.value = limitBefore;
    remove();
    process.off('exit', remove);
    for (const signal of signals) process.off(signal, exitOnSignal);
  }
}

/**
 * Runs a command and replaces the paths of unpacked files in its output by the paths on the server.
 * `file`: where the result is written; null for standard output.
 */
async function withServerPaths<Result>(
  serverFolders: readonly string[],
  file: string | null,
  run: () => Promise<Result>,
): Promise<Result> {
  const pattern = unpackedPathsPattern(serverFolders);
  const withServerPath = (text: string) => text.replace(pattern, (_, slash: string) => slash || '/');
  const streams = [process.stdout, process.stderr];
  const restoreStreams = streams.map((stream) => {
    const write = stream.write;
    stream.write = ((chunk: string | Uint8Array, ...rest: []) => {
      const chunkText = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
      // Without a path to replace, the bytes must stay the same.
      return write.call(stream, chunkText.search(pattern) >= 0 ? withServerPath(chunkText) : chunk, ...rest);
    }) as typeof stream.write;
    return () => void (stream.write = write);
  });
  try {
    const runResult = await run();
    const outputText = file === null ? null : textOfFile(file);
    if (outputText !== null) writeWhole(file!, withServerPath(outputText));
    return runResult;
  } finally {
    for (const each of restoreStreams) each();
  }
}

/**
 * Matches the paths of the unpacked directories, absolute and relative to the current directory.
 */
function unpackedPathsPattern(unpackedFolders: readonly string[]): RegExp {
  const escapedForRegex = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const pathPatterns = unpackedFolders.flatMap((top) => {
    const relativePath = path.relative('', top);
    // A relative path that begins with ".." may end with the absolute path. It comes first, so that
    // it is replaced as a whole.
    return relativePath.startsWith('..')
      ? [escapedForRegex(relativePath), escapedForRegex(top)]
      : [escapedForRegex(top), `(?<![\\w./-])${escapedForRegex(relativePath)}`];
  });
  return new RegExp(`(?:${pathPatterns.join('|')})(?![\\w.-])(/?)`, 'g');
}
