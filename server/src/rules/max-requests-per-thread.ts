import { contentSpan, invalidCommand, removeLine } from './support/edits';
import type { LineRule } from './rule';

/** `MaxRequestsPerThread`, a directive of the MPM for BeOS. */
export const maxRequestsPerThread: LineRule = {
  id: 'max-requests-per-thread',
  title: 'MaxRequestsPerThread, a removed directive for BeOS',
  consequence: 'will not start',
  fix: 'safe',
  scope: 'line',
  names: ['maxrequestsperthread'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mpm_common.html',
  page: {
    what: '`MaxRequestsPerThread`, a directive of the MPM for BeOS. httpd 2.4 does not run on BeOS.',
    why: 'httpd 2.4 does not run on BeOS, and no other MPM has this directive. `MaxConnectionsPerChild` is a similar limit for a whole process.',
    httpd:
      "`AH00526: Syntax error …: Invalid command 'MaxRequestsPerThread', perhaps misspelled or defined by a module not included in the server configuration`.",
    fixing:
      '- **Safe**: remove the line. No 2.4 server can use it. Inside `<IfModule beos.c>`, its usual place, httpd skips the line, and the rule does not report it.',
    sources: ['server/mpm/beos/beos.c of 2.2; its absence in 2.4', 'experiment: test/httpd/claims-removed.test.ts'],
  },
  examples: [
    {
      title: 'An old line for BeOS',
      before: 'StartServers 2\nMaxRequestsPerThread 10000\n',
      after: 'StartServers 2\n',
      finds: ['removed'],
    },
  ],
  check({ line }) {
    return [
      {
        messageId: 'removed',
        what: '`MaxRequestsPerThread` was removed; it was for BeOS',
        help: 'Remove the line.',
        serverText: invalidCommand(line),
        ...contentSpan(line),
        tag: 'unnecessary',
        fixes: [{ title: 'Remove MaxRequestsPerThread', safety: 'safe', edits: [removeLine(line)] }],
      },
    ];
  },
};
