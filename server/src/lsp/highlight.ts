/** `textDocument/documentHighlight`. */
import { highlightsAt } from '../features/highlight';
import { opened, type Session } from './session';

export function serveHighlight(session: Session): void {
  session.connection.onDocumentHighlight(async (params, token) => {
    const openFile = await opened(session, params.textDocument.uri, token);
    return openFile && highlightsAt(openFile.document.tree, openFile.document.offsetAt(params.position));
  });
}
