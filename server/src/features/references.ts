/**
 * Finds all places of a name: the files that may contain it, and its places in each file. Positions
 * are those of the given trees.
 */
import type { Model } from '../config/model';
import { module as findModule } from '../directives';
import type { Tree } from '../syntax/document';
import { occurrenceAt, type NameKind, type Occurrence } from './names-in-line';
import { foldedName, forEachOccurrence, type PlacedOccurrence, type WantedName } from './occurrences';

/**
 * The name to search for. Names of different kinds are different, even if their texts are equal.
 */
export interface NameToFind {
  readonly kind: NameKind;
  readonly name: string;
}

/** The files that may contain a name. */
export interface RelatedFiles {
  /** The current file, with symbolic links resolved. */
  readonly currentFile: string;
  /** The current trees of open files, by path with symbolic links resolved. */
  readonly openTrees: ReadonlyMap<string, Tree>;
  /** Returns the files that are not open and may contain one of the names. */
  closedFilesWith(wantedNames: readonly WantedName[]): Iterable<string>;
  /** The models of all configurations. */
  readonly configurationModels: readonly Model[];
  /** Whether a configuration reads the file as a .htaccess file. */
  isHtaccess(path: string): boolean;
}

/**
 * The name at a UTF-16 offset of a file, if other lines can have it, too; otherwise null.
 * `lineOffset`: the offset of its line in the file.
 */
export function searchableNameAt(
  tree: Tree,
  offset: number,
): { readonly occurrence: Occurrence; readonly lineOffset: number } | null {
  const placedLine = tree.lineAt(offset);
  if (!placedLine) return null;
  const occurrence = occurrenceAt(
    placedLine.line,
    offset - placedLine.offset,
    ({ kind, isPattern }) => !isPattern && !UNSEARCHED_KINDS.has(kind),
  );
  return occurrence && { occurrence, lineOffset: placedLine.offset };
}

/** The names to search for: some names have more than one form. */
export function namesToSearch({ kind, name }: NameToFind): WantedName[] {
  if (kind !== 'module') return [{ kind, name: foldedName(name) }];
  const facts = findModule(name)?.['2.4'];
  const moduleNames = facts ? [facts.identifier, facts.sourceFile] : [name];
  return [...new Set(moduleNames.flatMap((each) => (each ? [foldedName(each)] : [])))].map((each) => ({
    kind,
    name: each,
  }));
}

/**
 * Whether an occurrence is this name. The caller has compared both in lower case: only names of
 * case-sensitive kinds are compared again.
 */
export function isOccurrenceOf({ kind, name }: NameToFind, occurrence: Occurrence): boolean {
  return kind === 'module' || !CASE_SENSITIVE_KINDS.has(kind) || occurrence.name === name;
}

/** Kinds of names that are case-sensitive: see test/httpd/names.slow.test.ts. */
export const CASE_SENSITIVE_KINDS: ReadonlySet<NameKind> = new Set<NameKind>([
  'rewrite-map',
  'authn-provider',
  'authz-provider',
]);

/**
 * The files that may contain one of the names and are related to the current file, which is first.
 * Related are the files of its configurations, and of all configurations that also read one of
 * these files. A file that no configuration reads has no related files. `otherNames` are names that
 * are searched in the related files, but that do not make more files related.
 */
export function relatedFilesWith(
  wantedNames: readonly WantedName[],
  otherFiles: RelatedFiles,
  otherNames: readonly WantedName[] = [],
): string[] {
  const { currentFile, openTrees, closedFilesWith } = otherFiles;
  const filesWith = (names: readonly WantedName[]) => [
    ...[...openTrees].flatMap(([path, tree]) => (hasWantedName(tree, names) ? [path] : [])),
    ...closedFilesWith(names),
  ];
  const matchingFiles = new Set([currentFile, ...filesWith(wantedNames)]);
  const isRelated = relatedFileTest(currentFile, matchingFiles, otherFiles);
  if (isRelated === null) return [currentFile];
  return [...new Set([...matchingFiles, ...(otherNames.length > 0 ? filesWith(otherNames) : [])])].filter((path) =>
    isRelated(path),
  );
}

/** Whether a file has an occurrence of one of the names. */
function hasWantedName(tree: Tree, wantedNames: readonly WantedName[]): boolean {
  let hasName = false;
  forEachOccurrence(tree.root, wantedNames, () => {
    hasName = true;
    return false;
  });
  return hasName;
}

/**
 * Returns a function that returns whether a path is related to `file`; null if `file` has no
 * related files. Two configurations are related if both read one of the candidates.
 */
export function relatedFileTest(
  file: string,
  candidates: Iterable<string>,
  { configurationModels, isHtaccess }: Pick<RelatedFiles, 'configurationModels' | 'isHtaccess'>,
): ((path: string) => boolean) | null {
  const modelsOfFile = new Set(
    isHtaccess(file) ? configurationModels : configurationModels.filter(({ files }) => files.has(file)),
  );
  if (modelsOfFile.size === 0) return null;
  const candidatePaths = [...candidates];
  for (let hasFoundModel = true; hasFoundModel; ) {
    hasFoundModel = false;
    const sharedPaths = candidatePaths.filter((path) => [...modelsOfFile].some(({ files }) => files.has(path)));
    for (const model of configurationModels) {
      if (modelsOfFile.has(model) || !sharedPaths.some((path) => model.files.has(path))) continue;
      modelsOfFile.add(model);
      hasFoundModel = true;
    }
  }
  return (path) => isHtaccess(path) || [...modelsOfFile].some(({ files }) => files.has(path));
}

/** The places of a name in one file, in order; at most `limit` of them. */
export function placesOf(tree: Tree, wantedName: NameToFind, limit: number): PlacedOccurrence[] {
  const places: PlacedOccurrence[] = [];
  forEachOccurrence(
    tree.root,
    namesToSearch(wantedName),
    ({ occurrence, line, isSingleRowWithoutTemplate }, offset, row) => {
      if (isOccurrenceOf(wantedName, occurrence))
        places.push({ occurrence, line, isSingleRowWithoutTemplate, offset, row });
      return places.length < limit;
    },
  );
  return places;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Kinds of names that are not searched. */
const UNSEARCHED_KINDS: ReadonlySet<NameKind> = new Set<NameKind>([
  'argument',
  'parameter',
  'opaque',
  'path',
  'host-pattern',
]);
