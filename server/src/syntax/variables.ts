/**
 * Finds variables `${…}` in a text. Reads the text only once, even if it has many unclosed `${`.
 */

/** A variable `${…}` in a text. */
export interface TextVariable {
  /** The text between the braces. */
  readonly name: string;
  /** Offsets in UTF-16 units; braces included. */
  readonly start: number;
  readonly end: number;
}

/** All variables in a text, from left to right. */
export function* variablesIn(text: string): Iterable<TextVariable> {
  for (let start = text.indexOf('${'); start >= 0; ) {
    const close = text.indexOf('}', start);
    if (close < 0) return;
    yield { name: text.slice(start + 2, close), start, end: close + 1 };
    start = text.indexOf('${', close + 1);
  }
}

/**
 * Whether httpd may replace a part of the text by a value. No line of httpd 2.4 defines a name with
 * a colon: `${map:key}` belongs to RewriteRule, and httpd leaves it as it is in all lines.
 */
export function hasVariable(text: string): boolean {
  if (!text.includes('${')) return false;
  for (const { name } of variablesIn(text)) if (!name.includes(':')) return true;
  return false;
}

/**
 * Replaces each variable in a text by the result of `valueOf`, whose second parameter is the
 * variable as written, with `${` and `}`.
 */
export function replaceVariables(text: string, valueOf: (name: string, textWithBraces: string) => string): string {
  let expandedText = '';
  let position = 0;
  for (const { name, start, end } of variablesIn(text)) {
    expandedText += text.slice(position, start) + valueOf(name, text.slice(start, end));
    position = end;
  }
  return position === 0 ? text : expandedText + text.slice(position);
}
