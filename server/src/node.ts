/** The language server as a process: over IPC where the editor starts it so, over stdio otherwise (`--stdio`). */
import { createConnection, ProposedFeatures } from 'vscode-languageserver/node';
import { newApart, spareMemory } from './host/apart';
import { nodeHost } from './host/node';
import { startServer } from './lsp/server';
import { version } from '../../package.json';

const troubles = startServer({
  version,
  connect: (options) => createConnection(ProposedFeatures.all, options),
  hostOf: () => ({ ...nodeHost, apart: () => newApart(__filename), spareMemory }),
});

/** What nobody caught costs whoever waited for it. Without a client to write to there is nobody left to serve. */
function uncaught(error: unknown): void {
  if (isOfConnection(error)) process.exit(1);
  troubles.report('Something that nobody waited for', error);
}

function isOfConnection(error: unknown): boolean {
  return ['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END', 'ERR_IPC_CHANNEL_CLOSED'].includes((error as NodeJS.ErrnoException | null)?.code ?? '');
}

process.on('uncaughtException', uncaught);
process.on('unhandledRejection', uncaught);
