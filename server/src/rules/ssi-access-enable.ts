import { argumentsOf } from '../syntax/line';
import { contentSpan, invalidCommand, removeLine } from './support/edits';
import type { LineRule } from './rule';
import { removing } from './support/fix-title';

/** Finds `SSIAccessEnable`, also by the name that only the manual has for it. */
export const ssiAccessEnable: LineRule = {
  id: 'ssi-access-enable',
  title: 'SSIAccessEnable, removed in 2.4',
  consequence: 'will not start',
  fix: 'safe',
  scope: 'line',
  names: ['ssiaccessenable', 'ssienableaccess'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_include.html',
  page: {
    what: '`SSIAccessEnable` allowed the test `-A` in conditions of SSI pages. In 2.4 this test is always allowed. The manual of 2.2 wrongly calls the directive `SSIEnableAccess`.',
    why: 'In 2.4 the conditions in SSI pages use the general expressions of httpd. `-A` is one of their operators and is always available.',
    httpd:
      "`AH00526: Syntax error …: Invalid command 'SSIAccessEnable', perhaps misspelled or defined by a module not included in the server configuration`. In a `.htaccess` " +
      'file, requests get 500.',
    fixing:
      'The fix removes the line.\n\n' +
      '- **Safe** for `Off`, the default. With `Off`, no page can use `-A`.\n' +
      '- **Suggestion** for `On`. Check the pages that use `-A` in a condition, because 2.4 has a new syntax for conditions. `SSILegacyExprParser on` keeps the old syntax.\n' +
      '- **Suggestion** for `SSIEnableAccess`. No 2.2 server starts with this line.',
    sources: [
      'modules/filters/mod_include.c of 2.2: includes_cmds',
      'manual 2.2, mod_include: SSIEnableAccess; manual 2.4, expressions',
      'experiment: test/httpd/claims-removed.test.ts',
    ],
  },
  examples: [
    {
      title: 'SSIAccessEnable for a directory',
      before: '<Directory "/srv/www">\n    Options +Includes\n    SSIAccessEnable on\n</Directory>\n',
      after: '<Directory "/srv/www">\n    Options +Includes\n</Directory>\n',
      finds: ['removed'],
    },
    {
      title: 'The name in the 2.2 manual',
      before: '<Directory "/srv/www">\n    SSIEnableAccess off\n</Directory>\n',
      after: '<Directory "/srv/www">\n</Directory>\n',
      finds: ['never-known'],
    },
  ],
  check({ line }) {
    const isNeverKnown = line.name === 'ssienableaccess';
    const isOff = !isNeverKnown && argumentsOf(line)[0]?.value.toLowerCase() === 'off';
    return [
      {
        messageId: isNeverKnown ? 'never-known' : 'removed',
        what: isNeverKnown
          ? '`SSIEnableAccess` is not a directive, though the 2.2 manual names it'
          : '`SSIAccessEnable` was removed; SSI pages can always use the `-A` test',
        help: isOff ? 'Remove the line.' : 'Remove the line. Then check the SSI pages that use `-A` in a condition.',
        serverText: invalidCommand(line),
        ...contentSpan(line),
        tag: isOff ? 'unnecessary' : 'deprecated',
        fixes: [
          isOff
            ? { title: 'Remove SSIAccessEnable off', safety: 'safe', edits: [removeLine(line)] }
            : {
                title: removing(line),
                safety: 'suggestion',
                assumes: 'you have checked the pages that use -A in a condition',
                edits: [removeLine(line)],
              },
        ],
      },
    ];
  },
};
