/** The language server as a process: over IPC where the editor starts it so, over stdio otherwise (`--stdio`). */
import { createConnection, ProposedFeatures } from 'vscode-languageserver/node';
import { newApart, spareMemory } from './host/apart';
import { nodeHost } from './host/node';
import { startServer } from './lsp/server';

startServer(createConnection(ProposedFeatures.all), { ...nodeHost, apart: () => newApart(__filename), spareMemory });
