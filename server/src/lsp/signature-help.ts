/** `textDocument/signatureHelp`. */
import { signatureHelp } from '../features/signature-help';
import { signatureHelpForClient } from './markup';
import { analyzedDocument, type Session } from './session';

/** Characters that trigger the help: one after a name, one at the beginning of a quoted value. */
export const SIGNATURE_TRIGGERS = [' ', '"'];

export function serveSignatureHelp(session: Session): void {
  session.connection.onSignatureHelp(async (params, token) => {
    const analyzedFile = await analyzedDocument(session, params.textDocument.uri, token);
    return (
      analyzedFile &&
      signatureHelpForClient(
        signatureHelp(analyzedFile.document.tree, analyzedFile.document.offsetAt(params.position)),
        session.client.plainTextParts.signatureHelp,
      )
    );
  });
}
