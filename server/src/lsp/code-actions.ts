/** `textDocument/codeAction`. */
import { CodeActionKind, type CodeAction } from 'vscode-languageserver';
import { codeActions, FIX_ALL_KIND } from '../features/code-actions';
import { analyzed, type Session } from './session';
import { resolveWholeAccess, wholeAccessAction } from './whole-access';

export const CODE_ACTION_KINDS = [CodeActionKind.QuickFix, FIX_ALL_KIND];

export function serveCodeActions(session: Session): void {
  session.connection.onCodeAction(async (params, token) => {
    const found = await analyzed(session, params.textDocument.uri, token);
    if (!found) return [];
    const actions = codeActions({
      uri: params.textDocument.uri,
      version: found.document.version,
      range: params.range,
      only: params.context.only,
      engine: found.settings.engine,
      analysis: found.analysis,
      file: found.file,
    });
    const all = [...actions, ...wholeAccessAction(session, params.textDocument.uri, actions)];
    return all.filter((action) => session.client.showsRules || !action.command).map((action) => adapted(session, action));
  });
  session.connection.onCodeActionResolve(async (action, token) => adapted(session, await resolveWholeAccess(session, action, token)));
}

/** Versioned edits for clients that check versions, plain ones for the others. */
function adapted(session: Session, action: CodeAction): CodeAction {
  const changes = action.edit?.documentChanges;
  if (!changes || session.client.documentChanges) return action;
  const plain = changes.flatMap((change) => ('textDocument' in change ? [[change.textDocument.uri, change.edits]] : []));
  return { ...action, edit: { changes: Object.fromEntries(plain) } };
}
