/**
 * Parses the arguments of RewriteRule and RewriteCond. mod_rewrite splits them with `parseargline`,
 * unlike the arguments of other directives. Also finds what httpd refuses. Source: cmd_rewriterule,
 * cmd_rewritecond, cmd_rewriterule_setflag, cmd_rewritecond_setflag in
 * modules/mappers/mod_rewrite.c of 2.4; tried in test/httpd/rewrite.test.ts.
 *
 * Offsets are UTF-16 units in the text after the name of the directive; word-text.ts converts them
 * to offsets in the line.
 */
import { parseCondition, type ExpressionError } from './expression';
import { latestValue } from './memory';
import { regexProblem } from './regex';

/** Where a part starts and ends: UTF-16 offsets in the text after the name of the directive. */
interface OffsetRange {
  readonly start: number;
  readonly end: number;
}

/**
 * An argument; `value` is without the quotes. The next quote ends a quoted argument, even after a
 * backslash. A backslash before a space keeps the space in the argument.
 */
export interface RewriteArgument extends OffsetRange {
  readonly value: string;
  readonly quote: '"' | "'" | '';
}

/** One flag of a RewriteRule or RewriteCond, such as `R=301`. */
export interface RewriteFlag extends OffsetRange {
  /** The name as spelled in the file. */
  readonly name: string;
  readonly nameEnd: number;
  /** The text after `=`; undefined if there is no `=`. */
  readonly value?: string;
}

/** A reference, variable or map lookup in a substitution or a test string. */
export interface RewritePart extends OffsetRange {
  readonly kind: /** `$1`: a group of the rule's pattern. */
    | 'rule-reference'
    /** `%1`: a group of the last condition that matched. */
    | 'condition-reference'
    /** `%{NAME}`, `%{HTTP:name}`. */
    | 'variable'
    /** `${map:key|default}`. */
    | 'map';
  /** The name of a variable or map without the part after the colon; the digit of a reference. */
  readonly name: string;
  readonly nameStart: number;
  readonly nameEnd: number;
}

export interface RewriteError extends OffsetRange {
  readonly id: 'arguments' | 'flags' | 'unknown-flag' | 'status' | 'regex' | 'expression';
  /** The problem as a clause. */
  readonly message: string;
  /** The first words of httpd's message about the problem. */
  readonly serverText: string;
  /**
   * For `unknown-flag`: whether the flag belongs to the other directive (RewriteRule or
   * RewriteCond).
   */
  readonly isFlagOfOtherDirective?: true;
  /** For `expression`: the error that the parser of expressions found. */
  readonly expression?: ExpressionError;
}

/** The kinds of comparison in a condition. */
export type ConditionKind = 'regex' | 'file-test' | 'text' | 'number' | 'expression';

/** A parsed RewriteRule. Arguments that are missing are undefined. */
export interface RewriteRuleParts {
  readonly arguments: readonly RewriteArgument[];
  readonly pattern?: RewriteArgument;
  /** Whether the pattern begins with `!`. */
  readonly isNegated: boolean;
  readonly substitution?: RewriteArgument;
  /** Parts of the substitution. */
  readonly parts: readonly RewritePart[];
  readonly flags: readonly RewriteFlag[];
  readonly error?: RewriteError;
}

/** A parsed RewriteCond. Arguments that are missing are undefined. */
export interface RewriteCondParts {
  readonly arguments: readonly RewriteArgument[];
  readonly test?: RewriteArgument;
  readonly pattern?: RewriteArgument;
  readonly isNegated: boolean;
  readonly kind: ConditionKind;
  /** `-f`, `-eq`, `<=`, `=`; '' for a regular expression or an expression. */
  readonly operator: string;
  /** Parts of the test string, and of the pattern if mod_rewrite expands it. */
  readonly parts: readonly RewritePart[];
  readonly flags: readonly RewriteFlag[];
  readonly error?: RewriteError;
}

/**
 * Parses `RewriteRule pattern substitution [flags]`. Caches the most recent result, because several
 * rules read the same line one after another.
 */
export function parseRewriteRule(source: string): RewriteRuleParts {
  if (lastRule.value?.source !== source) lastRule.value = { source, parts: readRewriteRule(source) };
  return lastRule.value.parts;
}

const lastRule = latestValue<{ readonly source: string; readonly parts: RewriteRuleParts } | null>(null);

/** Parses `RewriteRule` as `parseRewriteRule` does, but without the cache. */
function readRewriteRule(source: string): RewriteRuleParts {
  const { argumentList, hasTwoArguments } = splitArguments(source);
  const [pattern, substitution, flagArgument] = argumentList;
  const isNegated = pattern?.value.startsWith('!') ?? false;
  const { flags, error: flagError } = parseFlags(flagArgument, 'RewriteRule');
  const parsedRule = {
    arguments: argumentList,
    pattern,
    isNegated,
    substitution,
    parts: substitution ? rewritePartsOf(substitution) : [],
    flags,
  };
  const error =
    hasTwoArguments && pattern
      ? (flagError ?? patternError(pattern, isNegated ? 1 : 0, 'RewriteRule'))
      : argumentError(source, 'RewriteRule', 'a pattern and a substitution');
  return { ...parsedRule, ...(error && { error }) };
}

/** Parses `RewriteCond test pattern [flags]`. */
export function parseRewriteCond(source: string): RewriteCondParts {
  const { argumentList, hasTwoArguments } = splitArguments(source);
  const [test, pattern, flagArgument] = argumentList;
  const isNegated = pattern?.value.startsWith('!') ?? false;
  const { flags, error: flagError } = parseFlags(flagArgument, 'RewriteCond');
  const patternText = pattern?.value.slice(isNegated ? 1 : 0) ?? '';
  const isExpression = test?.value.toLowerCase() === 'expr';
  const { kind, operator } = isExpression ? { kind: 'expression' as const, operator: '' } : comparisonOf(patternText);
  const parts = [
    ...(test && !isExpression ? rewritePartsOf(test) : []),
    ...(pattern && (kind === 'text' || kind === 'number') ? rewritePartsOf(pattern) : []),
  ];
  const parsedCondition = { arguments: argumentList, test, pattern, isNegated, kind, operator, parts, flags };
  const error =
    !hasTwoArguments || !pattern
      ? argumentError(source, 'RewriteCond', 'a text to test and a pattern')
      : (flagError ??
        (kind === 'regex'
          ? patternError(pattern, isNegated ? 1 : 0, 'RewriteCond')
          : kind === 'expression'
            ? expressionError(pattern, isNegated ? 1 : 0)
            : undefined));
  return { ...parsedCondition, ...(error && { error }) };
}

/**
 * The flags of RewriteRule, from cmd_rewriterule_setflag. The key is a long or short name in lower
 * case; the value is the short name.
 */
export const RULE_FLAGS: ReadonlyMap<string, string> = flagNames([
  ['B'],
  ['BNE'],
  ['BNP'],
  ['BCTLS'],
  ['C', 'chain'],
  ['CO', 'cookie'],
  ['DPI', 'discardpath'],
  ['E', 'env'],
  ['END'],
  ['F', 'forbidden'],
  ['G', 'gone'],
  ['H', 'handler'],
  ['L', 'last'],
  ['N', 'next'],
  ['NC', 'nocase'],
  ['NE', 'noescape'],
  ['NS', 'nosubreq'],
  ['P', 'proxy'],
  ['PT', 'passthrough'],
  ['QSA', 'qsappend'],
  ['QSD', 'qsdiscard'],
  ['QSL', 'qslast'],
  ['R', 'redirect'],
  ['S', 'skip'],
  ['T', 'type'],
  ['UnsafeAllow3F'],
  ['UnsafePrefixStat'],
  ['UNC'],
]);

/** The flags of RewriteCond, from cmd_rewritecond_setflag; see `RULE_FLAGS`. */
export const CONDITION_FLAGS: ReadonlyMap<string, string> = flagNames([
  ['NC', 'nocase'],
  ['OR', 'ornext'],
  ['NV', 'novary'],
]);

/**
 * The parts of a substitution or a test string: references, variables and map lookups, including
 * nested ones. A character after a backslash never begins a part.
 */
export function rewritePartsOf({ value, start, quote }: RewriteArgument): RewritePart[] {
  const parts: RewritePart[] = [];
  addParts(value, start + (quote === '' ? 0 : 1), parts);
  return parts;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * A map from each spelling of a flag, in lower case, to its first spelling, which is the short
 * name.
 */
function flagNames(spellings: readonly (readonly string[])[]): Map<string, string> {
  return new Map(
    spellings.flatMap((spellingsOfFlag) =>
      spellingsOfFlag.map((name) => [name.toLowerCase(), spellingsOfFlag[0]!] as const),
    ),
  );
}

function isWhiteSpace(character: string | undefined): boolean {
  // No character from `!` to `~` is blank. These comparisons are ten times as fast as the pattern,
  // so they come first.
  return character !== undefined && (character <= ' ' || character > '~') && /\s/.test(character);
}

/**
 * Splits a line as `parseargline` does: reads at most three arguments and ignores the rest.
 * `hasTwoArguments` is false if there is no second argument; `parseargline` then fails.
 */
function splitArguments(source: string): { argumentList: RewriteArgument[]; hasTwoArguments: boolean } {
  const parsedArguments: RewriteArgument[] = [];
  let position = 0;
  let isArgumentEnded = true;
  while (parsedArguments.length < 3) {
    while (isWhiteSpace(source[position])) position++;
    if (position >= source.length) break;
    const start = position;
    const quote = source[position] === '"' || source[position] === "'" ? (source[position++] as '"' | "'") : '';
    const valueStart = position;
    while (position < source.length) {
      const character = source[position];
      if (quote === '' ? isWhiteSpace(character) : character === quote) break;
      if (character === '\\' && isWhiteSpace(source[position + 1])) position++;
      position++;
    }
    const valueEnd = Math.min(position, source.length);
    const value = source.slice(valueStart, valueEnd);
    isArgumentEnded = valueEnd < source.length;
    if (isArgumentEnded) position++;
    parsedArguments.push({ value, quote, start, end: quote !== '' && isArgumentEnded ? valueEnd + 1 : valueEnd });
    if (!isArgumentEnded) break;
  }
  // If the only argument ends with a quote, httpd finds an empty second argument after the quote.
  const [onlyArgument] = parsedArguments;
  if (parsedArguments.length === 1 && onlyArgument!.quote !== '' && isArgumentEnded)
    parsedArguments.push({ value: '', quote: '', start: onlyArgument!.end, end: onlyArgument!.end });
  return { argumentList: parsedArguments, hasTwoArguments: parsedArguments.length >= 2 };
}

/**
 * The error for a line with fewer than two arguments. `name` is the directive, and
 * `neededArguments` says for the message what it needs.
 */
function argumentError(source: string, name: string, neededArguments: string): RewriteError {
  const startsWithQuote = /^\s*["']/.test(source) && source.trim().length > 1;
  const message =
    startsWithQuote && splitArguments(source).argumentList.length === 1
      ? `the closing quote of the first argument is missing`
      : `it needs ${neededArguments}`;
  return { id: 'arguments', start: 0, end: source.length, message, serverText: `${name}: bad argument line` };
}

/**
 * The error in the regular expression of an argument; undefined if there is none. `skippedLength`:
 * the length of the text before the expression, such as the `!` of a negation.
 */
function patternError(
  { value, start, quote }: RewriteArgument,
  skippedLength: number,
  name: string,
): RewriteError | undefined {
  const problem = regexProblem(value.slice(skippedLength));
  if (!problem) return undefined;
  const patternStart = start + (quote === '' ? 0 : 1) + skippedLength;
  return {
    id: 'regex',
    start: patternStart + problem.start,
    end: patternStart + problem.end,
    message: problem.message,
    serverText: `${name}: cannot compile regular expression`,
  };
}

/**
 * The error in the expression of `RewriteCond expr`; undefined if there is none. `skippedLength`:
 * as in `patternError`.
 */
function expressionError({ value, start, quote }: RewriteArgument, skippedLength: number): RewriteError | undefined {
  const { error } = parseCondition(value.slice(skippedLength));
  if (!error) return undefined;
  const expressionStart = start + (quote === '' ? 0 : 1) + skippedLength;
  return {
    id: 'expression',
    start: expressionStart + error.start,
    end: expressionStart + error.end,
    message: error.message,
    serverText: `RewriteCond: cannot compile expression`,
    expression: error,
  };
}

/**
 * The kind of a condition and its operator. File tests are case-sensitive: `-F` and `-f` are
 * different tests. But `-h`, `-L` and `-l` are one test.
 */
function comparisonOf(pattern: string): { kind: ConditionKind; operator: string } {
  if (/^-[fslLhdxUF]$/.test(pattern)) return { kind: 'file-test', operator: pattern };
  const numberOperator = /^-(?:eq|ne|lt|le|gt|ge)(?=.)/i.exec(pattern)?.[0];
  if (numberOperator && pattern.length > 3) return { kind: 'number', operator: numberOperator.toLowerCase() };
  const textOperator = /^(?:<=|>=|[<>=])/.exec(pattern)?.[0];
  return textOperator && pattern.length > 1
    ? { kind: 'text', operator: textOperator }
    : { kind: 'regex', operator: '' };
}

/**
 * Parses the argument with the flags. If there is an error, `flags` has all the flags that could be
 * read.
 */
function parseFlags(
  argument: RewriteArgument | undefined,
  directive: 'RewriteRule' | 'RewriteCond',
): { flags: RewriteFlag[]; error?: RewriteError } {
  if (!argument) return { flags: [] };
  const { value, start, end, quote } = argument;
  const valueStart = start + (quote === '' ? 0 : 1);
  const isBracketed = value.startsWith('[') && value.endsWith(']') && value.length > 1;
  if (!isBracketed) {
    const hint =
      value.startsWith('[') && quote === ''
        ? 'the closing `]` of the flags is missing'
        : 'the flags must be in brackets: `[…]`';
    return {
      flags: flagsOf(value.replace(/^\[/, ''), valueStart + (value.startsWith('[') ? 1 : 0)),
      error: { id: 'flags', start, end, message: hint, serverText: `${directive}: bad flag delimiters` },
    };
  }
  const flags = flagsOf(value.slice(1, -1), valueStart + 1);
  // httpd reads any flag of RewriteRule that begins with D as DPI, because it checks only that
  // letter.
  const [flagNames, otherFlagNames] =
    directive === 'RewriteRule' ? [RULE_FLAGS, CONDITION_FLAGS] : [CONDITION_FLAGS, RULE_FLAGS];
  for (const flag of flags) {
    const shortName =
      flagNames.get(flag.name.toLowerCase()) ??
      (directive === 'RewriteRule' && /^d/i.test(flag.name) ? 'DPI' : undefined);
    if (shortName === undefined) {
      const isFlagOfOther = otherFlagNames.has(flag.name.toLowerCase());
      const message =
        flag.name === ''
          ? 'there is no flag between two commas'
          : isFlagOfOther
            ? `"${flag.name}" is a flag of ${directive === 'RewriteRule' ? 'RewriteCond' : 'RewriteRule'}, not of ${directive}`
            : `there is no flag "${flag.name}"`;
      return {
        flags,
        error: {
          id: 'unknown-flag',
          start: flag.start,
          end: Math.max(flag.nameEnd, flag.start + 1),
          message,
          serverText: `${directive}: unknown flag '${flag.name}'`,
          ...(isFlagOfOther && { isFlagOfOtherDirective: true }),
        },
      };
    }
    if (directive === 'RewriteRule' && shortName === 'R' && isBadStatus(flag.value)) {
      return {
        flags,
        error: {
          id: 'status',
          start: flag.nameEnd + 1,
          end: flag.end,
          message: `${flag.value} is not a status that httpd accepts`,
          serverText: `RewriteRule: invalid HTTP response code '${flag.value}' for flag 'R'`,
        },
      };
    }
  }
  return { flags };
}

/**
 * Whether the value of the flag R is a number that ap_index_of_response does not know. httpd
 * accepts and ignores words other than `permanent`, `temp` and `seeother`.
 */
function isBadStatus(value: string | undefined): boolean {
  return value !== undefined && /^\d/.test(value) && !KNOWN_STATUSES.has(parseInt(value, 10));
}

/** HTTP status codes that 2.4 knows: status_lines in modules/http/http_protocol.c. */
export const KNOWN_STATUSES: ReadonlySet<number> = new Set([
  100, 101, 102, 103, 200, 201, 202, 203, 204, 205, 206, 207, 208, 226, 300, 301, 302, 303, 304, 305, 307, 308, 400,
  401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 423, 424, 426, 428,
  429, 431, 451, 500, 501, 502, 503, 504, 505, 506, 507, 508, 510, 511,
]);

/** Splits flags as cmd_parseflagfield does: at commas, without the spaces around a flag. */
function flagsOf(list: string, from: number): RewriteFlag[] {
  const flags: RewriteFlag[] = [];
  let position = 0;
  for (const rawFlag of list.split(',')) {
    const leadingSpaces = rawFlag.length - rawFlag.trimStart().length;
    const flagText = rawFlag.trim();
    const start = from + position + leadingSpaces;
    const equalsIndex = flagText.indexOf('=');
    const name = equalsIndex < 0 ? flagText : flagText.slice(0, equalsIndex);
    flags.push({
      start,
      end: start + flagText.length,
      name,
      nameEnd: start + name.length,
      ...(equalsIndex >= 0 && { value: flagText.slice(equalsIndex + 1) }),
    });
    position += rawFlag.length + 1;
  }
  return flags;
}

/** The maximum depth of nested variables, far above the depth in real configurations. */
const MAX_VARIABLE_NESTING = 50;

/** Adds the parts of `value` to `parts`. `startOffset`: the offset at which `value` begins. */
function addParts(value: string, startOffset: number, parts: RewritePart[], depth = 0): void {
  let hasTooManyUnclosed = false;
  for (let position = 0; position < value.length; position++) {
    const character = value[position];
    if (character === '\\') {
      position++;
      continue;
    }
    if (character !== '$' && character !== '%') continue;
    const nextCharacter = value[position + 1];
    const start = startOffset + position;
    if (nextCharacter !== undefined && nextCharacter >= '0' && nextCharacter <= '9') {
      parts.push({
        kind: character === '$' ? 'rule-reference' : 'condition-reference',
        name: nextCharacter,
        start,
        end: start + 2,
        nameStart: start + 1,
        nameEnd: start + 2,
      });
      position++;
      continue;
    }
    if (nextCharacter !== '{' || hasTooManyUnclosed) continue;
    const closeIndex = closingBrace(value, position + 1);
    // This brace is not closed, but a brace after it may be, so the loop goes on. Each search reads
    // up to the end of the text. To save time, the loop does not search further if very many braces
    // are unclosed.
    if (closeIndex < 0) {
      hasTooManyUnclosed = unclosedBraces(value, position + 1) > MAX_VARIABLE_NESTING;
      continue;
    }
    const variableText = value.slice(position + 2, closeIndex);
    // The first colon ends the name; mod_rewrite also expands the text after the colon.
    const colonIndex = variableText.indexOf(':');
    const name = colonIndex < 0 ? variableText : variableText.slice(0, colonIndex);
    parts.push({
      kind: character === '$' ? 'map' : 'variable',
      name,
      start,
      end: startOffset + closeIndex + 1,
      nameStart: start + 2,
      nameEnd: start + 2 + name.length,
    });
    if (colonIndex >= 0 && depth < MAX_VARIABLE_NESTING)
      addParts(variableText.slice(colonIndex + 1), start + 3 + colonIndex, parts, depth + 1);
    position = closeIndex;
  }
}

/** The number of opening braces, from the one at offset `open` on, that have no closing brace. */
function unclosedBraces(value: string, open: number): number {
  let depth = 0;
  for (let position = open; position < value.length; position++) {
    if (value[position] === '\\') position++;
    else if (value[position] === '{') depth++;
    else if (value[position] === '}') depth--;
  }
  return depth;
}

/**
 * The offset of the closing brace, as find_closing_curly finds it: braces nest; a brace after a
 * backslash does not count.
 */
function closingBrace(value: string, openIndex: number): number {
  let depth = 0;
  for (let position = openIndex; position < value.length; position++) {
    if (value[position] === '\\') position++;
    else if (value[position] === '{') depth++;
    else if (value[position] === '}' && --depth === 0) return position;
  }
  return -1;
}
