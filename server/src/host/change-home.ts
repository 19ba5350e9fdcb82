/**
 * Where a change of several files keeps its journal and what it takes to undo it, and who may write there at a time.
 *
 * Nothing of it lies where the files are: `Include conf.d` reads every file of a directory, whatever its name. It lies with the user's own state: below $XDG_STATE_HOME
 * where that is set, otherwise /var/lib for root and ~/.local/state for everybody else (LOCALAPPDATA on Windows); where none of these can be written to, below /var/tmp.
 */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { directive } from '../directives';
import type { Disk } from './disk';
import { readBytesNow } from './read-now';
import { isOutOfReach } from './replaceable';

/**
 * Places for the journal, the best first. All are looked through for what was interrupted. HTTPD_UPGRADE_STATE names the only one: tests keep apart from what
 * the user of the machine has changed.
 */
export function stateHomes(env: NodeJS.ProcessEnv = process.env): string[] {
  if (env.HTTPD_UPGRADE_STATE && path.isAbsolute(env.HTTPD_UPGRADE_STATE))
    return [path.join(env.HTTPD_UPGRADE_STATE, NAME)];
  const uid = process.geteuid?.();
  const given = env.XDG_STATE_HOME && path.isAbsolute(env.XDG_STATE_HOME) ? [env.XDG_STATE_HOME] : [];
  const own =
    uid === undefined
      ? (env.LOCALAPPDATA ?? path.join(homedir(), '.local', 'state'))
      : uid === 0
        ? '/var/lib'
        : path.join(homedir(), '.local', 'state');
  const spare = uid === undefined ? [] : [`/var/tmp/${NAME}-${uid}`];
  return [...[...given, own].map((place) => path.join(place, NAME)), ...spare];
}

const NAME = 'httpd-upgrade';

/** Whether there may be any change. */
export function hasChanges(): boolean {
  return stateHomes().some((home) => existsSync(changesIn(home)));
}

/** The directory, made where it is not there; null where it cannot be, or is not this user's alone: what is in it is carried out. */
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
    const info = await disk.look(directory);
    if (!isOutOfReach(directory)) return false;
    const uid = process.geteuid?.();
    return info.isDirectory() && (uid === undefined || (info.uid === uid && (info.mode & 0o022) === 0));
  } catch {
    return false;
  }
}

export const changesIn = (home: string) => path.join(home, 'changes');
const locksIn = (home: string) => path.join(home, 'locks');

/** Whether somebody writes, or ended while writing. */
export async function hasLocks(disk: Disk, home: string): Promise<boolean> {
  return (await isOwn(disk, home)) && (await disk.list(locksIn(home)).catch((): string[] => [])).length > 0;
}

/**
 * Takes the lock of a home. Returns how to give it back, or which process has it.
 *
 * Every process puts down a file of its own, and then looks whether another that is alive has one: then it takes its own away again. So two never have it, and what a
 * process left that was killed is in nobody's way.
 */
export async function lock(disk: Disk, home: string): Promise<(() => Promise<void>) | { readonly busy: number }> {
  const mine = lockName(process.pid);
  const file = path.join(locksIn(home), mine);
  for (let round = 1; ; round++) {
    await disk.create(file, new Uint8Array()).catch((error: NodeJS.ErrnoException) => {
      // Left by this very process, whose own changes come one after the other.
      if (error.code !== 'EEXIST') throw error;
    });
    const busy = await otherOwner(disk, home, mine);
    if (busy === null) return () => disk.remove(file);
    await disk.remove(file);
    if (round === ROUNDS) return { busy };
    await new Promise((resolve) => setTimeout(resolve, 20 + (randomBytes(1)[0]! % 60)));
  }
}

/** Some five seconds: most changes take less. */
const ROUNDS = 100;

/*
 * Which configurations this program has begun to convert from 2.2, by the directories of their files. What it has written to them (LoadModule lines of 2.4, Require lines)
 * is no evidence that the server runs 2.4. A team shares the same as the answer `"running-version": "2.2"` in `.httpd-upgrade.json`.
 *
 * A record has the lines that may be evidence as they were after the fixes. It counts only while the directory has no other such line: another server's files in the
 * same place, or lines that a user has added, may mean that 2.4 runs.
 */

/** Returns whether fixes were written to a configuration of 2.2 that has files in a directory, and nothing but them tells of 2.4. */
export function isConverted(directory: string): boolean {
  return stateHomes().some((home) => {
    const known = isOwnNow(home) ? recordedLines(recordOf(home, directory)) : null;
    const evidence = known && evidenceIn(directory, NO_TEXTS);
    return evidence != null && known !== null && [...evidence].every((line) => known.has(line));
  });
}

/**
 * Takes note of directories. `texts` has what their files hold now, by path, where that is not on the disk yet. Where the state cannot be written to, the plan asks which
 * version runs.
 */
export function rememberConverted(directories: Iterable<string>, texts: ReadonlyMap<string, string> = NO_TEXTS): void {
  const home = stateHomes().find((each) => isOwnNow(each));
  if (home === undefined) return;
  try {
    mkdirSync(path.join(home, FOLDER), { recursive: true, mode: 0o700 });
    for (const directory of new Set(directories)) {
      const record = recordOf(home, directory);
      const evidence = evidenceIn(directory, texts);
      if (evidence === null) continue;
      const lines = new Set([...(recordedLines(record) ?? []), ...evidence]);
      writeFileSync(record, `${JSON.stringify({ directory, lines: [...lines] })}\n`);
    }
  } catch {
    // Nothing depends on it but one question.
  }
}

// ---------------------------------------------------------------------------------------------------------------------

const FOLDER = 'converted';

function recordOf(home: string, directory: string): string {
  return path.join(home, FOLDER, createHash('sha256').update(withoutLinks(directory)).digest('hex').slice(0, 32));
}

const NO_TEXTS: ReadonlyMap<string, string> = new Map();

/** Bytes of all files of a directory: more than any directory of configuration has. Beyond that a record counts for nothing. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The lines of a record; null where there is none. */
function recordedLines(record: string): ReadonlySet<string> | null {
  try {
    const { lines } = JSON.parse(readFileSync(record, 'utf8')) as { readonly lines: readonly string[] };
    return new Set(lines);
  } catch {
    return null;
  }
}

/**
 * The lines of a directory's files, links followed, that may tell of 2.4, each as a hash of its file's name and of the lines around it. null if there is too much to read,
 * or a file cannot be read.
 */
function evidenceIn(directory: string, texts: ReadonlyMap<string, string>): ReadonlySet<string> | null {
  const found = new Set<string>();
  let room = MAX_BYTES;
  for (const name of namesIn(directory)) {
    const file = path.join(directory, name);
    const text = texts.get(file);
    const content = text === undefined ? readBytesNow(file, room) : { bytes: Buffer.from(text) };
    if ('problem' in content) {
      // No file, or a link that leads nowhere: there are no lines.
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

/** Whether a line has a directive or a section that 2.2 does not know, or one whose words may be of 2.4. */
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

/** The same as `isOwn`, for a directory that the journal of a change has made. */
function isOwnNow(home: string): boolean {
  const info = statSync(home, { throwIfNoEntry: false });
  const uid = process.geteuid?.();
  return info?.isDirectory() === true && (uid === undefined || (info.uid === uid && (info.mode & 0o022) === 0));
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

/** Whether another process that is alive writes, or is about to. Changes nothing. */
export async function isBusy(disk: Disk, home: string): Promise<boolean> {
  const names = await disk.list(locksIn(home)).catch((): string[] => []);
  return names.some((name) => (ownerOf(name) ?? process.pid) !== process.pid);
}

/** The process that a lock is of; null where it has ended. */
function ownerOf(name: string): number | null {
  const pid = Number(/^(\d+)-/.exec(name)?.[1] ?? 0);
  return pid > 0 && lockName(pid) === name ? pid : null;
}

async function otherOwner(disk: Disk, home: string, mine: string): Promise<number | null> {
  for (const name of await disk.list(locksIn(home))) {
    if (name === mine) continue;
    const pid = ownerOf(name);
    if (pid !== null) return pid;
    // Of a process that is no more: it will not come back for it.
    await disk.remove(path.join(locksIn(home), name)).catch(() => undefined);
  }
  return null;
}

/** A process by its number and its start, as numbers are given again. Another name than before where the process has ended. */
function lockName(pid: number): string {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return '';
  }
  try {
    // The 22nd field, counted behind the name, which may have blanks and parentheses. A zombie does nothing any more.
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
