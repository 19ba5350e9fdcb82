/** Invites the user once in each workspace to plan the upgrade. */
import * as vscode from 'vscode';
import { stateText } from '../../server/src/analysis/plan-figures';
import { LANGUAGE, NAME_PREFIX } from './language';
import type { PlanStore } from './plan';

const INVITED_KEY = `${NAME_PREFIX}.invited`;

const PLAN_BUTTON = 'Plan the upgrade';
const LATER_BUTTON = 'Not now';

/**
 * Shows the invitation when a plan has blocking problems and something to do. `view` is the plan
 * view. If it is open, no message is needed.
 */
export function registerInvitation(
  planStore: PlanStore,
  memento: vscode.Memento,
  view: { readonly isOpen: boolean; readonly onDidOpen: vscode.Event<void> },
): vscode.Disposable {
  let isMessageShown = false;
  /**
   * The main files whose first plan has arrived. Later edits of these files cause no invitation.
   */
  const mainFilesSeen = new Set<string>();
  /** Shows the invitation if the latest plan is a reason for it. */
  const invite = async () => {
    const { reply, counts } = planStore;
    const isSettingOn = vscode.workspace.getConfiguration(NAME_PREFIX).get('invitation', true);
    if (!reply || !counts || !isSettingOn || memento.get(INVITED_KEY, false) || view.isOpen) return;
    // While the user types, an unfinished word is an error. That is no sign of a 2.2 configuration.
    if (vscode.workspace.textDocuments.some(({ isDirty, languageId }) => isDirty && languageId === LANGUAGE)) return;
    const newMainFiles = reply.configurations.flatMap(({ uri }) => (uri === null || mainFilesSeen.has(uri) ? [] : uri));
    for (const uri of newMainFiles) mainFilesSeen.add(uri);
    const { blocking, questions, ready, waiting } = counts;
    if (newMainFiles.length === 0 || blocking === 0 || questions + ready + waiting === 0) return;
    // The message is shown once, whatever the user answers.
    await memento.update(INVITED_KEY, true);
    isMessageShown = true;
    const chosenButton = await vscode.window.showInformationMessage(
      `This looks like a configuration for Apache httpd 2.2. ${stateText('blocking', counts)}.`,
      PLAN_BUTTON,
      LATER_BUTTON,
    );
    isMessageShown = false;
    if (chosenButton === PLAN_BUTTON) await vscode.commands.executeCommand(`${NAME_PREFIX}.openPlan`);
  };
  return vscode.Disposable.from(
    planStore.onDidChange(() => void invite()),
    // An extension cannot close its own message. This command moves it to the list of
    // notifications.
    view.onDidOpen(() => {
      if (isMessageShown) void vscode.commands.executeCommand('notifications.hideToasts');
    }),
  );
}
