import type { ConfigLine, Scope } from '../../config/configuration';
import { parentFolders, hasWildcard, isWithin, pathComponents, resolvePath } from '../../config/files';

/** The path of a `<Directory>` section without a pattern or variable; null for other scopes. */
export function directoryOf({ kind, words }: Scope, serverRoot: string): string | null {
  const [word = ''] = kind === 'directory' && words.length === 1 ? words : [];
  return word === '' || word.includes('$') || hasWildcard(word) ? null : resolvePath(serverRoot, word);
}

/**
 * Whether a section is certainly active, and so is each of its lines for which `counts` returns
 * true. Such a line must also be directly in the section: not in an inner section, a condition, a
 * macro or an included file.
 */
export function isCertainAndPlain({ lines, activity, file }: Scope, isCounted: (at: ConfigLine) => boolean): boolean {
  return (
    activity === 'active' &&
    lines
      .filter(isCounted)
      .every(
        (at) =>
          at.activity === 'active' &&
          at.enclosingSections.length === 0 &&
          at.conditionals.length === 0 &&
          !at.macro &&
          at.file === file,
      )
  );
}

/** Sections or files of directories (`Place`), sorted to find quickly those for a directory. */
export class Directories<Place extends { readonly path: string }> {
  /** The places in the order in which httpd merges them: the shortest path first. */
  readonly placesInOrder: readonly Place[];
  private readonly placesByPath = new Map<string, Place[]>();

  constructor(places: readonly Place[]) {
    this.placesInOrder = places
      .map((place, index) => ({ place, index, depth: pathComponents(place.path).length }))
      .sort((a, b) => a.depth - b.depth || a.index - b.index)
      .map(({ place }) => place);
    for (const place of this.placesInOrder) {
      const placesAtPath = this.placesByPath.get(keyOf(place.path));
      if (placesAtPath) placesAtPath.push(place);
      else this.placesByPath.set(keyOf(place.path), [place]);
    }
  }

  /**
   * The places of a directory and of the directories around it, in the order of `placesInOrder`.
   */
  placesAround(path: string): readonly Place[] {
    return [...parentFolders(path), path]
      .flatMap((folder) => this.placesByPath.get(keyOf(folder)) ?? [])
      .filter((place) => isWithin(path, place.path));
  }
}

/**
 * The key of a path in `placesByPath`. It is in lower case, because paths on a drive of Windows
 * ignore case.
 */
function keyOf(path: string): string {
  return path.toLowerCase();
}
