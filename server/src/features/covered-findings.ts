/**
 * Removes findings about a configuration if another rule reports a change of access for the same
 * lines.
 */
import type { PlacedFinding } from '../analysis/engine';
import { itemsAround } from '../analysis/suppression';
import { sectionKind } from '../config/sections';
import { RULES_ABOUT_ACCESS } from '../rules/access-opens';
import type { Consequence, Span } from '../rules/rule';
import type { Tree } from '../syntax/document';
import { firstIndexFrom } from '../syntax/sorted';
import { Section } from '../syntax/tree';

/** Consequences that are more specific than those of the rule access-opens. */
const SPECIFIC_CONSEQUENCES: ReadonlySet<Consequence> = new Set([
  'access opens',
  'meaning changed',
  'requests may get 500',
]);

/** A problem of a file; `start` is its UTF-16 offset. */
export interface ReportedProblem {
  /** The id of the rule. */
  readonly rule: string;
  /**
   * What the problem leads to, such as that the server does not start. Undefined if it is the
   * consequence of the rule.
   */
  readonly consequence: Consequence | undefined;
  readonly start: number;
}

/**
 * Returns the findings about a configuration, without those that repeat what another rule reports.
 * `problemsOfLines` is called only if a finding may be removed.
 */
export function withoutCoveredFindings(
  tree: Tree,
  configurationFindings: readonly PlacedFinding[],
  problemsOfLines: () => Iterable<ReportedProblem>,
): readonly PlacedFinding[] {
  if (!configurationFindings.some(({ about }) => about !== undefined)) return configurationFindings;
  const findingStarts = [...problemsOfLines(), ...configurationFindings.map(reportedProblemOf)]
    .filter(
      ({ rule, consequence }) =>
        RULES_ABOUT_ACCESS.has(rule) && consequence !== undefined && SPECIFIC_CONSEQUENCES.has(consequence),
    )
    .map(({ start }) => start)
    .sort((a, b) => a - b);
  const isReportedIn = ({ start, end }: Span) => (findingStarts[firstIndexFrom(findingStarts, start)] ?? end) < end;
  return configurationFindings.filter(
    ({ about }) => !about?.some((span) => isReportedIn(span) || conditionsAround(tree, span.start).some(isReportedIn)),
  );
}

/** The facts about a finding that `withoutCoveredFindings` compares. */
export function reportedProblemOf({ rule, consequence, start }: PlacedFinding): ReportedProblem {
  return { rule: rule.id, consequence, start };
}

// ---------------------------------------------------------------------------------------------------------------------

/** The tags of the conditional sections around a place. */
function conditionsAround(tree: Tree, position: number): Span[] {
  return itemsAround(tree, position).flatMap(({ item, offset }) =>
    item instanceof Section && sectionKind(item.name) === 'conditional'
      ? [{ start: offset, end: offset + item.open.length }]
      : [],
  );
}
