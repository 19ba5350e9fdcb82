import { nameSpan, rename } from './support/edits';
import type { LineRule } from './rule';

/** `MaxClients` is `MaxRequestWorkers` in 2.4; the old name is still read. */
export const maxClients: LineRule = {
  id: 'max-clients',
  title: 'MaxClients, now MaxRequestWorkers',
  consequence: 'renamed',
  fix: 'safe',
  scope: 'line',
  names: ['maxclients'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mpm_common.html#maxrequestworkers',
  page: {
    what: '`MaxClients` is called `MaxRequestWorkers` in 2.4. The old name still works.',
    why:
      'The directive limits how many requests the server answers at the same time. It never limited the number of clients. With the event MPM the two numbers differ, ' +
      'because an idle keep-alive connection needs no worker. With event, `MaxRequestWorkers` and `AsyncRequestWorkerFactor` together limit the connections.',
    httpd: 'No message. httpd 2.4 reads `MaxClients` as `MaxRequestWorkers`.',
    fixing: '- **Safe**: replace the name and keep the value. Both names set the same number.',
    sources: [
      'manual 2.4, mpm_common: MaxRequestWorkers',
      'server/mpm/event/event.c, worker.c, prefork.c of 2.4: the command tables name both for one function',
      'experiment: test/httpd/claims.test.ts',
    ],
  },
  examples: [
    {
      title: 'MaxClients with prefork',
      before: '<IfModule prefork.c>\n    ServerLimit  150\n    MaxClients   150\n</IfModule>\n',
      after: '<IfModule prefork.c>\n    ServerLimit  150\n    MaxRequestWorkers   150\n</IfModule>\n',
      finds: ['renamed'],
    },
  ],
  check({ line }) {
    return [
      {
        messageId: 'renamed',
        what: '`MaxClients` is now `MaxRequestWorkers`; the old name still works',
        cause: '`MaxRequestWorkers` limits the requests that httpd answers at the same time, not the clients.',
        ...nameSpan(line),
        tag: 'deprecated',
        fixes: [{ title: 'Rename to MaxRequestWorkers', safety: 'safe', edits: [rename(line, 'MaxRequestWorkers')] }],
      },
    ];
  },
};
