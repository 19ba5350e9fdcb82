/** Our own request: the closing tag after an open tag that the user has just typed. */
import type { Position } from 'vscode-languageserver';
import { closingTag } from '../features/completion/closing-tag';
import type { Session } from './session';

export function serveClosingTag(session: Session): void {
  session.connection.onRequest(
    'httpdUpgrade/closingTag',
    ({ uri, position }: { uri: string; position: Position }): { tag: string } | null => {
      const document = session.documents.get(uri);
      const tag = document ? closingTag(document.tree, document.offsetAt(position)) : null;
      return tag === null ? null : { tag };
    },
  );
}
