/**
 * The files of docs/rules, made from the rules. server/scripts/generate-rule-pages.mjs writes them;
 * a test fails if they are stale. Uses no file system.
 */
import { ALL_RULES } from '../all';
import { rulePage, severityAndFix } from './page';
import type { Rule } from '../rule';

/** Contents by path from the root of the repository. */
export function generatedFiles(): Record<string, string> {
  const files: Record<string, string> = { 'docs/rules/README.md': index(ALL_RULES) };
  for (const rule of ALL_RULES) files[`docs/rules/${rule.id}.md`] = rulePage(rule);
  return files;
}

// ---------------------------------------------------------------------------------------------------------------------

function index(rules: readonly Rule[]): string {
  const rows = rules.map((rule) => {
    const { severity, fix } = severityAndFix(rule);
    return `| [${rule.id}](${rule.id}.md) | ${cell(rule.title)} | ${severity} | ${fix} |`;
  });
  return [
    '# Rules',
    '',
    'The table lists what each rule finds, its severity, and its best fix. A `safe` fix does not change what the server does. For a `suggestion`, you decide.',
    '',
    '| Rule | Finds | Severity | Fix |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function cell(text: string): string {
  return text.replace(/\|/g, '\\|').replace(/[<>]/g, (bracket) => (bracket === '<' ? '&lt;' : '&gt;'));
}
