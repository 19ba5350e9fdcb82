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
    ])
      assert.deepEqual(rows(text), [], text);
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
