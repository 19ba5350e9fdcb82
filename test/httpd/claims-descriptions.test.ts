/**
 * Claims of the descriptions of directives (server/src/directives/descriptions), tried on a real
 * server: each claim is a virtual host, or a section in one, and its answer. A text whose claim
 * fails here is wrong.
 */
import assert from 'node:assert/strict';
import { requireHttpd, configTest, serve, type RequestOptions, type Response, type Server } from './harness';

/** Status alone, or with what the answer has, and what it has not: headers as `name: value`. */
interface Answer {
  readonly status: number;
  readonly has?: RegExp;
  readonly lacks?: RegExp;
}

type Ask = readonly [request: string | RequestOptions, answer: number | Answer];

interface Claim {
  /** In a virtual host; `@DOCS@` is its DocumentRoot. */
  readonly config: string;
  /** Below the DocumentRoot. */
  readonly files?: Readonly<Record<string, string>>;
  readonly asks: readonly Ask[];
}

const PAGE = {
  'index.html': '<html><head><title>t</title></head>page</html>\n',
  'x.txt': 'text\n',
  'd/index.html': 'inner\n',
  'list/a.html': 'a',
  'list/b.bak': 'b',
};
const page = (config: string, ...asks: readonly Ask[]): Claim => ({ config, files: PAGE, asks });
const directory = (lines: string, below = '') => `<Directory "@DOCS@${below}">\n${lines}\n</Directory>`;
const login = 'AuthType Basic\nAuthName x\nAuthUserFile @ROOT@/users';

const CLAIMS: Readonly<Record<string, Claim>> = {
  'DocumentRoot: served where nothing refuses': page('', ['/', { status: 200, has: /page/ }]),
  'DocumentRoot: refused where / is': page('<Directory />\nRequire all denied\n</Directory>', ['/', 403]),
  'AuthType alone: every request is a 500': page('<Location />\nAuthType Basic\nAuthName x\n</Location>', ['/', 500]),
  'AuthType None: no login below': page(
    `<Location />\n${login}\nRequire valid-user\n</Location>\n<Location /d>\nAuthType None\nRequire all granted\n</Location>`,
    ['/', 401],
    ['/d/', 200],
  ),
  'Require with AuthType asks': page(
    `<Location />\n${login}\nRequire valid-user\n</Location>`,
    ['/', 401],
    [{ path: '/', user: 'u', password: 'p' }, 200],
  ),
  'a Require in <Location /> replaces those of directories': page(
    `${directory('Require all denied')}\n<Location />\nRequire all granted\n</Location>`,
    ['/', 200],
  ),
  'AuthMerging And': page(
    `${directory('Require all denied')}\n<Location />\nAuthMerging And\nRequire all granted\n</Location>`,
    ['/', 403],
  ),
  'AuthMerging Or': page(
    `${directory('Require all granted')}\n<Location />\nAuthMerging Or\nRequire all denied\n</Location>`,
    ['/', 200],
  ),
  'AuthMerging Off': page(
    `${directory('Require all denied')}\n<Location />\nAuthMerging Off\nRequire all granted\n</Location>`,
    ['/', 200],
  ),
  'AuthzSendForbiddenOnFailure: 403 instead of 401': page(
    `<Location />\n${login}\nRequire user other\n</Location>\n<Location /d>\nAuthzSendForbiddenOnFailure On\nRequire user other\n</Location>`,
    [{ path: '/', user: 'u', password: 'p' }, 401],
    [{ path: '/d/', user: 'u', password: 'p' }, 403],
  ),
  '<RequireAny>: bare lines mean the same': page(
    '<Location />\nRequire all denied\nRequire ip 127.0.0.1\n</Location>',
    ['/', 200],
    [{ path: '/', from: '127.0.0.2' }, 403],
  ),
  '<RequireAll> with not': page(
    '<Location />\n<RequireAll>\nRequire ip 127\nRequire not ip 127.0.0.2\n</RequireAll>\n</Location>',
    ['/', 200],
    [{ path: '/', from: '127.0.0.2' }, 403],
  ),
  '<RequireNone>: a list of exceptions': page(
    'SetEnvIf User-Agent bad bad_robot\n<Location />\n<RequireAll>\nRequire all granted\n<RequireNone>\nRequire env bad_robot\n</RequireNone>\n</RequireAll>\n</Location>',
    ['/', 200],
    [{ path: '/', headers: { 'User-Agent': 'bad' } }, 403],
  ),
  'Require method, local, expr': page(
    '<Location /a>\nRequire method POST\n</Location>\n<Location /d>\nRequire local\n</Location>\n<Location /x.txt>\nRequire expr "%{QUERY_STRING} == \'a\'"\n</Location>',
    ['/a', 403],
    ['/d/', 200],
    ['/x.txt', 403],
    ['/x.txt?a', 200],
  ),
  'Satisfy Any: address or login': page(
    `<Location />\n${login}\nRequire valid-user\nOrder deny,allow\nDeny from all\nAllow from 127.0.0.1\nSatisfy Any\n</Location>`,
    ['/', 200],
    [{ path: '/', from: '127.0.0.2' }, 401],
  ),
  'Order Deny,Allow: whoever is not mentioned comes in': page(
    '<Location />\nOrder Deny,Allow\nDeny from 127.0.0.2\n</Location>',
    ['/', 200],
    [{ path: '/', from: '127.0.0.2' }, 403],
  ),
  'Order Allow,Deny: whoever is not mentioned stays out; mutual-failure is the same': page(
    '<Location />\nOrder Allow,Deny\nAllow from 127.0.0.1\n</Location>\n<Location /d>\nOrder mutual-failure\nAllow from 127.0.0.1\n</Location>',
    ['/', 200],
    [{ path: '/', from: '127.0.0.2' }, 403],
    ['/d/', 200],
    [{ path: '/d/', from: '127.0.0.2' }, 403],
  ),
  '<Location> without a slash at its end matches the path and what is below, not more of the name': page(
    '<Location /d>\nRequire all denied\n</Location>',
    ['/d', 403],
    ['/d/', 403],
    ['/d/index.html', 403],
    ['/dx', 404],
  ),
  '<Location> with a slash at its end does not match the path without it': page(
    '<Location /d/>\nRequire all denied\n</Location>',
    ['/d/', 403],
    ['/d', 301],
  ),
  '<Location>: runs of slashes in a URL count as one': page('<Location /d/>\nRequire all denied\n</Location>', [
    '//d//',
    403,
  ]),
  '<Location> takes them for one with MergeSlashes Off, too': page(
    'MergeSlashes Off\n<Location /d>\nRequire all denied\n</Location>',
    ['/d/', 403],
    ['//d/', 403],
  ),
  'MergeSlashes: <LocationMatch> sees one': page(
    '<LocationMatch ^/x>\nRequire all denied\n</LocationMatch>',
    ['/x.txt', 403],
    ['//x.txt', 403],
  ),
  '<Location> overrules <Directory> and <Files>': page(
    `${directory('<Files index.html>\nRequire all denied\n</Files>')}\n<Location /index.html>\nRequire all granted\n</Location>`,
    ['/index.html', 200],
  ),
  '<If> overrules <Location>': page(
    '<Location />\nRequire all denied\n</Location>\n<If "true">\nRequire all granted\n</If>',
    ['/', 200],
  ),
  '<ElseIf>, <Else>': page(
    '<If "%{QUERY_STRING} == \'a\'">\nHeader set X a\n</If>\n<ElseIf "%{QUERY_STRING} == \'b\'">\nHeader set X b\n</ElseIf>\n<Else>\nHeader set X c\n</Else>',
    ['/?a', { status: 200, has: /^x: a$/m }],
    ['/?b', { status: 200, has: /^x: b$/m }],
    ['/', { status: 200, has: /^x: c$/m }],
  ),
  '<DirectoryMatch> wins over <Directory>': page(
    `<DirectoryMatch "^@DOCS@">\nHeader set X match\n</DirectoryMatch>\n${directory('Header set X plain', '/d')}`,
    ['/d/', { status: 200, has: /^x: match$/m }],
  ),
  '<LocationMatch>: named groups become MATCH_NAME': page(
    '<LocationMatch "^/(?<part>\\w+)/">\nHeader set X "%{MATCH_PART}e"\n</LocationMatch>',
    ['/d/', { status: 200, has: /^x: d$/m }],
  ),
  '<Directory>: * does not match a slash': {
    config: '<Directory "@DOCS@/*/c">\nRequire all denied\n</Directory>',
    files: { 'a/c/x': '', 'a/b/c/x': '' },
    asks: [
      ['/a/c/x', 403],
      ['/a/b/c/x', 200],
    ],
  },
  '<FilesMatch> without an anchor also matches x.php.bak': {
    config: '<FilesMatch "\\.php">\nRequire all denied\n</FilesMatch>',
    files: { 'x.php.bak': '', 'x.php': '' },
    asks: [
      ['/x.php', 403],
      ['/x.php.bak', 403],
    ],
  },
  '<Files> below a directory': {
    config: '<Files "*.tx?">\nRequire all denied\n</Files>',
    files: PAGE,
    asks: [
      ['/x.txt', 403],
      ['/', 200],
    ],
  },
  '<Limit>: what is not listed stays open; GET includes HEAD': page(
    '<Location />\n<Limit GET>\nRequire all denied\n</Limit>\n</Location>',
    ['/x.txt', 403],
    [{ path: '/x.txt', method: 'HEAD' }, 403],
    [{ path: '/x.txt', method: 'OPTIONS' }, 200],
  ),
  '<LimitExcept>: every other method, also unknown ones': page(
    '<Location />\n<LimitExcept GET>\nRequire all denied\n</LimitExcept>\n</Location>',
    ['/', 200],
    [{ path: '/', method: 'DELETE' }, 403],
    [{ path: '/', method: 'PROPFIND' }, 403],
  ),
  'AllowMethods: 405': page(
    '<Location />\nAllowMethods GET\n</Location>',
    ['/', 200],
    [{ path: '/', method: 'DELETE' }, 405],
  ),
  'TRACE: neither AllowMethods nor <Limit> block it, TraceEnable does': page(
    '<Location />\nAllowMethods GET\n</Location>',
    [{ path: '/', method: 'TRACE' }, 200],
  ),
  'TraceEnable Off': page('TraceEnable Off', [{ path: '/', method: 'TRACE' }, 405]),
  'AcceptPathInfo: Off answers 404, as files do by default': page(
    '<Location /x.txt>\nAcceptPathInfo On\n</Location>',
    ['/index.html/more', 404],
    ['/x.txt/more', 200],
  ),
  'AllowEncodedSlashes: 404 without it': page('', ['/d%2Findex.html', 404]),
  'AllowEncodedSlashes On: decoded like any other': page('AllowEncodedSlashes On', ['/d%2Findex.html', 200]),
  'AllowEncodedSlashes NoDecode: left as it is': page('AllowEncodedSlashes NoDecode', ['/d%2Findex.html', 404]),
  'AllowOverride None: the file is not read; AllowOverrideList names directives': {
    config: `${directory('AllowOverride None')}\n${directory('AllowOverride None\nAllowOverrideList Redirect', '/listed')}`,
    files: {
      '.htaccess': 'Nonsense\n',
      'index.html': '',
      'listed/.htaccess': 'Redirect /listed/a /b\n',
      'listed/x': '',
      'other/.htaccess': 'Nonsense\n',
      'other/x': '',
    },
    asks: [
      ['/', 200],
      ['/listed/a', 302],
      ['/listed/x', 200],
      ['/other/x', 200],
    ],
  },
  'AllowOverride: a directive outside of the classes is a 500, Nonfatal passes it over': {
    config: `${directory('AllowOverride FileInfo')}\n${directory('AllowOverride FileInfo Nonfatal=Override', '/n')}\n`,
    files: { 'a/.htaccess': 'Options None\n', 'a/x': '', 'n/.htaccess': 'Options None\n', 'n/x': '' },
    asks: [
      ['/a/x', 500],
      ['/n/x', 200],
    ],
  },
  'AllowOverride unset: a .htaccess that says anything is a 500': {
    config: '',
    files: { 'a/.htaccess': 'Header set X y\n', 'a/x': '' },
    asks: [['/a/x', 500]],
  },
  'AddDefaultCharset: text/html and text/plain without a charset': {
    config: 'AddDefaultCharset utf-8',
    files: { 'a.html': '', 'a.txt': '', 'a.css': '' },
    asks: [
      ['/a.html', { status: 200, has: /^content-type: text\/html; ?charset=utf-8$/im }],
      ['/a.txt', { status: 200, has: /charset=utf-8/i }],
      ['/a.css', { status: 200, lacks: /charset/i }],
    ],
  },
  'AddDefaultCharset On: ISO-8859-1': page('AddDefaultCharset On', ['/', { status: 200, has: /charset=iso-8859-1/i }]),
  'ErrorDocument: a path keeps the status, a full URL hides it, a text is sent': page(
    'ErrorDocument 404 /x.txt\n<Location /b>\nErrorDocument 404 http://other.test/\n</Location>\n<Location /c>\nErrorDocument 404 "gone fishing"\n</Location>\n<Location /e>\nErrorDocument 404 default\n</Location>',
    ['/a', { status: 404, has: /^text$/m }],
    ['/b', 302],
    ['/c', { status: 404, has: /gone fishing/ }],
    ['/e', { status: 404, lacks: /^text$/m }],
  ),
  'FileETag: parts, None': page(
    'FileETag MTime Size\n<Location /x.txt>\nFileETag None\n</Location>\n<Location /d>\nFileETag INode MTime Size\n</Location>',
    ['/', { status: 200, has: /^etag: (W\/)?"[\da-f]+-[\da-f]+"$/m }],
    ['/x.txt', { status: 200, lacks: /^etag:/m }],
    ['/d/', { status: 200, has: /^etag: (W\/)?"[\da-f]+-[\da-f]+-[\da-f]+"$/m }],
  ),
  'ForceType: beats the extension, None undoes it': page(
    '<Location />\nForceType application/x-own\n</Location>\n<Location /x.txt>\nForceType None\n</Location>',
    ['/', { status: 200, has: /^content-type: application\/x-own$/m }],
    ['/x.txt', { status: 200, has: /^content-type: text\/plain$/m }],
  ),
  'DefaultType is without effect, files of unknown type have no type': {
    config: '',
    files: { 'x.own': '' },
    asks: [['/x.own', { status: 200, lacks: /^content-type:/m }]],
  },
  'LimitRequestBody: 413': page('LimitRequestBody 10\n<Location />\nSetHandler none\n</Location>', [
    { path: '/', method: 'POST', headers: { 'Content-Length': '100' } },
    413,
  ]),
  'MaxRanges none: no ranges at all': page('MaxRanges none', [
    { path: '/x.txt', headers: { Range: 'bytes=0-1' } },
    { status: 200, has: /^accept-ranges: none$/m },
  ]),
  'MaxRanges: beyond that the complete resource': page(
    'MaxRanges 1',
    [{ path: '/x.txt', headers: { Range: 'bytes=0-0,2-2' } }, 200],
    [{ path: '/x.txt', headers: { Range: 'bytes=0-1' } }, 206],
  ),
  'Options All: everything but MultiViews; Indexes lists': {
    config: directory('Options All'),
    files: { 'list/a.html': '', 'm/page.html': '' },
    asks: [
      ['/list/', { status: 200, has: /a\.html/ }],
      ['/m/page', 404],
    ],
  },
  'Options: a word without a sign replaces what is inherited': {
    config: `${directory('Options Indexes MultiViews')}\n${directory('Options FollowSymLinks', '/list')}\n${directory('Options +FollowSymLinks', '/more')}`,
    files: { 'list/a.html': '', 'more/a.html': '', 'more/page.html': '' },
    asks: [
      ['/list/', 403],
      ['/more/', 200],
      ['/more/page', 200],
    ],
  },
  'Options Includes, IncludesNOEXEC': {
    config: directory('Options IncludesNOEXEC\nAddOutputFilter INCLUDES .shtml\nAddType text/html .shtml'),
    files: { 'a.shtml': '<!--#echo var="DOCUMENT_NAME" -->', 'b.shtml': '<!--#exec cmd="echo rabbit" -->' },
    asks: [
      ['/a.shtml', { status: 200, has: /^a\.shtml$/m }],
      ['/b.shtml', { status: 200, lacks: /rabbit/ }],
    ],
  },
  'SetHandler: none undoes it, default-handler delivers': page(
    '<Location />\nSetHandler server-status\n</Location>\n<Location /x.txt>\nSetHandler none\n</Location>\n<Location /d>\nSetHandler default-handler\n</Location>',
    ['/', { status: 200, has: /Apache Status/ }],
    ['/x.txt', { status: 200, has: /^text$/m }],
  ),
  'ServerSignature EMail: a link to ServerAdmin': page('ServerAdmin me@example.org\nServerSignature EMail', [
    '/no',
    { status: 404, has: /mailto:me@example\.org/ },
  ]),
  'UseCanonicalName Off: what the client asked for; On: ServerName': page('UseCanonicalName On', [
    '/d',
    { status: 301, has: /^location: http:\/\/@HOST@[:/]/m },
  ]),

  'Alias: in the order of the file, more specific first': {
    config: 'Alias /a/b @DOCS@/two\nAlias /a @DOCS@/one',
    files: { 'one/b/x': 'one', 'two/x': 'two' },
    asks: [['/a/b/x', { status: 200, has: /two/ }]],
  },
  'Alias with a slash on one side only': {
    config: 'Alias /a/ @DOCS@/one',
    files: { 'one/x': '' },
    asks: [['/a/x', 404]],
  },
  'Alias /icons does not serve /iconsx': {
    config: 'Alias /a @DOCS@/one',
    files: { 'one/x': '' },
    asks: [
      ['/a/x', 200],
      ['/ax', 404],
    ],
  },
  'AliasMatch: what follows the match is not appended': {
    config: 'AliasMatch "^/a/" @DOCS@/one/x\nAliasMatch "^/b/(.*)$" @DOCS@/one/$1',
    files: { 'one/x': 'x' },
    asks: [
      ['/a/anything', { status: 200, has: /^x$/m }],
      ['/b/x', 200],
    ],
  },
  'Alias in <Location>: every URL is the same file; AliasPreservePath appends': {
    config:
      '<Location /a>\nAlias @DOCS@/one/x\n</Location>\n<Location /b>\nAlias @DOCS@/one\nAliasPreservePath On\n</Location>',
    files: { 'one/x': 'x' },
    asks: [
      ['/a', { status: 200, has: /^x$/m }],
      ['/b/x', 200],
    ],
  },
  'Redirect: appends what follows, keeps the query, comes before Alias': {
    config: 'Alias /a @DOCS@\nRedirect /a http://other.test/b',
    files: PAGE,
    asks: [['/a/c?d', { status: 302, has: /^location: http:\/\/other\.test\/b\/c\?d$/m }]],
  },
  'Redirect: statuses': page(
    'Redirect permanent /a /b\nRedirect seeother /c /d\nRedirect gone /e\nRedirect 308 /f /g\nRedirect 404 /h\nRedirectTemp /i /j\nRedirectPermanent /k /l',
    ['/a', 301],
    ['/c', 303],
    ['/e', 410],
    ['/f', 308],
    ['/h', 404],
    ['/i', 302],
    ['/k', 301],
  ),
  'RedirectMatch: the query comes along unless the target has one': page(
    'RedirectMatch ^/a$ /b\nRedirectMatch ^/c$ /d?own',
    ['/a?q', { status: 302, has: /^location: .*\/b\?q$/m }],
    ['/c?q', { status: 302, has: /^location: .*\/d\?own$/m }],
  ),
  'RedirectRelative: a local path as it is': page('RedirectRelative On\nRedirect /a /b', [
    '/a',
    { status: 302, has: /^location: \/b$/m },
  ]),
  'mod_rewrite comes before Redirect in the server configuration': page(
    'RewriteEngine On\nRewriteRule ^/a$ /x.txt [PT]\nRedirect /a /b',
    ['/a', 200],
  ),
  'ScriptAlias runs without Options ExecCGI': {
    config: 'ScriptAlias /cgi/ @DOCS@/cgi/',
    files: { 'cgi/no': 'x' },
    asks: [['/cgi/no', { status: 500, lacks: /^x$/m }]],
  },

  'DirectoryIndex: the first that is there, disabled': {
    config: `DirectoryIndex none.html index.html\n${directory('DirectoryIndex disabled', '/d')}`,
    files: PAGE,
    asks: [
      ['/', { status: 200, has: /page/ }],
      ['/d/', 403],
    ],
  },
  'DirectoryIndex: several lines in one section add up': {
    config: 'DirectoryIndex a.html\nDirectoryIndex index.html',
    files: PAGE,
    asks: [['/', { status: 200, has: /page/ }]],
  },
  DirectoryIndexRedirect: page('DirectoryIndexRedirect seeother', ['/', 303]),
  'DirectorySlash Off: no redirect': {
    config: `DirectorySlash Off\n${directory('Options Indexes')}`,
    files: PAGE,
    asks: [['/list', 200]],
  },
  'DirectorySlash Off lists directories whose index file would have hidden them': {
    config: `DirectorySlash Off\n${directory('Options Indexes')}`,
    files: PAGE,
    asks: [['/d', { status: 200, has: /index\.html/ }]],
  },
  'DirectorySlash: redirects': page('', ['/d', 301]),
  'FallbackResource: what is not there; disabled': {
    config: `FallbackResource /x.txt\n${directory('FallbackResource disabled', '/d')}`,
    files: PAGE,
    asks: [
      ['/no/such', { status: 200, has: /^text$/m }],
      ['/d/no', 404],
    ],
  },
  'AddHandler counts at any place in the name': {
    config: 'AddHandler send-as-is .own',
    files: {
      'a.own.html': 'Status: 418 x\nContent-Type: text/plain\n\nbody\n',
      'b.own': 'Status: 418 x\nContent-Type: text/plain\n\nbody\n',
    },
    asks: [
      ['/a.own.html', 418],
      ['/b.own', 418],
    ],
  },
  'SetHandler in <FilesMatch> does not': {
    config: '<FilesMatch "\\.own$">\nSetHandler send-as-is\n</FilesMatch>',
    files: { 'a.own.html': 'Status: 418 x\n\n', 'b.own': 'Status: 418 x\nContent-Type: text/plain\n\n' },
    asks: [
      ['/a.own.html', 200],
      ['/b.own', 418],
    ],
  },
  'AddEncoding, RemoveEncoding': {
    config: 'AddEncoding x-gzip .gz\n<Files "*.gz.asc">\nRemoveEncoding .gz\n</Files>',
    files: { 'a.gz': '', 'a.gz.asc': '' },
    asks: [
      ['/a.gz', { status: 200, has: /^content-encoding: x-gzip$/m }],
      ['/a.gz.asc', { status: 200, lacks: /^content-encoding/m }],
    ],
  },
  'AddLanguage, DefaultLanguage': {
    config: 'AddLanguage fr .fr\nDefaultLanguage de',
    files: { 'a.html.fr': '', 'b.html': '' },
    asks: [
      ['/a.html.fr', { status: 200, has: /^content-language: fr$/m }],
      ['/b.html', { status: 200, has: /^content-language: de$/m }],
    ],
  },
  'AddType, RemoveType: also what mime.types says': {
    config: 'AddType x/y .own\nAddType x/z .txt\n<Location /r>\nRemoveType .own .txt\n</Location>',
    files: { 'a.own': '', 'a.txt': '', 'r/a.own': '', 'r/a.txt': '' },
    asks: [
      ['/a.own', { status: 200, has: /^content-type: x\/y$/m }],
      ['/r/a.own', { status: 200, lacks: /^content-type/m }],
      ['/r/a.txt', { status: 200, lacks: /^content-type/m }],
    ],
  },
  'MultiviewsMatch Handlers finds scripts, Any finds backups': {
    config: `${directory('Options MultiViews')}\nAddHandler send-as-is .own\n${directory('MultiviewsMatch Handlers', '/h')}\n${directory('MultiviewsMatch Any', '/any')}`,
    files: {
      'p.own': 'Status: 418 x\n\n',
      'h/p.own': 'Status: 418 x\nContent-Type: text/plain\n\n',
      'any/p.html.bak': 'b',
    },
    asks: [
      ['/p', 404],
      ['/h/p', 418],
      ['/any/p', 200],
    ],
  },
  'ForceLanguagePriority Fallback': {
    config: `${directory('Options MultiViews')}\nAddLanguage fr .fr\nAddLanguage de .de\nLanguagePriority de fr\nForceLanguagePriority None\n<Location /f>\nForceLanguagePriority Fallback\n</Location>`,
    files: { 'p.html.fr': '', 'p.html.de': '', 'f/p.html.fr': '', 'f/p.html.de': '' },
    asks: [
      [{ path: '/p', headers: { 'Accept-Language': 'en' } }, 406],
      [
        { path: '/f/p', headers: { 'Accept-Language': 'en' } },
        { status: 200, has: /^content-language: de$/m },
      ],
    ],
  },
  'LanguagePriority does not overrule the browser': {
    config: `${directory('Options MultiViews')}\nAddLanguage fr .fr\nAddLanguage de .de\nLanguagePriority de fr\nForceLanguagePriority Prefer Fallback`,
    files: { 'p.html.fr': '', 'p.html.de': '' },
    asks: [
      [
        { path: '/p', headers: { 'Accept-Language': 'fr' } },
        { status: 200, has: /^content-language: fr$/m },
      ],
    ],
  },

  'IndexIgnore: left out, and still fetched': {
    config: directory('Options Indexes\nIndexIgnore *.bak'),
    files: PAGE,
    asks: [
      ['/list/', { status: 200, has: /a\.html/, lacks: /b\.bak/ }],
      ['/list/b.bak', 200],
    ],
  },
  'IndexIgnoreReset: starts afresh': {
    config: `IndexIgnore *.bak\n${directory('Options Indexes\nIndexIgnoreReset On')}`,
    files: PAGE,
    asks: [['/list/', { status: 200, has: /b\.bak/ }]],
  },
  'IndexOptions HTMLTable, ScanHTMLTitles; an own description': {
    config: directory(
      'Options Indexes\nIndexOptions FancyIndexing HTMLTable ScanHTMLTitles\nAddDescription "Our text" *.bak',
    ),
    files: { 'list/a.html': '<title>The title</title>', 'list/b.bak': '', 'list/c.xhtml': '<title>Another</title>' },
    asks: [['/list/', { status: 200, has: /<table>[^]*The title[^]*Our text/ }]],
  },
  'HeaderName, ReadmeName, IndexHeadInsert': {
    config: directory('Options Indexes\nHeaderName HEAD.html\nReadmeName /foot.html\nIndexHeadInsert "<meta name=x>"'),
    files: { 'list/HEAD.html': 'above', 'foot.html': 'below', 'list/a': '' },
    asks: [['/list/', { status: 200, has: /<meta name=x>[^]*above[^]*below/ }]],
  },
  'ShowForbidden also lists what may not be opened': {
    config: `${directory('Options Indexes\nIndexOptions FancyIndexing')}\n<Files secret>\nRequire all denied\n</Files>\n${directory('IndexOptions +ShowForbidden', '/show')}`,
    files: { 'list/secret': '', 'list/a': '', 'show/secret': '' },
    asks: [
      ['/list/', { status: 200, lacks: /secret/ }],
      ['/show/', { status: 200, has: /secret/ }],
    ],
  },

  'Header: successful answers only, always for all': page(
    'Header set X-A a\nHeader always set X-B b',
    ['/', { status: 200, has: /^x-a: a$[^]*^x-b: b$|^x-b: b$[^]*^x-a: a$/m }],
    ['/no', { status: 404, has: /^x-b: b$/m, lacks: /^x-a/m }],
  ),
  'Header: the same in both tables appears twice': page('Header set X-A a\nHeader always set X-A b', [
    '/',
    { status: 200, has: /^x-a: (a, b|b, a)$/m },
  ]),
  'Header: setifempty, append, merge, edit, unset': page(
    'Header set A a\nHeader setifempty A b\nHeader append B x\nHeader append B x\nHeader set C x\nHeader merge C x\nHeader set D aa\nHeader edit D a b\nHeader set E aa\nHeader edit* E a b\nHeader set F x\nHeader unset F',
    ['/', { status: 200, has: /^a: a$[^]*^b: x, x$[^]*^c: x$[^]*^d: ba$[^]*^e: bb$/m, lacks: /^f:/m }],
  ),
  'RequestHeader early comes before conditions of SetEnvIf': page(
    'RequestHeader set X-In yes early\nSetEnvIf X-In yes SEEN\nHeader set X-Seen "%{SEEN}e"',
    ['/', { status: 200, has: /^x-seen: 1$/m }],
  ),
  'SetEnv comes too late for access control and rewriting': page(
    'SetEnv IN 1\nRewriteEngine On\nRewriteCond %{ENV:IN} 1\nRewriteRule ^ - [G]\n<Location /x.txt>\nRequire env IN\n</Location>\nHeader set X "%{IN}e"',
    ['/d/index.html', { status: 200, has: /^x: 1$/m }],
    ['/x.txt', 403],
  ),
  'SetEnvIf is early enough for both': page(
    'SetEnvIf Query_String no IN\nSetEnvIf Request_URI x IN\n<Location /x.txt>\nRequire env IN\n</Location>\n<Location /d>\nRequire env IN\n</Location>',
    ['/x.txt', 200],
    ['/d/', 403],
  ),
  'SetEnvIf: 1, a value with $1, removed': page(
    'SetEnvIf Request_URI "(x|d)" A B=$1\nSetEnvIf Request_URI d !A\nHeader set X "%{A}e %{B}e"',
    ['/x.txt', { status: 200, has: /^x: 1 x$/m }],
    ['/d/', { status: 200, has: /^x: \(null\) d$/m }],
  ),
  SetEnvIfExpr: page('SetEnvIfExpr "%{QUERY_STRING} =~ /(\\\\d+)/" N=$1\nHeader set X "%{N}e"', [
    '/?12',
    { status: 200, has: /^x: 12$/m },
  ]),
  'UnsetEnv: what SetEnvIf set remains': page(
    'SetEnvIf Request_URI . A=one\nSetEnv B two\n<Location />\nUnsetEnv A B\nHeader set X "%{A}e %{B}e"\n</Location>',
    ['/', { status: 200, has: /^x: one \(null\)$/m }],
  ),
  'BrowserMatch, BrowserMatchNoCase': page('BrowserMatch Bad A\nBrowserMatchNoCase bad B\nHeader set X "%{A}e %{B}e"', [
    { path: '/', headers: { 'User-Agent': 'BAD' } },
    { status: 200, has: /^x: \(null\) 1$/m },
  ]),
  'ExpiresDefault: not on error pages, ExpiresByType overrides it': page(
    'ExpiresActive On\nExpiresDefault A10\nExpiresByType text/plain A20',
    ['/', { status: 200, has: /max-age=10/ }],
    ['/x.txt', { status: 200, has: /max-age=20/ }],
    ['/no', { status: 404, lacks: /max-age/ }],
  ),
  'SSI: undefined variables, error message': {
    config: directory('Options Includes\nAddOutputFilter INCLUDES .shtml\nSSIUndefinedEcho "-"\nSSIErrorMsg "oops"'),
    files: { 'a.shtml': '<!--#echo var="NONE" --> <!--#nonsense -->' },
    asks: [['/a.shtml', { status: 200, has: /^- oops$/m }]],
  },
  'AddOutputFilterByType: the type is compared without its charset': page(
    'AddDefaultCharset utf-8\nAddOutputFilterByType SUBSTITUTE text/html\nSubstitute s/page/leaf/',
    ['/', { status: 200, has: /leaf/ }],
    ['/x.txt', { status: 200, has: /^text$/m }],
  ),
  'Substitute: n is plain text, i ignores case': page(
    'SetOutputFilter SUBSTITUTE\nSubstitute s/P.GE/dot/n\nSubstitute s/PAGE/leaf/i',
    ['/', { status: 200, has: /leaf/ }],
  ),
  'SubstituteMaxLineLength: a longer line aborts the response': {
    config: 'SetOutputFilter SUBSTITUTE\nSubstitute s/a/b/\nSubstituteMaxLineLength 10',
    files: { 'x.txt': 'a'.repeat(50) },
    asks: [['/x.txt', 500]],
  },

  'RewriteRule: statuses, - leaves the URL alone': page(
    'RewriteEngine On\nRewriteRule ^/r$ /x [R]\nRewriteRule ^/f$ - [F]\nRewriteRule ^/g$ - [G]\nRewriteRule ^/x\\.txt$ - [E=SEEN:1]\nHeader set X "%{SEEN}e"',
    ['/r', 302],
    ['/f', 403],
    ['/g', 410],
    ['/x.txt', { status: 200, has: /^x: 1$/m }],
  ),
  'RewriteRule in a directory sees no slash in front': {
    config: directory('RewriteEngine On\nRewriteRule ^a$ - [G]\nRewriteRule ^/b$ - [G]'),
    files: PAGE,
    asks: [
      ['/a', 410],
      ['/b', 404],
    ],
  },
  'RewriteRule: L in a .htaccess starts again, END does not': {
    config: directory('AllowOverride FileInfo\nOptions FollowSymLinks'),
    files: {
      'l/.htaccess': 'RewriteEngine On\nRewriteRule ^a$ b [L]\nRewriteRule ^b$ - [G]\n',
      'l/b': '',
      'e/.htaccess': 'RewriteEngine On\nRewriteRule ^a$ b [END]\nRewriteRule ^b$ - [G]\n',
      'e/b': '',
    },
    asks: [
      ['/l/a', 410],
      ['/e/a', 200],
    ],
  },
  'RewriteRule: the query: kept, QSA, QSD': page(
    'RewriteEngine On\nRewriteRule ^/a$ /t [R]\nRewriteRule ^/b$ /t?n [R]\nRewriteRule ^/c$ /t?n [R,QSA]\nRewriteRule ^/d$ /t [R,QSD]',
    ['/a?q', { status: 302, has: /\/t\?q$/m }],
    ['/b?q', { status: 302, has: /\/t\?n$/m }],
    ['/c?q', { status: 302, has: /\/t\?n&q$/m }],
    ['/d?q', { status: 302, has: /\/t$/m }],
  ),
  'RewriteCond: for one rule; OR; groups as $1 and %1': page(
    'RewriteEngine On\nRewriteCond %{QUERY_STRING} a(.)\nRewriteRule ^/p/(.)$ /t/$1%1 [R]\nRewriteCond %{QUERY_STRING} x [OR]\nRewriteCond %{QUERY_STRING} y\nRewriteRule ^/q$ - [G]\nRewriteRule ^/r$ - [G]',
    ['/p/1?ab', { status: 302, has: /\/t\/1b/ }],
    ['/q?y', 410],
    ['/q', 404],
    ['/r', 410],
  ),
  'RewriteEngine On in a .htaccess replaces the rules above': {
    config: directory('AllowOverride FileInfo\nOptions FollowSymLinks'),
    files: {
      '.htaccess': 'RewriteEngine On\nRewriteRule ^d/a$ - [G]\nRewriteRule ^b$ - [G]\n',
      'd/.htaccess': 'RewriteEngine On\n',
    },
    asks: [
      ['/b', 410],
      ['/d/a', 404],
    ],
  },
  'RewriteMap: int:, a default; a .htaccess may use it': {
    config: `RewriteMap up int:toupper\nRewriteMap t txt:@DOCS@/map\n${directory('AllowOverride FileInfo\nOptions FollowSymLinks')}`,
    files: {
      map: 'a one\n',
      '.htaccess': 'RewriteEngine On\nRewriteRule ^u/(.*)$ /${up:$1} [R]\nRewriteRule ^m/(.*)$ /${t:$1|none} [R]\n',
    },
    asks: [
      ['/u/ab', { status: 302, has: /\/AB$/m }],
      ['/m/a', { status: 302, has: /\/one$/m }],
      ['/m/b', { status: 302, has: /\/none$/m }],
    ],
  },
  'RewriteOptions: hosts do not inherit': page('RewriteEngine On', ['/of-the-main-server', 404]),
  'RewriteOptions Inherit: they do': page('RewriteEngine On\nRewriteOptions Inherit', ['/of-the-main-server', 410]),
  'DeflateAlterETag: -gzip': {
    config: 'SetOutputFilter DEFLATE',
    files: { 'x.html': 'a'.repeat(2000) },
    asks: [
      [
        { path: '/x.html', headers: { 'Accept-Encoding': 'gzip' } },
        {
          status: 200,
          has: /^content-encoding: gzip$[^]*^etag: (W\/)?".*-gzip"$|^etag: (W\/)?".*-gzip"$[^]*^content-encoding: gzip$/m,
        },
      ],
    ],
  },
  'mod_deflate no longer compresses a response that would become larger': {
    config: 'SetOutputFilter DEFLATE',
    files: { 'x.html': 'a' },
    asks: [
      [
        { path: '/x.html', headers: { 'Accept-Encoding': 'gzip' } },
        { status: 200, lacks: /^content-encoding/m },
      ],
    ],
  },
  'titles of .xhtml files, and descriptions': {
    config: directory(
      'Options Indexes\nIndexOptions FancyIndexing ScanHTMLTitles\nAddType application/xhtml+xml .xhtml',
    ),
    files: { 'list/c.xhtml': '<html><title>Another</title></html>' },
    asks: [['/list/', { status: 200, has: /Another/ }]],
  },
  'no-gzip: mod_deflate leaves the response alone': {
    config: 'SetOutputFilter DEFLATE\nSetEnv no-gzip 1',
    files: { 'x.html': 'a'.repeat(2000) },
    asks: [
      [
        { path: '/x.html', headers: { 'Accept-Encoding': 'gzip' } },
        { status: 200, lacks: /^content-encoding/m },
      ],
    ],
  },
  'CheckSpelling, CheckCaseOnly': {
    config: 'CheckSpelling On\n<Location /c>\nCheckSpelling On\nCheckCaseOnly On\n</Location>',
    files: { 'page.txt': '', 'c/page.txt': '' },
    asks: [
      ['/pagw.txt', 301],
      ['/c/pagw.txt', 404],
      ['/c/PAGE.txt', 301],
    ],
  },
  'RemoteIPHeader: trusted proxies, private addresses of internal ones only': page(
    'RemoteIPHeader X-Client\nRemoteIPInternalProxy 127.0.0.1\nHeader set X "expr=%{REMOTE_ADDR}"',
    [
      { path: '/', headers: { 'X-Client': '10.9.8.7' } },
      { status: 200, has: /^x: 10\.9\.8\.7$/m },
    ],
    [
      { path: '/', from: '127.0.0.2', headers: { 'X-Client': '10.9.8.7' } },
      { status: 200, has: /^x: 127\.0\.0\.2$/m },
    ],
  ),
  'RemoteIPTrustedProxy: private ones could only be made up': page(
    'RemoteIPHeader X-Client\nRemoteIPTrustedProxy 127.0.0.1\nHeader set X "expr=%{REMOTE_ADDR}"',
    [
      { path: '/', headers: { 'X-Client': '10.9.8.7' } },
      { status: 200, has: /^x: 127\.0\.0\.1$/m },
    ],
    [
      { path: '/', headers: { 'X-Client': '192.0.2.7' } },
      { status: 200, has: /^x: 192\.0\.2\.7$/m },
    ],
  ),
  'CGIVar, PATH_INFO aside: a header with an underscore is no variable for programs, and SetEnvIf and RewriteCond see it':
    {
      config: `${directory('Options Includes\nAddOutputFilter INCLUDES .shtml')}\nSetEnvIf X_Y yes SEEN\nHeader set X-Seen "%{SEEN}e"\nRewriteEngine On\nRewriteCond %{HTTP:X_Y} yes\nRewriteRule ^/gone$ - [G]`,
      files: { 'a.shtml': '[<!--#echo var="HTTP_X_Y" -->]' },
      asks: [
        [
          { path: '/a.shtml', headers: { X_Y: 'yes' } },
          { status: 200, has: /^x-seen: 1$[^]*\[\(none\)\]/m },
        ],
        [{ path: '/gone', headers: { X_Y: 'yes' } }, 410],
        [
          { path: '/a.shtml', headers: { 'X-Y': 'yes' } },
          { status: 200, has: /\[yes\]/ },
        ],
      ],
    },
  'UserDir: the star stands for the user': {
    config: 'UserDir @DOCS@/*/www',
    files: { 'bob/www/x': 'x' },
    asks: [['/~bob/x', { status: 200, has: /^x$/m }]],
  },
  'UserDir: a URL to redirect to': page('UserDir http://other.test/*/', [
    '/~bob/x',
    { status: 302, has: /^location: http:\/\/other\.test\/bob\/+x$/m },
  ]),
  'KeepAlive Off': page('KeepAlive Off', ['/', { status: 200, has: /^connection: close$/m }]),
};

/** What `httpd -t` says: of a text that is taken, or of a part of what refuses it. */
const CHECKS: readonly (readonly [text: string, refusal: RegExp | null])[] = [
  ['<Directory /x>\n<RequireNotAll>\n</RequireNotAll>\n</Directory>', /Invalid command '<RequireNotAll'/],
  ['<Directory /x>\nRequire not all denied\n</Directory>', /negative/],
  ['<Directory /x>\n<RequireNone>\nRequire all denied\n</RequireNone>\n</Directory>', /negative|no effect/],
  ['Order deny, allow', /.*/],
  ['<Directory /x>\nOrder deny, allow\n</Directory>', /order takes one argument/],
  ['SSIUndefinedEcho ""', /./],
  ['<Directory /x>\nRewriteMap a txt:/b\n</Directory>', /not allowed/],
  ['<VirtualHost *:80>\n<AuthnProviderAlias file x>\n</AuthnProviderAlias>\n</VirtualHost>', /cannot occur within/],
  ['<Directory /x>\nAuthBasicProvider nothing\n</Directory>', /Unknown Authn provider/],
  ['<IfVersion < 2.4>\nNonsense\n</IfVersion>', null],
  ['<IfVersion = 2.4>\nNonsense\n</IfVersion>', null],
  ['<IfModule mod_authz_host>\nNonsense\n</IfModule>', null],
  ['<IfModule !mod_authz_host>\nNonsense\n</IfModule>', /Nonsense/],
  ['<IfModule authz_host_module>\nNonsense\n</IfModule>', /Nonsense/],
  ['<IfDirective Require>\nNonsense\n</IfDirective>', /Nonsense/],
  ['<IfSection RequireAll>\nNonsense\n</IfSection>', /Nonsense/],
  ['<IfSection RequireNotAll>\nNonsense\n</IfSection>', null],
  ['Listen 8099\nListen 8099', /Cannot define multiple Listeners on the same IP:port/],
  ['<IfFile /no/such>\nNonsense\n</IfFile>', null],
  ['IncludeOptional /no/such/*.conf', null],
  ['Include /no/such.conf', /Could not open|No such file/],
  ['Define a b\n<IfDefine a>\nNonsense\n</IfDefine>', /Nonsense/],
  ['Define a\nUnDefine a\n<IfDefine a>\nNonsense\n</IfDefine>', null],
  ['Error "stop here"', /stop here/],
  ['DefaultType none', null],
  ['Port 80', /Port was replaced with Listen/],
  ['Use Nothing', /./],
  ['<Macro A $x>\nServerAdmin $x\n</Macro>\nUse A me@x', null],
  ['<Macro A $x>\nServerAdmin $x\n</Macro>\nUse A', /arguments/],
  ['<Macro A>\n</Macro>\nUndefMacro A\nUse A', /undefined/],
  ['SSLCompression off\n<VirtualHost *:80>\nSSLCompression off\n</VirtualHost>', null],
  ['<VirtualHost 80>\n</VirtualHost>', /Missing address/],
];

describe('what the texts about directives say, on a real httpd', function () {
  this.timeout(300_000);
  let server: Server;
  const names = Object.keys(CLAIMS);
  const hostOf = (name: string) => `c${names.indexOf(name)}.test`;

  before(async function () {
    requireHttpd(this);
    const files: Record<string, string> = { users: 'u:{SHA}UWuXg/ylF+7L0dBk2i0WUxCxl1k=\n', 'htdocs/index.html': '' };
    const hosts = names.map((name, index) => {
      for (const [file, text] of Object.entries({ 'empty/': '', ...CLAIMS[name].files }))
        files[`htdocs/c${index}/${file}`] = text;
      return `<VirtualHost *:@PORT@>\nServerName ${hostOf(name)}\nDocumentRoot "@ROOT@/htdocs/c${index}"\n${CLAIMS[name].config.replaceAll('@DOCS@', `@ROOT@/htdocs/c${index}`)}\n</VirtualHost>\n`;
    });
    server = await serve(
      `RewriteEngine On\nRewriteRule ^/of-the-main-server$ - [G]\nLogLevel crit\n${hosts.join('')}`,
      { files, modules: 'all' },
    );
  });

  after(() => server?.stop());

  for (const [name, { asks }] of Object.entries(CLAIMS)) {
    it(name, async () => {
      for (const [asked, expected] of asks) {
        const request = typeof asked === 'string' ? { path: asked } : asked;
        const response = await server.request({ ...request, headers: { Host: hostOf(name), ...request.headers } });
        const { status, has, lacks } =
          typeof expected === 'number' ? { status: expected, has: undefined, lacks: undefined } : expected;
        const text = whole(response);
        const shown = `${JSON.stringify(asked)}\n${text.slice(0, 1500)}`;
        assert.equal(response.status, status, shown);
        if (has) assert.match(text, new RegExp(has.source.replaceAll('@HOST@', hostOf(name)), has.flags), shown);
        if (lacks) assert.doesNotMatch(text, lacks, shown);
      }
    });
  }

  for (const [text, refusal] of CHECKS) {
    it(`httpd -t: ${JSON.stringify(text)}`, async () => {
      const { ok, error } = await configTest(`${text}\n`);
      assert.equal(ok, refusal === null, error?.message);
      if (refusal) assert.match(error!.message, refusal);
    });
  }
});

/** Headers, in the order of their names, and the body. */
function whole({ headers, body }: Response): string {
  return `${Object.entries(headers)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join('\n')}\n\n${body}`;
}
