/** Things that belong to folders, found by a folder without looking at all of them: what is around it, and what is below. */
import { hasWildcard } from '../config/files';

/** What can be asked about folders. */
export interface ByFolder<T> {
  /** Everything, in order. */
  readonly all: readonly T[];
  around(folder: readonly string[]): readonly T[];
  below(folder: readonly string[], isPrefix?: boolean): readonly T[];
  near(folder: readonly string[]): readonly T[];
}

export class FolderIndex<T> implements ByFolder<T> {
  private readonly byPath = new Map<string, number[]>();
  private readonly anywhere: number[] = [];
  private readonly paths: readonly string[];
  /** Of the folders that something belongs to, but for `/`. */
  private readonly depths: readonly number[];

  /** `folderOf` gives a folder's components; null, or a wildcard among them, for what may be anywhere. */
  constructor(
    readonly all: readonly T[],
    folderOf: (item: T) => readonly string[] | null,
  ) {
    const depths = new Set<number>();
    all.forEach((item, index) => {
      const folder = folderOf(item);
      if (folder === null || folder.some(hasWildcard)) return void this.anywhere.push(index);
      const path = folder.join('/');
      if (folder.length > 0) depths.add(folder.length);
      const known = this.byPath.get(path);
      if (known) known.push(index);
      else this.byPath.set(path, [index]);
    });
    this.paths = [...this.byPath.keys()].sort(byCode);
    this.depths = [...depths].sort((a, b) => a - b);
  }

  /** What belongs to a folder or to one around it, and what may be anywhere, in the order given. */
  around(folder: readonly string[]): readonly T[] {
    return folder.some(hasWildcard) ? this.all : this.inOrder([...this.anywhere, ...this.upwards(folder)]);
  }

  /** What belongs to a folder or to one below it, and what may be anywhere; as a prefix, the folder's name may go on. */
  below(folder: readonly string[], isPrefix = false): readonly T[] {
    if (folder.some(hasWildcard) || folder.length === 0) return this.all;
    const path = folder.join('/');
    // "0" comes behind "/".
    const found = isPrefix
      ? this.between(path, `${path}\uffff`)
      : [...(this.byPath.get(path) ?? []), ...this.between(`${path}/`, `${path}0`)];
    return this.inOrder([...this.anywhere, ...found]);
  }

  /** What is around or below, the folder being a prefix. */
  near(folder: readonly string[]): readonly T[] {
    if (folder.some(hasWildcard) || folder.length === 0) return this.all;
    const path = folder.join('/');
    return this.inOrder([
      ...new Set([...this.anywhere, ...this.upwards(folder), ...this.between(path, `${path}\uffff`)]),
    ]);
  }

  private upwards(folder: readonly string[]): number[] {
    // Of a path of thousands of components, only those are looked up that something may belong to.
    const paths = this.depths
      .filter((depth) => depth <= folder.length)
      .map((depth) => folder.slice(0, depth).join('/'));
    return ['', ...paths].flatMap((path) => this.byPath.get(path) ?? []);
  }

  private between(from: string, to: string): number[] {
    const found: number[] = [];
    for (let i = this.firstFrom(from); i < this.paths.length && byCode(this.paths[i]!, to) < 0; i++)
      found.push(...this.byPath.get(this.paths[i]!)!);
    return found;
  }

  private firstFrom(path: string): number {
    let low = 0;
    let high = this.paths.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (byCode(this.paths[middle]!, path) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private inOrder(indices: number[]): T[] {
    return indices.sort((a, b) => a - b).map((index) => this.all[index]!);
  }
}

/** A few things on top of many that others share: as one index of all of them in one order, at the cost of the few. */
export class LayeredIndex<T> implements ByFolder<T> {
  private joined: readonly T[] | null = null;

  /** Both layers are in the order of `compare` themselves. */
  constructor(
    private readonly shared: ByFolder<T>,
    private readonly own: ByFolder<T>,
    private readonly compare: (a: T, b: T) => number,
  ) {}

  get all(): readonly T[] {
    return (this.joined ??= this.merged(this.shared.all, this.own.all));
  }

  around(folder: readonly string[]): readonly T[] {
    return this.merged(this.shared.around(folder), this.own.around(folder));
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

/** Two ordered lists as one; of equals, those of the first come first. */
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
