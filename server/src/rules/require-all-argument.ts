import { parseRequire } from '../access/require';
import { argumentsOf } from '../syntax/line';
import { contentSpan, fittingHeadline, NO_FINDINGS, replaceWord } from './support/edits';
import type { Fix, LineRule } from './rule';
import { titleToChangeLine } from './support/fix-title';

export const requireAllArgument: LineRule = {
  id: 'require-all-argument',
  title: '"Require all" with another word than "granted" or "denied"',
  consequence: 'will not start',
  fix: 'suggestion',
  checks: 'line',
  names: ['require'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_authz_core.html#reqall',
  examples: [
    {
      title: 'The word "allowed" instead of "granted"',
      before:
        '<Directory /srv>\n    Require all allowed\n</Directory>\n<Directory /srv/private>\n    Require all deny\n</Directory>\n',
      after:
        '<Directory /srv>\n    Require all granted\n</Directory>\n<Directory /srv/private>\n    Require all denied\n</Directory>\n',
      finds: ['argument', 'argument'],
    },
  ],
  check({ line, context }) {
    const { provider, operands, hasVariable } = parseRequire(line);
    if (provider?.value !== 'all' || hasVariable || context.containers.includes('macro')) return NO_FINDINGS;
    const [word] = operands;
    const isOneUnquotedWord = operands.length === 1 && word?.quote === '';
    if (
      (isOneUnquotedWord && /^(granted|denied)$/i.test(word.value)) ||
      operands.some(({ value }) => value.includes('#'))
    )
      return NO_FINDINGS;
    const isQuoted = operands.some(({ quote }) => quote !== '');
    const quoteText = isQuoted ? ', without quotes' : '';
    const lineText = line.text.trim();
    const meantArgument = word && operands.length === 1 ? meantWord(word.value) : undefined;
    const fixes: Fix[] =
      !word || meantArgument === undefined
        ? []
        : [
            {
              title: titleToChangeLine(line, replaceWord(word, meantArgument)),
              safety: 'suggestion',
              edits: [replaceWord(word, meantArgument)],
            },
          ];
    const span = word ? { start: word.start, end: argumentsOf(line).at(-1)!.end } : contentSpan(line);
    return [
      {
        messageId: 'argument',
        what: fittingHeadline(
          // A line that ends in a backslash goes on in the next one, so its text is not one line.
          `\`${/[`\n]/.test(lineText) ? 'Require all' : lineText}\`: \`all\` takes only \`granted\` or \`denied\`${quoteText}`,
          `\`Require all\` takes only \`granted\` or \`denied\`${quoteText}`,
        ),
        help: 'Write `Require all granted` to allow everyone, or `Require all denied`.',
        ...span,
        fixes,
      },
    ];
  },
};

/** The argument that the user probably meant; undefined if the word does not show it. */
function meantWord(word: string): 'granted' | 'denied' | undefined {
  if (/^(granted|grant|grants|allow|allows|allowed|permit|permitted|accept|accepted|yes|on)$/i.test(word))
    return 'granted';
  if (
    /^(denied|deny|denies|disallow|disallowed|forbid|forbidden|refuse|refused|reject|rejected|none|no|off)$/i.test(word)
  )
    return 'denied';
  return undefined;
}
