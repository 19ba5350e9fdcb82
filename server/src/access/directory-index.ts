/**
 * An index that finds items by folder: the items of the parent folders of a given folder, or of the
 * folders below it. The time depends on the number of results, not on the number of items.
 */
import { hasWildcard } from '../config/files';

/**
 * Finds items by their folder. `folder`: the names in a path. `isPattern`: whether one of them
 * contains a wildcard; if absent, it is computed. `isPrefix`: whether the last name may be only the
 * beginning of a name. `FolderIndex` describes the results.
 */
export interface ItemsByFolder<T> {
  /** All items, in order. */
  readonly allItems: readonly T[];
  itemsAround(folder: readonly string[], isPattern?: boolean): readonly T[];
  itemsBelow(folder: readonly string[], isPrefix?: boolean): readonly T[];
  itemsAroundOrBelow(folder: readonly string[]): readonly T[];
}

/**
 * With at most this many items, each item is compared and no index is made. Thousands of virtual
 * hosts have only one or two directories.
 */
const MAX_ITEMS_WITHOUT_INDEX = 4;

export class FolderIndex<T> implements ItemsByFolder<T> {
  private cachedIndexes: IndexesByFolder | null = null;
  private cachedFolders: readonly (readonly string[] | null)[] | null = null;
  /**
   * The last result of `itemsAroundOrBelow`, because hundreds of consecutive sections can have the
   * same folder. Null before the first call.
   */
  private lastQueryAroundOrBelow: { readonly path: string; readonly foundItems: readonly T[] } | null = null;

  /**
   * `folderOf` returns the names in the path of an item's folder. If it returns null, or a name
   * with a wildcard, the item may be in any folder.
   */
  constructor(
    readonly allItems: readonly T[],
    private readonly folderOf: (item: T) => readonly string[] | null,
  ) {}

  /**
   * The items that may concern a folder: those of the folder, of its parent folders, and those
   * that may be in any folder. If the folder is a pattern (`isPattern`), it may be any folder, so
   * these are all items. They keep the order of `allItems`.
   */
  itemsAround(folder: readonly string[], isPattern = folder.some(hasWildcard)): readonly T[] {
    if (isPattern || this.allItems.length === 0) return this.allItems;
    if (this.allItems.length <= MAX_ITEMS_WITHOUT_INDEX)
      return this.itemsCompared((folderOfItem) => isSameOrParent(folderOfItem, folder));
    const { indexesByFolder: paths } = this;
    return this.itemsInOrder([...paths.indexesInAnyFolder, ...paths.indexesAround(folder)]);
  }

  /** The items that fulfil the test, and items that may be in any folder. Compares each item. */
  private itemsCompared(isFound: (folderOfItem: readonly string[]) => boolean): readonly T[] {
    const { folders } = this;
    return this.allItems.filter((_, index) => {
      const folderOfItem = folders[index]!;
      return folderOfItem === null || isFound(folderOfItem);
    });
  }

  /** The folder of each item, as a list of names. Null if the item may be in any folder. */
  private get folders(): readonly (readonly string[] | null)[] {
    return (this.cachedFolders ??= this.allItems.map((item) => {
      const folderOfItem = this.folderOf(item);
      return folderOfItem === null || folderOfItem.some(hasWildcard) ? null : folderOfItem;
    }));
  }

  /**
   * Items of the folder and of folders below it, and items that may be in any folder. With
   * `isPrefix`, the last component is only the beginning of a name.
   */
  itemsBelow(folder: readonly string[], isPrefix = false): readonly T[] {
    if (folder.length === 0 || this.allItems.length === 0 || folder.some(hasWildcard)) return this.allItems;
    if (this.allItems.length <= MAX_ITEMS_WITHOUT_INDEX)
      return this.itemsCompared((folderOfItem) =>
        isPrefix ? folderOfItem.join('/').startsWith(folder.join('/')) : isSameOrParent(folder, folderOfItem),
      );
    const folderPath = folder.join('/');
    const { indexesByFolder: paths } = this;
    // "0" is the next character after "/", so all paths below the folder are between the two texts.
    const indexesOfPath = isPrefix
      ? paths.indexesBetween(folderPath, `${folderPath}\uffff`)
      : [...paths.indexesAt(folderPath), ...paths.indexesBetween(`${folderPath}/`, `${folderPath}0`)];
    return this.itemsInOrder([...paths.indexesInAnyFolder, ...indexesOfPath]);
  }

  /**
   * Items of parent folders of `folder`, items of all folders whose path begins with `folder`, and
   * items that may be in any folder. The last name of `folder` may be only the beginning of a name.
   */
  itemsAroundOrBelow(folder: readonly string[]): readonly T[] {
    if (folder.length === 0 || this.allItems.length === 0 || folder.some(hasWildcard)) return this.allItems;
    const folderPath = folder.join('/');
    if (this.allItems.length <= MAX_ITEMS_WITHOUT_INDEX)
      return this.itemsCompared(
        (folderOfItem) => isSameOrParent(folderOfItem, folder) || folderOfItem.join('/').startsWith(folderPath),
      );
    const { indexesByFolder: paths } = this;
    if (this.lastQueryAroundOrBelow?.path === folderPath) return this.lastQueryAroundOrBelow.foundItems;
    const foundItems = this.itemsInOrder([
      ...new Set([
        ...paths.indexesInAnyFolder,
        ...paths.indexesAround(folder),
        ...paths.indexesBetween(folderPath, `${folderPath}\uffff`),
      ]),
    ]);
    this.lastQueryAroundOrBelow = { path: folderPath, foundItems };
    return foundItems;
  }

  private get indexesByFolder(): IndexesByFolder {
    return (this.cachedIndexes ??= new IndexesByFolder(this.allItems.map((item) => this.folderOf(item))));
  }

  private itemsInOrder(indices: number[]): T[] {
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
  readonly indexesInAnyFolder: number[] = [];
  private readonly indexesByPath = new Map<string, number[]>();
  /** Depths of the folders that have items, except `/`. */
  private readonly folderDepths: readonly number[];
  private sortedPaths: readonly string[] | null = null;

  constructor(folders: readonly (readonly string[] | null)[]) {
    const depths = new Set<number>();
    folders.forEach((folder, index) => {
      const path = folder?.join('/');
      if (folder === null || path === undefined || hasWildcard(path)) return void this.indexesInAnyFolder.push(index);
      if (folder.length > 0) depths.add(folder.length);
      const indexesOfPath = this.indexesByPath.get(path);
      if (indexesOfPath) indexesOfPath.push(index);
      else this.indexesByPath.set(path, [index]);
    });
    this.folderDepths = [...depths].sort((a, b) => a - b);
  }

  indexesAt(path: string): readonly number[] {
    return this.indexesByPath.get(path) ?? [];
  }

  /** The indexes of the items in a folder and its parent folders. */
  indexesAround(folder: readonly string[]): number[] {
    // A path can have thousands of names. Only depths at which an item has its folder are searched.
    const foundIndexes = [...this.indexesAt('')];
    let outerPath = '';
    let joinedCount = 0;
    for (const depth of this.folderDepths) {
      if (depth > folder.length) break;
      for (; joinedCount < depth; joinedCount++)
        outerPath += joinedCount === 0 ? folder[0]! : `/${folder[joinedCount]!}`;
      for (const index of this.indexesAt(outerPath)) foundIndexes.push(index);
    }
    return foundIndexes;
  }

  /** The indexes of the items whose path is `from` or between `from` and `to` in the order. */
  indexesBetween(from: string, to: string): number[] {
    const foundIndexes: number[] = [];
    for (
      let i = this.indexOfFirstPathFrom(from);
      i < this.pathsInOrder.length && compareCodes(this.pathsInOrder[i]!, to) < 0;
      i++
    )
      for (const index of this.indexesAt(this.pathsInOrder[i]!)) foundIndexes.push(index);
    return foundIndexes;
  }

  /** All paths in order. They are sorted only when a query needs the order. */
  private get pathsInOrder(): readonly string[] {
    return (this.sortedPaths ??= [...this.indexesByPath.keys()].sort(compareCodes));
  }

  /** The index in `pathsInOrder` of the first path that is not before `path`. */
  private indexOfFirstPathFrom(path: string): number {
    let low = 0;
    let high = this.pathsInOrder.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareCodes(this.pathsInOrder[middle]!, path) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * Joins two indexes: one with the few items of a virtual host, and one with the many items that all
 * hosts share. The shared index is not copied, so this is fast.
 */
export class LayeredIndex<T> implements ItemsByFolder<T> {
  private cachedItems: readonly T[] | null = null;

  /** `compareItems`: the order of the items in both indexes, and in each result. */
  constructor(
    private readonly sharedItems: ItemsByFolder<T>,
    private readonly ownItems: ItemsByFolder<T>,
    private readonly compareItems: (a: T, b: T) => number,
  ) {}

  get allItems(): readonly T[] {
    return (this.cachedItems ??= this.mergedItems(this.sharedItems.allItems, this.ownItems.allItems));
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

  itemsAroundOrBelow(folder: readonly string[]): readonly T[] {
    return this.mergedItems(this.sharedItems.itemsAroundOrBelow(folder), this.ownItems.itemsAroundOrBelow(folder));
  }

  private mergedItems(sharedItems: readonly T[], ownItems: readonly T[]): readonly T[] {
    if (ownItems.length === 0) return sharedItems;
    if (sharedItems.length === 0) return ownItems;
    return mergeInOrder(sharedItems, ownItems, this.compareItems);
  }
}

/** Merges two ordered lists. An item of `first` comes before an equal item of `second`. */
export function mergeInOrder<T>(first: readonly T[], second: readonly T[], compare: (a: T, b: T) => number): T[] {
  const mergedItems: T[] = [];
  let nextIndexInSecond = 0;
  for (const each of first) {
    while (nextIndexInSecond < second.length && compare(second[nextIndexInSecond]!, each) < 0)
      mergedItems.push(second[nextIndexInSecond++]!);
    mergedItems.push(each);
  }
  while (nextIndexInSecond < second.length) mergedItems.push(second[nextIndexInSecond++]!);
  return mergedItems;
}

function compareCodes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
