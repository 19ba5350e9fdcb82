/**
 * The extension in a browser. The server is a web worker; it reads files through `files.ts`,
 * because it has no disk.
 */
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/browser';
import { startExtension } from './extension';

export function activate(context: vscode.ExtensionContext): void {
  const script = vscode.Uri.joinPath(context.extensionUri, 'dist', 'server.js');
  let worker: Worker | undefined;
  context.subscriptions.push({ dispose: () => worker?.terminate() });

  startExtension(context, async (id, name, options) => {
    const scriptUrl = await workerScriptUrl(script);
    // The client library does not end its worker, so this code does. The library must get a worker,
    // not a function that creates it: it would test the result with `instanceof Worker`, which
    // throws in the editor's extension host.
    worker?.terminate();
    worker = new Worker(scriptUrl, { name: 'httpd-upgrade' });
    return new LanguageClient(id, name, worker, options);
  });
}

/**
 * The address of the worker's script. On a remote machine, the editor refuses to start a worker
 * from a file of an extension, but allows reading the file.
 */
async function workerScriptUrl(script: vscode.Uri): Promise<string> {
  if (script.scheme !== 'vscode-remote') return script.toString(true);
  const scriptBytes = await vscode.workspace.fs.readFile(script);
  return URL.createObjectURL(new Blob([new Uint8Array(scriptBytes)], { type: 'text/javascript' }));
}
