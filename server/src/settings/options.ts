/**
 * Converts settings to options of the command line and back, as `option` in the schema defines
 * them. cli/program.ts has the options whose values are more complex.
 */
import { shellWord } from '../syntax/shell-word';
import { SETTINGS, type Setting } from './schema';
import { fittingPart, quotedAlternatives, type SettingValues } from './values';

/** An option of the command line that sets a setting. */
export interface SettingOption extends NonNullable<Setting['option']> {
  readonly setting: Setting;
  /** The name on the command line: `--assume-standalone`. */
  readonly name: string;
  /** The key of the option's value in commander: `assumeStandalone`. */
  readonly key: string;
}

/** The options that set settings, in the order of the schema. */
export const SETTING_OPTIONS: readonly SettingOption[] = SETTINGS.flatMap((setting: Setting) => {
  if (!setting.option) return [];
  const [name = ''] = setting.option.flags.split(' ');
  return [{ ...setting.option, setting, name, key: camelCase(name.slice(2)) }];
});

/**
 * The settings that the options set; an error text if an option is invalid. `options`: the values
 * of the command's options, by `key`.
 */
export function settingsFromOptions(options: Readonly<Record<string, unknown>>): Partial<SettingValues> | string {
  const values: Record<string, unknown> = {};
  for (const { setting, name, key } of SETTING_OPTIONS) {
    const { manifest } = setting;
    const givenValue = options[key];
    if (givenValue === undefined) continue;
    const value = fittingPart(manifest.type === 'integer' ? wholeNumber(givenValue) : givenValue, manifest);
    if (value === undefined) return `${name} must be ${expectedText(setting)}, not "${String(givenValue)}"`;
    values[setting.name] = value;
  }
  return values;
}

/** The options that set these settings, as shell words. */
export function optionsFor(values: Partial<SettingValues>): string[] {
  return SETTING_OPTIONS.flatMap(({ setting, name }) => {
    const value = values[setting.name as keyof SettingValues];
    if (value === undefined || value === false) return [];
    return value === true ? [name] : [name, shellWord(String(value))];
  });
}

// ---------------------------------------------------------------------------------------------------------------------

/** What an option accepts, in words for a message. */
function expectedText({ manifest, project }: Setting): string {
  if (project?.expects) return project.expects;
  if (manifest.enum) return quotedAlternatives(manifest.enum);
  return manifest.minimum === undefined ? 'a whole number' : `a whole number from ${manifest.minimum}`;
}

/** The text as a number if it is a whole number; otherwise the text unchanged. */
function wholeNumber(text: unknown): unknown {
  return /^-?\d+$/.test(String(text)) ? Number(text) : text;
}

/** The name of an option as commander writes it: `serverRoot` for `server-root`. */
function camelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
