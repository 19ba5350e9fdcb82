import { parseRequire, PROVIDERS_22 } from '../access/require';
import { NO_FINDINGS } from './support/edits';
import type { LineRule } from './rule';

export const requireQuotedProvider: LineRule = {
  id: 'require-quoted-provider',
  title: 'Require with its first word in quotes, which matched nothing in 2.2',
  consequence: 'meaning changed',
  since: 0,
  fix: 'none',
  checks: 'line',
  names: ['require'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_authz_core.html#require',
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
      !PROVIDERS_22.has(provider.value)
    )
      return NO_FINDINGS;
    return [
      {
        messageId: 'quoted',
        what: `\`Require "${provider.value}"\` allows users in 2.4; in 2.2 it allowed no user`,
        cause: 'httpd 2.2 treated the quotes as part of the word, which then matched nothing.',
        help: 'To allow these users, remove the quotes. To deny them as 2.2 did, write `Require all denied`.',
        start: provider.start,
        end: provider.end,
      },
    ];
  },
};
