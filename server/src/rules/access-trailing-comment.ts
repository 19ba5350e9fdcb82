import { parseOperand } from '../access/operand';
import { isMeantAsAllDenied, isPlaceholder, parseRequire } from '../access/require';
import { argumentsOf, contentEnd, contentStart, indentOf, spelledName, type Line, type Word } from '../syntax/line';
import { containsVariable, lineEnd, NO_FINDINGS } from './support/edits';
import type { Edit, Fix, LineRule, Safety } from './rule';

export const accessTrailingComment: LineRule = {
  id: 'access-trailing-comment',
  title: 'A comment on the same line as Allow, Deny or Require',
  consequence: 'will not start',
  fix: 'safe',
  checks: 'line',
  names: ['allow', 'deny', 'require'],
  url: 'https://httpd.apache.org/docs/2.4/configuring.html#syntax',
  examples: [
    {
      title: 'A comment whose words never match a host name',
      before:
        '<Directory /srv>\n    Order allow,deny\n    Allow from 192.0.2.1 #(office)\n    Allow from 192.0.2.2 # 2012-04-01: (new)\n</Directory>\n',
      after:
        '<Directory /srv>\n    Order allow,deny\n    #(office)\n    Allow from 192.0.2.1\n    # 2012-04-01: (new)\n    Allow from 192.0.2.2\n</Directory>\n',
      finds: ['comment', 'comment'],
    },
    {
      title: 'A comment whose words can be host names',
      before: '<Directory /srv>\n    Order deny,allow\n    Deny from 192.0.2.1   # the office\n</Directory>\n',
      after: '<Directory /srv>\n    Order deny,allow\n    # the office\n    Deny from 192.0.2.1\n</Directory>\n',
      finds: ['comment'],
    },
    {
      title: 'A comment after Require',
      before: '<Directory /srv>\n    Require ip 192.0.2.1 # the office\n</Directory>\n',
      after: '<Directory /srv>\n    # the office\n    Require ip 192.0.2.1\n</Directory>\n',
      finds: ['comment'],
    },
    {
      title: 'A comment with the word "all"',
      before:
        '<Directory /srv>\n    Order deny,allow\n    Deny from all\n    Allow from 192.0.2.1 # not all of the house\n</Directory>\n',
      after:
        '<Directory /srv>\n    Order deny,allow\n    Deny from all\n    # not all of the house\n    Allow from 192.0.2.1\n</Directory>\n',
      finds: ['comment-decides'],
    },
  ],
  check({ line, context }) {
    const operands = operandsOf(line);
    const commentIndex = operands.findIndex((word) => word.value.includes('#'));
    if (commentIndex < 0 || context.containers.includes('macro')) return NO_FINDINGS;
    const isRequire = line.name === 'require';
    // Up to 2.4.31, mod_access_compat reads the words of the comment as arguments, as 2.2 does.
    if (!isRequire && context.target.patch < 32) return NO_FINDINGS;
    const commentWord = operands[commentIndex]!;
    const effectiveWords = isRequire
      ? []
      : operands.slice(commentIndex + 1).filter((word) => ['all', 'ip', 'env'].includes(parseOperand(word.value).kind));
    const decidingWords = effectiveWords.map((word) => word.value);
    const commentStart =
      commentWord.quote === ''
        ? commentWord.start + line.text.slice(commentWord.start, commentWord.end).indexOf('#')
        : commentWord.start;
    const fix = fixMovingComment(line, operands, commentIndex, context.isHtaccess);
    return [
      {
        messageId: decidingWords.length > 0 ? 'comment-decides' : 'comment',
        what: `\`${spelledName(line)}\` cannot have a comment on the same line`,
        ...(decidingWords.length > 0
          ? {
              cause: `httpd 2.2 used the word ${decidingWords.map((value) => `\`${value}\``).join(', ')} of the comment as an argument.`,
              help: `Move the comment to its own line. To keep what 2.2 did, also add ${decidingWords.map((value) => `\`${value}\``).join(', ')} to the arguments of \`${spelledName(line)}\`.`,
            }
          : {
              ...(!isRequire && { cause: 'httpd 2.2 used the words of the comment as host names.' }),
              help: 'Move the comment to its own line.',
            }),
        start: commentStart,
        end: contentEnd(line),
        fixes: fix ? [fix] : [],
      },
    ];
  },
};

/** The arguments of a line in which 2.4 refuses a `#`. Empty if it accepts a `#` in this line. */
function operandsOf(line: Line): readonly Word[] {
  if (line.name !== 'require') return argumentsOf(line).slice(1);
  const { provider, operands } = parseRequire(line);
  return provider !== null && /^(all|ip|method|ssl|ssl-verify-client)$/.test(provider.value) ? operands : [];
}

/**
 * The fix that moves the comment to its own line. Null if the line is continued, has a variable or
 * would have no argument left, or if the comment is quoted or ends in a backslash. `commentIndex`:
 * that of the operand with the `#`.
 */
function fixMovingComment(
  line: Line,
  operands: readonly Word[],
  commentIndex: number,
  isHtaccess: boolean,
): Fix | null {
  const commentWord = operands[commentIndex]!;
  const hashOffsetInWord = line.text.slice(commentWord.start, commentWord.end).indexOf('#');
  const needsNoOperand = line.name === 'require' && /^ssl/.test(parseRequire(line).provider?.value ?? '');
  if (
    line.isJoined ||
    commentWord.quote !== '' ||
    operands.some((word) => containsVariable(word) || isPlaceholder(word.value)) ||
    (commentIndex === 0 && hashOffsetInWord === 0 && !needsNoOperand)
  )
    return null;
  const commentStart = commentWord.start + hashOffsetInWord;
  const comment = line.text.slice(commentStart, contentEnd(line));
  // At the end of the file, a backslash is an ordinary character. After the move, a line follows
  // the comment, and the backslash would join it to the comment.
  if (comment.endsWith('\\')) return null;
  const argumentsEnd = hashOffsetInWord > 0 ? commentStart : line.text.slice(0, commentStart).trimEnd().length;
  const edits: Edit[] = [
    { start: 0, end: contentStart(line), text: `${indentOf(line)}${comment}${lineEnd(line)}${indentOf(line)}` },
    { start: argumentsEnd, end: line.text.replace(/\r?\n$/, '').length, text: '' },
  ];
  return { ...titleAndSafety(line, operands, commentIndex, hashOffsetInWord, isHtaccess), edits };
}

/** The title of that fix, and its safety by the words of the comment that 2.2 read as arguments. */
function titleAndSafety(
  line: Line,
  operands: readonly Word[],
  commentIndex: number,
  hashOffsetInWord: number,
  isHtaccess: boolean,
): { title: string; safety: Safety; assumes?: string } {
  const title = `Move the comment of ${spelledName(line)} to its own line`;
  const suggestionAssuming = (why: string) => ({ title, safety: 'suggestion' as const, assumes: why });
  if (line.name === 'require')
    return isMeantAsAllDenied(parseRequire(line))
      ? { title, safety: 'safe' }
      : suggestionAssuming('you want to allow clients that 2.2 denied');
  const commentOperands = operands.slice(commentIndex + 1).map((word) => parseOperand(word.value));
  const decidingWords = operands
    .slice(commentIndex + 1)
    .filter((_, i) => !['host', 'never', 'error'].includes(commentOperands[i]!.kind));
  if (decidingWords.length > 0)
    return suggestionAssuming(
      `you want ${decidingWords.map((word) => `"${word.value}"`).join(', ')} to be only a comment; httpd 2.2 used it as an argument`,
    );
  if (hashOffsetInWord > 0)
    return suggestionAssuming(
      `you want ${operands[commentIndex]!.value.slice(0, hashOffsetInWord)} to take effect; httpd 2.2 never matched "${operands[commentIndex]!.value}"`,
    );
  // 2.2 does not start with such a word, but it reads a .htaccess file at each request.
  if (isHtaccess && operands.slice(commentIndex).some((word) => parseOperand(word.value).kind === 'error'))
    return suggestionAssuming('you want the requests to work that get 500 in 2.2, too');
  const hostNames = commentOperands.flatMap((word) => (word.kind === 'host' ? [`"${word.name}"`] : []));
  if (hostNames.length > 0)
    return suggestionAssuming(
      `no client has the host name ${hostNames.slice(0, 4).join(', ')}${hostNames.length > 4 ? ' …' : ''}`,
    );
  return { title, safety: 'safe' };
}
