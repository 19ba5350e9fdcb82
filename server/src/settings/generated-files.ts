/** What follows from the settings, as it should be: the manifest's `contributes.configuration`, and the README's table. Knows no file system: what is there is handed in. */
import { SETTINGS, type Setting } from './schema';

/** Paths from the project's root, and contents. `read` gives what is there now; of the manifest's setting of severities the rules write the properties. */
export function settingsFiles(read: (file: string) => string): Record<string, string> {
  return { 'package.json': withSettings(read('package.json')), 'README.md': withTable(read('README.md')) };
}

// ---------------------------------------------------------------------------------------------------------------------

type Properties = Record<string, Readonly<Record<string, unknown>>>;

function withSettings(manifest: string): string {
  const parsed = JSON.parse(manifest) as { contributes: { configuration: { properties: Properties } } };
  const { configuration } = parsed.contributes;
  const byOrder = [...SETTINGS].sort((a, b) => a.manifest.order - b.manifest.order);
  configuration.properties = Object.fromEntries(
    byOrder.map(({ name, manifest }): [string, Properties[string]] => {
      const { properties } = configuration.properties[`httpdUpgrade.${name}`] ?? {};
      return [`httpdUpgrade.${name}`, properties === undefined ? manifest : { ...manifest, properties }];
    }),
  );
  return `${JSON.stringify(parsed, null, 2)}\n`;
}

const HEAD = '| setting | default | |\n|---|---|---|\n';

function withTable(readme: string): string {
  const start = readme.indexOf(HEAD);
  if (start < 0) return readme;
  const rows = SETTINGS.flatMap((setting) =>
    typeof setting.readme === 'string' ? [row(setting, setting.readme)] : [],
  );
  const end = readme.indexOf('\n\n', start);
  return readme.slice(0, start) + HEAD + rows.join('\n') + readme.slice(end);
}

function row({ name, manifest }: Setting, text: string): string {
  const joined = SETTINGS.filter(({ readme }) => typeof readme === 'object' && readme.joins === name);
  const names = [name, ...joined.map((each) => each.name)].map((each) => `\`httpdUpgrade.${each}\``).join(', ');
  return `| ${names} |${joined.length > 0 ? '' : defaultText(manifest.default)} | ${text} |`;
}

function defaultText(value: unknown): string {
  return value === '' ? '' : ` \`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}
