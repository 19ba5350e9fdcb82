import { contentSpan, NOTHING } from './edits';
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
      'Where the program `suexec` is missing, or is not owned by root with its setuid bit, httpd 2.2 wrote a warning and went on, running the scripts as itself. httpd 2.4 does not start. ' +
      'Whether the program is there, no configuration tells; so this is a note. On Debian it is in a package of its own (apache2-suexec-pristine), Red Hat has it with httpd.',
    httpd: '`AH00526: Syntax error …: SuexecUserGroup configured, but suEXEC is disabled: Missing suexec binary /usr/lib/apache2/suexec`.',
    fixing: 'None: install suexec. To remove the line would run the scripts as the server itself, with all that it may read and write.',
    sources: ['modules/generators/mod_suexec.c of 2.2 and 2.4: set_suexec_ugid', 'experiment: test/httpd/claims-removed.test.ts'],
  },
  examples: [{ title: 'Scripts of a user', before: '<VirtualHost *:80>\n    SuexecUserGroup ann users\n</VirtualHost>\n', finds: ['program'] }],
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
