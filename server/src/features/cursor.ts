/**
 * Reads the text around the cursor as httpd does: the beginning of a name, a closing tag, or an
 * argument. Completion and signature help use it.
 */
import type { Tree } from '../syntax/document';
import { isOpenEnded, type Line, LineKind, logicalText, type LogicalText } from '../syntax/line';
import { Section, unpairedTags, type List } from '../syntax/tree';
import { itemAt } from './sections-at';

/** A complete word before the cursor, as httpd reads it. */
export interface WordBefore {
  readonly value: string;
  /** The index in `Cursor.textBefore` where the word starts, with its quote. */
  readonly start: number;
}

/** The text around the cursor: which word of which line the user types. */
export interface Cursor {
  /**
   * What the user types: the name of a directive or section, the name in a closing tag, or an
   * argument.
   */
  readonly kind: 'name' | 'close' | 'argument';
  /** The text of the logical line before the cursor. */
  readonly textBefore: string;
  /** The text of the logical line after the cursor. */
  readonly textAfter: string;
  /**
   * The name of the directive or section, as far as it is before the cursor; in lower case, without
   * `<` and `</`.
   */
  readonly name: string;
  /** Whether `<` comes before the name. */
  readonly isTag: boolean;
  /** The index in `textBefore` where the name starts, with its `<` or `</`. */
  readonly nameStart: number;
  /** The complete words between the name and the word at the cursor. */
  readonly words: readonly WordBefore[];
  /**
   * The word at the cursor, as far as it is before the cursor, without its quote; empty at the
   * start of a word.
   */
  readonly word: string;
  /** The index in `textBefore` where `word` starts, after its quote. */
  readonly wordStart: number;
  /** The quote with which the word at the cursor begins; '' if it has none. */
  readonly quote: '"' | "'" | '';
  /**
   * Converts an index in `textBefore` to a UTF-16 offset in the file. For the length of
   * `textBefore`, this is the offset of the cursor.
   */
  offsetOf(index: number): number;
}

/** Returns the text around a UTF-16 offset; null in a comment. */
export function cursorAt(tree: Tree, offset: number): Cursor | null {
  const placedLine = tree.lineAt(offset);
  if (!placedLine || isAfterLastLine(placedLine, offset)) return readCursor('', '', () => offset);
  const { line } = placedLine;
  if (line.kind === LineKind.Comment) return null;
  const logicalLine = logicalText(line);
  const offsetInLine = offset - placedLine.offset;
  const cursorIndex = logicalLine.isJoined
    ? lastIndexAt(logicalLine, offsetInLine)
    : Math.min(offsetInLine, logicalLine.text.length);
  return readCursor(logicalLine.text.slice(0, cursorIndex), logicalLine.text.slice(cursorIndex), (textIndex) =>
    textIndex === cursorIndex ? offset : placedLine.offset + logicalLine.lineOffsetOf(textIndex),
  );
}

/** The tags of the sections around a place in a file, and tags without a counterpart. */
export interface SectionTags {
  /** The open tags of the surrounding sections, outermost first. */
  readonly enclosingTags: readonly Line[];
  /**
   * Open tags before the cursor's line that have no closing tag, the innermost last. They are
   * inside of all sections of `enclosingTags`.
   */
  readonly unclosedTags: readonly Line[];
  /**
   * The name, in lower case, of the first closing tag after the cursor's line that has no open tag.
   * Null if there is none, or if there are too many unpaired tags.
   */
  readonly nextUnopenedName: string | null;
}

/**
 * The sections around a UTF-16 offset. A section contains its closing tag, but not its open tag.
 */
export function sectionsAround(tree: Tree, offset: number): SectionTags {
  const placedLine = tree.lineAt(offset);
  const lineStart = !placedLine || isAfterLastLine(placedLine, offset) ? offset : placedLine.offset;
  const enclosingTags: Line[] = [];
  let innerList = tree.root;
  let listStart = 0;
  for (;;) {
    const placedItem = itemAt(innerList, listStart, lineStart);
    if (!placedItem || !(placedItem.item instanceof Section)) break;
    const { open, body } = placedItem.item;
    const bodyStart = placedItem.offset + open.length;
    if (lineStart < bodyStart) break;
    enclosingTags.push(open);
    innerList = body;
    listStart = bodyStart;
    if (lineStart >= bodyStart + body.length) break;
  }
  return {
    enclosingTags,
    unclosedTags: unclosedTagsBefore(innerList, listStart, lineStart),
    nextUnopenedName: closingTagAfter(innerList, listStart, lineStart),
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** Limit for unpaired tags in a file. If there are more, it is unclear which sections are open. */
const MAX_UNPAIRED_TAGS = 1000;

/** Whether an offset is in an empty line after the last line of the file. */
function isAfterLastLine({ line, offset: start }: { line: Line; offset: number }, offset: number): boolean {
  return offset >= start + line.length && !isOpenEnded(line.text);
}

/** The last index in the logical text that is not after `offsetInLine`, an offset in the line. */
function lastIndexAt(logicalLine: LogicalText, offsetInLine: number): number {
  let low = 0;
  let high = Math.min(offsetInLine, logicalLine.text.length);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (logicalLine.lineOffsetOf(middle) <= offsetInLine) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * The name of the first closing tag after an offset that has no open tag. Null if there is none, or
 * if the list has too many unpaired tags. `listOffset`: the offset of the list in the file.
 */
function closingTagAfter(list: List, listOffset: number, offset: number): string | null {
  if (list.unpairedCloses === 0 || list.unpairedOpens + list.unpairedCloses > MAX_UNPAIRED_TAGS) return null;
  const stack: string[] = [];
  for (const { line, offset: tagOffset } of unpairedTags(list, listOffset)) {
    if (tagOffset <= offset) continue;
    if (line.kind === LineKind.Open) stack.push(line.name);
    else if (!stack.includes(line.name)) return line.name;
    else stack.length = stack.lastIndexOf(line.name);
  }
  return null;
}

/**
 * The open tags before an offset that have no closing tag, the innermost last. Empty if the list
 * has too many unpaired tags. `listOffset`: the offset of the list in the file.
 */
function unclosedTagsBefore(list: List, listOffset: number, offset: number): Line[] {
  if (list.unpairedOpens === 0 || list.unpairedOpens + list.unpairedCloses > MAX_UNPAIRED_TAGS) return [];
  const stack: Line[] = [];
  for (const tag of unpairedTags(list, listOffset)) {
    if (tag.offset >= offset) break;
    if (tag.line.kind === LineKind.Open) {
      stack.push(tag.line);
      continue;
    }
    let matchingIndex = stack.length - 1;
    while (matchingIndex >= 0 && stack[matchingIndex]!.name !== tag.line.name) matchingIndex--;
    if (matchingIndex >= 0) stack.length = matchingIndex;
  }
  return stack;
}

/**
 * Makes the cursor from the text of its logical line before and after it. `offsetOf`: see `Cursor`.
 */
function readCursor(textBefore: string, textAfter: string, offsetOf: (index: number) => number): Cursor {
  const nameStart = textBefore.length - textBefore.trimStart().length;
  const [, tag = '', name = '', gap = ''] = /^(<?\/?)(\S*)(\s*)/.exec(textBefore.slice(nameStart))!;
  const argumentStart = nameStart + tag.length + name.length + gap.length;
  const commonParts = {
    textBefore,
    textAfter,
    name: asciiLower(name),
    isTag: tag.startsWith('<'),
    nameStart,
    offsetOf,
  };
  if (tag.endsWith('/') && tag.startsWith('<'))
    return { ...commonParts, kind: 'close', words: [], word: name, wordStart: nameStart + tag.length, quote: '' };
  if (gap === '')
    return { ...commonParts, kind: 'name', words: [], word: name, wordStart: nameStart + tag.length, quote: '' };
  return { ...commonParts, kind: 'argument', ...splitTextBeforeCursor(textBefore, argumentStart) };
}

/**
 * Splits the text before the cursor into words, as ap_getword_conf does; the last one is the word
 * at the cursor.
 */
function splitTextBeforeCursor(
  text: string,
  startIndex: number,
): Pick<Cursor, 'words' | 'word' | 'wordStart' | 'quote'> {
  const wordsBefore: WordBefore[] = [];
  let position = startIndex;
  for (;;) {
    while (position < text.length && isSpace(text.charCodeAt(position))) position++;
    const currentStart = position;
    const firstCharacter = text[currentStart];
    const quote = firstCharacter === '"' || firstCharacter === "'" ? firstCharacter : '';
    let wordValue = '';
    position = currentStart + quote.length;
    while (position < text.length && (quote ? text[position] !== quote : !isSpace(text.charCodeAt(position)))) {
      if (quote && text[position] === '\\' && (text[position + 1] === '\\' || text[position + 1] === quote)) position++;
      wordValue += text[position++] ?? '';
    }
    if (position >= text.length)
      return {
        words: wordsBefore,
        word: text.slice(currentStart + quote.length),
        wordStart: currentStart + quote.length,
        quote,
      };
    wordsBefore.push({ value: wordValue, start: currentStart });
    if (quote) position++;
  }
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

function asciiLower(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
