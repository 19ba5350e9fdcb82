/** `${…}` in a text. Found in one go: a `${` that nothing closes does not have the rest of a line read again for each. */

export interface VariableIn {
  /** What stands between the braces. */
  readonly name: string;
  /** UTF-16 offsets of the whole in the text. */
  readonly start: number;
  readonly end: number;
}

export function* variablesIn(text: string): Iterable<VariableIn> {
  for (let start = text.indexOf('${'); start >= 0; ) {
    const close = text.indexOf('}', start);
    if (close < 0) return;
    yield { name: text.slice(start + 2, close), start, end: close + 1 };
    start = text.indexOf('${', close + 1);
  }
}

/** The text with something else in the place of each. `whole` has the braces. */
export function replaceVariables(text: string, valueOf: (name: string, whole: string) => string): string {
  let replaced = '';
  let at = 0;
  for (const { name, start, end } of variablesIn(text)) {
    replaced += text.slice(at, start) + valueOf(name, text.slice(start, end));
    at = end;
  }
  return at === 0 ? text : replaced + text.slice(at);
}
