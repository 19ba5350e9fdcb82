/** The rule about logins that use other providers in 2.4: which sections, and which fix. */
import assert from 'node:assert/strict';
import { fixedFiles, listed, type Files } from '../support/configurations';

const ROOT = '/etc/httpd/conf/httpd.conf';
const rule = { rule: 'login-provider-inherited' };
const OUTER = '<Directory /srv>\nAuthBasicProvider anon\n</Directory>\n';
const rows = (files: Files | string) =>
  listed(typeof files === 'string' ? { [ROOT]: files } : files, rule).map((row) =>
    row.replace('/etc/httpd/conf/', '').replace('login-provider-inherited/', ''),
  );
const section = (tag: string, lines: string) => `<${tag}>\n${lines}\n</${tag.split(' ')[0]}>\n`;

describe('login-provider-inherited', () => {
  it('reports a section that inherits providers', () => {
    const inner = section('Directory /srv/staff', 'AuthUserFile /p\nAuthBasicAuthoritative On');
    assert.deepEqual(rows(OUTER + inner), ['httpd.conf:6: error inherited suggestion']);
    assert.deepEqual(rows(inner + OUTER), ['httpd.conf:3: error inherited suggestion']);
    assert.deepEqual(rows(OUTER.replace('anon', 'file ldap') + inner), ['httpd.conf:6: warning inherited suggestion']);
    assert.deepEqual(rows({ [ROOT]: `${OUTER}Include a.conf\n`, '/etc/httpd/a.conf': inner }), [
      '/etc/httpd/a.conf:3: error inherited suggestion',
    ]);
    assert.equal(rows(OUTER + section('Location /staff', 'AuthBasicAuthoritative Off')).length, 1);
    assert.equal(rows(OUTER + section('VirtualHost *:80', inner)).length, 1);
  });

  it('is silent where the providers are the same in both versions', () => {
    for (const text of [
      OUTER,
      OUTER + section('Directory /srv/staff', 'AuthBasicProvider file\nAuthBasicAuthoritative On'),
      OUTER + section('Directory /srv/staff', 'AuthUserFile /p'),
      OUTER + section('Directory /home', 'AuthBasicAuthoritative On'),
      OUTER.replace('anon', 'file') + section('Directory /srv/staff', 'AuthBasicAuthoritative On'),
      section('Location /', 'AuthBasicProvider anon') + section('Directory /srv', 'AuthBasicAuthoritative On'),
      section('VirtualHost *:80', OUTER) +
        section('VirtualHost *:81', section('Directory /srv', 'AuthBasicAuthoritative On')),
      section('Directory /srv', 'AuthBasicProvider anon\nAuthBasicAuthoritative On'),
      section('Directory /srv', 'AuthBasicAuthoritative On') + OUTER,
      OUTER +
        section('Directory /srv/staff', 'AuthBasicProvider file') +
        section('Directory /srv/staff/a', 'AuthBasicAuthoritative On'),
    ])
      assert.deepEqual(rows(text), [], text);
  });

  it('knows .htaccess files that may contain the lines', () => {
    const main = (override: string) =>
      `DocumentRoot /srv\n<Directory />\nAllowOverride ${override}\n</Directory>\n${OUTER}`;
    const at = (override: string, folder: string, text: string) =>
      rows({ [ROOT]: main(override), [`${folder}/.htaccess`]: text });
    const found = ['/srv/staff/.htaccess:1: error inherited suggestion'];
    assert.deepEqual(at('All', '/srv/staff', 'AuthBasicAuthoritative On\n'), found);
    assert.deepEqual(at('AuthConfig', '/srv/staff', 'AuthBasicAuthoritative On\n'), found);
    assert.deepEqual(at('Limit', '/srv/staff', 'AuthBasicAuthoritative On\n'), []);
    assert.deepEqual(at('All', '/srv/staff', 'AuthBasicAuthoritative On\nAuthBasicProvider file\n'), []);
    const outside = main('All').replace(OUTER, section('Directory /srv/staff', 'AuthBasicAuthoritative On'));
    const anon = { '/srv/.htaccess': 'AuthBasicProvider anon\n' };
    assert.deepEqual(rows({ [ROOT]: outside, ...anon }), ['httpd.conf:6: error inherited suggestion']);
    assert.deepEqual(
      rows({ [ROOT]: main('All').replace(OUTER, ''), ...anon, '/srv/staff/.htaccess': 'AuthBasicAuthoritative On\n' }),
      found,
    );
  });

  it('knows lines of macros, and has no fix for them', () => {
    const macro = '<Macro M $x>\nAuthBasicAuthoritative $x\n</Macro>\n';
    const uses = section('Directory /srv/a', 'Use M On') + section('Directory /srv/b', 'Use M On');
    assert.deepEqual(rows(macro + OUTER + uses), ['httpd.conf:2: error inherited none']);
    const outer = `<Macro M $x>\nAuthBasicProvider $x\n</Macro>\n${section('Directory /srv', 'Use M anon')}`;
    const inner = section('Directory /srv/staff', 'AuthBasicAuthoritative On');
    assert.deepEqual(rows(outer + inner), ['httpd.conf:8: error inherited suggestion']);
  });

  it('compares what each version reads', () => {
    const only = (version: string, line: string) => section(`IfVersion ${version}`, line).trimEnd();
    const inner = (lines: string) => OUTER + section('Directory /srv/staff', lines);
    // 2.2 has the provider file, and 2.4 inherits another.
    const file = only('< 2.4', 'AuthBasicProvider file');
    assert.deepEqual(rows(inner(file)), ['httpd.conf:6: error inherited none']);
    assert.deepEqual(rows(inner(`AuthBasicAuthoritative On\n${file}`)), ['httpd.conf:5: error inherited suggestion']);
    assert.deepEqual(rows(inner(only('< 2.4', 'AuthBasicAuthoritative On'))), ['httpd.conf:6: error inherited none']);
    // Both inherit, or both ask the file.
    assert.deepEqual(rows(inner(only('>= 2.4', 'AuthBasicAuthoritative On'))), []);
    assert.deepEqual(rows(inner(`AuthBasicAuthoritative On\n${only('>= 2.4', 'AuthBasicProvider file')}`)), []);
    assert.deepEqual(
      rows(inner('AuthBasicAuthoritative On').replace(/AuthBasicProvider anon/, only('< 2.4', '$&'))),
      [],
    );
    assert.equal(
      rows(inner('AuthBasicAuthoritative On').replace(/AuthBasicProvider anon/, only('>= 2.4', '$&'))).length,
      1,
    );
    assert.deepEqual(rows(OUTER + only('< 2.4', inner('AuthBasicAuthoritative On').replace(OUTER, '').trimEnd())), []);
  });

  it('names the provider that 2.2 uses', () => {
    const inner = section('Directory /srv/staff', '  AuthBasicAuthoritative On');
    const files = { [ROOT]: OUTER + inner };
    assert.deepEqual(fixedFiles(files, rule), files);
    assert.deepEqual(fixedFiles(files, { ...rule, unsafe: true }), {
      [ROOT]: OUTER + section('Directory /srv/staff', '  AuthBasicProvider file\n  AuthBasicAuthoritative On'),
    });
  });
});
