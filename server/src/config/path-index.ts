/**
 * Finds the items whose paths are above or below a path, without comparing the path with each of
 * them. A short file can have thousands of Alias lines, and thousands of sections to compare.
 */
import { addTo } from '../syntax/groups';
import { lazy } from '../syntax/memory';
import { driveOf } from './files';

/**
 * An index of items by their paths, which are normalized, as `resolvePath` returns them. An item
 * with the path '' is around every path, and in no directory.
 */
export class PathIndex<Item> {
  private readonly positionsByPath = new Map<string, number[]>();
  /** For each directory: the positions of the items in it and of the directory itself. */
  private readonly positionsByDirectory = lazy(() => {
    const positionsByDirectory = new Map<string, number[]>();
    for (const [path, positions] of this.positionsByPath)
      for (const directory of pathsAround(path))
        for (const position of positions) addTo(positionsByDirectory, directory, position);
    return positionsByDirectory;
  });

  constructor(
    private readonly items: readonly Item[],
    pathOf: (item: Item) => string,
  ) {
    for (const [position, item] of items.entries()) addTo(this.positionsByPath, keyOf(pathOf(item)), position);
  }

  /** The items whose path is `path` or a directory above it, in the order of all items. */
  itemsAround(path: string): readonly Item[] {
    return this.itemsAt(['', ...pathsAround(keyOf(path))].flatMap((around) => this.positionsByPath.get(around) ?? []));
  }

  /**
   * The items whose path is the directory or in it, in the order of all items. `directory` may end
   * in a slash.
   */
  itemsIn(directory: string): readonly Item[] {
    const key = keyOf(directory);
    let end = key.length;
    while (key[end - 1] === '/') end--;
    const positionsByDirectory = this.positionsByDirectory();
    return this.itemsAt(positionsByDirectory.get(key) ?? positionsByDirectory.get(key.slice(0, end)) ?? []);
  }

  private itemsAt(positions: readonly number[]): readonly Item[] {
    return [...positions].sort((a, b) => a - b).map((position) => this.items[position]!);
  }
}

/** A text that is equal for equal paths. On a drive, upper and lower case are equal. */
function keyOf(path: string): string {
  return driveOf(path) === '' ? path : path.toLowerCase();
}

/** The path and all directories above it, the highest first. */
function pathsAround(path: string): string[] {
  const rootLength = driveOf(path).length + 1;
  const paths = path.length >= rootLength ? [path.slice(0, rootLength)] : [];
  for (let slash = path.indexOf('/', rootLength); slash >= 0; slash = path.indexOf('/', slash + 1))
    paths.push(path.slice(0, slash));
  if (path.length > rootLength) paths.push(path);
  return paths;
}
