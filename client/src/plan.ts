/**
 * The upgrade plan as the server last made it, with what the user has ticked off and answered since. Every
 * surface of the editor shows this plan and its figures. It is asked for again when the server says that there
 * is another one.
 */
import * as vscode from 'vscode';
import type { Figures } from '../../server/src/analysis/plan-figures';
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
  /** null before the first one, and where there is none. */
  readonly answer: PlanAnswer | null;
  /** The figures of the plan without steps that are ticked off; null without a plan. */
  readonly figures: Figures | null;
  /** What the view shows beside the plan. */
  readonly memory: ViewMemory & { readonly ticked: Ticked };
  /** Files have changed since it was made, and there are many. */
  readonly isStale: boolean;
  /** Why there is none, or ''. */
  readonly nothing: string;
  readonly onDidChange: vscode.Event<void>;
  /** A change of several files was applied or undone. */
  readonly onDidWrite: vscode.Event<void>;
  /** The plan as everything is now. Starts the server if need be. */
  current(): Promise<PlanAnswer | null>;
  /** The same for a person who asked: shows how far it is; null where it is cancelled, too. */
  shown(): Promise<PlanAnswer | null>;
  /** Whether the server has not planned with all answers that were given. */
  readonly lacksAnswers: boolean;
  /** Shows an answer at once, before the server has planned with it. */
  answered(given: AnswerGiven): void;
  /** Resolves once the server has planned with all answers, or after a while. */
  planned(): Promise<void>;
  /** Ticks tasks on the server off, or takes ticks back. */
  tick(changes: readonly (readonly [key: string, isDone: boolean])[]): Promise<void>;
  /** Takes note of what a real httpd has said of a configuration; null for nothing any more. */
  checked(root: string, check: Check | null): void;
  didWrite(): void;
}

/** The keys of the tasks on the server that the user has ticked off. */
const TICKED = `${SECTION}.ticked`;
/** The tasks on the server that earlier plans had. */
const TASKS = `${SECTION}.tasks`;
/** Milliseconds until an answer that the server does not know is no longer shown: it was not written. */
const PATIENCE = 20_000;

/** Milliseconds in which an answer may bring up another question: later the user is at something else. */
const PATIENCE_FOR_QUESTIONS = 5_000;

/** What the report takes from the memory of the workspace. */
export function rememberedTasks(memory: vscode.Memento): { tasks: Tasks; ticked: string[] } {
  return { tasks: memory.get(TASKS, {}), ticked: memory.get(TICKED, []) };
}

export function upgradePlans(server: Server, memento: vscode.Memento): Plans {
  const changed = new vscode.EventEmitter<void>();
  const written = new vscode.EventEmitter<void>();
  const checks = new Map<string, Check>();
  const pending: { readonly given: AnswerGiven; readonly until: number }[] = [];
  let last: PlanAnswer | null = null;
  let answer: PlanAnswer | null = null;
  let order: readonly string[] = [];
  let nothing = '';
  let isStale = false;
  const ticked = (): Ticked => new Set(memento.get<string[]>(TICKED, []));
  /** Puts the plan together with the answers that the server does not know yet. */
  const show = () => {
    const now = Date.now();
    for (let index = pending.length - 1; index >= 0; index--)
      if (pending[index]!.until < now || (last !== null && isKnown(last, pending[index]!.given)))
        pending.splice(index, 1);
    const tasks = last && withTasks(last, memento.get<Tasks>(TASKS, {}));
    if (tasks) void memento.update(TASKS, tasks.tasks);
    answer = tasks && pending.reduce((plan, { given }) => withAnswer(plan, given), tasks.answer);
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
    answered(given) {
      pending.push({ given, until: Date.now() + PATIENCE });
      show();
    },
    planned: () =>
      new Promise((resolve) => {
        const isPlanned = () => pending.length === 0;
        if (isPlanned()) return resolve();
        const end = () => {
          clearTimeout(timer);
          listening.dispose();
          resolve();
        };
        const listening = changed.event(() => isPlanned() && end());
        const timer = setTimeout(end, PATIENCE_FOR_QUESTIONS);
      }),
    async tick(changes) {
      const now = new Set(ticked());
      for (const [key, isDone] of changes) {
        if (isDone) now.add(key);
        else now.delete(key);
      }
      await memento.update(TICKED, [...now]);
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
    dispose: () => vscode.Disposable.from(changed, written, told).dispose(),
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** Whether a plan of the server was made with the answer, or no longer asks the question. */
function isKnown({ plan, configurations }: PlanAnswer, { id, answersIn, value }: AnswerGiven): boolean {
  return configurations.every(
    (place, index) =>
      place.answersIn !== answersIn ||
      plan.configurations[index]!.questions.every((question) => question.id !== id || question.answer === value),
  );
}
