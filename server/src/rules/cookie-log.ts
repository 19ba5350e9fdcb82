import { argumentsOf } from '../syntax/line';
import { contentSpan, invalidCommand, quoted, removeLine, replaceContent } from './support/edits';
import type { Fix, LineRule } from './rule';

/** `CookieLog`: a CustomLog with a fixed format, in 2.2 already. */
export const cookieLog: LineRule = {
  id: 'cookie-log',
  title: 'CookieLog, now CustomLog',
  consequence: 'will not start',
  fix: 'safe',
  scope: 'line',
  names: ['cookielog'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_log_config.html#customlog',
  page: {
    what: '`CookieLog` wrote the cookies of mod_usertrack to a log. In 2.4 `CustomLog` does this.',
    why:
      'The directive was deprecated since 1.3. It did the same as a `CustomLog` with a fixed format: cookie, request line, time. 2.4 has only `CustomLog`. The upgrade notes ' +
      'of httpd do not mention this.',
    httpd:
      "`AH00526: Syntax error …: Invalid command 'CookieLog', perhaps misspelled or defined by a module not included in the server configuration`.",
    fixing:
      '- **Safe**: replace the line by a `CustomLog` with the same format, `"%{Cookie}n \\"%r\\" %t"`.\n' +
      '- **No fix** for a line without an argument or with several arguments. This is also an error in 2.2.',
    sources: [
      'modules/loggers/mod_log_config.c of 2.2: set_cookie_log',
      'manual 2.2, mod_log_config: CookieLog',
      'experiment: test/httpd/claims-removed.test.ts',
    ],
  },
  examples: [
    {
      title: 'A log of cookies',
      before: 'CookieTracking On\nCookieLog logs/clickstream\n',
      after: 'CookieTracking On\nCustomLog logs/clickstream "%{Cookie}n \\"%r\\" %t"\n',
      finds: ['removed'],
    },
  ],
  check({ line }) {
    const list = argumentsOf(line);
    const isPlain = list.length === 1 && list[0]!.value !== '';
    const replace: Fix[] = isPlain
      ? [
          {
            title: 'Replace by CustomLog',
            safety: 'safe',
            edits: [replaceContent(line, `CustomLog ${quoted(list[0]!.value)} "%{Cookie}n \\"%r\\" %t"`)],
          },
        ]
      : [];
    return [
      {
        messageId: 'removed',
        what: '`CookieLog` was removed; `CustomLog` replaces it',
        help: 'Use `CustomLog` with a format that has `%{Cookie}n`.',
        serverText: invalidCommand(line),
        ...contentSpan(line),
        tag: 'deprecated',
        fixes: [
          ...replace,
          {
            title: 'Remove the line',
            safety: 'suggestion',
            assumes: 'you do not need a log of cookies',
            edits: [removeLine(line)],
          },
        ],
      },
    ];
  },
};
