/** `textDocument/documentSymbol` and `textDocument/foldingRange`. */
import { documentSymbols, foldingRanges } from '../features/outline';
import { analyzed, type Session } from './session';

export function serveOutline(session: Session): void {
  session.connection.onDocumentSymbol(async (params, token) => {
    const found = await analyzed(session, params.textDocument.uri, token);
    return found && documentSymbols(found.document.tree);
  });
  session.connection.onFoldingRanges(async (params, token) => {
    const found = await analyzed(session, params.textDocument.uri, token);
    return found && foldingRanges(found.document.tree);
  });
}
