/** `textDocument/documentHighlight`. */
import { highlightsAt } from '../features/highlight';
import { documentWithFileInfo, type Session } from './session';

export function serveHighlight(session: Session): void {
  session.connection.onDocumentHighlight(async (params, token) => {
    const openFile = await documentWithFileInfo(session, params.textDocument.uri, token);
    return openFile && highlightsAt(openFile.document.tree, openFile.document.offsetAt(params.position));
  });
}
