/** How lines are read, who else looks at requests, and what single sections are worth. */
import { ROOT } from '../disk';
import { H, HERE, LOGIN, main, MAIN, NOBODY, OPEN, section, SHUT, tree, type Case } from './case';

const AWAY = 'from 192.168.0.7';
const LOCAL = 'from 127.0.0.1';
const AUTH = LOGIN.replace('Require valid-user\n', '');
const inside = (body: string) => main(NOBODY, section(`Directory ${H}`, `AllowOverride None\n${body}`));

export const READ: readonly Case[] = [
  {
    name: 'Require "valid-user" lets nobody in',
    tree: tree(inside(`${AUTH}Require "valid-user"\n${OPEN}`)),
    urls: ['/f'],
    answers: { [`/f ${AWAY} as ann`]: 401 },
  },
  {
    name: 'a user with a backslash',
    tree: tree(inside(`${AUTH}Require user CORP\\bob\n${OPEN}`)),
    urls: ['/f'],
    answers: { [`/f ${AWAY} as CORP\\bob`]: 200, [`/f ${AWAY} as bob`]: 401 },
  },
  {
    name: 'a limit in quotes',
    tree: tree(inside(`${OPEN}'<Limit' GET>\nDeny from all\n</Limit>\n`)),
    urls: ['/f'],
    answers: { [`/f ${AWAY}`]: 403 },
  },
  {
    name: 'a last line of a .htaccess that goes on',
    tree: tree(main(NOBODY, section(`Directory ${H}`, `AllowOverride All\n${HERE}`)), {
      'www/.htaccess': 'Order deny,allow\nDeny from all\nAllow from all\\\n',
    }),
    urls: ['/f'],
    answers: { [`/f ${AWAY}`]: 403 },
  },
  {
    name: 'a last line of a .htaccess that goes on, Require',
    tree: tree(main(NOBODY, section(`Directory ${H}`, `AllowOverride All\n${OPEN}`)), {
      'www/.htaccess': `${AUTH}Require user ann\nOrder deny,allow\nDeny from \\\n all\\\n`,
    }),
    urls: ['/f'],
    answers: { [`/f ${AWAY}`]: 401, [`/f ${AWAY} as ann`]: 200 },
  },
  {
    name: 'a .htaccess that begins with a byte order mark',
    tree: tree(main(NOBODY, section(`Directory ${H}`, 'AllowOverride All\n')), {
      'www/.htaccess': `\xef\xbb\xbf${OPEN}`,
    }),
    urls: ['/f'],
    answers: { [`/f ${AWAY}`]: 500 },
  },
  ...[8190, 8191].map(
    (length): Case => ({
      name: `a comment of ${length} characters, and what 2.2 takes for the next line`,
      tree: tree(
        main(
          NOBODY,
          section(
            `Directory ${H}`,
            `AllowOverride None\n${OPEN}#${'x'.repeat(length - 1)}${length === 8190 ? '\\\n' : ''}Deny from all\n`,
          ),
        ),
      ),
      urls: ['/f'],
      answers: length === 8191 ? { [`/f ${AWAY}`]: 403 } : {},
    }),
  ),
  {
    name: 'a comment of 8190 characters in a .htaccess',
    tree: tree(main(NOBODY, section(`Directory ${H}`, `AllowOverride All\n${OPEN}`)), {
      'www/.htaccess': `#${'x'.repeat(8189)}\\\n\nDeny from all\n`,
    }),
    urls: ['/f'],
    answers: {},
  },
  {
    name: '--source 2.4 with AuthType in a Location alone',
    tree: tree(
      main(
        section('Directory /', `AllowOverride None\n${SHUT}`),
        section(`Directory ${H}`, OPEN),
        section('Location /a', `AuthType Basic\nAuthName x\nAuthUserFile ${ROOT}/conf/passwd\n`),
      ),
      { 'www/a/f': '' },
    ),
    urls: ['/a/f', '/f'],
    run: [['fix', '--write', '--source', '2.4', MAIN]],
    source: '2.4',
    answers: {},
  },
  {
    name: 'the usual Subversion: AuthzSVNAccessFile, Satisfy Any and a login',
    tree: tree(
      main(
        NOBODY,
        section(`Directory ${H}`, `AllowOverride None\n${OPEN}`),
        section('Location /svn', `AuthzSVNAccessFile ${ROOT}/conf/svn\nSatisfy Any\n${LOGIN}`),
      ),
      { 'www/svn/f': '' },
    ),
    urls: ['/svn/f', '/f'],
    answers: { [`/svn/f ${AWAY}`]: 200 },
  },
  ...['AuthzSVNAccessFile conf/svn', 'SSLRequireSSL', 'SSLRequire true'].flatMap((line) =>
    ['Directory', 'Location'].map(
      (kind): Case => ({
        name: `${line.split(' ')[0]} in a ${kind}, and Satisfy Any from outside`,
        tree: tree(
          main(
            NOBODY,
            section(`Directory ${H}`, `AllowOverride None\n${OPEN}Satisfy Any\n${LOGIN}`),
            section(kind === 'Directory' ? `Directory ${H}/a` : 'Location /a', `${line}\n`),
          ),
          { 'www/a/f': '' },
        ),
        urls: ['/a/f', '/f'],
        answers: { [`/a/f ${AWAY}`]: 200 },
      }),
    ),
  ),
  {
    name: 'SSLRequireSSL in a .htaccess, and Satisfy Any from outside',
    tree: tree(main(NOBODY, section(`Directory ${H}`, `AllowOverride All\n${OPEN}Satisfy Any\n${LOGIN}`)), {
      'www/a/.htaccess': 'SSLRequireSSL\n',
      'www/a/f': '',
    }),
    urls: ['/a/f', '/f'],
    answers: { [`/a/f ${AWAY}`]: 200 },
  },
  {
    name: 'a preferred quick fix of one section',
    tree: tree(
      main(
        NOBODY,
        section(`Directory ${H}`, `AllowOverride None\n${OPEN}`),
        section(`Directory ${H}/a`, `AllowOverride None\n${HERE}`),
        section('Files ~ "^\\.ht"', SHUT),
      ),
      { 'www/a/f': '' },
    ),
    urls: ['/f', '/a/f'],
    editor: 'preferred',
    inFiles: [MAIN],
    answers: { [`/f ${AWAY}`]: 200 },
  },
  {
    name: 'Fix All of one file of several',
    tree: tree(main(NOBODY, 'Include conf/part.conf\n'), { 'conf/part.conf': section(`Directory ${H}`, OPEN) }),
    urls: ['/f'],
    editor: 'fix-all',
    inFiles: [MAIN, 'conf/part.conf'],
    answers: { [`/f ${AWAY}`]: 200 },
  },
  {
    name: 'access lines in a condition that holds',
    tree: tree(
      main(
        'LoadModule authz_host_module modules/mod_authz_host.so\n',
        section(
          'Directory /',
          'AllowOverride None\n<IfModule mod_authz_host.c>\nOrder deny,allow\nDeny from all\n</IfModule>\n',
        ),
        section(`Directory ${H}`, `AllowOverride None\n${OPEN}`),
      ),
    ),
    urls: ['/f'],
    answers: { [`/f ${AWAY}`]: 200 },
  },
  ...['mod_authz_host.c', 'core.c', 'mod_alias.c'].flatMap((name) =>
    [[], ['--assume-standalone'], ['--unsafe']].map(
      (options): Case => ({
        name: `access lines in a condition that holds, below some that have none: ${[name, ...options].join(' ')}`,
        run: [['fix', '--write', ...options, MAIN]],
        tree: tree(
          main(
            'LoadModule authz_host_module modules/mod_authz_host.so\nLoadModule alias_module modules/mod_alias.so\n',
            NOBODY,
            section(`Directory ${H}`, `AllowOverride None\n<IfModule ${name}>\n${OPEN}</IfModule>\n`),
          ),
        ),
        urls: ['/f'],
        answers: { [`/f ${AWAY}`]: 200 },
      }),
    ),
  ),
  {
    name: 'a section in a condition that holds',
    tree: tree(
      main(
        'LoadModule alias_module modules/mod_alias.so\n',
        NOBODY,
        `<IfModule mod_alias.c>\nAlias /icons ${ROOT}/icons\n${section(`Directory ${ROOT}/icons`, `AllowOverride None\n${OPEN}`)}</IfModule>\n`,
      ),
      { 'icons/f': '' },
    ),
    urls: ['/icons/f', '/f'],
    answers: { [`/icons/f ${AWAY}`]: 200, [`/f ${AWAY}`]: 403 },
  },
  {
    name: 'access lines in a condition that may hold',
    tree: tree(
      main(
        section('Directory /', 'AllowOverride None\n<IfDefine SHUT>\nOrder deny,allow\nDeny from all\n</IfDefine>\n'),
        section(`Directory ${H}`, `AllowOverride None\n${OPEN}`),
      ),
      {},
      { server: { defines: ['SHUT'] } },
    ),
    urls: ['/f'],
    answers: { [`/f ${AWAY}`]: 200 },
  },
  ...[
    ['fix', '--write', MAIN],
    ['fix', '--write', '--unsafe', MAIN],
    ['fix', '--write', '--unsafe', '.'],
  ].map(
    (run): Case => ({
      name: `what the plan refutes is not offered section by section: ${run.join(' ')}`,
      tree: tree(
        main(
          section('Directory /', 'AllowOverride None\n'),
          section('Files ~ "^\\.ht"', 'Order allow,deny\nDeny from all\n'),
          section('Location /', `${AUTH}<LimitExcept GET>\nRequire valid-user\n</LimitExcept>\n`),
        ),
        { 'www/.htpasswd': '' },
      ),
      urls: ['/f', '/.htpasswd'],
      run: [run],
      answers: { [`/.htpasswd ${AWAY}`]: 403, [`/f ${AWAY}`]: 200 },
    }),
  ),
  ...[
    ['fix', '--write', MAIN],
    ['fix', '--write', '--unsafe', MAIN],
  ].map(
    (run): Case => ({
      name: `a login limited to methods in a Location, over directories that differ: ${run.join(' ')}`,
      tree: tree(
        main(
          NOBODY,
          section(`Directory ${H}`, OPEN),
          section(`Directory ${H}/a`, HERE),
          section('Location /', `${AUTH}<Limit POST>\nRequire valid-user\n</Limit>\n`),
        ),
        { 'www/a/f': '' },
      ),
      urls: ['/f', '/a/f'],
      run: [run],
      answers: { [`/a/f ${AWAY}`]: 403, [`/f ${AWAY}`]: 200, [`/a/f ${LOCAL}`]: 200 },
    }),
  ),
  ...[
    ['fix', '--write', MAIN],
    ['fix', '--write', '--unsafe', MAIN],
    ['fix', '--write', '--assume-standalone', MAIN],
  ].flatMap((run) =>
    [
      ['a', OPEN, SHUT, 200],
      ['a', SHUT, OPEN, 403],
      ['', OPEN, SHUT, 200],
    ].map(
      ([where, own, there, answer]): Case => ({
        name: `a directory that a variable of the environment names: ${run.slice(2, -1).join(' ')} ${where} ${answer}`,
        tree: tree(
          main(
            section('Directory /', 'AllowOverride None\n'),
            section('Directory ${DIR}', String(there)),
            section(`Directory ${H}/a`, String(own)),
          ),
          { 'www/a/f': '' },
          { server: { variables: { DIR: where === '' ? H : `${H}/a` } } },
        ),
        urls: ['/a/f'],
        run: [run],
        answers: { [`/a/f ${AWAY}`]: Number(answer) },
      }),
    ),
  ),
  {
    name: 'what stays keeps no more than it has to',
    tree: tree(
      main(
        section('Directory /', `AllowOverride None\n${SHUT}`),
        section(`Directory ${H}`, OPEN),
        section(`Directory ${H}/a`, `# httpd-upgrade-ignore order-allow-deny\n${HERE}`),
        section(`Directory ${H}/b`, `${LOGIN}${HERE}`),
      ),
      { 'www/a/f': '', 'www/b/f': '' },
    ),
    urls: ['/f', '/a/f', '/b/f'],
    answers: {
      [`/f ${AWAY}`]: 200,
      [`/a/f ${AWAY}`]: 403,
      [`/a/f ${LOCAL}`]: 200,
      [`/b/f ${AWAY}`]: 403,
      [`/b/f ${LOCAL}`]: 401,
    },
    contains: { [MAIN]: 'Require all granted' },
  },
  ...[
    ['IfModule !mod_authz_core.c', 'IfModule mod_authz_core.c'],
    ['IfVersion < 2.4', 'IfVersion >= 2.4'],
  ].map(
    ([before, now]): Case => ({
      name: `a section for both versions keeps nobody: ${now}`,
      tree: tree(
        main(
          section('Directory /', `AllowOverride None\n${SHUT}`),
          section(`Directory ${H}`, section(before, OPEN) + section(now, 'Require all granted\n')),
          section(`Directory ${H}/a`, HERE),
        ),
        { 'www/a/f': '' },
      ),
      urls: ['/f', '/a/f'],
      answers: { [`/f ${AWAY}`]: 200, [`/a/f ${AWAY}`]: 403, [`/a/f ${LOCAL}`]: 200 },
      contains: { [MAIN]: 'Require all denied' },
    }),
  ),
  {
    name: 'a macro keeps what shares requests with it, and nothing else',
    tree: tree(
      main(
        'LoadModule macro_module modules/mod_macro.so\n',
        section('Directory /', 'AllowOverride None\n'),
        section('Macro Part $dir', section('Directory $dir', HERE)),
        `Use Part ${H}/a\n`,
        section(`Directory ${H}/b`, HERE),
      ),
      { 'www/a/f': '', 'www/b/f': '' },
    ),
    urls: ['/a/f', '/b/f'],
    answers: { [`/a/f ${AWAY}`]: 403, [`/a/f ${LOCAL}`]: 200, [`/b/f ${AWAY}`]: 403, [`/b/f ${LOCAL}`]: 200 },
    contains: { [MAIN]: 'Require ip 127.0.0.1' },
  },
  ...[
    'IfVersion < ${V}',
    'IfVersion !>= ${V}',
    'IfVersion ${OP} 2.4',
    'IfModule ${OLD}',
    'IfModule !${NEW}',
    'IfModule ${MPM}',
    'IfDefine OLD',
    'IfDefine !NEW',
  ].flatMap((open) =>
    [[], ['--assume-standalone']].map(
      (options): Case => ({
        name: `a condition that only 2.2 fulfils, by what is set elsewhere: ${[open, ...options].join(' ')}`,
        tree: tree(
          main(
            section('IfVersion < 2.4', 'Define OLD\n') + section('IfVersion >= 2.4', 'Define NEW\n'),
            section('Directory /', `AllowOverride None\n${OPEN}`),
            section(open, section('Location /a', SHUT)),
          ),
          { 'www/a/f': '' },
          {
            server: {
              variables: { V: '2.4', OP: '<', OLD: 'mod_authz_default.c', NEW: 'authz_core_module', MPM: 'prefork.c' },
            },
          },
        ),
        urls: ['/a/f'],
        run: [['fix', '--write', '--answer', 'running-version=2.2', ...options, MAIN]],
        answers: {},
        // Of the name that only 2.4 defines, both versions are known: the rest is converted.
        untouched: open === 'IfDefine !NEW' ? [] : [MAIN],
      }),
    ),
  ),
  ...['IfVersion < ${V}', 'IfVersion ${OP} 2.4', 'IfModule ${M}', 'IfModule prefork.c'].map(
    (open): Case => ({
      name: `a .htaccess by itself, with a section that perhaps only 2.2 reads: ${open}`,
      tree: tree(
        main(section('Directory /', `AllowOverride All\n${OPEN}`)),
        { 'www/.htaccess': section(open, section('Files f', SHUT)) },
        { server: { variables: { V: '2.4', OP: '<', M: 'mod_authz_default.c' } } },
      ),
      urls: ['/f'],
      run: [['fix', '--write', '--assume-standalone', 'www/.htaccess']],
      answers: { [`/f ${AWAY}`]: 403 },
      untouched: ['www/.htaccess'],
    }),
  ),
  ...[
    ['FLAG', 401],
    ['OTHER', 200],
  ].map(
    ([name, answer]): Case => ({
      name: `what the server is started with decides: -D ${name}`,
      tree: tree(
        main(
          section('Directory /', 'AllowOverride None\n'),
          `<IfDefine FLAG>\n${section(`Directory ${H}`, LOGIN)}</IfDefine>\n`,
          section(`Directory ${H}/a`, OPEN),
        ),
        { 'www/a/f': '' },
        { server: { defines: [String(name)] } },
      ),
      urls: ['/a/f'],
      run: [['fix', '--write', '-D', String(name), MAIN]],
      answers: { [`/a/f ${AWAY}`]: Number(answer) },
      contains: { [MAIN]: answer === 401 ? 'Require valid-user\n</Directory>\n' : 'Require all granted' },
    }),
  ),
];
