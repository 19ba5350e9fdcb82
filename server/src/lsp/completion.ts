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
import { analyzed, type Analyzed, type Session } from './session';

/**
 * Milliseconds to wait before preparing, for clients that send no request when they open a file.
 */
const PREPARE_AFTER = 500;

/** Milliseconds to wait: a list from current knowledge now is better than a complete one later. */
const PATIENCE = 20;

export function serveCompletion(session: Session): void {
  /** The target of the last list: items to resolve come from it. */
  let target = DEFAULT_TARGET;
  session.connection.onCompletion(async (params, token) => {
    const { textDocument, position, context } = params;
    const analyzedFile = await analyzed(session, textDocument.uri, token, PATIENCE);
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
  // Prepared after the findings of the first file and before the user types; requests come first.
  let isPrepared = false;
  const prepare = async (uri: string) => {
    if (isPrepared) return;
    isPrepared = true;
    const { engine } = await session.settings.of(uri);
    await session.turns.run(prepareCompletion(engine, session.client.completion), () => false);
    // Caches the list for the file's modules and place, so that it is ready for the first line.
    const analyzedFile = await analyzed(session, uri, CancellationToken.None, PATIENCE);
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
    setTimeout(begin, PREPARE_AFTER);
  });
  session.connection.onCompletionResolve(async (item, token) => {
    const uri = leftFor(item);
    const analyzedFile = uri === undefined ? null : await analyzed(session, uri, token, PATIENCE);
    return completionItemAs(
      resolveCompletion(item, targetName(target), analyzedFile && requestIn(session, analyzedFile)),
      session.client.plain.completion,
    );
  });
}

// ---------------------------------------------------------------------------------------------------------------------

function requestIn(
  session: Session,
  { document: { uri, tree }, settings: { engine }, file: { isHtaccess, fileContext } }: Analyzed,
): Omit<CompletionRequest, 'offset'> {
  return {
    tree,
    uri,
    engine,
    isHtaccess,
    fileContext,
    folders: foldersFor(session, uri),
    models: session.isTrusted ? session.workspace.modelsOf(uri) : undefined,
    elsewhere: session.workspace.elsewhere(uri),
  };
}

/** The folders of this machine, if the host has any and the user trusts the workspace. */
function foldersFor({ host, isTrusted }: Session, uri: string): Folders | undefined {
  const file = isTrusted ? host.pathOf?.(uri) : null;
  const view = file && host.fileView?.(() => null);
  return view ? { file, list: (path) => view.list(path), kind: (path) => view.kind(path) } : undefined;
}
