/**
 * The messages of a real httpd 2.4 for whole configurations, in its check and at its start,
 * compared with the findings of the rules: a row of each table is a configuration, its findings,
 * and the server's messages. `@ROOT@` is the server's folder, for both of them.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { configTest, findHttpd, requireHttpd, serve, type Mpm, type SandboxOptions } from './harness';
import { findingsInFiles, listed, type Files } from '../support/configurations';
import { Random, seed } from '../support/random';

/**
 * `refused` by the check, with words; passed by it and `failed` at the start, with words; `runs`,
 * and says the words or nothing.
 */
interface Outcome {
  readonly verdict: 'refused' | 'failed' | 'runs';
  readonly words: string;
}

interface Case {
  readonly config: string;
  /** `rule/message` of what is found, in order; others than the rules in question are left out. */
  readonly finds: readonly string[];
  readonly verdict: Outcome['verdict'];
  readonly says?: RegExp;
  /** Below the server's folder. */
  readonly files?: Readonly<Record<string, string>>;
  readonly options?: SandboxOptions;
}

const RULES = new Set([
  'listen-missing',
  'listen-overlap',
  'listen-twice',
  'server-name-missing',
  'virtual-host-without-listen',
  'virtual-host-shadowed',
  'path-missing',
  'ssl-certificate-missing',
  'ssl-stapling-cache-missing',
  'http2-prefork',
  'alias-overlap',
  'load-module-twice',
  'missing-module',
]);

describe('whole configurations: the check and the start of a real httpd', function () {
  this.timeout(300_000);

  before(function () {
    requireHttpd(this);
  });

  const usual = load('authz_core', 'dir', 'mime');
  const quiet = 'Listen 127.0.0.1:@PORT@\nServerName localhost\n';
  const host = (port: string, ...lines: string[]) =>
    `<VirtualHost *:${port}>\n${lines.map((line) => `${line}\n`).join('')}</VirtualHost>\n`;

  table(
    'listen-missing, listen-overlap, server-name-missing, virtual-host-without-listen, virtual-host-shadowed: ports and names',
    [
      { config: usual + quiet, finds: [], verdict: 'runs' },
      {
        config: `${usual}ServerName localhost\n`,
        finds: ['listen-missing/missing'],
        verdict: 'failed',
        says: /no listening sockets available/,
      },
      {
        config: `${usual}Listen 127.0.0.1:@PORT@\n${host('@PORT@', 'ServerName a.example')}`,
        finds: ['server-name-missing/missing'],
        verdict: 'runs',
        says: /AH00558|^$/,
      },
      {
        config: `${quiet}Include conf/more.conf\n`,
        files: { 'conf/more.conf': 'Listen 127.0.0.1:@PORT@ https\n' },
        finds: ['listen-overlap/twice'],
        verdict: 'refused',
        says: /Cannot define multiple Listeners on the same IP:port/,
      },
      {
        config: 'ServerName localhost\nInclude conf/more.conf\nInclude conf/more.conf\n',
        files: { 'conf/more.conf': 'Listen 127.0.0.1:@PORT@\n' },
        finds: ['listen-overlap/read-twice'],
        verdict: 'refused',
        says: /Cannot define multiple Listeners on the same IP:port/,
      },
      {
        config: quiet + host('9', 'ServerName a.example'),
        finds: ['virtual-host-without-listen/no-listen'],
        verdict: 'runs',
      },
      {
        config:
          quiet +
          host('@PORT@', 'ServerName a.example') +
          host('@PORT@', 'ServerName b.example', 'ServerAlias A.example') +
          host('@PORT@', 'ServerName a.example:80'),
        finds: ['virtual-host-shadowed/shadowed'],
        verdict: 'runs',
      },
    ],
  );

  it('virtual-host-shadowed: the first one with the name answers, by any of its names; the later one has its aliases', async () => {
    const named = (index: number, address: string, ...lines: string[]) =>
      `<VirtualHost ${address}:@PORT@>\n${lines.map((line) => `${line}\n`).join('')}Header always set X-Host ${index}\n</VirtualHost>\n`;
    const config =
      named(1, '*', 'ServerName first.example') +
      named(2, '*', 'ServerName a.example', 'ServerAlias b.example') +
      named(3, '_default_', 'ServerName https://A.example:443', 'ServerAlias c.example') +
      named(4, '*', 'ServerName b.example');
    const lines = rowsOf(config, 'virtual-host-shadowed');
    assert.deepEqual(lines, [11, 16]);
    const server = await serve(config, { ...OPTIONS, modules: ['headers', 'authz_core'], without: [] });
    try {
      const answers = await server.requestAll(
        ['a.example', 'b.example', 'c.example'].map((name) => ({ path: '/', headers: { Host: name } })),
      );
      assert.deepEqual(
        answers.map(({ headers }) => headers['x-host']),
        ['2', '2', '3'],
      );
    } finally {
      await server.stop();
    }
  });

  it('listen-overlap: each kind of address beside each other one', async () => {
    const addresses = ['', '0.0.0.0:', '127.0.0.1:', ...((await hasIPv6()) ? ['[::]:', '[::1]:'] : [])];
    const pairs = addresses.flatMap((first) =>
      addresses.filter((second) => second !== first).map((second) => [first, second] as const),
    );
    await inTurn(pairs, async ([first, second]) => {
      const config = `${usual}ServerName localhost\nListen ${first}@PORT@\nListen ${second}@PORT@\n`;
      const found = found24({ config, finds: [], verdict: 'runs' }, 'rhel').filter((each) =>
        each.startsWith('listen-overlap'),
      );
      const { verdict, words } = await outcome({ config, finds: [], verdict: 'runs' });
      const expected =
        found.length === 0 ? 'runs' : found[0].includes('overlap-said') ? 'runs AH00072' : 'failed AH00072';
      assert.equal(
        `${verdict}${words.includes('AH00072') ? ' AH00072' : ''}`,
        expected,
        `${config}${found.join()}\n${words}`,
      );
    });
  });

  const certificates: Record<string, string> = { 'conf/server.crt': '', 'conf/server.key': '' };
  before(() => Object.assign(certificates, makeCertificate()));
  const ssl = usual + load('ssl', 'socache_shmcb') + quiet;
  const own = 'SSLCertificateFile conf/server.crt\nSSLCertificateKeyFile conf/server.key';
  table('ssl-certificate-missing, ssl-stapling-cache-missing: TLS', [
    {
      config: ssl + host('@PORT@', 'ServerName x', 'SSLEngine on'),
      finds: ['ssl-certificate-missing/missing'],
      verdict: 'failed',
      says: /AH02572[^]*AH02312/,
    },
    {
      config: `${ssl}SSLEngine on\n${host('@PORT@', 'ServerName x', own)}`,
      files: certificates,
      finds: ['ssl-certificate-missing/missing'],
      verdict: 'failed',
      says: /AH02572/,
    },
    {
      config: ssl + host('@PORT@', 'ServerName x', own, 'SSLEngine on'),
      files: certificates,
      finds: [],
      verdict: 'runs',
    },
    {
      config: `${ssl}${own}\n${host('@PORT@', 'ServerName x', 'SSLEngine on')}`,
      files: certificates,
      finds: [],
      verdict: 'runs',
    },
    { config: ssl + host('@PORT@', 'ServerName x', 'SSLEngine on', 'SSLEngine off'), finds: [], verdict: 'runs' },
    {
      config: ssl + host('@PORT@', 'ServerName x', own, 'SSLEngine on', 'SSLUseStapling on'),
      files: certificates,
      finds: ['ssl-stapling-cache-missing/missing'],
      verdict: 'failed',
      says: /AH01958/,
    },
    {
      config: `${ssl}SSLUseStapling on\n${host('@PORT@', 'ServerName x', own, 'SSLEngine on')}`,
      files: certificates,
      finds: ['ssl-stapling-cache-missing/missing'],
      verdict: 'failed',
      says: /AH01958/,
    },
    { config: ssl + host('@PORT@', 'ServerName x', 'SSLUseStapling on'), finds: [], verdict: 'runs' },
  ]);

  const onPath = (config: string, message: string, verdict: Outcome['verdict'], says: RegExp, modules = ''): Case => ({
    config: `ServerRoot @ROOT@\n${quiet}${modules}${config}\n`,
    files: { 'logs/here': '' },
    finds: [`path-missing/${message}`],
    verdict,
    says,
  });
  table('path-missing: each path', [
    {
      config: `ServerRoot @ROOT@\n${quiet}DocumentRoot logs\nErrorLog logs/error_log\nCustomLog logs/a "%h"\nPidFile @ROOT@/logs/pid\n${host('@PORT@', 'ServerName x', 'DocumentRoot logs')}`,
      files: { 'logs/here': '' },
      finds: [],
      verdict: 'runs',
    },
    {
      config: `ServerRoot @ROOT@\n${quiet}${load('cgid')}PidFile pid\nScriptSock sock\nMutex file:. default\n`,
      finds: [],
      verdict: 'runs',
    },
    onPath('DocumentRoot none', 'folder', 'refused', /is not a directory, or is not readable/),
    onPath('DocumentRoot httpd.conf', 'no-folder', 'refused', /is not a directory, or is not readable/),
    onPath(host('@PORT@', 'ServerName x', 'DocumentRoot none'), 'folder', 'runs', /AH00112/),
    onPath('ErrorLog none/error_log', 'folder', 'refused', /AH02291/),
    onPath(host('@PORT@', 'ServerName x', 'ErrorLog none/error_log'), 'folder', 'refused', /AH02291/),
    onPath('ErrorLog logs', 'is-folder', 'failed', /AH00091/),
    onPath('ErrorLog "|/none/program x"', 'program', 'failed', /AH00089/),
    onPath('CustomLog none/a "%h"', 'folder', 'refused', /AH02297/),
    onPath('CustomLog logs "%h"', 'is-folder', 'failed', /AH00649/),
    onPath('CustomLog "|/none/program x" "%h"', 'program', 'failed', /AH00104/),
    onPath('CustomLog "|$/none/program x" "%h"', 'program', 'failed', /AH00104/),
    onPath('TransferLog none/a', 'folder', 'refused', /AH02297/),
    onPath('ForensicLog none/a', 'folder', 'failed', /AH00651/, load('log_forensic')),
    onPath('PidFile @ROOT@/none/pid', 'folder', 'failed', /AH00099[^]*AH00100/),
    onPath('DefaultRuntimeDir none', 'folder', 'refused', /DefaultRuntimeDir must be a valid directory/),
    onPath('CoreDumpDirectory none', 'folder', 'refused', /CoreDumpDirectory \S+ does not exist/),
    onPath('ChrootDir /none', 'folder', 'refused', /ChrootDir must be a valid directory/),
    onPath('TypesConfig none', 'file', 'failed', /AH01597/, load('mime')),
    onPath('MimeMagicFile none', 'file', 'runs', /AH01515/, load('mime_magic')),
    onPath('LoadModule foo_module none/mod_foo.so', 'file', 'refused', /Cannot load none\/mod_foo\.so into server/),
    onPath('LoadFile /none/x.so', 'file', 'refused', /Cannot load \/none\/x\.so into server/),
    {
      ...onPath('Include none/x.conf', 'file', 'refused', /Could not open configuration file/),
      // The file that is missing may load the MPM: a hint.
      finds: ['missing-module/part', 'path-missing/file'],
    },
    onPath(
      'SSLCertificateFile none.crt',
      'file',
      'refused',
      /SSLCertificateFile: file '\S+' does not exist or is empty/,
      load('ssl'),
    ),
    onPath(
      'SSLCertificateKeyFile none.key',
      'file',
      'refused',
      /SSLCertificateKeyFile: file '\S+' does not exist or is empty/,
      load('ssl'),
    ),
    onPath(
      'SSLCertificateChainFile none.crt',
      'file',
      'refused',
      /SSLCertificateChainFile: file '\S+' does not exist or is empty/,
      load('ssl'),
    ),
    onPath(
      'SSLCACertificateFile none.crt',
      'file',
      'refused',
      /SSLCACertificateFile: file '\S+' does not exist or is empty/,
      load('ssl'),
    ),
    onPath(
      'SSLCACertificatePath none',
      'folder',
      'refused',
      /SSLCACertificatePath: directory '\S+' does not exist/,
      load('ssl'),
    ),
    onPath(
      'SSLCARevocationFile none',
      'file',
      'refused',
      /SSLCARevocationFile: file '\S+' does not exist or is empty/,
      load('ssl'),
    ),
    onPath(
      'SSLCARevocationPath none',
      'folder',
      'refused',
      /SSLCARevocationPath: directory '\S+' does not exist/,
      load('ssl'),
    ),
    onPath('SSLProxyMachineCertificateFile none', 'file', 'refused', /does not exist or is empty/, load('ssl')),
    onPath('SSLProxyCACertificateFile none', 'file', 'refused', /does not exist or is empty/, load('ssl')),
    onPath(
      'SSLPassPhraseDialog exec:/none/x',
      'file',
      'refused',
      /SSLPassPhraseDialog: file '\S+' does not exist/,
      load('ssl'),
    ),
    onPath(
      'SSLRandomSeed startup file:/none/x 512',
      'file',
      'refused',
      /SSLRandomSeed: source path '\S+' does not exist/,
      load('ssl'),
    ),
    onPath('Mutex file:@ROOT@/none default', 'folder', 'refused', /Invalid Mutex directory/),
    onPath('ScriptSock @ROOT@/none/x', 'folder', 'runs', /AH01243/, load('cgid')),
    onPath('RewriteMap m txt:/none/x', 'file', 'refused', /RewriteMap: file for map m not found/, load('rewrite')),
    onPath('RewriteMap m "prg:/none/x y"', 'file', 'refused', /RewriteMap: file for map m not found/, load('rewrite')),
    onPath('RemoteIPTrustedProxyList none', 'file', 'refused', /Could not open file/, load('remoteip')),
  ]);

  table('http2-prefork, load-module-twice, missing-module: modules', [
    { config: `${quiet}${load('http2')}Protocols h2c http/1.1\n`, finds: [], verdict: 'runs' },
    {
      config: `LoadModule mpm_prefork_module modules/mod_mpm_prefork.so\n${quiet}${load('http2')}`,
      options: { mpm: 'prefork', replace: [['LoadModule mpm_', '#LoadModule mpm_']] },
      finds: ['http2-prefork/prefork'],
      verdict: 'runs',
      says: /AH10034/,
    },
    {
      config: quiet + load('dir', 'mime', 'dir'),
      finds: ['load-module-twice/twice'],
      verdict: 'runs',
      says: /AH01574/,
    },
    {
      config: usual + quiet + load('heartmonitor'),
      finds: ['missing-module/slotmem'],
      verdict: 'failed',
      says: /AH02284/,
    },
    {
      config: usual + quiet + load('heartmonitor', 'slotmem_plain'),
      finds: ['missing-module/slotmem'],
      verdict: 'failed',
      says: /AH02284/,
    },
    { config: usual + quiet + load('heartmonitor', 'slotmem_shm'), finds: [], verdict: 'runs' },
    {
      config: usual + quiet + load('proxy', 'proxy_balancer', 'slotmem_plain'),
      finds: ['missing-module/slotmem'],
      verdict: 'failed',
      says: /AH01177/,
    },
    {
      config: usual + quiet + load('proxy_html'),
      finds: ['missing-module/encodings'],
      verdict: 'runs',
      says: /AH01425/,
    },
    {
      config: usual + quiet + load('auth_form', 'request'),
      finds: ['missing-module/form'],
      verdict: 'failed',
      says: /AH02617/,
    },
    {
      config: usual + quiet + load('auth_form', 'session'),
      finds: ['missing-module/form'],
      verdict: 'failed',
      says: /AH02618/,
    },
    { config: usual + quiet + load('auth_form', 'session', 'request'), finds: [], verdict: 'runs' },
    {
      config: `${usual}${quiet}${load('authn_core', 'authn_socache')}AuthnCacheEnable\n`,
      finds: ['missing-module/socache-default'],
      verdict: 'failed',
      says: /AH01674/,
    },
    {
      config: `${usual}${quiet}${load('authn_core', 'authn_socache', 'socache_shmcb')}AuthnCacheEnable\n`,
      finds: [],
      verdict: 'runs',
    },
  ]);

  it('alias-overlap: of lists at random, the lines that the server calls hidden', async () => {
    const first = seed();
    const random = new Random(first);
    const rounds = Array.from({ length: 24 }, () => {
      const paths = Array.from({ length: 5 }, () =>
        random.pick(['/', '/a', '/a/', '/a/b', '/a//b', '/a/b/c', '/ab', '/b', '/b/a', '/a/b/']),
      );
      return `${load('alias')}${quiet}${paths.map((each) => `${random.pick(['Alias', 'ScriptAlias'])} ${each} /x\n`).join('')}`;
    });
    await inTurn(rounds, async (config) => {
      const { stderr } = await configTest(config, OPTIONS);
      const said = [...stderr.matchAll(/AH00671: The \w+ directive in \S+ at line (\d+)/g)].map((match) =>
        Number(match[1]),
      );
      assert.deepEqual(rowsOf(config, 'alias-overlap'), said, `HTTPD_UPGRADE_SEED=${first}\n${config}${stderr}`);
    });
  });

  for (const mpm of ['event', 'worker', 'prefork'] as const) {
    it(`mpm-limits: of numbers at random, what ${mpm} says`, async () => {
      const first = seed();
      const random = new Random(first);
      await inTurn(
        Array.from({ length: 30 }, () => numbers(mpm, random)),
        async (lines) => {
          const config = `LoadModule mpm_${mpm}_module modules/mod_mpm_${mpm}.so\n${quiet}${lines}`;
          const { stderr } = await configTest(config, { ...OPTIONS, mpm: 'none' });
          const said = [...stderr.matchAll(/^(AH\d+): WARNING/gm)].map((match) => match[1]).sort();
          const found = [...findingsInFiles({ '/srv/httpd.conf': config }, { rule: 'mpm-limits' }).values()]
            .flat()
            .map(({ message }) => /AH\d+/.exec(message)![0])
            .sort();
          assert.deepEqual(found, said, `HTTPD_UPGRADE_SEED=${first}\n${config}${stderr}`);
        },
      );
    });
  }

  function table(name: string, cases: readonly Case[]): void {
    it(name, async () => {
      await inTurn(cases, async (each) => {
        const { verdict, words } = await outcome(each);
        assert.equal(verdict, each.verdict, `${each.config}\n${words}`);
        assert.match(words, each.says ?? /^/, each.config);
        assert.deepEqual(found24(each), each.finds, each.config);
      });
    });
  }
});

const OPTIONS: SandboxOptions = { modules: [], without: ['Listen', 'ServerName'], files: { 'mime.types': '' } };

/** The configuration loads what it loads, without what is compiled in and the MPM. */
async function outcome({ config, files = {}, options, says = /^/ }: Case): Promise<Outcome> {
  const all: SandboxOptions = { ...OPTIONS, files: { ...OPTIONS.files, ...files }, ...options };
  const check = await configTest(config, all);
  if (!check.ok) return { verdict: 'refused', words: check.stderr };
  try {
    const server = await serve(config, all);
    const words = () =>
      check.stderr.replace('Syntax OK', '') +
      readFileSync(path.join(server.root, 'logs/stderr'), 'utf8') +
      server.errorLog();
    // A process beside the server, like that of mod_cgid, says what it has to say after the first
    // answer.
    for (let i = 0; i < 500 && !says.test(words()); i++) await sleep(10);
    const said = words();
    await server.stop();
    return { verdict: 'runs', words: said };
  } catch (error) {
    return { verdict: 'failed', words: String(error) };
  }
}

/**
 * The findings of the rules, with the files of the sandbox; without those about possibly
 * compiled-in modules, which only the server knows, and about the MPM, which the sandbox loads.
 */
function found24({ config, files = {} }: Case, distribution?: 'rhel'): string[] {
  const texts: Record<string, string> = { '/srv/httpd.conf': config };
  for (const [name, text] of Object.entries({
    ...files,
    'modules/mod_x.so': '',
    'conf/mime.types': '',
    'htdocs/x': '',
    'run/x': '',
  }))
    texts[`/srv/${name}`] = text;
  for (const module of findHttpd()!.loadable) texts[`/srv/modules/mod_${module}.so`] = '';
  const expanded: Files = Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, text.replaceAll('@ROOT@', '/srv').replaceAll('@PORT@', '8080')]),
  );
  return [...findingsInFiles(expanded, { distribution }).values()]
    .flat()
    .filter(({ rule, messageId }) => RULES.has(rule.id) && messageId !== 'built-in' && messageId !== 'mpm')
    .map(({ rule, messageId }) => `${rule.id}/${messageId}`);
}

/** The lines of what a rule finds, 1-based. */
function rowsOf(config: string, rule: string): number[] {
  return listed({ '/srv/httpd.conf': config }, { rule }).map((row) => Number(/:(\d+):/.exec(row)![1]));
}

/** LoadModule lines of those that are not compiled into this server. */
function load(...names: string[]): string {
  return names
    .filter((name) => !findHttpd()?.builtin.has(name))
    .map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`)
    .join('');
}

/** Lines for some of an MPM's numbers. */
function numbers(mpm: Mpm, random: Random): string {
  const some: readonly (readonly [string, readonly number[]])[] =
    mpm === 'prefork'
      ? [
          ['ServerLimit', [0, 1, 100, 256, 300, 200_001]],
          ['MaxRequestWorkers', [0, 1, 100, 256, 257, 500]],
          ['StartServers', [0, 5, -1]],
          ['MinSpareServers', [0, 5]],
        ]
      : [
          ['ServerLimit', [0, 1, 4, 16, 40, 20_001]],
          ['ThreadLimit', [0, 10, 64, 128, 20_001, 100_001]],
          ['ThreadsPerChild', [0, 1, 10, 25, 64, 100]],
          ['MaxRequestWorkers', [0, 10, 100, 130, 400, 1000]],
          ['StartServers', [0, 5]],
          ['MinSpareThreads', [0, 25]],
        ];
  return some
    .filter(() => random.below(2) === 0)
    .map(([name, values]) => `${name} ${random.pick(values)}\n`)
    .join('');
}

function makeCertificate(): Record<string, string> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'httpd-upgrade-test-'));
  try {
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-keyout',
        'server.key',
        '-out',
        'server.crt',
        '-days',
        '2',
        '-subj',
        '/CN=x',
      ],
      { cwd: folder, stdio: 'ignore' },
    );
    return Object.fromEntries(
      ['server.crt', 'server.key'].map((name) => [`conf/${name}`, readFileSync(path.join(folder, name), 'utf8')]),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function inTurn<T>(items: readonly T[], job: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < items.length) await job(items[next++]);
  };
  await Promise.all([worker(), worker(), worker()]);
}

function hasIPv6(): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = net.createServer();
    probe.on('error', () => resolve(false));
    probe.listen(0, '::1', () => probe.close(() => resolve(true)));
  });
}
