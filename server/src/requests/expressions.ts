/**
 * Evaluates expressions of `<If>`, `Require expr` and SetEnvIfExpr (server/util_expr_eval.c). If a
 * part cannot be computed, the result of the whole expression becomes an open fact.
 */
import type { Scope } from '../config/configuration';
import { parseCondition, type ExpressionNode } from '../syntax/expression';
import { logicalText, type Line } from '../syntax/line';
import { cache, cacheOf } from '../syntax/memory';
import { regexMatches } from '../syntax/regex-match';
import { isInNetwork } from './addresses';
import type { RequestContext } from './asking';
import { matchesAcrossSlashes, matchesGlob } from './patterns';
import type { FileLine } from './model';
import { requestValue } from './values';

/** Where an expression is, and the request for which it is evaluated. */
export interface ExpressionContext {
  readonly place: FileLine;
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
  const expressionValue = valueOf(tree, context);
  if (expressionValue !== null) return expressionValue;
  return context.requestContext.facts.holds(`expression ${source}${context.isUserKnown ? ' after the login' : ''}`, {
    what: `whether the expression \`${source}\` holds`,
    place: context.place,
  });
}

/** The expression in the tag of an `<If>` or `<ElseIf>`, without the quotes around it. */
export function tagExpression({ section }: Scope): string {
  let expression = expressionByTag.get(section!.open);
  if (expression === undefined) expressionByTag.set(section!.open, (expression = expressionIn(section!.open)));
  return expression;
}

const expressionByTag = cacheOf<Line, string>();

/** Reads the expression in a tag, without the quotes around it. */
function expressionIn(open: Line): string {
  const { text } = logicalText(open);
  const textBeforeBracket = text.slice(text.search(/\s\S/) + 1, text.lastIndexOf('>')).replace(/^\s+/, '');
  const textAfterName = text.trim().replace(/^<\S+\s*/, '');
  const source = (textBeforeBracket === '' ? textAfterName : textBeforeBracket).trimEnd();
  const quote = source[0];
  return (quote === '"' || quote === "'") && source.endsWith(quote) && source.length > 1
    ? source.slice(1, -1).replaceAll(`\\${quote}`, quote)
    : source;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Maximum number of parsed expressions in the cache. They are cached because each request evaluates
 * the same few expressions of a configuration.
 */
const MAX_PARSED_EXPRESSIONS = 500;
const parsedConditions = cache<string, ReturnType<typeof parseCondition>>();

/** The parsed expression, from the cache or parsed now. */
function parsedCondition(source: string): ReturnType<typeof parseCondition> {
  let parsedSource = parsedConditions.get(source);
  if (!parsedSource) {
    if (parsedConditions.size >= MAX_PARSED_EXPRESSIONS) parsedConditions.clear();
    parsedConditions.set(source, (parsedSource = parseCondition(source)));
  }
  return parsedSource;
}

/** The value of an expression. Null if it is unknown. */
function valueOf(node: ExpressionNode, context: ExpressionContext): boolean | null {
  switch (node.type) {
    case 'constant':
      return node.value;
    case 'not': {
      const operandValue = valueOf(node.operand, context);
      return operandValue === null ? null : !operandValue;
    }
    case 'and':
    case 'or': {
      const [left, right] = [valueOf(node.left, context), valueOf(node.right, context)];
      const decisiveValue = node.type === 'or';
      if (left === decisiveValue || right === decisiveValue) return decisiveValue;
      return left === null || right === null ? null : !decisiveValue;
    }
    case 'unary':
      return valueOfUnary(node.operator.value, node.operand, context);
    case 'comparison':
      return valueOfComparison(node, context);
    default: {
      const nodeText = textOfNode(node, context);
      return nodeText === null ? null : nodeText !== '';
    }
  }
}

/** The value of an operator with one operand, such as `-n`. Null if it is unknown. */
function valueOfUnary(operator: string, operand: ExpressionNode, context: ExpressionContext): boolean | null {
  const operandText = textOfNode(operand, context);
  if (operandText === null) return null;
  switch (operator) {
    case 'n':
      return operandText !== '';
    case 'z':
      return operandText === '';
    case 'T':
      return operandText !== '' && !/^(off|false|no|0)$/i.test(operandText);
    case 'R':
      return context.requestContext.request.from === null
        ? null
        : isInNetwork(operandText, context.requestContext.request.from);
    default:
      return null;
  }
}

/** The value of a comparison. Null if it is unknown. */
function valueOfComparison(
  { operator, left, right }: Extract<ExpressionNode, { type: 'comparison' }>,
  context: ExpressionContext,
): boolean | null {
  const leftText = textOfNode(left, context);
  if (leftText === null) return null;
  if (operator.value === '=~' || operator.value === '!~') {
    if (right.type !== 'regex') return null;
    const doesPatternMatch = regexMatches(right.pattern, leftText, { ignoreCase: right.ignoresCase });
    return doesPatternMatch === null ? null : doesPatternMatch === (operator.value === '=~');
  }
  const operatorName = operator.value.replace(/^-/, '');
  if (operatorName === 'in') {
    if (right.type !== 'list') return null;
    const itemTexts = right.items.map((item) => textOfNode(item, context));
    return itemTexts.includes(leftText) ? true : itemTexts.includes(null) ? null : false;
  }
  const rightText = textOfNode(right, context);
  if (rightText === null) return null;
  const isTrueForOrder = (result: number): boolean | null => {
    switch (operatorName) {
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
  switch (operatorName) {
    case 'ipmatch':
      return isInNetwork(rightText, leftText);
    // apr_fnmatch without APR_FNM_PATHNAME, so `*` matches slashes.
    case 'strmatch':
      return matchesAcrossSlashes(rightText, leftText);
    case 'strcmatch':
      return matchesAcrossSlashes(rightText.toLowerCase(), leftText.toLowerCase());
    case 'fnmatch':
      return matchesGlob(rightText, leftText);
    default:
  }
  if (/^[a-z]/.test(operatorName))
    return isTrueForOrder((Number.parseInt(leftText, 10) || 0) - (Number.parseInt(rightText, 10) || 0));
  return isTrueForOrder(leftText < rightText ? -1 : leftText > rightText ? 1 : 0);
}

/** The text that a part of an expression stands for. Null if it is unknown. */
function textOfNode(node: ExpressionNode, context: ExpressionContext): string | null {
  const joinedTexts = (nodes: readonly ExpressionNode[]) => {
    const textsOfNodes = nodes.map((each) => textOfNode(each, context));
    return textsOfNodes.includes(null) ? null : textsOfNodes.join('');
  };
  switch (node.type) {
    case 'text':
    case 'number':
      return node.value;
    case 'parts':
      return joinedTexts(node.parts);
    case 'concat':
      return joinedTexts([node.left, node.right]);
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

/** The result of a function such as `req`. Null if it is unknown. */
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
