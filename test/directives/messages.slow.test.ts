/**
 * The texts of messages.ts compared with the strings in a real server's binaries, and a few with
 * its real messages.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { directive, module } from '../../server/src/directives';
import { messageByCode, messagesIn } from '../../server/src/directives/message-search';
import { serverMessages } from '../../server/src/directives/messages';
import { ALL_RULES } from '../../server/src/rules/all';
import { configTest, requireHttpd, type Httpd } from '../httpd/harness';

/** The 2.4 patch release that brought a message. */
const SINCE: Readonly<Record<string, number>> = { AH10508: 60, AH10411: 56, AH10510: 64, AH02032: 64, AH10560: 71 };

describe('messages: lookups', () => {
  it('find a code in any form', () => {
    for (const term of ['AH01797', 'ah01797', 'AH1797', '1797', '01797', ' AH01797 '])
      assert.equal(messageByCode(term)?.code, 'AH01797', term);
    for (const term of ['', 'AH', 'AH99999', '403', 'AH0179700']) assert.equal(messageByCode(term), undefined, term);
  });

  it('find what a text speaks of', () => {
    const table: Record<string, string> = {
      '[Mon Jan 01 10:00:00 2024] [access_compat:error] [pid 1] [client 192.0.2.1:5] AH01797: client denied by server configuration: /srv/x':
        'AH01797',
      'client denied by server configuration': 'AH01797 AH01630',
      'client denied by server configuration: /srv/www/index.html': 'AH01797 AH01630',
      'Ignoring deprecated use of DefaultType in line 4 of /etc/httpd/httpd.conf.': 'AH00117',
      "configuration error:  couldn't check user: /private": 'AH00025',
      "couldn't check user": 'AH00025',
      'No MPM loaded.': 'AH00534',
      "Invalid command 'Order', perhaps misspelled or defined by a module not included in the server configuration":
        "Invalid command '…'",
      "AH00526: Syntax error on line 3 of x:\nInvalid command 'Order', perhaps misspelled": "Invalid command '…'",
      'AH00526: Syntax error on line 3 of x:': 'AH00526',
      'AH00014: Configuration check failed': 'AH00014',
      'Unknown Authz provider: Valid-User': 'Unknown Authz provider: …',
      '<RequireNone> directive has no effect in <RequireAny> directive': '… directive has no effect in … directive',
      'Require not allowed here': '… not allowed here',
      '<Limit not allowed in <VirtualHost> context': '… not allowed in … context',
      '.htaccess files are not processed': '.htaccess files are not processed',
      '403': '403 Forbidden after the upgrade',
      'hello world, how are you': '',
      x: '',
    };
    for (const [text, expected] of Object.entries(table)) {
      const found = messagesIn(text).map((message) => message.code ?? message.text);
      assert.equal(
        found.map((one) => one.replace(/^Invalid command.*/, "Invalid command '…'")).join(' '),
        expected,
        text,
      );
    }
  });

  it('name directives, modules and rules that exist, and codes once', () => {
    for (const message of serverMessages()) {
      for (const name of message.about)
        assert.ok(directive(name) ?? module(name), `${message.code ?? message.text}: ${name}`);
    }
    const ids = new Set(ALL_RULES.map(({ id }) => id));
    assert.deepEqual(
      serverMessages()
        .flatMap(({ rules }) => rules)
        .filter((id) => !ids.has(id)),
      [],
    );
    const codes = serverMessages().flatMap(({ code }) => code ?? []);
    assert.equal(new Set(codes).size, codes.length);
  });
});

describe('messages: the server’s words', () => {
  let httpd: Httpd;
  let binaries: string;

  before(function () {
    this.timeout(300_000);
    httpd = requireHttpd(this);
    const files = readdirSync(httpd.modulesDir)
      .filter((file) => file.endsWith('.so'))
      .map((file) => path.join(httpd.modulesDir, file));
    binaries = [httpd.binary, ...files]
      .map((file) => readFileSync(file, 'latin1'))
      .join('\n')
      .replace(/ {2,}/g, ' ');
  });

  it('are in its binaries, under the code that they have here', () => {
    const patch = Number(httpd.version.split('.')[2]);
    for (const { code, text, isSymptom, isOfSuexec } of serverMessages()) {
      if (isSymptom || isOfSuexec || patch < (SINCE[code ?? ''] ?? 0) || OF_WINDOWS.test(code ?? '')) continue;
      if (code) assert.ok(binaries.includes(`${code}: `), code);
      for (const piece of piecesOf(text)) assert.ok(binaries.includes(piece), `${code ?? ''} ${piece}`);
    }
  });

  /** Only the build for Windows has these (server/mpm/winnt). */
  const OF_WINDOWS = /^AH(?:00326|00331|003[34]\d|003[56]\d|00378|0041[78]|0042\d|0043[5-7]|0045[56]|02322)$/;

  /** httpd puts the words of these in by `%s`. */
  const PUT_IN = new Set(
    'AH01215 AH01241 AH01255 AH01257 AH01258 AH01262 AH01263 AH01264 AH01265 AH01266 AH02798 AH02809 AH02810 AH02811 AH02812 AH02813 AH02833 AH10108 AH10109'.split(
      ' ',
    ),
  );

  it('stand beside their code in one string', () => {
    const patch = Number(httpd.version.split('.')[2]);
    for (const { code, text, isSymptom } of serverMessages()) {
      if (isSymptom || code === undefined || patch < (SINCE[code] ?? 0)) continue;
      if (PUT_IN.has(code) || OF_WINDOWS.test(code)) continue;
      const [first = ''] = text.replaceAll('%3f', '…').split('…');
      const strings = binaries.split(`${code}: `).slice(1);
      const wanted = first.replace(/ {2,}/g, ' ').trim();
      assert.ok(
        strings.some((each) => each.split('\0', 1)[0]!.includes(wanted)),
        `${code} ${wanted}`,
      );
    }
  });

  /**
   * Fixed pieces as a format string has them; names that the server puts in by `%s` are cut away.
   */
  function piecesOf(text: string): string[] {
    return text
      .replaceAll('%3f', '…')
      .split(/…|(?<=reason: )SSL [a-z ]+|KeepAlive|SSLProtocol|FilterProvider|'shm'|(?<=takes three arguments), /)
      .map((piece) => piece.replace(/^[^A-Za-z]+|[^A-Za-z.)]+$/g, '').replace(/ {2,}/g, ' '))
      .filter((piece) => piece.length > 3);
  }

  const CONFIGS: Readonly<Record<string, string>> = {
    AH00548: 'NameVirtualHost *:80',
    AH00117: 'DefaultType text/plain',
    AH00111: 'ServerAdmin ${NoSuchVariable}',
    AH00114: '<Location "/x">\nAllowOverride None\n</Location>',
    AH00116: '<Directory "/x">\nAllowOverrideList FileInfo\n</Directory>',
    AH01624: '<Directory "/x">\n<RequireAll>\nRequire not ip 192.0.2.1\n</RequireAll>\n</Directory>',
    AH02291: 'ErrorLog "no/such/folder/x"',
    AH02297: 'CustomLog "no/such/folder/x" "%h"',
    AH10142: '<AuthzProviderAlias ip office 192.0.2.1 192.0.2.2>\n</AuthzProviderAlias>',
  };

  for (const [code, config] of Object.entries(CONFIGS)) {
    it(`${code} is what it says to: ${config.replaceAll('\n', ' ')}`, async () => {
      const { stderr } = await configTest(config);
      assert.ok(stderr.includes(code), stderr);
      assert.equal(messagesIn(stderr.split('\n').find((line) => line.includes(code))!)[0]?.code, code);
    });
  }

  const ERRORS: Readonly<Record<string, string>> = {
    'RewriteLog x': 'Invalid command',
    '<Directory "/x">\nRequire Valid-User\n</Directory>': 'Unknown Authz provider',
    '<Directory "/x">\nRequire not ip 192.0.2.1\n</Directory>': 'has no effect in',
    '<Directory "/x">\nRequire ip office.example.org\n</Directory>': 'appears to be invalid',
    '<Directory "/x">\nAllow from 192.0.2.1 # office\n</Directory>': 'No comments are allowed here',
    '<Directory "/x">\nOptions Indexes +Includes\n</Directory>': 'Either all Options',
    'KeepAlive yes': 'KeepAlive must be',
    'FilterProvider x DEFLATE resp=Content-Type $text/': 'FilterProvider takes',
    'Include "no-such-*.conf"': 'No matches for the wildcard',
    'Require all granted': 'not allowed here',
    '<VirtualHost *:80>\nRequire all granted\n</VirtualHost>': 'not allowed in … context',
    '<Directory "/x">\nProxyPass http://192.0.2.1/\n</Directory>': 'cannot occur within',
    'Mutex file:/no/such/folder default': 'Invalid Mutex directory',
    'LoadModule no_module modules/mod_no.so': 'Cannot load',
    'LoadModule no_module modules/mod_status.so': "Can't locate API module structure",
    '<Directory "/x">\nOptions Indexes,\n</Directory>': 'Illegal option',
    '<Directory "/x">\nAllowOverride FileInfo,\n</Directory>': 'Illegal override option',
    '<Directory "/x">': 'was not closed',
    '<Directory "/x">\n<Files y>\n</Directory>\n</Files>': 'but saw',
    '</Directory>': 'without matching',
    '<Location "/x">\nProxyPass /y http://192.0.2.1/\n</Location>': 'can not have a path',
    'Alias /icons': 'Alias must have two arguments',
    'ScriptAlias /cgi-bin/': 'Alias must have two arguments',
    'ProxyPass /app localhost:8080': 'URL must be absolute!',
    '<Proxy balancer://c>\nBalancerMember localhost:8080\n</Proxy>': 'URL must be absolute!',
    'ProxyPass /app http://192.0.2.1:port/': 'Unable to parse URL',
    'ProxyPass /app': 'needs a path when not defined',
    'ProxyPassReverse /app': 'ProxyPassReverse needs a path',
    'ProxyPass /app http://192.0.2.1/ timeout': 'Invalid ProxyPass',
    'BalancerMember balancer://c http://192.0.2.1 route': 'Invalid BalancerMember parameter',
    'ProxyPass /app http://192.0.2.1/ stickysession=A': 'unknown Worker hcheck parameter',
    'ProxyPass /app balancer://c/ retry=1': 'unknown Balancer parameter',
    'ProxyPass /app http://192.0.2.1/ timeout=0': 'Timeout must be at least one second',
    'ProxyPass /app http://192.0.2.1/ keepalive=yes': 'KeepAlive must be On|Off',
    '<Proxy balancer://c>\nBalancerMember http://192.0.2.1 loadfactor=0\n</Proxy>': 'LoadFactor must be',
    'BalancerMember http://192.0.2.1': 'must define remote proxy server',
    'ProxySet balancer://c nofailover=On': 'can not find',
    'ProxyTimeout 0': 'Proxy Timeout must be',
    'ProxyErrorOverride yes': 'ProxyErrorOverride first parameter',
    'ProxyVia yes': 'ProxyVia must be',
    'ProxyRemote * 192.0.2.1:3128': 'Bad syntax for a remote proxy',
    'AliasMatch ( /srv': 'Regular expression could not be compiled',
    'Redirect old /x /y': 'invalid first argument',
    'Redirect gone /x /y': 'not valid for this status',
    'Redirect /x y': 'Redirect to non-URL',
    'Redirect 301 /x': 'URL to redirect to is missing',
    'ServerRoot /no/such/directory': 'ServerRoot must be',
    'DocumentRoot /etc/passwd': 'is not a directory',
    'Include /no/such/file.conf': 'Could not open configuration file',
    'SSLCertificateFile /no/such/file.pem': 'does not exist or is empty',
    'Group no-such-group': 'bad group name',
  };

  for (const [config, text] of Object.entries(ERRORS)) {
    it(`"${text}" is what it says to: ${config.replaceAll('\n', ' ')}`, async () => {
      const { error } = await configTest(config);
      assert.ok(messagesIn(error?.message ?? '')[0]?.text.includes(text), error?.message);
    });
  }
});
