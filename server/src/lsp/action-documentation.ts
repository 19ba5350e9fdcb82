/** The documentation of code actions: `CodeActionOptions.documentation` of LSP 3.18. */
import { CodeActionKind, type CodeActionKindDocumentation } from 'vscode-languageserver';
import { FIX_ALL_KIND } from '../features/code-actions';
import { SITE } from '../rules/support/links';
import type { Session } from './session';

/** The page of the site about safe fixes. */
const SAFE_FIXES_PAGE = `${SITE}docs/safe.html`;

/** The command that opens the page about safe fixes, for clients other than ours. */
export const OPEN_DOCUMENTATION = 'httpdUpgrade.openDocumentation';

/** The link to the page about safe fixes, for each kind of code action. */
export function documentationFor({ client }: Pick<Session, 'client'>): CodeActionKindDocumentation[] {
  const title = 'What is a safe fix?';
  const command = client.isOurClient
    ? { title, command: 'vscode.open', arguments: [SAFE_FIXES_PAGE] }
    : { title, command: OPEN_DOCUMENTATION };
  return [CodeActionKind.QuickFix, FIX_ALL_KIND].map((kind) => ({ kind, command }));
}

/** Opens the page in a browser, if the client can do that, and returns its address. */
export async function openDocumentation(session: Session): Promise<{ url: string }> {
  if (session.client.opensAddresses)
    await session.connection.window.showDocument({ uri: SAFE_FIXES_PAGE, external: true });
  return { url: SAFE_FIXES_PAGE };
}
