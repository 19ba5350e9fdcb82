/**
 * Maps the characters of a word's value to its line. A word loses its quotes and some backslashes
 * (`scanWord` in line.ts), and a continuation may split it; findings in the value have to be shown
 * in the line.
 */
import { endAt, logicalText, rawArguments, type Line, type Word } from './line';

/** A text that is part of a line, with a map of offsets. */
export interface PlacedText {
  readonly value: string;
  /** The offset in the line of the character at `offset` in `value` (0 to its length). */
  at(offset: number): number;
  /** The offset after the character before `offset`: the end of a span. */
  endAt(offset: number): number;
  /**
   * The offset in `value` of the character at an offset in the line, or the nearest one before it.
   */
  from(offset: number): number;
}

/** The value of a word of the line. */
export function placedWord(line: Line, word: Word): PlacedText {
  const raw = line.text.slice(word.start, word.end);
  const isPlain =
    !line.isJoined && word.value.length === raw.length - (word.quote === '' ? 0 : word.isTerminated ? 2 : 1);
  if (isPlain) return shifted(word.value, word.start + (word.quote === '' ? 0 : 1));
  return mapped(word.value, [...offsetsOf(line, word)]);
}

/** The text after the name, unchanged: for directives that parse it themselves. */
export function placedRest(line: Line): PlacedText {
  const { start, value } = rawArguments(line);
  if (!line.isJoined) return shifted(value, start);
  const logical = logicalText(line);
  const from = logicalOffset(line, start);
  return mapped(
    value,
    Array.from({ length: value.length + 1 }, (_, index) => logical.at(from + index)),
  );
}

/** A part of a placed text. */
export function part(text: PlacedText, start: number, end = text.value.length): PlacedText {
  return {
    value: text.value.slice(start, end),
    at: (offset) => text.at(start + offset),
    endAt: (offset) => text.endAt(start + offset),
    from: (offset) => Math.max(0, Math.min(end, text.from(offset)) - start),
  };
}

// ---------------------------------------------------------------------------------------------------------------------

function shifted(value: string, start: number): PlacedText {
  return {
    value,
    at: (offset) => start + offset,
    endAt: (offset) => start + offset,
    from: (offset) => Math.max(0, Math.min(value.length, offset - start)),
  };
}

/** `offsets` has one more entry than `value` has characters. */
function mapped(value: string, offsets: readonly number[]): PlacedText {
  return {
    value,
    at: (offset) => offsets[offset]!,
    endAt: (offset) => (offset === 0 ? offsets[0]! : offsets[offset - 1]! + 1),
    from: (offset) =>
      Math.max(
        0,
        offsets.findLastIndex((start) => start <= offset),
      ),
  };
}

/** The offset of each character of the value, then the offset after the last one. */
function* offsetsOf(line: Line, word: Word): Iterable<number> {
  const logical = logicalText(line);
  let position = logicalOffset(line, word.start) + (word.quote === '' ? 0 : 1);
  for (let index = 0; index < word.value.length; index++, position++) {
    const character = logical.text[position];
    const next = logical.text[position + 1];
    const isEscape = character === '\\' && (next === '\\' || (word.quote !== '' && next === word.quote));
    yield logical.at(position);
    if (isEscape) position++;
  }
  yield position === 0 ? 0 : endAt(logical, position);
}

function logicalOffset(line: Line, offset: number): number {
  if (!line.isJoined) return offset;
  const logical = logicalText(line);
  let low = 0;
  for (let high = logical.text.length; low < high; ) {
    const middle = (low + high) >> 1;
    if (logical.at(middle) >= offset) high = middle;
    else low = middle + 1;
  }
  return low;
}
