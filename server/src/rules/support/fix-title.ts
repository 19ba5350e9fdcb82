/**
 * Titles of fixes: a verb and its object, at most 60 characters. They show the old and the new
 * text, so that a list of fixes can be read without the lines.
 */
import { spelledName, type Line } from '../../syntax/line';
import type { Edit } from '../rule';
import { short, values } from './edits';

const MOST = 60;

/** Returns the first title that is short enough, or else the last. */
export function fittingTitle(...titles: readonly [string, ...string[]]): string {
  return titles.find((title) => title.length <= MOST) ?? short(titles.at(-1)!, MOST);
}

/** `Remove LoadModule authz_default_module`: the line, or as much of it as fits. */
export function removing(line: Line): string {
  return `Remove ${lineText(line, MOST - 'Remove '.length)}`;
}

/** `Change mod_php5.c to mod_php.c`. Shortens the old text first. */
export function changing(from: string, to: string): string {
  const room = MOST - 'Change  to '.length;
  const after = short(to, Math.max(room - from.length, 29));
  return `Change ${short(from, room - after.length)} to ${after}`;
}

/**
 * `Change KeepAlive 1 to KeepAlive On`: the line before and after an edit. If both do not fit, only
 * the text that changes and the name of the directive. `base`: the offset of the line in the edit.
 */
export function changingLine(line: Line, { start, end, text }: Edit, base = 0): string {
  const [from, to] = [start - base, end - base];
  const old = line.text.slice(from, to);
  const changed = plain(line.text.slice(0, from) + text + line.text.slice(to));
  const part = old.trim() === '' ? `Add ${plain(text)}` : `Change ${plain(old)} to ${plain(text)}`;
  return fittingTitle(
    `Change ${plain(line.text)} to ${changed}`,
    `${part} ${old.trim() === '' ? 'to' : 'in'} ${spelledName(line)}`,
    part,
    changing(plain(old), plain(text)),
  );
}

/** The line as one row of text. Of LoadModule, only the name of the module. */
function lineText(line: Line, most: number): string {
  const [first] = values(line);
  return line.name === 'loadmodule' && first !== undefined
    ? short(`${spelledName(line)} ${first}`, most)
    : short(plain(line.text), most);
}

function plain(text: string): string {
  return text
    .replace(/\\\r?\n/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
