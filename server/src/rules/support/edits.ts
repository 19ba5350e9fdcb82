/**
 * Edits and spans that many rules need. Offsets are relative to the line; `base` is added to them.
 */
import { argumentsOf, contentEnd, contentStart, spelledName, type Line, type Word } from '../../syntax/line';
import type { Edit, Finding, LineRuleInput } from '../rule';

/** The edit that removes a logical line with its line end. */
export function removeLine(line: Line, base = 0): Edit {
  return { start: base, end: base + line.length, text: '' };
}

/** The edit that replaces the name of the directive. */
export function renameDirective(line: Line, name: string, base = 0): Edit {
  return { start: base + line.nameStart, end: base + line.nameEnd, text: name };
}

/** The edit that removes an argument of the line, and the spaces or the continuation before it. */
export function removeWord(line: Line, index: number, base = 0): Edit {
  return { start: base + endOfPreviousWord(line, index), end: base + argumentsOf(line)[index]!.end, text: '' };
}

/** The edit that adds a word after the last argument. */
export function appendWord(line: Line, word: string, base = 0): Edit {
  const wordsEnd = base + endOfPreviousWord(line, argumentsOf(line).length);
  return { start: wordsEnd, end: wordsEnd, text: ` ${word}` };
}

/** The edit that replaces a word with its quotes. */
export function replaceWord(word: Word, text: string, base = 0): Edit {
  return { start: base + word.start, end: base + word.end, text };
}

/** The edit that replaces the text between the indentation and the line end. */
export function replaceContent(line: Line, text: string, base = 0): Edit {
  return { start: base + contentStart(line), end: base + contentEnd(line), text };
}

export function contentSpan(line: Line, base = 0): { start: number; end: number } {
  return { start: base + contentStart(line), end: base + contentEnd(line) };
}

export function nameSpan(line: Line, base = 0): { start: number; end: number } {
  return { start: base + line.nameStart, end: base + line.nameEnd };
}

/** The line end of this line: CRLF or LF. LF if it has none. */
export function lineEnd(line: Line): string {
  return line.text.endsWith('\r\n') ? '\r\n' : '\n';
}

export function argumentValues(line: Line): string[] {
  return argumentsOf(line).map((word) => word.value);
}

/** Whether the word has a variable, so that its value is unknown. */
export function containsVariable(word: Word | string): boolean {
  return (typeof word === 'string' ? word : word.value).includes('${');
}

export function wordsOfInput({ line }: LineRuleInput): readonly Word[] {
  return argumentsOf(line);
}

/** Shortens a value for a headline. */
export function shortened(value: string, maxLength = 24): string {
  const singleSpaced = value.replace(/\s+/g, ' ');
  return singleSpaced.length <= maxLength ? singleSpaced : `${singleSpaced.slice(0, maxLength - 1)}…`;
}

export const MAX_HEADLINE_LENGTH = 90;

/** Joins items: `a`, `a and b`, `a, b and c`. */
export function joinedItems(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

/** Returns `text` if it is short enough for a headline, and `shorterText` if not. */
export function fittingHeadline(text: string, shorterText: string): string {
  return text.length <= MAX_HEADLINE_LENGTH ? text : shorterText;
}

/**
 * The message of httpd for a directive that no loaded module has (ap_walk_config_sub in
 * server/config.c).
 */
export function invalidCommandText(line: Line): string {
  return `Invalid command '${spelledName(line)}', perhaps misspelled or defined by a module not included in the server configuration`;
}

/** Puts a value in quotes if httpd would read it differently without quotes. */
export function quoted(value: string): string {
  return /[\s"']/.test(value) || value === '' ? `"${value.replace(/["\\]/g, '\\$&')}"` : value;
}

export const NO_FINDINGS: readonly Finding[] = [];

// ---------------------------------------------------------------------------------------------------------------------

/** The end of the argument before the one at `index`, or of the name. */
function endOfPreviousWord(line: Line, index: number): number {
  if (index > 0) return argumentsOf(line)[index - 1]!.end;
  const isQuoted = line.nameStart > 0 && /["']/.test(line.text[line.nameStart - 1]!);
  return line.nameEnd + (isQuoted && line.text[line.nameEnd] === line.text[line.nameStart - 1] ? 1 : 0);
}
