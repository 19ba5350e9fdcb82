/**
 * Which of the two versions reads a line or a section, if a condition around it differs between
 * them.
 */
import type { Activity } from '../config/activity';
import type { BothAnswers, ConfigLine, Half, Scope } from '../config/configuration';
import type { Section } from '../syntax/tree';

/** Conditions that the conversion removes, so that both versions read their lines. */
export type Freed = Pick<ReadonlySet<Section>, 'has'>;

export const NONE_FREED: Freed = { has: () => false };

/** Names of lines that may stand for one version alone. */
export const HALVES: ReadonlySet<string> = new Set(['order', 'allow', 'deny', 'satisfy', 'require']);

/**
 * The condition without those that are removed. A condition that is removed stands in no other one.
 */
export function halfLeft(half: Half | undefined, freed: Freed): Half | undefined {
  return half?.conditions.length === 1 && freed.has(half.conditions[0]!.section) ? undefined : half;
}

/**
 * The versions that read a line, if they read its section. `before`: 2.2 alone. `after`: 2.4 alone.
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
  // An unknown condition around the section looks like one around the line.
  const isThere = (of: Activity, around: Activity) =>
    of === 'inactive' ? false : of === 'active' || around === 'inactive' ? true : null;
  const [is22, is24] = [isThere(half.before, before), isThere(half.now, now)];
  if (is22 === null || is24 === null) return 'unknown';
  return is22 ? (is24 ? 'both' : 'before') : 'after';
}

/** What both versions make of the conditions around a section, without those that are removed. */
export function answersFor({ half, activity }: Scope, freed: Freed): BothAnswers {
  if (half === undefined) return { before: activity, now: activity };
  return halfLeft(half, freed) === undefined ? { before: 'active', now: 'active' } : half;
}

/** A section of a server, as far as its conditions matter. */
interface ReadBy {
  readonly readBy: BothAnswers;
}

/** Whether the two versions differ about a section. */
export function isHalf({ readBy: { before, now } }: ReadBy): boolean {
  return before !== now;
}

/** Whether 2.2 alone reads a section. */
export function isFor22({ readBy: { before, now } }: ReadBy): boolean {
  return now === 'inactive' && before !== 'inactive';
}

/** Whether 2.4 alone reads a section. */
export function isFor24({ readBy: { before, now } }: ReadBy): boolean {
  return before === 'inactive' && now !== 'inactive';
}
