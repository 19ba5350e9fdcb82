/**
 * The names of all files of a workspace, indexed by name: a question about one name looks only at
 * the files that have it. Updated file by file. The caller decides which files count for its
 * question.
 */
import { counters } from '../syntax/memory';
import type { DefinitionKind } from './definitions';
import type { FileNames, NamedLine, TopLine } from './names-of-file';

/** Counter for tests: files looked at for questions since the start of the program. */
export const indexCounts = counters({ looks: 0 });

/** The place where a name is defined. */
export interface DefinitionPlace {
  /** The path, with symbolic links resolved. */
  readonly path: string;
  /** 0-based. */
  readonly row: number;
  /** As written in the line. */
  readonly name: string;
  readonly value: string;
}

/** Whether a file belongs to the configuration for which names are searched. */
export type IsInConfiguration = (path: string) => boolean;

export class NameIndex {
  private readonly files = new Map<string, FileNames>();
  private readonly filesByName = new Map<DefinitionKind, Map<string, Set<string>>>();
  private readonly filesByTopDirective = new Map<string, Set<string>>();
  private readonly filesWithOverride = new Set<string>();

  /** Sets the current names of a file; null if the file does not exist any more. */
  set(path: string, names: FileNames | null): void {
    const before = this.files.get(path);
    if (before) this.remove(path, before);
    if (!names || (names.defined.length === 0 && names.topLines.size === 0 && !names.hasOverride)) return;
    this.files.set(path, names);
    for (const { kind, name } of names.defined) addName(this.filesOfKind(kind), name.toLowerCase(), path);
    for (const name of names.topLines.keys()) addName(this.filesByTopDirective, name, path);
    if (names.hasOverride) this.filesWithOverride.add(path);
  }

  /** The names of a file; undefined if it has none. */
  namesOfFile(path: string): FileNames | undefined {
    return this.files.get(path);
  }

  /** The names of a kind, at most `most`. Each has one of the places that define it. */
  names(kind: DefinitionKind, counts: IsInConfiguration, most: number): ReadonlyMap<string, DefinitionPlace> {
    const placeOfName = new Map<string, DefinitionPlace>();
    let left = MAX_FILES_PER_QUESTION;
    for (const [name, paths] of this.filesOfKind(kind)) {
      if (placeOfName.size >= most || left <= 0) break;
      for (const path of paths) {
        indexCounts.looks++;
        if (left-- <= 0) break;
        if (!counts(path)) continue;
        const definedName = this.files
          .get(path)!
          .defined.find((each) => each.kind === kind && each.name.toLowerCase() === name);
        if (definedName) placeOfName.set(definedName.name, placeOf(path, definedName));
        break;
      }
    }
    return placeOfName;
  }

  /** The places that define a name, ignoring case, file by file. */
  places(kind: DefinitionKind, name: string, counts: IsInConfiguration, most: number): DefinitionPlace[] {
    const lowerName = name.toLowerCase();
    const places: DefinitionPlace[] = [];
    let left = MAX_FILES_PER_QUESTION;
    for (const path of this.filesOfKind(kind).get(lowerName) ?? []) {
      indexCounts.looks++;
      if (places.length >= most || left-- <= 0) break;
      if (counts(path)) for (const place of placesIn(path, this.files.get(path)!, kind, lowerName)) places.push(place);
    }
    return places;
  }

  /** The lines of a directive at the top level of files; null if there are too many files. */
  topLines(
    name: string,
    counts: IsInConfiguration,
  ): readonly { readonly path: string; readonly lines: readonly TopLine[] }[] | null {
    const paths = this.filesByTopDirective.get(name);
    if (!paths) return [];
    if (paths.size > MAX_TOP_FILES) return null;
    const files = [];
    for (const path of paths) {
      indexCounts.looks++;
      if (counts(path)) files.push({ path, lines: this.files.get(path)!.topLines.get(name)! });
    }
    return files;
  }

  /** Whether a file has AllowOverride; null if there are too many files. */
  overrides(counts: IsInConfiguration): boolean | null {
    let left = MAX_FILES_PER_QUESTION;
    for (const path of this.filesWithOverride) {
      indexCounts.looks++;
      if (counts(path)) return true;
      if (left-- <= 0) return null;
    }
    return false;
  }

  private remove(path: string, names: FileNames): void {
    this.files.delete(path);
    for (const { kind, name } of names.defined) removeName(this.filesOfKind(kind), name.toLowerCase(), path);
    for (const name of names.topLines.keys()) removeName(this.filesByTopDirective, name, path);
    this.filesWithOverride.delete(path);
  }

  private filesOfKind(kind: DefinitionKind): Map<string, Set<string>> {
    let names = this.filesByName.get(kind);
    if (!names) this.filesByName.set(kind, (names = new Map()));
    return names;
  }
}

export function placesIn(
  path: string,
  { defined }: { readonly defined: readonly NamedLine[] },
  kind: DefinitionKind,
  lowerName: string,
): DefinitionPlace[] {
  return defined
    .filter((each) => each.kind === kind && each.name.toLowerCase() === lowerName)
    .map((each) => placeOf(path, each));
}

// ---------------------------------------------------------------------------------------------------------------------

export function placeOf(path: string, { name, row, value }: NamedLine): DefinitionPlace {
  return { path, row, name, value };
}

/** Limit for files looked at for one question: about a millisecond. */
const MAX_FILES_PER_QUESTION = 5000;

/**
 * Limit for files that set one directive for the main server; files of virtual hosts set it inside
 * a section.
 */
const MAX_TOP_FILES = 200;

function addName(names: Map<string, Set<string>>, name: string, path: string): void {
  const paths = names.get(name);
  if (paths) paths.add(path);
  else names.set(name, new Set([path]));
}

function removeName(names: Map<string, Set<string>>, name: string, path: string): void {
  const paths = names.get(name);
  paths?.delete(path);
  if (paths?.size === 0) names.delete(name);
}
