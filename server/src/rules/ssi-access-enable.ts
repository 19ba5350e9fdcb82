import { argumentsOf } from '../syntax/line';
import { contentSpan, invalidCommandText, removeLine } from './support/edits';
import type { LineRule } from './rule';
import { titleToRemove } from './support/fix-title';

/** Finds `SSIAccessEnable`. The manual calls it `SSIEnableAccess`, which httpd never had. */
export const ssiAccessEnable: LineRule = {
  id: 'ssi-access-enable',
  title: 'SSIAccessEnable, removed in 2.4',
  consequence: 'will not start',
  fix: 'safe',
  needsLineIn22: true,
  checks: 'line',
  names: ['ssiaccessenable', 'ssienableaccess'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_include.html',
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
    const isNameOfManual = line.name === 'ssienableaccess';
    const isOff = !isNameOfManual && argumentsOf(line)[0]?.value.toLowerCase() === 'off';
    return [
      {
        messageId: isNameOfManual ? 'never-known' : 'removed',
        what: isNameOfManual
          ? '`SSIEnableAccess` is not a directive, though the 2.2 manual names it'
          : '`SSIAccessEnable` was removed; SSI pages can always use the `-A` test',
        help: isOff ? 'Remove the line.' : 'Remove the line. Then check the SSI pages that use `-A` in a condition.',
        serverText: invalidCommandText(line),
        ...contentSpan(line),
        tag: isOff ? 'unnecessary' : 'deprecated',
        fixes: [
          isOff
            ? { title: 'Remove SSIAccessEnable off', safety: 'safe', edits: [removeLine(line)] }
            : {
                title: titleToRemove(line),
                safety: 'suggestion',
                assumes: isNameOfManual
                  ? 'no SSI page has -A in a condition, which 2.4 always evaluates'
                  : 'conditions with -A give the same result in 2.4',
                edits: [removeLine(line)],
              },
        ],
      },
    ];
  },
};
