/**
 * What is written: all of a plan or nothing, whatever its files are called, wherever they lie,
 * whoever they belong to.
 */
import { H, HERE, LOGIN, main, MAIN, NOBODY, OPEN, section, SHUT, tree, type Case } from './case';

const AWAY = 'from 192.168.0.7';
const LOCAL = 'from 127.0.0.1';
/**
 * The part asks for a login where the main file looks at addresses: converted, either file needs
 * the other.
 */
const inPart = (part: string) =>
  tree(main(NOBODY, section(`Directory ${H}`, `AllowOverride None\n${HERE}`), `Include ${part}\n`), {
    [part]: section(`Directory ${H}/a`, LOGIN),
    'www/a/f': '',
  });
const PART_ANSWERS = { [`/a/f ${AWAY}`]: 403, [`/a/f ${LOCAL}`]: 401, [`/f ${LOCAL}`]: 200 };

export const WRITTEN: readonly Case[] = [
  ...[
    'conf/part.inc',
    'conf/part.cfg',
    'conf/part',
    '.git/part.conf',
    'node_modules/part.conf',
    '.hidden/part.conf',
    'conf/part.conf.bak',
    'conf/part.conf~',
  ].flatMap((part) =>
    [
      ['fix', '--write', '.'],
      ['fix', '--write', '--assume-standalone', '.'],
    ].map(
      (run): Case => ({
        name: `a part called ${part}: ${run.join(' ')}`,
        tree: inPart(part),
        urls: ['/f', '/a/f'],
        run: [run],
        answers: PART_ANSWERS,
      }),
    ),
  ),
  {
    name: 'a .htaccess by another name: fix --write on the directory',
    tree: tree(main('AccessFileName .acl\n', NOBODY, section(`Directory ${H}`, `AllowOverride All\n${HERE}`)), {
      'www/.acl': 'Order deny,allow\nDeny from all\nAllow from 127.0.0.1 192.168\n',
      'www/a/.acl': HERE,
      'www/a/f': '',
    }),
    urls: ['/f', '/a/f'],
    run: [['fix', '--write', '.']],
    answers: { [`/a/f ${AWAY}`]: 403, [`/f ${AWAY}`]: 200 },
  },
  {
    name: 'a .htaccess in node_modules: fix --write on the directory',
    tree: tree(main(NOBODY, section(`Directory ${H}`, `AllowOverride All\n${SHUT}`)), {
      'www/node_modules/.htaccess': OPEN,
      'www/node_modules/f': '',
      'www/.git/.htaccess': HERE,
      'www/.git/f': '',
    }),
    urls: ['/f', '/node_modules/f', '/.git/f'],
    run: [['fix', '--write', '.']],
    answers: { [`/node_modules/f ${AWAY}`]: 200, [`/.git/f ${AWAY}`]: 403 },
  },
  ...(
    [
      ['foreign', {}],
      ['a hard link', { 'other/part.txt': 'conf/part.conf' }],
    ] as const
  ).map(
    ([what, hardLinks]): Case => ({
      name: `a part that cannot be written: ${what}`,
      tree: { ...inPart('conf/part.conf'), ...(what === 'foreign' ? { foreign: ['conf/part.conf'] } : { hardLinks }) },
      urls: ['/f', '/a/f'],
      asOther: what === 'foreign',
      answers: PART_ANSWERS,
    }),
  ),
  ...(
    [
      ['foreign', {}],
      ['a hard link', { 'other/part.txt': 'conf/part.conf' }],
    ] as const
  ).map(
    ([what, hardLinks]): Case => ({
      name: `a part that cannot be written, and a second run: ${what}`,
      tree: { ...inPart('conf/part.conf'), ...(what === 'foreign' ? { foreign: ['conf/part.conf'] } : { hardLinks }) },
      urls: ['/f', '/a/f'],
      asOther: what === 'foreign',
      run: [
        ['fix', '--write', MAIN],
        ['fix', '--write', MAIN],
        ['fix', '--write', '.'],
      ],
      answers: PART_ANSWERS,
    }),
  ),
  {
    name: 'a main file that cannot be written',
    tree: {
      ...tree(
        main(NOBODY, section(`Directory ${H}`, `AllowOverride None\n${LOGIN}${OPEN}`), 'Include conf/part.conf\n'),
        { 'conf/part.conf': section(`Directory ${H}/a`, HERE), 'www/a/f': '' },
      ),
      foreign: [MAIN],
    },
    urls: ['/f', '/a/f'],
    asOther: true,
    answers: { [`/a/f ${AWAY}`]: 403, [`/f ${AWAY}`]: 401 },
  },
  {
    name: 'a .htaccess that cannot be written',
    tree: {
      ...tree(main(NOBODY, section(`Directory ${H}`, `AllowOverride All\n${SHUT}`)), {
        'www/a/.htaccess': OPEN,
        'www/a/f': '',
      }),
      foreign: ['www/a/.htaccess'],
    },
    urls: ['/f', '/a/f'],
    asOther: true,
    answers: { [`/a/f ${AWAY}`]: 200, [`/f ${AWAY}`]: 403 },
  },
  {
    name: 'a tree that somebody converted by half',
    tree: tree(
      main(
        section('Directory /', 'AllowOverride None\nRequire all denied\n'),
        section(`Directory ${H}`, 'AllowOverride None\nRequire all granted\n'),
        'Include conf/part.conf\n',
      ),
      { 'conf/part.conf': section(`Directory ${H}`, HERE) },
    ),
    urls: ['/f'],
    answers: {},
  },
  {
    name: 'a tree that somebody converted by half: the part opens what is shut by now',
    tree: tree(
      main(
        section('Directory /', 'AllowOverride None\nRequire all denied\n'),
        section(`Directory ${H}`, 'AllowOverride None\nRequire ip 127.0.0.1\n'),
        'Include conf/part.conf\n',
      ),
      { 'conf/part.conf': section(`Directory ${H}/a`, OPEN), 'www/a/f': '' },
    ),
    urls: ['/f', '/a/f'],
    answers: {},
  },
  {
    name: 'a tree that somebody converted by half, with a login',
    tree: tree(
      main(
        section('Directory /', 'AllowOverride None\nRequire all denied\n'),
        section(`Directory ${H}`, `AllowOverride None\n${LOGIN}`),
        'Include conf/part.conf\n',
      ),
      {
        'conf/part.conf': section(`Directory ${H}/a`, OPEN) + section('Location /b', HERE),
        'www/a/f': '',
        'www/b/f': '',
      },
    ),
    urls: ['/f', '/a/f', '/b/f'],
    answers: {},
  },
  {
    name: 'a section that a comment keeps as it is',
    tree: tree(
      main(
        NOBODY,
        section(`Directory ${H}`, `AllowOverride None\n${OPEN}`),
        `# httpd-upgrade-ignore order-allow-deny\n${section(`Directory ${H}/a`, HERE)}`,
      ),
      { 'www/a/f': '' },
    ),
    urls: ['/f', '/a/f'],
    answers: { [`/a/f ${AWAY}`]: 403, [`/f ${AWAY}`]: 200 },
    contains: { [MAIN]: `# httpd-upgrade-ignore order-allow-deny\n<Directory ${H}/a>\n${HERE}` },
  },
  {
    name: 'a line that a comment keeps as it is',
    tree: tree(
      main(
        NOBODY,
        section(`Directory ${H}`, `AllowOverride None\n# httpd-upgrade-ignore order-allow-deny\n${OPEN}`),
        section(`Directory ${H}/a`, HERE),
      ),
      { 'www/a/f': '' },
    ),
    urls: ['/f', '/a/f'],
    answers: { [`/a/f ${AWAY}`]: 403, [`/f ${AWAY}`]: 200 },
    contains: { [MAIN]: '# httpd-upgrade-ignore order-allow-deny\nOrder allow,deny' },
  },
];
