/** What the parts around the engine ask of it: they know no more of it than this, so that it may know them. */
import type { Source } from '../access/model';
import type { Doubt } from '../access/doubt';
import type { Distribution } from '../config/distribution';
import type { Surroundings } from '../config/file-context';
import type { Target } from '../config/target';
import type { FileFacts } from '../rules/support/facts';
import type { Context, Finding, Rule, Severity } from '../rules/rule';
import type { Tree } from '../syntax/document';
import type { Line } from '../syntax/line';
import type { List, Section } from '../syntax/tree';
import type { Answered } from './answers';
import type { PlacedFinding } from './findings';
import type { Found, ListResult, SectionResult } from './results';

export interface EngineOptions {
  readonly rules: readonly Rule[];
  readonly target?: Target;
  /** Whose package the server is; null for what the configuration itself tells. */
  readonly distribution?: Distribution | null;
  /** Severities of rules that are not to have their own; `off` silences. */
  readonly severities?: Readonly<Record<string, Severity | 'off'>>;
  /** Fixes that are safe only if no other file has a say are safe: a person vouches for it. */
  readonly assumeStandalone?: boolean;
  /** What a person has answered to questions about what the files do not tell. */
  readonly answered?: Answered;
  /** Conversions of access control are written for 2.2 and 2.4, each under a condition. */
  readonly keepsBoth?: boolean;
  /** Show also the findings that have nothing to change with the answers that were given: for whoever lists the questions. */
  readonly showsAnswered?: boolean;
  /**
   * The version that the server runs now: `2.2`, `2.4`, or a release such as `2.4.6`. Conversions of access control keep its decisions, which are those of
   * mod_access_compat for 2.4. Changes that a release has already are not reported.
   */
  readonly accessSource?: string;
  /** Find the text, too, that the server does not read, for whoever shows it faded. */
  readonly findsInactive?: boolean;
  /** Hears of a rule that throws, which then finds nothing there, and keeps nobody else from finding something. Without it, what is thrown is. */
  readonly onFailure?: (rule: string, error: Error) => void;
}

export interface FileInfo {
  /** `.htaccess` files have a context of their own. */
  readonly isHtaccess: boolean;
  /** A configuration at hand reads it: what becomes of its access control is said for the whole of that (access-conversion.ts), and of no section by itself. */
  readonly isPartOfWhole?: boolean;
  /** There are other files at hand that may restrict what this one governs: a person's word about what lies outside does not settle that. */
  readonly hasNeighbours?: boolean;
  /** Its modules of 2.4 are no evidence that it was written for 2.4: the text had none before it was fixed. */
  readonly isFrom22?: boolean;
  /** Another file at hand asks by an `<IfModule>` for a module whose LoadModule line 2.4 does not have as it is (config/old-modules.ts), where `surroundings` do not say so. */
  readonly asksForOldModule?: boolean;
  /** What the rest of the configuration says. Equal ones must be one object. */
  readonly surroundings?: Surroundings;
  /** Further places where the file is read, for one that several configurations, or sections of different kinds, include. */
  readonly others?: readonly Surroundings[];
  /** Ids of rules whose fixes wait for a change of the whole configuration (features/configuration-findings.ts, `heldBack`). */
  readonly heldBack?: ReadonlySet<string>;
  /** Why the server does not read the file at all, as a sentence without a full stop. */
  readonly unread?: string;
  /** Of one that is no .htaccess by its name, or is included: where it is read as one, too; null for a place that nobody knows, if there is any. */
  readonly asHtaccess?: readonly (Surroundings | null)[];
}

/** What was found in the nodes of a tree. */
export interface NodeResults {
  listIn(list: List, context: Context): ListResult;
  sectionIn(section: Section, context: Context): SectionResult;
  lineIn(line: Line, context: Context): readonly Found[];
}

export interface EngineView extends NodeResults {
  readonly options: EngineOptions;
  readonly target: Target;
  readonly accessSource: Source;
  readonly assumeStandalone: boolean;
  /** Whether a rule was switched off. */
  isOff(rule: Rule): boolean;
  /** What a person has answered, and what paths are named from in the questions. */
  readonly answered: Answered;
  /** Whether lines of 2.4 in its files are no evidence of the version that runs. */
  readonly isFrom22: boolean;
  /** Whether what a person has said settles a doubt. */
  isSettled(doubt: Doubt): boolean;
  /** The first question of which a person has said that what waits for it stays as it is; null for none. */
  keptBy(doubts: readonly Doubt[]): string | null;
  analyze(tree: Tree, file: FileInfo): { readonly facts: FileFacts; findings(): PlacedFinding[] };
  /** The file as it is read in the first of its places. */
  analyzePlace(tree: Tree, file: FileInfo): { findings(limit?: number, from?: number, to?: number): PlacedFinding[] };
  /** What rules about lines and sections find in text that stands in the place of a line. */
  findingsIn(tree: Tree, context: Context): PlacedFinding[];
  /** The same place in other surroundings. */
  contextWith(context: Context, surroundings: Surroundings | null): Context;
  /** What a section or a list says, after an analysis of its file by this engine; all there can be where there was none. */
  factsIn(node: Section | List): FileFacts;
  factsOfLine(line: Line): FileFacts;
  /** What a rule finds that is asked so; what it throws costs nobody else anything. */
  contained<F extends Finding>(rule: Rule, ask: () => readonly F[]): readonly F[];
  /** What there is to say of the comments that silence rules, given all else that was found. */
  commentFindings(tree: Tree, whole: readonly Found[], context: Context): readonly Found[];
  /** What to show of a finding in a file, null for nothing. */
  present(found: Found, base: number, facts: FileFacts, isHtaccess: boolean): PlacedFinding | null;
  /** Runs a job about a file that is read in several places. */
  whileShared<Result>(places: readonly FileInfo[], job: () => Result): Result;
}
