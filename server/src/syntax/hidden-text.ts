/**
 * Characters that are invisible, or that change the direction of the text around them: they make a
 * line look like another line (CVE-2021-42574, "Trojan source"). Every output of file text shows
 * them as `<U+202E>`.
 */

/**
 * The body of a class of a regular expression with the flag `u`: soft hyphen, combining grapheme
 * joiner, fillers of Hangul, Khmer's inherent vowels, Mongolian separators, zero width, marks and
 * embeddings of direction, invisible operators, byte order mark, annotations, tags.
 */
const INVISIBLE =
  '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f' +
  '\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}';

/** Control characters except white space. */
const CONTROL = '\\0-\\x08\\x0e-\\x1f\\x7f-\\x9f';

const HIDDEN = new RegExp(`[${INVISIBLE}${CONTROL}]`, 'u');
const INVISIBLE_RUN = new RegExp(`([${INVISIBLE}])\\1*`, 'gu');
const ONE_INVISIBLE = new RegExp(`[${INVISIBLE}]`, 'u');
const CONTROLS = new RegExp(`[${CONTROL}\\x0b\\x0c]`, 'g');

/** Whether a text has an invisible character or a control character. */
export function hasHidden(text: string): boolean {
  return HIDDEN.test(text);
}

/** Whether a character is invisible; control characters are not in this class. */
export function isInvisible(character: string): boolean {
  return ONE_INVISIBLE.test(character);
}

/** The name of the character: `U+202E`. */
export function codeName(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

/**
 * The text with its invisible characters as `<U+202E>`, repeated ones as `<U+FEFF ×1000>`, and
 * control characters as `·`. Line ends and tabs stay.
 */
export function visible(text: string): string {
  // Fast path: most texts have none.
  if (!HIDDEN.test(text) && !/[\x0b\x0c]/.test(text)) return text;
  return text
    .replace(INVISIBLE_RUN, (run, character: string) => {
      const count = run.length / character.length;
      return `<${codeName(character)}${count > 1 ? ` ×${count}` : ''}>`;
    })
    .replace(CONTROLS, '·');
}

/**
 * Keys whose values a program reads back: addresses, and texts that become part of a file or a
 * command.
 */
const READ_BACK: ReadonlySet<string> = new Set([
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
 * A value as JSON. Texts for display are made visible. Texts that a program reads back (by their
 * keys) stay exact, with invisible characters as JSON escapes, so that the output never contains
 * one unescaped.
 */
export function visibleJson(value: unknown, space?: number): string {
  return JSON.stringify(withVisibleTexts(value), null, space).replace(EACH_HIDDEN, (character) =>
    [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

const EACH_HIDDEN = new RegExp(`[${INVISIBLE}\\x7f-\\x9f]`, 'gu');

/**
 * The value itself if all its texts are visible; otherwise a copy with its display texts made
 * visible.
 */
export function withVisibleTexts<Value>(value: Value): Value {
  return hasHiddenTexts(value) ? (copied(value) as Value) : value;
}

function hasHiddenTexts(value: unknown): boolean {
  if (typeof value === 'string') return HIDDEN.test(value);
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasHiddenTexts);
  for (const key in value)
    if (!READ_BACK.has(key) && hasHiddenTexts((value as Record<string, unknown>)[key])) return true;
  return false;
}

function copied(value: unknown): unknown {
  if (typeof value === 'string') return visible(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copied);
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, READ_BACK.has(key) ? each : copied(each)]),
  );
}
