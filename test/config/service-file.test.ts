/**
 * The start options in a distribution's script, for a main file at its place or in a copy; and that
 * files of this machine are not used for a copy.
 */
import assert from 'node:assert/strict';
import { layoutBeforeLines } from '../../server/src/config/server-root';
import { findStartOptions } from '../../server/src/config/service-file';

/** Debian's, as packages of 2.2 and 2.4 have it, without the comments. */
const ENVVARS = `unset HOME
if [ "\${APACHE_CONFDIR##/etc/apache2-}" != "\${APACHE_CONFDIR}" ] ; then
	SUFFIX="-\${APACHE_CONFDIR##/etc/apache2-}"
else
	SUFFIX=
fi
export APACHE_RUN_USER=www-data
export APACHE_RUN_GROUP=www-data
export APACHE_LOG_DIR=/var/log/apache2$SUFFIX
export LANG=C
#. /etc/default/locale
export LANG
#export APACHE_ARGUMENTS=''
`;

interface Case {
  readonly root: string;
  readonly files: Readonly<Record<string, string>>;
  readonly serverRoot?: string;
  readonly map?: readonly { readonly from: string; readonly to: string }[];
}

function started({ root, files, serverRoot, map }: Case) {
  const layout = layoutBeforeLines({ root, serverRoot, pathMap: map && { entries: map }, realPath: (path) => path });
  const found = findStartOptions(
    root,
    layout.pathMap,
    (path) => files[path] ?? null,
    (folder) => {
      const names = Object.keys(files).flatMap((path) =>
        path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : [],
      );
      return names.length > 0 ? names : null;
    },
  );
  return (
    found && [
      found.path,
      [...found.defineFlags].join(' '),
      [...found.environment].map((each) => each.join('=')).join(' '),
    ]
  );
}

const UNIT = '/etc/systemd/system/httpd.service';
const REDHAT = (unit: Readonly<Record<string, string>>): Case => ({
  root: '/etc/httpd/conf/httpd.conf',
  files: { '/etc/sysconfig/httpd': 'OPTIONS="-D A"\n', ...unit },
});
const KEPT = ['/etc/sysconfig/httpd', 'A', ''];
const UNKNOWN = ['/etc/sysconfig/httpd', '', ''];
/** What an administrator says of the unit, and what is known then. */
const UNITS: readonly (readonly [
  title: string,
  unit: Readonly<Record<string, string>>,
  expected: readonly string[],
])[] = [
  ['limits alone', { [`${UNIT}.d/limits.conf`]: '[Service]\nLimitNOFILE=9\nRestart=always\n' }, KEPT],
  ['the same file', { [`${UNIT}.d/a.conf`]: '[Service]\nEnvironmentFile=-/etc/sysconfig/httpd\n' }, KEPT],
  ['the same file, in quotes', { [UNIT]: '[Service]\nEnvironmentFile="/etc/sysconfig/httpd"\n' }, KEPT],
  ['comments', { [UNIT]: '[Service]\n#ExecStart=x\n; Environment=OPTIONS=x\n' }, KEPT],
  ['a file that is no drop-in', { [`${UNIT}.d/a.conf.old`]: '[Service]\nExecStart=x\n' }, KEPT],
  ['another command', { [UNIT]: '[Service]\nExecStart=/usr/sbin/httpd -DFOREGROUND\n' }, UNKNOWN],
  [
    'another command in a drop-in',
    { [`${UNIT}.d/z.conf`]: '[Service]\nExecStart=\nExecStart=/usr/sbin/httpd -D B\n' },
    UNKNOWN,
  ],
  ['another file', { [`${UNIT}.d/z.conf`]: '[Service]\nEnvironmentFile=-/etc/sysconfig/other\n' }, UNKNOWN],
  ['no file', { [`${UNIT}.d/z.conf`]: '[Service]\nEnvironmentFile=\n' }, UNKNOWN],
  [
    'several files, behind comments and a line that goes on',
    {
      [`${UNIT}.d/z.conf`]: '[Service]\nEnvironmentFile=-/etc/sysconfig/httpd\nEnvironmentFile= \\\n# more\n /etc/o\n',
    },
    UNKNOWN,
  ],
  ['variables', { [`${UNIT}.d/z.conf`]: '[Service]\r\nEnvironment="OPTIONS=-D B"\r\n' }, UNKNOWN],
  ['variables that are taken away', { [`${UNIT}.d/z.conf`]: '[Service]\n UnsetEnvironment = OPTIONS\n' }, UNKNOWN],
];

const CASES: readonly (readonly [title: string, asked: Case, expected: readonly string[] | null])[] = [
  ...UNITS.map(([title, unit, expected]) => [`Red Hat, with a unit: ${title}`, REDHAT(unit), expected] as const),
  [
    'SUSE: the words are names',
    { root: '/etc/apache2/httpd.conf', files: { '/etc/sysconfig/apache2': 'APACHE_SERVER_FLAGS="SSL STATUS"\n' } },
    ['/etc/sysconfig/apache2', 'SSL STATUS', ''],
  ],
  [
    'SUSE, with -D',
    {
      root: '/etc/apache2/httpd.conf',
      files: { '/etc/sysconfig/apache2': 'APACHE_SERVER_FLAGS="-D SSL -DX -e info Y"\n' },
    },
    ['/etc/sysconfig/apache2', 'SSL X Y', ''],
  ],
  [
    'Gentoo',
    {
      root: '/etc/apache2/httpd.conf',
      files: {
        '/etc/conf.d/apache2':
          '#APACHE2_OPTS="-D OLD"\nAPACHE2_OPTS="-D DEFAULT_VHOST -D SSL -D PHP5 -d /etc/apache2/D"\n',
      },
    },
    ['/etc/conf.d/apache2', 'DEFAULT_VHOST SSL PHP5', ''],
  ],
  [
    'Gentoo: without -D it is no name',
    { root: '/etc/apache2/httpd.conf', files: { '/etc/conf.d/apache2': 'APACHE2_OPTS="SSL -D"\n' } },
    ['/etc/conf.d/apache2', '', ''],
  ],
  [
    'Gentoo, with a main file that is named',
    {
      root: '/etc/apache2/httpd.conf',
      files: { '/etc/conf.d/apache2': 'APACHE2_OPTS="-D A -f /etc/apache2/httpd.conf"\n' },
    },
    ['/etc/conf.d/apache2', 'A', ''],
  ],
  [
    'Gentoo, for another main file',
    {
      root: '/etc/apache2/httpd.conf',
      files: { '/etc/conf.d/apache2': 'APACHE2_OPTS="-D A -f /etc/apache2/b.conf"\n' },
    },
    ['/etc/conf.d/apache2', '', ''],
  ],
  [
    'Red Hat',
    {
      root: '/etc/httpd/conf/httpd.conf',
      files: { '/etc/sysconfig/httpd': 'HTTPD=/usr/sbin/httpd.worker\nOPTIONS="-DSSL -D HAVE_X"\nHTTPD_LANG=C\n' },
    },
    ['/etc/sysconfig/httpd', 'SSL HAVE_X', ''],
  ],
  [
    'Debian',
    {
      root: '/etc/apache2/apache2.conf',
      files: {
        '/etc/apache2/envvars': `${ENVVARS}export APACHE_ARGUMENTS='-D ALLOW_CORS'\nexport SITE_ROOT="$(pwd)"\nPRIVATE=1\n`,
      },
    },
    [
      '/etc/apache2/envvars',
      'ALLOW_CORS',
      'APACHE_RUN_USER=www-data APACHE_RUN_GROUP=www-data APACHE_LOG_DIR=/var/log/apache2 LANG=C APACHE_ARGUMENTS=-D ALLOW_CORS',
    ],
  ],
  [
    'Debian, one of several servers',
    { root: '/etc/apache2-shop/apache2.conf', files: { '/etc/apache2-shop/envvars': ENVVARS } },
    [
      '/etc/apache2-shop/envvars',
      '',
      'APACHE_RUN_USER=www-data APACHE_RUN_GROUP=www-data APACHE_LOG_DIR=/var/log/apache2-shop LANG=C',
    ],
  ],
  [
    'Debian, with branches of its own: their variables are not known',
    {
      root: '/etc/apache2/apache2.conf',
      files: { '/etc/apache2/envvars': 'if [ -e /x ]; then\n  export A=1\nfi\nexport B=2\n' },
    },
    ['/etc/apache2/envvars', '', 'B=2'],
  ],
  [
    'a copy: the file is in the copy',
    {
      root: '/home/me/site/etc/httpd/conf/httpd.conf',
      files: { '/etc/sysconfig/httpd': 'OPTIONS=-DOURS\n', '/home/me/site/etc/sysconfig/httpd': 'OPTIONS=-DTHEIRS\n' },
    },
    ['/home/me/site/etc/sysconfig/httpd', 'THEIRS', ''],
  ],
  [
    "a copy without it: this machine's is not read",
    { root: '/home/me/site/etc/httpd/conf/httpd.conf', files: { '/etc/sysconfig/httpd': 'OPTIONS=-DOURS\n' } },
    null,
  ],
  [
    "a copy of the directory alone: this machine's is not read",
    { root: '/home/me/httpd/conf/httpd.conf', files: { '/etc/sysconfig/httpd': 'OPTIONS=-DOURS\n' } },
    null,
  ],
  [
    'a copy of Debian’s directory',
    {
      root: '/home/me/debian/apache2.conf',
      files: { '/home/me/debian/envvars': ENVVARS, '/etc/apache2/envvars': 'export A=ours\n' },
    },
    [
      '/home/me/debian/envvars',
      '',
      'APACHE_RUN_USER=www-data APACHE_RUN_GROUP=www-data APACHE_LOG_DIR=/var/log/apache2 LANG=C',
    ],
  ],
  [
    'where a person says what is what',
    {
      root: '/x/httpd/conf/httpd.conf',
      map: [
        { from: '/etc/httpd', to: '/x/httpd' },
        { from: '/etc/sysconfig', to: '/x/sys' },
      ],
      files: { '/x/sys/httpd': 'OPTIONS="-D A"\n', '/etc/sysconfig/httpd': 'OPTIONS=-DOURS\n' },
    },
    ['/x/sys/httpd', 'A', ''],
  ],
  [
    'another main file of this machine',
    {
      root: '/srv/conf/httpd.conf',
      files: { '/etc/sysconfig/httpd': 'OPTIONS=-DOURS\n', '/etc/sysconfig/apache2': '' },
    },
    null,
  ],
  ...(['Environment=LANG=C', 'ExecStart=/usr/sbin/apache2'] as const).map(
    (line, index) =>
      [
        `Debian, with a drop-in: ${line}`,
        {
          root: '/etc/apache2/apache2.conf',
          files: {
            '/etc/apache2/envvars': 'export X=1\n',
            '/etc/systemd/system/apache2.service.d/a.conf': `[Service]\n${line}\n`,
          },
        },
        ['/etc/apache2/envvars', '', index === 0 ? 'X=1' : ''],
      ] as const,
  ),
];

describe('what the server is started with', () => {
  for (const [title, asked, expected] of CASES)
    it(title, () => {
      assert.deepEqual(started(asked), expected);
    });
});
