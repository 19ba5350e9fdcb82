/** `textDocument/documentHighlight`. */
import { highlightsAt } from '../features/highlight';
import { openedDocument, type Session } from './session';

export function serveHighlight(session: Session): void {
  session.connection.onDocumentHighlight(async (params, token) => {
    const openFile = await openedDocument(session, params.textDocument.uri, token);
    return openFile && highlightsAt(openFile.document.tree, openFile.document.offsetAt(params.position));
  });
}
