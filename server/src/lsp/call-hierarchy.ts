/**
 * The call hierarchy: which files include a file and which it includes; where a macro is used and
 * which macros it uses. A file "calls" the files that it includes. Line numbers from the last walk
 * through the configuration are converted to lines of the current text.
 */
import {
  CallHierarchyIncomingCallsRequest,
  CallHierarchyOutgoingCallsRequest,
  CallHierarchyPrepareRequest,
  SymbolKind,
  type CallHierarchyIncomingCall,
  type CallHierarchyIncomingCallsParams,
  type CallHierarchyItem,
  type CallHierarchyOutgoingCall,
  type CallHierarchyOutgoingCallsParams,
  type CallHierarchyPrepareParams,
  type CancellationToken,
  type Range,
} from 'vscode-languageserver';
import type { IncludeNode } from '../config/model';
import { lineStartRange } from '../features/convert';
import { includedFiles, currentRow } from '../features/navigation';
import { searchableNameAt } from '../features/references';
import { macroAt, macroUsesIn } from '../features/macro-uses';
import { groupedBy } from '../syntax/groups';
import { navigationContext, pathForUsers } from './navigation';
import { placesInFiles } from './references';
import { documentWithFileInfo, type Session } from './session';

/**
 * The file or macro that an item of the call hierarchy stands for. Clients send this data back
 * unchanged.
 */
interface ItemData {
  readonly path: string;
  /** The macro; undefined for a file. `row` is the 0-based line of its opening tag. */
  readonly macro?: { readonly name: string; readonly row: number };
}

export function serveCallHierarchy(session: Session): void {
  const { connection, workspace } = session;
  // Registered with `onRequest`, because error-boundary.ts and encoding.ts wrap the handlers that
  // `onRequest` gets.
  connection.onRequest(
    CallHierarchyPrepareRequest.method,
    async (
      { textDocument: { uri }, position }: CallHierarchyPrepareParams,
      token: CancellationToken,
    ): Promise<CallHierarchyItem[] | null> => {
      const openFile = await documentWithFileInfo(session, uri, token);
      const path = workspace.realPathOf(uri);
      if (!openFile || path === null) return null;
      const { document } = openFile;
      const offset = document.offsetAt(position);
      const occurrence = searchableNameAt(document.tree, offset)?.occurrence;
      if (occurrence?.kind === 'macro') return macroItems(session, uri, occurrence.name, token);
      const lineAtPosition = document.tree.lineAt(offset)?.line;
      const files =
        lineAtPosition && (lineAtPosition.name === 'include' || lineAtPosition.name === 'includeoptional')
          ? includedFiles(lineAtPosition, navigationContext(session, uri))
          : null;
      return files && files.length > 0
        ? files.slice(0, MAX_HIERARCHY_ITEMS).map((file) => fileItem(session, file))
        : [fileItem(session, path)];
    },
  );
  connection.onRequest(
    CallHierarchyIncomingCallsRequest.method,
    async (
      { item }: CallHierarchyIncomingCallsParams,
      token: CancellationToken,
    ): Promise<CallHierarchyIncomingCall[]> => {
      const itemData = itemDataOf(item.data);
      if (!itemData) return [];
      if (itemData.macro) return callsOfMacro(session, item.uri, itemData.macro.name, token);
      const nodes = includeNodes(session).filter(({ files }) => files.some(({ path }) => path === itemData.path));
      return [...groupedBy(nodes, ({ file }) => file)].map(([file, nodesOfFile]) => ({
        from: fileItem(session, file),
        fromRanges: includeLineRanges(session, nodesOfFile),
      }));
    },
  );
  connection.onRequest(
    CallHierarchyOutgoingCallsRequest.method,
    async (
      { item }: CallHierarchyOutgoingCallsParams,
      token: CancellationToken,
    ): Promise<CallHierarchyOutgoingCall[]> => {
      const itemData = itemDataOf(item.data);
      if (!itemData) return [];
      if (itemData.macro) return callsInMacro(session, itemData, token);
      const pairs = includeNodes(session)
        .filter(({ file }) => file === itemData.path)
        .flatMap((node) => node.files.map(({ path }) => ({ node, path })));
      return [...groupedBy(pairs, ({ path }) => path)].slice(0, MAX_HIERARCHY_ITEMS).map(([path, pairsOfFile]) => ({
        to: fileItem(session, path),
        fromRanges: includeLineRanges(
          session,
          pairsOfFile.map(({ node }) => node),
        ),
      }));
    },
  );
}

// ---------------------------------------------------------------------------------------------------------------------

/** Limit for the number of items: no user reads a longer list. */
const MAX_HIERARCHY_ITEMS = 500;

const START_OF_FILE = lineStartRange(0);

/** The data of an item that a client sends; null if this server did not make it. */
function itemDataOf(data: unknown): ItemData | null {
  return typeof (data as Partial<ItemData> | undefined)?.path === 'string' ? (data as ItemData) : null;
}

/** The item of a file. */
function fileItem(session: Session, path: string): CallHierarchyItem {
  const displayName = pathForUsers(session, path);
  const lastSlash = displayName.lastIndexOf('/');
  return {
    name: displayName.slice(lastSlash + 1),
    detail: displayName.slice(0, Math.max(0, lastSlash)),
    kind: SymbolKind.File,
    uri: session.workspace.clientUriOf(path),
    range: START_OF_FILE,
    selectionRange: START_OF_FILE,
    data: { path } satisfies ItemData,
  };
}

/** The item of a macro. `macroRow` is the 0-based line of its opening tag. */
function macroItem(session: Session, uri: string, path: string, name: string, macroRow: number): CallHierarchyItem {
  const tagLineRange = lineStartRange(macroRow);
  return {
    name,
    detail: pathForUsers(session, path),
    kind: SymbolKind.Function,
    uri,
    range: tagLineRange,
    selectionRange: tagLineRange,
    data: { path, macro: { name, row: macroRow } } satisfies ItemData,
  };
}

/** All Include lines of all configurations, with the files that they read. */
function includeNodes({ workspace, isTrusted }: Session): IncludeNode[] {
  return isTrusted ? workspace.models.flatMap((model) => [...model.includes.values()].flat()) : [];
}

/** The start of each Include line in the current text. */
function includeLineRanges({ workspace }: Session, nodes: readonly IncludeNode[]): Range[] {
  return [...new Set(nodes.map(({ file, line, row }) => currentRow(workspace.summaryOf(file), line, row)))].map(
    lineStartRange,
  );
}

/** The items of all definitions of a macro. */
async function macroItems(
  session: Session,
  uri: string,
  name: string,
  token: CancellationToken,
): Promise<CallHierarchyItem[]> {
  const tree =
    session.documents.get(uri)?.tree ??
    (await session.workspace.currentTreeOf(session.workspace.realPathOf(uri) ?? ''));
  if (!tree) return [];
  const files = await placesInFiles(session, uri, tree, { kind: 'macro', name }, token);
  return files.flatMap((file) =>
    file.places.flatMap(({ occurrence, row }) =>
      occurrence.role === 'define' && file.path !== null
        ? [macroItem(session, file.uri, file.path, occurrence.name, row)]
        : [],
    ),
  );
}

/** The calls of a macro, grouped by the files and macros that contain them. */
async function callsOfMacro(
  session: Session,
  uri: string,
  name: string,
  token: CancellationToken,
): Promise<CallHierarchyIncomingCall[]> {
  const tree = await session.workspace.currentTreeOf(session.workspace.realPathOf(uri) ?? '');
  if (!tree) return [];
  const calls: CallHierarchyIncomingCall[] = [];
  for (const file of await placesInFiles(session, uri, tree, { kind: 'macro', name }, token)) {
    const { path } = file;
    if (path === null) continue;
    const uses = file.places
      .filter(({ occurrence }) => occurrence.role === 'use')
      .map((place) => ({ row: place.row, macro: macroAt(file.tree, place.offset) }));
    for (const usesInMacro of groupedBy(uses, ({ macro }) => macro?.row).values()) {
      const macro = usesInMacro[0]!.macro;
      calls.push({
        from: macro ? macroItem(session, file.uri, path, macro.name, macro.row) : fileItem(session, path),
        fromRanges: usesInMacro.map(({ row }) => lineStartRange(row)),
      });
    }
  }
  return calls;
}

/** The macros that are called in the body of a macro. */
async function callsInMacro(
  session: Session,
  { path, macro }: ItemData,
  token: CancellationToken,
): Promise<CallHierarchyOutgoingCall[]> {
  const tree = await session.workspace.currentTreeOf(path);
  if (!tree || !macro) return [];
  const calls: CallHierarchyOutgoingCall[] = [];
  for (const [name, uses] of groupedBy(macroUsesIn(tree, macro.row), (use) => use.name.toLowerCase())) {
    for (const calledMacro of await macroItems(session, session.workspace.clientUriOf(path), name, token))
      calls.push({ to: calledMacro, fromRanges: uses.map(({ row }) => lineStartRange(row)) });
  }
  return calls;
}
