/** How files are named for people: below the folder of the workspace that they lie in, behind its name where there are several folders. Pure. */

/** Paths without links, without a slash at the end. */
export function pathNames(folders: readonly string[]): PathNames {
  const prefixes = new Map([...new Set(folders)].map((folder) => [folder, prefixOf(folder, folders)]));
  // In a folder that lies in another one, the inner one counts.
  const bases = [...prefixes].sort(([a], [b]) => b.length - a.length);
  return {
    of(path) {
      for (const [base, prefix] of bases) if (path.startsWith(`${base}/`)) return prefix + path.slice(base.length + 1);
      return path;
    },
    in: (text) => bases.reduce((shorter, [base, prefix]) => shorter.replaceAll(`${base}/`, prefix), text),
  };
}

export interface PathNames {
  /** A path as it is shown; as it is where it lies in none of the folders. */
  of(path: string): string;
  /** A text in which paths are. */
  in(text: string): string;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Its name, and as many names around it as tell it from the others; nothing for the only one. */
function prefixOf(folder: string, all: readonly string[]): string {
  const others = all.filter((each) => each !== folder);
  if (others.length === 0) return '';
  const parts = folder.split('/').filter(Boolean);
  for (let count = 1; count <= parts.length; count++) {
    const tail = parts.slice(-count).join('/');
    if (!others.some((other) => `/${other}`.endsWith(`/${tail}`))) return `${tail}/`;
  }
  return `${folder}/`;
}
