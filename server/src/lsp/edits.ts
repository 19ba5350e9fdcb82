/** Makes the edits that the server sends to the client. */
import type { TextDocumentEdit, TextEdit, WorkspaceEdit } from 'vscode-languageserver';
import type { Session } from './session';

/**
 * The edits of several documents as one edit, with document versions if the client supports them.
 */
export function workspaceEditFor({ client }: Session, changes: readonly TextDocumentEdit[]): WorkspaceEdit {
  if (client.supportsDocumentChanges) return { documentChanges: [...changes] };
  return {
    changes: Object.fromEntries(changes.map(({ textDocument, edits }) => [textDocument.uri, edits as TextEdit[]])),
  };
}
