/** The extension in the browser: the server is a web worker, and has no file system but the one in `files.ts`. */
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/browser';
import { run } from './extension';

export function activate(context: vscode.ExtensionContext): void {
  const script = vscode.Uri.joinPath(context.extensionUri, 'dist', 'server.web.js').toString(true);
  let worker: Worker | undefined;

  // A client that is restarted asks again; nobody else ends the worker of the one before.
  const startWorker = async (): Promise<Worker> => {
    worker?.terminate();
    worker = new Worker(script, { name: 'httpd-upgrade' });
    return worker;
  };
  context.subscriptions.push({ dispose: () => worker?.terminate() });
  run(context, (id, name, options) => new LanguageClient(id, name, startWorker, options));
}
