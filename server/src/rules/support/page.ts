/**
 * The page of a rule in Markdown, for docs/rules, the editor and `httpd-upgrade explain`. The
 * examples, the severity and the kind of fix are made from the rule. The other sections are written
 * by hand in docs/rules/ID.md, and `npm run generate` packs them into generated/pages.json.
 */
import { directive, module } from '../../directives';
import { lexLines, LineKind } from '../../syntax/line';
import { lazy } from '../../syntax/memory';
import { SEVERITY_OF, type Consequence, type Example, type Rule } from '../rule';
import { loadModuleOf } from './load-module';
import { withHiddenShown } from '../../syntax/hidden-text';

/** The sections of a page that are written by hand, in Markdown. */
export interface WrittenPage {
  /** What the rule finds, and what replaced it, in one or two sentences. */
  readonly what: string;
  /** What 2.4 does differently from 2.2, and why. */
  readonly why: string;
  /** The messages of httpd, and where they appear. */
  readonly httpd: string;
  readonly fixing: string;
  /** A source for each statement about httpd. */
  readonly sources: readonly string[];
}

export function writtenPage({ id }: Pick<Rule, 'id'>): WrittenPage {
  return pages()[id]!;
}

const pages = lazy(() => require('./generated/pages.json') as Readonly<Record<string, WrittenPage>>);

/** The headings of the written sections after the first one. */
export const SECTION_HEADINGS = {
  why: '## Why',
  httpd: '## Messages of httpd',
  fixing: '## The fix',
  sources: '## Sources',
} as const;

export function rulePage(rule: Rule, page = writtenPage(rule)): string {
  const blocks = [
    `# ${rule.id}`,
    `**${rule.title}**`,
    `${severityText(rule)} ${fixText(rule)}`,
    page.what,
    SECTION_HEADINGS.why,
    page.why,
    rule.examples.length === 1 ? '## Example' : '## Examples',
    ...rule.examples.flatMap((example) => exampleBlocks(rule, example)),
    SECTION_HEADINGS.httpd,
    page.httpd,
    SECTION_HEADINGS.fixing,
    page.fixing,
    '## Turn it off',
    silencingText(rule),
    SECTION_HEADINGS.sources,
    page.sources.map((source) => `- ${source}`).join('\n'),
    `Manual: <${rule.url}>`,
  ];
  return `${blocks.join('\n\n')}\n`;
}

/** The gravest severity of a rule and its kind of fix, for tables of rules. */
export function severityAndFix(rule: Rule): { severity: string; fix: string } {
  return { severity: SEVERITY_OF[rule.consequence], fix: rule.fix === 'none' ? '' : rule.fix };
}

// ---------------------------------------------------------------------------------------------------------------------

function severityText({ consequence, isAbout22 }: Rule): string {
  const severity = SEVERITY_OF[consequence];
  if (isAbout22) return 'Error: httpd 2.2 does not start.';
  return `${severity[0]!.toUpperCase()}${severity.slice(1)}: ${VERDICT_BY_CONSEQUENCE[consequence]}`;
}

const VERDICT_BY_CONSEQUENCE: Readonly<Record<Consequence, string>> = {
  'will not start': 'httpd 2.4 does not start; in a `.htaccess` file, requests get 500.',
  'requests get 500': 'requests get 500.',
  'access opens': 'httpd 2.4 allows requests that httpd 2.2 denied.',
  'may not start': 'httpd 2.4 may not start. The files alone do not show this.',
  'requests may get 500': 'requests may get 500. The files alone do not show this.',
  ignored: 'httpd 2.4 starts, and ignores these lines.',
  'meaning changed': 'httpd 2.4 starts, but these lines work differently than in 2.2.',
  'probably a mistake': 'httpd accepts these lines, but they probably do not do what you want.',
  renamed: 'the directive was renamed; the old name still works.',
  deprecated: 'these lines still work in httpd 2.4, but there is a better way.',
  'check before the upgrade':
    'check these lines before the upgrade: the files alone do not tell whether there is a problem.',
  'check after the upgrade': 'check these settings when you upgrade.',
  'no effect': 'these lines have no effect in 2.2 and 2.4.',
};

function fixText({ fix }: Rule): string {
  const meaning = {
    safe: 'There are safe fixes: they do not change what the server does.',
    suggestion: 'The fixes are suggestions: you decide.',
    none: 'There is no automatic fix.',
  };
  return meaning[fix];
}

function exampleBlocks(rule: Rule, example: Example): string[] {
  const { title, before, after, file, files } = example;
  const fileNote = file === undefined ? '' : ` (\`${file}\`)`;
  const otherFiles = Object.entries(files ?? {}).flatMap(([path, text]) => [`\`${path}\`:`, codeBlock(text)]);
  const blocks = [`### ${title}${fileNote}`, ...otherFiles, `${labelOfExample(rule, example)}:`, codeBlock(before)];
  if (after === undefined) return blocks;
  return [
    ...blocks,
    'After the fix (httpd 2.4):',
    after === '' ? 'The fix removes all of these lines.' : codeBlock(after),
  ];
}

/** The text above the lines of an example, with the version that the lines are for. */
function labelOfExample(rule: Rule, example: Example): string {
  const version = versionOfExample(rule, example);
  if (version === null) return example.after === undefined ? 'Lines with the problem' : 'Before';
  return example.after === undefined ? VERSION_LABELS[version] : `Before (${VERSION_LABELS[version]})`;
}

/**
 * The version that `before` is written for. `either`: 2.2 and 2.4 accept these lines, which do the
 * same in both. Returns null if both versions refuse these lines, or if these have the same problem
 * in both.
 */
export function versionOfExample(rule: Rule, { before, finds }: Example): keyof typeof VERSION_LABELS | null {
  const versionFromNames = versionByNames(before);
  if (versionFromNames !== null) return versionFromNames;
  if (finds.length === 0 || CONSEQUENCES_IF_BOTH_ACCEPT.has(rule.consequence)) return 'either';
  if (RULES_WITH_PROBLEM_IN_22.has(rule.id)) return null;
  const isMild = SEVERITY_OF[rule.consequence] === 'info' || SEVERITY_OF[rule.consequence] === 'hint';
  const isAboutChange = rule.since !== undefined || rule.comparesVersions === true || RULES_ABOUT_CHANGES.has(rule.id);
  return isMild && !isAboutChange ? 'either' : 'old';
}

/** The consequences of lines that both versions accept and that do the same in both. */
const CONSEQUENCES_IF_BOTH_ACCEPT: ReadonlySet<Consequence> = new Set<Consequence>([
  'probably a mistake',
  'renamed',
  'deprecated',
  'no effect',
]);

/** Rules that ask for a check because of a change from 2.2. Their pages say what changed. */
const RULES_ABOUT_CHANGES: ReadonlySet<string> = new Set(['changed-defaults', 'rewrite-alias']);

/** Rules whose problem also exists in 2.2, for some or all of their examples. */
const RULES_WITH_PROBLEM_IN_22: ReadonlySet<string> = new Set([
  'alias-overlap',
  'byte-order-mark',
  'directive-not-allowed-here',
  'invalid-value',
  'listen-missing',
  'listen-overlap',
  'listen-twice',
  'load-module-file',
  'load-module-twice',
  'module-order',
  'mpm-limits',
  'path-missing',
  'removed-directive',
  'rewrite-error',
  'section-unpaired',
  'ssl-certificate-missing',
  'unknown-directive',
  'wrong-arguments',
]);

/**
 * `new` if 2.2 lacks a directive or a module of the text; `old` if 2.4 lacks a directive of it;
 * otherwise null.
 */
function versionByNames(text: string): 'old' | 'new' | null {
  let hasOldName = false;
  for (const line of lexLines(text)) {
    if (line.kind !== LineKind.Directive && line.kind !== LineKind.Open) continue;
    const facts = directive(line.name, { section: line.kind === LineKind.Open });
    if (facts?.['2.4'] && !facts['2.2']) return 'new';
    if (/^\s*Require\s+(not|all|ip|host|env|expr|local|method|ssl|dbm-\S+)\b/i.test(line.text)) return 'new';
    if (line.name === 'loadmodule' && isNewModule(loadModuleOf(line)?.identifier.value)) return 'new';
    hasOldName ||= facts?.['2.2'] !== undefined && (facts['2.4'] === undefined || OLD_ACCESS_NAMES.has(line.name));
  }
  return hasOldName ? 'old' : null;
}

/** Whether no LoadModule line of 2.2 can name the module. 2.2 has its MPM compiled in. */
function isNewModule(identifier = ''): boolean {
  const facts = module(identifier);
  return facts?.['2.4'] !== undefined && (facts['2.2'] === undefined || facts['2.2'].status === 'MPM');
}

/** Directives of 2.2 that 2.4 has only with mod_access_compat. */
const OLD_ACCESS_NAMES: ReadonlySet<string> = new Set(['order', 'allow', 'deny', 'satisfy']);

const VERSION_LABELS = { old: 'httpd 2.2', new: 'httpd 2.4', either: 'httpd 2.2 or 2.4' } as const;

/** A code block. Its fence is longer than any run of backticks in the text. */
function codeBlock(text: string): string {
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return `${fence}apacheconf\n${withHiddenShown(text).replace(/\n$/, '')}\n${fence}`;
}

function silencingText({ id }: Rule): string {
  return (
    `In one place, with a comment above the line or the section:\n\n${codeBlock(`# httpd-upgrade-ignore ${id}: reason\n`)}\n\n` +
    `Everywhere, with the setting \`"httpdUpgrade.severity": { "${id}": "off" }\`.`
  );
}
