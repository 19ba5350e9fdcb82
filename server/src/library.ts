/**
 * httpd-upgrade as a library: `import { check, fix, plan } from 'httpd-upgrade'`. It reads no
 * files, runs no programs and asks no questions: it gets texts and returns plain data. If one of
 * several files is a main file (`httpd.conf`, `apache2.conf`), the whole configuration is checked,
 * as on the command line.
 */
import { questionIdOrFallback } from './analysis/answers';
import { explainedSteps } from './analysis/on-server';
import { explain as lookUp } from './features/explain';
import { runToEnd } from './config/resumable';
import { PlanGatherer } from './features/plan';
import { findingToJson } from './features/finding-json';
import { projectOfTexts } from './features/project-of-texts';
import { ALL_RULES } from './rules/all';
import { rulePage } from './rules/support/page';
import { thirdPartyAdvice } from './rules/third-party-module';

/**
 * Texts of files by their paths, with slashes: absolute as on the server, or relative in a copy.
 * Results name the files by the same paths.
 */
export type Files = Readonly<Record<string, string>>;

export type Severity = 'error' | 'warning' | 'info' | 'hint';

/** The options have the same names and values as in `.httpd-upgrade.json`. */
export interface Options {
  /** The version that the configuration must run on: `2.4`, or a release such as `2.4.6`. */
  readonly target?: string;
  readonly distribution?: 'auto' | 'debian' | 'rhel' | 'windows' | 'upstream';
  /** The severity of each rule, by its id. */
  readonly severity?: Readonly<Record<string, Severity | 'off'>>;
  /** Answers to questions of the plan, by the ids of the questions. */
  readonly answers?: Readonly<Record<string, string>>;
  /** Assumes that nothing outside of these files restricts access. */
  readonly assumeStandalone?: boolean;
  /**
   * The server whose access decisions the fixes keep: `2.2`, or `2.4` with mod_access_compat. With
   * a release such as `2.4.6`, changes up to this release are not reported.
   */
  readonly source?: '2.2' | '2.4' | `2.4.${number}`;
  /** The ServerRoot, as the server names it. */
  readonly serverRoot?: string;
  /**
   * Names that are defined when the server starts (-D), and values of variables as `NAME=VALUE`.
   */
  readonly defines?: readonly string[];
  readonly builtinModules?: readonly string[];
  /** Maps directories of the server to directories of the passed files. */
  readonly pathMap?: Readonly<Record<string, string>>;
}

/** Lines and characters count from 0, characters in UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Range {
  readonly start: Position;
  readonly end: Position;
}

export interface Finding {
  readonly rule: string;
  readonly severity: Severity;
  /** The consequence in httpd 2.4. */
  readonly consequence: string;
  /** The headline of the problem. */
  readonly message: string;
  readonly cause: string | null;
  readonly help: string | null;
  /** The message of httpd, quoted. Null if httpd shows no message about the problem. */
  readonly serverText: string | null;
  readonly range: Range;
  /** Further lines of the same problem. */
  readonly places: readonly Range[];
  readonly fix: 'safe' | 'suggestion' | 'none';
  readonly fixes: readonly {
    readonly title: string;
    readonly safety: 'safe' | 'suggestion';
    readonly assumes?: string;
  }[];
  /**
   * Ids of questions of the plan: the fix depends on the answers to `restsOn`, and waits for
   * answers to `waitsFor`.
   */
  readonly restsOn: readonly string[];
  readonly waitsFor: readonly string[];
  /** The page of the manual. */
  readonly url: string;
}

export interface CheckedFile {
  readonly path: string;
  readonly findings: readonly Finding[];
}

export interface Fixed {
  /** All files, as they are after the fixes. */
  readonly files: Readonly<Record<string, string>>;
  /** The paths of the changed files. */
  readonly changed: readonly string[];
  /** How many fixes were made. */
  readonly fixes: number;
}

/** The same as `plan --format json`; docs/plan.schema.json describes it. */
export interface Plan {
  readonly version: 1;
  readonly configurations: readonly PlannedConfiguration[];
  readonly summary: {
    readonly blocking: number;
    readonly ready: number;
    readonly waiting: number;
    readonly byHand: number;
    readonly questions: number;
    readonly answered: number;
  };
}

export interface PlannedConfiguration {
  /** The main file; `.` for files that no configuration reads. */
  readonly root: string;
  readonly files: number;
  readonly questions: readonly Question[];
  readonly ready: readonly {
    readonly rule: string;
    readonly file: string;
    readonly line: number;
    readonly title: string;
    readonly restsOn: readonly string[];
  }[];
  readonly waiting: readonly {
    readonly rule: string;
    readonly file: string;
    readonly line: number;
    readonly title: string;
    readonly waitsFor: readonly string[];
  }[];
  readonly byHand: readonly {
    readonly rule: string;
    readonly file: string;
    readonly line: number;
    readonly what: string;
    /** Present if the line may be right as it is, so that you only check it. */
    readonly mayStay?: true;
  }[];
  readonly onServer: readonly {
    readonly id: string;
    readonly what: string;
    readonly because: readonly { readonly file: string; readonly line: number }[];
    /** Present if the item only informs, and there is nothing to do. */
    readonly isNote?: true;
  }[];
}

export interface Question {
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
  readonly question: string;
  readonly why: string;
  readonly findOut: string;
  readonly ifUnknown: string;
  readonly answers: readonly { readonly value: string; readonly label: string; readonly ready: number }[];
  readonly answer: string | null;
  readonly places: readonly { readonly file: string; readonly line: number }[];
}

/**
 * Finds what httpd 2.4 refuses, ignores or understands differently. Throws a TypeError if an option
 * or the files are invalid.
 */
export function check(files: Files, options: Options = {}): CheckedFile[] {
  const { namedFiles, settings, projectOfFiles } = projectOfTexts(files, options);
  return namedFiles.map((file) => {
    const { answerSet } = settings.engineOf(file.path);
    const json = findingToJson((openQuestion) => questionIdOrFallback(openQuestion, answerSet));
    const findings = [...projectOfFiles.findings(file)].map((finding): Finding => json(file.tree, finding));
    return { path: file.name, findings };
  });
}

/**
 * Applies all safe fixes, and with `unsafe` the suggestions, too. A safe fix does not change what
 * the server does.
 */
export function fix(files: Files, options: Options & { readonly unsafe?: boolean } = {}): Fixed {
  const { unsafe = false, ...keys } = options;
  const { namedFiles, projectOfFiles } = projectOfTexts(files, keys, { unsafe });
  const fixedTexts: Record<string, string> = {};
  const changed: string[] = [];
  let count = 0;
  for (const file of namedFiles) {
    const { text, appliedCount } = projectOfFiles.project.fixedFileResult(projectOfFiles.projectFileOf(file), {
      unsafe,
    });
    fixedTexts[file.name] = text;
    if (text === file.tree.text()) continue;
    changed.push(file.name);
    count += appliedCount;
  }
  return { files: fixedTexts, changed, fixes: count };
}

/** The upgrade plan: ready fixes, questions to answer, changes by hand, tasks on the server. */
export function plan(files: Files, options: Options = {}): Plan {
  const { namedFiles, projectOfFiles } = projectOfTexts(files, options);
  const names = new Map(namedFiles.map(({ path, name }) => [path, name]));
  const gatherer = new PlanGatherer({
    project: projectOfFiles.project,
    displayName: (file) => names.get(file) ?? file,
  });
  for (const file of namedFiles) runToEnd(gatherer.addFile({ ...projectOfFiles.projectFileOf(file), name: file.name }));
  return gatherer.finishPlan().plan;
}

/**
 * Explains a directive, a rule, a module, a status or a line of the error log, as Markdown; null if
 * it is unknown.
 */
export function explain(term: string): string | null {
  const rules = ALL_RULES.map((rule) => ({ id: rule.id, title: rule.title, page: () => rulePage(rule) }));
  const explanation = lookUp(term, { rules, steps: explainedSteps(), adviceFor: thirdPartyAdvice });
  return 'markdown' in explanation ? explanation.markdown : null;
}
