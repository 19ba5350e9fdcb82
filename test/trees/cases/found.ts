/**
 * Which files decide: .htaccess files above what is served and below links, names of
 * AccessFileName, parts that are taken for the whole, other machines.
 */
import { ROOT } from '../disk';
import { H, HERE, LOGIN, main, MAIN, NOBODY, OPEN, section, SHUT, tree, type Case } from './case';

const ALL = 'AllowOverride All\n';
const AWAY = 'from 192.168.0.7';
const LOCAL = 'from 127.0.0.1';

/** There a .htaccess asks for a login, here none does. */
function copied(isServerRootHere: boolean): Case['tree'] {
  const here = { 'machine/www/f': '', 'machine/www/b/.htaccess': HERE, 'machine/www/b/f': '' };
  return {
    files: {
      'copy/conf/httpd.conf': `ServerRoot "${ROOT}/machine/httpd"\nPidFile run/httpd.pid\nListen 80\nDocumentRoot "${ROOT}/machine/www"\n${NOBODY}${section(`Directory ${ROOT}/machine/www`, `AllowOverride All\n${OPEN}`)}`,
      ...here,
      ...(isServerRootHere ? { 'machine/httpd/conf/httpd.conf': `ServerRoot "${ROOT}/machine/httpd"\n` } : {}),
    },
    servers: [
      {
        main: 'copy/conf/httpd.conf',
        elsewhere: {
          from: 'copy',
          to: 'machine/httpd',
          files: { 'machine/www/f': '', 'machine/www/.htaccess': LOGIN, 'machine/conf/passwd': '' },
        },
      },
    ],
  };
}

/**
 * A directory whose .htaccess has to be allowed to say Require, and one below it where none is
 * read.
 */
const SHUT_BELOW: Readonly<Record<string, string>> = {
  None: section(`Directory ${H}/a`, 'AllowOverride None\n'),
  'None, before it': '',
  FileInfo: section(`Directory ${H}/a`, 'AllowOverride FileInfo\n'),
  'None by a wildcard': section(`Directory ${ROOT}/*/a`, 'AllowOverride None\n'),
  'None in a condition': section(`Directory ${H}/a`, '<IfModule mod_alias.c>\nAllowOverride None\n</IfModule>\n'),
  'None in a virtual host': `NameVirtualHost *\n${section('VirtualHost *', `ServerName h\n${section(`Directory ${H}/a`, 'AllowOverride None\n')}`)}`,
  'None in a part': 'Include conf/part.inc\n',
};

/** What serves a directory of each user. */
const HOMES: Readonly<Record<string, string>> = {
  'UserDir with a wildcard': `UserDir ${ROOT}/home/*/public_html\n`,
  'UserDir without one': `UserDir ${ROOT}/home\n`,
  AliasMatch: `AliasMatch ^/~([^/]+)(/.*)?$ ${ROOT}/home/$1/public_html$2\n`,
  'AccessFileName beside it': `AccessFileName .acl .htaccess\nUserDir ${ROOT}/home/*/public_html\n`,
};

/** Where it is known which AllowOverride holds, so that the .htaccess further out is converted. */
const isKnown = (name: string) => !/condition|host/.test(name);

export const FOUND: readonly Case[] = [
  {
    name: 'a copy, whose AllowOverride admits .htaccess files further in than what is served',
    tree: {
      files: {
        'copy/conf/httpd.conf': `ServerRoot "${ROOT}/machine/httpd"\nPidFile run/httpd.pid\nListen 80\nDocumentRoot "${ROOT}/machine/www"\n${NOBODY}${section(`Directory ${ROOT}/machine/www`, OPEN)}${section(`Directory ${ROOT}/machine/www/a`, ALL + SHUT)}`,
      },
      servers: [
        {
          main: 'copy/conf/httpd.conf',
          elsewhere: {
            from: 'copy',
            to: 'machine/httpd',
            files: { 'machine/www/f': '', 'machine/www/a/b/.htaccess': 'Allow from 10\n', 'machine/www/a/b/f': '' },
          },
        },
      ],
    },
    urls: ['/f', '/a/b/f'],
    answers: { '/a/b/f from 10.0.0.1': 200 },
  },
  {
    name: 'a copy, whose AllowOverride admits .htaccess files by a pattern further in than what is served',
    tree: {
      files: {
        'copy/conf/httpd.conf': `ServerRoot "${ROOT}/machine/httpd"\nPidFile run/httpd.pid\nListen 80\nDocumentRoot "${ROOT}/machine/www"\n${NOBODY}${section(`Directory ${ROOT}/machine/www`, OPEN)}${section(`Directory ${ROOT}/machine/*/a`, ALL + SHUT)}`,
      },
      servers: [
        {
          main: 'copy/conf/httpd.conf',
          elsewhere: {
            from: 'copy',
            to: 'machine/httpd',
            files: { 'machine/www/f': '', 'machine/www/a/b/.htaccess': 'Allow from 10\n', 'machine/www/a/b/f': '' },
          },
        },
      ],
    },
    urls: ['/f', '/a/b/f'],
    answers: { '/a/b/f from 10.0.0.1': 200 },
  },
  {
    name: 'a copy with a .htaccess of what it serves under another path, --assume-standalone on the directory',
    tree: {
      files: {
        'copy/conf/httpd.conf': `ServerRoot "${ROOT}/machine/httpd"\nPidFile run/httpd.pid\nListen 80\nDocumentRoot "${ROOT}/machine/www"\n${section('Directory /', ALL + SHUT)}`,
        'copy/html/.htaccess': 'Allow from all\n',
      },
      servers: [
        {
          main: 'copy/conf/httpd.conf',
          elsewhere: {
            from: 'copy',
            to: 'machine/httpd',
            files: { 'machine/www/f': '', 'machine/www/.htaccess': 'Allow from all\n' },
          },
        },
      ],
    },
    urls: ['/f'],
    run: [['fix', '--write', '--assume-standalone', 'copy']],
    answers: { '/f from 10.0.0.1': 200 },
  },
  ...['conf.d/auth.conf', 'conf.d/a*.conf'].map(
    (included): Case => ({
      name: `a copy in which a file that is included as ${included} lies in another directory, --assume-standalone on the directory`,
      tree: {
        files: {
          'copy/conf/httpd.conf': `ServerRoot "${ROOT}/machine/httpd"\nPidFile run/httpd.pid\nListen 80\nDocumentRoot "${ROOT}/machine/www"\n${NOBODY}Include ${included}\n${section(`Directory ${ROOT}/machine/www`, OPEN)}`,
          'copy/auth.conf': section(`Directory ${ROOT}/machine/www`, LOGIN),
        },
        servers: [
          {
            main: 'copy/conf/httpd.conf',
            elsewhere: {
              from: 'copy',
              to: 'machine/httpd',
              files: {
                'machine/www/f': '',
                'machine/httpd/conf.d/auth.conf': section(`Directory ${ROOT}/machine/www`, LOGIN),
              },
            },
          },
        ],
      },
      urls: ['/f'],
      run: [['fix', '--write', '--assume-standalone', 'copy']],
      answers: { '/f from 10.0.0.1': 401 },
    }),
  ),
  ...['.htaccess', '.acl'].map(
    (name): Case => ({
      name: `a ${name} that is a link to a file of another name, with a line that AllowOverride refuses`,
      tree: tree(
        main(
          'AccessFileName .htaccess .acl\n',
          NOBODY,
          section(`Directory ${H}`, `AllowOverride AuthConfig Limit\n${OPEN}`),
        ),
        { 'shared/rules': 'DefaultType text/plain\n', 'www/f': '' },
        { links: { [`www/${name}`]: '../shared/rules' } },
      ),
      urls: ['/f'],
      run: [
        ['fix', '--write', MAIN],
        ['fix', '--write', '.'],
        ['fix', '--write', 'shared/rules', MAIN],
      ],
      answers: { '/f from 10.0.0.1': 500 },
    }),
  ),
  ...[
    'Order allow,deny\nAllow from all\n',
    '# everybody\nOrder allow,deny\nAllow from all\n',
    '<Limit GET POST>\nOrder allow,deny\nAllow from all\n</Limit>\n',
  ].map(
    (lines, i): Case => ({
      name: `AllowOverride Limit right in front of what is converted, as a suggestion has Require admitted (${i})`,
      tree: tree(main(section(`Directory ${H}`, `AllowOverride Limit\n${lines}`)), {
        'www/.htaccess': 'Deny from 10.1.2.3\n',
        'www/f': '',
      }),
      urls: ['/f'],
      run: [['fix', '--write', '--unsafe', MAIN]],
      answers: { [`/f ${AWAY}`]: 200, '/f from 10.1.2.3': 403 },
      contains: { [MAIN]: 'AllowOverrideList Require' },
    }),
  ),
  ...['www/g\xfc', 'www/g\xfc/b', 'www/b/\xe9t\xe9'].flatMap((holder) =>
    ['All', 'None'].map(
      (override): Case => ({
        name: `a .htaccess in ${holder.replace(/[\x80-\xff]/g, '?')}, a name that is no UTF-8, with AllowOverride ${override} further out`,
        tree: tree(
          main(
            section('Directory /', `AllowOverride ${override}\n${SHUT}`),
            section(`Directory ${ROOT}/${holder}`, ALL),
          ),
          { [`${holder}/.htaccess`]: 'Allow from all\n', [`${holder}/f`]: '' },
        ),
        urls: ['/f', `/${holder.slice(4)}/f`],
        run: [
          ['fix', '--write', MAIN],
          ['fix', '--write', '.'],
        ],
        answers: { [`/${holder.slice(4)}/f ${AWAY}`]: 200, [`/f ${AWAY}`]: 403 },
      }),
    ),
  ),
  ...['www/a/b', 'www', '', 'pub'].map(
    (holder): Case => ({
      name: `the defaults of 2.2 are written out, and a .htaccess in ${holder || '.'} has a Satisfy that 2.4 answers otherwise`,
      tree: tree(`ServerRoot "${ROOT}"\nDocumentRoot "${H}"\nAlias /pub ${ROOT}/pub\n`, {
        [holder === '' ? '.htaccess' : `${holder}/.htaccess`]: 'Deny from all\nSatisfy Any\n',
        'www/a/b/f': '',
        'pub/f': '',
      }),
      urls: ['/a/b/f', '/pub/f'],
      run: [['fix', '--write', '--answer', 'defaults=2.2', MAIN]],
      answers: { [holder === 'pub' ? `/pub/f ${AWAY}` : `/a/b/f ${AWAY}`]: 403 },
      contains: { [MAIN]: 'Timeout 300' },
    }),
  ),
  ...[MAIN, '.'].flatMap((given) =>
    [[], ['--assume-standalone']].map(
      (options): Case => ({
        name: `a directory that a file names in Latin-1, and one that has the name in UTF-8: ${[...options, given].join(' ')}`,
        tree: tree(
          main(
            NOBODY,
            section(`Directory ${H}`, ALL + OPEN),
            section(`Directory "${H}/g\xfc"`, `${OPEN}Satisfy Any\n`),
          ),
          { 'www/g\xc3\xbc/.htaccess': LOGIN, 'www/g\xc3\xbc/f': '' },
        ),
        urls: ['/f', '/g\xc3\xbc/f'],
        run: [['fix', '--write', ...options, given]],
        answers: { [`/f ${AWAY}`]: 200, [`/g\xc3\xbc/f ${AWAY}`]: 401 },
      }),
    ),
  ),
  {
    name: 'Files that a .htaccess names in Latin-1, and the server in UTF-8',
    tree: tree(
      main(NOBODY, section(`Directory ${H}`, ALL + OPEN + section('Files "\xc3\xbc"', `${LOGIN}Satisfy Any\n`))),
      { 'www/.htaccess': section('Files "\xfc"', SHUT), 'www/\xc3\xbc': '' },
    ),
    urls: ['/f', '/\xc3\xbc'],
    answers: { [`/f ${AWAY}`]: 200, [`/\xc3\xbc ${AWAY}`]: 200 },
  },
  ...['conf.d/*.conf', 'conf.d', 'conf.d/*/a.conf'].map(
    (what): Case => ({
      name: `a part whose name is no UTF-8: Include ${what}`,
      tree: tree(main(NOBODY, section(`Directory ${H}`, SHUT), `Include ${what}\n`), {
        [what.endsWith('a.conf') ? 'conf.d/g\xfc/a.conf' : 'conf.d/g\xfc.conf']: section(`Directory ${H}`, OPEN),
        'www/f': '',
      }),
      urls: ['/f'],
      answers: what.endsWith('a.conf') ? {} : { [`/f ${AWAY}`]: 200 },
    }),
  ),
  {
    name: 'a .htaccess that only a pattern of AliasMatch leads to, --assume-standalone on the directory',
    tree: tree(
      main(
        `AliasMatch ^/~([^/]+)(/.*)?$ ${ROOT}/home/$1/public_html$2\n`,
        section('Directory /', ALL + 'Deny from all\n'),
      ),
      { 'home/ann/.htaccess': 'Deny from 10.9.9.9\n', 'home/ann/public_html/f': '' },
    ),
    urls: ['/~ann/f'],
    run: [['fix', '--write', '--assume-standalone', '.']],
    answers: { '/~ann/f from 10.0.0.1': 200 },
  },
  {
    name: 'a main file of another name that admits Limit alone, --assume-standalone on the directory',
    tree: {
      files: {
        'etc/main.cf': `ServerRoot ${ROOT}\nPidFile run/httpd.pid\nDocumentRoot pub\nVirtualDocumentRoot ${ROOT}/%1\n${section('Directory /', 'AllowOverride Limit\n')}`,
        'pub/.htaccess': 'Deny from 10.9.9.9\n',
        'pub/f': '',
      },
      servers: [{ main: 'etc/main.cf' }],
    },
    urls: ['/f'],
    run: [['fix', '--write', '--assume-standalone', '.']],
    answers: {},
    untouched: ['pub/.htaccess'],
  },
  {
    name: 'a byte order mark in a file that AccessFileName of a main file of another name reads, --assume-standalone on the directory',
    tree: {
      files: {
        'conf/server-a.conf': `ServerRoot ${ROOT}\nAccessFileName access.cfg\nDocumentRoot www\n${section('Directory /', ALL)}`,
        'www/access.cfg': '\xef\xbb\xbfOrder allow,deny\nAllow from all\n',
        'www/f': '',
      },
      servers: [{ main: 'conf/server-a.conf' }],
    },
    urls: ['/f'],
    run: [['fix', '--write', '--assume-standalone', '.']],
    answers: { [`/f ${AWAY}`]: 500 },
  },
  {
    name: "a part that a server reads whose main file lies in a directory beside this one's",
    tree: (() => {
      const second = main(
        NOBODY,
        'Include conf/part.inc\n',
        section(`Directory ${H}/b`, 'Order allow,deny\nAllow from 127.0.0.1\n'),
      ).replace('run/httpd.pid', 'run/second.pid');
      const files = {
        'second/httpd.conf': second,
        'conf/part.inc': section(`DirectoryMatch "^${H}/a"`, LOGIN + OPEN),
        'www/a/f': '',
      };
      const own = tree(main(NOBODY, 'Include conf/part.inc\n'), files);
      return { ...own, servers: [...own.servers, { main: 'second/httpd.conf' }] };
    })(),
    urls: ['/a/f', '/f'],
    answers: { [`/a/f ${AWAY}`]: 401, [`/f ${AWAY}`]: 403 },
  },
  ...Object.entries(HOMES).flatMap(([name, lines]) =>
    ['home/ann', 'home/ann/public_html', 'home'].map(
      (holder): Case => ({
        name: `a .htaccess in ${holder}, with --assume-standalone for all that is here: ${name}`,
        tree: tree(main(lines, section('Directory /', `AllowOverride Limit\n${SHUT}`)), {
          [`${holder}/${name.startsWith('Access') ? '.acl' : '.htaccess'}`]: 'Allow from all\n',
          'home/ann/public_html/f': '',
          'home/ann/f': '',
        }),
        urls: ['/f', '/~ann/f'],
        run: [['fix', '--write', '--assume-standalone', '.']],
        answers:
          holder === 'home/ann/public_html' && name === 'UserDir without one'
            ? {}
            : { [`/~ann/f ${AWAY}`]: 200, [`/f ${AWAY}`]: 403 },
      }),
    ),
  ),
  ...Object.entries(SHUT_BELOW).map(
    ([name, lines]): Case => ({
      name: `a .htaccess that AllowOverride admits access by, and one further in that it does not: ${name}`,
      tree: tree(
        main(
          NOBODY,
          ...(lines === '' ? [section(`Directory ${H}/a`, 'AllowOverride None\n')] : []),
          section(`Directory ${H}`, 'AllowOverride Limit\n'),
          lines,
        ),
        {
          'www/.htaccess': `${SHUT}Allow from 10\n`,
          'www/a/.htaccess': 'Require all granted\nOptions Indexes\n',
          'www/a/f': '',
          'conf/part.inc': section(`Directory ${H}/a`, 'AllowOverride None\n'),
        },
      ),
      urls: ['/f', '/a/f'],
      run: [['fix', '--write', '--unsafe', MAIN]],
      answers:
        name === 'FileInfo' ? { '/a/f from 10.1.2.3': 500 } : { [`/a/f ${AWAY}`]: 403, '/a/f from 10.1.2.3': 200 },
      contains: isKnown(name) ? { 'www/.htaccess': 'Require ip 10' } : {},
    }),
  ),
  {
    name: 'a .htaccess above the served directory',
    tree: tree(
      main(section('Directory /', ALL + SHUT), section(`Directory ${H}/pub`, OPEN)).replace(
        `DocumentRoot "${H}"`,
        `DocumentRoot ${H}/pub`,
      ),
      { 'www/.htaccess': LOGIN, 'www/pub/f': '' },
    ),
    urls: ['/f'],
    answers: { [`/f ${AWAY}`]: 401 },
  },
  {
    name: "a .htaccess far above the served directory, in the tree's own directory",
    tree: tree(
      main(section('Directory /', ALL + SHUT), section(`Directory ${H}/a/b`, OPEN)).replace(
        `DocumentRoot "${H}"`,
        `DocumentRoot ${H}/a/b`,
      ),
      { '.htaccess': LOGIN, 'www/a/b/f': '' },
    ),
    urls: ['/f'],
    answers: { [`/f ${AWAY}`]: 401 },
  },
  {
    name: 'a .htaccess in a home, above public_html',
    tree: tree(
      main(
        `UserDir ${ROOT}/home/*/public_html\n`,
        NOBODY,
        section(`Directory ${ROOT}/home`, ALL),
        section(`Directory ${ROOT}/home/*/public_html`, OPEN),
      ),
      { 'home/ann/.htaccess': LOGIN, 'home/ann/public_html/f': '' },
    ),
    urls: ['/~ann/f', '/f'],
    answers: { [`/~ann/f ${AWAY}`]: 401, [`/f ${LOCAL}`]: 403 },
  },
  {
    name: 'a .htaccess above the target of an Alias',
    tree: tree(
      main(
        `Alias /doc ${ROOT}/share/doc/html\n`,
        NOBODY,
        section(`Directory ${ROOT}/share`, ALL),
        section(`Directory ${ROOT}/share/doc/html`, OPEN),
      ),
      { 'share/doc/.htaccess': LOGIN, 'share/doc/html/f': '' },
    ),
    urls: ['/doc/f'],
    answers: { [`/doc/f ${AWAY}`]: 401 },
  },
  {
    name: 'a .htaccess that only one of two names leads to',
    tree: tree(
      main(NOBODY, section(`Directory ${H}`, HERE), section(`Directory ${H}/app`, ALL)),
      { 'www/app/.htaccess': LOGIN, 'www/app/f': '' },
      { links: { 'www/current': 'app' } },
    ),
    urls: ['/app/f', '/current/f', '/f'],
    answers: { [`/current/f ${AWAY}`]: 403, [`/app/f ${LOCAL}`]: 401, [`/current/f ${LOCAL}`]: 200 },
  },
  {
    name: 'a link to a directory outside, whose .htaccess opens what the section keeps shut',
    tree: tree(
      main(NOBODY, section(`Directory ${H}`, `AllowOverride Limit AuthConfig\n${HERE}`)),
      { 'www/a/f': '', 'other/.htaccess': LOGIN, 'other/f': '' },
      { links: { 'www/a/out': `${ROOT}/other`, 'other/back': '../www' } },
    ),
    urls: ['/a/f', '/a/out/f', '/f'],
    answers: { [`/a/out/f ${LOCAL}`]: 401, [`/a/out/f ${AWAY}`]: 403 },
  },
  {
    name: 'AccessFileName of a virtual host alone: the main server has its own name',
    tree: tree(
      main(
        'NameVirtualHost *\n',
        NOBODY,
        section(`Directory ${H}`, ALL + HERE),
        section('VirtualHost *', `ServerName a\nDocumentRoot ${H}\n`),
        section('VirtualHost *', `ServerName b\nDocumentRoot ${H}\nAccessFileName .acl\n`),
      ),
      { 'www/.htaccess': LOGIN, 'www/.acl': OPEN },
    ),
    urls: ['/f'],
    answers: { [`/f ${LOCAL}`]: 401, [`/f ${AWAY}`]: 403 },
  },
  {
    name: 'two names of AccessFileName: the first that is there is read, and no other',
    tree: tree(main('AccessFileName .acl .htaccess\n', NOBODY, section(`Directory ${H}`, ALL + OPEN)), {
      'www/.acl': HERE,
      'www/.htaccess': OPEN,
      'www/a/.htaccess': LOGIN,
      'www/a/f': '',
    }),
    urls: ['/f', '/a/f'],
    answers: { [`/f ${AWAY}`]: 403, [`/a/f ${LOCAL}`]: 401, [`/a/f ${AWAY}`]: 403 },
  },
  {
    name: 'two names of AccessFileName, the login in the second',
    tree: tree(main('AccessFileName .htaccess .acl\n', NOBODY, section(`Directory ${H}`, ALL + SHUT)), {
      'www/.htaccess': HERE,
      'www/.acl': LOGIN,
      'www/a/.acl': `${OPEN}${LOGIN}`,
      'www/a/f': '',
    }),
    urls: ['/f', '/a/f'],
    answers: { [`/f ${LOCAL}`]: 200, [`/f ${AWAY}`]: 403, [`/a/f ${AWAY}`]: 401 },
  },
  ...['All None', 'None All', 'None Limit AuthConfig', 'All Limit', 'all none Limit AuthConfig', 'Limit None'].flatMap(
    (words) =>
      [OPEN, LOGIN].map(
        (text): Case => ({
          name: `AllowOverride ${words}, and a .htaccess with ${text === OPEN ? 'Allow' : 'Require'}`,
          tree: tree(main(NOBODY, section(`Directory ${H}`, `AllowOverride ${words}\n${HERE}`)), {
            'www/.htaccess': text,
          }),
          urls: ['/f'],
          answers: {
            [`/f ${LOCAL}`]: /none$/i.test(words) || text === OPEN ? 200 : 401,
            [`/f ${AWAY}`]: /none$/i.test(words) || text === LOGIN ? 403 : 200,
          },
        }),
      ),
  ),
  ...['PidFile run/httpd.pid\n', `ServerRoot "${ROOT}"\n`].map(
    (line): Case => ({
      name: `an included part that looks like a whole configuration: ${line.split(' ')[0]}`,
      tree: tree(
        `Include conf/base.inc\n${section(`Directory ${H}`, `AllowOverride None\n${LOGIN}`)}Include conf/part.conf\nDocumentRoot ${H}\n`
          .replace('conf/base.inc', `${ROOT}/conf/base.inc`)
          .replace('conf/part.conf', `${ROOT}/conf/part.conf`),
        {
          'conf/base.inc': `ServerRoot "${ROOT}"\n`,
          'conf/part.conf': `${line}${section('Directory /', 'AllowOverride None\n')}${section(`Directory ${H}/a`, OPEN)}`,
          'www/a/f': '',
        },
      ),
      urls: ['/f', '/a/f'],
      run: [['fix', '--write', 'conf/part.conf']],
      answers: { [`/a/f ${AWAY}`]: 401, [`/f ${AWAY}`]: 401 },
    }),
  ),
  {
    name: 'an included part that looks like a whole configuration, Fix All',
    tree: tree(
      `Include "${ROOT}/conf/part.conf"\n${section(`Directory ${H}`, `AllowOverride None\n${LOGIN}`)}`,
      {
        'conf/part.conf': `ServerRoot "${ROOT}"\nDocumentRoot ${H}\n${section('Directory /', 'AllowOverride None\n')}${section(`Directory ${H}/a`, OPEN)}`,
        'www/a/f': '',
      },
      { server: { main: 'conf/server.cf' } },
    ),
    urls: ['/f', '/a/f'],
    editor: 'fix-all',
    inFiles: ['conf/part.conf'],
    answers: { [`/a/f ${AWAY}`]: 401 },
  },
  {
    name: 'two roots that share a part, --assume-standalone on the directory',
    tree: {
      files: {
        'a/httpd.conf': main(NOBODY, section(`Directory ${H}`, OPEN), `Include ${ROOT}/shared.conf\n`),
        'b/httpd.conf': main(NOBODY, section(`Directory ${H}`, LOGIN + SHUT), `Include ${ROOT}/shared.conf\n`),
        'shared.conf': section(`Directory ${H}/a`, OPEN),
        'www/a/f': '',
        'www/f': '',
        'conf/passwd': '',
      },
      servers: [{ main: 'a/httpd.conf' }, { main: 'b/httpd.conf' }],
    },
    urls: ['/f', '/a/f'],
    run: [['fix', '--write', '--assume-standalone', '.']],
    answers: { [`/f ${AWAY}`]: 200 },
  },
  ...['conf/httpd.conf', 'second/httpd.conf'].map(
    (given): Case => ({
      name: `two roots in directories beside each other that share a .htaccess, and ${given} is given`,
      tree: {
        files: {
          'conf/httpd.conf': main(section('Directory /', `AllowOverride AuthConfig Limit\n${OPEN}`)),
          'second/httpd.conf': main(section('Directory /', 'AllowOverride All\nDeny from all\n')),
          'www/.htaccess': 'Deny from 10.9.9.9\n',
          'www/f': '',
        },
        servers: [{ main: 'conf/httpd.conf' }, { main: 'second/httpd.conf' }],
      },
      urls: ['/f'],
      run: [['fix', '--write', given]],
      answers: {},
    }),
  ),
  {
    name: 'two roots that share a part, the directory',
    tree: {
      files: {
        'a/httpd.conf': main(NOBODY, section(`Directory ${H}`, OPEN), `Include ${ROOT}/shared.conf\n`),
        'b/httpd.conf': main(NOBODY, section(`Directory ${H}`, LOGIN + SHUT), `Include ${ROOT}/shared.conf\n`),
        'shared.conf': section(`Directory ${H}/a`, OPEN),
        'www/a/f': '',
        'www/f': '',
        'conf/passwd': '',
      },
      servers: [{ main: 'a/httpd.conf' }, { main: 'b/httpd.conf' }],
    },
    urls: ['/f', '/a/f'],
    run: [['fix', '--write', '.']],
    answers: { [`/f ${AWAY}`]: 200 },
  },
  ...[
    ['fix', '--write', '--assume-standalone', '.'],
    ['fix', '--write', '.'],
  ].map(
    (run): Case => ({
      name: `a main file with another name: ${run.join(' ')}`,
      tree: tree(
        main(NOBODY, section(`Directory ${H}`, LOGIN + OPEN), 'Include conf.d/*.conf\n'),
        { 'conf.d/a.conf': section(`Directory ${H}/a`, OPEN), 'www/a/f': '' },
        { server: { main: 'conf/server-a.conf' } },
      ),
      urls: ['/f', '/a/f'],
      run: [run],
      answers: { [`/a/f ${AWAY}`]: 401, [`/f ${AWAY}`]: 401 },
    }),
  ),
  {
    name: '--assume-standalone says nothing of which name a link leads by',
    tree: tree(
      main(NOBODY, section(`Directory ${H}`, HERE), section(`Directory ${H}/app`, ALL)),
      { 'www/app/.htaccess': LOGIN, 'www/app/f': '' },
      { links: { 'www/current': 'app' } },
    ),
    urls: ['/app/f', '/current/f', '/f'],
    run: [['fix', '--write', '--assume-standalone', MAIN]],
    answers: { [`/current/f ${AWAY}`]: 403, [`/app/f ${LOCAL}`]: 401 },
  },
  ...[
    ['fix', '--write', 'copy'],
    ['fix', '--write', `copy/${MAIN}`],
    ['fix', '--write', '--unsafe', `copy/${MAIN}`],
    ['fix', '--write', '--unsafe', 'copy'],
  ].map(
    (run): Case => ({
      name: `a copy of another machine's configuration, where this machine has the same paths: ${run.join(' ')}`,
      tree: copied(true),
      urls: ['/f'],
      run: [run],
      answers: { [`/f ${AWAY}`]: 401 },
      untouched: ['machine'],
    }),
  ),
  ...[
    ['fix', '--write', 'copy'],
    ['fix', '--write', `copy/${MAIN}`],
  ].map(
    (run): Case => ({
      name: `a copy of another machine's configuration, where this machine has what it serves: ${run.join(' ')}`,
      tree: copied(false),
      urls: ['/f'],
      run: [run],
      answers: { [`/f ${AWAY}`]: 401 },
      untouched: ['machine'],
    }),
  ),
  ...[
    ['fix', '--write', '.'],
    ['fix', '--write', 'second'],
    ['fix', '--write', '--assume-standalone', '.'],
  ].map(
    (run): Case => ({
      name: `a main file by a name that is no configuration's, with a part of another: ${run.join(' ')}`,
      tree: {
        ...tree(
          main(NOBODY, section(`Directory ${H}/a`, OPEN), 'Include conf/none\n'),
          {
            'conf/none': section('Files f', `${OPEN}Deny from 10\n`),
            'second/httpd.conf': `ServerRoot "${ROOT}"\nPidFile run/second.pid\nListen 82\nDocumentRoot ${ROOT}/pub\n${NOBODY}Include conf/none\n`,
            'pub/f': '',
            'www/a/f': '',
          },
          { server: { main: 'etc/main.cf' } },
        ),
      },
      urls: ['/f', '/a/f'],
      run: [run],
      answers: { [`/f ${AWAY}`]: 200, [`/a/f ${AWAY}`]: 200 },
    }),
  ),
  ...['conf/inner.inc', 'conf/outer.inc'].map(
    (included): Case => ({
      name: `a section includes ${included} under a condition that is not known, and denies all with it`,
      tree: tree(
        main(
          NOBODY,
          section(`Directory ${H}/a`, `Deny from env=no\n<IfModule !dir_module>\nInclude ${included}\n</IfModule>\n`),
        ),
        { 'conf/inner.inc': 'Deny from all\n', 'conf/outer.inc': 'Include conf/inner.inc\n', 'www/a/f': '' },
      ),
      urls: ['/a/f'],
      answers: { [`/a/f ${AWAY}`]: 200 },
    }),
  ),
  {
    name: 'lines of 2.2 with mod_authz_host, and others without it: what the conversion writes is no test of the version',
    tree: tree(
      main(
        section(
          'LocationMatch "^/(a|pub)/"',
          `<IfModule !mod_authz_host.c>\n${OPEN}</IfModule>\n<IfModule mod_authz_host.c>\nDeny from all\nOrder Allow,Deny\n</IfModule>\n`,
        ),
      ),
      { 'www/a/f': '' },
    ),
    urls: ['/a/f'],
    run: [['fix', '--write', '--unsafe', MAIN]],
    answers: { [`/a/f ${AWAY}`]: 403 },
    contains: { [MAIN]: 'Require all denied' },
  },
];
