/**
 * Compares the values of a line with the table of directives/values.ts, which lists the words and
 * the ranges of numbers that a directive accepts. The caller passes only tables that are complete
 * (`strict`). Words with variables are not compared.
 */
import type { Argument, ArgumentTable } from '../directives/values';
import type { Word } from '../syntax/line';
import { hasVariable } from '../syntax/variables';

/**
 * The first wrong word. `index` is the 0-based index of the word among the arguments. If a word is
 * missing, `index` is that of the last word.
 */
export interface ValueFault {
  readonly index: number;
  readonly reason: 'word' | 'number' | 'range' | 'missing';
  /** The arguments that httpd would accept in place of the word. */
  readonly expected: readonly Argument[];
}

/**
 * The first word that httpd refuses. `forms` are the alternative lists of arguments of the
 * directive. Null if one of them accepts all words, or if a word has a variable.
 */
export function valueFault({ arguments: singleForm, forms }: ArgumentTable, words: readonly Word[]): ValueFault | null {
  if (words.some(({ value }) => hasVariable(value))) return null;
  let furthestFault = null as ValueFault | null;
  for (const form of forms ?? [singleForm]) {
    const fault = matchFrom(form, 0, words, 0);
    // Words after the last argument are not reported here: validation/arity.ts counts them, and
    // some directives ignore them.
    if (fault === null || isLeftOver(fault)) return null;
    if (furthestFault === null || fault.index > furthestFault.index) furthestFault = fault;
    else if (fault.index === furthestFault.index)
      furthestFault = { ...furthestFault, expected: [...furthestFault.expected, ...fault.expected] };
  }
  return furthestFault;
}

/** Why an argument refuses a value; null if the argument accepts the value. */
export function reasonOfValue(argument: Argument, value: string): ValueFault['reason'] | null {
  if (argument.choices) {
    // The sign comes before the keyword: `+NameWidth=*`.
    const hasSign = argument.choices.some(({ signed }) => signed) && /^[+-]/.test(value);
    const reasons = argument.choices.map((choice) =>
      reasonOfKeyValue(choice, hasSign && choice.key !== undefined ? value.slice(1) : value),
    );
    return reasons.includes(null) ? null : (reasons.find((reason) => reason !== 'word') ?? 'word');
  }
  return reasonOfKeyValue(argument, value);
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Compares the words from index `firstWordIndex` on with the arguments of `form` from index
 * `argumentIndex` on. Optional arguments may be absent; a repeated argument takes as many words as
 * it can. Null if all words fit.
 */
function matchFrom(
  form: readonly Argument[],
  argumentIndex: number,
  words: readonly Word[],
  firstWordIndex: number,
): ValueFault | null {
  const argument = form[argumentIndex];
  let wordIndex = firstWordIndex;
  // The last argument may have thousands of words. A loop skips the words that fit, because a
  // recursion would overflow the stack.
  if (argument?.repeats && argumentIndex === form.length - 1) {
    while (wordIndex < words.length && reasonOfValue(argument, words[wordIndex]!.value) === null) wordIndex++;
    if (wordIndex === words.length && wordIndex > firstWordIndex) return null;
  }
  if (argument === undefined)
    return wordIndex < words.length ? { index: wordIndex, reason: 'word', expected: [] } : null;
  if (wordIndex >= words.length) {
    const neededArgument = form.slice(argumentIndex).find(({ optional }) => !optional);
    return neededArgument === undefined || isRepetition(form, argumentIndex)
      ? null
      : { index: words.length - 1, reason: 'missing', expected: [neededArgument] };
  }
  const reason = reasonOfValue(argument, words[wordIndex]!.value);
  const faultIfTaken =
    reason === null
      ? matchFrom(form, argument.repeats ? argumentIndex : argumentIndex + 1, words, wordIndex + 1)
      : { index: wordIndex, reason, expected: [argument] };
  if (faultIfTaken === null || !argument.optional) return faultIfTaken;
  const faultIfSkipped = matchFrom(form, argumentIndex + 1, words, wordIndex);
  if (faultIfSkipped === null) return null;
  // Both with and without this optional argument, a word is wrong. The fault with the greater index
  // is returned, because more words fit before it. If one fault is only that words are left over,
  // the fault with the argument is returned.
  if (isLeftOver(faultIfTaken) || isLeftOver(faultIfSkipped)) return faultIfTaken;
  return faultIfSkipped.index > faultIfTaken.index
    ? faultIfSkipped
    : faultIfSkipped.index === faultIfTaken.index
      ? { ...faultIfTaken, expected: [...faultIfTaken.expected, ...faultIfSkipped.expected] }
      : faultIfTaken;
}

/** Whether the only fault is that the line has more words than arguments. */
function isLeftOver({ expected }: ValueFault): boolean {
  return expected.length === 0;
}

/**
 * Whether the argument can be repeated. If words end at such an argument, no missing word is
 * reported, because the argument may already have a word.
 */
function isRepetition(form: readonly Argument[], argumentIndex: number): boolean {
  return form[argumentIndex]!.repeats === true;
}

/**
 * Why an argument with a keyword, such as `timeout=5`, refuses a value. Null if it accepts the
 * value.
 */
function reasonOfKeyValue(argument: Argument, value: string): ValueFault['reason'] | null {
  const { key } = argument;
  if (key === undefined) return reasonOfPlainValue(argument, value);
  // The sign comes before the keyword: `+NameWidth=*`.
  const valueWithoutSign = argument.signed ? value.replace(/^[+-]/, '') : value;
  if (valueWithoutSign.slice(0, key.length).toLowerCase() !== key.toLowerCase()) return 'word';
  return reasonOfPlainValue(argument, valueWithoutSign.slice(key.length));
}

/** Why an argument refuses a value without its keyword. Null if it accepts the value. */
function reasonOfPlainValue(argument: Argument, value: string): ValueFault['reason'] | null {
  // Only the value after the qualifier is compared: `warn` in `LogLevel ssl:warn`. Another check
  // compares the module before it.
  if (argument.qualifier !== undefined)
    return reasonOfSingleValue(
      { ...argument, kinds: ['word'] },
      value.slice(value.lastIndexOf(argument.qualifier) + 1),
    );
  if (argument.separator !== undefined) {
    const reasons = value.split(argument.separator).map((part) => reasonOfSingleValue(argument, part));
    return reasons.find((reason) => reason !== null) ?? null;
  }
  return reasonOfSingleValue(argument, value);
}

/** Kinds of arguments that are numbers. */
const NUMERIC_KINDS = new Set(['number', 'bytes', 'time']);

/** Why an argument refuses one value of a list. Null if it accepts the value. */
function reasonOfSingleValue(argument: Argument, value: string): ValueFault['reason'] | null {
  const { kinds, words } = argument;
  if (words?.some((word) => isSameWord(argument, word.word, word.unsigned === true, value))) return null;
  if (kinds.some((kind) => kind !== 'word' && !NUMERIC_KINDS.has(kind))) return null;
  const numericKind = kinds.find((kind) => NUMERIC_KINDS.has(kind));
  if (numericKind === undefined) return 'word';
  // A `lenient` number that atoi() reads as 0, because it has no digits, is accepted if 0 is in the
  // list: `SendBufferSize none`.
  if (
    argument.lenient &&
    words?.some(({ word }) => /^-?\d+$/.test(word) && Number(word) === (parseInt(value, 10) || 0))
  )
    return null;
  const reason = reasonOfNumber(argument, numericKind as 'number' | 'bytes' | 'time', value);
  return reason === 'number' && words !== undefined ? 'word' : reason;
}

/**
 * Whether a value is a word of the table, apart from its sign, and from its case unless `exact` is
 * set.
 */
function isSameWord({ signed, exact }: Argument, word: string, isUnsigned: boolean, value: string): boolean {
  const hasSign = signed && !isUnsigned && /^[+-]/.test(value);
  const withoutSign = hasSign ? value.slice(1) : value;
  return exact ? withoutSign === word : withoutSign.toLowerCase() === word.toLowerCase();
}

/**
 * Matches times that ap_timeout_parameter_parse (server/util.c) accepts: a number of seconds, or a
 * number and ms, s, mi or h. This function of httpd ignores text after the unit (`1hour`) and reads
 * a missing number as 0 (`soon`).
 */
const ACCEPTED_TIME = /^[+-]?(?:\d+|\d*(?:ms|s|mi|h).*)$/i;

/** The number of seconds in each unit of a time. */
const SECONDS_OF_UNIT: Readonly<Record<string, number>> = { ms: 0.001, mi: 60, h: 3600 };

/**
 * If a range ends at this number, httpd reads only 32 bits of a number. What httpd makes of a
 * larger number is then unknown, unless it uses atoi(). If a range ends elsewhere, httpd compares
 * the whole number.
 */
const INT_MAX = 2147483647;

/**
 * The largest number of seconds that fits, as microseconds, into 64 bits
 * (ap_timeout_parameter_parse).
 */
const MAX_SECONDS = 9223372036854;

/** The number that atoi() of C returns for digits: the lower 32 of 64 bits. */
export function atoiResult(digits: string): number {
  const exactNumber = BigInt(digits.replace('+', ''));
  const maxInt64 = 2n ** 63n - 1n;
  return Number(
    BigInt.asIntN(32, exactNumber > maxInt64 ? maxInt64 : exactNumber < -maxInt64 ? -maxInt64 - 1n : exactNumber),
  );
}

/**
 * Why an argument refuses a number: the value is no number, or is outside of the range. Null if it
 * accepts the number.
 */
function reasonOfNumber(
  { min, max, lenient }: Argument,
  kind: 'number' | 'bytes' | 'time',
  value: string,
): 'number' | 'range' | null {
  const digits = /^\s*([+-]?\d+)(?!\d)(.*)/s.exec(value);
  if (!lenient) {
    const isNumber = kind === 'time' ? ACCEPTED_TIME.test(value) : digits !== null && digits[2] === '';
    if (!isNumber) return 'number';
  }
  const secondsOfUnit =
    kind === 'time' ? (SECONDS_OF_UNIT[/^(?:ms|mi|h)/i.exec(digits?.[2] ?? '')?.[0].toLowerCase() ?? ''] ?? 1) : 1;
  const isInt = lenient && kind !== 'time' && max === INT_MAX;
  const numericValue = isInt ? atoiResult(digits?.[1] ?? '0') : Number(digits?.[1] ?? 0) * secondsOfUnit;
  if (kind === 'time' && numericValue > MAX_SECONDS) return 'range';
  const isMaxUnknown = kind !== 'time' && (max === undefined || max === INT_MAX);
  if (!isInt && isMaxUnknown && Math.abs(numericValue) > INT_MAX) return null;
  if ((min !== undefined && numericValue < min) || (max !== undefined && numericValue > max)) return 'range';
  return null;
}
