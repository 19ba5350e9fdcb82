/**
 * The names of the other files of a configuration: open files from their current text, the others
 * from the index.
 */
import { isExact, type DefinitionKind } from './definitions';
import { NOTHING_SAID, type FileNames, type TopLine } from './names-of-file';
import { placeOf, placesIn, type NameIndex, type Place } from './name-index';

/** What the other files of a configuration define, for a file that is analyzed. */
export interface Elsewhere {
  /** Names of a kind, each with a place that defines it. */
  names(kind: DefinitionKind): ReadonlyMap<string, Place>;
  /** The places that define a name. */
  places(kind: DefinitionKind, name: string): readonly Place[];
  /** The lines of a directive at the top level of files; null if there are too many files. */
  topLines(name: string): readonly { readonly path: string; readonly lines: readonly TopLine[] }[] | null;
  /** The names of one of the files. */
  file(path: string): FileNames;
  /** Whether a file has AllowOverride; null if unknown. */
  overrides(): boolean | null;
}

export interface ElsewhereOptions {
  readonly index: NameIndex;
  /** Whether a file belongs to the configuration; false for the file in question itself. */
  readonly counts: (path: string) => boolean;
  /** The open files of the configuration, by path. */
  readonly open: ReadonlyMap<string, FileNames>;
}

/** Answers from the open files and, for all others, from the index of names. */
export function elsewhereIn({ index, counts, open }: ElsewhereOptions): Elsewhere {
  const isClosed = (path: string) => !open.has(path) && counts(path);
  return {
    names(kind) {
      const names = new Map<string, Place>();
      for (const [path, { defined }] of open) {
        for (const definedName of defined)
          if (definedName.kind === kind && names.size < MAX_NAMES && !names.has(definedName.name))
            names.set(definedName.name, placeOf(path, definedName));
      }
      for (const [name, place] of index.names(kind, isClosed, MAX_NAMES - names.size))
        if (!names.has(name)) names.set(name, place);
      return names;
    },
    places(kind, name) {
      const places = [...open].flatMap(([path, names]) => placesIn(path, names, kind, name.toLowerCase()));
      places.push(...index.places(kind, name, isClosed, MAX_PLACES));
      return isExact(kind) ? places.filter((each) => each.name === name) : places;
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

/** Limit for names; a longer list is of no use. */
const MAX_NAMES = 200;
const MAX_PLACES = 50;
