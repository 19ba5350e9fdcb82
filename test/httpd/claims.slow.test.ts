/**
 * Claims of the rules about httpd 2.4, shown on the real server: each row is a configuration and
 * the server's message. The documentation of a rule may claim only what is here; a row that fails
 * on a newer httpd means that the rule must change.
 */
import assert from 'node:assert/strict';
import {
  configTest,
  NEW_AUTH_DIGEST,
  requireHttpd,
  serve,
  sinceRelease,
  type ConfigVerdict,
  type SandboxOptions,
  type Server,
} from './harness';

/**
 * A configuration, what the server says to it (see `outcome`), and the modules and MPM it needs.
 */
type Claim = readonly [config: string, outcome: string, options?: SandboxOptions];

const WITHOUT_COMPAT = { modules: 'all-but-access_compat' } as const;
const MPMS = ['event', 'worker', 'prefork'] as const;
const THREADED = { mpm: 'worker' } as const;

const ORDER_USAGE = "order takes one argument, 'allow,deny', 'deny,allow', or 'mutual-failure'";
const FROM_USAGE = "allow requires at least two arguments, 'from' followed by hostnames or IP-address wildcards";
const NVH_USAGE = 'NameVirtualHost takes one argument, A numeric IP address:port, or the name of a host';
const TYPE_USAGE = 'DefaultType takes one argument, the default media type for otherwise untyped files (DEPRECATED)';
const LEVELS = 'Log level keyword must be one of emerg/alert/crit/error/warn/notice/info/debug/trace1/.../trace8';

const CLAIMS: Readonly<Record<string, readonly Claim[]>> = {
  'order-allow-deny: unknown without mod_access_compat, accepted with it': [
    ...['Order allow,deny', 'Allow from all', 'Deny from all', 'Satisfy Any', 'oRDER deny,allow'].flatMap(
      (line): Claim[] => [
        [directory(line), unknown(2, line), WITHOUT_COMPAT],
        [directory(line), 'ok'],
        [line, unknown(1, line), WITHOUT_COMPAT],
      ],
    ),
    [directory('<Limit GET>\nOrder allow,deny\n</Limit>'), unknown(3, 'Order'), WITHOUT_COMPAT],
    [directory('Order \\\nallow,deny'), unknown(3, 'Order'), WITHOUT_COMPAT],
    ['Order allow,deny', 'error at 1: order not allowed here'],
    ['Satisfy Any', 'error at 1: Satisfy not allowed here'],
  ],

  'order-allow-deny: what mod_access_compat takes': [
    [directory('Order mutual-failure'), 'ok'],
    [directory('Order Allow,Deny'), 'ok'],
    [directory('Order allow, deny'), `error at 2: ${ORDER_USAGE}`],
    [directory('Order foo'), 'error at 2: unknown order'],
    [directory('Allow from'), `error at 2: ${FROM_USAGE}`],
    [directory('Allow all'), `error at 2: ${FROM_USAGE}`],
    [directory('Allow from all # everyone'), 'error at 2: No comments are allowed here'],
    [directory('Allow from 192.0.2.1,192.0.2.2'), 'ok'],
    [directory('Deny from none'), 'ok'],
    [directory('Allow from 10.1/16'), 'error at 2: The specified IP address is invalid.'],
    [directory('Satisfy either'), "error at 2: Satisfy either 'any' or 'all'."],
  ],

  'name-virtual-host: AH00548, whatever its argument; only a wrong number of arguments is an error': [
    ['NameVirtualHost *:80', 'AH00548 at 1'],
    ['NameVirtualHost *', 'AH00548 at 1'],
    ['namevirtualhost 192.0.2.1:443', 'AH00548 at 1'],
    ['NameVirtualHost not:an:address', 'AH00548 at 1'],
    ['NameVirtualHost \\\n*:80', 'AH00548 at 2'],
    ['<VirtualHost *:80>\nNameVirtualHost *\n</VirtualHost>', 'AH00548 at 2'],
    ['NameVirtualHost', `error at 1: ${NVH_USAGE}`],
    ['NameVirtualHost * *', `error at 1: ${NVH_USAGE}`],
    [directory('NameVirtualHost *'), 'error at 2: NameVirtualHost not allowed in <Directory> context'],
  ],

  'default-type: AH00117 unless none; in a virtual host it is ignored without a word': [
    ['DefaultType text/plain', 'AH00117 at 1'],
    [directory('DefaultType text/html'), 'AH00117 at 2'],
    ['<Location />\nDefaultType text/html\n</Location>', 'AH00117 at 2'],
    ['<VirtualHost *>\nDefaultType text/html\n</VirtualHost>', 'ok'],
    ['<VirtualHost *>\n<Location />\nDefaultType text/html\n</Location>\n</VirtualHost>', 'ok'],
    ['DefaultType none', 'ok'],
    ['DefaultType None', 'ok'],
    ['DefaultType "NONE"', 'ok'],
    [directory('DefaultType none'), 'ok'],
    ['DefaultType', `error at 1: ${TYPE_USAGE}`],
    ['DefaultType none # by type', `error at 1: ${TYPE_USAGE}`],
  ],

  'max-clients, max-requests-per-child: still accepted without a word by every MPM': [
    ...MPMS.flatMap((mpm): Claim[] => [
      ['MaxClients 150', 'ok', { mpm }],
      ['MaxRequestWorkers 150', 'ok', { mpm }],
      ['MaxRequestsPerChild 1000', 'ok', { mpm }],
      ['MaxConnectionsPerChild 1000', 'ok', { mpm }],
      ['MaxClients', 'error at 1: MaxClients takes one argument, Deprecated name of MaxRequestWorkers', { mpm }],
    ]),
    [
      '<VirtualHost *>\nMaxClients 100\n</VirtualHost>',
      'error at 2: MaxClients cannot occur within <VirtualHost> section',
    ],
    [directory('MaxRequestsPerChild 3'), 'error at 2: MaxRequestsPerChild not allowed in <Directory> context'],
    // The warnings speak of MaxRequestWorkers only, and count what the MPM counts.
    ['MaxClients 1000', 'AH00515', { mpm: 'event' }],
    ['MaxClients 1000', 'AH00318', { mpm: 'worker' }],
    ['MaxClients 1000', 'AH00180', { mpm: 'prefork' }],
  ],

  'mutex-directive: the old directives are unknown': [
    'AcceptMutex default',
    'LockFile logs/accept.lock',
    'RewriteLock logs/rewrite.lock',
    'SSLMutex default',
    'SSLMutex file:logs/ssl_mutex',
    'SSLStaplingMutex default',
    'WatchdogMutexPath logs',
  ].flatMap((line): Claim[] => MPMS.map((mpm) => [line, unknown(1, line), { mpm }])),

  'mutex-directive: mpm-accept is only valid with an MPM that has such a mutex, and its folder must exist': [
    ...['default', 'file:logs', 'sysvsem', 'fcntl:logs', 'flock:@ROOT@/logs', 'posixsem', 'pthread'].flatMap(
      (type): Claim[] => [
        [`Mutex ${type} mpm-accept`, 'ok', { mpm: 'prefork' }],
        [`Mutex ${type} mpm-accept`, 'ok', { mpm: 'worker' }],
        [`Mutex ${type} mpm-accept`, 'error at 1: Mutex type mpm-accept is not valid', { mpm: 'event' }],
      ],
    ),
    [
      'Mutex file:no/such mpm-accept',
      'error at 1: Invalid Mutex directory in argument file:no/such',
      { mpm: 'prefork' },
    ],
    ['Mutex file:no/such mpm-accept', 'error at 1: Invalid Mutex directory in argument file:no/such', { mpm: 'event' }],
    // The old directives took a file.
    [
      'Mutex file:conf/mime.types mpm-accept',
      'error at 1: Invalid Mutex directory in argument file:conf/mime.types',
      { mpm: 'prefork' },
    ],
    ['Mutex none mpm-accept', 'error at 1: None is not allowed for mutex type mpm-accept', { mpm: 'prefork' }],
  ],

  'mutex-directive: any other name is valid while its module is loaded': [
    ...(
      [
        ['ssl', 'ssl-cache'],
        ['ssl', 'ssl-stapling'],
        ['ssl', 'ssl-stapling-refresh'],
        ['rewrite', 'rewrite-map'],
        ['auth_digest', 'authdigest-client'],
        ['ldap', 'ldap-cache'],
        ['proxy', 'proxy'],
        ['proxy_balancer', 'proxy-balancer-shm'],
        ['authn_socache', 'authn-socache'],
        ['cache_socache', 'cache-socache'],
      ] as const
    ).flatMap(([module, name]): Claim[] => [
      [`Mutex default ${name}`, 'ok', { modules: [module] }],
      [`Mutex file:logs ${name}`, 'ok', { modules: [module] }],
      [`Mutex default ${name}`, `error at 1: Mutex type ${name} is not valid`, { modules: [] }],
      [`Mutex none ${name}`, `error at 1: None is not allowed for mutex type ${name}`, { modules: [module] }],
    ]),
    ['Mutex default watchdog-callback', 'ok', { modules: ['watchdog'] }],
    ['Mutex default SSL-Cache', 'error at 1: Mutex type SSL-Cache is not valid'],
    ['Mutex default ssl-cache rewrite-map', 'ok'],
    [
      'Mutex default authdigest-opaque',
      sinceRelease(NEW_AUTH_DIGEST, 'error at 1: Mutex type authdigest-opaque is not valid', 'ok'),
    ],
  ],

  'mutex-directive: where and how Mutex may be written': [
    ['Mutex default', 'ok'],
    ['Mutex sem', 'ok'],
    ['Mutex yes', 'ok'],
    ['Mutex FILE:logs', 'ok'],
    ['Mutex file ssl-cache', 'ok'],
    ['Mutex none', 'error at 1: None is not allowed for mutex type default'],
    ['Mutex default ssl-cache\nMutex file:logs ssl-cache', 'ok'],
    ['<IfModule mod_ssl.c>\nMutex default ssl-cache\n</IfModule>', 'ok'],
    [
      '<VirtualHost *>\nMutex default\n</VirtualHost>',
      'error at 2: Mutex cannot occur within <VirtualHost> section',
      THREADED,
    ],
    [directory('Mutex default'), 'error at 2: Mutex not allowed in <Directory> context', THREADED],
  ],

  'rewrite-log: unknown; a LogLevel for one module instead, almost everywhere': [
    ['RewriteLog logs/rewrite_log', unknown(1, 'RewriteLog')],
    ['RewriteLogLevel 0', unknown(1, 'RewriteLogLevel')],
    ['<VirtualHost *>\nRewriteLog logs/rewrite_log\n</VirtualHost>', unknown(2, 'RewriteLog')],
    ['LogLevel warn rewrite:trace3', 'ok'],
    ['LogLevel rewrite:trace3', 'ok'],
    ['LogLevel rewrite:trace3 warn', 'ok'],
    ['LogLevel WARN rewrite:TRACE3', 'ok'],
    ['LogLevel warn rewrite_module:trace8 mod_rewrite.c:trace8', 'ok'],
    ['<VirtualHost *>\nLogLevel warn rewrite:trace3\n</VirtualHost>', 'ok'],
    [directory('LogLevel rewrite:trace3'), 'ok'],
    ['<Location />\nLogLevel warn rewrite:trace3\n</Location>', 'ok'],
    ['<If "true">\nLogLevel rewrite:trace1\n</If>', 'ok'],
    ['LogLevel warn rewrite:trace9', `error at 1: rewrite:trace9: ${LEVELS}`],
    ['LogLevel warn, rewrite:trace3', `error at 1: ${LEVELS}`],
    ['LogLevel rewrite: trace3', "error at 1: Module specifier 'rewrite' must be followed by a log level keyword"],
    ['LogLevel warn no_such:trace3', 'error at 1: Cannot find module no_such'],
    ['LogLevel warn Rewrite:trace3', 'error at 1: Cannot find module Rewrite'],
    ['LogLevel warn rewrite:trace3', 'error at 1: Cannot find module rewrite', { modules: [] }],
  ],

  'keep-alive-value: On or Off in any case, quoted or with more words behind; nothing else': [
    ...['On', 'Off', 'on', 'OFF', 'oN', '"On"', 'On Off', 'Off please', 'On # as before'].map(
      (words): Claim => [`KeepAlive ${words}`, 'ok'],
    ),
    ...['1', '0', '5', 'yes', 'no', 'true', 'false', 'Enabled', '""', '', '1 On'].map(
      (words): Claim => [`KeepAlive ${words}`, 'error at 1: KeepAlive must be On or Off'],
    ),
    ['<VirtualHost *>\nKeepAlive 1\n</VirtualHost>', 'error at 2: KeepAlive must be On or Off'],
    [directory('KeepAlive 1'), 'error at 2: KeepAlive not allowed in <Directory> context'],
  ],

  'authz-authoritative: every name is unknown': [
    ...[
      'AuthzLDAPAuthoritative',
      'AuthzDBDAuthoritative',
      'AuthzDBMAuthoritative',
      'AuthzGroupFileAuthoritative',
      'AuthzUserAuthoritative',
      'AuthzOwnerAuthoritative',
      'AuthzDefaultAuthoritative',
      'AuthDefaultAuthoritative',
      'AuthLDAPAuthzEnabled',
      'AuthLDAPAuthoritative',
    ].flatMap((name): Claim[] => [
      [directory(`${name} On`), unknown(2, name)],
      [directory(`${name} Off`), unknown(2, name)],
    ]),
    [directory('AuthBasicAuthoritative Off'), 'ok'],
  ],

  'ssl-protocol-sslv2: only taking SSLv2 away is allowed; the message always names SSLProtocol': [
    'SSLProtocol',
    'SSLProxyProtocol',
  ].flatMap((name): Claim[] => [
    ...['SSLv2', '+SSLv2', 'sslv2', 'all +SSLv2', 'ALL +sslV2', 'TLSv1 SSLv2', '-all +SSLv2 +TLSv1'].map(
      (words): Claim => [`${name} ${words}`, 'error at 1: SSLProtocol: SSLv2 is no longer supported'],
    ),
    ...[
      '-SSLv2',
      'all -SSLv2',
      'ALL -SSLV2',
      '-SSLv2 all',
      'all -SSLv2 -SSLv3',
      '-SSLv3',
      'all',
      '-all',
      '-all +TLSv1',
      '',
    ].map((words): Claim => [`${name} ${words}`, 'ok']),
    [`${name} SSLv23`, `error at 1: ${name}: Illegal protocol 'SSLv23'`],
    [`${name} all,-SSLv2`, `error at 1: ${name}: Illegal protocol 'all,-SSLv2'`],
    [directory(`${name} all`), `error at 2: ${name} not allowed in <Directory> context`],
  ]),
};

describe('claims about httpd 2.4', function () {
  this.timeout(300_000);

  before(function () {
    requireHttpd(this);
  });

  for (const [title, claims] of Object.entries(CLAIMS)) {
    it(title, async () => {
      const rows = await Promise.all(
        claims.map(async ([config, , options]) => [config, outcome(await configTest(config, options)), options]),
      );
      assert.deepEqual(
        rows,
        claims.map(([config, expected, options]) => [config, expected, options]),
      );
    });
  }

  it('ssl-protocol-sslv2: whether SSLv3 can be switched on depends on OpenSSL', async () => {
    for (const config of ['SSLProtocol SSLv3', 'SSLProtocol all +SSLv3', 'SSLProxyProtocol SSLv3']) {
      const said = outcome(await configTest(config));
      assert.ok(
        said === 'ok' || said === 'error at 1: SSLv3 not supported by this version of OpenSSL',
        `${config}: ${said}`,
      );
    }
  });

  it('without an MPM nothing works', async () => {
    assert.match(
      outcome(await configTest('', { mpm: 'none' })),
      /^error without a line: .*Configuration error: No MPM loaded\.$/,
    );
  });
});

describe('claims about httpd 2.4: answers to requests', () => {
  let server: Server;

  const config = `
    DefaultType text/plain
    <Directory "@ROOT@/htdocs/forced">
      ForceType text/html
    </Directory>

    NameVirtualHost *:@PORT@
    <VirtualHost *:@PORT@>
      ServerName first.example
      DocumentRoot "@ROOT@/htdocs"
      ${directories({
        'closed-old': 'Order deny,allow\nDeny from all',
        'closed-new': 'Require all denied',
        'closed-old/require': 'Require local',
        'closed-new/compat': 'Order deny,allow\nDeny from all\nAllow from 127.0.0.1',
        'closed-new/compat-any': 'Order deny,allow\nDeny from all\nAllow from 127.0.0.1\nSatisfy Any',
        'closed-old/satisfy': 'Satisfy Any',
        'closed-old/login': login('Satisfy Any\nRequire valid-user'),
        'no-require': login('Order deny,allow\nDeny from all\nAllow from 192.0.2.1\nSatisfy Any'),
        satisfy: login('Satisfy Any\nRequire valid-user'),
        'satisfy/order': 'Order allow,deny\nAllow from all',
        authtype: login(''),
        any: 'Order deny,allow\nDeny from all\nAllow from 192.0.2.1\nSatisfy Any',
      })}
    </VirtualHost>
    <VirtualHost *:@PORT@>
      ServerName second.example
      DocumentRoot "@ROOT@/htdocs/second"
    </VirtualHost>
  `;
  const pages = [
    '',
    'forced',
    'second',
    'closed-old',
    'closed-new',
    'closed-old/require',
    'closed-new/compat',
    'closed-new/compat-any',
    'closed-old/satisfy',
    'closed-old/login',
    'no-require',
    'satisfy',
    'satisfy/order',
    'authtype',
    'any',
  ];

  before(async function () {
    requireHttpd(this);
    const files = Object.fromEntries(pages.map((page) => [`htdocs/${page}/file`, `this is /${page}`]));
    server = await serve(config, { files: { ...files, 'conf/passwd': '' } });
  });

  after(() => server?.stop());

  const ask = (path: string, headers: Record<string, string> = {}) =>
    server.request({ path: `/${path}/file`, headers });

  it('default-type: a file without a known type has no Content-Type any more', async () => {
    assert.equal((await server.request({ path: '/file' })).headers['content-type'], undefined);
    assert.equal((await ask('forced')).headers['content-type'], 'text/html');
  });

  it('name-virtual-host: names are told apart with it and without it', async () => {
    const body = async (Host: string) => (await server.request({ path: '/file', headers: { Host } })).body;
    assert.deepEqual(
      [await body('second.example'), await body('first.example'), await body('other.example')],
      ['this is /second', 'this is /', 'this is /'],
    );
    await server.reload(config.replace(/NameVirtualHost.*/, ''));
    assert.equal(await body('second.example'), 'this is /second');
  });

  const rows: readonly [path: string, status: number, why: string][] = [
    ['closed-old/require', 403, 'access-mixed: a new Require does not lift an old Deny (AH01797)'],
    [
      'closed-new/compat',
      403,
      'access-mixed: an old Allow does not lift a new Require all denied (AH01630); the upgrade notes say it does',
    ],
    ['closed-new/compat-any', 200, 'access-mixed: ... it does with Satisfy Any'],
    ['closed-old/satisfy', 200, 'access-compat-differs: a lone Satisfy forgets the inherited Deny; 2.2 said 403'],
    ['closed-old/login', 200, 'access-compat-differs: with a Require too: no password asked; 2.2 said 401'],
    ['any', 200, 'access-compat-differs: Satisfy Any, no Require, host not allowed; 2.2 said 403'],
    ['no-require', 500, 'authtype-without-require, and mod_authz_core is asked after all; 2.2 said 403'],
    ['satisfy', 200, 'Satisfy Any without any host line lets everyone in, as on 2.2'],
    ['satisfy/order', 401, 'access-compat-differs: an Order forgets the inherited Satisfy Any; 2.2 said 200'],
    ['authtype', 500, 'authtype-without-require: AH01627; 2.2 served the page'],
  ];
  for (const [path, status, why] of rows) {
    it(why, async () => {
      assert.equal((await ask(path)).status, status);
    });
  }

  it('the messages behind these answers', async () => {
    for (const page of pages) await ask(page);
    for (const code of ['AH01797', 'AH01630', 'AH01627']) assert.match(server.errorLog(), new RegExp(`${code}: `));
  });
});

describe('claims about httpd 2.4: which section comes later', () => {
  before(function () {
    requireHttpd(this);
  });

  const rows: readonly [title: string, first: string, second: string, winner: 'first' | 'second'][] = [
    [
      'Directory: the longer path, wherever it stands',
      '<Directory "@ROOT@/htdocs/a/b">',
      '<Directory "@ROOT@/htdocs/a">',
      'first',
    ],
    [
      'Directory: of one path the one that stands later',
      '<Directory "@ROOT@/htdocs/a">',
      '<Directory "@ROOT@/htdocs/a/">',
      'second',
    ],
    [
      'Directory with wildcards: counted like others',
      '<Directory "@ROOT@/htdocs/*/b">',
      '<Directory "@ROOT@/htdocs/a">',
      'first',
    ],
    ['DirectoryMatch: behind Directory', '<DirectoryMatch "htdocs">', '<Directory "@ROOT@/htdocs/a/b">', 'first'],
    // The manual says that these go by their place in the file (reorder_sorter in server/core.c).
    [
      'DirectoryMatch: the expression with more slashes, wherever it stands',
      '<DirectoryMatch "/htdocs/a/b">',
      '<DirectoryMatch "/htdocs">',
      'first',
    ],
    ['Directory ~: likewise', '<Directory ~ "htdocs(/|/|/)a">', '<DirectoryMatch "htdocs">', 'first'],
    [
      'DirectoryMatch: of as many slashes the one that stands later',
      '<DirectoryMatch "/htdocs/a">',
      '<DirectoryMatch "/htdocs/">',
      'second',
    ],
    ['Files: behind Directory and DirectoryMatch', '<Files "file">', '<DirectoryMatch "/htdocs/a/b">', 'first'],
    ['Files and FilesMatch: the one that stands later', '<FilesMatch "^file$">', '<Files "f*">', 'second'],
    ['Location: behind Files', '<Location "/">', '<Files "file">', 'first'],
    ['Location: the one that stands later, not the longer one', '<Location "/a/b">', '<Location "/a">', 'second'],
    ['LocationMatch: likewise', '<LocationMatch "/a/b">', '<LocationMatch "/a">', 'second'],
  ];
  for (const [title, first, second, winner] of rows) {
    it(title, async () => {
      const sections = [first, second].map(
        (open, index) => `${open}\nHeader set X-Section ${['first', 'second'][index]}\n</${/\w+/.exec(open)![0]}>\n`,
      );
      const server = await serve(sections.join(''), {
        modules: ['authz_core', 'headers'],
        files: { 'htdocs/a/b/file': '' },
      });
      const { headers } = await server.request({ path: '/a/b/file' });
      await server.stop();
      assert.equal(headers['x-section'], winner);
    });
  }
});

/**
 * `ok`, `AH00548 at 1` for a warning, `error at 2: text`; httpd's guess why a command is invalid is
 * left out.
 */
function outcome(verdict: ConfigVerdict): string {
  if (verdict.ok)
    return (
      verdict.warnings.map(({ code, line }) => `${code}${line === undefined ? '' : ` at ${line}`}`).join(', ') || 'ok'
    );
  assert.equal(verdict.exitCode, 1);
  const { line, message } = verdict.error!;
  const place = line === undefined ? 'without a line' : `at ${line}`;
  return `error ${place}: ${message.replace(', perhaps misspelled or defined by a module not included in the server configuration', '')}`;
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

function login(body: string): string {
  return `AuthType Basic\nAuthName "members"\nAuthUserFile "@ROOT@/conf/passwd"\n${body}`;
}
