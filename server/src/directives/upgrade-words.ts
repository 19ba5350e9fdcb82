/**
 * Options and other words of the manual's pages "Upgrading to 2.4 from 2.2" and "Overview of new
 * features in 2.4" that are no directive or module. From these pages, and the manual pages of their
 * directives and programs.
 */

export interface UpgradeWord {
  readonly title: string;
  readonly text: string;
}

type Row = readonly [words: string, text: string];

/**
 * The words of a row are separated by `|`, in lower case. The first is the title in its own
 * spelling.
 */
const ROWS: readonly Row[] = [
  [
    'DebugLevel',
    'An option of `ExtFilterOptions` in 2.2. 2.4 does not have it, and does not start with it. Remove it, and write `LogLevel warn ext_filter:trace1` to see more of mod_ext_filter.',
  ],
  ['LogStderr|NoLogStderr|Onfail', 'An option of `ExtFilterOptions`. It is the same in 2.2 and 2.4. Keep it.'],
  [
    'trace1|trace2|trace3|trace4|trace5|trace6|trace7|trace8',
    'Levels of `LogLevel` that are new in 2.4, below debug. trace8 shows the most. mod_dumpio writes at trace7 (`DumpIOLogLevel` was removed), mod_rewrite at trace1 to trace8 (`RewriteLog` was removed). Set it for one module: `LogLevel warn dumpio:trace7`.',
  ],
  [
    '#if expr|#if expr=|<!--#if expr="…" -->',
    'A condition of a server-side include. 2.4 has a new syntax for it, the one of `<If>`. Write the conditions in the new syntax, or set `SSILegacyExprParser On` for the directory.',
  ],
  [
    'LegacyDNStringFormat',
    'An option of `SSLOptions`, new in 2.4. Variables such as SSL_CLIENT_S_DN have the form of RFC 2253 in 2.4. If a program or a condition compares the old form (`/C=DE/O=…`), set `SSLOptions +LegacyDNStringFormat`.',
  ],
  [
    'SSL_CLIENT_S_DN and SSL_CLIENT_I_DN|*_dn|_dn',
    'Variables with the names in a certificate. 2.4 writes them in the form of RFC 2253. `SSLOptions +LegacyDNStringFormat` gives the form of 2.2.',
  ],
  [
    'SSLv2',
    'A version of TLS that 2.4 does not have: httpd does not start with `SSLProtocol SSLv2`. Remove the word. Write `SSLProtocol all -SSLv3`, or remove the line.',
  ],
  [
    'StrictRequire',
    'An option of `SSLOptions`. With it, `SSLRequireSSL` and `SSLRequire` deny a request also where `Satisfy Any` would allow it. In 2.4 such a request is denied without this option, unless mod_access_compat is loaded. Write `Require ssl` for new lines.',
  ],
  [
    'On and Off|on|off',
    'The two values of a switch. 2.4 accepts no other words for many of them: `KeepAlive 1` does not start. Write `On` or `Off`.',
  ],
  [
    'jsessionid|sessionid|/someapplication/image.gif;jsessionid=123456789',
    'A name in `CacheIgnoreURLSessionIdentifiers`. 2.4 compares the whole name, 2.2 also a part of it. Write the exact name, for example `CacheIgnoreURLSessionIdentifiers jsessionid`.',
  ],
  [
    '/bin/sh -c',
    '2.2 started the programs of piped logs by a shell. 2.4 starts them without one. If the line needs a shell (`>`, `$`, `;`), write `|$` instead of `|`.',
  ],
  [
    '<set>',
    'The element `<!--#set … -->` of server-side includes. 2.4 no longer decodes entities such as `&amp;` in its value. Write `decoding="entity"` before the value to decode them.',
  ],
  [
    'src/CHANGES|changes',
    'The list of all changes of httpd, with the release of each. It is in the sources and on the page httpd.apache.org. `httpd-upgrade check` reports those that your lines meet.',
  ],
  [
    'configure|./configure',
    'The script that prepares the build of httpd from its sources. 2.4 builds most modules by default, as separate files. Use the options in `build/config.nice` of 2.2, and add LoadModule lines for the modules that you need.',
  ],
  [
    'debug',
    'A level of `LogLevel`. 2.4 has trace1 to trace8 below it, and takes levels for single modules. Write `LogLevel warn rewrite:debug` to see more of one module only.',
  ],
  [
    'X-Cache|X-Cache-Detail',
    'Headers of the answer that say whether it came from the cache. mod_cache of 2.4 adds them with `CacheHeader on` and `CacheDetailHeader on`. Leave both off unless you look for a mistake.',
  ],
  [
    'onerror',
    'An attribute of `<!--#include … -->`, new in 2.4: the page to show if the include fails. Write `<!--#include virtual="a.html" onerror="b.html" -->`.',
  ],
  [
    'cache_status|check_config|pre_config|open_logs|test_config',
    'A hook of modules, in C. cache_status and check_config are new in 2.4. It matters to those who write modules. Install the versions of your modules that were built for 2.4.',
  ],
  [
    'ap_expr.h|ap_socache.h',
    'A header file for modules in C, new in 2.4. It matters to those who write modules. Install the versions of your modules that were built for 2.4.',
  ],
  [
    'fcgistarter',
    'A program that is new in 2.4: it starts FastCGI programs for mod_proxy_fcgi. PHP-FPM has a service of its own. Use it only for programs without one.',
  ],
  [
    'htcacheclean',
    'The program that removes old files of mod_cache_disk. With 2.4 it can list URLs and remove single ones, and limit the number of files. Check that the service of 2.4 starts it, if `CacheRoot` is set.',
  ],
  [
    'htdbm',
    'The program for password files in DBM form (`AuthDBMUserFile`). With 2.4 it can use bcrypt (`-B`), since 2.4.4. Create files of 2.2 again if their DBM format is another.',
  ],
  [
    'bcrypt',
    'A safe kind of password hash. `htpasswd -B` and `htdbm -B` write it since 2.4.4. httpd 2.4 reads it, and the old kinds as well. Use it for new passwords.',
  ],
  [
    'rotatelogs',
    'A program for piped logs that starts a new file by time or size. With 2.4 it can also make a link to the current file (`-L`) and call a program after a change (`-p`). Check its path: 2.4 can have it in another directory.',
  ],
  [
    'httpd',
    'The program of the server; Debian calls it apache2. `httpd -t` checks the configuration, `httpd -V` shows the version, and `httpd -M` shows the modules. Run `httpd-upgrade verify` to check a configuration of 2.2 with 2.4.',
  ],
];

/** The explanation of a word of the upgrade notes, in any case; undefined for other terms. */
export function upgradeWord(term: string): UpgradeWord | undefined {
  const wanted = term.toLowerCase();
  const row = ROWS.find(([words]) => words.toLowerCase().split('|').includes(wanted));
  return row && { title: row[0].split('|').find((word) => word.toLowerCase() === wanted)!, text: row[1] };
}
