/**
 * Counts the arguments of a line and compares the number with what httpd accepts: `invoke_cmd` in
 * server/config.c. Counts without splitting the line into words, because it runs on every line.
 */
import type { Command } from '../directives/commands';
import type { ArgumentKind } from '../directives/index';
import { argumentsOf, type Line } from '../syntax/line';
import { hasVariable } from '../syntax/variables';

/**
 * The fault of a line that has a wrong number of arguments, named by the number that the directive
 * takes (invoke_cmd distinguishes these). `on-or-off`: the argument is neither On nor Off.
 */
export type ArgumentFault =
  | 'one'
  | 'two'
  | 'three'
  | 'one-or-two'
  | 'two-or-three'
  | 'one-to-three'
  | 'at-least-one'
  | 'at-least-two'
  | 'on-or-off';

/** Whether httpd counts the arguments before it calls the function of the directive. */
export function countsArguments({ kind }: Command): boolean {
  return kind !== 'RAW_ARGS' && kind !== 'TAKE_ARGV';
}

/**
 * The number of arguments that httpd demands, if the line has another number. Null if httpd accepts
 * the number. Also null if it is unknown whether httpd accepts the number, because the line has
 * variables or the function of the directive counts the arguments.
 */
export function argumentFault({ kind }: Command, line: Line): ArgumentFault | null {
  if (kind === 'RAW_ARGS' || kind === 'TAKE_ARGV') return null;
  const packedCount = line.isJoined ? countWordsOfJoined(line) : countWords(line);
  return packedCount === UNKNOWN_COUNT ? null : CHECK_OF_KIND[kind](packedCount, line);
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The number of words (in the bits from 4 on), and which of the first four words are empty: bit i
 * is set if word i is `""`. httpd ends the arguments at an empty word. One number holds both
 * values, so that counting every line takes little time.
 */
type WordCount = number;

/** The number of words is unknown, because the line has a variable. */
const UNKNOWN_COUNT: WordCount = -1;

/** Codes of characters that matter for counting. */
const QUOTE = 34;
const APOSTROPHE = 39;
const BACKSLASH = 92;

/** Counts the words of a continued line, which must be joined first. */
function countWordsOfJoined(line: Line): WordCount {
  if (hasVariable(line.text)) return UNKNOWN_COUNT;
  const words = argumentsOf(line);
  let emptyWordBits = 0;
  for (let i = 0; i < 4 && i < words.length; i++) if (words[i]!.value === '') emptyWordBits |= 1 << i;
  return (words.length << 4) | emptyWordBits;
}

/**
 * Counts the words of a line without continuations. Returns `UNKNOWN_COUNT` if the line has a
 * variable, because its value may have any number of words.
 */
function countWords(line: Line): WordCount {
  if (line.mayHaveVariable && hasVariable(line.text)) return UNKNOWN_COUNT;
  const { text } = line;
  const end = text.length;
  let wordCount = 0;
  let emptyWordBits = 0;
  let index = line.nameEnd;
  // A quoted name ends after its closing quote.
  const codeBeforeName = line.nameStart > 0 ? text.charCodeAt(line.nameStart - 1) : 0;
  if ((codeBeforeName === QUOTE || codeBeforeName === APOSTROPHE) && text.charCodeAt(index) === codeBeforeName) index++;
  for (;;) {
    while (index < end && isSpace(text.charCodeAt(index))) index++;
    if (index >= end) return (wordCount << 4) | emptyWordBits;
    const wordStart = index;
    const quote = text.charCodeAt(index);
    if (quote === QUOTE || quote === APOSTROPHE) {
      index++;
      while (index < end) {
        const code = text.charCodeAt(index);
        if (code === quote) break;
        if (code === BACKSLASH && (text.charCodeAt(index + 1) === quote || text.charCodeAt(index + 1) === BACKSLASH))
          index++;
        index++;
      }
      if (wordCount < 4 && isEmptyFrom(text, wordStart + 1, Math.min(index, end), index >= end))
        emptyWordBits |= 1 << wordCount;
      if (index < end) index++;
    } else {
      while (index < end) {
        const code = text.charCodeAt(index);
        if (IS_SPACE_BY_CODE[code] === 1) break;
        index++;
      }
    }
    wordCount++;
  }
}

/**
 * Whether a quoted word is empty. If the closing quote is missing, white space at the end of the
 * line is not part of the word.
 */
function isEmptyFrom(text: string, start: number, end: number, isOpenEnded: boolean): boolean {
  if (!isOpenEnded) return end <= start;
  for (let i = start; i < end; i++) if (!isSpace(text.charCodeAt(i))) return false;
  return true;
}

/** For each character code, 1 if it is white space. */
const IS_SPACE_BY_CODE = Uint8Array.from({ length: 33 }, (_, code) => Number(isSpace(code)));

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

/** Whether the word at an index exists and is not empty. */
function hasArgument(packedCount: WordCount, index: number): boolean {
  return packedCount >> 4 > index && (packedCount & (1 << index)) === 0;
}

/** Returns the fault if a line has a wrong number of words. Null if the number is right. */
type CountCheck = (packedCount: WordCount, line: Line) => ArgumentFault | null;

/** The check for each kind of directive. */
const CHECK_OF_KIND: Readonly<Record<Exclude<ArgumentKind, 'RAW_ARGS' | 'TAKE_ARGV'>, CountCheck>> = {
  TAKE1: (n) => (hasArgument(n, 0) && n >> 4 === 1 ? null : 'one'),
  TAKE2: (n) => (hasArgument(n, 0) && hasArgument(n, 1) && n >> 4 === 2 ? null : 'two'),
  TAKE3: (n) => (hasArgument(n, 0) && hasArgument(n, 1) && hasArgument(n, 2) && n >> 4 === 3 ? null : 'three'),
  TAKE12: (n) => (hasArgument(n, 0) && n >> 4 <= 2 ? null : 'one-or-two'),
  TAKE23: (n) => (hasArgument(n, 0) && hasArgument(n, 1) && n >> 4 <= 3 ? null : 'two-or-three'),
  TAKE123: (n) => (hasArgument(n, 0) && n >> 4 <= 3 ? null : 'one-to-three'),
  ITERATE: (n) => (hasArgument(n, 0) ? null : 'at-least-one'),
  ITERATE2: (n) => (hasArgument(n, 0) && n >> 4 > 1 ? null : 'at-least-two'),
  FLAG: (_, line) => (isOnOff(argumentsOf(line)[0]?.value ?? '') ? null : 'on-or-off'),
};

/** Whether a word is On or Off, in any case. */
function isOnOff(word: string): boolean {
  return word.length <= 3 && /^o(n|ff)$/i.test(word);
}
