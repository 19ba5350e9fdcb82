/** What functions behind directives refuse (validation/refusals.ts), line by line: the server refuses the same, and takes what we take. */
import assert from 'node:assert/strict';
import { surroundings } from '../support/surroundings';
import { configTest, findHttpd, requireHttpd } from './harness';
import { modulesOf } from './mutants/compare';
import { ourErrors } from './verdict';

const REFUSED = [
  'AddIconByType (IMG,/x.gif image/*',
  'UserDir ""',
  'Listen localhost',
  'Listen [00000::2]:80',
  '<VirtualHost :*>|</VirtualHost>',
  'Listen 80 http x',
  'Listen 192.0.2.1:0',
  'Listen [::1:80',
  'Listen :80',
  '<VirtualHost 80>|</VirtualHost>',
  '<VirtualHost *:99999>|</VirtualHost>',
  '<VirtualHost>|</VirtualHost>',
  'ServerName x:0',
  'ServerName http://x:y',
  'ServerAlias x',
  'User root',
  'User #0',
  'User #x',
  'User #0x1',
  'Alias /x',
  'ScriptAlias /x ""',
  '<Location /x>|Alias /a /b|</Location>',
  'Redirect 301 /x',
  'Redirect /x y',
  'Redirect gone /x /y',
  'Redirect moved /x /y',
  'RedirectMatch "(" /y',
  '<Directory>|</Directory>',
  '<Directory /x /y>|</Directory>',
  '<Files ~ "(">|</Files>',
  '<LocationMatch "[">|</LocationMatch>',
  '<Directory /x>|<Limit>|</Limit>|</Directory>',
  '<Directory /x>|<Limit TRACE>|</Limit>|</Directory>',
  '<IfModule>|</IfModule>',
  '<IfVersion x>|</IfVersion>',
  '<IfVersion 2 4 6>|</IfVersion>',
  ...['>= 2.x', '>=2.4', '=', '2.4.6.1', '> /2/', '= /2', '>= v2.4', '.4', '!= 2-4'].map(
    (test) => `<IfVersion ${test}>|</IfVersion>`,
  ),
  'Mutex',
  'Mutex sometimes',
  'Mutex default nothing',
  'Header',
  'Header put X y',
  'Header set X',
  'Header set X y z',
  'Header unset X a b',
  'Header edit X (',
  'Header edit X ( y',
  'RequestHeader note X y',
  'RequestHeader echo X',
  'Header set X %y',
  'Header set X y env=',
  'SetEnvIf',
  'SetEnvIfNoCase',
  'BrowserMatchNoCase x',
  '<Proxy balancer://c>|BalancerMember http://x retry=-1 bogus=1|</Proxy>',
  'SetEnvIf A',
  'SetEnvIf A b',
  'BrowserMatch "(" x',
  'LogLevel verbose',
  'LogLevel warn rewrrite:trace2',
  '<Directory /x>|Require method GET ET|</Directory>',
  '<Directory /x>|Require method POSST|</Directory>',
  'ProxyPass /x http://user@:8080/',
  '<Macro a $x $x>|</Macro>',
  '<Macro a "">|</Macro>',
  'LogLevel ssl:loud',
  'SSLCipherSuite HIGH !MD5',
  'RewriteMap m int:upper',
  'BalancerMember http://x',
  '<Proxy balancer://c>|BalancerMember x=y|</Proxy>',
  '<Proxy balancer://c>|BalancerMember http://x loadfactor=0|</Proxy>',
  '<Location /x>|BalancerMember http://x|</Location>',
  'ProxyPass /x',
  'ProxyPass /x y',
  'ProxyPass /x http://x more',
  'ProxyPass /x http://x bogus=1',
  'ProxyPassMatch ( http://x',
  'ProxyPassReverse http://x',
  '<Location /x>|ProxyPassReverse /a http://x|</Location>',
  'ExpiresDefault soon',
  'ExpiresByType text/html "access plus 1 fortnight"',
  'CustomLog logs/x common x',
  'CustomLog logs/x "%"',
  'LogFormat "%y"',
  'LogFormat "%{x}"',
  'ErrorDocument 999 /x',
  'RewriteBase /x',
  '<Directory /x>|RewriteBase x|</Directory>',
  '<Directory /x>|AuthBasicProvider #|</Directory>',
  '<Directory /x>|Require ip ""|</Directory>',
  '<Directory /x>|Require method get|</Directory>',
  '<Directory /x>|Require not not ip 127.0.0.1|</Directory>',
  '<Directory /x>|Require al granted|</Directory>',
  '<Directory /x>|<RequireAny x>|Require all granted|</RequireAny>|</Directory>',
  '<Directory /x>|Dav svn|</Directory>',
  'CacheEnable disk',
  'CacheDirLength 0',
  'RequestReadTimeout header=20-40',
  'UserDir',
  'Error "stop"',
  'VirtualDocumentRoot x',
  '<Proxy *>|ProxySet x|</Proxy>',
  '<Proxy http://x more>|</Proxy>',
  '<Proxy x y=z>|</Proxy>',
  '<Proxy ~ ^http>|</Proxy>',
  '<Proxy x:y z>|</Proxy>',
  '<ProxyMatch ^http x>|</ProxyMatch>',
  'RemoteIPTrustedProxy 10.0.0.256',
  '<Directory /x>|<If true>|</If>|<Else> # x|</Else>|</Directory>',
  'SSLSessionCache nothing:x',
  '<Proxy balancer://c>|ProxySet lbmethod=nothing|</Proxy>',
  'DeflateCompressionLevel 10',
  'AllowEncodedSlashes maybe',
  'MDStoreLocks perhaps',
  'MDStoreLocks 5m',
  'MDRetryDelay 5w',
  'MDCheckInterval x',
  'MDActivationDelay "5 d"',
  'MDInitialDelay 5:',
  'MDRenewWindow 100%',
  'MDWarnWindow 5x%',
  'MDStaplingKeepResponse 5m',
  'MDStaplingRenewWindow x',
];

const TAKEN = [
  '<VirtualHost *:80>|SSLCompression off|</VirtualHost>',
  '<VirtualHost [00000:000::2]:7080>|</VirtualHost>',
  'LogLevel http:info core:info ssl_module:info mod_rewrite.c:trace1',
  '<Directory /x>|Require method VERSION-CONTROL BASELINE-CONTROL REPORT|</Directory>',
  'ProxyPass /x http://user:word@y:8080/',
  '""',
  '<Macro a $x $y>|</Macro>',
  'ProxyPassReverse /x ""',
  'User #65534',
  'User #-1',
  'Header always unset',
  'Header set "" x',
  'LogLevel warn "" loud',
  'AddIconByType (IMG,/x.gif) image/*',
  'Listen 80',
  'Listen *:81 http',
  'Listen [::]:82',
  'Listen 192.0.2.1:83',
  '<VirtualHost *>|</VirtualHost>',
  '<VirtualHost _default_:*>|ServerAlias x|</VirtualHost>',
  '<VirtualHost [2001:db8::1]:80>|</VirtualHost>',
  'ServerName http://x:8080',
  'ServerName x',
  '<Location /x>|Alias /b|</Location>',
  'Redirect /x /y',
  'Redirect gone /x',
  'Redirect 404 /x',
  'Redirect 303 /x http://y/',
  'RedirectMatch gone ^/x',
  '<Location /x>|Redirect 410|</Location>',
  '<Location /x>|Redirect /y|</Location>',
  '<Directory ~ "^/x">|</Directory>',
  '<Files ~ "\\.x$">|</Files>',
  '<IfVersion >= 2.4>|</IfVersion>',
  '<IfVersion ~ ^2\\.4>|</IfVersion>',
  ...['2..', '/2/', '= /2/', '!~ 2', '~ 2.x', '>= "2.4"', '== /2./', '2.4.'].map(
    (test) => `<IfVersion ${test}>|</IfVersion>`,
  ),
  'Mutex sem',
  'Header set X "%t %D %{Y}e %{Z}s 100%%"',
  'Header always unset X',
  'Header unset X env=!y',
  'Header edit* X a b early',
  'Header echo ^X',
  'Header note X y',
  'RequestHeader append X y early',
  'SetEnvIf A b !c d=e',
  'BrowserMatchNoCase x y',
  'LogLevel info ssl:warn rewrite:trace8',
  'SSLCipherSuite TLSv1.3 TLS_AES_256_GCM_SHA384',
  'RewriteMap m int:escape',
  'BalancerMember balancer://c http://x',
  '<Proxy balancer://c>|BalancerMember http://x loadfactor=2.5 route=a|ProxySet stickysession=X nofailover=On|</Proxy>',
  'ProxyPass /x !',
  'ProxyPass /x http://x/ nocanon retry=0',
  'ProxyPass /x unix:/run/x|http://x/',
  '<Location /x>|ProxyPass http://y/ connectiontimeout=5|ProxyPassReverse http://y/|</Location>',
  'ExpiresDefault A3600',
  'ExpiresDefault "now plus 3 w 1 d"',
  'CustomLog logs/x "%h %>s %{X}i %400,501!{Y}o %^FB" env=!x',
  'LogFormat "%% %a" n',
  'ErrorDocument 451 /x',
  '<Directory /x>|RewriteBase /x|</Directory>',
  '<Directory /x>|Require method GET PROPFIND|</Directory>',
  '<Directory /x>|<RequireAll>|Require not ip 10|Require all granted|</RequireAll>|</Directory>',
  '<Directory /x>|Dav filesystem|</Directory>',
  '<Location /x>|CacheEnable disk|</Location>',
  'RequestReadTimeout header=20-40,MinRate=500 body=0',
  'VirtualDocumentRoot none',
  'RemoteIPTrustedProxy 10.0.0.0/8',
  'MDStoreLocks 2d',
  'MDStoreLocks ON',
  'MDRetryDelay 5MIN',
  'MDCheckInterval 5sec',
  'MDRenewWindow 33%',
  'MDWarnWindow 10days',
  'MDStaplingKeepResponse 500ms',
];

/** A message without its blanks, which the log spells, and without the case of names, which it has as they were written. */
function plain(message: string): string {
  return message
    .replace(/\\[nt]/g, ' ')
    .replace(/[ \t\n]+/g, ' ')
    .trim()
    .toLowerCase();
}

describe('what functions refuse, on a real httpd', function () {
  this.timeout(600_000);

  before(function () {
    requireHttpd(this);
  });

  for (const [title, lines, isTaken] of [
    ['refused', REFUSED, false],
    ['taken', TAKEN, true],
  ] as const) {
    it(`${lines.length} ${title}: by both of us`, async () => {
      const around = surroundings({ modules: modulesOf([...findHttpd()!.loadable]) });
      const different = await Promise.all(
        lines.map(async (lines) => {
          // A bar stands for a line end, but for the one in a URL.
          const text = `${lines.replace(/\|(?!http)/g, '\n')}\n`;
          const { ok, error } = await configTest(text);
          const ours = ourErrors(text, { surroundings: around });
          // What we quote is what it says, or a part of it.
          const quotes = ours.flatMap((error) => /\(AH\d+: "([^]*?)"\)\. /.exec(error.text)?.[1] ?? []);
          const isQuoted = quotes.every((quote) => plain(error?.message ?? '').includes(plain(quote)));
          const isSame =
            isQuoted &&
            ok === isTaken &&
            (ours.length === 0) === isTaken &&
            (isTaken || error!.line === undefined || ours.some(({ line }) => line === error!.line));
          return isSame
            ? []
            : [
                `${lines}\n  the server: ${error?.message ?? 'takes it'}\n  ours: ${ours.map(({ text: said }) => said).join(' | ') || 'nothing'}`,
              ];
        }),
      );
      assert.equal(different.flat().length, 0, different.flat().join('\n'));
    });
  }
});
