/**
 * Finds which of the two versions, 2.2 or 2.4, reads a line or a section. Only one of them reads it
 * if a condition around it is true for this version alone.
 */
import type { ActivityInBothVersions, ConfigLine, ActivityByVersion, Scope } from '../config/configuration';
import type { Section } from '../syntax/tree';

/** Conditions that the conversion removes, so that both versions read the lines inside. */
export type RemovedConditions = Pick<ReadonlySet<Section>, 'has'>;

export const NO_REMOVED_CONDITIONS: RemovedConditions = { has: () => false };

/** Directives whose lines may be written twice, once for each version, inside conditions. */
export const ONE_VERSION_NAMES: ReadonlySet<string> = new Set(['order', 'allow', 'deny', 'satisfy', 'require']);

/**
 * Returns the activity of a line in each version, after the conversion removed some conditions.
 * Undefined if both versions then read the line, because its only condition is removed.
 */
export function activityAfterRemoval(
  activityByVersion: ActivityByVersion | undefined,
  removedConditions: RemovedConditions,
): ActivityByVersion | undefined {
  return activityByVersion?.conditions.length === 1 && removedConditions.has(activityByVersion.conditions[0]!.section)
    ? undefined
    : activityByVersion;
}

/**
 * Returns which versions read a line if they read its section. `before`: only 2.2. `after`: only
 * 2.4. `unknown`: it is unknown whether a condition is true.
 */
export function versionsReading(
  line: Pick<ConfigLine, 'activityByVersion'>,
  scope: Pick<Scope, 'activityByVersion'>,
  removedConditions: RemovedConditions = NO_REMOVED_CONDITIONS,
): 'both' | 'before' | 'after' | 'unknown' {
  const activityByVersion = activityAfterRemoval(line.activityByVersion, removedConditions);
  const activityOfSection = activityAfterRemoval(scope.activityByVersion, removedConditions);
  if (activityByVersion === activityOfSection || activityByVersion === undefined) return 'both';
  // The activity of a line also counts the conditions around its section. Lines that no version
  // reads are not in the scope (`isReadByNoServer` in config/configuration.ts).
  const { in22, in24 } = activityByVersion;
  if (in22 === 'unknown' || in24 === 'unknown') return 'unknown';
  if (in22 === 'inactive') return 'after';
  return in24 === 'inactive' ? 'before' : 'both';
}

/** The activities of a section in both versions, after the conversion removed some conditions. */
export function activitiesAfterRemoval(
  { activityByVersion, activity }: Scope,
  removedConditions: RemovedConditions,
): ActivityInBothVersions {
  if (activityByVersion === undefined) return { in22: activity, in24: activity };
  return activityAfterRemoval(activityByVersion, removedConditions) === undefined
    ? { in22: 'active', in24: 'active' }
    : activityByVersion;
}

/** A section with its activities in both versions. */
interface SectionWithActivities {
  readonly readBy: ActivityInBothVersions;
}

/** Whether one version reads the section and the other does not. */
export function isReadByOneVersion({ readBy: { in22, in24 } }: SectionWithActivities): boolean {
  return in22 !== in24;
}

/** Whether only 2.2 reads a section. */
export function isReadBy22Only({ readBy: { in22, in24 } }: SectionWithActivities): boolean {
  return in24 === 'inactive' && in22 !== 'inactive';
}

/** Whether only 2.4 reads a section. */
export function isReadBy24Only({ readBy: { in22, in24 } }: SectionWithActivities): boolean {
  return in22 === 'inactive' && in24 !== 'inactive';
}
