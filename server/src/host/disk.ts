/**
 * The file operations that change.ts uses. Each is one step that succeeds or fails, so that tests
 * can pass in a disk that fails, or ends the process, at any step. A directory can be held open:
 * every step on its files then goes through one open handle, and a link that replaces the directory
 * meanwhile is not followed.
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
  fsync,
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
import path from 'node:path';
import { counters, lazy } from '../syntax/memory';
import { TimeSlice } from './slice';

/**
 * Counters for tests: how many copy programs a change has started, and how many files and
 * directories it has opened and closed.
 */
export const diskCounters = counters({ startedPrograms: 0, openedHandles: 0, closedHandles: 0 });

/** A directory that is held open until `release` is called. */
export interface HeldDirectory {
  /** Device and inode number, which identify the directory. */
  readonly identity: string;
  release(): void;
}

/** The file operations of change.ts. All paths are absolute. */
export interface Disk {
  realpath(path: string): Promise<string>;
  /** The status of a name. Does not follow links. */
  status(path: string): Promise<Stats>;
  /**
   * Throws if this user may not write the contents of the file, or names in the directory. Changes
   * nothing.
   */
  mayWrite(path: string, kind: 'file' | 'directory'): Promise<void>;
  list(path: string): Promise<string[]>;
  /** Reads a regular file. Does not follow links or wait for a FIFO. */
  read(path: string): Promise<Buffer>;
  /**
   * Holds the directory at this path open; the path must have no link in it. Until it is released,
   * all steps reach its files through its handle. Fails with `MOVED_ERROR_CODE` if a link or
   * something else is there. Systems without /proc (other than Linux) have no such handles: there,
   * the path is checked now and again at the release.
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
   * no suitable program; throws if an attribute would be lost.
   */
  copy(files: readonly string[], directory: string, names: readonly string[]): Promise<boolean>;
  changeOwner(path: string, uid: number, gid: number): Promise<void>;
  changeMode(path: string, mode: number): Promise<void>;
  changeTimes(path: string, atimeMs: number, mtimeMs: number): Promise<void>;
  makeDirectory(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  removeDirectory(path: string): Promise<void>;
}

/** Thrown if a copy of a file would lose some of its attributes. */
export class AttributesLostError extends Error {}

/** The code of the error that is thrown if a directory or file was replaced by something else. */
export const MOVED_ERROR_CODE = 'EMOVED';

/** The disk of this machine. */
export const nodeDisk: Disk = {
  realpath: asPromise((file: string) => realpathSync.native(file)),
  status: asPromise((file: string) => lstatSync(pathThroughHandle(file))),
  // Asks the kernel instead of reading the mode, so that a read-only file system and chattr +i
  // count, also for root.
  mayWrite: asPromise((file: string, kind) =>
    accessSync(pathThroughHandle(file), kind === 'file' ? constants.W_OK : constants.W_OK | constants.X_OK),
  ),
  list: asPromise((file: string) => readdirSync(pathThroughHandle(file))),
  read: asPromise((file: string) => {
    const descriptor = openFile(file);
    try {
      return readFileSync(descriptor);
    } finally {
      close(descriptor);
    }
  }),
  hold: asPromise(holdDirectory),
  create: asPromise((file: string, bytes: Uint8Array) =>
    writeFile(file, bytes, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY),
  ),
  overwrite: asPromise((file: string, bytes: Uint8Array) =>
    writeFile(file, bytes, constants.O_WRONLY | constants.O_TRUNC | NOFOLLOW),
  ),
  async sync(file) {
    const descriptor = openSync(pathThroughHandle(file), constants.O_RDONLY | NONBLOCK | NOFOLLOW);
    diskCounters.openedHandles++;
    try {
      // Only this step waits for the disk, so only this step runs in another thread.
      await new Promise<void>((resolve, reject) =>
        fsync(descriptor, (error) => (error === null ? resolve() : reject(error))),
      );
    } finally {
      close(descriptor);
    }
  },
  copy: copyFiles,
  changeOwner: asPromise((file: string, uid: number, gid: number) => chownSync(pathThroughHandle(file), uid, gid)),
  changeMode: asPromise((file: string, mode: number) => chmodSync(pathThroughHandle(file), mode)),
  changeTimes: asPromise((file: string, atimeMs: number, mtimeMs: number) =>
    utimesSync(pathThroughHandle(file), nodeTime(atimeMs), nodeTime(mtimeMs)),
  ),
  makeDirectory: asPromise((file: string) => void mkdirSync(pathThroughHandle(file), 0o700)),
  rename: asPromise((from: string, to: string) => renameSync(pathThroughHandle(from), pathThroughHandle(to))),
  remove: asPromise((file: string) => unlinkSync(pathThroughHandle(file))),
  removeDirectory: asPromise((file: string) => rmdirSync(pathThroughHandle(file))),
};

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Converts a time to the form that node needs: node takes a negative number for the current time,
 * and a `Date` has no fractions of a millisecond.
 */
function nodeTime(ms: number): number | Date {
  return ms < 0 ? new Date(ms) : ms / 1000;
}

/** Windows does not have these flags. */
const { O_NOFOLLOW: NOFOLLOW = 0, O_NONBLOCK: NONBLOCK = 0, O_DIRECTORY: DIRECTORY = 0 } = constants;

/**
 * The flag O_PATH of Linux, which node does not export. Opening with it needs no permission to read
 * the directory.
 */
const O_PATH = 0o10000000;

const HANDLE_DIRECTORY = '/proc/self/fd';

/**
 * Whether directories can be held open by a handle, so that changes of their paths have no effect.
 */
export const holdsByHandle = lazy(() => process.platform === 'linux' && existsSync(HANDLE_DIRECTORY));

/** The open handles of directories. If a directory has several handles, the last one is used. */
const handlesByDirectory = lazy(() => new Map<string, number[]>());

/** Holds a directory open by a handle of the system, if it has such handles. */
function holdDirectory(directory: string): HeldDirectory {
  if (!holdsByHandle()) return watchDirectory(directory);
  let handle: number;
  try {
    handle = openSync(directory, O_PATH | DIRECTORY | NOFOLLOW);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === 'ENOTDIR' || code === 'ELOOP' ? movedError(directory) : error;
  }
  diskCounters.openedHandles++;
  let status: Stats;
  try {
    // The kernel's path of the open directory differs if a part of the given path is a link.
    if (readlinkSync(`${HANDLE_DIRECTORY}/${handle}`) !== directory) throw movedError(directory);
    status = fstatSync(handle);
  } catch (error) {
    close(handle);
    throw error;
  }
  const openHandles = handlesByDirectory();
  const otherHandles = openHandles.get(directory);
  if (otherHandles) otherHandles.push(handle);
  else openHandles.set(directory, [handle]);
  let isReleased = false;
  return {
    identity: `${status.dev}:${status.ino}`,
    release() {
      if (isReleased) return;
      isReleased = true;
      const otherHandlesNow = openHandles.get(directory)!.filter((each) => each !== handle);
      if (otherHandlesNow.length > 0) openHandles.set(directory, otherHandlesNow);
      else openHandles.delete(directory);
      close(handle);
    },
  };
}

/**
 * Holds a directory on systems without handles: if it is replaced, that is detected at the release.
 */
function watchDirectory(directory: string): HeldDirectory {
  const currentIdentity = () => {
    const { dev, ino } = lstatSync(directory);
    return realpathSync.native(directory) === directory ? `${dev}:${ino}` : '';
  };
  const identity = currentIdentity();
  if (identity === '') throw movedError(directory);
  return {
    identity,
    release() {
      if (currentIdentity() !== identity) throw movedError(directory);
    },
  };
}

/** The path of a file through the handle of the nearest parent directory that is held open. */
function pathThroughHandle(file: string): string {
  const heldHandles = handlesByDirectory();
  if (heldHandles.size === 0) return file;
  for (let folder = file; ; folder = path.dirname(folder)) {
    const handle = heldHandles.get(folder)?.at(-1);
    if (handle !== undefined)
      return `${HANDLE_DIRECTORY}/${handle}/${folder === file ? '.' : path.relative(folder, file)}`;
    if (folder === path.dirname(folder)) return file;
  }
}

/** The error for a path that now leads to another file, or to none that may be opened. */
function movedError(file: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${file} is another one by now`), { code: MOVED_ERROR_CODE });
}

/** Opens a regular file for reading. */
function openFile(file: string): number {
  let descriptor: number;
  try {
    descriptor = openSync(pathThroughHandle(file), constants.O_RDONLY | NONBLOCK | NOFOLLOW);
  } catch (error) {
    throw ['ELOOP', 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? '') ? movedError(file) : error;
  }
  diskCounters.openedHandles++;
  if (fstatSync(descriptor).isFile()) return descriptor;
  close(descriptor);
  throw movedError(file);
}

function close(descriptor: number): void {
  diskCounters.closedHandles++;
  closeSync(descriptor);
}

// ---------------------------------------------------------------------------------------------------------------------

/** One time slice for all changes of this process. */
const sharedSlice = lazy(() => new TimeSlice());

/**
 * Makes a synchronous call asynchronous. Lets other work run before it if the time slice is over.
 */
function asPromise<A extends readonly unknown[], R>(call: (...args: A) => R): (...args: A) => Promise<R> {
  return async (...args) => {
    if (sharedSlice().isOver) await sharedSlice().pause();
    return call(...args);
  };
}

/** Writes a file that is opened with these flags. */
function writeFile(file: string, bytes: Uint8Array, flags: number): void {
  // Only the owner can read a new file.
  const descriptor = openSync(pathThroughHandle(file), flags, 0o600);
  diskCounters.openedHandles++;
  try {
    // Does not use `writeSync`: on a full disk, it may write only a part and report no error.
    writeFileSync(descriptor, bytes);
  } finally {
    close(descriptor);
  }
}

/**
 * The path of GNU's cp, which copies extended attributes (access control lists, labels of SELinux);
 * node cannot copy them. Every Linux with a package manager has it. cp fails if it cannot keep an
 * attribute that was requested by name.
 */
const copyProgram = lazy(() => {
  if (process.platform !== 'linux') return null;
  return ['/bin/cp', '/usr/bin/cp'].find((each) => existsSync(each)) ?? null;
});

/**
 * Copies files into a directory under other names, with a program that copies many files fast.
 * Returns false if the program is missing or fails, so that the caller must copy the files itself.
 */
async function copyFiles(files: readonly string[], directory: string, names: readonly string[]): Promise<boolean> {
  const program = copyProgram();
  if (program === null || !holdsByHandle()) return false;
  for (let start = 0; start < files.length; start += HANDLES_PER_PROGRAM)
    if (
      !(await copyTogether(
        program,
        files.slice(start, start + HANDLES_PER_PROGRAM),
        directory,
        names.slice(start, start + HANDLES_PER_PROGRAM),
      ))
    )
      return false;
  return true;
}

/**
 * Copies files with one run of the program. The program gets open handles instead of paths, so it
 * copies exactly these files. Returns false if the program does not know a needed option.
 */
async function copyTogether(
  program: string,
  files: readonly string[],
  directory: string,
  names: readonly string[],
): Promise<boolean> {
  const attributes = `mode,ownership,timestamps,xattr${existsSync('/sys/fs/selinux/enforce') ? ',context' : ''}`;
  const descriptors: number[] = [];
  // The copies get the numbers of the handles as names, so they go into a separate directory first.
  const copyFolder = path.join(directory, 'in');
  mkdirSync(pathThroughHandle(copyFolder), 0o700);
  try {
    for (const file of files) descriptors.push(openFile(file));
    descriptors.push(openSync(pathThroughHandle(copyFolder), constants.O_RDONLY | DIRECTORY | NOFOLLOW));
    diskCounters.openedHandles++;
    diskCounters.startedPrograms++;
    const pathOfHandle = (index: number) => `${HANDLE_DIRECTORY}/${FIRST_FREE_HANDLE + index}`;
    const errorMessage = await runProgram(
      program,
      [
        `--preserve=${attributes}`,
        '--dereference',
        '-t',
        pathOfHandle(files.length),
        '--',
        ...files.map((_, index) => pathOfHandle(index)),
      ],
      descriptors,
    );
    if (errorMessage !== null) {
      if (/unrecognized option|invalid option|unrecognised option|built without/.test(errorMessage)) return false;
      if (/No space left|quota exceeded/i.test(errorMessage))
        throw Object.assign(new Error(errorMessage), { code: 'ENOSPC' });
      if (/File too large|SIGXFSZ/.test(errorMessage)) throw Object.assign(new Error(errorMessage), { code: 'EFBIG' });
      throw new AttributesLostError(
        errorMessage.replace(
          /\/proc\/self\/fd\/(\d+)(\/\d+)?/g,
          (matchedText, handle: string, nameOfCopy: string | undefined) => {
            const index = Number(nameOfCopy?.slice(1) ?? handle) - FIRST_FREE_HANDLE;
            return files[index] ?? matchedText;
          },
        ),
      );
    }
    for (const [index, name] of names.entries())
      renameSync(
        pathThroughHandle(path.join(copyFolder, String(FIRST_FREE_HANDLE + index))),
        pathThroughHandle(path.join(directory, name)),
      );
    return true;
  } finally {
    descriptors.forEach(close);
    rmSync(pathThroughHandle(copyFolder), { recursive: true, force: true });
  }
}

/** The first handle after input, output and errors. */
const FIRST_FREE_HANDLE = 3;

/** Number of handles for one program: far below the limit of any system. */
const HANDLES_PER_PROGRAM = 300;

/**
 * Runs a program. Returns null on success, otherwise its error message. `handles`: open files that
 * the program gets, numbered from `FIRST_FREE_HANDLE`.
 */
function runProgram(
  program: string,
  programArguments: readonly string[],
  handles: readonly number[],
): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(program, programArguments, {
      env: { LC_ALL: 'C' },
      stdio: ['ignore', 'ignore', 'pipe', ...handles],
    });
    let errorOutput = '';
    (child.stdio[2] as NodeJS.ReadableStream).setEncoding('utf8').on('data', (text: string) => {
      if (errorOutput.length < MAX_ERROR_LENGTH) errorOutput += text;
    });
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) =>
      resolve(code === 0 ? null : errorOutput || signal || `it ended with ${code}`),
    );
  });
}

/** Longer error output of a program is cut. */
const MAX_ERROR_LENGTH = 100_000;
