/**
 * Computes the ranges to which a selection can be expanded: word, argument, arguments, line,
 * section body, section, file.
 */
import type { Tree } from '../syntax/document';
import { argumentsOf, contentEnd, contentStart, LineKind, rawArguments, type Line } from '../syntax/line';
import { sectionsAt } from './sections-at';

/** A range of text that the editor may select. */
export interface Selection {
  /** UTF-16 offsets in the file. */
  readonly start: number;
  readonly end: number;
}

/**
 * The ranges around an offset, from the smallest to the whole file; each is larger than the one
 * before. There is always at least one.
 */
export function selectionRanges(tree: Tree, offset: number): Selection[] {
  const ranges: Selection[] = [];
  const addRange = (start: number, end: number) => {
    const lastRange = ranges.at(-1);
    if (start > offset || end < offset || start > end) return;
    if (
      lastRange
        ? start <= lastRange.start && end >= lastRange.end && end - start > lastRange.end - lastRange.start
        : end > start
    )
      ranges.push({ start, end });
  };
  const placedItem = tree.lineAt(offset);
  if (placedItem) addRangesOfLine(placedItem.line, placedItem.offset, offset, addRange);
  for (const { section, offset: start } of sectionsAt(tree, offset).reverse()) {
    const { open, close } = section;
    const [bodyStart, bodyEnd] = [start + open.length, start + section.length - close.length];
    if (offset >= bodyStart && offset <= bodyEnd) addRange(bodyStart, bodyEnd);
    addRange(start + contentStart(open), bodyEnd + contentEnd(close));
    addRange(start, start + section.length);
  }
  addRange(0, tree.length);
  return ranges.length > 0 ? ranges : [{ start: offset, end: offset }];
}

// ---------------------------------------------------------------------------------------------------------------------

/** Adds the ranges in a line: the word, the argument, all arguments, and the line. */
function addRangesOfLine(
  line: Line,
  lineOffset: number,
  offset: number,
  addRange: (start: number, end: number) => void,
): void {
  if (line.kind === LineKind.Blank) return;
  const { text } = line;
  const [start, end] = [lineOffset + contentStart(line), lineOffset + contentEnd(line)];
  let wordStart = offset - lineOffset;
  let wordEnd = wordStart;
  while (wordStart > 0 && WORD_CHARACTER.test(text[wordStart - 1]!)) wordStart--;
  while (wordEnd < text.length && WORD_CHARACTER.test(text[wordEnd]!)) wordEnd++;
  addRange(lineOffset + wordStart, lineOffset + wordEnd);
  if (line.kind !== LineKind.Comment) {
    for (const word of argumentsOf(line)) {
      const quote = word.quote.length;
      addRange(lineOffset + word.start + quote, lineOffset + word.end - (word.isTerminated ? quote : 0));
      addRange(lineOffset + word.start, lineOffset + word.end);
    }
    const allArguments = rawArguments(line);
    addRange(lineOffset + allArguments.start, lineOffset + allArguments.end);
  }
  addRange(start, end);
  // For a closing tag, the next larger range is its section. So the line with its line end is left
  // out.
  if (line.kind !== LineKind.Close) addRange(lineOffset, lineOffset + line.length);
}

const WORD_CHARACTER = /[\p{L}\p{N}_-]/u;
