/** `textDocument/completion` and `completionItem/resolve`. */
import { CancellationToken, CompletionTriggerKind } from 'vscode-languageserver';
import { DEFAULT_TARGET, targetName } from '../config/target';
import {
  completion,
  leftFor,
  resolveCompletion,
  type CompletionRequest,
  type Folders,
} from '../features/completion/completion';
import { prepareCompletion } from '../features/completion/warmup';
import { completionItemAs } from './markup';
import { analyzed, type AnalyzedDocument, type Session } from './session';

/**
 * Milliseconds after the start before completion is prepared, for clients that send no request when
 * they open a file.
 */
const PREPARE_AFTER_MS = 500;

/**
 * Milliseconds to wait for a walk. A list at once from what is known is better than a complete list
 * later.
 */
const MAX_WAIT_MS = 20;

export function serveCompletion(session: Session): void {
  /**
   * The version that the last list was made for: items that the client asks to resolve are from
   * that list.
   */
  let target = DEFAULT_TARGET;
  session.connection.onCompletion(async (params, token) => {
    const { textDocument, position, context } = params;
    const analyzedFile = await analyzed(session, textDocument.uri, token, MAX_WAIT_MS);
    if (!analyzedFile) return null;
    const { document, settings } = analyzedFile;
    target = settings.engine.target;
    const trigger =
      context?.triggerKind === CompletionTriggerKind.TriggerCharacter ? context.triggerCharacter : undefined;
    return completion(
      { ...requestIn(session, analyzedFile), offset: document.offsetAt(position), trigger },
      session.client.completion,
    );
  });
  // Completion is prepared after the findings of the first file and before the user types; requests
  // come first.
  let isPrepared = false;
  const prepare = async (uri: string) => {
    if (isPrepared) return;
    isPrepared = true;
    const { engine } = await session.settings.of(uri);
    await session.scheduler.run(prepareCompletion(engine, session.client.completion), () => false);
    // Makes and caches the list for the file, so that it is ready when the user types.
    const analyzedFile = await analyzed(session, uri, CancellationToken.None, MAX_WAIT_MS);
    if (analyzedFile)
      completion(
        { ...requestIn(session, analyzedFile), offset: analyzedFile.document.tree.length },
        session.client.completion,
      );
  };
  const opened = session.documents.onDidOpen(({ document: { uri } }) => {
    opened.dispose();
    const begin = () =>
      void prepare(uri).catch((error: unknown) => session.errorLog.report('preparing completion', error));
    session.onAnswered.push(begin);
    setTimeout(begin, PREPARE_AFTER_MS);
  });
  session.connection.onCompletionResolve(async (item, token) => {
    const uri = leftFor(item);
    const analyzedFile = uri === undefined ? null : await analyzed(session, uri, token, MAX_WAIT_MS);
    return completionItemAs(
      resolveCompletion(item, targetName(target), analyzedFile && requestIn(session, analyzedFile)),
      session.client.plain.completion,
    );
  });
}

// ---------------------------------------------------------------------------------------------------------------------

function requestIn(
  session: Session,
  { document: { uri, tree }, settings: { engine }, file: { isHtaccess, fileContext } }: AnalyzedDocument,
): Omit<CompletionRequest, 'offset'> {
  return {
    tree,
    uri,
    engine,
    isHtaccess,
    fileContext,
    folders: foldersFor(session, uri),
    models: session.isTrusted ? session.workspace.modelsOf(uri) : undefined,
    elsewhere: session.workspace.namesElsewhere(uri),
  };
}

/**
 * The folders of this machine, for completing paths. Undefined if the host has none or the user
 * does not trust the workspace.
 */
function foldersFor({ host, isTrusted }: Session, uri: string): Folders | undefined {
  const file = isTrusted ? host.pathOf?.(uri) : null;
  const view = file && host.fileView?.(() => null);
  return view ? { file, list: (path) => view.list(path), kind: (path) => view.kind(path) } : undefined;
}
