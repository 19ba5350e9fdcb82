import { indentOf, spelledName } from '../syntax/line';
import { isNewForServer } from '../config/target';
import { contentSpan, lineEnd } from './support/edits';
import { Fact, hasFact, type FileFacts } from './support/facts';
import { haveSameEnclosingSections } from './support/log-level';
import type { Finding, Fix, Member, Scope, SectionRule } from './rule';

export const sslCrlCheck: SectionRule = {
  id: 'ssl-crl-check',
  title: 'Certificate revocation lists that are ignored without SSLCARevocationCheck',
  consequence: 'meaning changed',
  // There is no `since`, because a server that already runs 2.4 also ignores the lists of revoked
  // certificates.
  comparesVersions: true,
  fix: 'safe',
  checks: 'section',
  names: ['sslcarevocationfile', 'sslcarevocationpath', 'sslproxycarevocationfile', 'sslproxycarevocationpath'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_ssl.html#sslcarevocationcheck',
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

/**
 * The findings for the lines with revocation lists of clients (SSL) or of backends (SSLProxy).
 * `factIfChecked`: the fact that a file has the directive that switches the check on.
 */
function findingsFor(prefix: 'SSL' | 'SSLProxy', factIfChecked: FileFacts, scope: Scope): Finding[] {
  const revocationLines = scope.members.filter(({ line }) =>
    line.name.startsWith(`${prefix}CARevocation`.toLowerCase()),
  );
  const checkDirective = `${prefix}CARevocationCheck`;
  const isNewBehaviour = isNewForServer(0, scope.context.target);
  return revocationLines.map((member) => {
    // One new line is enough for all lines under the same conditions.
    const lastUnderSameConditions = revocationLines.findLast((other) => haveSameEnclosingSections(other, member))!;
    return {
      messageId: 'not-checked',
      what: `\`${spelledName(member.line)}\` has no effect without \`${checkDirective}\``,
      consequence: isNewBehaviour ? 'meaning changed' : 'ignored',
      cause: 'Without it, httpd 2.4 accepts revoked certificates.',
      help: `Add \`${checkDirective} chain no_crl_for_cert_ok\` to check${isNewBehaviour ? ' as 2.2 did' : ' the lists'}.`,
      helpForBothVersions: `In \`<IfModule mod_authz_core.c>\`, add \`${checkDirective} chain no_crl_for_cert_ok\`: 2.2 does not know it.`,
      ...contentSpan(member.line, member.offset),
      resolve: (facts) =>
        hasFact(facts, factIfChecked)
          ? null
          : {
              fixes: fixesFor(lastUnderSameConditions, {
                checkDirective,
                scope,
                isNewBehaviour,
                hasWholeConfiguration: isWholeConfiguration(facts),
              }),
            },
    };
  });
}

/** Whether the file is the whole configuration, so no other file can have SSLCARevocationCheck. */
function isWholeConfiguration(facts: FileFacts): boolean {
  return hasFact(facts, Fact.standaloneAssumed) || (hasFact(facts, Fact.isRoot) && !hasFact(facts, Fact.includes));
}

/** What the fixes depend on, besides the line after which they add another. */
interface CrlCheckInput {
  /** The directive that switches the check on: SSLCARevocationCheck or its SSLProxy form. */
  readonly checkDirective: string;
  readonly scope: Scope;
  /** Whether the server runs 2.2 now, which uses the lists of revoked certificates. */
  readonly isNewBehaviour: boolean;
  readonly hasWholeConfiguration: boolean;
}

/** The fixes that add SSLCARevocationCheck after the line. The first one is closest to 2.2. */
function fixesFor(
  { line, offset }: Member,
  { checkDirective, scope, isNewBehaviour, hasWholeConfiguration }: CrlCheckInput,
): Fix[] {
  const lineEndOffset = offset + line.length;
  const eol = lineEnd(line);
  const editsAdding = (words: string) => {
    const addedLine = `${indentOf(line)}${checkDirective} ${words}`;
    return [
      {
        start: lineEndOffset,
        end: lineEndOffset,
        text: line.text.endsWith('\n') ? `${addedLine}${eol}` : `${eol}${addedLine}`,
      },
    ];
  };
  const strictFix: Fix = {
    title: `Add ${checkDirective} chain${isNewBehaviour ? ', stricter than 2.2' : ''}`,
    safety: 'suggestion',
    assumes: 'httpd should reject certificates without a revocation list',
    edits: editsAdding('chain'),
  };
  if (scope.context.target.patch < 21) return [strictFix];
  const edits = editsAdding('chain no_crl_for_cert_ok');
  const sameBehaviourFix: Fix = !isNewBehaviour
    ? {
        title: `Add ${checkDirective} chain no_crl_for_cert_ok`,
        safety: 'suggestion',
        assumes: 'httpd should reject revoked certificates, which it accepts now',
        edits,
      }
    : hasWholeConfiguration
      ? { title: `Add ${checkDirective} chain no_crl_for_cert_ok`, safety: 'safe', edits }
      : {
          title: `Add ${checkDirective} chain no_crl_for_cert_ok`,
          safety: 'suggestion',
          assumes: `no other file has ${checkDirective}`,
          edits,
        };
  return [sameBehaviourFix, strictFix];
}
