/** `textDocument/documentHighlight`. */
import { highlightsAt } from '../features/highlight';
import { opened, type Session } from './session';

export function serveHighlight(session: Session): void {
  session.connection.onDocumentHighlight(async (params, token) => {
    const found = await opened(session, params.textDocument.uri, token);
    return found && highlightsAt(found.document.tree, found.document.offsetAt(params.position));
  });
}
