import { nameSpan, rename } from './edits';
import type { LineRule } from './rule';

/** `MaxRequestsPerChild` is `MaxConnectionsPerChild` in 2.4; the old name is still read. */
export const maxRequestsPerChild: LineRule = {
  id: 'max-requests-per-child',
  title: 'MaxRequestsPerChild, now MaxConnectionsPerChild',
  consequence: 'renamed',
  fix: 'safe',
  scope: 'line',
  names: ['maxrequestsperchild'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mpm_common.html#maxconnectionsperchild',
  page: {
    what: '`MaxRequestsPerChild` is called `MaxConnectionsPerChild` in 2.4. The old name still works.',
    why:
      'A child has always counted connections: ten requests over one kept-alive connection count once. Only the name promised something else. ' +
      'Without the directive a child of 2.4 lives for ever, where the manual of 2.2 gave 10000 as the default.',
    httpd: 'httpd 2.4 reads `MaxRequestsPerChild` without a word and takes it for `MaxConnectionsPerChild`.',
    fixing: 'The name is replaced, the value stays. Safe: both names set the same number.',
    sources: [
      'manual 2.4, mpm_common: MaxConnectionsPerChild',
      'server/core.c of 2.4: the command table names both for ap_mpm_set_max_requests',
      'experiment: test/httpd/claims.test.ts',
    ],
  },
  examples: [
    {
      title: 'The old name under worker',
      before: '<IfModule worker.c>\n    MaxClients            300\n    MaxRequestsPerChild   4000\n</IfModule>\n',
      after: '<IfModule worker.c>\n    MaxClients            300\n    MaxConnectionsPerChild   4000\n</IfModule>\n',
      finds: ['renamed'],
    },
  ],
  check({ line }) {
    return [
      {
        messageId: 'renamed',
        what: '`MaxRequestsPerChild` is now `MaxConnectionsPerChild`; the old name works',
        cause: 'The number limits connections, in 2.2 too.',
        ...nameSpan(line),
        tag: 'deprecated',
        fixes: [{ title: 'Rename to MaxConnectionsPerChild', safety: 'safe', edits: [rename(line, 'MaxConnectionsPerChild')] }],
      },
    ];
  },
};
