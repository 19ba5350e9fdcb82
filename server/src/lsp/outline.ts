/** `textDocument/documentSymbol` and `textDocument/foldingRange`. */
import type { DocumentSymbol, SymbolInformation } from 'vscode-languageserver';
import { documentSymbols, foldingRanges } from '../features/outline';
import { analyzed, type Session } from './session';

export function serveOutline(session: Session): void {
  session.connection.onDocumentSymbol(async (params, token) => {
    const { uri } = params.textDocument;
    const found = await analyzed(session, uri, token);
    const symbols = found && documentSymbols(found.document.tree);
    return symbols && !session.client.nestsSymbols ? flat(symbols, uri) : symbols;
  });
  session.connection.onFoldingRanges(async (params, token) => {
    const found = await analyzed(session, params.textDocument.uri, token);
    return found && foldingRanges(found.document.tree);
  });
}

// ---------------------------------------------------------------------------------------------------------------------

/** For clients without nested symbols: each symbol names the one around it. */
function flat(symbols: readonly DocumentSymbol[], uri: string, containerName?: string): SymbolInformation[] {
  return symbols.flatMap(({ name, kind, range, children = [] }) => [
    { name, kind, location: { uri, range }, ...(containerName !== undefined && { containerName }) },
    ...flat(children, uri, name),
  ]);
}
