/**
 * Semantic tokens for editors without a grammar for httpd's configuration: names, arguments,
 * variables, regular expressions, comments, and directives that 2.4 lacks.
 *
 * The position of a token is relative to the previous token, so the tokens of a list do not depend
 * on where the list is. They are cached by list, and an edit makes new tokens only for the lists
 * that it replaces.
 */
import { sectionKind } from '../config/sections';
import { directive } from '../directives';
import { argumentTable } from '../directives/values';
import type { Tree } from '../syntax/document';
import { argumentsOf, contentEnd, contentStart, LineKind, type Line, type Word } from '../syntax/line';
import { Template } from '../syntax/template';
import { forEachLine, type List, Section } from '../syntax/tree';
import { cache, cacheOf, counters } from '../syntax/memory';
import { argumentsExpectedAfter } from './arguments-at';
import { sectionsAt } from './sections-at';

/** The names of the token types; their indices are the numbers in the data. */
export const TOKEN_TYPES = [
  'keyword',
  'type',
  'parameter',
  'string',
  'number',
  'regexp',
  'variable',
  'comment',
  'macro',
] as const;
/** The names of the token modifiers. In the data, bit n is the modifier at index n. */
export const TOKEN_MODIFIERS = ['deprecated'] as const;

const enum TokenType {
  /** A directive's name. */
  Directive,
  /** The name of a section, in both tags. */
  Section,
  Argument,
  /** A quoted argument. */
  Quoted,
  Number,
  Regex,
  /** `${NAME}` and `%{NAME}`, in arguments of any kind. */
  Variable,
  Comment,
  /** A statement of a template. */
  Template,
}

/** Counts the lines that were read; tests read it. */
export const workCounts = counters({ lines: 0 });

/** All tokens of a file: five numbers each, as in the protocol; characters in UTF-16 units. */
export function semanticTokens(tree: Tree): Uint32Array {
  return tokenChunkOf(tree.root).data;
}

/** The tokens of the logical lines that overlap two offsets. */
export function semanticTokensIn(tree: Tree, from: number, to: number): Uint32Array {
  const firstLine = tree.lineAt(from);
  if (!firstLine) return new Uint32Array();
  const builder = newBuilder();
  let isOpaqueLine = sectionsAt(tree, firstLine.offset).some(
    ({ section, offset }) => sectionKind(section.name) === 'opaque' && firstLine.offset > offset,
  );
  let lineNumber = tree.positionAt(firstLine.offset).line;
  forEachLine(tree.root, firstLine.offset, Math.max(to, firstLine.offset + 1), (each, offset) => {
    const isTag = (kind: LineKind) => each.kind === kind && sectionKind(each.name) === 'opaque';
    if (isTag(LineKind.Close)) isOpaqueLine = false;
    if (!isOpaqueLine) addLine(builder, each, lineNumber);
    if (isTag(LineKind.Open) && sectionsAt(tree, offset).at(-1)?.section.open === each) isOpaqueLine = true;
    lineNumber += each.lineEnds;
  });
  return Uint32Array.from(builder.data);
}

/**
 * The edit that turns `dataBefore` into `dataAfter`: at index `start`, replaces `deleteCount`
 * numbers by `data`. Null if both are equal.
 */
export function tokensEdit(
  dataBefore: Uint32Array,
  dataAfter: Uint32Array,
): { readonly start: number; readonly deleteCount: number; readonly data: Uint32Array } | null {
  let equalAtStart = 0;
  const shorterLength = Math.min(dataBefore.length, dataAfter.length);
  while (equalAtStart < shorterLength && dataBefore[equalAtStart] === dataAfter[equalAtStart]) equalAtStart++;
  if (equalAtStart === dataBefore.length && equalAtStart === dataAfter.length) return null;
  let equalAtEnd = 0;
  while (
    equalAtEnd < shorterLength - equalAtStart &&
    dataBefore[dataBefore.length - 1 - equalAtEnd] === dataAfter[dataAfter.length - 1 - equalAtEnd]
  )
    equalAtEnd++;
  return {
    start: equalAtStart,
    deleteCount: dataBefore.length - equalAtStart - equalAtEnd,
    data: dataAfter.subarray(equalAtStart, dataAfter.length - equalAtEnd),
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** The tokens of some lines. The position of the first token is relative to the first line. */
interface TokenChunk {
  readonly data: Uint32Array;
  /** The line of the last token, counted from the first line; -1 if there is no token. */
  readonly lastTokenRow: number;
}

/** The tokens of lists without child lists. */
const chunkByLeaf = cacheOf<List, TokenChunk>();

/** The tokens of a list, with those of the lists and sections inside it. */
function tokenChunkOf(list: List): TokenChunk {
  return joinedChunk([...leafChunks(list)]);
}

/** The cached tokens of leaves. The tokens of larger lists are joined at each request. */
function* leafChunks(list: List): Generator<{ readonly chunk: TokenChunk; readonly lineEnds: number }> {
  if (list.height > 0) {
    for (const child of list.children) yield* leafChunks(child as List);
    return;
  }
  let chunk = chunkByLeaf.get(list);
  if (!chunk) chunkByLeaf.set(list, (chunk = leafChunk(list)));
  yield { chunk, lineEnds: list.lineEnds };
}

/** Makes the tokens of a list that has no child lists, with those of its sections. */
function leafChunk(list: List): TokenChunk {
  const chunkParts: { chunk: TokenChunk; lineEnds: number }[] = [];
  const addLinesAsChunk = (each: readonly Line[]) => {
    const builder = newBuilder();
    let rowInChunk = 0;
    for (const line of each) {
      addLine(builder, line, rowInChunk);
      rowInChunk += line.lineEnds;
    }
    chunkParts.push({
      chunk: { data: Uint32Array.from(builder.data), lastTokenRow: builder.lastRow },
      lineEnds: rowInChunk,
    });
  };
  let pendingLines: Line[] = [];
  for (const child of list.children as readonly (Line | Section)[]) {
    if (!(child instanceof Section)) {
      pendingLines.push(child);
      continue;
    }
    addLinesAsChunk([...pendingLines, child.open]);
    chunkParts.push({
      chunk:
        sectionKind(child.name) === 'opaque' ? { data: new Uint32Array(), lastTokenRow: -1 } : tokenChunkOf(child.body),
      lineEnds: child.body.lineEnds,
    });
    pendingLines = [child.close];
  }
  if (pendingLines.length > 0) addLinesAsChunk(pendingLines);
  return joinedChunk(chunkParts);
}

/** Joins chunks that follow each other. `lineEnds`: the number of line ends in a chunk's lines. */
function joinedChunk(parts: readonly { readonly chunk: TokenChunk; readonly lineEnds: number }[]): TokenChunk {
  const joinedData = new Uint32Array(parts.reduce((sum, { chunk }) => sum + chunk.data.length, 0));
  let dataIndex = 0;
  let rowOfChunk = 0;
  let lastRow = -1;
  for (const { chunk, lineEnds } of parts) {
    if (chunk.lastTokenRow >= 0) {
      joinedData.set(chunk.data, dataIndex);
      joinedData[dataIndex]! += rowOfChunk - Math.max(0, lastRow);
      dataIndex += chunk.data.length;
      lastRow = rowOfChunk + chunk.lastTokenRow;
    }
    rowOfChunk += lineEnds;
  }
  return { data: joinedData, lastTokenRow: lastRow };
}

/** The tokens of consecutive lines while they are made. */
interface TokenBuilder {
  readonly data: number[];
  lastRow: number;
  lastCharacter: number;
  /** The text of the current logical line, and the offsets of its line ends. */
  text: string;
  newlineOffsets: readonly number[];
}

function newBuilder(): TokenBuilder {
  return { data: [], lastRow: -1, lastCharacter: 0, text: '', newlineOffsets: [] };
}

function newlineOffsetsIn(text: string): number[] {
  const newlinePositions: number[] = [];
  for (let index = text.indexOf('\n'); index >= 0; index = text.indexOf('\n', index + 1)) newlinePositions.push(index);
  return newlinePositions;
}

/** Adds the tokens of a line. `lineNumber` counts from the first line of the chunk or file. */
function addLine(builder: TokenBuilder, line: Line, lineNumber: number): void {
  workCounts.lines++;
  const { text } = line;
  // For the protocol, a lone CR is a line end; for httpd it is not. A line with a lone CR gets no
  // tokens.
  if (line.kind === LineKind.Blank || (text.includes('\r') && /\r(?!\n)/.test(text))) return;
  const addWholeLine = (type: TokenType) =>
    addSpan(builder, text, lineNumber, contentStart(line), contentEnd(line), type, 0);
  if (line.kind === LineKind.Comment) return addWholeLine(TokenType.Comment);
  if (line.template === Template.Structure) return addWholeLine(TokenType.Template);
  const isTag = line.kind !== LineKind.Directive;
  addSpan(
    builder,
    text,
    lineNumber,
    line.nameStart,
    line.nameEnd,
    isTag ? TokenType.Section : TokenType.Directive,
    isMissingIn24(line.name, isTag) ? 1 : 0,
  );
  if (line.kind === LineKind.Close) return;
  const words = argumentsOf(line);
  words.forEach((word, index) => addWord(builder, text, lineNumber, word, tokenTypeOf(line.name, isTag, words, index)));
}

/** Adds the tokens of an argument: one for each variable, and one for each text between them. */
function addWord(builder: TokenBuilder, text: string, lineNumber: number, { start, end }: Word, type: TokenType): void {
  let position = start;
  const rawText = text.slice(start, end);
  if (rawText.includes('{')) {
    for (const { index, 0: variable } of rawText.matchAll(VARIABLE_REFERENCE)) {
      addSpan(builder, text, lineNumber, position, start + index, type, 0);
      position = start + index + variable.length;
      addSpan(builder, text, lineNumber, start + index, position, TokenType.Variable, 0);
    }
  }
  addSpan(builder, text, lineNumber, position, end, type, 0);
}

const VARIABLE_REFERENCE = /[$%]\{[^{}\s]+\}/g;

/** Adds a token for each physical line that the span is on. */
function addSpan(
  builder: TokenBuilder,
  text: string,
  lineNumber: number,
  start: number,
  end: number,
  type: TokenType,
  modifiers: number,
): void {
  if (start >= end) return;
  if (builder.text !== text) {
    builder.text = text;
    builder.newlineOffsets = newlineOffsetsIn(text);
  }
  const { newlineOffsets } = builder;
  let passedCount = 0;
  for (let above = newlineOffsets.length; passedCount < above; ) {
    const middle = (passedCount + above) >> 1;
    if (newlineOffsets[middle]! <= start) passedCount = middle + 1;
    else above = middle;
  }
  let physicalLine = lineNumber + passedCount;
  let physicalLineStart = passedCount === 0 ? 0 : newlineOffsets[passedCount - 1]! + 1;
  for (; passedCount < newlineOffsets.length && newlineOffsets[passedCount]! < end; passedCount++) {
    const newlineOffset = newlineOffsets[passedCount]!;
    const lineStop = text.charCodeAt(newlineOffset - 1) === 13 ? newlineOffset - 1 : newlineOffset;
    pushToken(
      builder,
      physicalLine,
      Math.max(start, physicalLineStart) - physicalLineStart,
      text.charCodeAt(lineStop - 1) === 92 ? lineStop - 1 - physicalLineStart : lineStop - physicalLineStart,
      type,
      modifiers,
    );
    physicalLineStart = newlineOffset + 1;
    physicalLine++;
  }
  pushToken(
    builder,
    physicalLine,
    Math.max(start, physicalLineStart) - physicalLineStart,
    end - physicalLineStart,
    type,
    modifiers,
  );
}

/** Adds one token. `line`: a physical line; `start` and `end`: characters in this line. */
function pushToken(
  builder: TokenBuilder,
  line: number,
  start: number,
  end: number,
  type: TokenType,
  modifiers: number,
): void {
  if (end <= start) return;
  const isSameLine = line === builder.lastRow;
  builder.data.push(
    line - Math.max(0, builder.lastRow),
    isSameLine ? start - builder.lastCharacter : start,
    end - start,
    type,
    modifiers,
  );
  builder.lastRow = line;
  builder.lastCharacter = start;
}

/** The type of the argument at `index`, apart from the variables in it. */
function tokenTypeOf(name: string, isSection: boolean, words: readonly Word[], index: number): TokenType {
  const { quote, value } = words[index]!;
  if (isRegex(name, isSection, words, index)) return TokenType.Regex;
  if (quote !== '') return TokenType.Quoted;
  return /^[+-]?\d+(?:\.\d+)?$/.test(value) ? TokenType.Number : TokenType.Argument;
}

/** Whether the word at `index` is a regular expression, by the directive's table of arguments. */
function isRegex(name: string, isSection: boolean, words: readonly Word[], index: number): boolean {
  if (index > 8 || !mayHaveRegex(name, isSection)) return false;
  const table = argumentTable(isSection ? `<${name}` : name);
  return (
    table !== undefined &&
    argumentsExpectedAfter(
      table,
      words.slice(0, index).map(({ value }) => value),
    ).some(({ argument }) => argument.kinds[0] === 'regex')
  );
}

/** For each directive or section, the facts that are known so far. */
const cachedTraits = cache<string, { isRegex?: boolean; isMissing?: boolean }>();

/** The cached facts about a directive or section, which callers fill in. */
function cachedTraitsOf(name: string, isSection: boolean): { isRegex?: boolean; isMissing?: boolean } {
  const directiveKey = isSection ? `<${name}` : name;
  let traits = cachedTraits.get(directiveKey);
  if (!traits) {
    if (cachedTraits.size > 4096) cachedTraits.clear();
    cachedTraits.set(directiveKey, (traits = {}));
  }
  return traits;
}

/** Whether any argument of a directive or section is a regular expression. */
function mayHaveRegex(name: string, isSection: boolean): boolean {
  const traits = cachedTraitsOf(name, isSection);
  if (traits.isRegex === undefined) {
    const table = argumentTable(isSection ? `<${name}` : name);
    traits.isRegex =
      table !== undefined &&
      (table.forms ?? [table.arguments]).some((form) => form.some(({ kinds }) => kinds.includes('regex')));
  }
  return traits.isRegex;
}

/** Whether 2.4 lacks the directive, or has it only for old configurations. */
function isMissingIn24(name: string, isSection: boolean): boolean {
  const traits = cachedTraitsOf(name, isSection);
  if (traits.isMissing === undefined) {
    const directiveEntry = directive(name, { section: isSection });
    traits.isMissing =
      directiveEntry !== undefined &&
      (['removed', 'error', 'neither', 'renamed'].includes(directiveEntry.fate) ||
        directiveEntry['2.4']?.deprecated === true);
  }
  return traits.isMissing;
}
