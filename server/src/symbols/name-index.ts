/**
 * The names of all files of a workspace, indexed by name, so that a search for one name reads only
 * the files that have it. Updated file by file. The caller decides which files count for its
 * search.
 */
import { counters } from '../syntax/memory';
import type { DefinitionKind } from './definitions';
import type { FileNames, NamedLine, TopLine } from './names-of-file';

/** Counter for tests: how many files searches have read since the start of the program. */
export const searchCounts = counters({ files: 0 });

/** The place where a name is defined. */
export interface DefinitionPlace {
  /** The path, with symbolic links resolved. */
  readonly path: string;
  /** The number of the line, 0-based. */
  readonly row: number;
  /** The name as written in the line. */
  readonly name: string;
  readonly value: string;
}

/** Whether a file belongs to the configuration for which names are searched. */
export type IsInConfiguration = (path: string) => boolean;

/** The index of the names in files. */
export class NameIndex {
  private readonly namesByPath = new Map<string, FileNames>();
  /** The paths of the files that define a name, by kind and by name in lower case. */
  private readonly filesByName = new Map<DefinitionKind, Map<string, Set<string>>>();
  /** The paths of the files that have a directive at their top level. */
  private readonly filesByTopDirective = new Map<string, Set<string>>();
  private readonly filesWithOverride = new Set<string>();

  /** Sets the current names of a file; null if the file does not exist any more. */
  set(path: string, names: FileNames | null): void {
    const namesBefore = this.namesByPath.get(path);
    if (namesBefore) this.removeNamesOf(path, namesBefore);
    if (!names || (names.definingLines.length === 0 && names.topLines.size === 0 && !names.hasOverride)) return;
    this.namesByPath.set(path, names);
    for (const { kind, name } of names.definingLines) addPathOfName(this.filesOfKind(kind), name.toLowerCase(), path);
    for (const name of names.topLines.keys()) addPathOfName(this.filesByTopDirective, name, path);
    if (names.hasOverride) this.filesWithOverride.add(path);
  }

  /** The names of a file; undefined if the file has none. */
  namesOfFile(path: string): FileNames | undefined {
    return this.namesByPath.get(path);
  }

  /** The names of a kind, at most `maxCount`, each with one of the places that define it. */
  namesOfKind(
    kind: DefinitionKind,
    isInConfiguration: IsInConfiguration,
    maxCount: number,
  ): ReadonlyMap<string, DefinitionPlace> {
    const placeByName = new Map<string, DefinitionPlace>();
    let filesLeft = MAX_FILES_PER_SEARCH;
    for (const [name, paths] of this.filesOfKind(kind)) {
      if (placeByName.size >= maxCount || filesLeft <= 0) break;
      for (const path of paths) {
        searchCounts.files++;
        if (filesLeft-- <= 0) break;
        if (!isInConfiguration(path)) continue;
        const definedName = this.namesByPath
          .get(path)!
          .definingLines.find((each) => each.kind === kind && each.name.toLowerCase() === name);
        if (definedName) placeByName.set(definedName.name, definitionPlaceOf(path, definedName));
        break;
      }
    }
    return placeByName;
  }

  /** The places that define a name, ignoring case, file by file. */
  placesDefining(
    kind: DefinitionKind,
    name: string,
    isInConfiguration: IsInConfiguration,
    maxCount: number,
  ): DefinitionPlace[] {
    const lowerName = name.toLowerCase();
    const places: DefinitionPlace[] = [];
    let filesLeft = MAX_FILES_PER_SEARCH;
    for (const path of this.filesOfKind(kind).get(lowerName) ?? []) {
      searchCounts.files++;
      if (places.length >= maxCount || filesLeft-- <= 0) break;
      if (isInConfiguration(path))
        for (const place of placesIn(path, this.namesByPath.get(path)!, kind, lowerName)) places.push(place);
    }
    return places;
  }

  /** The lines of a directive at the top level of files; null if there are too many files. */
  topLines(
    name: string,
    isInConfiguration: IsInConfiguration,
  ): readonly { readonly path: string; readonly lines: readonly TopLine[] }[] | null {
    const paths = this.filesByTopDirective.get(name);
    if (!paths) return [];
    if (paths.size > MAX_TOP_FILES) return null;
    const files = [];
    for (const path of paths) {
      searchCounts.files++;
      if (isInConfiguration(path)) files.push({ path, lines: this.namesByPath.get(path)!.topLines.get(name)! });
    }
    return files;
  }

  /** Whether one of the files has AllowOverride; null if there are too many files to find out. */
  hasOverrideLine(isInConfiguration: IsInConfiguration): boolean | null {
    let filesLeft = MAX_FILES_PER_SEARCH;
    for (const path of this.filesWithOverride) {
      searchCounts.files++;
      if (isInConfiguration(path)) return true;
      if (filesLeft-- <= 0) return null;
    }
    return false;
  }

  /** Removes a file from the index. */
  private removeNamesOf(path: string, names: FileNames): void {
    this.namesByPath.delete(path);
    for (const { kind, name } of names.definingLines)
      removePathOfName(this.filesOfKind(kind), name.toLowerCase(), path);
    for (const name of names.topLines.keys()) removePathOfName(this.filesByTopDirective, name, path);
    this.filesWithOverride.delete(path);
  }

  /** The paths of files by the names of this kind that they define. */
  private filesOfKind(kind: DefinitionKind): Map<string, Set<string>> {
    let names = this.filesByName.get(kind);
    if (!names) this.filesByName.set(kind, (names = new Map()));
    return names;
  }
}

/** The places in a file that define a name. `lowerName`: the name in lower case. */
export function placesIn(
  path: string,
  { definingLines }: { readonly definingLines: readonly NamedLine[] },
  kind: DefinitionKind,
  lowerName: string,
): DefinitionPlace[] {
  return definingLines
    .filter((each) => each.kind === kind && each.name.toLowerCase() === lowerName)
    .map((each) => definitionPlaceOf(path, each));
}

// ---------------------------------------------------------------------------------------------------------------------

/** The place of a line that defines a name, in the file at `path`. */
export function definitionPlaceOf(path: string, { name, row, value }: NamedLine): DefinitionPlace {
  return { path, row, name, value };
}

/** Maximum number of files that one search reads. Such a search takes about a millisecond. */
const MAX_FILES_PER_SEARCH = 5000;

/**
 * Maximum number of files that have one directive at their top level. Files of virtual hosts do not
 * count, because they have the directive inside a section.
 */
const MAX_TOP_FILES = 200;

/** Adds a path to those of a name. */
function addPathOfName(names: Map<string, Set<string>>, name: string, path: string): void {
  const paths = names.get(name);
  if (paths) paths.add(path);
  else names.set(name, new Set([path]));
}

/** Removes a path from those of a name. */
function removePathOfName(names: Map<string, Set<string>>, name: string, path: string): void {
  const paths = names.get(name);
  paths?.delete(path);
  if (paths?.size === 0) names.delete(name);
}
