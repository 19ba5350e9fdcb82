/**
 * Parses strict JSON (no comments, no trailing comma) with the positions of its parts. The parser
 * is jsonc-parser; its first error is explained in our words.
 */
import {
  createScanner,
  modify,
  ParseErrorCode,
  parseTree,
  SyntaxKind,
  type Edit,
  type Node,
  type ParseError,
} from 'jsonc-parser';

export { applyEdits } from 'jsonc-parser';

/**
 * `offset` and `length` are in UTF-16 units. The children of an object are of type `property`,
 * whose children are a name and a value.
 */
export type JsonNode = Node;

/** The place where the text is not JSON, and the reason. */
export interface JsonProblem {
  readonly offset: number;
  readonly message: string;
}

/**
 * Maximum depth of nesting. Settings need less. A limit is needed because the parser calls itself
 * for each level.
 */
const MAX_JSON_DEPTH = 50;

const MESSAGE_OF_ERROR: Readonly<Partial<Record<ParseErrorCode, string>>> = {
  [ParseErrorCode.InvalidSymbol]: 'this word means nothing here',
  [ParseErrorCode.InvalidNumberFormat]: 'this is no number',
  [ParseErrorCode.PropertyNameExpected]: 'a name in double quotes is expected here',
  [ParseErrorCode.ValueExpected]: 'a value is expected here (text in double quotes, true, false, a number, { or [)',
  [ParseErrorCode.ColonExpected]: 'a colon is expected here',
  [ParseErrorCode.CommaExpected]: 'a comma or a closing bracket is expected here',
  [ParseErrorCode.CloseBraceExpected]: 'a } is missing at the end',
  [ParseErrorCode.CloseBracketExpected]: 'a ] is missing at the end',
  [ParseErrorCode.EndOfFileExpected]: 'nothing may follow here',
  [ParseErrorCode.InvalidCommentToken]: 'JSON has no comments',
  [ParseErrorCode.UnexpectedEndOfComment]: 'JSON has no comments',
  [ParseErrorCode.UnexpectedEndOfString]: 'the closing quote is missing',
  [ParseErrorCode.UnexpectedEndOfNumber]: 'this is no number',
  [ParseErrorCode.InvalidUnicode]: 'a backslash here quotes nothing that JSON knows',
  [ParseErrorCode.InvalidEscapeCharacter]: 'a backslash here quotes nothing that JSON knows',
  [ParseErrorCode.InvalidCharacter]: 'a control character, such as a tab, must be quoted here',
};

/** Parses a text. The time is linear in the length of the text, whatever it contains. */
export function parseJson(source: string): { readonly root: JsonNode } | { readonly problem: JsonProblem } {
  // The parser would read a byte order mark as a word. A space in its place keeps the offsets.
  const textWithoutMark = source.replace(/^\uFEFF/, ' ');
  const tooDeepOffset = firstTooDeepOffset(textWithoutMark);
  if (tooDeepOffset !== null) return { problem: { offset: tooDeepOffset, message: 'nested too deeply' } };
  const errors: ParseError[] = [];
  const root = parseTree(textWithoutMark, errors, { disallowComments: true });
  return root && errors.length === 0 ? { root } : { problem: problemOfErrors(textWithoutMark, errors) };
}

/** A property of a JSON object, with the nodes of its key and value. */
export interface JsonProperty {
  readonly key: string;
  readonly keyNode: JsonNode;
  readonly value: JsonNode;
}

/** The properties of an object in order; a key may occur twice. */
export function propertiesOf({ children = [] }: JsonNode): JsonProperty[] {
  return children.map(({ children: [keyNode, value] = [] }) => ({
    key: keyNode!.value as string,
    keyNode: keyNode!,
    value: value!,
  }));
}

/**
 * The edits that set the property at `path`, with the indentation of the text. They also create
 * missing objects on the path. The value undefined removes the property.
 */
export function editsThatSet(text: string, path: readonly string[], value: unknown): Edit[] {
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? '  ';
  const formattingOptions = {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
  return modify(text, [...path], value, { formattingOptions });
}

// ---------------------------------------------------------------------------------------------------------------------

/** The offset of the first bracket that is nested too deeply; null if there is none. */
function firstTooDeepOffset(text: string): number | null {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (let token = scanner.scan(); token !== SyntaxKind.EOF; token = scanner.scan()) {
    if (token === SyntaxKind.OpenBraceToken || token === SyntaxKind.OpenBracketToken) depth++;
    if (token === SyntaxKind.CloseBraceToken || token === SyntaxKind.CloseBracketToken) depth--;
    if (depth > MAX_JSON_DEPTH + 1) return scanner.getTokenOffset();
  }
  return null;
}

/** The problem to report, in our words, at the parser's first error or a comma before it. */
function problemOfErrors(text: string, [first, second]: readonly ParseError[]): JsonProblem {
  const { offset } = first!;
  // The parser skips a misplaced word or comment; its next error is more helpful.
  const isSkippedByParser = [ParseErrorCode.InvalidSymbol, ParseErrorCode.InvalidCommentToken].includes(first!.error);
  const code = (isSkippedByParser && second ? second : first!).error;
  if (offset >= text.length) {
    if (code === ParseErrorCode.ValueExpected) return { offset, message: 'the file ends too early' };
    if (code === ParseErrorCode.PropertyNameExpected)
      return { offset, message: MESSAGE_OF_ERROR[ParseErrorCode.CloseBraceExpected]! };
  }
  const comma = text.lastIndexOf(',', offset);
  const isBeforeEnd = /[}\]]/.test(text.charAt(offset)) && comma >= 0 && text.slice(comma + 1, offset).trim() === '';
  if (isBeforeEnd) return { offset: comma, message: 'a comma must not stand before the end' };
  return { offset, message: MESSAGE_OF_ERROR[code] ?? 'this word means nothing here' };
}
