/**
 * Decides where the journal and the undo data of a change of several files are stored. Also has the
 * lock that lets only one process write at a time. Nothing is stored beside the changed files,
 * because `Include conf.d` reads every file of a directory. The place is below $XDG_STATE_HOME if
 * it is set. Otherwise it is below /var/lib for root, and below ~/.local/state for other users
 * (LOCALAPPDATA on Windows). If none of these can be written, it is below /var/tmp.
 */
import { createHash, randomBytes } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { moduleNamed } from '../config/modules';
import { directive, module } from '../directives';
import { cache } from '../syntax/memory';
import type { Disk } from './disk';
import { readBytesNow } from './read-now';
import { isProtectedDirectory } from './replaceable';

/**
 * Directories for the journal, the preferred one first. Interrupted changes are searched for in all
 * of them. HTTPD_UPGRADE_STATE replaces the list, so that tests do not see the changes of the
 * machine's user.
 */
export function stateHomes(env: NodeJS.ProcessEnv = process.env): string[] {
  if (env.HTTPD_UPGRADE_STATE && path.isAbsolute(env.HTTPD_UPGRADE_STATE))
    return [path.join(env.HTTPD_UPGRADE_STATE, PROGRAM_NAME)];
  const uid = process.geteuid?.();
  const configuredHomes = env.XDG_STATE_HOME && path.isAbsolute(env.XDG_STATE_HOME) ? [env.XDG_STATE_HOME] : [];
  const usualHome =
    uid === undefined
      ? (env.LOCALAPPDATA ?? path.join(homedir(), '.local', 'state'))
      : uid === 0
        ? '/var/lib'
        : path.join(homedir(), '.local', 'state');
  const fallbackHomes = uid === undefined ? [] : [`/var/tmp/${PROGRAM_NAME}-${uid}`];
  return [...[...configuredHomes, usualHome].map((place) => path.join(place, PROGRAM_NAME)), ...fallbackHomes];
}

const PROGRAM_NAME = 'httpd-upgrade';

/**
 * Whether one of the state directories has a directory for changes. If not, no change was ever
 * stored.
 */
export function mayStoredChangesExist(): boolean {
  return stateHomes().some((home) => existsSync(changesFolder(home)));
}

/**
 * Creates the state directory if it is missing, and returns it. Null if that fails, or if other
 * users can write there. No other user may write there, because the next run does what the journal
 * says.
 */
export async function openStateHome(disk: Disk, home: string): Promise<string | null> {
  try {
    if (!isProtectedDirectory(home)) return null;
    await makeDirectories(disk, home);
    if (!(await isOwnDirectory(disk, home))) return null;
    await disk.mayWrite(home, 'directory');
    await makeDirectories(disk, changesFolder(home));
    await makeDirectories(disk, locksFolder(home));
    return home;
  } catch {
    return null;
  }
}

/**
 * Whether only this user can change what is stored in a directory, and no other user can replace it
 * or a parent of it.
 */
export async function isOwnDirectory(disk: Disk, directory: string): Promise<boolean> {
  try {
    return isPrivateDirectory(await disk.status(directory)) && isProtectedDirectory(directory);
  } catch {
    return false;
  }
}

/** The directory for the records of changes, in a state directory. */
export const changesFolder = (home: string) => path.join(home, 'changes');
const locksFolder = (home: string) => path.join(home, 'locks');

/** Whether a process is writing now, or was ended while it was writing. */
export async function hasLocks(disk: Disk, home: string): Promise<boolean> {
  return (
    (await isOwnDirectory(disk, home)) && (await disk.list(locksFolder(home)).catch((): string[] => [])).length > 0
  );
}

/**
 * Takes the lock of a state directory and returns a function that releases it. If another process
 * has the lock, returns the number of that process. Each process creates its own lock file and then
 * looks for a lock of another living process; if there is such a lock, it removes its own. So two
 * processes never both have the lock, and the lock of a killed process does not block others.
 */
export async function takeLock(
  disk: Disk,
  home: string,
): Promise<(() => Promise<void>) | { readonly busyPid: number }> {
  const ownLock = lockName(process.pid);
  const file = path.join(locksFolder(home), ownLock);
  for (let round = 1; ; round++) {
    await disk.create(file, new Uint8Array()).catch((error: NodeJS.ErrnoException) => {
      // The lock exists already: this process has left it there. That is no conflict, because the
      // changes of one process run one after another.
      if (error.code !== 'EEXIST') throw error;
    });
    const busyPid = await otherLockOwner(disk, home, ownLock);
    if (busyPid === null) return () => disk.remove(file);
    await disk.remove(file);
    if (round === MAX_LOCK_ATTEMPTS) return { busyPid };
    await new Promise((resolve) => setTimeout(resolve, 20 + (randomBytes(1)[0]! % 60)));
  }
}

/** The attempts take about five seconds in total; most changes take less. */
const MAX_LOCK_ATTEMPTS = 100;

/*
 * Records which configurations this program has begun to convert from 2.2, by the directories of
 * their files. The lines that it has written (LoadModule lines of 2.4, Require lines) are no sign
 * that the server already runs 2.4. A team shares this fact as the answer `"running-version":
 * "2.2"` in `.httpd-upgrade.json`. A record holds the lines that could be such signs, as they were
 * after the fixes. It is valid only while the directory has no other such line: files of another
 * server, or lines added by a user, may mean that 2.4 runs. Other lines do not matter for the steps
 * of the upgrade (`upgraded`), because the plan itself tells users to write some by hand. A record
 * of written suggestions counts only for these steps, too, because a suggestion may be wrong.
 */
export type RecordKind = 'converted' | 'upgraded';

/**
 * Returns a function that tests a directory: whether fixes were written to a 2.2 configuration with
 * files in it. For `converted`, all signs of 2.4 in it must come from these fixes. For `upgraded`,
 * one is enough, and suggestions count like fixes. The function reads each record once.
 */
export function convertedDirectoryTest(kind: RecordKind = 'converted'): (directory: string) => boolean {
  // If there is no record at all, `check` need not load node's crypto.
  const kinds: readonly RecordKind[] = kind === 'converted' ? ['converted'] : ['converted', 'upgraded'];
  const homes = stateHomes().filter(
    (home) => kinds.some((each) => existsSync(path.join(home, each))) && isOwnDirectoryNow(home),
  );
  const recordsAt = memoized((parentDirectory: string) =>
    homes.flatMap((home) => kinds.flatMap((each) => linesInRecord(recordPath(home, each, parentDirectory)) ?? [])),
  );
  return (directory) => {
    if (homes.length === 0) return false;
    const realPath = withLinksResolved(directory);
    const records = directoriesAround(realPath).flatMap(recordsAt);
    const recordedLines = records.flatMap((lines) => lines.get(realPath) ?? []);
    const signsOf24 = recordedLines.length > 0 ? hashedSignsOf24(directory, NO_TEXTS) : null;
    if (signsOf24 === null) return false;
    const isRecorded = (line: string) => recordedLines.some((lines) => lines.has(line));
    return kind === 'converted' ? [...signsOf24].every(isRecorded) : [...signsOf24].some(isRecorded);
  };
}

/**
 * Records directories to whose files fixes were written. `texts`: the contents of files by path,
 * for files that are not yet written to the disk. If a record cannot be written, nothing happens:
 * the plan then asks which version runs.
 */
export function rememberConverted(
  directories: Partial<Readonly<Record<RecordKind, Iterable<string>>>>,
  texts: ReadonlyMap<string, string> = NO_TEXTS,
): void {
  const home = stateHomes().find((each) => isOwnDirectoryNow(each));
  if (home === undefined) return;
  const signsOf24In = memoized((directory: string) => hashedSignsOf24(directory, texts));
  try {
    for (const kind of ['converted', 'upgraded'] as const)
      writeRecord(home, kind, new Set(directories[kind] ?? []), signsOf24In);
  } catch {
    // Without a record, the user gets one more question, so the error is ignored.
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/** Adds the lines of these directories to the record of the directory that contains all of them. */
function writeRecord(
  home: string,
  kind: RecordKind,
  directories: ReadonlySet<string>,
  signsOf24In: (directory: string) => ReadonlySet<string> | null,
): void {
  const signsOfDirectories: [directory: string, lines: ReadonlySet<string>][] = [];
  for (const directory of directories) {
    const signsOf24 = signsOf24In(directory);
    if (signsOf24 !== null) signsOfDirectories.push([withLinksResolved(directory), signsOf24]);
  }
  const [first, ...others] = signsOfDirectories;
  if (first === undefined) return;
  mkdirSync(path.join(home, kind), { recursive: true, mode: 0o700 });
  const commonDirectory = directoriesAround(first[0]).find((each) => others.every(([other]) => isBelow(other, each)))!;
  const record = recordPath(home, kind, commonDirectory);
  const linesByDirectory = new Map(linesInRecord(record));
  for (const [directory, lines] of signsOfDirectories)
    linesByDirectory.set(directory, new Set([...(linesByDirectory.get(directory) ?? []), ...lines]));
  const temporaryFile = `${record}.${process.pid}`;
  writeFileSync(
    temporaryFile,
    `${JSON.stringify(Object.fromEntries([...linesByDirectory].map(([key, lines]) => [key, [...lines]])))}\n`,
  );
  renameSync(temporaryFile, record);
}

/**
 * A directory and all directories that contain it, the innermost first. The last item is '', which
 * stands for all drives of Windows together.
 */
function directoriesAround(directory: string): readonly string[] {
  const parent = path.dirname(directory);
  return [directory, ...(parent === directory ? [''] : directoriesAround(parent))];
}

/** Whether a directory is `parentDirectory` or is in it. '' contains all directories. */
function isBelow(directory: string, parentDirectory: string): boolean {
  return (
    parentDirectory === '' ||
    directory === parentDirectory ||
    directory.startsWith(path.join(parentDirectory, path.sep))
  );
}

/** Returns a function that calls `compute` only once for each text. */
function memoized<Value>(compute: (text: string) => Value): (text: string) => Value {
  const valueByText = new Map<string, Value>();
  return (text) => {
    let value = valueByText.get(text);
    if (value === undefined) valueByText.set(text, (value = compute(text)));
    return value;
  };
}

/** The file of the record for this directory and all directories below it. */
function recordPath(home: string, kind: RecordKind, directory: string): string {
  return path.join(home, kind, nameOfRecord(directory));
}

/**
 * A short name for a directory: two hashes of its path. If two directories get the same name, they
 * share a record. That does no harm, because a record names its directories. Loading node's crypto
 * would take a tenth of the start of each `check`.
 */
function nameOfRecord(directory: string): string {
  let [firstHash, secondHash] = [0x811c9dc5, 0];
  for (let i = 0; i < directory.length; i++) {
    firstHash = Math.imul(firstHash ^ directory.charCodeAt(i), 0x01000193);
    secondHash = Math.imul(secondHash + directory.charCodeAt(i), 0x85ebca6b) ^ (secondHash >>> 15);
  }
  return [firstHash, secondHash].map((hash) => (hash >>> 0).toString(16).padStart(8, '0')).join('');
}

const NO_TEXTS: ReadonlyMap<string, string> = new Map();

/**
 * The largest number of bytes in all files of a directory together. A larger directory gets no
 * record.
 */
const MAX_DIRECTORY_BYTES = 16 * 1024 * 1024;

/** The hashes of lines, by directory. */
type RecordedLines = ReadonlyMap<string, ReadonlySet<string>>;

/** The lines in a record, by their directories; null if there is no record. */
function linesInRecord(record: string): RecordedLines | null {
  try {
    // Most directories have no record. An exception would take longer than this test.
    const recordStatus = statSync(record, { throwIfNoEntry: false });
    if (recordStatus === undefined) return null;
    const { ino, size, mtimeMs } = recordStatus;
    const stateKey = `${ino} ${size} ${mtimeMs}`;
    const cachedRecord = cachedRecords.get(record);
    if (cachedRecord?.state === stateKey) return cachedRecord.lines;
    const recordedSigns = JSON.parse(readFileSync(record, 'utf8')) as Readonly<Record<string, readonly string[]>>;
    const lines = new Map(Object.entries(recordedSigns).map(([directory, each]) => [directory, new Set(each)]));
    if (cachedRecords.size >= MAX_CACHED_RECORDS) cachedRecords.clear();
    cachedRecords.set(record, { state: stateKey, lines });
    return lines;
  } catch {
    return null;
  }
}

/**
 * The records that were read last. The language server tests each directory separately, and would
 * read them each time.
 */
const cachedRecords = cache<string, { readonly state: string; readonly lines: RecordedLines }>();
const MAX_CACHED_RECORDS = 20;

/**
 * Returns the lines in the files of a directory that may show that 2.4 runs: each as a hash of the
 * file name and the lines around it. Null if a file cannot be read, or if all files together are
 * too large.
 */
function hashedSignsOf24(directory: string, texts: ReadonlyMap<string, string>): ReadonlySet<string> | null {
  const hashes = new Set<string>();
  let bytesLeft = MAX_DIRECTORY_BYTES;
  for (const name of entryNamesIn(directory)) {
    const file = path.join(directory, name);
    const openText = texts.get(file);
    const content = openText === undefined ? readBytesNow(file, bytesLeft) : { bytes: Buffer.from(openText) };
    if ('problem' in content) {
      // A name that is not a file, or a dangling link, has no lines.
      if (['directory', 'special', 'missing'].includes(content.problem.code)) continue;
      return null;
    }
    bytesLeft -= content.bytes.length;
    const lines = Buffer.from(content.bytes)
      .toString('latin1')
      .split('\n')
      .map((line) => line.trim());
    lines.forEach((line, index) => {
      if (!mayBeSignOf24(line)) return;
      const lineInContext = [name, lines[index - 1], line, lines[index + 1]].join('\n');
      hashes.add(createHash('sha256').update(lineInContext).digest('hex').slice(0, 16));
    });
  }
  return hashes;
}

/** The names in a directory; empty if it cannot be read. */
function entryNamesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/**
 * Whether 2.2 does not know the directive or section of a line, or may not know its arguments.
 * LoadModule lines count only for modules that 2.2 cannot have. The plan lets users remove the
 * others, and that would change the hashes of the lines around them.
 */
function mayBeSignOf24(line: string): boolean {
  const [, open, name = '', argument = ''] = /^(<?)([a-z]\w*)(?:\s+(\S+))?/i.exec(line) ?? [];
  if (name === '') return false;
  if (open === '' && /^loadmodule$/i.test(name)) {
    const facts = module(moduleNamed(argument) ?? '');
    return facts?.['2.4'] !== undefined && facts['2.2'] === undefined;
  }
  if (open === '' && /^(require|define|undefine)$/i.test(name)) return true;
  const facts = directive(name.toLowerCase(), { section: open === '<' });
  return facts?.['2.4'] !== undefined && facts['2.2'] === undefined;
}

/** The path of a directory with links resolved; without, if it cannot be read. */
function withLinksResolved(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return path.resolve(directory);
  }
}

/** Like `isOwnDirectory`, but synchronous. */
export function isOwnDirectoryNow(directory: string): boolean {
  try {
    const status = lstatSync(directory);
    return isPrivateDirectory(status) && isProtectedDirectory(directory);
  } catch {
    return false;
  }
}

/** Whether this is the status of a directory that only this user may change. */
function isPrivateDirectory(info: Stats): boolean {
  const uid = process.geteuid?.();
  return info.isDirectory() && (uid === undefined || (info.uid === uid && (info.mode & 0o022) === 0));
}

/** Makes a directory and all missing directories above it. Only this user can use them. */
export async function makeDirectories(disk: Disk, directory: string): Promise<void> {
  try {
    await disk.makeDirectory(directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || path.dirname(directory) === directory) throw error;
    await makeDirectories(disk, path.dirname(directory));
    await makeDirectories(disk, directory);
  }
}

/** Whether another running process has the lock or is taking it. Changes nothing. */
export async function isLockedByOther(disk: Disk, home: string): Promise<boolean> {
  const lockNames = await disk.list(locksFolder(home)).catch((): string[] => []);
  return lockNames.some((name) => (lockOwner(name) ?? process.pid) !== process.pid);
}

/**
 * The process id of the owner of a lock file with this name. Null if the process has ended, or if
 * this is not the name of a lock file.
 */
function lockOwner(name: string): number | null {
  const pid = Number(/^(\d+)-/.exec(name)?.[1] ?? 0);
  return pid > 0 && lockName(pid) === name ? pid : null;
}

/**
 * The process id of another running process that has a lock; null if there is none. Removes the
 * locks of processes that have ended.
 */
async function otherLockOwner(disk: Disk, home: string, ownLock: string): Promise<number | null> {
  for (const name of await disk.list(locksFolder(home))) {
    if (name === ownLock) continue;
    const pid = lockOwner(name);
    if (pid !== null) return pid;
    // The owner has ended and does not need the lock any more.
    await disk.remove(path.join(locksFolder(home), name)).catch(() => undefined);
  }
  return null;
}

/**
 * The name of the lock file of a process: its id, its start time and the id of the last boot. '' if
 * the process has ended. The system uses a process id again later, but then the start time differs.
 */
function lockName(pid: number): string {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return '';
  }
  try {
    // The start time is field 22. The fields are counted after the process name, which may contain
    // spaces and parentheses. A zombie process counts as ended.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields[0] === 'Z' ? '' : `${pid}-${fields[19]}-${bootId()}`;
  } catch {
    return `${pid}-0`;
  }
}

/** A text that differs after each start of the machine; '' if the system does not provide it. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8);
  } catch {
    return '';
  }
}
