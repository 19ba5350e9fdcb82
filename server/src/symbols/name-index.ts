/**
 * The names of all files of a workspace, indexed by name: a question about one name looks only at
 * the files that have it. Updated file by file. The caller decides which files count for its
 * question.
 */
import { counters } from '../syntax/memory';
import type { DefinitionKind } from './definitions';
import type { FileNames, Named, TopLine } from './names-of-file';

/** Counter for tests: files looked at for questions since the start of the program. */
export const work = counters({ looks: 0 });

/** The place where a name is defined. */
export interface Place {
  /** The path, with symbolic links resolved. */
  readonly path: string;
  /** 0-based. */
  readonly row: number;
  /** As written in the line. */
  readonly name: string;
  readonly value: string;
}

/** Whether a file belongs to the configuration in question. */
export type Counts = (path: string) => boolean;

export class NameIndex {
  private readonly files = new Map<string, FileNames>();
  private readonly defined = new Map<DefinitionKind, Map<string, Set<string>>>();
  private readonly top = new Map<string, Set<string>>();
  private readonly overriding = new Set<string>();

  /** Sets the current names of a file; null if the file does not exist any more. */
  set(path: string, names: FileNames | null): void {
    const before = this.files.get(path);
    if (before) this.remove(path, before);
    if (!names || (names.defined.length === 0 && names.top.size === 0 && !names.overrides)) return;
    this.files.set(path, names);
    for (const { kind, name } of names.defined) add(this.ofKind(kind), name.toLowerCase(), path);
    for (const name of names.top.keys()) add(this.top, name, path);
    if (names.overrides) this.overriding.add(path);
  }

  /** The names of a file; undefined if it has none. */
  file(path: string): FileNames | undefined {
    return this.files.get(path);
  }

  /** Names of a kind, each with one of the places that define it. */
  names(kind: DefinitionKind, counts: Counts, most: number): ReadonlyMap<string, Place> {
    const placeOfName = new Map<string, Place>();
    let left = MAX_LOOKS;
    for (const [name, paths] of this.ofKind(kind)) {
      if (placeOfName.size >= most || left <= 0) break;
      for (const path of paths) {
        work.looks++;
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
  places(kind: DefinitionKind, name: string, counts: Counts, most: number): Place[] {
    const lowerName = name.toLowerCase();
    const places: Place[] = [];
    let left = MAX_LOOKS;
    for (const path of this.ofKind(kind).get(lowerName) ?? []) {
      work.looks++;
      if (places.length >= most || left-- <= 0) break;
      if (counts(path)) for (const place of placesIn(path, this.files.get(path)!, kind, lowerName)) places.push(place);
    }
    return places;
  }

  /** The lines of a directive at the top level of files; null if there are too many files. */
  topLines(
    name: string,
    counts: Counts,
  ): readonly { readonly path: string; readonly lines: readonly TopLine[] }[] | null {
    const paths = this.top.get(name);
    if (!paths) return [];
    if (paths.size > MAX_TOP_FILES) return null;
    const files = [];
    for (const path of paths) {
      work.looks++;
      if (counts(path)) files.push({ path, lines: this.files.get(path)!.top.get(name)! });
    }
    return files;
  }

  /** Whether a file has AllowOverride; null if there are too many files. */
  overrides(counts: Counts): boolean | null {
    let left = MAX_LOOKS;
    for (const path of this.overriding) {
      work.looks++;
      if (counts(path)) return true;
      if (left-- <= 0) return null;
    }
    return false;
  }

  private remove(path: string, names: FileNames): void {
    this.files.delete(path);
    for (const { kind, name } of names.defined) take(this.ofKind(kind), name.toLowerCase(), path);
    for (const name of names.top.keys()) take(this.top, name, path);
    this.overriding.delete(path);
  }

  private ofKind(kind: DefinitionKind): Map<string, Set<string>> {
    let names = this.defined.get(kind);
    if (!names) this.defined.set(kind, (names = new Map()));
    return names;
  }
}

export function placesIn(
  path: string,
  { defined }: { readonly defined: readonly Named[] },
  kind: DefinitionKind,
  lowerName: string,
): Place[] {
  return defined
    .filter((each) => each.kind === kind && each.name.toLowerCase() === lowerName)
    .map((each) => placeOf(path, each));
}

// ---------------------------------------------------------------------------------------------------------------------

export function placeOf(path: string, { name, row, value }: Named): Place {
  return { path, row, name, value };
}

/** Limit for files looked at for one question: about a millisecond. */
const MAX_LOOKS = 5000;

/**
 * Limit for files that set one directive for the main server; files of virtual hosts set it inside
 * a section.
 */
const MAX_TOP_FILES = 200;

function add(names: Map<string, Set<string>>, name: string, path: string): void {
  const paths = names.get(name);
  if (paths) paths.add(path);
  else names.set(name, new Set([path]));
}

function take(names: Map<string, Set<string>>, name: string, path: string): void {
  const paths = names.get(name);
  paths?.delete(path);
  if (paths?.size === 0) names.delete(name);
}
