/**
 * Data that all requests share: the connection, the documents, the settings, the client's
 * capabilities.
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
import { hostWithin, type ReadableFolders } from '../host/within';
import type { ConfigDocument } from '../syntax/document';
import { convertPositions, documentsIn, encodingFor } from './encoding';
import { plainFor, takesMarkupMessages, type PlainTextParts } from './markup';
import { completionClient, lists } from './completion-client';
import { ConfigurationRules } from './configuration-rules';
import { projectFiles, type ProjectFiles } from './project-files';
import { Workspace } from './workspace';
import { settingsStore, type Settings, type SettingsStore } from './settings';
import { isObject } from '../settings/values';
import { asError, type ErrorLog } from './error-log';
import { Turns } from './scheduler';

export interface Session {
  readonly connection: Connection;
  readonly host: Host;
  readonly documents: TextDocuments<ConfigDocument>;
  readonly settings: SettingsStore;
  readonly projects: ProjectFiles;
  /** The configurations of the workspace. */
  readonly workspace: Workspace;
  /** The scheduler of long work. */
  readonly turns: Turns;
  /** The findings of rules about whole configurations. */
  readonly configurationRules: ConfigurationRules;
  readonly client: ClientAbilities;
  /** The log of internal errors. */
  readonly errorLog: ErrorLog;
  /** Sends a request to the client without waiting. An error in the answer affects nothing else. */
  ask(method: string, send: () => Promise<unknown>): void;
  /** Folders of the workspace, as URIs. */
  folders: readonly string[];
  /** False in restricted mode: then only open files are read. */
  isTrusted: boolean;
  /**
   * The user trusts the workspace: included files are read anywhere. Otherwise nothing outside of
   * its folders is looked at.
   */
  looksOutside: boolean;
  /** The folders to which reading is restricted. */
  within(): ReadableFolders;
  /** Run after the client is initialized. */
  readonly onReady: (() => void)[];
  /** Run when folders were added to the workspace or removed from it. */
  readonly onFolders: (() => void)[];
  /** Run when settings may have changed, after the old ones are dropped. */
  readonly onSettings: (() => void)[];
  /** Run when the user trusts the workspace, after that is recorded. */
  readonly onTrusted: (() => void)[];
  /** Run once, after the first findings of a file. */
  readonly onAnswered: (() => void)[];
  /** Run after a real httpd has read a configuration. */
  readonly onVerified: (() => void)[];
  /** Run when files changed on disk that the client watches for this server. */
  readonly onWatched: ((changes: readonly FileEvent[]) => void)[];
  /** Run at `shutdown`. */
  readonly onStop: (() => void)[];
}

export interface ClientAbilities {
  /** The position encoding. */
  readonly encoding: Encoding;
  readonly pullsDiagnostics: boolean;
  readonly refreshesDiagnostics: boolean;
  readonly refreshesInlayHints: boolean;
  readonly refreshesCodeLens: boolean;
  readonly documentChanges: boolean;
  /** Whether edits of the client may create files. */
  readonly createsFiles: boolean;
  readonly configuration: boolean;
  /** Whether the client accepts edits from the server. */
  readonly appliesEdits: boolean;
  readonly watchesFiles: boolean;
  readonly registersConfiguration: boolean;
  readonly foldersChange: boolean;
  /** Whether the client resolves the edits of code actions later. */
  readonly resolvesEdits: boolean;
  /**
   * Whether the client accepts code actions but knows no kinds, so that it cannot request a kind.
   */
  readonly knowsNoKinds: boolean;
  /** Whether the client shows disabled code actions with a reason. */
  readonly disabledActions: boolean;
  /** Whether the client shows where a kind of code actions is documented. */
  readonly documentsActions: boolean;
  /** Whether the client opens an address in a browser. */
  readonly opensAddresses: boolean;
  /** Whether the client accepts definitions with their origin range. */
  readonly linksDefinitions: boolean;
  /** Whether the client accepts nested symbols; other clients get a flat list. */
  readonly nestsSymbols: boolean;
  /** Whether the client sends prepareRename before the user enters a new name. */
  readonly preparesRename: boolean;
  /** Whether the client shows related information of diagnostics. */
  readonly relatesPlaces: boolean;
  /** Our own client: it has the command that shows a rule's page. */
  readonly showsRules: boolean;
  readonly completion: CompletionClient;
  /** The parts that the client shows as plain text rather than Markdown. */
  readonly plain: PlainTextParts;
  /** Whether the client shows Markdown in messages of diagnostics. */
  readonly takesMarkupMessages: boolean;
}

export interface SessionOptions {
  readonly connection: Connection;
  readonly host: Host;
  readonly params: InitializeParams;
  readonly errorLog: ErrorLog;
}

export function newSession({ connection, host: anywhere, params, errorLog }: SessionOptions): Session {
  const { capabilities } = params;
  const options = givenOptions(params.initializationOptions);
  const refreshesDiagnostics = capabilities.workspace?.diagnostics?.refreshSupport === true;
  // Findings about whole configurations come later than the first request. A client that cannot be
  // asked to request again (Neovim 0.10 to 0.12) gets everything published instead; one that does
  // not accept that, either, waits longer for its answer.
  const pullsDiagnostics =
    capabilities.textDocument?.diagnostic !== undefined &&
    (refreshesDiagnostics || capabilities.textDocument.publishDiagnostics === undefined);
  const client: ClientAbilities = {
    encoding: encodingFor(capabilities),
    pullsDiagnostics,
    takesMarkupMessages: takesMarkupMessages(capabilities),
    refreshesInlayHints: capabilities.workspace?.inlayHint?.refreshSupport === true,
    refreshesCodeLens: capabilities.workspace?.codeLens?.refreshSupport === true,
    refreshesDiagnostics,
    documentChanges: capabilities.workspace?.workspaceEdit?.documentChanges === true,
    createsFiles:
      capabilities.workspace?.applyEdit === true &&
      lists(capabilities.workspace.workspaceEdit?.resourceOperations, 'create'),
    configuration: capabilities.workspace?.configuration === true,
    appliesEdits: capabilities.workspace?.applyEdit === true,
    watchesFiles: capabilities.workspace?.didChangeWatchedFiles?.dynamicRegistration === true,
    registersConfiguration: capabilities.workspace?.didChangeConfiguration?.dynamicRegistration === true,
    foldersChange: capabilities.workspace?.workspaceFolders === true,
    resolvesEdits:
      lists(capabilities.textDocument?.codeAction?.resolveSupport?.properties, 'edit') &&
      capabilities.textDocument?.codeAction?.dataSupport === true,
    knowsNoKinds:
      capabilities.textDocument?.codeAction?.codeActionLiteralSupport?.codeActionKind?.valueSet?.length === 0,
    disabledActions: capabilities.textDocument?.codeAction?.disabledSupport === true,
    documentsActions: capabilities.textDocument?.codeAction?.documentationSupport === true,
    opensAddresses: capabilities.window?.showDocument?.support === true,
    linksDefinitions: capabilities.textDocument?.definition?.linkSupport === true,
    nestsSymbols: capabilities.textDocument?.documentSymbol?.hierarchicalDocumentSymbolSupport === true,
    preparesRename: capabilities.textDocument?.rename?.prepareSupport === true,
    relatesPlaces:
      (capabilities.textDocument?.diagnostic?.relatedInformation ??
        capabilities.textDocument?.publishDiagnostics?.relatedInformation) === true,
    showsRules: options.isOurs,
    completion: completionClient(capabilities, options.isOurs),
    plain: plainFor(capabilities),
  };
  // These are called later, when `session` exists.
  const host = hostWithin(anywhere, () => session.within());
  const projects = projectFiles({
    connection,
    host,
    folders: () => session.folders,
    isTrusted: () => session.isTrusted,
  });
  const turns = new Turns();
  const workspace = new Workspace({
    host,
    turns,
    tellsLater: client.refreshesDiagnostics || !client.pullsDiagnostics,
    folders: () => session.folders,
    isTrusted: () => session.isTrusted,
    documents: () => session.documents.all(),
    settingsOf: (uri) => session.settings.of(uri),
    report: (what, error) => errorLog.report(what, error),
    refused: (what) =>
      errorLog.note(`${what} leads out of the folder of its settings, and is not used. Set it in your user settings.`),
  });
  const session: Session = {
    connection,
    host,
    documents: new TextDocuments(documentsIn(client.encoding)),
    settings: settingsStore({
      connection,
      canPull: client.configuration,
      initial: options.settings,
      isOurs: options.isOurs,
      projects,
      errorLog,
      // It reads the files of the directory, so not in restricted mode.
      hasBegun: (folder) => session.isTrusted && host.hasBegun?.(folder) === true,
      onLate: () => session.onSettings.forEach((listener) => listener()),
    }),
    projects,
    workspace,
    turns,
    configurationRules: new ConfigurationRules({
      host,
      workspace,
      isTrusted: () => session.isTrusted,
      canWrite: () => canWriteFiles(session),
      within: () => session.within(),
      document: (uri) => session.documents.get(uri),
      settingsOf: (uri) => session.settings.of(uri),
      report: (error) => errorLog.report('the look at whole configurations', error),
      failed: (rule, error) => errorLog.report(`the rule ${rule}`, error),
      turns,
      progress: async (title) => {
        const progress = await connection.window.createWorkDoneProgress();
        progress.begin(title, 0);
        return progress;
      },
    }),
    client,
    errorLog,
    ask(method, send) {
      send().catch((error: unknown) =>
        errorLog.note(`The client answers ${method} with an error: ${asError(error).message}`),
      );
    },
    folders: givenFolders(params, host),
    isTrusted: options.trusted !== false,
    looksOutside: options.trusted === true,
    within: () =>
      session.looksOutside ? null : session.folders.flatMap((uri) => anywhere.pathOf?.(uri.replace(/\/$/, '')) ?? []),
    onReady: [],
    onFolders: [],
    onSettings: [],
    onTrusted: [],
    onAnswered: [],
    onWatched: [],
    onVerified: [],
    onStop: [],
  };
  convertPositions(connection, client.encoding, {
    open: (uri) => session.documents.get(uri)?.tree,
    async closed(uri) {
      const path = workspace.pathOf(uri);
      return path === null ? null : ((await workspace.closed(path))?.tree ?? null);
    },
  });
  keepCurrent(session);
  return session;
}

/** Whether files that are not open can be changed together with open ones. */
export function canWriteFiles({ isTrusted, client, host }: Session): boolean {
  return isTrusted && client.appliesEdits && host.change !== undefined;
}

interface GivenOptions {
  /** Whether the user trusts the workspace; undefined if not given. */
  readonly trusted: boolean | undefined;
  /** Our own client, which has the commands of the actions. */
  readonly isOurs: boolean;
  readonly settings: Record<string, unknown>;
}

/**
 * `initializationOptions`: `{ "trusted": true, "settings": { "target": "2.4.57" } }`. The settings
 * may also be under `httpdUpgrade`, as in editors.
 */
function givenOptions(initializationOptions: unknown): GivenOptions {
  const options = isObject(initializationOptions) ? initializationOptions : {};
  const settings = [options.settings, options.httpdUpgrade].find(isObject) ?? {};
  return {
    trusted: typeof options.trusted === 'boolean' ? options.trusted : undefined,
    isOurs: options.client === 'httpd-upgrade',
    settings: isObject(settings.httpdUpgrade) ? settings.httpdUpgrade : settings,
  };
}

/** The folders of the workspace, from the newest of the three parameters that the client sends. */
function givenFolders({ workspaceFolders, rootUri, rootPath }: InitializeParams, host: Host): string[] {
  const folders = (Array.isArray(workspaceFolders) ? workspaceFolders : []).flatMap((folder: unknown) =>
    isObject(folder) && typeof folder.uri === 'string' ? [folder.uri] : [],
  );
  if (folders.length > 0) return folders;
  if (typeof rootUri === 'string' && rootUri !== '') return [rootUri];
  return typeof rootPath === 'string' && rootPath !== '' && host.uriOf ? [host.uriOf(rootPath)] : [];
}

/** Passes events to the workspace before any other listener. */
function keepCurrent({
  connection,
  workspace,
  turns,
  configurationRules,
  documents,
  onFolders,
  onSettings,
  onTrusted,
  onWatched,
  onStop,
}: Session): void {
  onFolders.push(() => workspace.searchAgain());
  onTrusted.push(() => workspace.trusted());
  onSettings.push(() => workspace.settingsChanged());
  onWatched.push((changes) => workspace.changed(changes));
  documents.onDidOpen(() => workspace.documentsChanged());
  documents.onDidClose(() => workspace.documentsChanged());
  workspace.onChanged(() => configurationRules.changed());
  onSettings.push(() => configurationRules.changed());
  connection.onShutdown(() => {
    workspace.stop();
    configurationRules.stop();
    for (const listener of onStop) listener();
  });
  documents.onDidChangeContent(({ document }) => {
    turns.expect();
    if (workspace.models.length > 0) configurationRules.changed(document.tree.length);
  });
}

export interface Analyzed {
  readonly document: ConfigDocument;
  readonly analysis: Analysis;
  readonly settings: Settings;
  readonly file: FileInfo;
}

/**
 * The open document and its findings; null if it is not open. Throws when the request is cancelled.
 * `patience`: see Workspace.infoOf.
 */
export async function analyzed(
  session: Session,
  uri: string,
  token: CancellationToken,
  patience?: number,
): Promise<Analyzed | null> {
  const openFile = await opened(session, uri, token, patience);
  return openFile && { ...openFile, analysis: openFile.settings.engine.analyze(openFile.document.tree, openFile.file) };
}

/** An open document with its settings, without findings. */
export async function opened(
  session: Session,
  uri: string,
  token: CancellationToken,
  patience?: number,
): Promise<Omit<Analyzed, 'analysis'> | null> {
  // Lets a pending cancellation arrive: with a change after every keystroke, this is the debounce.
  await new Promise<void>((resolve) => setTimeout(resolve, 0));
  throwIfCancelled(token);
  const settings = await session.settings.of(uri);
  const document = session.documents.get(uri);
  throwIfCancelled(token);
  if (!document) return null;
  const file = await session.workspace.infoOf(document, patience);
  session.turns.answered();
  throwIfCancelled(token);
  return session.documents.get(uri) === document ? { document, settings, file } : null;
}

/**
 * The open document at once, for requests that need neither other files nor findings; null if it is
 * not open. Throws when the request is cancelled.
 */
export async function atOnce(
  session: Session,
  uri: string,
  token: CancellationToken,
): Promise<Pick<Analyzed, 'document' | 'settings'> | null> {
  const settings = await session.settings.of(uri);
  throwIfCancelled(token);
  const document = session.documents.get(uri);
  return document ? { document, settings } : null;
}

/** Waits for the work until the request is cancelled, and then throws. The work continues. */
export async function unlessCancelled<T>(work: Promise<T>, token: CancellationToken): Promise<T> {
  throwIfCancelled(token);
  let forget = (): void => undefined;
  const cancelled = new Promise<never>((_, reject) => {
    const listening = token.onCancellationRequested(() =>
      reject(new ResponseError(LSPErrorCodes.RequestCancelled, 'cancelled')),
    );
    forget = () => listening.dispose();
  });
  return Promise.race([work, cancelled]).finally(forget);
}

export function throwIfCancelled(token: CancellationToken): void {
  if (token.isCancellationRequested) throw new ResponseError(LSPErrorCodes.RequestCancelled, 'cancelled');
}
