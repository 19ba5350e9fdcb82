/**
 * The types of a rule. Each rule is one file in this folder: its examples, the names it is
 * triggered by, and its check. Its page is docs/rules/ID.md. To add one: `npm run new-rule ID`. The
 * tests and the settings are made from it, and the examples of its page.
 */
import type { OpenQuestion } from '../access/open-question';
import type { Activity } from '../config/activity';
import type { Configuration } from '../config/configuration';
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

export type Severity = 'error' | 'warning' | 'info' | 'hint';
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

/** Replaces [start, end) by text. The offsets count UTF-16 units from the base of the finding. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface Fix {
  /**
   * For the lightbulb: verb and object, at most 60 characters. Does not state the safety; the
   * editor and the report add it.
   */
  readonly title: string;
  /**
   * `safe`: provably keeps what the server does, or removes what it ignores. `suggestion`: the user
   * has to decide.
   */
  readonly safety: Safety;
  readonly edits: readonly Edit[];
  /**
   * For a suggestion: the condition under which it keeps what the server does. Follows "if" or
   * "assuming that".
   */
  readonly assumes?: string;
  /**
   * The id of the rule that asks about the assumption of this fix. If the fix is applied, that rule
   * does not ask in the same run.
   */
  readonly settles?: string;
  /**
   * The fix depends on taste or on what is installed. The user takes it alone or with the fixes of
   * its rule. It is not among "all suggestions".
   */
  readonly isChoice?: true;
  /**
   * The fix changes what an `<IfModule>` in any file of the configuration tests. In a file that is
   * checked alone, it is safe only if the file is a whole configuration, or if the user states that
   * no other file matters.
   */
  readonly reachesOut?: true;
  /**
   * Edits in other files of the configuration, by path with links resolved. Offsets in that file.
   */
  readonly elsewhere?: ReadonlyMap<string, readonly Edit[]>;
  /**
   * `waitsFor`: the open questions that keep the fix from being safe. `restsOn`: those that the
   * user has answered. Left out if only `assumes` describes them.
   */
  readonly waitsFor?: readonly OpenQuestion[];
  readonly restsOn?: readonly OpenQuestion[];
  /**
   * The answers with which the fix is ready. With another answer it is not offered. If it has no
   * edits, such an answer means that there is nothing to change.
   */
  readonly choice?: FixChoice;
}

/** The parts of a fix that are known before its edits. */
export type FixParts = Pick<Fix, 'title' | 'safety' | 'assumes' | 'waitsFor' | 'restsOn'>;

/**
 * A fix whose edits are made on demand: most of thousands are counted and never made. To copy it,
 * use `changedFix`, because `{ ...fix }` has no edits.
 */
export function fixMadeLater(fix: FixParts, make: () => readonly Edit[]): Fix {
  return new FixMadeLater(fix, make);
}

/** A copy of the fix with some parts replaced. Does not make the edits. */
export function changedFix(fix: Fix, change: Partial<FixParts>): Fix {
  return fix instanceof FixMadeLater ? new FixMadeLater(fix, () => fix.edits, change) : { ...fix, ...change };
}

/**
 * A class, because an own getter on each object takes 300 bytes and most of the time of making a
 * fix.
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

export interface FixChoice {
  readonly openQuestion: OpenQuestion;
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
  /** What to do instead if 2.2 reads the file, too. */
  readonly helpForBothVersions?: string;
  /** Set if both versions read the line, so that it can stay as long as 2.2 reads the file. */
  readonly isReadByBoth?: true;
  /** The exact message of the server. */
  readonly serverText?: string;
  /**
   * Commands to run on the server, one a line, if the files alone do not settle it. The plan lists
   * them under "On the server". `help` shows them, too.
   */
  readonly run?: string;
  /** Questions of the plan whose answers change these commands. */
  readonly asks?: readonly OpenQuestion[];
}

/**
 * What a rule found. Offsets are relative to the line (line rules) or to the scope (section rules).
 */
export interface Finding extends MessageParts {
  /** The name for tests: stable, kebab-case, unique within the rule. */
  readonly messageId: string;
  readonly start: number;
  readonly end: number;
  /**
   * Where the logical line of `start` begins. Optional: it saves a search in files with thousands
   * of findings.
   */
  readonly lineStart?: number;
  /** The editor strikes the text through, or fades it. */
  readonly tag?: 'deprecated' | 'unnecessary';
  readonly fixes?: readonly Fix[];
  /**
   * Makes the fixes on demand, if that takes longer than finding the problem. Used instead of
   * `fixes`. None of these fixes has a `choice`.
   */
  readonly fixesLater?: () => readonly Fix[];
  /**
   * If there is no automatic fix: the open questions that have to be answered before there is one.
   */
  readonly waitsFor?: readonly OpenQuestion[];
  /** Answers after which nothing is to do. The question is not asked because of this finding. */
  readonly settledBy?: FixChoice;
  /**
   * Further lines of the same file that are part of this problem, in order. Same base as `start`.
   */
  readonly places?: readonly Span[];
  /** Other lines that explain the problem. */
  readonly related?: readonly RelatedPlace[];
  /**
   * Of a rule about a configuration: the sections that the problem is about. The problem is not
   * reported if another rule reports a change of access in one of them.
   */
  readonly about?: readonly Span[];
  /**
   * The parts that depend on the rest of the file. Called when the finding is shown, so that the
   * finding itself can be cached. Returns null if there is no finding after all. Parts that are
   * left out keep their value.
   */
  readonly resolve?: (facts: FileFacts) => Resolved | null;
}

export type Resolved = Partial<Pick<Finding, 'what' | 'consequence' | 'cause' | 'help' | 'fixes' | 'fixesLater'>>;

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface RelatedPlace {
  /** With links resolved. OWN_FILE of config/uses-in-file.ts for a file that is checked alone. */
  readonly file: string;
  /** `line` is `rows` above the place. `row` is the row of `line` when the file was read. */
  readonly line: Line;
  readonly row: number;
  readonly rowsAbove: number;
  readonly message: string;
}

/**
 * The context of a line or scope. Interned: equal contexts are one object, and caches compare by
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
  /** What is allowed here; null if that is unknown (in a macro or in an unknown section). */
  readonly place: Place | null;
}

export interface LineSubject {
  readonly line: Line;
  readonly context: Context;
}

/** A line that triggers a scope rule, and its position in the scope. */
export interface Member {
  readonly line: Line;
  readonly offset: number;
  /**
   * The transparent sections between scope and line (conditionals, Limit and Require sections),
   * outermost first.
   */
  readonly enclosingSections: readonly Section[];
  /** The activity that these sections give, given the one of the scope. */
  readonly activity: Activity;
}

/**
 * What a section rule sees of the tag that opens the scope. It is no more than this, because
 * sections of one kind with equal tags and lines share their findings (analysis/same-sections.ts).
 */
export interface ScopeTag {
  /** The spaces in front of it. */
  readonly indent: string;
  readonly template: Template;
}

export interface Scope {
  /** null at the top level of a file. */
  readonly tag: ScopeTag | null;
  readonly body: List;
  /** Relative to the scope. */
  readonly bodyOffset: number;
  /** Of the body: its last container is the section itself. */
  readonly context: Context;
  /** The facts of the body, with all sections in it. */
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
   * Lines that a real server needs to accept `before` as 2.2 meant it, such as LoadModule lines.
   */
  readonly prelude?: string;
}

interface RuleBase {
  /** The id of the rule in kebab-case. It names what the rule finds, not what replaces it. */
  readonly id: string;
  /** What the rule finds, in one line. */
  readonly title: string;
  /** The gravest that it reports. The severity follows from it. */
  readonly consequence: Consequence;
  /**
   * The patch release of 2.4 that made the change which the rule reports; 0 for a change between
   * 2.2 and 2.4. If the server already runs this release, the engine drops what the rule finds,
   * except for errors of lines: httpd would refuse them. Absent if the problem is no change, or if
   * the check asks for the release.
   */
  readonly since?: number;
  /**
   * Set if the rule is about what 2.2 does with the files. It runs only if the user answered that
   * 2.2 also reads them, and what it finds does not prevent the start of 2.4.
   */
  readonly isAbout22?: true;
  /**
   * Set if 2.2 needs the lines that the rule reports. If 2.2 reads the file, too, no advice removes
   * them.
   */
  readonly needsLineIn22?: true;
  /**
   * Set if the rule compares what two versions do with a line. If the version that runs now does
   * not read the line, nothing is reported. `since` implies this.
   */
  readonly comparesVersions?: true;
  /** The safest fix that it has. */
  readonly fix: Safety | 'none';
  /** The page in the manual of httpd. */
  readonly url: string;
  /** The directives and sections that the rule checks, in lower case. */
  readonly names: readonly string[];
  readonly examples: readonly Example[];
}

/** Checks one line. The findings depend on nothing but its text and its context. */
export interface LineRule extends RuleBase {
  readonly scope: 'line';
  /**
   * Whether the rule also checks comments, and lines of all names that are continued, very long,
   * begin with a byte order mark, or may have invisible characters.
   */
  readonly oddLines?: true;
  /** Whether the rule checks the lines of all directives, and all open and close tags. */
  readonly everyLine?: true;
  /**
   * With `everyLine`: false if no line with this name and kind has a finding in the context. Called
   * once for all such lines; without it `check` is called for each line.
   */
  mayConcern?(line: Pick<Line, 'name' | 'kind'>, context: Context): boolean;
  check?(subject: LineSubject): readonly Finding[];
  /** Checks a Use line whose macro is known. Offsets are relative to the line. */
  checkUse?(use: UseSubject): readonly Finding[];
}

export interface SectionRule extends RuleBase {
  readonly scope: 'section';
  /**
   * Whether each error of the rule is about a single line, whatever else is in the scope. The rule
   * then also checks the text that a macro brings into a scope.
   */
  readonly isAboutSingleLines?: true;
  /** Handles template text itself. Other rules are not run where template text may change lines. */
  readonly handlesTemplates?: true;
  /** Checks one scope with lines of `names`. */
  check?(scope: Scope): readonly Finding[];
  /** Checks one line of `names`. */
  checkLine?(subject: LineSubject): readonly Finding[];
  /**
   * Checks a file with lines of `names`, or if there are no names, a file with loose tags. Offsets
   * are the file's.
   */
  checkFile?(file: FileSubject): readonly Finding[];
  /**
   * Checks the comments that silence rules, after all other rules. Offsets are those of the file.
   */
  checkComments?(comments: CommentRuleInput): readonly Finding[];
}

export interface FileSubject {
  readonly rootList: List;
  readonly facts: FileFacts;
  /** The context of the top level. */
  readonly context: Context;
  /** Whether a macro that is used in the file may contain one tag of a pair. */
  readonly hasUnbalancedUses: boolean;
  /** Whether there may be a directive with this name, in lower case. */
  has(name: string): boolean;
  /** The sum over all lines of the rule's names, or null if no line adds to it. */
  sum<T>(summary: Summary<T>): T | null;
  /**
   * The first line that passes `test`, or null. Skips parts of the file whose sum does not pass
   * `may`.
   */
  locate<T>(
    summary: Summary<T>,
    may: (sum: T) => boolean,
    test: (line: Line) => boolean,
  ): { readonly line: Line; readonly offset: number } | null;
}

/**
 * How to add up a value over the lines of a file. The sums are cached on the tree, so an edit costs
 * the same in a file of any size. A rule uses one object for all calls, because it is the key of
 * the cache.
 */
export interface Summary<T> {
  /** What one line adds, or null. */
  of(line: Line, context: Context): T | null;
  plus(a: T, b: T): T;
}

export interface CommentRuleInput {
  readonly comments: readonly IgnoreComment[];
  readonly ruleIds: readonly string[];
}

export interface ConfigurationSubject {
  /** Has the lines of the rule's names. */
  readonly configuration: Configuration;
  readonly modules: LoadedModules;
  readonly view: FileView;
  readonly target: Target;
  /** Whether fixes of this program were already written to the configuration. */
  readonly isConverted: boolean;
  readonly distribution: Distribution | null;
  /**
   * The configuration for questions about requests. Null if the server is a 2.4 already, so that no
   * answers of 2.2 count.
   */
  readonly requests: (() => RequestConfiguration) | null;
  /** The same if the user answered that 2.2 also reads the files; null otherwise. */
  readonly requestsOf22: (() => RequestConfiguration) | null;
  /** The user's answer to an open question; null if there is none. */
  readonly answerTo: (openQuestion: OpenQuestion) => string | null;
}

/** The offsets of the finding and of its fixes count from the start of `file`. */
export interface ConfigurationFinding extends Finding {
  /** With links resolved. */
  readonly file: string;
}

/**
 * Checks a whole configuration: the root file and all that it includes. Run by
 * features/configuration-findings.ts.
 */
export interface ConfigurationRule extends RuleBase {
  readonly scope: 'configuration';
  /**
   * Whether the rule also needs the lines of this name, in lower case. Called when the loaded
   * modules are known.
   */
  wants?(name: string, modules: LoadedModules): boolean;
  /**
   * The rule also checks configurations that a template makes: its findings do not depend on the
   * branch that the template takes.
   */
  readonly isForTemplates?: boolean;
  check(subject: ConfigurationSubject): readonly ConfigurationFinding[];
}

/** A comment that silences rules, and whether it does. */
export interface IgnoreComment {
  readonly line: Line;
  /** From the start of the file. */
  readonly offset: number;
  readonly rules: readonly IgnoredRule[];
}

export interface IgnoredRule {
  readonly id: string;
  /** From the start of the line. */
  readonly start: number;
  readonly end: number;
  /** Whether the comment silences a finding. `used` also if that is unknown. */
  readonly state: 'used' | 'unused' | 'unknown';
}

/** A Use line, and what its macro brings in or why httpd refuses it. */
export interface UseSubject {
  readonly line: Line;
  readonly answer: Expansion | RefusedUse;
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

export function isAboutComments(rule: Rule): boolean {
  return rule.scope === 'section' && rule.checkComments !== undefined;
}
