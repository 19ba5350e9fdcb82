/** The client of a language server in a process of its own. */
import type { ChildProcess } from 'node:child_process';
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type ProtocolConnection,
} from 'vscode-languageserver-protocol/node';

/** Answers what a server asks of each client: it has no settings, and takes all registrations. */
export function connectedTo({ stdout, stdin }: ChildProcess): ProtocolConnection {
  const connection = createProtocolConnection(new StreamMessageReader(stdout!), new StreamMessageWriter(stdin!));
  connection.onRequest('workspace/configuration', ({ items }: { items: unknown[] }) => items.map(() => ({})));
  connection.onRequest('client/registerCapability', () => null);
  connection.onRequest('workspace/diagnostic/refresh', () => null);
  return connection;
}
