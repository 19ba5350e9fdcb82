/**
 * The interface of the engine, for files that engine.ts imports. They cannot import engine.ts,
 * because imports must not form a circle.
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

/** The rules and settings of an engine. */
export interface EngineOptions {
  /** All rules. Those that a setting turns off do not run. */
  readonly rules: readonly Rule[];
  /** The version that the files are checked for. Default: 2.4. */
  readonly target?: Target;
  /**
   * The distribution whose package of httpd the server uses. If null, the paths in the
   * configuration decide.
   */
  readonly distribution?: Distribution | null;
  /**
   * Severities to use instead of those of the rules, by the id of the rule. `off` turns a rule off.
   */
  readonly severities?: Readonly<Record<string, Severity | 'off'>>;
  /**
   * Whether the user states that no other file affects these files (`--assume-standalone`). If so,
   * fixes that depend only on that are safe.
   */
  readonly assumeStandalone?: boolean;
  /** The user's answers to questions about facts that the files do not show. */
  readonly answerSet?: AnswerSet;
  /**
   * Whether converted access lines are written for both versions: each version gets its lines in a
   * conditional section.
   */
  readonly keepsBoth?: boolean;
  /**
   * Whether the result includes findings that need no change after the user's answers. The list of
   * questions needs them.
   */
  readonly showsAnswered?: boolean;
  /**
   * The version that the server runs now: `2.2`, `2.4`, or a release such as `2.4.6`. The
   * conversion of access control keeps what this version decides. A 2.4 is assumed to use
   * mod_access_compat. Changes that the release already has are not reported.
   */
  readonly accessSource?: string;
  /**
   * Whether the configuration is upgraded from 2.2, although its files may look like files for 2.4.
   * True if the user named 2.2 as `accessSource`, or if suggestions of this program were written to
   * the files. No fix of access control depends on this.
   */
  readonly isUpgradeFrom22?: boolean;
  /** Whether text that the server does not read is reported. An editor shows such text faded. */
  readonly findsInactive?: boolean;
  /**
   * Called if a rule throws an error. Then the rule has no findings for that text, and the other
   * rules still run. Without this function, the error is thrown.
   */
  readonly onFailure?: (rule: string, error: Error) => void;
}

/** The facts about a file that its text does not show. */
export interface FileInfo {
  /** Whether the file is a .htaccess file, in which other rules apply. */
  readonly isHtaccess: boolean;
  /**
   * Whether a known configuration reads the file. Then the access control of the whole
   * configuration is converted together (access-conversion.ts). Otherwise each section of the file
   * is converted alone.
   */
  readonly isOfConfiguration?: boolean;
  /**
   * Whether other known files may restrict access to the same requests. The user's statement that
   * no other file affects access does not cover these files.
   */
  readonly hasNeighbours?: boolean;
  /**
   * Whether a known configuration includes files with unknown names, so that it may include
   * this file. Then no answer about other files makes a fix for this file alone safe.
   */
  readonly mayBeIncluded?: boolean;
  /**
   * Whether fixes of this program wrote the LoadModule lines of 2.4 in the file. Then such lines do
   * not show that the file was written for 2.4.
   */
  readonly isFrom22?: boolean;
  /**
   * Whether another known file has an `<IfModule>` for a module whose LoadModule line changes
   * in 2.4 (config/old-modules.ts). Needed only without a `fileContext`, because a `fileContext`
   * contains this fact.
   */
  readonly asksForOldModule?: boolean;
  /** The facts about the rest of the configuration. Equal facts must be the same object. */
  readonly fileContext?: FileContext;
  /**
   * Further contexts of the file. There are some if several configurations include the file, or
   * sections of different kinds.
   */
  readonly furtherContexts?: readonly FileContext[];
  /**
   * Ids of rules whose fixes are not offered for this file, because these fixes need a change of
   * the whole configuration (features/configuration-findings.ts).
   */
  readonly rulesWithWaitingFixes?: ReadonlySet<string>;
  /**
   * Whether the text already has lines that the conversion of access control wrote. Then fixes of
   * rules with `isMisledByConversion` are not applied.
   */
  readonly isConverted?: boolean;
  /** Why the server does not read the file, as a sentence without a full stop. */
  readonly unreadReason?: string;
  /**
   * Whether the result includes findings of this file that need no change after the user's answers.
   */
  readonly showsAnswered?: boolean;
  /**
   * The contexts in which a server reads the file as a .htaccess file. The file may have other
   * contexts, too, or a name that does not look like a .htaccess file. A null stands for an unknown
   * context.
   */
  readonly htaccessContexts?: readonly (FileContext | null)[];
}

/**
 * Finds the problems in nodes of a tree, or takes them from the cache. A context is: the enclosing
 * sections, their activity, the facts about the other files, and the target version.
 */
export interface NodeResults {
  /** The findings in a list of lines and sections that is in this context. */
  listIn(list: List, context: Context): ListResult;
  /** The findings in a section (its tags and its body) that is in this context. */
  sectionIn(section: Section, context: Context): SectionResult;
  /** The findings about a line that is in this context. */
  lineIn(line: Line, context: Context): readonly CachedFinding[];
}

/** The parts of the engine that other files of this directory use. */
export interface EngineView extends NodeResults {
  readonly options: EngineOptions;
  /** The version that the files are checked for. */
  readonly target: Target;
  /**
   * The version that the server runs now. The conversion of access control keeps the decisions of
   * this version.
   */
  readonly accessSource: Source;
  /** Whether access control is written for both versions, by an option or an answer. */
  readonly keepsBoth: boolean;
  /** Whether the user states that no other file affects these files. */
  readonly assumeStandalone: boolean;
  /** Whether a setting turns a rule off. */
  isRuleOff(rule: Rule): boolean;
  /** The user's answers, and the folder to which paths in the ids of questions are relative. */
  readonly answerSet: AnswerSet;
  /** Whether lines of 2.4 in the files are no sign that the server runs 2.4. */
  readonly isFrom22: boolean;
  /** Whether the user's answers decide an open question, so that fixes can rely on the answer. */
  isSettled(openQuestion: OpenQuestion): boolean;
  /**
   * The id of the first of these questions to which the user answered `keep`. Null if the user did
   * not answer `keep` to any of them.
   */
  idOfQuestionAnsweredKeep(openQuestions: readonly OpenQuestion[]): string | null;
  /** Analyzes a file in all of its contexts. */
  analyze(tree: Tree, file: FileInfo): { readonly facts: FileFacts; findings(): PlacedFinding[] };
  /** Analyzes the file in only the first of its contexts. */
  analyzeInFirstContext(
    tree: Tree,
    file: FileInfo,
  ): { findings(limit?: number, from?: number, to?: number): PlacedFinding[] };
  /**
   * The findings of line and section rules in text that a Use line inserts. `except`: a rule that
   * does not run.
   */
  findingsIn(tree: Tree, context: Context, except: Rule): PlacedFinding[];
  /** Returns the context with another file context. */
  contextWith(context: Context, fileContext: FileContext | null): Context;
  /**
   * The facts about a section or list. If this engine has not analyzed the file, the result
   * contains every fact, because each is possible.
   */
  factsIn(node: Section | List): FileFacts;
  /** The facts about a single line. */
  factsOfLine(line: Line): FileFacts;
  /**
   * Runs a rule. If the rule throws an error, it has no findings, and the other rules still run.
   */
  runSafely<F extends Finding>(rule: Rule, findingsOf: () => readonly F[]): readonly F[];
  /**
   * The findings about comments that silence rules. These findings depend on all other findings of
   * the file.
   */
  commentFindings(tree: Tree, wholeFileFindings: readonly CachedFinding[], context: Context): readonly CachedFinding[];
  /**
   * Makes the finding that the user sees from a cached finding. `base`: the offset in the file from
   * which its offsets count. Null if the finding is not shown.
   */
  presentFinding(cachedFinding: CachedFinding, base: number, facts: FileFacts, file: FileInfo): PlacedFinding | null;
  /**
   * Runs `job` for a file that is read in several contexts. While it runs, results for all these
   * contexts are cached.
   */
  withSharedContexts<Result>(fileInfos: readonly FileInfo[], job: () => Result): Result;
}
