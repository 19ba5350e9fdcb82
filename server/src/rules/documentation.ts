/**
 * The files that follow from the rules, as they should be: docs/rules, and the severities in the settings. Written by
 * server/scripts/generate-rule-pages.mjs; a test fails when they are stale. Knows no file system: what is there is handed in.
 */
import { ALL_RULES } from './all';
import { rulePage, severityAndFix } from './page';
import { SEVERITIES, type Rule } from './rule';

/** Paths from the project's root, and contents. `read` gives what is there now, '' for nothing. */
export function generatedFiles(read: (file: string) => string): Record<string, string> {
  const files: Record<string, string> = { 'docs/rules/README.md': index(ALL_RULES) };
  for (const rule of ALL_RULES) files[`docs/rules/${rule.id}.md`] = rulePage(rule);
  files['package.json'] = withSeverities(read('package.json'), ALL_RULES);
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
    'What is found, how severe it is at most, and what the best fix is: `safe` provably keeps what the server does, a `suggestion` needs a person to decide.',
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

/** The manifest with a property for each rule's severity; everything else in it stays as it is. */
function withSeverities(manifest: string, rules: readonly Rule[]): string {
  const parsed = JSON.parse(manifest);
  const setting = configurations(parsed).find((properties) => 'httpdUpgrade.severity' in properties)?.['httpdUpgrade.severity'] as Setting | undefined;
  if (!setting) return manifest;
  setting.properties = Object.fromEntries(
    rules.map((rule) => [rule.id, { type: 'string', enum: ['off', ...[...SEVERITIES].reverse()], default: rule.severity, description: rule.title }]),
  );
  const indent = /^(\s+)"/m.exec(manifest)?.[1].replace(/\n/g, '') ?? '  ';
  return `${JSON.stringify(parsed, null, indent)}${manifest.endsWith('\n') ? '\n' : ''}`;
}

interface Setting {
  properties: Record<string, unknown>;
}

/** `contributes.configuration` is one object, or one for each page of the settings. */
function configurations(manifest: { contributes?: { configuration?: unknown } }): Record<string, unknown>[] {
  const all = [manifest.contributes?.configuration ?? []].flat() as { properties?: Record<string, unknown> }[];
  return all.map(({ properties }) => properties ?? {});
}
