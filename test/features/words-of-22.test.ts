/**
 * Error log lines of 2.2 lead to the page of 2.4's words for the same cause; and a few lines that
 * are cut or incomplete.
 */
import assert from 'node:assert/strict';
import { serverMessages } from '../../server/src/directives/messages';
import { opensslTitle, opensslRows } from '../../server/src/directives/openssl-messages';
import { WORDS_OF_22 } from '../../server/src/directives/words-of-22';
import { explain } from '../../server/src/features/explain';
import { LogReader } from '../../server/src/features/log-summary';
import { ALL_RULES } from '../../server/src/rules/all';
import { thirdPartyAdvice } from '../../server/src/rules/third-party-module';

const rules = ALL_RULES.map(({ id, title }) => ({ id, title, page: () => title }));
const options = { rules, adviceFor: thirdPartyAdvice };
const LEAD = '[Sun Mar 04 10:11:12 2012]';
const CLIENT = `${LEAD} [error] [client 192.0.2.1]`;

/** A line of 2.2, and the title of its page. */
const LINES: readonly (readonly [line: string, title: string])[] = [
  [`${CLIENT} Directory index forbidden by Options directive: /srv/www/dir/`, 'AH01276'],
  [`${LEAD} [error] server reached MaxClients setting, consider raising the MaxClients setting`, 'AH00161'],
  [
    `${LEAD} [error] server is within MinSpareThreads of MaxClients, consider raising the MaxClients setting`,
    'AH10159',
  ],
  [`${CLIENT} client denied by server configuration: /srv/www/x`, 'A denied request in a log of 2.2'],
  [`${CLIENT} user bob not found: /private`, 'AH01618'],
  [`${CLIENT} File does not exist: /srv/www/favicon.ico, referer: http://www.example.com/`, 'AH00128'],
  [`${CLIENT} (13)Permission denied: access to / denied`, 'AH00035'],
  [`${CLIENT} (13)Permission denied: access to / denied (filesystem path '/srv/www')`, 'AH00035'],
  [`${CLIENT} (13)Permission denied: access to / failed (filesystem path '/srv/www')`, 'AH00036'],
  [`${CLIENT} (13)Permission denied: file permissions deny server access: /srv/www/a.html`, 'AH00132'],
  [
    `${LEAD} [crit] [client 192.0.2.1] (13)Permission denied: /srv/www/.htaccess pcfg_openfile: unable to check htaccess file, ensure it is readable`,
    'AH00529',
  ],
  [`${CLIENT} Hostname a.example provided via SNI and hostname b.example provided via HTTP are different`, 'AH02032'],
  [`${CLIENT} Hostname a.example provided via SNI, but no hostname provided in HTTP request`, 'AH02031'],
  [`${CLIENT} No hostname was provided via SNI for a name based virtual host`, 'AH02033'],
  [
    `${LEAD} [warn] Init: Name-based SSL virtual hosts only work for clients with TLS server name indication support (RFC 4366)`,
    'Virtual hosts with TLS that share an address',
  ],
  [
    '[ssl:warn] [pid 9] AH02292: Init: Name-based SSL virtual hosts only work for clients with TLS server name indication support (RFC 4366)',
    'Virtual hosts with TLS that share an address',
  ],
  [`${CLIENT} Symbolic link not allowed: /srv/www/link`, 'AH00037'],
  [`${CLIENT} script not found or unable to stat: /srv/cgi-bin/x`, 'AH01264'],
  [`${CLIENT} attempt to invoke directory as script: /srv/cgi-bin/`, 'AH01265'],
  [`${CLIENT} Options ExecCGI is off in this directory: /srv/www/x.cgi`, 'AH01262'],
  [
    `${CLIENT} Options FollowSymLinks or SymLinksIfOwnerMatch is off which implies that RewriteRule directive is forbidden: /srv/www/`,
    'AH00670',
  ],
  [`${CLIENT} malformed header from script. Bad header=<br>: x.cgi`, "malformed header from script '…': Bad header: …"],
  [`${LEAD} [error] ap_proxy_connect_backend disabling worker for (localhost)`, 'AH00959'],
  [`${LEAD} [error] proxy: BALANCER: (balancer://c). All workers are in error state`, 'AH01170'],
  [`${LEAD} [error] proxy: BALANCER: (balancer://c). All workers are in error state for route (a)`, 'AH01167'],
  [`${LEAD} [warn] RSA server certificate CommonName (CN) \`localhost' does NOT match server name!?`, 'AH01909'],
  [`${LEAD} [error] Init: Unable to read server certificate from file /etc/ssl/x.crt`, 'AH02562'],
  [`${LEAD} [emerg] (28)No space left on device: Couldn't create accept lock (/run/accept.lock.1) (5)`, 'AH00023'],
  [`${CLIENT} (13)Permission denied: exec of '/srv/x.cgi' failed`, 'AH01241'],
  [`${LEAD} [error] SSL Proxy requested for a:443 but not enabled [Hint: SSLProxyEngine]`, 'AH01961'],
  [
    "httpd: Could not reliably determine the server's fully qualified domain name, using 192.0.2.1 for ServerName",
    'AH00558',
  ],
  [`${CLIENT} PHP Notice:  Undefined index: a in /srv/x.php on line 3`, 'PHP reports an error in a program'],
  [`${CLIENT} PHP Startup: Unable to load dynamic library 'a.so'`, 'PHP after the upgrade'],
  ['WARNING: MaxClients of 500 exceeds ServerLimit value of 256 servers,', 'AH00180'],
  ['WARNING: MaxClients (5) must be at least as large', 'AH00314'],
  ['server reached MaxClients setting, consider raising the MaxClients setting', 'AH00161'],
];

describe('lines of 2.2', () => {
  for (const [line, title] of LINES)
    it(line, () => {
      const found = explain(line, options);
      assert.ok('title' in found, line);
      assert.equal(found.title, title);
      assert.equal(found.isUnknown, undefined);
    });

  it('each of their words has a page', () => {
    const known = new Set(serverMessages().map(({ code, text }) => code ?? text));
    assert.deepEqual(
      Object.keys(WORDS_OF_22).filter((key) => !known.has(key)),
      [],
    );
  });

  it('a line with the lead of 2.4 does not get a page for words of 2.2', () => {
    const line = '[Sun Mar 04 10:11:12.123456 2024] [foo:error] [pid 9] access to the back office denied';
    const found = explain(line, options);
    assert.equal('isUnknown' in found && found.isUnknown, true);
  });
});

describe('reasons of OpenSSL', () => {
  it('each has the first page with its words', () => {
    for (const { title, words } of opensslRows())
      for (const word of words)
        assert.equal(opensslTitle(`SSL Library Error: error:0A000102:SSL routines:${word}`), title);
    assert.equal(opensslTitle('SSL Library Error: error:0A000102:SSL routines::something else'), undefined);
  });

  it('another reason leads to the general page', () => {
    const found = explain('[ssl:info] [pid 9] SSL Library Error: error:0A000001:SSL routines::something', options);
    assert.equal('title' in found && found.title, 'OpenSSL reports an error');
  });
});

describe('lines that are cut or incomplete', () => {
  const CHAIN = 'Syntax error on line 2 of /srv/h.conf: '.repeat(129);

  it('a file that includes itself, with and without the end of its message', () => {
    const reason = 'Exceeded maximum include depth of 128, There appears to be a recursion.';
    for (const line of [
      `apache2: ${CHAIN}${reason}`,
      `httpd: ${CHAIN}`.slice(0, 1024),
      `httpd: ${CHAIN}`.slice(0, 8192),
    ]) {
      const reader = new LogReader(options);
      reader.readLine(line);
      const [kind] = reader.summary().kinds;
      assert.match(kind!.title, /^Exceeded maximum include depth/, line.slice(-50));
    }
  });

  it('two errors of one .htaccess file are two kinds', () => {
    const lead = '[Sun Mar 04 10:11:12.123456 2024] [core:alert] [pid 9] [client 192.0.2.1:5] /srv/.htaccess: ';
    const reader = new LogReader(options);
    for (const words of [
      'RewriteRule: bad flag delimiters',
      "RewriteRule: unknown flag 'ZZ'",
      "RewriteRule: unknown flag 'YY'",
    ])
      reader.readLine(lead + words);
    assert.deepEqual(
      reader
        .summary()
        .kinds.map(({ count }) => count)
        .sort(),
      [1, 2],
    );
  });

  it('an error in a file that others include is not a recursion', () => {
    const found = explain(`httpd: ${CHAIN.slice(0, 390)}Invalid command 'Foo', perhaps misspelled`, options);
    assert.ok('title' in found);
    assert.match(found.title, /^Invalid command/);
  });

  it('a code without a page suggests no other codes', () => {
    for (const term of ['AH00830', 'AH09999', 'ah010033']) {
      const found = explain(term, options);
      assert.ok('suggestions' in found, term);
      assert.deepEqual(found.suggestions, []);
      assert.match(found.note ?? '', /Not every code is an error/);
    }
  });

  it('a status of OpenSSL before the code', () => {
    const line =
      '[ssl:info] [pid 9] (os 0x082d43a8)Unrecognized resolver error: [client 192.0.2.1:1] AH02008: SSL library error 1 in handshake (server a:443)';
    const found = explain(line, options);
    assert.equal('title' in found && found.title, 'AH02008');
  });
});

describe('directives that several modules have', () => {
  it('names each module', () => {
    const found = explain('TKTAuthLoginURL', options);
    assert.ok('markdown' in found);
    assert.match(found.markdown, /auth_pubtkt_module/);
    assert.match(found.markdown, /auth_tkt_module/);
  });

  it('says that the module for 2.4 does not have ShibCompatWith24', () => {
    const found = explain('ShibCompatWith24', options);
    assert.ok('markdown' in found);
    assert.match(found.markdown, /does not have it/);
  });
});
