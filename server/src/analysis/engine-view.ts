/**
 * The interface of the engine, for files that the engine itself imports. They cannot import the
 * engine, because imports must not form a circle.
 */
import type { Source } from '../access/model';
import type { OpenQuestion } from '../access/open-question';
import type { Distribution } from '../config/distribution';
import type { FileContext } from '../config/file-context';
import type { Target } from '../config/target';
import type { FileFacts } from '../rules/support/facts';
import type { Context, Finding, Rule, Severity } from '../rules/rule';
import type { Tree } from '../syntax/document';
import type { Line } from '../syntax/line';
import type { List, Section } from '../syntax/tree';
import type { AnswerSet } from './answers';
import type { PlacedFinding } from './findings';
import type { CachedFinding, ListResult, SectionResult } from './results';

export interface EngineOptions {
  readonly rules: readonly Rule[];
  readonly target?: Target;
  /** The distribution's package of httpd. If null, the configuration shows it. */
  readonly distribution?: Distribution | null;
  /** Severities that replace those of rules. `off` turns a rule off. */
  readonly severities?: Readonly<Record<string, Severity | 'off'>>;
  /**
   * Whether the user states that no other file affects the files (`--assume-standalone`). Fixes
   * that depend only on that are then safe.
   */
  readonly assumeStandalone?: boolean;
  /** The user's answers to questions about facts that the files do not show. */
  readonly answerSet?: AnswerSet;
  /** Whether converted access lines are written for both versions, each inside a condition. */
  readonly keepsBoth?: boolean;
  /**
   * Whether to include findings that need no change after the user's answers. The list of questions
   * needs them.
   */
  readonly showsAnswered?: boolean;
  /**
   * The version that the server runs now: `2.2`, `2.4`, or a release such as `2.4.6`. Conversions
   * of access control keep its decisions. For 2.4 these are the decisions of mod_access_compat.
   * Changes that the release already has are not reported.
   */
  readonly accessSource?: string;
  /**
   * Whether the configuration is upgraded from 2.2 although its files may be written for 2.4: the
   * user named 2.2 as `accessSource`, or suggestions were written to the files. No fix of access
   * control relies on this.
   */
  readonly isUpgradeFrom22?: boolean;
  /** Whether to report text that the server does not read. An editor shows such text faded. */
  readonly findsInactive?: boolean;
  /**
   * Called if a rule throws an error. The rule then has no findings there, and other rules are not
   * affected. If absent, the error is thrown.
   */
  readonly onFailure?: (rule: string, error: Error) => void;
}

export interface FileInfo {
  /** Whether the file is a .htaccess file, which has its own context. */
  readonly isHtaccess: boolean;
  /**
   * Whether an available configuration reads it. Its access control is then converted as a part of
   * this configuration (access-conversion.ts), not section by section.
   */
  readonly isOfConfiguration?: boolean;
  /**
   * Whether other available files may restrict access to the same requests. The user's statement
   * about files outside does not cover these.
   */
  readonly hasNeighbours?: boolean;
  /**
   * Whether an available configuration includes files with unknown names, so that it may include
   * this file. Then no answer about other files makes a fix for this file alone safe.
   */
  readonly mayBeIncluded?: boolean;
  /**
   * Whether fixes of this program wrote the file's LoadModule lines of 2.4. These lines then do not
   * show that the file was written for 2.4.
   */
  readonly isFrom22?: boolean;
  /**
   * Whether another available file has an `<IfModule>` for a module whose LoadModule line changes
   * in 2.4 (config/old-modules.ts). Used if `fileContext` does not show it.
   */
  readonly asksForOldModule?: boolean;
  /** What is known from the rest of the configuration. Equal values must be one object. */
  readonly fileContext?: FileContext;
  /**
   * The further contexts, if several configurations, or different kinds of sections, include the
   * file.
   */
  readonly furtherContexts?: readonly FileContext[];
  /**
   * Ids of rules whose fixes are not offered here, because they need a change of the whole
   * configuration (features/configuration-findings.ts, `heldBack`).
   */
  readonly heldBack?: ReadonlySet<string>;
  /** Why the server does not read the file, as a sentence without a full stop. */
  readonly unreadReason?: string;
  /** Whether to include findings of this file that need no change after the user's answers. */
  readonly showsAnswered?: boolean;
  /**
   * The contexts in which the file is also read as a .htaccess file, although it has another name
   * or is included. Null stands for an unknown context.
   */
  readonly asHtaccess?: readonly (FileContext | null)[];
}

/** Gives the cached findings of the nodes of a tree. */
export interface NodeResults {
  listIn(list: List, context: Context): ListResult;
  sectionIn(section: Section, context: Context): SectionResult;
  lineIn(line: Line, context: Context): readonly CachedFinding[];
}

export interface EngineView extends NodeResults {
  readonly options: EngineOptions;
  readonly target: Target;
  readonly accessSource: Source;
  /** Whether access control is written for both versions, by an option or an answer. */
  readonly keepsBoth: boolean;
  readonly assumeStandalone: boolean;
  isOff(rule: Rule): boolean;
  /** The user's answers, with the folder for paths in questions. */
  readonly answerSet: AnswerSet;
  /** Whether lines of 2.4 in the files are no sign that the server runs 2.4. */
  readonly isFrom22: boolean;
  /** Whether the user has answered an open question so that fixes can rely on it. */
  isSettled(openQuestion: OpenQuestion): boolean;
  /** The id of the first question to which the user answered `keep`. Null if there is none. */
  idOfAnswerKeep(openQuestions: readonly OpenQuestion[]): string | null;
  analyze(tree: Tree, file: FileInfo): { readonly facts: FileFacts; findings(): PlacedFinding[] };
  /** Analyzes the file in the first of its contexts only. */
  analyzePlace(tree: Tree, file: FileInfo): { findings(limit?: number, from?: number, to?: number): PlacedFinding[] };
  /** The findings of line and section rules in text that a Use line inserts. */
  findingsIn(tree: Tree, context: Context, except: Rule): PlacedFinding[];
  /** The context with another file context. */
  contextWith(context: Context, fileContext: FileContext | null): Context;
  /**
   * The facts about a section or list. If this engine has not analyzed its file, every fact is
   * possible.
   */
  factsIn(node: Section | List): FileFacts;
  factsOfLine(line: Line): FileFacts;
  /** Runs a rule. If it throws, it has no findings and other rules are not affected. */
  runSafely<F extends Finding>(rule: Rule, ask: () => readonly F[]): readonly F[];
  /** The findings about comments that silence rules, given all other findings. */
  commentFindings(tree: Tree, whole: readonly CachedFinding[], context: Context): readonly CachedFinding[];
  /**
   * Makes the finding that the user sees in a file from a cached finding. Null if it is not shown.
   */
  present(found: CachedFinding, base: number, facts: FileFacts, file: FileInfo): PlacedFinding | null;
  /**
   * Runs `job` for a file that is read in several contexts, and caches the results of all these
   * contexts meanwhile.
   */
  withSharedContexts<Result>(places: readonly FileInfo[], job: () => Result): Result;
}
