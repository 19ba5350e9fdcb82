/** `textDocument/documentSymbol` and `textDocument/foldingRange`. */
import type { DocumentSymbol, SymbolInformation } from 'vscode-languageserver';
import { documentSymbols, foldingRanges } from '../features/outline';
import { analyzed, type Session } from './session';

export function serveOutline(session: Session): void {
  session.connection.onDocumentSymbol(async (params, token) => {
    const { uri } = params.textDocument;
    const analyzedFile = await analyzed(session, uri, token);
    const symbols = analyzedFile && documentSymbols(analyzedFile.document.tree);
    return symbols && !session.client.nestsSymbols ? flat(symbols, uri) : symbols;
  });
  session.connection.onFoldingRanges(async (params, token) => {
    const analyzedFile = await analyzed(session, params.textDocument.uri, token);
    return analyzedFile && foldingRanges(analyzedFile.document.tree);
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
