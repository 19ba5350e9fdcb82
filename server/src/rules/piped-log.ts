import { argumentsOf, spelledName, type Word } from '../syntax/line';
import { replaceVariables } from '../syntax/variables';
import { containsVariable, NO_FINDINGS } from './support/edits';
import type { LineRule } from './rule';

/** Finds log commands that need a shell, because 2.4 starts log programs without a shell. */
export const pipedLog: LineRule = {
  id: 'piped-log',
  title: 'A log program that needs a shell, which 2.4 does not start',
  consequence: 'will not start',
  since: 0,
  fix: 'safe',
  checks: 'line',
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
    if (target === undefined || !/^\|[^|$]/.test(target.value)) return NO_FINDINGS;
    const reason = reasonForShell(target);
    if (reason === null) return NO_FINDINGS;
    const pipeOffset = target.start + (target.quote === '' ? 0 : 1);
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
            edits: [{ start: pipeOffset + 1, end: pipeOffset + 1, text: '$' }],
          },
        ],
      },
    ];
  },
};

/** Matches characters of a command that only a shell interprets. */
const SHELL_SYNTAX = /[|&;<>()$`\\*?\n]|\[[^[\]]*\]|(^|\s)[#~]/;

/**
 * Why the command needs a shell; null if it needs none. `program`: httpd cannot start the first
 * word without a shell (apr_proc_create, APR_PROGRAM_ENV). `syntax`: the program would get shell
 * syntax as arguments. The values of variables count as text without shell syntax.
 */
function reasonForShell(target: Word): 'syntax' | 'program' | null {
  const command = replaceVariables(target.value.slice(1), () => (containsVariable(target) ? '/v' : '')).trim();
  const quotedProgram = /^(["'])([^"']*)\1(?=\s|$)/.exec(command);
  const program = quotedProgram ? quotedProgram[2]! : command.split(/\s/)[0]!;
  if (program === '') return null;
  if (!program.includes('/') || SHELL_SYNTAX.test(program) || /^[A-Za-z_]\w*=/.test(program)) return 'program';
  return SHELL_SYNTAX.test(command) ? 'syntax' : null;
}
