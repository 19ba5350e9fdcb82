/**
 * Claims of the pages about modules, shown on a real httpd 2.4: which LoadModule lines it refuses
 * and how, which names `<IfModule>` knows, what passes the configuration check and fails at the
 * start.
 */
import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { modules } from '../../server/src/directives';
import { fixedFiles } from '../support/configurations';
import { configTest, findHttpd, requireHttpd, serve, type ConfigVerdict, type SandboxOptions } from './harness';

const REMOTEIP = { answers: new Map([['client-address', 'remoteip']]), folder: '/' };

const NO_FILE = /Cannot load \S+ into server: .*cannot open shared object file: No such file or directory/;

describe('claims about httpd 2.4: modules', function () {
  this.timeout(300_000);
  let folder: string;

  before(function () {
    requireHttpd(this);
    folder = mkdtempSync(path.join(os.tmpdir(), 'httpd-upgrade-modules-'));
  });

  after(() => folder && rmSync(folder, { recursive: true, force: true }));

  it('removed-module, disk-cache-module, authn-alias-module: no such file', async () => {
    const names = [
      'authn_default',
      'authz_default',
      'mem_cache',
      'disk_cache',
      'authn_alias',
      'example',
      'access',
      'auth',
      'imap',
    ];
    for (const verdict of await Promise.all(
      names.map((name) => configTest(`LoadModule ${name}_module modules/mod_${name}.so`)),
    ))
      assert.match(words(verdict), NO_FILE);
  });

  it('load-module-file: a module that is not in the file is an undefined symbol', async () => {
    const verdict = await configTest('LoadModule rewrite_module modules/mod_alias.so', { modules: ['authz_core'] });
    assert.match(
      words(verdict),
      /Can't locate API module structure .rewrite_module' .*undefined symbol: rewrite_module/,
    );
  });

  it('disk-cache-module, authn-alias-module: the old identifier with the new file is an undefined symbol', async () => {
    for (const [identifier, file] of [
      ['disk_cache', 'cache_disk'],
      ['authn_alias', 'authn_core'],
    ]) {
      const verdict = await configTest(`LoadModule ${identifier}_module modules/mod_${file}.so`, {
        modules: ['cache'],
      });
      assert.match(
        words(verdict),
        new RegExp(`Can't locate API module structure .${identifier}_module' .*undefined symbol: ${identifier}_module`),
      );
    }
  });

  it('authn-alias-module: a module that is loaded twice is passed over (AH01574)', async () => {
    const line = 'LoadModule authn_core_module modules/mod_authn_core.so\n';
    const verdict = await configTest(line + line, { modules: [] });
    assert.ok(verdict.ok && verdict.stderr.includes('AH01574'), verdict.stderr);
  });

  it('client-address: without the module the proxy decides, with the lines of the fix the client', async () => {
    const site = (lines: string) => `${lines}<VirtualHost *:@PORT@>
  DocumentRoot htdocs
  <Location /server-status>
    SetHandler server-status
    Require ip 127.0.0.1
  </Location>
  <Location /blocked>
    <RequireAll>
      Require all granted
      Require not ip 127.0.0.9
    </RequireAll>
  </Location>
</VirtualHost>
`;
    const main = '/srv/httpd.conf';
    const old =
      'ServerRoot /srv\nLoadModule rpaf_module modules/mod_rpaf-2.0.so\nRPAFenable On\nRPAFproxy_ips 127.0.0.1\nRPAFheader X-Forwarded-For\n';
    const fixed = fixedFiles({ [main]: old }, { rule: 'client-address', unsafe: true, answerSet: REMOTEIP })[main];
    const written = fixed.replace(/^(?:ServerRoot|LoadModule).*\n/gm, '');
    assert.equal(written, 'RemoteIPInternalProxy 127.0.0.1\nRemoteIPHeader X-Forwarded-For\n');
    const server = await serve(site(''), {
      modules: ['authz_core', 'authz_host', 'status', 'remoteip', 'proxy', 'proxy_http'],
      files: { 'htdocs/blocked/index.html': 'x' },
    });
    try {
      // The proxy is on this machine, and writes the client's address into X-Forwarded-For.
      const proxy = http.createServer((incoming, outgoing) => {
        const client = incoming.socket.remoteAddress!.replace(/^::ffff:/, '');
        http
          .get(
            {
              host: '127.0.0.1',
              port: server.port,
              path: incoming.url,
              headers: { 'X-Forwarded-For': client },
            },
            (answer) => {
              answer.resume();
              outgoing.writeHead(answer.statusCode!).end();
            },
          )
          .on('error', () => outgoing.destroy());
      });
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
      const { port } = proxy.address() as AddressInfo;
      const ask = (path: string, from: string) =>
        new Promise<number>((resolve, reject) => {
          http
            .get({ host: '127.0.0.1', port, path, localAddress: from, agent: false }, (answer) => {
              answer.resume();
              resolve(answer.statusCode!);
            })
            .on('error', reject);
        });
      const answers = async () => [
        await ask('/server-status', '127.0.0.9'),
        await ask('/server-status', '127.0.0.1'),
        await ask('/blocked/index.html', '127.0.0.9'),
        await ask('/blocked/index.html', '127.0.0.8'),
      ];
      try {
        assert.deepEqual(await answers(), [200, 200, 200, 200]);
        await server.reload(site(written));
        assert.deepEqual(await answers(), [403, 200, 403, 200]);
      } finally {
        proxy.close();
      }
    } finally {
      await server.stop();
    }
  });

  it('module-order: a module whose symbols another one has comes after it', async () => {
    for (const [first, then] of LOAD_AFTER) {
      const line = (name: string) => `LoadModule ${name}_module modules/mod_${name}.so\n`;
      const wrong = await configTest(line(then) + line(first), { modules: [] });
      assert.match(words(wrong), new RegExp(`Cannot load modules/mod_${then}.so into server: .*undefined symbol`));
      assert.ok((await configTest(line(first) + line(then), { modules: [] })).ok, then);
    }
  });

  it("module-order: today's load-balancing methods need nothing before them", async () => {
    const names = ['lbmethod_byrequests', 'lbmethod_bytraffic', 'lbmethod_bybusyness', 'lbmethod_heartbeat'];
    const lines = names.map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`).join('');
    assert.ok((await configTest(lines, { modules: [] })).ok);
  });

  it('third-party-module: a module of 2.2 is garbled to 2.4', async () => {
    const old = readFileSync(path.join(findHttpd()!.modulesDir, 'mod_asis.so'));
    const at = old.indexOf('42PA');
    assert.ok(at > 0 && old.indexOf('42PA', at + 1) < 0, 'the signature AP24, once');
    old.write('22PA', at, 'latin1');
    const file = path.join(folder, 'mod_asis.so');
    writeFileSync(file, old);
    const verdict = await configTest(`LoadModule asis_module ${file}`, { modules: [] });
    assert.match(
      words(verdict),
      /API module structure 'asis_module' in file \S+ is garbled - expected signature 41503234 but saw 41503232 - perhaps this is not an Apache module DSO, or was compiled for a different Apache version\?/,
    );
  });

  it('ifmodule-renamed: source files and identifiers are known in their very letters, other names are not, and nothing is said', async () => {
    const loadable = findHttpd()!.loadable;
    const present = modules().filter(
      ({ '2.4': facts }) =>
        facts?.identifier && facts.status !== 'MPM' && loadable.has(facts.identifier.replace('_module', '')),
    );
    assert.ok(present.length > 80);
    const known = present
      .flatMap(({ '2.4': facts }) => [facts!.identifier!, facts!.sourceFile!])
      .concat('event.c', 'mpm_event_module', 'core.c', 'http_core.c', 'mod_so.c');
    const unknown = [
      'mod_disk_cache.c',
      'disk_cache_module',
      'mod_mem_cache.c',
      'mem_cache_module',
      'mod_authn_alias.c',
      'mod_authn_default.c',
      'authz_default_module',
      'mod_example.c',
      'mod_mpm_event.c',
      'mod_event.c',
      'prefork.c',
      'mod_php5.c',
      'Mod_Alias.c',
      'mod_alias',
      'alias',
    ];
    const conditions = (names: readonly string[], sign: string) =>
      names.map((name) => `<IfModule ${sign}${name}>\nBogus "${name}"\n</IfModule>\n`).join('');
    assert.equal(
      (await configTest(conditions(known, '!') + conditions(unknown, ''))).stderr.trim().split('\n').at(-1),
      'Syntax OK',
    );
  });

  it('ifmodule-version-test: without mod_authz_host the old lines are read', async () => {
    const config =
      '<Directory /x>\n<IfModule mod_authz_host.c>\nRequire all granted\n</IfModule>\n<IfModule !mod_authz_host.c>\nOrder allow,deny\n</IfModule>\n</Directory>\n';
    assert.equal(reason(await configTest(config, { modules: ['authz_core', 'authz_host'] })), 'ok');
    assert.equal(reason(await configTest(config, { modules: ['authz_core'] })), "Invalid command 'Order'");
    assert.equal(
      reason(await configTest(config.replaceAll('authz_host', 'authz_core'), { modules: ['authz_core'] })),
      'ok',
    );
  });

  it('missing-module: what httpd says without the module', async () => {
    const verdicts = await Promise.all(
      MISSING.map(async ([config, , loaded]) => [
        config,
        reason(await configTest(config, { modules: loaded ?? ['authz_core'] })),
      ]),
    );
    assert.deepEqual(
      verdicts,
      MISSING.map(([config, expected]) => [config, expected]),
    );
  });

  it('missing-module: where in the configuration a module is loaded does not matter to directives', async () => {
    const config = 'ExpiresActive On\nLoadModule expires_module modules/mod_expires.so\n';
    assert.ok((await configTest(config, { modules: [] })).ok);
  });

  it('missing-module: no MPM, two MPMs', async () => {
    assert.match((await configTest('', { mpm: 'none' })).stderr, /AH00534: .*No MPM loaded\./);
    assert.match(
      (await configTest('LoadModule mpm_worker_module modules/mod_mpm_worker.so\n')).stderr,
      /AH00534: .*More than one MPM loaded\./,
    );
  });

  it('missing-module: passes the check and fails later: mod_proxy_balancer without mod_slotmem_shm, a balancer without its method, a backend without the module for its scheme', async () => {
    const balancer = '<Proxy balancer://c>\nBalancerMember http://127.0.0.1:9\n</Proxy>\nProxyPass /x balancer://c\n';
    const cases: readonly [string, SandboxOptions['modules'], RegExp][] = [
      ['', ['proxy_balancer', 'authz_core'], /AH01177/],
      [balancer, ['proxy_balancer', 'proxy_http', 'slotmem_shm', 'authz_core'], /AH01183|AH02432/],
    ];
    for (const [config, loaded, expected] of cases) {
      assert.ok((await configTest(config, { modules: loaded })).ok, config);
      await assert.rejects(
        serve(config, { modules: loaded }).then((server) => server.stop()),
        (error: Error) => expected.test(error.message) || assert.fail(error.message),
      );
    }
    const withoutScheme = await serve('ProxyPass / http://127.0.0.1:9/\n', { modules: ['proxy', 'authz_core'] });
    assert.equal((await fetch(`http://127.0.0.1:${withoutScheme.port}/`)).status, 500);
    await withoutScheme.stop();
    const server = await serve(balancer, {
      modules: ['proxy_balancer', 'proxy_http', 'slotmem_shm', 'lbmethod_byrequests', 'authz_core'],
    });
    await server.stop();
  });
});

const LOAD_AFTER = [
  ['cache', 'cache_disk'],
  ['cache', 'cache_socache'],
  ['dav', 'dav_fs'],
  ['proxy', 'proxy_http'],
  ['proxy', 'proxy_balancer'],
  ['session', 'session_cookie'],
] as const;

/** A configuration, what the server says to it with these modules only. */
const MISSING: readonly (readonly [config: string, reason: string, modules?: readonly string[]])[] = [
  ['<Directory /x>\nRequire all granted\n</Directory>', "Invalid command 'Require'", []],
  ['<Directory /x>\nRequire ip 192.0.2.1\n</Directory>', 'Unknown Authz provider: ip'],
  ['<Directory /x>\nRequire valid-user\n</Directory>', 'Unknown Authz provider: valid-user'],
  ['<Directory /x>\nRequire group x\n</Directory>', 'Unknown Authz provider: group'],
  ['<Directory /x>\nAuthType Basic\n</Directory>', "Invalid command 'AuthType'"],
  ['<Directory /x>\nAuthBasicProvider file\n</Directory>', 'Unknown Authn provider: file', ['auth_basic']],
  ['AddOutputFilterByType DEFLATE text/html', "Invalid command 'AddOutputFilterByType'"],
  ['AddOutputFilterByType DEFLATE text/html', 'Unknown filter provider DEFLATE', ['filter']],
  ['AllowCONNECT 443', "Invalid command 'AllowCONNECT'", ['proxy']],
  [
    'SSLSessionCache shmcb:logs/x(512000)',
    "SSLSessionCache: 'shmcb' session cache not supported (known names: ). Maybe you need to load the appropriate socache module (mod_socache_shmcb?).",
    ['ssl'],
  ],
  ['CacheRoot /x', "Invalid command 'CacheRoot'", ['cache']],
  ['CacheEnable disk /', 'ok', ['cache']],
  ['ProxyPass /x balancer://c lbmethod=bytraffic', 'ProxyPass unknown lbmethod', ['proxy_balancer']],
  ['ProxyFtpDirCharset UTF-8', "Invalid command 'ProxyFtpDirCharset'", ['proxy']],
];

function words({ error, stderr }: ConfigVerdict): string {
  return error?.message ?? stderr;
}

function reason(verdict: ConfigVerdict): string {
  return verdict.ok
    ? 'ok'
    : words(verdict).replace(
        ', perhaps misspelled or defined by a module not included in the server configuration',
        '',
      );
}
