import type { Scope } from '../../config/configuration';
import { hasWildcard, partsOf, resolvePath } from '../../config/files';

/** The path of a `<Directory>` section without a pattern or variable; null for other scopes. */
export function directoryOf({ kind, words }: Scope, serverRoot: string): string | null {
  const [word = ''] = kind === 'directory' && words.length === 1 ? words : [];
  return word === '' || word.includes('$') || hasWildcard(word) ? null : resolvePath(serverRoot, word);
}

/** Directories in the order in which httpd merges them: the shortest path first. */
export function shortestFirst<Place extends { readonly path: string }>(places: readonly Place[]): Place[] {
  return places
    .map((place, index) => ({ place, index, depth: partsOf(place.path).length }))
    .sort((a, b) => a.depth - b.depth || a.index - b.index)
    .map(({ place }) => place);
}
