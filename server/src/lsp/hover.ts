/** `textDocument/hover`. */
import { hover } from '../features/hover/hover';
import { hoverForClient } from './markup';
import { factsOfOtherFiles } from './navigation';
import { analyzedDocument, type Session } from './session';

export function serveHover(session: Session): void {
  session.connection.onHover(async (params, token) => {
    const analyzedFile = await analyzedDocument(session, params.textDocument.uri, token);
    return (
      analyzedFile &&
      hoverForClient(
        hover(
          analyzedFile.document.tree,
          analyzedFile.document.offsetAt(params.position),
          analyzedFile.settings.engine.target,
          {
            engine: analyzedFile.settings.engine,
            isHtaccess: analyzedFile.fileInfo.isHtaccess,
            fileContext: analyzedFile.fileInfo.fileContext,
            unreadReason: analyzedFile.fileInfo.unreadReason,
            ...factsOfOtherFiles(session, params.textDocument.uri),
          },
        ),
        session.client.plainTextParts.hover,
      )
    );
  });
}
