/** Files written whole or not at all. */
import { randomBytes } from 'node:crypto';
import { unlinkSync } from 'node:fs';
import { open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { explain } from './node';

/**
 * Replaces a file's content through a temporary file beside it, synced and renamed: whoever reads it, and whatever
 * breaks, finds the old content or the new. Mode and owner stay, a symbolic link stays a link. `before` is what the
 * change was made from: where the file says something else by now, it is left alone.
 *
 * Returns null, or why it could not be done: then the file is as it was.
 */
export async function writeWhole(file: string, before: Uint8Array, after: Uint8Array): Promise<string | null> {
  let target;
  try {
    target = await realpath(file);
    const info = await stat(target);
    if (!info.isFile()) return 'is not a regular file';
    // A renamed file takes one name only: the other would silently keep the old content.
    if (info.nlink > 1) return `has ${info.nlink} names (hard links), and writing it whole would part them`;
    return await replace(target, info, before, after);
  } catch (error) {
    return inWords(error, target ?? file);
  }
}

// ---------------------------------------------------------------------------------------------------------------------

type Owned = { readonly mode: number; readonly uid: number; readonly gid: number };

async function replace(target: string, info: Owned, before: Uint8Array, after: Uint8Array): Promise<string | null> {
  const temporary = path.join(path.dirname(target), `.${path.basename(target).slice(0, 200)}.${randomBytes(6).toString('hex')}`);
  // Nobody but the owner reads it until it has the mode of the old one.
  const handle = await open(temporary, 'wx', 0o600);
  const forget = removedOnSignals(temporary);
  try {
    try {
      // Not `write`, which may take a part of it on a full disk and say nothing.
      await handle.writeFile(after);
      const refused = await giveTo(handle, info);
      if (refused) return refused;
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (!(await readFile(target)).equals(before)) return 'has been changed by somebody else in the meantime';
    await rename(temporary, target);
    await syncFolder(path.dirname(target));
    return null;
  } finally {
    await rm(temporary, { force: true });
    forget();
  }
}

/** Gives a new file the owner and the mode of the old one. Returns why that is not possible. */
async function giveTo(handle: Awaited<ReturnType<typeof open>>, { mode, uid, gid }: Owned): Promise<string | null> {
  if (process.platform !== 'win32') {
    const own = await handle.stat();
    try {
      if (own.uid !== uid || own.gid !== gid) await handle.chown(uid, gid);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
      return own.uid !== uid
        ? `belongs to another user (uid ${uid}), and writing it would make it yours; run this as that user or as root`
        : `belongs to a group that you are not in (gid ${gid}), and writing it would take it from that group`;
    }
  }
  await handle.chmod(mode & 0o7777);
  return null;
}

/** Ctrl-C leaves no temporary file behind: an `Include` of the whole folder would read it. */
function removedOnSignals(file: string): () => void {
  const signals: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const remove = (signal: NodeJS.Signals) => {
    try {
      unlinkSync(file);
    } catch {
      // It is renamed already, or was never made.
    }
    forget();
    process.kill(process.pid, signal);
  };
  const forget = () => signals.forEach((signal) => process.off(signal, remove));
  signals.forEach((signal) => process.on(signal, remove));
  return forget;
}

/** A rename is on the disk once its folder is. Not every file system can be asked for it. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch {
    // The content itself is synced.
  }
}

function inWords(error: unknown, target: string): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EACCES':
    case 'EPERM':
      return `permission denied to write in the folder ${path.dirname(target)}`;
    case 'EROFS':
      return 'is on a file system that is read-only';
    case 'ENOSPC':
    case 'EDQUOT':
      return 'the disk is full';
    default:
      return explain(error).message.replace('cannot be read', 'cannot be written');
  }
}
