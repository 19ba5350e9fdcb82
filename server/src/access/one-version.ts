/**
 * Finds which of the two versions reads a line or a section, if they evaluate a condition around it
 * differently.
 */
import type { Activity } from '../config/activity';
import type { BothAnswers, ConfigLine, Half, Scope } from '../config/configuration';
import type { Section } from '../syntax/tree';

/** Conditions that the conversion removes, so that both versions read their lines. */
export type Freed = Pick<ReadonlySet<Section>, 'has'>;

export const NONE_FREED: Freed = { has: () => false };

/** Names of lines that may be written for one version only. */
export const HALVES: ReadonlySet<string> = new Set(['order', 'allow', 'deny', 'satisfy', 'require']);

/**
 * The activities of a line, or undefined if its only condition is removed. A removed condition is
 * never inside another one.
 */
export function halfLeft(half: Half | undefined, freed: Freed): Half | undefined {
  return half?.conditions.length === 1 && freed.has(half.conditions[0]!.section) ? undefined : half;
}

/**
 * The versions that read a line, provided that they read its section. `before`: only 2.2. `after`:
 * only 2.4.
 */
export function readersOf(
  line: Pick<ConfigLine, 'half'>,
  scope: Pick<Scope, 'half'>,
  freed: Freed = NONE_FREED,
): 'both' | 'before' | 'after' | 'unknown' {
  const half = halfLeft(line.half, freed);
  const around = halfLeft(scope.half, freed);
  if (half === around || half === undefined) return 'both';
  const { before, now } = around ?? { before: 'active', now: 'active' };
  // An unknown condition around the section also counts for the line.
  const isThere = (of: Activity, around: Activity) =>
    of === 'inactive' ? false : of === 'active' || around === 'inactive' ? true : null;
  const [is22, is24] = [isThere(half.before, before), isThere(half.now, now)];
  if (is22 === null || is24 === null) return 'unknown';
  return is22 ? (is24 ? 'both' : 'before') : 'after';
}

/** The activities of a section in both versions, without the removed conditions. */
export function answersFor({ half, activity }: Scope, freed: Freed): BothAnswers {
  if (half === undefined) return { before: activity, now: activity };
  return halfLeft(half, freed) === undefined ? { before: 'active', now: 'active' } : half;
}

/** The activities of a section in both versions. */
interface ReadBy {
  readonly readBy: BothAnswers;
}

/** Whether the two versions differ about reading a section. */
export function isHalf({ readBy: { before, now } }: ReadBy): boolean {
  return before !== now;
}

/** Whether only 2.2 reads a section. */
export function isFor22({ readBy: { before, now } }: ReadBy): boolean {
  return now === 'inactive' && before !== 'inactive';
}

/** Whether only 2.4 reads a section. */
export function isFor24({ readBy: { before, now } }: ReadBy): boolean {
  return before === 'inactive' && now !== 'inactive';
}
