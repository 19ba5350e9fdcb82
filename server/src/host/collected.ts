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

/** The name of the directory in an archive that the script makes. */
const TOP = 'httpd-collected';

/**
 * The text of a project file for the directory of a collected server that has none. Null for other
 * directories.
 */
export function settingsOfCollected(folder: string): string | null {
  return existsSync(path.join(folder, COLLECTED_FACTS, 'collected'))
    ? collectedSettings(folder, (file) => contentOf(path.join(folder, file)))
    : null;
}

/** Whether a path is an archive, or a directory of a collected server. */
export function isCollected(file: string): boolean {
  return isArchive(file) || collectionIn(file) !== null;
}

/** Whether a path looks like an archive, by the end of its name. */
export function isArchiveName(file: string): boolean {
  return /\.(tar\.gz|tgz)$/i.test(file);
}

/** Whether a path names an existing archive. */
export function isArchive(file: string): boolean {
  return isArchiveName(file) && statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

/**
 * The directory of a collected server: the given one, or one directly in it. Null if there is none.
 */
export function collectionIn(folder: string): string | null {
  return (
    [folder, path.join(folder, TOP)].find((each) => existsSync(path.join(each, COLLECTED_FACTS, 'collected'))) ?? null
  );
}

/**
 * The facts that the script recorded about the server; null if it is no directory of a collected
 * server.
 */
export function collectedIn(folder: string): Collected | null {
  const collection = collectionIn(folder);
  const text = collection === null ? null : contentOf(path.join(collection, COLLECTED_FACTS, 'collected'));
  return text === null ? null : readCollected(text);
}

/** The main file, for the directory of a collected server. Other paths are returned unchanged. */
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
