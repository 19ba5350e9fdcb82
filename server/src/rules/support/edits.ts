/** Pieces that several rules' checks and fixes are made of. Offsets are relative to the line unless said otherwise. */
import { argumentsOf, contentEnd, contentStart, spelledName, type Line, type Word } from '../../syntax/line';
import type { Edit, Finding, LineSubject } from '../rule';

/** Removes a logical line whole, its line end included. */
export function removeLine(line: Line, base = 0): Edit {
  return { start: base, end: base + line.length, text: '' };
}

/** Replaces the directive's name and leaves the rest as it is. */
export function rename(line: Line, name: string, base = 0): Edit {
  return { start: base + line.nameStart, end: base + line.nameEnd, text: name };
}

/** Removes the word at `index` among the line's arguments, and the blanks (or the continuation) in front of it. */
export function removeWord(line: Line, index: number, base = 0): Edit {
  return { start: base + endBefore(line, index), end: base + argumentsOf(line)[index]!.end, text: '' };
}

/** Adds a word behind the line's last argument. */
export function appendWord(line: Line, word: string, base = 0): Edit {
  const end = base + endBefore(line, argumentsOf(line).length);
  return { start: end, end, text: ` ${word}` };
}

/** Replaces a word, quotes included. */
export function replaceWord(word: Word, text: string, base = 0): Edit {
  return { start: base + word.start, end: base + word.end, text };
}

/** Replaces what is on the line between the indentation and the line end. */
export function replaceContent(line: Line, text: string, base = 0): Edit {
  return { start: base + contentStart(line), end: base + contentEnd(line), text };
}

/** The span of what is on the line. */
export function contentSpan(line: Line, base = 0): { start: number; end: number } {
  return { start: base + contentStart(line), end: base + contentEnd(line) };
}

/** The span of the directive's name. */
export function nameSpan(line: Line, base = 0): { start: number; end: number } {
  return { start: base + line.nameStart, end: base + line.nameEnd };
}

/** The line end that a line has, or LF. */
export function lineEnd(line: Line): string {
  return line.text.endsWith('\r\n') ? '\r\n' : '\n';
}

/** The arguments' values. */
export function values(line: Line): string[] {
  return argumentsOf(line).map((word) => word.value);
}

/** Whether a word stands for something else than itself. */
export function isVariable(word: Word | string): boolean {
  return (typeof word === 'string' ? word : word.value).includes('${');
}

/** The directive's arguments, where the line has any to speak of. */
export function words({ line }: LineSubject): readonly Word[] {
  return argumentsOf(line);
}

/** A value of the user's, short enough for a headline. */
export function short(value: string, most = 24): string {
  const plain = value.replace(/\s+/g, ' ');
  return plain.length <= most ? plain : `${plain.slice(0, most - 1)}…`;
}

/** Longest headline (WORDS: rule 2). */
export const MAX_HEADLINE = 90;

/** One thing, `a and b`, or `a, b and c`. */
export function enumeration(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

/** A headline where it fits, or else a shorter one. */
export function headline(text: string, otherwise: string): string {
  return text.length <= MAX_HEADLINE ? text : otherwise;
}

/** What httpd says of a directive that none of its modules has (ap_walk_config_sub of server/config.c). */
export function invalidCommand(line: Line): string {
  return `Invalid command '${spelledName(line)}', perhaps misspelled or defined by a module not included in the server configuration`;
}

/** A word for httpd to read back: in quotes where it has to be. */
export function quoted(value: string): string {
  return /[\s"']/.test(value) || value === '' ? `"${value.replace(/["\\]/g, '\\$&')}"` : value;
}

export const NOTHING: readonly Finding[] = [];

// ---------------------------------------------------------------------------------------------------------------------

/** The end of what stands before the argument at `index`: of the argument before, or of the name. */
function endBefore(line: Line, index: number): number {
  if (index > 0) return argumentsOf(line)[index - 1]!.end;
  const isQuoted = line.nameStart > 0 && /["']/.test(line.text[line.nameStart - 1]!);
  return line.nameEnd + (isQuoted && line.text[line.nameEnd] === line.text[line.nameStart - 1] ? 1 : 0);
}
