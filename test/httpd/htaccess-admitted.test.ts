/**
 * What AllowOverride refuses in a .htaccess, on a real httpd 2.4: the basis of
 * analysis/admitted.ts.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from '../support/paths';
import { requireHttpd, serve } from './harness';

/** AllowOverride, the .htaccess, the answer. */
const CASES: readonly (readonly [override: string, htaccess: string, status: number])[] = [
  // A line that 2.4 ignores is refused all the same, and so is every answer.
  ['AuthConfig', 'DefaultType text/plain\n', 500],
  ['FileInfo', 'DefaultType text/plain\n', 200],
  ['AuthConfig', '', 200],
  // A line of the same class that stays is refused as well.
  ['AuthConfig', 'AddType text/plain .x\n', 500],
  ['FileInfo', 'AuthName x\n', 500],
  // Options: each of its options by itself, whether it is added or taken away; other directives of
  // the class by the class.
  ['Options=Indexes', 'Options Indexes\n', 200],
  ['Options=Indexes', 'Options +Indexes\n', 200],
  ['Options=Indexes', 'Options FollowSymLinks\n', 500],
  ['Options=Indexes', 'Options -FollowSymLinks\n', 500],
  ['Options=Indexes', 'XBitHack off\n', 200],
  ['FileInfo', 'XBitHack off\n', 500],
  ['FileInfo', 'Options Indexes\n', 500],
  // Sections and conditions are for every class.
  ['Indexes', '<Files x>\n</Files>\n<IfModule mod_x.c>\nDefaultType text/plain\n</IfModule>\n', 200],
];

describe('a real httpd and a .htaccess with lines of classes that AllowOverride grants or not', function () {
  this.timeout(60_000);

  before(function () {
    requireHttpd(this);
  });

  it('answers 500 where it does not', async () => {
    for (const [override, htaccess, expected] of CASES) {
      const server = await serve(
        `<Directory @ROOT@/htdocs>\nAllowOverride ${override}\nOptions Indexes FollowSymLinks\n</Directory>\n`,
        {
          modules: ['authz_core', 'authn_core', 'mime', 'include'],
          files: { 'htdocs/sub/.htaccess': htaccess, 'htdocs/sub/a.txt': 'a' },
        },
      );
      try {
        const { status } = await server.request({ path: '/sub/a.txt' });
        assert.equal(status, expected, `AllowOverride ${override}\n${htaccess}`);
      } finally {
        await server.stop();
      }
    }
  });

  it('answers the test of docs/how-to/htaccess-only.md as its table says', async () => {
    const page = readFileSync(path.join(repositoryRoot, 'docs/how-to/htaccess-only.md'), 'utf8');
    const htaccess = /```apache\n([^]*?)```/.exec(page)![1]!;
    const rows = [...page.matchAll(/^\| (\d{3}) \| (\d{3}) \|/gm)].map(([, x, y]) => [Number(x), Number(y)]);
    const found = new Map<string, readonly number[]>();
    for (const override of ['AuthConfig', 'All', 'FileInfo Limit', 'None', 'Nonfatal=Override']) {
      const server = await serve(`<Directory @ROOT@/htdocs>\nAllowOverride ${override}\n</Directory>\n`, {
        modules: ['authz_core', 'authn_core', 'mime'],
        files: { 'htdocs/test-24/.htaccess': htaccess, 'htdocs/test-24/x.html': 'x', 'htdocs/test-24/y.html': 'y' },
      });
      try {
        const statusOf = async (name: string) => (await server.request({ path: `/test-24/${name}` })).status;
        found.set(override, [await statusOf('x.html'), await statusOf('y.html')]);
      } finally {
        await server.stop();
      }
    }
    const [works, refused, ignored] = rows;
    assert.deepEqual(Object.fromEntries(found), {
      AuthConfig: works,
      All: works,
      'FileInfo Limit': refused,
      None: ignored,
      'Nonfatal=Override': ignored,
    });
  });
});
