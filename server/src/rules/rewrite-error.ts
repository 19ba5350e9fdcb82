import { expressionError, expressionsIn, parseExpression } from '../directives/expressions';
import { LineKind } from '../syntax/line';
import { parseRewriteCond, parseRewriteRule } from '../syntax/rewrite';
import { placedRawArguments } from '../syntax/word-text';
import { NO_FINDINGS } from './support/edits';
import { mayBeTemplate, textsOfError } from './expression-error';
import type { LineRule } from './rule';

/**
 * A regular expression for patterns of plain characters and simple groups, which are never wrong.
 */
const SIMPLE_PATTERN = String.raw`!?\^?(?:[\w/%,:;=~@&-]|\\[./?+ds-]|\.[*+?]?|\((?:\.[*+]|[\w/-]+|\[\^/\][*+])\)\??)*\$?`;
const KNOWN_FLAG = String.raw`(?:L|END|NC|NE|NS|PT|P|F|G|C|QSA|QSD|R|R=30[12378]|R=permanent|S=\d+|E=\w+:[\w./-]*)`;

/**
 * Matches lines that certainly have no error. Most lines match, and this test takes a tenth of the
 * time of parsing.
 */
const ERROR_FREE_LINE: Readonly<Record<string, RegExp>> = {
  rewriterule: new RegExp(
    String.raw`^\s*RewriteRule[ \t]+(?=\S)${SIMPLE_PATTERN}[ \t]+[^\s"'\\{]+(?:[ \t]+\[${KNOWN_FLAG}(?:,${KNOWN_FLAG})*\])?\s*$`,
    'i',
  ),
  rewritecond: new RegExp(
    String.raw`^\s*RewriteCond[ \t]+%\{\w+\}[ \t]+(?=\S)${SIMPLE_PATTERN}(?:[ \t]+\[(?:NC|OR)(?:,(?:NC|OR))*\])?\s*$`,
    'i',
  ),
};

export const rewriteErrorRule: LineRule = {
  id: 'rewrite-error',
  title: 'RewriteRule and RewriteCond lines with an error',
  consequence: 'will not start',
  fix: 'none',
  checks: 'line',
  names: ['rewriterule', 'rewritecond'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_rewrite.html#rewriterule',
  examples: [
    {
      title: 'A space between flags',
      before: 'RewriteEngine On\nRewriteRule ^/old /new [R=301, L]\n',
      finds: ['flags'],
    },
    {
      title: 'Flags of RewriteRule in RewriteCond, and of RewriteCond in RewriteRule',
      before: 'RewriteCond %{HTTPS} off [L]\nRewriteRule ^ /x [OR]\n',
      finds: ['unknown-flag', 'unknown-flag'],
    },
    {
      title: 'An invalid regular expression',
      before: 'RewriteRule ^/(a|b /c [L]\nRewriteCond %{REQUEST_URI} *.php\n',
      finds: ['regex', 'regex'],
    },
    { title: 'An invalid status', before: 'RewriteRule ^/gone - [R=499]\n', finds: ['status'] },
    {
      title: 'A missing argument',
      before: 'RewriteRule ^/old\nRewriteCond expr "%{HTTPS} == on"\n',
      finds: ['arguments', 'expression'],
    },
  ],
  check({ line, context }) {
    if (
      line.kind !== LineKind.Directive ||
      context.containers.includes('macro') ||
      mayBeTemplate(line.text, context.fileContext) ||
      (!line.isJoined && ERROR_FREE_LINE[line.name]!.test(line.text))
    )
      return NO_FINDINGS;
    const argumentText = placedRawArguments(line);
    // `${…}` with a colon is a lookup in a map. Without a colon it is a variable of the
    // configuration or the environment, whose unknown value may have spaces.
    if (hasPlainVariable(argumentText.value)) return NO_FINDINGS;
    if (line.name === 'rewritecond') {
      // parseRewriteCond does not check the names in an expression, so they are checked here.
      for (const expression of expressionsIn(line, { isInDirectory: false, isInLocation: false })) {
        const error = expressionError(parseExpression(expression), {
          isHtaccess: context.isHtaccess,
          modules: context.fileContext?.modules ?? null,
        });
        if (error)
          return [
            {
              messageId: 'expression',
              ...textsOfError(line, error),
              start: expression.text.lineOffsetOf(error.start),
              end: expression.text.lineEndOf(error.end),
            },
          ];
      }
    }
    const { error } =
      line.name === 'rewritecond' ? parseRewriteCond(argumentText.value) : parseRewriteRule(argumentText.value);
    if (!error) return NO_FINDINGS;
    const isEmpty = argumentText.value === '';
    const start = isEmpty ? line.nameStart : argumentText.lineOffsetOf(error.start);
    const end = isEmpty ? line.nameEnd : argumentText.lineEndOf(error.end);
    return [{ messageId: error.id, ...textsOfError(line, error), start, end }];
  },
};

/**
 * Whether there is a `${…}` without a colon. This function splits the text instead of matching a
 * pattern. A pattern would read the rest of the text again after each unclosed `${`.
 */
function hasPlainVariable(text: string): boolean {
  return text
    .split('${')
    .slice(1)
    .some((piece) => /^[^:}]*\}/.test(piece));
}
