/**
 * The command that lists the files of the configurations, in the order in which httpd reads them.
 */
import * as vscode from 'vscode';
import type { IncludeTreeRow } from '../../server/src/lsp/navigation';
import { LANGUAGE, Requests } from './language';
import type { Server } from './server';
import { visibleItems } from './visible';

export function registerIncludeTree(server: Server): vscode.Disposable {
  return vscode.commands.registerCommand('httpdUpgrade.showIncludeTree', () => showIncludeTree(server));
}

/** Shows the included files in a list, and opens the line or file that the user chooses. */
async function showIncludeTree(server: Server): Promise<void> {
  const activeDocument = vscode.window.activeTextEditor?.document;
  const uri = activeDocument?.languageId === LANGUAGE ? activeDocument.uri.toString() : null;
  const rows = server.request<IncludeTreeRow[]>(Requests.includeTree, { uri });
  const quickPickItems = rows.then((allRows) =>
    visibleItems(
      allRows.map((row) => ({
        label: `${'\u2003'.repeat(row.level)}$(${row.row === null ? 'file' : 'arrow-small-right'}) ${row.label}`,
        description: [row.row === null ? '' : `line ${row.row + 1}`, row.detail].filter(Boolean).join(' · '),
        row,
      })),
    ),
  );
  if ((await rows).length === 0) {
    void vscode.window.showInformationMessage(
      'httpd-upgrade: no main configuration file here. The setting httpdUpgrade.roots can name one.',
    );
    return;
  }
  const chosenItem = await vscode.window.showQuickPick(quickPickItems, {
    placeHolder: 'Included files, in the order in which httpd reads them',
    matchOnDescription: true,
  });
  if (!chosenItem) return;
  const position = new vscode.Position(chosenItem.row.row ?? 0, 0);
  await vscode.window.showTextDocument(vscode.Uri.parse(chosenItem.row.uri), {
    selection: new vscode.Range(position, position),
  });
}
