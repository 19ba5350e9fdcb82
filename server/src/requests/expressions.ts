/**
 * Evaluates expressions of `<If>`, `Require expr` and SetEnvIfExpr (server/util_expr_eval.c). If a
 * part cannot be computed, the result of the whole expression becomes an open fact.
 */
import type { Scope } from '../config/configuration';
import { parseCondition, type ExpressionNode } from '../syntax/expression';
import { logicalText } from '../syntax/line';
import { cache } from '../syntax/memory';
import { regexMatches } from '../syntax/regex-match';
import { isInNetwork } from './addresses';
import type { RequestContext } from './asking';
import { matchesAcrossSlashes, matchesGlob } from './patterns';
import type { RequestPlace } from './model';
import { requestValue } from './values';

/** Where an expression is, and the request for which it is evaluated. */
export interface ExpressionContext {
  readonly place: RequestPlace;
  readonly requestContext: RequestContext;
  /** Whether httpd already knows the user when it evaluates the expression. */
  readonly isUserKnown: boolean;
  /** Whether an environment variable is set. Without it, the variables are unknown. */
  readonly hasVariable?: (name: string) => boolean;
}

/**
 * Whether an expression is true for the request. If it cannot be computed, an open fact decides.
 */
export function isConditionTrue(source: string, context: ExpressionContext): boolean {
  const { tree } = parsedCondition(source);
  const value = valueOf(tree, context);
  if (value !== null) return value;
  return context.requestContext.facts.holds(`expression ${source}${context.isUserKnown ? ' after the login' : ''}`, {
    what: `whether the expression \`${source}\` holds`,
    place: context.place,
  });
}

/** The expression in the tag of an `<If>` or `<ElseIf>`, without the quotes around it. */
export function tagExpression({ section }: Scope): string {
  const { text } = logicalText(section!.open);
  const inner = text.slice(text.search(/\s\S/) + 1, text.lastIndexOf('>')).replace(/^\s+/, '');
  const plain = text.trim().replace(/^<\S+\s*/, '');
  const source = (inner === '' ? plain : inner).trimEnd();
  const quote = source[0];
  return (quote === '"' || quote === "'") && source.endsWith(quote) && source.length > 1
    ? source.slice(1, -1).replaceAll(`\\${quote}`, quote)
    : source;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * A cache of parsed expressions: each request evaluates the same few expressions of a
 * configuration.
 */
const MAX_PARSED = 500;
const parsedConditions = cache<string, ReturnType<typeof parseCondition>>();

function parsedCondition(source: string): ReturnType<typeof parseCondition> {
  let parsed = parsedConditions.get(source);
  if (!parsed) {
    if (parsedConditions.size >= MAX_PARSED) parsedConditions.clear();
    parsedConditions.set(source, (parsed = parseCondition(source)));
  }
  return parsed;
}

/** The value of an expression. Null if it is unknown. */
function valueOf(node: ExpressionNode, context: ExpressionContext): boolean | null {
  switch (node.type) {
    case 'constant':
      return node.value;
    case 'not': {
      const value = valueOf(node.operand, context);
      return value === null ? null : !value;
    }
    case 'and':
    case 'or': {
      const [left, right] = [valueOf(node.left, context), valueOf(node.right, context)];
      const decisive = node.type === 'or';
      if (left === decisive || right === decisive) return decisive;
      return left === null || right === null ? null : !decisive;
    }
    case 'unary':
      return valueOfUnary(node.operator.value, node.operand, context);
    case 'comparison':
      return valueOfComparison(node, context);
    default: {
      const value = textOfNode(node, context);
      return value === null ? null : value !== '';
    }
  }
}

function valueOfUnary(operator: string, operand: ExpressionNode, context: ExpressionContext): boolean | null {
  const value = textOfNode(operand, context);
  if (value === null) return null;
  switch (operator) {
    case 'n':
      return value !== '';
    case 'z':
      return value === '';
    case 'T':
      return value !== '' && !/^(off|false|no|0)$/i.test(value);
    case 'R':
      return context.requestContext.request.from === null
        ? null
        : isInNetwork(value, context.requestContext.request.from);
    default:
      return null;
  }
}

function valueOfComparison(
  { operator, left, right }: Extract<ExpressionNode, { type: 'comparison' }>,
  context: ExpressionContext,
): boolean | null {
  const value = textOfNode(left, context);
  if (value === null) return null;
  if (operator.value === '=~' || operator.value === '!~') {
    if (right.type !== 'regex') return null;
    const matches = regexMatches(right.pattern, value, { ignoreCase: right.isInsensitive });
    return matches === null ? null : matches === (operator.value === '=~');
  }
  const name = operator.value.replace(/^-/, '');
  if (name === 'in') {
    if (right.type !== 'list') return null;
    const items = right.items.map((item) => textOfNode(item, context));
    return items.includes(value) ? true : items.includes(null) ? null : false;
  }
  const other = textOfNode(right, context);
  if (other === null) return null;
  const sign = (result: number): boolean | null => {
    switch (name) {
      case '==':
      case '=':
      case 'eq':
        return result === 0;
      case '!=':
      case 'ne':
        return result !== 0;
      case '<':
      case 'lt':
        return result < 0;
      case '<=':
      case 'le':
        return result <= 0;
      case '>':
      case 'gt':
        return result > 0;
      case '>=':
      case 'ge':
        return result >= 0;
      default:
        return null;
    }
  };
  switch (name) {
    case 'ipmatch':
      return isInNetwork(other, value);
    // apr_fnmatch without APR_FNM_PATHNAME, so `*` matches slashes.
    case 'strmatch':
      return matchesAcrossSlashes(other, value);
    case 'strcmatch':
      return matchesAcrossSlashes(other.toLowerCase(), value.toLowerCase());
    case 'fnmatch':
      return matchesGlob(other, value);
    default:
  }
  if (/^[a-z]/.test(name)) return sign((Number.parseInt(value, 10) || 0) - (Number.parseInt(other, 10) || 0));
  return sign(value < other ? -1 : value > other ? 1 : 0);
}

function textOfNode(node: ExpressionNode, context: ExpressionContext): string | null {
  const joined = (nodes: readonly ExpressionNode[]) => {
    const texts = nodes.map((each) => textOfNode(each, context));
    return texts.includes(null) ? null : texts.join('');
  };
  switch (node.type) {
    case 'text':
    case 'number':
      return node.value;
    case 'parts':
      return joined(node.parts);
    case 'concat':
      return joined([node.left, node.right]);
    case 'variable': {
      if (node.name.toUpperCase() === 'REMOTE_USER')
        return context.isUserKnown ? (context.requestContext.request.user ?? '') : '';
      return requestValue(node.name, context.requestContext);
    }
    case 'call': {
      const argument = textOfNode(node.argument, context);
      if (argument === null) return null;
      return valueOfFunction(node.name.value.toLowerCase(), argument, context);
    }
    default:
      return null;
  }
}

function valueOfFunction(
  name: string,
  argument: string,
  { requestContext, hasVariable }: ExpressionContext,
): string | null {
  switch (name) {
    case 'req':
    case 'http':
    case 'req_novary':
      return requestValue(`HTTP:${argument}`, requestContext);
    case 'tolower':
      return argument.toLowerCase();
    case 'toupper':
      return argument.toUpperCase();
    case 'reqenv':
      return hasVariable && !hasVariable(argument) ? '' : null;
    default:
      return null;
  }
}
