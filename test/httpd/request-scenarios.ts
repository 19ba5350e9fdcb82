/** Scenarios for test/httpd/requests.slow.test.ts: configurations with requests. */

export interface Scenario {
  readonly name: string;
  readonly config: string;
  /** Files besides FILES. */
  readonly files?: Readonly<Record<string, string>>;
  /** `METHOD /path from=ADDRESS user=NAME host=NAME Header:value` */
  readonly requests: readonly string[];
  /** Whether answers may be unknown. */
  readonly isUnknown?: true;
}

export const AROUND = 'ServerRoot "@ROOT@"\nListen 127.0.0.1:@PORT@\nDocumentRoot "@ROOT@/htdocs"\n'.replace(
  /^Listen.*\n/m,
  '',
);

/** Each user has the password `secret`. */
export const FILES: Readonly<Record<string, string>> = {
  'conf/passwd': ['ann', 'bob', 'carol'].map((name) => `${name}:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n`).join(''),
  'conf/group': 'staff: bob\nothers: carol ann\n',
  'htdocs/index.html': 'x',
  'htdocs/a/index.html': 'x',
  'htdocs/a/f.txt': 'x',
  'htdocs/a/b/index.html': 'x',
  'htdocs/a/b/f.txt': 'x',
  'htdocs/a/b/x.php': 'x',
  'htdocs/a/b/.htpasswd': 'x',
  'htdocs/c/f.txt': 'x',
  'share/doc/f.txt': 'x',
  'share/doc/index.html': 'x',
  'home/ann/www/f.txt': 'x',
};

const LOGIN = 'AuthType Basic\nAuthName x\nAuthUserFile "@ROOT@/conf/passwd"\nAuthGroupFile "@ROOT@/conf/group"\n';
const SHUT = 'Order deny,allow\nDeny from all\n';
const OPEN = 'Order allow,deny\nAllow from all\n';
const dir = (name: string, lines: string) => `<Directory "@ROOT@/${name}">\n${lines}</Directory>\n`;
const EVERYWHERE = [
  '/',
  '/a',
  '/a/',
  '/a/f.txt',
  '/a/b/f.txt',
  '/a/b/x.php',
  '/a/b/.htpasswd',
  '/c/f.txt',
  '/none',
  '/a/none/x',
];

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'directories',
    config: dir('htdocs', OPEN) + dir('htdocs/a', SHUT) + dir('htdocs/a/b', OPEN),
    requests: EVERYWHERE,
  },
  {
    name: 'addresses',
    config: dir('htdocs/a', 'Order allow,deny\nAllow from 127.0.1 127.0.2.0/24\nDeny from 127.0.1.9\n'),
    requests: ['127.0.0.1', '127.0.1.1', '127.0.1.9', '127.0.2.7'].flatMap((from) => [
      `/a/f.txt from=${from}`,
      `/c/f.txt from=${from}`,
    ]),
  },
  {
    name: 'ipv6 operands',
    config: dir('htdocs/a', 'Order deny,allow\nDeny from all\nAllow from ::1 2001:db8::/32\n'),
    requests: ['/a/f.txt', '/a/f.txt from=127.0.0.2'],
  },
  {
    name: 'files',
    config:
      '<FilesMatch "^\\.ht">\nOrder allow,deny\nDeny from all\n</FilesMatch>\n<Files "*.php">\nRequire ip 127.0.1\n</Files>\n',
    requests: [...EVERYWHERE, '/a/b/x.php from=127.0.1.1', '/a/b/x.php/info', '/a/b/.htnone'],
  },
  {
    name: 'files in directories',
    config:
      dir('htdocs/a', `<Files "f.txt">\n${SHUT}</Files>\n`) +
      dir('htdocs/a/b', `<FilesMatch "^f">\n${OPEN}</FilesMatch>\n`),
    requests: EVERYWHERE,
  },
  {
    name: 'locations',
    config: `<Location /a>\n${SHUT}</Location>\n<Location /a/b/>\n${OPEN}</Location>\n<LocationMatch "\\.php$">\nRequire ip 127.0.1\n</LocationMatch>\n`,
    requests: [...EVERYWHERE, '/a/b', '//a//f.txt', '/ab', '/a/b/x.php/y', '/%61/f.txt', '/c/../a/f.txt', '/A/f.txt'],
  },
  {
    name: 'location with wildcard',
    config: `<Location /a/*/f.txt>\n${SHUT}</Location>\n<Location "/c*">\nRequire all denied\n</Location>\n`,
    requests: EVERYWHERE,
  },
  { name: 'directory with wildcard', config: dir('htdocs/*/b', SHUT) + dir('htdocs/a', OPEN), requests: EVERYWHERE },
  {
    name: 'directory match',
    config: `<DirectoryMatch "^@ROOT@/htdocs/(a|c)/">\n${SHUT}</DirectoryMatch>\n<Directory ~ "/b/">\n${OPEN}</Directory>\n`,
    requests: EVERYWHERE,
  },
  {
    name: 'directory match of a file',
    config: `<DirectoryMatch "txt">\n${SHUT}</DirectoryMatch>\n`,
    requests: EVERYWHERE,
  },
  {
    name: 'order of stages',
    config: `<Location /a>\n${OPEN}</Location>\n<Files f.txt>\n${SHUT}</Files>\n${dir('htdocs/a', 'Require ip 127.0.1\n')}`,
    requests: [...EVERYWHERE, '/a/f.txt from=127.0.1.1'],
  },
  {
    name: 'satisfy any',
    config:
      dir('htdocs', 'AllowOverride None\n') +
      dir('htdocs/a', `${LOGIN}Require valid-user\nOrder deny,allow\nDeny from all\nAllow from 127.0.1\nSatisfy Any\n`),
    requests: ['/a/f.txt', '/a/f.txt from=127.0.1.1', '/a/f.txt user=ann', '/a/b/f.txt', '/c/f.txt'],
  },
  {
    name: 'satisfy any below',
    config:
      dir('htdocs/a', `${LOGIN}Require valid-user\nOrder deny,allow\nDeny from all\n`) +
      dir('htdocs/a/b', 'Satisfy Any\n'),
    requests: ['/a/f.txt', '/a/f.txt user=ann', '/a/b/f.txt', '/a/b/f.txt user=ann'],
  },
  {
    name: 'satisfy all below any',
    config:
      dir('htdocs/a', `${LOGIN}Require valid-user\n${SHUT}Satisfy Any\n`) +
      dir('htdocs/a/b', `Satisfy All\nAllow from all\n`),
    requests: ['/a/f.txt', '/a/f.txt user=ann', '/a/b/f.txt', '/a/b/f.txt user=ann'],
  },
  {
    name: 'groups',
    config: dir('htdocs/a', `${LOGIN}Require group staff\n`) + dir('htdocs/a/b', 'Require user ann carol\n'),
    requests: ['', ' user=ann', ' user=bob', ' user=carol'].flatMap((user) => [`/a/f.txt${user}`, `/a/b/f.txt${user}`]),
  },
  {
    name: 'limits',
    config: dir(
      'htdocs/a',
      `${LOGIN}<Limit GET>\n${SHUT}</Limit>\n<LimitExcept GET OPTIONS>\nRequire valid-user\n</LimitExcept>\n`,
    ),
    requests: ['GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'DELETE', 'FOO'].flatMap((method) => [
      `${method} /a/f.txt`,
      `${method} /a/f.txt user=ann`,
    ]),
  },
  {
    name: 'limits of Require',
    config: dir(
      'htdocs/a',
      `${LOGIN}<Limit POST>\nRequire user ann\n</Limit>\n<LimitExcept POST>\nRequire all granted\n</LimitExcept>\n`,
    ),
    requests: ['GET', 'HEAD', 'POST', 'PUT'].flatMap((method) => [
      `${method} /a/f.txt`,
      `${method} /a/f.txt user=ann`,
      `${method} /a/f.txt user=bob`,
    ]),
  },
  {
    name: 'variables of headers',
    config: `SetEnvIf X-Flag ^y$ ok\nSetEnvIfNoCase X-Flag ^n$ !ok bad\nBrowserMatch "Mozilla" moz\n${dir('htdocs/a', 'Order deny,allow\nDeny from all\nAllow from env=ok\n')}${dir('htdocs/a/b', 'Order allow,deny\nAllow from all\nDeny from env=bad\n')}${dir('htdocs/c', 'Require env moz\n')}`,
    requests: ['', ' X-Flag:y', ' X-Flag:N', ' X-Flag:yes', ' User-Agent:Mozilla/5', ' User-Agent:curl'].flatMap(
      (header) => [`/a/f.txt${header}`, `/a/b/f.txt${header}`, `/c/f.txt${header}`],
    ),
  },
  {
    name: 'variables of the request',
    config: `SetEnvIf Request_URI "^/a/b" deep\nSetEnvIf Request_Method POST post\nSetEnvIf Remote_Addr "^127\\.0\\.1\\." near\nSetEnvIf deep 1 more\nSetEnvIf X-None "^$" none\n${dir('htdocs/a', 'Order allow,deny\nAllow from env=deep\nDeny from env=post\n')}${dir('htdocs/c', 'Order deny,allow\nDeny from env=!near\n')}<Location /a/b/x.php>\nRequire env more\n</Location>\n<Location /c/none>\nOrder deny,allow\nDeny from env=none\n</Location>\n`,
    requests: [...EVERYWHERE, 'POST /a/b/f.txt', '/c/f.txt from=127.0.1.5', '/c/none from=127.0.1.5'],
  },
  {
    name: 'variables in directories',
    config: `${dir('htdocs', 'AllowOverride All\n')}${dir('htdocs/a', 'SetEnvIf X-Flag y ok\nOrder deny,allow\nDeny from all\nAllow from env=ok\n')}SetEnv set 1\n${dir('htdocs/c', 'Require env set\n')}`,
    files: { 'htdocs/a/b/.htaccess': 'SetEnvIf X-Other y ok\n' },
    requests: ['', ' X-Flag:y', ' X-Other:y'].flatMap((header) => [
      `/a/f.txt${header}`,
      `/a/b/f.txt${header}`,
      `/c/f.txt${header}`,
    ]),
  },
  {
    name: 'override none',
    config: dir('htdocs', 'AllowOverride None\n'),
    files: { 'htdocs/a/.htaccess': SHUT },
    requests: EVERYWHERE,
  },
  {
    name: 'override all',
    config: dir('htdocs', 'AllowOverride All\n') + dir('htdocs/a/b', 'AllowOverride None\n'),
    files: { 'htdocs/a/.htaccess': SHUT, 'htdocs/a/b/.htaccess': OPEN },
    requests: EVERYWHERE,
  },
  {
    name: 'override limit',
    config: dir('htdocs', 'AllowOverride Limit\n'),
    files: { 'htdocs/a/.htaccess': SHUT, 'htdocs/c/.htaccess': 'Require all granted\n' },
    requests: EVERYWHERE,
  },
  {
    name: 'override authconfig',
    config: dir('htdocs', 'AllowOverride AuthConfig\n'),
    files: {
      'htdocs/a/.htaccess': `${LOGIN}Require valid-user\n`,
      'htdocs/a/b/.htaccess': SHUT,
      'htdocs/c/.htaccess': 'Require ip 127.0.1\n',
    },
    requests: [...EVERYWHERE, '/a/f.txt user=ann', '/c/f.txt from=127.0.1.1'],
  },
  {
    name: 'override default',
    config: '',
    files: { 'htdocs/a/.htaccess': SHUT, 'htdocs/c/.htaccess': '# nothing\n' },
    requests: EVERYWHERE,
  },
  {
    name: 'override list',
    config: dir('htdocs', 'AllowOverride None\nAllowOverrideList Require Order\n'),
    files: { 'htdocs/a/.htaccess': 'Require all denied\n', 'htdocs/c/.htaccess': 'Order allow,deny\nAllow from all\n' },
    requests: EVERYWHERE,
  },
  {
    name: 'override fileinfo and options',
    config: dir('htdocs', 'AllowOverride FileInfo Options=Indexes\n'),
    files: {
      'htdocs/a/.htaccess': 'Options -Indexes\nAddType text/plain .foo\n',
      'htdocs/c/.htaccess': 'Options +ExecCGI\n',
    },
    requests: EVERYWHERE,
  },
  {
    name: 'unknown directive in htaccess',
    isUnknown: true,
    config: dir('htdocs', 'AllowOverride All\n'),
    files: {
      'htdocs/a/.htaccess': 'Nonsense on\n',
      'htdocs/c/.htaccess': '<IfModule mod_nonsense.c>\nNonsense on\n</IfModule>\nRequire all denied\n',
    },
    requests: EVERYWHERE,
  },
  {
    name: 'access file name',
    config: `AccessFileName .acl .htaccess\n${dir('htdocs', 'AllowOverride All\n')}`,
    files: { 'htdocs/a/.acl': SHUT, 'htdocs/a/.htaccess': OPEN, 'htdocs/c/.htaccess': SHUT },
    requests: EVERYWHERE,
  },
  {
    name: 'files in htaccess',
    config: dir('htdocs', 'AllowOverride All\n'),
    files: {
      'htdocs/a/.htaccess': `<Files f.txt>\n${SHUT}</Files>\n<FilesMatch "\\.php$">\n${LOGIN}Require valid-user\n</FilesMatch>\n`,
    },
    requests: [...EVERYWHERE, '/a/b/x.php user=ann'],
  },
  {
    name: 'containers',
    config: `${dir('htdocs/a', `${LOGIN}<RequireAll>\nRequire ip 127.0.1\n<RequireAny>\nRequire user ann\nRequire group staff\n</RequireAny>\n</RequireAll>\n`)}${dir('htdocs/c', '<RequireAll>\nRequire all granted\nRequire not ip 127.0.1.9\n</RequireAll>\n')}${dir('htdocs/a/b', '<RequireNone>\nRequire ip 127.0.1.9\n</RequireNone>\nRequire all granted\n'.replace(/^/, '<RequireAll>\n').replace(/$/, '</RequireAll>\n'))}`,
    requests: ['127.0.0.1', '127.0.1.1', '127.0.1.9'].flatMap((from) =>
      ['', ' user=ann', ' user=bob', ' user=carol'].flatMap((user) => [
        `/a/f.txt from=${from}${user}`,
        `/c/f.txt from=${from}${user}`,
        `/a/b/f.txt from=${from}${user}`,
      ]),
    ),
  },
  {
    name: 'merging',
    config: `${dir('htdocs/a', 'Require ip 127.0.1\n')}${dir('htdocs/a/b', 'AuthMerging And\nRequire env ok\n')}SetEnvIf X-Flag y ok\n<Location /c>\nAuthMerging Or\nRequire env ok\n</Location>\n${dir('htdocs/c', 'Require ip 127.0.1\n')}`,
    requests: ['127.0.0.1', '127.0.1.1'].flatMap((from) =>
      ['', ' X-Flag:y'].flatMap((flag) => [
        `/a/f.txt from=${from}${flag}`,
        `/a/b/f.txt from=${from}${flag}`,
        `/c/f.txt from=${from}${flag}`,
      ]),
    ),
  },
  {
    name: 'merging across walks',
    config: `${dir('htdocs/a', 'Require ip 127.0.1\n')}<Files f.txt>\nAuthMerging Or\nRequire env ok\n</Files>\n<Location /a/b>\nRequire ip 127.0.1 127.0.2\n</Location>\nSetEnvIf X-Flag y ok\n`,
    requests: ['127.0.0.1', '127.0.1.1', '127.0.2.1'].flatMap((from) =>
      ['', ' X-Flag:y'].flatMap((flag) => [
        `/a/f.txt from=${from}${flag}`,
        `/a/b/f.txt from=${from}${flag}`,
        `/a/b/x.php from=${from}${flag}`,
      ]),
    ),
  },
  {
    name: 'authtype without require',
    config: dir('htdocs/a', LOGIN) + dir('htdocs/a/b', 'AuthType None\n'),
    requests: EVERYWHERE,
  },
  {
    name: 'require without authtype',
    config: dir('htdocs/a', 'Require valid-user\n'),
    requests: [...EVERYWHERE, '/a/f.txt user=ann'],
  },
  {
    name: 'require without authname',
    config: dir('htdocs/a', 'AuthType Basic\nAuthUserFile "@ROOT@/conf/passwd"\nRequire valid-user\n'),
    requests: [...EVERYWHERE, '/a/f.txt user=ann'],
  },
  {
    name: 'old and new',
    config:
      dir('htdocs/a', SHUT) +
      dir('htdocs/a/b', 'Require all granted\n') +
      dir('htdocs/c', 'Require all denied\n') +
      `<Location /c/f.txt>\n${OPEN}</Location>\n`,
    requests: EVERYWHERE,
  },
  {
    name: 'if',
    config: `<If "%{REQUEST_URI} =~ m#^/a/b#">\nRequire ip 127.0.1\n</If>\n<ElseIf "%{HTTP:X-Flag} == 'y'">\nRequire all denied\n</ElseIf>\n<Else>\nRequire all granted\n</Else>\n${dir('htdocs/c', `<If "-n req('X-Flag')">\nRequire all denied\n</If>\n`)}`,
    requests: ['', ' X-Flag:y', ' from=127.0.1.1'].flatMap((more) =>
      ['/a/f.txt', '/a/b/f.txt', '/c/f.txt'].map((url) => url + more),
    ),
  },
  {
    name: 'expressions',
    config:
      dir('htdocs/a', `Require expr "%{REQUEST_METHOD} == 'POST' || -R '127.0.1.0/24'"\n`) +
      dir('htdocs/c', `Require expr %{HTTP_USER_AGENT} !~ /bot/i\n`),
    requests: ['/a/f.txt', 'POST /a/f.txt', '/a/f.txt from=127.0.1.7', '/c/f.txt', '/c/f.txt User-Agent:MyBot'],
  },
  {
    name: 'require local and method',
    config: dir('htdocs/a', 'Require local\n') + dir('htdocs/c', 'Require method GET\n'),
    requests: ['/a/f.txt', '/a/f.txt from=127.0.1.7', '/c/f.txt', 'HEAD /c/f.txt', 'POST /c/f.txt'],
  },
  {
    name: 'aliases',
    config: `Alias /doc/ "@ROOT@/share/doc/"\nAlias /d "@ROOT@/share/doc"\nAliasMatch "^/m/(.*)$" "@ROOT@/share/doc/$1"\nScriptAlias /cgi "@ROOT@/share"\n${dir('share', SHUT)}${dir('share/doc', OPEN)}`,
    requests: [
      '/doc/f.txt',
      '/doc',
      '/doc/',
      '/d',
      '/d/f.txt',
      '/dx',
      '/m/f.txt',
      '/m/',
      '/cgi/doc/none.txt',
      '/cgi/x',
      '/share/doc/f.txt',
    ],
  },
  {
    name: 'redirects',
    config: `Redirect /a/b http://x.test/\nRedirect gone /c\nRedirectMatch 403 "\\.php$"\nRedirect 403 /none\n${dir('htdocs', SHUT)}`,
    requests: EVERYWHERE,
  },
  {
    name: 'redirect in directory',
    config: dir('htdocs/a', 'Redirect 403 /a/f.txt\nRedirect /a/b http://x.test/\n'),
    requests: EVERYWHERE,
  },
  {
    name: 'user directories',
    config: `UserDir "@ROOT@/home/*/www"\nUserDir disabled bob\n${dir('home', SHUT)}${dir('home/*/www', OPEN)}`,
    requests: ['/~ann/f.txt', '/~ann/', '/~ann', '/~bob/f.txt', '/~none/f.txt'],
  },
  {
    name: 'virtual hosts',
    config: `<VirtualHost *:@PORT@>\nServerName a.test\nDocumentRoot "@ROOT@/htdocs/a"\n</VirtualHost>\n<VirtualHost *:@PORT@>\nServerName b.test\nServerAlias *.b.test\nDocumentRoot "@ROOT@/htdocs/c"\n${dir('htdocs/c', SHUT)}</VirtualHost>\n${dir('htdocs/a', OPEN)}`,
    requests: ['a.test', 'b.test', 'x.b.test', 'none.test', 'B.TEST'].flatMap((host) => [
      `/f.txt host=${host}`,
      `/b/f.txt host=${host}`,
    ]),
  },
  {
    name: 'host before main',
    config: `${dir('htdocs/a', SHUT)}<Location /a>\nRequire ip 127.0.1\n</Location>\n<VirtualHost *:@PORT@>\nServerName a.test\nDocumentRoot "@ROOT@/htdocs"\n${dir('htdocs/a', OPEN)}<Location /a/b>\nRequire all granted\n</Location>\n</VirtualHost>\n`,
    requests: EVERYWHERE.map((url) => `${url} host=a.test`),
  },
  {
    name: 'virtual document root',
    config: `UseCanonicalName Off\nVirtualDocumentRoot "@ROOT@/htdocs/%1"\n${dir('htdocs/c', SHUT)}`,
    requests: ['a.test', 'c.test', 'none.test'].map((host) => `/f.txt host=${host}`),
  },
  {
    name: 'rewriting',
    config: `RewriteEngine On\nRewriteRule "^/a/b/x\\.php$" - [F]\nRewriteCond %{REQUEST_METHOD} POST\nRewriteRule "^/c" - [F]\nRewriteRule "^/gone" - [G]\nRewriteRule "^/away" http://x.test/ [R,L]\n${dir('htdocs/a', 'Require ip 127.0.1\n')}`,
    requests: [...EVERYWHERE, 'POST /c/f.txt', '/gone', '/away'],
  },
  {
    name: 'rewriting in htaccess',
    config: dir('htdocs', 'AllowOverride All\nOptions FollowSymLinks\n'),
    files: {
      'htdocs/a/.htaccess':
        'RewriteEngine On\nRewriteRule "^b/x" - [F]\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteCond %{REQUEST_FILENAME} !-d\nRewriteRule "^none" - [F]\n',
    },
    requests: EVERYWHERE,
  },
  {
    name: 'rewriting unknown',
    config: `RewriteEngine On\nRewriteRule "^/c/(.*)$" /a/$1 [PT]\n${dir('htdocs/a', SHUT)}`,
    requests: EVERYWHERE,
    isUnknown: true,
  },
  {
    name: 'front controller',
    config:
      dir('htdocs', 'AllowOverride All\nOptions FollowSymLinks\n') +
      `<Location /a/index.php>\nRequire all denied\n</Location>\n`,
    files: {
      'htdocs/a/.htaccess':
        'RewriteEngine On\nRewriteBase /a/\nRewriteRule ^index\\.php$ - [L]\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteCond %{REQUEST_FILENAME} !-d\nRewriteRule . /a/index.php [L]\n',
      'htdocs/a/index.php': 'x',
    },
    requests: EVERYWHERE,
  },
  {
    name: 'options of links',
    config: dir('htdocs', 'Options None\nAllowOverride None\n'),
    requests: ['/a/f.txt', '/a/b/f.txt'],
  },
  {
    name: 'directory index',
    config: dir('htdocs', 'Options None\n') + `<Files index.html>\nRequire ip 127.0.1\n</Files>\n`,
    requests: ['/', '/a/', '/c/', '/a/b/', '/a/ from=127.0.1.1', '/c/ from=127.0.1.1', 'POST /a/', '/a'],
  },
  {
    name: 'listings',
    config:
      dir('htdocs', 'Options Indexes\n') +
      dir('htdocs/c', 'Options -Indexes\n') +
      dir('htdocs/a', 'DirectoryIndex none.html\n'),
    requests: ['/', '/a/', '/c/', '/a/b/'],
  },
  {
    name: 'macros',
    config: `<Macro Only $dir $who>\n<Directory "@ROOT@/htdocs/$dir">\nOrder deny,allow\nDeny from all\nAllow from $who\n</Directory>\n</Macro>\nUse Only a 127.0.1\nUse Only c 127.0.2\n`,
    requests: ['127.0.0.1', '127.0.1.1', '127.0.2.1'].flatMap((from) => [
      `/a/f.txt from=${from}`,
      `/c/f.txt from=${from}`,
    ]),
  },
  {
    name: 'conditions',
    config: `<IfModule !mod_authz_core.c>\n${dir('htdocs/a', SHUT)}</IfModule>\n<IfModule mod_authz_core.c>\n${dir('htdocs/a', 'Require ip 127.0.1\n')}</IfModule>\n<IfVersion < 2.4>\n${dir('htdocs/c', OPEN)}</IfVersion>\n<IfVersion >= 2.4>\n${dir('htdocs/c', 'Require all denied\n')}</IfVersion>\n<IfDefine NOPE>\n${dir('htdocs', SHUT)}</IfDefine>\nDefine SITE a/b\n${dir('htdocs/${SITE}', 'Require all granted\n')}`,
    requests: [...EVERYWHERE, '/a/f.txt from=127.0.1.1'],
  },
  {
    name: 'strange urls',
    isUnknown: true,
    config: dir('htdocs/a', SHUT) + `<Location /c>\nRequire all denied\n</Location>\n`,
    requests: [
      '/%61/f.txt',
      '/a%2ff.txt',
      '//a/f.txt',
      '/./a/f.txt',
      '/x/../a/f.txt',
      '/%2e%2e/a/f.txt',
      '/a/f.txt?x=/../c',
      '/c/',
      '//c//f.txt',
      '/c%20',
      '/%63/f.txt',
      '/a/f.txt/more',
      '/a.',
      '/a/f.TXT',
      '/c;x/f.txt',
    ],
  },
  {
    name: 'anonymous sections',
    config: `<Directory />\nAllowOverride None\nRequire all denied\n</Directory>\n${dir('htdocs', 'Require all granted\n')}<Files ~ "^\\.ht">\nRequire all denied\n</Files>\n`,
    requests: EVERYWHERE,
  },
  {
    name: 'host names',
    config: dir('htdocs/a', 'Order deny,allow\nDeny from all\nAllow from example.org\n'),
    requests: ['/a/f.txt', '/c/f.txt'],
    isUnknown: true,
  },
  {
    name: 'server status',
    config: `<Location /status>\nSetHandler none\nRequire local\n</Location>\n${dir('htdocs', 'Require ip 127.0.1\n')}`,
    requests: ['/status', '/status from=127.0.1.1', '/a/f.txt'],
  },
  {
    name: 'virtual hosts by address',
    config:
      `<VirtualHost 127.0.0.1:@PORT@>\nServerName addr.test\nDocumentRoot "@ROOT@/htdocs/a"\n<Location />\nRequire ip 127.0.2\n</Location>\n</VirtualHost>\n` +
      `<VirtualHost *:@PORT@>\nServerName star.test\nDocumentRoot "@ROOT@/htdocs"\n</VirtualHost>\n`,
    requests: ['/f.txt host=star.test', '/f.txt host=addr.test', '/f.txt host=nope.test'],
    isUnknown: true,
  },
  {
    name: 'patterns for directories and index files',
    config:
      '<DirectoryMatch "htdocs/a">\nOrder deny,allow\nDeny from all\n</DirectoryMatch>\n<DirectoryMatch "b/$">\nOrder allow,deny\nAllow from all\n</DirectoryMatch>\n',
    requests: ['/a/', '/a/b/', '/a/b/f.txt', '/a/b/index.html'],
  },
  {
    name: 'rules of a directory and the rest of the path',
    config: dir('htdocs', 'AllowOverride FileInfo\n'),
    files: { 'htdocs/d/.htaccess': 'RewriteEngine On\nRewriteRule ^hidden/ - [F,L]\n', 'htdocs/d/f.txt': 'x' },
    requests: ['/d/hidden/x', '/d/hidden', '/d/f.txt', '/d/f.txt/hidden/'],
  },
  {
    name: 'substitutions in the server',
    config: `RewriteEngine on\nRewriteRule ^/go/(.*)$ /a/$1\nRewriteRule ^/a/b/(.*)$ /c/$1 [L]\nRewriteRule ^/(x)(y)$ /$2/$1 [L]\n${dir('htdocs/a', SHUT)}<Location /a>\nRequire ip 127.0.1\n</Location>\n`,
    requests: ['/go/f.txt', '/go/b/f.txt', '/a/f.txt', '/a/b/f.txt', '/xy', '/c/f.txt'],
  },
  {
    name: 'listings and methods',
    config: dir('htdocs', 'Options None\n') + dir('htdocs/e', 'DirectorySlash Off\nOptions Indexes\n'),
    files: { 'htdocs/d/x.txt': 'x', 'htdocs/e/x.txt': 'x' },
    requests: ['/d/', 'HEAD /d/', 'POST /d/', 'OPTIONS /d/', '/d', '/e', '/e/', 'POST /e'],
  },
  {
    name: 'FallbackResource',
    config: `${dir('htdocs', 'FallbackResource /index.html\n')}${dir('htdocs/c', 'FallbackResource disabled\n')}<Files "index.html">\nRequire ip 127.0.1\n</Files>\n`,
    requests: ['/none', '/none from=127.0.1.1', '/c/none', '/a/f.txt', '/a/none', '/a/f.txt/none', 'POST /none'],
  },
  {
    name: 'paths that httpd refuses',
    config: dir('htdocs', SHUT),
    requests: ['/a%2ff.txt', '/c%00', '/%zz', '/a/%2e/f.txt', '/x/../../a'],
  },
  {
    name: 'logins without a password file',
    config:
      dir('htdocs/a', 'AuthType Basic\nAuthName x\nRequire valid-user\n') +
      dir('htdocs/c', 'AuthType Basic\nAuthName x\nAuthUserFile "@ROOT@/conf/none"\nRequire valid-user\n'),
    requests: ['/a/f.txt', '/a/f.txt user=ann', '/c/f.txt', '/c/f.txt user=ann'],
    isUnknown: true,
  },
  {
    name: 'methods keep their case',
    config:
      dir('htdocs/a', `<Limit POST>\n${SHUT}</Limit>\n`) +
      dir('htdocs/c', `<LimitExcept GET>\n${SHUT}</LimitExcept>\n`),
    requests: ['POST /a/f.txt', 'post /a/f.txt', 'GET /c/f.txt', 'get /c/f.txt', 'get /'],
  },
  {
    name: 'rules that pass URLs through',
    config: `Alias /doc "@ROOT@/share/doc"\nRewriteEngine On\nRewriteRule ^/books/(.*) /doc/$1 [PT]\nRewriteRule ^/others/(.*) /doc/$1\n${dir('share/doc', 'Require ip 127.0.1\n')}<Location /doc/index.html>\n${SHUT}</Location>\n`,
    requests: ['/books/f.txt', '/books/f.txt from=127.0.1.1', '/books/index.html from=127.0.1.1', '/others/f.txt'],
  },
  {
    name: 'rules that ask another server',
    config: `RewriteEngine On\nRewriteRule ^/px/(.*) http://127.0.0.1:9/$1 [P]\nRewriteRule ^/py/(.*) http://127.0.0.1:9/open/$1 [P]\n<Proxy "http://127.0.0.1:9/secret">\n${SHUT}</Proxy>\n`,
    requests: ['/px/a', '/px/secret/x', '/py/secret'],
  },
  {
    name: 'rules with references in directories',
    config: `${dir('htdocs', 'AllowOverride All\n')}${dir('htdocs/c', SHUT)}`,
    files: {
      'htdocs/.htaccess':
        'RewriteEngine On\nRewriteRule ^p/(.*)$ c/$1 [L]\nRewriteRule ^q/([a-z]+)$ /a/$1.txt [L]\nRewriteRule ^e/(.*)$ a/$1 [END]\nRewriteRule ^a/(.*)\\.bak$ - [F]\n',
      'htdocs/d/.htaccess': 'RewriteEngine On\nRewriteRule ^(.*)$ x/$1 [L]\n',
      'htdocs/g/.htaccess':
        'RewriteEngine On\nRewriteBase /a/\nRewriteRule ^(.*)\\.x$ b/$1.php\nRewriteRule ^b/n - [F]\n',
    },
    requests: ['/p/f.txt', '/q/f', '/e/x.bak', '/a/x.bak', '/d/f.txt', '/g/x.x', '/g/n.x'],
  },
  {
    name: 'rules of directories need links',
    config: dir('htdocs', 'AllowOverride All\nOptions None\n'),
    files: {
      'htdocs/a/.htaccess': 'RewriteEngine On\nRewriteRule ^none$ - [F]\n',
      'htdocs/c/.htaccess': 'RewriteEngine Off\nRewriteRule ^none$ - [F]\n',
    },
    requests: ['/a/f.txt', '/a', '/c/f.txt'],
  },
  {
    name: 'conditions, chains, rounds and variables of rules',
    config: `RewriteEngine On\nRewriteCond %{HTTP_HOST} ^(?:www\\.)?(.+)\\.test [NC]\nRewriteRule ^/h/(.*)$ /%1/$1\nRewriteRule ^/x$ /y [C]\nRewriteRule ^/y$ /a/f.txt [L]\nRewriteRule ^/n/(.*)x(.*)$ /n/$1y$2 [N]\nRewriteRule ^/n/yy$ - [F]\nRewriteCond %{HTTP:X-Pass} =open\nRewriteRule .* - [E=pass:1]\n${dir('htdocs/a', 'Order deny,allow\nDeny from all\nAllow from env=pass\n')}`,
    requests: [
      '/h/f.txt host=www.a.test',
      '/h/f.txt host=c.test',
      '/x',
      '/y',
      '/n/xx',
      '/n/xa',
      '/a/f.txt',
      '/a/f.txt X-Pass:open',
    ],
  },
  {
    name: 'rules of directories are inherited on demand',
    config: dir('htdocs', 'AllowOverride All\nRewriteEngine On\nRewriteRule secret - [F]\n'),
    files: {
      'htdocs/a/.htaccess': 'RewriteEngine On\nRewriteRule foo - [G]\n',
      'htdocs/c/.htaccess': 'RewriteOptions Inherit\nRewriteRule foo - [G]\n',
      'htdocs/d/.htaccess': 'RewriteRule x - [F]\n',
    },
    requests: ['/a/secret', '/c/secret', '/e/secret', '/d/x', '/c/foo'],
  },
  {
    name: 'operators of expressions',
    config:
      dir('htdocs/a', 'Require expr "%{HTTP:X-N} -ge 3 && %{HTTP:X-N} -lt 10"\n') +
      dir('htdocs/c', "Require expr \"%{HTTP:X-N} -in {'1','2'}\"\n") +
      `<If "%{REQUEST_URI} -strmatch '/a/*php'">\nRequire all denied\n</If>\n`,
    requests: ['/a/f.txt X-N:3', '/a/f.txt X-N:10', '/c/f.txt X-N:2', '/c/f.txt X-N:3', '/a/b/x.php X-N:3'],
  },
  {
    name: 'scripts without ExecCGI',
    config: `${dir('htdocs/a', 'AddHandler cgi-script .php\n')}${dir('htdocs/c', 'AddHandler cgi-script .txt\nRemoveHandler .txt\n')}`,
    requests: ['/a/b/x.php', '/a/none.php', '/a/f.txt', '/c/f.txt', 'OPTIONS /a/b/x.php'],
  },
  {
    name: 'SSLRequire without TLS',
    config: dir('htdocs/a', 'SSLRequire %{REMOTE_ADDR} eq "127.0.0.4"\n') + dir('htdocs/c', 'SSLRequireSSL\n'),
    requests: ['/a/f.txt', '/c/f.txt'],
  },
  {
    name: 'logins that are not enough with 403',
    config: dir('htdocs/a', `${LOGIN}AuthzSendForbiddenOnFailure On\nRequire user ann\n`),
    requests: ['/a/f.txt', '/a/f.txt user=ann', '/a/f.txt user=bob'],
  },
  {
    name: 'encoded slashes that stay',
    config: `AllowEncodedSlashes NoDecode\n<Location /a/>\n${SHUT}</Location>\n`,
    requests: ['/a%2ff.txt', '/a/x%2Fy', '/c/f.txt'],
  },
  {
    name: 'slashes at the beginning',
    config: `MergeSlashes Off\n<LocationMatch ^/a/f>\n${SHUT}</LocationMatch>\n`,
    requests: ['//a/f.txt', '///a/f.txt', '/a//f.txt'],
  },
  {
    name: 'TRACE is answered before access control',
    config: `TraceEnable off\n<Location />\n${SHUT}</Location>\n`,
    requests: ['TRACE /', 'TRACE /a/f.txt', '/'],
  },
  {
    name: 'alias and redirect of a whole location',
    config:
      '<Location /q>\nAlias "@ROOT@/share/doc/f.txt"\n</Location>\n' +
      '<Location /kept>\nAliasPreservePath On\nAlias "@ROOT@/share"\n</Location>\n' +
      dir('share/doc', 'Require ip 127.0.1\n') +
      '<Location /c>\nRedirect 301 http://other.test/\nRequire all denied\n</Location>\n' +
      '<Location /a/b>\nRedirect 403\n</Location>\n<Location /home>\nRedirect /a/b/x\nRequire all denied\n</Location>\n' +
      dir('htdocs/a', 'Redirect gone\nRequire ip 127.0.1\n'),
    requests: [
      '/q',
      '/q/f.txt from=127.0.1.1',
      '/kept/doc/f.txt',
      '/kept/doc/f.txt from=127.0.1.1',
      '/c/f.txt',
      '/a/b/f.txt from=127.0.1.1',
      '/home/x',
      '/a/f.txt',
      '/a/f.txt from=127.0.1.1',
    ],
  },
];
