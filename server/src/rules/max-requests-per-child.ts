import { nameSpan, rename } from './support/edits';
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
      'The directive always counted connections: ten requests over one connection count as one. The new name says so. Without the directive, a process of 2.4 has no limit. ' +
      'The manual of 2.2 gives 10000 as the default.',
    httpd: 'No message. httpd 2.4 reads `MaxRequestsPerChild` as `MaxConnectionsPerChild`.',
    fixing: '- **Safe**: replace the name and keep the value. Both names set the same number.',
    sources: [
      'manual 2.4, mpm_common: MaxConnectionsPerChild',
      'server/core.c of 2.4: the command table names both for ap_mpm_set_max_requests',
      'experiment: test/httpd/claims.test.ts',
    ],
  },
  examples: [
    {
      title: 'MaxRequestsPerChild with worker',
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
        cause: 'Both names limit the number of connections, not of requests.',
        ...nameSpan(line),
        tag: 'deprecated',
        fixes: [
          {
            title: 'Rename to MaxConnectionsPerChild',
            safety: 'safe',
            edits: [rename(line, 'MaxConnectionsPerChild')],
          },
        ],
      },
    ];
  },
};
