/**
 * The names in the other files of a configuration. The names in open files come from their current
 * text, the names in all other files from the index.
 */
import { isCaseSensitive, type DefinitionKind } from './definitions';
import { NO_FILE_NAMES, type FileNames, type TopLine } from './names-of-file';
import { definitionPlaceOf, placesIn, type NameIndex, type DefinitionPlace } from './name-index';

/** What the other files of a configuration define, for a file that is analyzed. */
export interface NamesInOtherFiles {
  /** Names of a kind, each with a place that defines it. */
  namesOfKind(kind: DefinitionKind): ReadonlyMap<string, DefinitionPlace>;
  /** The places that define a name. */
  placesDefining(kind: DefinitionKind, name: string): readonly DefinitionPlace[];
  /** The lines of a directive at the top level of files; null if there are too many files. */
  topLines(name: string): readonly { readonly path: string; readonly lines: readonly TopLine[] }[] | null;
  /** The names in one of the other files. */
  namesOfFile(path: string): FileNames;
  /** Whether one of the other files has AllowOverride; null if unknown. */
  hasOverrideLine(): boolean | null;
}

/** Which files count as the other files of a configuration. */
export interface OtherFilesOptions {
  readonly index: NameIndex;
  /** Whether a file belongs to the configuration; false for the file in question itself. */
  readonly isInConfiguration: (path: string) => boolean;
  /** The open files of the configuration, by path. */
  readonly openFiles: ReadonlyMap<string, FileNames>;
}

/** Looks up names in the open files and, for all other files, in the index. */
export function namesInOtherFiles({ index, isInConfiguration, openFiles }: OtherFilesOptions): NamesInOtherFiles {
  const isClosed = (path: string) => !openFiles.has(path) && isInConfiguration(path);
  return {
    namesOfKind(kind) {
      const placeByName = new Map<string, DefinitionPlace>();
      for (const [path, { definingLines }] of openFiles) {
        for (const definedName of definingLines)
          if (definedName.kind === kind && placeByName.size < MAX_NAMES && !placeByName.has(definedName.name))
            placeByName.set(definedName.name, definitionPlaceOf(path, definedName));
      }
      for (const [name, place] of index.namesOfKind(kind, isClosed, MAX_NAMES - placeByName.size))
        if (!placeByName.has(name)) placeByName.set(name, place);
      return placeByName;
    },
    placesDefining(kind, name) {
      const places = [...openFiles].flatMap(([path, names]) => placesIn(path, names, kind, name.toLowerCase()));
      places.push(...index.placesDefining(kind, name, isClosed, MAX_PLACES));
      return isCaseSensitive(kind) ? places.filter((each) => each.name === name) : places;
    },
    topLines(name) {
      const closedFiles = index.topLines(name, isClosed);
      if (!closedFiles) return null;
      const openDocuments = [...openFiles].flatMap(([path, { topLines }]) =>
        topLines.has(name) ? [{ path, lines: topLines.get(name)! }] : [],
      );
      return [...openDocuments, ...closedFiles];
    },
    namesOfFile: (path) => openFiles.get(path) ?? index.namesOfFile(path) ?? NO_FILE_NAMES,
    hasOverrideLine() {
      return [...openFiles.values()].some(({ hasOverride }) => hasOverride) || index.hasOverrideLine(isClosed);
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** Maximum number of names: no user reads a longer list. */
const MAX_NAMES = 200;
/** Maximum number of places in files that are not open. */
const MAX_PLACES = 50;
