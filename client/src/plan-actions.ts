/** What else can be done with an item of the upgrade plan: its rule's page, and the comment that keeps a line as it is. */
import * as vscode from 'vscode';
import { LANGUAGE, SECTION } from './language';
import type { PlanItem } from './plan-items';

export function planActions(): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.commands.registerCommand(`${SECTION}.explainItem`, async (item?: unknown) => {
      const rule = (item as PlanItem | undefined)?.rule;
      await vscode.commands.executeCommand(`${SECTION}.showRule`, rule);
    }),
    vscode.commands.registerCommand(`${SECTION}.ignoreItem`, (item?: unknown) => ignore(item as PlanItem | undefined)),
  );
}

// ---------------------------------------------------------------------------------------------------------------------

/** Goes to the place and asks where the comment is to stand: the lightbulb knows. */
async function ignore(item: PlanItem | undefined): Promise<void> {
  const { place, rule } = item ?? {};
  if (!place || rule === undefined) return;
  const uri = vscode.Uri.parse(place.uri);
  const document = await vscode.workspace.openTextDocument(uri);
  if (document.languageId !== LANGUAGE) await vscode.languages.setTextDocumentLanguage(document, LANGUAGE);
  const { range } = document.lineAt(Math.min(place.line, document.lineCount - 1));
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(range.start, range.start) });
  const actions = (await vscode.commands.executeCommand<vscode.CodeAction[]>('vscode.executeCodeActionProvider', uri, range, vscode.CodeActionKind.QuickFix.value, 30)) ?? [];
  const ignores = actions.filter(({ title }) => title.startsWith('Ignore') && title.includes(`"${rule}"`));
  if (ignores.length === 0) return void vscode.window.showInformationMessage('This finding cannot be ignored here by a comment.');
  const chosen = ignores.length === 1 ? ignores[0] : (await vscode.window.showQuickPick(ignores.map((action) => ({ label: action.title, action })), { title: `Ignore ${rule}` }))?.action;
  if (chosen?.edit) await vscode.workspace.applyEdit(chosen.edit);
  if (chosen?.command) await vscode.commands.executeCommand(chosen.command.command, ...(chosen.command.arguments ?? []));
}
