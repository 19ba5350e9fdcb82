/** `textDocument/inlayHint`; asked again when settings change. */
import { inlayHints } from '../features/inlay-hints';
import { analyzed, type Session } from './session';

export function serveInlayHints(session: Session): void {
  const { connection } = session;
  connection.languages.inlayHint.on(async (params, token) => {
    const found = await analyzed(session, params.textDocument.uri, token);
    if (!found) return null;
    const { document, settings, file } = found;
    const [start, end] = [document.offsetAt(params.range.start), document.offsetAt(params.range.end)];
    return inlayHints({ tree: document.tree, start, end, engine: settings.engine, isHtaccess: file.isHtaccess, ...settings.inlayHints });
  });
  session.onSettings.push(() => {
    if (session.client.refreshesInlayHints) void connection.languages.inlayHint.refresh();
  });
}
