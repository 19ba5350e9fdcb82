import { indentOf, spelledName } from '../syntax/line';
import { contentSpan, lineEnd } from './support/edits';
import { Fact, hasFact, type FileFacts } from './support/facts';
import { isUnderSame } from './support/log-level';
import type { Finding, Fix, Member, Scope, SectionRule } from './rule';

export const sslCrlCheck: SectionRule = {
  id: 'ssl-crl-check',
  title: 'Certificate revocation lists that are ignored without SSLCARevocationCheck',
  consequence: 'meaning changed',
  fix: 'safe',
  scope: 'section',
  names: ['sslcarevocationfile', 'sslcarevocationpath', 'sslproxycarevocationfile', 'sslproxycarevocationpath'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_ssl.html#sslcarevocationcheck',
  page: {
    what: '`SSLCARevocationFile` or `SSLCARevocationPath` without `SSLCARevocationCheck`. httpd 2.4 then ignores the list and accepts revoked certificates.',
    why:
      'In 2.2 it was enough to name the lists. In 2.4 `SSLCARevocationCheck` enables the check, and its default is `none`. So after the upgrade, httpd accepts revoked certificates that 2.2 rejected.\n\n' +
      'The versions also differ if the issuer of a certificate has no list. 2.2 accepts the certificate. 2.4 with `chain` denies it.',
    httpd:
      '`AH01902: Host …: X.509 CRL storage locations configured, but CRL checking (SSLCARevocationCheck) is not enabled`, a warning when the server starts. `httpd -t` ' +
      'reports nothing. With `chain` alone, the log shows for a certificate without a list: `AH02039: Certificate Verification: Error (3): unable to get certificate CRL`.',
    fixing:
      '- **Safe** if the file is a whole configuration: add `SSLCARevocationCheck chain no_crl_for_cert_ok`. httpd checks the whole chain and accepts a certificate without ' +
      'a list, as 2.2 did.\n' +
      '- **Suggestion** in other files. Another file can have a stricter `SSLCARevocationCheck`, and the new line would weaken it.\n' +
      '- **Suggestion**: add `SSLCARevocationCheck chain`, which is stricter than 2.2. For a target before 2.4.21, this is the only fix.\n\n' +
      'The new line applies to the same server or virtual host as the lists. The rule reports nothing if the file has a `SSLCARevocationCheck` line.',
    sources: [
      'modules/ssl/ssl_engine_kernel.c of 2.2: ssl_callback_SSLVerify_CRL; ssl_engine_init.c of 2.4: ssl_init_ctx_crl',
      'manual 2.4, mod_ssl: SSLCARevocationCheck',
      'experiment: test/httpd/claims-removed.test.ts',
    ],
  },
  examples: [
    {
      title: 'Lists for client certificates',
      before:
        '<VirtualHost *:443>\n    SSLVerifyClient require\n    SSLCARevocationPath /etc/ssl/certs\n</VirtualHost>\n',
      after:
        '<VirtualHost *:443>\n    SSLVerifyClient require\n    SSLCARevocationPath /etc/ssl/certs\n    SSLCARevocationCheck chain no_crl_for_cert_ok\n</VirtualHost>\n',
      finds: ['not-checked'],
    },
    {
      title: 'Lists for certificates of backends',
      before: 'SSLProxyCARevocationPath /etc/ssl/certs\n',
      after: 'SSLProxyCARevocationPath /etc/ssl/certs\nSSLProxyCARevocationCheck chain no_crl_for_cert_ok\n',
      finds: ['not-checked'],
    },
  ],
  check(scope) {
    if (!/^(virtualhost|proxy|proxymatch)?$/.test(scope.context.containers.at(-1) ?? '') || scope.context.isHtaccess)
      return [];
    return [...findingsFor('SSL', Fact.crlCheck, scope), ...findingsFor('SSLProxy', Fact.proxyCrlCheck, scope)];
  },
};

function findingsFor(prefix: 'SSL' | 'SSLProxy', known: FileFacts, scope: Scope): Finding[] {
  const members = scope.members.filter(({ line }) => line.name.startsWith(`${prefix}CARevocation`.toLowerCase()));
  const check = `${prefix}CARevocationCheck`;
  return members.map((member) => {
    // One new line is enough for all lines under the same conditions.
    const last = members.findLast((other) => isUnderSame(other, member))!;
    return {
      messageId: 'not-checked',
      what: `\`${spelledName(member.line)}\` has no effect without \`${check}\``,
      consequence: 'meaning changed',
      cause: 'Without it, httpd 2.4 accepts revoked certificates.',
      help: `Add \`${check} chain no_crl_for_cert_ok\` to check as 2.2 did.`,
      ...contentSpan(member.line, member.offset),
      resolve: (facts) =>
        hasFact(facts, known) ? null : { fixes: fixesFor(last, { check, scope, isWhole: isWhole(facts) }) },
    };
  });
}

/** Whether no other file can have SSLCARevocationCheck. */
function isWhole(facts: FileFacts): boolean {
  return hasFact(facts, Fact.standaloneAssumed) || (hasFact(facts, Fact.isRoot) && !hasFact(facts, Fact.includes));
}

interface Check {
  /** The directive. */
  readonly check: string;
  readonly scope: Scope;
  readonly isWhole: boolean;
}

function fixesFor({ line, offset }: Member, { check, scope, isWhole }: Check): Fix[] {
  const end = offset + line.length;
  const eol = lineEnd(line);
  const add = (words: string) => {
    const text = `${indentOf(line)}${check} ${words}`;
    return [{ start: end, end, text: line.text.endsWith('\n') ? `${text}${eol}` : `${eol}${text}` }];
  };
  const strict: Fix = {
    title: `Add ${check} chain`,
    safety: 'suggestion',
    assumes: 'httpd should reject certificates without a revocation list',
    edits: add('chain'),
  };
  if (scope.context.target.patch < 21) return [strict];
  const edits = add('chain no_crl_for_cert_ok');
  const same: Fix = isWhole
    ? { title: `Add ${check} chain no_crl_for_cert_ok`, safety: 'safe', edits }
    : {
        title: `Add ${check} chain no_crl_for_cert_ok`,
        safety: 'suggestion',
        assumes: `no other file has ${check}`,
        edits,
      };
  return [same, strict];
}
