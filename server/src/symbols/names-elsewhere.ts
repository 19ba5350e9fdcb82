/** What the other files of a configuration define and say: those that are open as they are now, the others by the index. */
import { isExact, type DefinitionKind } from './definitions';
import { NOTHING_SAID, type FileNames, type TopLine } from './names-of-file';
import { placeOf, placesIn, type NameIndex, type Place } from './name-index';

export interface Elsewhere {
  /** Names of a kind, each with a place that defines it. */
  names(kind: DefinitionKind): ReadonlyMap<string, Place>;
  /** The places that define a name. */
  places(kind: DefinitionKind, name: string): readonly Place[];
  /** The lines of a directive at the top level of files; null where there are too many to be looked at. */
  topLines(name: string): readonly { readonly path: string; readonly lines: readonly TopLine[] }[] | null;
  /** What one of the files says. */
  file(path: string): FileNames;
  /** Whether some file says AllowOverride; null where nobody knows. */
  overrides(): boolean | null;
}

export interface ElsewhereOptions {
  readonly index: NameIndex;
  /** Whether a file belongs to the configuration; the one that is asked about does not count as another. */
  readonly counts: (path: string) => boolean;
  /** The open files of it, by path. */
  readonly open: ReadonlyMap<string, FileNames>;
}

export function elsewhereIn({ index, counts, open }: ElsewhereOptions): Elsewhere {
  const isClosed = (path: string) => !open.has(path) && counts(path);
  return {
    names(kind) {
      const names = new Map<string, Place>();
      for (const [path, { defined }] of open) {
        for (const named of defined)
          if (named.kind === kind && names.size < MAX_NAMES && !names.has(named.name))
            names.set(named.name, placeOf(path, named));
      }
      for (const [name, place] of index.names(kind, isClosed, MAX_NAMES - names.size))
        if (!names.has(name)) names.set(name, place);
      return names;
    },
    places(kind, name) {
      const found = [...open].flatMap(([path, names]) => placesIn(path, names, kind, name.toLowerCase()));
      found.push(...index.places(kind, name, isClosed, MAX_PLACES));
      return isExact(kind) ? found.filter((each) => each.name === name) : found;
    },
    topLines(name) {
      const closed = index.topLines(name, isClosed);
      if (!closed) return null;
      const opened = [...open].flatMap(([path, { top }]) => (top.has(name) ? [{ path, lines: top.get(name)! }] : []));
      return [...opened, ...closed];
    },
    file: (path) => open.get(path) ?? index.file(path) ?? NOTHING_SAID,
    overrides() {
      return [...open.values()].some(({ overrides }) => overrides) || index.overrides(isClosed);
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** Nobody picks from more. */
const MAX_NAMES = 200;
const MAX_PLACES = 50;
