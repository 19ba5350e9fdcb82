/**
 * What a change of several files (change.ts) asks of the disk. Each function is one step that happens or fails; a test hands in a disk that fails, or ends, at
 * any one of them.
 */
import { execFile } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { counters, lazy } from '../syntax/memory';
import { Slice } from './slice';

/** Programs that were started to copy since the start of this one, for the tests that count. */
export const work = counters({ programs: 0 });

export interface Disk {
  realpath(path: string): Promise<string>;
  /** Of the name itself, links not followed. */
  look(path: string): Promise<Stats>;
  /** Throws where this user may not write there: `file` to write the file, `directory` to make and rename names in it. Changes nothing. */
  mayWrite(path: string, what: 'file' | 'directory'): Promise<void>;
  list(path: string): Promise<string[]>;
  read(path: string): Promise<Buffer>;
  /** A new file. Fails where there is one. */
  create(path: string, bytes: Uint8Array): Promise<void>;
  /** Another content for a file that nobody else knows. */
  overwrite(path: string, bytes: Uint8Array): Promise<void>;
  /** Waits until a file or a directory is on the disk. */
  sync(path: string): Promise<void>;
  /**
   * Copies files into a directory, under the names that are given, which may be links to them, with all that belongs to them: mode, owner, times, access control lists,
   * extended attributes. False where this machine has nothing that can; throws where something cannot be kept.
   */
  copy(names: readonly string[], directory: string): Promise<boolean>;
  /** Another name for a file, for `copy`: a symbolic link. Nothing where `copy` can do nothing. */
  link(file: string, name: string): Promise<void>;
  own(path: string, uid: number, gid: number): Promise<void>;
  mode(path: string, mode: number): Promise<void>;
  times(path: string, atimeMs: number, mtimeMs: number): Promise<void>;
  makeDirectory(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  removeDirectory(path: string): Promise<void>;
}

/** What cannot be kept of a file in a copy of it. */
export class NotKept extends Error {}

export const nodeDisk: Disk = {
  realpath: atOnce((path: string) => realpathSync.native(path)),
  look: atOnce((path: string) => lstatSync(path)),
  // Asked of the kernel, not of the mode: so that a read-only file system and chattr +i count, for root, too.
  mayWrite: atOnce((path: string, what) =>
    accessSync(path, what === 'file' ? constants.W_OK : constants.W_OK | constants.X_OK),
  ),
  list: atOnce((path: string) => readdirSync(path)),
  read: atOnce((path: string) => readFileSync(path)),
  create: atOnce((path: string, bytes: Uint8Array) =>
    write(path, bytes, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY),
  ),
  overwrite: atOnce((path: string, bytes: Uint8Array) => write(path, bytes, constants.O_WRONLY | constants.O_TRUNC)),
  async sync(path) {
    const handle = await open(path, 'r');
    await handle.sync().finally(() => handle.close());
  },
  copy,
  link: atOnce((file: string, name: string) => void (copier() && symlinkSync(file, name))),
  own: atOnce(chownSync),
  mode: atOnce((path: string, mode: number) => chmodSync(path, mode)),
  times: atOnce((path: string, atimeMs: number, mtimeMs: number) => utimesSync(path, atimeMs / 1000, mtimeMs / 1000)),
  makeDirectory: atOnce((path: string) => void mkdirSync(path, 0o700)),
  rename: atOnce(renameSync),
  remove: atOnce(unlinkSync),
  removeDirectory: atOnce((path: string) => rmdirSync(path)),
};

// ---------------------------------------------------------------------------------------------------------------------

/** Of all changes of this program. */
const slice = lazy(() => new Slice());

function atOnce<A extends readonly unknown[], R>(call: (...args: A) => R): (...args: A) => Promise<R> {
  return async (...args) => {
    if (slice().isOver) await slice().pause();
    return call(...args);
  };
}

function write(path: string, bytes: Uint8Array, flags: number): void {
  // Nobody but the owner reads a new one.
  const file = openSync(path, flags, 0o600);
  try {
    // Not `writeSync`, which may take a part of it on a full disk and say nothing.
    writeFileSync(file, bytes);
  } finally {
    closeSync(file);
  }
}

/** node has no way to extended attributes, which is where access control lists and the labels of SELinux are. GNU's cp is on every Linux with a package manager; asked for by name, it fails where it cannot keep one. */
const copier = lazy(() => {
  if (process.platform !== 'linux') return null;
  return ['/bin/cp', '/usr/bin/cp'].find((each) => existsSync(each)) ?? null;
});

async function copy(names: readonly string[], directory: string): Promise<boolean> {
  const program = copier();
  if (program === null) return false;
  const kept = `mode,ownership,timestamps,xattr${existsSync('/sys/fs/selinux/enforce') ? ',context' : ''}`;
  for (let at = 0; at < names.length; at += AT_ONCE) {
    work.programs++;
    const said = await run(program, [
      `--preserve=${kept}`,
      '--dereference',
      '-t',
      directory,
      '--',
      ...names.slice(at, at + AT_ONCE),
    ]);
    if (said === null) continue;
    if (/unrecognized option|invalid option|unrecognised option|built without/.test(said)) return false;
    if (/No space left|quota exceeded/i.test(said)) throw Object.assign(new Error(said), { code: 'ENOSPC' });
    if (/File too large|SIGXFSZ/.test(said)) throw Object.assign(new Error(said), { code: 'EFBIG' });
    throw new NotKept(said);
  }
  return true;
}

/** Arguments of one program: far below what any system takes. */
const AT_ONCE = 100;

/** null, or what it complained of. */
function run(program: string, words: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(program, words, { env: { LC_ALL: 'C' } }, (error, _out, err) =>
      resolve(error ? err || error.signal || error.message : null),
    );
  });
}
