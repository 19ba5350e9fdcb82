/** A client for tests: talks to the built server over each of its transports, like an editor. */
import assert from 'node:assert/strict';
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { TextDocument } from 'vscode-languageserver-textdocument';
import {
  createProtocolConnection,
  ResponseError,
  IPCMessageReader,
  IPCMessageWriter,
  PortMessageReader,
  PortMessageWriter,
  StreamMessageReader,
  StreamMessageWriter,
  type CancellationToken,
  type ClientCapabilities,
  type CodeAction,
  type Diagnostic,
  type DocumentDiagnosticReport,
  type InitializeResult,
  type MessageReader,
  type MessageWriter,
  type ProtocolConnection,
  type PublishDiagnosticsParams,
  type Range,
  type RegistrationParams,
  type TextDocumentContentChangeEvent,
  type WorkspaceDiagnosticReport,
  type WorkspaceDocumentDiagnosticReport,
} from 'vscode-languageserver-protocol/node';
import '../support/state';
import { bundle } from '../support/built';
import { isCold, setIn, warmServer } from '../support/warm';

/** `warm`: as over stdio, in a process that has many servers (../support/warm). */
export type Transport = 'warm' | 'stdio' | 'cli' | 'ipc' | 'worker';

export interface ClientOptions {
  readonly transport?: Transport;
  /** In place of what a full client can. */
  readonly capabilities?: ClientCapabilities;
  readonly folders?: readonly string[];
  readonly initializationOptions?: unknown;
  /** The answer to the server's question for `httpdUpgrade`. */
  readonly settings?: Record<string, unknown>;
  /** Files that a client hands to a server without a file system. */
  readonly files?: Readonly<Record<string, string>>;
  /**
   * What it answers to requests of the server, by method: an error, nothing ever, or a value in
   * place of the right one.
   */
  readonly answers?: Readonly<Record<string, Answer>>;
  /** Of `initialize`, in place of what is sent else. */
  readonly params?: object;
}

export type Answer = 'error' | 'never' | { readonly value: unknown } | { readonly late: Promise<unknown> };

/** What VS Code can, as far as the server asks. */
export const FULL: ClientCapabilities = {
  workspace: {
    applyEdit: true,
    configuration: true,
    didChangeConfiguration: { dynamicRegistration: true },
    didChangeWatchedFiles: { dynamicRegistration: true },
    workspaceEdit: { documentChanges: true },
    workspaceFolders: true,
    diagnostics: { refreshSupport: true },
  },
  textDocument: {
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    diagnostic: { dynamicRegistration: true },
  },
  window: { workDoneProgress: true },
};

export const LANGUAGE = 'apacheconf';

export class Client {
  readonly published = new Map<string, PublishDiagnosticsParams>();
  readonly registered: string[] = [];
  /** The patterns of files that are watched. */
  readonly watched: string[] = [];
  /** How often a file's diagnostics were published. */
  publications = 0;
  /** URIs that the server asked the client to read. */
  readonly read: string[] = [];
  readonly warnings: string[] = [];
  /** Requests of the server that are in `answers`. */
  readonly asked: string[] = [];
  /** Messages for people. */
  readonly shown: string[] = [];
  refreshes = 0;
  settings: Record<string, unknown>;
  initialized!: InitializeResult;
  private readonly documents = new Map<string, TextDocument>();
  private readonly listeners: (() => void)[] = [];

  private constructor(
    readonly connection: ProtocolConnection,
    readonly ended: Promise<number | null>,
    /** What an editor does to a worker. */
    private readonly endWorker: () => void,
    readonly options: ClientOptions,
  ) {
    this.settings = { ...options.settings };
  }

  /** Without a word so far. */
  static connect(options: ClientOptions): Client {
    const { reader, writer, ended, end } = connect(options.transport ?? (isCold ? 'stdio' : 'warm'));
    const client = new Client(createProtocolConnection(reader, writer), ended, end, options);
    client.serve();
    client.connection.listen();
    return client;
  }

  static async start(options: ClientOptions = {}): Promise<Client> {
    const client = Client.connect(options);
    await client.initialize();
    return client;
  }

  async initialize(): Promise<void> {
    const { options } = this;
    this.initialized = await this.connection.sendRequest('initialize', {
      processId: process.pid,
      rootUri: null,
      capabilities: options.capabilities ?? FULL,
      workspaceFolders: (options.folders ?? []).map((uri) => ({ uri, name: uri })),
      initializationOptions: options.initializationOptions,
      ...options.params,
    });
    await this.connection.sendNotification('initialized', {});
  }

  /**
   * Shuts the server down in good order. Returns its exit code. Of one that has been stopped, the
   * code again: a test that cannot run here starts none.
   */
  stop(): Promise<number | null> {
    return (this.stopped ??= this.shutDown());
  }

  private stopped: Promise<number | null> | null = null;

  private async shutDown(): Promise<number | null> {
    await this.connection.sendRequest('shutdown');
    await this.connection.sendNotification('exit');
    if (this.options.transport === 'worker') this.endWorker();
    const code = await this.ended;
    this.connection.dispose();
    return code;
  }

  async open(uri: string, text: string): Promise<void> {
    this.documents.set(uri, TextDocument.create(uri, LANGUAGE, 1, text));
    await this.connection.sendNotification('textDocument/didOpen', {
      textDocument: { uri, languageId: LANGUAGE, version: 1, text },
    });
  }

  async change(uri: string, changes: TextDocumentContentChangeEvent[]): Promise<void> {
    const before = this.documents.get(uri)!;
    const document = TextDocument.update(before, changes as never, before.version + 1);
    this.documents.set(uri, document);
    await this.connection.sendNotification('textDocument/didChange', {
      textDocument: { uri, version: document.version },
      contentChanges: changes,
    });
  }

  /** Replaces the first place where `old` stands. */
  replace(uri: string, old: string, text: string): Promise<void> {
    return this.change(uri, [{ range: this.rangeOf(uri, old), text }]);
  }

  async close(uri: string): Promise<void> {
    this.documents.delete(uri);
    await this.connection.sendNotification('textDocument/didClose', { textDocument: { uri } });
  }

  text(uri: string): string {
    return this.documents.get(uri)!.getText();
  }

  /** The first place of some text in a document. */
  rangeOf(uri: string, text: string): Range {
    const document = this.documents.get(uri)!;
    const start = document.getText().indexOf(text);
    assert.ok(start >= 0, `${text} is not in ${uri}`);
    return { start: document.positionAt(start), end: document.positionAt(start + text.length) };
  }

  /** The library takes an undefined token for a parameter. */
  private request<T>(method: string, params: object, token?: CancellationToken): Promise<T> {
    return token ? this.connection.sendRequest(method, params, token) : this.connection.sendRequest(method, params);
  }

  pull(uri: string, previousResultId?: string, token?: CancellationToken): Promise<DocumentDiagnosticReport> {
    return this.request('textDocument/diagnostic', { textDocument: { uri }, previousResultId }, token);
  }

  /**
   * Once what the configurations say is known: on a busy machine the server answers before that,
   * and tells of it later.
   */
  async diagnostics(uri: string): Promise<Diagnostic[]> {
    await this.connection.sendRequest('httpdUpgrade/includeTree', { uri: null });
    const report = await this.pull(uri);
    assert.equal(report.kind, 'full');
    return (report as { items: Diagnostic[] }).items;
  }

  /** The diagnostics as `rule: text`. */
  async problems(uri: string): Promise<string[]> {
    const document = this.documents.get(uri)!;
    return (await this.diagnostics(uri)).map((found) => `${found.code}: ${document.getText(found.range)}`);
  }

  pullWorkspace(
    previous: Record<string, string> = {},
    params: object = {},
    token?: CancellationToken,
  ): Promise<WorkspaceDiagnosticReport> {
    const previousResultIds = Object.entries(previous).map(([uri, value]) => ({ uri, value }));
    return this.request('workspace/diagnostic', { previousResultIds, ...params }, token);
  }

  actions(uri: string, at: string, only?: string[]): Promise<CodeAction[]> {
    const range = this.rangeOf(uri, at);
    return this.connection.sendRequest('textDocument/codeAction', {
      textDocument: { uri },
      range,
      context: { diagnostics: [], only },
    });
  }

  hover(uri: string, at: string): Promise<{ contents: { value: string }; range: Range } | null> {
    return this.connection.sendRequest('textDocument/hover', {
      textDocument: { uri },
      position: this.rangeOf(uri, at).start,
    });
  }

  /** Resolves once `test` holds; asked after each message of the server. */
  until(test: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!test()) return;
        this.listeners.splice(this.listeners.indexOf(look), 1);
        resolve();
      };
      this.listeners.push(look);
      look();
    });
  }

  /** The connection for handlers of requests, some of which are answered otherwise. */
  private answering(): Pick<ProtocolConnection, 'onRequest' | 'onNotification'> {
    const { connection } = this;
    const answers = this.options.answers ?? {};
    return {
      onNotification: connection.onNotification.bind(connection) as ProtocolConnection['onNotification'],
      onRequest: ((method: string, handler: (params: unknown) => unknown) =>
        connection.onRequest(method, (params: unknown) => {
          const answer = answers[method];
          if (answer === undefined) return handler(params);
          this.asked.push(method);
          if (answer === 'error') throw new ResponseError(-32601, `no ${method} here`);
          if (answer === 'never') return new Promise(() => undefined);
          return 'late' in answer ? answer.late : answer.value;
        })) as ProtocolConnection['onRequest'],
    };
  }

  private serve(): void {
    const connection = this.answering();
    const tell = () => [...this.listeners].forEach((listener) => listener());
    connection.onRequest('workspace/configuration', ({ items }: { items: { section?: string }[] }) =>
      items.map(({ section }) => (section === 'httpdUpgrade' ? this.settings : null)),
    );
    connection.onRequest('client/registerCapability', ({ registrations }: RegistrationParams) => {
      this.registered.push(...registrations.map(({ method }) => method));
      this.watched.push(
        ...registrations.flatMap(({ registerOptions }) =>
          ((registerOptions as { watchers?: { globPattern: string }[] } | undefined)?.watchers ?? []).map(
            ({ globPattern }) => globPattern,
          ),
        ),
      );
      setImmediate(tell);
      return null;
    });
    connection.onRequest('workspace/diagnostic/refresh', () => {
      this.refreshes++;
      setImmediate(tell);
      return null;
    });
    connection.onRequest('httpdUpgrade/findFiles', () => ({ uris: Object.keys(this.options.files ?? {}) }));
    connection.onRequest('httpdUpgrade/readFile', ({ uri }: { uri: string }): object => {
      this.read.push(uri);
      const text = this.options.files?.[uri];
      return text === undefined
        ? { error: 'no such file' }
        : { content: Buffer.from(text).toString('base64'), size: text.length };
    });
    connection.onRequest('httpdUpgrade/look', ({ uri }: { uri: string }) => ({
      kind: kindIn(this.options.files, uri),
    }));
    connection.onRequest('httpdUpgrade/list', ({ uri }: { uri: string }) => ({
      names: namesIn(this.options.files, uri),
    }));
    connection.onRequest('window/workDoneProgress/create', () => null);
    connection.onRequest('workspace/inlayHint/refresh', () => null);
    connection.onNotification('textDocument/publishDiagnostics', (params: PublishDiagnosticsParams) => {
      this.published.set(params.uri, params);
      this.publications++;
      tell();
    });
    connection.onNotification('window/showMessage', ({ message }: { message: string }) => {
      this.shown.push(message);
      tell();
    });
    connection.onNotification('window/logMessage', ({ message }: { message: string }) => {
      this.warnings.push(message);
      tell();
    });
  }
}

function kindIn(files: Readonly<Record<string, string>> = {}, uri: string): 'file' | 'folder' | null {
  if (files[uri] !== undefined) return 'file';
  return Object.keys(files).some((file) => file.startsWith(`${uri}/`)) ? 'folder' : null;
}

/** The names in a folder; null if no file is below it. */
function namesIn(files: Readonly<Record<string, string>> = {}, uri: string): object[] | null {
  const below = Object.keys(files).filter((file) => file.startsWith(`${uri}/`));
  const names = new Set(below.map((file) => file.slice(uri.length + 1).split('/')[0]!));
  return below.length === 0 ? null : [...names].map((name) => ({ name, kind: kindIn(files, `${uri}/${name}`) }));
}

/** Items of reports by their URI; `unchanged` ones and those without diagnostics, too. */
export function byUri(
  items: readonly WorkspaceDocumentDiagnosticReport[],
): Record<string, WorkspaceDocumentDiagnosticReport> {
  return Object.fromEntries(items.map((item) => [item.uri, item]));
}

/** What a client that got these reports says the next time. */
export function resultIds(items: readonly WorkspaceDocumentDiagnosticReport[]): Record<string, string> {
  return Object.fromEntries(items.flatMap(({ uri, resultId }) => (resultId === undefined ? [] : [[uri, resultId]])));
}

/** Whether a promise is still to be settled after a while. */
export async function isHeld(promise: Promise<unknown>): Promise<boolean> {
  const late = Symbol();
  return (
    (await Promise.race([promise.catch(() => null), new Promise((resolve) => setTimeout(resolve, 200, late))])) === late
  );
}

// ---------------------------------------------------------------------------------------------------------------------

interface Connected {
  readonly reader: MessageReader;
  readonly writer: MessageWriter;
  /** Settles with the exit code. */
  readonly ended: Promise<number | null>;
  readonly end: () => void;
}

function connect(transport: Transport): Connected {
  if (transport === 'worker') return connectWorker();
  if (transport === 'warm') return connectWarm();
  const child =
    transport === 'ipc'
      ? fork(bundle('server.js'), ['--node-ipc'], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
      : spawn(
          process.execPath,
          transport === 'cli' ? [bundle('cli.js'), 'server', '--stdio'] : [bundle('server.js'), '--stdio'],
          { stdio: ['pipe', 'pipe', 'inherit'] },
        );
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  return { ...streams(child, transport), ended, end: () => child.kill() };
}

function streams(child: ChildProcess, transport: Transport): { reader: MessageReader; writer: MessageWriter } {
  if (transport === 'ipc') return { reader: new IPCMessageReader(child), writer: new IPCMessageWriter(child) };
  return { reader: new StreamMessageReader(child.stdout!), writer: new StreamMessageWriter(child.stdin!) };
}

function connectWarm(): Connected {
  const { stdin, stdout, ended } = warmServer(setIn(process.env));
  return {
    reader: new StreamMessageReader(stdout),
    writer: new StreamMessageWriter(stdin),
    ended,
    end: () => stdin.end(),
  };
}

/** The browser's bundle in a thread that has what a web worker has, and nothing of node. */
function connectWorker(): Connected {
  const worker = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
     const { createContext, runInContext } = require('node:vm');
     const names = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'queueMicrotask', 'TextDecoder', 'TextEncoder', 'URL', 'atob', 'btoa', 'performance', 'console'];
     const self = createContext(Object.fromEntries(names.map((name) => [name, globalThis[name]])));
     Object.assign(self, { self, globalThis: self, postMessage: (data) => parentPort.postMessage(data), addEventListener() {}, close() {} });
     parentPort.on('message', (data) => self.onmessage({ data }));
     runInContext(workerData, self);`,
    { eval: true, workerData: readFileSync(bundle('server.js'), 'utf8') },
  );
  const ended = new Promise<number | null>((resolve) => worker.on('exit', resolve));
  return {
    reader: new PortMessageReader(worker as never),
    writer: new PortMessageWriter(worker as never),
    ended,
    end: () => void worker.terminate(),
  };
}
