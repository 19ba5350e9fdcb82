/**
 * The parser of expressions of httpd 2.4: `<If>`, `Require expr`, `expr=`, text with `%{…}`. It
 * accepts and refuses the same texts as server/util_expr_parse.y of 2.4. For a text with an error
 * it also returns a tree, because hovers and completion need one.
 *
 * Offsets are UTF-16 offsets in the given text; word-text.ts converts them to offsets in a line.
 * The parser does not know which variables and functions exist: `Expression.names` lists those that
 * the expression uses, and directives/expressions.ts checks them.
 */
import { regexProblem } from './regex';
import { scanExpression, type ScanErrorKind, type Token, type TokenKind } from './expression-tokens';

export type { Token } from './expression-tokens';

/** Where a part of an expression starts and ends: UTF-16 offsets in the text of the expression. */
interface OffsetRange {
  readonly start: number;
  readonly end: number;
}

/**
 * A node of the tree of an expression. A part that is nested too deeply or comes after an error is
 * a `missing` node.
 */
export type ExpressionNode = OffsetRange &
  (
    | { readonly type: 'constant'; readonly value: boolean }
    | { readonly type: 'not'; readonly operand: ExpressionNode }
    | { readonly type: 'and' | 'or'; readonly left: ExpressionNode; readonly right: ExpressionNode }
    | { readonly type: 'unary'; readonly operator: Token; readonly operand: ExpressionNode }
    /** A comparison with `==`, `-eq`, `-ipmatch`, `=~` or `in`. */
    | {
        readonly type: 'comparison';
        readonly operator: Token;
        readonly left: ExpressionNode;
        readonly right: ExpressionNode;
      }
    | { readonly type: 'regex'; readonly pattern: string; readonly ignoresCase: boolean }
    | { readonly type: 'list'; readonly items: readonly ExpressionNode[] }
    | { readonly type: 'number'; readonly value: string }
    | { readonly type: 'text'; readonly value: string }
    /** Text with variables in it: in quotes, in an argument, or the whole string expression. */
    | { readonly type: 'parts'; readonly parts: readonly ExpressionNode[] }
    | { readonly type: 'concat'; readonly left: ExpressionNode; readonly right: ExpressionNode }
    | { readonly type: 'reference'; readonly group: number }
    | { readonly type: 'variable'; readonly name: string }
    /** `%{name:argument}` or `name(argument)` */
    | { readonly type: 'call'; readonly name: Token; readonly argument: ExpressionNode }
    /** A part that is missing or has an error. */
    | { readonly type: 'missing' }
  );

/** A name or operator that the expression uses. The parser does not check that httpd knows it. */
export interface UsedName extends OffsetRange {
  readonly kind: 'variable' | 'function' | 'list-function' | 'unary' | 'binary';
  /** The name as written; an operator has no minus here. */
  readonly name: string;
  /**
   * For an operator: the text of its operand (of two operands, the right one) if that is literal
   * text. Otherwise undefined.
   */
  readonly operandText?: string;
}

export interface ExpressionError extends OffsetRange {
  readonly id:
    | 'syntax'
    | 'character'
    | 'unterminated'
    | 'escape'
    | 'jammed'
    | 'regex'
    | 'unknown-variable'
    | 'unknown-function'
    | 'unknown-operator'
    | 'restricted'
    | 'subnet';
  /** The problem as a clause: `a value is missing after "=="`. */
  readonly message: string;
  /** The first words of httpd's message about the problem. */
  readonly serverText: string;
}

/** A parsed expression. */
export interface Expression {
  readonly tokens: readonly Token[];
  readonly tree: ExpressionNode;
  readonly names: readonly UsedName[];
  /** The first error, where httpd stops reading; undefined if there is none. */
  readonly error?: ExpressionError;
}

/** Parses a condition: `%{REQUEST_URI} =~ m#^/a#`. */
export function parseCondition(source: string): Expression {
  return new ExpressionParser(source, scanExpression(source, { isString: false })).parse('condition');
}

/** Parses text with variables: `https://%{HTTP_HOST}/`. */
export function parseStringExpression(source: string): Expression {
  return new ExpressionParser(source, scanExpression(source, { isString: true })).parse('string');
}

/**
 * The token at an offset; undefined if there is none. At the border of two tokens, prefers names,
 * values and other operators to `PUNCTUATION`.
 */
export function tokenAt({ tokens }: Expression, offset: number): Token | undefined {
  const touchingTokens = tokens.filter(({ start, end, kind }) => start <= offset && offset <= end && kind !== 'end');
  return touchingTokens.find(({ kind }) => !PUNCTUATION.has(kind)) ?? touchingTokens[0];
}

// ---------------------------------------------------------------------------------------------------------------------

const PUNCTUATION: ReadonlySet<TokenKind> = new Set<TokenKind>([
  'open-quote',
  'close-quote',
  'open-variable',
  'close-variable',
  '(',
  ')',
  '{',
  '}',
  ',',
  ':',
  'concat',
]);

/**
 * The maximum depth of nested parts, so that the parser does not overflow the stack. Real
 * expressions are far less deep, and httpd itself crashes at a larger depth.
 */
const MAX_EXPRESSION_NESTING = 400;

/**
 * Parses the tokens of one expression by recursive descent. After the first error, it reads no more
 * tokens.
 */
class ExpressionParser {
  private position = 0;
  private depth = 0;
  private error: ExpressionError | undefined;
  private readonly names: UsedName[] = [];

  constructor(
    private readonly source: string,
    private readonly tokens: readonly Token[],
  ) {}

  parse(expressionKind: 'condition' | 'string'): Expression {
    let tree: ExpressionNode;
    if (expressionKind === 'string') {
      tree = this.parseParts('end');
    } else {
      tree = this.parseOr();
      if (this.nextToken.kind !== 'end') this.fail(this.nextToken, this.unexpectedTokenError('"and", "or" or the end'));
    }
    return { tokens: this.tokens, tree, names: this.names, ...(this.error && { error: this.error }) };
  }

  /** The first token that is not taken; at the end of the expression, its last token. */
  private get nextToken(): Token {
    return this.tokens[Math.min(this.position, this.tokens.length - 1)]!;
  }

  /**
   * Returns the next token and moves past it. The parser never moves past an `end` or `error`
   * token.
   */
  private takeToken(): Token {
    const token = this.nextToken;
    if (token.kind !== 'end' && token.kind !== 'error') this.position++;
    return token;
  }

  /** Takes the next token if it is of this kind; otherwise returns undefined. */
  private takeTokenIf(kind: TokenKind): Token | undefined {
    return this.nextToken.kind === kind ? this.takeToken() : undefined;
  }

  /**
   * Takes the next token if it is of this kind. Otherwise records the error that httpd expects
   * `name`, and returns the token at the end of the expression, where `fail` moves the parser.
   */
  private takeExpectedToken(kind: TokenKind, name: string): Token {
    const token = this.takeTokenIf(kind);
    if (token) return token;
    return this.fail(this.nextToken, this.unexpectedTokenError(name));
  }

  /**
   * Records the error if it is the first, and moves to the token at the end of the expression, so
   * that the parser stops. Returns that token. The tree keeps the parts that are parsed by then.
   */
  private fail(
    token: OffsetRange & { readonly kind?: TokenKind },
    error: Omit<ExpressionError, 'start' | 'end'>,
  ): Token {
    const { start } = token;
    this.error ??= {
      ...(token.kind === 'error' ? scanError(token as Token) : error),
      start: Math.min(start, Math.max(0, this.source.length - 1)),
      end: Math.max(token.end, Math.min(start + 1, this.source.length)),
    };
    this.position = this.tokens.length - 1;
    return this.nextToken;
  }

  /** The error that httpd expects something else than the next token. */
  private unexpectedTokenError(expected: string): Omit<ExpressionError, 'start' | 'end'> {
    const token = this.nextToken;
    if (token.kind === 'end') {
      const isRegex = token.value !== '';
      const message =
        this.source.trim() === ''
          ? 'the expression is empty'
          : isRegex
            ? `the regular expression "${token.value}" does not end`
            : `the expression ends too early; httpd expects ${expected}`;
      return { id: 'syntax', message, serverText: 'syntax error, unexpected $end' };
    }
    const exampleText =
      token.kind === 'regex' || expected !== 'a regular expression' ? '' : ', such as /^\\/app/ or m#^/app#';
    return {
      id: 'syntax',
      message: `${shownToken(this.source.slice(token.start, token.end))} is not allowed here; httpd expects ${expected}${exampleText}`,
      serverText: 'syntax error, unexpected',
    };
  }

  // Conditions: `or`, `and`, `not`, with the precedences of httpd's grammar.

  /** Parses a whole condition: parts with `or` between them. */
  private parseOr(): ExpressionNode {
    return this.parseChain('or', () => this.parseChain('and', () => this.parseNegation()));
  }

  /**
   * Parses operands with `and` or `or` between them. Each further operator has all the operands
   * before it on its left.
   */
  private parseChain(kind: 'and' | 'or', operand: () => ExpressionNode): ExpressionNode {
    let left = operand();
    while (this.takeTokenIf(kind)) {
      const right = operand();
      left = { type: kind, left, right, start: left.start, end: right.end };
    }
    return left;
  }

  /** Parses a condition that may begin with one or more `!` or `not`. */
  private parseNegation(): ExpressionNode {
    const notToken = this.takeTokenIf('not');
    if (!notToken) return this.parsePrimary();
    const operand = this.parseNested(() => this.parseNegation());
    return { type: 'not', operand, start: notToken.start, end: operand.end };
  }

  /** Parses an inner part. Returns a `missing` node if it is nested too deeply. */
  private parseNested<T extends ExpressionNode>(parseInner: () => T): ExpressionNode {
    if (++this.depth > MAX_EXPRESSION_NESTING) return this.missingNode();
    const node = parseInner();
    this.depth--;
    return node;
  }

  /**
   * Parses a condition without `and`, `or` and `not`: a constant, a condition in parentheses, a
   * test of one value, or a comparison.
   */
  private parsePrimary(): ExpressionNode {
    const firstToken = this.nextToken;
    const { start } = firstToken;
    if (firstToken.kind === 'true' || firstToken.kind === 'false') {
      this.takeToken();
      return { type: 'constant', value: firstToken.kind === 'true', start, end: firstToken.end };
    }
    if (this.takeTokenIf('(')) {
      const innerCondition = this.parseNested(() => this.parseOr());
      this.takeExpectedToken(')', 'a closing parenthesis');
      return innerCondition;
    }
    if (this.takeTokenIf('unary')) {
      const operand = this.parseWord('a value');
      this.addName('unary', firstToken, operand);
      return { type: 'unary', operator: firstToken, operand, start, end: operand.end };
    }
    const left = this.parseWord('a condition');
    return this.parseComparison(left);
  }

  /**
   * Parses the operator and the right side of a comparison. Without an operator, records an error
   * and returns the left side.
   */
  private parseComparison(left: ExpressionNode): ExpressionNode {
    const operator = this.nextToken;
    let right: ExpressionNode;
    if (this.takeTokenIf('compare')) right = this.parseWord('a value');
    else if (this.takeTokenIf('binary')) {
      right = this.parseWord('a value');
      this.addName('binary', operator, right);
    } else if (this.takeTokenIf('match')) right = this.parseRegex();
    else if (this.takeTokenIf('in')) right = this.parseList();
    else {
      this.fail(operator, this.unexpectedTokenError('an operator such as "==" or "=~"'));
      return left;
    }
    return { type: 'comparison', operator, left, right, start: left.start, end: right.end };
  }

  /** Parses a regular expression such as `m#^/app#i`, and records an error in its pattern. */
  private parseRegex(): ExpressionNode {
    const token = this.takeExpectedToken('regex', 'a regular expression');
    if (token.kind !== 'regex') return this.missingNode();
    const problem = regexProblem(token.value);
    const patternStart = token.end - (token.detail === 'i' ? 2 : 1) - token.value.length;
    if (problem)
      this.fail(
        { start: patternStart + problem.start, end: patternStart + problem.end },
        { id: 'regex', message: problem.message, serverText: 'Failed to compile regular expression' },
      );
    return {
      type: 'regex',
      pattern: token.value,
      ignoresCase: token.detail === 'i',
      start: token.start,
      end: token.end,
    };
  }

  /** Parses the right side of `in`: values in braces, or a function that returns a list. */
  private parseList(): ExpressionNode {
    const name = this.takeTokenIf('name');
    if (name) return this.parseCall(name, 'list-function');
    const { start } = this.takeExpectedToken('{', 'a list in braces');
    const items: ExpressionNode[] = [];
    do items.push(this.parseWord('a value'));
    while (this.takeTokenIf(','));
    const { end } = this.takeExpectedToken('}', 'a comma or a closing brace');
    return { type: 'list', items, start, end };
  }

  // Values: the operands of a comparison.

  /**
   * Parses a value, or several values that are joined with `.`. `expectation`: what httpd expects
   * here, for the message of an error.
   */
  private parseWord(expectation: string): ExpressionNode {
    const left = this.parseValue(expectation);
    if (!this.takeTokenIf('concat')) return left;
    const right = this.parseNested(() => this.parseWord('a value'));
    return { type: 'concat', left, right, start: left.start, end: right.end };
  }

  /** Parses one value: a number, a reference, a variable, a call, or text in quotes. */
  private parseValue(expectation: string): ExpressionNode {
    const firstToken = this.nextToken;
    const { start, end } = firstToken;
    switch (firstToken.kind) {
      case 'number':
        this.takeToken();
        return { type: 'number', value: firstToken.value, start, end };
      case 'reference':
        this.takeToken();
        return { type: 'reference', group: Number(firstToken.value), start, end };
      case 'open-variable':
        return this.parseVariable();
      case 'name':
        this.takeToken();
        return this.parseCall(firstToken, 'function');
      case 'open-quote': {
        this.takeToken();
        if (this.nextToken.kind === 'close-quote') return { type: 'text', value: '', start, end: this.takeToken().end };
        const quotedParts = this.parseParts('close-quote');
        const closeQuote = this.takeExpectedToken('close-quote', 'a closing quote');
        return { ...quotedParts, start, end: closeQuote.end };
      }
      default:
        this.fail(firstToken, this.unexpectedTokenError(expectation));
        return this.missingNode();
    }
  }

  /** Parses `name(argument)`. */
  private parseCall(name: Token, kind: 'function' | 'list-function'): ExpressionNode {
    if (!this.takeTokenIf('(')) {
      const error = this.unexpectedTokenError(`the parenthesis of the function "${name.value}"`);
      const quoteAdvice = `"${name.value}" must be in quotes, or be a function with parentheses`;
      this.fail(this.nextToken.kind === 'error' ? this.nextToken : name, { ...error, message: quoteAdvice });
      return this.missingNode();
    }
    const argument = this.parseNested(() => this.parseWord('a value'));
    const { end } = this.takeExpectedToken(')', 'a closing parenthesis');
    this.addName(kind, name);
    return { type: 'call', name, argument, start: name.start, end };
  }

  /** Parses `%{name}` or `%{name:argument}`. */
  private parseVariable(): ExpressionNode {
    const openToken = this.takeToken();
    const name = this.takeExpectedToken('name', 'the name of a variable');
    if (name.kind !== 'name') return this.missingNode();
    if (this.takeTokenIf(':')) {
      const argument = this.parseNested(() => this.parseParts('close-variable'));
      const { end } = this.takeExpectedToken('close-variable', 'a closing brace');
      this.addName('function', name);
      return { type: 'call', name, argument, start: openToken.start, end };
    }
    const { end } = this.takeExpectedToken('close-variable', 'a closing brace or a colon');
    this.addName('variable', name);
    return { type: 'variable', name: name.value, start: openToken.start, end };
  }

  /**
   * Parses one or more parts of a text (literal text, variables, references) up to a token of the
   * kind `until`.
   */
  private parseParts(until: TokenKind): ExpressionNode {
    const parts: ExpressionNode[] = [];
    while (this.nextToken.kind !== until) {
      const { kind, start, end, value } = this.nextToken;
      if (kind === 'text') parts.push({ type: 'text', value, start, end: this.takeToken().end });
      else if (kind === 'reference')
        parts.push({ type: 'reference', group: Number(this.takeToken().value), start, end });
      else if (kind === 'open-variable') parts.push(this.parseVariable());
      else {
        this.fail(this.nextToken, this.unexpectedTokenError('text'));
        break;
      }
    }
    if (parts.length === 0) {
      this.fail(this.nextToken, this.unexpectedTokenError('text'));
      return this.missingNode();
    }
    const firstPart = parts[0]!;
    if (parts.length === 1) return firstPart;
    return { type: 'parts', parts, start: firstPart.start, end: parts.at(-1)!.end };
  }

  /** A node for a part that is missing, at the place of the next token. */
  private missingNode(): ExpressionNode {
    const { start, end } = this.nextToken;
    return { type: 'missing', start, end };
  }

  /**
   * Adds a name to `names`. Callers first add the names in its arguments, because httpd looks them
   * up in this order. Adds nothing after an error, because httpd then looks up nothing.
   */
  private addName(kind: UsedName['kind'], { value, start, end }: Token, operand?: ExpressionNode): void {
    if (!this.error)
      this.names.push({
        kind,
        name: value,
        start,
        end,
        ...(operand?.type === 'text' && { operandText: operand.value }),
      });
  }
}

/** The error for an `error` token of the scanner. */
function scanError({ detail, value }: Token): Omit<ExpressionError, 'start' | 'end'> {
  // httpd reads bytes, so its message does not show a whole character outside of ASCII.
  const quotedCharacter = value > '\x7e' ? '' : ` '${value}'`;
  switch (detail as ScanErrorKind) {
    case 'character':
      return {
        id: 'character',
        message: `"${value}" is not allowed here; text needs quotes`,
        serverText: `Parse error near${quotedCharacter}`,
      };
    case 'variable-character':
      return {
        id: 'character',
        message: `"${value}" cannot be part of a variable's name`,
        serverText: `Invalid character in variable name${quotedCharacter}`,
      };
    case 'unterminated':
      return {
        id: 'unterminated',
        message: 'a quoted text or a variable has no end',
        serverText: 'Unterminated string or variable',
      };
    case 'escape':
      return {
        id: 'escape',
        message: 'after a backslash, a number must be octal and at most 377',
        // httpd has two messages: one for octal numbers above 377, one for all other wrong escapes.
        serverText: /^\\[0-7]{1,3}$/.test(value) ? 'Escape sequence out of bound' : 'Bad escape sequence',
      };
    case 'jammed':
      return {
        id: 'jammed',
        message: 'httpd cannot read this expression, and its process exits',
        serverText: 'flex scanner jammed',
      };
  }
}

/** The token in double quotes; if the token is itself a quote, its name in words. */
function shownToken(token: string): string {
  return token === "'" ? 'a single quote' : token === '"' ? 'a double quote' : `"${token}"`;
}
