/**
 * `textDocument/codeLens`, if the setting `codeLens` is on. The text of a lens is computed when the
 * lens becomes visible.
 */
import type { CodeLens } from 'vscode-languageserver';
import { useCountText, lensesOf, virtualHostLensText, type CodeLensPlace } from '../features/code-lens';
import { lineStartRange } from '../features/convert';
import { placesInFiles } from './references';
import { documentWithFileInfo, type Session } from './session';

/** The data of a lens, which the client sends back to get the text of the lens. */
interface LensData {
  readonly uri: string;
  readonly kind: CodeLensPlace['kind'];
  readonly name: string;
}

export function serveCodeLens(session: Session): void {
  const { connection } = session;
  connection.onCodeLens(async ({ textDocument: { uri } }, token): Promise<CodeLens[]> => {
    const openFile = await documentWithFileInfo(session, uri, token);
    if (!openFile?.settings.values.codeLens) return [];
    return lensesOf(openFile.document.tree).map(({ kind, name, row }) => ({
      range: lineStartRange(row),
      data: { uri, kind, name } satisfies LensData,
    }));
  });
  connection.onCodeLensResolve(async (lens, token): Promise<CodeLens> => {
    const { uri, kind, name } = (lens.data ?? {}) as Partial<LensData>;
    const openFile = uri === undefined ? null : await documentWithFileInfo(session, uri, token);
    if (
      !openFile ||
      uri === undefined ||
      name === undefined ||
      (kind !== 'virtual-host' && kind !== 'macro' && kind !== 'variable')
    )
      return lens;
    const { tree } = openFile.document;
    const title =
      kind === 'virtual-host'
        ? virtualHostLensText(tree, lens.range.start.line)
        : useCountText(
            (await placesInFiles(session, uri, tree, { kind, name }, token)).reduce(
              (count, { places }) => count + places.filter(({ occurrence }) => occurrence.role === 'use').length,
              0,
            ),
          );
    // The client shows the title. The empty command makes it plain text.
    return { ...lens, command: { title: title ?? '', command: '' } };
  });
  if (session.client.refreshesCodeLens)
    session.settingsListeners.push(() =>
      session.sendWithoutWaiting('workspace/codeLens/refresh', () =>
        connection.sendRequest('workspace/codeLens/refresh'),
      ),
    );
}
