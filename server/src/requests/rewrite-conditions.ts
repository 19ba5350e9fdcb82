/**
 * Evaluates RewriteCond lines and the substitutions of RewriteRule lines (apply_rewrite_cond,
 * do_expand, lookup_variable).
 */
import type { ConfigLine } from '../config/configuration';
import { parentOf } from '../config/files';
import { rawArguments } from '../syntax/line';
import { cacheOf } from '../syntax/memory';
import { parseRewriteCond, type RewriteCondParts } from '../syntax/rewrite';
import type { RequestContext } from './asking';
import { isConditionTrue } from './expressions';
import { matchedGroups, matchesRegex } from './patterns';
import { findDocumentRoot, isInCopy, SYSTEM_FOLDERS } from './server-paths';
import { requestValue } from './values';

/** The request as the next rule sees it. Each rule can change it. */
export interface RewrittenRequest {
  /**
   * For rules of a server, the URL. For rules of a directory, the path of the file (`r->filename`).
   */
  readonly path: string;
  /** The part of the URL after the name of the file. Empty for rules of a server. */
  readonly pathInfo: string;
  readonly query: string;
  /** The directory of the rules with a slash at its end. Null for rules of a server. */
  readonly directory: string | null;
  /** Whether this is an internal request of mod_dir for an index file. */
  readonly isSubrequest: boolean;
}

/**
 * The texts of the groups in the patterns of a rule (`$1`) and of its last condition (`%1`). Null
 * if they are unknown.
 */
export interface RewriteGroups {
  readonly patternGroups: readonly string[] | null;
  readonly conditionGroups: readonly string[] | null;
}

/**
 * Evaluates the conditions of a rule. `groupsOfRule`: the groups of the rule's pattern. `groups` in
 * the result: the groups of the last condition that matched a pattern.
 */
export function resultOfConditions(
  lines: readonly ConfigLine[],
  groupsOfRule: readonly string[] | null,
  rewrittenRequest: RewrittenRequest,
  requestContext: RequestContext,
): { readonly isMet: boolean; readonly groups: readonly string[] | null } {
  let groups: readonly string[] | null = [];
  let isDecided = false;
  for (const line of lines) {
    const condition = conditionPartsOf(line);
    const isOrCondition = condition.flags.some(({ name }) => /^(or|ornext)$/i.test(name));
    // `[OR]` joins a condition with the next one. Then one true condition is enough.
    if (!isDecided) {
      const conditionResult = resultOfCondition(line, condition, {
        groups: { patternGroups: groupsOfRule, conditionGroups: groups },
        rewrittenRequest,
        requestContext,
      });
      if (conditionResult.groups !== undefined) groups = conditionResult.groups;
      if (!conditionResult.holds && !isOrCondition) return { isMet: false, groups };
      isDecided = conditionResult.holds;
    }
    if (!isOrCondition) isDecided = false;
  }
  return { isMet: true, groups };
}

/** Replaces the references and variables in a text. Null if one of them is unknown. */
export function withReferencesReplaced(
  text: string,
  groups: RewriteGroups,
  rewrittenRequest: RewrittenRequest,
  requestContext: RequestContext,
): string | null {
  let expandedText = '';
  for (let position = 0; position < text.length; ) {
    const restOfText = text.slice(position);
    const [reference, escapedCharacter, variable, digit] =
      /^(?:\\([^])|%\{([^{}]*)\}|([$%]\d))/.exec(restOfText) ??
      (/^[$%]\{/.test(restOfText) ? [null] : [restOfText[0]!, restOfText[0]]);
    if (reference === null) return null;
    const replacement =
      escapedCharacter ??
      (variable !== undefined
        ? valueOfVariable(variable, rewrittenRequest, requestContext)
        : groupText(digit!.startsWith('$') ? groups.patternGroups : groups.conditionGroups, Number(digit![1])));
    if (replacement === null) return null;
    expandedText += replacement;
    position += reference.length;
  }
  return expandedText;
}

// ---------------------------------------------------------------------------------------------------------------------

/** The parsed conditions. They are cached, because many requests evaluate the same lines. */
const conditionByLine = cacheOf<ConfigLine, RewriteCondParts>();

/** The parts of a RewriteCond line, from the cache or parsed now. */
function conditionPartsOf(line: ConfigLine): RewriteCondParts {
  let condition = conditionByLine.get(line);
  if (!condition) conditionByLine.set(line, (condition = parseRewriteCond(rawArguments(line.expandedLine).value)));
  return condition;
}

/** The text of a group. Empty if the pattern has no such group. Null if the groups are unknown. */
function groupText(groups: readonly string[] | null, index: number): string | null {
  return groups && (groups[index] ?? '');
}

/** The value of a variable such as `%{REQUEST_FILENAME}`. Null if it is unknown. */
function valueOfVariable(
  name: string,
  { path, pathInfo, query, directory, isSubrequest }: RewrittenRequest,
  requestContext: RequestContext,
) {
  switch (name.toUpperCase()) {
    case 'REQUEST_FILENAME':
    case 'SCRIPT_FILENAME':
      return path;
    case 'PATH_INFO':
      return pathInfo;
    case 'QUERY_STRING':
      return query;
    case 'DOCUMENT_ROOT':
      return findDocumentRoot(requestContext).path;
    case 'IS_SUBREQ':
      return String(isSubrequest);
    case 'THE_REQUEST':
      return requestContext.requestLine;
    case 'ENV:REDIRECT_STATUS':
      return requestContext.isInternallyRewritten ? '200' : '';
    case 'REMOTE_USER':
      return directory === null || requestContext.request.user === null ? '' : null;
    default:
      return requestValue(name, requestContext);
  }
}

/**
 * What a condition is evaluated for. `groups`: the groups of the rule, and of the condition before.
 */
interface ConditionContext {
  readonly groups: RewriteGroups;
  readonly rewrittenRequest: RewrittenRequest;
  readonly requestContext: RequestContext;
}

/**
 * The result of one condition. `groups`: the groups of its regular expression. Absent if the
 * condition has no expression: then the groups of the condition before stay.
 */
interface ConditionResult {
  readonly holds: boolean;
  readonly groups?: readonly string[] | null;
}

/** Evaluates one condition. If it cannot be computed, an open fact decides. */
function resultOfCondition(line: ConfigLine, condition: RewriteCondParts, context: ConditionContext): ConditionResult {
  const { test, pattern, kind, operator, isNegated, flags } = condition;
  const { rewrittenRequest, requestContext, groups } = context;
  const place = requestContext.site.placeOf(line);
  const ignoreCase = flags.some(({ name }) => /^(nc|nocase)$/i.test(name));
  const conditionPattern = (pattern?.value ?? '').slice(isNegated ? 1 : 0);
  if (kind === 'expression')
    return {
      holds: isConditionTrue(conditionPattern, { place, requestContext, isUserKnown: false }) !== isNegated,
      groups: null,
    };
  const testText = withReferencesReplaced(test?.value ?? '', groups, rewrittenRequest, requestContext);
  if (testText !== null && kind === 'regex') {
    const isMatch = matchesRegex(conditionPattern, testText, { facts: requestContext.facts, place, ignoreCase });
    return isMatch && !isNegated
      ? { holds: true, groups: matchedGroups(conditionPattern, testText, ignoreCase) }
      : { holds: isMatch !== isNegated };
  }
  const comparisonResult =
    testText === null
      ? null
      : isComparisonTrue(
          { kind, operator, operandWithOperator: conditionPattern, ignoreCase },
          testText,
          requestContext,
        );
  if (comparisonResult !== null) return { holds: comparisonResult !== isNegated };
  const lineText = line.line.text.trim();
  const fact = { what: `whether \`${lineText}\` holds`, place };
  const isMet = requestContext.facts.holds(`rewrite ${lineText} ${rewrittenRequest.path}`, fact);
  return { holds: isMet, ...(isMet && kind === 'regex' && { groups: null }) };
}

/**
 * Whether the comparison of a condition holds for `value`, the expanded test string. Null if it is
 * unknown.
 */
function isComparisonTrue(
  {
    kind,
    operator,
    operandWithOperator,
    ignoreCase,
  }: {
    readonly kind: RewriteCondParts['kind'];
    readonly operator: string;
    readonly operandWithOperator: string;
    readonly ignoreCase: boolean;
  },
  value: string,
  requestContext: RequestContext,
): boolean | null {
  if (kind === 'file-test') return isFileTestTrue(operator, value, requestContext);
  const operandText = operandWithOperator.slice(operator.length).trim();
  if (/[$%]/.test(operandText)) return null;
  if (kind === 'number') {
    const difference = (Number.parseInt(value, 10) || 0) - (Number.parseInt(operandText, 10) || 0);
    return TEST_BY_OPERATOR[operator.replace('-', '')]?.(difference) ?? null;
  }
  const unquotedOperand = operandText.replace(/^"(.*)"$/, '$1');
  const [left, right] = ignoreCase ? [value.toLowerCase(), unquotedOperand.toLowerCase()] : [value, unquotedOperand];
  // A longer text is greater (compare_lexicography).
  const comparisonSign =
    !ignoreCase && operator !== '=' && left.length !== right.length
      ? left.length - right.length
      : left < right
        ? -1
        : left > right
          ? 1
          : 0;
  return TEST_BY_OPERATOR[operator]?.(comparisonSign) ?? null;
}

/**
 * For each operator: whether a comparison holds, by the sign of the difference between its sides.
 */
const TEST_BY_OPERATOR: Readonly<Record<string, (difference: number) => boolean>> = {
  '=': (difference) => difference === 0,
  '<': (difference) => difference < 0,
  '>': (difference) => difference > 0,
  '<=': (difference) => difference <= 0,
  '>=': (difference) => difference >= 0,
  eq: (difference) => difference === 0,
  ne: (difference) => difference !== 0,
  lt: (difference) => difference < 0,
  gt: (difference) => difference > 0,
  le: (difference) => difference <= 0,
  ge: (difference) => difference >= 0,
};

/** Whether a file test holds: `-f`, `-d`, `-s` and `-l`. Null if it is unknown. */
function isFileTestTrue(operator: string, path: string, requestContext: RequestContext): boolean | null {
  const { site } = requestContext;
  if (!path.startsWith('/')) return null;
  const pathWithoutSlash = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  const kindOnDisk = site.kind(pathWithoutSlash);
  if (
    kindOnDisk === null &&
    !isInCopy(parentOf(pathWithoutSlash), requestContext) &&
    SYSTEM_FOLDERS.has(pathWithoutSlash.split('/')[1]!)
  )
    return null;
  switch (operator) {
    case '-f':
      return kindOnDisk === 'file' && pathWithoutSlash === path;
    case '-d':
      return kindOnDisk === 'folder';
    case '-l':
      return kindOnDisk === null ? false : Boolean(site.linkTarget(pathWithoutSlash));
    case '-s': {
      const fileText = kindOnDisk === 'file' ? site.textOfFile(pathWithoutSlash) : null;
      return kindOnDisk === 'file' ? (fileText === null ? null : fileText !== '') : false;
    }
    default:
      return null;
  }
}
