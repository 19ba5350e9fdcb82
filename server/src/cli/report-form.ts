/** The interface of reports in all formats. */
import path from 'node:path';
import type { OpenQuestion } from '../access/open-question';
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
  /** Takes findings one by one, because a file may have more than fit into memory. */
  file(path: string, tree: Tree, findings: Iterable<PlacedFinding>): void;
  end(summary: Summary, ending: Ending): void;
}

export interface Ending {
  /** Why conversions of access control are not safe, as text. */
  readonly notes: readonly string[];
  /** null without a baseline. */
  readonly known: KnownProblems | null;
  /** The plan of the checked files; null if the format does not show it. */
  readonly plan: UpgradePlan | null;
}

/**
 * The configurations of a plan that have a main file: a standalone file is no server that could
 * start.
 */
export function readIn(plan: UpgradePlan | null): readonly ConfigurationPlan[] {
  return plan?.configurations.filter(({ root }) => root !== '.') ?? [];
}

/** Problems in the baseline. */
export interface KnownProblems {
  readonly count: number;
  /** Whether the report and its summary omit them. */
  readonly isHidden: boolean;
}

export interface ReportOptions {
  readonly terminal: Terminal;
  readonly write: (text: string) => void;
  /** Options and paths to repeat in the next command. */
  readonly again: string;
  /** The same for a command that writes. */
  readonly againWriting: string;
  /** Some input comes from a pipe, which cannot be written to. */
  readonly isPiped: boolean;
  /** The plan's id of the question about an open question in a file. */
  readonly idOf: (path: string, openQuestion: OpenQuestion) => string;
  /** Whether the baseline has a problem; null without a baseline. */
  readonly isKnown: ((finding: PlacedFinding) => boolean) | null;
}

/**
 * A path in a report for a build server: with slashes, and relative if the file is below the
 * current directory, because GitHub and GitLab show nothing for `./` and for absolute paths.
 */
export function relativePath(file: string): string {
  const below = path.relative('', file);
  const isBelow = below !== '' && below !== '..' && !below.startsWith(`..${path.sep}`) && !path.isAbsolute(below);
  return (isBelow ? below : path.normalize(file)).split(path.sep).join('/');
}
