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
      /Equivalent, if no `Require` line of another/,
    );
    assert.match(textOf(`<Location /api>\n${LIMITED}</Location>\n`), /Equivalent:/);
    const all = '<Directory /srv/a>\nOrder allow,deny\nAllow from all\n</Directory>\n';
    assert.match(textOf(`${login}${all}`), /Help: Equivalent, if no `Require` line of another/);
    assert.match(textOf(all), /equivalent: `Require all granted`/);
  });

  it('lines outside of sections are a part of the section that includes the file', () => {
    const text = 'Deny from 192.0.2.1\nDeny from 192.0.2.2\n';
    assert.match(textOf(text), /Equivalent, if the section that includes this file has no other access lines:/);
    assert.doesNotMatch(textOf(text, true), /section that includes/);
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
    assert.match(textOf('SSLProtocol -ALL +SSLv3 +TLSv1\n'), /write `all -SSLv3` instead/);
    assert.doesNotMatch(textOf('SSLProtocol +SSLv3 +TLSv1.2\n'), /instead/);
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
});
