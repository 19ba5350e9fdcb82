/**
 * Remembers which files a real `httpd -t` has accepted, in the user's state and never where the configuration
 * is: one small file for each main file, with a hash of everything that `httpd -t` has read. The hash differs
 * after any later change, so that no word of an old check is taken for one of these files.
 */
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stateHomes } from './change-home';
import type { CheckedFiles } from './host';

/** Whether the last check of a main file has accepted these very files. `files` is called only if there was a check. */
export function isAccepted(root: string, files: () => CheckedFiles | null): boolean {
  for (const home of stateHomes()) {
    const kept = read(home, root);
    if (kept === null) continue;
    const now = files();
    return now !== null && kept === markOf(now);
  }
  return false;
}

/** Remembers that the files are accepted; null forgets what an earlier check has accepted. */
export function rememberAccepted(root: string, files: CheckedFiles | null): void {
  for (const home of stateHomes()) rmSync(fileOf(home, root), { force: true });
  if (files === null) return;
  const mark = markOf(files);
  for (const home of stateHomes()) {
    try {
      mkdirSync(folderOf(home), { recursive: true, mode: 0o700 });
      if (!isOwn(folderOf(home))) continue;
      const file = fileOf(home, root);
      const half = `${file}.${process.pid}`;
      writeFileSync(half, mark, { flag: 'wx', mode: 0o600 });
      renameSync(half, file);
      return;
    } catch {
      // A home that cannot be written to: the next one, or the check is not remembered.
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------

function read(home: string, root: string): string | null {
  try {
    return isOwn(folderOf(home)) ? readFileSync(fileOf(home, root), 'utf8') : null;
  } catch {
    return null;
  }
}

/** Others must not be able to write there: what lies there turns the view green. */
function isOwn(folder: string): boolean {
  const info = lstatSync(folder);
  const uid = process.geteuid?.();
  return info.isDirectory() && (uid === undefined || (info.uid === uid && (info.mode & 0o022) === 0));
}

function folderOf(home: string): string {
  return path.join(home, 'accepted');
}

function fileOf(home: string, root: string): string {
  return path.join(folderOf(home), createHash('sha256').update(root).digest('hex'));
}

function markOf({ files, options }: CheckedFiles): string {
  return createHash('sha256')
    .update(JSON.stringify([files, options]))
    .digest('hex');
}
