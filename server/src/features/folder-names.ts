/**
 * Names of files for users: relative to their folder of the workspace, with its name before if
 * there are several folders. Pure.
 */

/** Paths without a slash at the end, with symbolic links resolved. */
export function pathNames(folders: readonly string[]): PathNames {
  const prefixes = new Map([...new Set(folders)].map((folder) => [folder, prefixOf(folder, folders)]));
  // For nested folders, the inner one is used.
  const bases = [...prefixes].sort(([a], [b]) => b.length - a.length);
  return {
    of(path) {
      for (const [base, prefix] of bases) if (path.startsWith(`${base}/`)) return prefix + path.slice(base.length + 1);
      return path;
    },
    in: (text) => bases.reduce((shorter, [base, prefix]) => shorter.replaceAll(`${base}/`, prefix), text),
  };
}

/** Shortens paths for display: relative to the folder that contains them. */
export interface PathNames {
  /** The short form of a path; unchanged if it is in none of the folders. */
  of(path: string): string;
  /** A text with its paths in short form. */
  in(text: string): string;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The name of the folder, with as many parents as needed to distinguish it; empty for the only one.
 */
function prefixOf(folder: string, folders: readonly string[]): string {
  const others = folders.filter((each) => each !== folder);
  if (others.length === 0) return '';
  const parts = folder.split('/').filter(Boolean);
  for (let count = 1; count <= parts.length; count++) {
    const tail = parts.slice(-count).join('/');
    if (!others.some((other) => `/${other}`.endsWith(`/${tail}`))) return `${tail}/`;
  }
  return `${folder}/`;
}
