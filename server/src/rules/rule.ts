/**
 * What a rule is. One rule, one file in this folder: its page, its executable examples, what it listens to, its check.
 * To add one, write the file and name it in all.ts; the tests, the pages in docs/rules and the settings follow from it.
 */
import type { Doubt } from '../access/doubt';
import type { Activity } from '../config/activity';
import type { Configuration } from '../config/configuration';
import type { Distribution } from '../config/distribution';
import type { FileView } from '../config/files';
import type { Expansion, RefusedUse } from '../config/macro';
import type { LoadedModules } from '../config/loaded-modules';
import type { Place } from '../validation/place';
import type { FileFacts } from './support/facts';
import type { Surroundings } from '../config/file-context';
import type { Target } from '../config/target';
import type { Line } from '../syntax/line';
import type { Template } from '../syntax/template';
import type { List, Section } from '../syntax/tree';

export type Severity = 'error' | 'warning' | 'info' | 'hint';
export type Safety = 'safe' | 'suggestion';

export const SEVERITIES: readonly Severity[] = ['error', 'warning', 'info', 'hint'];

/**
 * What a problem means for the server. The list is closed, and the severity follows from it: rule, page, message and report cannot disagree.
 * `may not start` and `check before the upgrade` are for what depends on something outside the files; `access opens` for what allows requests that
 * 2.2 denied; `probably a mistake` for lines that httpd accepts and that cannot do what they are for; `no effect` for text that does nothing in either version.
 */
export type Consequence =
  | 'will not start'
  | 'requests get 500'
  | 'access opens'
  | 'may not start'
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
  ignored: 'warning',
  'meaning changed': 'warning',
  'probably a mistake': 'warning',
  renamed: 'info',
  deprecated: 'info',
  'check before the upgrade': 'info',
  'check after the upgrade': 'hint',
  'no effect': 'hint',
};

/** A replacement of [start, end) by text. Offsets in UTF-16 units, relative to whatever the finding is relative to. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface Fix {
  /** What the lightbulb shows: verb and object, at most 60 characters. Safe or not is shown by the surface. */
  readonly title: string;
  /** `safe`: provably keeps what the server does, or removes what it ignores. A `suggestion` needs a person. */
  readonly safety: Safety;
  readonly edits: readonly Edit[];
  /** Of a suggestion: what has to be true for it to keep what the server does; what follows "if" or "assuming that". */
  readonly assumes?: string;
  /** The rule that asks what this fix assumes: who applies the fix is not asked by that rule in the same run. */
  readonly settles?: string;
  /** A matter of taste, or of what is installed: a person takes it by itself, or all of its rule; whoever takes all suggestions passes it by. */
  readonly isChoice?: true;
  /** It changes what an `<IfModule>` of any file of the configuration asks for: of a file that is looked at by itself it is safe where that file is a whole configuration, or a person says that nothing outside has a say. */
  readonly reachesOut?: true;
  /** What belongs to it in other files of the configuration, by path without links; the offsets are those of the file. */
  readonly elsewhere?: ReadonlyMap<string, readonly Edit[]>;
  /** What has to be settled for it to be safe, and what a person has settled; where these are known as data. */
  readonly waitsFor?: readonly Doubt[];
  readonly restsOn?: readonly Doubt[];
  /** What a person answers to take it: with one of the values it is ready, with another one it is not offered. Without any edit: with that answer there is nothing to change. */
  readonly choice?: FixChoice;
}

/** What there is to say of a fix whose edits are made later. */
export type SaidOfFix = Pick<Fix, 'title' | 'safety' | 'assumes' | 'waitsFor' | 'restsOn'>;

/** A fix whose edits are made when somebody asks for them: of thousands, most are counted and never made. To copy it, use `changedFix`: `{ ...fix }` has no edits. */
export function fixMadeLater(fix: SaidOfFix, make: () => readonly Edit[]): Fix {
  return new FixMadeLater(fix, make);
}

/** The same fix, of which something else is said; its edits are not made for that. */
export function changedFix(fix: Fix, change: Partial<SaidOfFix>): Fix {
  return fix instanceof FixMadeLater ? new FixMadeLater(fix, () => fix.edits, change) : { ...fix, ...change };
}

/** A getter of an object's own is 300 bytes, and takes longer to make than all else of a fix. */
class FixMadeLater implements Fix {
  readonly title: string;
  readonly safety: Safety;
  readonly assumes?: string;
  readonly waitsFor?: readonly Doubt[];
  readonly restsOn?: readonly Doubt[];
  private made: readonly Edit[] | null = null;

  constructor(
    said: SaidOfFix,
    private readonly make: () => readonly Edit[],
    change: Partial<SaidOfFix> = said,
  ) {
    this.title = change.title ?? said.title;
    this.safety = change.safety ?? said.safety;
    this.assumes = change.assumes ?? said.assumes;
    this.waitsFor = change.waitsFor ?? said.waitsFor;
    this.restsOn = change.restsOn ?? said.restsOn;
  }

  get edits(): readonly Edit[] {
    return (this.made ??= this.make());
  }
}

export interface FixChoice {
  readonly doubt: Doubt;
  readonly values: readonly string[];
}

/** What there is to say of a problem, in parts: each surface puts them together once (analysis/findings.ts), when it shows them. */
export interface Said {
  /** The headline: what is, in one clause of at most 90 characters; begins with the user's own directive or module in backticks. */
  readonly what: string;
  /** Where it is not the rule's own. In a .htaccess file `will not start` is `requests get 500` by itself. */
  readonly consequence?: Consequence;
  /** Why, and what else there is to know: main clauses with a full stop. */
  readonly cause?: string;
  /** What to do: an imperative. */
  readonly help?: string;
  /** The server's own words, exactly. */
  readonly serverText?: string;
  /** Commands to run on the server, one a line, that settle it where no text does: a task of the plan's part "On the server". `help` shows them, too. */
  readonly run?: string;
  /** Questions of the plan whose answers change these commands. */
  readonly asks?: readonly Doubt[];
}

/** What a rule found on a place. Offsets are relative to the line (line rules) or to the scope (scope rules). */
export interface Finding extends Said {
  /** What tests name; stable, kebab-case, unique within the rule. */
  readonly messageId: string;
  readonly start: number;
  readonly end: number;
  /** Where the logical line of `start` begins, if the rule says so: who asks about the lines of thousands of findings need not look for them. */
  readonly lineStart?: number;
  /** Struck through or faded by the editor. */
  readonly tag?: 'deprecated' | 'unnecessary';
  readonly fixes?: readonly Fix[];
  /** Instead of `fixes`, where making them takes longer than finding the problem: made when somebody asks. None of them has a choice. */
  readonly fixesLater?: () => readonly Fix[];
  /** Where there is no automatic fix: what has to be settled for there to be one. */
  readonly waitsFor?: readonly Doubt[];
  /** Further lines of the same file that are part of this problem, in order: relative to what the finding is relative to. */
  readonly places?: readonly Span[];
  /** Other places that have to do with it. */
  readonly related?: readonly RelatedPlace[];
  /** What of this depends on the rest of the file: asked when the finding is shown, so that it can be cached without it. null for no finding at all; what is left out stays as it is. */
  readonly resolve?: (facts: FileFacts) => Resolved | null;
}

export type Resolved = Partial<Pick<Finding, 'what' | 'consequence' | 'cause' | 'help' | 'fixes' | 'fixesLater'>>;

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A line of this file or another one. */
export interface RelatedPlace {
  /** Without links; for a file that is looked at by itself OWN_FILE of config/uses-in-file.ts. */
  readonly file: string;
  /** A line that stands `rows` above the place, and its row when the file was read. */
  readonly line: Line;
  readonly row: number;
  readonly rows: number;
  readonly message: string;
}

/** Where a line or scope stands. Interned: equal contexts are one object, and caches compare by identity. */
export interface Context {
  /** Names of the container sections around, outermost first, in lower case. Empty at a file's top level. */
  readonly containers: readonly string[];
  /** Limits and Require containers around within the innermost container, outermost first, in lower case. */
  readonly limits: readonly string[];
  readonly activity: Activity;
  readonly target: Target;
  readonly isHtaccess: boolean;
  /** Whose package the server is, where a person said so or the configuration's paths tell; null where nobody knows. */
  readonly distribution: Distribution | null;
  /** What the rest of the configuration says; null where the file is looked at by itself. */
  readonly surroundings: Surroundings | null;
  /** What may stand here, as far as it is known; null where nobody knows who reads it (a macro, an unknown section). */
  readonly place: Place | null;
}

export interface LineSubject {
  readonly line: Line;
  readonly context: Context;
}

/** A line that a scope rule listens to, and how it stands in the scope. */
export interface Member {
  readonly line: Line;
  /** Relative to the scope. */
  readonly offset: number;
  /** The transparent sections around it within the scope (conditionals, limits, Require containers), outermost first. */
  readonly within: readonly Section[];
  /** As far as these tell, given the scope's own. */
  readonly activity: Activity;
}

/** What a scope's rules see of the tag that opens it. No more: sections of one kind that have such a tag and the same lines share what is found in them (analysis/same-sections.ts). */
export interface ScopeTag {
  /** The blanks in front of it. */
  readonly indent: string;
  readonly template: Template;
}

/** A scope: a container section, or the top level of a file. */
export interface Scope {
  /** null at the file's top level. */
  readonly tag: ScopeTag | null;
  readonly body: List;
  /** Where the body starts, relative to the scope. */
  readonly bodyOffset: number;
  /** Of the body: the section itself is the last of its containers. */
  readonly context: Context;
  /** What the body says, with all sections in it. */
  readonly facts: FileFacts;
  /** The lines with the rule's names, in order. */
  readonly members: readonly Member[];
}

/** Prose for people: Markdown, own words. Every statement about httpd has its source in `sources`. */
export interface RulePage {
  /** What it finds and what became of it, in a sentence or two. */
  readonly what: string;
  /** Why 2.4 does otherwise, and what it does. */
  readonly why: string;
  /** What httpd itself says, and where. */
  readonly httpd: string;
  /** What the fix does, and why it is safe or not. */
  readonly fixing: string;
  readonly sources: readonly string[];
}

/** An example that runs as a test: the findings in `before`, and what the fixes make of it. */
export interface Example {
  readonly title: string;
  readonly before: string;
  /** After all fixes, suggestions too; left out where there is no automatic fix. */
  readonly after?: string;
  /** Message ids in order, those of other rules left out. */
  readonly finds: readonly string[];
  /** The file's name where it matters (`.htaccess`). */
  readonly file?: string;
  /** Of a configuration rule: further files by their absolute paths; the example itself is /srv/conf/httpd.conf. */
  readonly files?: Readonly<Record<string, string>>;
  /** Further modules, or a file's worth of context, that the real server needs to accept `before` as 2.2 meant it. */
  readonly prelude?: string;
}

interface RuleBase {
  /** Names the old thing found, in kebab-case. */
  readonly id: string;
  /** One line: what it finds. */
  readonly title: string;
  /** The gravest it reports; its severity follows from it. */
  readonly consequence: Consequence;
  /** The best fix it has. */
  readonly fix: Safety | 'none';
  /** The page of httpd's manual. */
  readonly url: string;
  /** Names of directives and of sections it listens to, in lower case. */
  readonly names: readonly string[];
  readonly page: RulePage;
  readonly examples: readonly Example[];
}

/** Checks one line. Its findings depend on the text of the line and on its context only. */
export interface LineRule extends RuleBase {
  readonly scope: 'line';
  /**
   * Also checks, whatever their name, comments and lines that are continued, very long, begin with
   * a byte order mark, or may have invisible characters.
   */
  readonly oddLines?: true;
  /** Checks every directive and every open and close tag, whatever its name. */
  readonly everyLine?: true;
  /**
   * With `everyLine`: false if no line with this name and kind has a finding in the context. Called
   * once for all such lines; without it `check` is called for each line.
   */
  concerns?(line: Pick<Line, 'name' | 'kind'>, context: Context): boolean;
  check?(subject: LineSubject): readonly Finding[];
  /** Checks a Use line whose macro is known. Offsets are relative to the line. */
  checkUse?(use: UseSubject): readonly Finding[];
}

/** Checks the lines of one scope together, or lines from all scopes of a file. */
export interface SectionRule extends RuleBase {
  readonly scope: 'section';
  /**
   * Its errors are about single lines, whatever else is in the scope. So it is also run on the text
   * that a macro brings into a scope.
   */
  readonly standsAlone?: true;
  /** Handles template text itself. Other rules are not run where template text may change lines. */
  readonly mindsTemplates?: true;
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
   * Checks the comments of a file that silence rules, after all other rules. Offsets are the file's.
   */
  checkComments?(comments: CommentsSubject): readonly Finding[];
}

/** A file by itself, as rules see it. */
export interface FileSubject {
  readonly root: List;
  readonly facts: FileFacts;
  /** Of the top level. */
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
 * How the lines of a file add up. The sums are cached on the tree, so an edit costs the same in a
 * file of any size. One object for each rule, because it is the key of the cache.
 */
export interface Summary<T> {
  /** What one line adds, or null. */
  of(line: Line, context: Context): T | null;
  plus(a: T, b: T): T;
}

export interface CommentsSubject {
  readonly comments: readonly IgnoreComment[];
  readonly ruleIds: readonly string[];
}

/** What a configuration rule is asked about. */
export interface ConfigurationSubject {
  /** Read with the rule's names. */
  readonly configuration: Configuration;
  readonly modules: LoadedModules;
  readonly view: FileView;
  readonly target: Target;
  readonly distribution: Distribution | null;
  /** What a person answered to the question about a doubt; null where nobody did. */
  readonly answerTo: (doubt: Doubt) => string | null;
}

/** Offsets are those of the file, in the finding and in its fixes. */
export interface ConfigurationFinding extends Finding {
  /** Without links. */
  readonly file: string;
}

/** Looks at a whole configuration: the root, and what it includes (features/configuration-findings.ts asks it). */
export interface ConfigurationRule extends RuleBase {
  readonly scope: 'configuration';
  /** Whether lines of a name in lower case are to be gathered beside those of `names`, once it is known what is loaded. */
  wants?(name: string, modules: LoadedModules): boolean;
  /**
   * Whether it is asked of a configuration that a template makes, too: what it says does not
   * depend on which branch is taken.
   */
  readonly isForTemplates?: boolean;
  check(subject: ConfigurationSubject): readonly ConfigurationFinding[];
}

/** A comment that silences rules, and what became of that. */
export interface IgnoreComment {
  readonly line: Line;
  /** In the file. */
  readonly offset: number;
  readonly rules: readonly IgnoredRule[];
}

export interface IgnoredRule {
  readonly id: string;
  /** In the line. */
  readonly start: number;
  readonly end: number;
  /** `used` also where nobody can say. */
  readonly state: 'used' | 'unused' | 'unknown';
}

/** What a Use line leads to that the server refuses. */
export interface UseSubject {
  readonly line: Line;
  readonly answer: Expansion | RefusedUse;
  /** Of what other rules say of the lines that it brings in, the errors, in their order. */
  readonly errors: readonly { readonly row: number; readonly text: string; readonly what: string }[];
}

export type Rule = LineRule | SectionRule | ConfigurationRule;

/** Whether a rule checks the comments that silence other rules. */
export function isAboutComments(rule: Rule): boolean {
  return rule.scope === 'section' && rule.checkComments !== undefined;
}
