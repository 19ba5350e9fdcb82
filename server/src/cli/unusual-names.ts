/**
 * Notes the files below a given directory that a command does not read because of their names,
 * although they look like httpd configuration.
 */
import { hasConfigurationText } from '../host/node';
import type { ProjectOfPaths } from './project-of-paths';
import { groupedBy } from '../syntax/groups';
import { shortPath } from './short-path';
import { countWithNoun, type Terminal } from './terminal';

/** Writes the note if there are such files. `isLeftOut`: whether the note does not name a file. */
export function noteUnusualNames(
  filesRead: ProjectOfPaths,
  isLeftOut: (file: string) => boolean,
  terminal: Terminal,
): void {
  const candidates = filesRead.unusuallyNamedFiles.filter((file) => !filesRead.isRead(file) && !isLeftOut(file));
  const files = filesToRead(candidates).filter(hasConfigurationText);
  if (files.length === 0) return;
  const isOneFile = files.length === 1;
  const shownNames = files.slice(0, MAX_NAMED_FILES).map(shortPath);
  const moreCount = files.length - shownNames.length;
  const names = [...shownNames, ...(moreCount > 0 ? [countWithNoun(moreCount, 'more file')] : [])];
  const namesText = [names.slice(0, -1).join(', '), names.at(-1)].filter(Boolean).join(' and ');
  terminal.note(
    `not read: ${namesText} ${isOneFile ? 'looks' : 'look'} like httpd configuration, but ${isOneFile ? 'its name does' : 'their names do'} not. To read ${isOneFile ? 'it' : 'them'}, too, add the path${isOneFile ? '' : 's, or a pattern,'} to the command`,
  );
}

/** The largest number of files whose first bytes are read: a directory may have thousands. */
const MAX_READ_FILES = 500;

/** The largest number of files that the note names. */
const MAX_NAMED_FILES = 5;

/** The files whose first bytes are read: first those near the given directory. */
function filesToRead(files: readonly string[]): readonly string[] {
  if (files.length <= MAX_READ_FILES) return files;
  const filesByDepth = groupedBy(files, (file) => file.split('/').length);
  return [...filesByDepth]
    .sort(([one], [other]) => one - other)
    .flatMap(([, each]) => each)
    .slice(0, MAX_READ_FILES);
}
