/** Things that belong to folders, found by a folder without looking at all of them: what is around it, and what is below. */
import { hasWildcard } from '../config/files';

export class FolderIndex<T> {
  private readonly byPath = new Map<string, number[]>();
  private readonly anywhere: number[] = [];
  private readonly paths: readonly string[];

  /** `folderOf` gives a folder's components; null, or a wildcard among them, for what may be anywhere. */
  constructor(readonly all: readonly T[], folderOf: (item: T) => readonly string[] | null) {
    all.forEach((item, index) => {
      const folder = folderOf(item);
      if (folder === null || folder.some(hasWildcard)) return void this.anywhere.push(index);
      const path = folder.join('/');
      const known = this.byPath.get(path);
      if (known) known.push(index);
      else this.byPath.set(path, [index]);
    });
    this.paths = [...this.byPath.keys()].sort(byCode);
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
    const found = isPrefix ? this.between(path, `${path}\uffff`) : [...(this.byPath.get(path) ?? []), ...this.between(`${path}/`, `${path}0`)];
    return this.inOrder([...this.anywhere, ...found]);
  }

  /** What is around or below, the folder being a prefix. */
  near(folder: readonly string[]): readonly T[] {
    if (folder.some(hasWildcard) || folder.length === 0) return this.all;
    const path = folder.join('/');
    return this.inOrder([...new Set([...this.anywhere, ...this.upwards(folder), ...this.between(path, `${path}\uffff`)])]);
  }

  private upwards(folder: readonly string[]): number[] {
    const paths = folder.map((_, depth) => folder.slice(0, depth + 1).join('/'));
    return ['', ...paths].flatMap((path) => this.byPath.get(path) ?? []);
  }

  private between(from: string, to: string): number[] {
    const found: number[] = [];
    for (let i = this.firstFrom(from); i < this.paths.length && byCode(this.paths[i]!, to) < 0; i++) found.push(...this.byPath.get(this.paths[i]!)!);
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

function byCode(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
