/**
 * Recognizes the archives and directories that cli/collect.sh makes on a server, called *collected*
 * here.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import {
  COLLECTED_FACTS_FOLDER,
  COLLECTED_FILES_FOLDER,
  settingsOfCollection,
  parseCollectedList,
  type CollectedServer,
} from '../config/collected';
import { mayRead } from './read-now';

/** The name of the directory that the script puts into an archive. */
const COLLECTED_FOLDER_NAME = 'httpd-collected';

/** The text of a new project file for a collected directory. Null for other directories. */
export function projectFileText(folder: string): string | null {
  return existsSync(path.join(folder, COLLECTED_FACTS_FOLDER, 'collected'))
    ? settingsOfCollection(folder, (file) => textOfFile(path.join(folder, file)))
    : null;
}

/** Whether a path is an archive or a collected directory. */
export function isCollected(file: string): boolean {
  return isArchive(file) || collectedFolder(file) !== null;
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
 * Returns the collected directory: the given directory, or a directory in it. Null if neither is a
 * collected directory.
 */
export function collectedFolder(folder: string): string | null {
  return (
    [folder, path.join(folder, COLLECTED_FOLDER_NAME)].find((each) =>
      existsSync(path.join(each, COLLECTED_FACTS_FOLDER, 'collected')),
    ) ?? null
  );
}

/**
 * Returns the facts that the script recorded about the server; null if it is no collected
 * directory.
 */
export function collectedFacts(folder: string): CollectedServer | null {
  const collection = collectedFolder(folder);
  const factsText = collection === null ? null : textOfFile(path.join(collection, COLLECTED_FACTS_FOLDER, 'collected'));
  return factsText === null ? null : parseCollectedList(factsText);
}

/** Returns the main file in a collected directory. Returns any other path unchanged. */
export function mainFileOf(file: string): string {
  const collection = collectedFolder(file);
  const collected = collectedFacts(file);
  return collected ? path.join(collection!, COLLECTED_FILES_FOLDER, collected.mainFile) : file;
}

/** Returns the files in a collected directory that the server does not read. */
export function unreadFilesOf(file: string): string[] {
  const collection = collectedFolder(file);
  return (collectedFacts(file)?.unreadFiles ?? []).map((file) => path.join(collection!, COLLECTED_FILES_FOLDER, file));
}

/** The text of a file; null if it cannot be read or is no regular file. */
export function textOfFile(file: string): string | null {
  try {
    return mayRead(file) && statSync(file).isFile() ? readFileSync(file, 'utf8') : null;
  } catch {
    return null;
  }
}
