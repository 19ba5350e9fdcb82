import { contentSpan, NOTHING } from './support/edits';
import type { LineRule } from './rule';

/** `SuexecUserGroup` on a server without suEXEC: a warning in 2.2, an error in 2.4. */
export const suexecUserGroup: LineRule = {
  id: 'suexec-user-group',
  title: 'SuexecUserGroup, which needs the suexec program',
  consequence: 'check before the upgrade',
  fix: 'none',
  scope: 'line',
  names: ['suexecusergroup'],
  url: 'https://httpd.apache.org/docs/2.4/mod/mod_suexec.html',
  page: {
    what: '`SuexecUserGroup` runs CGI scripts as another user. In 2.4 the server does not start if the suexec program is missing.',
    why:
      'The program `suexec` must exist, belong to root and have the setuid bit. Otherwise 2.2 wrote a warning and ran the scripts as its own user. 2.4 does not start.\n\n' +
      'The configuration does not show whether the program exists, so the rule only informs you. On Debian the program is in the package apache2-suexec-pristine. On Red Hat it comes with httpd.',
    httpd:
      '`AH00526: Syntax error …: SuexecUserGroup configured, but suEXEC is disabled: Missing suexec binary /usr/lib/apache2/suexec`.',
    fixing:
      'There is no automatic fix. Install suexec. Do not remove the line: the scripts would then run with all rights of the server.',
    sources: [
      'modules/generators/mod_suexec.c of 2.2 and 2.4: set_suexec_ugid',
      'experiment: test/httpd/claims-removed.test.ts',
    ],
  },
  examples: [
    {
      title: 'CGI scripts of a user',
      before: '<VirtualHost *:80>\n    SuexecUserGroup ann users\n</VirtualHost>\n',
      finds: ['program'],
    },
  ],
  check({ line, context }) {
    if (context.containers.some((name) => name !== 'virtualhost')) return NOTHING;
    return [
      {
        messageId: 'program',
        what: '`SuexecUserGroup` now needs a working suexec program',
        cause: 'Without suexec, httpd 2.2 logged a warning and ran the scripts as its own user.',
        help: 'Check that suexec is installed on the new server.',
        ...contentSpan(line),
      },
    ];
  },
};
