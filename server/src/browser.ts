/** The language server as a web worker. */
import { BrowserMessageReader, BrowserMessageWriter, createConnection } from 'vscode-languageserver/browser';
import { clientHost } from './host/client';
import { withVisibleMessages } from './lsp/visible-messages';
import { startServer } from './lsp/server';
import { version } from '../../package.json';

declare const self: DedicatedWorkerGlobalScope;

const errorLog = startServer({
  version,
  connect: (options) =>
    createConnection(new BrowserMessageReader(self), withVisibleMessages(new BrowserMessageWriter(self)), options),
  makeHost: (connection) => clientHost((method, params) => connection.sendRequest(method, params)),
});
self.addEventListener('error', ({ error }) => errorLog.report('Something that nobody waited for', error));
self.addEventListener('unhandledrejection', ({ reason }) =>
  errorLog.report('Something that nobody waited for', reason),
);
