/**
 * Decides where the journal and the undo data of a change of several files are stored, and has the
 * lock that lets only one process write at a time.
 *
 * Nothing is stored beside the changed files, because `Include conf.d` reads every file of a
 * directory. The place is $XDG_STATE_HOME if it is set, otherwise /var/lib for root and
 * ~/.local/state for other users (LOCALAPPDATA on Windows); /var/tmp if none of these can be
 * written.
 */
import { createHash, randomBytes } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { directive } from '../directives';
import type { Disk } from './disk';
import { readBytesNow } from './read-now';
import { isOutOfReach } from './replaceable';

/**
 * Directories for the journal, the preferred one first. All of them are searched for interrupted
 * changes. HTTPD_UPGRADE_STATE replaces the list: tests use it, so that they do not see the changes
 * of the machine's user.
 */
export function stateHomes(env: NodeJS.ProcessEnv = process.env): string[] {
  if (env.HTTPD_UPGRADE_STATE && path.isAbsolute(env.HTTPD_UPGRADE_STATE))
    return [path.join(env.HTTPD_UPGRADE_STATE, NAME)];
  const uid = process.geteuid?.();
  const given = env.XDG_STATE_HOME && path.isAbsolute(env.XDG_STATE_HOME) ? [env.XDG_STATE_HOME] : [];
  const usualState =
    uid === undefined
      ? (env.LOCALAPPDATA ?? path.join(homedir(), '.local', 'state'))
      : uid === 0
        ? '/var/lib'
        : path.join(homedir(), '.local', 'state');
  const spare = uid === undefined ? [] : [`/var/tmp/${NAME}-${uid}`];
  return [...[...given, usualState].map((place) => path.join(place, NAME)), ...spare];
}

const NAME = 'httpd-upgrade';

/** Whether some change may exist. */
export function hasChanges(): boolean {
  return stateHomes().some((home) => existsSync(changesIn(home)));
}

/**
 * Creates the directory if it is missing, and returns it. Null if that fails, or if other users can
 * write there: the next run carries out what the journal says.
 */
export async function openHome(disk: Disk, home: string): Promise<string | null> {
  try {
    if (!isOutOfReach(home)) return null;
    await makeDirectories(disk, home);
    if (!(await isOwn(disk, home))) return null;
    await disk.mayWrite(home, 'directory');
    await makeDirectories(disk, changesIn(home));
    await makeDirectories(disk, locksIn(home));
    return home;
  } catch {
    return null;
  }
}

export async function isOwn(disk: Disk, directory: string): Promise<boolean> {
  try {
    return isPrivate(await disk.look(directory)) && isOutOfReach(directory);
  } catch {
    return false;
  }
}

export const changesIn = (home: string) => path.join(home, 'changes');
const locksIn = (home: string) => path.join(home, 'locks');

/** Whether a process writes now, or ended while it was writing. */
export async function hasLocks(disk: Disk, home: string): Promise<boolean> {
  return (await isOwn(disk, home)) && (await disk.list(locksIn(home)).catch((): string[] => [])).length > 0;
}

/**
 * Takes the lock of a state directory. Returns a function that releases it. If another process has
 * it, returns that process.
 *
 * Each process creates its own lock file and then looks for a lock of another living process. If
 * there is one, it removes its own. So two processes never both have the lock, and the lock of a
 * killed process does not block others.
 */
export async function lock(disk: Disk, home: string): Promise<(() => Promise<void>) | { readonly busy: number }> {
  const mine = lockName(process.pid);
  const file = path.join(locksIn(home), mine);
  for (let round = 1; ; round++) {
    await disk.create(file, new Uint8Array()).catch((error: NodeJS.ErrnoException) => {
      // The lock belongs to this process. Its changes run one after another.
      if (error.code !== 'EEXIST') throw error;
    });
    const busy = await otherOwner(disk, home, mine);
    if (busy === null) return () => disk.remove(file);
    await disk.remove(file);
    if (round === ROUNDS) return { busy };
    await new Promise((resolve) => setTimeout(resolve, 20 + (randomBytes(1)[0]! % 60)));
  }
}

/** About five seconds in total: most changes take less. */
const ROUNDS = 100;

/*
 * Records which configurations this program has begun to convert from 2.2, by the directories of
 * their files. The lines that it has written (LoadModule lines of 2.4, Require lines) are no
 * evidence that the server runs 2.4. A team shares the same fact as the answer `"running-version":
 * "2.2"` in `.httpd-upgrade.json`.
 *
 * A record holds the lines that could be evidence, as they were after the fixes. It is valid only
 * while the directory has no other such line: files of another server in the same place, or lines
 * added by a user, may mean that 2.4 runs.
 *
 * Suggestions may be wrong. Where they were written, too, only the steps of the upgrade rely on
 * the record (`upgraded`), and no fix of access control does (`converted`).
 */
export type RecordKind = 'converted' | 'upgraded';

/**
 * Reads the records once. Returns a function: whether fixes were written to a configuration of 2.2
 * with files in a directory, and each sign of 2.4 there comes from these fixes.
 */
export function convertedDirectories(kind: RecordKind = 'converted'): (directory: string) => boolean {
  // Without a record, `check` need not load node's crypto.
  const homes = stateHomes().filter((home) => existsSync(path.join(home, kind)) && isOwnNow(home));
  return (directory) =>
    homes.some((home) => {
      const recorded = recordedLines(recordOf(home, kind, directory));
      const evidence = recorded && evidenceIn(directory, NO_TEXTS);
      return evidence != null && recorded !== null && [...evidence].every((line) => recorded.has(line));
    });
}

/**
 * Records directories. `texts` has the current contents of their files by path, if they are not yet
 * on the disk. If the record cannot be written, the plan asks which version runs.
 */
export function rememberConverted(
  directories: Iterable<string>,
  texts: ReadonlyMap<string, string> = NO_TEXTS,
  kind: RecordKind = 'converted',
): void {
  const home = stateHomes().find((each) => isOwnNow(each));
  if (home === undefined) return;
  try {
    mkdirSync(path.join(home, kind), { recursive: true, mode: 0o700 });
    for (const directory of new Set(directories)) {
      const record = recordOf(home, kind, directory);
      const evidence = evidenceIn(directory, texts);
      if (evidence === null) continue;
      const lines = new Set([...(recordedLines(record) ?? []), ...evidence]);
      writeFileSync(record, `${JSON.stringify({ directory, lines: [...lines] })}\n`);
    }
  } catch {
    // Without a record, the user only gets one more question.
  }
}

// ---------------------------------------------------------------------------------------------------------------------

function recordOf(home: string, kind: RecordKind, directory: string): string {
  return path.join(home, kind, createHash('sha256').update(withoutLinks(directory)).digest('hex').slice(0, 32));
}

const NO_TEXTS: ReadonlyMap<string, string> = new Map();

/** Limit of bytes of all files in a directory. The record of a larger directory is ignored. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The lines of a record; null if there is no record. */
function recordedLines(record: string): ReadonlySet<string> | null {
  try {
    const { lines } = JSON.parse(readFileSync(record, 'utf8')) as { readonly lines: readonly string[] };
    return new Set(lines);
  } catch {
    return null;
  }
}

/**
 * The lines in the files of a directory that may be a sign of 2.4: each as a hash of the file name
 * and the lines around it. Null if there is too much to read, or if a file cannot be read.
 */
function evidenceIn(directory: string, texts: ReadonlyMap<string, string>): ReadonlySet<string> | null {
  const found = new Set<string>();
  let room = MAX_BYTES;
  for (const name of namesIn(directory)) {
    const file = path.join(directory, name);
    const text = texts.get(file);
    const content = text === undefined ? readBytesNow(file, room) : { bytes: Buffer.from(text) };
    if ('problem' in content) {
      // No file, or a dangling link: it has no lines.
      if (['directory', 'special', 'missing'].includes(content.problem.code)) continue;
      return null;
    }
    room -= content.bytes.length;
    const lines = Buffer.from(content.bytes)
      .toString('latin1')
      .split('\n')
      .map((line) => line.trim());
    lines.forEach((line, index) => {
      if (!mayTellOf24(line)) return;
      const around = [name, lines[index - 1], line, lines[index + 1]].join('\n');
      found.add(createHash('sha256').update(around).digest('hex').slice(0, 16));
    });
  }
  return found;
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/**
 * Whether a line has a directive or section that 2.2 does not know, or one whose arguments may be
 * of 2.4.
 */
function mayTellOf24(line: string): boolean {
  const [, open, name = ''] = /^(<?)([a-z]\w*)/i.exec(line) ?? [];
  if (name === '') return false;
  if (open === '' && /^(require|loadmodule|define|undefine)$/i.test(name)) return true;
  const facts = directive(name.toLowerCase(), { section: open === '<' });
  return facts?.['2.4'] !== undefined && facts['2.2'] === undefined;
}

function withoutLinks(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return path.resolve(directory);
  }
}

/**
 * Like `isOwn`, but synchronous: whether only this user can change what is stored in this
 * directory, and no other user can replace it or a parent of it.
 */
export function isOwnNow(directory: string): boolean {
  try {
    const info = lstatSync(directory);
    return isPrivate(info) && isOutOfReach(directory);
  } catch {
    return false;
  }
}

/** Whether this is the status of a directory that only this user may change. */
function isPrivate(info: Stats): boolean {
  const uid = process.geteuid?.();
  return info.isDirectory() && (uid === undefined || (info.uid === uid && (info.mode & 0o022) === 0));
}

async function makeDirectories(disk: Disk, directory: string): Promise<void> {
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

/** Whether another living process writes, or is about to. Changes nothing. */
export async function isBusy(disk: Disk, home: string): Promise<boolean> {
  const names = await disk.list(locksIn(home)).catch((): string[] => []);
  return names.some((name) => (ownerOf(name) ?? process.pid) !== process.pid);
}

/** The process that owns a lock; null if it has ended. */
function ownerOf(name: string): number | null {
  const pid = Number(/^(\d+)-/.exec(name)?.[1] ?? 0);
  return pid > 0 && lockName(pid) === name ? pid : null;
}

async function otherOwner(disk: Disk, home: string, mine: string): Promise<number | null> {
  for (const name of await disk.list(locksIn(home))) {
    if (name === mine) continue;
    const pid = ownerOf(name);
    if (pid !== null) return pid;
    // The owner has ended and does not need the lock any more.
    await disk.remove(path.join(locksIn(home), name)).catch(() => undefined);
  }
  return null;
}

/**
 * The name of the lock file of a process: its id and its start time, because ids are used again.
 * After the process has ended, the name differs.
 */
function lockName(pid: number): string {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return '';
  }
  try {
    // Field 22, counted after the process name, which may contain spaces and parentheses. A zombie
    // process counts as ended.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields[0] === 'Z' ? '' : `${pid}-${fields[19]}-${bootId()}`;
  } catch {
    return `${pid}-0`;
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8);
  } catch {
    return '';
  }
}
