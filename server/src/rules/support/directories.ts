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
export function isCertainAndPlain({ lines, activity, file }: Scope, counts: (at: ConfigLine) => boolean): boolean {
  return (
    activity === 'active' &&
    lines
      .filter(counts)
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

/** Sections and files for directories. Quickly finds those that apply to a directory. */
export class Directories<Place extends { readonly path: string }> {
  /** The places in the order in which httpd merges them: the shortest path first. */
  readonly inOrder: readonly Place[];
  private readonly byPath = new Map<string, Place[]>();

  constructor(places: readonly Place[]) {
    this.inOrder = places
      .map((place, index) => ({ place, index, depth: pathComponents(place.path).length }))
      .sort((a, b) => a.depth - b.depth || a.index - b.index)
      .map(({ place }) => place);
    for (const place of this.inOrder) {
      const placesAtPath = this.byPath.get(keyOf(place.path));
      if (placesAtPath) placesAtPath.push(place);
      else this.byPath.set(keyOf(place.path), [place]);
    }
  }

  /** The places for a directory and for the directories around it, in their order. */
  placesAround(path: string): readonly Place[] {
    return [...parentFolders(path), path]
      .flatMap((folder) => this.byPath.get(keyOf(folder)) ?? [])
      .filter((place) => isWithin(path, place.path));
  }
}

/**
 * The key of a path in `byPath`. It is in lower case, because paths on a drive of Windows ignore
 * case.
 */
function keyOf(path: string): string {
  return path.toLowerCase();
}
