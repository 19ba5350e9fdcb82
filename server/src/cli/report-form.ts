/** What a report is, whatever it is written as. */
import type { Doubt } from '../access/doubt';
import type { PlacedFinding } from '../analysis/findings';
import type { ConfigurationPlan, UpgradePlan } from '../analysis/upgrade-plan';
import type { Tree } from '../syntax/document';
import type { Terminal } from './terminal';

export interface Summary {
  files: number;
  findings: number;
  error: number;
  warning: number;
  info: number;
  hint: number;
  safe: number;
  suggestion: number;
}

export interface Report {
  /** Takes findings one by one: a file may have more than fit into memory. */
  file(path: string, tree: Tree, findings: Iterable<PlacedFinding>): void;
  end(summary: Summary, ending: Ending): void;
}

export interface Ending {
  /** What keeps conversions of access control from being safe, for people. */
  readonly notes: readonly string[];
  /** Null without a baseline. */
  readonly known: Known | null;
  /** Of the files that were looked at; null where the form shows none of it. */
  readonly plan: UpgradePlan | null;
}

/**
 * The configurations of a plan that begin with a main file: a file by itself is no server that
 * could start.
 */
export function readIn(plan: UpgradePlan | null): readonly ConfigurationPlan[] {
  return plan?.configurations.filter(({ root }) => root !== '.') ?? [];
}

/** Problems that the baseline has. */
export interface Known {
  readonly count: number;
  /** Whether the report, and so its summary, leaves them out. */
  readonly isHidden: boolean;
}

export interface ReportOptions {
  readonly terminal: Terminal;
  readonly write: (text: string) => void;
  /** Options and paths to repeat where the next command is named. */
  readonly again: string;
  /** Something comes from a pipe, which nothing can be written to. */
  readonly isPiped: boolean;
  /** The id of the question that a doubt about a file belongs to, as the plan names it. */
  readonly idOf: (path: string, doubt: Doubt) => string;
  /** Whether the baseline has a problem; null where there is no baseline. */
  readonly isKnown: ((finding: PlacedFinding) => boolean) | null;
}
