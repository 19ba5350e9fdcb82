import { parseOperand } from '../access/operand';
import { isPlaceholder, correctedOperands } from '../access/require';
import { argumentsOf, spelledName, type Line, type Word } from '../syntax/line';
import { contentSpan, invalidCommandText, containsVariable, NO_FINDINGS, quoted, shortened } from './support/edits';
import { helpForOperand } from './support/operand-help';
import type { Finding, Fix, LineRule } from './rule';
import { titleToChangeLine } from './support/fix-title';

export const accessOperandNeverMatches: LineRule = {
  id: 'access-operand-never-matches',
  title: 'Allow and Deny lines that are errors, or that match no client',
  consequence: 'will not start',
  fix: 'suggestion',
  checks: 'line',
  names: ['order', 'allow', 'deny'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_access_compat.html#allow',
  examples: [
    {
      title: 'Arguments with commas or asterisks',
      before:
        '<Directory /srv>\n    Order deny,allow\n    Deny from all\n    Allow from 192.0.2.1,192.0.2.2\n    Allow from 10.1.* *.example.com\n</Directory>\n',
      after:
        '<Directory /srv>\n    Order deny,allow\n    Deny from all\n    Allow from 192.0.2.1 192.0.2.2\n    Allow from 10.1 .example.com\n</Directory>\n',
      finds: ['never-matches', 'never-matches', 'never-matches'],
    },
    {
      title: 'Errors in 2.2 and 2.4',
      before: '<Directory /srv>\n    Order allow, deny\n    Deny all\n    Allow from 10.1/16\n</Directory>\n',
      after: '<Directory /srv>\n    Order allow,deny\n    Deny from all\n    Allow from 10.1.0.0/16\n</Directory>\n',
      finds: ['order', 'from', 'not-an-address'],
    },
    {
      title: 'The word "none"',
      before: '<Directory /srv>\n    Order deny,allow\n    Deny from none\n</Directory>\n',
      finds: ['none'],
    },
  ],
  check({ line, context }) {
    const allWords = argumentsOf(line);
    // httpd ignores the words after an empty one (ITERATE2 in invoke_cmd, server/config.c).
    const emptyWordIndex = allWords.findIndex(({ value }, index) => index > 0 && value === '');
    const effectiveWords = emptyWordIndex < 0 || line.name === 'order' ? allWords : allWords.slice(0, emptyWordIndex);
    if (emptyWordIndex === 1 && effectiveWords !== allWords && effectiveWords[0]!.value !== '') return NO_FINDINGS;
    if (
      effectiveWords.some((word) => containsVariable(word) || isPlaceholder(word.value)) ||
      effectiveWords.some((word) => word.value.includes('#')) ||
      context.containers.includes('macro')
    )
      return NO_FINDINGS;
    const modules = context.fileContext?.modules ?? null;
    const isOrderUnknown = modules !== null && !modules.has('mod_access_compat');
    if (line.name === 'order') return findingsOfOrder(line, effectiveWords, isOrderUnknown);
    if (effectiveWords[0]?.value.toLowerCase() !== 'from' || effectiveWords.length === 1)
      return [findingWithoutFrom(line, effectiveWords)];
    return effectiveWords.slice(1).flatMap((word) => findingsOfOperand(line, word));
  },
};

/**
 * The finding for an Order line with wrong arguments; empty if they are correct. `isOrderUnknown`:
 * mod_access_compat is not loaded, so 2.4 refuses the directive itself.
 */
function findingsOfOrder(line: Line, words: readonly Word[], isOrderUnknown: boolean): readonly Finding[] {
  const orderWords = words.map((word) => word.value.toLowerCase());
  if (orderWords.length === 1 && /^(allow,deny|deny,allow|mutual-failure)$/.test(orderWords[0]!)) return NO_FINDINGS;
  const intendedOrder = /^(allow|deny),?(allow|deny)$/.exec(orderWords.join('').replace(/,+/, ','));
  const fixes: Fix[] = [];
  if (intendedOrder && intendedOrder[1] !== intendedOrder[2] && !line.isJoined) {
    const text = `${intendedOrder[1]},${intendedOrder[2]}`;
    const edit = { start: words[0]!.start, end: words.at(-1)!.end, text };
    fixes.push({ title: titleToChangeLine(line, edit), safety: 'suggestion', edits: [edit] });
  }
  return [
    {
      messageId: 'order',
      what: '`Order` takes one word: `allow,deny`, `deny,allow` or `mutual-failure`',
      cause: 'Neither 2.2 nor 2.4 accepts this line.',
      help: 'Write `Order allow,deny` or `Order deny,allow`, without a space.',
      serverText: isOrderUnknown
        ? invalidCommandText(line)
        : orderWords.length === 1 && orderWords[0] !== ''
          ? 'unknown order'
          : "order takes one argument, 'allow,deny', 'deny,allow', or 'mutual-failure'",
      ...contentSpan(line),
      consequence: 'will not start',
      fixes,
    },
  ];
}

/**
 * The finding for lines without a correct `from` (`Deny all`, `Allow form all`), or without an
 * argument after it (`Allow from`).
 */
function findingWithoutFrom(line: Line, words: readonly Word[]): Finding {
  const fixes: Fix[] = [];
  const [first, second] = words;
  const startsWithFrom = first !== undefined && /^from$/i.test(first.value);
  if (first !== undefined && !startsWithFrom) {
    const isFromMisspelt = second !== undefined && /^(form|fom|frm|rfom|fro|fromm|to|of|for)$/i.test(first.value);
    const isFirstOperand =
      ['all', 'ip', 'env'].includes(parseOperand(first.value).kind) || /^[\w-]+(\.[\w-]+)+$/.test(first.value);
    const edit = isFromMisspelt
      ? { start: first.start, end: first.end, text: 'from' }
      : isFirstOperand
        ? { start: first.start, end: first.start, text: 'from ' }
        : null;
    if (edit) fixes.push({ title: titleToChangeLine(line, edit), safety: 'suggestion', edits: [edit] });
  }
  return {
    messageId: 'from',
    what: `\`${spelledName(line)}\` needs \`from\` and at least one argument`,
    cause: 'Neither 2.2 nor 2.4 accepts this line.',
    help: startsWithFrom
      ? 'Write an address, a name or `all` after `from`. Or remove the line.'
      : 'Write `from` and an address, a name or `all`. Or remove the line.',
    ...contentSpan(line),
    consequence: 'will not start',
    fixes,
  };
}

/** The finding about an argument of Allow or Deny that is no address, or no possible host name. */
function findingsOfOperand(line: Line, word: Word): readonly Finding[] {
  const { value } = word;
  const { kind } = parseOperand(value);
  const span = { start: word.start, end: word.end };
  const effectText = line.name === 'allow' ? 'allows nobody' : 'denies nobody';
  if (kind === 'error') {
    return [
      {
        messageId: 'not-an-address',
        what: `\`${spelledName(line)}\`: \`${shortened(value)}\` is no valid address or network`,
        cause: 'Neither 2.2 nor 2.4 accepts this line.',
        help: helpForOperand(value, 'all'),
        ...span,
        consequence: 'will not start',
        fixes: fixesReplacing(line, word, 'you meant this address or network'),
      },
    ];
  }
  if (kind !== 'never') return NO_FINDINGS;
  if (value.toLowerCase() === 'none') {
    return [
      {
        messageId: 'none',
        what: `\`${spelledName(line)}\`: \`none\` is read as a host name and ${effectText}`,
        cause: 'httpd looks up host names of clients in DNS to compare them with `none`.',
        help: helpForNone(line),
        ...span,
        consequence: 'no effect',
      },
    ];
  }
  return [
    {
      messageId: 'never-matches',
      what: `\`${spelledName(line)}\`: \`${shortened(value)}\` is read as a host name and ${effectText}`,
      help: helpForOperand(value, 'all'),
      ...span,
      consequence: 'probably a mistake',
      fixes: fixesReplacing(line, word, `you want ${spelledName(line)} to apply to these clients`),
    },
  ];
}

/** The fix that writes what was probably meant; empty if that is unknown. */
function fixesReplacing(line: Line, word: Word, assumes: string): Fix[] {
  const correctedWords = correctedOperands(word.value);
  if (correctedWords === null || (correctedWords.length === 1 && correctedWords[0] === word.value)) return [];
  const text = correctedWords.map(quoted).join(' ');
  const edit = { start: word.start, end: word.end, text };
  return [{ title: titleToChangeLine(line, edit), safety: 'suggestion', assumes, edits: [edit] }];
}

/**
 * The help for the argument `none`. If `none` is the only argument, the help names a replacement,
 * because a section without access lines inherits those of the enclosing sections.
 */
function helpForNone(line: Line): string {
  return argumentsOf(line).length > 2
    ? 'Remove the word `none`: it has no effect.'
    : 'Remove the line: it has no effect. If it is the only access line of the section, write `Order deny,allow` in its place, which allows all clients: a section without access lines inherits those of the enclosing sections.';
}
