/**
 * The strongest claims of hovers and `explain`, tried on a real server: "requests get …", "does not
 * start", "wins", "ignores". CLAIMS has those that a virtual host can show; SERVERS those of a
 * whole server, one each; STOPS those that stop it. A text whose claim fails here is wrong.
 */
import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { createServer, type Server as Backend, type Socket } from 'node:net';
import path from 'node:path';
import { configTest, requireHttpd, serve, type RequestOptions, type Response, type Server } from './harness';

type Ask = readonly [request: string | RequestOptions, status: number, has?: RegExp, lacks?: RegExp];
interface Claim {
  readonly config: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly asks: readonly Ask[];
}

const SCRIPT = '#!/bin/sh\necho "Content-Type: text/plain"\necho\nenv\n';
const CGI = `ScriptAlias /cgi/ "@DOCS@/cgi/"\n`;
const section = (lines: string) => `<Directory "@DOCS@">\n${lines}\n</Directory>`;
const login = 'AuthName x\nAuthUserFile @ROOT@/users';

const CLAIMS: Readonly<Record<string, Claim>> = {
  'AllowOverrideList: any other directive in the file is a 500': {
    config: section('AllowOverride None\nAllowOverrideList Redirect'),
    files: { 'a/.htaccess': 'Redirect /y /x', 'a/x': '', 'b/.htaccess': 'Options None', 'b/x': '' },
    asks: [
      ['/a/x', 200],
      ['/b/x', 500],
    ],
  },
  'Error in a .htaccess: 500': {
    config: section('AllowOverride All'),
    files: { '.htaccess': 'Error "stop"', x: '' },
    asks: [['/x', 500]],
  },
  'an unknown directive in a .htaccess: 500': {
    config: section('AllowOverride All'),
    files: { '.htaccess': 'RewriteLog x', x: '' },
    asks: [['/x', 500]],
  },
  'LimitInternalRecursion: a loop of rules is a 500': {
    config: section('RewriteEngine On\nRewriteRule ^(.*)$ /x$1 [L]'),
    files: { x: '' },
    asks: [['/x', 500]],
  },
  'MaxRangeOverlaps none, MaxRangeReversals none: the whole file': {
    config: 'MaxRangeOverlaps none\nMaxRangeReversals 1',
    files: { x: '0123456789', r: '0123456789' },
    asks: [
      [{ path: '/x', headers: { Range: 'bytes=0-1,4-5' } }, 206],
      [{ path: '/x', headers: { Range: 'bytes=0-4,2-5' } }, 200],
      [{ path: '/r', headers: { Range: 'bytes=6-7,4-5,1-2' } }, 200],
    ],
  },
  'MaxRangeReversals none: one step back is answered, two are not': {
    config: 'MaxRangeReversals none',
    files: { r: '0123456789' },
    asks: [
      [{ path: '/r', headers: { Range: 'bytes=6-7,1-2' } }, 206],
      [{ path: '/r', headers: { Range: 'bytes=6-7,4-5,1-2' } }, 200],
    ],
  },
  'Script: a GET only with a query string': {
    config: `${CGI}Script GET /cgi/env`,
    files: { 'cgi/env': SCRIPT, x: 'file' },
    asks: [
      ['/x', 200, /file/],
      ['/x?a', 200, /PATH_TRANSLATED/],
    ],
  },
  'ProxyErrorOverride: the error page of httpd instead of that of the backend': {
    config:
      'ErrorDocument 404 "of the front"\nProxyPass /a http://127.0.0.1:@PORT@/none\nProxyPass /b http://127.0.0.1:@PORT@/none\n<Location /a>\nProxyErrorOverride On\n</Location>',
    asks: [
      ['/a', 404, /of the front/],
      ['/b', 404, undefined, /of the front/],
    ],
  },
  'a backend that does not listen: 503': { config: 'ProxyPass / http://127.0.0.1:1/', asks: [['/', 503]] },
  'a backend that closes the connection: 502': { config: 'ProxyPass / http://127.0.0.1:@CLOSES@/', asks: [['/', 502]] },
  'a backend that is silent for longer than ProxyTimeout: 502': {
    config: 'ProxyTimeout 1\nProxyPass / http://127.0.0.1:@SILENT@/',
    asks: [['/', 502]],
  },
  'an https: backend without SSLProxyEngine: 500': {
    config: 'ProxyPass / https://127.0.0.1:@CLOSES@/',
    asks: [['/', 500]],
  },
  'no module for the scheme of a backend: 500': { config: 'ProxyPass / nothing://127.0.0.1:1/', asks: [['/', 500]] },
  'a path that leads out of the site: 400': {
    config: '',
    asks: [
      ['/../../etc/passwd', 400],
      ['/.%2e/.%2e/etc/passwd', 400],
    ],
  },
  'a CGI program without headers: 500': {
    config: CGI,
    files: { 'cgi/none': '#!/bin/sh\nexit 0\n' },
    asks: [['/cgi/none', 500]],
  },
  'HTTP_ variables: letters, digits and hyphens; Authorization only with CGIPassAuth': {
    config: `${CGI}<Location /cgi/pass>\nCGIPassAuth On\n</Location>`,
    files: { 'cgi/env': SCRIPT, 'cgi/pass': SCRIPT },
    asks: [
      [{ path: '/cgi/env', headers: { 'X-Forwarded-For': '192.0.2.1' } }, 200, /HTTP_X_FORWARDED_FOR=192\.0\.2\.1/],
      [{ path: '/cgi/env', headers: { X_Y: 'a', 'X.Z': 'b' } }, 200, undefined, /HTTP_X_[YZ]/],
      [{ path: '/cgi/env', headers: { Authorization: 'Basic x' } }, 200, undefined, /HTTP_AUTHORIZATION/],
      [{ path: '/cgi/pass', headers: { Authorization: 'Basic x' } }, 200, /HTTP_AUTHORIZATION=Basic x/],
    ],
  },
  'REDIRECT_ variables: those of the request before': {
    config: `${CGI}SetEnv SOME thing\nErrorDocument 404 /cgi/env`,
    files: { 'cgi/env': SCRIPT },
    asks: [['/none', 404, /REDIRECT_STATUS=404[^]*/, undefined]],
  },
  'IndexOptions: a word without a sign replaces the inherited ones': {
    config: `${section('Options Indexes\nIndexOptions FancyIndexing HTMLTable')}\n<Directory "@DOCS@/a">\nIndexOptions SuppressSize\n</Directory>\n<Directory "@DOCS@/b">\nIndexOptions +SuppressSize\n</Directory>`,
    files: { 'a/x': '', 'b/x': '' },
    asks: [
      ['/a/', 200, undefined, /<table/],
      ['/b/', 200, /<table/],
    ],
  },
  'FallbackResource also replaces a missing index file': {
    config: section('FallbackResource /front'),
    files: { front: 'front', 'd/x': '' },
    asks: [
      ['/none', 200, /front/],
      ['/d/', 200, /front/],
    ],
  },
  'DirectoryIndex: a path with a slash serves all directories': {
    config: 'DirectoryIndex index.html /front',
    files: { front: 'front', 'd/x': '' },
    asks: [['/d/', 200, /front/]],
  },
  'DeflateAlterETag NoChange keeps it, Remove drops it': {
    config: 'SetOutputFilter DEFLATE\nDeflateAlterETag NoChange\n',
    files: { 'x.txt': 'aaaaaaaaaa'.repeat(100) },
    asks: [[{ path: '/x.txt', headers: { 'Accept-Encoding': 'gzip' } }, 200, /etag: "[0-9a-f-]+"/i, /-gzip"/]],
  },
  'AuthFormLoginRequiredLocation: who is not logged in is redirected': {
    config: `<Location /p>\nAuthType form\nAuthFormProvider file\n${login}\nSession On\nSessionCookieName s path=/\nAuthFormLoginRequiredLocation /login\nRequire valid-user\n</Location>`,
    files: { p: '', login: '' },
    asks: [['/p', 302, /location: .*\/login/]],
  },
  'AuthBasicProvider: asked in this order until one knows the user': {
    config: `<Location />\nAuthType Basic\nAuthName x\nAuthBasicProvider anon file\nAnonymous guest\nAuthUserFile @ROOT@/users\nRequire valid-user\n</Location>`,
    files: { x: '' },
    asks: [
      [{ path: '/x', user: 'u', password: 'p' }, 200],
      [{ path: '/x', user: 'guest', password: 'me@example.org' }, 200],
      [{ path: '/x', user: 'u', password: 'wrong' }, 401],
    ],
  },
  'Require all granted beside valid-user: no login is asked for': {
    config: `<Location />\nAuthType Basic\n${login}\nRequire valid-user\nRequire all granted\n</Location>`,
    files: { x: '' },
    asks: [['/x', 200]],
  },
  'SSLRequireSSL without TLS: Satisfy Any overrides it, Require lines do not': {
    config:
      '<Location /a>\nSSLRequireSSL\nSatisfy Any\nOrder allow,deny\nAllow from all\n</Location>\n<Location /b>\nSSLRequireSSL\n<RequireAny>\nRequire all granted\n</RequireAny>\n</Location>',
    files: { a: '', b: '' },
    asks: [
      ['/a', 200],
      ['/b', 403],
    ],
  },
  'AddCharset, AddType: of two types the last extension wins': {
    config: 'AddType text/x-one .one\nAddType text/x-two .two',
    files: { 'x.one.two': '' },
    asks: [['/x.one.two', 200, /content-type: text\/x-two/i]],
  },
  'no index file and no Options Indexes: 403': {
    config: section('Options FollowSymLinks'),
    files: { 'd/x': '' },
    asks: [['/d/', 403]],
  },
  'ProxyBlock: 403': {
    config: 'ProxyRequests Off\nProxyBlock 127.0.0.1\nProxyPass / http://127.0.0.1:@PORT@/',
    asks: [['/', 403]],
  },
  'Substitute and SSI leave a file alone that no filter applies to': {
    config: section('Options Includes'),
    files: { 'x.txt': '<!--#echo var="DATE_GMT" -->' },
    asks: [['/x.txt', 200, /#echo/]],
  },
};

/** Servers of their own: what counts before a virtual host is known, and between virtual hosts. */
const SERVERS: Readonly<Record<string, Pick<Claim, 'config' | 'asks'>>> = {
  'LimitRequestFields, LimitRequestFieldSize: 400; LimitRequestLine: 414': {
    config: 'LimitRequestFields 6\nLimitRequestFieldSize 100\nLimitRequestLine 100',
    asks: [
      ['/', 200],
      [{ path: '/', headers: Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((n) => [`X-${n}`, 'a'])) }, 400],
      [{ path: '/', headers: { X: 'a'.repeat(200) } }, 400],
      [`/${'a'.repeat(200)}`, 414],
    ],
  },
  'an earlier wildcard wins over a later exact name; the first virtual host gets unknown names': {
    config:
      '<VirtualHost *:@PORT@>\nServerName a.test\nServerAlias *.test\nRedirect gone /\n</VirtualHost>\n<VirtualHost *:@PORT@>\nServerName b.test\nServerAlias b.example\nRedirect seeother / http://b/\n</VirtualHost>',
    asks: [
      [{ path: '/', headers: { Host: 'b.test' } }, 410],
      [{ path: '/', headers: { Host: 'b.example' } }, 303],
      [{ path: '/', headers: { Host: 'unknown.example' } }, 410],
    ],
  },
  'StrictHostCheck: 400 for a name that no virtual host has': {
    config: 'StrictHostCheck On\nServerName a.test',
    asks: [
      [{ path: '/', headers: { Host: 'a.test' } }, 200],
      [{ path: '/', headers: { Host: 'b.test' } }, 400],
    ],
  },
  'ServerTokens Prod: the name alone': { config: 'ServerTokens Prod', asks: [['/', 200, /^server: Apache$/im]] },
  'access lines of 2.2 and Require: a request needs both': {
    config:
      '<Location /a>\nRequire all granted\nOrder allow,deny\n</Location>\n<Location /b>\nRequire all denied\nOrder allow,deny\nAllow from all\n</Location>\n<Location /c>\nRequire all granted\nOrder allow,deny\nAllow from all\n</Location>',
    asks: [
      ['/a', 403],
      ['/b', 403],
      ['/c', 404],
    ],
  },
};

/** What `httpd -t` says: null for nothing. */
const STOPS: readonly (readonly [string, RegExp | null])[] = [
  ['CGIVar OTHER original-uri', /./],
  ['DefaultRuntimeDir /no/such/directory', /DefaultRuntimeDir must be a valid directory/],
  ['ProxyReceiveBufferSize 100', /ProxyReceiveBufferSize must be/],
  ['ProxyReceiveBufferSize 512', null],
  ['<VirtualHost *:80>\nSSLStaplingCache shmcb:/tmp/x(32768)\n</VirtualHost>', /cannot occur within/],
  ['<IfDefine NoSuchName>\nNonsense\n</IfDefine>', null],
  ['<IfDefine !NoSuchName>\nNonsense\n</IfDefine>', /Nonsense/],
  ['<Location />\nAllowOverride None\n</Location>', null],
  ['<Directory /x>\nRequire ip a.example.org\n</Directory>', /appears to be invalid/],
  ['LimitRequestFieldSize -1', /./],
  ['LoadModule nothing_module modules/mod_nothing.so', /Cannot load/],
  ['SSLMutex default', /Invalid command/],
];

describe('the boldest words, on a real httpd', function () {
  this.timeout(300_000);
  let server: Server;
  const backends: Backend[] = [];
  const names = Object.keys(CLAIMS);
  const hostOf = (name: string) => `b${names.indexOf(name)}.test`;

  before(async function () {
    requireHttpd(this);
    const closes = await listening((socket) => socket.destroy());
    const silent = await listening(() => {});
    backends.push(closes.backend, silent.backend);
    const files: Record<string, string> = { users: 'u:{SHA}UWuXg/ylF+7L0dBk2i0WUxCxl1k=\n', 'htdocs/index.html': '' };
    const hosts = names.map((name, index) => {
      for (const [file, text] of Object.entries({ 'empty/': '', ...CLAIMS[name]!.files }))
        files[`htdocs/b${index}/${file}`] = text;
      const docs = `@ROOT@/htdocs/b${index}`;
      const config = CLAIMS[name]!.config.replaceAll('@DOCS@', docs)
        .replaceAll('@CLOSES@', String(closes.port))
        .replaceAll('@SILENT@', String(silent.port));
      return `<VirtualHost *:@PORT@>\nServerName ${hostOf(name)}\nDocumentRoot "${docs}"\n${config}\n</VirtualHost>\n`;
    });
    const first = '<VirtualHost *:@PORT@>\nServerName first.test\n</VirtualHost>\n';
    server = await serve(`LogLevel crit\n${first}${hosts.join('')}`, { files, modules: 'all' });
    for (const file of Object.keys(files)) if (file.includes('/cgi/')) chmodSync(path.join(server.root, file), 0o755);
  });

  after(async () => {
    for (const backend of backends) backend.close();
    await server?.stop();
  });

  for (const [name, { asks }] of Object.entries(CLAIMS)) {
    it(name, async () => {
      for (const asked of asks) await holds(server, asked, { Host: hostOf(name) });
    });
  }

  for (const [name, { config, asks }] of Object.entries(SERVERS)) {
    it(name, async () => {
      const own = await serve(`${config}\n`, { files: { 'htdocs/index.html': 'page' }, modules: 'all' });
      try {
        for (const asked of asks) await holds(own, asked, {});
      } finally {
        await own.stop();
      }
    });
  }

  for (const [text, refusal] of STOPS) {
    it(`httpd -t: ${JSON.stringify(text)}`, async () => {
      const { ok, error } = await configTest(`${text}\n`);
      assert.equal(ok, refusal === null, error?.message);
      if (refusal) assert.match(error!.message, refusal);
    });
  }
});

async function holds(server: Server, [asked, status, has, lacks]: Ask, headers: Readonly<Record<string, string>>) {
  const request = typeof asked === 'string' ? { path: asked } : asked;
  const response = await server.request({ ...request, headers: { ...headers, ...request.headers } });
  const text = whole(response);
  const shown = `${JSON.stringify(asked)}\n${text.slice(0, 1500)}`;
  assert.equal(response.status, status, shown);
  if (has) assert.match(text, has, shown);
  if (lacks) assert.doesNotMatch(text, lacks, shown);
}

/** Something on a port of 127.0.0.1 that speaks no HTTP. */
async function listening(onConnection: (socket: Socket) => void): Promise<{ backend: Backend; port: number }> {
  const backend = createServer((socket) => {
    socket.on('error', () => {});
    onConnection(socket);
  });
  await new Promise<void>((ready) => backend.listen(0, '127.0.0.1', ready));
  const address = backend.address();
  return { backend, port: typeof address === 'object' && address !== null ? address.port : 0 };
}

/** Headers and the body. */
function whole({ headers, body }: Response): string {
  return `${Object.entries(headers)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join('\n')}\n\n${body}`;
}
