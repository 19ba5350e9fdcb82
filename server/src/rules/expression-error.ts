import { DIRECTORY_SECTIONS } from '../config/sections';
import { expressionError, expressionNames, expressionsIn, parseExpression } from '../directives/expressions';
import { argumentsOf, LineKind, spelledName, type Line } from '../syntax/line';
import { contentSpan, fittingHeadline, NO_FINDINGS, shortened } from './support/edits';
import type { Context, Finding, LineRule } from './rule';
import { namesOfRequire } from './text-is-expression';

/**
 * Directives whose expressions other rules check. The rule rewrite-error checks RewriteCond, and
 * value-refused checks the other directives, because it compares their values with 2.2.
 */
const NAMES_OF_OTHER_RULES = new Set(['authname', 'authtype', 'errordocument', 'sethandler', 'rewritecond']);

const DIRECTORY_KINDS = new Set([...DIRECTORY_SECTIONS, 'if', 'elseif', 'else']);

export const expressionErrorRule: LineRule = {
  id: 'expression-error',
  title: 'Expressions that httpd cannot parse',
  consequence: 'will not start',
  fix: 'suggestion',
  checks: 'line',
  names: ['else', ...expressionNames().filter((name) => !NAMES_OF_OTHER_RULES.has(name))],
  url: 'https://httpd.apache.org/docs/2.4/expr.html',
  examples: [
    {
      title: 'A condition without quotes, and an unknown variable',
      before:
        '<If %{REQUEST_URI} == "/old">\n    Header set X-Old yes\n</If>\n<If "%{REQUEST_PATH} == \'/old\'">\n    Header set X-Old yes\n</If>\n',
      finds: ['quotes', 'unknown-variable'],
    },
    {
      title: 'Text instead of a regular expression',
      before: '<Location "/intern">\n    Require expr %{REQUEST_URI} =~ \'^/intern\'\n</Location>\n',
      finds: ['syntax'],
    },
    { title: 'Text without quotes', before: 'SetEnvIfExpr "req(\'X-Client\') == intern" INTERN\n', finds: ['syntax'] },
    {
      title: 'The function file() in a .htaccess file',
      before: "<If \"file('/etc/motd') == ''\">\n    Header set X-Empty yes\n</If>\n",
      finds: ['restricted'],
      file: '.htaccess',
    },
  ],
  check({ line, context }) {
    if (
      mayBeTemplate(line.text, context.fileContext) ||
      line.text.includes('${') ||
      context.containers.includes('macro')
    )
      return NO_FINDINGS;
    const argumentCountFinding = argumentCountFindingOf(line);
    if (argumentCountFinding) return [argumentCountFinding];
    const place = {
      isInDirectory: context.isHtaccess || context.containers.some((name) => DIRECTORY_KINDS.has(name)),
      isInLocation: context.containers.some((name) => name === 'location' || name === 'locationmatch'),
    };
    const fileContext = { isHtaccess: context.isHtaccess, modules: context.fileContext?.modules ?? null };
    const findings: Finding[] = [];
    for (const expression of expressionsIn(line, place)) {
      const error = expressionError(parseExpression(expression), fileContext);
      if (error)
        findings.push({
          messageId: error.id,
          ...textsOfError(line, error),
          ...((error.id === 'escape' || error.id === 'unknown-variable') &&
            line.kind === LineKind.Directive &&
            line.name === 'require' &&
            helpToEscape(line, error.id)),
          start: expression.text.lineOffsetOf(error.start),
          end: Math.max(expression.text.lineOffsetOf(error.start), expression.text.lineEndOf(error.end)),
        });
    }
    // httpd parses the condition first. If the condition has an error, httpd does not report the
    // missing argument (add_setenvifexpr in mod_setenvif.c).
    const isIncomplete = line.name === 'setenvifexpr' && argumentsOf(line).length === 1;
    if (isIncomplete && line.kind === LineKind.Directive && findings.length === 0) {
      findings.push({
        messageId: 'arguments',
        what: '`SetEnvIfExpr` needs variables to set after its condition',
        help: 'Write the variables after the condition, for example `NAME=1`.',
        serverText: 'Missing envariable expression for SetEnvIfExpr',
        ...contentSpan(line),
      });
    }
    return findings;
  },
};

/**
 * The help and the fixes that escape the name of a user or group for 2.4. An empty object if the
 * Require line has no such name.
 */
function helpToEscape(line: Line, errorId: string): Pick<Finding, 'help' | 'fixes'> {
  const requireHelp = namesOfRequire(line);
  if (requireHelp === null || requireHelp.fixes.length === 0) return {};
  const help =
    errorId === 'escape'
      ? requireHelp.help
      : `2.4 reads \`%{…}\` as a variable, and does not start if there is none. If it is part of a name, ${requireHelp.help.replace(/^W/, 'w')}`;
  return { help, fixes: requireHelp.fixes };
}

/**
 * The finding for a wrong number of arguments, if httpd counts them in the directive's own
 * function. For other directives, the rule wrong-arguments counts them. Undefined if the number is
 * right.
 */
function argumentCountFindingOf(line: Line): Finding | undefined {
  const words = argumentsOf(line);
  const isIf = line.kind === LineKind.Open && (line.name === 'if' || line.name === 'elseif');
  const directiveName = line.kind === LineKind.Open ? `<${spelledName(line)}>` : spelledName(line);
  const span = { start: words[0]?.start ?? line.nameStart, end: words.at(-1)?.end ?? line.nameEnd };
  if (isIf && words.length > 1)
    return {
      messageId: 'quotes',
      what: `\`${directiveName}\` needs quotes around its condition`,
      cause: `Without quotes, httpd reads only "${shortened(words[0]!.value)}" as the condition.`,
      help: 'Write the whole condition in quotes.',
      ...span,
    };
  const textsOfCountError =
    isIf && words.length === 0
      ? {
          what: `\`${directiveName}\` needs a condition in quotes`,
          help: 'Add a condition in quotes, or remove the section.',
          serverText: `${directiveName} directive requires additional arguments`,
        }
      : line.kind === LineKind.Open && line.name === 'else' && words.length > 0
        ? {
            what: `\`${directiveName}\` takes no argument`,
            help: 'For another condition, use `<ElseIf>`.',
            serverText: `${directiveName} does not take an argument`,
          }
        : line.kind === LineKind.Directive && line.name === 'proxyhcexpr' && words.length < 2
          ? {
              what: `\`${directiveName}\` needs a name and a condition in braces`,
              help: 'Write, for example, `ProxyHCExpr ok234 {%{REQUEST_STATUS} =~ /^[234]/}`.',
              serverText: 'Missing expression for ProxyHCExpr',
            }
          : undefined;
  if (textsOfCountError === undefined) return undefined;
  return { messageId: 'arguments', ...textsOfCountError, ...span };
}

/**
 * Whether another program (ERB, Jinja, configure) probably changes the line before httpd reads it.
 * False in a whole configuration, because httpd reads its lines as they are.
 */
export function mayBeTemplate(text: string, fileContext: Context['fileContext']): boolean {
  return (fileContext === null || fileContext.modules === null) && /<%|\{\{|@\w+@/.test(text);
}

/** The texts for an expression that httpd cannot parse. */
export function textsOfError(
  line: Line,
  error: { readonly id: string; readonly serverText: string; readonly message: string },
): Pick<Finding, 'what' | 'cause' | 'help' | 'serverText'> {
  const directiveName = line.kind === LineKind.Open ? `<${spelledName(line)}>` : spelledName(line);
  const [message = '', suggestedName] = error.message.split(/; did you mean (.+)\?$/);
  const fullHeadline = message.startsWith('it needs ')
    ? `\`${directiveName}\` ${message.slice(3)}`
    : `\`${directiveName}\`: ${message}`;
  const what = fittingHeadline(fullHeadline, `\`${directiveName}\` has an invalid expression`);
  const cause = what === fullHeadline ? undefined : `${message}.`;
  return error.id === 'jammed'
    ? {
        what,
        cause: 'The httpd process that reads this expression exits.',
        help: HELP_TO_CORRECT,
        serverText: 'flex scanner jammed',
      }
    : {
        what,
        cause,
        help:
          suggestedName === undefined ? (helpFor(message) ?? HELP_TO_CORRECT) : `Did you mean \`${suggestedName}\`?`,
        serverText: error.serverText,
      };
}

const HELP_TO_CORRECT = 'Correct the expression. `httpd-upgrade explain expression-error` has examples.';

/** The help for errors of mod_rewrite and of regular expressions, by a pattern of their message. */
const HELP_BY_MESSAGE: readonly (readonly [RegExp, string])[] = [
  [/^it needs /, 'Add the missing argument, or remove the line.'],
  [/^the closing quote /, 'Add the closing quote.'],
  [/\bthe flags\b/, 'Write all flags as one argument, in brackets and without spaces, such as `[R=301,L]`.'],
  [/^there is no flag between /, 'Remove one of the two commas.'],
  [/^there is no flag /, 'Correct the name of the flag, or remove it.'],
  [/ is a flag of /, 'Remove the flag from this line.'],
  [/ is not a status /, 'Write a status that httpd has, such as 301, 302 or 410.'],
  [/^a parenthesis is not closed/, 'Add the closing parenthesis, or write `\\(` for the character itself.'],
  [/^the parenthesis closes nothing/, 'Remove the parenthesis, or write `\\)` for the character itself.'],
  [/^a bracket is not closed/, 'Add the closing bracket, or write `\\[` for the character itself.'],
];

/** The help for an error message; undefined if the message alone does not show what to do. */
function helpFor(message: string): string | undefined {
  for (const [pattern, help] of HELP_BY_MESSAGE) if (pattern.test(message)) return help;
  const quantifier = /^"([*+?])" repeats nothing/.exec(message)?.[1];
  if (quantifier !== undefined)
    return `Write \`.${quantifier}\` to repeat any character, or \`\\${quantifier}\` for the character itself.`;
  const unquotedWord = /^"(\w+)" must be in quotes, or/.exec(message)?.[1];
  return unquotedWord === undefined
    ? undefined
    : `To compare with this text, write it in quotes: \`'${shortened(unquotedWord)}'\`.`;
}
