/**
 * Finds the arguments that 2.4 reads as expressions, and knows which variables, functions and
 * operators exist (server/util_expr_eval.c). The facts are from the sources (ap_expr_parse_cmd and
 * its callers), and were tried on a real server (test/httpd/expressions.test.ts).
 */
import {
  parseCondition,
  parseStringExpression,
  type Expression,
  type ExpressionError,
  type UsedName,
} from '../syntax/expression';
import { argumentsOf, LineKind, type Line } from '../syntax/line';
import { partOfText, placedRawArguments, placedWord, type PlacedText } from '../syntax/word-text';
import { parseRewriteCond } from '../syntax/rewrite';
import { findNearestNames } from './nearest';

/** An argument that is an expression. */
export interface PlacedExpression {
  /** A condition, or text with variables. */
  readonly kind: 'condition' | 'string';
  readonly text: PlacedText;
}

/** The facts about a line's place on which its expressions depend. */
export interface ExpressionPlace {
  /**
   * Whether the line is in a section with a path, or in a .htaccess file. There, a Redirect line
   * may leave out its path, and its target is then text with variables.
   */
  readonly isInDirectory: boolean;
  /**
   * Whether the line is in a <Location>. There, an Alias or ScriptAlias line may leave out its
   * path, and its target is then text with variables.
   */
  readonly isInLocation: boolean;
}

/**
 * The expressions of a line, in order. They include the expression of a RewriteCond, which
 * mod_rewrite parses itself (syntax/rewrite.ts).
 */
export function expressionsIn(line: Line, place: ExpressionPlace): readonly PlacedExpression[] {
  const reader = READER_BY_DIRECTIVE.get(line.name);
  const isSection = line.name === 'if' || line.name === 'elseif';
  return reader && line.kind === (isSection ? LineKind.Open : LineKind.Directive)
    ? reader(line, place)
    : NO_EXPRESSIONS;
}

/** The directives with expressions, in lower case. */
export function expressionNames(): string[] {
  return [...READER_BY_DIRECTIVE.keys()];
}

/** Parses an expression of a line. Offsets in the result count from the start of `text.value`. */
export function parseExpression({ kind, text }: PlacedExpression): Expression {
  return kind === 'condition' ? parseCondition(text.value) : parseStringExpression(text.value);
}

/** What decides which names an expression may use. */
export interface ExpressionContext {
  readonly isHtaccess: boolean;
  /**
   * The loaded modules; null if unknown: then all names that any module may provide are accepted.
   */
  readonly modules: ReadonlySet<string> | null;
}

/**
 * The error that the server reports: a parse error, or else the last name that does not exist. (Its
 * parser continues after a wrong name and reports the last one.) Undefined if there is none.
 */
export function expressionError(
  expression: Expression,
  expressionContext: ExpressionContext,
): ExpressionError | undefined {
  if (expression.error) return expression.error;
  for (const usedName of [...expression.names].reverse()) {
    const error = errorOfName(usedName, expressionContext);
    if (error) return error;
  }
  return undefined;
}

/** Variables of 2.4 by their lower-case names, without those of mod_ssl. */
export const EXPRESSION_VARIABLES: ReadonlyMap<string, string> = namesByLowerCase(
  'HTTP_ACCEPT HTTP_COOKIE HTTP_FORWARDED HTTP_HOST HTTP_PROXY_CONNECTION HTTP_REFERER HTTP_USER_AGENT REQUEST_METHOD REQUEST_SCHEME REQUEST_URI DOCUMENT_URI REQUEST_FILENAME ' +
    'SCRIPT_FILENAME LAST_MODIFIED SCRIPT_USER SCRIPT_GROUP PATH_INFO QUERY_STRING IS_SUBREQ THE_REQUEST REMOTE_ADDR REMOTE_PORT REMOTE_HOST REMOTE_USER REMOTE_IDENT SERVER_NAME SERVER_PORT SERVER_ADMIN ' +
    'SERVER_PROTOCOL DOCUMENT_ROOT AUTH_TYPE CONTENT_TYPE HANDLER HTTPS HTTP2 IPV6 REQUEST_STATUS REQUEST_LOG_ID CONN_LOG_ID CONN_REMOTE_ADDR CONTEXT_PREFIX CONTEXT_DOCUMENT_ROOT ' +
    'TIME TIME_YEAR TIME_MON TIME_DAY TIME_HOUR TIME_MIN TIME_SEC TIME_WDAY SERVER_SOFTWARE API_VERSION',
);

/** Functions of 2.4 by their lower-case names, without those of modules such as mod_ssl. */
export const EXPRESSION_FUNCTIONS: ReadonlyMap<string, string> = namesByLowerCase(
  'req http req_novary resp reqenv osenv note env tolower toupper escape unescape base64 unbase64 md5 sha1 file filesize ldap',
);

/** Functions that read files. Expressions in .htaccess files must not use them. */
const FILE_FUNCTIONS = new Set(['file', 'filesize']);

/** The letters of operators with one operand, such as `-d`. */
export const UNARY_OPERATORS = 'defhnsxzAFLRTU';
/** The names of operators between two operands, such as `-ipmatch`. */
export const BINARY_OPERATORS: readonly string[] = ['ipmatch', 'strmatch', 'strcmatch', 'fnmatch'];

// ---------------------------------------------------------------------------------------------------------------------

/** Finds the expressions of a line. */
type ExpressionReader = (line: Line, place: ExpressionPlace) => readonly PlacedExpression[];

const NO_EXPRESSIONS: readonly PlacedExpression[] = [];

function oneCondition(text: PlacedText): readonly PlacedExpression[] {
  return [{ kind: 'condition', text }];
}

function oneString(text: PlacedText): readonly PlacedExpression[] {
  return [{ kind: 'string', text }];
}

/**
 * Returns a reader for the argument at an index, which is text with variables. If `wordCount` is
 * given, the reader returns it only from lines with this number of arguments.
 */
const stringAt =
  (index: number, wordCount?: number): ExpressionReader =>
  (line) => {
    const words = argumentsOf(line);
    return words.length > index && (wordCount === undefined || words.length === wordCount)
      ? oneString(placedWord(line, words[index]!))
      : NO_EXPRESSIONS;
  };

/**
 * Returns a reader for the argument at an index. If the argument begins with `expr=` (in upper or
 * lower case), the rest is a condition.
 */
const conditionAt =
  (index: number): ExpressionReader =>
  (line) => {
    const word = argumentsOf(line)[index];
    return word && /^expr=/i.test(word.value) ? oneCondition(partOfText(placedWord(line, word), 5)) : NO_EXPRESSIONS;
  };

/** Reads a condition that is the only argument. httpd's core refuses anything after it. */
const readSingleArgument: ExpressionReader = (line) => {
  const words = argumentsOf(line);
  return words.length === 1 ? oneCondition(placedWord(line, words[0]!)) : NO_EXPRESSIONS;
};

const READER_BY_DIRECTIVE: ReadonlyMap<string, ExpressionReader> = new Map<string, ExpressionReader>([
  ['if', readSingleArgument],
  ['elseif', readSingleArgument],
  ['require', readRequire],
  ['sslrequire', (line) => oneCondition(placedRawArguments(line))],
  [
    'setenvifexpr',
    (line) => {
      const words = argumentsOf(line);
      return words.length > 0 ? oneCondition(placedWord(line, words[0]!)) : NO_EXPRESSIONS;
    },
  ],
  [
    'proxyfcgisetenvif',
    (line) => {
      const [word] = argumentsOf(line);
      return word === undefined ? NO_EXPRESSIONS : oneCondition(placedWord(line, word));
    },
  ],
  ['proxyhcexpr', readHealthCheck],
  ['customlog', conditionAt(2)],
  ['globallog', conditionAt(2)],
  ['header', (line) => readHeader(line, /^(always|onsuccess)$/i.test(argumentsOf(line)[0]?.value ?? '') ? 1 : 0)],
  ['requestheader', (line) => readHeader(line, 0)],
  [
    'filterprovider',
    (line) => {
      const words = argumentsOf(line);
      return words.length === 3 ? oneCondition(placedWord(line, words[2]!)) : NO_EXPRESSIONS;
    },
  ],
  ['rewritecond', readRewriteCond],
  ['errordocument', stringAt(1, 2)],
  ['authname', stringAt(0, 1)],
  ['authtype', stringAt(0, 1)],
  ['logmessage', stringAt(0)],
  ['sethandler', stringAt(0, 1)],
  [
    'authbasicfake',
    (line, place) => {
      const words = argumentsOf(line);
      return !words[0] || /^off$/i.test(words[0].value)
        ? NO_EXPRESSIONS
        : [...stringAt(0)(line, place), ...stringAt(1)(line, place)];
    },
  ],
  ['authformloginrequiredlocation', stringAt(0, 1)],
  ['authformloginsuccesslocation', stringAt(0, 1)],
  ['authformlogoutlocation', stringAt(0, 1)],
  ['redirect', readRedirect],
  ['alias', readAliasInLocation],
  ['scriptalias', readAliasInLocation],
]);

/**
 * Providers that read the rest of the line as text with variables; of the other providers, only
 * `expr` reads an expression.
 */
const STRING_PROVIDERS = new Set([
  'user',
  'group',
  'host',
  'forward-dns',
  'dbm-group',
  'dbd-group',
  'ldap-user',
  'ldap-group',
  'ldap-dn',
  'ldap-attribute',
  'ldap-filter',
  'ldap-search',
]);

/**
 * The text after the provider: for `expr` a condition, without quotes at its beginning and end
 * (expr_parse_config in mod_authz_core.c); for `STRING_PROVIDERS` text with variables.
 */
function readRequire(line: Line): readonly PlacedExpression[] {
  const argumentText = placedRawArguments(line);
  const providerMatch = /^(?:not\s+)?(\S+)\s*/i.exec(argumentText.value);
  if (!providerMatch) return NO_EXPRESSIONS;
  const prefix = providerMatch[0];
  const provider = providerMatch[1]!;
  if (provider === 'expr') {
    const isQuoted =
      argumentText.value.length > prefix.length + 1 &&
      argumentText.value[prefix.length] === '"' &&
      argumentText.value.endsWith('"');
    return oneCondition(
      isQuoted
        ? partOfText(argumentText, prefix.length + 1, argumentText.value.length - 1)
        : partOfText(argumentText, prefix.length),
    );
  }
  return STRING_PROVIDERS.has(provider) && argumentText.value.length > prefix.length
    ? oneString(partOfText(argumentText, prefix.length))
    : NO_EXPRESSIONS;
}

/**
 * The condition after the name: a word, or the text in a pair of braces. If the closing brace is
 * missing, the condition is all text after the opening brace (set_hc_condition in
 * mod_proxy_hcheck.c).
 */
function readHealthCheck(line: Line): readonly PlacedExpression[] {
  const words = argumentsOf(line);
  const secondWord = words[1];
  if (!secondWord) return NO_EXPRESSIONS;
  const argumentText = placedRawArguments(line);
  const conditionStart = argumentText.valueOffsetOf(secondWord.start);
  if (argumentText.value[conditionStart] !== '{') return oneCondition(placedWord(line, secondWord));
  let depth = 0;
  for (let index = conditionStart; index < argumentText.value.length; index++) {
    if (argumentText.value[index] === '{') depth++;
    else if (argumentText.value[index] === '}' && --depth === 0)
      return oneCondition(partOfText(argumentText, conditionStart + 1, index));
  }
  return oneCondition(partOfText(argumentText, conditionStart + 1));
}

/**
 * The expressions of a Header or RequestHeader line (header_cmd in mod_headers.c). A value after
 * `expr=` is text with variables; a last argument after `expr=` is a condition. `skippedWords`: the
 * number of words before the action.
 */
function readHeader(line: Line, skippedWords: number): readonly PlacedExpression[] {
  const words = argumentsOf(line).slice(skippedWords);
  const action = words[0]?.value.toLowerCase() ?? '';
  const expressions: PlacedExpression[] = [];
  const valueWord =
    action === 'edit' || action === 'edit*' ? words[3] : ['unset', 'echo'].includes(action) ? undefined : words[2];
  const conditionWord =
    action === 'edit' || action === 'edit*' ? words[4] : ['unset', 'echo'].includes(action) ? words[2] : words[3];
  if (valueWord?.value.startsWith('expr='))
    expressions.push({ kind: 'string', text: partOfText(placedWord(line, valueWord), 5) });
  if (conditionWord && /^expr=/i.test(conditionWord.value))
    expressions.push({ kind: 'condition', text: partOfText(placedWord(line, conditionWord), 5) });
  return expressions;
}

function readRewriteCond(line: Line): readonly PlacedExpression[] {
  const argumentText = placedRawArguments(line);
  if (!/expr/i.test(argumentText.value)) return NO_EXPRESSIONS;
  const { kind, pattern, isNegated } = parseRewriteCond(argumentText.value);
  if (kind !== 'expression' || !pattern) return NO_EXPRESSIONS;
  const conditionStart = pattern.start + (pattern.quote === '' ? 0 : 1) + (isNegated ? 1 : 0);
  return oneCondition(
    partOfText(argumentText, conditionStart, conditionStart + pattern.value.length - (isNegated ? 1 : 0)),
  );
}

/**
 * In a section with a path, the path argument is optional, and the target is then text with
 * variables (add_redirect_internal in mod_alias.c).
 */
function readRedirect(line: Line, { isInDirectory }: ExpressionPlace): readonly PlacedExpression[] {
  const words = argumentsOf(line);
  const [firstWord, secondWord] = words;
  if (!isInDirectory || !firstWord || words.length > 2) return NO_EXPRESSIONS;
  const isStatus = /^(permanent|temp|seeother|3\d\d)$/i.test(firstWord.value);
  if (secondWord) return isStatus ? oneString(placedWord(line, secondWord)) : NO_EXPRESSIONS;
  return isStatus || /^(gone|\d+)$/i.test(firstWord.value) ? NO_EXPRESSIONS : oneString(placedWord(line, firstWord));
}

function readAliasInLocation(line: Line, { isInLocation }: ExpressionPlace): readonly PlacedExpression[] {
  const words = argumentsOf(line);
  return isInLocation && words.length === 1 ? oneString(placedWord(line, words[0]!)) : NO_EXPRESSIONS;
}

/** The error for a name that does not exist or is not allowed; undefined otherwise. */
function errorOfName(
  { kind, name, start, end, operandText }: UsedName,
  { isHtaccess, modules }: ExpressionContext,
): ExpressionError | undefined {
  const lowerCaseName = name.toLowerCase();
  const mayHaveModule = (module: string) => modules === null || modules.has(module);
  switch (kind) {
    case 'variable': {
      if (EXPRESSION_VARIABLES.has(lowerCaseName)) return undefined;
      if (/^ssl_/.test(lowerCaseName) && mayHaveModule('mod_ssl')) return undefined;
      const isFunction = EXPRESSION_FUNCTIONS.has(lowerCaseName);
      const suggestion = isFunction
        ? `; "${name}" is a function, and needs an argument: %{${name}:…}`
        : hintFor(name, EXPRESSION_VARIABLES);
      return {
        id: 'unknown-variable',
        start,
        end,
        message: `there is no variable "${name}"${lowerCaseName.startsWith('ssl_') ? ' without mod_ssl' : suggestion}`,
        serverText: `Variable '${name}' does not exist`,
      };
    }
    case 'function': {
      if (EXPRESSION_FUNCTIONS.has(lowerCaseName)) {
        const message = `the function "${name}" is not allowed in a .htaccess file`;
        return isHtaccess && FILE_FUNCTIONS.has(lowerCaseName)
          ? { id: 'restricted', start, end, message, serverText: `${name} not available in restricted context` }
          : undefined;
      }
      if (
        (lowerCaseName === 'ssl' && mayHaveModule('mod_ssl')) ||
        (lowerCaseName === 'hc' && mayHaveModule('mod_proxy_hcheck'))
      )
        return undefined;
      const isVariable = EXPRESSION_VARIABLES.has(lowerCaseName);
      const suggestion = isVariable
        ? `; "${name}" is a variable, and takes no argument`
        : hintFor(name, EXPRESSION_FUNCTIONS);
      return {
        id: 'unknown-function',
        start,
        end,
        message: `there is no function "${name}"${suggestion}`,
        serverText: `Function '${name}' does not exist`,
      };
    }
    case 'list-function':
      if (lowerCaseName === 'peerextlist' && mayHaveModule('mod_ssl')) return undefined;
      return {
        id: 'unknown-function',
        start,
        end,
        message: `there is no function "${name}" that gives a list; write the list in braces`,
        serverText: `List-returning function '${name}' does not exist`,
      };
    case 'unary':
      if (name === 'R' && !isSubnet(operandText)) return errorOfSubnet('-R', start, end, operandText);
      if (UNARY_OPERATORS.includes(name)) return undefined;
      return {
        id: 'unknown-operator',
        start,
        end,
        message: `there is no operator "-${name}"`,
        serverText: `Unary operator '-${name}' does not exist`,
      };
    case 'binary':
      if (lowerCaseName === 'ipmatch' && !isSubnet(operandText))
        return errorOfSubnet(`-${name}`, start, end, operandText);
      if (BINARY_OPERATORS.includes(lowerCaseName)) return undefined;
      return {
        id: 'unknown-operator',
        start,
        end,
        message: `there is no operator "-${name}"${hintFor(name, namesByLowerCase(`${BINARY_OPERATORS.join(' ')} eq ne lt le gt ge in`), '-')}`,
        serverText: `Binary operator '-${name}' does not exist`,
      };
  }
}

/** A suggestion of the nearest name, as the end of a message; '' if none is near. */
function hintFor(name: string, names: ReadonlyMap<string, string>, prefix = ''): string {
  const [nearestName] = findNearestNames(name, [...names.values()], 1);
  return nearestName === undefined ? '' : `; did you mean ${prefix}${nearestName}?`;
}

function errorOfSubnet(operator: string, start: number, end: number, constant: string | undefined): ExpressionError {
  return constant === undefined
    ? {
        id: 'subnet',
        start,
        end,
        message: `${operator} needs the address as plain text in quotes`,
        serverText: `${operator} requires subnet/netmask as constant argument`,
      }
    : {
        id: 'subnet',
        start,
        end,
        message: `"${constant}" is not an address or a network`,
        serverText: 'parsing of subnet/netmask failed',
      };
}

/**
 * Whether a text is an address or network for httpd (apr_ipsubnet_create): an IPv4 or IPv6 address,
 * or the first bytes of an IPv4 address. A whole address may end in `/` and a positive number of
 * bits or, for IPv4, a mask.
 */
function isSubnet(text: string | undefined): boolean {
  if (text === undefined) return false;
  const [address, mask, ...more] = text.split('/') as [string, ...string[]];
  if (more.length > 0) return false;
  const hasOnlyBytes = (dottedText: string) =>
    dottedText.split('.').every((byte) => /^\d{1,3}$/.test(byte) && Number(byte) < 256);
  const isFullIp4 = /^\d+(\.\d+){3}$/.test(address) && hasOnlyBytes(address);
  if (isFullIp4)
    return (
      mask === undefined ||
      (/^\d+$/.test(mask) && Number(mask) > 0 && Number(mask) <= 32) ||
      (/^\d+(\.\d+){3}$/.test(mask) && hasOnlyBytes(mask))
    );
  if (/^\d+(\.\d+){0,2}\.?$/.test(address)) return mask === undefined && hasOnlyBytes(address.replace(/\.$/, ''));
  if (!address.includes(':') || !/^[\da-f:.]*$/i.test(address)) return false;
  // Only the C library of the server knows whether the part before `/` is a valid address, so this
  // function accepts it.
  return mask === undefined || (/^\d+$/.test(mask) && Number(mask) > 0 && Number(mask) <= 128);
}

function namesByLowerCase(names: string): ReadonlyMap<string, string> {
  return new Map(names.split(' ').map((name) => [name.toLowerCase(), name]));
}
