/** Reads an editor's settings with the schema. */
import { SETTINGS, type ValueSchema } from './schema';

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
 * The values of all settings. `settings` is the client's `httpdUpgrade` object; any part may be
 * missing or of another type. Invalid values are ignored and reported to `note`; of lists and
 * objects, the valid parts are used. `shared`, the settings of a team, takes precedence.
 */
export function settingValues(
  settings: Readonly<Record<string, unknown>>,
  shared: Partial<SettingValues> = {},
  note: (problem: string) => void = () => {},
): SettingValues {
  const values = SETTINGS.map(({ name, manifest }) => {
    const givenValue = name
      .split('.')
      .reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), settings);
    const value = givenValue === undefined || givenValue === null ? undefined : fittingPart(givenValue, manifest);
    if (value === undefined && givenValue !== undefined && givenValue !== null)
      note(
        `httpdUpgrade.${name} is ${JSON.stringify(givenValue)}. It must be ${expectedText(manifest)} The default counts: ${JSON.stringify(manifest.default)}.`,
      );
    return [name, value ?? manifest.default];
  });
  return { ...(Object.fromEntries(values) as SettingValues), ...shared };
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

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Quoted words: `"a", "b" or "c"`. */
export function quotedAlternatives(words: readonly string[]): string {
  const quoted = words.map((word) => `"${word}"`);
  return `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
}

// ---------------------------------------------------------------------------------------------------------------------

function expectedText(schema: ValueSchema & { readonly patternErrorMessage?: string }): string {
  if (schema.enum) return `${quotedAlternatives(schema.enum)}.`;
  if (schema.patternErrorMessage) return schema.patternErrorMessage;
  if (schema.type === 'boolean') return 'true or false.';
  if (schema.type === 'integer')
    return schema.minimum === undefined ? 'a whole number.' : `a whole number from ${schema.minimum}.`;
  return schema.type === 'string' ? 'text.' : schema.type === 'array' ? 'a list.' : 'an object.';
}
