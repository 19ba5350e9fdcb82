/**
 * Records which files a real `httpd -t` has accepted: one small file for each main file, in the
 * user's state directory and never beside the configuration. It has a hash of everything that
 * `httpd -t` read, so after a change of any of these files the record does not count.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isOwnNow, stateHomes } from './change-home';
import type { CheckedFiles } from './host';
import { isOutOfReach } from './replaceable';

/**
 * Whether the last check of a main file accepted exactly these files. `files` reads them; it is
 * only called if there was a check.
 */
export function isAccepted(root: string, files: () => CheckedFiles | null): boolean {
  for (const home of stateHomes()) {
    const recordedMark = read(home, root);
    if (recordedMark === null) continue;
    const now = files();
    return now !== null && recordedMark === markOf(now);
  }
  return false;
}

/** Records that the files are accepted. With null, removes the record of an earlier check. */
export function rememberAccepted(root: string, files: CheckedFiles | null): void {
  for (const home of stateHomes()) if (isOwnNow(folderOf(home))) rmSync(fileOf(home, root), { force: true });
  if (files === null) return;
  const mark = markOf(files);
  for (const home of stateHomes()) {
    try {
      if (!isOutOfReach(home)) continue;
      mkdirSync(folderOf(home), { recursive: true, mode: 0o700 });
      if (!isOwnNow(folderOf(home))) continue;
      const file = fileOf(home, root);
      const half = `${file}.${process.pid}`;
      writeFileSync(half, mark, { flag: 'wx', mode: 0o600 });
      renameSync(half, file);
      return;
    } catch {
      // If this directory cannot be written, the next one is tried. If none can, the check is not
      // recorded.
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------

function read(home: string, root: string): string | null {
  try {
    return isOwnNow(folderOf(home)) ? readFileSync(fileOf(home, root), 'utf8') : null;
  } catch {
    return null;
  }
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
