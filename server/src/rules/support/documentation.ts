/**
 * The files that follow from the rules, as they should be: docs/rules, the severities in the settings, and the schema of
 * .httpd-upgrade.json, by which an editor completes it. Written by
 * server/scripts/generate-rule-pages.mjs; a test fails when they are stale. Knows no file system: what is there is handed in.
 */
import { ALL_RULES } from '../all';
import { DISTRIBUTIONS, PROFILES } from '../../config/distribution';
import { rulePage, severityAndFix } from './page';
import { SEVERITIES, SEVERITY_OF, type Rule } from '../rule';

/** Paths from the project's root, and contents. `read` gives what is there now, '' for nothing. */
export function generatedFiles(read: (file: string) => string, answers: object): Record<string, string> {
  const files: Record<string, string> = { 'docs/rules/README.md': index(ALL_RULES) };
  for (const rule of ALL_RULES) files[`docs/rules/${rule.id}.md`] = rulePage(rule);
  files['syntaxes/httpd-upgrade.schema.json'] = projectSchema(ALL_RULES, answers);
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

/** The manifest with a property for each rule's severity; everything else in it stays as it is. */
function withSeverities(manifest: string, rules: readonly Rule[]): string {
  const parsed = JSON.parse(manifest);
  const setting = configurations(parsed).find((properties) => 'httpdUpgrade.severity' in properties)?.[
    'httpdUpgrade.severity'
  ] as Setting | undefined;
  if (!setting) return manifest;
  setting.properties = severityProperties(rules);
  const indent = /^(\s+)"/m.exec(manifest)?.[1]!.replace(/\n/g, '') ?? '  ';
  return `${JSON.stringify(parsed, null, indent)}${manifest.endsWith('\n') ? '\n' : ''}`;
}

function severityProperties(rules: readonly Rule[]): Record<string, unknown> {
  return Object.fromEntries(
    rules.map((rule) => [
      rule.id,
      { type: 'string', enum: LEVELS, default: SEVERITY_OF[rule.consequence], description: rule.title },
    ]),
  );
}

const LEVELS = ['off', ...[...SEVERITIES].reverse()];

/** What settings/project-file.ts reads; a test holds the two together. */
function projectSchema(rules: readonly Rule[], answers: object): string {
  const path = { type: 'string', pattern: '^/', patternErrorMessage: 'An absolute path, as the server sees it.' };
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Settings of httpd-upgrade for everybody who works on this configuration',
    type: 'object',
    additionalProperties: false,
    properties: {
      $schema: { type: 'string' },
      target: {
        description:
          'The version of httpd that the configuration must run on: 2.4 for the newest, or a release such as 2.4.6.',
        type: 'string',
        pattern: '^2\\.4(\\.\\d{1,3})?$',
        patternErrorMessage: '2.4, or 2.4 with a number, for example 2.4.6.',
        default: '2.4',
      },
      distribution: {
        description: 'Who built the server. This decides which modules are compiled in, and how LoadModule lines look.',
        type: 'string',
        enum: ['auto', ...DISTRIBUTIONS],
        default: 'auto',
        enumDescriptions: [
          'Found by the paths in the configuration',
          ...DISTRIBUTIONS.map((name) => PROFILES[name].title),
        ],
      },
      severity: {
        description: 'The severity of each rule, by the name of the rule.',
        type: 'object',
        additionalProperties: false,
        properties: severityProperties(rules),
      },
      assumeStandalone: {
        description: 'No file outside of these restricts access. Fixes that depend only on this are then safe.',
        type: 'boolean',
        default: false,
      },
      source: {
        description: 'The server whose access control the fixes keep.',
        type: 'string',
        enum: ['2.2', '2.4'],
        default: '2.2',
        enumDescriptions: ['httpd 2.2', 'httpd 2.4 with mod_access_compat'],
      },
      serverRoot: {
        description:
          'The directory on the server where relative paths of the configuration start, even if the files are somewhere else on this machine.',
        ...path,
      },
      defines: {
        description: 'Names that the server starts with (-D), or names with their values.',
        oneOf: [
          { type: 'array', items: { type: 'string' } },
          { type: 'object', additionalProperties: { type: 'string' } },
        ],
      },
      builtinModules: {
        description:
          'Modules that are compiled into the server, as httpd -l lists them. Without this, the distribution decides.',
        type: 'array',
        items: { type: 'string' },
      },
      answers,
      pathMap: {
        description:
          'Directories of the server, and their places on this machine: absolute paths, or paths relative to the directory of this file.',
        type: 'object',
        propertyNames: { pattern: '^/' },
        additionalProperties: { type: 'string' },
      },
    },
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

interface Setting {
  properties: Record<string, unknown>;
}

/** `contributes.configuration` is one object, or one for each page of the settings. */
function configurations(manifest: { contributes?: { configuration?: unknown } }): Record<string, unknown>[] {
  const all = [manifest.contributes?.configuration ?? []].flat() as { properties?: Record<string, unknown> }[];
  return all.map(({ properties }) => properties ?? {});
}
