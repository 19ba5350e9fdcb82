/**
 * Makes display names of files, relative to the workspace folder. If there are several folders,
 * the name begins with the name of the folder. Pure functions.
 */

/**
 * Makes the names for files in these folders. The paths have no slash at the end, and symbolic
 * links are resolved.
 */
export function pathNames(folders: readonly string[]): PathNames {
  const prefixByFolder = new Map([...new Set(folders)].map((folder) => [folder, prefixOf(folder, folders)]));
  // If folders are nested, the inner one is used.
  const innermostFoldersFirst = [...prefixByFolder].sort(([a], [b]) => b.length - a.length);
  return {
    nameOf(path) {
      for (const [base, prefix] of innermostFoldersFirst)
        if (path.startsWith(`${base}/`)) return prefix + path.slice(base.length + 1);
      return path;
    },
    withNames: (text) =>
      innermostFoldersFirst.reduce(
        (shortenedText, [base, prefix]) => shortenedText.replaceAll(`${base}/`, prefix),
        text,
      ),
  };
}

/** Makes short paths to show to users: relative to the folder that contains them. */
export interface PathNames {
  /** The short form of a path; unchanged if it is in none of the folders. */
  nameOf(path: string): string;
  /** A text with its paths in short form. */
  withNames(text: string): string;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The display name of a folder, with as many parent folders as needed to distinguish it; empty if
 * there is only one folder.
 */
function prefixOf(folder: string, folders: readonly string[]): string {
  const otherFolders = folders.filter((each) => each !== folder);
  if (otherFolders.length === 0) return '';
  const folderParts = folder.split('/').filter(Boolean);
  for (let count = 1; count <= folderParts.length; count++) {
    const endOfPath = folderParts.slice(-count).join('/');
    if (!otherFolders.some((otherFolder) => `/${otherFolder}`.endsWith(`/${endOfPath}`))) return `${endOfPath}/`;
  }
  return `${folder}/`;
}
