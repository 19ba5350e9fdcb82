/** `textDocument/hover`. */
import { hover } from '../features/hover/hover';
import { hoverAs } from './markup';
import { elsewhere } from './navigation';
import { analyzed, type Session } from './session';

export function serveHover(session: Session): void {
  session.connection.onHover(async (params, token) => {
    const found = await analyzed(session, params.textDocument.uri, token);
    return (
      found &&
      hoverAs(
        hover(found.document.tree, found.document.offsetAt(params.position), found.settings.engine.target, {
          engine: found.settings.engine,
          isHtaccess: found.file.isHtaccess,
          fileContext: found.file.fileContext,
          unread: found.file.unread,
          ...elsewhere(session, params.textDocument.uri),
        }),
        session.client.plain.hover,
      )
    );
  });
}
