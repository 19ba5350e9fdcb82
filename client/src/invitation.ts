/** Says once in a workspace that there is something to upgrade, and never again where a person declined. */
import * as vscode from 'vscode';
import { SECTION } from './language';
import type { Plans } from './plan';
import { amount } from './plan-items';

const TOLD = `${SECTION}.invited`;

const PLAN = 'Plan the upgrade';
const LATER = 'Not now';

export function invitation(plans: Plans, memory: vscode.Memento): vscode.Disposable {
  const invite = async () => {
    const { answer } = plans;
    const isWanted = vscode.workspace.getConfiguration(SECTION).get('invitation', true);
    if (!answer || !isWanted || memory.get(TOLD, false)) return;
    const blocking = answer.configurations.reduce((sum, place) => sum + (place.uri === null ? 0 : place.blocking), 0);
    if (blocking === 0) return;
    // Whatever is answered, and if nothing is: this is said once.
    await memory.update(TOLD, true);
    const chosen = await vscode.window.showInformationMessage(
      `This looks like a configuration for Apache httpd 2.2. ${amount(blocking, 'problem prevents', 'problems prevent')} httpd 2.4 from starting.`,
      PLAN,
      LATER,
    );
    if (chosen === PLAN) await vscode.commands.executeCommand(`${SECTION}.openPlan`);
  };
  return plans.onDidChange(() => void invite());
}
