/**
 * Characters that are invisible, or that change the direction of the text around them: they make a
 * line look like another line (CVE-2021-42574, "Trojan source"). Every output of file text shows
 * them as `<U+202E>`.
 */

/**
 * The inside of a character class for a regular expression with the flag `u`. In order: soft
 * hyphen, combining grapheme joiner, Hangul fillers, Khmer inherent vowels, Mongolian separators,
 * zero-width characters, marks that change the direction of text, invisible operators, byte order
 * mark, annotations, tags.
 */
const INVISIBLE_CHARACTERS =
  '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f' +
  '\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}';

/** Control characters except white space. */
const CONTROL_CHARACTERS = '\\0-\\x08\\x0e-\\x1f\\x7f-\\x9f';

const HIDDEN_CHARACTER = new RegExp(`[${INVISIBLE_CHARACTERS}${CONTROL_CHARACTERS}]`, 'u');
const INVISIBLE_RUN = new RegExp(`([${INVISIBLE_CHARACTERS}])\\1*`, 'gu');
const INVISIBLE_CHARACTER = new RegExp(`[${INVISIBLE_CHARACTERS}]`, 'u');
const CONTROL_CHARACTER_OR_BREAK = new RegExp(`[${CONTROL_CHARACTERS}\\x0b\\x0c]`, 'g');

/** Whether a text has an invisible character, or a control character other than white space. */
export function hasHiddenCharacter(text: string): boolean {
  return HIDDEN_CHARACTER.test(text);
}

/** Whether a character is invisible. False for control characters. */
export function isInvisible(character: string): boolean {
  return INVISIBLE_CHARACTER.test(character);
}

/** The name of the character: `U+202E`. */
export function codePointName(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

/**
 * The text with its invisible characters as `<U+202E>`, repeated ones as `<U+FEFF ×1000>`, and
 * control characters as `·`. Line ends and tabs stay.
 */
export function withVisibleCharacters(text: string): string {
  // Most texts have no such character, and then the slower replacements are not needed.
  if (!HIDDEN_CHARACTER.test(text) && !/[\x0b\x0c]/.test(text)) return text;
  return text
    .replace(INVISIBLE_RUN, (run, character: string) => {
      const repeatCount = run.length / character.length;
      return `<${codePointName(character)}${repeatCount > 1 ? ` ×${repeatCount}` : ''}>`;
    })
    .replace(CONTROL_CHARACTER_OR_BREAK, '·');
}

/**
 * JSON keys whose values must keep every character, because a program uses them again: addresses,
 * and texts that become part of a file or a command.
 */
const KEYS_FOR_PROGRAMS: ReadonlySet<string> = new Set([
  'arguments',
  'changes',
  'command',
  'commands',
  'content',
  'data',
  'edits',
  'filterText',
  'insertText',
  'newText',
  'path',
  'paths',
  'placeholder',
  'run',
  'sortText',
  'targetUri',
  'text',
  'textEdit',
  'textEditText',
  'uri',
]);

/**
 * Formats a value as JSON without invisible characters. In texts that people read, they become
 * visible, such as `<U+202E>`. In texts that a program uses again (`KEYS_FOR_PROGRAMS`), they
 * become JSON escapes.
 */
export function jsonWithVisibleText(value: unknown, space?: number): string {
  return JSON.stringify(withVisibleTexts(value), null, space).replace(CHARACTERS_ESCAPED_IN_JSON, (character) =>
    [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

const CHARACTERS_ESCAPED_IN_JSON = new RegExp(`[${INVISIBLE_CHARACTERS}\\x7f-\\x9f]`, 'gu');

/**
 * Returns the value itself if all its texts are visible; otherwise a copy in which the texts that
 * people read are made visible.
 */
export function withVisibleTexts<Value>(value: Value): Value {
  return hasTextToShow(value) ? (copyWithVisibleTexts(value) as Value) : value;
}

function hasTextToShow(value: unknown): boolean {
  if (typeof value === 'string') return HIDDEN_CHARACTER.test(value);
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasTextToShow);
  for (const key in value)
    if (!KEYS_FOR_PROGRAMS.has(key) && hasTextToShow((value as Record<string, unknown>)[key])) return true;
  return false;
}

function copyWithVisibleTexts(value: unknown): unknown {
  if (typeof value === 'string') return withVisibleCharacters(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyWithVisibleTexts);
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, KEYS_FOR_PROGRAMS.has(key) ? each : copyWithVisibleTexts(each)]),
  );
}
