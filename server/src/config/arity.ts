/**
 * How many arguments a line has, and whether the server takes so many: `invoke_cmd` in server/config.c. Counts without making
 * words, because it is asked of every line.
 */
import type { Command } from '../directives/commands';
import type { ArgumentKind } from '../directives/index';
import { argumentsOf, type Line } from '../syntax/line';

/** What is wrong with the arguments, as invoke_cmd says it. */
export type ArgumentFault = 'one' | 'two' | 'three' | 'one-or-two' | 'two-or-three' | 'one-to-three' | 'at-least-one' | 'at-least-two' | 'on-or-off';

/** Whether the server counts the arguments before the directive's function sees them. */
export function countsArguments({ kind }: Command): boolean {
  return kind !== 'RAW_ARGS' && kind !== 'TAKE_ARGV';
}

/** null where the server takes them, or where nobody knows: variables, and directives that read the rest of the line themselves. */
export function argumentFault({ kind }: Command, line: Line): ArgumentFault | null {
  if (kind === 'RAW_ARGS' || kind === 'TAKE_ARGV') return null;
  if (line.isJoined) {
    if (line.text.includes('${')) return null;
    countWords(argumentsOf(line).map(({ value }) => value));
  } else if (!count(line)) return null;
  return FAULTS[kind](line);
}

// ---------------------------------------------------------------------------------------------------------------------

/** Of the line that was counted last. */
let words = 0;
/** Bit i: the word at i (0 to 3) is empty, as `""` is. To httpd that is where the arguments end. */
let empty = 0;
/** Where the first word starts and ends, in the text of a line that is not joined; of a joined line its value. */
let firstStart = 0;
let firstEnd = 0;
let firstValue: string | null = null;

const QUOTE = 34;
const APOSTROPHE = 39;
const BACKSLASH = 92;
const DOLLAR = 36;
const BRACE = 123;

function countWords(values: readonly string[]): void {
  words = values.length;
  empty = 0;
  for (let i = 0; i < 4 && i < words; i++) if (values[i] === '') empty |= 1 << i;
  firstValue = values[0] ?? '';
}

/** false where a variable stands in the line: its value may be any number of words. */
function count(line: Line): boolean {
  const { text } = line;
  const end = text.length;
  words = 0;
  empty = 0;
  firstValue = null;
  firstStart = firstEnd = 0;
  let at = line.nameEnd;
  // A name in quotes ends behind them.
  const before = line.nameStart > 0 ? text.charCodeAt(line.nameStart - 1) : 0;
  if ((before === QUOTE || before === APOSTROPHE) && text.charCodeAt(at) === before) at++;
  for (;;) {
    while (at < end && isSpace(text.charCodeAt(at))) at++;
    if (at >= end) return true;
    const start = at;
    const quote = text.charCodeAt(at);
    if (quote === QUOTE || quote === APOSTROPHE) {
      at++;
      while (at < end) {
        const code = text.charCodeAt(at);
        if (code === quote) break;
        if (code === DOLLAR && text.charCodeAt(at + 1) === BRACE) return false;
        if (code === BACKSLASH && (text.charCodeAt(at + 1) === quote || text.charCodeAt(at + 1) === BACKSLASH)) at++;
        at++;
      }
      if (words < 4 && isEmptyFrom(text, start + 1, Math.min(at, end), at >= end)) empty |= 1 << words;
      if (at < end) at++;
    } else {
      while (at < end) {
        const code = text.charCodeAt(at);
        if (isSpace(code)) break;
        if (code === DOLLAR && text.charCodeAt(at + 1) === BRACE) return false;
        at++;
      }
    }
    if (words === 0) {
      firstStart = start;
      firstEnd = Math.min(at, end);
    }
    words++;
  }
}

/** Whether nothing stands between a quote and its end; white space before the line's end is not part of the line. */
function isEmptyFrom(text: string, start: number, end: number, isOpenEnded: boolean): boolean {
  if (!isOpenEnded) return end <= start;
  for (let i = start; i < end; i++) if (!isSpace(text.charCodeAt(i))) return false;
  return true;
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

/** Whether the word at an index is there and has something in it. */
function has(index: number): boolean {
  return words > index && (empty & (1 << index)) === 0;
}

type Fault = (line: Line) => ArgumentFault | null;

const FAULTS: Readonly<Record<Exclude<ArgumentKind, 'RAW_ARGS' | 'TAKE_ARGV'>, Fault>> = {
  TAKE1: () => (has(0) && words === 1 ? null : 'one'),
  TAKE2: () => (has(0) && has(1) && words === 2 ? null : 'two'),
  TAKE3: () => (has(0) && has(1) && has(2) && words === 3 ? null : 'three'),
  TAKE12: () => (has(0) && words <= 2 ? null : 'one-or-two'),
  TAKE23: () => (has(0) && has(1) && words <= 3 ? null : 'two-or-three'),
  TAKE123: () => (has(0) && words <= 3 ? null : 'one-to-three'),
  ITERATE: () => (has(0) ? null : 'at-least-one'),
  ITERATE2: () => (has(0) && words > 1 ? null : 'at-least-two'),
  FLAG: (line) => (isOnOff(firstValue ?? firstWord(line)) ? null : 'on-or-off'),
};

function firstWord({ text }: Line): string {
  const isQuoted = text.charCodeAt(firstStart) === QUOTE || text.charCodeAt(firstStart) === APOSTROPHE;
  if (!isQuoted) return text.slice(firstStart, firstEnd);
  const isClosed = firstEnd - firstStart > 1 && text.charCodeAt(firstEnd - 1) === text.charCodeAt(firstStart);
  return text.slice(firstStart + 1, isClosed ? firstEnd - 1 : firstEnd).trimEnd();
}

function isOnOff(word: string): boolean {
  return word.length <= 3 && /^o(n|ff)$/i.test(word);
}
