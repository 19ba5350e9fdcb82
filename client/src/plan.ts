/**
 * Keeps the latest upgrade plan of the server, with what the user has ticked off and answered
 * since. Everything in the editor shows this plan and its counts. Requested again when the server
 * reports a change.
 */
import * as vscode from 'vscode';
import type { PlanCounts } from '../../server/src/analysis/plan-figures';
import { withTasks, type Tasks } from '../../server/src/features/remembered-tasks';
import { Requests, SECTION } from './language';
import {
  planFigures,
  questionOrder,
  withAnswer,
  type AnswerGiven,
  type Check,
  type PlanAnswer,
  type Ticked,
  type ViewMemory,
} from './plan-items';
import { isCancelled, type Server } from './server';

export interface Plans extends vscode.Disposable {
  /** The latest plan of the server; null before the first one, or if there is none. */
  readonly answer: PlanAnswer | null;
  /** The counts of the plan without ticked tasks; null if there is no plan. */
  readonly figures: PlanCounts | null;
  /** What the view shows in addition to the plan. */
  readonly memory: ViewMemory & { readonly ticked: Ticked };
  /**
   * Whether files have changed since the plan was made, and it was not made again because there are
   * many files.
   */
  readonly isStale: boolean;
  /** Why there is no plan; '' if there is one. */
  readonly nothing: string;
  readonly onDidChange: vscode.Event<void>;
  /** Fires when a change of several files was applied or undone. */
  readonly onDidWrite: vscode.Event<void>;
  /** Requests the current plan, and starts the server if needed. */
  current(): Promise<PlanAnswer | null>;
  /**
   * Requests the plan and shows progress, for a command of the user. Null if there is no plan or
   * the user cancels.
   */
  shown(): Promise<PlanAnswer | null>;
  /** Whether the user has given answers that the server's plan does not contain yet. */
  readonly lacksAnswers: boolean;
  /** Shows an answer at once, before the server has made a plan with it. */
  answered(newAnswer: AnswerGiven): void;
  /** Resolves when the server has made a plan with all answers, or after a time limit. */
  planned(): Promise<void>;
  /** Ticks tasks on the server, or removes ticks. */
  tick(changes: readonly (readonly [key: string, isDone: boolean])[]): Promise<void>;
  /** Records the result of a real httpd for a configuration; null removes it. */
  checked(root: string, check: Check | null): void;
  didWrite(): void;
}

/** The storage key of the tasks on the server that the user has ticked off. */
const TICKED_KEY = `${SECTION}.ticked`;
/** The storage key of the tasks on the server in earlier plans. */
const TASKS_KEY = `${SECTION}.tasks`;
/** `FileChangeType.Changed` of the protocol. */
const FILE_CHANGED = 2;
/**
 * Milliseconds after which an answer is not shown any more if the server's plan does not contain
 * it: it was not written.
 */
const MAX_ANSWER_AGE_MS = 20_000;

/**
 * Milliseconds to wait whether an answer leads to another question. After that, the user does
 * something else.
 */
const MAX_WAIT_FOR_QUESTIONS_MS = 5_000;

/** The remembered tasks, for the report. */
export function rememberedTasks(memory: vscode.Memento): { tasks: Tasks; ticked: string[] } {
  return { tasks: memory.get(TASKS_KEY, {}), ticked: memory.get(TICKED_KEY, []) };
}

export function upgradePlans(server: Server, memento: vscode.Memento): Plans {
  const changed = new vscode.EventEmitter<void>();
  const written = new vscode.EventEmitter<void>();
  const checks = new Map<string, Check>();
  const pending: { readonly newAnswer: AnswerGiven; readonly until: number }[] = [];
  let last: PlanAnswer | null = null;
  let answer: PlanAnswer | null = null;
  let order: readonly string[] = [];
  let nothing = '';
  let isStale = false;
  const ticked = (): Ticked => new Set(memento.get<string[]>(TICKED_KEY, []));
  /** Shows the plan together with the answers that it does not contain yet. */
  const show = () => {
    const now = Date.now();
    for (let index = pending.length - 1; index >= 0; index--)
      if (pending[index]!.until < now || (last !== null && isKnown(last, pending[index]!.newAnswer)))
        pending.splice(index, 1);
    const tasks = last && withTasks(last, memento.get<Tasks>(TASKS_KEY, {}));
    if (tasks) void memento.update(TASKS_KEY, tasks.tasks);
    answer = tasks && pending.reduce((plan, { newAnswer }) => withAnswer(plan, newAnswer), tasks.answer);
    if (answer) order = questionOrder(answer, order);
    changed.fire();
  };
  const take = (reply: PlanAnswer | { nothing: string }) => {
    last = 'nothing' in reply ? null : reply;
    nothing = 'nothing' in reply ? reply.nothing : '';
    isStale = false;
    const isThere = last !== null && last.configurations.some(({ uri }) => uri !== null);
    void vscode.commands.executeCommand('setContext', `${SECTION}.hasConfiguration`, isThere);
    const isRestricted = last === null && !vscode.workspace.isTrusted;
    void vscode.commands.executeCommand('setContext', `${SECTION}.isRestricted`, isRestricted);
    show();
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
  const subscription = server.onDidChangePlan((change) => {
    if (!change.isStale) return void current().catch(() => undefined);
    isStale = true;
    // The plan is not made yet, but there is a configuration.
    void vscode.commands.executeCommand('setContext', `${SECTION}.hasConfiguration`, true);
    changed.fire();
  });
  return {
    get answer() {
      return answer;
    },
    get figures() {
      return answer && planFigures(answer, ticked());
    },
    get memory() {
      return { ticked: ticked(), order, checks };
    },
    get isStale() {
      return isStale;
    },
    get nothing() {
      return nothing;
    },
    get lacksAnswers() {
      return pending.length > 0;
    },
    onDidChange: changed.event,
    onDidWrite: written.event,
    current,
    shown,
    answered(newAnswer) {
      pending.push({ newAnswer, until: Date.now() + MAX_ANSWER_AGE_MS });
      // The editor itself reports the written file up to half a second later.
      const changes = [{ uri: newAnswer.answersIn, type: FILE_CHANGED }];
      server.notify('workspace/didChangeWatchedFiles', { changes });
      show();
    },
    planned: () =>
      new Promise((resolve) => {
        const isPlanned = () => pending.length === 0;
        if (isPlanned()) return resolve();
        const end = () => {
          clearTimeout(timer);
          planListener.dispose();
          resolve();
        };
        const planListener = changed.event(() => isPlanned() && end());
        const timer = setTimeout(end, MAX_WAIT_FOR_QUESTIONS_MS);
      }),
    async tick(changes) {
      const tickedKeys = new Set(ticked());
      for (const [key, isDone] of changes) {
        if (isDone) tickedKeys.add(key);
        else tickedKeys.delete(key);
      }
      await memento.update(TICKED_KEY, [...tickedKeys]);
      changed.fire();
    },
    checked(root, check) {
      if (check) checks.set(root, check);
      else checks.delete(root);
      changed.fire();
    },
    didWrite() {
      checks.clear();
      written.fire();
    },
    dispose: () => vscode.Disposable.from(changed, written, subscription).dispose(),
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** Whether a plan of the server contains the answer, or does not ask the question any more. */
function isKnown({ plan, configurations }: PlanAnswer, { id, answersIn, value }: AnswerGiven): boolean {
  return configurations.every(
    (place, index) =>
      place.answersIn !== answersIn ||
      plan.configurations[index]!.questions.every((question) => question.id !== id || question.answer === value),
  );
}
