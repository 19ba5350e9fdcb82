import type { Section } from '../syntax/tree';
import { argumentsOf, spelledName, type Line, type Word } from '../syntax/line';
import { shortened } from './support/edits';
import { titleToChange } from './support/fix-title';
import { endInQuotes } from './support/load-module';
import { phpQuestionFor } from './support/php';
import type { Finding, Fix, Member, SectionRule } from './rule';

/**
 * Finds lines with the handler of the PHP 5 module. The modules of PHP 7 and 8 have other handler
 * names. If no module has the handler, httpd sends the source text of the scripts to clients.
 */
export const phpHandler: SectionRule = {
  id: 'php-handler',
  title: 'A handler that only PHP 5 has: php5-script, or application/x-httpd-php5 of a host',
  consequence: 'meaning changed',
  fix: 'suggestion',
  checks: 'section',
  names: ['addhandler', 'sethandler'],
  url: 'https://httpd.apache.org/docs/2.4/mod/core.html#sethandler',
  examples: [
    {
      title: 'A handler for an extension',
      before: 'AddHandler php5-script .php\n',
      after: 'AddHandler php-script .php\n',
      finds: ['php5'],
    },
    {
      title: 'A handler for all files of a section',
      before: '<FilesMatch "\\.php$">\n    SetHandler php5-script\n</FilesMatch>\n',
      after: '<FilesMatch "\\.php$">\n    SetHandler php-script\n</FilesMatch>\n',
      finds: ['php5'],
    },
    {
      title: 'A handler of a shared host',
      before: 'AddHandler application/x-httpd-php5 .php\n',
      finds: ['host'],
    },
    {
      title: 'Not reported: a name that all versions of PHP know',
      before: 'AddHandler application/x-httpd-php .php\n',
      finds: [],
    },
  ],
  check: ({ members }) => members.filter(({ activity }) => activity !== 'inactive').flatMap(findingsOf),
};

// ---------------------------------------------------------------------------------------------------------------------

/** The findings for a line that sets a handler for PHP scripts. */
function findingsOf({ line, offset, enclosingSections }: Member): Finding[] {
  const [handler] = argumentsOf(line);
  if (handler !== undefined && PHP5_HANDLER_OF_HOST.test(handler.value))
    return [
      {
        messageId: 'host',
        consequence: 'check after the upgrade',
        what: `\`${spelledName(line)}\`: a handler for PHP 5 of this host`,
        cause: `PHP itself has no handler \`${shortened(handler.value, 40)}\`: the host defines it. If the 2.4 server does not have it, clients get the source text of the scripts.`,
        help: 'Ask the host for the name on the 2.4 server, or choose the PHP version in the control panel of the host and remove the line.',
        helpForBothVersions:
          'Ask the host for the name on the 2.4 server. Put this line into `<IfModule !mod_authz_core.c>` for 2.2, and a line with the other name into `<IfModule mod_authz_core.c>`.',
        start: offset + handler.start,
        end: offset + handler.end,
      },
    ];
  if (handler?.value.toLowerCase() !== PHP5_HANDLER) return [];
  return [
    {
      messageId: 'php5',
      what: `\`${spelledName(line)} ${PHP5_HANDLER}\`: only PHP 5 has this handler`,
      cause: 'The modules of PHP 7 and 8 do not run these files. Clients get the source text of the scripts.',
      help: 'With PHP-FPM: replace the line by `<FilesMatch "\\.php$">` with `SetHandler "proxy:unix:/run/php-fpm.sock|fcgi://localhost"`, with the path of your socket. With the module of PHP 8: write `php-script`; of PHP 7: `php7-script`. On a shared host: remove the line, and choose PHP in the control panel of the host.',
      helpForBothVersions:
        'Put this line into `<IfModule mod_php5.c>`, a copy with `php7-script` into `<IfModule mod_php7.c>`, and one with `php-script` into `<IfModule mod_php.c>` (PHP 8). For PHP-FPM, write `SetHandler "proxy:unix:/run/php-fpm.sock|fcgi://localhost"` into `<FilesMatch "\\.php$">` in `<IfModule mod_authz_core.c>`, with the path of your socket.',
      ...(enclosingSections.some(isForPhp5) && { isReadByBoth: true }),
      start: offset + handler.start,
      end: offset + handler.end,
      fixes: fixesOf(line, offset, handler),
    },
  ];
}

/** Whether httpd reads a section only with the module of PHP 5. */
function isForPhp5({ name, open }: Section): boolean {
  return name === 'ifmodule' && /^(?:mod_php5\.c|php5_module)$/i.test(argumentsOf(open)[0]?.value ?? '');
}

const PHP5_HANDLER = 'php5-script';

/**
 * Matches handler names that shared hosts define for PHP 5, such as `application/x-httpd-php5` and
 * `x-httpd-php53`.
 */
const PHP5_HANDLER_OF_HOST = /^(?:application\/)?x-httpd-(?:alt-)?php5\d*(?:-\w+)?$/i;

/**
 * The fixes for a line with `php5-script`, one for each version of PHP that the user may choose.
 */
function fixesOf(line: Line, offset: number, handler: Word): Fix[] {
  const openQuestion = phpQuestionFor(shortened(line.text.trim(), 60));
  const handlerEnd = offset + endInQuotes(handler);
  const fixForVersion = (version: string, text: string): Fix => ({
    title: `${titleToChange(PHP5_HANDLER, text)} (PHP ${version})`,
    safety: 'suggestion',
    isAppliedAlone: true,
    choice: { openQuestion, values: [version] },
    edits: text === PHP5_HANDLER ? [] : [{ start: handlerEnd - PHP5_HANDLER.length, end: handlerEnd, text }],
  });
  return [
    fixForVersion('8', 'php-script'),
    fixForVersion('7', 'php7-script'),
    { ...fixForVersion('5', PHP5_HANDLER), title: `Keep ${PHP5_HANDLER} (PHP 5)` },
  ];
}
