/**
 * Checks the values of a line against the table of directives/values.ts: words from a list, numbers
 * and their ranges. Only for directives whose function refuses all other values (`strict`), and
 * only if the words have no variables.
 */
import type { Argument, ArgumentTable } from '../directives/values';
import type { Word } from '../syntax/line';

/** The first word that does not fit; `index` is that of the last word if one is missing. */
export interface ValueFault {
  readonly index: number;
  readonly reason: 'word' | 'number' | 'range' | 'missing';
  /** The arguments that would fit there. */
  readonly expected: readonly Argument[];
}

/**
 * The first word that the server refuses. Null if one form accepts all words, or if a variable or
 * an expression replaces one.
 */
export function valueFault({ arguments: only, forms }: ArgumentTable, words: readonly Word[]): ValueFault | null {
  if (words.some(({ value }) => value.includes('${'))) return null;
  let furthest = null as ValueFault | null;
  for (const form of forms ?? [only]) {
    const fault = matchFrom(form, 0, words, 0);
    // Too many words are not reported here: validation/arity.ts counts them, and some directives
    // ignore them.
    if (fault === null || isLeftOver(fault)) return null;
    if (furthest === null || fault.index > furthest.index) furthest = fault;
    else if (fault.index === furthest.index)
      furthest = { ...furthest, expected: [...furthest.expected, ...fault.expected] };
  }
  return furthest;
}

/** The reason why an argument refuses a value; null if it accepts the value. */
export function refusedValue(argument: Argument, value: string): ValueFault['reason'] | null {
  if (argument.choices) {
    // A sign comes before the key.
    const hasSign = argument.choices.some(({ signed }) => signed) && /^[+-]/.test(value);
    const reasons = argument.choices.map((choice) =>
      refusedByKey(choice, hasSign && choice.key !== undefined ? value.slice(1) : value),
    );
    return reasons.includes(null) ? null : (reasons.find((reason) => reason !== 'word') ?? 'word');
  }
  return refusedByKey(argument, value);
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Matches the words from `index` on with the arguments from `from` on. Optional arguments may be
 * absent; a repeated one takes as many words as it can.
 */
function matchFrom(form: readonly Argument[], from: number, words: readonly Word[], first: number): ValueFault | null {
  const argument = form[from];
  let index = first;
  // The last argument may have thousands of words: those that fit are skipped without a recursive
  // call.
  if (argument?.repeats && from === form.length - 1) {
    while (index < words.length && refusedValue(argument, words[index]!.value) === null) index++;
    if (index === words.length && index > first) return null;
  }
  if (argument === undefined) return index < words.length ? { index, reason: 'word', expected: [] } : null;
  if (index >= words.length) {
    const needed = form.slice(from).find(({ optional }) => !optional);
    return needed === undefined || isRepetition(form, from)
      ? null
      : { index: words.length - 1, reason: 'missing', expected: [needed] };
  }
  const reason = refusedValue(argument, words[index]!.value);
  const faultIfTaken =
    reason === null
      ? matchFrom(form, argument.repeats ? from : from + 1, words, index + 1)
      : { index, reason, expected: [argument] };
  if (faultIfTaken === null || !argument.optional) return faultIfTaken;
  const skipped = matchFrom(form, from + 1, words, index);
  if (skipped === null) return null;
  // The word after an optional argument is reported, unless another argument takes it.
  if (isLeftOver(faultIfTaken) || isLeftOver(skipped)) return faultIfTaken;
  return skipped.index > faultIfTaken.index
    ? skipped
    : skipped.index === faultIfTaken.index
      ? { ...faultIfTaken, expected: [...faultIfTaken.expected, ...skipped.expected] }
      : faultIfTaken;
}

/** Whether the only fault is that words are left over. */
function isLeftOver({ expected }: ValueFault): boolean {
  return expected.length === 0;
}

/** Whether the argument already has its first word: it repeats, so it may stop here. */
function isRepetition(form: readonly Argument[], from: number): boolean {
  return form[from]!.repeats === true;
}

function refusedByKey(argument: Argument, value: string): ValueFault['reason'] | null {
  const { key } = argument;
  if (key === undefined) return refusedPlain(argument, value);
  // `+NameWidth=*`: the sign comes before the key.
  const unsigned = argument.signed ? value.replace(/^[+-]/, '') : value;
  if (unsigned.slice(0, key.length).toLowerCase() !== key.toLowerCase()) return 'word';
  return refusedPlain(argument, unsigned.slice(key.length));
}

function refusedPlain(argument: Argument, value: string): ValueFault['reason'] | null {
  // `LogLevel ssl:warn`: whether such a module exists is checked elsewhere.
  if (argument.qualifier !== undefined)
    return refusedOne({ ...argument, kinds: ['word'] }, value.slice(value.lastIndexOf(argument.qualifier) + 1));
  if (argument.separator !== undefined) {
    const reasons = value.split(argument.separator).map((part) => refusedOne(argument, part));
    return reasons.find((reason) => reason !== null) ?? null;
  }
  return refusedOne(argument, value);
}

const NUMERIC = new Set(['number', 'bytes', 'time']);

function refusedOne(argument: Argument, value: string): ValueFault['reason'] | null {
  const { kinds, words } = argument;
  if (words?.some((word) => isWord(argument, word.word, word.unsigned === true, value))) return null;
  if (kinds.some((kind) => kind !== 'word' && !NUMERIC.has(kind))) return null;
  const numeric = kinds.find((kind) => NUMERIC.has(kind));
  if (numeric === undefined) return 'word';
  // A lenient number also matches a word from the list in place of its digits: `SendBufferSize
  // none` is 0.
  if (
    argument.lenient &&
    words?.some(({ word }) => /^-?\d+$/.test(word) && Number(word) === (parseInt(value, 10) || 0))
  )
    return null;
  const reason = refusedNumber(argument, numeric as 'number' | 'bytes' | 'time', value);
  return reason === 'number' && words !== undefined ? 'word' : reason;
}

function isWord({ signed, exact }: Argument, word: string, isUnsigned: boolean, value: string): boolean {
  const hasSign = signed && !isUnsigned && /^[+-]/.test(value);
  const withoutSign = hasSign ? value.slice(1) : value;
  return exact ? withoutSign === word : withoutSign.toLowerCase() === word.toLowerCase();
}

/**
 * ap_timeout_parameter_parse (server/util.c): seconds, or a number followed by ms, s, mi, h. Text
 * after it is ignored (`1hour`), and a missing number counts as 0 (`soon`).
 */
const TIME = /^[+-]?(?:\d+|\d*(?:ms|s|mi|h).*)$/i;

const UNITS: Readonly<Record<string, number>> = { ms: 0.001, mi: 60, h: 3600 };

/**
 * If the range ends at 2^31 - 1, the server reads 32 bits, and the result for a larger number is
 * unknown here. With another end, the whole number counts.
 */
const INT_MAX = 2147483647;

/**
 * The most seconds that fit into a time of 64 bits in microseconds (ap_timeout_parameter_parse).
 */
const MOST_SECONDS = 9223372036854;

/** The result of atoi() for digits: the lower 32 of 64 bits. */
export function asInt(digits: string): number {
  const value = BigInt(digits.replace('+', ''));
  const most = 2n ** 63n - 1n;
  return Number(BigInt.asIntN(32, value > most ? most : value < -most ? -most - 1n : value));
}

function refusedNumber(
  { min, max, lenient }: Argument,
  kind: 'number' | 'bytes' | 'time',
  value: string,
): 'number' | 'range' | null {
  const digits = /^\s*([+-]?\d+)(?!\d)(.*)/s.exec(value);
  if (!lenient) {
    const isNumber = kind === 'time' ? TIME.test(value) : digits !== null && digits[2] === '';
    if (!isNumber) return 'number';
  }
  const unit = kind === 'time' ? (UNITS[/^(?:ms|mi|h)/i.exec(digits?.[2] ?? '')?.[0].toLowerCase() ?? ''] ?? 1) : 1;
  const isInt = lenient && kind !== 'time' && max === INT_MAX;
  const number = isInt ? asInt(digits?.[1] ?? '0') : Number(digits?.[1] ?? 0) * unit;
  if (kind === 'time' && number > MOST_SECONDS) return 'range';
  const isUnknown = kind !== 'time' && (max === undefined || max === INT_MAX);
  if (!isInt && isUnknown && Math.abs(number) > INT_MAX) return null;
  if ((min !== undefined && number < min) || (max !== undefined && number > max)) return 'range';
  return null;
}
