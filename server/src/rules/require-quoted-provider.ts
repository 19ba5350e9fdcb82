import { parseRequire, REQUIREMENTS_22 } from '../access/require';
import { NOTHING } from './support/edits';
import type { LineRule } from './rule';

export const requireQuotedProvider: LineRule = {
  id: 'require-quoted-provider',
  title: 'Require with its first word in quotes, which matched nothing in 2.2',
  consequence: 'meaning changed',
  fix: 'none',
  scope: 'line',
  names: ['require'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_authz_core.html#require',
  page: {
    what: '`Require` with its first word in quotes, such as `Require "valid-user"`. In 2.2 the line allowed nobody. In 2.4 the quotes do not matter, and the line allows users.',
    why:
      '2.2 compared the word together with its quotes. No module knew such a word, so the line allowed nobody. In 2.4 the quotes are not part of the word, and the line ' +
      'allows the users that it names.',
    httpd: 'No message. In 2.2 every user got 401. In 2.4 a user who logs in gets the page.',
    fixing:
      'There is no automatic fix. You decide whether these users have access:\n\n' +
      '- To allow them, remove only the quotes. The line is then easier to read.\n' +
      '- To deny them as before, remove the line.',
    sources: [
      'modules/aaa/mod_authz_user.c and mod_authz_groupfile.c of 2.2: ap_getword_white in the access checkers',
      'modules/aaa/mod_authz_core.c of 2.4: ap_getword_conf in add_authz_provider',
      'experiment: test/httpd/claims-require.test.ts',
    ],
  },
  examples: [
    {
      title: 'Quotes around valid-user',
      before: '<Directory /srv>\n    AuthType Basic\n    AuthName x\n    Require "valid-user"\n</Directory>\n',
      finds: ['quoted'],
    },
    {
      title: 'Not reported: quotes around a name',
      before: '<Directory /srv>\n    AuthType Basic\n    AuthName x\n    Require user "ann" "bob"\n</Directory>\n',
      finds: [],
    },
  ],
  check({ line }) {
    const { provider, hasVariable } = parseRequire(line);
    if (
      provider === null ||
      hasVariable ||
      !/^["']/.test(line.text.slice(provider.start, provider.end)) ||
      !REQUIREMENTS_22.has(provider.value)
    )
      return NOTHING;
    return [
      {
        messageId: 'quoted',
        what: `\`Require "${provider.value}"\` allows users in 2.4; in 2.2 it allowed nobody`,
        cause: 'httpd 2.2 treated the quotes as part of the word, which then matched nothing.',
        help: 'To allow these users, remove the quotes. To deny them as 2.2 did, remove the line.',
        start: provider.start,
        end: provider.end,
      },
    ];
  },
};
