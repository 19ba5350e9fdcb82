/**
 * Files that the server reads as .htaccess under other names than their own: by links, by links to
 * directories, by hard links, by AccessFileName.
 */
import { ROOT } from '../disk';
import { H, LOGIN, main, MAIN, NOBODY, OPEN, section, SHUT, tree, type Case } from './case';

const AWAY = 'from 10.0.0.1';
/** Read with this AllowOverride, it makes every answer a 500. */
const REFUSED = 'DefaultType text/plain\n';
const NARROW = `AllowOverride AuthConfig Limit\n${OPEN}`;
const WIDE = `AllowOverride All\n${OPEN}`;

/** Lines that serve directories which they do not name, and a directory around those. */
const PATTERNS: Readonly<
  Record<string, { readonly lines: string; readonly folder: string; readonly url: string; readonly host?: boolean }>
> = {
  AliasMatch: { lines: `AliasMatch ^/u/(.*) ${ROOT}/pub/$1\n`, folder: 'pub', url: '/u/a/f' },
  UserDir: { lines: `UserDir ${ROOT}/home\n`, folder: 'home', url: '/~a/f' },
  VirtualDocumentRoot: { lines: `VirtualDocumentRoot ${ROOT}/hosts/%0\n`, folder: 'hosts', url: '/f', host: true },
};

/** In what ways a file by itself is fixed, by the command line and in an editor. */
function everyWay(file: string, name: string, rest: Omit<Case, 'name'>): Case[] {
  return [
    {
      ...rest,
      name: `${name}: fix --write of all, of the file, of both`,
      run: [
        ['fix', '--write', '.'],
        ['fix', '--write', file, MAIN],
        ['fix', '--write', MAIN],
        ['fix', '--write', '--assume-standalone', MAIN],
      ],
    },
    { ...rest, name: `${name}: Fix All`, editor: 'fix-all', inFiles: [file] },
    { ...rest, name: `${name}: the preferred quick fixes`, editor: 'preferred', inFiles: [file] },
  ];
}

export const LINKED: readonly Case[] = [
  ...['.htaccess', '.acl'].flatMap((name) =>
    everyWay('shared/rules', `a file that a ${name} links to`, {
      tree: tree(
        main('AccessFileName .htaccess .acl\n', NOBODY, section(`Directory ${H}`, NARROW)),
        { 'shared/rules': REFUSED },
        { links: { [`www/${name}`]: '../shared/rules' } },
      ),
      urls: ['/f'],
      answers: { [`/f ${AWAY}`]: 500 },
    }),
  ),
  ...everyWay('shared/rules', 'a file that an AccessFileName of a virtual host links to', {
    tree: tree(
      main(
        NOBODY,
        section(`Directory ${H}`, NARROW),
        'NameVirtualHost *\n',
        section('VirtualHost *', `ServerName h\nAccessFileName access.cfg\n`),
      ),
      { 'shared/rules': REFUSED },
      { links: { 'www/access.cfg': '../shared/rules' } },
    ),
    urls: ['/f'],
    answers: { [`/f ${AWAY}`]: 500 },
  }),
  ...everyWay('shared/rules.conf', 'a file that a section includes and a .htaccess links to', {
    tree: tree(
      main(NOBODY, section(`Directory ${H}`, NARROW), section(`Directory ${ROOT}/pub`, 'Include shared/rules.conf\n')),
      { 'shared/rules.conf': REFUSED, 'pub/f': '' },
      { links: { 'www/.htaccess': '../shared/rules.conf' } },
    ),
    urls: ['/f'],
    answers: { [`/f ${AWAY}`]: 500 },
  }),
  ...everyWay('app/.htaccess', 'a .htaccess of a directory that is linked to where AllowOverride grants less', {
    tree: tree(
      main(
        `Alias /app ${ROOT}/app\n`,
        NOBODY,
        section(`Directory ${H}`, NARROW),
        section(`Directory ${ROOT}/app`, WIDE),
      ),
      { 'app/.htaccess': REFUSED, 'app/f': '' },
      { links: { 'www/app2': '../app' } },
    ),
    urls: ['/app/f', '/app2/f'],
    answers: { [`/app/f ${AWAY}`]: 200, [`/app2/f ${AWAY}`]: 500 },
  }),
  ...everyWay('app/.htaccess', 'a .htaccess that another one links to where AllowOverride grants less', {
    tree: tree(
      main(
        `Alias /app ${ROOT}/app\n`,
        NOBODY,
        section(`Directory ${H}`, NARROW),
        section(`Directory ${ROOT}/app`, WIDE),
      ),
      { 'app/.htaccess': REFUSED, 'app/f': '' },
      { links: { 'www/.htaccess': '../app/.htaccess' } },
    ),
    urls: ['/app/f', '/f'],
    answers: { [`/app/f ${AWAY}`]: 200, [`/f ${AWAY}`]: 500 },
  }),
  ...['.htaccess', '.acl'].flatMap((name) =>
    everyWay('shared/rules', `a file of which ${name} is a second name`, {
      tree: tree(
        main('AccessFileName .htaccess .acl\n', NOBODY, section(`Directory ${H}`, NARROW)),
        { 'shared/rules': REFUSED },
        { hardLinks: { [`www/${name}`]: 'shared/rules' } },
      ),
      urls: ['/f'],
      answers: { [`/f ${AWAY}`]: 500 },
    }),
  ),
  ...Object.entries(PATTERNS).flatMap(([name, { lines, folder, url, host }]) =>
    everyWay(
      'www/.htaccess',
      `a .htaccess that another one links to where ${name} leads and AllowOverride grants less`,
      {
        tree: tree(
          main(lines, NOBODY, section(`Directory ${H}`, WIDE), section(`Directory ${ROOT}/${folder}`, NARROW)),
          { 'www/.htaccess': REFUSED, [`${folder}/a/f`]: '', 'www/a/f': '' },
          { links: { [`${folder}/a/.htaccess`]: '../../www/.htaccess' } },
        ),
        urls: [url],
        answers: host ? {} : { [`${url} ${AWAY}`]: 500 },
      },
    ),
  ),
  ...everyWay('www/.htaccess', 'a .htaccess that another one above what is served links to', {
    tree: tree(
      main(
        `Alias /x ${ROOT}/home/a\n`,
        NOBODY,
        section(`Directory ${H}`, WIDE),
        section(`Directory ${ROOT}/home`, NARROW),
      ),
      { 'www/.htaccess': REFUSED, 'home/a/f': '' },
      { links: { 'home/.htaccess': '../www/.htaccess' } },
    ),
    urls: ['/x/f'],
    answers: { [`/x/f ${AWAY}`]: 500 },
  }),
  ...['conf/second.conf', 'second/httpd.conf'].flatMap((second) =>
    everyWay('www/.htaccess', `a .htaccess of two servers, where ${second} grants less`, {
      tree: (() => {
        const own = tree(main(NOBODY, section(`Directory ${H}`, WIDE)), {
          'www/.htaccess': REFUSED,
          [second]: main(NOBODY, section(`Directory ${H}`, NARROW))
            .replace('run/httpd.pid', 'run/second.pid')
            .replace('Listen 80', 'Listen 81'),
        });
        return { ...own, servers: [...own.servers, { main: second }] };
      })(),
      urls: ['/f'],
      answers: { [`/f ${AWAY}`]: 200 },
    }),
  ),
  ...['.htaccess', '.acl'].flatMap((name) =>
    everyWay('shared/rules', `a file that a ${name} links to, with access control of its own`, {
      tree: tree(
        main(
          'AccessFileName .htaccess .acl\n',
          NOBODY,
          section(`Directory ${H}`, `AllowOverride All\n${LOGIN}${OPEN}`),
        ),
        { 'shared/rules': 'Order allow,deny\nAllow from all\nDeny from 10\n' },
        { links: { [`www/${name}`]: '../shared/rules' } },
      ),
      urls: ['/f'],
      answers: { [`/f ${AWAY}`]: 403, '/f from 127.0.0.1': 401 },
    }),
  ),
  ...['shared/rules', 'shared/rules.conf', 'www/.acl'].map(
    (file): Case => ({
      name: `a file that a .htaccess links to, by itself: fix --write ${file}`,
      tree: tree(
        main('AccessFileName .htaccess .acl\n', NOBODY, section(`Directory ${H}`, NARROW)),
        { [file]: REFUSED },
        file === 'www/.acl' ? {} : { links: { 'www/.htaccess': `../${file}` } },
      ),
      urls: ['/f'],
      run: [['fix', '--write', file]],
      answers: { [`/f ${AWAY}`]: 500 },
    }),
  ),
  ...[`${ROOT}/machine/by/../sites/x`, '../by/../sites/x'].map(
    (target): Case => ({
      name: `a link of a copy whose text goes up behind a directory that is a link: ${target}`,
      tree: {
        files: {
          'copy/conf/httpd.conf': `ServerRoot "${ROOT}/machine"\nPidFile run/httpd.pid\nListen 80\nDocumentRoot "${ROOT}/machine/www"\n${NOBODY}Include conf.d/*.conf\n`,
          'copy/sites/x': section(`Directory ${ROOT}/machine/www`, SHUT),
          'copy/far/sites/x': section(`Directory ${ROOT}/machine/www`, OPEN),
          'copy/far/away/f': '',
          'copy/www/f': '',
        },
        links: { 'copy/conf.d/x.conf': target, 'copy/by': `${ROOT}/machine/far/away` },
        servers: [{ main: 'copy/conf/httpd.conf', elsewhere: { from: 'copy', to: 'machine', files: {} } }],
      },
      urls: ['/f'],
      run: [['fix', '--write', 'copy']],
      answers: { [`/f ${AWAY}`]: 200 },
      untouched: ['copy/sites'],
    }),
  ),
];
