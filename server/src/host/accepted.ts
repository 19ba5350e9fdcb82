/**
 * Records which files a real `httpd -t` has accepted: one small file for each main file, in the
 * user's state directory and never beside the configuration. The record has a hash of everything
 * that `httpd -t` read, so it no longer counts after a change of any of these files.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isOwnDirectoryNow, stateHomes } from './change-home';
import type { CheckedFiles } from './host';
import { isProtectedDirectory } from './replaceable';

/**
 * Whether the last check of `mainFile` accepted exactly the files that `files` returns. `files` is
 * called only if a record of a check exists.
 */
export function isAccepted(mainFile: string, files: () => CheckedFiles | null): boolean {
  for (const stateHome of stateHomes()) {
    const recordedDigest = readRecordedDigest(stateHome, mainFile);
    if (recordedDigest === null) continue;
    const currentFiles = files();
    return currentFiles !== null && recordedDigest === digestOf(currentFiles);
  }
  return false;
}

/** Records that the files are accepted. With null, removes the record of an earlier check. */
export function rememberAccepted(mainFile: string, files: CheckedFiles | null): void {
  for (const home of stateHomes())
    if (isOwnDirectoryNow(recordsFolder(home))) rmSync(recordFile(home, mainFile), { force: true });
  if (files === null) return;
  const digest = digestOf(files);
  for (const home of stateHomes()) {
    try {
      if (!isProtectedDirectory(home)) continue;
      mkdirSync(recordsFolder(home), { recursive: true, mode: 0o700 });
      if (!isOwnDirectoryNow(recordsFolder(home))) continue;
      const file = recordFile(home, mainFile);
      const temporaryFile = `${file}.${process.pid}`;
      writeFileSync(temporaryFile, digest, { flag: 'wx', mode: 0o600 });
      renameSync(temporaryFile, file);
      return;
    } catch {
      // If this directory cannot be written, the next directory is tried. If no directory can be
      // written, the check is not recorded.
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/** The digest in the record for a main file; null if there is none or if it cannot be trusted. */
function readRecordedDigest(home: string, mainFile: string): string | null {
  try {
    return isOwnDirectoryNow(recordsFolder(home)) ? readFileSync(recordFile(home, mainFile), 'utf8') : null;
  } catch {
    return null;
  }
}

/** The directory with all records of accepted files. */
function recordsFolder(home: string): string {
  return path.join(home, 'accepted');
}

/** The file of the record for a main file. */
function recordFile(home: string, mainFile: string): string {
  return path.join(recordsFolder(home), createHash('sha256').update(mainFile).digest('hex'));
}

/** A text that is equal only for equal files and options. */
function digestOf({ files, options }: CheckedFiles): string {
  return createHash('sha256')
    .update(JSON.stringify([files, options]))
    .digest('hex');
}
