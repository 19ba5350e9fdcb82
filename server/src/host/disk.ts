/**
 * The file operations that change.ts uses. Each is one step that succeeds or fails. Tests pass in a
 * disk that fails, or ends the process, at any step.
 *
 * A directory can be held open: then every step on its files uses one open handle, and a link that
 * replaces the directory in the meantime is not followed.
 */
import { spawn } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { counters, lazy } from '../syntax/memory';
import { Slice } from './slice';

/**
 * Counters for tests, since the start of this program: copy programs started, files and directories
 * opened and closed by a change.
 */
export const work = counters({ programs: 0, opened: 0, closed: 0 });

/** A directory that is held open until `release` is called. */
export interface HeldDirectory {
  /** Device and inode, which identify the directory. */
  readonly identity: string;
  release(): void;
}

export interface Disk {
  realpath(path: string): Promise<string>;
  /** The status of a name. Does not follow links. */
  look(path: string): Promise<Stats>;
  /**
   * Throws if this user may not write: `file`, its contents; `directory`, names in it. Changes
   * nothing.
   */
  mayWrite(path: string, what: 'file' | 'directory'): Promise<void>;
  list(path: string): Promise<string[]>;
  /** Reads a regular file. Does not follow links or wait for a FIFO. */
  read(path: string): Promise<Buffer>;
  /**
   * Holds the directory at this path open; the path has no link in it. Until it is released, all
   * steps use its handle to reach its files. Fails with `MOVED` if a link or something else is
   * there. Systems without /proc (other than Linux) have no such handles: there, the path is
   * checked now and again at the release.
   */
  hold(directory: string): Promise<HeldDirectory>;
  /** Creates a file; fails if it exists. */
  create(path: string, bytes: Uint8Array): Promise<void>;
  /** Replaces the content of a file that only this program uses. */
  overwrite(path: string, bytes: Uint8Array): Promise<void>;
  /** Waits until a file or directory is on the disk. */
  sync(path: string): Promise<void>;
  /**
   * Copies files into a directory, each under its name in `names`, with mode, owner, times, access
   * control lists and extended attributes. Does not follow links. Returns false if this machine has
   * no suitable program; throws if an attribute cannot be kept.
   */
  copy(files: readonly string[], directory: string, names: readonly string[]): Promise<boolean>;
  changeOwner(path: string, uid: number, gid: number): Promise<void>;
  mode(path: string, mode: number): Promise<void>;
  times(path: string, atimeMs: number, mtimeMs: number): Promise<void>;
  makeDirectory(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  removeDirectory(path: string): Promise<void>;
}

/** Thrown if a copy of a file would lose some of its attributes. */
export class AttributesLostError extends Error {}

/** The error code if the directory or file was replaced in the meantime. */
export const MOVED = 'EMOVED';

export const nodeDisk: Disk = {
  realpath: atOnce((file: string) => realpathSync.native(file)),
  look: atOnce((file: string) => lstatSync(reached(file))),
  // Asks the kernel instead of reading the mode, so that a read-only file system and chattr +i
  // count, also for root.
  mayWrite: atOnce((file: string, what) =>
    accessSync(reached(file), what === 'file' ? constants.W_OK : constants.W_OK | constants.X_OK),
  ),
  list: atOnce((file: string) => readdirSync(reached(file))),
  read: atOnce((file: string) => {
    const descriptor = openFile(file);
    try {
      return readFileSync(descriptor);
    } finally {
      close(descriptor);
    }
  }),
  hold: atOnce(hold),
  create: atOnce((file: string, bytes: Uint8Array) =>
    write(file, bytes, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY),
  ),
  overwrite: atOnce((file: string, bytes: Uint8Array) =>
    write(file, bytes, constants.O_WRONLY | constants.O_TRUNC | NOFOLLOW),
  ),
  async sync(file) {
    work.opened++;
    const handle = await open(reached(file), constants.O_RDONLY | NONBLOCK | NOFOLLOW).catch((error) => {
      work.closed++;
      throw error;
    });
    await handle.sync().finally(() => {
      work.closed++;
      return handle.close();
    });
  },
  copy,
  changeOwner: atOnce((file: string, uid: number, gid: number) => chownSync(reached(file), uid, gid)),
  mode: atOnce((file: string, mode: number) => chmodSync(reached(file), mode)),
  times: atOnce((file: string, atimeMs: number, mtimeMs: number) =>
    utimesSync(reached(file), timeOf(atimeMs), timeOf(mtimeMs)),
  ),
  makeDirectory: atOnce((file: string) => void mkdirSync(reached(file), 0o700)),
  rename: atOnce((from: string, to: string) => renameSync(reached(from), reached(to))),
  remove: atOnce((file: string) => unlinkSync(reached(file))),
  removeDirectory: atOnce((file: string) => rmdirSync(reached(file))),
};

// ---------------------------------------------------------------------------------------------------------------------

/**
 * A time as node takes it: node treats negative numbers as the current time, and dates have no
 * fractions of a millisecond.
 */
function timeOf(ms: number): number | Date {
  return ms < 0 ? new Date(ms) : ms / 1000;
}

/** Windows has neither flag. */
const { O_NOFOLLOW: NOFOLLOW = 0, O_NONBLOCK: NONBLOCK = 0, O_DIRECTORY: DIRECTORY = 0 } = constants;

/** O_PATH of Linux, which node does not export: needs no permission to read the directory. */
const O_PATH = 0o10000000;

const HANDLES = '/proc/self/fd';

/**
 * Whether directories can be held open by a handle, so that changes of their paths have no effect.
 */
export const holdsByHandle = lazy(() => process.platform === 'linux' && existsSync(HANDLES));

/** The open handles of directories. If a directory has several, the last one is used. */
const handles = lazy(() => new Map<string, number[]>());

function hold(directory: string): HeldDirectory {
  if (!holdsByHandle()) return watch(directory);
  let handle: number;
  try {
    handle = openSync(directory, O_PATH | DIRECTORY | NOFOLLOW);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === 'ENOTDIR' || code === 'ELOOP' ? moved(directory) : error;
  }
  work.opened++;
  let info: Stats;
  try {
    // The kernel's path of the open directory differs if a part of the given path is a link.
    if (readlinkSync(`${HANDLES}/${handle}`) !== directory) throw moved(directory);
    info = fstatSync(handle);
  } catch (error) {
    close(handle);
    throw error;
  }
  const held = handles();
  const otherHandles = held.get(directory);
  if (otherHandles) otherHandles.push(handle);
  else held.set(directory, [handle]);
  let isReleased = false;
  return {
    identity: `${info.dev}:${info.ino}`,
    release() {
      if (isReleased) return;
      isReleased = true;
      const all = held.get(directory)!.filter((each) => each !== handle);
      if (all.length > 0) held.set(directory, all);
      else held.delete(directory);
      close(handle);
    },
  };
}

/**
 * Holds a directory on systems without handles: if it is replaced, that is detected at the release.
 */
function watch(directory: string): HeldDirectory {
  const look = () => {
    const { dev, ino } = lstatSync(directory);
    return realpathSync.native(directory) === directory ? `${dev}:${ino}` : '';
  };
  const identity = look();
  if (identity === '') throw moved(directory);
  return {
    identity,
    release() {
      if (look() !== identity) throw moved(directory);
    },
  };
}

/** The path of a file through the handle of the nearest parent directory that is held open. */
function reached(file: string): string {
  const held = handles();
  if (held.size === 0) return file;
  for (let folder = file; ; folder = path.dirname(folder)) {
    const handle = held.get(folder)?.at(-1);
    if (handle !== undefined) return `${HANDLES}/${handle}/${folder === file ? '.' : path.relative(folder, file)}`;
    if (folder === path.dirname(folder)) return file;
  }
}

function moved(file: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${file} is another one by now`), { code: MOVED });
}

/** Opens a regular file for reading. */
function openFile(file: string): number {
  let descriptor: number;
  try {
    descriptor = openSync(reached(file), constants.O_RDONLY | NONBLOCK | NOFOLLOW);
  } catch (error) {
    throw ['ELOOP', 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? '') ? moved(file) : error;
  }
  work.opened++;
  if (fstatSync(descriptor).isFile()) return descriptor;
  close(descriptor);
  throw moved(file);
}

function close(descriptor: number): void {
  work.closed++;
  closeSync(descriptor);
}

// ---------------------------------------------------------------------------------------------------------------------

/** Shared by all changes of this program. */
const slice = lazy(() => new Slice());

function atOnce<A extends readonly unknown[], R>(call: (...args: A) => R): (...args: A) => Promise<R> {
  return async (...args) => {
    if (slice().isOver) await slice().pause();
    return call(...args);
  };
}

function write(target: string, bytes: Uint8Array, flags: number): void {
  // Only the owner can read a new file.
  const file = openSync(reached(target), flags, 0o600);
  work.opened++;
  try {
    // Not `writeSync`, which may write only a part on a full disk and report no error.
    writeFileSync(file, bytes);
  } finally {
    close(file);
  }
}

/**
 * The path of GNU's cp, which copies extended attributes (access control lists, labels of SELinux);
 * node cannot. It is on every Linux with a package manager. It fails if an attribute cannot be kept
 * that was requested by name.
 */
const copier = lazy(() => {
  if (process.platform !== 'linux') return null;
  return ['/bin/cp', '/usr/bin/cp'].find((each) => existsSync(each)) ?? null;
});

async function copy(files: readonly string[], directory: string, names: readonly string[]): Promise<boolean> {
  const program = copier();
  if (program === null || !holdsByHandle()) return false;
  for (let at = 0; at < files.length; at += AT_ONCE)
    if (!(await copyTogether(program, files.slice(at, at + AT_ONCE), directory, names.slice(at, at + AT_ONCE))))
      return false;
  return true;
}

/**
 * Copies files with one run of the program. It gets open handles instead of paths, so it copies
 * exactly these files.
 */
async function copyTogether(
  program: string,
  files: readonly string[],
  directory: string,
  names: readonly string[],
): Promise<boolean> {
  const attributes = `mode,ownership,timestamps,xattr${existsSync('/sys/fs/selinux/enforce') ? ',context' : ''}`;
  const descriptors: number[] = [];
  // The copies have the numbers of handles as names, so they go into a directory of their own
  // first.
  const apart = path.join(directory, 'in');
  mkdirSync(reached(apart), 0o700);
  try {
    for (const file of files) descriptors.push(openFile(file));
    descriptors.push(openSync(reached(apart), constants.O_RDONLY | DIRECTORY | NOFOLLOW));
    work.opened++;
    work.programs++;
    const handleOf = (index: number) => `${HANDLES}/${FIRST_HANDLE + index}`;
    const complaint = await run(
      program,
      [
        `--preserve=${attributes}`,
        '--dereference',
        '-t',
        handleOf(files.length),
        '--',
        ...files.map((_, index) => handleOf(index)),
      ],
      descriptors,
    );
    if (complaint !== null) {
      if (/unrecognized option|invalid option|unrecognised option|built without/.test(complaint)) return false;
      if (/No space left|quota exceeded/i.test(complaint))
        throw Object.assign(new Error(complaint), { code: 'ENOSPC' });
      if (/File too large|SIGXFSZ/.test(complaint)) throw Object.assign(new Error(complaint), { code: 'EFBIG' });
      throw new AttributesLostError(
        complaint.replace(/\/proc\/self\/fd\/(\d+)(\/\d+)?/g, (all, handle: string, copied: string | undefined) => {
          const index = Number(copied?.slice(1) ?? handle) - FIRST_HANDLE;
          return files[index] ?? all;
        }),
      );
    }
    for (const [index, name] of names.entries())
      renameSync(reached(path.join(apart, String(FIRST_HANDLE + index))), reached(path.join(directory, name)));
    return true;
  } finally {
    descriptors.forEach(close);
    rmSync(reached(apart), { recursive: true, force: true });
  }
}

/** The first handle after input, output and errors. */
const FIRST_HANDLE = 3;

/** Number of handles for one program: far below the limit of any system. */
const AT_ONCE = 300;

/**
 * Runs a program. Returns null on success, otherwise its error message. `handles`: files that are
 * open in the program, from number `FIRST_HANDLE` on.
 */
function run(program: string, words: readonly string[], handles: readonly number[]): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(program, words, { env: { LC_ALL: 'C' }, stdio: ['ignore', 'ignore', 'pipe', ...handles] });
    let complaints = '';
    (child.stdio[2] as NodeJS.ReadableStream).setEncoding('utf8').on('data', (text: string) => {
      if (complaints.length < MOST_COMPLAINTS) complaints += text;
    });
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(code === 0 ? null : complaints || signal || `it ended with ${code}`));
  });
}

const MOST_COMPLAINTS = 100_000;
