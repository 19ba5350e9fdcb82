/**
 * An index that finds items by folder: the items of all folders above or below a given folder. Its
 * cost depends on the number of results, not of items.
 */
import { hasWildcard } from '../config/files';

/**
 * Finds items by their folder. `isPattern`: whether the folder contains a wildcard; computed if
 * absent.
 */
export interface ItemsByFolder<T> {
  /** All items, in order. */
  readonly allItems: readonly T[];
  itemsAround(folder: readonly string[], isPattern?: boolean): readonly T[];
  itemsBelow(folder: readonly string[], isPrefix?: boolean): readonly T[];
  aroundOrBelow(folder: readonly string[]): readonly T[];
}

/**
 * Up to this many items, each item is compared and no index is made. Thousands of virtual hosts
 * have only one or two directories.
 */
const MAX_ITEMS_WITHOUT_INDEX = 4;

export class FolderIndex<T> implements ItemsByFolder<T> {
  private cachedIndexes: IndexesByFolder | null = null;
  private cachedFolders: readonly (readonly string[] | null)[] | null = null;
  /**
   * The last result of `aroundOrBelow`, because hundreds of consecutive sections can have the same
   * folder.
   */
  private lastAroundOrBelow: { readonly path: string; readonly foundItems: readonly T[] } | null = null;

  /**
   * `folderOf` gives the components of an item's folder. Null, or a component with a wildcard,
   * means that the item may be in any folder.
   */
  constructor(
    readonly allItems: readonly T[],
    private readonly folderOf: (item: T) => readonly string[] | null,
  ) {}

  /**
   * Items of the folder and of its parent folders, and items that may be in any folder, in their
   * order.
   */
  itemsAround(folder: readonly string[], isPattern = folder.some(hasWildcard)): readonly T[] {
    if (isPattern || this.allItems.length === 0) return this.allItems;
    if (this.allItems.length <= MAX_ITEMS_WITHOUT_INDEX)
      return this.itemsCompared((own) => isSameOrParent(own, folder));
    const { paths } = this;
    return this.inOrder([...paths.anyFolder, ...paths.indexesAround(folder)]);
  }

  /** The items that fulfil the test, and items that may be in any folder. Compares each item. */
  private itemsCompared(isFound: (own: readonly string[]) => boolean): readonly T[] {
    const { folders } = this;
    return this.allItems.filter((_, index) => {
      const own = folders[index]!;
      return own === null || isFound(own);
    });
  }

  /**
   * The path of each item's folder, as a list of names. Null if the item may be in any folder.
   */
  private get folders(): readonly (readonly string[] | null)[] {
    return (this.cachedFolders ??= this.allItems.map((item) => {
      const own = this.folderOf(item);
      return own === null || own.some(hasWildcard) ? null : own;
    }));
  }

  /**
   * Items of the folder and of folders below it, and items that may be in any folder. With
   * `isPrefix`, the last component is only the beginning of a name.
   */
  itemsBelow(folder: readonly string[], isPrefix = false): readonly T[] {
    if (folder.length === 0 || this.allItems.length === 0 || folder.some(hasWildcard)) return this.allItems;
    if (this.allItems.length <= MAX_ITEMS_WITHOUT_INDEX)
      return this.itemsCompared((own) =>
        isPrefix ? own.join('/').startsWith(folder.join('/')) : isSameOrParent(folder, own),
      );
    const path = folder.join('/');
    const { paths } = this;
    // "0" is the character after "/", so it ends the range of paths below the folder.
    const found = isPrefix
      ? paths.indexesBetween(path, `${path}\uffff`)
      : [...paths.indexesAt(path), ...paths.indexesBetween(`${path}/`, `${path}0`)];
    return this.inOrder([...paths.anyFolder, ...found]);
  }

  /**
   * Items of parent folders and of folders below. The last component of `folder` is only the
   * beginning of a name.
   */
  aroundOrBelow(folder: readonly string[]): readonly T[] {
    if (folder.length === 0 || this.allItems.length === 0 || folder.some(hasWildcard)) return this.allItems;
    const path = folder.join('/');
    if (this.allItems.length <= MAX_ITEMS_WITHOUT_INDEX)
      return this.itemsCompared((own) => isSameOrParent(own, folder) || own.join('/').startsWith(path));
    const { paths } = this;
    if (this.lastAroundOrBelow?.path === path) return this.lastAroundOrBelow.foundItems;
    const foundItems = this.inOrder([
      ...new Set([...paths.anyFolder, ...paths.indexesAround(folder), ...paths.indexesBetween(path, `${path}\uffff`)]),
    ]);
    this.lastAroundOrBelow = { path, foundItems };
    return foundItems;
  }

  private get paths(): IndexesByFolder {
    return (this.cachedIndexes ??= new IndexesByFolder(this.allItems.map((item) => this.folderOf(item))));
  }

  private inOrder(indices: number[]): T[] {
    return indices.sort((a, b) => a - b).map((index) => this.allItems[index]!);
  }
}

/** Whether `folder` is `other` or a parent folder of it. */
function isSameOrParent(folder: readonly string[], other: readonly string[]): boolean {
  if (folder.length > other.length) return false;
  for (let i = folder.length - 1; i >= 0; i--) if (folder[i] !== other[i]) return false;
  return true;
}

/** Indexes of items by the paths of their folders. */
class IndexesByFolder {
  readonly anyFolder: number[] = [];
  private readonly byPath = new Map<string, number[]>();
  /** Depths of the folders that have items, except `/`. */
  private readonly folderDepths: readonly number[];
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
    this.folderDepths = [...depths].sort((a, b) => a - b);
  }

  indexesAt(path: string): readonly number[] {
    return this.byPath.get(path) ?? [];
  }

  indexesAround(folder: readonly string[]): number[] {
    // A path can have thousands of components. Only depths with items are looked up.
    const found = [...this.indexesAt('')];
    let path = '';
    let joined = 0;
    for (const depth of this.folderDepths) {
      if (depth > folder.length) break;
      for (; joined < depth; joined++) path += joined === 0 ? folder[0]! : `/${folder[joined]!}`;
      for (const index of this.indexesAt(path)) found.push(index);
    }
    return found;
  }

  indexesBetween(from: string, to: string): number[] {
    const found: number[] = [];
    for (let i = this.firstFrom(from); i < this.inOrder.length && compareCodes(this.inOrder[i]!, to) < 0; i++)
      for (const index of this.indexesAt(this.inOrder[i]!)) found.push(index);
    return found;
  }

  /** The paths in order. They are sorted at the first query for folders below. */
  private get inOrder(): readonly string[] {
    return (this.sortedPaths ??= [...this.byPath.keys()].sort(compareCodes));
  }

  private firstFrom(path: string): number {
    let low = 0;
    let high = this.inOrder.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareCodes(this.inOrder[middle]!, path) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * Joins two indexes: a few items of one virtual host, and many that all hosts share. Building it
 * costs only the few.
 */
export class LayeredIndex<T> implements ItemsByFolder<T> {
  private cachedAll: readonly T[] | null = null;

  /** Both layers are in the order of `compareItems`. */
  constructor(
    private readonly sharedItems: ItemsByFolder<T>,
    private readonly ownItems: ItemsByFolder<T>,
    private readonly compareItems: (a: T, b: T) => number,
  ) {}

  get allItems(): readonly T[] {
    return (this.cachedAll ??= this.mergedItems(this.sharedItems.allItems, this.ownItems.allItems));
  }

  itemsAround(folder: readonly string[], isPattern = folder.some(hasWildcard)): readonly T[] {
    return this.mergedItems(
      this.sharedItems.itemsAround(folder, isPattern),
      this.ownItems.itemsAround(folder, isPattern),
    );
  }

  itemsBelow(folder: readonly string[], isPrefix = false): readonly T[] {
    return this.mergedItems(this.sharedItems.itemsBelow(folder, isPrefix), this.ownItems.itemsBelow(folder, isPrefix));
  }

  aroundOrBelow(folder: readonly string[]): readonly T[] {
    return this.mergedItems(this.sharedItems.aroundOrBelow(folder), this.ownItems.aroundOrBelow(folder));
  }

  private mergedItems(shared: readonly T[], own: readonly T[]): readonly T[] {
    if (own.length === 0) return shared;
    if (shared.length === 0) return own;
    return merged(shared, own, this.compareItems);
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

function compareCodes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
