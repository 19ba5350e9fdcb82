/**
 * The edits of several documents in the form that the client supports: with or without document
 * versions.
 */
import type { TextDocumentEdit, TextEdit, WorkspaceEdit } from 'vscode-languageserver';
import type { Session } from './session';

export function workspaceEditFor({ client }: Session, changes: readonly TextDocumentEdit[]): WorkspaceEdit {
  if (client.supportsDocumentChanges) return { documentChanges: [...changes] };
  return {
    changes: Object.fromEntries(changes.map(({ textDocument, edits }) => [textDocument.uri, edits as TextEdit[]])),
  };
}
