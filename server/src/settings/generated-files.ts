/**
 * The files that are generated from the settings:
 * - `contributes.configuration` of the manifest, and its texts in package.nls.json
 * - the table of docs/settings.md
 * - the schema of .httpd-upgrade.json, which editors use for completion
 *
 * Does not read files: current contents are passed in.
 */
import { answersSchema } from '../analysis/answers';
import { ALL_RULES } from '../rules/all';
import { SEVERITY_OF } from '../rules/rule';
import { SETTING_GROUPS, SEVERITY_LEVELS, SETTINGS, type Setting } from './schema';

/** Contents by path from the root of the project. `read` returns the current content of a file. */
export function settingsFiles(read: (file: string) => string): Record<string, string> {
  const settingTexts: Record<string, string> = {};
  return {
    'package.json': withSettings(read('package.json'), settingTexts),
    'package.nls.json': nlsWithTexts(read('package.nls.json'), settingTexts),
    'docs/settings.md': withSettingsTable(read('docs/settings.md')),
    'syntaxes/httpd-upgrade.schema.json': projectSchema(),
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** Settings as package.json describes them, by name. */
type Properties = Record<string, Readonly<Record<string, unknown>>>;

const ALL_SETTINGS: readonly Setting[] = SETTINGS;

/** The keys in package.nls.json that this file generates begin with this text. */
const TEXT_KEY_PREFIX = 'setting.';
/** The parts of a setting that an editor shows. */
const SHOWN_KEYS = ['markdownDescription', 'description', 'enumDescriptions', 'patternErrorMessage'];

/**
 * The manifest with the settings in groups, and with keys in place of their texts. Puts the texts
 * into `texts`, by their keys.
 */
function withSettings(manifest: string, texts: Record<string, string>): string {
  const parsedManifest = JSON.parse(manifest) as { contributes: { configuration: object[] } };
  const settingsInOrder = [...ALL_SETTINGS].sort((a, b) => a.manifest.order - b.manifest.order);
  parsedManifest.contributes.configuration = Object.entries(SETTING_GROUPS).map(([group, title], index) => ({
    title: referenceTo(`group.${group}`, title, texts),
    order: index + 1,
    properties: Object.fromEntries(
      settingsInOrder
        .filter((setting) => setting.group === group)
        .map(({ name, manifest: entry }) => [
          `httpdUpgrade.${name}`,
          name === 'severity'
            ? {
                ...withTextKeys(name, entry, texts),
                properties: withTextKeys(`${name}.rules`, ruleProperties(), texts),
              }
            : withTextKeys(name, entry, texts),
        ]),
    ),
  }));
  return `${JSON.stringify(parsedManifest, null, 2)}\n`;
}

/**
 * A value of the manifest with keys in place of the texts that an editor shows. `name`: the
 * beginning of these keys.
 */
function withTextKeys(name: string, value: object, texts: Record<string, string>): object {
  return Object.fromEntries(
    Object.entries(value).map(([part, each]: [string, unknown]) => {
      if (SHOWN_KEYS.includes(part)) {
        const textKey = `${name}.${part}`;
        return [
          part,
          Array.isArray(each)
            ? each.map((text: string, index) => referenceTo(`${textKey}.${index}`, text, texts))
            : referenceTo(textKey, each as string, texts),
        ];
      }
      const isRule = typeof each === 'object' && each !== null && 'description' in each;
      return [part, isRule ? withTextKeys(`${name}.${part}`, each, texts) : each];
    }),
  );
}

/** Puts a text into `texts` and returns the reference to it, as the manifest writes it: `%key%`. */
function referenceTo(name: string, text: string, texts: Record<string, string>): string {
  const textKey = `${TEXT_KEY_PREFIX}${name}`;
  texts[textKey] = text;
  return `%${textKey}%`;
}

/** package.nls.json with the texts of the settings. Its other texts stay. */
function nlsWithTexts(nls: string, texts: Record<string, string>): string {
  const otherTexts = Object.entries(JSON.parse(nls) as object).filter(([key]) => !key.startsWith(TEXT_KEY_PREFIX));
  return `${JSON.stringify({ ...Object.fromEntries(otherTexts), ...texts }, null, 2)}\n`;
}

/** The schema of the severities of the rules. */
function ruleProperties(): Properties {
  return Object.fromEntries(
    ALL_RULES.map(({ id, consequence, title }) => [
      id,
      { type: 'string', enum: SEVERITY_LEVELS, default: SEVERITY_OF[consequence], description: title },
    ]),
  );
}

/** The schema of what settings/project-file.ts reads. */
function projectSchema(): string {
  const settings = ALL_SETTINGS.flatMap(({ name, manifest, project }) => {
    if (!project) return [];
    const { order: _, scope: __, markdownDescription: ___, ...schemaOfValue } = manifest;
    const schema =
      name === 'severity'
        ? { type: 'object', additionalProperties: false, properties: ruleProperties() }
        : (project.schema ?? schemaOfValue);
    return [[project.key, { description: project.description, ...schema }] as const];
  });
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Settings of httpd-upgrade for everybody who works on this configuration',
    type: 'object',
    additionalProperties: false,
    properties: {
      $schema: { type: 'string' },
      ...Object.fromEntries(settings),
      answers: answersSchema(),
      unused: {
        description:
          'Files and directories below that of this file that the server does not use. "fix" changes them with --dormant only.',
        type: 'array',
        items: { type: 'string' },
      },
    },
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

const TABLE_HEAD = '| setting | default | |\n|---|---|---|\n';

/** docs/settings.md with a new table. Unchanged if it has no table. */
function withSettingsTable(page: string): string {
  const tableStart = page.indexOf(TABLE_HEAD);
  if (tableStart < 0) return page;
  const rows = ALL_SETTINGS.flatMap((setting) =>
    typeof setting.tableText === 'string' ? [tableRow(setting, setting.tableText)] : [],
  );
  const tableEnd = page.indexOf('\n\n', tableStart);
  return page.slice(0, tableStart) + TABLE_HEAD + rows.join('\n') + page.slice(tableEnd);
}

/**
 * The row of a setting in the table of the documentation, with the settings that share its text.
 */
function tableRow({ name, manifest }: Setting, text: string): string {
  const joinedSettings = ALL_SETTINGS.filter(
    ({ tableText }) => typeof tableText === 'object' && tableText.joins === name,
  );
  const names = [name, ...joinedSettings.map((each) => each.name)].map((each) => `\`httpdUpgrade.${each}\``).join(', ');
  return `| ${names} |${joinedSettings.length > 0 ? '' : textOfDefault(manifest.default)} | ${text} |`;
}

function textOfDefault(value: unknown): string {
  return value === '' ? '' : ` \`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}
