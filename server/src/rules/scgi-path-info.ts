import { indentOf } from '../syntax/line';
import { contentSpan, lineEnd, NO_FINDINGS, wordsOfInput } from './support/edits';
import { Fact, hasFact } from './support/facts';
import type { LineRule } from './rule';

/**
 * Finds SCGI backends. 2.4 sends PATH_INFO to them only if the variable proxy-scgi-pathinfo is set.
 */
export const scgiPathInfo: LineRule = {
  id: 'scgi-path-info',
  title: 'An SCGI backend that no longer gets PATH_INFO',
  consequence: 'meaning changed',
  since: 0,
  fix: 'suggestion',
  checks: 'line',
  names: ['proxypass', 'proxypassmatch'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_proxy_scgi.html#env',
  examples: [
    {
      title: 'An SCGI application',
      before: 'ProxyPass /app scgi://127.0.0.1:4000/\n',
      after: 'SetEnvIf Request_URI . proxy-scgi-pathinfo\nProxyPass /app scgi://127.0.0.1:4000/\n',
      finds: ['path-info'],
    },
  ],
  check(ruleInput) {
    if (
      !wordsOfInput(ruleInput)
        .slice(0, 2)
        .some((word) => /^scgi:\/\//i.test(word.value))
    )
      return NO_FINDINGS;
    const { line } = ruleInput;
    return [
      {
        messageId: 'path-info',
        what: '`scgi://` backends no longer get PATH_INFO',
        help: 'To send PATH_INFO as in 2.2, set the variable `proxy-scgi-pathinfo`.',
        ...contentSpan(line),
        fixes: [
          {
            title: 'Add SetEnvIf Request_URI . proxy-scgi-pathinfo',
            safety: 'suggestion',
            assumes: 'you want PATH_INFO sent to all SCGI backends of this configuration',
            edits: [
              { start: 0, end: 0, text: `${indentOf(line)}SetEnvIf Request_URI . proxy-scgi-pathinfo${lineEnd(line)}` },
            ],
          },
        ],
        resolve: (facts) => (hasFact(facts, Fact.scgiPathInfo) ? null : {}),
      },
    ];
  },
};
