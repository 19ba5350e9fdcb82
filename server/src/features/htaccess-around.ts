/** Finds the .htaccess files around given ones on the disk. */
import { isHtaccessName } from '../config/configurations';
import { isWithin, parentOf, type FileView } from '../config/files';

/** The .htaccess files around given ones. */
export interface HtaccessAround {
  /** The .htaccess files that apply to the same requests, and are not among the given ones. */
  readonly files: readonly string[];
  /** Whether the search was stopped at a limit. Then further such files may exist. */
  readonly isIncomplete: boolean;
}

/**
 * Finds .htaccess files that apply to the same requests as the given .htaccess files, but are not
 * among them: those in directories below, and those in the directories above, up to `topFolder`.
 * All paths have links resolved. The search stops if there are more directories or names below
 * than `limits`.
 */
export function htaccessFilesAround(
  files: readonly string[],
  view: Pick<FileView, 'kind' | 'list' | 'realPath'>,
  topFolder: string,
  limits = SEARCH_LIMITS,
): HtaccessAround {
  const givenFiles = new Set(files);
  const folders = [...new Set(files.filter(isHtaccessName).map(parentOf))];
  const foldersAbove = new Set(folders.flatMap((folder) => foldersBetween(topFolder, folder)));
  const foundFiles = new Set<string>();
  const visitedFolders = new Set<string>();
  let nameCount = 0;
  let isIncomplete = false;
  const addFileOf = (folder: string) => {
    const file = `${folder}/.htaccess`;
    if (!givenFiles.has(file) && view.kind(file) === 'file') foundFiles.add(view.realPath(file));
  };
  foldersAbove.forEach(addFileOf);
  const foldersToVisit = [...folders];
  for (let folder = foldersToVisit.shift(); folder !== undefined; folder = foldersToVisit.shift()) {
    if (visitedFolders.has(folder)) continue;
    isIncomplete = visitedFolders.size >= limits.folders || nameCount >= limits.names;
    if (isIncomplete) break;
    visitedFolders.add(folder);
    addFileOf(folder);
    for (const name of view.list(folder) ?? []) {
      nameCount++;
      if (view.kind(`${folder}/${name}`) === 'folder') foldersToVisit.push(view.realPath(`${folder}/${name}`));
    }
  }
  return { files: [...foundFiles].filter((file) => !givenFiles.has(file)), isIncomplete };
}

// ---------------------------------------------------------------------------------------------------------------------

/** Limits for the search below given .htaccess files: of directories, and of names in them. */
const SEARCH_LIMITS = { folders: 20_000, names: 100_000 };

/** The directories above `folder`, up to `top`. Empty if `folder` is not below `top`. */
function foldersBetween(top: string, folder: string): string[] {
  if (folder === top || !isWithin(folder, top)) return [];
  const parent = parentOf(folder);
  return [parent, ...foldersBetween(top, parent)];
}
