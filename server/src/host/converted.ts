/**
 * Which configurations this program has begun to convert from 2.2, by the directories of their files. What it has written to them (LoadModule lines of 2.4, Require lines) looks like
 * a configuration of 2.4, and is no evidence that the server runs 2.4. Kept with the user's own state, beside the journal of changes; a team shares the same as the answer
 * `"running-version": "2.2"` in `.httpd-upgrade.json`.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stateHomes } from './change-home';

/** Returns whether fixes were written to a configuration of 2.2 that has files in a directory. */
export function isConverted(directory: string): boolean {
  return stateHomes().some((home) => {
    const record = recordOf(home, directory);
    return statSync(record, { throwIfNoEntry: false }) !== undefined && isOwn(home);
  });
}

/** Takes note of directories. Where the state cannot be written to, the plan asks which version runs. */
export function rememberConverted(directories: Iterable<string>): void {
  const home = stateHomes().find((each) => isOwn(each));
  if (home === undefined) return;
  try {
    mkdirSync(path.join(home, FOLDER), { recursive: true, mode: 0o700 });
    for (const directory of new Set(directories)) writeFileSync(recordOf(home, directory), `${directory}\n`);
  } catch {
    // Nothing depends on it but one question.
  }
}

// ---------------------------------------------------------------------------------------------------------------------

const FOLDER = 'converted';

function recordOf(home: string, directory: string): string {
  return path.join(home, FOLDER, createHash('sha256').update(withoutLinks(directory)).digest('hex').slice(0, 32));
}

function withoutLinks(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return path.resolve(directory);
  }
}

/** Nobody else may write there. The journal of the change that was written has made it. */
function isOwn(home: string): boolean {
  const info = statSync(home, { throwIfNoEntry: false });
  const uid = process.geteuid?.();
  return info?.isDirectory() === true && (uid === undefined || (info.uid === uid && (info.mode & 0o022) === 0));
}
