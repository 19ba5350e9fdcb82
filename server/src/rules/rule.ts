/**
 * The types of a rule. Each rule is one file in this folder, or an entry of one-line.ts if it
 * depends on its own line only. It has its examples, the names of directives that trigger it, and
 * its check. Its tests, its setting and the examples of its page docs/rules/ID.md are made from
 * that. To add a rule: `npm run new-rule ID`.
 */
import type { OpenQuestion } from '../access/open-question';
import type { Activity } from '../config/activity';
import type { Configuration, DirectiveNames } from '../config/configuration';
import type { Distribution } from '../config/distribution';
import type { FileView } from '../config/files';
import type { Expansion, RefusedUse } from '../config/macro';
import type { LoadedModules } from '../config/loaded-modules';
import type { RequestConfiguration } from '../requests/model';
import type { Place } from '../validation/place';
import type { FileFacts } from './support/facts';
import type { FileContext } from '../config/file-context';
import type { Target } from '../config/target';
import type { Line } from '../syntax/line';
import type { Template } from '../syntax/template';
import type { List, Section } from '../syntax/tree';

/** How grave a problem is, from the gravest to the least. It follows from the consequence. */
export type Severity = 'error' | 'warning' | 'info' | 'hint';
/** Whether a fix is certain (`Fix.safety`). */
export type Safety = 'safe' | 'suggestion';

export const SEVERITIES: readonly Severity[] = ['error', 'warning', 'info', 'hint'];

/**
 * What a problem means for the server. Each value has one severity, so that rule, page, message and
 * report agree.
 *
 * `may not start`, `requests may get 500` and `check before the upgrade` depend on something
 * outside the files. `access opens` is for requests that 2.2 denied and 2.4 allows. `probably a
 * mistake` is for lines that httpd accepts, but that cannot do what they are for. `no effect` is
 * for text that does nothing in either version.
 */
export type Consequence =
  | 'will not start'
  | 'requests get 500'
  | 'access opens'
  | 'may not start'
  | 'requests may get 500'
  | 'ignored'
  | 'meaning changed'
  | 'probably a mistake'
  | 'renamed'
  | 'deprecated'
  | 'check before the upgrade'
  | 'check after the upgrade'
  | 'no effect';

export const SEVERITY_OF: Readonly<Record<Consequence, Severity>> = {
  'will not start': 'error',
  'requests get 500': 'error',
  'access opens': 'error',
  'may not start': 'warning',
  'requests may get 500': 'warning',
  ignored: 'warning',
  'meaning changed': 'warning',
  'probably a mistake': 'warning',
  renamed: 'info',
  deprecated: 'info',
  'check before the upgrade': 'info',
  'check after the upgrade': 'hint',
  'no effect': 'hint',
};

/**
 * Replaces the text from `start` to before `end`. Both are UTF-16 offsets with the same origin as
 * those of the finding: the line, the scope or the file.
 */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A change of the text that the user may choose for a finding. */
export interface Fix {
  /**
   * The text in the menu of the lightbulb: verb and object, at most 60 characters. It does not
   * state the safety; the editor and the report add that.
   */
  readonly title: string;
  /**
   * `safe`: provably keeps what the server does, or removes what the server ignores. `suggestion`:
   * the user has to decide.
   */
  readonly safety: Safety;
  readonly edits: readonly Edit[];
  /**
   * The condition under which a suggestion keeps what the server does, as a clause for a sentence
   * with "if" or "assuming that". Absent for safe fixes.
   */
  readonly assumes?: string;
  /**
   * The id of another rule that asks about the assumption of this fix. If this fix is applied, no
   * fix of that rule is applied in the same run.
   */
  readonly settles?: string;
  /**
   * Set if the right fix depends on taste or on what is installed. The user applies such a fix
   * alone, or with the fixes of its rule. A command that applies all suggestions leaves it out.
   */
  readonly isAppliedAlone?: true;
  /** Set if the new lines are right for both versions of httpd, so that 2.2 can read them, too. */
  readonly isForBothVersions?: true;
  /**
   * Set if the fix may change the result of an `<IfModule>` in any file of the configuration. In a
   * file that is checked alone, the fix is safe only if the file is a whole configuration, or if
   * the user states that no other file matters.
   */
  readonly mayChangeConditions?: true;
  /**
   * Edits in other files of the configuration, by path with links resolved. Their offsets count
   * from the start of their file.
   */
  readonly elsewhere?: ReadonlyMap<string, readonly Edit[]>;
  /**
   * `waitsFor`: the open questions without whose answers the fix is not safe. `restsOn`: the
   * answered questions on which the fix depends. Left out if only `assumes` describes the
   * condition.
   */
  readonly waitsFor?: readonly OpenQuestion[];
  readonly restsOn?: readonly OpenQuestion[];
  /**
   * The question whose answer selects the fix, and the answers that select it. With another answer
   * the fix is not offered. If the fix has no edits, an answer that selects it means that nothing
   * has to change.
   */
  readonly choice?: FixChoice;
}

/** The parts of a fix that are known before its edits. */
export type FixParts = Pick<Fix, 'title' | 'safety' | 'assumes' | 'waitsFor' | 'restsOn'>;

/**
 * A fix whose edits are made when they are first read. There may be thousands of fixes, and most
 * are only counted. To copy such a fix, use `changedFix`, because `{ ...fix }` has no edits.
 */
export function fixMadeLater(fix: FixParts, make: () => readonly Edit[]): Fix {
  return new FixMadeLater(fix, make);
}

/** A copy of the fix with some parts replaced. Does not make the edits. */
export function changedFix(fix: Fix, change: Partial<FixParts>): Fix {
  return fix instanceof FixMadeLater ? new FixMadeLater(fix, () => fix.edits, change) : { ...fix, ...change };
}

/**
 * This is a class, because a getter on each object would take 300 bytes and most of the time of
 * making a fix.
 */
class FixMadeLater implements Fix {
  readonly title: string;
  readonly safety: Safety;
  readonly assumes?: string;
  readonly waitsFor?: readonly OpenQuestion[];
  readonly restsOn?: readonly OpenQuestion[];
  private madeEdits: readonly Edit[] | null = null;

  constructor(
    parts: FixParts,
    private readonly makeEdits: () => readonly Edit[],
    change: Partial<FixParts> = parts,
  ) {
    this.title = change.title ?? parts.title;
    this.safety = change.safety ?? parts.safety;
    this.assumes = change.assumes ?? parts.assumes;
    this.waitsFor = change.waitsFor ?? parts.waitsFor;
    this.restsOn = change.restsOn ?? parts.restsOn;
  }

  get edits(): readonly Edit[] {
    return (this.madeEdits ??= this.makeEdits());
  }
}

/** The answers of the user for which a fix is right. */
export interface FixChoice {
  readonly openQuestion: OpenQuestion;
  /** The answers, as values of the question. */
  readonly values: readonly string[];
}

/**
 * The message of a problem, in parts. Each output joins them when it shows them
 * (analysis/findings.ts).
 */
export interface MessageParts {
  /**
   * The headline: one clause of at most 90 characters. Begins with the user's own directive or
   * module in backticks.
   */
  readonly what: string;
  /**
   * The consequence of this finding, if it differs from that of the rule. In a .htaccess file,
   * `will not start` becomes `requests get 500`, and `may not start` becomes `requests may get
   * 500`.
   */
  readonly consequence?: Consequence;
  /** The reason, and what else matters: main clauses with a full stop. */
  readonly cause?: string;
  /** What to do, in the imperative. */
  readonly help?: string;
  /** Replaces `help` if 2.2 also reads the file. */
  readonly helpForBothVersions?: string;
  /** Set if both versions read the line, so that it can stay as long as 2.2 reads the file. */
  readonly isReadByBoth?: true;
  /** Set if the line may be right as it is: `help` says when to change it. */
  readonly mayStay?: true;
  /** The exact message of the server. */
  readonly serverText?: string;
  /**
   * Commands to run on the server, one in each line, if no edit of a file solves the problem. The
   * plan lists them under "On the server". `help` shows them, too.
   */
  readonly run?: string;
  /** The open questions whose answers may change this message or its commands. */
  readonly asks?: readonly OpenQuestion[];
}

/**
 * What a rule found. Offsets are relative to the line (line rules) or to the scope (section rules).
 */
export interface Finding extends MessageParts {
  /** Identifies the message in tests and in JSON: in kebab-case, unique within the rule. */
  readonly messageId: string;
  readonly start: number;
  readonly end: number;
  /**
   * Where the logical line of `start` begins. Optional: it saves a search in files with thousands
   * of findings.
   */
  readonly lineStart?: number;
  /**
   * `deprecated`: the editor strikes the text through. `unnecessary`: the editor fades the text.
   */
  readonly tag?: 'deprecated' | 'unnecessary';
  readonly fixes?: readonly Fix[];
  /**
   * Makes the fixes on demand, if that takes longer than finding the problem. Used instead of
   * `fixes`. None of these fixes has a `choice`.
   */
  readonly fixesLater?: () => readonly Fix[];
  /**
   * The open questions that have to be answered before there is a fix. Absent if there is a fix, or
   * if no answer leads to one.
   */
  readonly waitsFor?: readonly OpenQuestion[];
  /**
   * The question and the answers after which this finding is not reported. The question is not
   * asked because of this finding alone.
   */
  readonly settledBy?: FixChoice;
  /**
   * Further lines of the same file that are part of this problem, in order. Their offsets have the
   * same origin as `start`.
   */
  readonly places?: readonly Span[];
  /** Other lines that explain the problem. */
  readonly related?: readonly RelatedPlace[];
  /**
   * For configuration rules: the sections whose access the problem is about. The problem is not
   * reported if another rule reports a change of access in one of these sections.
   */
  readonly about?: readonly Span[];
  /**
   * The parts that depend on the rest of the file. Called when the finding is shown, so that the
   * finding itself can be cached. Returns null if there is no finding after all. Parts that are
   * left out keep their value.
   */
  readonly resolve?: (facts: FileFacts) => ResolvedParts | null;
}

/** The parts of a finding that `resolve` may replace. */
export type ResolvedParts = Partial<Pick<Finding, 'what' | 'consequence' | 'cause' | 'help' | 'fixes' | 'fixesLater'>>;

/** A part of a text, from `start` to before `end`, as UTF-16 offsets. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Another place that explains a finding. Editors show it below the message. */
export interface RelatedPlace {
  /**
   * The path with links resolved. For a file that is checked alone, THIS_FILE_PATH of
   * config/uses-in-file.ts.
   */
  readonly file: string;
  /**
   * A line from which the place is found again after edits: the line of the place itself, or the
   * open tag of the macro that contains the place.
   */
  readonly line: Line;
  /** The 0-based row that `line` had when the finding was made. */
  readonly row: number;
  /** The number of rows from `line` down to the place. 0 if `line` is the place. */
  readonly rowOffset: number;
  readonly message: string;
}

/**
 * The context of a line or scope. Equal contexts are one object, so that caches can compare them by
 * identity.
 */
export interface Context {
  /**
   * The enclosing container sections, outermost first, in lower case. Empty at the top level of a
   * file.
   */
  readonly containers: readonly string[];
  /**
   * The enclosing Limit and Require sections within the innermost container, outermost first, in
   * lower case.
   */
  readonly limits: readonly string[];
  readonly activity: Activity;
  readonly target: Target;
  readonly isHtaccess: boolean;
  /**
   * The package of the server, from the user's setting or from paths in the configuration; null if
   * neither shows it.
   */
  readonly distribution: Distribution | null;
  /** The rest of the configuration; null if the file is checked alone. */
  readonly fileContext: FileContext | null;
  /**
   * The place by which httpd decides whether a directive is allowed. Null if it is unknown, as in a
   * macro or in an unknown section.
   */
  readonly place: Place | null;
}

/** What a rule gets to check one line. Offsets in its findings are relative to the line. */
export interface LineRuleInput {
  readonly line: Line;
  readonly context: Context;
}

/** A line that triggers a section rule, and its position in the scope. */
export interface Member {
  readonly line: Line;
  readonly offset: number;
  /**
   * The transparent sections between scope and line (conditionals, Limit and Require sections),
   * outermost first.
   */
  readonly enclosingSections: readonly Section[];
  /** Whether httpd reads the line, as far as these sections and the scope decide that. */
  readonly activity: Activity;
}

/**
 * What a section rule may read of the tag that opens the scope. The tag has further parts, but a
 * finding must not depend on them: sections with equal lines and with tags that are equal in these
 * parts share their findings (analysis/same-sections.ts).
 */
export interface ScopeTag {
  /** The white space before the tag. */
  readonly indent: string;
  readonly template: Template;
}

/**
 * What a section rule checks at once: the top level of a file or the body of a section, with all
 * transparent sections in it.
 */
export interface Scope {
  /** Null at the top level of a file. */
  readonly tag: ScopeTag | null;
  readonly body: List;
  /** The offset of the body in the scope. */
  readonly bodyOffset: number;
  /** The context of the body, so its last container is the section itself. */
  readonly context: Context;
  /** The facts of the body, including those of all sections in it. */
  readonly facts: FileFacts;
  /** The lines that trigger the rule, in order. */
  readonly members: readonly Member[];
}

/** An example that runs as a test. */
export interface Example {
  readonly title: string;
  readonly before: string;
  /** The text after all fixes, suggestions too. Left out if there is no automatic fix. */
  readonly after?: string;
  /** The message ids of this rule's findings in `before`, in order. */
  readonly finds: readonly string[];
  /** The name of the file, if it matters (`.htaccess`). */
  readonly file?: string;
  /**
   * For a configuration rule: further files by absolute path. The example itself is
   * /srv/conf/httpd.conf.
   */
  readonly files?: Readonly<Record<string, string>>;
  /**
   * Lines that a real server needs above `before` to accept it, such as LoadModule lines.
   */
  readonly prelude?: string;
}

/** The parts of a rule that do not depend on what it checks. */
interface RuleBase {
  /** The id of the rule in kebab-case. It names what the rule finds, not what replaces it. */
  readonly id: string;
  /** What the rule finds, in one line. */
  readonly title: string;
  /** The gravest consequence that the rule reports. The severity follows from it. */
  readonly consequence: Consequence;
  /**
   * The patch number of the 2.4 release that made the change which the rule reports; 0 for 2.4.0.
   * If the server already runs this release, the engine drops the findings, except errors of lines
   * that httpd refuses. Absent if the problem is no change, or if the check compares the release
   * itself.
   */
  readonly since?: number;
  /**
   * Set if the rule is about what 2.2 does with the files. Such a rule runs only if the user
   * answered that 2.2 also reads them. Its findings do not prevent the start of 2.4.
   */
  readonly isAbout22?: true;
  /**
   * Set if the rule cannot tell lines that the user wrote for 2.4 from those that the conversion of
   * access control writes. Such a rule is off after fixes of this program were written.
   */
  readonly isMisledByConversion?: true;
  /**
   * Set if 2.2 needs the lines that the rule reports. If 2.2 also reads the file, no help advises
   * to remove them.
   */
  readonly needsLineIn22?: true;
  /**
   * Set if the rule compares what two versions do with a line. The rule reports nothing for a line
   * that the version now in use does not read. `since` also has this effect.
   */
  readonly comparesVersions?: true;
  /** The safest fix that the rule has. */
  readonly fix: Safety | 'none';
  /** The page in the manual of httpd. */
  readonly url: string;
  /** The directives and sections that the rule checks, in lower case. */
  readonly names: readonly string[];
  readonly examples: readonly Example[];
}

/** Checks one line. The findings depend on nothing but its text and its context. */
export interface LineRule extends RuleBase {
  readonly checks: 'line';
  /**
   * Whether the rule also checks comments, and unusual lines of any directive: those that are
   * continued or very long, begin with a byte order mark, or may have invisible characters.
   */
  readonly checksOddLines?: true;
  /** Whether the rule checks the lines of all directives, and all open and close tags. */
  readonly checksEveryLine?: true;
  /**
   * For rules with `checksEveryLine`: false if no line with this name and kind can have a finding
   * in the context. It is called once for all such lines, so that `check` is called for fewer
   * lines.
   */
  mayConcern?(line: Pick<Line, 'name' | 'kind'>, context: Context): boolean;
  check?(ruleInput: LineRuleInput): readonly Finding[];
  /** Checks a Use line whose macro is known. Offsets are relative to the line. */
  checkUse?(use: UseRuleInput): readonly Finding[];
}

/** A rule that checks the lines of a scope or of a file together. */
export interface SectionRule extends RuleBase {
  readonly checks: 'section';
  /**
   * Set if each error of the rule is about a single line, whatever else is in the scope. The rule
   * then also checks the text that a macro inserts into a scope.
   */
  readonly isAboutSingleLines?: true;
  /** Set if the rule also runs where template text may change lines. */
  readonly handlesTemplates?: true;
  /** Checks a scope that has lines of `names`. */
  check?(scope: Scope): readonly Finding[];
  /** Checks one line of `names`. */
  checkLine?(ruleInput: LineRuleInput): readonly Finding[];
  /**
   * Checks a file that has lines of `names`. If `names` is empty, checks a file with unpaired tags.
   * Offsets count from the start of the file.
   */
  checkFile?(file: FileRuleInput): readonly Finding[];
  /**
   * Checks the comments that silence rules, after all other rules. Offsets count from the start of
   * the file.
   */
  checkComments?(comments: CommentRuleInput): readonly Finding[];
}

/** What a rule gets to check a file. */
export interface FileRuleInput {
  readonly rootList: List;
  readonly facts: FileFacts;
  /** The context of the top level. */
  readonly context: Context;
  /** Whether a macro that is used in the file may contain one tag of a pair. */
  readonly hasUnbalancedUses: boolean;
  /** Whether there may be a directive with this name, in lower case. */
  mayHaveDirective(name: string): boolean;
  /** The summary of all lines of the rule's names; null if no line contributes to it. */
  summaryOf<T>(summary: Summary<T>): T | null;
  /**
   * The first line that passes `test`; null if there is none. Skips the parts of the file for whose
   * summary `mayContain` returns false.
   */
  firstMatch<T>(
    summary: Summary<T>,
    mayContain: (sum: T) => boolean,
    test: (line: Line) => boolean,
  ): { readonly line: Line; readonly offset: number } | null;
}

/**
 * How to summarize the lines of a file. The results are cached on the tree, so that an edit takes
 * the same time in a file of any size. The summary object is the key of the cache, so a rule must
 * use one object for all calls.
 */
export interface Summary<T> {
  /** The summary of one line; null if the line contributes nothing. */
  summarize(line: Line, context: Context): T | null;
  plus(a: T, b: T): T;
}

/** What a rule gets to check the comments that silence rules. */
export interface CommentRuleInput {
  readonly comments: readonly IgnoreComment[];
  /** The ids of all rules, for a rule name in a comment that does not exist. */
  readonly ruleIds: readonly string[];
}

/** What a rule gets to check a configuration. */
export interface ConfigurationRuleInput {
  /** The configuration, which contains the lines of the rule's names. */
  readonly configuration: Configuration;
  /**
   * Returns the configuration with the lines of these names that 2.2 or 2.4 reads. A line that only
   * one of the versions reads has `activityByVersion`.
   */
  readonly readForBothVersions: (names: DirectiveNames) => Configuration;
  readonly modules: LoadedModules;
  readonly view: FileView;
  readonly target: Target;
  /**
   * Whether this program wrote fixes to these files. Then lines of 2.4 do not show that the server
   * runs 2.4.
   */
  readonly isConverted: boolean;
  /** Like `isConverted`, but also true if suggestions may have been written, which may be wrong. */
  readonly hasWrittenFixes: boolean;
  readonly distribution: Distribution | null;
  /**
   * Makes the configuration that requests/ uses to compute answers. Null if the server already runs
   * 2.4, because the answers of 2.2 then do not matter.
   */
  readonly requests: (() => RequestConfiguration) | null;
  /** The same function; null unless the user answered that 2.2 also reads the files. */
  readonly requestsOf22: (() => RequestConfiguration) | null;
  /** The user's answer to an open question; null if there is none. */
  readonly answerTo: (openQuestion: OpenQuestion) => string | null;
}

/** A finding whose offsets, and those of its fixes, count from the start of `file`. */
export interface ConfigurationFinding extends Finding {
  /** The path of the file with links resolved. */
  readonly file: string;
}

/**
 * A rule that checks a whole configuration: the main file and all files that it includes.
 * features/configuration-findings.ts runs it.
 */
export interface ConfigurationRule extends RuleBase {
  readonly checks: 'configuration';
  /**
   * Whether the rule also needs the lines of this name, in lower case. Called when the loaded
   * modules are known.
   */
  needsName?(name: string, modules: LoadedModules): boolean;
  /**
   * Set if the rule also checks configurations that a template makes, because its findings do not
   * depend on the branch that the template takes.
   */
  readonly isForTemplates?: boolean;
  check(ruleInput: ConfigurationRuleInput): readonly ConfigurationFinding[];
}

/** A comment that should silence rules, and for each rule whether the comment does so. */
export interface IgnoreComment {
  readonly line: Line;
  /** The offset of the line in the file. */
  readonly offset: number;
  readonly rules: readonly IgnoredRule[];
}

/** A rule that a comment should silence. */
export interface IgnoredRule {
  readonly id: string;
  /** The offset of the id in the line. */
  readonly start: number;
  readonly end: number;
  /**
   * `used`: the comment silences a finding of this rule, or may do so. `unused`: it silences none.
   * `unknown`: no rule has this name.
   */
  readonly state: 'used' | 'unused' | 'unknown';
}

/** A Use line, and either what its macro inserts or why httpd refuses the line. */
export interface UseRuleInput {
  readonly line: Line;
  readonly useResult: Expansion | RefusedUse;
  /**
   * The errors that rules find in the inserted lines, in order. `isUncertain`: no known line loads
   * a module with the directive, but a missing file may do so.
   */
  readonly errors: readonly {
    readonly row: number;
    readonly text: string;
    readonly what: string;
    readonly isUncertain?: true;
  }[];
}

export type Rule = LineRule | SectionRule | ConfigurationRule;

/** Whether the rule checks the comments that silence rules, so that it must run last. */
export function isAboutComments(rule: Rule): boolean {
  return rule.checks === 'section' && rule.checkComments !== undefined;
}
