/**
 * `textDocument/inlayHint`. Clients are asked to request the hints again when settings or other
 * files change.
 */
import { inlayHints, type HintConfiguration } from '../features/inlay-hints';
import { fileNamesOf } from '../symbols/names-of-file';
import { pathForUsers } from './navigation';
import { analyzedDocument, type Session } from './session';
import type { Settings } from './settings';

/**
 * Milliseconds after the last change before the client is asked to request hints again, because the
 * hints in other files may have changed.
 */
const REFRESH_DELAY_MS = 300;

/** Serves inlay hints, and makes the client request them again when they may have changed. */
export function serveInlayHints(session: Session): void {
  const { connection, documents, workspace } = session;
  connection.languages.inlayHint.on(async (params, token) => {
    const { uri } = params.textDocument;
    const hintKinds = hintKindsIn(await session.settings.settingsOf(uri));
    if (!hintKinds.showsInherited && !hintKinds.showsDefaults) return [];
    const analyzedFile = await analyzedDocument(session, uri, token);
    if (!analyzedFile) return null;
    const { document, settings, fileInfo } = analyzedFile;
    const [start, end] = [document.offsetAt(params.range.start), document.offsetAt(params.range.end)];
    return inlayHints({
      tree: document.tree,
      start,
      end,
      engine: settings.engine,
      isHtaccess: fileInfo.isHtaccess,
      fileContext: fileInfo.fileContext,
      configuration: hintConfigurationOf(session, uri),
      uri,
      ...hintKindsIn(settings),
    });
  });
  if (!session.client.refreshesInlayHints) return;
  const refresh = () =>
    session.sendWithoutWaiting('workspace/inlayHint/refresh', () => connection.languages.inlayHint.refresh());
  const isAnyHintWanted = async () =>
    (await Promise.all(documents.keys().map((uri) => session.settings.settingsOf(uri))))
      .map(hintKindsIn)
      .some(({ showsInherited, showsDefaults }) => showsInherited || showsDefaults);
  session.settingsListeners.push(refresh);
  const refreshIfWanted = () => {
    isAnyHintWanted()
      .then((areHintsWanted) => areHintsWanted && refresh())
      .catch((error: unknown) => session.errorLog.report('inlay hints', error));
  };
  workspace.onContextsChanged(refreshIfWanted);
  // Other open files may inherit lines at the top level of a file. If these lines change, the hints
  // in the other files change.
  const topLinesByUri = new Map<string, string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  documents.onDidClose(({ document: { uri } }) => void topLinesByUri.delete(uri));
  documents.onDidChangeContent(({ document: { uri } }) => {
    if (documents.keys().length < 2) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      void isAnyHintWanted()
        .then((areHintsWanted) => {
          const document = documents.get(uri);
          if (!areHintsWanted || !document) return;
          const linesKey = JSON.stringify(
            [...fileNamesOf(document.tree).topLines].map(([name, lines]) => [name, lines.map(({ text }) => text)]),
          );
          const linesKeyBefore = topLinesByUri.get(uri);
          topLinesByUri.set(uri, linesKey);
          if (linesKeyBefore !== linesKey) refresh();
        })
        .catch((error: unknown) => session.errorLog.report('inlay hints', error));
    }, REFRESH_DELAY_MS);
    (timer as { unref?: () => void }).unref?.();
  });
}

// ---------------------------------------------------------------------------------------------------------------------

function hintKindsIn({ values }: Settings): { readonly showsInherited: boolean; readonly showsDefaults: boolean } {
  return { showsInherited: values['inlayHints.inherited'], showsDefaults: values['inlayHints.defaults'] };
}

/**
 * The configuration whose lines a file's hints show. Null if several configurations read the file,
 * because the hints would differ.
 */
function hintConfigurationOf(session: Session, uri: string): HintConfiguration | null {
  const { workspace } = session;
  const path = workspace.realPathOf(uri);
  const namesInOtherFiles = workspace.namesInOtherFiles(uri);
  if (path === null || !namesInOtherFiles) return null;
  const [model, otherModel] = workspace.models.filter(({ files }) => files.has(path));
  if (!model || otherModel) return null;
  return {
    model,
    path,
    namesInOtherFiles,
    fileSummary: (file) => workspace.summaryOf(file),
    uriFor: (file) => workspace.clientUriOf(file),
    displayName: (file) => pathForUsers(session, file),
  };
}
