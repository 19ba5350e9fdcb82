/** Assumptions of the conversion of whole configurations about httpd 2.4, tried on a real one. */
import assert from 'node:assert/strict';
import { requireHttpd, serve, type Server } from './harness';

const ROOT = '@ROOT@/htdocs';
const FILES = {
  'htdocs/list/.htaccess': '<RequireAll>\nRequire all granted\nRequire not ip 192.0.2.1\n</RequireAll>\n',
  'htdocs/list/file': '',
  'htdocs/one/.htaccess': 'Require ip 127\n',
  'htdocs/one/file': '',
  'htdocs/said/.htaccess': 'Redirect /nowhere http://localhost/\n',
  'htdocs/said/file': '',
  'htdocs/silent/.htaccess': '# nothing\n',
  'htdocs/silent/file': '',
  'htdocs/names/.one': 'Require all denied\n',
  'htdocs/names/.two': 'Require all granted\n',
  'htdocs/names/file': '',
  'htdocs/second/.two': 'Require all denied\n',
  'htdocs/second/file': '',
  'htdocs/above/.htaccess': 'Require all denied\n',
  'htdocs/above/deep/file': '',
  'htdocs/above/conf/acl': 'Require all granted\n',
  'htdocs/index/index.html': '',
  'htdocs/index/file': '',
};
const OPEN = `<Directory ${ROOT}>\nRequire all granted\n</Directory>\n`;

/** Lines of the server's file, and what paths answer. */
type Claim = readonly [string, string, Readonly<Record<string, number>>];

const CLAIMS: readonly Claim[] = [
  [
    'AllowOverride Limit admits no Require',
    `<Directory ${ROOT}>\nAllowOverride Limit\n</Directory>\n`,
    { '/one/file': 500, '/list/file': 500 },
  ],
  [
    'AllowOverrideList admits what it names beside the classes of AllowOverride',
    `<Directory ${ROOT}>\nAllowOverride Limit\nAllowOverrideList Require\n</Directory>\n`,
    { '/one/file': 200, '/list/file': 500 },
  ],
  [
    'AllowOverrideList names a container by its tag without the end',
    `<Directory ${ROOT}>\nAllowOverride Limit\nAllowOverrideList Require "<RequireAll"\n</Directory>\n`,
    { '/one/file': 200, '/list/file': 200, '/said/file': 500 },
  ],
  [
    'AllowOverrideList knows no container by its name',
    `<Directory ${ROOT}>\nAllowOverride Limit\nAllowOverrideList Require RequireAll <RequireAll>\n</Directory>\n`,
    { '/list/file': 500 },
  ],
  [
    'without any AllowOverride a .htaccess with a line in it is an error',
    OPEN,
    { '/said/file': 500, '/silent/file': 200 },
  ],
  [
    'AllowOverride None keeps it from being read',
    `<Directory />\nAllowOverride None\n</Directory>\n${OPEN}`,
    { '/said/file': 200 },
  ],
  ...[
    ['is what it goes by', 'localhost', 403],
    ['is nothing to another one that serves the same directory', 'other', 200],
  ].map(
    ([what, name, status]): Claim => [
      `the AllowOverride of a virtual host ${what}`,
      `<Directory />\nAllowOverride None\n</Directory>\n${OPEN}${['localhost', 'other']
        .map(
          (each) =>
            `<VirtualHost *:@PORT@>\nServerName ${each}\nDocumentRoot ${ROOT}\n${each === name ? `<Directory ${ROOT}/above>\nAllowOverride All\n</Directory>\n` : ''}</VirtualHost>\n`,
        )
        .join('')}`,
      { '/above/deep/file': status as number },
    ],
  ),
  [
    'the last All or None of AllowOverride counts',
    `<Directory ${ROOT}>\nRequire all granted\nAllowOverride All None\n</Directory>\n<Directory ${ROOT}/above>\nAllowOverride None All\n</Directory>\n`,
    { '/said/file': 200, '/above/deep/file': 403 },
  ],
  [
    'of several names of AccessFileName the first that is there is read',
    `AccessFileName .one .two\n${OPEN.replace('Require', 'AllowOverride All\nRequire')}`,
    { '/names/file': 403, '/second/file': 403, '/above/deep/file': 200 },
  ],
  [
    'the last AccessFileName is in effect, and may name a file further down',
    `AccessFileName .one\nAccessFileName conf/acl\n<Directory ${ROOT}>\nAllowOverride All\nRequire all denied\n</Directory>\n`,
    { '/above/deep/file': 200, '/names/file': 403 },
  ],
  [
    "a virtual host without an AccessFileName has the main server's",
    `AccessFileName .one\n${OPEN.replace('Require', 'AllowOverride All\nRequire')}<VirtualHost *:@PORT@>\nServerName localhost\n</VirtualHost>\n<VirtualHost *:@PORT@>\nServerName other\nAccessFileName .two\n</VirtualHost>\n`,
    { '/names/file': 403, '/second/file': 200 },
  ],
  [
    'a .htaccess above what is served is read',
    `Alias /far ${ROOT}/above/deep\n${OPEN.replace('Require', 'AllowOverride All\nRequire')}`,
    { '/far/file': 403 },
  ],
  [
    'above a file, too',
    `Alias /far ${ROOT}/above/deep/file\n${OPEN.replace('Require', 'AllowOverride All\nRequire')}`,
    { '/far': 403 },
  ],
  ['an alias leads beside what it names', `Alias /far/ ${ROOT}/ind\n${OPEN}`, { '/far/ex/file': 200 }],
  [
    'a tag in quotes is a section',
    `"<Location" /index>\nRequire all denied\n</Location>\n${OPEN}`,
    { '/index/file': 403 },
  ],
  [
    '<Directory> applies to a file, where links may be followed',
    `<Directory ${ROOT}/index/file>\nRequire all denied\n</Directory>\n`,
    { '/index/file': 403, '/index/index.html': 200 },
  ],
  [
    'and with a wildcard',
    `<Directory ${ROOT}/index/?ile>\nRequire all denied\n</Directory>\n`,
    { '/index/file': 403, '/index/index.html': 200 },
  ],
  [
    'not where they may not',
    `<Directory />\nOptions None\n</Directory>\n<Directory ${ROOT}/index/?ile>\nRequire all denied\n</Directory>\n`,
    { '/index/file': 200 },
  ],
  [
    'AuthMerging joins the locations first',
    `${OPEN}<Location /index>\nRequire all denied\n</Location>\n<Location /index/file>\nAuthMerging Or\nRequire ip 192.0.2.1\n</Location>\n`,
    { '/index/file': 200, '/index/index.html': 403 },
  ],
  [
    'and joins the one with the folder, where it is alone',
    `<Directory ${ROOT}>\nRequire all denied\n</Directory>\n<Location /index/file>\nAuthMerging Or\nRequire ip 192.0.2.1\n</Location>\n`,
    { '/index/file': 403 },
  ],
  [
    'patterns over folders go by the slashes in them',
    `<DirectoryMatch "/htdocs/index">\nRequire all denied\n</DirectoryMatch>\n<DirectoryMatch "index">\nRequire all granted\n</DirectoryMatch>\n`,
    { '/index/file': 403 },
  ],
  [
    'Directory ~ is one of them',
    `<Directory ~ "/htdocs/index">\nRequire all denied\n</Directory>\n<DirectoryMatch "index">\nRequire all granted\n</DirectoryMatch>\n`,
    { '/index/file': 403 },
  ],
  [
    'patterns of as many slashes go by their order',
    `<DirectoryMatch "/index">\nRequire all denied\n</DirectoryMatch>\n<Directory ~ "s/index">\nRequire all granted\n</Directory>\n`,
    { '/index/file': 200 },
  ],
  [
    'locations go by their order, patterns or not',
    `<LocationMatch "^/index/file$">\nRequire all denied\n</LocationMatch>\n<Location />\nRequire all granted\n</Location>\n`,
    { '/index/file': 200 },
  ],
  [
    'sections for one folder go by their order',
    `<Directory ${ROOT}>\nRequire all denied\n</Directory>\n${OPEN}`,
    { '/index/file': 200 },
  ],
  [
    'the file that stands for a folder is asked about as well',
    `DirectoryIndex index.html\n${OPEN}<Files index.html>\nRequire all denied\n</Files>\n`,
    { '/index/': 403, '/index/index.html': 403, '/index/file': 200 },
  ],
  [
    "and the folder's own answer goes first",
    `DirectoryIndex index.html\n${OPEN}<Location ~ "^/index/$">\nRequire all denied\n</Location>\n`,
    { '/index/': 403, '/index/index.html': 200 },
  ],
  [
    'of two virtual hosts of one name the first is asked',
    `<VirtualHost *:@PORT@>\nServerName localhost\n<Location />\nRequire all denied\n</Location>\n</VirtualHost>\n<VirtualHost *:@PORT@>\nServerName localhost\n<Location />\nRequire all granted\n</Location>\n</VirtualHost>\n`,
    { '/index/file': 403 },
  ],
];

describe('what conversions of access control take for granted', function () {
  this.timeout(300_000);
  let server: Server;

  before(async function () {
    requireHttpd(this);
    server = await serve('', { modules: ['authz_core', 'authz_host', 'access_compat', 'alias', 'dir'], files: FILES });
  });
  after(() => server?.stop());

  for (const [name, config, answers] of CLAIMS) {
    it(name, async () => {
      await server.reload(config);
      const given = await Promise.all(
        Object.keys(answers).map(
          async (path) => [path, (await server.request({ path, headers: { Host: 'localhost' } })).status] as const,
        ),
      );
      assert.deepEqual(Object.fromEntries(given), answers);
    });
  }
});
