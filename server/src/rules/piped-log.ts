import { argumentsOf, spelledName, type Word } from '../syntax/line';
import { replaceVariables } from '../syntax/variables';
import { isVariable, NOTHING } from './support/edits';
import type { LineRule } from './rule';

/** Finds log programs that need a shell. 2.4 starts the program without one. */
export const pipedLog: LineRule = {
  id: 'piped-log',
  title: 'A log program that needs a shell, which 2.4 does not start',
  consequence: 'will not start',
  since: 0,
  fix: 'safe',
  scope: 'line',
  names: ['errorlog', 'customlog', 'transferlog', 'forensiclog'],
  url: 'https://httpd.apache.org/docs/2.4/logs.html#piped',
  examples: [
    {
      title: 'A command with a redirection',
      before: 'CustomLog "|/bin/cat >> /var/log/httpd/all_log" common\n',
      after: 'CustomLog "|$/bin/cat >> /var/log/httpd/all_log" common\n',
      finds: ['needs-shell'],
    },
    {
      title: 'Not reported: a program with its full path',
      before: 'ErrorLog "|/usr/sbin/rotatelogs /var/log/httpd/error_log.%Y-%m-%d 86400"\n',
      finds: [],
    },
  ],
  check({ line }) {
    const [target] = argumentsOf(line);
    if (target === undefined || !/^\|[^|$]/.test(target.value)) return NOTHING;
    const reason = needOfShell(target);
    if (reason === null) return NOTHING;
    const bar = target.start + (target.quote === '' ? 0 : 1);
    return [
      {
        messageId: reason === 'program' ? 'needs-path' : 'needs-shell',
        consequence: reason === 'program' ? 'will not start' : 'meaning changed',
        what:
          reason === 'program'
            ? `\`${spelledName(line)}\`: this command needs a full path in 2.4`
            : `\`${spelledName(line)}\`: 2.4 starts this command without a shell`,
        cause:
          reason === 'program'
            ? 'httpd 2.4 starts the log program without a shell, so it does not search PATH. `httpd -t` does not report this (AH00104).'
            : 'httpd 2.4 starts the log program without a shell. This command fails, and nothing is logged (AH00106).',
        help: 'Write `|$` instead of `|` to start the program with a shell.',
        start: target.start,
        end: target.end,
        fixes: [
          {
            title: `Change | to |$ (with a shell) in ${spelledName(line)}`,
            safety: 'safe',
            edits: [{ start: bar + 1, end: bar + 1, text: '$' }],
          },
        ],
      },
    ];
  },
};

/** Characters that only a shell interprets, anywhere in a command. */
const SHELL_SYNTAX = /[|&;<>()$`\\*?\n]|\[[^[\]]*\]|(^|\s)[#~]/;

/**
 * What the command needs from a shell; null for nothing. `program`: the first word cannot be
 * started as it is (apr_proc_create checks it first, APR_PROGRAM_ENV). `syntax`: the program would
 * get shell syntax as words. Values of variables count as plain.
 */
function needOfShell(target: Word): 'syntax' | 'program' | null {
  const command = replaceVariables(target.value.slice(1), () => (isVariable(target) ? '/v' : '')).trim();
  const quoted = /^(["'])([^"']*)\1(?=\s|$)/.exec(command);
  const program = quoted ? quoted[2]! : command.split(/\s/)[0]!;
  if (program === '') return null;
  if (!program.includes('/') || SHELL_SYNTAX.test(program) || /^[A-Za-z_]\w*=/.test(program)) return 'program';
  return SHELL_SYNTAX.test(command) ? 'syntax' : null;
}
