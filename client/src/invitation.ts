/** Invites the user to upgrade: once in each workspace, and never again after the user declined. */
import * as vscode from 'vscode';
import { stateText } from '../../server/src/analysis/plan-figures';
import { LANGUAGE, SECTION } from './language';
import type { Plans } from './plan';

const INVITED_KEY = `${SECTION}.invited`;

const PLAN_BUTTON = 'Plan the upgrade';
const LATER_BUTTON = 'Not now';

/**
 * Shows the invitation when a plan has something to do. `view`: the plan view; if it is open, no
 * message is needed.
 */
export function invitation(
  plans: Plans,
  memory: vscode.Memento,
  view: { readonly isOpen: boolean; readonly onDidOpen: vscode.Event<void> },
): vscode.Disposable {
  let isShown = false;
  /** The main files whose plans were seen, so that later edits of them cause no invitation. */
  const mainFilesSeen = new Set<string>();
  const invite = async () => {
    const { answer, figures } = plans;
    const isWanted = vscode.workspace.getConfiguration(SECTION).get('invitation', true);
    if (!answer || !figures || !isWanted || memory.get(INVITED_KEY, false) || view.isOpen) return;
    // While the user types, an unfinished word is an error, which does not show that the server is
    // a 2.2.
    if (vscode.workspace.textDocuments.some(({ isDirty, languageId }) => isDirty && languageId === LANGUAGE)) return;
    const added = answer.configurations.flatMap(({ uri }) => (uri === null || mainFilesSeen.has(uri) ? [] : uri));
    for (const uri of added) mainFilesSeen.add(uri);
    const { blocking, questions, ready, waiting } = figures;
    if (added.length === 0 || blocking === 0 || questions + ready + waiting === 0) return;
    // The message is shown once, whatever the user answers.
    await memory.update(INVITED_KEY, true);
    isShown = true;
    const chosen = await vscode.window.showInformationMessage(
      `This looks like a configuration for Apache httpd 2.2. ${stateText('blocking', figures)}.`,
      PLAN_BUTTON,
      LATER_BUTTON,
    );
    isShown = false;
    if (chosen === PLAN_BUTTON) await vscode.commands.executeCommand(`${SECTION}.openPlan`);
  };
  return vscode.Disposable.from(
    plans.onDidChange(() => void invite()),
    // An extension cannot close its own message. The editor moves it to the list of notifications.
    view.onDidOpen(() => {
      if (isShown) void vscode.commands.executeCommand('notifications.hideToasts');
    }),
  );
}
