/**
 * Titles of fixes: a verb and its object, at most 60 characters. They show the old and the new
 * text, so that a list of fixes can be read without the lines.
 */
import { spelledName, type Line } from '../../syntax/line';
import type { Edit } from '../rule';
import { shortened, argumentValues } from './edits';

const MAX_TITLE_LENGTH = 60;

/** Returns the first title that is short enough, or else the last. */
export function fittingTitle(...titles: readonly [string, ...string[]]): string {
  return titles.find((title) => title.length <= MAX_TITLE_LENGTH) ?? shortened(titles.at(-1)!, MAX_TITLE_LENGTH);
}

/** `Remove LoadModule authz_default_module`: the line, or as much of it as fits. */
export function titleToRemove(line: Line): string {
  return `Remove ${lineText(line, MAX_TITLE_LENGTH - 'Remove '.length)}`;
}

/** `Change mod_php5.c to mod_php.c`. Shortens the old text first. */
export function titleToChange(from: string, to: string): string {
  const room = MAX_TITLE_LENGTH - 'Change  to '.length;
  const shortenedTo = shortened(to, Math.max(room - from.length, 29));
  return `Change ${shortened(from, room - shortenedTo.length)} to ${shortenedTo}`;
}

/**
 * `Change KeepAlive 1 to KeepAlive On`: the line before and after an edit. If these are too long,
 * shows only the changed text and the name of the directive. `base`: where the line begins, counted
 * as the offsets of the edit are.
 */
export function titleToChangeLine(line: Line, { start, end, text }: Edit, base = 0): string {
  const [from, to] = [start - base, end - base];
  const oldText = line.text.slice(from, to);
  const changedLine = textForTitle(line.text.slice(0, from) + text + line.text.slice(to));
  const partTitle =
    oldText.trim() === '' ? `Add ${textForTitle(text)}` : `Change ${textForTitle(oldText)} to ${textForTitle(text)}`;
  return fittingTitle(
    `Change ${textForTitle(line.text)} to ${changedLine}`,
    `${partTitle} ${oldText.trim() === '' ? 'to' : 'in'} ${spelledName(line)}`,
    partTitle,
    titleToChange(textForTitle(oldText), textForTitle(text)),
  );
}

/** The line as one row of text. For a LoadModule line, only the directive and the module. */
function lineText(line: Line, maxLength: number): string {
  const [first] = argumentValues(line);
  return line.name === 'loadmodule' && first !== undefined
    ? shortened(`${spelledName(line)} ${first}`, maxLength)
    : shortened(textForTitle(line.text), maxLength);
}

function textForTitle(text: string): string {
  return text
    .replace(/\\\r?\n/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
