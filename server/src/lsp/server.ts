/**
 * The language server, for any connection (stdio, IPC, a web worker). Each request is in a file of
 * its own; this file registers them.
 */
import {
  DidChangeConfigurationNotification,
  DidChangeWatchedFilesNotification,
  TextDocumentSyncKind,
  WatchKind,
  type Connection,
  type ConnectionOptions,
  type InitializeParams,
  type InitializeResult,
} from 'vscode-languageserver';
import { PROJECT_FILE } from '../settings/project-file';
import { TRIGGER_CHARACTERS } from '../features/completion/completion';
import { ON_TYPE_TRIGGERS } from '../features/format-on-type';
import type { Host } from '../host/host';
import { documentationFor } from './action-documentation';
import { serveClosingTag } from './closing-tag';
import { CODE_ACTION_KINDS, serveCodeActions } from './code-actions';
import { serveCompletion } from './completion';
import { serveCallHierarchy } from './call-hierarchy';
import { serveCodeLens } from './code-lens';
import { COMMAND_NAMES, serveCommands } from './commands';
import { serveConversions } from './conversions';
import { serveDiagnostics, WATCHED_PATTERNS } from './diagnostics';
import { FILE_RENAME_FILTER, serveFileRenames } from './file-renames';
import { serveHighlight } from './highlight';
import { serveFormatting } from './formatting';
import { serveHover } from './hover';
import { serveLinkedEditing } from './linked-editing';
import { serveInlayHints } from './inlay-hints';
import { serveOutline } from './outline';
import { serveNavigation } from './navigation';
import { servePlans } from './plans';
import { serveReferences } from './references';
import { serveRename } from './rename';
import { serveRulePages } from './rule-pages';
import { serveSelectionRanges } from './selection-ranges';
import { SEMANTIC_TOKENS_CAPABILITY, serveSemanticTokens } from './semantic-tokens';
import { serveSignatureHelp, SIGNATURE_TRIGGERS } from './signature-help';
import { serveTarget } from './target';
import { addErrorBoundary } from './error-boundary';
import { newMessageValidator } from './messages';
import { newSession, type Session } from './session';
import { ErrorLog } from './error-log';
import { serveVerify, type Verify } from './verify';
import { serveWorkspaceSymbols } from './workspace-symbols';
import { CONTENT_SCHEMES, serveTextContents } from './text-contents';

/** What differs between a process, a web worker and tests. */
export interface ServerOptions {
  /** The version of this program. */
  readonly version: string;
  readonly connect: (options: ConnectionOptions) => Connection;
  /**
   * Makes the host. `isOffDisk`: whether the workspace is not on a disk, and our own client sends
   * its files.
   */
  readonly makeHost: (connection: Connection, isOffDisk: boolean) => Host;
  /** Runs a real httpd; undefined if this machine cannot start processes. */
  readonly verify?: Verify;
}

/** Whether the client is our own, and none of its workspace folders is on a disk. */
function hasWorkspaceOffDisk({ workspaceFolders, initializationOptions }: InitializeParams): boolean {
  const folders = Array.isArray(workspaceFolders) ? workspaceFolders : [];
  const isOurClient = (initializationOptions as { client?: unknown } | null | undefined)?.client === 'httpd-upgrade';
  return isOurClient && folders.length > 0 && folders.every((folder) => !/^file:/i.test(String(folder?.uri)));
}

/**
 * Serves until the connection ends. Returns the log for errors that occur outside of any request.
 */
export function startServer({ version, connect, makeHost, verify }: ServerOptions): ErrorLog {
  const validator = newMessageValidator();
  const connection = connect({ messageStrategy: validator.messageStrategy });
  const errorLog = new ErrorLog((message) => connection.console.error(message));
  addErrorBoundary(connection, errorLog);
  validator.attach(connection, errorLog);
  connection.onInitialize((params: InitializeParams): InitializeResult => {
    const host = makeHost(connection, hasWorkspaceOffDisk(params));
    const session = newSession({ connection, host, params, errorLog });
    registerHandlers(session, { version, verify });
    return {
      serverInfo: { name: 'httpd-upgrade', version },
      capabilities: {
        positionEncoding: session.client.encoding,
        textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental },
        hoverProvider: true,
        definitionProvider: true,
        referencesProvider: true,
        workspaceSymbolProvider: true,
        codeLensProvider: { resolveProvider: true },
        callHierarchyProvider: true,
        documentHighlightProvider: true,
        renameProvider: session.client.preparesRename ? { prepareProvider: true } : true,
        documentLinkProvider: {},
        documentSymbolProvider: { label: 'httpd' },
        foldingRangeProvider: true,
        inlayHintProvider: true,
        selectionRangeProvider: true,
        linkedEditingRangeProvider: true,
        semanticTokensProvider: session.client.isOurClient ? undefined : SEMANTIC_TOKENS_CAPABILITY,
        documentFormattingProvider: true,
        documentRangeFormattingProvider: { rangesSupport: true },
        documentOnTypeFormattingProvider: {
          firstTriggerCharacter: ON_TYPE_TRIGGERS.first,
          moreTriggerCharacter: [...ON_TYPE_TRIGGERS.more],
        },
        completionProvider: {
          triggerCharacters: TRIGGER_CHARACTERS,
          resolveProvider: true,
          completionItem: { labelDetailsSupport: true },
        },
        signatureHelpProvider: { triggerCharacters: SIGNATURE_TRIGGERS },
        codeActionProvider: {
          codeActionKinds: CODE_ACTION_KINDS,
          resolveProvider: true,
          ...(session.client.linksActionDocumentation && { documentation: documentationFor(session) }),
        },
        // Our own client implements these commands itself, and shows more than the protocol can.
        executeCommandProvider: session.client.isOurClient ? undefined : { commands: [...COMMAND_NAMES] },
        diagnosticProvider: session.client.pullsDiagnostics
          ? { identifier: 'httpd-upgrade', interFileDependencies: true, workspaceDiagnostics: true }
          : undefined,
        workspace: {
          workspaceFolders: { supported: true, changeNotifications: true },
          fileOperations: { willRename: FILE_RENAME_FILTER, didRename: FILE_RENAME_FILTER },
          // Our own client requests these texts with requests of its own.
          textDocumentContent: session.client.isOurClient ? undefined : { schemes: CONTENT_SCHEMES },
        },
      },
    };
  });
  connection.listen();
  return errorLog;
}

/** Registers the handlers of all requests and notifications. */
function registerHandlers(session: Session, { version, verify }: Pick<ServerOptions, 'version' | 'verify'>): void {
  const { connection } = session;
  serveDiagnostics(session);
  serveCodeActions(session);
  const plans = servePlans(session, version);
  serveCommands(session, { plans, verify, convert: serveConversions(session, plans) });
  serveHover(session);
  serveOutline(session);
  serveInlayHints(session);
  serveCompletion(session);
  serveSignatureHelp(session);
  serveNavigation(session);
  serveReferences(session);
  serveHighlight(session);
  serveRename(session);
  serveFileRenames(session);
  serveWorkspaceSymbols(session);
  serveCodeLens(session);
  serveCallHierarchy(session);
  serveRulePages(session);
  serveTextContents(session, plans);
  serveTarget(session);
  serveClosingTag(session);
  serveFormatting(session);
  serveSelectionRanges(session);
  serveLinkedEditing(session);
  serveSemanticTokens(session);
  serveVerify(session, plans, verify);
  session.documents.listen(connection);
  const handleSettingsChange = (pushedSettings?: unknown) => {
    session.settings.dropCache(pushedSettings);
    for (const listener of session.settingsListeners) listener();
  };
  connection.onDidChangeConfiguration(({ settings }) => handleSettingsChange(settings));
  connection.onDidChangeWatchedFiles(({ changes }) => {
    if (session.projectFiles.handleChanges(changes)) handleSettingsChange();
    for (const listener of session.fileListeners) listener(changes);
  });
  connection.onNotification('httpdUpgrade/ran', ({ commands }: { commands: readonly string[] }) => {
    session.configurationRules.setDoneTasks(commands);
    // If done tasks have enabled modules, httpd may now accept files that it did not accept before.
    for (const listener of session.verificationListeners) listener();
  });
  connection.onNotification('httpdUpgrade/trusted', () => {
    session.isTrusted = true;
    session.readsOutsideWorkspace = true;
    handleSettingsChange();
    for (const listener of session.trustListeners) listener();
  });
  connection.onInitialized(() => {
    for (const listener of session.readyListeners) listener();
    if (session.client.registersSettingsChanges) {
      session.sendWithoutWaiting('client/registerCapability', () =>
        connection.client.register(DidChangeConfigurationNotification.type, { section: 'httpdUpgrade' }),
      );
    }
    if (session.client.watchesFiles) {
      const watchers = [...WATCHED_PATTERNS, `**/${PROJECT_FILE}`].map((globPattern) => ({ globPattern }));
      // For a created folder, the client reports only the folder, which can have any name.
      const anyFile = { globPattern: '**/*', kind: WatchKind.Create | WatchKind.Delete };
      session.sendWithoutWaiting('client/registerCapability', () =>
        connection.client.register(DidChangeWatchedFilesNotification.type, { watchers: [...watchers, anyFile] }),
      );
    }
    if (session.client.reportsFolderChanges) {
      connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
        const removedUris = new Set(removed.map((folder) => folder.uri));
        session.folders = [
          ...session.folders.filter((uri) => !removedUris.has(uri)),
          ...added.map((folder) => folder.uri),
        ];
        for (const listener of session.folderListeners) listener();
      });
    }
  });
}
