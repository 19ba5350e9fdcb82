import { indentOf, spelledName } from '../syntax/line';
import { contentSpan, headline, lineEnd, NOTHING } from './support/edits';
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
  fix: 'suggestion',
  scope: 'line',
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
  page: {
    what: '`SSL_CLIENT_S_DN`, `SSL_CLIENT_I_DN` or a similar variable in a condition, a header or a log. Its value has another format in 2.4.',
    why:
      'The format of a subject changed. It was `/C=DE/O=Example/CN=Ann` in 2.2. It is `CN=Ann,O=Example,C=DE` in 2.4 (RFC 2253), in reverse order and with commas. ' +
      'Comparisons, lists of users and programs that read the value need a change.',
    httpd: 'No message. Only the value changes.',
    fixing:
      '- **Suggestion**: add `SSLOptions +LegacyDNStringFormat` above the line. The option keeps the old format in this section. Instead, you can change the comparisons.',
    sources: [
      'modules/ssl/ssl_engine_vars.c of 2.4: ssl_var_lookup_ssl_cert_dn',
      'manual 2.4, mod_ssl: SSLOptions, LegacyDNStringFormat; upgrading from 2.2',
      'experiment: test/httpd/claims-removed.test.ts',
    ],
  },
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
    if (variable === undefined) return NOTHING;
    return [
      {
        messageId: 'dn',
        what: headline(
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
