import { indentOf, spelledName } from '../syntax/line';
import { contentSpan, lineEnd } from './edits';
import { Fact, hasFact, type FileFacts } from './facts';
import { isUnderSame } from './log-level';
import type { Finding, Fix, Member, Unit, UnitRule } from './rule';

/** Revocation lists without `SSLCARevocationCheck`: 2.4 does not look into them. */
export const sslCrlCheck: UnitRule = {
  id: 'ssl-crl-check',
  title: 'Revocation lists without SSLCARevocationCheck',
  consequence: 'meaning changed',
  fix: 'safe',
  scope: 'unit',
  names: ['sslcarevocationfile', 'sslcarevocationpath', 'sslproxycarevocationfile', 'sslproxycarevocationpath'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_ssl.html#sslcarevocationcheck',
  page: {
    what: '`SSLCARevocationFile` or `SSLCARevocationPath` without `SSLCARevocationCheck`. httpd 2.4 then ignores the list and accepts revoked certificates.',
    why:
      'In 2.2 to name the lists was to use them. In 2.4 a directive of its own says whether, and its default is no: certificates that were revoked are accepted again. ' +
      'The two versions also differ in what they do with a certificate whose issuer has no list: 2.2 accepted it; `chain` alone refuses it.',
    httpd: '`AH01902: Host …: X.509 CRL storage locations configured, but CRL checking (SSLCARevocationCheck) is not enabled`, a warning when the server starts; nothing from the configuration check. With `chain` alone, for a certificate without a list: `AH02039: Certificate Verification: Error (3): unable to get certificate CRL`.',
    fixing:
      '`SSLCARevocationCheck chain no_crl_for_cert_ok` is added behind the line: the whole chain is looked up, and a certificate without a list passes: this is what 2.2 did. Safe where the file is a whole configuration; elsewhere a suggestion, since another file may have a stricter SSLCARevocationCheck, of which the line would make less. ' +
      'For a target before 2.4.21, which does not know the second word, only `chain` is offered, as a suggestion; it is the other choice elsewhere too, and the stricter one. ' +
      'The directive is valid for the same server or virtual host as the lists. Nothing is reported where a SSLCARevocationCheck is anywhere in the file.',
    sources: [
      'modules/ssl/ssl_engine_kernel.c of 2.2: ssl_callback_SSLVerify_CRL; ssl_engine_init.c of 2.4: ssl_init_ctx_crl',
      'manual 2.4, mod_ssl: SSLCARevocationCheck',
      'experiment: test/httpd/claims-removed.test.ts',
    ],
  },
  examples: [
    {
      title: 'For clients',
      before: '<VirtualHost *:443>\n    SSLVerifyClient require\n    SSLCARevocationPath /etc/ssl/certs\n</VirtualHost>\n',
      after: '<VirtualHost *:443>\n    SSLVerifyClient require\n    SSLCARevocationPath /etc/ssl/certs\n    SSLCARevocationCheck chain no_crl_for_cert_ok\n</VirtualHost>\n',
      finds: ['not-checked'],
    },
    {
      title: 'For backends',
      before: 'SSLProxyCARevocationPath /etc/ssl/certs\n',
      after: 'SSLProxyCARevocationPath /etc/ssl/certs\nSSLProxyCARevocationCheck chain no_crl_for_cert_ok\n',
      finds: ['not-checked'],
    },
  ],
  check(unit) {
    if (!/^(virtualhost|proxy|proxymatch)?$/.test(unit.context.containers.at(-1) ?? '') || unit.context.isHtaccess) return [];
    return [...findingsFor('SSL', Fact.crlCheck, unit), ...findingsFor('SSLProxy', Fact.proxyCrlCheck, unit)];
  },
};

function findingsFor(prefix: 'SSL' | 'SSLProxy', known: number, unit: Unit): Finding[] {
  const members = unit.members.filter(({ line }) => line.name.startsWith(`${prefix}CARevocation`.toLowerCase()));
  const check = `${prefix}CARevocationCheck`;
  return members.map((member) => {
    // One line is enough for all that stand together.
    const last = members.findLast((other) => isUnderSame(other, member))!;
    return {
      messageId: 'not-checked',
      what: `\`${spelledName(member.line)}\` has no effect without \`${check}\``,
      consequence: 'meaning changed',
      cause: 'Without it, httpd 2.4 accepts revoked certificates.',
      help: `Add \`${check} chain no_crl_for_cert_ok\` to check as 2.2 did.`,
      ...contentSpan(member.line, member.offset),
      resolve: (facts) => (hasFact(facts, known) ? null : { fixes: fixesFor(last, { check, unit, isWhole: isWhole(facts) }) }),
    };
  });
}

/** Whether no other file can say SSLCARevocationCheck. */
function isWhole(facts: FileFacts): boolean {
  return hasFact(facts, Fact.standaloneAssumed) || (hasFact(facts, Fact.isRoot) && !hasFact(facts, Fact.includes));
}

interface Check {
  /** The directive. */
  readonly check: string;
  readonly unit: Unit;
  readonly isWhole: boolean;
}

function fixesFor({ line, offset }: Member, { check, unit, isWhole }: Check): Fix[] {
  const end = offset + line.length;
  const eol = lineEnd(line);
  const add = (words: string) => {
    const text = `${indentOf(line)}${check} ${words}`;
    return [{ start: end, end, text: line.text.endsWith('\n') ? `${text}${eol}` : `${eol}${text}` }];
  };
  const strict: Fix = { title: `Add ${check} chain`, safety: 'suggestion', assumes: 'certificates without a revocation list should be refused', edits: add('chain') };
  if (unit.context.target.patch < 21) return [strict];
  const edits = add('chain no_crl_for_cert_ok');
  const same: Fix = isWhole
    ? { title: `Add ${check} chain no_crl_for_cert_ok`, safety: 'safe', edits }
    : { title: `Add ${check} chain no_crl_for_cert_ok`, safety: 'suggestion', assumes: `no other file has ${check}`, edits };
  return [same, strict];
}
