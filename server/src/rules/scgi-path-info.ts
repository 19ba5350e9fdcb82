import { indentOf } from '../syntax/line';
import { contentSpan, lineEnd, NOTHING, words } from './support/edits';
import { Fact, hasFact } from './support/facts';
import type { LineRule } from './rule';

/** Finds SCGI backends. 2.4 sends PATH_INFO only if a variable is set. */
export const scgiPathInfo: LineRule = {
  id: 'scgi-path-info',
  title: 'An SCGI backend that no longer gets PATH_INFO',
  consequence: 'meaning changed',
  fix: 'suggestion',
  scope: 'line',
  names: ['proxypass', 'proxypassmatch'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_proxy_scgi.html#env',
  page: {
    what: '`ProxyPass` or `ProxyPassMatch` to `scgi://…`. httpd 2.2 sent PATH_INFO to such a backend; httpd 2.4 sends it only if `proxy-scgi-pathinfo` is set.',
    why:
      '2.2 always sent the path after the address of the backend as PATH_INFO. This was a guess, because only the application knows its own path. 2.4 does not send ' +
      'PATH_INFO, and SCRIPT_NAME is the whole path. An application that reads PATH_INFO then shows its start page for every URL, or an error.',
    httpd: 'No message.',
    fixing:
      '- **Suggestion**: add `SetEnvIf Request_URI . proxy-scgi-pathinfo` above the line. httpd then sends PATH_INFO, as in 2.2, to all SCGI backends of the server or ' +
      'virtual host. Some applications read SCRIPT_NAME and work better without it. `SetEnv` does not work here, because it runs too late.',
    sources: [
      'modules/proxy/mod_proxy_scgi.c of 2.2 and 2.4: scgi_canon',
      'manual 2.4, mod_proxy_scgi: environment variables',
      'experiment: test/httpd/claims-removed.test.ts (what a backend gets)',
    ],
  },
  examples: [
    {
      title: 'An SCGI application',
      before: 'ProxyPass /app scgi://127.0.0.1:4000/\n',
      after: 'SetEnvIf Request_URI . proxy-scgi-pathinfo\nProxyPass /app scgi://127.0.0.1:4000/\n',
      finds: ['path-info'],
    },
  ],
  check(subject) {
    if (
      !words(subject)
        .slice(0, 2)
        .some((word) => /^scgi:\/\//i.test(word.value))
    )
      return NOTHING;
    const { line } = subject;
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
