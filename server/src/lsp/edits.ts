/** Edits in the client's form: with document versions if it checks them, otherwise plain. */
import type { TextDocumentEdit, TextEdit, WorkspaceEdit } from 'vscode-languageserver';
import type { Session } from './session';

export function editFor({ client }: Session, changes: readonly TextDocumentEdit[]): WorkspaceEdit {
  if (client.documentChanges) return { documentChanges: [...changes] };
  return {
    changes: Object.fromEntries(changes.map(({ textDocument, edits }) => [textDocument.uri, edits as TextEdit[]])),
  };
}
