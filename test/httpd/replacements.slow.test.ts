/**
 * The replacements that rules write for old directives, shown on the real server.
 * (claims.slow.test.ts shows whether the server accepts a line; this shows its effect.)
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { configTest, requireHttpd, serve, type SandboxOptions } from './harness';

const REWRITING = 'RewriteEngine On\nRewriteCond %{HTTP_HOST} .\nRewriteRule ^/x /y?a=b [E=a:b]\n';

describe('a real httpd: LogLevel for mod_rewrite in place of RewriteLog', () => {
  before(function () {
    requireHttpd(this);
  });

  /**
   * The levels at which mod_rewrite logged requests to two virtual hosts, and whether the core
   * logged at debug.
   */
  async function logged(server: string, second = '') {
    const hosts = ['', second]
      .map((body, i) => `<VirtualHost *:@PORT@>\nServerName h${i}\n${REWRITING}${body}</VirtualHost>\n`)
      .join('');
    const running = await serve(`${server}${hosts}`);
    try {
      for (const Host of ['h0', 'h1']) await running.request({ path: '/x', headers: { Host } });
      const rows = running.errorLog().split('\n');
      const levels = (host: string) =>
        [
          ...new Set(
            rows.filter((row) => row.includes(`[${host}/`)).map((row) => /\[rewrite:trace(\d)\]/.exec(row)?.[1] ?? ''),
          ),
        ]
          .sort()
          .join('');
      return { h0: levels('h0'), h1: levels('h1'), debug: rows.some((row) => /\[authz_core:debug\]/.test(row)) };
    } finally {
      await running.stop();
    }
  }

  it('logs each message at the trace level of its old number', async () => {
    assert.deepEqual(await logged(''), { h0: '', h1: '', debug: false });
    assert.deepEqual(await logged('LogLevel rewrite:trace1\n'), { h0: '1', h1: '1', debug: false });
    assert.deepEqual(await logged('LogLevel rewrite:trace3\n'), { h0: '123', h1: '123', debug: false });
    assert.deepEqual(await logged('LogLevel rewrite:trace8\n'), { h0: '12345', h1: '12345', debug: false });
  });

  it('leaves the general level as it is, of the line before or of the server around', async () => {
    assert.deepEqual(await logged('LogLevel debug\nLogLevel rewrite:trace2\n'), { h0: '12', h1: '12', debug: true });
    assert.deepEqual(await logged('LogLevel debug\n', 'LogLevel rewrite:trace1\n'), { h0: '', h1: '1', debug: true });
  });

  it('is forgotten at a general level that comes later, and is not inherited past one', async () => {
    assert.deepEqual(await logged('LogLevel rewrite:trace3\nLogLevel warn\n'), { h0: '', h1: '', debug: false });
    assert.deepEqual(await logged('LogLevel rewrite:trace3 warn\n'), { h0: '', h1: '', debug: false });
    assert.deepEqual(await logged('LogLevel rewrite:trace1\n', 'LogLevel warn\n'), { h0: '1', h1: '', debug: false });
  });
});

describe('a real httpd: a Header in place of DefaultType', () => {
  before(function () {
    requireHttpd(this);
  });

  const types = async (config: string) => {
    const files = { 'htdocs/plain': '', 'htdocs/a.html': '', 'htdocs/a.odd': '', 'htdocs/in/plain': '' };
    const server = await serve(config, { files });
    try {
      const answers = await server.requestAll(
        ['/plain', '/a.html', '/a.odd', '/in/plain', '/none'].map((path) => ({ path })),
      );
      return answers.map(({ headers }) => headers['content-type']?.split(';')[0] ?? null);
    } finally {
      await server.stop();
    }
  };
  const header = (type: string) => `Header set Content-Type ${type} "expr=-z %{CONTENT_TYPE}"\n`;

  it('gives the type to what has none, and to nothing else', async () => {
    assert.deepEqual(await types('DefaultType text/plain\n'), [null, 'text/html', null, null, 'text/html']);
    assert.deepEqual(await types(header('text/plain')), [
      'text/plain',
      'text/html',
      'text/plain',
      'text/plain',
      'text/html',
    ]);
  });

  it('of several the outermost counts', async () => {
    assert.equal(
      (await types(`${header('text/plain')}<Directory "@ROOT@/htdocs/in">\n${header('text/x-in')}</Directory>\n`))[3],
      'text/plain',
    );
  });

  it('is not what setifempty does, nor ForceType; for files without an extension ForceType does it', async () => {
    assert.equal((await types('Header setifempty Content-Type text/plain\n'))[1], 'text/plain');
    assert.equal((await types('<Location "/">\nForceType text/plain\n</Location>\n'))[1], 'text/plain');
    assert.deepEqual((await types('<FilesMatch "^[^.]+$">\nForceType text/plain\n</FilesMatch>\n')).slice(0, 3), [
      'text/plain',
      'text/html',
      null,
    ]);
  });
});

describe('a real httpd: Mutex in place of AcceptMutex and LockFile', () => {
  before(function () {
    requireHttpd(this);
  });

  /**
   * Folders with a lock file for accepting, of a running server; with two addresses, so that it
   * does lock.
   */
  async function lockFiles(mutex: string): Promise<string[]> {
    const server = await serve(`Listen 127.0.0.2:@PORT@\n${mutex}`, { mpm: 'prefork' });
    try {
      await server.request({ path: '/' });
      return ['run', 'logs', 'htdocs'].flatMap((folder) =>
        readdirSync(`${server.root}/${folder}`)
          .filter((name) => name.startsWith('mpm-accept'))
          .map(() => folder),
      );
    } finally {
      await server.stop();
    }
  }

  it('makes a file for flock, in its directory, or in that for run-time files', async () => {
    assert.deepEqual(await lockFiles('Mutex flock mpm-accept\n'), ['run']);
    assert.deepEqual(await lockFiles('Mutex flock:htdocs mpm-accept\n'), ['htdocs']);
  });

  it('makes none for semaphores', async () => {
    for (const mechanism of ['sysvsem', 'posixsem', 'pthread'])
      assert.deepEqual(await lockFiles(`Mutex ${mechanism} mpm-accept\n`), [], mechanism);
  });

  it('locks rewrite maps without a line that names them, and accepting only under an MPM that serializes it', async () => {
    const names = async (mpm: 'event' | 'prefork') => {
      // The default for all locks is one that can be seen.
      const server = await serve(
        'Listen 127.0.0.2:@PORT@\nMutex flock:htdocs default\nRewriteEngine On\nRewriteMap m prg:/bin/cat\n',
        { mpm },
      );
      try {
        await server.request({ path: '/' });
        return ['run', 'logs', 'htdocs']
          .flatMap((folder) => readdirSync(`${server.root}/${folder}`))
          .map((name) => /^(rewrite-map|mpm-accept)/.exec(name)?.[1])
          .filter(Boolean)
          .sort();
      } finally {
        await server.stop();
      }
    };
    assert.deepEqual(await names('prefork'), ['mpm-accept', 'rewrite-map']);
    assert.deepEqual(await names('event'), ['rewrite-map']);
  });

  it('takes a directory with the default mechanism', async () => {
    const options: SandboxOptions = { mpm: 'prefork' };
    for (const mutex of [
      'Mutex default:logs mpm-accept',
      'Mutex default:logs rewrite-map',
      'Mutex "file:logs" ssl-cache',
      'Mutex flock:. mpm-accept',
    ]) {
      assert.equal((await configTest(`${mutex}\n`, options)).ok, true, mutex);
    }
    for (const mutex of ['Mutex default:none mpm-accept', 'Mutex posixsem:name ssl-cache'])
      assert.match((await configTest(`${mutex}\n`, options)).error?.message ?? '', /Invalid Mutex directory/);
  });

  it('is read only under an MPM that serializes accepting, in a section for it', async () => {
    const config =
      '<IfModule prefork.c>\nMutex sysvsem mpm-accept\n</IfModule>\n<IfModule worker.c>\nMutex sysvsem mpm-accept\n</IfModule>\n';
    for (const mpm of ['event', 'worker', 'prefork'] as const)
      assert.equal((await configTest(config, { mpm })).ok, true, mpm);
  });
});

describe('a real httpd: SSLProtocol', () => {
  before(function () {
    requireHttpd(this);
  });

  it('lets a word without a sign forget the words before it', async () => {
    const { ok, warnings } = await configTest('SSLProtocol +TLSv1.2 TLSv1.3\n');
    assert.deepEqual([ok, warnings.map(({ code }) => code)], [true, ['AH02532']]);
  });
});
