import { isVariable, NOTHING, replaceWord, short, words } from './support/edits';
import type { Fix, LineRule } from './rule';
import { changingLine } from './support/fix-title';

export const keepAliveValue: LineRule = {
  id: 'keep-alive-value',
  title: 'KeepAlive with a value other than On or Off',
  consequence: 'will not start',
  fix: 'safe',
  scope: 'line',
  names: ['keepalive'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#keepalive',
  page: {
    what: '`KeepAlive` with a value that is neither `On` nor `Off`, such as `KeepAlive 1` or `KeepAlive yes`. httpd 2.4 does not start with it.',
    why: '2.2 switched keep-alive off for `Off` and `0`. It read every other word as On, even `no`, `false` and `none`. 2.4 accepts only the two words `On` and `Off`.',
    httpd: '`AH00526: Syntax error …: KeepAlive must be On or Off`. httpd 2.4 does not start.',
    fixing:
      '- **Safe**: replace the value by `On` or `Off`, as 2.2 read it.\n' +
      '- **Suggestion** if the word means the opposite (2.2 read `KeepAlive no` as On): replace it by `Off`. The word probably meant `Off`, but 2.2 used On.\n' +
      '- **No fix** for a value with a variable, without a value, or with several values. The last two are also errors in 2.2.',
    sources: [
      'server/core.c of 2.2: set_keep_alive; of 2.4: AP_INIT_FLAG("KeepAlive")',
      'manual 2.4, upgrading from 2.2: run-time changes',
      'experiment: test/httpd/claims.test.ts',
    ],
  },
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
  check(subject) {
    const [word, ...more] = words(subject);
    if (
      word === undefined ||
      more.length > 0 ||
      word.value === '' ||
      isVariable(word) ||
      /^(on|off)$/i.test(word.value)
    )
      return NOTHING;
    const meant = word.value === '0' ? 'Off' : 'On';
    const fixes: Fix[] = [
      {
        title: changingLine(subject.line, replaceWord(word, meant)),
        safety: 'safe',
        edits: [replaceWord(word, meant)],
      },
    ];
    const isMisleading = /^(no|false|none|disabled?|n|f|0+)$/i.test(word.value) && meant === 'On';
    if (isMisleading)
      fixes.push({
        title: changingLine(subject.line, replaceWord(word, 'Off')),
        safety: 'suggestion',
        assumes: 'you meant Off, although httpd 2.2 used On',
        edits: [replaceWord(word, 'Off')],
      });
    return [
      {
        messageId: 'not-a-switch',
        what: '`KeepAlive` now takes only `On` or `Off`',
        cause: `httpd 2.2 read "${short(word.value)}" as ${meant}.`,
        help: isMisleading
          ? 'Write On to keep the behaviour of 2.2. Write Off if you do not want keep-alive.'
          : `Write ${meant}.`,
        serverText: 'KeepAlive must be On or Off',
        start: word.start,
        end: word.end,
        fixes,
      },
    ];
  },
};
