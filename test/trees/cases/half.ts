/**
 * Half the way to 2.4: what decides where a 500 ends, where lines come to life or die, and where
 * only some of the lines are 2.4's.
 */
import { ROOT } from '../disk';
import { H, LOGIN, main, MAIN, NOBODY, OPEN, section, SHUT, tree, type Case } from './case';

const AWAY = 'from 192.168.0.7';
const DEFAULTS = ['fix', '--write', '--answer', 'defaults=2.2'];
const ANY = 'Order deny,allow\nDeny from all\nSatisfy Any\n';
const BARE = `ServerRoot "${ROOT}"\nDocumentRoot "${H}"\n`;

/** Of another machine, where a .htaccess lies that nobody here sees. */
function unseen(section: string, access: string, at = 'machine/www/.htaccess'): Case['tree'] {
  return {
    files: {
      'copy/conf/httpd.conf': `ServerRoot "${ROOT}/machine"\nPidFile run/httpd.pid\nDocumentRoot "${ROOT}/machine/www"\n${section}`,
    },
    servers: [
      {
        main: 'copy/conf/httpd.conf',
        elsewhere: { from: 'copy', to: 'machine', files: { 'machine/www/f': '', 'machine/www/a/f': '', [at]: access } },
      },
    ],
  };
}

/** What of a configuration 2.4 answers otherwise than 2.2, as long as nobody converts it. */
const OTHERWISE: Readonly<Record<string, string>> = {
  'Satisfy Any': section(`DirectoryMatch "^${H}/a"`, ANY),
  'Satisfy Any in a Location': section('Location /a', ANY),
  'lines for 2.2 alone': section(`DirectoryMatch "^${H}/a"`, `<IfVersion < 2.4>\n${SHUT}</IfVersion>\n`),
  'several Require lines': section(
    `DirectoryMatch "^${H}/a"`,
    `AuthType Basic\nAuthName a\nAuthUserFile ${ROOT}/conf/passwd\nAuthGroupFile ${ROOT}/conf/group\nRequire group staff\nRequire user ann\n`,
  ),
};

/** Lines that 2.2 refuses, or has no use for. */
const RUNNING: Readonly<Record<string, string>> = {
  'a directive': 'Protocols http/1.1\n',
  'a directive under a condition that both versions meet': '<IfVersion >= 2.2>\nProtocols http/1.1\n</IfVersion>\n',
  'a directive where a module is not': '<IfModule !mod_none.c>\nProtocols http/1.1\n</IfModule>\n',
  'a directive in a part': 'Include conf/part*.inc\n',
  Define: 'Define X\n',
  'a list of directives': '<Directory /none>\nAllowOverrideList Options\n</Directory>\n',
  IfFile: '<IfFile /none>\n</IfFile>\n',
  'Require in a virtual host': `<VirtualHost *:80>\n<Directory ${H}/c>\nRequire all granted\n</Directory>\n</VirtualHost>\n`,
  'Require ip': section(`Directory ${H}/a`, 'Require ip 10\n'),
  'Require all granted': section(`Directory ${H}/a`, 'Require all granted\n'),
  RequireAll: section(`Directory ${H}/a`, '<RequireAll>\nRequire all granted\nRequire not ip 10\n</RequireAll>\n'),
  'AuthMerging Off': section(`Directory ${H}/a`, 'AuthMerging Off\n'),
  'RequireAny beside old lines': section(`Directory ${H}/a`, `${OPEN}<RequireAny>\nRequire ip 10\n</RequireAny>\n`),
};

export const HALF: readonly Case[] = [
  ...Object.entries(OTHERWISE).map(
    ([name, text]): Case => ({
      name: `the defaults of 2.2 are written out, a .htaccess has Options, and the configuration ${name}`,
      tree: tree(
        `ServerRoot "${ROOT}"\nLoadModule authz_groupfile_module modules/mod_authz_groupfile.so\nLoadModule authz_user_module modules/mod_authz_user.so\nDocumentRoot "${H}"\n${text}# httpd-upgrade-ignore order-allow-deny\n`,
        { 'www/.htaccess': 'Options -Indexes\n', 'www/a/f': '' },
      ),
      urls: ['/f', '/a/f'],
      run: [[...DEFAULTS, MAIN]],
      answers: {},
      contains: { [MAIN]: 'Timeout 300' },
    }),
  ),
  ...['machine/www/.htaccess', 'machine/.htaccess'].flatMap((at) =>
    [
      ['a section', section(`DirectoryMatch "^${ROOT}/machine/www/a"`, ANY), 'Deny from 10\n'] as const,
      ['the file', '', ANY] as const,
    ].map(
      ([where, text, access]): Case => ({
        name: `the defaults of 2.2 are written out, a .htaccess at ${at} is not here, and ${where} has a Satisfy Any`,
        tree: unseen(text, access, at),
        urls: ['/a/f'],
        run: [[...DEFAULTS, 'copy']],
        answers: { [`/a/f ${AWAY}`]: 403 },
        contains: { 'copy/conf/httpd.conf': 'Timeout 300' },
      }),
    ),
  ),
  ...[
    ['IfModule mod_authz_core.c', 'Satisfy Any\n'],
    ['IfVersion >= 2.4', 'Satisfy Any\n'],
    ['IfModule mod_authz_core.c', '<Limit GET POST>\nSatisfy any\n</Limit>\n'],
  ].flatMap(([open = '', any = '']) =>
    ['Files f', 'Location /a/b', `FilesMatch "^f$"`].map(
      (shut): Case => ({
        name: `a section that refuses everybody, <${shut}>, behind one that stays and has ${any.replaceAll('\n', ' ')}for 2.4 alone, in <${open}>`,
        tree: tree(
          main(
            section(`Directory ${ROOT}/*`, `AllowOverride None\n${LOGIN}${OPEN}`),
            section(
              'DirectoryMatch /b',
              `Order allow,deny\n<IfModule !mod_none.c>\nAllow from all\n</IfModule>\n${section(open, any)}`,
            ),
            section(shut, `${LOGIN}Order allow,deny\nDeny from 127.0.1\n`),
          ),
          { 'www/a/b/f': '' },
        ),
        urls: ['/a/b/f', '/f'],
        answers: { [`/a/b/f ${AWAY}`]: 403 },
      }),
    ),
  ),
  {
    name: 'the defaults of 2.2 are written out with AllowOverride, where somebody says that no .htaccess restricts access',
    tree: unseen('', 'Options -Indexes\n'),
    urls: ['/f', '/a/f'],
    run: [[...DEFAULTS, '--answer', 'htaccess-unseen:/=none', 'copy']],
    answers: { [`/f ${AWAY}`]: 200 },
    contains: { 'copy/conf/httpd.conf': 'AllowOverride All' },
  },
  ...Object.entries({
    'a line for 2.2 alone': `${LOGIN}<IfVersion < 2.4>\nOrder mutual-failure\n</IfVersion>\nAllow from 10\n`,
    'several Require lines': `${LOGIN}Require user ann\n`,
    'a Satisfy': `# httpd-upgrade-ignore order-allow-deny\n${ANY}`,
    'Options, behind a Satisfy of the configuration': 'Options -Indexes\n',
  }).map(
    ([name, access]): Case => ({
      name: `no AllowOverride over a .htaccess with ${name}, --unsafe`,
      tree: tree(
        `${BARE}${name.includes('behind') ? section(`DirectoryMatch "^${H}"`, `# httpd-upgrade-ignore order-allow-deny\n${ANY}`) : ''}`,
        { 'www/.htaccess': access },
      ),
      urls: ['/f'],
      run: [['fix', '--write', '--unsafe', MAIN]],
      answers: {},
    }),
  ),
  {
    name: 'no AllowOverride over a .htaccess with Options, --unsafe',
    tree: tree(`${BARE}${section(`Directory ${H}`, OPEN)}`, { 'www/.htaccess': 'Options -Indexes\n' }),
    urls: ['/f'],
    run: [['fix', '--write', '--unsafe', MAIN]],
    answers: { [`/f ${AWAY}`]: 200 },
    contains: { [MAIN]: 'AllowOverride All' },
  },
  {
    name: 'a Require that 2.2 drops, below an AuthType, --unsafe',
    tree: tree(main(section('Directory /', 'AllowOverride AuthConfig Limit\n')), {
      'www/.htaccess': 'AuthType Basic\nRequire group staff\\\n',
    }),
    urls: ['/f'],
    run: [['fix', '--write', '--unsafe', '.']],
    answers: { [`/f ${AWAY}`]: 200 },
  },
  {
    name: 'an Order that 2.2 drops, below what both versions are told, --unsafe',
    tree: tree(
      main(
        section('Directory /', `AllowOverride All\n${SHUT}`),
        section(
          `DirectoryMatch ^${H}/a`,
          `AllowOverride Limit\n<IfVersion < 2.4>\n${OPEN}</IfVersion>\n<IfVersion >= 2.4>\nRequire all granted\n</IfVersion>\n`,
        ),
      ),
      { 'www/a/.htaccess': 'Order Deny,Allow\\\n', 'www/a/f': '' },
    ),
    urls: ['/a/f'],
    run: [['fix', '--write', '--unsafe', MAIN]],
    answers: { [`/a/f ${AWAY}`]: 200 },
  },
  ...['Satisfy Any\n', 'AuthType Basic\n'].map(
    (line): Case => ({
      name: `${line.trim()} that 2.4 reads as a part of the comment before it`,
      tree: tree(main(NOBODY, section(`Directory ${H}`, `${line.startsWith('A') ? OPEN : SHUT}# in C:\\\\\n${line}`))),
      urls: ['/f'],
      answers: { [`/f ${AWAY}`]: line.startsWith('A') ? 200 : 403 },
    }),
  ),
  ...[
    ['fix', '--write', MAIN],
    ['fix', '--write', '.'],
    ['fix', '--write', '--assume-standalone', '.'],
  ].flatMap((run) =>
    Object.entries(RUNNING).map(
      ([name, text]): Case => ({
        name: `a server that runs 2.4 with mod_access_compat, by ${name}: ${run.slice(2).join(' ')}`,
        tree: tree(main(NOBODY, section(`Directory ${H}`, ANY), text), {
          'www/a/f': '',
          'conf/part1.inc': '<VirtualHost *:81>\nProtocols http/1.1\n</VirtualHost>\n',
        }),
        urls: ['/f', '/a/f'],
        run: [run],
        answers: {},
      }),
    ),
  ),
  ...(['fix-all', 'preferred'] as const).flatMap((editor) =>
    Object.entries(RUNNING).map(
      ([name, text]): Case => ({
        name: `a server that runs 2.4 with mod_access_compat, by ${name}: ${editor}`,
        tree: tree(main(NOBODY, section(`Directory ${H}`, ANY), text), {
          'www/a/f': '',
          'conf/part1.inc': '<VirtualHost *:81>\nProtocols http/1.1\n</VirtualHost>\n',
        }),
        urls: ['/f', '/a/f'],
        editor,
        inFiles: [MAIN],
        answers: {},
      }),
    ),
  ),
  {
    name: 'a server that runs 2.4 with mod_access_compat, as its owner says',
    tree: tree(main('Protocols http/1.1\n', NOBODY, section(`Directory ${H}`, ANY))),
    urls: ['/f'],
    run: [['fix', '--write', '--source', '2.4', MAIN]],
    source: '2.4',
    answers: {},
    contains: { [MAIN]: 'Require all granted' },
  },
  ...Object.entries(RUNNING).map(
    ([name, text]): Case => ({
      name: `a server that runs 2.4 with mod_access_compat, by ${name}, as its owner answers`,
      tree: tree(main(NOBODY, section(`Directory ${H}`, ANY), text), {
        'www/a/f': '',
        'conf/part1.inc': '<VirtualHost *:81>\nProtocols http/1.1\n</VirtualHost>\n',
      }),
      urls: ['/f', '/a/f'],
      run: [['fix', '--write', '--answer', 'running-version=2.4', MAIN]],
      source: '2.4',
      answers: {},
      contains: { [MAIN]: 'Require all granted' },
    }),
  ),
  {
    name: 'half of a conversion is not finished because its owner says that the server runs 2.2',
    tree: tree(main(NOBODY, section(`Directory ${H}`, ANY), section(`Directory ${H}/a`, 'Require all granted\n')), {
      'www/a/f': '',
    }),
    urls: ['/f', '/a/f'],
    run: [['fix', '--write', '--answer', 'running-version=2.2', MAIN]],
    answers: {},
    untouched: [MAIN],
  },
  {
    name: 'a directive that only 2.4 has, under a condition, says nothing of who runs the server',
    tree: tree(main('<IfVersion >= 2.4>\nProtocols http/1.1\n</IfVersion>\n', NOBODY, section(`Directory ${H}`, ANY))),
    urls: ['/f'],
    answers: { [`/f ${AWAY}`]: 403 },
    contains: { [MAIN]: 'Require all denied' },
  },
  ...[
    ['a .htaccess with Order', '', 500] as const,
    ['a .htaccess with Order, and a section of the server with one', section('Location /x', SHUT), 200] as const,
    [
      'a .htaccess with Order, and a section of the server with one under a condition',
      `<IfModule mod_authz_host.c>\n${section('Location /x', SHUT)}</IfModule>\n`,
      500,
    ] as const,
    [
      'a .htaccess with Order, and a LoadModule line under a condition that nobody knows',
      '<IfDefine X>\nLoadModule authz_host_module modules/mod_authz_host.so\n</IfDefine>\n',
      500,
    ] as const,
  ].map(
    ([name, text, answer]): Case => ({
      name: `${name}, where no line loads mod_authz_host`,
      tree: tree(
        `${['alias', 'mime', 'dir', 'log_config'].map((each) => `LoadModule ${each}_module modules/mod_${each}.so\n`).join('')}${main(section('Directory /', 'AllowOverride All\n'), text)}`,
        { 'www/.htaccess': OPEN },
        { server: { lacks: answer === 500 ? ['mod_authz_host', 'mod_access_compat'] : [] } },
      ),
      urls: ['/f'],
      answers: { [`/f ${AWAY}`]: answer },
      ...(answer === 200 && { contains: { 'www/.htaccess': 'Require all granted' } }),
    }),
  ),
];
