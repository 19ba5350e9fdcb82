/** The samples of test/samples on a real httpd 2.4: its messages for each file. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Engine } from '../../server/src/analysis/engine';
import { fixText } from '../../server/src/analysis/fixes';
import { ALL_RULES } from '../../server/src/rules/all';
import { configTest, configTestAll, requireHttpd, serve, type SandboxOptions } from './harness';

const SAMPLES = path.resolve('test/samples');

/** How many lines of each kind the server refuses. */
type Complaints = Readonly<Record<string, number>>;

const UNKNOWN = (name: string, count: number): Complaints => ({ [`Invalid command '${name}'`]: count });

const EXPECTED: Readonly<Record<string, Complaints>> = {
  'standalone/httpd.conf': {
    'KeepAlive must be On or Off': 1,
    ...UNKNOWN('AcceptMutex', 1),
    ...UNKNOWN('LockFile', 1),
    ...UNKNOWN('SSLMutex', 1),
    'SSLProtocol: SSLv2 is no longer supported': 2,
    ...UNKNOWN('Order', 9),
    ...UNKNOWN('Allow', 6),
    ...UNKNOWN('Deny', 9),
  },
  'etc/httpd/conf/httpd.conf': {
    'cannot load': 4,
    'KeepAlive must be On or Off': 1,
    ...UNKNOWN('AcceptMutex', 1),
    ...UNKNOWN('LockFile', 1),
    ...UNKNOWN('RewriteLog', 1),
    ...UNKNOWN('RewriteLogLevel', 1),
    ...UNKNOWN('Order', 6),
    ...UNKNOWN('Allow', 4),
    ...UNKNOWN('Deny', 3),
  },
  'etc/httpd/conf.d/ssl.conf': {
    ...UNKNOWN('SSLMutex', 1),
    'SSLProtocol: SSLv2 is no longer supported': 1,
    ...UNKNOWN('Order', 1),
    ...UNKNOWN('Allow', 1),
  },
  'etc/httpd/conf.d/intranet.conf': {
    ...UNKNOWN('Order', 5),
    ...UNKNOWN('Deny', 3),
    ...UNKNOWN('Allow', 6),
    ...UNKNOWN('Satisfy', 2),
    ...UNKNOWN('AuthzGroupFileAuthoritative', 1),
    ...UNKNOWN('AuthzLDAPAuthoritative', 1),
    ...UNKNOWN('AuthzUserAuthoritative', 1),
  },
  'etc/httpd/conf.d/old-app.conf': {
    'No matches for the wildcard': 1,
    ...UNKNOWN('RewriteLock', 1),
    'Either all Options must start with + or -, or no Option may.': 1,
    ...UNKNOWN('Order', 2),
    ...UNKNOWN('Allow', 2),
    ...UNKNOWN('Deny', 3),
    ...UNKNOWN('order', 1),
    ...UNKNOWN('allow', 2),
    ...UNKNOWN('deny', 1),
  },
};

describe('samples on a real httpd', function () {
  this.timeout(300_000);

  before(function () {
    requireHttpd(this);
  });

  for (const [file, expected] of Object.entries(EXPECTED)) {
    it(`${file}: what 2.4 refuses`, async () => {
      const errors = await configTestAll(readSample(file), { modules: 'all-but-access_compat', ...fileContext(file) });
      const kinds = errors.map(({ message }) => kindOf(message)).filter((kind) => kind !== undefined);
      const counts: Record<string, number> = {};
      for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
      assert.deepEqual(counts, expected);
    });
  }
});

describe('the standalone sample, fixed', function () {
  this.timeout(300_000);

  const fixed = fixText(new Engine({ rules: ALL_RULES, assumeStandalone: true }), readSample('standalone/httpd.conf'), {
    isHtaccess: false,
  });
  const surrounded = { modules: 'all-but-access_compat', ...fileContext('standalone/httpd.conf') } as const;

  before(function () {
    requireHttpd(this);
  });

  it('has nothing left but NameVirtualHost, because no configuration shows all virtual hosts', () => {
    assert.deepEqual(
      fixed.remainingFindings.map(({ rule }) => rule.id),
      ['name-virtual-host'],
    );
    assert.deepEqual(
      fixed.fixes.filter(({ safety }) => safety !== 'safe'),
      [],
    );
  });

  for (const mpm of ['prefork', 'worker', 'event'] as const) {
    it(`is accepted by 2.4 without a warning about what was fixed (${mpm})`, async () => {
      const { ok, warnings, stderr } = await configTest(fixed.text, { ...surrounded, mpm });
      assert.ok(ok, stderr);
      assert.deepEqual(
        warnings.flatMap(({ code }) => (code === 'AH00548' || code === 'AH00117' ? [code] : [])),
        ['AH00548'],
      );
    });
  }

  it('runs, and decides as 2.2 did', async () => {
    const folders = ['', 'internal/', 'downloads/', 'direct/', 'partners/', 'attic/'];
    const files = Object.fromEntries(
      [...folders.map((folder) => `${folder}index.html`), '.htpasswd'].map((file) => [`htdocs/${file}`, file]),
    );
    const server = await serve(fixed.text, { ...surrounded, files });
    const status = async (path: string, headers: Record<string, string> = {}, from = '127.0.0.1') =>
      (await server.request({ path, headers, from })).status;
    try {
      assert.equal(await status('/'), 200);
      assert.equal(await status('/.htpasswd'), 403);
      assert.equal(await status('/internal/'), 403);
      assert.equal(await status('/downloads/'), 200);
      assert.equal(await status('/downloads/', { 'User-Agent': 'SiteSucker/2' }), 403);
      assert.equal(await status('/direct/'), 200);
      assert.equal(await status('/direct/', { 'X-Forwarded-For': '192.0.2.1' }), 403);
      assert.equal(await status('/partners/'), 403);
      assert.equal(await status('/attic/'), 403);
      assert.equal(await status('/server-status'), 200);
      assert.equal(await status('/server-status', {}, '127.0.0.2'), 403);
      const { body } = await server.request({ path: '/', headers: { Host: 'downloads.example.org' } });
      assert.equal(body, 'downloads/index.html');
    } finally {
      await server.stop();
    }
  });
});

function readSample(file: string): string {
  return readFileSync(path.join(SAMPLES, file), 'utf8');
}

/**
 * What the machine that a sample is from had, and where it is here. A file of conf.d is checked
 * alone.
 */
function fileContext(file: string): SandboxOptions {
  if (file.startsWith('standalone/'))
    return {
      mpm: 'prefork',
      replace: [
        ['/usr/local/apache2', '@ROOT@'],
        ['Listen 80\n', '\n'],
        ['*:80', '*:@PORT@'],
      ],
    };
  return {
    mpm: 'prefork',
    name: file,
    files: { 'var/www/html/': '', 'etc/mime.types': '', 'etc/httpd/conf.d/': '', 'conf.d/': '' },
    replace: [
      ['Include conf.d/*.conf', ''],
      ['ServerRoot "/etc/httpd"', ''],
      ['User apache', 'User daemon'],
      ['Group apache', 'Group daemon'],
      ['"/var/', '"@ROOT@/var/'],
      [' /etc/', ' @ROOT@/etc/'],
      [' /var/', ' @ROOT@/var/'],
    ],
  };
}

/**
 * A message without what is different on another machine; undefined for what only this machine has
 * to say.
 */
function kindOf(message: string): string | undefined {
  if (/ does not exist or is empty|is built-in and can't be loaded/.test(message)) return undefined;
  if (message.startsWith('Cannot load modules/')) return 'cannot load';
  return /Invalid command '\w+'|No matches for the wildcard/.exec(message)?.[0] ?? message;
}
