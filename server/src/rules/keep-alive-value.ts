import { containsVariable, NO_FINDINGS, replaceWord, shortened, wordsOfInput } from './support/edits';
import type { Fix, LineRule } from './rule';
import { titleToChangeLine } from './support/fix-title';

export const keepAliveValue: LineRule = {
  id: 'keep-alive-value',
  title: 'KeepAlive with a value other than On or Off',
  consequence: 'will not start',
  fix: 'safe',
  checks: 'line',
  names: ['keepalive'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#keepalive',
  examples: [
    {
      title: 'A number instead of On',
      before: 'KeepAlive 1\nKeepAliveTimeout 15\n',
      after: 'KeepAlive On\nKeepAliveTimeout 15\n',
      finds: ['not-a-switch'],
    },
    {
      title: 'The word "no", which 2.2 read as On',
      before: 'KeepAlive no\n',
      after: 'KeepAlive On\n',
      finds: ['not-a-switch'],
    },
  ],
  check(ruleInput) {
    const [word, ...more] = wordsOfInput(ruleInput);
    if (
      word === undefined ||
      more.length > 0 ||
      word.value === '' ||
      containsVariable(word) ||
      /^(on|off)$/i.test(word.value)
    )
      return NO_FINDINGS;
    const valueIn22 = word.value === '0' ? 'Off' : 'On';
    const fixes: Fix[] = [
      {
        title: titleToChangeLine(ruleInput.line, replaceWord(word, valueIn22)),
        safety: 'safe',
        edits: [replaceWord(word, valueIn22)],
      },
    ];
    const isMisleading = /^(no|false|none|disabled?|n|f|0+)$/i.test(word.value) && valueIn22 === 'On';
    if (isMisleading)
      fixes.push({
        title: titleToChangeLine(ruleInput.line, replaceWord(word, 'Off')),
        safety: 'suggestion',
        assumes: 'you meant Off, although httpd 2.2 used On',
        edits: [replaceWord(word, 'Off')],
      });
    return [
      {
        messageId: 'not-a-switch',
        what: '`KeepAlive` now takes only `On` or `Off`',
        cause: `httpd 2.2 read "${shortened(word.value)}" as ${valueIn22}.`,
        help: isMisleading
          ? 'Write On to keep the behaviour of 2.2. Write Off if you do not want keep-alive.'
          : `Write \`KeepAlive ${valueIn22}\`.`,
        serverText: 'KeepAlive must be On or Off',
        start: word.start,
        end: word.end,
        fixes,
      },
    ];
  },
};
