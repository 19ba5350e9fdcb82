/** Settings as options of the command line: what `option` of the schema says, read and written. cli/program.ts has the options that say more than one word. */
import { shellWord } from '../syntax/shell-word';
import { SETTINGS, type Setting } from './schema';
import { fitting, oneOf, type SettingValues } from './values';

export interface SettingOption extends NonNullable<Setting['option']> {
  readonly setting: Setting;
  /** As the command line names it: `--assume-standalone`. */
  readonly name: string;
  /** As commander names its value: `assumeStandalone`. */
  readonly key: string;
}

/** In the order of the schema. */
export const SETTING_OPTIONS: readonly SettingOption[] = SETTINGS.flatMap((setting: Setting) => {
  if (!setting.option) return [];
  const [name = ''] = setting.option.flags.split(' ');
  return [{ ...setting.option, setting, name, key: camelCase(name.slice(2)) }];
});

/** What the options say; as text what is wrong with one of them. `given`: the values of the command's options, by `key`. */
export function settingsGiven(given: Readonly<Record<string, unknown>>): Partial<SettingValues> | string {
  const values: Record<string, unknown> = {};
  for (const { setting, name, key } of SETTING_OPTIONS) {
    const { manifest } = setting;
    const said = given[key];
    if (said === undefined) continue;
    const value = fitting(manifest.type === 'integer' ? wholeNumber(said) : said, manifest);
    if (value === undefined) return `${name} must be ${expected(setting)}, not "${String(said)}"`;
    values[setting.name] = value;
  }
  return values;
}

/** The options that say the same again, for a shell. */
export function optionsFor(values: Partial<SettingValues>): string[] {
  return SETTING_OPTIONS.flatMap(({ setting, name }) => {
    const value = values[setting.name as keyof SettingValues];
    if (value === undefined || value === false) return [];
    return value === true ? [name] : [name, shellWord(String(value))];
  });
}

// ---------------------------------------------------------------------------------------------------------------------

function expected({ manifest, project }: Setting): string {
  if (project?.expects) return project.expects;
  if (manifest.enum) return oneOf(manifest.enum);
  return manifest.minimum === undefined ? 'a whole number' : `a whole number from ${manifest.minimum}`;
}

function wholeNumber(said: unknown): unknown {
  return /^-?\d+$/.test(String(said)) ? Number(said) : said;
}

function camelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
