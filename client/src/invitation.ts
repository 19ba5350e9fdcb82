/** Invites once in a workspace to upgrade, and never again after the user declined. */
import * as vscode from 'vscode';
import { stateText } from '../../server/src/analysis/plan-figures';
import { LANGUAGE, SECTION } from './language';
import type { Plans } from './plan';

const INVITED = `${SECTION}.invited`;

const PLAN = 'Plan the upgrade';
const LATER = 'Not now';

/** `isViewOpen`: whether the view of the plan is visible, which makes the message unnecessary. */
export function invitation(
  plans: Plans,
  memory: vscode.Memento,
  view: { readonly isOpen: boolean; readonly onDidOpen: vscode.Event<void> },
): vscode.Disposable {
  let isShown = false;
  /** Main files whose plan was seen: later edits cause no invitation. */
  const seen = new Set<string>();
  const invite = async () => {
    const { answer, figures } = plans;
    const isWanted = vscode.workspace.getConfiguration(SECTION).get('invitation', true);
    if (!answer || !figures || !isWanted || memory.get(INVITED, false) || view.isOpen) return;
    // An unfinished word is an error, but no sign of httpd 2.2.
    if (vscode.workspace.textDocuments.some(({ isDirty, languageId }) => isDirty && languageId === LANGUAGE)) return;
    const added = answer.configurations.flatMap(({ uri }) => (uri === null || seen.has(uri) ? [] : uri));
    for (const uri of added) seen.add(uri);
    const { blocking, questions, ready, waiting } = figures;
    if (added.length === 0 || blocking === 0 || questions + ready + waiting === 0) return;
    // Whatever the user answers, the message is shown once.
    await memory.update(INVITED, true);
    isShown = true;
    const chosen = await vscode.window.showInformationMessage(
      `This looks like a configuration for Apache httpd 2.2. ${stateText('blocking', figures)}.`,
      PLAN,
      LATER,
    );
    isShown = false;
    if (chosen === PLAN) await vscode.commands.executeCommand(`${SECTION}.openPlan`);
  };
  return vscode.Disposable.from(
    plans.onDidChange(() => void invite()),
    // An extension cannot close its own message; the editor moves it to the list of notifications.
    view.onDidOpen(() => {
      if (isShown) void vscode.commands.executeCommand('notifications.hideToasts');
    }),
  );
}
