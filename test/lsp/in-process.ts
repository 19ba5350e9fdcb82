/**
 * The server in the process of the tests: for many runs in a row, and for failures inside of it.
 */
import { PassThrough } from 'node:stream';
import { createConnection, ProposedFeatures } from 'vscode-languageserver/node';
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type Diagnostic,
  type ProtocolConnection,
  type PublishDiagnosticsParams,
} from 'vscode-languageserver-protocol/node';
import { nodeHost } from '../../server/src/host/node';
import { startServer } from '../../server/src/lsp/server';

export interface InProcess {
  readonly connection: ProtocolConnection;
  /** What the server writes into the client's log. */
  readonly log: readonly string[];
  /** What is published of a document, once something is. */
  published(uri: string): Promise<readonly Diagnostic[]>;
}

export function inProcess(host = nodeHost): InProcess {
  const [there, back] = [new PassThrough(), new PassThrough()];
  startServer({
    version: '0',
    connect: (options) =>
      createConnection(ProposedFeatures.all, new StreamMessageReader(there), new StreamMessageWriter(back), options),
    makeHost: () => host,
  });
  const connection = createProtocolConnection(new StreamMessageReader(back), new StreamMessageWriter(there));
  const log: string[] = [];
  const found = new Map<string, readonly Diagnostic[]>();
  const waiting = new Map<string, (diagnostics: readonly Diagnostic[]) => void>();
  connection.onNotification('window/logMessage', ({ message }: { message: string }) => void log.push(message));
  connection.onNotification('textDocument/publishDiagnostics', ({ uri, diagnostics }: PublishDiagnosticsParams) => {
    found.set(uri, diagnostics);
    waiting.get(uri)?.(diagnostics);
  });
  for (const method of [
    'workspace/diagnostic/refresh',
    'workspace/inlayHint/refresh',
    'client/registerCapability',
    'window/workDoneProgress/create',
  ])
    connection.onRequest(method, () => null);
  connection.onRequest('workspace/configuration', ({ items }: { items: unknown[] }) => items.map(() => null));
  connection.listen();
  return {
    connection,
    log,
    published: async (uri) => found.get(uri) ?? new Promise((resolve) => waiting.set(uri, resolve)),
  };
}
