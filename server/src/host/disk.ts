/**
 * What a change of several files (change.ts) asks of the disk. Each function is one step that happens or fails; a test hands in a disk that fails, or ends, at
 * any one of them.
 */
import { execFile } from 'node:child_process';
import { constants, existsSync, type Stats } from 'node:fs';
import {
  access,
  chmod,
  chown,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rmdir,
  unlink,
  utimes,
} from 'node:fs/promises';

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
   * Copies files into a directory, under their own names, with all that belongs to them: mode, owner, times, access control lists, extended attributes. False where
   * this machine has nothing that can; throws where something cannot be kept.
   */
  copy(files: readonly string[], directory: string): Promise<boolean>;
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
  realpath,
  look: lstat,
  // Asked of the kernel, not of the mode: so that a read-only file system and chattr +i count, for root, too.
  mayWrite: (path, what) => access(path, what === 'file' ? constants.W_OK : constants.W_OK | constants.X_OK),
  list: (path) => readdir(path),
  read: (path) => readFile(path),
  create: (path, bytes) => write(path, bytes, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY),
  overwrite: (path, bytes) => write(path, bytes, constants.O_WRONLY | constants.O_TRUNC),
  async sync(path) {
    const handle = await open(path, 'r');
    await handle.sync().finally(() => handle.close());
  },
  copy,
  own: chown,
  mode: chmod,
  times: (path, atimeMs, mtimeMs) => utimes(path, atimeMs / 1000, mtimeMs / 1000),
  makeDirectory: async (path) => void (await mkdir(path, 0o700)),
  rename,
  remove: unlink,
  removeDirectory: rmdir,
};

// ---------------------------------------------------------------------------------------------------------------------

async function write(path: string, bytes: Uint8Array, flags: number): Promise<void> {
  // Nobody but the owner reads a new one.
  const handle = await open(path, flags, 0o600);
  try {
    // Not `write`, which may take a part of it on a full disk and say nothing.
    await handle.writeFile(bytes);
  } finally {
    await handle.close();
  }
}

/** node has no way to extended attributes, which is where access control lists and the labels of SELinux are. GNU's cp is on every Linux with a package manager; asked for by name, it fails where it cannot keep one. */
async function copy(files: readonly string[], directory: string): Promise<boolean> {
  const program = ['/bin/cp', '/usr/bin/cp'].find((each) => existsSync(each));
  if (process.platform !== 'linux' || !program) return false;
  const kept = `mode,ownership,timestamps,xattr${existsSync('/sys/fs/selinux/enforce') ? ',context' : ''}`;
  for (let at = 0; at < files.length; at += AT_ONCE) {
    const said = await run(program, [
      `--preserve=${kept}`,
      '--no-dereference',
      '-t',
      directory,
      '--',
      ...files.slice(at, at + AT_ONCE),
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
