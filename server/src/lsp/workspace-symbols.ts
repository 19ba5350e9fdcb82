/** `workspace/symbol`. */
import { SymbolKind, type SymbolInformation } from 'vscode-languageserver';
import { lineStartRange } from '../features/convert';
import { forEachSymbol, type FileSymbol } from '../features/occurrences';
import { symbolDetail, workspaceSymbols, type SymbolsOfFile } from '../features/workspace-symbols';
import { pathForUsers } from './navigation';
import type { Session } from './session';

export function serveWorkspaceSymbols(session: Session): void {
  const { connection, workspace } = session;
  connection.onWorkspaceSymbol(({ query }): SymbolInformation[] =>
    workspaceSymbols(query, symbolsOfFiles(session)).map((symbol) => {
      const { name, kind, row, path } = symbol;
      return {
        name,
        kind: LSP_KIND[kind] ?? SymbolKind.Variable,
        containerName: `${symbolDetail(symbol)} · ${pathForUsers(session, path)}`,
        location: { uri: workspace.clientUriOf(path), range: lineStartRange(row) },
      };
    }),
  );
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The protocol's kind of symbol for each of our kinds. Editors choose an icon by the protocol's
 * kind.
 */
const LSP_KIND: Readonly<Partial<Record<FileSymbol['kind'], SymbolKind>>> = {
  'virtual-host': SymbolKind.Namespace,
  section: SymbolKind.Namespace,
  host: SymbolKind.Class,
  macro: SymbolKind.Function,
  variable: SymbolKind.Variable,
  'rewrite-map': SymbolKind.Array,
  balancer: SymbolKind.Interface,
  'log-format': SymbolKind.String,
  filter: SymbolKind.Operator,
  'authn-provider': SymbolKind.Interface,
  'authz-provider': SymbolKind.Interface,
};

/** The symbols of open files, as they are now, then those of all other files. */
function* symbolsOfFiles({ workspace }: Session): Iterable<SymbolsOfFile> {
  for (const [path, tree] of workspace.openTrees())
    yield { path, forEach: (visit, test) => forEachSymbol(tree.root, visit, test) };
  for (const [path, { symbols }] of workspace.symbolsOfClosedFiles())
    yield {
      path,
      forEach: (visit, test) => void symbols.every((symbol) => !test(symbol.name.toLowerCase()) || visit(symbol)),
    };
}
