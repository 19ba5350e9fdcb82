/**
 * Makes the files of docs/rules, and takes the hand-written sections from the pages of rules for
 * the program. server/scripts/generate-rule-pages.mjs writes the results; a test fails if they are
 * stale. This file uses no file system: callers pass the current contents in.
 */
import { ALL_RULES } from '../all';
import { SECTION_HEADINGS, rulePage, severityAndFix, type WrittenPage } from './page';
import type { Rule } from '../rule';

/**
 * The contents of the files by their path from the root of the repository. `read` returns the
 * current content of a file.
 */
export function generatedFiles(read: (file: string) => string): Record<string, string> {
  const pages: Record<string, WrittenPage> = {};
  const files: Record<string, string> = { 'docs/rules/README.md': indexPage(ALL_RULES) };
  for (const rule of ALL_RULES) {
    const file = `docs/rules/${rule.id}.md`;
    const page = (pages[rule.id] = writtenPageOf(read(file)));
    files[file] = rulePage(rule, page);
  }
  return { ...files, 'server/src/rules/support/generated/pages.json': `${JSON.stringify(pages)}\n` };
}

// ---------------------------------------------------------------------------------------------------------------------

/** The sections of a page that are written by hand; '' for a section that is missing. */
function writtenPageOf(markdown: string): WrittenPage {
  const [headText = '', ...sectionTexts] = markdown.split(SECTION_HEADING);
  const sectionText = (heading: string) => sectionTexts[sectionTexts.indexOf(heading) + 1]?.trim() ?? '';
  // The paragraphs before this text are the id, the title and the severity.
  const what = headText.trim().split('\n\n').slice(3).join('\n\n');
  const sources = [...sectionText(SECTION_HEADINGS.sources).matchAll(/^- (.*)$/gm)].map(([, source]) => source!);
  return {
    what,
    why: sectionText(SECTION_HEADINGS.why),
    httpd: sectionText(SECTION_HEADINGS.httpd),
    fixing: sectionText(SECTION_HEADINGS.fixing),
    sources,
  };
}

/**
 * The headings of all sections. The pattern lists them, because a line of an example may also begin
 * with `##`.
 */
const SECTION_HEADING = /^(## (?:Why|Examples?|Messages of httpd|The fix|Turn it off|Sources))$/m;

function indexPage(rules: readonly Rule[]): string {
  const tableRows = rules.map((rule) => {
    const { severity, fix } = severityAndFix(rule);
    return `| [${rule.id}](${rule.id}.md) | ${tableCell(rule.title)} | ${severity} | ${fix} |`;
  });
  return [
    '# Rules',
    '',
    'The table lists what each rule finds, its severity, and its best fix. A `safe` fix does not change what the server does. For a `suggestion`, you decide.',
    '',
    '| Rule | Finds | Severity | Fix |',
    '|---|---|---|---|',
    ...tableRows,
    '',
  ].join('\n');
}

function tableCell(text: string): string {
  return text.replace(/\|/g, '\\|').replace(/[<>]/g, (bracket) => (bracket === '<' ? '&lt;' : '&gt;'));
}
