/**
 * Keeps the latest upgrade plan of the server, together with the ticks and answers that the user
 * has given since. All parts of the extension show this plan and its counts. It is requested again
 * when the server reports a change.
 */
import * as vscode from 'vscode';
import type { PlanCounts } from '../../server/src/analysis/plan-figures';
import { withRememberedTasks, type TasksByRoot } from '../../server/src/features/remembered-tasks';
import { Requests, NAME_PREFIX } from './language';
import {
  countsWithoutTicked,
  questionOrder,
  withAnswer,
  type NewAnswer,
  type CheckCounts,
  type PlanReply,
  type TickedKeys,
  type ViewMemory,
} from './plan-items';
import { isCancelled, type Server } from './server';

/** The store of the latest upgrade plan, which all parts of the extension share. */
export interface PlanStore extends vscode.Disposable {
  /**
   * The latest plan of the server, with the answers that the user has given since. Null before the
   * first plan, or if there is nothing to plan.
   */
  readonly reply: PlanReply | null;
  /** The counts of the plan without ticked tasks; null if there is no plan. */
  readonly counts: PlanCounts | null;
  /** The data that the view shows in addition to the plan. */
  readonly memory: Required<ViewMemory>;
  /**
   * Whether files have changed since the plan was made. The plan of a large workspace is then made
   * again only if the user asks for it.
   */
  readonly isStale: boolean;
  /** Why there is no plan; '' if there is a plan. */
  readonly reasonForNoPlan: string;
  readonly onDidChange: vscode.Event<void>;
  /** Fires when a change of several files was applied or undone. */
  readonly onDidWrite: vscode.Event<void>;
  /**
   * Requests the current plan, and starts the server if needed. Returns it; null if there is no
   * plan.
   */
  requestPlan(): Promise<PlanReply | null>;
  /**
   * Requests the plan and shows progress, for a command of the user. Null if there is no plan or
   * the user cancels.
   */
  requestWithProgress(): Promise<PlanReply | null>;
  /** Whether the user has given answers that the server's plan does not contain yet. */
  readonly lacksAnswers: boolean;
  /** Shows an answer at once, before the server has made a plan with it. */
  showAnswer(newAnswer: NewAnswer): void;
  /** Resolves when the server has made a plan with all answers, or after a time limit. */
  untilPlanHasAnswers(): Promise<void>;
  /** Stores which tasks on the server the user has ticked off. `key`: see `taskKey`. */
  recordTicks(changes: readonly (readonly [key: string, isDone: boolean])[]): Promise<void>;
  /** Records the result of a real httpd for a configuration; null removes an earlier result. */
  recordCheck(root: string, check: CheckCounts | null): void;
  /**
   * Must be called when a change of several files was applied or undone: the results of a real
   * httpd are then outdated.
   */
  onFilesWritten(): void;
}

/** The storage key of the tasks on the server that the user has ticked off. */
const TICKED_KEY = `${NAME_PREFIX}.ticked`;
/** The storage key of the tasks on the server in earlier plans. */
const TASKS_KEY = `${NAME_PREFIX}.tasks`;
/** `FileChangeType.Changed` of the protocol. */
const FILE_CHANGED = 2;
/**
 * Milliseconds after which an answer is no longer shown if the server's plan does not contain it:
 * the file with the answer was probably not written.
 */
const MAX_ANSWER_AGE_MS = 20_000;

/**
 * Milliseconds to wait for a plan with the new answer, because this plan may ask another question.
 * A user does not wait longer.
 */
const MAX_WAIT_FOR_QUESTIONS_MS = 5_000;

/** The tasks of earlier plans, and the keys of those that the user has ticked off. */
export function rememberedTasks(memento: vscode.Memento): { tasks: TasksByRoot; ticked: string[] } {
  return { tasks: memento.get(TASKS_KEY, {}), ticked: memento.get(TICKED_KEY, []) };
}

/** Creates the store of the latest plan. `memento` keeps ticks and tasks for the workspace. */
export function createPlanStore(server: Server, memento: vscode.Memento): PlanStore {
  const changeEmitter = new vscode.EventEmitter<void>();
  const writeEmitter = new vscode.EventEmitter<void>();
  const checkByMainFile = new Map<string, CheckCounts>();
  /** Answers that the server's plan does not contain yet; `shownUntil` as in `Date.now()`. */
  const pendingAnswers: { readonly newAnswer: NewAnswer; readonly shownUntil: number }[] = [];
  /** The plan as the server made it. */
  let serverReply: PlanReply | null = null;
  /** The same plan with the tasks of earlier plans and the pending answers. */
  let shownReply: PlanReply | null = null;
  let shownOrder: readonly string[] = [];
  let reasonForNoPlan = '';
  let isStale = false;
  const tickedKeys = (): TickedKeys => new Set(memento.get<string[]>(TICKED_KEY, []));
  /** Drops the answers that are no longer pending, and shows the plan together with the others. */
  const showPlanWithPendingAnswers = () => {
    const nowMs = Date.now();
    for (let index = pendingAnswers.length - 1; index >= 0; index--)
      if (
        pendingAnswers[index]!.shownUntil < nowMs ||
        (serverReply !== null && containsAnswer(serverReply, pendingAnswers[index]!.newAnswer))
      )
        pendingAnswers.splice(index, 1);
    const remembered = serverReply && withRememberedTasks(serverReply, memento.get<TasksByRoot>(TASKS_KEY, {}));
    if (remembered) void memento.update(TASKS_KEY, remembered.tasks);
    shownReply =
      remembered && pendingAnswers.reduce((reply, { newAnswer }) => withAnswer(reply, newAnswer), remembered.answer);
    if (shownReply) shownOrder = questionOrder(shownReply, shownOrder);
    changeEmitter.fire();
  };
  const acceptReply = (reply: PlanReply | { nothing: string }) => {
    serverReply = 'nothing' in reply ? null : reply;
    reasonForNoPlan = 'nothing' in reply ? reply.nothing : '';
    isStale = false;
    const hasConfiguration = serverReply !== null && serverReply.configurations.some(({ uri }) => uri !== null);
    void vscode.commands.executeCommand('setContext', `${NAME_PREFIX}.hasConfiguration`, hasConfiguration);
    const isRestricted = serverReply === null && !vscode.workspace.isTrusted;
    void vscode.commands.executeCommand('setContext', `${NAME_PREFIX}.isRestricted`, isRestricted);
    showPlanWithPendingAnswers();
  };
  const requestPlan = async (): Promise<PlanReply | null> => {
    acceptReply(await server.request<PlanReply | { nothing: string }>(Requests.plan, {}));
    return shownReply;
  };
  const requestWithProgress = async (): Promise<PlanReply | null> => {
    try {
      acceptReply(
        await server.longRequest<PlanReply | { nothing: string }>('Planning the upgrade…', Requests.plan, {}),
      );
      return shownReply;
    } catch (error) {
      if (isCancelled(error)) return null;
      throw error;
    }
  };
  const planListener = server.onDidChangePlan((change) => {
    if (!change.isStale) return void requestPlan().catch(() => undefined);
    isStale = true;
    // The plan is not made yet, but there is a configuration.
    void vscode.commands.executeCommand('setContext', `${NAME_PREFIX}.hasConfiguration`, true);
    changeEmitter.fire();
  });
  return {
    get reply() {
      return shownReply;
    },
    get counts() {
      return shownReply && countsWithoutTicked(shownReply, tickedKeys());
    },
    get memory() {
      return { tickedKeys: tickedKeys(), shownOrder, checkByMainFile };
    },
    get isStale() {
      return isStale;
    },
    get reasonForNoPlan() {
      return reasonForNoPlan;
    },
    get lacksAnswers() {
      return pendingAnswers.length > 0;
    },
    onDidChange: changeEmitter.event,
    onDidWrite: writeEmitter.event,
    requestPlan,
    requestWithProgress,
    showAnswer(newAnswer) {
      pendingAnswers.push({ newAnswer, shownUntil: Date.now() + MAX_ANSWER_AGE_MS });
      // Notifies the server now: the editor reports the written file up to half a second later.
      const changes = [{ uri: newAnswer.answersIn, type: FILE_CHANGED }];
      server.notify('workspace/didChangeWatchedFiles', { changes });
      showPlanWithPendingAnswers();
    },
    untilPlanHasAnswers: () =>
      new Promise((resolve) => {
        const hasNoPendingAnswers = () => pendingAnswers.length === 0;
        if (hasNoPendingAnswers()) return resolve();
        const stopWaiting = () => {
          clearTimeout(timer);
          changeListener.dispose();
          resolve();
        };
        const changeListener = changeEmitter.event(() => hasNoPendingAnswers() && stopWaiting());
        const timer = setTimeout(stopWaiting, MAX_WAIT_FOR_QUESTIONS_MS);
      }),
    async recordTicks(changes) {
      const newKeys = new Set(tickedKeys());
      for (const [key, isDone] of changes) {
        if (isDone) newKeys.add(key);
        else newKeys.delete(key);
      }
      await memento.update(TICKED_KEY, [...newKeys]);
      changeEmitter.fire();
    },
    recordCheck(root, check) {
      if (check) checkByMainFile.set(root, check);
      else checkByMainFile.delete(root);
      changeEmitter.fire();
    },
    onFilesWritten() {
      checkByMainFile.clear();
      writeEmitter.fire();
    },
    dispose: () => vscode.Disposable.from(changeEmitter, writeEmitter, planListener).dispose(),
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** Whether the plan of the server contains the answer, or no longer asks the question. */
function containsAnswer({ plan, configurations }: PlanReply, { id, answersIn, value }: NewAnswer): boolean {
  return configurations.every(
    (configuration, index) =>
      configuration.answersIn !== answersIn ||
      plan.configurations[index]!.questions.every((question) => question.id !== id || question.answer === value),
  );
}
