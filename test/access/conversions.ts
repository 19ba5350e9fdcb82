/**
 * Conversions of whole configurations: each row of the translation's table and each rule of
 * inheritance. `before` and `after` are the main file after `HEAD`, or texts by path. `reason` is
 * why nothing is converted.
 */
import { reasonText } from '../../server/src/access/not-converted';
import { accessConditionDecider } from '../../server/src/access/conditions';
import { discoverHtaccess } from '../../server/src/access/htaccess-files';
import type { Source } from '../../server/src/access/model';
import { openQuestionText } from '../../server/src/access/open-question';
import { planAccessConversion } from '../../server/src/access/plan';
import { ACCESS_NAMES } from '../../server/src/access/conversion-input';
import { ONE_VERSION_NAMES } from '../../server/src/access/one-version';
import { readConfiguration } from '../../server/src/config/configuration';
import { applyEdits } from '../../server/src/analysis/fixes';
import type { FileView } from '../../server/src/config/files';
import { memoryFiles } from '../../server/src/config/memory-files';
import type { Site } from './server-model';

export type Texts = Readonly<Record<string, string>>;

export interface ConversionCase {
  readonly name: string;
  readonly before: Texts;
  readonly after: Texts;
  readonly reason: RegExp | null;
  /** Whose decisions are kept; 2.2's if left out. */
  readonly source?: Source;
  /** Whether AllowOverride may be widened. */
  readonly mayAdmit?: boolean;
  /** What is not known of the configuration. */
  readonly openQuestion?: RegExp;
  /** Paths that are links, and where they lead. */
  readonly links?: Readonly<Record<string, string>>;
}

export const MAIN = '/srv/conf/httpd.conf';
const MODULES =
  'LoadModule authz_user_module modules/mod_authz_user.so\nLoadModule authz_groupfile_module modules/mod_authz_groupfile.so\n';
const FOLDERS = ['/srv', '/srv/www', '/srv/www/a', '/srv/www/a/b', '/srv/other'];
export const URLS = [
  '/',
  '/secret',
  '/x.bak',
  '/a/',
  '/a/secret',
  '/a/x.bak',
  '/a/b/',
  '/a/b/secret',
  '/o/',
  '/o/secret',
  '/ab',
];

const LOGIN =
  '    AuthType Basic\n    AuthName "members"\n    AuthUserFile /srv/conf/passwd\n    AuthGroupFile /srv/conf/group\n';
const ALL = (...lines: string[]) =>
  `    <RequireAll>\n${lines.map((line) => `        Require ${line}\n`).join('')}    </RequireAll>\n`;
const req = (...lines: string[]) => lines.map((line) => `    Require ${line}\n`).join('');
const own = (lines: string) =>
  lines
    .split('\n')
    .map((line) => `    ${line.trim()}\n`)
    .join('');
const directory = (body: string, folder = '/srv/www') => `<Directory ${folder}>\n${body}</Directory>\n`;

/** A macro with a section and the addresses of its Use lines. */
const macro = (name: string, lines = '    Order deny,allow\n    Deny from all\n    Allow from $who\n') =>
  `<Macro ${name} $d $who>\n<Directory $d>\n${lines}</Directory>\n</Macro>\n`;
/** Lines of an included file, and three sections that include it. */
const SNIPPET = 'Order deny,allow\nDeny from all\nAllow from 10\n';
const INCLUDE = '    Include /srv/conf/a.inc\n';
const INCLUDERS = ['/srv/www/a', '/srv/other', '/srv/out'].map((at) => directory(INCLUDE, at)).join('');
const INLINED = '    # As in httpd 2.2: the lines of /srv/conf/a.inc, with what this section requires.\n';
const host = (body: string) => `<VirtualHost *:80>\n${body}</VirtualHost>\n`;
/** A virtual host as on a hosting server: it alone admits the .htaccess of its directory. */
const site = (at: string, own = OPEN, inside = SOME) =>
  host(`    DocumentRoot ${at}\n${directory(`    AllowOverride All\n${own}`, at)}${directory(inside, `${at}/b`)}`);
/** One with nothing but a section for its directory. */
const alone = (at: string, own = SOME) => host(`    DocumentRoot ${at}\n${directory(own, at)}`);
/** One that serves the directory and does not read its .htaccess. */
const unread = (at: string, own = OPEN) =>
  host(`    DocumentRoot ${at}\n${directory(`    AllowOverride None\n${own}`, at)}`);
/** One that may read it. */
const perhaps = (at: string) =>
  host(`    DocumentRoot ${at}\n${directory(`    <IfDefine X>\n    AllowOverride All\n    </IfDefine>\n${OPEN}`, at)}`);
const MEMBERS = 'AuthType Basic\nAuthName x\nAuthUserFile /srv/conf/passwd\nRequire valid-user\n';

const LOCAL =
  '    <Location />\n        Order deny,allow\n        Deny from all\n        Allow from 127.0.0.1\n    </Location>\n';
const hosts = (first: string, second: string) =>
  [first, second].map((body) => `<VirtualHost *:80>\n${body}    Include /srv/conf/a.inc\n</VirtualHost>\n`).join('');

/**
 * Rows of docs/access-control.md, "The translation". Order, Allow, Deny, and what they come to; the
 * order of lines does not matter.
 */
const TABLE: readonly (readonly [string, string | null, string | null, string])[] = [
  ['allow,deny', null, null, req('all denied')],
  ['allow,deny', null, '10', req('all denied')],
  ['allow,deny', '10', 'all', req('all denied')],
  ['allow,deny', 'all', 'all', req('all denied')],
  ['allow,deny', 'all', null, req('all granted')],
  ['allow,deny', 'all', '10', ALL('all granted', 'not ip 10')],
  ['allow,deny', '10', null, req('ip 10')],
  ['allow,deny', '10', '10.1', ALL('ip 10', 'not ip 10.1')],
  ['allow,deny', '10 env=ok', null, req('ip 10', 'env ok')],
  ['allow,deny', 'env=!ok', null, ALL('all granted', 'not env ok')],
  ['allow,deny', 'all', 'env=!ok', req('env ok')],
  [
    'allow,deny',
    'all',
    '10 .example.org env=bad',
    ALL('all granted', 'not ip 10', 'not host .example.org', 'not env bad'),
  ],
  ['mutual-failure', null, null, req('all denied')],
  ['mutual-failure', '10', '10.1', ALL('ip 10', 'not ip 10.1')],
  ['deny,allow', 'all', null, req('all granted')],
  ['deny,allow', 'all', 'all', req('all granted')],
  ['deny,allow', 'all', '10', req('all granted')],
  ['deny,allow', null, null, req('all granted')],
  ['deny,allow', '10', null, req('all granted')],
  ['deny,allow', null, 'all', req('all denied')],
  ['deny,allow', '10', 'all', req('ip 10')],
  ['deny,allow', '10 ::1 example.org', 'all', req('ip 10 ::1', 'host example.org')],
  ['deny,allow', null, '10', ALL('all granted', 'not ip 10')],
  ['deny,allow', '10.1', '10', req('ip 10.1') + ALL('all granted', 'not ip 10')],
  ['deny,allow', null, 'env=!ok', req('env ok')],
  ['', null, 'all', req('all denied')],
  ['', '10', 'all', req('ip 10')],
  ['', '10', null, req('all granted')],
];

const TABLE_CASES = TABLE.map(([order, allow, deny, after]) => {
  const lines = [
    ...(order ? [`Order ${order}`] : []),
    ...(allow ? [`Allow from ${allow}`] : []),
    ...(deny ? [`Deny from ${deny}`] : []),
  ];
  return one(lines.join(', '), directory(own(lines.join('\n'))), directory(after));
});

const OPEN = own('Order allow,deny\nAllow from all');
const MERGING = {
  And: '    # As before: what the sections around this one require is required here, too.\n    AuthMerging And\n',
  Or: '    # As before: what the sections around this one allow is allowed here, too.\n    AuthMerging Or\n',
};
const SOME = own('Order deny,allow\nDeny from all\nAllow from 10');
const CLOSED = own('Order allow,deny\nDeny from all');
const STATUS = `<Location /status>\n${SOME}</Location>\n`;
const COPY = '    # As in httpd 2.2: the section of the main server, with what this virtual host requires.\n';
const FOLDER_COPY =
  '    # As in httpd 2.2: this directory has other access to these files than the directories above.\n    # Remove this section to give them the same access here.\n';
const COPY_OF_SATISFY_ANY =
  '    # A login alone opens these files here, as in httpd 2.2 because of Satisfy Any.\n    # Remove this section to give them the same access as in the directories above.\n';
/** No form of 2.4 adds host rules to it and to nothing. */
const EITHER = LOGIN + req('valid-user') + own('Satisfy Any');

const FOR_22 = `<IfModule !mod_authz_core.c>\n${directory(OPEN, '/srv/www/a')}</IfModule>\n`;
const FOR_BOTH = `${FOR_22}<IfModule mod_authz_core.c>\n${directory(req('all granted'), '/srv/www/a')}</IfModule>\n`;

export const CONVERSIONS: readonly ConversionCase[] = [
  ...TABLE_CASES,

  // --- Users
  one(
    'a login that asks nobody, over directories of which only some state who has access',
    `Alias /o /srv/other\n${directory(OPEN)}<Location />\n${LOGIN}</Location>\n`,
    `Alias /o /srv/other\n${directory(req('all granted'))}<Location />\n${req('all granted')}${LOGIN}</Location>\n`,
  ),
  one(
    'hosts and a login: both',
    directory(LOGIN + req('valid-user') + SOME),
    directory(LOGIN + ALL('valid-user', 'ip 10')),
  ),
  one(
    'hosts or a login: either',
    directory(LOGIN + req('valid-user') + SOME + own('Satisfy Any')),
    directory(LOGIN + req('valid-user', 'ip 10')),
  ),
  one(
    'everybody and a login: the login',
    directory(LOGIN + req('user ann') + OPEN),
    directory(LOGIN + req('user ann')),
  ),
  one(
    'everybody or a login: everybody',
    directory(LOGIN + req('user ann') + OPEN + own('Satisfy Any')),
    directory(LOGIN + req('all granted')),
  ),
  one('nobody and a login: nobody', directory(LOGIN + req('user ann') + CLOSED), directory(LOGIN + req('all denied'))),
  one(
    'nobody or a login: the login',
    directory(LOGIN + req('user ann') + CLOSED + own('Satisfy Any')),
    directory(LOGIN + req('user ann')),
  ),
  one('hosts or nothing else: the hosts', directory(SOME + own('Satisfy Any')), directory(req('ip 10'))),
  one(
    'several users: any of them',
    directory(LOGIN + req('user ann', 'user bob') + SOME),
    directory(
      LOGIN +
        '    <RequireAll>\n        <RequireAny>\n            Require user ann\n            Require user bob\n        </RequireAny>\n        Require ip 10\n    </RequireAll>\n',
    ),
  ),
  one('names in any case', directory(LOGIN + req('Valid-User') + OPEN), directory(LOGIN + req('valid-user'))),
  one(
    'keywords in any case',
    directory(own('ORDER Allow,Deny\nallow FROM All\nDeny from ENV=bad')),
    directory(ALL('all granted', 'not env bad')),
  ),
  one(
    'the last Order line',
    directory(own('Order deny,allow\nOrder allow,deny\nAllow from 10')),
    directory(req('ip 10')),
  ),
  refused(
    'Require lines alone, where the old lines around them stay',
    directory(own('Deny from all'), '/') +
      '<FilesMatch "^\\.ht">\nRequire group staff\n</FilesMatch>\n' +
      directory('AuthType Basic\nRequire user ann\n', '/srv/home') +
      directory(own('Allow from 127.0.0.1'), '/srv/www/a'),
    /different access/,
  ),
  one(
    'a file behind an Alias, for which a pattern counts only while links are followed',
    'Alias /f /srv/pub/f\n' +
      directory(LOGIN + req('valid-user'), '/srv/pub') +
      directory(own('Satisfy Any') + OPEN, '/srv/pub/*') +
      `<Location /f>\n${OPEN}</Location>\n`,
    'Alias /f /srv/pub/f\n' +
      directory(LOGIN + req('valid-user'), '/srv/pub') +
      directory(req('all granted'), '/srv/pub/*') +
      `<Location /f>\n${OPEN}</Location>\n`,
    /also applies to some requests for/,
  ),
  one(
    'a section of a file, which counts only while links are followed',
    'Alias /f /srv/pub/f.html\n' +
      directory(LOGIN + req('valid-user'), '/srv/pub') +
      directory(own('Satisfy Any') + OPEN, '/srv/pub/f.html') +
      `<Location /f>\n${OPEN}</Location>\n`,
    'Alias /f /srv/pub/f.html\n' +
      directory(LOGIN + req('valid-user'), '/srv/pub') +
      directory(req('all granted'), '/srv/pub/f.html') +
      `<Location /f>\n${OPEN}</Location>\n`,
    /also applies to some requests for/,
  ),
  ...['JkMount /a/* worker', 'SVNParentPath /srv/svn', 'SCGIMount /a 127.0.0.1:4000', 'EnableMCPMReceive'].map((line) =>
    one(
      `a URL that a module answers, so that no folder is looked for: ${line}`,
      `${line}\n` + directory(SOME) + `<Location /a>\n${LOGIN}    Satisfy Any\n${req('valid-user')}</Location>\n`,
      `${line}\n` + directory(SOME) + `<Location /a>\n${LOGIN}    Satisfy Any\n${req('valid-user')}</Location>\n`,
      /different access/,
    ),
  ),
  ...[
    'VirtualScriptAliasIP /srv/%0/cgi',
    'VhostLDAPEnabled on',
    'PythonTransHandler vhosts',
    'EnableVHS On',
    'JkAutoAlias /srv/tomcat',
  ].map((line) =>
    one(
      `a file that a module chooses: ${line}`,
      `${line}\n` +
        directory(LOGIN + req('valid-user'), '/srv/other') +
        directory(SOME) +
        `<Location /a>\n    Satisfy Any\n</Location>\n`,
      `${line}\n` +
        directory(LOGIN + req('valid-user'), '/srv/other') +
        directory(SOME) +
        `<Location /a>\n    Satisfy Any\n</Location>\n`,
      /different access/,
    ),
  ),
  one(
    'a folder that need not exist, where something else than a file answers',
    directory(OPEN) +
      directory(SOME, '/srv/www/a') +
      `<Location /a>\n${LOGIN}    SetHandler server-status\n    Satisfy Any\n${req('valid-user')}</Location>\n`,
    directory(req('all granted')) +
      directory(req('ip 10'), '/srv/www/a') +
      `<Location /a>\n${LOGIN}    SetHandler server-status\n    # As before: what the sections around this one allow is allowed here, too.\n    AuthMerging Or\n${req('valid-user')}</Location>\n`,
  ),
  one(
    'an Alias with several slashes, which are one',
    'Alias //p /srv/pub\n' +
      directory(OPEN) +
      directory(SOME, '/srv/pub') +
      `<Location /p>\n${LOGIN}    Satisfy Any\n${req('valid-user')}</Location>\n`,
    'Alias //p /srv/pub\n' +
      directory(req('all granted')) +
      directory(req('ip 10'), '/srv/pub') +
      `<Location /p>\n${LOGIN}${req('ip 10', 'valid-user')}</Location>\n`,
  ),
  one(
    'none, which is a possible host name, is compared as in 2.2',
    directory(own('Order deny,allow\nDeny from all\nAllow from None')) +
      directory(own('Order deny,allow\nDeny from none'), '/srv/www/a'),
    directory(req('host None')) +
      directory(
        '    <RequireAll>\n        Require all granted\n        Require not host none\n    </RequireAll>\n',
        '/srv/www/a',
      ),
  ),
  one(
    'none beside all changes nothing',
    directory(own('Order allow,deny\nAllow from none all')),
    directory(req('all granted')),
  ),
  refused(
    'a word that never matched',
    directory(own('Order allow,deny\nAllow from 10.1.*')),
    /matches no client, .*: write "10\.1" if you mean that, or remove the line, if the section has other access lines\. If it has none, replace/,
  ),
  refused('a variable', directory(own('Order allow,deny\nAllow from ${OFFICE}')), /variable/),
  refused('a variable in the tag, and a login', directory(LOGIN + req('valid-user') + SOME, '${DOCS}'), /variable/),
  refused(
    'a variable in the tag, and a pattern',
    `<DirectoryMatch "${'${DOCS}'}/a$">\n${SOME}</DirectoryMatch>\n`,
    /variable/,
  ),
  refused('SSLRequireSSL and Satisfy Any', directory(own('SSLRequireSSL\nSatisfy Any') + SOME), /SSLRequireSSL/),
  ...['NSSRequireSSL', 'GnuTLSClientVerify require', 'MellonEnable auth', 'FcgidAccessChecker /srv/ask'].map((line) =>
    refused(
      `${line} and Satisfy Any`,
      directory(own(line), '/srv') + directory(own('Satisfy Any') + SOME),
      new RegExp(line.split(' ')[0]!, 'i'),
    ),
  ),
  refused('groups of a DBM file', directory(LOGIN + own('AuthDBMGroupFile g\nRequire group a') + SOME), /dbm-group/),
  refused('an expression', directory(LOGIN + req('user %{x}') + SOME), /expression/),
  refused(
    'an inherited word that 2.2 knows in lower case only, beside a user',
    directory(LOGIN + req('valid-user', 'File-Owner'), '/srv') + directory(SOME),
    /mod_authz_user and an unknown module apply/,
  ),
  refused('a word that 2.2 knows in lower case only', directory(LOGIN + req('LDAP-User ann') + SOME), /LDAP-User/),
  {
    ...refused("a section that is 2.4's in part", directory(LOGIN + own('AuthMerging And') + SOME), /AuthMerging/),
    openQuestion: /the files mix both versions/,
  },
  refused('a conditional', directory(`    <IfDefine X>\n${indented(SOME)}    </IfDefine>\n`), /conditional/),
  one(
    'lines of a later module are dead',
    MODULES + directory(LOGIN + req('group staff', 'user bob') + SOME),
    MODULES + directory(LOGIN + ALL('user bob', 'ip 10')),
  ),
  one(
    'and those of the first live',
    swapped() + directory(LOGIN + req('user bob', 'group staff') + SOME),
    swapped() + directory(LOGIN + ALL('group staff', 'ip 10')),
  ),
  one(
    'without a group file the users live',
    swapped() + directory(LOGIN.replace(/ *AuthGroupFile.*\n/, '') + req('user bob', 'group staff') + SOME),
    swapped() + directory(LOGIN.replace(/ *AuthGroupFile.*\n/, '') + ALL('user bob', 'ip 10')),
  ),
  refused(
    'modules in an unknown order',
    directory(LOGIN + req('user bob', 'group staff') + SOME),
    /mod_authz_user and mod_authz_groupfile or mod_authz_dbm apply to this section\. .* no LoadModule lines show which/,
  ),
  refused(
    'an Authoritative directive',
    MODULES + directory(LOGIN + '    AuthzUserAuthoritative Off\n' + req('user bob', 'group staff') + SOME),
    /Authoritative/,
  ),
  one(
    'a group file is inherited',
    swapped() + directory(LOGIN + req('valid-user')) + directory(req('user bob', 'group staff') + SOME, '/srv/www/a'),
    swapped() + directory(LOGIN + req('valid-user')) + directory(ALL('group staff', 'ip 10'), '/srv/www/a'),
  ),
  one(
    'a login that asks nobody gets a tree',
    directory(SOME) + directory(LOGIN, '/srv/other'),
    directory(req('ip 10')) + directory(req('all granted') + LOGIN, '/srv/other'),
  ),
  one(
    'a login that inherits a tree needs none',
    directory(SOME) + directory(LOGIN, '/srv/www/a'),
    directory(req('ip 10')) + directory(LOGIN, '/srv/www/a'),
  ),

  // --- Inheritance
  one(
    'hosts replace hosts, the login stays',
    directory(LOGIN + req('valid-user')) + directory(OPEN, '/srv/www/a'),
    directory(LOGIN + req('valid-user')) + directory(req('valid-user'), '/srv/www/a'),
  ),
  one(
    'a login is added to inherited hosts',
    directory(SOME) + directory(LOGIN + req('valid-user'), '/srv/www/a'),
    directory(req('ip 10')) + directory(LOGIN + ALL('valid-user', 'ip 10'), '/srv/www/a'),
  ),
  one(
    'Require replaces Require',
    directory(LOGIN + req('user ann') + SOME) + directory(req('user bob'), '/srv/www/a'),
    directory(LOGIN + ALL('user ann', 'ip 10')) + directory(ALL('user bob', 'ip 10'), '/srv/www/a'),
  ),
  one(
    'Satisfy is inherited past an Order',
    directory(LOGIN + req('valid-user') + own('Satisfy Any') + SOME) + directory(CLOSED, '/srv/www/a'),
    directory(LOGIN + req('valid-user', 'ip 10')) + directory(req('valid-user'), '/srv/www/a'),
  ),
  one(
    'Satisfy All undoes an inherited Any',
    directory(LOGIN + req('valid-user') + own('Satisfy Any') + SOME) + directory(own('Satisfy All'), '/srv/www/a'),
    directory(LOGIN + req('valid-user', 'ip 10')) + directory(ALL('valid-user', 'ip 10'), '/srv/www/a'),
  ),
  one(
    'Satisfy Any alone keeps the hosts',
    directory(SOME) + directory(own('Satisfy Any'), '/srv/www/a'),
    directory(req('ip 10')) + directory(req('ip 10'), '/srv/www/a'),
  ),
  one(
    'a host record is replaced whole',
    directory(SOME) + directory(own('Deny from 10.1'), '/srv/www/a'),
    directory(req('ip 10')) + directory(ALL('all granted', 'not ip 10.1'), '/srv/www/a'),
  ),
  one(
    'three levels, in any order of writing',
    directory(own('Satisfy Any'), '/srv/www/a/b') +
      directory(LOGIN + req('valid-user'), '/srv/www/a') +
      directory(SOME),
    directory(req('valid-user', 'ip 10'), '/srv/www/a/b') +
      directory(LOGIN + ALL('valid-user', 'ip 10'), '/srv/www/a') +
      directory(req('ip 10')),
  ),
  one(
    'two sections for one folder',
    directory(SOME) + directory(LOGIN + req('valid-user')),
    directory(req('ip 10')) + directory(LOGIN + ALL('valid-user', 'ip 10')),
  ),
  one(
    'another folder is another matter',
    directory(LOGIN + req('valid-user')) + directory(SOME, '/srv/other'),
    directory(LOGIN + req('valid-user')) + directory(req('ip 10'), '/srv/other'),
  ),

  // --- Methods
  one(
    'a limit',
    directory(`    <Limit POST>\n${indented(SOME)}    </Limit>\n`),
    directory(
      '    <RequireAll>\n        Require method POST\n        Require ip 10\n    </RequireAll>\n    <RequireAll>\n        Require not method POST\n        Require all granted\n    </RequireAll>\n',
    ),
  ),
  one(
    'all but a method',
    directory(OPEN + `    <LimitExcept GET>\n${indented(own('Deny from all'))}    </LimitExcept>\n`),
    directory(req('method GET')),
  ),
  one(
    'a login for some methods',
    directory(LOGIN + `    <Limit POST>\n        Require valid-user\n    </Limit>\n` + OPEN),
    directory(
      LOGIN +
        '    <RequireAll>\n        Require method POST\n        Require valid-user\n    </RequireAll>\n    <RequireAll>\n        Require not method POST\n        Require all granted\n    </RequireAll>\n',
    ),
  ),
  one(
    'Satisfy by method',
    directory(LOGIN + req('valid-user') + SOME + '    <Limit GET>\n        Satisfy Any\n    </Limit>\n'),
    directory(
      LOGIN +
        '    <RequireAll>\n        Require method GET\n        <RequireAny>\n            Require valid-user\n            Require ip 10\n        </RequireAny>\n    </RequireAll>\n    <RequireAll>\n        Require not method GET\n        Require valid-user\n        Require ip 10\n    </RequireAll>\n',
    ),
  ),
  refused(
    'a method that 2.4 need not know',
    directory('    <Limit FOO>\n        Deny from all\n    </Limit>\n'),
    /httpd-upgrade does not know/,
  ),
  one(
    'comments go with the addresses that they explain',
    directory(
      '    # who may\n    Order deny,allow\n    # nobody\n    Deny from all\n    # office\n    Allow from 10.1\n    Allow from 10.2 .example.org\n    # vpn,\n    # since May\n    Allow from 10.3\n\n    Allow from 10.4\n    # no more\n',
    ),
    directory(
      '    # who may\n    # nobody\n    Require ip 10.4\n    # office\n    Require ip 10.1 10.2\n    # vpn,\n    # since May\n    Require ip 10.3\n    Require host .example.org\n\n    # no more\n',
    ),
  ),
  one(
    'and stay above a line that all of them share',
    directory(
      '    Order allow,deny\n    # everybody\n    Allow from 10\n    # but them\n    Deny from 10.1\n    # and him\n    Deny from 10.2\n',
    ),
    directory(
      '    <RequireAll>\n        # everybody\n        Require ip 10\n        # but them\n        Require not ip 10.1\n        # and him\n        Require not ip 10.2\n    </RequireAll>\n',
    ),
  ),
  one(
    'in a RequireAll, of which each line counts, too',
    directory(
      LOGIN +
        req('valid-user') +
        '    Order deny,allow\n    Deny from all\n    # one\n    Allow from 10.1\n    # two\n    Allow from 10.2\n',
    ),
    directory(
      LOGIN +
        '    <RequireAll>\n        Require valid-user\n        # one\n        # two\n        Require ip 10.1 10.2\n    </RequireAll>\n',
    ),
  ),
  one(
    'comments further off stay',
    directory('    Order allow,deny\n    # far\n\n    Allow from 10\n'),
    directory('    Require ip 10\n    # far\n\n'),
  ),
  one(
    'a limit that holds more stays, and the lines go in front of it',
    directory(
      `    <Limit POST>\n        # not for everybody\n${indented(own('Order allow,deny\nAllow from 10'))}    </Limit>\n    Deny from 10.1\n`,
    ),
    directory(
      '    <RequireAll>\n        Require method POST\n        Require ip 10\n        Require not ip 10.1\n    </RequireAll>\n    <RequireAll>\n        Require not method POST\n        Require all granted\n        Require not ip 10.1\n    </RequireAll>\n    <Limit POST>\n        # not for everybody\n    </Limit>\n',
    ),
  ),
  one(
    'HEAD is GET',
    directory(`    <Limit HEAD>\n${indented(own('Deny from all'))}    </Limit>\n`),
    directory('    <RequireAll>\n        Require not method GET\n        Require all granted\n    </RequireAll>\n'),
  ),
  one(
    'methods that agree',
    directory(`    <LimitExcept GET POST>\n${indented(own('Deny from all'))}    </LimitExcept>\n`),
    directory(req('method GET POST')),
  ),
  refused(
    'a limit in a limit',
    directory('    <Limit GET>\n        <Limit POST>\n            Deny from all\n        </Limit>\n    </Limit>\n'),
    /inside another/,
  ),

  // --- Files
  one(
    'a file in its folder',
    directory(
      LOGIN + req('valid-user') + '    <Files secret>\n        Order allow,deny\n        Allow from 10\n    </Files>\n',
    ),
    directory(
      LOGIN +
        req('valid-user') +
        '    <Files secret>\n        <RequireAll>\n            Require valid-user\n            Require ip 10\n        </RequireAll>\n    </Files>\n',
    ),
  ),
  one(
    'files that are closed everywhere',
    directory(SOME) + '<Files ~ "^\\.ht">\n    Order allow,deny\n    Deny from all\n</Files>\n',
    directory(req('ip 10')) + '<Files ~ "^\\.ht">\n    Require all denied\n</Files>\n',
  ),
  one(
    'files over folders that disagree: a copy in the folder',
    directory(EITHER, '/srv/www/a') + '<Files secret>\n    Order allow,deny\n    Allow from 10\n</Files>\n',
    directory(
      `${LOGIN}${req('all granted')}${COPY_OF_SATISFY_ANY}    <Files secret>\n${indented(req('valid-user', 'ip 10'))}    </Files>\n`,
      '/srv/www/a',
    ) + '<Files secret>\n    Require ip 10\n</Files>\n',
  ),
  one(
    'folders that disagree in a folder that disagrees: a copy in each',
    directory(EITHER, '/srv/www/a') +
      directory(own('Satisfy All'), '/srv/www/a/b') +
      `<Files secret>\n${SOME}</Files>\n`,
    directory(
      `${LOGIN}${req('all granted')}${COPY_OF_SATISFY_ANY}    <Files secret>\n${indented(req('valid-user', 'ip 10'))}    </Files>\n`,
      '/srv/www/a',
    ) +
      directory(
        `${req('valid-user')}${FOLDER_COPY}    <Files secret>\n${indented(ALL('valid-user', 'ip 10'))}    </Files>\n`,
        '/srv/www/a/b',
      ) +
      '<Files secret>\n    Require ip 10\n</Files>\n',
  ),
  refused(
    'files over folders that disagree, before files of the folder',
    directory(`${EITHER}    <Files sec*>\n${indented(SOME)}    </Files>\n`, '/srv/www/a') +
      `<Files secret>\n${SOME}</Files>\n`,
    /also applies to some requests for/,
  ),
  refused(
    'files over folders by a pattern that disagree',
    directory(EITHER, '/srv/www/*/a') + `<Files secret>\n${SOME}</Files>\n`,
    /also applies to some requests for/,
  ),
  one(
    'files that say it all',
    directory(LOGIN + req('valid-user') + own('Satisfy Any') + SOME) +
      `<Files secret>\n${req('user bob')}${SOME}    Satisfy All\n</Files>\n`,
    directory(LOGIN + req('valid-user', 'ip 10')) + `<Files secret>\n${ALL('user bob', 'ip 10')}</Files>\n`,
  ),
  one(
    'files of other names are apart',
    `<Files secret>\n${LOGIN}${req('valid-user')}</Files>\n<Files x.bak>\n${SOME}</Files>\n`,
    `<Files secret>\n${LOGIN}${req('valid-user')}</Files>\n<Files x.bak>\n${req('ip 10')}</Files>\n`,
  ),
  refused(
    'patterns that may match one name',
    `<FilesMatch "ecr">\n${LOGIN}${req('valid-user')}</FilesMatch>\n<FilesMatch "s">\n${SOME}</FilesMatch>\n`,
    /different access/,
  ),
  one(
    'files of the server, then those of folders',
    `<Files secret>\n${LOGIN}${req('valid-user')}</Files>\n` +
      directory('    <Files secret>\n        Order allow,deny\n        Allow from 10\n    </Files>\n'),
    `<Files secret>\n${LOGIN}${req('valid-user')}</Files>\n` +
      directory(
        '    <Files secret>\n        <RequireAll>\n            Require valid-user\n            Require ip 10\n        </RequireAll>\n    </Files>\n',
      ),
  ),

  // --- Patterns
  one(
    'a pattern comes behind all folders',
    '<DirectoryMatch "^/srv/www/a">\n' + SOME + '</DirectoryMatch>\n' + directory(OPEN, '/srv/www/a/b'),
    '<DirectoryMatch "^/srv/www/a">\n' +
      req('ip 10') +
      '</DirectoryMatch>\n' +
      directory(req('all granted'), '/srv/www/a/b'),
  ),
  one(
    'patterns by the slashes in them',
    '<DirectoryMatch "/www/a">\n' +
      SOME +
      '</DirectoryMatch>\n<DirectoryMatch "www">\n' +
      LOGIN +
      req('valid-user') +
      '</DirectoryMatch>\n',
    '<DirectoryMatch "/www/a">\n' +
      SOME +
      '</DirectoryMatch>\n<DirectoryMatch "www">\n' +
      LOGIN +
      req('valid-user') +
      '</DirectoryMatch>\n',
    /different access/,
  ),
  refused('a $ in a pattern', '<DirectoryMatch "^/srv/www$">\n' + CLOSED + '</DirectoryMatch>\n', /contains \$/),
  one(
    'wildcards may match',
    directory(SOME, '/srv/*') + directory(OPEN, '/srv/www'),
    directory(req('ip 10'), '/srv/*') + directory(req('all granted'), '/srv/www'),
  ),
  refused(
    'wildcards that may or may not add a login',
    directory(EITHER, '/srv/www/?b') + directory(SOME, '/srv/www/[ab]b/c'),
    /also applies to some requests for/,
  ),
  one(
    'wildcards that do not match',
    directory(LOGIN + req('valid-user'), '/srv/w*') + directory(SOME, '/srv/other'),
    directory(LOGIN + req('valid-user'), '/srv/w*') + directory(req('ip 10'), '/srv/other'),
  ),
  one(
    'wildcards in their place among the folders',
    directory(LOGIN + req('user ann'), '/srv') + directory(req('user bob'), '/srv/*') + directory(SOME, '/srv/www/a'),
    directory(LOGIN + req('user ann'), '/srv') +
      directory(req('user bob'), '/srv/*') +
      directory(ALL('user bob', 'ip 10'), '/srv/www/a'),
  ),
  one(
    'wildcards that match',
    directory(LOGIN + req('valid-user'), '/srv/*') + directory(SOME, '/srv/www/a'),
    directory(LOGIN + req('valid-user'), '/srv/*') + directory(ALL('valid-user', 'ip 10'), '/srv/www/a'),
  ),

  one(
    'wildcards beside a backslash, which quotes the next letter',
    directory(CLOSED, '"/srv/w\\ww/*"') + directory(LOGIN + req('valid-user') + own('Satisfy Any'), '/srv/www/a'),
    directory(req('all denied'), '"/srv/w\\ww/*"') + directory(LOGIN + req('valid-user'), '/srv/www/a'),
  ),
  one(
    'a backslash without wildcards quotes nothing',
    directory(CLOSED, '"/srv/w\\ww"') + directory(LOGIN + req('valid-user') + own('Satisfy Any'), '/srv/www'),
    directory(req('all denied'), '"/srv/w\\ww"') + directory(LOGIN + req('all granted'), '/srv/www'),
  ),

  // --- Locations
  refused(
    'a location with wildcards, and a pattern of the same text that matches more',
    `<Location "/a/*">\n${OPEN}</Location>\n` +
      `<LocationMatch "/a/*">\n${LOGIN}${req('valid-user')}    Satisfy Any\n</LocationMatch>\n` +
      directory(CLOSED),
    /different access/,
  ),
  refused(
    'a location with wildcards beside a backslash, which quotes the next letter',
    `<Location "/\\a*">\n${CLOSED}</Location>\n` +
      `<Location /a>\n${LOGIN}${req('valid-user')}    Satisfy Any\n</Location>\n`,
    /different access/,
  ),
  one(
    'a location over its folders',
    directory(LOGIN + req('valid-user'), '/srv/www/a') + `<Location /a>\n${SOME}</Location>\n`,
    directory(LOGIN + req('valid-user'), '/srv/www/a') + `<Location /a>\n${ALL('valid-user', 'ip 10')}</Location>\n`,
  ),
  one(
    'a location elsewhere',
    directory(LOGIN + req('valid-user'), '/srv/other') + `<Location /a>\n${SOME}</Location>\n`,
    directory(LOGIN + req('valid-user'), '/srv/other') + `<Location /a>\n${req('ip 10')}</Location>\n`,
  ),
  one(
    'a location through an alias',
    `Alias /o /srv/other\n${directory(LOGIN + req('valid-user'), '/srv/other')}<Location /o>\n${SOME}</Location>\n`,
    `Alias /o /srv/other\n${directory(LOGIN + req('valid-user'), '/srv/other')}<Location /o>\n${ALL('valid-user', 'ip 10')}</Location>\n`,
  ),
  one(
    'a location over folders that disagree about hosts: joined',
    directory(OPEN) + directory(SOME, '/srv/www/a') + `<Location />\n${LOGIN}${req('valid-user')}</Location>\n`,
    directory(req('all granted')) +
      directory(req('ip 10'), '/srv/www/a') +
      `<Location />\n${LOGIN}${MERGING.And}${req('valid-user')}</Location>\n`,
  ),
  one(
    'the same for either',
    directory(OPEN) +
      directory(SOME, '/srv/www/a') +
      `<Location />\n${LOGIN}${req('valid-user')}    Satisfy Any\n</Location>\n`,
    directory(req('all granted')) +
      directory(req('ip 10'), '/srv/www/a') +
      `<Location />\n${LOGIN}${req('valid-user')}${MERGING.Or}</Location>\n`,
  ),
  one(
    'locations in order of writing',
    `<Location /a/b>\n${LOGIN}${req('valid-user')}</Location>\n<Location /a>\n${SOME}</Location>\n<Location /a/b>\n${OPEN}</Location>\n`,
    `<Location /a/b>\n${LOGIN}${req('valid-user')}</Location>\n<Location /a>\n${SOME}</Location>\n<Location /a/b>\n${OPEN}</Location>\n`,
    /different access/,
  ),
  refused(
    'rewriting leads anywhere',
    `RewriteRule ^/x /srv/other/x\n${directory(EITHER, '/srv/other')}<Location /a>\n${SOME}</Location>\n`,
    /also applies to some requests for/,
  ),
  one(
    'rewriting in a folder does not: it makes new requests',
    directory('    RewriteRule ^x /srv/other/x\n') +
      `${directory(LOGIN + req('valid-user'), '/srv/other')}<Location /a>\n${SOME}</Location>\n`,
    directory('    RewriteRule ^x /srv/other/x\n') +
      `${directory(LOGIN + req('valid-user'), '/srv/other')}<Location /a>\n${req('ip 10')}</Location>\n`,
  ),
  one(
    'UserDir leads no URL elsewhere but those of users',
    `UserDir www\n${directory(LOGIN + req('valid-user'), '/srv/other')}<Location /a>\n${SOME}</Location>\n`,
    `UserDir www\n${directory(LOGIN + req('valid-user'), '/srv/other')}<Location /a>\n${req('ip 10')}</Location>\n`,
  ),
  one(
    'an AliasMatch leads no URL elsewhere but those that it begins with',
    `AliasMatch ^/manual(?:/(?:de|en))?(/.*)?$ /usr/share/manual$1\n${directory(LOGIN + req('valid-user'), '/srv/other')}<Location /a>\n${SOME}</Location>\n`,
    `AliasMatch ^/manual(?:/(?:de|en))?(/.*)?$ /usr/share/manual$1\n${directory(LOGIN + req('valid-user'), '/srv/other')}<Location /a>\n${req('ip 10')}</Location>\n`,
  ),
  refused(
    'an AliasMatch may lead to any folder',
    `AliasMatch ^/(a|b)/x /srv/other\n${directory(EITHER, '/srv/other')}<Location /a>\n${SOME}</Location>\n`,
    /also applies to some requests for/,
  ),
  refused(
    'an AliasMatch of alternatives may lead to any folder',
    `AliasMatch ^/b|/a /srv/other\n${directory(EITHER, '/srv/other')}<Location /a>\n${SOME}</Location>\n`,
    /also applies to some requests for/,
  ),
  refused(
    'an AliasMatch that begins anywhere may lead to any folder',
    `AliasMatch /x$ /srv/other\n${directory(EITHER, '/srv/other')}<Location /a>\n${SOME}</Location>\n`,
    /also applies to some requests for/,
  ),
  refused(
    'UserDir leads the URLs of users to any folder',
    `UserDir www\n${directory(EITHER, '/srv/other')}<Location /~ann>\n${SOME}</Location>\n`,
    /also applies to some requests for/,
  ),
  refused(
    'a DocumentRoot that may not be there leaves its place to that of the main server',
    `${directory(EITHER)}<VirtualHost *:80>\n    ServerName one\n    <IfDefine X>\n        DocumentRoot /srv/other\n    </IfDefine>\n    <Location /a>\n${indented(SOME)}    </Location>\n</VirtualHost>\n`,
    /also applies to some requests for/,
  ),
  one(
    'a DocumentRoot in a virtual host that may not be there',
    `${directory(LOGIN + req('valid-user'), '/srv/third')}<IfDefine X>\n    <VirtualHost *:80>\n        ServerName one\n        DocumentRoot /srv/other\n        <Location /a>\n${indented(indented(SOME))}        </Location>\n    </VirtualHost>\n</IfDefine>\n`,
    `${directory(LOGIN + req('valid-user'), '/srv/third')}<IfDefine X>\n    <VirtualHost *:80>\n        ServerName one\n        DocumentRoot /srv/other\n        <Location /a>\n${indented(indented(req('ip 10')))}        </Location>\n    </VirtualHost>\n</IfDefine>\n`,
  ),
  one(
    'nor do UserDir disabled, redirects and what is proxied elsewhere',
    `UserDir disabled\nRewriteRule ^/old /new [R]\nProxyPass /app http://backend/\n${directory(LOGIN + req('valid-user'), '/srv/other')}<Location /a>\n${SOME}</Location>\n`,
    `UserDir disabled\nRewriteRule ^/old /new [R]\nProxyPass /app http://backend/\n${directory(LOGIN + req('valid-user'), '/srv/other')}<Location /a>\n${req('ip 10')}</Location>\n`,
  ),
  one(
    'a location further in',
    `<Location /a>\n${LOGIN}${req('valid-user')}</Location>\n<Location /a/b>\n${SOME}</Location>\n`,
    `<Location /a>\n${LOGIN}${req('valid-user')}</Location>\n<Location /a/b>\n${ALL('valid-user', 'ip 10')}</Location>\n`,
  ),
  one(
    'two sections for one location',
    `<Location /a>\n${LOGIN}${req('valid-user')}</Location>\n<Location /a>\n${SOME}</Location>\n`,
    `<Location /a>\n${LOGIN}${req('valid-user')}</Location>\n<Location /a>\n${ALL('valid-user', 'ip 10')}</Location>\n`,
  ),
  refused(
    'patterns over locations',
    `<LocationMatch "^/a">\n${LOGIN}${req('valid-user')}</LocationMatch>\n<LocationMatch "^/a/b">\n${SOME}</LocationMatch>\n`,
    /different access/,
  ),
  refused(
    'a pattern of two begins anywhere',
    `<LocationMatch "^/ab|o">\n${LOGIN}${req('valid-user')}</LocationMatch>\n<Location /o>\n${SOME}</Location>\n`,
    /different access/,
  ),
  refused(
    'a letter that need not be there',
    `<LocationMatch "^/a/b?">\n${LOGIN}${req('valid-user')}</LocationMatch>\n<Location /a/secret>\n${SOME}</Location>\n`,
    /different access/,
  ),
  one(
    'joining would ask for two logins',
    directory(OPEN) +
      directory(LOGIN + req('user bob') + SOME, '/srv/www/a') +
      `<Location />\n${LOGIN}${req('valid-user')}</Location>\n`,
    directory(req('all granted')) +
      directory(LOGIN + req('user bob') + SOME, '/srv/www/a') +
      `<Location />\n${LOGIN}${req('valid-user')}</Location>\n`,
    /different access/,
  ),
  refused(
    'either, where nothing is stated',
    directory(SOME, '/srv/www/a') + `<Location />\n${LOGIN}${req('valid-user')}    Satisfy Any\n</Location>\n`,
    /different access/,
  ),
  refused(
    'joining behind another location: the server would join the two first',
    directory(OPEN) +
      directory(SOME, '/srv/www/a') +
      `<Location /a>\n${own('Order allow,deny')}</Location>\n<Location />\n${LOGIN}${req('valid-user')}    Satisfy Any\n</Location>\n`,
    /different access/,
  ),
  one(
    'joining for some methods',
    directory(OPEN) +
      directory(SOME, '/srv/www/a') +
      `<Location />\n${LOGIN}    <Limit POST>\n        Require valid-user\n    </Limit>\n</Location>\n`,
    directory(req('all granted')) +
      directory(req('ip 10'), '/srv/www/a') +
      `<Location />\n${LOGIN}${MERGING.And}    <RequireAll>\n        Require method POST\n        Require valid-user\n    </RequireAll>\n    <RequireAll>\n        Require not method POST\n        Require all granted\n    </RequireAll>\n</Location>\n`,
  ),
  refused(
    'or for some methods, where Satisfy is Any',
    directory(OPEN) +
      directory(SOME, '/srv/www/a') +
      `<Location />\n${LOGIN}    Satisfy Any\n    <Limit POST>\n        Require valid-user\n    </Limit>\n</Location>\n`,
    /different access/,
  ),

  // --- Virtual hosts
  one(
    "the main server's first, then the host's",
    '<VirtualHost *:80>\n' + directory(SOME) + '</VirtualHost>\n' + directory(LOGIN + req('valid-user')),
    '<VirtualHost *:80>\n' +
      directory(ALL('valid-user', 'ip 10')) +
      '</VirtualHost>\n' +
      directory(LOGIN + req('valid-user')),
  ),
  one(
    'hosts are apart',
    '<VirtualHost *:80>\n' +
      directory(SOME) +
      '</VirtualHost>\n<VirtualHost *:80>\n' +
      directory(LOGIN + req('valid-user'), '/srv') +
      '</VirtualHost>\n',
    '<VirtualHost *:80>\n' +
      directory(req('ip 10')) +
      '</VirtualHost>\n<VirtualHost *:80>\n' +
      directory(LOGIN + req('valid-user'), '/srv') +
      '</VirtualHost>\n',
  ),
  one(
    "a host's locations come behind the main server's, wherever these stand",
    `<VirtualHost *:80>\n<Location /a>\n${SOME}</Location>\n<Location /a/b>\n${LOGIN}${req('valid-user')}</Location>\n</VirtualHost>\n<Location /a>\n${OPEN}</Location>\n`,
    `<VirtualHost *:80>\n<Location /a>\n${req('ip 10')}</Location>\n<Location /a/b>\n${LOGIN}${ALL('valid-user', 'ip 10')}</Location>\n</VirtualHost>\n<Location /a>\n${req('all granted')}</Location>\n`,
  ),
  refused(
    'a host has a directory around one of the main server',
    '<VirtualHost *:80>\n' + directory(EITHER) + '</VirtualHost>\n' + directory(SOME, '/srv/www/a'),
    /also applies to the requests of that host for/,
  ),
  refused(
    'a host has a directory below files of the main server',
    '<VirtualHost *:80>\n' + directory(EITHER, '/srv/www/a') + `</VirtualHost>\n<Files secret>\n${SOME}</Files>\n`,
    /also applies to the requests of that host for/,
  ),
  refused(
    'a host has directories by a pattern below files of the main server',
    `<VirtualHost *:80>\n<DirectoryMatch "^/srv/www/a">\n${EITHER}</DirectoryMatch>\n</VirtualHost>\n<Files secret>\n${SOME}</Files>\n`,
    /also applies to the requests of that host for/,
  ),
  one(
    'a host puts other folders behind a URL',
    `<VirtualHost *:80>\nDocumentRoot /srv/other\n</VirtualHost>\n${directory(EITHER, '/srv/other')}<Location />\n${SOME}</Location>\n`,
    `<VirtualHost *:80>\n${COPY}    <Location />\n${indented(req('valid-user', 'ip 10'))}    </Location>\nDocumentRoot /srv/other\n</VirtualHost>\n${directory(LOGIN + req('all granted'), '/srv/other')}<Location />\n${req('ip 10')}</Location>\n`,
  ),

  one(
    'a location of the main server over virtual hosts with and without a login',
    STATUS + alone('/srv/www', OPEN) + alone('/srv/other', OPEN + LOGIN + req('valid-user')),
    STATUS.replace(SOME, req('ip 10')) +
      alone('/srv/www', req('all granted')) +
      alone('/srv/other', LOGIN + req('valid-user')).replace(
        '<VirtualHost *:80>\n',
        `<VirtualHost *:80>\n${COPY}    <Location /status>\n${indented(ALL('valid-user', 'ip 10'))}    </Location>\n`,
      ),
  ),
  one(
    'two locations of the main server, and one of the host after its copies',
    `${STATUS}<Location /info>\n${CLOSED}</Location>\n${host(`    DocumentRoot /srv/other\n${directory(LOGIN + req('valid-user') + own('Satisfy Any'), '/srv/other')}<Location /status/x>\n${OPEN}</Location>\n`)}`,
    `${STATUS.replace(SOME, req('ip 10'))}<Location /info>\n${req('all denied')}</Location>\n${host(
      `${COPY}    <Location /status>\n${indented(req('valid-user', 'ip 10'))}    </Location>\n${COPY}    <Location /info>\n${indented(req('valid-user'))}    </Location>\n    DocumentRoot /srv/other\n${directory(LOGIN + req('all granted'), '/srv/other')}<Location /status/x>\n${req('all granted')}</Location>\n`,
    )}`,
  ),
  ...(
    [
      ['a later location of the main server', (denied) => `${STATUS}<Location /status/x>\n${denied}</Location>\n`],
      ['rewriting to any folder', () => `RewriteRule ^/x /srv/other/x\n${STATUS}`],
      ['a condition around the location', () => `<IfDefine X>\n${STATUS}</IfDefine>\n`],
    ] as [string, (denied: string) => string][]
  ).map(([what, main]) => {
    const other = alone('/srv/other', OPEN + LOGIN + req('valid-user'));
    return one(
      `virtual hosts with and without a login, and ${what}`,
      main(CLOSED) + alone('/srv/www', OPEN) + other,
      main(req('all denied')) +
        alone('/srv/www', req('all granted')) +
        (what.startsWith('a later') ? other.replace(OPEN, '') : other),
      /different access/,
    );
  }),

  // --- Lines of 2.2 beside a condition with lines for 2.4
  ...(
    [
      ['all granted', 'Order allow,deny\nAllow from all', 'all granted', null],
      ['all denied', 'Deny from all', 'all denied', null],
      ['other access', 'Order allow,deny\nAllow from all', 'all denied', /do not have the same effect/],
      ['lines in Limit', '<Limit GET>\nDeny from all\n</Limit>', 'not method GET', /above the <Limit> of this line/],
    ] as const
  ).map(([name, old, fresh, reason]) => {
    const for24 = own(`<IfModule mod_authz_core.c>\nRequire ${fresh}\n</IfModule>`);
    return one(
      `old lines beside lines for 2.4: ${name}`,
      directory(own(old) + for24) + directory(SOME, '/srv/www/a'),
      directory((reason ? own(old) : '') + for24) +
        directory(name === 'lines in Limit' ? SOME : req('ip 10'), '/srv/www/a'),
      reason,
    );
  }),
  refused(
    'old lines beside a condition for 2.4 that has no Require',
    directory(own('Order allow,deny\nAllow from all\n<IfModule mod_authz_core.c>\nAuthType None\n</IfModule>')),
    /above this line and the other lines for 2\.2/,
  ),
  refused(
    'old lines in a condition for 2.4 that has Require',
    directory(own('<IfModule mod_authz_core.c>\nDeny from all\nRequire all granted\n</IfModule>\nAllow from all')),
    /only 2\.4 reads .*: remove this line if 2\.4 is to decide as 2\.2 does/,
  ),

  // --- A variable in a tag
  ...(['${DIR}', '/srv/www/${NAME}'] as const).map((path) =>
    one(
      `host rules for ${path}: each section decides alone, whatever the path is`,
      directory(CLOSED) + directory(OPEN, path) + directory(SOME, '/srv/www/a') + STATUS,
      directory(req('all denied')) +
        directory(req('all granted'), path) +
        directory(req('ip 10'), '/srv/www/a') +
        `<Location /status>\n${req('ip 10')}</Location>\n`,
    ),
  ),
  one(
    'host rules for a URL with a variable',
    directory(OPEN) + `<Location ${'${URL}'}>\n${SOME}</Location>\n`,
    directory(req('all granted')) + `<Location ${'${URL}'}>\n${req('ip 10')}</Location>\n`,
  ),
  ...(['Satisfy Any', 'AuthType Basic', 'AuthzGroupFileAuthoritative Off\nRequire group a'] as const).map((line) =>
    refused(
      `a section for a variable path, beside one with ${line}`,
      directory(OPEN, '${DIR}') + directory(SOME + own(line), '/srv/www/a'),
      /variable|same requests/,
    ),
  ),
  refused(
    'a section for a variable path, and one that cannot be converted',
    directory(OPEN, '${DIR}') + directory(own('Deny from 10.1.*'), '/srv/www/a'),
    /matches no client/,
  ),

  // --- What stays
  one(
    'beside what is open, and stays',
    directory(own('Order allow,deny\nAllow from all 10.1.*')) + directory(SOME, '/srv/www/a'),
    directory(own('Order allow,deny\nAllow from all 10.1.*')) + directory(req('ip 10'), '/srv/www/a'),
    /matches no client/,
  ),
  refused(
    "a login alone, beside what stays, which another reading would take for 2.2's",
    directory(
      LOGIN +
        req('valid-user') +
        own('Deny from 10.1') +
        `    <Files *.bak>\n        Require valid-user\n    </Files>\n`,
    ) +
      directory(LOGIN + req('user ann') + OPEN, '/srv/www/a') +
      directory(own('Satisfy All')),
    /may apply to the same requests and is not converted/,
  ),
  refused(
    'what is shut above what stays',
    directory(CLOSED) + directory(own('Order allow,deny\nAllow from all 10.1.*'), '/srv/www/a'),
    /same requests/,
  ),
  one(
    'what is open above what stays',
    directory(OPEN) + directory(own('Deny from 10.1.*'), '/srv/www/a') + directory(SOME, '/srv/www/b'),
    directory(req('all granted')) +
      directory(own('Deny from 10.1.*'), '/srv/www/a') +
      directory(req('ip 10'), '/srv/www/b'),
    /matches no client/,
  ),
  one(
    'a login that is joined, beside what stays',
    directory(SOME, '/srv/www/b') +
      directory(OPEN, '/srv/www/a') +
      directory(own('Deny from 10.1.*'), '/srv/www/a') +
      `<Location />\n${LOGIN}${req('valid-user')}</Location>\n`,
    directory(SOME, '/srv/www/b') +
      directory(req('all granted'), '/srv/www/a') +
      directory(own('Deny from 10.1.*'), '/srv/www/a') +
      `<Location />\n${LOGIN}${req('valid-user')}</Location>\n`,
    /same requests/,
  ),
  refused(
    'a tag with a variable below a directory may be that place',
    directory(own('Deny from all'), '/srv/www/${DIR}') + directory(OPEN + own('Satisfy Any'), '/srv/www/a'),
    /same requests/,
  ),
  refused(
    'a tag with a variable may be that place',
    directory(own('Deny from all'), '${DIR}') + directory(OPEN + own('Satisfy Any'), '/srv/www/a'),
    /same requests/,
  ),
  one(
    'for both versions',
    directory(CLOSED) +
      directory(
        `    <IfModule !mod_authz_core.c>\n${indented(OPEN)}    </IfModule>\n    <IfModule mod_authz_core.c>\n${indented(req('all granted'))}    </IfModule>\n`,
        '/srv/www/a',
      ),
    directory(req('all denied')) +
      directory(
        `    <IfModule !mod_authz_core.c>\n${indented(OPEN)}    </IfModule>\n    <IfModule mod_authz_core.c>\n${indented(req('all granted'))}    </IfModule>\n`,
        '/srv/www/a',
      ),
  ),
  refused(
    'for both versions, and another thing for 2.4',
    directory(CLOSED) +
      directory(
        `    <IfModule !mod_authz_core.c>\n${indented(OPEN)}    </IfModule>\n    <IfModule mod_authz_core.c>\n${indented(req('ip 10'))}    </IfModule>\n`,
        '/srv/www/a',
      ),
    /do not have the same effect as the lines for 2.2/,
  ),
  one(
    'for 2.2 alone',
    directory(CLOSED) + directory(`    <IfModule !mod_authz_core.c>\n${indented(OPEN)}    </IfModule>\n`, '/srv/www/a'),
    directory(req('all denied')) + directory(req('all granted'), '/srv/www/a'),
  ),
  one(
    'for 2.2 alone, in two conditions',
    directory(CLOSED) +
      directory(
        `    <IfVersion < 2.4>\n    <IfModule !mod_authz_core.c>\n${indented(OPEN)}    </IfModule>\n    </IfVersion>\n`,
        '/srv/www/a',
      ),
    directory(req('all denied')) +
      directory(
        `    <IfVersion < 2.4>\n    <IfModule !mod_authz_core.c>\n${indented(OPEN)}    </IfModule>\n    </IfVersion>\n`,
        '/srv/www/a',
      ),
    /lines for 2.2, but none for 2.4/,
  ),
  one(
    'sections for 2.2 alone',
    directory(CLOSED) +
      `<IfModule !mod_authz_core.c>\n    # for a\n${indented(directory(OPEN, '/srv/www/a'))}</IfModule>\n`,
    directory(req('all denied')) + `# for a\n${directory(req('all granted'), '/srv/www/a')}`,
  ),
  one(
    'for 2.2 alone, with what stays in it',
    directory(CLOSED) +
      directory(`<IfModule !mod_authz_core.c>\n    # for a\n    AuthName x\n${OPEN}</IfModule>\n`, '/srv/www/a'),
    directory(req('all denied')) + directory(`# for a\nAuthName x\nRequire all granted\n`, '/srv/www/a'),
  ),
  one(
    'for 2.2 alone, not moved to the left by its condition',
    directory(CLOSED) +
      directory(`    <IfModule !mod_authz_core.c>\n  AuthName x\n${OPEN}    </IfModule>\n`, '/srv/www/a'),
    directory(req('all denied')) + directory(`  AuthName x\n${req('all granted')}`, '/srv/www/a'),
  ),
  one(
    'for 2.2 alone, of a section that a virtual host has for 2.4 alone',
    directory(CLOSED) +
      `<IfModule !mod_authz_core.c>\n${directory(OPEN, '/srv/www/a')}</IfModule>\n` +
      `<VirtualHost *:80>\n<IfModule mod_authz_core.c>\n${directory(req('all granted'), '/srv/www/a')}</IfModule>\n</VirtualHost>\n`,
    directory(req('all denied')) +
      directory(req('all granted'), '/srv/www/a') +
      `<VirtualHost *:80>\n<IfModule mod_authz_core.c>\n${directory(req('all granted'), '/srv/www/a')}</IfModule>\n</VirtualHost>\n`,
  ),
  one('sections for both versions', directory(CLOSED) + FOR_BOTH, directory(req('all denied')) + FOR_BOTH),
  ...(
    [
      [
        'in a file that is read twice',
        'Include /srv/conf/part\n<IfModule core.c>\nInclude /srv/conf/part\n</IfModule>\n',
        { '/srv/conf/part': FOR_22 },
      ],
      ['beside what is not here', FOR_22.replace('\n', '\nInclude /srv/conf/none\n'), {}, /conf\/none/],
    ] as const
  ).map(([name, rest, more, openQuestion]) =>
    files(
      `for 2.2 alone, ${name}`,
      { [MAIN]: directory(CLOSED) + rest, ...more },
      { [MAIN]: directory(req('all denied')) + rest },
      { reason: /only 2.2 reads this section/, openQuestion },
    ),
  ),
  // 2.4 would read what it does not take, or takes for another thing.
  ...(
    [
      ['a DocumentRoot', 'DocumentRoot /srv/other\n', ''],
      ['an expression for a name', '', '    AuthName "%{x}"\n'],
      ['an option with a sign beside one without', '', '    Options Indexes +FollowSymLinks\n'],
      ['a class of AllowOverride with options', '', '    AllowOverride Options=Indexes\n'],
      ['a variable', '', '    AuthUserFile ${x}/passwd\n'],
      ['another directive', '', '    DefaultType text/plain\n'],
      ['another section', '', '    <IfFile x>\n    </IfFile>\n'],
    ] as const
  ).map(([name, before, inside]) => {
    const rest = `<IfModule !mod_authz_core.c>\n${before}${directory(inside + OPEN, '/srv/www/a')}</IfModule>\n`;
    return one(
      `for 2.2 alone, with ${name}`,
      directory(CLOSED) + rest,
      directory(req('all denied')) + rest,
      /only 2.2 reads this section/,
    );
  }),
  ...(
    [
      ['options with signs', '    Options +Indexes -FollowSymLinks\n'],
      ['options without signs', '    Options Indexes FollowSymLinks\n'],
      ['a class of AllowOverride', '    AllowOverride AuthConfig\n'],
      ['an expression for no name', '    AuthName x\n'],
    ] as const
  ).map(([name, inside]) =>
    one(
      `for 2.2 alone, with ${name}`,
      directory(CLOSED) + `<IfModule !mod_authz_core.c>\n${directory(inside + OPEN, '/srv/www/a')}</IfModule>\n`,
      directory(req('all denied')) + directory(inside + req('all granted'), '/srv/www/a'),
    ),
  ),

  // --- All or nothing
  refused(
    'what shares requests with a refused one',
    directory(own('Deny from 10')) +
      '<Location /a>\n' +
      `    <IfDefine X>\n${indented(SOME)}    </IfDefine>\n` +
      '</Location>\n',
    /same requests/,
  ),
  one(
    'what refuses everybody, behind it',
    directory(`    <IfDefine X>\n${indented(SOME)}    </IfDefine>\n`) + `<Files x.bak>\n${CLOSED}</Files>\n`,
    directory(`    <IfDefine X>\n${indented(SOME)}    </IfDefine>\n`) + `<Files x.bak>\n${req('all denied')}</Files>\n`,
    /conditional/,
  ),
  refused(
    'what refuses everybody, before it',
    `<Files x.bak>\n${CLOSED}</Files>\n<Location />\n    <IfDefine X>\n${indented(OPEN)}    </IfDefine>\n</Location>\n`,
    /same requests/,
  ),
  refused(
    'what refuses everybody, and Satisfy Any',
    directory(`    <IfDefine X>\n${indented(SOME + own('Satisfy Any'))}    </IfDefine>\n`) +
      `<Files x.bak>\n${CLOSED}</Files>\n`,
    /same requests/,
  ),
  files(
    'a snippet for two places',
    {
      [MAIN]: directory('    Include /srv/conf/a.inc\n') + directory('    Include /srv/conf/a.inc\n', '/srv/other'),
      '/srv/conf/a.inc': '# All\nOrder deny,allow\nDeny from all\n',
    },
    { '/srv/conf/a.inc': '# All\nRequire all denied\n' },
  ),
  files(
    'a snippet for one place, with a limit, beside other lines',
    {
      [MAIN]: directory(`    Options None\n    Include /srv/conf/a.inc\n    AllowOverride None\n`),
      '/srv/conf/a.inc': '<Limit GET>\nOrder deny,allow\nDeny from all\nAllow from 10\n</Limit>\nIndexIgnore *\n',
    },
    {
      '/srv/conf/a.inc':
        '<RequireAll>\n    Require method GET\n    Require ip 10\n</RequireAll>\n<RequireAll>\n    Require not method GET\n    Require all granted\n</RequireAll>\nIndexIgnore *\n',
    },
  ),
  files(
    'a snippet with a login for two places, one of which inherits addresses',
    {
      [MAIN]:
        directory(SOME) +
        directory('    Include /srv/conf/a.inc\n', '/srv/www/a') +
        directory('    Include /srv/conf/a.inc\n', '/srv/other'),
      '/srv/conf/a.inc': `${MEMBERS}Satisfy All\n`,
    },
    {
      [MAIN]:
        directory(req('ip 10')) +
        directory(INCLUDE, '/srv/www/a') +
        directory(INLINED + own(MEMBERS.trimEnd()), '/srv/other'),
      '/srv/conf/a.inc': MEMBERS.replace('Require valid-user\n', ALL('valid-user', 'ip 10').replace(/^ {4}/gm, '')),
    },
  ),
  files(
    'a snippet for three places, one of which is inside a login',
    {
      [MAIN]: `${directory(LOGIN + req('valid-user'))}${INCLUDERS}`,
      '/srv/conf/a.inc': `# Us\n${SNIPPET}`,
    },
    {
      [MAIN]: `${directory(LOGIN + req('valid-user'))}${INCLUDERS.replace(INCLUDE, INLINED + ALL('valid-user', 'ip 10'))}`,
      '/srv/conf/a.inc': '# Us\nRequire ip 10\n',
    },
  ),
  files(
    'a snippet for all clients, of which one place is inside a login',
    {
      [MAIN]: `${directory(LOGIN + req('valid-user'))}${INCLUDERS}`,
      '/srv/conf/a.inc': 'Order allow,deny\nAllow from all\n',
    },
    {
      [MAIN]: `${directory(LOGIN + req('valid-user'))}${INCLUDERS.replace(INCLUDE, INLINED + req('valid-user'))}`,
      '/srv/conf/a.inc': 'Require all granted\n',
    },
  ),
  files(
    'a snippet with a login, for places that need different lines',
    {
      [MAIN]: `${directory(SOME)}${directory(INCLUDE, '/srv/www/a')}${directory(`    Options None\n${INCLUDE}    AllowOverride None\n`, '/srv/other')}`,
      '/srv/conf/a.inc': `${MEMBERS}Satisfy Any\n`,
    },
    {
      [MAIN]: `${directory(req('ip 10'))}${directory(INCLUDE, '/srv/www/a')}${directory(
        `    Options None\n${INLINED}${own(MEMBERS.replace(/Require.*\n/, '').trimEnd())}${req('all granted')}    AllowOverride None\n`,
        '/srv/other',
      )}`,
      '/srv/conf/a.inc': `${MEMBERS}Require ip 10\n`,
    },
  ),
  files(
    'a snippet with a limit, for places that need different lines, with tabs and CRLF',
    {
      [MAIN]: `${directory(LOGIN + req('valid-user'))}${directory(INCLUDE, '/srv/www/a')}<Directory /srv/other>\r\n\tInclude conf/a.inc\r\n</Directory>\r\n`,
      '/srv/conf/a.inc': '<Limit GET>\nOrder allow,deny\nAllow from 10\n</Limit>\n# Us\n',
    },
    {
      [MAIN]: `${directory(LOGIN + req('valid-user'))}${directory(INCLUDE, '/srv/www/a')}<Directory /srv/other>\r\n${[
        `\t${INLINED.trim().replace('/srv/', '')}`,
        '\t<RequireAll>\r\n\t\tRequire method GET\r\n\t\tRequire ip 10\r\n\t</RequireAll>',
        '\t<RequireAll>\r\n\t\tRequire not method GET\r\n\t\tRequire all granted\r\n\t</RequireAll>',
        '</Directory>',
      ].join('\r\n')}\r\n`,
      '/srv/conf/a.inc':
        '<RequireAll>\n    Require method GET\n    Require valid-user\n    Require ip 10\n</RequireAll>\n<RequireAll>\n    Require not method GET\n    Require valid-user\n</RequireAll>\n# Us\n',
    },
  ),
  ...(
    [
      ['a section for another one', `${INCLUDERS}${directory(`${INCLUDE}    Deny from 10.1\n`, '/srv/www/a/b')}`, ''],
      [
        'a condition around the Include',
        INCLUDERS.replace(INCLUDE, `    <IfModule core.c>\n${INCLUDE}    </IfModule>\n`),
        '',
      ],
      ['a pattern in the Include', INCLUDERS.replace('a.inc', 'a.in?'), ''],
      ['two Include lines', INCLUDERS.replace(INCLUDE, `${INCLUDE}    Include /srv/conf/b.inc\n`), ''],
      ['a continued Include line', INCLUDERS.replace('Include /srv', 'Include \\\n/srv'), ''],
      [
        'a Use line',
        `<Macro M>\n    Options None\n</Macro>\n${INCLUDERS.replace(INCLUDE, `${INCLUDE}    Use M\n`)}`,
        '',
      ],
      ['an Include in a macro', `<Macro M>\n${INCLUDE}</Macro>\n${INCLUDERS.replace(INCLUDE, '    Use M\n')}`, ''],
      [
        'a section in a macro',
        `<Macro M $d>\n${directory(INCLUDE, '$d')}</Macro>\nUse M /srv/www/a\nUse M /srv/other\n`,
        '',
      ],
      [
        'a section in a file that is read twice',
        `${host('Include /srv/conf/s.inc\n')}${host('Include /srv/conf/s.inc\n')}${directory(INCLUDE, '/srv/other')}`,
        '',
      ],
      [
        'another file between',
        `${directory('    Include /srv/conf/between.inc\n', '/srv/www/a')}${directory(INCLUDE, '/srv/other')}`,
        '',
      ],
      ['lines that another fix changes', INCLUDERS, 'Options Indexes +FollowSymLinks\n'],
      ['a section in it', INCLUDERS, '<Files x>\nDeny from 10.1\n</Files>\n'],
      ['a condition in it', INCLUDERS, '<IfModule core.c>\nAuthName x\n</IfModule>\n'],
      ['a limit with other lines', INCLUDERS, '<Limit GET>\nAuthName x\n</Limit>\n'],
      ['another file of that name between', INCLUDERS.replace('a.inc', 'sub/a.inc'), ''],
      ['a directory', INCLUDERS.replaceAll('a.inc', 'all'), ''],
      ['a reader in a condition', `${INCLUDERS}<IfDefine X>\n${directory(INCLUDE, '/srv/www/a/b')}</IfDefine>\n`, ''],
      ['a reader that is no section', `${INCLUDERS}${INCLUDE}`, ''],
      ['a comment for this program', INCLUDERS, '# httpd-upgrade-ignore-next-line order-allow-deny\n'],
      ['a login in another encoding', INCLUDERS, 'AuthName "gr\u00fcn"\n'],
      ['a continued line', INCLUDERS, 'AuthName \\\nx\n'],
    ] as const
  ).map(([what, before, more]) =>
    files(
      `a snippet for places that need different lines, with ${what}`,
      {
        [MAIN]: `${directory(LOGIN + req('valid-user'))}${before}`,
        '/srv/conf/a.inc': `${SNIPPET}${more}`,
        '/srv/conf/b.inc': 'Options None\n',
        '/srv/conf/s.inc': directory(INCLUDE, '/srv/www/a'),
        '/srv/conf/between.inc': INCLUDE,
        '/srv/conf/sub/a.inc': INCLUDE,
        '/srv/conf/all/b.inc': SNIPPET,
      },
      {},
      { reason: /./ },
    ),
  ),
  files(
    'lists of addresses beside own lines: each section gets them, and the files stay',
    {
      [MAIN]:
        directory('    Order allow,deny\n    Allow from all\n    Include /srv/conf/deny.inc\n', '/srv/www/a') +
        directory(
          '    Include /srv/conf/allow.inc\n    Options None\n    Include conf/deny.inc\n    Order allow,deny\n',
          '/srv/other',
        ),
      '/srv/conf/deny.inc': '# Since May\nDeny from 10.1\nDeny from .example.org\n',
      '/srv/conf/allow.inc': 'Allow from 10\n',
    },
    {
      [MAIN]:
        directory(
          `    # As in httpd 2.2: with the lines of /srv/conf/deny.inc, which is no longer read here.\n${ALL('all granted', 'not ip 10.1', 'not host .example.org')}`,
          '/srv/www/a',
        ) +
        directory(
          `    Options None\n    # As in httpd 2.2: with the lines of /srv/conf/allow.inc, which is no longer read here.\n    # As in httpd 2.2: with the lines of conf/deny.inc, which is no longer read here.\n${ALL('ip 10', 'not ip 10.1', 'not host .example.org')}`,
          '/srv/other',
        ),
    },
  ),
  files(
    'a long list of addresses beside own lines stays in its file',
    {
      [MAIN]: directory('    Order allow,deny\n    Allow from all\n    Include /srv/conf/deny.inc\n'),
      '/srv/conf/deny.inc': 'Deny from 10.1\n'.repeat(101),
    },
    {},
    { reason: /./ },
  ),
  files(
    'lines beside an Include of a section that another one includes in a condition',
    {
      [MAIN]:
        directory('    Include /srv/conf/a.inc\n    Allow from 10.1\n') +
        `<IfDefine X>\n${directory('    Include /srv/conf/a.inc\n    Allow from 10.2\n', '/srv/other')}</IfDefine>\n`,
      '/srv/conf/a.inc': 'Order deny,allow\nDeny from all\n',
    },
    {},
    { reason: /./ },
  ),
  ...(
    [
      [
        'own lines beside it, under a condition',
        '    Include /srv/conf/a.inc\n    <IfDefine X>\n    Allow from 10.1\n    </IfDefine>\n',
        '',
      ],
      ['own lines beside it, which it repeats', '    Include /srv/conf/d.inc\n    Allow from 10.1\n', ''],
      ['a limit around it', '    <Limit GET>\n    Include /srv/conf/a.inc\n    </Limit>\n', ''],
      ['a condition around it', '    <IfDefine X>\n    Include /srv/conf/a.inc\n    </IfDefine>\n', ''],
      ['itself twice', '    Include /srv/conf/a.inc\n    Include /srv/conf/a.inc\n', ''],
      ['another one', '    Include /srv/conf/a.inc\n    Include /srv/conf/b.inc\n', ''],
      ['a condition in it', '    Include /srv/conf/c.inc\n', ''],
      ['a place with own lines', '    Include /srv/conf/a.inc\n', '    Include /srv/conf/a.inc\n    Deny from 10.1\n'],
    ] as const
  ).map(([what, body, other]) =>
    files(
      `a snippet with ${what}`,
      {
        [MAIN]: directory(body) + (other && directory(other, '/srv/other')),
        '/srv/conf/a.inc': 'Order deny,allow\nDeny from all\n',
        '/srv/conf/b.inc': 'Allow from 10\n',
        '/srv/conf/c.inc': 'Order deny,allow\n<IfDefine X>\nDeny from all\n</IfDefine>\n',
        '/srv/conf/d.inc': 'Order deny,allow\nOptions None\nDeny from all\n',
      },
      {},
      { reason: /./ },
    ),
  ),
  one(
    'a macro with lines that all its places need',
    `<Macro Office>\n    # We\n${SOME}</Macro>\n${directory('    Use Office\n')}${directory('    Use Office\n', '/srv/other')}`,
    `<Macro Office>\n    # We\n${req('ip 10')}</Macro>\n${directory('    Use Office\n')}${directory('    Use Office\n', '/srv/other')}`,
  ),
  one(
    'a macro with a section, and parameters in its tag and beside the lines',
    `<Macro Site $dir %name>\n<Directory $dir>\n    AuthType Basic\n    AuthName %name\n    AuthUserFile /srv/conf/passwd\n${req('valid-user')}${SOME}</Directory>\n</Macro>\nUse Site /srv/www a\nUse Site /srv/other b\n`,
    `<Macro Site $dir %name>\n<Directory $dir>\n    AuthType Basic\n    AuthName %name\n    AuthUserFile /srv/conf/passwd\n${ALL('valid-user', 'ip 10')}</Directory>\n</Macro>\nUse Site /srv/www a\nUse Site /srv/other b\n`,
  ),
  one(
    'a macro with a continued line',
    '<Macro M $d>\n<Directory $d>\nDeny from \\\nall\n</Directory>\n</Macro>\nUse M /srv/www\n',
    '<Macro M $d>\n<Directory $d>\nRequire all denied\n</Directory>\n</Macro>\nUse M /srv/www\n',
  ),
  one(
    'a macro whose argument is an address',
    '<Macro M $d $who>\n<Directory $d>\n    Order deny,allow\n    Deny from all\n    Allow from 192.0.2.1 $who\n</Directory>\n</Macro>\nUse M /srv/www 10\nUse M /srv/other 11\n',
    `<Macro M $d $who>\n<Directory $d>\n${req('ip 192.0.2.1 $who')}</Directory>\n</Macro>\nUse M /srv/www 10\nUse M /srv/other 11\n`,
  ),
  one(
    'a macro whose argument is an address that is denied',
    '<Macro M $d $who>\n<Directory $d>\n    Order allow,deny\n    Allow from all\n    Deny from $who\n</Directory>\n</Macro>\nUse M /srv/www a.example\nUse M /srv/other b.example\n',
    `<Macro M $d $who>\n<Directory $d>\n${ALL('all granted', 'not host $who')}</Directory>\n</Macro>\nUse M /srv/www a.example\nUse M /srv/other b.example\n`,
  ),
  one(
    'a macro whose argument makes no difference',
    '<Macro M $d $who>\n<Directory $d>\n    Allow from $who\n</Directory>\n</Macro>\nUse M /srv/www 10\nUse M /srv/other a.example\n',
    `<Macro M $d $who>\n<Directory $d>\n${req('all granted')}</Directory>\n</Macro>\nUse M /srv/www 10\nUse M /srv/other a.example\n`,
  ),
  one(
    'a macro with arguments of two kinds',
    `${macro('M')}Use M /srv/www 10\nUse M /srv/other a.example\n`,
    `${macro('M', req('ip $who'))}${macro('M_2', req('host $who'))}Use M /srv/www 10\nUse M_2 /srv/other a.example\n`,
  ),
  one(
    'a macro with arguments of three kinds, most of one',
    `${macro('M')}Use M /srv/www all\nUse m /srv/other 10\nUse M /srv/www/a a.example\nUse M /srv/www/a/b 11\n`,
    `${macro('M', req('ip $who'))}${macro('M_2', req('all granted'))}${macro('M_3', req('host $who'))}Use M_2 /srv/www all\nUse m /srv/other 10\nUse M_3 /srv/www/a a.example\nUse M /srv/www/a/b 11\n`,
  ),
  one(
    'a macro with an argument that covers another address',
    `${macro('M', '    Deny from all\n    Allow from $who 10.1\n')}Use M /srv/www 10.1\nUse M /srv/other 11\n`,
    `${macro('M', req('ip $who'))}${macro('M_2', req('ip $who 10.1'))}Use M /srv/www 10.1\nUse M_2 /srv/other 11\n`,
  ),
  one(
    'a macro in sections of which one is below a login',
    `${directory(`${LOGIN}${req('valid-user')}`)}<Macro Office>\n    # We\n    Order deny,allow\n    Deny from all\n    Allow from 10\n</Macro>\n${directory('    Use Office\n', '/srv/www/a')}${directory('    Use Office\n', '/srv/other')}`,
    `${directory(`${LOGIN}${req('valid-user')}`)}<Macro Office>\n    # We\n${ALL('valid-user', 'ip 10')}</Macro>\n<Macro Office_2>\n    # We\n${req('ip 10')}</Macro>\n${directory('    Use Office\n', '/srv/www/a')}${directory('    Use Office_2\n', '/srv/other')}`,
  ),
  files(
    'a macro with arguments of two kinds, and Use lines in another file',
    {
      [MAIN]: `${macro('M')}Use M /srv/www 10\nInclude conf/uses.conf\n`,
      '/srv/conf/uses.conf': 'Use M /srv/other a.example\nUse M /srv/www/a 11\n',
    },
    {
      [MAIN]: `${macro('M', req('ip $who'))}${macro('M_2', req('host $who'))}Use M /srv/www 10\nInclude conf/uses.conf\n`,
      '/srv/conf/uses.conf': 'Use M_2 /srv/other a.example\nUse M /srv/www/a 11\n',
    },
  ),
  files(
    'a macro with arguments of two kinds, and a file that is read twice',
    {
      [MAIN]: `${macro('M')}Use M /srv/www 10\n${host('Include conf/uses.conf\n')}${host('Include conf/uses.conf\n')}`,
      '/srv/conf/uses.conf': 'Use M /srv/other a.example\n',
    },
    {},
    { reason: /macro M/ },
  ),
  files(
    'a macro with arguments of two kinds, in a file that is read twice',
    {
      [MAIN]: 'Include conf/m.conf\nUse M /srv/www 10\nInclude conf/m.conf\nUse M /srv/other a.example\n',
      '/srv/conf/m.conf': macro('M'),
    },
    {},
    { reason: /macro M/ },
  ),
  files(
    'a macro with arguments of two kinds, and a file that is missing',
    { [MAIN]: `${macro('M')}Use M /srv/www 10\nUse M /srv/other a.example\nInclude conf/none.conf\n` },
    {},
    { reason: /macro M/, openQuestion: /none\.conf/ },
  ),
  ...(
    [
      [
        'places that need different lines',
        '<Macro M $d>\n<Directory $d>\nRequire valid-user\nSatisfy All\n</Directory>\n</Macro>\n',
        `${directory(SOME, '/srv/other')}Use M /srv/www\nUse M /srv/other\n`,
        '',
      ],
      [
        'an argument that is a part of a word',
        '<Macro M $d $who>\n<Directory $d>\nDeny from all\nAllow from 10.$who\n</Directory>\n</Macro>\n',
        'Use M /srv/www 1\nUse M /srv/other 2\n',
        '',
      ],
      [
        'a Use in a condition that httpd does not read',
        macro('M'),
        'Use M /srv/www 10\nUse M /srv/other a.example\n<IfModule mod_none.c>\nUse M /srv/www/a 11\n</IfModule>\n',
        '',
      ],
      [
        'a Use in another macro',
        `${macro('M')}<Macro N $d>\nUse M $d 11\n</Macro>\n`,
        'Use M /srv/www 10\nUse M /srv/other a.example\nUse N /srv/www/a\n',
        '',
      ],
      [
        'a Use in a macro that nothing uses',
        `${macro('M')}<Macro N $d>\nUse M $d 11\n</Macro>\n`,
        'Use M /srv/www 10\nUse M /srv/other a.example\n',
        '',
      ],
      [
        'a name that is taken',
        `<Macro m_2>\n</Macro>\n${macro('M')}`,
        'Use M /srv/www 10\nUse M /srv/other a.example\n',
        '',
      ],
      [
        'a name that is defined again',
        macro('M'),
        `Use M /srv/www 10\nUse M /srv/other a.example\n<Macro M>\n</Macro>\n`,
        '',
      ],
      ['a name in quotes', macro('M'), 'Use M /srv/www 10\nUse "M" /srv/other a.example\n', ''],
      ['a continued Use line', macro('M'), 'Use M /srv/www 10\nUse \\\nM /srv/other a.example\n', ''],
      ['UndefMacro', macro('M'), 'Use M /srv/www 10\nUse M /srv/other a.example\nUndefMacro M\n', ''],
      [
        'lines that another fix changes',
        macro('M', '    Options Indexes +FollowSymLinks\n    Deny from all\n    Allow from $who\n'),
        'Use M /srv/www 10\nUse M /srv/other a.example\n',
        '',
      ],
      [
        'arguments of five kinds',
        macro('M', '    Deny from all\n    Allow from $who 10.1\n'),
        'Use M /srv/www 10.1\nUse M /srv/other 11\nUse M /srv/www/a a.example\nUse M /srv/www/a/b all\nUse M /srv/www/c env=x\n',
        '',
      ],
      [
        'arguments that give what 2.2 has, too',
        '<Macro M $d $who>\n<Directory $d>\nAuthType Basic\nRequire valid-user\nDeny from $who\nSatisfy Any\n</Directory>\n</Macro>\n',
        'Use M /srv/www all\nUse M /srv/other a.example\n',
        '',
      ],
      [
        'an argument of several words',
        '<Macro M $d $who>\n<Directory $d>\nDeny from all\nAllow from $who\n</Directory>\n</Macro>\n',
        'Use M /srv/www "10 11"\nUse M /srv/other 11\n',
        '',
      ],
      [
        'an argument in a login',
        '<Macro M $d $who>\n<Directory $d>\nRequire user $who\nDeny from all\n</Directory>\n</Macro>\n',
        'Use M /srv/www a\nUse M /srv/other b\n',
        '',
      ],
      [
        'a parameter that the new lines have',
        '<Macro M $d ip>\n<Directory $d>\nDeny from all\nAllow from 10\n</Directory>\n</Macro>\n',
        'Use M /srv/www host\n',
        '',
      ],
      [
        'further lines of another macro',
        '<Macro M>\nDeny from all\n</Macro>\n<Macro N>\nUse M\nOrder deny,allow\n</Macro>\n',
        directory('    Use M\n') + directory('    Use N\n', '/srv/other'),
        '',
      ],
      [
        'a limit',
        '<Macro M $d>\n<Directory $d>\n<Limit GET>\nDeny from all\n</Limit>\n</Directory>\n</Macro>\n',
        'Use M /srv/www\n',
        '',
      ],
      [
        'lines for a section with own ones',
        '<Macro M>\nDeny from all\n</Macro>\n',
        directory('    Use M\n    Allow from 10\n'),
        '',
      ],
    ] as const
  ).map(([what, macro, use, more]) => refused(`a macro with ${what}`, macro + use + more, /macro M/)),
  files(
    'a section for two virtual hosts, the same in both',
    {
      [MAIN]: hosts('', '') + directory(own('Order allow,deny\nAllow from 10')),
      '/srv/conf/a.inc': '<Location /a>\n    Deny from all\n</Location>\n',
    },
    {
      [MAIN]: hosts('', '') + directory(req('ip 10')),
      '/srv/conf/a.inc': `<Location /a>\n${req('all denied')}</Location>\n`,
    },
  ),
  files(
    'a section for two virtual hosts, another in each',
    { [MAIN]: hosts(LOCAL, ''), '/srv/conf/a.inc': `<Location /a>\n${LOGIN}    Require valid-user\n</Location>\n` },
    {},
    { reason: /each place needs different lines/ },
  ),
  files(
    'a section for two virtual hosts, unknown in one',
    {
      [MAIN]: hosts(
        '    <Location />\n        <IfDefine X>\n            Satisfy Any\n        </IfDefine>\n    </Location>\n',
        '',
      ),
      '/srv/conf/a.inc': '<Location /a>\n    Order allow,deny\n    Allow from 10\n</Location>\n',
    },
    {},
    { reason: /conditional/ },
  ),
  files(
    'a section for two virtual hosts, bound in one',
    {
      [MAIN]: hosts(
        '',
        '    <Location /a/b>\n        <IfDefine X>\n            Satisfy Any\n        </IfDefine>\n    </Location>\n',
      ),
      '/srv/conf/a.inc': '<Location /a>\n    Order allow,deny\n    Allow from 10\n</Location>\n',
    },
    {},
    { reason: /conditional/ },
  ),
  files(
    'a login that a section includes',
    {
      [MAIN]:
        directory('    AllowOverride None\n    Include /srv/conf/login.inc\n', '/') +
        `<Files x.bak>\n${CLOSED}</Files>\n`,
      '/srv/conf/login.inc': LOGIN,
    },
    {
      [MAIN]:
        directory(req('all granted') + '    AllowOverride None\n    Include /srv/conf/login.inc\n', '/') +
        `<Files x.bak>\n${req('all denied')}</Files>\n`,
    },
  ),
  files(
    'a login that two sections include',
    {
      [MAIN]:
        directory('    Include /srv/conf/login.inc\n') +
        directory('    Include /srv/conf/login.inc\n', '/srv/other') +
        `<Files x.bak>\n${CLOSED}</Files>\n`,
      '/srv/conf/login.inc': LOGIN,
    },
    {
      [MAIN]:
        directory(req('all granted') + '    Include /srv/conf/login.inc\n') +
        directory(req('all granted') + '    Include /srv/conf/login.inc\n', '/srv/other') +
        `<Files x.bak>\n${req('all denied')}</Files>\n`,
    },
  ),

  // --- A directory that is all a virtual host has
  one(
    'a directory alone in its virtual host stands on those of the main server around it',
    directory(LOGIN + req('valid-user')) + alone('/srv/www/a') + alone('/srv/other/a') + alone('/srv/www/a/b'),
    directory(LOGIN + req('valid-user')) +
      alone('/srv/www/a', ALL('valid-user', 'ip 10')) +
      alone('/srv/other/a', req('ip 10')) +
      alone('/srv/www/a/b', ALL('valid-user', 'ip 10')),
  ),
  one(
    'one that is written before another one around it is not alone',
    directory(CLOSED) +
      host(
        `    DocumentRoot /srv/www/a\n${directory(SOME, '/srv/www/a/b')}${directory(LOGIN + req('valid-user'), '/srv/www/a')}`,
      ),
    directory(req('all denied')) +
      host(
        `    DocumentRoot /srv/www/a\n${directory(ALL('valid-user', 'ip 10'), '/srv/www/a/b')}${directory(LOGIN + req('all denied'), '/srv/www/a')}`,
      ),
  ),
  one(
    'a pattern beside it is not around it',
    directory(LOGIN + req('valid-user'), '/srv/x*') + alone('/srv/www/a'),
    directory(LOGIN + req('valid-user'), '/srv/x*') + alone('/srv/www/a', req('ip 10')),
  ),
  refused(
    'one around it may not be there',
    `<IfDefine X>\n${directory(EITHER)}</IfDefine>\n${alone('/srv/www/a')}`,
    /also applies to some requests for/,
  ),
  files(
    'the .htaccess of the directory comes behind it',
    {
      [MAIN]: directory('    AllowOverride All\n') + alone('/srv/www/a'),
      '/srv/www/a/.htaccess': `${MEMBERS}Order allow,deny\nAllow from 10.1\n`,
    },
    {
      [MAIN]: directory('    AllowOverride All\n') + alone('/srv/www/a', req('ip 10')),
      '/srv/www/a/.htaccess': MEMBERS.replace(
        'Require valid-user\n',
        ALL('valid-user', 'ip 10.1').replace(/^ {4}/gm, ''),
      ),
    },
  ),
  files(
    'a .htaccess of the root stands on what a virtual host says of it',
    {
      [MAIN]: directory('    AllowOverride All\n', '/') + alone('/', EITHER),
      '/.htaccess': 'Order allow,deny\nAllow from 10\n',
    },
    {},
    { reason: /also applies to some requests for/ },
  ),

  // --- .htaccess
  files(
    "a .htaccess stands on its folder's section",
    {
      [MAIN]: directory('    AllowOverride All\n' + LOGIN + req('valid-user')),
      '/srv/www/.htaccess': 'Order allow,deny\nAllow from 10\n',
    },
    { '/srv/www/.htaccess': '<RequireAll>\n    Require valid-user\n    Require ip 10\n</RequireAll>\n' },
  ),
  files(
    'and on those of the folders above',
    {
      [MAIN]: directory('    AllowOverride All\n'),
      '/srv/www/.htaccess': 'Order deny,allow\nDeny from all\nAllow from 10\n',
      '/srv/www/a/.htaccess':
        'Satisfy Any\nAuthType Basic\nAuthName x\nAuthUserFile /srv/conf/passwd\nRequire valid-user\n',
    },
    {
      '/srv/www/.htaccess': 'Require ip 10\n',
      '/srv/www/a/.htaccess':
        'Require ip 10\nAuthType Basic\nAuthName x\nAuthUserFile /srv/conf/passwd\nRequire valid-user\n',
    },
  ),
  files(
    'not on sections further in',
    {
      [MAIN]: directory('    AllowOverride All\n') + directory(LOGIN + req('valid-user'), '/srv/www/a'),
      '/srv/www/.htaccess': 'Order allow,deny\nAllow from 10\n',
    },
    {
      [MAIN]: directory('    AllowOverride All\n') + directory(LOGIN + ALL('valid-user', 'ip 10'), '/srv/www/a'),
      '/srv/www/.htaccess': 'Require ip 10\n',
    },
  ),
  files(
    'under AllowOverride Limit alone',
    { [MAIN]: directory('    AllowOverride Limit\n'), '/srv/www/.htaccess': 'Deny from all\n' },
    {},
    { reason: /does not allow AuthConfig/ },
  ),
  files(
    'in a jail, whose .htaccess files are others',
    { [MAIN]: 'ChrootDir /srv/jail\n' + directory('    AllowOverride All\n' + SOME) },
    { [MAIN]: 'ChrootDir /srv/jail\n' + directory('    AllowOverride All\n' + req('ip 10')) },
    { openQuestion: /\.htaccess/ },
  ),
  files(
    'under AllowOverride Limit alone, which may be widened',
    {
      [MAIN]: directory('    AllowOverride Limit Indexes\n'),
      '/srv/www/.htaccess': 'Order allow,deny\nAllow from all\nDeny from 10\n',
      '/srv/www/a/.htaccess': 'Deny from all\n',
    },
    {
      [MAIN]: directory('    AllowOverride Limit Indexes\n    AllowOverrideList Require "<RequireAll"\n'),
      '/srv/www/.htaccess': '<RequireAll>\n    Require all granted\n    Require not ip 10\n</RequireAll>\n',
      '/srv/www/a/.htaccess': 'Require all denied\n',
    },
    { mayAdmit: true, openQuestion: /needs "AllowOverrideList Require" after "AllowOverride Limit Indexes"/ },
  ),
  files(
    'not widened beside a list',
    {
      [MAIN]: directory('    AllowOverride Limit\n    AllowOverrideList Redirect\n'),
      '/srv/www/.htaccess': 'Deny from all\n',
    },
    {},
    { mayAdmit: true, reason: /does not allow AuthConfig/ },
  ),
  files(
    'under AllowOverride AuthConfig alone',
    {
      [MAIN]: directory('    AllowOverride AuthConfig\n'),
      '/srv/www/.htaccess': '<Files x>\nDeny from all\n</Files>\n',
    },
    {},
    { reason: /get 500/ },
  ),
  ...[
    ['FileInfo', 'Deny from all', /does not allow Limit for this \.htaccess file, so requests get 500, in 2\.2, too/],
    [
      'Limit',
      'Require user ann',
      /does not allow AuthConfig for this \.htaccess file, so requests get 500, in 2\.2, too/,
    ],
  ].map(([override, line, reason]) =>
    files(
      `lines for 2.2 alone that AllowOverride ${override} refuses, around which 2.2 answers 500`,
      {
        [MAIN]: directory(`    AllowOverride ${override}\n${OPEN}`),
        '/srv/www/.htaccess': `<IfVersion < 2.4>\n${line}\n</IfVersion>\n`,
      },
      {},
      { reason: reason as RegExp },
    ),
  ),
  files(
    'for 2.2 alone',
    {
      [MAIN]: directory(`    AllowOverride All\n${CLOSED}`),
      '/srv/www/a/.htaccess': '<IfModule !mod_authz_core.c>\nOrder allow,deny\nAllow from all\n</IfModule>\n',
    },
    {
      [MAIN]: directory(`    AllowOverride All\n${req('all denied')}`),
      '/srv/www/a/.htaccess': 'Require all granted\n',
    },
  ),
  files(
    'of two folders by a link',
    {
      [MAIN]: directory('    AllowOverride All\n'),
      '/srv/www/a/.htaccess': 'Deny from all\n',
      '/srv/other/.htaccess': 'Deny from all\n',
    },
    { '/srv/www/a/.htaccess': 'Require all denied\n', '/srv/other/.htaccess': 'Require all denied\n' },
    { links: { '/srv/other/.htaccess': '/srv/www/a/.htaccess' } },
    'Alias /o /srv/other\n' + directory('    AllowOverride All\n', '/srv/other'),
  ),
  {
    name: 'under no AllowOverride at all',
    before: { [MAIN]: 'DocumentRoot /srv/www\n', '/srv/www/.htaccess': 'Deny from all\n' },
    after: { [MAIN]: 'DocumentRoot /srv/www\n', '/srv/www/.htaccess': 'Require all denied\n' },
    reason: null,
    openQuestion: /no AllowOverride line applies to \/srv\/www/,
  },
  ...(
    [
      ['for its port', '*:80', 'Listen 80\n', true],
      ['for every port', '_default_:*', 'Listen 80\nListen 192.0.2.1:8080\n', true],
      ['for one of two ports', '*:80', 'Listen 80\nListen 443\n', false],
      ['for all ports', '*', 'Listen 80\n', true],
      ['for the main server’s port', '_default_', 'Listen 80\n', false],
      ['for one address', '192.0.2.1:80', 'Listen 80\n', false],
      [
        'for a port that is listened on under a condition',
        '*:80',
        'Listen 80\n<IfDefine X>\nListen 443\n</IfDefine>\n',
        false,
      ],
      ['while nobody says what is listened on', '*:80', '', false],
      ['for a variable’s port', '*:80', 'Listen 80\nListen ${PORT}\n', false],
      ['with another one that says nothing', '*:80', 'Listen 80\n', false, host('    DocumentRoot /srv/www\n')],
      ['in a file that may be a part', '*:80', 'Listen 80\n', false, '', ''],
    ] as const
  ).map(([what, address, listen, isAll, more = '', root = 'ServerRoot /srv\n']): ConversionCase => {
    const main = (access: string) =>
      `${root}${listen}${more}<VirtualHost ${address}>\n    DocumentRoot /srv/www/a\n${directory('    AllowOverride None\n', '/')}${directory(`    AllowOverride All\n${access}`, '/srv/www/a')}</VirtualHost>\n`;
    return {
      name: `under AllowOverride in a virtual host alone, ${what}`,
      before: { [MAIN]: main(OPEN), '/srv/www/a/.htaccess': 'Order allow,deny\nDeny from all\n' },
      after: { [MAIN]: main(req('all granted')), '/srv/www/a/.htaccess': 'Require all denied\n' },
      reason: null,
      ...(!isAll && { openQuestion: /the AllowOverride lines for \/srv\/www\/a are in virtual hosts/ }),
    };
  }),
  files(
    'nor is one further down',
    { [MAIN]: directory('    AllowOverride None\n'), '/srv/www/a/.htaccess': 'Deny from all\n' },
    {},
  ),
  files(
    'one that AllowOverride None keeps out is not read',
    { [MAIN]: directory('    AllowOverride None\n'), '/srv/www/.htaccess': 'Deny from all\n' },
    {},
  ),
  files(
    'which only one virtual host reads, as on a hosting server',
    {
      [MAIN]: directory(CLOSED, '/') + site('/srv/www/a') + site('/srv/other'),
      '/srv/www/a/.htaccess': MEMBERS,
      '/srv/other/.htaccess': 'Order allow,deny\nAllow from all\nDeny from 10.1\n',
    },
    {
      [MAIN]:
        directory(req('all denied'), '/') +
        site('/srv/www/a', req('all granted'), ALL('valid-user', 'ip 10')) +
        site('/srv/other', req('all granted'), req('ip 10')),
      '/srv/other/.htaccess': '<RequireAll>\n    Require all granted\n    Require not ip 10.1\n</RequireAll>\n',
    },
  ),
  files(
    'which the first of two virtual hosts reads, and the second does not',
    {
      [MAIN]: directory(CLOSED, '/') + site('/srv/www/a') + unread('/srv/www/a'),
      '/srv/www/a/.htaccess': MEMBERS,
    },
    {
      [MAIN]:
        directory(req('all denied'), '/') +
        site('/srv/www/a', req('all granted'), ALL('valid-user', 'ip 10')) +
        unread('/srv/www/a', req('all granted')),
    },
  ),
  files(
    'which a virtual host reads by a pattern alone',
    {
      [MAIN]:
        directory(CLOSED, '/') +
        host(`    DocumentRoot /srv/www/a\n${directory(`    AllowOverride All\n${OPEN}`, '/srv/*/a')}`),
      '/srv/www/a/.htaccess': 'Order allow,deny\nAllow from all\nDeny from 10.1\n',
    },
    {
      [MAIN]:
        directory(req('all denied'), '/') +
        host(`    DocumentRoot /srv/www/a\n${directory(`    AllowOverride All\n${req('all granted')}`, '/srv/*/a')}`),
      '/srv/www/a/.htaccess': '<RequireAll>\n    Require all granted\n    Require not ip 10.1\n</RequireAll>\n',
    },
  ),
  files(
    'which two virtual hosts read, http and https, and a third does not that serves the directory, too',
    {
      [MAIN]:
        site('/srv/www/a') +
        site('/srv/www/a') +
        host('    Alias /o /srv/www/a\n' + directory(SOME, '/srv/www/a') + directory(OPEN, '/srv/www/a/b')),
      '/srv/www/a/.htaccess': MEMBERS,
    },
    {
      [MAIN]:
        site('/srv/www/a', req('all granted'), ALL('valid-user', 'ip 10')).repeat(2) +
        host(
          '    Alias /o /srv/www/a\n' +
            directory(req('ip 10'), '/srv/www/a') +
            directory(req('all granted'), '/srv/www/a/b'),
        ),
    },
  ),
  files(
    'which two virtual hosts read, and each needs other lines',
    {
      [MAIN]: site('/srv/www/a', LOGIN + req('user ann')) + site('/srv/www/a', LOGIN + req('user bob')),
      '/srv/www/a/.htaccess': 'Order allow,deny\nAllow from 10.1\n',
    },
    {},
    {
      reason:
        /^several virtual hosts read the file \/srv\/www\/a\/\.htaccess, and each needs different lines: give each its own copy/m,
    },
  ),
  files(
    'which the second of two virtual hosts reads, and the first may read by the same line',
    {
      [MAIN]: directory(CLOSED, '/') + perhaps('/srv/www/a') + site('/srv/www/a'),
      '/srv/www/a/.htaccess': MEMBERS,
    },
    {},
    { reason: /different access/, openQuestion: /which AllowOverride applies/ },
  ),
  files(
    'which one virtual host reads, and another one under a condition',
    {
      [MAIN]:
        site('/srv/www/a') +
        site('/srv/www/a', `${OPEN}    <IfDefine X>\n        AllowOverride None\n    </IfDefine>\n`),
      '/srv/www/a/.htaccess': MEMBERS,
    },
    {},
    { reason: /different access/, openQuestion: /which AllowOverride applies/ },
  ),
];

/** The same from a 2.4 with mod_access_compat. */
export const FROM_COMPAT: readonly ConversionCase[] = [
  refused(
    'what refuses everybody, before what stays',
    `<Files x.bak>\n${CLOSED}</Files>\n<Location />\n    <IfDefine X>\n${indented(OPEN)}    </IfDefine>\n</Location>\n`,
    /same requests/,
  ),
  one('hosts', directory(SOME), directory(req('ip 10'))),
  one(
    'what allows everybody over what differs goes',
    `<Files x>\n${req('all denied')}</Files>\n<Location /a>\n    SetHandler a\n${OPEN}</Location>\n`,
    `<Files x>\n${req('all denied')}</Files>\n<Location /a>\n    SetHandler a\n</Location>\n`,
  ),
  refused(
    'what allows everybody over hosts that do not',
    `${directory(SOME)}<Files x>\n${req('all denied')}</Files>\n<Location />\n${OPEN}</Location>\n`,
    /different access/,
  ),
  one(
    'Require over hosts that differ is added to them',
    `${directory(SOME)}<Files x>\n${CLOSED}</Files>\n<Location /a>\n    SetHandler a\n${req('local')}</Location>\n`,
    `${directory(req('ip 10'))}<Files x>\n${req('all denied')}</Files>\n<Location /a>\n    SetHandler a\n${MERGING.And}${req('local')}</Location>\n`,
  ),
  one(
    'Require over hosts that differ is added to them, if an inherited Require allows what it allows',
    `${directory(req('all granted'))}${directory(CLOSED, '/srv/www/a')}<Location /a>\n    SetHandler a\n${req('local')}</Location>\n`,
    `${directory(req('all granted'))}${directory(req('all denied'), '/srv/www/a')}<Location /a>\n    SetHandler a\n${MERGING.And}${req('local')}</Location>\n`,
  ),
  one(
    'so is Require of a directory below, in the hosts that have such rules',
    `${directory(req('all granted'))}${directory(req('all granted'), '/srv/www/a/b')}<VirtualHost *:80>\n    ServerName a.example\n${directory(SOME, '/srv/www/a')}</VirtualHost>\n<VirtualHost *:80>\n    ServerName b.example\n</VirtualHost>\n`,
    `${directory(req('all granted'))}${directory(MERGING.And + req('all granted'), '/srv/www/a/b')}<VirtualHost *:80>\n    ServerName a.example\n${directory(req('ip 10'), '/srv/www/a')}</VirtualHost>\n<VirtualHost *:80>\n    ServerName b.example\n</VirtualHost>\n`,
  ),
  one(
    'a container over hosts that differ is added to them',
    `<Files x>\n${CLOSED}</Files>\n<Location /a>\n${ALL('env ok', 'ip 10')}</Location>\n`,
    `<Files x>\n${req('all denied')}</Files>\n<Location /a>\n${MERGING.And}${ALL('env ok', 'ip 10')}</Location>\n`,
  ),
  refused(
    'Require over hosts and a Require, which it replaces',
    `${directory(SOME + req('env ok'))}<Files x>\n${CLOSED}</Files>\n<Location />\n${req('local')}</Location>\n`,
    /different access/,
  ),
  one(
    'Require over hosts that a Satisfy Any makes alternatives, and that allow nobody',
    `${directory(SOME)}<Files x>\n${CLOSED}${own('Satisfy Any')}</Files>\n<Location />\n${req('local')}</Location>\n`,
    `${directory(req('ip 10'))}<Files x>\n${req('all granted')}</Files>\n<Location />\n${MERGING.And}${req('local')}</Location>\n`,
  ),
  refused(
    'Require over hosts that a Satisfy Any makes alternatives',
    `${directory(CLOSED)}<Files x>\n${SOME}${own('Satisfy Any')}</Files>\n<Location />\n${req('local')}</Location>\n`,
    /different access/,
  ),
  one(
    'Require of a method over hosts that differ is added to them',
    `<Files x>\n${CLOSED}</Files>\n<Location />\n    <Limit POST>\n        Require env ok\n    </Limit>\n</Location>\n`,
    `<Files x>\n${req('all denied')}</Files>\n<Location />\n${MERGING.And}    <Limit POST>\n        Require env ok\n    </Limit>\n</Location>\n`,
  ),
  one(
    'a login of all methods but one over hosts that differ is added to them',
    `<Files x>\n${CLOSED}</Files>\n<Location /a>\n${LOGIN}    <LimitExcept GET>\n        Require valid-user\n    </LimitExcept>\n</Location>\n`,
    `<Files x>\n${req('all denied')}</Files>\n<Location /a>\n${LOGIN}${MERGING.And}    <LimitExcept GET>\n        Require valid-user\n    </LimitExcept>\n</Location>\n`,
  ),
  refused(
    'what allows everybody over what differs, beside an AuthType',
    `<Files x>\n${req('all denied')}</Files>\n<Location /a>\n${LOGIN}${OPEN}</Location>\n`,
    /./,
  ),
  one(
    'Satisfy Any alone forgets the hosts',
    directory(SOME) + directory(own('Satisfy Any'), '/srv/www/a'),
    directory(req('ip 10')) + directory(req('all granted'), '/srv/www/a'),
  ),
  one(
    'an Order forgets Satisfy',
    directory(LOGIN + req('valid-user') + own('Satisfy Any') + SOME) + directory(CLOSED, '/srv/www/a'),
    directory(LOGIN + req('valid-user', 'ip 10')) + directory(req('all denied'), '/srv/www/a'),
  ),
  one('Satisfy Any without Require lets in', directory(SOME + own('Satisfy Any')), directory(req('all granted'))),
  one(
    'hosts of outer sections stand beside a Require',
    directory(SOME) + directory(req('all granted'), '/srv/www/a'),
    directory(req('ip 10')) + directory(req('ip 10'), '/srv/www/a'),
  ),
  one(
    'a Require of an outer section stands beside hosts',
    directory(LOGIN + req('valid-user')) + directory(SOME, '/srv/www/a'),
    directory(LOGIN + req('valid-user')) + directory(ALL('valid-user', 'ip 10'), '/srv/www/a'),
  ),
  one(
    'Require replaces Require',
    directory(LOGIN + req('user ann') + SOME) + directory(req('user bob'), '/srv/www/a'),
    directory(LOGIN + ALL('user ann', 'ip 10')) + directory(ALL('user bob', 'ip 10'), '/srv/www/a'),
  ),
  one('containers', directory(SOME + ALL('env ok', 'not ip 10.1')), directory(ALL('env ok', 'not ip 10.1', 'ip 10'))),
  one(
    'containers in containers',
    directory(
      `    <RequireAll>\n        <RequireAny>\n            Require env ok\n            Require env bad\n        </RequireAny>\n        Require not ip 10.1\n    </RequireAll>\n${SOME}`,
    ),
    directory(
      `    <RequireAll>\n        <RequireAny>\n            Require env ok\n            Require env bad\n        </RequireAny>\n        Require not ip 10.1\n        Require ip 10\n    </RequireAll>\n`,
    ),
  ),
  one(
    "what is 2.4's already stays as it is",
    directory(SOME) + directory('    <RequireAny>\n        Require env ok\n    </RequireAny>\n', '/srv/other'),
    directory(req('ip 10')) + directory('    <RequireAny>\n        Require env ok\n    </RequireAny>\n', '/srv/other'),
  ),
  one(
    'users and groups are alternatives',
    directory(LOGIN + req('user bob', 'group staff') + SOME),
    directory(
      LOGIN +
        '    <RequireAll>\n        <RequireAny>\n            Require user bob\n            Require group staff\n        </RequireAny>\n        Require ip 10\n    </RequireAll>\n',
    ),
  ),
  one(
    'a limit',
    directory(`    <Limit POST>\n        Require env ok\n    </Limit>\n${OPEN}`),
    directory(
      '    <RequireAll>\n        Require method POST\n        Require env ok\n    </RequireAll>\n    <RequireAll>\n        Require not method POST\n        Require all granted\n    </RequireAll>\n',
    ),
  ),
  refused('an AuthType that asks nobody', directory(LOGIN + SOME), /AH01627/),
  refused('AuthMerging', directory(SOME + '    AuthMerging And\n' + req('env ok')), /AuthMerging/),
].map((known): ConversionCase => ({ ...known, source: '2.4' }));

/** Of Windows: no model answers for these, and what is compared are the texts. */
export const ON_WINDOWS: readonly ConversionCase[] = [
  one(
    'directories, however they are written',
    directory(SOME, '"C:/www"') + directory(LOGIN + req('user ann'), 'c:\\WWW\\a'),
    directory(req('ip 10'), '"C:/www"') + directory(LOGIN + ALL('user ann', 'ip 10'), 'c:\\WWW\\a'),
  ),
  one(
    'every drive has its own directories',
    directory(SOME, 'C:/www') + directory(LOGIN + req('user ann'), 'D:/www/a'),
    directory(req('ip 10'), 'C:/www') + directory(LOGIN + req('user ann'), 'D:/www/a'),
  ),
  one(
    'a path without a drive may be any directory',
    directory(SOME, 'C:/www') + directory(OPEN, '/www/a') + directory(LOGIN + req('user ann'), 'C:/www/a'),
    directory(SOME, 'C:/www') + directory(OPEN, '/www/a') + directory(LOGIN + req('user ann'), 'C:/www/a'),
    /no drive letter/,
  ),
  one(
    'a relative path is one directory, which contains no other',
    directory(SOME, 'C:/www') + directory(OPEN, '"cgi-bin"') + directory(OPEN, 'C:/www/a'),
    directory(req('ip 10'), 'C:/www') +
      directory(req('all granted'), '"cgi-bin"') +
      directory(req('all granted'), 'C:/www/a'),
  ),
  refused(
    'a relative path may be inside a directory with a login',
    directory(EITHER, 'C:/www') + directory(SOME, 'cgi-bin'),
    /also applies to some requests for/,
  ),
  one(
    'a relative path may be around a directory with its name',
    directory(SOME, 'C:/www') + directory(OPEN, 'cgi-bin') + directory(LOGIN + req('user ann'), 'C:/x/CGI-BIN/a'),
    directory(SOME, 'C:/www') + directory(OPEN, 'cgi-bin') + directory(LOGIN + req('user ann'), 'C:/x/CGI-BIN/a'),
    /not absolute/,
  ),
  one(
    'a short name may be that of another directory',
    directory(SOME, 'C:/www/WEBSIT~1'),
    directory(SOME, 'C:/www/WEBSIT~1'),
    /short name/,
  ),
  refused(
    'a pattern of names matches in any case',
    directory('    Options None\n', 'C:/www') +
      `<Files SECRET>\n${LOGIN}${req('user ann')}</Files>\n<FilesMatch "^secr">\n${SOME}</FilesMatch>\n`,
    /different access/,
  ),
  refused(
    'a pattern of directories begins in any case',
    directory(EITHER, 'C:/www') +
      directory(EITHER, 'C:/srv') +
      `<DirectoryMatch "^C:/WWW">\n${SOME}</DirectoryMatch>\n`,
    /also applies to some requests for/,
  ),
  refused(
    'a wildcard may have another case than the directory',
    directory(EITHER, 'C:/www/*') + directory(SOME, 'C:/www/a'),
    /also applies to some requests for/,
  ),
];

/** What the plan makes of a case. */
export function convertCase(
  { before, links = {}, source, mayAdmit }: Pick<ConversionCase, 'before' | 'links' | 'source' | 'mayAdmit'>,
  modules: Modules = PRODUCT,
): {
  readonly after: Record<string, string>;
  readonly reasons: readonly string[];
  readonly openQuestions: readonly string[];
} {
  const view: FileView = {
    ...memoryFiles({ ...before, ...Object.fromEntries(FOLDERS.map((folder) => [`${folder}/index.html`, ''])) }),
    realPath: (path) => links[path] ?? path,
  };
  const configuration = modules.readConfiguration({
    root: MAIN,
    view,
    names: modules.names,
    oneVersionNames: ONE_VERSION_NAMES,
    decideCondition: accessConditionDecider(source),
    serverRoot: '/srv',
  })!;
  const { files, openQuestions } = modules.discoverHtaccess(configuration, view);
  const plan = modules.planAccessConversion(configuration, files, openQuestions, {
    source,
    mayWidenOverride: mayAdmit,
  });
  const after = Object.fromEntries(
    Object.entries(before).map(([path, text]) => [path, applyEdits(text, plan.edits.get(links[path] ?? path) ?? [])]),
  );
  return {
    after,
    reasons: plan.refusals.map(({ reason }) => reasonText(reason)),
    openQuestions: plan.openQuestions.map(openQuestionText),
  };
}

/** What converts; tests put others in its place. */
export interface Modules {
  readonly readConfiguration: typeof readConfiguration;
  readonly discoverHtaccess: typeof discoverHtaccess;
  readonly planAccessConversion: typeof planAccessConversion;
  readonly names: ReadonlySet<string>;
}

const PRODUCT: Modules = {
  readConfiguration,
  discoverHtaccess,
  planAccessConversion: planAccessConversion,
  names: ACCESS_NAMES,
};

export function siteOf(texts: Texts): Site {
  const nothing = new Set<string>();
  return {
    root: MAIN,
    texts,
    serverRoot: '/srv',
    defined: { '2.2': nothing, '2.4': new Set(['mod_authz_core.c']) },
    folders: new Set(FOLDERS),
  };
}

// ---------------------------------------------------------------------------------------------------------------------

function one(name: string, before: string, after: string, reason: RegExp | null = null): ConversionCase {
  const head = 'DocumentRoot /srv/www\n<Directory />\n    AllowOverride None\n</Directory>\n';
  return { name, before: { [MAIN]: head + before }, after: { [MAIN]: head + after }, reason };
}

function refused(name: string, before: string, reason: RegExp): ConversionCase {
  return one(name, before, before, reason);
}

function files(
  name: string,
  texts: Texts,
  changed: Texts,
  more: Partial<Pick<ConversionCase, 'reason' | 'links' | 'openQuestion' | 'mayAdmit'>> = {},
  further = '',
): ConversionCase {
  const head = `DocumentRoot /srv/www\n<Directory />\n    AllowOverride None\n</Directory>\n${further}`;
  const headed = (all: Texts) => ({ ...all, [MAIN]: head + all[MAIN] });
  return { name, before: headed(texts), after: headed({ ...texts, ...changed }), reason: null, ...more };
}

function indented(lines: string): string {
  return lines.replace(/^/gm, '    ').replace(/ +$/, '');
}

function swapped(): string {
  return MODULES.split('\n').reverse().filter(Boolean).join('\n') + '\n';
}
