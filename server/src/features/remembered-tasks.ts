/**
 * What a client remembers of an upgrade, beyond the plan of the moment: the tasks on the server that earlier plans told of, and which of them a person has ticked off.
 * A configuration that has been converted gives no cause any more for much of what is left to do on its server. Pure.
 */
import type { OnServerItem } from '../analysis/server-tasks';
import { areFilesDone, figuresOf } from '../analysis/plan-figures';
import type { ConfigurationPlan, PlanQuestion, UpgradePlan } from '../analysis/upgrade-plan';

/** Tasks on the server that a plan has told of, by the main file's address. */
export type Tasks = Readonly<Record<string, readonly OnServerItem[]>>;

/** A plan, and where the main file of each of its configurations is; null for what no configuration reads. */
interface Placed {
  readonly plan: UpgradePlan;
  readonly configurations: readonly { readonly uri: string | null }[];
}

/**
 * The plan with the tasks that earlier plans told of, once its configuration is done, and what to remember. What 2.4 does not start without is not remembered: once it
 * is there, nobody has to be told.
 */
export function withTasks<Answer extends Placed>(answer: Answer, remembered: Tasks): { answer: Answer; tasks: Tasks } {
  const tasks: Record<string, readonly OnServerItem[]> = { ...remembered };
  const configurations = answer.plan.configurations.map((plan, index) => {
    const place = answer.configurations[index]!;
    if (place.uri === null) return plan;
    const told = new Set(plan.onServer.map(({ id }) => id));
    const all = [
      ...plan.onServer,
      ...(remembered[place.uri] ?? []).filter(({ id, isBlocking }) => !isBlocking && !told.has(id)),
    ];
    tasks[place.uri] = all;
    return isDone(plan) ? { ...plan, onServer: all } : plan;
  });
  return { answer: { ...answer, plan: { ...answer.plan, configurations } }, tasks };
}

/** A task under another command, or another text, is another task: its tick does not stay. `root`: the address of the main file. */
export function taskKey(root: string | null, { id, what, commands }: OnServerItem): string {
  return [root ?? '', id, commands?.join('; ') ?? what].join('\n');
}

/** Nothing stops 2.4, nothing waits for an answer, and nothing that is ready is left. */
export function isDone(plan: ConfigurationPlan): boolean {
  return areFilesDone(figuresOf([plan]));
}

export function openQuestions({ questions }: Pick<ConfigurationPlan, 'questions'>): readonly PlanQuestion[] {
  return questions.filter(({ answer }) => answer === null);
}
