/**
 * Inserts the closing tag below an open tag when the user types its `>` (setting
 * `httpdUpgrade.autoClosingTags`). The server decides whether this tag is missing.
 */
import * as vscode from 'vscode';
import { LANGUAGE, Requests, NAME_PREFIX } from './language';
import type { Server } from './server';

/** Inserts a closing tag whenever the user types the `>` of an open tag. */
export function registerClosingTags(server: Server): vscode.Disposable {
  return vscode.workspace.onDidChangeTextDocument(({ document, contentChanges, reason }) => {
    const [change, ...otherChanges] = contentChanges;
    if (
      document.languageId !== LANGUAGE ||
      reason !== undefined ||
      otherChanges.length > 0 ||
      change?.text !== '>' ||
      !change.range.isEmpty
    )
      return;
    if (server.state !== 'running' || vscode.window.activeTextEditor?.document !== document) return;
    if (!vscode.workspace.getConfiguration(NAME_PREFIX, document).get<boolean>('autoClosingTags', true)) return;
    void insertClosingTag(server, document, change.range.start.translate(0, 1));
  });
}

/**
 * Requests the closing tag from the server, and inserts it unless the user has typed more
 * meanwhile.
 */
async function insertClosingTag(
  server: Server,
  document: vscode.TextDocument,
  position: vscode.Position,
): Promise<void> {
  const { version } = document;
  const closingTag = await server
    .request<{ tag: string } | null>(Requests.closingTag, { uri: document.uri.toString(), position })
    .catch(() => null);
  const editor = vscode.window.activeTextEditor;
  // The reply comes too late if the user has typed more or switched to another editor.
  if (!closingTag || editor?.document !== document || document.version !== version) return;
  if (editor.selections.length !== 1 || !editor.selection.isEmpty || !editor.selection.active.isEqual(position)) return;
  await editor.insertSnippet(new vscode.SnippetString(`$0\n${closingTag.tag}`), position, {
    undoStopBefore: false,
    undoStopAfter: true,
  });
}
