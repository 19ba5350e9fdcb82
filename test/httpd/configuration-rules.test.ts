/**
 * The rules about whole configurations on a real httpd 2.4: the server's messages for their
 * examples before and after, the effect of each line that keeps an old default, and random
 * configurations for which the rule and the server must agree about missing modules.
 */
import assert from 'node:assert/strict';
import { writeFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { ALL_RULES } from '../../server/src/rules/all';
import { SEVERITY_OF } from '../../server/src/rules/rule';
import { CHANGED_DEFAULTS } from '../../server/src/rules/changed-defaults';
import { findingsInFiles, fixedFiles, listed } from '../support/configurations';
import { Random, seed } from '../support/random';
import { configTest, findHttpd, requireHttpd, serve, type SandboxOptions, type Server } from './harness';

const ROOT = '/etc/httpd/conf/httpd.conf';
/**
 * start.slow.test.ts has their ports and files; package-path.test.ts has the directories of a
 * package.
 */
const OF_THE_START = new Set(['listen-overlap', 'package-path']);
/** Rules about answers to requests, which the check of a configuration does not show. */
const OF_REQUESTS = new Set(['satisfy-any-above', 'authtype-in-proxied-location', 'login-provider-inherited']);
/** Modules without which the server starts and answers requests with 500. */
const OF_REQUESTS_WITHOUT_MODULE = /missing-module\/(?:auth-type|proxy-scheme)/;
/** Some of its lines prevent the start, others do not; macros.test.ts tries both. */
const TRIED_ELSEWHERE = new Set(['last-line-lost']);

/** Lines in conditions that hang on names. httpd knows ExpiresActive only with mod_expires. */
const LOAD_SSL = 'LoadModule ssl_module modules/mod_ssl.so\n';
const EXPIRES = 'ExpiresActive On\n';
const within = (tag: string, text: string) => `<${tag}>\n${text}</${tag.split(' ')[0]!}>\n`;
const IN_CONDITIONS = [
  within('IfDefine SSL', within('IfModule mod_ssl.c', EXPIRES)),
  within('IfDefine SSL', LOAD_SSL) + within('IfDefine SSL', within('IfModule mod_ssl.c', EXPIRES)),
  within('IfDefine SSL', within('IfModule ssl_module', EXPIRES) + LOAD_SSL),
  within('IfDefine SSL', within('IfModule !mod_ssl.c', EXPIRES)),
  within('IfDefine X', LOAD_SSL) + within('IfDefine SSL', within('IfModule ssl_module', EXPIRES)),
  within('IfDefine X', LOAD_SSL) + within('IfModule mod_ssl.c', EXPIRES),
  within('IfDefine SSL', within('IfModule mod_ssl.c', EXPIRES)) + LOAD_SSL,
  LOAD_SSL + within('IfDefine SSL', within('IfModule mod_ssl.c', EXPIRES)),
  within('IfModule mod_expires.c', within('IfDefine SSL', EXPIRES)),
  within('IfDefine SSL', within('IfDefine X', LOAD_SSL)) + within('IfModule mod_ssl.c', EXPIRES),
];

describe('rules about whole configurations on a real httpd', function () {
  this.timeout(300_000);

  before(function () {
    requireHttpd(this);
  });

  const examples = ALL_RULES.flatMap((rule) =>
    rule.checks === 'configuration' && SEVERITY_OF[rule.consequence] === 'error'
      ? rule.examples
          .filter(
            ({ finds, files, after }) =>
              finds.length > 0 &&
              !files &&
              after !== undefined &&
              !OF_THE_START.has(rule.id) &&
              !OF_REQUESTS.has(rule.id) &&
              !TRIED_ELSEWHERE.has(rule.id),
          )
          .map((example) => ({ id: rule.id, ...example }))
      : [],
  );
  for (const { id, title, before, after } of examples) {
    it(`${id}: ${title}: refused, and fixed not any more`, async () => {
      assert.notEqual(await start(before), 'ok');
      assert.equal(await start(after!), 'ok');
    });
  }

  it('enabled-not-included: the default site answers for the site, and the site itself where the fix is taken', async () => {
    const [{ before, after, files = {} }] = ALL_RULES.find(({ id }) => id === 'enabled-not-included')!.examples;
    const sites = Object.entries(files).map(([name, text]) => {
      const site = /ServerName (\S+)/.exec(text)![1];
      return [
        name.replace('/srv/conf/', ''),
        text
          .replace('*:80', '*:@PORT@')
          .replace('</VirtualHost>', `Redirect / http://other.example.org/${site}/\n</VirtualHost>`),
      ];
    });
    const locations: unknown[] = [];
    for (const text of [before, after!]) {
      const server = await serve(text.replace(/^ServerRoot .*/m, 'ServerRoot "@ROOT@"'), {
        modules: ['authz_core', 'alias'],
        files: Object.fromEntries(sites),
      });
      try {
        locations.push((await server.request({ path: '/', headers: { Host: 'shop.example.org' } })).headers.location);
      } finally {
        await server.stop();
      }
    }
    assert.deepEqual(locations, [
      'http://other.example.org/www.example.org/',
      'http://other.example.org/shop.example.org/',
    ]);
  });

  it('missing-module: of random configurations, the server refuses those with a finding, and starts with what the fixes make of them', async () => {
    const first = seed();
    const random = new Random(first);
    const builtin = findHttpd()!.builtin;
    for (let round = 0; round < 12; round++) {
      const names = [...POOL].filter((name) => !builtin.has(name) && random.below(3) > 0);
      const text = `ServerRoot "/etc/httpd"\n${lines([...ALWAYS, ...names])}${lines([...builtin].filter((name) => name === 'unixd' || name === 'log_config' || name === 'version'))}${NEEDS.filter(
        () => random.below(3) > 0,
      )
        .map(([config]) => config)
        .join('\n')}\n`;
      const found = listed({ [ROOT]: text }, { rule: 'missing-module', distribution: 'rhel' }).filter(
        (row) => row.includes(': error') && !OF_REQUESTS_WITHOUT_MODULE.test(row),
      );
      const said = await start(text);
      const context = `HTTPD_UPGRADE_SEED=${first}\n${text}\n${found.join('\n')}\n${said}`;
      assert.equal(said === 'ok', found.length === 0, context);
      // With those that a person decides: 2.2 denied every login without some of them.
      const fixed = fixedFiles({ [ROOT]: text }, { rule: 'missing-module', distribution: 'rhel', unsafe: true })[ROOT];
      assert.equal(await start(fixed), 'ok', `${context}\nfixed:\n${fixed}`);
    }
  });

  for (const text of IN_CONDITIONS)
    it(`missing-module: the server refuses the names of a note: ${text.replaceAll('\n', ' ')}`, async () => {
      const usual = lines(['mpm_event', 'authz_core', 'authz_host', 'dir', 'mime', 'alias', 'unixd']);
      const asked = { rule: 'missing-module', distribution: 'rhel' } as const;
      const notes = [...findingsInFiles({ [ROOT]: `ServerRoot /etc/httpd\n${usual}${text}` }, asked).values()]
        .flat()
        .map(({ message }) => [...message.split('\n')[0]!.matchAll(/-D (\w+)/g)].map(([, name]) => name!));
      for (const defined of [[], ['SSL'], ['X'], ['SSL', 'X']]) {
        const defines = defined.map((name) => `Define ${name}\n`).join('');
        const { ok, stderr } = await configTest(defines + text, { modules: ['authz_core'] });
        const isNamed = notes.some((names) => names.every((name) => defined.includes(name)));
        assert.equal(!ok, isNamed, `${defined.join()}: ${JSON.stringify(notes)}\n${stderr}`);
      }
    });

  it('changed-defaults: the server takes each line', async () => {
    const kept = CHANGED_DEFAULTS.flatMap(({ linesWithOldDefault }) => linesWithOldDefault ?? []);
    assert.ok(kept.length > 12);
    const verdict = await configTest(kept.join('\n'));
    assert.deepEqual([verdict.ok, verdict.stderr.trim()], [true, 'Syntax OK']);
  });

  it('changed-defaults: what is served without the lines, and with them', async () => {
    const base =
      '<Directory "@ROOT@/htdocs">\nRequire all granted\n</Directory>\n<LocationMatch "x//double">\nHeader always set X-Double yes\n</LocationMatch>\n';
    const modules = ['authz_core', 'dir', 'autoindex', 'mime', 'headers', 'alias'];
    const server = await serve(base, { modules });
    try {
      mkdirSync(path.join(server.root, 'htdocs/list'), { recursive: true });
      mkdirSync(path.join(server.root, 'htdocs/over'), { recursive: true });
      writeFileSync(path.join(server.root, 'htdocs/list/a.txt'), 'a');
      writeFileSync(path.join(server.root, 'htdocs/unknown.qqq'), 'a');
      writeFileSync(path.join(server.root, 'htdocs/over/a.txt'), 'a');
      writeFileSync(path.join(server.root, 'htdocs/over/.htaccess'), 'Header set X-Over yes\n');
      assert.deepEqual(await seen(server), { listing: 403, etag: 2, over: '500', double: 'no', type: 'none' });
      await server.reload(
        base +
          CHANGED_DEFAULTS.filter(
            ({ setBy: set, linesWithOldDefault }) =>
              linesWithOldDefault && !/reqtimeout|requestread|cache|substitute|ssl/.test(set.join()),
          )
            .flatMap(({ linesWithOldDefault }) => linesWithOldDefault!)
            .join('\n'),
      );
      assert.deepEqual(await seen(server), { listing: 200, etag: 3, over: '200 yes', double: 'yes', type: 'none' });
    } finally {
      await server.stop();
    }
  });
});

/** Loaded in every round. */
const ALWAYS = ['mpm_event', 'authz_host', 'dir', 'mime', 'alias', 'setenvif'];

/** Loaded in some. */
const POOL = [
  'authz_core',
  'authn_core',
  'authz_user',
  'authn_file',
  'auth_basic',
  'unixd',
  'proxy',
  'proxy_http',
  'proxy_balancer',
  'slotmem_shm',
  'lbmethod_byrequests',
  'lbmethod_bytraffic',
  'filter',
  'deflate',
  'expires',
  'headers',
  'cache',
  'cache_disk',
  'version',
  'log_config',
];

/** Lines that need a module, of the pool or not, in 2.4. */
const NEEDS: readonly (readonly [config: string])[] = [
  ['User www-data'],
  ['<Location /a>\nRequire ip 192.0.2.1\n</Location>'],
  ['<Location /b>\nRequire valid-user\n</Location>'],
  ['<Location /c>\nAuthName c\nAuthUserFile /x\n</Location>'],
  ['<Location /d>\nAuthBasicProvider file\n</Location>'],
  ['AddOutputFilterByType DEFLATE text/html'],
  ['ExpiresActive Off'],
  ['Header set X y'],
  ['CacheDirLevels 2'],
  ['CacheDefaultExpire 3600'],
  ['<Proxy balancer://e>\nBalancerMember http://192.0.2.1 route=1\n</Proxy>\nProxyPass /e balancer://e'],
  ['ProxyPass /f balancer://f/ lbmethod=bytraffic'],
  ['ProxyPass /g !'],
  ['LogFormat "%h" x'],
];

function lines(names: readonly string[]): string {
  return names.map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`).join('');
}

/** What the server says to a configuration that loads its own modules: `ok` when it runs. */
async function start(text: string): Promise<string> {
  // The MPM is loaded before, because the server for tests is tuned.
  const mpm = /^LoadModule mpm_prefork_module/m.test(text) ? 'prefork' : 'event';
  const options: SandboxOptions = { ...fileContext(), modules: [], mpm };
  const config = text.replace(/^User apache$/m, 'User www-data').replace(/^Group apache$/m, 'Group www-data');
  const verdict = await configTest(config, options);
  if (!verdict.ok) return verdict.stderr;
  try {
    await (await serve(config, options)).stop();
    return 'ok';
  } catch (error) {
    return String(error);
  }
}

/** The folders of the examples are those of the sandbox, and what is compiled in is not loaded. */
function fileContext(): SandboxOptions {
  const builtin = [...findHttpd()!.builtin].map(
    (name) => [`LoadModule ${name}_module`, `#LoadModule ${name}_module`] as const,
  );
  return {
    files: { 'mime.types': '' },
    replace: [
      ['"/etc/httpd"', '"@ROOT@"'],
      ['ServerRoot /srv/conf', 'ServerRoot @ROOT@'],
      ['LoadModule mpm_', '#LoadModule mpm_'],
      ...builtin,
    ],
  };
}

async function seen(server: Server) {
  const [listing, plain, over, double, unknown] = await server.requestAll([
    { path: '/list/' },
    { path: '/list/a.txt' },
    { path: '/over/a.txt' },
    { path: '/x//double' },
    { path: '/unknown.qqq' },
  ]);
  return {
    listing: listing.status,
    etag: String(plain.headers.etag).split('-').length,
    over: [over.status, over.headers['x-over']].join(' ').trim(),
    double: double.headers['x-double'] ?? 'no',
    type: unknown.headers['content-type'] ?? 'none',
  };
}
