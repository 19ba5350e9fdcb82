/**
 * The command `man`: makes the man page from the definitions of the commands. The build runs it.
 */
import type { Command } from 'commander';
import { visibleCommands } from './completion-script';
import { version } from './version';

/** The page in roff, with the macros of man(7). */
export function manPage(): string {
  return [
    `.TH HTTPD-UPGRADE 1 "" "httpd-upgrade ${version()}" "User Commands"`,
    '.SH NAME',
    'httpd\\-upgrade \\- bring Apache httpd 2.2 configuration to 2.4',
    '.SH SYNOPSIS',
    '.B httpd\\-upgrade',
    '.I command',
    '[\\fIoption\\fR ...] [\\fIargument\\fR ...]',
    '.SH DESCRIPTION',
    'Brings Apache httpd 2.2 configuration to 2.4 and keeps access as it was. Reads the configuration of Apache httpd, reports what changed between 2.2 and 2.4, and writes safe fixes, which do not change what the server does.',
    '.SH COMMANDS',
    ...visibleCommands().flatMap(commandRows),
    '.SH FILES',
    '.TP',
    '.I .httpd\\-upgrade.json',
    'Answers, settings and severities for a team, in the directory of PATH or above. Options on the command line override this file.',
    '.TP',
    '.I .httpd\\-upgradeignore',
    'Excludes files, with patterns as in .gitignore.',
    '.TP',
    '.I $XDG_STATE_HOME/httpd\\-upgrade',
    'The old files that undo restores; for root in /var/lib/httpd\\-upgrade.',
    '.SH EXIT STATUS',
    '.TP',
    '0',
    'No problem reaches the severity of \\-\\-fail\\-on; verify: httpd accepts all lines; plan, migrate, undo: done.',
    '.TP',
    '1',
    'Problems reach this severity; verify: httpd rejects lines.',
    '.TP',
    '2',
    'The command could not run, or could not read or write a file.',
    '.TP',
    '130',
    'migrate was interrupted.',
    '.SH SEE ALSO',
    '.BR httpd (8),',
    '.BR apachectl (8)',
    '',
  ].join('\n');
}

// ---------------------------------------------------------------------------------------------------------------------

/** The rows about one command: its usage, description and options. */
function commandRows(command: Command): string[] {
  const help = command.createHelp();
  return [
    `.SS ${escapeForRoff(`httpd-upgrade ${command.name()} ${help.commandUsage(command).split(`${command.name()} `)[1] ?? ''}`.trim())}`,
    escapeForRoff(command.description()),
    ...help
      .visibleOptions(command)
      .flatMap((option) => [
        '.TP',
        `.B ${escapeForRoff(help.optionTerm(option))}`,
        escapeForRoff(help.optionDescription(option)),
      ]),
  ];
}

/**
 * Escapes text for roff, so that hyphens can be copied, and no text is read as an escape or a
 * request.
 */
function escapeForRoff(text: string): string {
  return text
    .replace(/\\/g, '\\e')
    .replace(/-/g, '\\-')
    .replace(/^([.'])/gm, '\\&$1');
}
