/** The upgrade plan as the server last told it: asked for again when the server says that there is another one. */
import * as vscode from 'vscode';
import { Requests, SECTION } from './language';
import type { PlanAnswer } from './plan-items';
import { isCancelled, type Server } from './server';

export interface Plans extends vscode.Disposable {
  /** null before the first one, and where there is none. */
  readonly answer: PlanAnswer | null;
  /** Files have changed since it was made, and there are many. */
  readonly isStale: boolean;
  /** Why there is none, or ''. */
  readonly nothing: string;
  readonly onDidChange: vscode.Event<void>;
  /** The plan as everything is now. Starts the server if need be. */
  current(): Promise<PlanAnswer | null>;
  /** The same for a person who asked: shows how far it is; null where it is cancelled, too. */
  shown(): Promise<PlanAnswer | null>;
}

export function upgradePlans(server: Server): Plans {
  const changed = new vscode.EventEmitter<void>();
  let answer: PlanAnswer | null = null;
  let nothing = '';
  let isStale = false;
  const take = (told: PlanAnswer | { nothing: string }) => {
    answer = 'nothing' in told ? null : told;
    nothing = 'nothing' in told ? told.nothing : '';
    isStale = false;
    void vscode.commands.executeCommand(
      'setContext',
      `${SECTION}.hasConfiguration`,
      answer !== null && answer.configurations.some(({ uri }) => uri !== null),
    );
    void vscode.commands.executeCommand(
      'setContext',
      `${SECTION}.isRestricted`,
      answer === null && !vscode.workspace.isTrusted,
    );
    changed.fire();
  };
  const current = async (): Promise<PlanAnswer | null> => {
    take(await server.request<PlanAnswer | { nothing: string }>(Requests.plan, {}));
    return answer;
  };
  const shown = async (): Promise<PlanAnswer | null> => {
    try {
      take(await server.longRequest<PlanAnswer | { nothing: string }>('Planning the upgrade…', Requests.plan, {}));
      return answer;
    } catch (error) {
      if (isCancelled(error)) return null;
      throw error;
    }
  };
  const told = server.onDidChangePlan((change) => {
    if (!change.isStale) return void current().catch(() => undefined);
    isStale = true;
    // What is in it is not known yet; that there is something is.
    void vscode.commands.executeCommand('setContext', `${SECTION}.hasConfiguration`, true);
    changed.fire();
  });
  return {
    get answer() {
      return answer;
    },
    get isStale() {
      return isStale;
    },
    get nothing() {
      return nothing;
    },
    onDidChange: changed.event,
    current,
    shown,
    dispose: () => vscode.Disposable.from(changed, told).dispose(),
  };
}
