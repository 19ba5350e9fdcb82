/**
 * Splits an expression into tokens exactly as the scanner of httpd 2.4 does
 * (server/util_expr_scan.l). If several rules of that scanner match, the longest match wins, and
 * the first rule among equally long matches. test/httpd/expressions.test.ts compares the tokens
 * with a real server where the source is not enough.
 */

export type TokenKind =
  | 'true'
  | 'false'
  | 'not'
  | 'and'
  | 'or'
  /** Comparisons of text such as `==`, and of numbers such as `-eq`. */
  | 'compare'
  /** `=~` and `!~`. */
  | 'match'
  | 'in'
  /** `-f`; `value` of the token is `f`. */
  | 'unary'
  /** An operator with two operands: `-ipmatch`. */
  | 'binary'
  | 'concat'
  | 'number'
  /** The name of a function or variable. */
  | 'name'
  | 'regex'
  /** `$1`: the text that group 1 of the last regular expression matched. */
  | 'reference'
  | 'open-quote'
  | 'close-quote'
  /** Literal text: in quotes, in the argument of a variable, or in a string expression. */
  | 'text'
  /**
   * `open-variable` is the `%{` before the name of a variable; `close-variable` is the `}` after
   * it.
   */
  | 'open-variable'
  | 'close-variable'
  | '('
  | ')'
  | '{'
  | '}'
  | ','
  | ':'
  | 'error'
  | 'end';

/** One token of an expression. */
export interface Token {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
  /**
   * The text of the token as written, with three exceptions. A unary or binary operator has no
   * minus, literal text has its escapes resolved, and a regular expression has no delimiters.
   */
  readonly value: string;
  /** For `regex`: `i` if the flag `i` follows. For `error`: the kind of error. */
  readonly detail?: ScanErrorKind | 'i';
}

/** `jammed`: httpd's scanner has no rule for the character, and the process of httpd exits. */
export type ScanErrorKind = 'character' | 'variable-character' | 'unterminated' | 'escape' | 'jammed';

export interface ScanOptions {
  /**
   * Whether the source is a string expression, that is text with variables as in `ErrorDocument`.
   * Otherwise it is a condition.
   */
  readonly isString: boolean;
}

/**
 * Returns all tokens up to the first error or the end; the last token is always `error` or `end`.
 * Each character before the last token is in a token or is a space.
 */
export function scanExpression(source: string, { isString }: ScanOptions): Token[] {
  const tokens: Token[] = [];
  const states: ScanState[] = [isString ? { kind: 'text', quote: '' } : { kind: 'condition' }];
  let position = 0;
  for (;;) {
    const state = states[states.length - 1]!;
    const token = SCANNERS[state.kind](source, position, state, states);
    position = token.end;
    if (token.kind === 'text' && token.start === token.end && source.length > 0) continue;
    tokens.push(token);
    if (token.kind === 'error' || token.kind === 'end') return tokens;
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * The construct that surrounds the next character. It decides how the scanner reads the character.
 */
interface ScanState {
  readonly kind: 'condition' | 'text' | 'variable' | 'argument';
  /** For `text`: the character that ends the text; '' for a string expression. */
  readonly quote?: string;
}

/**
 * Reads the token at offset `start` of `source`. Pushes to or pops from the stack `states` if the
 * token enters or leaves a state.
 */
type Scanner = (source: string, start: number, state: ScanState, states: ScanState[]) => Token;

const SCANNERS: Readonly<Record<ScanState['kind'], Scanner>> = {
  condition: scanCondition,
  text: scanText,
  variable: scanVariable,
  argument: scanText,
};

/**
 * Reserved words of conditions, with their token kinds. The scanner compares them case-sensitively.
 */
const RESERVED_WORDS: Readonly<Record<string, TokenKind>> = {
  true: 'true',
  false: 'false',
  and: 'and',
  or: 'or',
  not: 'not',
  in: 'in',
  eq: 'compare',
  ne: 'compare',
  lt: 'compare',
  le: 'compare',
  gt: 'compare',
  ge: 'compare',
};

const SYMBOL_TOKENS: readonly (readonly [RegExp, TokenKind])[] = [
  [/==?|!=|<=?|>=?/y, 'compare'],
  [/=~|!~/y, 'match'],
  [/&&/y, 'and'],
  [/\|\|/y, 'or'],
  [/!/y, 'not'],
  [/\./y, 'concat'],
  [/-?[0-9]+/y, 'number'],
  [/-in(?![A-Za-z0-9_])/y, 'in'],
  [/-(?:eq|ne|lt|le|gt|ge)(?![A-Za-z0-9_])/y, 'compare'],
  [/-[A-Za-z_][A-Za-z0-9_]+/y, 'binary'],
  [/-[A-Za-z_]/y, 'unary'],
];

/**
 * Characters that may follow `m` as delimiters of a regular expression; found by trying all
 * characters on a real server.
 */
const REGEX_DELIMITER_CHARACTERS = '/#$%^|?!\'",;:.-';

/** Reads a token of a condition, outside of quotes and variables. */
function scanCondition(source: string, from: number, _state: ScanState, states: ScanState[]): Token {
  let start = from;
  while (start < source.length && ' \t\n'.includes(source[start]!)) start++;
  if (start === source.length) return { kind: 'end', start, end: start, value: '' };
  const firstCharacter = source.charAt(start);
  if (firstCharacter === '"' || firstCharacter === "'") {
    states.push({ kind: 'text', quote: firstCharacter });
    return tokenAtRange('open-quote', source, start, start + 1);
  }
  if (
    firstCharacter === '/' ||
    (firstCharacter === 'm' && start + 1 < source.length && REGEX_DELIMITER_CHARACTERS.includes(source[start + 1]!))
  )
    return scanRegex(source, start);
  if (source.startsWith('%{', start)) {
    states.push({ kind: 'variable' });
    return tokenAtRange('open-variable', source, start, start + 2);
  }
  if (firstCharacter === '$' && isDigit(source[start + 1]))
    return { kind: 'reference', start, end: start + 2, value: source[start + 1]! };
  const word = matchAt(/[A-Za-z][A-Za-z0-9_]*/y, source, start);
  if (word !== '')
    return tokenAtRange(
      Object.hasOwn(RESERVED_WORDS, word) ? RESERVED_WORDS[word]! : 'name',
      source,
      start,
      start + word.length,
    );
  // Takes the longest match, so that `=~` is not read as `=`.
  let longestToken: Token | null = null;
  for (const [pattern, kind] of SYMBOL_TOKENS) {
    const symbolText = matchAt(pattern, source, start);
    if (symbolText !== '' && (!longestToken || symbolText.length > longestToken.end - longestToken.start))
      longestToken = tokenAtRange(kind, source, start, start + symbolText.length);
  }
  if (longestToken)
    return longestToken.kind === 'unary' || longestToken.kind === 'binary'
      ? { ...longestToken, value: longestToken.value.slice(1) }
      : longestToken;
  if ('(){},:'.includes(firstCharacter)) return tokenAtRange(firstCharacter as TokenKind, source, start, start + 1);
  return { kind: 'error', start, end: start + 1, value: firstCharacter, detail: 'character' };
}

/**
 * Reads a regular expression up to the next delimiter, even if a backslash comes before that
 * delimiter. Without a second delimiter, returns the token `end`, as the scanner of httpd does.
 */
function scanRegex(source: string, start: number): Token {
  const openIndex = source[start] === 'm' ? start + 1 : start;
  const closeIndex = source.indexOf(source[openIndex]!, openIndex + 1);
  if (closeIndex < 0) return { kind: 'end', start, end: source.length, value: source.slice(start) };
  const ignoresCase = source[closeIndex + 1] === 'i';
  return {
    kind: 'regex',
    start,
    end: closeIndex + (ignoresCase ? 2 : 1),
    value: source.slice(openIndex + 1, closeIndex),
    ...(ignoresCase && { detail: 'i' }),
  };
}

/**
 * Reads literal text, up to a variable, a reference or the end of the text. The text is in quotes
 * or is a string expression (`text`), or comes after the colon of a variable (`argument`).
 */
function scanText(source: string, start: number, { kind, quote }: ScanState, states: ScanState[]): Token {
  let value = '';
  let position = start;
  const textToken = (): Token => ({ kind: 'text', start, end: position, value });
  const errorToken = (detail: ScanErrorKind, length: number): Token => ({
    kind: 'error',
    start: position,
    end: Math.min(source.length, position + length),
    value: source.slice(position, position + length),
    detail,
  });
  for (;;) {
    if (position >= source.length) {
      if (kind === 'argument' || quote !== '') return errorToken('unterminated', 0);
      if (position > start || source === '') {
        states.push({ kind: 'condition' });
        return textToken();
      }
      return { kind: 'end', start, end: start, value: '' };
    }
    const character = source[position];
    if (character === '\n') return errorToken('unterminated', 1);
    const isEnd = kind === 'argument' ? character === '}' : character === quote;
    const isVariable = source.startsWith('%{', position);
    const isReference = character === '$' && isDigit(source[position + 1]);
    if (isEnd || isVariable || isReference) {
      if (position > start) return textToken();
      if (isVariable) {
        states.push({ kind: 'variable' });
        return tokenAtRange('open-variable', source, position, position + 2);
      }
      if (isReference) return { kind: 'reference', start, end: start + 2, value: source[start + 1]! };
      states.pop();
      if (kind === 'argument') states.pop();
      return tokenAtRange(kind === 'argument' ? 'close-variable' : 'close-quote', source, position, position + 1);
    }
    // The scanner of httpd has no rule for a quote in the argument of a variable. It also has none
    // for a backslash at the very end of the source. In both cases it aborts the process.
    if (kind === 'argument' && (character === '"' || character === "'")) return errorToken('jammed', 1);
    if (character !== '\\') {
      value += character;
      position++;
      continue;
    }
    if (position + 1 === source.length) return errorToken('jammed', 1);
    const digits = matchAt(/[0-9]+/y, source, position + 1);
    if (digits !== '') {
      if (!/^[0-7]{1,3}$/.test(digits) || parseInt(digits, 8) > 0xff) return errorToken('escape', 1 + digits.length);
      value += String.fromCharCode(parseInt(digits, 8));
      position += 1 + digits.length;
      continue;
    }
    const escapedCharacter = source.charAt(position + 1);
    value += CHARACTER_BY_ESCAPE[escapedCharacter] ?? escapedCharacter;
    position += 2;
  }
}

const CHARACTER_BY_ESCAPE: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** Reads a token between `%{` and `}`, except for the argument of the variable. */
function scanVariable(source: string, start: number, _state: ScanState, states: ScanState[]): Token {
  if (start >= source.length) return { kind: 'error', start, end: start, value: '', detail: 'unterminated' };
  const name = matchAt(/[A-Za-z][A-Za-z0-9_]*/y, source, start);
  if (name !== '') return tokenAtRange('name', source, start, start + name.length);
  if (source[start] === '}') {
    states.pop();
    return tokenAtRange('close-variable', source, start, start + 1);
  }
  if (source[start] === ':') {
    states.push({ kind: 'argument' });
    return tokenAtRange(':', source, start, start + 1);
  }
  return { kind: 'error', start, end: start + 1, value: source[start]!, detail: 'variable-character' };
}

function tokenAtRange(kind: TokenKind, source: string, start: number, end: number): Token {
  return { kind, start, end, value: source.slice(start, end) };
}

/** The text that a sticky pattern matches at `position`; empty if it does not match. */
function matchAt(pattern: RegExp, source: string, position: number): string {
  pattern.lastIndex = position;
  return pattern.exec(source)?.[0] ?? '';
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9';
}
