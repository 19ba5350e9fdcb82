/**
 * Adds tasks on the server from earlier plans to the current plan, because the converted files no
 * longer show the reasons for many tasks. Also makes the keys by which the client remembers which
 * tasks the user has ticked off. Has no state of its own.
 */
import type { OnServerItem } from '../analysis/server-tasks';
import { areFilesDone, planCounts } from '../analysis/plan-figures';
import type { ConfigurationPlan, UpgradePlan } from '../analysis/upgrade-plan';

/** The tasks on the server in earlier plans, by the URI of the main file. */
export type TasksByRoot = Readonly<Record<string, readonly OnServerItem[]>>;

/**
 * A plan, and the URI of the main file of each of its configurations; null for files that no
 * configuration reads.
 */
interface PlanWithUris {
  readonly plan: UpgradePlan;
  readonly configurations: readonly { readonly uri: string | null }[];
}

/**
 * Adds the tasks of earlier plans to configurations that are done, and returns the tasks to
 * remember. Tasks without which 2.4 does not start are not remembered: once they are done, they
 * need not be shown.
 */
export function withRememberedTasks<Answer extends PlanWithUris>(
  answer: Answer,
  rememberedTasks: TasksByRoot,
): { answer: Answer; tasks: TasksByRoot } {
  const tasks: Record<string, readonly OnServerItem[]> = { ...rememberedTasks };
  const configurations = answer.plan.configurations.map((plan, index) => {
    const configurationWithUri = answer.configurations[index]!;
    if (configurationWithUri.uri === null) return plan;
    const currentIds = new Set(plan.onServer.map(({ id }) => id));
    const allTasks = [
      ...plan.onServer,
      ...(rememberedTasks[configurationWithUri.uri] ?? []).filter(
        ({ id, isBlocking }) => !isBlocking && !currentIds.has(id),
      ),
    ];
    tasks[configurationWithUri.uri] = allTasks;
    return isConfigurationDone(plan) ? { ...plan, onServer: allTasks } : plan;
  });
  return { answer: { ...answer, plan: { ...answer.plan, configurations } }, tasks };
}

/**
 * Identifies a task. If its command or text changes, it is another task and has no tick. `root`:
 * the URI of the main file.
 */
export function taskKey(root: string | null, { id, what, commands }: OnServerItem): string {
  return [root ?? '', id, commands?.join('; ') ?? what].join('\n');
}

/**
 * Whether a configuration is done: nothing prevents the start of 2.4, no question is open, and no
 * ready fix is left to write.
 */
export function isConfigurationDone(plan: ConfigurationPlan): boolean {
  return areFilesDone(planCounts([plan]));
}
