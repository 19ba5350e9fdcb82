/** `textDocument/selectionRange`. */
import type { SelectionRange } from 'vscode-languageserver';
import { selectionRanges } from '../features/selection-ranges';
import { documentWithSettings, type Session } from './session';

export function serveSelectionRanges(session: Session): void {
  session.connection.onSelectionRanges(async ({ textDocument, positions }, token) => {
    const openDocument = await documentWithSettings(session, textDocument.uri, token);
    if (!openDocument) return null;
    const { tree } = openDocument.document;
    return positions.map((position) => {
      let parent: SelectionRange | undefined;
      for (const { start, end } of selectionRanges(tree, tree.offsetAt(position)).reverse())
        parent = { range: tree.rangeAt(start, end), parent };
      return parent!;
    });
  });
}
