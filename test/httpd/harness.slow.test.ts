/** Tests of the harness itself, which the other tests of this folder depend on. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { lacks } from '../support/lacks';
import { repositoryRoot } from '../support/paths';
import { testedAhead } from './ahead';
import { testedApart } from './config-test';
import { configTest, configTestAll, requireHttpd, serve, type Server } from './harness';
import { Sandbox } from './sandbox';

describe('a real httpd: configTest', function () {
  this.timeout(300_000);

  before(function () {
    requireHttpd(this);
  });

  it('accepts a correct configuration, with each MPM and every module', async () => {
    for (const mpm of ['event', 'worker', 'prefork'] as const) {
      const verdict = await configTest('ServerAdmin webmaster@example.org\n', { mpm });
      assert.deepEqual(
        [verdict.ok, verdict.exitCode, verdict.error, verdict.warnings],
        [true, 0, undefined, []],
        verdict.stderr,
      );
    }
  });

  it('names the line of the configuration, also for what httpd cannot read', async () => {
    const broken = await configTest('\nRewriteLog logs/rewrite.log\n');
    assert.equal(broken.exitCode, 1);
    assert.deepEqual(broken.error, {
      code: 'AH00526',
      line: 2,
      file: 'httpd.conf',
      message:
        "Invalid command 'RewriteLog', perhaps misspelled or defined by a module not included in the server configuration",
    });
    const unbalanced = await configTest('<Directory />\n</Files>\n');
    assert.deepEqual(
      [unbalanced.error?.line, unbalanced.error?.message],
      [2, 'Expected </Directory> but saw </Files>'],
    );
    const unclosed = await configTest('\n<Directory />\n');
    assert.equal(unclosed.error?.line, 2);
  });

  it('names the file and line of an error in an included file', async () => {
    const files = { 'conf.d/a.conf': '\n\nFoo\n', 'conf.d/b.conf': '</Files>\n' };
    const first = await configTest('Include conf.d/a.conf\n', { files });
    assert.deepEqual([first.error?.file, first.error?.line], ['conf.d/a.conf', 3]);
    const second = await configTest('\nInclude conf.d/b.conf\n', { files });
    assert.deepEqual(
      [second.error?.file, second.error?.line, second.error?.message],
      ['conf.d/b.conf', 1, '</Files> without matching <Files> section'],
    );
  });

  it('gives a macro error the line of its Use', async () => {
    const { error } = await configTest('<Macro m>\nFoo\n</Macro>\n\nUse m\n');
    assert.equal(error?.line, 5);
  });

  it('reads warnings with their code and line', async () => {
    const { ok, warnings } = await configTest('NameVirtualHost *:80\nDefaultType text/html\n');
    assert.ok(ok);
    assert.deepEqual(
      warnings.map(({ code, line, file }) => [code, line, file]),
      [
        ['AH00548', 1, 'httpd.conf'],
        ['AH00117', 2, 'httpd.conf'],
      ],
    );
  });

  it('gives an error of the final check, which has no line', async () => {
    const { error } = await configTest(
      '<Location />\n<RequireAll>\nRequire not ip 10.0.0.1\n</RequireAll>\n</Location>\n',
    );
    assert.deepEqual([error?.code, error?.line], ['AH01624', undefined]);
  });

  it('loads just the modules it is told to', async () => {
    const config = '<Directory />\nOrder allow,deny\n</Directory>\n';
    assert.equal((await configTest(config)).ok, true);
    assert.equal((await configTest(config, { modules: 'all-but-access_compat' })).error?.line, 2);
    assert.equal((await configTest(config, { modules: [] })).error?.line, 2);
    assert.equal((await configTest(config, { modules: ['access_compat'] })).ok, true);
    assert.equal(
      (await configTest('CacheRoot "@ROOT@"\nBalancerPersist On\n', { modules: ['cache_disk', 'lbmethod_byrequests'] }))
        .ok,
      true,
    );
    assert.match((await configTest('', { mpm: 'none' })).error?.message ?? '', /No MPM loaded/);
    await assert.rejects(configTest('', { modules: ['no_such'] }), /no_such/);
  });

  it('puts files beside the configuration and moves paths of another machine', async () => {
    const verdict = await configTest('ServerRoot /etc/httpd\nInclude conf.d/*.conf\n', {
      name: 'etc/httpd/conf/httpd.conf',
      files: { 'etc/httpd/conf.d/a.conf': '<Directory /etc/httpd>\nFoo\n</Directory>\n' },
      replace: [['/etc/httpd', '@ROOT@/etc/httpd']],
    });
    assert.deepEqual([verdict.error?.file, verdict.error?.line], ['etc/httpd/conf.d/a.conf', 2]);
  });
});

describe('a real httpd that has its modules loaded', function () {
  this.timeout(300_000);

  it('says what one says that is started for the test', async function () {
    requireHttpd(this);
    const groups: Readonly<Record<string, readonly { readonly config: string }[]>> = JSON.parse(
      readFileSync(path.join(repositoryRoot, 'test/httpd/config-tests.json'), 'utf8'),
    );
    const configs = Object.values(groups)
      .flat()
      .filter((_, index) => index % 12 === 0)
      .map(({ config }) => config);
    assert.ok(configs.length > 40);
    let ahead = 0;
    // The second run would show leftovers of the first.
    for (const config of [
      '',
      ...configs,
      'Include conf.d/*.conf\n',
      'NameVirtualHost *:80\n',
      '<Location />\n<RequireAll>\nRequire not ip 10.0.0.1\n</RequireAll>\n</Location>\n',
      '',
    ]) {
      const sandbox = new Sandbox({ files: { 'conf.d/a.conf': '\nFoo\n' } }, 8080);
      try {
        sandbox.configure(config);
        const said = await testedAhead(sandbox, 60_000);
        if (said) assert.deepEqual(said, await testedApart(sandbox), config);
        if (said) ahead++;
      } finally {
        sandbox.remove();
      }
    }
    if (ahead === 0) lacks(this, 'no C compiler here: install gcc');
    assert.ok(ahead > configs.length, String(ahead));
  });
});

describe('a real httpd: configTestAll', function () {
  this.timeout(300_000);

  before(function () {
    requireHttpd(this);
  });

  const linesOf = async (config: string) =>
    (await configTestAll(config, { modules: 'all-but-access_compat' })).map((error) => error.line);

  it('finds nothing in a correct file', async () => {
    assert.deepEqual(await linesOf('KeepAlive On\n'), []);
  });

  it('finds every error, a continued one at its last line', async () => {
    assert.deepEqual(await linesOf('RewriteLog a\nKeepAlive On\nOrder \\\n allow,deny\nLockFile b'), [1, 4, 5]);
  });

  it('checks what is inside a section whose tag is wrong, and does not blame it for the tag', async () => {
    const config =
      '<Limit GET>\nOptions None\nOrder allow,deny\n</Limit>\n<Files "a">\n<Gone x>\nOptions None\nDeny from all\n</Gone>\n</Files>\n';
    assert.deepEqual(await linesOf(config), [1, 3, 6, 8]);
    assert.deepEqual(
      await linesOf('<IfModule a.c>\n</IfModule>\n<VirtualHost>\nServerAlias a\nRewriteLog x\n</VirtualHost>\n'),
      [3, 5],
    );
  });

  it('ends at an error without a line', async () => {
    assert.deepEqual(
      await linesOf('LockFile a\n<Location />\n<RequireNone>\nRequire all denied\n</RequireNone>\n</Location>\n'),
      [1, 3],
    );
  });
});

describe('a real httpd: serve', () => {
  let server: Server;

  const config = (word: string) => `
    <Directory "@ROOT@/htdocs/near">
      Require ip 127.0.1
    </Directory>
    <Directory "@ROOT@/htdocs/login">
      AuthType Basic
      AuthName "members"
      AuthUserFile "@ROOT@/conf/passwd"
      Require user ann
    </Directory>
    <Directory "@ROOT@/htdocs/flag">
      SetEnvIf X-Flag . flag
      Require env flag
    </Directory>
    Redirect 301 /word /${word}
  `;
  const files = {
    'htdocs/near/index.html': 'near',
    'htdocs/login/index.html': 'hello',
    'htdocs/flag/index.html': 'flag',
    // The SHA-1 form of the password "secret".
    'conf/passwd': 'ann:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n',
  };

  before(async function () {
    requireHttpd(this);
    server = await serve(config('one'), { files });
  });

  after(() => server?.stop());

  const status = async (path: string, more: object = {}) => (await server.request({ path, ...more })).status;

  it('answers, and sees the address, credentials, headers and method of the request', async () => {
    const { status: code, body } = await server.request({ path: '/near/', from: '127.0.1.9' });
    assert.deepEqual([code, body], [200, 'near']);
    assert.equal(await status('/near/'), 403);
    assert.equal(await status('/login/'), 401);
    assert.equal(await status('/login/', { user: 'ann', password: 'wrong' }), 401);
    assert.equal(await status('/login/', { user: 'ann', password: 'secret' }), 200);
    assert.equal(await status('/flag/'), 403);
    assert.equal(await status('/flag/', { headers: { 'X-Flag': '1' } }), 200);
    assert.equal(await status('/near/', { from: '127.0.1.9', method: 'DELETE' }), 405);
    assert.match(server.errorLog(), /AH01630: client denied by server configuration/);
  });

  it('answers thousands of requests in order', async () => {
    const requests = Array.from({ length: 2000 }, (_, i) => ({
      path: '/near/',
      from: i % 3 === 0 ? '127.0.1.9' : '127.0.2.5',
    }));
    const answers = await server.requestAll(requests);
    assert.deepEqual(
      answers.map((answer) => answer.status),
      requests.map((_, i) => (i % 3 === 0 ? 200 : 403)),
    );
  });

  it('serves another configuration after a reload', async () => {
    for (const word of ['two', 'three', 'four']) {
      await server.reload(config(word));
      assert.equal((await server.request({ path: '/word' })).headers.location?.endsWith(`/${word}`), true);
    }
  });

  it('says why it does not start or reload, and leaves nothing behind', async () => {
    await assert.rejects(serve('Foo\n'), /Invalid command 'Foo'/);
    const other = await serve('', { modules: ['authz_core'], mpm: 'prefork' });
    await assert.rejects(other.reload('Foo\n'), /Invalid command 'Foo'/);
    await assert.rejects(other.request({ path: '/' }));
    assert.equal(existsSync(other.root), false);
  });
});
