/** `textDocument/linkedEditingRange`: the names in the two tags of a section change together. */
import { namesToEditTogether } from '../features/tag-pair';
import { documentWithSettings, type Session } from './session';

export function serveLinkedEditing(session: Session): void {
  session.connection.languages.onLinkedEditingRange(async ({ textDocument, position }, token) => {
    const openDocument = await documentWithSettings(session, textDocument.uri, token);
    const tagNames =
      openDocument && namesToEditTogether(openDocument.document.tree, openDocument.document.offsetAt(position));
    return (
      tagNames && {
        ranges: tagNames.map(({ start, end }) => openDocument.document.tree.rangeAt(start, end)),
        wordPattern: '[A-Za-z]+',
      }
    );
  });
}
