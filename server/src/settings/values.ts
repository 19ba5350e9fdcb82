/** Reads an editor's settings with the schema. */
import { SETTINGS, type ValueSchema } from './schema';

/** The type of the values that a schema accepts. */
type ValueOf<V> = V extends { readonly orPattern: string }
  ? string
  : V extends { readonly enum: readonly (infer Word)[] }
    ? Word
    : V extends { readonly type: 'boolean' }
      ? boolean
      : V extends { readonly type: 'integer' }
        ? number
        : V extends { readonly items: infer Item }
          ? readonly ValueOf<Item>[]
          : V extends { readonly additionalProperties: infer Property }
            ? Readonly<Record<string, ValueOf<Property>>>
            : string;

/** The value of each setting, by its name without `httpdUpgrade.`. */
export type SettingValues = {
  readonly [S in (typeof SETTINGS)[number] as S['name']]: ValueOf<S['manifest']>;
};

/**
 * Maximum number of entries of a list or an object in an editor's settings, by the name of the
 * setting.
 */
const MAX_ENTRIES_BY_SETTING: Readonly<Record<string, number>> = { roots: 100, builtinModules: 1000, pathMap: 1000 };
const MAX_ENTRIES_OF_OTHER_SETTINGS = 30_000;

/** Maximum number of characters of a text. Linux allows no longer path (PATH_MAX). */
export const MAX_TEXT_LENGTH = 4096;

/** Maximum number of characters of a value that a message quotes. */
const MAX_QUOTED_LENGTH = 200;

/** The beginning of a text, short enough for a message. */
export function quotedPart(text: string): string {
  return text.length <= MAX_QUOTED_LENGTH ? text : `${text.slice(0, MAX_QUOTED_LENGTH - 1)}…`;
}

/**
 * The values of all settings. `settings` is the client's `httpdUpgrade` object; any part may be
 * missing or have a wrong type. Invalid values are ignored and passed to `reportProblem`; of lists
 * and objects, the valid parts are used. `projectValues`, from the project file, take precedence.
 */
export function settingValues(
  settings: Readonly<Record<string, unknown>>,
  projectValues: Partial<SettingValues> = {},
  reportProblem: (problem: string) => void = () => {},
): SettingValues {
  const values = SETTINGS.map(({ name, manifest }) => {
    const givenValue = name
      .split('.')
      .reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), settings);
    const maxEntries = MAX_ENTRIES_BY_SETTING[name] ?? MAX_ENTRIES_OF_OTHER_SETTINGS;
    const limitedValue = firstEntries(givenValue, maxEntries);
    if (limitedValue !== givenValue)
      reportProblem(`httpdUpgrade.${name} has more than ${maxEntries} entries. The others are not used: remove them.`);
    const fittingValue =
      limitedValue === undefined || limitedValue === null ? undefined : fittingPart(limitedValue, manifest);
    if (fittingValue === undefined && givenValue !== undefined && givenValue !== null)
      reportProblem(
        `httpdUpgrade.${name} is ${quotedPart(JSON.stringify(limitedValue))}. It must be ${manifest.type === 'string' && isTooLong(limitedValue) ? `at most ${MAX_TEXT_LENGTH} characters long.` : expectedText(manifest)} The default counts: ${JSON.stringify(manifest.default)}.`,
      );
    return [name, fittingValue ?? manifest.default];
  });
  return { ...(Object.fromEntries(values) as SettingValues), ...projectValues };
}

/**
 * The value without the parts that do not fit the schema (of lists and objects, the valid parts
 * stay); undefined if nothing fits.
 */
export function fittingPart(value: unknown, schema: ValueSchema): unknown {
  switch (schema.type) {
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'integer':
      return typeof value === 'number' && value >= (schema.minimum ?? -Infinity) ? Math.floor(value) : undefined;
    case 'string':
      return typeof value === 'string' &&
        !isTooLong(value) &&
        (schema.enum === undefined || schema.enum.includes(value) || matchesPattern(schema.orPattern, value)) &&
        (schema.pattern === undefined || new RegExp(schema.pattern).test(value))
        ? value
        : undefined;
    case 'array':
      return Array.isArray(value)
        ? value.filter((item) => item !== '' && fittingPart(item, schema.items!) !== undefined)
        : undefined;
    case 'object':
      return isObject(value)
        ? Object.fromEntries(
            Object.entries(value).filter(([, each]) => fittingPart(each, schema.additionalProperties!) !== undefined),
          )
        : undefined;
  }
}

function matchesPattern(pattern: string | undefined, value: string): boolean {
  return pattern !== undefined && new RegExp(pattern).test(value);
}

/** Whether a value is an object, and no list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Quoted words: `"a", "b" or "c"`. */
export function quotedAlternatives(words: readonly string[]): string {
  const quotedWords = words.map((word) => `"${word}"`);
  return `${quotedWords.slice(0, -1).join(', ')} or ${quotedWords.at(-1)}`;
}

// ---------------------------------------------------------------------------------------------------------------------

function isTooLong(value: unknown): boolean {
  return typeof value === 'string' && value.length > MAX_TEXT_LENGTH;
}

/**
 * Returns a list or an object with its first `maxEntries` entries. Returns any other value
 * unchanged.
 */
function firstEntries(value: unknown, maxEntries: number): unknown {
  if (Array.isArray(value)) return value.length > maxEntries ? value.slice(0, maxEntries) : value;
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  return entries.length > maxEntries ? Object.fromEntries(entries.slice(0, maxEntries)) : value;
}

/** What values the schema allows, as the end of a sentence. */
function expectedText(schema: ValueSchema & { readonly patternErrorMessage?: string }): string {
  if (schema.enum) return `${quotedAlternatives(schema.enum)}.`;
  if (schema.patternErrorMessage) return schema.patternErrorMessage;
  if (schema.type === 'boolean') return 'true or false.';
  if (schema.type === 'integer')
    return schema.minimum === undefined ? 'a whole number.' : `a whole number from ${schema.minimum}.`;
  return schema.type === 'string' ? 'text.' : schema.type === 'array' ? 'a list.' : 'an object.';
}
