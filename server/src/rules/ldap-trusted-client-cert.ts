import { indentOf } from '../syntax/line';
import { contentSpan, lineEnd, NOTHING, replaceContent } from './support/edits';
import type { LineRule } from './rule';

export const ldapTrustedClientCert: LineRule = {
  id: 'ldap-trusted-client-cert',
  title: 'LDAPTrustedClientCert outside of a <Directory>, <Location> or similar section',
  consequence: 'will not start',
  fix: 'suggestion',
  scope: 'line',
  names: ['ldaptrustedclientcert'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_ldap.html#ldaptrustedclientcert',
  page: {
    what: '`LDAPTrustedClientCert` outside of a `<Directory>`, `<Files>` or `<Location>` section. httpd 2.2 allowed the line only outside of such sections, and 2.4 allows it only inside.',
    why:
      'In 2.2 the client certificate for LDAP was a setting of the whole server, and 2.2 allowed it nowhere else. In 2.4 it is a setting of sections such as `<Directory>`, ' +
      'so that sections can have different certificates. The certificates of authorities stay at server level (`LDAPTrustedGlobalCert`).',
    httpd:
      '`AH00526: Syntax error …: LDAPTrustedClientCert not allowed here`, or `not allowed in <VirtualHost> context`. httpd does not start.',
    fixing:
      '- **Suggestion**: put the line into `<Location "/">`. It then applies to all requests of the server or virtual host, as before. Most servers need the line in only one section. A section with its own `LDAPTrustedClientCert` does not inherit the new line.',
    sources: [
      'modules/ldap/util_ldap.c of 2.2 and 2.4: util_ldap_cmds',
      'manual 2.4, upgrading from 2.2',
      'experiment: test/httpd/claims-removed.test.ts',
    ],
  },
  examples: [
    {
      title: 'A certificate for the whole server',
      before: 'LDAPTrustedClientCert CERT_BASE64 /etc/ssl/certs/ca-certificates.crt\n',
      after: '<Location "/">\n    LDAPTrustedClientCert CERT_BASE64 /etc/ssl/certs/ca-certificates.crt\n</Location>\n',
      finds: ['not-allowed'],
    },
  ],
  check({ line, context: { containers, isHtaccess } }) {
    if (isHtaccess || !(containers.length === 0 || containers.join() === 'virtualhost')) return NOTHING;
    const { start, end } = contentSpan(line);
    const indent = indentOf(line);
    const eol = lineEnd(line);
    const text = `<Location "/">${eol}${indent}    ${line.text.slice(start, end)}${eol}${indent}</Location>`;
    return [
      {
        messageId: 'not-allowed',
        what: '`LDAPTrustedClientCert` is allowed only in a directory or location in 2.4',
        help: 'Move the line to the section that looks up users in LDAP.',
        start,
        end,
        fixes: [
          {
            title: 'Move LDAPTrustedClientCert into <Location "/">',
            safety: 'suggestion',
            assumes: 'the certificate is for all requests, as in 2.2',
            edits: [replaceContent(line, text)],
          },
        ],
      },
    ];
  },
};
