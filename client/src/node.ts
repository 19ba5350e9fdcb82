/** The extension on the desktop and on remote machines, where the server is a Node.js process. */
import * as vscode from 'vscode';
import { LanguageClient, TransportKind } from 'vscode-languageclient/node';
import { unpackCollected } from '../../server/src/host/archive';
import { startExtension } from './extension';

export function activate(context: vscode.ExtensionContext): void {
  const module = vscode.Uri.joinPath(context.extensionUri, 'dist', 'server.js').fsPath;
  const serverProgram = { module, transport: TransportKind.ipc };
  // With this option, a debugger can be attached to the server (.vscode/launch.json).
  const debug = { ...serverProgram, options: { execArgv: ['--inspect=6009'] } };
  startExtension(
    context,
    async (id, name, options) => new LanguageClient(id, name, { run: serverProgram, debug }, options),
    async (archive, folder) => unpackCollected(archive, folder, '.httpd-upgrade.json'),
  );
}
