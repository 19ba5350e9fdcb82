/**
 * Claims of the pages about changed behaviour, shown on a real httpd: the answer to a request, with
 * the line of the page and with its fix.
 */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fixed } from '../support/rules';
import { findHttpd, releaseOf, requireHttpd, serve, type RequestOptions, type Server } from './harness';

const NEWLINE = 'a/x.php\n';
const FILES: Readonly<Record<string, string>> = {
  'x.txt': 'X',
  'a/x.txt': 'AX',
  'a/b/x.txt': 'ABX',
  'h/x.txt': 'HX',
  'h/.htaccess': '<IfModule !mod_authz_core.c>\nDeny from all\n</IfModule>\n',
  'p/x.txt': 'PX',
  'p/.htaccess': 'Deny from all\n',
  'a/e.html': 'PAGE',
  'a/disabled': 'DISABLED',
  's/x.txt': 'SX',
  's/none/x.txt': 'SN',
  's/ip/.htaccess': 'Require ip 192.0.2.7\n',
  's/ip/x.txt': 'SI',
  's/deny/.htaccess': 'Require all denied\n',
  's/deny/x.txt': 'SD',
  'back/no/x.txt': 'BACK',
  'px/no/x.txt': 'LOCAL',
  [NEWLINE]: 'NEWLINE',
};

/** `alice:a` and `CORP\bob:b`. */
const USERS = 'alice:{SHA}hvfkN/qlp/zhXR3cuerq6jd2Z7g=\nCORP\\bob:{SHA}6dcfXufJLW3J6S/9rRe4vUlBj5g=\n';

const login = (lines: string, folder = 'a') =>
  `<Directory "@ROOT@/htdocs/${folder}">\nAuthType Basic\nAuthUserFile @ROOT@/users\n${lines}\n</Directory>\n`;
const named = (name: string) => login(`AuthName ${name}\nRequire valid-user`);
const user = (names: string) => login(`AuthName x\nRequire user ${names}`);
const BOB = { path: '/a/x.txt', user: 'CORP\\bob', password: 'b' };
const DENY = 'Require all denied';
const NOT_BAD = '<RequireAll>\nRequire all granted\nRequire not env bad\n</RequireAll>';
const inA = (lines: string) => `<Directory "@ROOT@/htdocs/a">\n${lines}\n</Directory>\n`;
const NL = '/a/x.php%0a';
const rule = (line: string) =>
  `<Directory "@ROOT@/data">\nRequire all granted\n</Directory>\nRewriteEngine On\n${line}\n`;
const PROXY = '<Proxy *>\nRequire all granted\n</Proxy>\n';
const BACKEND = 'http://127.0.0.1:@PORT@/back';

const inData = (lines: string) =>
  `<Directory "@ROOT@/data">\nRequire all granted\nRewriteEngine On\n${lines}\n</Directory>\n`;
const satisfies = (lines: string) => `<Directory "@ROOT@/htdocs/s">\nSatisfy Any\n${lines}\n</Directory>\n`;
const below = (lines: string) => `<Directory "@ROOT@/htdocs/s/none">\n${lines}\n</Directory>\n`;

/**
 * The release since which it is so, a configuration, a request, and what is answered: the status,
 * and a header or the body.
 */
type Claim = readonly [since: number, config: string, request: string | RequestOptions, answer: string];

const CLAIMS: Readonly<Record<string, readonly Claim[]>> = {
  'text-is-expression: AuthName': [
    [55, named('"CORP\\network"'), '/a/x.txt', '500'],
    [55, named('CORP\\network'), '/a/x.txt', '500'],
    [55, named('"CORP\\\\network"'), '/a/x.txt', '500'],
    [55, named("'CORP\\\\finance'"), '/a/x.txt', '500'],
    [55, named('"CORP\\\\\\\\network"'), '/a/x.txt', '401 Basic realm="CORP\\network"'],
    [55, named('"CORP\\corp"'), '/a/x.txt', '401 Basic realm="CORPcorp"'],
    [55, named('"x$1"'), '/a/x.txt', '401 Basic realm="x"'],
    [55, named('"x\\$1"'), '/a/x.txt', '401 Basic realm="x$1"'],
    [55, named('"Costs $ 5"'), '/a/x.txt', '401 Basic realm="Costs $ 5"'],
    [55, named('"tab\\there"'), '/a/x.txt', '401 Basic realm="tab\there"'],
  ],
  'text-is-expression: Require user': [
    [8, user('CORP\\bob'), BOB, '401 Basic realm="x"'],
    [8, user('"CORP\\bob"'), BOB, '401 Basic realm="x"'],
    [8, user('CORP\\\\bob'), BOB, '200 AX'],
    [8, user('"CORP\\\\bob" alice'), BOB, '200 AX'],
  ],
  'text-is-expression: ErrorDocument': [
    [13, 'ErrorDocument 404 "For $1 \\q %{REQUEST_URI}"', '/nope', '404 For  q /nope'],
    [13, 'ErrorDocument 404 "For \\\\$1 \\\\%{REQUEST_URI}"', '/nope', '404 For $1 %{REQUEST_URI}'],
  ],
  'login-refused': [
    [0, login('AuthName x\nAuthBasicAuthoritative Off\nRequire valid-user'), { ...BOB, user: 'nemo' }, '500'],
    [0, login('AuthName x\nRequire valid-user'), { ...BOB, user: 'nemo' }, '401 Basic realm="x"'],
    [0, `${named('x')}<Directory "@ROOT@/htdocs/a/b">\nAuthType None\n</Directory>`, '/a/b/x.txt', '500'],
    [0, login('AuthName x\nAuthType None\nRequire valid-user'), BOB, '500'],
    [
      0,
      `${named('x')}<Directory "@ROOT@/htdocs/a/b">\nAuthType None\nRequire all granted\n</Directory>`,
      '/a/b/x.txt',
      '200 ABX',
    ],
    [0, login('AuthName x\nAuthGroupFile @ROOT@/none\nRequire group staff'), BOB, '401 Basic realm="x"'],
  ],
  'pattern-difference': [
    [30, `<FilesMatch "\\.php$">\n${DENY}\n</FilesMatch>`, NL, '200 NEWLINE'],
    [30, `<FilesMatch "\\.php\\n?$">\n${DENY}\n</FilesMatch>`, NL, '403'],
    [30, `<LocationMatch "\\.php$">\n${DENY}\n</LocationMatch>`, NL, '200 NEWLINE'],
    [30, rule('RewriteRule "\\.php$" - [F]'), NL, '200 NEWLINE'],
    [30, rule('RewriteRule "\\.php\\n?$" - [F]'), NL, '403'],
    [30, 'RedirectMatch 403 "\\.php$"', NL, '200 NEWLINE'],
    [30, inA(`SetEnvIf Request_URI "\\.php$" bad\n${NOT_BAD}`), NL, '200 NEWLINE'],
    [30, inA(`SetEnvIf Request_URI "\\.php\\n?$" bad\n${NOT_BAD}`), NL, '403'],
    [30, `SetEnvIf Request_URI "%0a$" bad\n${inA(NOT_BAD)}`, NL, '403'],
    [41, `<LocationMatch "^/a/x.php.">\n${DENY}\n</LocationMatch>`, NL, '403'],
    [39, `<LocationMatch "^/a/">\n${DENY}\n</LocationMatch>`, '/.//a/x.txt', '403'],
    [39, `<LocationMatch "^/[^/]*/x">\n${DENY}\n</LocationMatch>`, '/a//x.txt', '403'],
    [39, `<LocationMatch "^//a/">\n${DENY}\n</LocationMatch>`, '//a/x.txt', '200 AX'],
    [39, rule('RewriteRule ^/a//x - [F]'), '/a//x.txt', '200 AX'],
    [39, `MergeSlashes Off\n${rule('RewriteRule ^/a//x - [F]')}`, '/a//x.txt', '403'],
    [39, 'RedirectMatch 403 ^/a//x', '/a//x.txt', '200 AX'],
  ],
  'proxy-pass-order': [
    [0, `${PROXY}${passes('/px', BACKEND, '/px/no', '!')}`, '/px/no/x.txt', '200 LOCAL'],
    [0, `${PROXY}${passes('/px/no', '!', '/px', BACKEND)}`, '/px/no/x.txt', '200 BACK'],
    [0, `${PROXY}ProxyPass /px/no !\n<Location /px>\nProxyPass ${BACKEND}\n</Location>`, '/px/no/x.txt', '200 BACK'],
    [0, `${PROXY}ProxyPass /px/no !\nProxyPass /px ${BACKEND}`, '/px/no/x.txt', '200 LOCAL'],
  ],
  'rewrite-target': [
    [56, rule('RewriteRule ^/q/(.*)$ /x.txt?t=$1 [PT]'), '/q/a%20b', '403'],
    [56, rule('RewriteRule ^/q/(.*)$ /x.txt?t=$1 [PT]'), '/q/a%3fb', '200 X'],
    [56, rule('RewriteRule ^/q/(.*)$ /x.txt?t=$1 [PT,B]'), '/q/a%20b', '200 X'],
    [57, rule('RewriteRule ^/q/(.*)$ /x.txt?t=$1 [PT,BCTLS]'), '/q/a%20b', '200 X'],
    [56, rule('RewriteRule ^/q/ /x.txt?t=%{REQUEST_URI} [PT]'), '/q/a%20b', '403'],
    [56, rule('RewriteRule ^/q/ /x.txt?t=%{REQUEST_URI} [PT,B]'), '/q/a%20b', '403'],
    [56, rule('RewriteRule ^.*$ /x.txt?t=$0 [PT,B]'), '/q/a%20b', '200 X'],
    [60, rule('RewriteRule ^/q/ http://o.test%{REQUEST_URI} [R,B]'), '/q/a%3fb', '403'],
    [56, rule('RewriteRule ^/q/(.*)$ http://o.test/?t=$1 [R]'), '/q/a%20b', '302 http://o.test/?t=a%20b'],
    [56, rule('RewriteRule ^/q/(.*)$ http://o.test/?t=$1 [R,NE]'), '/q/a%20b', '403'],
    [60, rule('RewriteRule ^/q/(.*)$ /a/$1 [PT]'), '/q/x.txt%3fb', '403'],
    [60, rule('RewriteRule ^/q/(.*)$ /a/$1 [PT,UnsafeAllow3F]'), '/q/x.txt%3fb', '200 AX'],
    [60, rule('RewriteRule ^/q/(.*)$ http://o.test/$1 [R]'), '/q/a%3fb', '403'],
    [60, rule('RewriteCond @ROOT@/data ^(.*)$\nRewriteRule ^/s/(.*)$ %1/$1'), '/s/sub/x.txt', '404'],
    [60, rule('RewriteRule .* - [E=b:@ROOT@/data]\nRewriteRule ^/s/(.*)$ %{ENV:b}/$1'), '/s/sub/x.txt', '404'],
    [
      60,
      rule('RewriteRule .* - [E=b:@ROOT@/data]\nRewriteRule ^/s/(.*)$ %{ENV:b}/$1 [UnsafePrefixStat]'),
      '/s/sub/x.txt',
      '200 DATA',
    ],
    [60, rule('RewriteRule ^/s/(.*)$ %{DOCUMENT_ROOT}/$1'), '/s/a/x.txt', '200 AX'],
    [41, rule('RewriteRule ^/q/(.*)$ http://o.test/$1 [R]'), '/q/a%0ab', '302 http://o.test/a%0ab'],
  ],
  'htaccess-comes-alive': [
    [0, '<Directory "@ROOT@/htdocs/h">\nAllowOverride AuthConfig\n</Directory>', '/h/x.txt', '200 HX'],
    [0, '<Directory "@ROOT@/htdocs/p">\nAllowOverride AuthConfig\n</Directory>', '/p/x.txt', '500'],
  ],
  'rewrite-alias': [
    [13, `Alias /al "@ROOT@/data"\n${inData('RewriteRule ^go$ sub/x.txt')}`, '/al/go', '200 DATA'],
    [13, `Alias /al "@ROOT@/data"\n${inData('RewriteBase /none/\nRewriteRule ^go$ sub/x.txt')}`, '/al/go', '404'],
    [
      16,
      `Alias /al "@ROOT@/data"\n${inData('RewriteOptions IgnoreContextInfo\nRewriteRule ^go$ sub/x.txt')}`,
      '/al/go',
      '404',
    ],
  ],
  'satisfy-any-above': [
    [0, `${satisfies('')}${below('Require all denied')}`, '/s/none/x.txt', '200 SN'],
    [
      0,
      `${satisfies('Order deny,allow\nAllow from 127.0.0.1')}${below('Require ip 192.0.2.7')}`,
      '/s/none/x.txt',
      '200 SN',
    ],
    [0, `${satisfies('Order deny,allow\nDeny from all')}${below('Require all denied')}`, '/s/none/x.txt', '403'],
    [0, `${satisfies('')}${below('Satisfy All\nRequire all denied')}`, '/s/none/x.txt', '403'],
    [0, `${satisfies('')}${below('Order deny,allow\nRequire all denied')}`, '/s/none/x.txt', '403'],
    [0, satisfies('AllowOverride All'), '/s/deny/x.txt', '200 SD'],
    [0, satisfies('AllowOverride AuthConfig'), '/s/ip/x.txt', '200 SI'],
    [0, `${satisfies('')}<Location /s/none>\n${DENY}\n</Location>`, '/s/none/x.txt', '200 SN'],
    [0, `${satisfies('')}<LocationMatch ^/s/none>\n${DENY}\n</LocationMatch>`, '/s/none/x.txt', '200 SN'],
    [0, `${satisfies('')}<DirectoryMatch /s/none>\n${DENY}\n</DirectoryMatch>`, '/s/none/x.txt', '200 SN'],
    [0, `${satisfies('')}<Directory "@ROOT@/htdocs/s/no*">\n${DENY}\n</Directory>`, '/s/none/x.txt', '200 SN'],
    [0, `${satisfies('')}<Files x.txt>\n${DENY}\n</Files>`, '/s/none/x.txt', '200 SN'],
    [0, `${satisfies('')}<FilesMatch ^x>\nSatisfy All\n${DENY}\n</FilesMatch>`, '/s/none/x.txt', '403'],
  ],
  'changed-behaviour: DirectoryIndex disabled': [
    [0, 'DirectoryIndex disabled\n<Directory "@ROOT@/htdocs">\nOptions None\n</Directory>', '/a/', '403'],
  ],
};

describe('claims about changed behaviour', function () {
  this.timeout(120_000);
  let server: Server;

  before(async function () {
    requireHttpd(this);
    server = await serve('');
    for (const [name, text] of Object.entries(FILES)) {
      const file = path.join(server.root, 'htdocs', name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    mkdirSync(path.join(server.root, 'data/sub'), { recursive: true });
    writeFileSync(path.join(server.root, 'data/sub/x.txt'), 'DATA');
    writeFileSync(path.join(server.root, 'users'), USERS);
  });
  after(() => server?.stop());

  const ask = async (config: string, request: string | RequestOptions) => {
    await server.reload(config);
    const { status, headers, body } = await server.request(typeof request === 'string' ? { path: request } : request);
    const more = headers['www-authenticate'] ?? headers.location ?? (/^\s*</.test(body) ? '' : body);
    return `${status} ${more}`.trim();
  };

  for (const [title, claims] of Object.entries(CLAIMS)) {
    it(title, async () => {
      const release = releaseOf(findHttpd()!);
      const wrong: string[] = [];
      for (const [since, config, request, expected] of claims) {
        if (release < since) continue;
        const answer = await ask(config, request);
        if (answer !== expected) wrong.push(`${answer} instead of ${expected}:\n${config}`);
      }
      assert.deepEqual(wrong, []);
    });
  }

  it('error-document-restricted: shown without modules that check each request', async () => {
    const section = `<Location /a>\n${DENY}\n</Location>\nErrorDocument 403 /a/e.html`;
    const files = { 'htdocs/a/x.txt': 'AX', 'htdocs/a/e.html': 'PAGE' };
    for (const [more, answer] of [
      [[], '403 PAGE'],
      [['allowmethods'], '403'],
      [['lua'], '403'],
    ] as const) {
      const other = await serve(section, { modules: ['authz_core', 'authz_host', 'access_compat', ...more], files });
      const { status, body } = await other.request({ path: '/a/x.txt' });
      await other.stop();
      assert.equal(`${status}${/^\s*</.test(body) ? '' : ` ${body}`}`, answer, more.join());
    }
  });

  it('the fix for a text keeps the text of 2.2', async () => {
    const wrong: string[] = [];
    for (const realm of ['CORP\\network', 'CORP\\1', 'a\\8', 'x$1$', "it's 5 \\$"]) {
      if (releaseOf(findHttpd()!) < 55) continue;
      const config = fixed(named(`"${realm}"`), { rule: 'text-is-expression', unsafe: true });
      const answer = await ask(config, '/a/x.txt').catch(String);
      const sent = realm.replace(/["\\]/g, '\\$&');
      if (answer !== `401 Basic realm="${realm}"` && answer !== `401 Basic realm="${sent}"`)
        wrong.push(`${answer}: ${config}`);
    }
    const bob = fixed(user('CORP\\bob'), { rule: 'text-is-expression', unsafe: true });
    if ((await ask(bob, BOB)) !== '200 AX') wrong.push(bob);
    assert.deepEqual(wrong, []);
  });

  it('a missing file is in the log at LogLevel info of the core alone', async () => {
    const logged = async (level: string) => {
      const from = server.errorLog().length;
      await ask(`LogLevel ${level}`, '/nope');
      return server.errorLog().slice(from);
    };
    assert.doesNotMatch(await logged('warn'), /nope/);
    assert.match(await logged('warn core:info'), /AH00128: File does not exist: .*nope/);
  });
});

function passes(first: string, backend: string, second: string, other: string): string {
  return `<Location ${first}>\nProxyPass ${backend}\n</Location>\n<Location ${second}>\nProxyPass ${other}\n</Location>\n`;
}
