/** `textDocument/completion` and `completionItem/resolve`. */
import { CancellationToken, CompletionTriggerKind } from 'vscode-languageserver';
import { DEFAULT_TARGET, targetName } from '../config/target';
import {
  completion,
  uriOfDeferredEdits,
  resolveCompletion,
  type CompletionRequest,
  type Folders,
} from '../features/completion/completion';
import { prepareCompletion } from '../features/completion/warmup';
import { completionItemForClient } from './markup';
import { analyzedDocument, type AnalyzedDocument, type Session } from './session';

/**
 * Milliseconds after the start before completion is prepared, for clients that send no request when
 * they open a file.
 */
const PREPARE_AFTER_MS = 500;

/**
 * Milliseconds to wait for a walk through the configuration. A quick list from what is already
 * known is better than a complete list later.
 */
const MAX_WAIT_FOR_WALK_MS = 20;

/** Serves completion, and prepares it while the user does not wait for anything. */
export function serveCompletion(session: Session): void {
  /**
   * The version of httpd for which the last list was made. The client asks for details only of
   * items in that list.
   */
  let targetOfLastList = DEFAULT_TARGET;
  session.connection.onCompletion(async (params, token) => {
    const { textDocument, position, context } = params;
    const analyzedFile = await analyzedDocument(session, textDocument.uri, token, MAX_WAIT_FOR_WALK_MS);
    if (!analyzedFile) return null;
    const { document, settings } = analyzedFile;
    targetOfLastList = settings.engine.target;
    const triggerCharacter =
      context?.triggerKind === CompletionTriggerKind.TriggerCharacter ? context.triggerCharacter : undefined;
    return completion(
      { ...completionRequestIn(session, analyzedFile), offset: document.offsetAt(position), triggerCharacter },
      session.client.completion,
    );
  });
  // Completion is prepared after the first findings were sent and before the user types. A request
  // that arrives meanwhile is served first.
  let isPrepared = false;
  /** Prepares completion once, for the first file that was opened. */
  const prepare = async (uri: string) => {
    if (isPrepared) return;
    isPrepared = true;
    const { engine } = await session.settings.settingsOf(uri);
    await session.scheduler.run(prepareCompletion(engine, session.client.completion), () => false);
    // Makes and caches the list for the file, so that it is ready when the user types.
    const analyzedFile = await analyzedDocument(session, uri, CancellationToken.None, MAX_WAIT_FOR_WALK_MS);
    if (analyzedFile)
      completion(
        { ...completionRequestIn(session, analyzedFile), offset: analyzedFile.document.tree.length },
        session.client.completion,
      );
  };
  const openListener = session.documents.onDidOpen(({ document: { uri } }) => {
    openListener.dispose();
    const beginPreparing = () =>
      void prepare(uri).catch((error: unknown) => session.errorLog.report('preparing completion', error));
    session.firstFindingsListeners.push(beginPreparing);
    setTimeout(beginPreparing, PREPARE_AFTER_MS);
  });
  session.connection.onCompletionResolve(async (item, token) => {
    const uri = uriOfDeferredEdits(item);
    const analyzedFile = uri === undefined ? null : await analyzedDocument(session, uri, token, MAX_WAIT_FOR_WALK_MS);
    return completionItemForClient(
      resolveCompletion(item, targetName(targetOfLastList), analyzedFile && completionRequestIn(session, analyzedFile)),
      session.client.plainTextParts.completion,
    );
  });
}

// ---------------------------------------------------------------------------------------------------------------------

/** What a completion request needs to know about the file: everything but the offset. */
function completionRequestIn(
  session: Session,
  { document: { uri, tree }, settings: { engine }, fileInfo: { isHtaccess, fileContext } }: AnalyzedDocument,
): Omit<CompletionRequest, 'offset'> {
  return {
    tree,
    uri,
    engine,
    isHtaccess,
    fileContext,
    folders: foldersFor(session, uri),
    configurationModels: session.isTrusted ? session.workspace.relatedModelsOf(uri) : undefined,
    namesInOtherFiles: session.workspace.namesInOtherFiles(uri),
  };
}

/**
 * The folders of this machine, for completing paths. Undefined if the host has no folders, or if
 * the user does not trust the workspace.
 */
function foldersFor({ host, isTrusted }: Session, uri: string): Folders | undefined {
  const file = isTrusted ? host.pathOf?.(uri) : null;
  const view = file && host.fileView?.(() => null);
  return view ? { file, list: (path) => view.list(path), kind: (path) => view.kind(path) } : undefined;
}
