import { indentOf, spelledName } from '../syntax/line';
import { contentSpan, fittingHeadline, lineEnd, NO_FINDINGS } from './support/edits';
import { Fact, hasFact } from './support/facts';
import type { LineRule } from './rule';

/**
 * Finds distinguished names in conditions, headers, logs and user names. 2.4 writes them in another
 * order.
 */
export const sslDnFormat: LineRule = {
  id: 'ssl-dn-format',
  title: 'SSL_CLIENT_S_DN and similar variables, whose format changed',
  consequence: 'meaning changed',
  since: 0,
  fix: 'suggestion',
  checks: 'line',
  names: [
    'sslusername',
    'sslrequire',
    'rewritecond',
    'rewriterule',
    'requestheader',
    'header',
    'setenvif',
    'setenvifnocase',
    'customlog',
    'logformat',
  ],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_ssl.html#ssloptions',
  examples: [
    {
      title: 'A comparison with the subject of a certificate',
      before: '<Location "/members">\n    SSLUserName SSL_CLIENT_S_DN\n</Location>\n',
      after:
        '<Location "/members">\n    SSLOptions +LegacyDNStringFormat\n    SSLUserName SSL_CLIENT_S_DN\n</Location>\n',
      finds: ['dn'],
    },
    {
      title: 'Not reported: one field of the subject, whose format did not change',
      before: '<Location "/members">\n    SSLUserName SSL_CLIENT_S_DN_CN\n</Location>\n',
      finds: [],
    },
  ],
  check({ line }) {
    const variable = /SSL_(?:CLIENT|SERVER)_[SI]_DN(?!\w)/.exec(line.text)?.[0];
    if (variable === undefined) return NO_FINDINGS;
    return [
      {
        messageId: 'dn',
        what: fittingHeadline(
          `\`${variable}\` has a new format in 2.4`,
          `\`${spelledName(line)}\` uses a variable that has a new format`,
        ),
        cause: 'In 2.2 the value was `/C=…/O=…/CN=…`. In 2.4 it is `CN=…,O=…,C=…`.',
        help: 'To keep the old format, add `SSLOptions +LegacyDNStringFormat`.',
        ...contentSpan(line),
        fixes: [
          {
            title: 'Add SSLOptions +LegacyDNStringFormat',
            safety: 'suggestion',
            edits: [{ start: 0, end: 0, text: `${indentOf(line)}SSLOptions +LegacyDNStringFormat${lineEnd(line)}` }],
          },
        ],
        resolve: (facts) => (hasFact(facts, Fact.legacyDn) ? null : {}),
      },
    ];
  },
};
