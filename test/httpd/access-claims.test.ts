/** What the conversion of whole configurations takes for granted of httpd 2.4, asked of a real one. */
import assert from 'node:assert/strict';
import { requireHttpd, serve, type Server } from './harness';

const ROOT = '@ROOT@/htdocs';
const FILES = {
  'htdocs/list/.htaccess': '<RequireAll>\nRequire all granted\nRequire not ip 192.0.2.1\n</RequireAll>\n', 'htdocs/list/file': '',
  'htdocs/one/.htaccess': 'Require ip 127\n', 'htdocs/one/file': '',
  'htdocs/said/.htaccess': 'Redirect /nowhere http://localhost/\n', 'htdocs/said/file': '',
  'htdocs/silent/.htaccess': '# nothing\n', 'htdocs/silent/file': '',
  'htdocs/index/index.html': '', 'htdocs/index/file': '',
};
const OPEN = `<Directory ${ROOT}>\nRequire all granted\n</Directory>\n`;

/** Lines of the server's file, and what paths answer. */
const CLAIMS: readonly (readonly [string, string, Readonly<Record<string, number>>])[] = [
  ['AllowOverride Limit admits no Require', `<Directory ${ROOT}>\nAllowOverride Limit\n</Directory>\n`, { '/one/file': 500, '/list/file': 500 }],
  ['AllowOverrideList admits what it names beside the classes of AllowOverride', `<Directory ${ROOT}>\nAllowOverride Limit\nAllowOverrideList Require\n</Directory>\n`, { '/one/file': 200, '/list/file': 500 }],
  ['AllowOverrideList names a container by its tag without the end', `<Directory ${ROOT}>\nAllowOverride Limit\nAllowOverrideList Require "<RequireAll"\n</Directory>\n`, { '/one/file': 200, '/list/file': 200, '/said/file': 500 }],
  ['AllowOverrideList knows no container by its name', `<Directory ${ROOT}>\nAllowOverride Limit\nAllowOverrideList Require RequireAll <RequireAll>\n</Directory>\n`, { '/list/file': 500 }],
  ['without any AllowOverride a .htaccess with a line in it is an error', OPEN, { '/said/file': 500, '/silent/file': 200 }],
  ['AllowOverride None keeps it from being read', `<Directory />\nAllowOverride None\n</Directory>\n${OPEN}`, { '/said/file': 200 }],
  ['<Directory> applies to a file, where links may be followed', `<Directory ${ROOT}/index/file>\nRequire all denied\n</Directory>\n`, { '/index/file': 403, '/index/index.html': 200 }],
  ['and with a wildcard', `<Directory ${ROOT}/index/?ile>\nRequire all denied\n</Directory>\n`, { '/index/file': 403, '/index/index.html': 200 }],
  ['not where they may not', `<Directory />\nOptions None\n</Directory>\n<Directory ${ROOT}/index/?ile>\nRequire all denied\n</Directory>\n`, { '/index/file': 200 }],
  ['AuthMerging joins the locations first', `${OPEN}<Location /index>\nRequire all denied\n</Location>\n<Location /index/file>\nAuthMerging Or\nRequire ip 192.0.2.1\n</Location>\n`, { '/index/file': 200, '/index/index.html': 403 }],
  ['and joins the one with the folder, where it is alone', `<Directory ${ROOT}>\nRequire all denied\n</Directory>\n<Location /index/file>\nAuthMerging Or\nRequire ip 192.0.2.1\n</Location>\n`, { '/index/file': 403 }],
  ['patterns over folders go by the slashes in them', `<DirectoryMatch "/htdocs/index">\nRequire all denied\n</DirectoryMatch>\n<DirectoryMatch "index">\nRequire all granted\n</DirectoryMatch>\n`, { '/index/file': 403 }],
  ['Directory ~ is one of them', `<Directory ~ "/htdocs/index">\nRequire all denied\n</Directory>\n<DirectoryMatch "index">\nRequire all granted\n</DirectoryMatch>\n`, { '/index/file': 403 }],
  ['patterns of as many slashes go by their order', `<DirectoryMatch "/index">\nRequire all denied\n</DirectoryMatch>\n<Directory ~ "s/index">\nRequire all granted\n</Directory>\n`, { '/index/file': 200 }],
  ['locations go by their order, patterns or not', `<LocationMatch "^/index/file$">\nRequire all denied\n</LocationMatch>\n<Location />\nRequire all granted\n</Location>\n`, { '/index/file': 200 }],
  ['sections for one folder go by their order', `<Directory ${ROOT}>\nRequire all denied\n</Directory>\n${OPEN}`, { '/index/file': 200 }],
  ['the file that stands for a folder is asked about as well', `DirectoryIndex index.html\n${OPEN}<Files index.html>\nRequire all denied\n</Files>\n`, { '/index/': 403, '/index/index.html': 403, '/index/file': 200 }],
  ['and the folder\'s own answer goes first', `DirectoryIndex index.html\n${OPEN}<Location ~ "^/index/$">\nRequire all denied\n</Location>\n`, { '/index/': 403, '/index/index.html': 200 }],
  ['of two virtual hosts of one name the first is asked', `<VirtualHost *:@PORT@>\nServerName localhost\n<Location />\nRequire all denied\n</Location>\n</VirtualHost>\n<VirtualHost *:@PORT@>\nServerName localhost\n<Location />\nRequire all granted\n</Location>\n</VirtualHost>\n`, { '/index/file': 403 }],
];

describe('what conversions of access control take for granted', function () {
  this.timeout(60_000);
  let server: Server;

  before(async function () {
    requireHttpd(this);
    server = await serve('', { modules: ['authz_core', 'authz_host', 'access_compat', 'alias', 'dir'], files: FILES });
  });
  after(() => server?.stop());

  for (const [name, config, answers] of CLAIMS) {
    it(name, async () => {
      await server.reload(config);
      const given = await Promise.all(Object.keys(answers).map(async (path) => [path, (await server.request({ path, headers: { Host: 'localhost' } })).status] as const));
      assert.deepEqual(Object.fromEntries(given), answers);
    });
  }
});
