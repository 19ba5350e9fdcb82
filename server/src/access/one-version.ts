/**
 * Finds which of the two versions, 2.2 or 2.4, reads a line or a section. They differ if a
 * condition around it is true for only one of them.
 */
import type { Activity } from '../config/activity';
import type { BothAnswers, ConfigLine, ActivityByVersion, Scope } from '../config/configuration';
import type { Section } from '../syntax/tree';

/** Conditions that the conversion removes, so that both versions read the lines inside. */
export type RemovedConditions = Pick<ReadonlySet<Section>, 'has'>;

export const NO_REMOVED_CONDITIONS: RemovedConditions = { has: () => false };

/** Names of lines that may be written twice, once for each version, inside conditions. */
export const ONE_VERSION_NAMES: ReadonlySet<string> = new Set(['order', 'allow', 'deny', 'satisfy', 'require']);

/**
 * Returns in which version a line is active, after the conversion removes some conditions.
 * undefined if both then read it, because its only condition is removed.
 */
export function activityAfterRemoval(
  byVersion: ActivityByVersion | undefined,
  removedConditions: RemovedConditions,
): ActivityByVersion | undefined {
  return byVersion?.conditions.length === 1 && removedConditions.has(byVersion.conditions[0]!.section)
    ? undefined
    : byVersion;
}

/**
 * Returns which versions read a line, if they read its section. `before`: only 2.2. `after`: only
 * 2.4. `unknown`: a condition is unknown.
 */
export function versionsReading(
  line: Pick<ConfigLine, 'byVersion'>,
  scope: Pick<Scope, 'byVersion'>,
  removedConditions: RemovedConditions = NO_REMOVED_CONDITIONS,
): 'both' | 'before' | 'after' | 'unknown' {
  const byVersion = activityAfterRemoval(line.byVersion, removedConditions);
  const around = activityAfterRemoval(scope.byVersion, removedConditions);
  if (byVersion === around || byVersion === undefined) return 'both';
  const { before, now } = around ?? { before: 'active', now: 'active' };
  // A line is read only if the conditions around the line and around its section are true.
  const isThere = (of: Activity, around: Activity) =>
    of === 'inactive' ? false : of === 'active' || around === 'inactive' ? true : null;
  const [is22, is24] = [isThere(byVersion.before, before), isThere(byVersion.now, now)];
  if (is22 === null || is24 === null) return 'unknown';
  return is22 ? (is24 ? 'both' : 'before') : 'after';
}

/** The activities of a section in both versions, after the conversion removes some conditions. */
export function activitiesAfterRemoval(
  { byVersion, activity }: Scope,
  removedConditions: RemovedConditions,
): BothAnswers {
  if (byVersion === undefined) return { before: activity, now: activity };
  return activityAfterRemoval(byVersion, removedConditions) === undefined
    ? { before: 'active', now: 'active' }
    : byVersion;
}

/** A section with its activities in both versions. */
interface WithReadBy {
  readonly readBy: BothAnswers;
}

/** Whether one version reads the section and the other does not. */
export function isReadByOneVersion({ readBy: { before, now } }: WithReadBy): boolean {
  return before !== now;
}

/** Whether only 2.2 reads a section. */
export function isReadBy22Only({ readBy: { before, now } }: WithReadBy): boolean {
  return now === 'inactive' && before !== 'inactive';
}

/** Whether only 2.4 reads a section. */
export function isReadBy24Only({ readBy: { before, now } }: WithReadBy): boolean {
  return before === 'inactive' && now !== 'inactive';
}
