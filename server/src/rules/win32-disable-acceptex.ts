import { contentSpan, invalidCommand, lineEnd, replaceContent } from './support/edits';
import { indentOf } from '../syntax/line';
import type { LineRule } from './rule';

/** `Win32DisableAcceptEx`: in 2.4 an AcceptFilter for each protocol. */
export const win32DisableAcceptEx: LineRule = {
  id: 'win32-disable-acceptex',
  title: 'Win32DisableAcceptEx, now AcceptFilter',
  consequence: 'will not start',
  fix: 'suggestion',
  scope: 'line',
  names: ['win32disableacceptex'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#acceptfilter',
  page: {
    what: '`Win32DisableAcceptEx` made httpd on Windows use `accept()` instead of `AcceptEx()`. In 2.4 `AcceptFilter` does this.',
    why: '`AcceptFilter` selects the function for each protocol, on all platforms. Problems with AcceptEx() came from drivers and virus scanners and are rare today. First try whether the server works without the line.',
    httpd:
      "`AH00526: Syntax error …: Invalid command 'Win32DisableAcceptEx', perhaps misspelled or defined by a module not included in the server configuration`.",
    fixing:
      '- **Suggestion**: replace the line by `AcceptFilter http none` and `AcceptFilter https none`. Other protocols and third-party modules may need their own line.',
    sources: [
      'server/mpm/winnt/mpm_winnt.c of 2.2: set_disable_acceptex',
      'manual 2.4, core: AcceptFilter; upgrading from 2.2',
      'experiment: test/httpd/claims-removed.test.ts',
    ],
  },
  examples: [
    {
      title: 'A server on Windows',
      before: 'EnableMMAP Off\nWin32DisableAcceptEx\n',
      after: 'EnableMMAP Off\nAcceptFilter http none\nAcceptFilter https none\n',
      finds: ['removed'],
    },
  ],
  check({ line }) {
    const filters = ['AcceptFilter http none', 'AcceptFilter https none'].join(`${lineEnd(line)}${indentOf(line)}`);
    return [
      {
        messageId: 'removed',
        what: '`Win32DisableAcceptEx` was removed; `AcceptFilter` replaces it',
        help: 'Use `AcceptFilter http none` and `AcceptFilter https none`.',
        serverText: invalidCommand(line),
        ...contentSpan(line),
        tag: 'deprecated',
        fixes: [
          { title: 'Replace by two AcceptFilter lines', safety: 'suggestion', edits: [replaceContent(line, filters)] },
        ],
      },
    ];
  },
};
