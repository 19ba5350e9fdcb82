import { indentOf } from '../syntax/line';
import { contentSpan, lineEnd, NO_FINDINGS, replaceContent } from './support/edits';
import type { LineRule } from './rule';

export const ldapTrustedClientCert: LineRule = {
  id: 'ldap-trusted-client-cert',
  title: 'LDAPTrustedClientCert outside of a <Directory>, <Location> or similar section',
  consequence: 'will not start',
  fix: 'suggestion',
  checks: 'line',
  names: ['ldaptrustedclientcert'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_ldap.html#ldaptrustedclientcert',
  examples: [
    {
      title: 'A certificate for the whole server',
      before: 'LDAPTrustedClientCert CERT_BASE64 /etc/ssl/certs/ca-certificates.crt\n',
      after: '<Location "/">\n    LDAPTrustedClientCert CERT_BASE64 /etc/ssl/certs/ca-certificates.crt\n</Location>\n',
      finds: ['not-allowed'],
    },
  ],
  check({ line, context: { containers, isHtaccess } }) {
    if (isHtaccess || !(containers.length === 0 || containers.join() === 'virtualhost')) return NO_FINDINGS;
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
