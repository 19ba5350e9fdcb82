/**
 * Further actions for an item of the plan view: choose a fix, show the page of the rule, add the
 * comment that silences the rule.
 */
import * as vscode from 'vscode';
import { IGNORE_KIND, LANGUAGE, NAME_PREFIX } from './language';
import type { PlanItem } from './plan-items';
import { visibleItems } from './visible';
import { withVisibleCharacters } from '../../server/src/syntax/hidden-text';

/** Registers the commands of the context menu of an item, and the command `ignoreAt`. */
export function registerPlanActions(): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.commands.registerCommand(`${NAME_PREFIX}.explainItem`, async (item?: unknown) => {
      const rule = (item as PlanItem | undefined)?.rule;
      await vscode.commands.executeCommand(`${NAME_PREFIX}.showRule`, rule);
    }),
    vscode.commands.registerCommand(`${NAME_PREFIX}.chooseFix`, (item?: unknown) =>
      chooseFix(item as PlanItem | undefined),
    ),
    vscode.commands.registerCommand(`${NAME_PREFIX}.ignoreAt`, (uri: string, line: number, rule: string) =>
      chooseIgnoreComment({ place: { uri, line }, rule }),
    ),
    vscode.commands.registerCommand(`${NAME_PREFIX}.copyTask`, async (item?: unknown) => {
      const subject = (item as PlanItem | undefined)?.subject;
      if (subject?.kind !== 'task') return;
      await vscode.env.clipboard.writeText(subject.commands.join('\n'));
      void vscode.window.setStatusBarMessage('$(copy) Copied the command: run it on the server', 5000);
    }),
    vscode.commands.registerCommand(`${NAME_PREFIX}.openFolderOf`, (item?: unknown) =>
      openFolderOf(item as PlanItem | undefined),
    ),
    vscode.commands.registerCommand(`${NAME_PREFIX}.ignoreItem`, (item?: unknown) =>
      chooseIgnoreComment(item as PlanItem | undefined),
    ),
  );
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Opens the folder that contains all files of a configuration: the folder of the main file. If that
 * folder is called `conf`, opens its parent folder.
 */
async function openFolderOf(item: PlanItem | undefined): Promise<void> {
  if (!item?.place) return;
  const folder = vscode.Uri.joinPath(vscode.Uri.parse(item.place.uri), '..');
  const isConfFolder = /\/[^/]+\/conf$/.test(folder.path);
  await vscode.commands.executeCommand('vscode.openFolder', isConfFolder ? vscode.Uri.joinPath(folder, '..') : folder);
}

/**
 * Opens the place of an item, and returns the code actions that the server offers for its rule at
 * this place.
 */
async function actionsAt(
  { place, rule }: Pick<PlanItem, 'place' | 'rule'>,
  kind = vscode.CodeActionKind.QuickFix.value,
): Promise<readonly vscode.CodeAction[]> {
  if (!place || rule === undefined) return [];
  const uri = vscode.Uri.parse(place.uri);
  const openedDocument = await vscode.workspace.openTextDocument(uri);
  const document =
    openedDocument.languageId === LANGUAGE
      ? openedDocument
      : await vscode.languages.setTextDocumentLanguage(openedDocument, LANGUAGE);
  const { range } = document.lineAt(Math.min(place.line, document.lineCount - 1));
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(range.start, range.start) });
  const actions =
    (await vscode.commands.executeCommand<vscode.CodeAction[]>(
      'vscode.executeCodeActionProvider',
      uri,
      range,
      kind,
      MAX_ACTIONS,
    )) ?? [];
  const isOfRule = ({ diagnostics = [], title }: vscode.CodeAction) =>
    title.includes(`"${rule}"`) ||
    diagnostics.some(({ code }) => (typeof code === 'object' ? code.value : code) === rule);
  return actions.filter(isOfRule);
}

/** Limit for the number of code actions whose edits are requested. */
const MAX_ACTIONS = 30;

/** Applies the only action, or the one that the user chooses from several. */
async function applyChosenAction(actions: readonly vscode.CodeAction[], title: string): Promise<void> {
  const actionItems = actions.map((action) => ({ label: action.title, action }));
  const chosenItem =
    actionItems.length === 1
      ? actionItems[0]
      : await vscode.window.showQuickPick(visibleItems(actionItems), { title: withVisibleCharacters(title) });
  if (chosenItem?.action.edit) await vscode.workspace.applyEdit(chosenItem.action.edit);
  const command = chosenItem?.action.command;
  if (command) await vscode.commands.executeCommand(command.command, ...(command.arguments ?? []));
}

/** Shows the place of an item, and a list of the fixes that the user can choose from. */
async function chooseFix(item: PlanItem | undefined): Promise<void> {
  if (!item) return;
  const fixes = (await actionsAt(item)).filter(({ title }) => !/^(Ignore|Explain|Open|Fix (all|the)) /.test(title));
  if (fixes.length === 0)
    return void vscode.window.showInformationMessage(
      'There is no automatic fix for this problem: change the line by hand.',
    );
  const title = item.label;
  const fixItems = fixes.map((action) => ({ label: action.title, action }));
  const chosenItem = await vscode.window.showQuickPick(visibleItems(fixItems), {
    title: withVisibleCharacters(title),
    placeHolder: 'Choose a fix',
  });
  if (chosenItem) await applyChosenAction([chosenItem.action], title);
}

/** Shows the place of an item, and asks where to put the comment that silences its rule. */
async function chooseIgnoreComment(item: Pick<PlanItem, 'place' | 'rule'> | undefined): Promise<void> {
  if (!item) return;
  const actions = await actionsAt(item, IGNORE_KIND);
  if (actions.length === 0)
    return void vscode.window.showInformationMessage(
      'A comment cannot ignore this problem at this place. Set the severity of its rule to off instead.',
    );
  await applyChosenAction(actions, `Ignore ${item.rule}`);
}
