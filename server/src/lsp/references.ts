/**
 * `textDocument/references`. Also the search for places of a name in all related files, which
 * rename and call hierarchy use.
 */
import type { CancellationToken, Location } from 'vscode-languageserver';
import { lineStartRange, rangeOf, rangeOfOccurrence } from '../features/convert';
import { includedFiles, includingLines } from '../features/navigation';
import { collectNames, type PlacedOccurrence } from '../features/occurrences';
import { parameterAt } from '../features/macro-parameters';
import { relatedFilesWith, searchableNameAt, placesOf, namesToSearch, type NameToFind } from '../features/references';
import type { Tree } from '../syntax/document';
import { navigationContext } from './navigation';
import { documentWithFileInfo, throwIfCancelled, type Session } from './session';

/** Limit for the number of places: no user reads a longer list. */
const MAX_FOUND_PLACES = 5000;

/**
 * If an opened file has more lines than this, its names are collected in time slices at once, so
 * that the first search is fast.
 */
const LARGE_FILE_LINES = 5000;

/** Serves references, and collects the names of a large file when it is opened. */
export function serveReferences(session: Session): void {
  const { connection, documents, scheduler } = session;
  connection.onReferences(async ({ textDocument: { uri }, position, context }, token): Promise<Location[] | null> => {
    const openFile = await documentWithFileInfo(session, uri, token);
    if (!openFile) return null;
    const { tree } = openFile.document;
    const offset = openFile.document.offsetAt(position);
    const includesDefinitions = context.includeDeclaration;
    const parameter = parameterAt(tree, offset);
    if (parameter)
      return parameter.places
        .filter(({ isDefinition }) => includesDefinitions || !isDefinition)
        .map((place) => ({ uri, range: rangeOf(tree, place) }));
    const nameAtPosition = searchableNameAt(tree, offset);
    if (!nameAtPosition) return includesOfSameFiles(session, uri, tree, offset);
    const files = await placesInFiles(session, uri, tree, nameAtPosition.occurrence, token);
    const locations: Location[] = [];
    for (const { uri: file, places } of files)
      for (const place of places)
        if (includesDefinitions || place.occurrence.role !== 'define')
          locations.push({ uri: file, range: rangeOfOccurrence(place) });
    return locations;
  });
  documents.onDidOpen(({ document }) => {
    const { tree } = document;
    if (tree.lineCount > LARGE_FILE_LINES)
      void scheduler
        .run(collectNames(tree.root), () => documents.get(document.uri) !== document)
        .catch(() => undefined);
  });
}

/** The places of a name in one file. `path` is null for a document without a path. */
export interface FilePlaces {
  readonly uri: string;
  readonly path: string | null;
  readonly tree: Tree;
  readonly places: readonly PlacedOccurrence[];
}

/**
 * The places of a name, first those in the file itself. For a document without a path, and in
 * restricted mode, only the places in the file itself.
 */
export async function placesInFiles(
  session: Session,
  uri: string,
  tree: Tree,
  wantedName: NameToFind,
  token: CancellationToken,
): Promise<FilePlaces[]> {
  const { workspace } = session;
  const otherFiles = workspace.relatedFilesOf(uri);
  const wantedNames = namesToSearch(wantedName);
  const currentFilePlaces: FilePlaces = {
    uri,
    path: otherFiles?.currentFile ?? null,
    tree,
    places: placesOf(tree, wantedName, MAX_FOUND_PLACES),
  };
  if (!otherFiles) return [currentFilePlaces];
  const placesOfFiles = [currentFilePlaces];
  let remainingPlaces = MAX_FOUND_PLACES - currentFilePlaces.places.length;
  for (const path of relatedFilesWith(wantedNames, otherFiles)) {
    if (path === otherFiles.currentFile) continue;
    if (remainingPlaces <= 0) break;
    throwIfCancelled(token);
    if (session.scheduler.isSliceOver) await session.scheduler.pause();
    const otherTree = await workspace.currentTreeOf(path);
    const places = otherTree ? placesOf(otherTree, wantedName, remainingPlaces) : [];
    if (!otherTree || places.length === 0) continue;
    remainingPlaces -= places.length;
    placesOfFiles.push({ uri: workspace.clientUriOf(path), path, tree: otherTree, places });
  }
  return placesOfFiles;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * For an offset in the path of an Include: the Include lines that read the same files. Null if the
 * offset is not in such a path.
 */
function includesOfSameFiles(session: Session, uri: string, tree: Tree, offset: number): Location[] | null {
  const placedLine = tree.lineAt(offset);
  if (!placedLine || (placedLine.line.name !== 'include' && placedLine.line.name !== 'includeoptional')) return null;
  const context = navigationContext(session, uri);
  const files = includedFiles(placedLine.line, context);
  if (!files) return null;
  return includingLines(new Set(files), context).map(({ path, row }) => ({
    uri: session.workspace.clientUriOf(path),
    range: lineStartRange(row),
  }));
}
