/** `textDocument/codeAction`. */
import { CodeActionKind, type CodeAction, type TextDocumentEdit } from 'vscode-languageserver';
import { codeActions, FIX_ALL_KIND, fixAllEdit, SHOW_RULE_COMMAND, type CodeActionRequest, type FixAllData } from '../features/code-actions';
import { editFor } from './edits';
import { analyzed, type Analyzed, type Session } from './session';
import { wholeAccessAction } from './whole-access';

export const CODE_ACTION_KINDS = [CodeActionKind.QuickFix, FIX_ALL_KIND];

export function serveCodeActions(session: Session): void {
  session.connection.onCodeAction(async (params, token) => {
    const found = await analyzed(session, params.textDocument.uri, token);
    if (!found) return [];
    const actions = codeActions({ ...request(session, params.textDocument.uri, found), range: params.range, only: params.context.only });
    const wide = session.configurationRules.actions(session.workspace.identityOf(params.textDocument.uri), found.document.tree, params.range);
    const all = [...actions, ...(wantsQuickFix(params.context.only) ? wide : []), ...wholeAccessAction(session, params.textDocument.uri, actions)];
    return all.filter((action) => session.client.showsRules || action.command?.command !== SHOW_RULE_COMMAND).map((action) => adapted(session, action));
  });
  session.connection.onCodeActionResolve(async (action, token) => {
    const data = action.data as Partial<FixAllData> | undefined;
    if (data?.fixAllOf === undefined || data.uri === undefined) return action;
    const found = await analyzed(session, data.uri, token);
    if (!found) return action;
    const edit = fixAllEdit({ ...request(session, data.uri, found), range: action.diagnostics![0].range }, data as FixAllData);
    return adapted(session, { ...action, edit });
  });
}

function wantsQuickFix(only: readonly string[] | undefined): boolean {
  return only === undefined || only.includes(CodeActionKind.QuickFix);
}

function request(session: Session, uri: string, { document, settings, analysis, file }: Analyzed): Omit<CodeActionRequest, 'range'> {
  return { uri, version: document.version, engine: settings.engine, analysis, file, isLazy: session.client.resolvesEdits };
}

function adapted(session: Session, action: CodeAction): CodeAction {
  const changes = action.edit?.documentChanges as TextDocumentEdit[] | undefined;
  return changes ? { ...action, edit: editFor(session, changes) } : action;
}
