import { isNewForServer } from '../config/target';
import { argumentsOf, indentOf, spelledName, type Line } from '../syntax/line';
import { contentSpan, lineEnd, NO_FINDINGS } from './support/edits';
import { Fact, hasFact } from './support/facts';
import type { SectionRule, Summary } from './rule';

/** Finds https backends in a file that is no main configuration. 2.4 checks their certificates. */
export const sslProxyCheck: SectionRule = {
  id: 'ssl-proxy-check',
  title: 'https backends, whose certificates 2.4 checks',
  consequence: 'check after the upgrade',
  comparesVersions: true,
  fix: 'suggestion',
  checks: 'section',
  names: [
    'sslproxyengine',
    'sslproxycheckpeername',
    'sslproxycheckpeercn',
    'sslproxycheckpeerexpire',
    'require',
    'requireall',
    'requireany',
    'requirenone',
    'includeoptional',
  ],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_ssl.html#sslproxycheckpeername',
  examples: [
    {
      title: 'A backend on the same machine',
      before: 'SSLProxyEngine on\nProxyPass /app https://127.0.0.1:8443/\n',
      after:
        'SSLProxyEngine on\nSSLProxyCheckPeerCN off\nSSLProxyCheckPeerExpire off\nSSLProxyCheckPeerName off\nProxyPass /app https://127.0.0.1:8443/\n',
      finds: ['backend'],
    },
    {
      title: 'Not reported: the checks are set',
      before: 'SSLProxyEngine on\nSSLProxyCheckPeerName off\nProxyPass /app https://127.0.0.1:8443/\n',
      finds: [],
    },
  ],
  checkFile({ facts, context, mayHaveDirective, firstMatch, summaryOf }) {
    const isPartOfConfiguration = context.fileContext === null && !hasFact(facts, Fact.isRoot, Fact.loads24);
    if (!isPartOfConfiguration || !isNewForServer(0, context.target) || !mayHaveDirective('sslproxyengine'))
      return NO_FINDINGS;
    const summary = summaryOf(BACKENDS_SUMMARY);
    if (!summary?.hasTlsProxy || summary.isSettled) return NO_FINDINGS;
    const firstMatchingLine = firstMatch(BACKENDS_SUMMARY, (part) => part.hasTlsProxy, switchesTlsProxyOn);
    if (!firstMatchingLine) return NO_FINDINGS;
    const { line, offset } = firstMatchingLine;
    const checkNames = isNewForServer(5, context.target) ? [...CHECK_NAMES, 'SSLProxyCheckPeerName'] : CHECK_NAMES;
    const eol = lineEnd(line);
    const isLastLine = !line.text.endsWith('\n');
    const addedLines = checkNames.map((name) => `${indentOf(line)}${name} off`).join(eol);
    const lineEndOffset = offset + line.length;
    return [
      {
        messageId: 'backend',
        what: `\`${spelledName(line)}\`: 2.4 checks the name and the dates of a backend's certificate`,
        cause: '2.2 did not. With a certificate for another name, or an expired one, requests to this backend get 500.',
        help: `If the certificate is right, do nothing. If not, correct it, or set ${checkNames.map((name) => `\`${name}\``).join(', ')} to \`off\`, as in 2.2.`,
        ...contentSpan(line, offset),
        fixes: [
          {
            title: `Add ${checkNames.length} lines SSLProxyCheckPeer… off, as in 2.2`,
            safety: 'suggestion',
            isAppliedAlone: true,
            assumes: 'any certificate of the backend is good enough, as in 2.2',
            edits: [
              {
                start: lineEndOffset,
                end: lineEndOffset,
                text: isLastLine ? `${eol}${addedLines}` : `${addedLines}${eol}`,
              },
            ],
          },
        ],
      },
    ];
  },
};

const BACKENDS_SUMMARY: Summary<ProxyBackends> = {
  summarize(line) {
    if (switchesTlsProxyOn(line)) return { hasTlsProxy: true, isSettled: false };
    return line.name === 'sslproxyengine' || (line.name === 'require' && !isRequireOf24(line))
      ? null
      : { hasTlsProxy: false, isSettled: true };
  },
  plus: (a, b) => ({ hasTlsProxy: a.hasTlsProxy || b.hasTlsProxy, isSettled: a.isSettled || b.isSettled }),
};

/** What the lines of a file say about TLS to backends. */
interface ProxyBackends {
  /** Whether the file has `SSLProxyEngine on`. */
  readonly hasTlsProxy: boolean;
  /** Whether the file sets the checks, or has lines that only 2.4 has. */
  readonly isSettled: boolean;
}

/** The directives of all releases of 2.4 that switch a check off. 2.4.5 adds another one. */
const CHECK_NAMES = ['SSLProxyCheckPeerCN', 'SSLProxyCheckPeerExpire'];

function switchesTlsProxyOn(line: Line): boolean {
  return line.name === 'sslproxyengine' && argumentsOf(line)[0]?.value.toLowerCase() === 'on';
}

/** Whether the Require line has a provider that only 2.4 has. */
function isRequireOf24(line: Line): boolean {
  return /^(?:all|ip|host|local|env|expr|method|not)$/i.test(argumentsOf(line)[0]?.value ?? '');
}
