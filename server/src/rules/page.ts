/**
 * A rule's page in Markdown: for docs/rules, for the editor, for `httpd-upgrade explain`. Everything on it comes from the
 * rule itself, so the page of a rule cannot say something else than its code and tests do.
 */
import type { Example, Rule } from './rule';

export function rulePage(rule: Rule): string {
  const { page } = rule;
  const blocks = [
    `# ${rule.id}`,
    `**${rule.title}**`,
    `${severityText(rule)} ${fixText(rule)}`,
    page.what,
    '## Why',
    page.why,
    rule.examples.length === 1 ? '## Example' : '## Examples',
    ...rule.examples.flatMap(exampleBlocks),
    '## What httpd says',
    page.httpd,
    '## The fix',
    page.fixing,
    '## To silence it',
    silencing(rule),
    '## Sources',
    page.sources.map((source) => `- ${source}`).join('\n'),
    `Manual: <${rule.url}>`,
  ];
  return `${blocks.join('\n\n')}\n`;
}

/** What the rule reports at most, and what it does about it: for tables. */
export function severityAndFix(rule: Rule): { severity: string; fix: string } {
  return { severity: rule.severity, fix: rule.fix === 'none' ? '' : rule.fix };
}

// ---------------------------------------------------------------------------------------------------------------------

function severityText({ severity }: Rule): string {
  const meaning = {
    error: 'Error: httpd 2.4 does not start with it, or answers 500.',
    warning: 'Warning: httpd 2.4 starts, and does something else or ignores what is written.',
    info: 'Info: it still works, under an old name.',
    hint: 'Hint: a default has changed that the configuration relies on.',
  };
  return meaning[severity];
}

function fixText({ fix }: Rule): string {
  const meaning = {
    safe: 'Fixed safely where the fix provably keeps what the server does.',
    suggestion: 'Has suggestions, which need a person to decide.',
    none: 'Has no fix.',
  };
  return meaning[fix];
}

function exampleBlocks({ title, before, after, file, files }: Example): string[] {
  const place = file === undefined ? '' : ` (\`${file}\`)`;
  const others = Object.entries(files ?? {}).flatMap(([path, text]) => [`\`${path}\`:`, code(text)]);
  const blocks = [`### ${title}${place}`, ...others, 'httpd 2.2:', code(before)];
  if (after === undefined) return blocks;
  return [...blocks, 'httpd 2.4:', after === '' ? 'Nothing: the line is gone.' : code(after)];
}

/** The fence is longer than any in the text. */
function code(text: string): string {
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return `${fence}apacheconf\n${text.replace(/\n$/, '')}\n${fence}`;
}

function silencing({ id }: Rule): string {
  return (
    `One place, by a comment above the line or the section:\n\n${code(`# httpd-upgrade-ignore ${id}: reason\n`)}\n\n` +
    `Everywhere, by the setting \`"httpdUpgrade.severity": { "${id}": "off" }\`.`
  );
}
