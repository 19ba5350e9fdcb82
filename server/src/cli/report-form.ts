/** The interface that the reports in all formats implement. */
import path from 'node:path';
import type { OpenQuestion } from '../access/open-question';
import type { PlacedFinding } from '../analysis/findings';
import type { ConfigurationPlan, UpgradePlan } from '../analysis/upgrade-plan';
import type { Tree } from '../syntax/document';
import type { Terminal } from './terminal';

/**
 * The number of checked files and of problems: in total, of each severity, and with each kind of
 * fix.
 */
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

/** A report that is written while the files are checked, one by one. */
export interface Report {
  /**
   * Reports the findings of one file. `findings` is read lazily, because all findings may not fit
   * into memory.
   */
  file(path: string, tree: Tree, findings: Iterable<PlacedFinding>): void;
  /** Writes the end of the report, after the last file. */
  end(summary: Summary, ending: ReportEnding): void;
}

/** The data for the end of a report. */
export interface ReportEnding {
  /** Texts of the open questions that keep conversions of access control from being safe. */
  readonly notes: readonly string[];
  /** Null if there is no baseline. */
  readonly knownProblems: KnownProblems | null;
  /** The plan of the checked files. Null if the format does not show it. */
  readonly plan: UpgradePlan | null;
}

/**
 * The configurations of a plan that have a main file. The rest of the plan is about loose files,
 * with which no server can start.
 */
export function configurationsWithMainFile(plan: UpgradePlan | null): readonly ConfigurationPlan[] {
  return plan?.configurations.filter(({ root }) => root !== '.') ?? [];
}

/** How many of the found problems are in the baseline, and whether they are shown. */
export interface KnownProblems {
  readonly count: number;
  /** Whether the report and its counts omit the known problems. */
  readonly isHidden: boolean;
}

/** The options that all formats of reports have. */
export interface ReportOptions {
  readonly terminal: Terminal;
  readonly write: (text: string) => void;
  /** Options and paths to repeat in the next command. */
  readonly argumentsToRepeat: string;
  /** Like `argumentsToRepeat`, for a command that writes. For an archive, it writes a copy. */
  readonly argumentsToRepeatForWriting: string;
  /** Whether some input comes from a pipe, which cannot be written to. */
  readonly isInputPiped: boolean;
  /**
   * Returns the id of the question in the plan whose answer settles an open question of a problem
   * in the file `path`. If the plan has none, returns the id of the open question.
   */
  readonly questionIdOf: (path: string, openQuestion: OpenQuestion) => string;
  /** Whether a problem is in the baseline. Null if there is no baseline. */
  readonly isKnown: ((finding: PlacedFinding) => boolean) | null;
}

/** Marks a problem of the baseline, in formats that have no field for it. */
export const KNOWN_SUFFIX = ' (known)';

/**
 * A path in a report for a build server: with slashes, and relative if the file is below the
 * current directory, because GitHub and GitLab show nothing for `./` and for absolute paths.
 */
export function reportPath(file: string): string {
  const pathFromHere = path.relative('', file);
  const isBelowHere =
    pathFromHere !== '' &&
    pathFromHere !== '..' &&
    !pathFromHere.startsWith(`..${path.sep}`) &&
    !path.isAbsolute(pathFromHere);
  return (isBelowHere ? pathFromHere : path.normalize(file)).split(path.sep).join('/');
}
