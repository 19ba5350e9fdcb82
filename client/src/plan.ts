/**
 * The latest upgrade plan of the server, with what the user has ticked off and answered since.
 * Every surface of the editor shows this plan and its counts. Requested again when the server
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
  /** The last plan of the server; null before the first plan, and if there is none. */
  readonly answer: PlanAnswer | null;
  /** The counts of the plan without ticked steps; null without a plan. */
  readonly figures: PlanCounts | null;
  /** Further data of the view. */
  readonly memory: ViewMemory & { readonly ticked: Ticked };
  /**
   * Whether files have changed since it was made and, because there are many, it was not made
   * again.
   */
  readonly isStale: boolean;
  /** The reason why there is no plan, or ''. */
  readonly nothing: string;
  readonly onDidChange: vscode.Event<void>;
  /** A change of several files was applied or undone. */
  readonly onDidWrite: vscode.Event<void>;
  /** The current plan. Starts the server if needed. */
  current(): Promise<PlanAnswer | null>;
  /**
   * Returns the plan with progress, for a user's command; null also if the command is cancelled.
   */
  shown(): Promise<PlanAnswer | null>;
  /** Whether the server has not planned with all answers that were given. */
  readonly lacksAnswers: boolean;
  /** Shows an answer at once, before the server has planned with it. */
  answered(newAnswer: AnswerGiven): void;
  /** Resolves when the server has planned with all answers, or after a time limit. */
  planned(): Promise<void>;
  /** Ticks tasks on the server, or removes ticks. */
  tick(changes: readonly (readonly [key: string, isDone: boolean])[]): Promise<void>;
  /** Records the result of a real httpd for a configuration; null removes it. */
  checked(root: string, check: Check | null): void;
  didWrite(): void;
}

/** Key of the tasks on the server that the user has ticked off. */
const TICKED = `${SECTION}.ticked`;
/** Key of the tasks on the server in earlier plans. */
const TASKS = `${SECTION}.tasks`;
/** `FileChangeType.Changed` of the protocol. */
const CHANGED = 2;
/** Milliseconds until an answer unknown to the server is not shown any more: it was not written. */
const PATIENCE = 20_000;

/**
 * Milliseconds in which an answer may lead to another question; later the user does something else.
 */
const PATIENCE_FOR_QUESTIONS = 5_000;

/** The remembered tasks, for the report. */
export function rememberedTasks(memory: vscode.Memento): { tasks: Tasks; ticked: string[] } {
  return { tasks: memory.get(TASKS, {}), ticked: memory.get(TICKED, []) };
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
  const ticked = (): Ticked => new Set(memento.get<string[]>(TICKED, []));
  /** Combines the plan with the answers that the server does not know yet. */
  const show = () => {
    const now = Date.now();
    for (let index = pending.length - 1; index >= 0; index--)
      if (pending[index]!.until < now || (last !== null && isKnown(last, pending[index]!.newAnswer)))
        pending.splice(index, 1);
    const tasks = last && withTasks(last, memento.get<Tasks>(TASKS, {}));
    if (tasks) void memento.update(TASKS, tasks.tasks);
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
    // The contents are unknown yet, but there is a configuration.
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
      pending.push({ newAnswer, until: Date.now() + PATIENCE });
      // The editor reports the written file up to half a second later.
      const changes = [{ uri: newAnswer.answersIn, type: CHANGED }];
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
        const timer = setTimeout(end, PATIENCE_FOR_QUESTIONS);
      }),
    async tick(changes) {
      const tickedKeys = new Set(ticked());
      for (const [key, isDone] of changes) {
        if (isDone) tickedKeys.add(key);
        else tickedKeys.delete(key);
      }
      await memento.update(TICKED, [...tickedKeys]);
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

/** Whether a plan of the server was made with the answer, or does not ask the question any more. */
function isKnown({ plan, configurations }: PlanAnswer, { id, answersIn, value }: AnswerGiven): boolean {
  return configurations.every(
    (place, index) =>
      place.answersIn !== answersIn ||
      plan.configurations[index]!.questions.every((question) => question.id !== id || question.answer === value),
  );
}
