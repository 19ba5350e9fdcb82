/** Pieces that several rules' checks and fixes are made of. Offsets are relative to the line unless said otherwise. */
import { argumentsOf, contentEnd, contentStart, type Line, type Word } from '../syntax/line';
import type { Edit, Finding, LineSubject } from './rule';

/** Removes a logical line whole, its line end included. */
export function removeLine(line: Line, base = 0): Edit {
  return { start: base, end: base + line.length, text: '' };
}

/** Replaces the directive's name and leaves the rest as it is. */
export function rename(line: Line, name: string, base = 0): Edit {
  return { start: base + line.nameStart, end: base + line.nameEnd, text: name };
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
export function words({ line }: LineSubject): Word[] {
  return argumentsOf(line);
}

export const NOTHING: readonly Finding[] = [];
