/** Recognizes archives and directories of collected servers (cli/collect.sh makes them). */
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import {
  COLLECTED_FACTS,
  COLLECTED_FILES,
  collectedSettings,
  readCollected,
  type Collected,
} from '../config/collected';

/** The directory in an archive of the script. */
const TOP = 'httpd-collected';

/** The settings for a directory of a collected server without a project file; null for others. */
export function settingsOfCollected(folder: string): string | null {
  return existsSync(path.join(folder, COLLECTED_FACTS, 'collected'))
    ? collectedSettings(folder, (file) => contentOf(path.join(folder, file)))
    : null;
}

/** Whether a path is an archive, or a directory of a collected server. */
export function isCollected(file: string): boolean {
  return isArchive(file) || collectionIn(file) !== null;
}

/** Whether a path names an archive, by its ending. */
export function isArchiveName(file: string): boolean {
  return /\.(tar\.gz|tgz)$/i.test(file);
}

/** Whether a path names an existing archive. */
export function isArchive(file: string): boolean {
  return isArchiveName(file) && statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

/** The directory of a collected server, which is the given one or below it; null for others. */
export function collectionIn(folder: string): string | null {
  return (
    [folder, path.join(folder, TOP)].find((each) => existsSync(path.join(each, COLLECTED_FACTS, 'collected'))) ?? null
  );
}

/** The facts in a directory of a collected server; null for others. */
export function collectedIn(folder: string): Collected | null {
  const collection = collectionIn(folder);
  const text = collection === null ? null : contentOf(path.join(collection, COLLECTED_FACTS, 'collected'));
  return text === null ? null : readCollected(text);
}

/** The main file of a directory of a collected server; other paths are unchanged. */
export function mainFileOf(given: string): string {
  const collection = collectionIn(given);
  const collected = collectedIn(given);
  return collected ? path.join(collection!, COLLECTED_FILES, collected.main) : given;
}

/** The files of a collected server that it does not read. */
export function unreadFilesOf(given: string): string[] {
  const collection = collectionIn(given);
  return (collectedIn(given)?.dormant ?? []).map((file) => path.join(collection!, COLLECTED_FILES, file));
}

/** The text of a file; null if there is none. */
export function contentOf(file: string): string | null {
  try {
    return statSync(file).isFile() ? readFileSync(file, 'utf8') : null;
  } catch {
    return null;
  }
}
