/**
 * The files that follow from the rules, as they should be: docs/rules. Written by server/scripts/generate-rule-pages.mjs; a test fails when they are stale. Knows no file system.
 */
import { ALL_RULES } from '../all';
import { rulePage, severityAndFix } from './page';
import type { Rule } from '../rule';

/** Paths from the project's root, and contents. */
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
