/** Strict JSON (no comments, no comma at the end) with the places of its parts: what jsonc-parser reads, and its first complaint in our words. */
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

/** `offset` and `length` in UTF-16 units; an object's children are of type `property`, with a name and a value as theirs. */
export type JsonNode = Node;

/** Where the text stops being JSON, and why. */
export interface JsonProblem {
  readonly offset: number;
  readonly message: string;
}

/** Deeper nesting than this is no settings file. The parser calls itself for each level. */
const MAX_DEPTH = 50;

const MESSAGES: Readonly<Partial<Record<ParseErrorCode, string>>> = {
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

/** Reads a text whole. Takes time that grows with the text's length, whatever stands in it. */
export function parseJson(given: string): { readonly root: JsonNode } | { readonly problem: JsonProblem } {
  // The parser takes a byte order mark for a word.
  const text = given.replace(/^\uFEFF/, ' ');
  const tooDeep = tooDeepAt(text);
  if (tooDeep !== null) return { problem: { offset: tooDeep, message: 'nested too deeply' } };
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: true });
  return root && errors.length === 0 ? { root } : { problem: problem(text, errors) };
}

export interface JsonProperty {
  readonly key: string;
  /** Where the key stands. */
  readonly name: JsonNode;
  readonly value: JsonNode;
}

/** The properties of an object, in their order; the same name may stand there twice. */
export function propertiesOf({ children = [] }: JsonNode): JsonProperty[] {
  return children.map(({ children: [name, value] = [] }) => ({
    key: name!.value as string,
    name: name!,
    value: value!,
  }));
}

/** The edits that set a property of an object (undefined takes it away), with the objects around it where need be, indented as the text is. */
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

function tooDeepAt(text: string): number | null {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (let token = scanner.scan(); token !== SyntaxKind.EOF; token = scanner.scan()) {
    if (token === SyntaxKind.OpenBraceToken || token === SyntaxKind.OpenBracketToken) depth++;
    if (token === SyntaxKind.CloseBraceToken || token === SyntaxKind.CloseBracketToken) depth--;
    if (depth > MAX_DEPTH + 1) return scanner.getTokenOffset();
  }
  return null;
}

function problem(text: string, [first, second]: readonly ParseError[]): JsonProblem {
  const { offset } = first!;
  // The parser passes over a word or a comment that belongs nowhere: what it misses next says more.
  const isPassedOver = [ParseErrorCode.InvalidSymbol, ParseErrorCode.InvalidCommentToken].includes(first!.error);
  const code = (isPassedOver && second ? second : first!).error;
  if (offset >= text.length) {
    if (code === ParseErrorCode.ValueExpected) return { offset, message: 'the file ends too early' };
    if (code === ParseErrorCode.PropertyNameExpected)
      return { offset, message: MESSAGES[ParseErrorCode.CloseBraceExpected]! };
  }
  const comma = text.lastIndexOf(',', offset);
  const isBeforeEnd = /[}\]]/.test(text.charAt(offset)) && comma >= 0 && text.slice(comma + 1, offset).trim() === '';
  if (isBeforeEnd) return { offset: comma, message: 'a comma must not stand before the end' };
  return { offset, message: MESSAGES[code] ?? 'this word means nothing here' };
}
