/**
 * Texts that a reader of docs/reading.md found false or misleading: the text of these lines today
 * now, and what is not.
 */
import assert from 'node:assert/strict';
import { Engine } from '../../server/src/analysis/engine';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { findingsInFiles } from '../support/configurations';

/** What all rules say of one file by itself. */
function textOf(text: string, isHtaccess = false): string {
  const findings = new Engine({ rules: ALL_RULES }).analyze(Tree.parse(text), { isHtaccess }).findings();
  return findings.map(({ rule, message }) => `${rule.id}: ${message}`).join('\n');
}

/** What the rules about whole configurations say of a main file. */
function textOfWhole(text: string): string {
  return [...findingsInFiles({ '/etc/httpd/httpd.conf': text }).values()]
    .flat()
    .map(({ rule, message }) => `${rule.id}: ${message}`)
    .join('\n');
}

const LIMITED = '<LimitExcept GET>\nOrder deny,allow\nDeny from all\nAllow from 10.20.0.0/16\n</LimitExcept>\n';

describe('texts that were read', () => {
  it('lines of a section are no equivalent where a login of another section applies', () => {
    const login = '<Directory /srv/wiki>\nAuthType Basic\nRequire valid-user\n</Directory>\n';
    assert.match(
      textOf(`${login}<Location /api>\n${LIMITED}</Location>\n`),
      /Write these lines instead, if no other section with `Require` applies here:\n(?:.*\n)+If another section applies, put its `Require` lines and the new ones into one `<RequireAll>`\./,
    );
    assert.match(textOf(`<Location /api>\n${LIMITED}</Location>\n`), /Equivalent, in place of `<LimitExcept GET>`:/);
    const all = '<Directory /srv/a>\nOrder allow,deny\nAllow from all\n</Directory>\n';
    assert.match(
      textOf(`${login}${all}`),
      /Help: Write these lines instead, if no other section with `Require` applies here/,
    );
    assert.match(textOf(all), /equivalent: `Require all granted`/);
  });

  it('lines that deny all are no equivalent where Satisfy Any of the file can apply', () => {
    const denied = '<Files x>\nOrder allow,deny\nDeny from all\n</Files>\n';
    const text = textOf(`Require valid-user\n<Limit GET>\nSatisfy Any\n</Limit>\n${denied}`, true);
    assert.match(
      text,
      /order-allow-deny: .*\n[^]*If `Satisfy Any` of another section in this file applies here, a login can/,
    );
    assert.doesNotMatch(text, /Require all denied/);
    assert.match(textOf(`Require valid-user\n${denied}`, true), /Write these lines instead[^]*Require all denied/);
  });

  it('a later section with a login replaces the new lines in 2.4', () => {
    const lines = 'Satisfy Any\nOrder deny,allow\nAllow from all\n';
    const login = '<Location />\nAuthType Basic\nRequire valid-user\n</Location>\n';
    assert.match(
      textOf(`<Location /styles>\n${lines}</Location>\n${login}`),
      /Help: Write these lines instead:\nRequire all granted\nIn 2\.4 the last section with `Require` decides: move this section below others/,
    );
    assert.doesNotMatch(textOf(`<Directory /srv/styles>\n${lines}</Directory>\n${login}`), /the last section/);
  });

  it('lines outside of sections are a part of the section that includes the file', () => {
    const text = 'Deny from 192.0.2.1\nDeny from 192.0.2.2\n';
    assert.match(
      textOf(text),
      /A section includes this file: .* Equivalent, if that section has no other access lines:/,
    );
    assert.doesNotMatch(textOf(text, true), /section that includes/);
  });

  it('a list of addresses is an exception in the section that includes the file', () => {
    const text = textOf('Allow from 192.0.2.1\nAllow from 192.0.2.2\n');
    assert.match(text, /A section includes this file: .* write a `Require` line for each/);
    assert.doesNotMatch(text, /granted/);
    assert.match(textOf('Order deny,allow\nAllow from 192.0.2.1\n'), /Require all granted/);
  });

  it('the flag B is no help for a path, whose slashes it escapes', () => {
    const text = textOf('RewriteRule ^([^.]+)$ $1.html\n');
    assert.match(text, /UnsafeAllow3F/);
    assert.doesNotMatch(text, /`B`/);
  });

  it('a space in a query string: both codes', () => {
    assert.match(textOf('RewriteRule ^/q/(.*)$ /p.php?x=$1 [PT]\n'), /AH10410, AH10411/);
  });

  it('nothing changes in a section that 2.2 did not read', () => {
    const section = '<LocationMatch "^/[^/]+/a">\nRequire all denied\n</LocationMatch>\n';
    assert.match(textOf(section), /pattern-difference/);
    assert.doesNotMatch(textOf(`<IfVersion >= 2.4.39>\n${section}</IfVersion>\n`), /pattern-difference/);
  });

  it('versions of TLS that OpenSSL 3 refuses are no good rest of SSLProtocol', () => {
    assert.match(textOf('SSLProtocol -ALL +SSLv3 +TLSv1\n'), /Write `SSLProtocol all -SSLv3`\./);
    assert.doesNotMatch(textOf('SSLProtocol +SSLv3 +TLSv1.2\n'), /instead/);
  });

  it('what is left of SSLProtocol is named', () => {
    assert.match(
      textOf('SSLProtocol -ALL +SSLv3 +TLSv1\n'),
      /The old line without SSLv3 would allow only TLS 1\.0, and that fails with OpenSSL 3\./,
    );
    assert.match(textOf('SSLProtocol +SSLv3 +TLSv1 +TLSv1.1\n'), /only TLS 1\.0 and TLS 1\.1, and that fails/);
  });

  it('nothing changes in a virtual host that 2.2 did not read', () => {
    const host = '<VirtualHost *:80>\n<LocationMatch "^/a.b/">\nRequire all denied\n</LocationMatch>\n</VirtualHost>\n';
    assert.match(textOf(host), /pattern-difference/);
    assert.doesNotMatch(textOf(`<IfVersion >= 2.4.39>\n${host}</IfVersion>\n`), /pattern-difference/);
  });

  it('an error in <IfDefine> names the option', () => {
    const text = (not: string) => textOf(`<IfDefine ${not}APACHE1>\nRewriteLock /tmp/lock\n</IfDefine>\n`);
    assert.match(text(''), /Only an httpd that starts with `-D APACHE1` reads this line\./);
    assert.match(text('!'), /Only an httpd that starts without `-D APACHE1` reads this line\./);
    assert.doesNotMatch(textOf('RewriteLock /tmp/lock\n'), /-D/);
    assert.doesNotMatch(textOf('Define APACHE1\n<IfDefine APACHE1>\nRewriteLock /a/b\n</IfDefine>\n'), /-D/);
  });

  it('a comment behind Allow is an error also with mod_access_compat', () => {
    const text = textOf('<Location /a>\nOrder deny,allow\nDeny from all\nAllow from 192.0.2.1 # office\n</Location>\n');
    assert.match(text, /order-allow-deny: [^]*With it, the comment behind `Allow` or `Deny` is an error\./);
  });

  it('the word none: only for some clients with mutual-failure', () => {
    assert.doesNotMatch(textOf('<Location /a>\nDeny from none\n</Location>\n'), /every client/);
  });

  it('old access lines of a .htaccess file give 500, and their meaning stays', () => {
    const text = textOf('Order deny,allow\nDeny from all\n', true);
    assert.match(text, /In httpd 2\.4, requests may get 500\./);
    assert.doesNotMatch(text, /meaning changed/);
  });

  it('a line that both versions refuse does not depend on the method', () => {
    const text = textOf('<Location /a>\n<Limit GET>\nAllow from\n</Limit>\n</Location>\n');
    assert.match(text, /Neither 2\.2 nor 2\.4 accepts "Allow from" as it is\.\n[^]*Help: Write "from"/);
    assert.doesNotMatch(text, /depend on the method/);
  });

  it('a section for mod_disk_cache beside one for mod_cache_disk is not reported', () => {
    const old = '<IfModule mod_disk_cache.c>\nCacheRoot /c\n</IfModule>\n';
    const recent = '<IfModule mod_cache_disk.c>\nCacheRoot /c\n</IfModule>\n';
    assert.match(textOf(old), /ifmodule-renamed/);
    assert.doesNotMatch(textOf(old + recent), /ifmodule-renamed/);
  });

  it('Require not env: the title and the help name the section that it needs', () => {
    const [finding] = new Engine({ rules: ALL_RULES })
      .analyze(
        Tree.parse('<Location /a>\n<RequireAny>\nRequire env !OPEN\nRequire valid-user\n</RequireAny>\n</Location>\n'),
        {
          isHtaccess: false,
        },
      )
      .findings();
    assert.equal(finding.fixes[0].title, 'Write a <RequireAll> with Require not env OPEN');
    assert.match(finding.message, /`<RequireAll>`, `Require all granted`, `Require not env OPEN`, `<\/RequireAll>`/);
  });

  it('a template with lines for both versions: its variables decide', () => {
    const text =
      '<Directory /a>\n{% if old %}\nOrder allow,deny\nAllow from all\n{% else %}\nRequire all granted\n{% endif %}\n</Directory>\n';
    assert.match(textOf(text), /also has `Require` lines of 2\.4: set its variables/);
  });

  it('a section for mod_mem_cache is removed with its lines', () => {
    const text = textOf('<IfModule mod_mem_cache.c>\nMCacheSize 4096\n</IfModule>\n');
    assert.match(text, /Remove the section: /);
    assert.doesNotMatch(text, /remove only/);
  });

  it('the setting engine belongs to the PHP module alone', () => {
    const text = textOf('<Directory /srv/a>\nphp_admin_flag engine on\n</Directory>\n');
    assert.match(text, /with PHP-FPM, remove it/);
    assert.doesNotMatch(text, /pool/);
  });

  it('SSLProtocol is set where each host with TLS sets it', () => {
    const host = (lines: string) => `<VirtualHost *:443>\nSSLEngine on\n${lines}</VirtualHost>\n`;
    const server = 'ServerRoot /etc/httpd\nLoadModule ssl_module modules/mod_ssl.so\nListen 443\n';
    const lines = 'SSLProtocol all -SSLv2\nSSLCipherSuite HIGH\n';
    assert.doesNotMatch(textOfWhole(server + host(lines)), /SSLProtocol:|SSLCipherSuite/);
    assert.match(textOfWhole(server + host(lines) + host('')), /SSLProtocol:/);
    assert.match(textOfWhole(`${server}SSLEngine on\n${host(lines)}`), /SSLProtocol:/);
  });

  it('a Deny in <Limit> that has no effect is named', () => {
    const limited = '<Limit PUT>\nOrder deny,allow\nDeny from all\n</Limit>\n';
    assert.match(textOf(`Allow from all\n${limited}`, true), /Help: In 2\.2 the `Deny` in `<Limit>` has no effect/);
    assert.doesNotMatch(textOf(limited, true), /has no effect/);
  });

  it('a .htaccess file cannot set the log of mod_rewrite', () => {
    const text = textOf('RewriteLog /tmp/x\n', true);
    assert.match(text, /Help: Remove the line\. For a log, ask the administrator/);
    assert.doesNotMatch(text, /traceN`\./);
  });

  it('a RewriteLogLevel line whose log is not known shows the level to write', () => {
    assert.match(textOf('<Directory /a>\nRewriteLogLevel 9\n</Directory>\n'), /write `LogLevel rewrite:trace8`\. /);
    assert.match(textOf('<Directory /a>\nRewriteLogLevel 0\n</Directory>\n'), /Help: Remove the line: with level 0/);
  });

  it('a section that 2.4 skips with its DocumentRoot is not called one with access lines only', () => {
    const section = '<IfModule !mod_authz_core.c>\nDocumentRoot /b\n<Directory /a>\nDeny from all\n</Directory>\n';
    assert.match(textOf(`${section}</IfModule>\n`), /: 2\.4 skips its access lines and URL mappings/);
  });

  it('the handler that a host gave to PHP 5', () => {
    assert.match(textOf('AddHandler application/x-httpd-php5 .php\n', true), /a handler for PHP 5 of this host/);
    assert.doesNotMatch(textOf('AddHandler application/x-httpd-php .php\n', true), /of this host/);
  });

  it('Satisfy Any changes nothing where Allow from all admits everyone', () => {
    const section = (lines: string) =>
      `<Directory /srv/pub>\nSatisfy Any\nOrder allow,deny\nAllow from all\n${lines}</Directory>\n`;
    assert.doesNotMatch(textOf(section('')), /access-compat-differs/);
    assert.match(textOf(section('Deny from 10\n')), /access-compat-differs/);
  });
});
