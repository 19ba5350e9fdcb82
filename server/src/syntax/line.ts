/**
 * Logical lines, which are the leaves of the tree, and how httpd splits a file into them and into
 * words.
 *
 * A logical line is what httpd reads after joining `\` continuations (ap_cfg_getline in
 * server/util.c of 2.4). The text of a `Line` is the text in the file, line ends included, so that
 * the texts of all leaves, joined, are the file. Offsets in this file are UTF-16 units from the
 * start of the line; a line does not contain its offset in the file.
 *
 * Lines are read as 2.4 reads them; `differencesIn22` returns how 2.2 reads a line differently. A
 * line also has bits for the template text in it (template.ts), which httpd does not know.
 */
import { hasHiddenCharacter } from './hidden-text';
import { isMarkupLine, mayHaveTemplate, tagsIn, Template, templateBitsOf, TemplateTrait } from './template';
import { cache, latestValue, recentSlots } from './memory';

export const enum LineKind {
  Blank,
  Comment,
  Directive,
  /** `<X args>`, with or without a matching close. */
  Open,
  /** `</X>`, with or without a matching open. */
  Close,
}

/**
 * One logical line. Only `cache` can change: other modules store computed values about the line in
 * it. A file has many lines, so small fields share one number (`traitBits`) to save memory.
 */
export class Line {
  cache: unknown = undefined;

  /**
   * The length of `text` in UTF-16 units. It is a field, so that code that adds up lengths need not
   * read the texts, which would be slower.
   */
  readonly length: number;
  /**
   * Three values in one number, so that a list can add them up with one read: bits of `LineTrait`,
   * bits of `TemplateTrait`, and the number of line ends. `LineBits` has their positions.
   */
  readonly traitBits: number;

  /** `traits`: bits of `LineTrait` and of `TemplateTrait`. */
  constructor(
    readonly kind: LineKind,
    /**
     * The name of the directive or section in lower case, without `<`, `</` and `>`; '' for empty
     * lines and comments.
     */
    readonly name: string,
    /** The physical text with its line ends. Never empty. */
    readonly text: string,
    /**
     * The start of the name in `text`; `nameStart` and `nameEnd` are 0 for empty lines and
     * comments.
     */
    readonly nameStart: number,
    readonly nameEnd: number,
    lineEnds: number,
    traits: number,
  ) {
    this.length = text.length;
    this.traitBits = traits | (lineEnds << LineBits.LineEnds);
  }

  /**
   * The number of line ends as the language server protocol counts them: LF, CR LF, or a lone CR
   * (which is a space for httpd).
   */
  get lineEnds(): number {
    return this.traitBits >> LineBits.LineEnds;
  }

  /**
   * Whether the line may contain `${`. All lines that are parsed together share the answer: true if
   * one of them contains `${`.
   */
  get mayHaveVariable(): boolean {
    return (this.traitBits & LineTrait.MayHaveVariable) !== 0;
  }

  /**
   * Whether the line may have invisible characters (hidden-text.ts). All lines that are parsed
   * together share the answer: true if one of them has such a character.
   */
  get mayHaveInvisible(): boolean {
    return (this.traitBits & LineTrait.MayHaveInvisible) !== 0;
  }

  /**
   * Whether the text that httpd reads differs from `text` without its line end, because the line
   * has a continuation or a NUL.
   */
  get isJoined(): boolean {
    return (this.traitBits & LineTrait.Joined) !== 0;
  }

  /**
   * For an open tag: whether it has a `>`. httpd refuses a tag without `>`, so such a tag is not
   * paired with a close tag. For a close tag: whether it is exactly `</Name>`.
   */
  get isComplete(): boolean {
    return (this.traitBits & LineTrait.Complete) !== 0;
  }

  /**
   * Whether the line is a comment that contains "httpd-upgrade", an instruction to this program.
   */
  get isPragma(): boolean {
    return (this.traitBits & LineTrait.Pragma) !== 0;
  }

  /** How template text affects the line. */
  get template(): Template {
    return (this.traitBits >> LineBits.Template) & (Template.Value | Template.Structure);
  }

  /** The bits of `TemplateTrait` that the line has. */
  get templateTraits(): number {
    return (this.traitBits >> LineBits.Template) & (TemplateTrait.Dangling | TemplateTrait.AnyWord);
  }
}

/** The bits for the properties `isJoined`, `isComplete` and so on of `Line`. */
const enum LineTrait {
  Joined = 1,
  Complete = 2,
  Pragma = 4,
  MayHaveVariable = 8,
  MayHaveInvisible = 16,
}

/**
 * Where the values in `Line.traitBits` start, as bit numbers. The bits below `Template` are those
 * of `LineTrait`; then come the bits of `TemplateTrait`, and the number of line ends.
 */
export const enum LineBits {
  Template = 5,
  LineEnds = 9,
}

/** A word as `ap_getword_conf` splits it. */
export interface Word {
  /**
   * Offsets in the text of the line: before the first character and after the last, quotes
   * included.
   */
  readonly start: number;
  readonly end: number;
  /** The word without its quotes and escapes. */
  readonly value: string;
  readonly quote: '"' | "'" | '';
  /** Whether the closing quote is present. httpd accepts a word without it. */
  readonly isTerminated: boolean;
}

/** Matches comments that are instructions to this program. */
const PRAGMA_TEXT = /httpd-upgrade/i;

/**
 * Splits text into logical lines. `text` must start at the start of a logical line. The last line
 * is incomplete if the text ends without LF or within a continuation.
 */
export function lexLines(text: string): Line[] {
  const lines: Line[] = [];
  pushLines(text, lines);
  return lines;
}

/**
 * Like `lexLines`, but passes each line to `receiver` as soon as it is read. This is faster,
 * because the line is then still in the processor's cache.
 */
export function pushLines(text: string, receiver: { push(line: Line): unknown }): void {
  const traits = textTraitsOf(text);
  for (let start = 0; start < text.length; ) {
    const line = nextLine(text, start, traits);
    receiver.push(line);
    start += line.length;
  }
}

/**
 * Whether the last logical line of `text` is not complete, so that text appended to `text` would
 * continue this line. `text` starts at the start of a logical line.
 */
export function isOpenEnded(text: string): boolean {
  if (text.length === 0) return false;
  if (text.charCodeAt(text.length - 1) !== LF) return true;
  const lastLineStart = text.lastIndexOf('\n', text.length - 2) + 1;
  return isContinued(text, lastLineStart, text.length - 1, text.includes('\0', lastLineStart));
}

/**
 * The text that httpd reads for a logical line: continuations joined, each physical line cut at a
 * NUL, no line end.
 */
export interface LogicalText {
  readonly text: string;
  /** Whether offsets in `text` differ from those in the physical text. */
  readonly isJoined: boolean;
  /**
   * Converts an offset in `text` (0 to its length) to the offset of the same character in the line.
   */
  lineOffsetOf(offset: number): number;
}

/**
 * Converts the end of a span in the logical text to its end in the line. This is the offset right
 * after the last character of the span, before any continuation that follows.
 */
export function spanEndInLine(logicalLine: LogicalText, offset: number): number {
  return offset === 0 ? logicalLine.lineOffsetOf(0) : logicalLine.lineOffsetOf(offset - 1) + 1;
}

/** The text that httpd reads for a line. */
export function logicalText(line: Line): LogicalText {
  if (!line.isJoined) return unjoinedText(line.text);
  if (lastLogicalText.value?.line !== line) lastLogicalText.value = { line, logicalText: joinLines(line.text) };
  return lastLogicalText.value.logicalText;
}

/**
 * The logical text of the most recent line. It is cached, because a caller converts the offsets of
 * all words of a line one after the other.
 */
const lastLogicalText = latestValue<{ readonly line: Line; readonly logicalText: LogicalText } | null>(null);

/** The words after the name of the directive; for a section tag, those before the last `>`. */
export function argumentsOf(line: Line): readonly Word[] {
  const cachedIndex = recentLines.indexOf(line);
  if (cachedIndex >= 0) return recentWords[cachedIndex]!;
  const words = readArguments(line);
  recentLines[nextRecentSlot.value] = line;
  recentWords[nextRecentSlot.value] = words;
  nextRecentSlot.value = (nextRecentSlot.value + 1) % RECENT_LINE_COUNT;
  return words;
}

/**
 * The number of lines whose words are cached, because several rules read the words of a line one
 * after another. The words of all lines would take too much memory.
 */
const RECENT_LINE_COUNT = 8;
const recentLines = recentSlots<Line | null>(RECENT_LINE_COUNT, null);
const recentWords = recentSlots<readonly Word[]>(RECENT_LINE_COUNT, []);
const nextRecentSlot = latestValue(0);

function readArguments(line: Line): readonly Word[] {
  const text = line.isJoined ? logicalText(line).text : withoutLineEnd(line.text);
  const { start, end } = argumentRange(line, text);
  const words = splitWords(text, start, end, Infinity, line.template === Template.Value ? tagsIn(text) : NO_TAGS);
  return line.isJoined ? placedWords(words, logicalText(line)) : words;
}

/**
 * The text after the name of the directive, trimmed but with its quotes and escapes, as directives
 * of the kind RAW_ARGS get it. For a section, the text up to the last `>`.
 */
export function rawArguments(line: Line): { start: number; end: number; value: string } {
  const logicalLine = logicalText(line);
  const { start, end } = argumentRange(line, logicalLine.text);
  return {
    start: logicalLine.lineOffsetOf(start),
    end: end > start ? spanEndInLine(logicalLine, end) : logicalLine.lineOffsetOf(start),
    value: logicalLine.text.slice(start, end),
  };
}

/** The name as spelled in the file; it starts at `line.nameStart` of `line.text`. */
export function spelledName(line: Line): string {
  const nameInFile = line.text.slice(line.nameStart, line.nameEnd);
  return line.isJoined ? nameInFile.replace(/\\\r?\n/g, '') : nameInFile;
}

/** The offset right after the last word of the line, before trailing spaces and line end. */
export function contentEnd(line: Line): number {
  let end = line.text.length;
  while (end > 0 && isSpace(line.text.charCodeAt(end - 1))) end--;
  return end;
}

/** The start of the first word of the line. */
export function contentStart(line: Line): number {
  let start = 0;
  while (start < line.text.length && isSpace(line.text.charCodeAt(start))) start++;
  return start;
}

/** The spaces before the first word. */
export function indentOf(line: Line): string {
  return line.text.slice(0, contentStart(line)).replace(/[\r\n]/g, '');
}

/**
 * Whether a text begins with a byte order mark, decoded as UTF-8 or as single bytes
 * (host/decode.ts). httpd reads it as part of the first word.
 */
export function isByteOrderMark(text: string): boolean {
  const firstCode = text.charCodeAt(0);
  return firstCode === 0xfeff || (firstCode === 0xef && text.startsWith('\u00ef\u00bb\u00bf'));
}

/** The number of bytes that httpd reads for a line, line end included. */
export function logicalByteLength(line: Line): number {
  const lineEnd = /\r?\n$/.exec(line.text)?.[0].length ?? 0;
  return utf8Length(logicalText(line).text) + lineEnd;
}

/** The ways in which 2.2 reads a line differently from 2.4. */
export type Difference22 =
  /** `\\` before the line end: 2.2 removes one backslash and ends the line; 2.4 continues it. */
  | 'escaped-backslash'
  /**
   * A `\` at the end of the last line: 2.2 ignores the whole line; 2.4 reads it without the
   * backslash.
   */
  | 'dropped-at-end'
  /** 2.2 cuts a logical line after 8191 bytes and reads the rest as another line. */
  | 'cut';

/**
 * The longest logical line that 2.2 reads whole: its buffer of MAX_STRING_LEN holds 8191 bytes and
 * a NUL.
 */
const LINE_LIMIT_22 = 8191;

/** How 2.2 reads a line differently. `isLastOfFile`: whether it is the last line of its file. */
export function differencesIn22(line: Line, isLastOfFile: boolean): Difference22[] {
  const differences: Difference22[] = [];
  if (line.isJoined && /\\\\\r?\n/.test(line.text)) differences.push('escaped-backslash');
  if (isLastOfFile && line.isJoined && /\\\r?\n$/.test(line.text)) differences.push('dropped-at-end');
  if (line.text.length * 3 >= LINE_LIMIT_22 && utf8Length(logicalText(line).text) >= LINE_LIMIT_22)
    differences.push('cut');
  return differences;
}

// ---------------------------------------------------------------------------------------------------------------------

const LF = 10;
const CR = 13;
const BACKSLASH = 92;
const HASH = 35;
const LESS_THAN = 60;
const GREATER_THAN = 62;
const SLASH = 47;

/** Properties of a whole text. They show which checks can be skipped for each of its lines. */
interface TextTraits {
  readonly hasNul: boolean;
  readonly hasReturn: boolean;
  /** The bits of `LineTrait` that every line of the text gets. */
  readonly traitBits: number;
  /** Whether each line has to be checked for template text. */
  readonly mayBeTemplate: boolean;
  /**
   * Whether the text has no NUL, no CR and no template text, so that a line without a continuation
   * needs no special handling.
   */
  readonly isUsual: boolean;
}

function textTraitsOf(text: string): TextTraits {
  const hasNul = text.includes('\0');
  const hasReturn = text.includes('\r');
  const mayBeTemplate = mayHaveTemplate(text);
  return {
    hasNul,
    hasReturn,
    traitBits:
      (text.includes('${') ? LineTrait.MayHaveVariable : 0) |
      (hasHiddenCharacter(text) ? LineTrait.MayHaveInvisible : 0),
    mayBeTemplate,
    isUsual: !hasNul && !hasReturn && !mayBeTemplate,
  };
}

/**
 * Reads the logical line that begins at `start`. It is a function and not a part of the loop over
 * lines, because V8 compiles a function that is called often, but not a loop that is still running
 * (cli/start.ts).
 */
function nextLine(text: string, start: number, traits: TextTraits): Line {
  if (traits.isUsual) {
    const newlineIndex = text.indexOf('\n', start);
    if (newlineIndex === start || (newlineIndex > start && text.charCodeAt(newlineIndex - 1) !== BACKSLASH))
      return lexUsual(text, start, newlineIndex, traits.traitBits);
  }
  const logicalLineEnd = logicalEnd(text, start, traits);
  return lexLine(start === 0 && logicalLineEnd === text.length ? text : text.slice(start, logicalLineEnd), traits);
}

/** Whether isspace() of C accepts the character code, in the C locale. */
function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

/**
 * The end of the word that begins at `from`; at most `to`. The code of `isSpace` is repeated here
 * for speed: reading a file spends most of its time in this function before V8 optimizes it.
 */
function wordEnd(text: string, from: number, to: number): number {
  let index = from;
  for (; index < to; index++) {
    const code = text.charCodeAt(index);
    if (code === 32 || (code >= 9 && code <= 13)) break;
  }
  return index;
}

/** The start of the next word; `to` if there is none. */
function wordStart(text: string, from: number, to: number): number {
  let index = from;
  for (; index < to; index++) {
    const code = text.charCodeAt(index);
    if (code !== 32 && (code < 9 || code > 13)) break;
  }
  return index;
}

/** The end of the logical line that begins at `start`, after its line end. */
function logicalEnd(text: string, start: number, traits: TextTraits): number {
  let physicalStart = start;
  for (;;) {
    const newlineIndex = text.indexOf('\n', physicalStart);
    if (newlineIndex < 0) return text.length;
    const nextLineStart = newlineIndex + 1;
    const lineHasNul = traits.hasNul && text.slice(physicalStart, newlineIndex).includes('\0');
    if (!isContinued(text, physicalStart, newlineIndex, lineHasNul) || nextLineStart === text.length)
      return nextLineStart;
    physicalStart = nextLineStart;
  }
}

/**
 * Whether the physical line from `start` to the LF at `newlineIndex` ends in a continuation
 * backslash.
 */
function isContinued(text: string, start: number, newlineIndex: number, hasNul: boolean): boolean {
  let lastIndex = newlineIndex - 1;
  if (lastIndex >= start && text.charCodeAt(lastIndex) === CR) lastIndex--;
  return lastIndex >= start && text.charCodeAt(lastIndex) === BACKSLASH && !hasNul;
}

/** Reads a logical line that may have continuations, a NUL, a CR or template text. */
function lexLine(text: string, traits: TextTraits): Line {
  const firstNewline = text.indexOf('\n');
  const isOnePhysical =
    firstNewline < 0 || (firstNewline === text.length - 1 && !isContinued(text, 0, firstNewline, false));
  const isJoined = !isOnePhysical || (traits.hasNul && text.includes('\0'));
  const lineEnds = isOnePhysical && !traits.hasReturn ? (firstNewline < 0 ? 0 : 1) : countLineEnds(text);
  const template = traits.mayBeTemplate ? templateBitsOf(text) : 0;
  const bits = traits.traitBits | (template << LineBits.Template);
  const logicalLine = isJoined ? joinLines(text) : unjoinedText(text);
  return (template & Template.Structure) !== 0 && isMarkupLine(text)
    ? lexMarkup(text, logicalLine, lineEnds, bits)
    : lexUnusual(text, logicalLine, lineEnds, bits);
}

/**
 * Reads a line such as `<% if port %>`, `<?php … ?>` or `</#if>`. httpd reads it as an unknown
 * section tag; here it is a line that pairs with nothing.
 */
function lexMarkup(text: string, logicalLine: LogicalText, lineEnds: number, bits: number): Line {
  const isJoined = logicalLine.text.length !== withoutLineEnd(text).length;
  const tagMatch = /<\/?(\S*)/.exec(logicalLine.text) as RegExpExecArray & [string, string];
  const nameStart = tagMatch.index + tagMatch[0].length - tagMatch[1].length;
  return new Line(
    LineKind.Directive,
    lowerCase(tagMatch[1]),
    text,
    logicalLine.lineOffsetOf(nameStart),
    spanEndInLine(logicalLine, nameStart + tagMatch[1].length),
    lineEnds,
    isJoined ? bits | LineTrait.Joined : bits,
  );
}

/**
 * Reads a line from `start` to the LF at `newlineIndex` that has no continuation, NUL or CR, so
 * that offsets in the logical text and in the line are the same. Reads from `source` without
 * slicing it, which is faster.
 */
function lexUsual(source: string, start: number, newlineIndex: number, bits: number): Line {
  const text = start === 0 && newlineIndex + 1 === source.length ? source : source.slice(start, newlineIndex + 1);
  const nameStart = wordStart(source, start, newlineIndex);
  const firstCode = source.charCodeAt(nameStart);
  if (nameStart === newlineIndex) return new Line(LineKind.Blank, '', text, 0, 0, 1, bits);
  if (firstCode === HASH)
    return new Line(LineKind.Comment, '', text, 0, 0, 1, PRAGMA_TEXT.test(text) ? bits | LineTrait.Pragma : bits);
  if (firstCode === 34 || firstCode === 39) return lexUnusual(text, unjoinedText(text), 1, bits);
  if (firstCode === LESS_THAN) return lexUsualTag(source, text, start, nameStart, newlineIndex, bits);
  let nameEnd = nameStart;
  while (nameEnd < newlineIndex) {
    const code = source.charCodeAt(nameEnd);
    if (code === 32 || (code >= 9 && code <= 13)) break;
    if (code === BACKSLASH) return lexUnusual(text, unjoinedText(text), 1, bits);
    nameEnd++;
  }
  return new Line(
    LineKind.Directive,
    nameAt(source, nameStart, nameEnd),
    text,
    nameStart - start,
    nameEnd - start,
    1,
    bits,
  );
}

/** Reads a section tag for `lexUsual`; `tagStart` is the offset of its `<` in `source`. */
function lexUsualTag(
  source: string,
  text: string,
  start: number,
  tagStart: number,
  newlineIndex: number,
  bits: number,
): Line {
  const isCloseTag = source.charCodeAt(tagStart + 1) === SLASH;
  const nameStart = tagStart + (isCloseTag ? 2 : 1);
  const firstWordEnd = wordEnd(source, tagStart, newlineIndex);
  const nameEnd =
    firstWordEnd > nameStart && source.charCodeAt(firstWordEnd - 1) === GREATER_THAN
      ? firstWordEnd - 1
      : Math.max(nameStart, firstWordEnd);
  const isComplete = isCloseTag
    ? isTagClosed(source, firstWordEnd, newlineIndex)
    : text.indexOf('>', nameStart - start) >= 0;
  const kind = isCloseTag ? LineKind.Close : LineKind.Open;
  return new Line(
    kind,
    nameAt(source, nameStart, nameEnd),
    text,
    nameStart - start,
    nameEnd - start,
    1,
    isComplete ? bits | LineTrait.Complete : bits,
  );
}

/**
 * Whether a close tag is one word that ends in `>`, with only spaces between `firstWordEnd` and
 * `end`, the end of the line.
 */
function isTagClosed(source: string, firstWordEnd: number, end: number): boolean {
  return source.charCodeAt(firstWordEnd - 1) === GREATER_THAN && wordStart(source, firstWordEnd, end) === end;
}

/** Reads a line of any kind, except for `lexMarkup`; slower than `lexUsual`. */
function lexUnusual(text: string, logicalLine: LogicalText, lineEnds: number, bits: number): Line {
  const source = logicalLine.text;
  const isJoined = source.length !== withoutLineEnd(text).length;
  const firstWordStart = wordStart(source, 0, source.length);
  const allTraits = isJoined ? bits | LineTrait.Joined : bits;
  const createLine = (kind: LineKind, name: string, nameStart: number, nameEnd: number, traits = 0) =>
    new Line(kind, name, text, nameStart, nameEnd, lineEnds, allTraits | traits);
  if (firstWordStart === source.length) return createLine(LineKind.Blank, '', 0, 0);
  if (source.charCodeAt(firstWordStart) === HASH)
    return createLine(LineKind.Comment, '', 0, 0, PRAGMA_TEXT.test(source) ? LineTrait.Pragma : 0);
  // The text from `firstWordStart` is not empty, so it has a word.
  const words = splitWords(source, firstWordStart, source.length, 1, NO_TAGS);
  const word = (logicalLine.isJoined ? placedWords(words, logicalLine) : words)[0]!;
  if (word.quote === '' && source.charCodeAt(firstWordStart) === LESS_THAN) {
    const isCloseTag = source.charCodeAt(firstWordStart + 1) === SLASH;
    const nameStart = firstWordStart + (isCloseTag ? 2 : 1);
    const firstWordEnd = wordEnd(source, firstWordStart, source.length);
    const nameEnd =
      firstWordEnd > nameStart && source.charCodeAt(firstWordEnd - 1) === GREATER_THAN
        ? firstWordEnd - 1
        : Math.max(nameStart, firstWordEnd);
    const name = lowerCase(source.slice(nameStart, nameEnd));
    const isComplete = isCloseTag ? isTagClosed(source, firstWordEnd, source.length) : source.includes('>', nameStart);
    const traits = isComplete ? LineTrait.Complete : 0;
    return createLine(
      isCloseTag ? LineKind.Close : LineKind.Open,
      name,
      logicalLine.lineOffsetOf(nameStart),
      spanEndInLine(logicalLine, nameEnd),
      traits,
    );
  }
  const quoteLength = word.quote === '' ? 0 : 1;
  const directiveNameEnd = word.quote !== '' && word.isTerminated ? word.end - 1 : word.end;
  return createLine(LineKind.Directive, lowerCase(word.value), word.start + quoteLength, directiveNameEnd);
}

/** The range of the arguments in the logical text of a line, without spaces around them. */
function argumentRange(line: Line, text: string): { start: number; end: number } {
  let end = text.length;
  let start = wordStart(text, 0, end);
  if (line.kind === LineKind.Open || line.kind === LineKind.Close) {
    const lastBracket = text.lastIndexOf('>');
    start = wordEnd(text, start, end);
    if (lastBracket >= 0) end = Math.min(end, lastBracket);
    start = Math.min(start, end);
  } else {
    const firstCode = text.charCodeAt(start);
    start = firstCode === 34 || firstCode === 39 ? scanWord(text, start, end).end : wordEnd(text, start, end);
  }
  start = wordStart(text, start, end);
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return { start, end };
}

type Tag = ReturnType<typeof tagsIn>[number];
const NO_TAGS: readonly Tag[] = [];

/**
 * Splits a logical text into words, as repeated calls of ap_getword_conf do. The offsets of the
 * words are offsets in the logical text.
 */
function splitWords(text: string, from: number, to: number, maxWords: number, tags: readonly Tag[]): Word[] {
  const words: Word[] = [];
  let position = from;
  while (words.length < maxWords) {
    position = wordStart(text, position, to);
    if (position >= to) break;
    const word = tags.length > 0 ? scanWordWithTags(text, position, to, tags) : scanWord(text, position, to);
    words.push(word);
    position = word.end;
  }
  return words;
}

/** The words with their offsets converted from the logical text to the line. */
function placedWords(words: readonly Word[], logicalLine: LogicalText): Word[] {
  return words.map((word) => ({
    ...word,
    start: logicalLine.lineOffsetOf(word.start),
    end: spanEndInLine(logicalLine, word.end),
  }));
}

/** Reads the word that begins at `start`, up to `to` at most, as ap_getword_conf does. */
function scanWord(text: string, start: number, to: number): Word {
  const quote = text[start];
  if (quote === '"' || quote === "'") {
    const closingQuoteIndex = text.indexOf(quote, start + 1);
    const innerText = text.slice(start + 1, closingQuoteIndex < 0 || closingQuoteIndex > to ? to : closingQuoteIndex);
    if (!innerText.includes('\\')) {
      const hasClosingQuote = start + 1 + innerText.length < to;
      return {
        start,
        end: start + 1 + innerText.length + (hasClosingQuote ? 1 : 0),
        value: innerText,
        quote,
        isTerminated: hasClosingQuote,
      };
    }
    let value = '';
    let end = start + 1;
    while (end < to && text[end] !== quote) {
      if (text[end] === '\\' && end + 1 < to && (text[end + 1] === '\\' || text[end + 1] === quote)) end++;
      value += text[end++];
    }
    const isTerminated = end < to;
    return { start, end: isTerminated ? end + 1 : end, value, quote, isTerminated };
  }
  const end = wordEnd(text, start, to);
  const wordText = text.slice(start, end);
  return {
    start,
    end,
    value: wordText.includes('\\\\') ? wordText.replace(/\\\\/g, '\\') : wordText,
    quote: '',
    isTerminated: true,
  };
}

/**
 * Reads one word of a text with template tags. A tag is always part of a word, because its output
 * is unknown.
 */
function scanWordWithTags(text: string, start: number, to: number, tags: readonly Tag[]): Word {
  const endOfTag = (index: number) => tags.find((tag) => tag.start <= index && index < tag.end)?.end ?? index;
  const quote = text[start];
  const isQuoted = quote === '"' || quote === "'";
  let value = '';
  let end = isQuoted ? start + 1 : start;
  while (end < to) {
    const tagEnd = Math.min(to, endOfTag(end));
    if (tagEnd > end) {
      value += text.slice(end, tagEnd);
      end = tagEnd;
      continue;
    }
    if (isQuoted ? text[end] === quote : isSpace(text.charCodeAt(end))) break;
    if (text[end] === '\\' && end + 1 < to && (text[end + 1] === '\\' || (isQuoted && text[end + 1] === quote))) end++;
    value += text[end++];
  }
  const isTerminated = !isQuoted || end < to;
  return { start, end: isQuoted && isTerminated ? end + 1 : end, value, quote: isQuoted ? quote : '', isTerminated };
}

/**
 * Joins continuations and cuts physical lines at a NUL. For each piece that is joined, records its
 * offset in the line, so that offsets can be converted.
 */
function joinLines(text: string): LogicalText {
  const pieces: string[] = [];
  const lineStarts: number[] = [];
  const physicalStarts: number[] = [];
  let joinedLength = 0;
  let physicalStart = 0;
  let nulOffset = text.indexOf('\0');
  while (physicalStart < text.length) {
    const newlineIndex = text.indexOf('\n', physicalStart);
    const physicalEnd = newlineIndex < 0 ? text.length : newlineIndex;
    if (nulOffset >= 0 && nulOffset < physicalStart) nulOffset = text.indexOf('\0', physicalStart);
    let end = physicalEnd;
    if (nulOffset >= 0 && nulOffset < physicalEnd) end = nulOffset;
    else if (newlineIndex >= 0) {
      if (end > physicalStart && text.charCodeAt(end - 1) === CR) end--;
      if (end > physicalStart && text.charCodeAt(end - 1) === BACKSLASH) end--;
    }
    pieces.push(text.slice(physicalStart, end));
    lineStarts.push(joinedLength);
    physicalStarts.push(physicalStart);
    joinedLength += end - physicalStart;
    physicalStart = physicalEnd + 1;
  }
  return {
    text: pieces.join(''),
    isJoined: true,
    lineOffsetOf(offset) {
      let pieceIndex = 0;
      for (let upperIndex = lineStarts.length; upperIndex - pieceIndex > 1; ) {
        const middle = (pieceIndex + upperIndex) >> 1;
        if (lineStarts[middle]! <= offset) pieceIndex = middle;
        else upperIndex = middle;
      }
      return physicalStarts[pieceIndex]! + (offset - lineStarts[pieceIndex]!);
    },
  };
}

/** The logical text of a line without continuations: the text of the line without its line end. */
function unjoinedText(text: string): LogicalText {
  return { text: withoutLineEnd(text), isJoined: false, lineOffsetOf: sameOffset };
}

function sameOffset(offset: number): number {
  return offset;
}

/** A text without the LF or CR LF at its end. */
function withoutLineEnd(text: string): string {
  let end = text.length;
  if (end > 0 && text.charCodeAt(end - 1) === LF) end--;
  if (end > 0 && end < text.length && text.charCodeAt(end - 1) === CR) end--;
  return end === text.length ? text : text.slice(0, end);
}

/** The number of line ends in a text: LF, CR LF, or a CR alone. */
function countLineEnds(text: string): number {
  let lineEnds = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === LF || (code === CR && text.charCodeAt(i + 1) !== LF)) lineEnds++;
  }
  return lineEnds;
}

/** The number of bytes of a text in UTF-8. */
function utf8Length(text: string): number {
  let byteCount = 0;
  for (const character of text) {
    const code = character.codePointAt(0)!;
    byteCount += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return byteCount;
}

/**
 * Lower-case forms of names. All lines with the same name share one string, which saves memory and
 * makes lookups by name fast. The number is limited, because a file that is no configuration may
 * have a different first word on every line.
 */
const lowerCaseNames = cache<string, string>();
const MAX_LOWER_CASE_NAMES = 4096;

function lowerCase(name: string): string {
  let lowerCaseName = lowerCaseNames.get(name);
  if (lowerCaseName === undefined) {
    lowerCaseName = asciiLower(name);
    if (lowerCaseNames.size >= MAX_LOWER_CASE_NAMES) lowerCaseNames.clear();
    lowerCaseNames.set(name, lowerCaseName);
  }
  return lowerCaseName;
}

/**
 * The lower-case form of a part of a text. Compares it with the most recent names first, because
 * few different names make up most of a file.
 */
function nameAt(source: string, from: number, to: number): string {
  const slot = ((to - from) * 37 + source.charCodeAt(from) * 5 + source.charCodeAt(to - 1)) % RECENT_NAME_COUNT;
  const recentName = recentNames[slot];
  if (recentName && recentName.spelledName.length === to - from && source.startsWith(recentName.spelledName, from))
    return recentName.lowerName;
  const spelledName = source.slice(from, to);
  const lowerName = lowerCase(spelledName);
  // The slot is computed from characters of the name, so an empty name has none.
  if (to > from) recentNames[slot] = { spelledName, lowerName };
  return lowerName;
}

const RECENT_NAME_COUNT = 128;
const recentNames = recentSlots<{ readonly spelledName: string; readonly lowerName: string } | null>(
  RECENT_NAME_COUNT,
  null,
);

/**
 * Converts ASCII letters to lower case, because httpd compares names with strcasecmp in the C
 * locale.
 */
function asciiLower(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
