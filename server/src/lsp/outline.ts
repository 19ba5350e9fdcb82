/** `textDocument/documentSymbol` and `textDocument/foldingRange`. */
import type { DocumentSymbol, SymbolInformation } from 'vscode-languageserver';
import { documentSymbols, foldingRanges } from '../features/outline';
import { analyzedDocument, type Session } from './session';

export function serveOutline(session: Session): void {
  session.connection.onDocumentSymbol(async (params, token) => {
    const { uri } = params.textDocument;
    const analyzedFile = await analyzedDocument(session, uri, token);
    const symbols = analyzedFile && documentSymbols(analyzedFile.document.tree);
    return symbols && !session.client.acceptsNestedSymbols ? flattenedSymbols(symbols, uri) : symbols;
  });
  session.connection.onFoldingRanges(async (params, token) => {
    const analyzedFile = await analyzedDocument(session, params.textDocument.uri, token);
    return analyzedFile && foldingRanges(analyzedFile.document.tree);
  });
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The symbols as a flat list, for clients without nested symbols. Each symbol names the symbol that
 * contains it.
 */
function flattenedSymbols(
  symbols: readonly DocumentSymbol[],
  uri: string,
  containerName?: string,
): SymbolInformation[] {
  return symbols.flatMap(({ name, kind, range, children = [] }) => [
    { name, kind, location: { uri, range }, ...(containerName !== undefined && { containerName }) },
    ...flattenedSymbols(children, uri, name),
  ]);
}
