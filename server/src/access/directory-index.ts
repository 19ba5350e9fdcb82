/**
 * An index that finds items by folder: the items of all folders above or below a given folder. Its
 * cost depends on the number of results, not of items.
 */
import { hasWildcard } from '../config/files';

/** `isPattern`: whether the folder contains a wildcard. Computed if absent. */
export interface ByFolder<T> {
  /** All items, in order. */
  readonly all: readonly T[];
  around(folder: readonly string[], isPattern?: boolean): readonly T[];
  below(folder: readonly string[], isPrefix?: boolean): readonly T[];
  near(folder: readonly string[]): readonly T[];
}

/**
 * With at most this many items, each is compared. Thousands of virtual hosts have one or two
 * directories.
 */
const FEW_ITEMS = 4;

export class FolderIndex<T> implements ByFolder<T> {
  private cachedIndexes: IndexesByFolder | null = null;
  private cachedFolders: readonly (readonly string[] | null)[] | null = null;
  /** The last result of `near`. Hundreds of consecutive sections can have the same folder. */
  private lastNear: { readonly path: string; readonly found: readonly T[] } | null = null;

  /**
   * `folderOf` gives the components of an item's folder. Null, or a component with a wildcard,
   * means that the item may be in any folder.
   */
  constructor(
    readonly all: readonly T[],
    private readonly folderOf: (item: T) => readonly string[] | null,
  ) {}

  /**
   * Items of the folder and of its parent folders, and items that may be in any folder, in their
   * order.
   */
  around(folder: readonly string[], isPattern = folder.some(hasWildcard)): readonly T[] {
    if (isPattern || this.all.length === 0) return this.all;
    if (this.all.length <= FEW_ITEMS) return this.itemsCompared((own) => isAround(own, folder));
    const { paths } = this;
    return this.inOrder([...paths.anyFolder, ...paths.upwards(folder)]);
  }

  /** The items that fulfil the test, and items that may be in any folder. Compares each item. */
  private itemsCompared(isFound: (own: readonly string[]) => boolean): readonly T[] {
    const { folders } = this;
    return this.all.filter((_, index) => {
      const own = folders[index]!;
      return own === null || isFound(own);
    });
  }

  /** The folder of each item. Null if the item may be in any folder. */
  private get folders(): readonly (readonly string[] | null)[] {
    return (this.cachedFolders ??= this.all.map((item) => {
      const own = this.folderOf(item);
      return own === null || own.some(hasWildcard) ? null : own;
    }));
  }

  /**
   * Items of the folder and of folders below it, and items that may be in any folder. With
   * `isPrefix`, the last component is only the beginning of a name.
   */
  below(folder: readonly string[], isPrefix = false): readonly T[] {
    if (folder.length === 0 || this.all.length === 0 || folder.some(hasWildcard)) return this.all;
    const path = folder.join('/');
    if (this.all.length <= FEW_ITEMS)
      return this.itemsCompared((own) => (isPrefix ? own.join('/').startsWith(path) : isAround(folder, own)));
    const { paths } = this;
    // "0" follows "/" in the order of characters.
    const found = isPrefix
      ? paths.between(path, `${path}\uffff`)
      : [...paths.at(path), ...paths.between(`${path}/`, `${path}0`)];
    return this.inOrder([...paths.anyFolder, ...found]);
  }

  /**
   * Items of parent folders and of folders below. The last component of `folder` is only the
   * beginning of a name.
   */
  near(folder: readonly string[]): readonly T[] {
    if (folder.length === 0 || this.all.length === 0 || folder.some(hasWildcard)) return this.all;
    const path = folder.join('/');
    if (this.all.length <= FEW_ITEMS)
      return this.itemsCompared((own) => isAround(own, folder) || own.join('/').startsWith(path));
    const { paths } = this;
    if (this.lastNear?.path === path) return this.lastNear.found;
    const found = this.inOrder([
      ...new Set([...paths.anyFolder, ...paths.upwards(folder), ...paths.between(path, `${path}\uffff`)]),
    ]);
    this.lastNear = { path, found };
    return found;
  }

  private get paths(): IndexesByFolder {
    return (this.cachedIndexes ??= new IndexesByFolder(this.all.map((item) => this.folderOf(item))));
  }

  private inOrder(indices: number[]): T[] {
    return indices.sort((a, b) => a - b).map((index) => this.all[index]!);
  }
}

/** Whether a folder equals the other one, or is a parent folder of it. */
function isAround(folder: readonly string[], other: readonly string[]): boolean {
  if (folder.length > other.length) return false;
  for (let i = folder.length - 1; i >= 0; i--) if (folder[i] !== other[i]) return false;
  return true;
}

/** Indexes of items by the paths of their folders. */
class IndexesByFolder {
  readonly anyFolder: number[] = [];
  private readonly byPath = new Map<string, number[]>();
  /** Depths of the folders that have items, except `/`. */
  private readonly depths: readonly number[];
  private sortedPaths: readonly string[] | null = null;

  constructor(folders: readonly (readonly string[] | null)[]) {
    const depths = new Set<number>();
    folders.forEach((folder, index) => {
      const path = folder?.join('/');
      if (folder === null || path === undefined || hasWildcard(path)) return void this.anyFolder.push(index);
      if (folder.length > 0) depths.add(folder.length);
      const known = this.byPath.get(path);
      if (known) known.push(index);
      else this.byPath.set(path, [index]);
    });
    this.depths = [...depths].sort((a, b) => a - b);
  }

  at(path: string): readonly number[] {
    return this.byPath.get(path) ?? [];
  }

  upwards(folder: readonly string[]): number[] {
    // A path can have thousands of components. Only depths with items are looked up.
    const found = [...this.at('')];
    let path = '';
    let joined = 0;
    for (const depth of this.depths) {
      if (depth > folder.length) break;
      for (; joined < depth; joined++) path += joined === 0 ? folder[0]! : `/${folder[joined]!}`;
      for (const index of this.at(path)) found.push(index);
    }
    return found;
  }

  between(from: string, to: string): number[] {
    const found: number[] = [];
    for (let i = this.firstFrom(from); i < this.inOrder.length && byCode(this.inOrder[i]!, to) < 0; i++)
      for (const index of this.at(this.inOrder[i]!)) found.push(index);
    return found;
  }

  /** Sorted on first use, by a query for folders below. */
  private get inOrder(): readonly string[] {
    return (this.sortedPaths ??= [...this.byPath.keys()].sort(byCode));
  }

  private firstFrom(path: string): number {
    let low = 0;
    let high = this.inOrder.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (byCode(this.inOrder[middle]!, path) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * Joins two indexes: a few items of one virtual host, and many that all hosts share. Building it
 * costs only the few.
 */
export class LayeredIndex<T> implements ByFolder<T> {
  private cachedAll: readonly T[] | null = null;

  /** Both layers are in the order of `compare`. */
  constructor(
    private readonly shared: ByFolder<T>,
    private readonly own: ByFolder<T>,
    private readonly compare: (a: T, b: T) => number,
  ) {}

  get all(): readonly T[] {
    return (this.cachedAll ??= this.merged(this.shared.all, this.own.all));
  }

  around(folder: readonly string[], isPattern = folder.some(hasWildcard)): readonly T[] {
    return this.merged(this.shared.around(folder, isPattern), this.own.around(folder, isPattern));
  }

  below(folder: readonly string[], isPrefix = false): readonly T[] {
    return this.merged(this.shared.below(folder, isPrefix), this.own.below(folder, isPrefix));
  }

  near(folder: readonly string[]): readonly T[] {
    return this.merged(this.shared.near(folder), this.own.near(folder));
  }

  private merged(shared: readonly T[], own: readonly T[]): readonly T[] {
    if (own.length === 0) return shared;
    if (shared.length === 0) return own;
    return merged(shared, own, this.compare);
  }
}

/** Merges two ordered lists. Of equal items, those of `first` come first. */
export function merged<T>(first: readonly T[], second: readonly T[], compare: (a: T, b: T) => number): T[] {
  const all: T[] = [];
  let next = 0;
  for (const each of first) {
    while (next < second.length && compare(second[next]!, each) < 0) all.push(second[next++]!);
    all.push(each);
  }
  while (next < second.length) all.push(second[next++]!);
  return all;
}

function byCode(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
