/**
 * Runs the language server for the editor. It is started when needed and restarted after a crash,
 * but not after several crashes; `restart` replaces it. If it cannot run, the user gets one
 * message; everything else is in the output.
 */
import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  RevealOutputChannelOn,
  State,
  WorkDoneProgress,
  type BaseLanguageClient,
  type CloseHandlerResult,
  type LanguageClientOptions,
} from 'vscode-languageclient';
import { showProgressIfLong } from './carried-out';
import { withUserSettings, type ChosenCopies } from './chosen-places';
import { answerFileRequests } from './files';
import { LANGUAGE, Requests, NAME_PREFIX } from './language';

/** Makes the client for a new server, but does not start it. */
export type CreateClient = (id: string, name: string, options: LanguageClientOptions) => Promise<BaseLanguageClient>;

/**
 * The state of the language server. `failed`: it cannot run, and is started again only by
 * `restart`.
 */
export type ServerState = 'stopped' | 'starting' | 'running' | 'failed';

/** The language server, as other parts of the extension see it. */
export interface Server extends vscode.Disposable {
  readonly state: ServerState;
  readonly onDidChangeState: vscode.Event<ServerState>;
  /** Fires when the settings of the server change, in the editor or in a project file. */
  readonly onDidChangeSettings: vscode.Event<void>;
  /**
   * Fires when the upgrade plan changes. `isStale`: the plan is large and is made again only on
   * request.
   */
  readonly onDidChangePlan: vscode.Event<{ readonly isStale: boolean }>;
  /** Starts the server, unless it is running or has failed. */
  start(): Promise<void>;
  /** Replaces the server by a new one, whatever its state is. */
  restart(): Promise<void>;
  /** Sends a notification if the server is running. */
  notify(method: string, params: object): void;
  /** Sends a request, and starts the server if needed. Rejects if the server cannot run. */
  request<T>(method: string, params: object, token?: vscode.CancellationToken): Promise<T>;
  /**
   * Sends a long request, and shows progress with a cancel button if it takes long. Rejects if the
   * user cancels: see `isCancelled`.
   */
  longRequest<T>(title: string, method: string, params: object): Promise<T>;
}

/** The protocol's error code for a cancelled request. */
const REQUEST_CANCELLED = -32800;

/** Whether a request ended because the user cancelled it. */
export function isCancelled(error: unknown): boolean {
  return error instanceof vscode.CancellationError || (error as { code?: number }).code === REQUEST_CANCELLED;
}

/** Milliseconds after which a request shows progress. */
const PROGRESS_AFTER_MS = 400;

/** After this many crashes in `CRASH_MINUTES` minutes, the server is not restarted. */
const MAX_CRASHES = 4;
const CRASH_MINUTES = 3;

/**
 * Creates the object through which the extension uses the server. Does not start the server yet.
 */
export function createServer(
  createClient: CreateClient,
  output: vscode.LogOutputChannel,
  copies: ChosenCopies,
): Server {
  const stateEmitter = new vscode.EventEmitter<ServerState>();
  const settingsEmitter = new vscode.EventEmitter<void>();
  const planEmitter = new vscode.EventEmitter<{ readonly isStale: boolean }>();
  let serverState: ServerState = 'stopped';
  let client: BaseLanguageClient | undefined;
  /** The number of the current client. Events of earlier clients are ignored. */
  let clientNumber = 0;
  /** The number of requests with progress, which is part of their tokens. */
  let longRequestCount = 0;
  let startPromise: Promise<void> | undefined;

  const server: Server = {
    get state() {
      return serverState;
    },
    onDidChangeState: stateEmitter.event,
    onDidChangeSettings: settingsEmitter.event,
    onDidChangePlan: planEmitter.event,
    start: () => (startPromise ??= startNewClient()),
    async restart() {
      await stopClient();
      await server.start();
    },
    notify(method, params) {
      if (serverState === 'running') void client?.sendNotification(method, params);
    },
    async request<T>(method: string, params: object, token?: vscode.CancellationToken): Promise<T> {
      await server.start();
      if (client === undefined || serverState !== 'running')
        throw new Error('The httpd-upgrade language server is not running.');
      return token ? client.sendRequest<T>(method, params, token) : client.sendRequest<T>(method, params);
    },
    async longRequest<T>(title: string, method: string, params: object): Promise<T> {
      const cancellation = new vscode.CancellationTokenSource();
      const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
      let progressSoFar: ProgressState = {};
      let showProgress: (progress: ProgressState) => void = () => undefined;
      const work = async (): Promise<T> => {
        await server.start();
        const workDoneToken = `${NAME_PREFIX}-${++longRequestCount}`;
        const cancellationListener = client?.onProgress(WorkDoneProgress.type, workDoneToken, (value) => {
          if (value.kind === 'report') showProgress((progressSoFar = { ...progressSoFar, ...value }));
        });
        try {
          return await server.request<T>(method, { ...params, workDoneToken }, cancellation.token);
        } finally {
          cancellationListener?.dispose();
        }
      };
      const showWhile = (working: Promise<T>) =>
        vscode.window.withProgress(options, (progress, token) => {
          token.onCancellationRequested(() => cancellation.cancel());
          showProgress = progressShower(progress);
          showProgress(progressSoFar);
          // The caller gets the error. Here, only the progress ends.
          return working.catch(() => undefined);
        });
      return showProgressIfLong(work(), PROGRESS_AFTER_MS, showWhile).finally(() => cancellation.dispose());
    },
    dispose() {
      trustListener.dispose();
      void stopClient();
      stateEmitter.dispose();
      settingsEmitter.dispose();
      planEmitter.dispose();
    },
  };
  const trustListener = vscode.workspace.onDidGrantWorkspaceTrust(() => {
    server.notify(Requests.trusted, {});
  });
  return server;

  /** Makes a client and starts its server. If that fails, the state becomes `failed`. */
  async function startNewClient(): Promise<void> {
    const numberOfThisClient = ++clientNumber;
    const isCurrentClient = (): boolean => numberOfThisClient === clientNumber;
    const crashes: number[] = [];
    const handleClose = (): CloseHandlerResult => {
      crashes.push(Date.now());
      const recentCrashes = crashes.filter((time) => Date.now() - time < CRASH_MINUTES * 60_000);
      // A server that crashes during its start would crash again.
      if (serverState === 'running' && recentCrashes.length < MAX_CRASHES)
        return { action: CloseAction.Restart, handled: true };
      if (isCurrentClient()) showFailure();
      return { action: CloseAction.DoNotRestart, handled: true };
    };
    setState('starting');
    try {
      const newClient = await createClient(NAME_PREFIX, 'httpd-upgrade', clientOptions(output, copies, handleClose));
      if (!isCurrentClient()) return;
      client = newClient;
      // The library would show a message for each failed step; `showFailure` shows one for all.
      const logError = newClient.error.bind(newClient);
      newClient.error = (message, data) => logError(message, data, false);
      newClient.onDidChangeState(({ newState }) => {
        if (!isCurrentClient()) return;
        if (newState === State.Running) setState('running');
        if (newState === State.Starting) setState('starting');
        if (newState === State.StartFailed) showFailure();
      });
      answerFileRequests(newClient);
      newClient.onNotification(Requests.settingsChanged, () => {
        if (isCurrentClient()) settingsEmitter.fire();
      });
      newClient.onNotification(Requests.planChanged, ({ isStale = false }: { isStale?: boolean }) => {
        if (isCurrentClient()) planEmitter.fire({ isStale });
      });
      await newClient.start();
    } catch (error) {
      output.error(String(error));
      if (isCurrentClient()) showFailure();
    }
  }

  async function stopClient(): Promise<void> {
    const oldClient = client;
    clientNumber++;
    client = undefined;
    startPromise = undefined;
    setState('stopped');
    await oldClient?.dispose().catch(() => undefined);
  }

  function showFailure(): void {
    if (serverState === 'failed') return;
    setState('failed');
    const restart = 'Restart';
    const showButton = 'Show Output';
    const message =
      'The httpd-upgrade language server stopped several times. This window shows no problems of httpd configuration.';
    void vscode.window.showErrorMessage(message, restart, showButton).then((chosenButton) => {
      if (chosenButton === restart) void server.restart();
      if (chosenButton === showButton) output.show();
    });
  }

  function setState(newState: ServerState): void {
    if (newState === serverState) return;
    serverState = newState;
    stateEmitter.fire(serverState);
  }
}

/** The progress of a request, as the server sends it. */
interface ProgressState {
  readonly message?: string;
  readonly percentage?: number;
}

/**
 * Returns a function that shows progress. The server sends the percentage so far, but the editor
 * expects the increment.
 */
function progressShower(
  progress: vscode.Progress<{ message?: string; increment?: number }>,
): (state: ProgressState) => void {
  let shownPercentage = 0;
  return ({ message, percentage = shownPercentage }) => {
    progress.report({ message, increment: percentage - shownPercentage });
    shownPercentage = percentage;
  };
}

/** The options of the client. `handleClose` decides what happens when the server ends. */
function clientOptions(
  outputChannel: vscode.LogOutputChannel,
  copies: ChosenCopies,
  handleClose: () => CloseHandlerResult,
): LanguageClientOptions {
  return {
    documentSelector: handledSchemes().map((scheme) => ({ language: LANGUAGE, scheme })),
    outputChannel,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationOptions: () => ({ client: 'httpd-upgrade', trusted: vscode.workspace.isTrusted }),
    initializationFailedHandler: () => false,
    // A hover may link to the page of a rule, and to no other command.
    markdown: { isTrusted: { enabledCommands: [`${NAME_PREFIX}.showRule`] } },
    errorHandler: { error: () => ({ action: ErrorAction.Continue, handled: true }), closed: handleClose },
    middleware: {
      workspace: {
        configuration: async (params, token, next) => withUserSettings(params.items, await next(params, token), copies),
      },
      async provideDiagnostics(document, previousResultId, token, next) {
        const report = await next(document, previousResultId, token);
        if (report && 'items' in report) report.items.forEach(linkToRulePage);
        return report;
      },
      provideWorkspaceDiagnostics: (resultIds, token, reporter, next) =>
        next(resultIds, token, (part) => {
          for (const each of part?.items ?? []) if ('items' in each) each.items.forEach(linkToRulePage);
          reporter(part);
        }),
      provideInlayHints: async (document, range, token, next) =>
        (await next(document, range, token))?.map(makeLabelClickable),
    },
  };
}

/** Makes the rule's id in the problem list a link to the rule's page, which links to the manual. */
function linkToRulePage(diagnostic: vscode.Diagnostic): void {
  const { code } = diagnostic;
  if (typeof code !== 'object') return;
  diagnostic.code = {
    value: code.value,
    target: vscode.Uri.parse(`command:${NAME_PREFIX}.showRule?${encodeURIComponent(JSON.stringify([code.value]))}`),
  };
}

/**
 * Makes a click on a name in a label go to the line itself. By default, the editor would request
 * the definition of what is at that line.
 */
function makeLabelClickable(hint: vscode.InlayHint): vscode.InlayHint {
  for (const part of typeof hint.label === 'string' ? [] : hint.label) {
    if (!part.location) continue;
    const { uri, range } = part.location;
    part.command = { title: '', command: 'vscode.open', arguments: [uri, { selection: range }] };
    part.location = undefined;
  }
  return hint;
}

/**
 * The URI schemes that the server handles: files on disk, unsaved files, and the file system of the
 * workspace. Leaves out the old sides of diff views (`git:` and similar): they cannot be fixed, and
 * would repeat all findings in the problem list.
 */
function handledSchemes(): string[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return [...new Set(['file', 'untitled', 'vscode-vfs', ...folders.map((folder) => folder.uri.scheme)])];
}
