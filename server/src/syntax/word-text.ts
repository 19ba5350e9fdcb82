/**
 * Converts offsets in the value of a word to offsets in its line, so that a mistake found in the
 * value can be shown in the line. The offsets differ, because the value has no quotes and fewer
 * backslashes (`scanWord` in line.ts), and a continuation may split the word.
 */
import { spanEndInLine, logicalText, rawArguments, type Line, type Word } from './line';

/**
 * A text that is a part of a line, with functions that convert offsets. All offsets are UTF-16
 * units.
 */
export interface PlacedText {
  readonly value: string;
  /**
   * Converts an offset in `value` (0 to its length) to the offset of the same character in the
   * line.
   */
  lineOffsetOf(offset: number): number;
  /**
   * Converts the end of a span in `value` to its end in the line: the offset right after the last
   * character of the span.
   */
  lineEndOf(offset: number): number;
  /**
   * Converts an offset in the line to the offset of the same character in `value`, or of the
   * nearest one before it.
   */
  valueOffsetOf(offset: number): number;
}

/** The value of a word, with its place in the line. */
export function placedWord(line: Line, word: Word): PlacedText {
  const wordText = line.text.slice(word.start, word.end);
  const hasNoEscapes =
    !line.isJoined && word.value.length === wordText.length - (word.quote === '' ? 0 : word.isTerminated ? 2 : 1);
  if (hasNoEscapes) return shiftedText(word.value, word.start + (word.quote === '' ? 0 : 1));
  return textWithOffsets(word.value, [...offsetsOf(line, word)]);
}

/**
 * The text after the name of the directive, with its quotes and escapes, for directives that split
 * this text themselves.
 */
export function placedRawArguments(line: Line): PlacedText {
  const { start, value } = rawArguments(line);
  if (!line.isJoined) return shiftedText(value, start);
  const logicalLine = logicalText(line);
  const logicalStart = logicalOffset(line, start);
  return textWithOffsets(
    value,
    Array.from({ length: value.length + 1 }, (_, index) => logicalLine.lineOffsetOf(logicalStart + index)),
  );
}

/** The part of a placed text from `start` to `end`, which are offsets in its value. */
export function partOfText(text: PlacedText, start: number, end = text.value.length): PlacedText {
  return {
    value: text.value.slice(start, end),
    lineOffsetOf: (offset) => text.lineOffsetOf(start + offset),
    lineEndOf: (offset) => text.lineEndOf(start + offset),
    valueOffsetOf: (offset) => Math.max(0, Math.min(end, text.valueOffsetOf(offset)) - start),
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** A text whose characters follow each other in the line from `start` on. */
function shiftedText(value: string, start: number): PlacedText {
  return {
    value,
    lineOffsetOf: (offset) => start + offset,
    lineEndOf: (offset) => start + offset,
    valueOffsetOf: (offset) => Math.max(0, Math.min(value.length, offset - start)),
  };
}

/** A text with one offset for each character of `value`, and one more for its end. */
function textWithOffsets(value: string, offsets: readonly number[]): PlacedText {
  return {
    value,
    lineOffsetOf: (offset) => offsets[offset]!,
    lineEndOf: (offset) => (offset === 0 ? offsets[0]! : offsets[offset - 1]! + 1),
    valueOffsetOf: (offset) =>
      Math.max(
        0,
        offsets.findLastIndex((start) => start <= offset),
      ),
  };
}

/**
 * The offset in the line of each character of the word's value, then the offset after the last one.
 */
function* offsetsOf(line: Line, word: Word): Iterable<number> {
  const logicalLine = logicalText(line);
  let position = logicalOffset(line, word.start) + (word.quote === '' ? 0 : 1);
  for (let index = 0; index < word.value.length; index++, position++) {
    const character = logicalLine.text[position];
    const nextCharacter = logicalLine.text[position + 1];
    const isEscape =
      character === '\\' && (nextCharacter === '\\' || (word.quote !== '' && nextCharacter === word.quote));
    yield logicalLine.lineOffsetOf(position);
    if (isEscape) position++;
  }
  yield position === 0 ? 0 : spanEndInLine(logicalLine, position);
}

/** Converts an offset in a line to an offset in its logical text. */
function logicalOffset(line: Line, offset: number): number {
  if (!line.isJoined) return offset;
  const logicalLine = logicalText(line);
  let low = 0;
  for (let high = logicalLine.text.length; low < high; ) {
    const middle = (low + high) >> 1;
    if (logicalLine.lineOffsetOf(middle) >= offset) high = middle;
    else low = middle + 1;
  }
  return low;
}
