/** `textDocument/diagnostic`, `workspace/diagnostic`, and publishing for clients that do not ask. */
import {
  DocumentDiagnosticReportKind, type CancellationToken, type DocumentDiagnosticReport,
  type WorkspaceDiagnosticReport, type WorkspaceDocumentDiagnosticReport,
} from 'vscode-languageserver';
import { diagnostics } from '../features/diagnostics';
import { decode } from '../host/decode';
import { Tree } from '../syntax/document';
import { analyzed, fileInfo, throwIfCancelled, type Session } from './session';

/** What may be configuration changes on disk under these names. */
export const WATCHED = '**/{*.conf,*.conf.*,*.load,*.include,*.vhost,*htaccess*,sites-available/*,sites-enabled/*,vhosts.d/*,conf.d/*}';

/** Files whose findings are sent together while a long pass goes on. */
const BATCH = 50;

export function serveDiagnostics(session: Session): void {
  const { connection } = session;
  if (!session.client.pullsDiagnostics) {
    publish(session);
    return;
  }
  connection.languages.diagnostics.on(async (params, token): Promise<DocumentDiagnosticReport> => {
    const found = await analyzed(session, params.textDocument.uri, token);
    if (!found) return { kind: DocumentDiagnosticReportKind.Full, items: [] };
    // The version stands for every position in the file, the revision for every setting.
    const resultId = `${found.document.version}:${session.settings.revision}`;
    if (params.previousResultId === resultId) return { kind: DocumentDiagnosticReportKind.Unchanged, resultId };
    return { kind: DocumentDiagnosticReportKind.Full, resultId, items: diagnostics(found.analysis, found.settings.maxFindings) };
  });
  serveWorkspace(session);
}

// ---------------------------------------------------------------------------------------------------------------------

/** For clients without pull: after every change, once the changes that came with it are in. */
function publish(session: Session): void {
  const pending = new Set<string>();
  const send = async (uri: string) => {
    pending.delete(uri);
    const settings = await session.settings.of(uri);
    const document = session.documents.get(uri);
    if (!document) return;
    const analysis = settings.engine.analyze(document.tree, fileInfo(uri));
    await session.connection.sendDiagnostics({ uri, version: document.version, diagnostics: diagnostics(analysis, settings.maxFindings) });
  };
  const schedule = (uri: string) => {
    if (pending.has(uri)) return;
    pending.add(uri);
    setTimeout(() => void send(uri).catch((error: Error) => session.connection.console.error(error.message)), 0);
  };
  session.documents.onDidChangeContent(({ document }) => schedule(document.uri));
  session.documents.onDidClose(({ document }) => void session.connection.sendDiagnostics({ uri: document.uri, diagnostics: [] }));
  session.onSettings.push(() => session.documents.keys().forEach(schedule));
}

/**
 * The files of the workspace that are not open. A client asks again as soon as it has its answer, so the request is held
 * until there is news: a file changed, was opened or closed, settings changed.
 */
function serveWorkspace(session: Session): void {
  const { connection } = session;
  let news = 1;
  let wake: (() => void) | null = null;
  const changed = new Set<string>();
  let isListStale = true;
  const tell = () => {
    news++;
    wake?.();
  };
  const searchAgain = () => {
    isListStale = true;
    tell();
  };
  session.onWatched.push((changes) => {
    for (const change of changes) changed.add(change.uri);
    searchAgain();
  });
  session.onTrusted.push(searchAgain);
  session.onFolders.push(searchAgain);
  session.documents.onDidOpen(tell);
  session.documents.onDidClose(({ document }) => {
    changed.add(document.uri);
    tell();
  });
  session.onSettings.push(tell);

  let files: readonly string[] = [];
  /** What was reported: settings revision and a stamp of the content, by URI. */
  const reported = new Map<string, string>();
  let stamp = 0;
  let seen = 0;

  connection.languages.diagnostics.onWorkspace(async (params, token, workDone, partial): Promise<WorkspaceDiagnosticReport> => {
    const known = new Map(params.previousResultIds.map(({ uri, value }) => [uri, value]));
    if (seen === news) await new Promise<void>((resolve) => {
      wake = resolve;
      token.onCancellationRequested(() => resolve());
    });
    wake = null;
    throwIfCancelled(token);
    const current = news;
    if (isListStale) {
      // Before the search, so that what happens meanwhile asks for another.
      isListStale = false;
      files = session.isTrusted ? await session.host.findFiles(session.folders, () => token.isCancellationRequested) : [];
      if (token.isCancellationRequested) isListStale = true;
      throwIfCancelled(token);
    }
    const items: WorkspaceDocumentDiagnosticReport[] = [];
    const isLong = files.length > BATCH;
    if (isLong) workDone.begin('Checking httpd configuration', 0, undefined, true);
    try {
      for (const [index, uri] of files.entries()) {
        throwIfCancelled(token);
        const item = await reportOn(uri, known.get(uri), token);
        if (item) items.push(item);
        if (!isLong || (index + 1) % BATCH !== 0) continue;
        if (partial && items.length > 0) partial.report({ items: items.splice(0) });
        workDone.report(Math.round((index * 100) / files.length), `${index + 1} of ${files.length} files`);
      }
    } finally {
      if (isLong) workDone.done();
    }
    const present = new Set(files);
    for (const uri of known.keys()) if (!present.has(uri) && !session.documents.get(uri)) items.push(empty(uri));
    seen = current;
    return { items };
  });

  /** What there is to say of a file; null where the client knows it, or asks for the file by itself because it is open. */
  async function reportOn(uri: string, knownId: string | undefined, token: CancellationToken): Promise<WorkspaceDocumentDiagnosticReport | null> {
    if (changed.delete(uri)) reported.delete(uri);
    if (session.documents.get(uri)) return null;
    const settings = await session.settings.of(uri);
    if (!settings.workspaceDiagnostics) return knownId === undefined ? null : empty(uri);
    const before = reported.get(uri);
    if (before !== undefined && before.startsWith(`${session.settings.revision}:`) && knownId === before) return null;
    const id = `${session.settings.revision}:${++stamp}`;
    const item = await report(session, uri, id, token);
    reported.set(uri, id);
    return item;
  }
}

async function report(session: Session, uri: string, resultId: string, token: CancellationToken): Promise<WorkspaceDocumentDiagnosticReport> {
  const content = await session.host.readFile(uri);
  throwIfCancelled(token);
  const decoded = 'bytes' in content ? decode(content.bytes) : content;
  if (!('text' in decoded)) return empty(uri);
  const settings = await session.settings.of(uri);
  const analysis = settings.engine.analyze(Tree.parse(decoded.text), fileInfo(uri));
  const items = diagnostics(analysis, settings.maxFindings);
  return { kind: DocumentDiagnosticReportKind.Full, uri, version: null, resultId, items };
}

function empty(uri: string): WorkspaceDocumentDiagnosticReport {
  return { kind: DocumentDiagnosticReportKind.Full, uri, version: null, items: [] };
}
