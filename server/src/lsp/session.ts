/**
 * What all requests of one client share, such as the connection, the documents, the settings and
 * the client's capabilities.
 */
import {
  LSPErrorCodes,
  ResponseError,
  TextDocuments,
  type CancellationToken,
  type Connection,
  type FileEvent,
  type InitializeParams,
} from 'vscode-languageserver';
import type { Analysis, FileInfo } from '../analysis/engine';
import type { CompletionClient } from '../features/completion/completion';
import type { Encoding } from '../features/encodings';
import type { Host } from '../host/host';
import { restrictedHost, type ReadableFolders } from '../host/within';
import type { ConfigDocument } from '../syntax/document';
import { convertPositions, documentClassFor, encodingFor } from './encoding';
import { plainTextPartsOf, canShowMarkdownMessages, type PlainTextParts } from './markup';
import { completionClientOf, isListWith } from './completion-client';
import { ConfigurationRules } from './configuration-rules';
import { newProjectFiles, type ProjectFiles } from './project-files';
import { Workspace } from './workspace';
import { newSettingsStore, type Settings, type SettingsStore } from './settings';
import { isObject } from '../settings/values';
import { asError, type ErrorLog } from './error-log';
import { Scheduler } from './scheduler';

/** The shared objects of one client. The lists of listeners are called in their order. */
export interface Session {
  readonly connection: Connection;
  readonly host: Host;
  readonly documents: TextDocuments<ConfigDocument>;
  readonly settings: SettingsStore;
  readonly projectFiles: ProjectFiles;
  /** The configurations of the workspace. */
  readonly workspace: Workspace;
  /** The scheduler of long work. */
  readonly scheduler: Scheduler;
  /** The rules about whole configurations, and their findings. */
  readonly configurationRules: ConfigurationRules;
  readonly client: ClientAbilities;
  /** The log of internal errors. */
  readonly errorLog: ErrorLog;
  /**
   * Sends a request to the client without waiting for the reply. If the reply is an error, it is
   * only logged.
   */
  sendWithoutWaiting(method: string, send: () => Promise<unknown>): void;
  /** The workspace folders, as URIs. */
  folders: readonly string[];
  /** Whether the user trusts the workspace. If not (restricted mode), only open files are read. */
  isTrusted: boolean;
  /**
   * Whether files outside of the workspace folders may be read: included files can be anywhere.
   * True only if the client has said that the user trusts the workspace. If it says nothing,
   * `isTrusted` is true, and this is false.
   */
  readsOutsideWorkspace: boolean;
  /** The folders that may be read. Null if every file may be read. */
  readableFolders(): ReadableFolders;
  /** Called after the client is initialized. */
  readonly readyListeners: (() => void)[];
  /** Called when folders were added to the workspace or removed from it. */
  readonly folderListeners: (() => void)[];
  /** Called when settings may have changed, after the cached settings were dropped. */
  readonly settingsListeners: (() => void)[];
  /** Called when the user trusts the workspace, after `isTrusted` is set. */
  readonly trustListeners: (() => void)[];
  /** Called once, after the server has computed its first findings. */
  readonly firstFindingsListeners: (() => void)[];
  /** Called after a real httpd has checked a configuration. */
  readonly verificationListeners: (() => void)[];
  /** Called when files changed on the disk that the client watches for this server. */
  readonly fileListeners: ((changes: readonly FileEvent[]) => void)[];
  /** Called at `shutdown`. */
  readonly stopListeners: (() => void)[];
}

/**
 * What the client supports, from its capabilities. A field without a comment tells whether the
 * client has the capability of LSP that its name describes.
 */
export interface ClientAbilities {
  /** How the client counts characters in positions. */
  readonly encoding: Encoding;
  readonly pullsDiagnostics: boolean;
  readonly refreshesDiagnostics: boolean;
  readonly refreshesInlayHints: boolean;
  readonly refreshesCodeLens: boolean;
  readonly supportsDocumentChanges: boolean;
  /** Whether the client's edits can create files. */
  readonly canCreateFiles: boolean;
  readonly answersSettingsRequests: boolean;
  /** Whether the client applies edits that the server sends. */
  readonly appliesEdits: boolean;
  readonly watchesFiles: boolean;
  readonly registersSettingsChanges: boolean;
  readonly reportsFolderChanges: boolean;
  /**
   * Whether the client can request the edit of a code action when the user chooses the action, so
   * that it need not be computed before.
   */
  readonly requestsActionEditsLater: boolean;
  /**
   * Whether the client knows code actions but not their kinds, so that it cannot request a kind.
   */
  readonly knowsNoActionKinds: boolean;
  /** Whether the client shows disabled code actions with a reason. */
  readonly showsDisabledActions: boolean;
  /** Whether the client shows a link to the documentation of a kind of code actions. */
  readonly linksActionDocumentation: boolean;
  /** Whether the client can open an address in a browser. */
  readonly opensAddresses: boolean;
  /** Whether a definition may have the range of the name at the cursor (`LocationLink`). */
  readonly acceptsDefinitionLinks: boolean;
  /** Whether the client accepts nested symbols; other clients get a flat list. */
  readonly acceptsNestedSymbols: boolean;
  /** Whether the client sends prepareRename before the user types a new name. */
  readonly preparesRename: boolean;
  /** Whether the client shows the related places of a diagnostic. */
  readonly showsRelatedPlaces: boolean;
  /** Whether the client is our own extension, which has more commands and views than LSP. */
  readonly isOurClient: boolean;
  readonly completion: CompletionClient;
  /** For which requests the client shows plain text only. */
  readonly plainTextParts: PlainTextParts;
  /** Whether the client shows Markdown in the messages of diagnostics. */
  readonly showsMarkdownMessages: boolean;
}

/** What a session is made from. `params`: the parameters of `initialize`. */
export interface SessionOptions {
  readonly connection: Connection;
  readonly host: Host;
  readonly params: InitializeParams;
  readonly errorLog: ErrorLog;
}

/** Makes the session when the client sends `initialize`. */
export function newSession({ connection, host: unrestrictedHost, params, errorLog }: SessionOptions): Session {
  const { capabilities } = params;
  const options = readClientOptions(params.initializationOptions);
  const refreshesDiagnostics = capabilities.workspace?.diagnostics?.refreshSupport === true;
  // Findings about whole configurations are ready only after the first request. A client that
  // cannot be asked to request again (Neovim 0.10 to 0.12) gets all diagnostics sent instead; a
  // client that does not accept that either waits longer for its first reply.
  const pullsDiagnostics =
    capabilities.textDocument?.diagnostic !== undefined &&
    (refreshesDiagnostics || capabilities.textDocument.publishDiagnostics === undefined);
  const client: ClientAbilities = {
    encoding: encodingFor(capabilities),
    pullsDiagnostics,
    showsMarkdownMessages: canShowMarkdownMessages(capabilities),
    refreshesInlayHints: capabilities.workspace?.inlayHint?.refreshSupport === true,
    refreshesCodeLens: capabilities.workspace?.codeLens?.refreshSupport === true,
    refreshesDiagnostics,
    supportsDocumentChanges: capabilities.workspace?.workspaceEdit?.documentChanges === true,
    canCreateFiles:
      capabilities.workspace?.applyEdit === true &&
      isListWith(capabilities.workspace.workspaceEdit?.resourceOperations, 'create'),
    answersSettingsRequests: capabilities.workspace?.configuration === true,
    appliesEdits: capabilities.workspace?.applyEdit === true,
    watchesFiles: capabilities.workspace?.didChangeWatchedFiles?.dynamicRegistration === true,
    registersSettingsChanges: capabilities.workspace?.didChangeConfiguration?.dynamicRegistration === true,
    reportsFolderChanges: capabilities.workspace?.workspaceFolders === true,
    requestsActionEditsLater:
      isListWith(capabilities.textDocument?.codeAction?.resolveSupport?.properties, 'edit') &&
      capabilities.textDocument?.codeAction?.dataSupport === true,
    knowsNoActionKinds:
      capabilities.textDocument?.codeAction?.codeActionLiteralSupport?.codeActionKind?.valueSet?.length === 0,
    showsDisabledActions: capabilities.textDocument?.codeAction?.disabledSupport === true,
    linksActionDocumentation: capabilities.textDocument?.codeAction?.documentationSupport === true,
    opensAddresses: capabilities.window?.showDocument?.support === true,
    acceptsDefinitionLinks: capabilities.textDocument?.definition?.linkSupport === true,
    acceptsNestedSymbols: capabilities.textDocument?.documentSymbol?.hierarchicalDocumentSymbolSupport === true,
    preparesRename: capabilities.textDocument?.rename?.prepareSupport === true,
    showsRelatedPlaces:
      (capabilities.textDocument?.diagnostic?.relatedInformation ??
        capabilities.textDocument?.publishDiagnostics?.relatedInformation) === true,
    isOurClient: options.isOurClient,
    completion: completionClientOf(capabilities, options.isOurClient),
    plainTextParts: plainTextPartsOf(capabilities),
  };
  // These functions are called later, when `session` exists.
  const host = restrictedHost(unrestrictedHost, () => session.readableFolders());
  const projectFiles = newProjectFiles({
    connection,
    host,
    folders: () => session.folders,
    isTrusted: () => session.isTrusted,
  });
  const scheduler = new Scheduler();
  const workspace = new Workspace({
    host,
    scheduler,
    canCorrectReplyLater: client.refreshesDiagnostics || !client.pullsDiagnostics,
    folders: () => session.folders,
    isTrusted: () => session.isTrusted,
    documents: () => session.documents.all(),
    settingsOf: (uri) => session.settings.settingsOf(uri),
    reportError: (what, error) => errorLog.report(what, error),
    reportIgnoredSetting: (what) =>
      errorLog.note(`${what} leads out of the folder of its settings, and is not used. Set it in your user settings.`),
  });
  const session: Session = {
    connection,
    host,
    documents: new TextDocuments(documentClassFor(client.encoding)),
    settings: newSettingsStore({
      connection,
      canRequestSettings: client.answersSettingsRequests,
      initialSettings: options.settings,
      isOurClient: options.isOurClient,
      projectFiles,
      errorLog,
      // Both functions read the files of the directory, so they must not run in restricted mode.
      isConverted: (folder) => session.isTrusted && host.isConverted?.(folder) === true,
      isUpgraded: (folder) => session.isTrusted && host.isUpgraded?.(folder) === true,
      onLateReply: () => session.settingsListeners.forEach((listener) => listener()),
    }),
    projectFiles,
    workspace,
    scheduler,
    configurationRules: new ConfigurationRules({
      host,
      workspace,
      isTrusted: () => session.isTrusted,
      canWrite: () => canWriteFiles(session),
      readableFolders: () => session.readableFolders(),
      documentOf: (uri) => session.documents.get(uri),
      settingsOf: (uri) => session.settings.settingsOf(uri),
      reportError: (error) => errorLog.report('the look at whole configurations', error),
      onRuleFailure: (rule, error) => errorLog.report(`the rule ${rule}`, error),
      scheduler,
      startProgress: async (title) => {
        const progress = await connection.window.createWorkDoneProgress();
        progress.begin(title, 0);
        return progress;
      },
    }),
    client,
    errorLog,
    sendWithoutWaiting(method, send) {
      send().catch((error: unknown) =>
        errorLog.note(`The client answers ${method} with an error: ${asError(error).message}`),
      );
    },
    folders: foldersFromClient(params, host),
    isTrusted: options.isTrusted !== false,
    readsOutsideWorkspace: options.isTrusted === true,
    readableFolders: () =>
      session.readsOutsideWorkspace
        ? null
        : session.folders.flatMap((uri) => unrestrictedHost.pathOf?.(uri.replace(/\/$/, '')) ?? []),
    readyListeners: [],
    folderListeners: [],
    settingsListeners: [],
    trustListeners: [],
    firstFindingsListeners: [],
    fileListeners: [],
    verificationListeners: [],
    stopListeners: [],
  };
  convertPositions(connection, client.encoding, {
    openTree: (uri) => session.documents.get(uri)?.tree,
    async closedTree(uri) {
      const path = workspace.pathOf(uri);
      return path === null ? null : ((await workspace.readClosedFile(path))?.tree ?? null);
    },
  });
  keepWorkspaceCurrent(session);
  return session;
}

/**
 * Whether the server can change files, open or not: the workspace is trusted, the client applies
 * edits, and the host can write.
 */
export function canWriteFiles({ isTrusted, client, host }: Session): boolean {
  return isTrusted && client.appliesEdits && host.change !== undefined;
}

/**
 * The paths of the folders in which files may be written. A symbolic link or a plan cannot make
 * this program write outside of them.
 */
export function writableFolders({ host, folders }: Session): string[] {
  return folders.flatMap((folder) => host.pathOf?.(folder.replace(/\/$/, '')) ?? []);
}

/** What the client sends in `initializationOptions`. */
interface ClientOptions {
  /** Whether the user trusts the workspace; undefined if the client does not tell. */
  readonly isTrusted: boolean | undefined;
  /** Whether the client is our own, which has the commands of the code actions. */
  readonly isOurClient: boolean;
  /** The settings that the client sent at the start, without the prefix `httpdUpgrade.`. */
  readonly settings: Record<string, unknown>;
}

/**
 * Reads `initializationOptions`: `{ "trusted": true, "settings": { "target": "2.4.57" } }`. The
 * settings may also be under `httpdUpgrade`, as in editors.
 */
function readClientOptions(initializationOptions: unknown): ClientOptions {
  const options = isObject(initializationOptions) ? initializationOptions : {};
  const settings = [options.settings, options.httpdUpgrade].find(isObject) ?? {};
  return {
    isTrusted: typeof options.trusted === 'boolean' ? options.trusted : undefined,
    isOurClient: options.client === 'httpd-upgrade',
    settings: isObject(settings.httpdUpgrade) ? settings.httpdUpgrade : settings,
  };
}

/**
 * The workspace folders, as URIs. Clients send them in one of three parameters; the newest takes
 * precedence.
 */
function foldersFromClient({ workspaceFolders, rootUri, rootPath }: InitializeParams, host: Host): string[] {
  const folders = (Array.isArray(workspaceFolders) ? workspaceFolders : []).flatMap((folder: unknown) =>
    isObject(folder) && typeof folder.uri === 'string' ? [folder.uri] : [],
  );
  if (folders.length > 0) return folders;
  if (typeof rootUri === 'string' && rootUri !== '') return [rootUri];
  return typeof rootPath === 'string' && rootPath !== '' && host.uriOf ? [host.uriOf(rootPath)] : [];
}

/**
 * Registers the listeners of the workspace and of the rules about whole configurations. Called
 * before the requests register theirs, so these listeners run first.
 */
function keepWorkspaceCurrent({
  connection,
  workspace,
  scheduler,
  configurationRules,
  documents,
  folderListeners,
  settingsListeners,
  trustListeners,
  fileListeners,
  stopListeners,
}: Session): void {
  folderListeners.push(() => workspace.searchAgain());
  trustListeners.push(() => workspace.readForbiddenFiles());
  settingsListeners.push(() => workspace.handleSettingsChange());
  fileListeners.push((changes) => workspace.handleFileChanges(changes));
  documents.onDidOpen(() => workspace.handleDocumentChange());
  documents.onDidClose(() => workspace.handleDocumentChange());
  workspace.onContextsChanged(() => configurationRules.scheduleCheck());
  settingsListeners.push(() => configurationRules.scheduleCheck());
  connection.onShutdown(() => {
    workspace.stop();
    configurationRules.stop();
    for (const listener of stopListeners) listener();
  });
  documents.onDidChangeContent(({ document }) => {
    scheduler.expectRequest();
    if (workspace.models.length > 0) configurationRules.scheduleCheck(document.tree.length);
  });
}

/**
 * An open document with its findings, the settings for it, and the facts about its place in a
 * configuration.
 */
export interface AnalyzedDocument {
  readonly document: ConfigDocument;
  readonly analysis: Analysis;
  readonly settings: Settings;
  readonly fileInfo: FileInfo;
}

/**
 * Returns the open document with its findings; null if it is not open. Throws if the request is
 * cancelled. `maxWaitMs`: milliseconds to wait for a walk through the configurations (see
 * `Workspace.fileInfoFor`).
 */
export async function analyzedDocument(
  session: Session,
  uri: string,
  token: CancellationToken,
  maxWaitMs?: number,
): Promise<AnalyzedDocument | null> {
  const openFile = await documentWithFileInfo(session, uri, token, maxWaitMs);
  return (
    openFile && { ...openFile, analysis: openFile.settings.engine.analyze(openFile.document.tree, openFile.fileInfo) }
  );
}

/**
 * Returns the open document with its settings and the facts about its place in a configuration, but
 * without findings. Null if it is not open, or was closed meanwhile. Throws if the request is
 * cancelled. `maxWaitMs` as for `analyzedDocument`.
 */
export async function documentWithFileInfo(
  session: Session,
  uri: string,
  token: CancellationToken,
  maxWaitMs?: number,
): Promise<Omit<AnalyzedDocument, 'analysis'> | null> {
  // Lets a cancellation that has arrived take effect: after several quick key presses, only the
  // last request goes on.
  await new Promise<void>((resolve) => setTimeout(resolve, 0));
  throwIfCancelled(token);
  const settings = await session.settings.settingsOf(uri);
  const document = session.documents.get(uri);
  throwIfCancelled(token);
  if (!document) return null;
  const fileInfo = await session.workspace.fileInfoFor(document, maxWaitMs);
  session.scheduler.stopExpectingRequest();
  throwIfCancelled(token);
  return session.documents.get(uri) === document ? { document, settings, fileInfo } : null;
}

/**
 * Returns the open document with its settings, for requests that need neither other files nor
 * findings. Does not wait for a walk through the configurations. Null if the document is not open.
 * Throws if the request is cancelled.
 */
export async function documentWithSettings(
  session: Session,
  uri: string,
  token: CancellationToken,
): Promise<Pick<AnalyzedDocument, 'document' | 'settings'> | null> {
  const settings = await session.settings.settingsOf(uri);
  throwIfCancelled(token);
  const document = session.documents.get(uri);
  return document ? { document, settings } : null;
}

/**
 * Waits for the work and returns its result. Throws as soon as the request is cancelled; the work
 * itself continues.
 */
export async function waitUnlessCancelled<T>(work: Promise<T>, token: CancellationToken): Promise<T> {
  throwIfCancelled(token);
  let stopListening = (): void => undefined;
  const cancellation = new Promise<never>((_, reject) => {
    const cancellationListener = token.onCancellationRequested(() =>
      reject(new ResponseError(LSPErrorCodes.RequestCancelled, 'cancelled')),
    );
    stopListening = () => cancellationListener.dispose();
  });
  return Promise.race([work, cancellation]).finally(stopListening);
}

/** Throws the error of the protocol for cancelled requests, if the request is cancelled. */
export function throwIfCancelled(token: CancellationToken): void {
  if (token.isCancellationRequested) throw new ResponseError(LSPErrorCodes.RequestCancelled, 'cancelled');
}
