/** `textDocument/diagnostic`, `workspace/diagnostic`, and publishing for clients that do not ask. */
import {
  DocumentDiagnosticReportKind, type Diagnostic, type DiagnosticRelatedInformation, type DocumentDiagnosticReport,
  type WorkspaceDiagnosticReport, type WorkspaceDocumentDiagnosticReport, type WorkspaceFullDocumentDiagnosticReport,
} from 'vscode-languageserver';
import type { Analysis } from '../analysis/engine';
import { digestOf } from '../config/digest';
import { OWN_FILE } from '../config/own-uses';
import { diagnostics, type PlaceOf } from '../features/diagnostics';
import { includedFrom, rowNow } from '../features/navigation';
import { opened, throwIfCancelled, type Session } from './session';
import type { Settings } from './settings';
import type { WorkspaceFile } from './workspace';

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
    const { uri } = params.textDocument;
    const found = await opened(session, uri, token);
    if (!found) return { kind: DocumentDiagnosticReportKind.Full, items: [] };
    const { document, settings, file } = found;
    // The version stands for every position in the file, the revision for every setting, the rest for what other files say.
    const resultId = `${document.version}:${session.settings.revision}:${stampOf(session, uri)}`;
    if (params.previousResultId === resultId) return { kind: DocumentDiagnosticReportKind.Unchanged, resultId };
    return { kind: DocumentDiagnosticReportKind.Full, resultId, items: itemsOf(session, uri, settings.engine.analyze(document.tree, file), settings) };
  });
  // What is said of an open file may change by what happens elsewhere: then the client has to ask again.
  const refresh = (changed: ReadonlySet<string>) => {
    if (session.client.refreshesDiagnostics && openAmong(session, changed).length > 0) void connection.languages.diagnostics.refresh();
  };
  session.workspace.onChanged(refresh);
  session.configurationRules.onChanged(refresh);
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
    const file = await session.workspace.infoOf(document);
    session.turns.answered();
    if (session.documents.get(uri) !== document) return;
    const analysis = settings.engine.analyze(document.tree, file);
    await session.connection.sendDiagnostics({ uri, version: document.version, diagnostics: itemsOf(session, uri, analysis, settings) });
  };
  const schedule = (uri: string) => {
    if (pending.has(uri)) return;
    pending.add(uri);
    setTimeout(() => void send(uri).catch((error: Error) => session.connection.console.error(error.message)), 0);
  };
  session.documents.onDidChangeContent(({ document }) => schedule(document.uri));
  session.documents.onDidClose(({ document }) => void session.connection.sendDiagnostics({ uri: document.uri, diagnostics: [] }));
  session.onSettings.push(() => session.documents.keys().forEach(schedule));
  session.workspace.onChanged((changed) => openAmong(session, changed).forEach(schedule));
  session.configurationRules.onChanged((changed) => openAmong(session, changed).forEach(schedule));
}

/** The open documents among files, by their paths without links. */
function openAmong(session: Session, paths: ReadonlySet<string>): string[] {
  return session.documents.keys().filter((uri) => {
    const path = session.workspace.identityOf(uri);
    return path !== null && paths.has(path);
  });
}

/** The Include lines that bring a file into sections, or in more than once: what is found may depend on them. */
function includedFromOf(session: Session, uri: string): DiagnosticRelatedInformation[] {
  const { workspace } = session;
  const path = session.client.relatesPlaces && session.isTrusted ? workspace.identityOf(uri) : null;
  if (path === null) return [];
  const nodes = workspace.models.flatMap((model) => includedFrom(model, path));
  return nodes.slice(0, MAX_INCLUDED_FROM).map(({ file, line, row, within }) => {
    const start = { line: rowNow(workspace.digestOf(file), line, row), character: 0 };
    return { location: { uri: workspace.uriFor(file), range: { start, end: start } }, message: `included here${within.length > 0 ? `, in ${within.join(' ')}` : ''}` };
  });
}

/** The lines of macros that a finding about their use names. */
function placeOf({ client, workspace }: Session, uri: string, { tree }: Analysis): PlaceOf {
  if (!client.relatesPlaces) return () => null;
  return ({ file, line, row, rows }) => {
    const isOwn = file === OWN_FILE || file === workspace.identityOf(uri);
    const digest = isOwn ? digestOf(tree.root) : workspace.digestOf(file);
    return { uri: isOwn ? uri : workspace.uriFor(file), row: rowNow(digest, line, row) + rows };
  };
}

/** So many places are named with a finding. */
const MAX_INCLUDED_FROM = 4;

function stampOf({ workspace, configurationRules }: Session, uri: string): string {
  const path = workspace.identityOf(uri);
  return path === null ? '' : `${workspace.stampOf(path)}:${configurationRules.stampOf(path)}`;
}

/** What there is to say of a file, by itself and as a part of its configuration. */
function itemsOf(session: Session, uri: string, analysis: Analysis, { maxFindings }: Settings): Diagnostic[] {
  for (const listener of session.onAnswered.splice(0)) setTimeout(listener, 0);
  const own = diagnostics(analysis, maxFindings, includedFromOf(session, uri), placeOf(session, uri, analysis));
  return session.configurationRules.together(session.workspace.identityOf(uri), analysis.tree, own, maxFindings);
}

/**
 * The files of the workspace that are not open. A client asks again as soon as it has its answer, so the request is held
 * until there is news: a file changed, was opened or closed, settings changed, or another file says something else of it.
 */
function serveWorkspace(session: Session): void {
  const { connection, workspace } = session;
  let news = 1;
  let seen = 0;
  let wake: (() => void) | null = null;
  let isSettling = false;
  const tell = () => {
    news++;
    wake?.();
  };
  workspace.onStale(tell);
  session.onTrusted.push(tell);
  session.onFolders.push(tell);
  session.documents.onDidOpen(tell);
  session.documents.onDidClose(tell);
  session.onSettings.push(tell);
  workspace.onChanged((changed) => {
    // What this request itself has found out is no news, and neither is what open files are asked for by themselves.
    if (!isSettling && [...changed].some((path) => !workspace.isOpen(path))) tell();
  });

  session.configurationRules.onChanged((changed) => {
    if ([...changed].some((path) => !workspace.isOpen(path))) tell();
  });

  connection.languages.diagnostics.onWorkspace(async (params, token, workDone, partial): Promise<WorkspaceDiagnosticReport> => {
    const known = new Map(params.previousResultIds.map(({ uri, value }) => [uri, value]));
    if (seen === news) await new Promise<void>((resolve) => {
      wake = resolve;
      token.onCancellationRequested(() => resolve());
    });
    wake = null;
    throwIfCancelled(token);
    const current = news;
    let hasBegun = false;
    const begin = () => {
      if (!hasBegun) workDone.begin('Checking httpd configuration', 0, undefined, true);
      hasBegun = true;
    };
    const items: WorkspaceDocumentDiagnosticReport[] = [];
    try {
      isSettling = true;
      const settled = workspace.settle((done, total) => {
        begin();
        workDone.report(Math.round((done * 50) / total), `${done} of ${total} files read`);
      });
      await Promise.race([settled, new Promise<void>((resolve) => token.onCancellationRequested(() => resolve()))]);
      isSettling = false;
      throwIfCancelled(token);
      const files = session.isTrusted ? workspace.all() : [];
      const half = hasBegun ? 50 : 0;
      if (files.length > BATCH) begin();
      for (const [index, file] of files.entries()) {
        // Promises alone let nobody else have a turn: neither a keystroke nor a cancellation.
        if (session.turns.isOver) await session.turns.pause();
        throwIfCancelled(token);
        const item = await reportOn(session, file, known.get(file.uri));
        if (item) items.push(item);
        if (!hasBegun || (index + 1) % BATCH !== 0) continue;
        if (partial && items.length > 0) partial.report({ items: items.splice(0) });
        workDone.report(half + Math.round((index * (100 - half)) / files.length), `${index + 1} of ${files.length} files`);
      }
      const present = new Set(files.map(({ uri }) => uri));
      for (const uri of known.keys()) if (!present.has(uri) && !session.documents.get(uri)) items.push(empty(uri));
    } finally {
      isSettling = false;
      if (hasBegun) workDone.done();
    }
    seen = current;
    return { items };
  });
}

/** What there is to say of a file; null where the client knows it, or asks for the file by itself because it is open. */
async function reportOn(session: Session, { uri, path }: WorkspaceFile, knownId: string | undefined): Promise<WorkspaceDocumentDiagnosticReport | null> {
  if (session.documents.get(uri) || session.workspace.isOpen(path)) return null;
  const settings = await session.settings.of(uri);
  if (!settings.workspaceDiagnostics) return knownId === undefined ? null : empty(uri);
  const resultId = `${session.settings.revision}:${session.workspace.stampOf(path)}:${session.configurationRules.stampOf(path)}`;
  if (knownId === resultId) return null;
  const file = await session.workspace.closed(path);
  if (!file) return { ...empty(uri), resultId };
  const items = itemsOf(session, uri, settings.engine.analyze(file.tree, file.info), settings);
  return { kind: DocumentDiagnosticReportKind.Full, uri, version: null, resultId, items };
}

function empty(uri: string): WorkspaceFullDocumentDiagnosticReport {
  return { kind: DocumentDiagnosticReportKind.Full, uri, version: null, items: [] };
}
