/** The language server over any connection: stdio, IPC, a web worker. One file per request; this one only introduces them. */
import {
  DidChangeConfigurationNotification, TextDocumentSyncKind, type Connection, type InitializeParams, type InitializeResult,
} from 'vscode-languageserver';
import type { Host } from '../host/host';
import { CODE_ACTION_KINDS, serveCodeActions } from './code-actions';
import { serveDiagnostics } from './diagnostics';
import { serveHover } from './hover';
import { serveOutline } from './outline';
import { serveRulePages } from './rule-pages';
import { newSession, type Session } from './session';

/** Serves until the connection ends. */
export function startServer(connection: Connection, host: Host): void {
  connection.onInitialize((params: InitializeParams): InitializeResult => {
    const session = newSession(connection, host, params);
    serve(session);
    return {
      serverInfo: { name: 'httpd-upgrade' },
      capabilities: {
        textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental },
        hoverProvider: true,
        documentSymbolProvider: { label: 'httpd' },
        foldingRangeProvider: true,
        codeActionProvider: { codeActionKinds: CODE_ACTION_KINDS, resolveProvider: true },
        diagnosticProvider: session.client.pullsDiagnostics
          ? { identifier: 'httpd-upgrade', interFileDependencies: false, workspaceDiagnostics: true }
          : undefined,
        workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
      },
    };
  });
  connection.listen();
}

function serve(session: Session): void {
  const { connection } = session;
  serveDiagnostics(session);
  serveCodeActions(session);
  serveHover(session);
  serveOutline(session);
  serveRulePages(session);
  session.documents.listen(connection);
  connection.onDidChangeConfiguration(({ settings }) => {
    session.settings.drop(settings);
    if (session.client.refreshesDiagnostics) void connection.languages.diagnostics.refresh();
    for (const listener of session.onSettings) listener();
  });
  connection.onInitialized(() => {
    for (const listener of session.onReady) listener();
    if (session.client.registersConfiguration) {
      void connection.client.register(DidChangeConfigurationNotification.type, { section: 'httpdUpgrade' });
    }
    if (session.client.foldersChange) {
      connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
        const gone = new Set(removed.map((folder) => folder.uri));
        session.folders = [...session.folders.filter((uri) => !gone.has(uri)), ...added.map((folder) => folder.uri)];
        for (const listener of session.onFolders) listener();
      });
    }
  });
}
