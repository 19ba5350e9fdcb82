/**
 * Claims of the pages about removed directives and changed values, shown on a real httpd 2.4. The
 * first part runs the configuration check, the second tests the behaviour.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { directiveWithoutArguments } from '../../server/src/rules/directive-without-arguments';
import { removedDirective } from '../../server/src/rules/removed-directive';
import { Random, seed } from '../support/random';
import { findingsIn, fixed } from '../support/rules';
import {
  configTest,
  configTestAll,
  NEW_AUTH_DIGEST,
  requireHttpd,
  serve,
  sinceRelease,
  type ConfigVerdict,
  type SandboxOptions,
  type Server,
} from './harness';
import { lacks } from '../support/lacks';

/** A configuration and what the server says to it (see `outcome`). */
type Claim = readonly [config: string, outcome: string, options?: SandboxOptions];

const WITHOUT_SOCACHE = { modules: ['ssl'] } as const;
const MIXED = 'error at 2: Either all Options must start with + or -, or no Option may.';
const NOT_SUPPORTED = (type: string) => `error at 1: SSLSessionCache: '${type}' session cache not supported`;

const CLAIMS: Readonly<Record<string, readonly Claim[]>> = {
  'dump-io-log-level, cookie-log, mem-cache, ssi-access-enable, win32-disable-acceptex, max-requests-per-thread, auth-digest-nonce-format: unknown':
    [
      ...[
        'DumpIOLogLevel debug',
        'CookieLog logs/c',
        'MCacheSize 100',
        'MCacheMaxObjectCount 1',
        'MCacheMaxObjectSize 1',
        'MCacheMaxStreamingBuffer 1',
        'MCacheMinObjectSize 1',
        'MCacheRemovalAlgorithm LRU',
        'Win32DisableAcceptEx',
        'MaxRequestsPerThread 0',
      ].map((line): Claim => [line, unknown(1, line)]),
      ...['SSIAccessEnable on', 'SSIEnableAccess on'].map((line): Claim => [directory(line), unknown(2, line)]),
      [
        directory('AuthDigestNonceFormat x'),
        sinceRelease(
          NEW_AUTH_DIGEST,
          unknown(2, 'AuthDigestNonceFormat x'),
          'error at 2: AuthDigestNonceFormat is not implemented',
        ),
      ],
      ['LogLevel warn dumpio:trace7', 'ok'],
      ['CustomLog logs/c "%{Cookie}n \\"%r\\" %t"', 'ok'],
      ['AcceptFilter http none\nAcceptFilter https none', 'ok'],
      ['CacheEnable mem /', 'ok'],
      ['CacheEnable fd /', 'ok'],
      ['CacheEnable socache /', 'ok'],
    ],

  'removed-directive: unknown, or refused with a word of their own': removedDirective.names.map(
    (name): Claim => [
      `${name} x`,
      {
        port: 'error at 1: Port was replaced with Listen in Apache 2.0',
        fancyindexing:
          'error at 1: The FancyIndexing directive is no longer supported. Use IndexOptions FancyIndexing.',
        ssllog: 'error at 1: SSLLog directive is no longer supported - use ErrorLog.',
        sslloglevel: 'error at 1: SSLLogLevel directive is no longer supported - use LogLevel.',
      }[name] ?? unknown(1, name),
    ],
  ),

  'ext-filter-debug-level, charset-debug-level: refused, also 0': [
    ...['ExtFilterOptions', 'CharsetOptions'].flatMap((name): Claim[] =>
      ['DebugLevel=3', 'debuglevel=0'].map((option) => [
        directory(`${name} ${option}`),
        `error at 2: Invalid ${name} option: ${option}`,
      ]),
    ),
    [directory('ExtFilterOptions LogStderr\nLogLevel ext_filter:trace8'), 'ok'],
    [directory('CharsetOptions NoImplicitAdd\nLogLevel charset_lite:trace8'), 'ok'],
  ],

  'options-mixed: each combination': [
    ...[
      'Indexes +FollowSymLinks',
      '+Indexes FollowSymLinks',
      '-Indexes FollowSymLinks',
      '+Indexes All',
      '+Indexes None',
      'All -Indexes Includes',
      'Indexes +All',
      'All -Indexes All',
    ].map((words): Claim => [directory(`Options ${words}`), MIXED]),
    ...[
      'All -Indexes',
      'All +Indexes',
      'all Indexes',
      'None Indexes',
      'none +Indexes',
      'All -Indexes +Includes',
      'All Indexes -Includes',
      '+Indexes -Includes',
      '',
    ].map((words): Claim => [directory(`Options ${words}`), 'ok']),
    ...['+All', '-All', '+All -Indexes'].map(
      (words): Claim => [
        directory(`Options ${words}`),
        "error at 2: You may not use 'Options +All' or 'Options -All'.",
      ],
    ),
    ...['+None', '-None'].map(
      (words): Claim => [
        directory(`Options ${words}`),
        "error at 2: You may not use 'Options +None' or 'Options -None'.",
      ],
    ),
    ...['Indexes All', 'None All', 'All All', '+Indexes +All', 'All -All'].map(
      (words): Claim => [directory(`Options ${words}`), "error at 2: 'Options All' must be the first option given."],
    ),
    ...['Indexes None', 'All None', 'None None'].map(
      (words): Claim => [directory(`Options ${words}`), "error at 2: 'Options None' must be the first Option given."],
    ),
    [directory('Options Indexes, FollowSymLinks'), 'error at 2: Illegal option Indexes,'],
  ],

  'filter-provider: three arguments, the last an expression': [
    ...[
      'resp=Content-Type $text/',
      'Content-Type $text/',
      'req=Accept-Encoding !$gzip',
      'env=foo *',
      'handler x',
      'Content-Length >1',
    ].flatMap((words): Claim[] => {
      const line = `FilterProvider C DEFLATE ${words}`;
      return [
        [line, 'error at 1: FilterProvider takes three arguments, filter-name provider-name match-expression'],
        [fixed(line, { rule: 'filter-provider', unsafe: true }), 'ok'],
      ];
    }),
  ],

  'ssl-session-cache-type: types are modules, in lower case': [
    ...['shm', 'shmht', 'dc', 'SHMCB', 'DBM', 'bogus'].map(
      (type): Claim => [`SSLSessionCache ${type}:logs/x`, NOT_SUPPORTED(type)],
    ),
    ...['shmcb:logs/x(512000)', 'dbm:logs/x', 'none', 'NONE', 'nonenotnull'].map(
      (value): Claim => [`SSLSessionCache ${value}`, 'ok'],
    ),
    [
      'SSLSessionCache shmcb:logs/x(8191)',
      'error at 1: SSLSessionCache: Invalid argument: size has to be >= 8192 bytes',
    ],
    ['SSLSessionCache shmcb:logs/x(512000)', NOT_SUPPORTED('shmcb'), WITHOUT_SOCACHE],
  ],

  'limit-outside-directory, proxy-pass-in-directory, multiviews-match-in-limit, ldap-trusted-client-cert: where they may stand':
    [
      ['<Limit GET>\n</Limit>', 'error at 1: <Limit not allowed here'],
      ['<IfModule core.c>\n<Limit GET>\n</Limit>\n</IfModule>', 'error at 2: <Limit not allowed here'],
      [
        '<VirtualHost *>\n<LimitExcept GET>\n</LimitExcept>\n</VirtualHost>',
        'error at 2: <LimitExcept not allowed in <VirtualHost> context',
      ],
      ['<Location "/">\n<Limit GET>\nRequire all denied\n</Limit>\n</Location>', 'ok'],
      ...['Directory', 'Files', 'DirectoryMatch', 'FilesMatch'].flatMap((section): Claim[] =>
        ['ProxyPass http://x/', 'ProxyPassMatch http://x/', 'ProxyPassReverse http://x/', 'ProxyPass /a http://x/'].map(
          (line) => [
            `<${section} x>\n${line}\n</${section}>`,
            `error at 2: ${line.split(' ')[0]} cannot occur within <${section}> section`,
          ],
        ),
      ),
      [
        '<Directory /x>\n<Files y>\nProxyPass http://x/\n</Files>\n</Directory>',
        'error at 3: ProxyPass cannot occur within <Directory> section',
      ],
      ['<Location /x>\nProxyPass http://x/\n</Location>', 'ok'],
      ['<Proxy http://x/>\nProxyPass http://y/\n</Proxy>', 'ok'],
      [
        directory('<Limit GET>\nMultiviewsMatch any\n</Limit>'),
        'error at 3: MultiviewsMatch cannot occur within <Limit> or <LimitExcept> section',
      ],
      [directory('MultiviewsMatch any'), 'ok'],
      ['LDAPTrustedClientCert CERT_BASE64 /x', 'error at 1: LDAPTrustedClientCert not allowed here'],
      [
        '<VirtualHost *>\nLDAPTrustedClientCert CERT_BASE64 /x\n</VirtualHost>',
        'error at 2: LDAPTrustedClientCert not allowed in <VirtualHost> context',
      ],
      ['SSILegacyExprParser on', 'error at 1: SSILegacyExprParser not allowed here'],
      [directory('SSILegacyExprParser on'), 'ok'],
      [directory('SSLOptions +LegacyDNStringFormat'), 'ok'],
    ],

  'value-refused: each value': [
    ...['bogus', 'Off', 'Set'].map(
      (word): Claim => [
        `ServerTokens ${word}`,
        "error at 1: ServerTokens takes 1 argument: 'Prod(uctOnly)', 'Major', 'Minor', 'Min(imal)', 'OS', or 'Full'",
      ],
    ),
    ...['Prod', 'productonly', 'Major', 'Minor', 'Min', 'Minimal', 'OS', 'full'].map(
      (word): Claim => [`ServerTokens ${word}`, 'ok'],
    ),
    ...['*.example.org', '*', 'www.?.example.org', 'a[b]'].map(
      (name): Claim => [
        `ServerName ${name}`,
        `error at 1: Invalid ServerName "${name}" use ServerAlias to set multiple server names.`,
      ],
    ),
    ['<VirtualHost *>\nServerAlias *.example.org\n</VirtualHost>', 'ok'],
    [
      directory('AuthUserFile /x standard'),
      'error at 2: AuthUserFile takes one argument, text file containing user IDs and passwords',
    ],
    [
      directory('AuthGroupFile /x standard'),
      'error at 2: AuthGroupFile takes one argument, text file containing group names and member user IDs',
    ],
    [
      directory('AuthDigestAlgorithm MD5-sess'),
      sinceRelease(
        NEW_AUTH_DIGEST,
        'error at 2: Unsupported algorithm in AuthDigestAlgorithm: MD5-sess',
        "error at 2: AuthDigestAlgorithm: ERROR: algorithm `MD5-sess' is not implemented",
      ),
    ],
    ...['none', 'auth-int', 'auth auth-int'].map(
      (words): Claim => [
        directory(`AuthDigestQop ${words}`),
        sinceRelease(
          NEW_AUTH_DIGEST,
          "error at 2: AuthDigestQop is deprecated: only 'auth' is supported",
          words === 'none' ? 'ok' : 'error at 2: AuthDigestQop auth-int is not implemented',
        ),
      ],
    ),
    [directory('AuthDigestAlgorithm MD5\nAuthDigestQop auth'), 'ok'],
    ...['-1', 'abc', '15x', '1.5'].map(
      (value): Claim => [`KeepAliveTimeout ${value}`, 'error at 1: KeepAliveTimeout has wrong format'],
    ),
    ...['0', '15', '+5', '15s', '15ms', '2min', '2mi', '2h'].map((value): Claim => [`KeepAliveTimeout ${value}`, 'ok']),
    ...['abc', '-1'].map(
      (value): Claim => [`CGIDScriptTimeout ${value}`, 'error at 1: CGIDScriptTimeout has wrong format'],
    ),
    ...['1', '511', '-1'].map(
      (value): Claim => [
        `ProxyIOBufferSize ${value}`,
        'error at 1: ProxyIOBufferSize must be >= 512 bytes, or 0 for system default.',
      ],
    ),
    ...['0', '512', 'abc'].map((value): Claim => [`ProxyIOBufferSize ${value}`, 'ok']),
    ...['+Indexes', '-Indexes', 'bogus'].map(
      (option): Claim => [directory(`AllowOverride Options=${option}`), `error at 2: Illegal option ${option}`],
    ),
    ...[
      '',
      'none',
      'Indexes,',
      'indexes,All,MultiViews,SymLinksIfOwnerMatch,ExecCGI,Includes,IncludesNOEXEC,FollowSymLinks',
    ].map((options): Claim => [directory(`AllowOverride Options=${options}`), 'ok']),
    // Debian has the program in a package of its own.
    ...(existsSync('/usr/lib/apache2/suexec')
      ? []
      : [
          [
            'SuexecUserGroup www-data www-data',
            'error at 1: SuexecUserGroup configured, but suEXEC is disabled: Missing suexec binary',
          ] as Claim,
        ]),
    ...['private', 'on', '*.html'].map(
      (word): Claim => [`CacheDisable ${word}`, 'error at 1: CacheDisable must specify a path or an URL.'],
    ),
    ...['/private', 'http://', 'x:'].map((word): Claim => [`CacheDisable ${word}`, 'ok']),
    ['<Location /x>\nCacheDisable on\n</Location>', 'ok'],
    ['SSLEngine optional', 'AH10510'],
    [
      directory('AuthName "a %{b} c"'),
      "error at 2: Cannot parse expression 'a %{b} c' in AuthName: Variable 'b' does not exist",
    ],
    [directory('AuthType %{x}'), "error at 2: Cannot parse expression '%{x}' in AuthType: Variable 'x' does not exist"],
    [
      'ErrorDocument 404 "x %{bar} y"',
      "error at 1: Cannot parse expression in ErrorDocument: Variable 'bar' does not exist",
    ],
    ['ErrorDocument 404 /err%{x}', "error at 1: Cannot parse expression in ErrorDocument: Variable 'x' does not exist"],
    ['SetHandler x%{b}', "error at 1: Can't parse expression : Variable 'b' does not exist"],
    ...[
      'AuthName "a %{REMOTE_USER} %{env:X}"',
      'AuthName "a \\%{b}"',
      'AuthName "100% {sure}"',
      'SetHandler "x\\%{b}"',
    ].map((line): Claim => [directory(line), 'ok']),
  ],

  'directive-without-arguments: each of them': directiveWithoutArguments.names.flatMap((name): Claim[] => {
    const atServer =
      /^(allowconnect|cacheignore|httpprotocoloptions|noproxy|proxyblock|registerhttpmethod|cachefile|mmapfile)/.test(
        name,
      );
    return [
      [atServer ? name : directory(name), `error at ${atServer ? 1 : 2}: ${name} requires at least one argument`],
    ];
  }),

  'include-wildcard: nothing to include is an error, and none with IncludeOptional': [
    [
      'Include conf/*.conf',
      "error at 1: Include/IncludeOptional: No matches for the wildcard '*.conf' in '@ROOT@/conf', failing",
    ],
    [
      'Include no/such/*.conf',
      'error at 1: Include/IncludeOptional: Could not open directory @ROOT@/no/such: No such file or directory',
    ],
    [
      'Include conf/[x].conf',
      "error at 1: Include/IncludeOptional: No matches for the wildcard '[x].conf' in '@ROOT@/conf', failing",
    ],
    ...['conf/*.conf', 'no/such/*.conf'].map((pattern): Claim => [`IncludeOptional ${pattern}`, 'ok']),
    ['Include conf/d', 'ok', { files: { 'conf/d/': '' } }],
    ['Include a/*/x.conf', 'ok', { files: { 'a/b/x.conf': 'Timeout 5\n' } }],
    ['IncludeOptional d/*.conf', unknown(1, 'Bogus'), { files: { 'd/x.conf': 'Bogus\n' } }],
  ],

  'byte-order-mark: a part of the first word': [
    ['\uFEFFTimeout 5', unknown(1, '\\xef\\xbb\\xbfTimeout')],
    ['\uFEFF# comment\nTimeout 5', unknown(1, '\\xef\\xbb\\xbf#')],
    ['\uFEFF', unknown(1, '\\xef\\xbb\\xbf')],
  ],

  'line-ends-with-escaped-backslash: the line goes on; a last line is read': [
    ['# comment \\\\\nBogus', 'ok'],
    ['IndexIgnore a\\\\\nBogus', 'ok'],
    ['IndexIgnore a\\ \nBogus', unknown(2, 'Bogus')],
    ['Bogus \\\n', unknown(2, 'Bogus')],
  ],

  'cache-ignore-session-ids, ssl-crl-check: what is accepted': [
    ['CacheIgnoreURLSessionIdentifiers sessionid jsessionid', 'ok'],
    ['SSLCARevocationCheck chain no_crl_for_cert_ok\nSSLProxyCARevocationCheck chain no_crl_for_cert_ok', 'ok'],
    [directory('SSLCARevocationCheck chain'), 'error at 2: SSLCARevocationCheck not allowed in <Directory> context'],
    ['<Proxy http://x/>\nSSLProxyCARevocationCheck chain\n</Proxy>', 'ok'],
  ],
};

describe('claims about httpd 2.4: removed and refused', function () {
  this.timeout(300_000);

  before(function () {
    requireHttpd(this);
  });

  for (const [title, claims] of Object.entries(CLAIMS)) {
    it(title, async () => {
      const rows = await Promise.all(
        claims.map(async ([config, expected, options]) => [
          config,
          shortened(outcome(await configTest(config, options)), expected),
        ]),
      );
      assert.deepEqual(
        rows,
        claims.map(([config, expected]) => [config, expected]),
      );
    });
  }
});

describe('claims about httpd 2.4: Options in any order', function () {
  this.timeout(300_000);
  const WORDS = [
    'Indexes',
    'Includes',
    'FollowSymLinks',
    'SymLinksIfOwnerMatch',
    'ExecCGI',
    'MultiViews',
    'All',
    'None',
  ];
  const PREFIXES = ['', '', '+', '-'];

  before(function () {
    requireHttpd(this);
  });

  it('options-mixed: finds what the server refuses, and makes of it what the server takes', async () => {
    const start = seed();
    const random = new Random(start);
    const any = <T>(list: readonly T[]) => list[random.below(list.length)];
    const lines = Array.from(
      { length: 150 },
      () => `Options ${Array.from({ length: 1 + random.below(4) }, () => any(PREFIXES) + any(WORDS)).join(' ')}`,
    );
    const sections = (list: readonly string[]) =>
      list.map((line, index) => `<Directory /x${index}>\n${line}\n</Directory>\n`).join('');
    const refused = new Set((await configTestAll(sections(lines))).map(({ line }) => Math.floor(line! / 3)));
    const found = lines
      .map((line, index) => (findingsIn(sections([line]), { rule: 'options-mixed' }).length > 0 ? index : -1))
      .filter((index) => index >= 0);
    assert.deepEqual(
      [...refused].sort((a, b) => a - b).map((index) => lines[index]),
      found.map((index) => lines[index]),
      `HTTPD_UPGRADE_SEED=${start}`,
    );
    assert.equal(
      outcome(await configTest(fixed(sections(lines), { rule: 'options-mixed', unsafe: true }))),
      'ok',
      `HTTPD_UPGRADE_SEED=${start}`,
    );
  });
});

describe('claims about httpd 2.4: what changed without a word', function () {
  this.timeout(150_000);
  let server: Server;
  let backend: net.Server;
  const pathInfos: (string | null)[] = [];

  const config = (port: number) => `
    ${['chunk', 'word', 'regex', 'not', 'header', 'environment', 'handler', 'number'].map((name) => `FilterDeclare ${name}`).join('\n')}
    SetEnvIf X-Env . gzip=1
    <Directory "@ROOT@/htdocs">
      AllowOverride All
      Options None
    </Directory>
    ${filterLocations({
      chunk: 'resp=Content-Type $TEXT/',
      word: 'Content-Type Text/Plain',
      regex: 'resp=Content-Type /^TEXT/i',
      not: 'resp=Content-Type !$text/html',
      header: 'req=X-Zip $yes',
      environment: 'env=gzip 1',
      handler: 'handler !x',
      number: 'req=X-Size >=10',
    })}
    ${directories({
      lone: 'Options +Indexes\nOptions FollowSymLinks',
      merged: 'Options +Indexes\nOptions FollowSymLinks',
      'merged/below': 'Header set X-Below 1',
      plain: 'Options FollowSymLinks',
      realm: 'AuthType Basic\nAuthName "a \\%{b} 100%"\nAuthUserFile "@ROOT@/conf/passwd"\nRequire valid-user',
    })}
    <Location /none>
      ErrorDocument 404 "no \\%{such} page"
    </Location>
    ${['/depth$', '/depth/$', '/depth', '/depth/', '/depth/file$'].map((pattern, index) => `<DirectoryMatch "${pattern}">\nHeader set X-Depth-${index} yes\n</DirectoryMatch>`).join('\n')}
    ProxyPass /plain-scgi scgi://127.0.0.1:${port}/
    ProxyPass /full-scgi scgi://127.0.0.1:${port}/
    SetEnvIf Request_URI ^/full-scgi proxy-scgi-pathinfo
  `;

  before(async function () {
    requireHttpd(this);
    backend = net.createServer((socket) => {
      socket.on('data', (data) => {
        pathInfos.push(/PATH_INFO\0([^\0]*)/.exec(data.toString('latin1'))?.[1] ?? null);
        socket.end('Status: 200 OK\r\nContent-Type: text/plain\r\n\r\nok');
      });
    });
    await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
    const folders = ['lone', 'merged', 'merged/below', 'plain', 'realm', 'depth', 'depth/below', 'lines'];
    const files = Object.fromEntries(folders.map((folder) => [`htdocs/${folder}/file`, 'x']));
    server = await serve(config((backend.address() as net.AddressInfo).port), {
      files: { ...files, 'htdocs/a.txt': 'x'.repeat(2000), 'conf/passwd': '' },
    });
  });

  after(async () => {
    backend?.close();
    await server?.stop();
  });

  it('options-mixed: an option added before a list is back as soon as a section is merged on top', async () => {
    const status = async (folder: string) => (await server.request({ path: `/${folder}/` })).status;
    assert.deepEqual(
      [await status('plain'), await status('lone'), await status('merged'), await status('merged/below')],
      [403, 403, 403, 200],
    );
  });

  it('filter-provider: the expressions are true when the criteria were', async () => {
    const isZipped = async (name: string, headers = {}) =>
      (await server.request({ path: `/${name}`, headers: { 'Accept-Encoding': 'gzip', ...headers } })).headers[
        'content-encoding'
      ] === 'gzip';
    for (const name of ['chunk', 'word', 'regex', 'not', 'handler']) assert.equal(await isZipped(name), true, name);
    assert.deepEqual(
      [
        await isZipped('header'),
        await isZipped('header', { 'X-Zip': 'oh YES' }),
        await isZipped('header', { 'X-Zip': 'no' }),
      ],
      [false, true, false],
    );
    assert.deepEqual([await isZipped('environment'), await isZipped('environment', { 'X-Env': 'a' })], [false, true]);
    assert.deepEqual(
      [
        await isZipped('number'),
        await isZipped('number', { 'X-Size': '9' }),
        await isZipped('number', { 'X-Size': '10' }),
      ],
      [false, false, true],
    );
    const { headers } = await server.request({
      path: '/header',
      headers: { 'X-Zip': 'yes', 'Accept-Encoding': 'gzip' },
    });
    assert.ok(!/x-zip/i.test(headers.vary ?? ''), 'req_novary adds nothing to Vary');
  });

  it('value-refused: a backslash in front makes %{ literal', async () => {
    assert.equal(
      (await server.request({ path: '/realm/file' })).headers['www-authenticate'],
      'Basic realm="a %{b} 100%"',
    );
    assert.equal((await server.request({ path: '/none' })).body, 'no %{such} page');
  });

  it('directory-match-depth: $ is the end of the path asked for', async () => {
    const matched = async (target: string) =>
      Object.keys((await server.request({ path: target })).headers)
        .filter((name) => name.startsWith('x-depth-'))
        .map((name) => Number(name.at(-1)))
        .sort();
    assert.deepEqual(await matched('/depth/file'), [2, 3, 4]);
    assert.deepEqual(await matched('/depth/below/file'), [2, 3]);
  });

  it('scgi-path-info: PATH_INFO only where the variable asks for it', async () => {
    await server.request({ path: '/plain-scgi/a/b' });
    await server.request({ path: '/full-scgi/a/b' });
    assert.equal(pathInfos[0], null);
    assert.match(pathInfos[1] ?? '', /^\/+a\/b$/);
  });

  it('line-too-long: 8192 bytes with the line end', async () => {
    const status = async (text: string) => {
      writeFileSync(path.join(server.root, 'htdocs/lines/.htaccess'), text);
      return (await server.request({ path: '/lines/file' })).status;
    };
    assert.deepEqual(
      [
        await status(`#${'x'.repeat(8190)}\n`),
        await status(`#${'x'.repeat(8191)}\n`),
        await status(`#${'x'.repeat(8191)}`),
        await status(`#${'x'.repeat(8190)}\r\n`),
      ],
      [200, 500, 200, 500],
    );
    assert.deepEqual(
      [
        await status(`#${'x'.repeat(4000)}\\\n${'x'.repeat(4190)}\n`),
        await status(`#${'x'.repeat(4000)}\\\n${'x'.repeat(4191)}\n`),
      ],
      [200, 500],
    );
    assert.match(server.errorLog(), /\.htaccess at line 1: Line too long/);
  });
});

describe('claims about httpd 2.4: a cache beside a forward proxy', function () {
  let backend: http.Server;

  before(async function () {
    requireHttpd(this);
    backend = http.createServer((_, response) => response.setHeader('Cache-Control', 'max-age=60').end('hello'));
    await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
  });

  after(() => backend?.close());

  it('cache-enable-path: a path covers nothing that is fetched by proxy, a URL does, with its port', async () => {
    const url = `http://127.0.0.1:${(backend.address() as net.AddressInfo).port}/page`;
    const configuration = (more: string) =>
      `ProxyRequests On\nCacheSocache shmcb\nCacheHeader on\nCacheEnable socache /\n${more}`;
    const server = await serve(configuration(''));
    const cached = async () =>
      (await server.requestAll([{ path: url }, { path: url }])).map(({ headers }) => headers['x-cache'] !== undefined);
    try {
      assert.deepEqual(await cached(), [false, false]);
      await server.reload(configuration('CacheEnable socache http://\n'));
      assert.deepEqual(await cached(), [false, false]);
      await server.reload(configuration(`CacheEnable socache ${url}\n`));
      assert.deepEqual(await cached(), [true, true]);
    } finally {
      await server.stop();
    }
  });
});

describe('claims about httpd 2.4: piped logs', function () {
  this.timeout(150_000);

  before(function () {
    requireHttpd(this);
  });

  /** What a log got of one request, and the error log; null where the server did not start. */
  async function logged(command: string): Promise<{ log: string; errors: string } | null> {
    const server = await serve(`CustomLog ${JSON.stringify(command)} "%r"\n`).catch((error: Error) => {
      assert.match(error.message, /AH00104: unable to start piped log program/);
      return null;
    });
    if (!server) return null;
    await server.request({ path: '/' });
    const file = path.join(server.root, 'logs/piped');
    const log = () => (existsSync(file) ? readFileSync(file, 'utf8') : '');
    // Until the program has written, or is gone.
    for (let i = 0; i < 500 && log() === '' && !/AH00106/.test(server.errorLog()); i++) await sleep(10);
    const result = { log: log(), errors: server.errorLog() };
    await server.stop();
    return result;
  }

  it('piped-log: without a shell a redirection is an argument, and nothing is logged', async () => {
    const result = await logged('|/bin/cat > @ROOT@/logs/piped');
    assert.equal(result?.log, '');
    assert.match(result!.errors, /AH00106: piped log program .* failed unexpectedly/);
  });

  it('piped-log: a first word that is no file, and the server does not start', async () => {
    for (const command of [
      '|cat >> @ROOT@/logs/piped',
      '|A=1 /bin/cat',
      '|/bin/cat>>@ROOT@/logs/piped',
      '|exec /bin/cat',
      '|(/bin/cat)',
      '|/bin/true;/bin/cat',
    ])
      assert.equal(await logged(command), null, command);
  });

  it('piped-log: |$ starts a shell', async () => {
    for (const command of [
      '|$/bin/cat > @ROOT@/logs/piped',
      '|$cat > @ROOT@/logs/piped',
      '|$A=1 exec cat > @ROOT@/logs/piped',
    ])
      assert.equal((await logged(command))?.log, 'GET / HTTP/1.1\n', command);
  });

  it('piped-log: quotes are understood without a shell, PATH and variables are not', async () => {
    assert.equal((await logged('|/bin/sh -c "cat > @ROOT@/logs/piped"'))?.log, 'GET / HTTP/1.1\n');
    for (const command of ['|cat', '|A=1 /bin/cat', '|exec /bin/cat'])
      assert.equal(await logged(command), null, command);
  });
});

describe('claims about httpd 2.4: revocation lists', function () {
  this.timeout(300_000);
  let folder: string;

  before(function () {
    requireHttpd(this);
    folder = mkdtempSync(path.join(os.tmpdir(), 'httpd-upgrade-crl-'));
    try {
      makeCertificates(folder);
    } catch (error) {
      lacks(this, `no certificates without openssl: ${(error as Error).message}`);
    }
  });

  after(() => folder && rmSync(folder, { recursive: true, force: true }));

  const ROWS: readonly [directive: string, answers: readonly string[]][] = [
    // A valid certificate, a revoked one, and one whose issuer has no list: 2.2 answered 200,
    // refused, 200.
    ['', ['200', '200', '200']],
    ['SSLCARevocationCheck chain', ['200', 'refused', 'refused']],
    ['SSLCARevocationCheck chain no_crl_for_cert_ok', ['200', 'refused', '200']],
  ];
  for (const [directive, answers] of ROWS) {
    it(`ssl-crl-check, ssl-dn-format: ${directive || 'no SSLCARevocationCheck'}`, async () => {
      const port = 20_000 + (process.pid % 20_000);
      const server = await serve(
        `Listen 127.0.0.1:${port}
        <VirtualHost 127.0.0.1:${port}>
          SSLEngine on
          SSLProtocol -all +TLSv1.2
          SSLCertificateFile "${folder}/server.crt"
          SSLCertificateKeyFile "${folder}/server.key"
          SSLCACertificateFile "${folder}/cas.crt"
          SSLVerifyClient require
          SSLVerifyDepth 3
          SSLCARevocationFile "${folder}/one.crl"
          ${directive}
          Header always set X-DN "%{SSL_CLIENT_S_DN}s"
          <Location /old>
            SSLOptions +LegacyDNStringFormat
          </Location>
        </VirtualHost>`,
        { files: { 'htdocs/file': 'x' } },
      );
      try {
        assert.deepEqual(
          await Promise.all(['good', 'revoked', 'other'].map((name) => askAs(folder, name, port))),
          answers,
        );
        assert.equal(/AH01902: /.test(server.errorLog()), directive === '');
        assert.deepEqual(
          [await askAs(folder, 'good', port, 'x-dn'), await askAs(folder, 'good', port, 'x-dn', '/old')],
          ['CN=good,O=x', '/O=x/CN=good'],
        );
      } finally {
        await server.stop();
      }
    });
  }
});

// ---------------------------------------------------------------------------------------------------------------------

/**
 * `ok`, the codes of warnings, `error at 2: text`; httpd's guess why a command is invalid is left
 * out, and so are paths of this machine.
 */
function outcome(verdict: ConfigVerdict): string {
  if (verdict.ok) return verdict.warnings.map(({ code }) => code).join(', ') || 'ok';
  const { line, message } = verdict.error!;
  return `error at ${line}: ${message}`
    .replace(', perhaps misspelled or defined by a module not included in the server configuration', '')
    .replace(/\/\S*httpd-upgrade-test-\w+/g, '@ROOT@');
}

/** The server's text after the expected one (lists of names, usages) is ignored. */
function shortened(said: string, expected: string): string {
  return expected.startsWith('error') && said.toLowerCase().startsWith(expected.toLowerCase()) ? expected : said;
}

function unknown(line: number, directive: string): string {
  return `error at ${line}: Invalid command '${directive.split(' ')[0]}'`;
}

function directory(body: string): string {
  return `<Directory /x>\n${body}\n</Directory>`;
}

function directories(bodies: Readonly<Record<string, string>>): string {
  return Object.entries(bodies)
    .map(([name, body]) => `<Directory "@ROOT@/htdocs/${name}">\n${body}\n</Directory>`)
    .join('\n');
}

/** A URL for each filter, with the provider that the rule makes of 2.2's. */
function filterLocations(providers: Readonly<Record<string, string>>): string {
  return Object.entries(providers)
    .map(([name, words]) =>
      fixed(
        `AliasMatch ^/${name}$ "@ROOT@/htdocs/a.txt"\n<Location /${name}>\nFilterProvider ${name} DEFLATE ${words}\nFilterChain =${name}\n</Location>\n`,
        { rule: 'filter-provider', unsafe: true },
      ),
    )
    .join('');
}

/**
 * Two authorities, of which one has a list; a certificate that it vouches for, one that it took
 * back, and one of the other authority.
 */
function makeCertificates(folder: string): void {
  const openssl = (...words: string[]) => execFileSync('openssl', words, { cwd: folder, stdio: 'ignore' });
  const self = (name: string, ...more: string[]) =>
    openssl(
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.crt`,
      '-days',
      '2',
      '-subj',
      `/O=x/CN=${name}`,
      ...more,
    );
  for (const name of ['one', 'two']) {
    self(name, '-addext', 'basicConstraints=critical,CA:TRUE', '-addext', 'keyUsage=keyCertSign,cRLSign');
    writeFileSync(path.join(folder, `${name}.db`), '');
    for (const file of ['serial', 'number']) writeFileSync(path.join(folder, `${name}.${file}`), '01\n');
    writeFileSync(
      path.join(folder, `${name}.cnf`),
      `[ca]\ndefault_ca = d\n[d]\ndatabase = ${name}.db\nserial = ${name}.serial\ncrlnumber = ${name}.number\nnew_certs_dir = .\ncertificate = ${name}.crt\nprivate_key = ${name}.key\ndefault_md = sha256\ndefault_days = 2\ndefault_crl_days = 2\npolicy = p\n[p]\nO = optional\nCN = supplied\n`,
    );
  }
  for (const [name, by] of [
    ['good', 'one'],
    ['revoked', 'one'],
    ['other', 'two'],
  ]) {
    openssl(
      'req',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.csr`,
      '-subj',
      `/O=x/CN=${name}`,
    );
    openssl('ca', '-batch', '-config', `${by}.cnf`, '-in', `${name}.csr`, '-out', `${name}.crt`);
  }
  openssl('ca', '-config', 'one.cnf', '-revoke', 'revoked.crt');
  openssl('ca', '-config', 'one.cnf', '-gencrl', '-out', 'one.crl');
  self('server');
  writeFileSync(
    path.join(folder, 'cas.crt'),
    ['one.crt', 'two.crt'].map((file) => readFileSync(path.join(folder, file), 'utf8')).join(''),
  );
}

/**
 * The status, or the value of a header, that a client with this certificate gets; `refused` where
 * the connection fails.
 */
function askAs(folder: string, name: string, port: number, header?: string, target = '/file'): Promise<string> {
  const [key, cert] = ['key', 'crt'].map((kind) => readFileSync(path.join(folder, `${name}.${kind}`)));
  return new Promise((resolve) => {
    const request = https.request(
      { host: '127.0.0.1', port, path: target, key, cert, rejectUnauthorized: false, agent: false },
      (response) => {
        response.resume();
        resolve(header ? String(response.headers[header]) : String(response.statusCode));
      },
    );
    request.on('error', () => resolve('refused'));
    request.end();
  });
}
