/** Virtual hosts that 2.2 never used. */
import assert from 'node:assert/strict';
import { findingsInFiles, listed } from '../support/configurations';

const ROOT = '/etc/httpd/httpd.conf';
const rule = { rule: 'virtual-host-comes-alive' };
const count = (text: string) => findingsInFiles({ [ROOT]: text }, rule).get(ROOT)?.length ?? 0;

/** Two virtual hosts with these addresses. */
const hosts = (...addresses: string[]) =>
  addresses.map((address, i) => `<VirtualHost ${address}>\n  ServerName h${i}.example\n</VirtualHost>\n`).join('');

describe('virtual-host-comes-alive', () => {
  it('stands on the second host of an address that no NameVirtualHost names, in whatever file', () => {
    const name = 'NameVirtualHost *:80\n';
    const found = (files: Readonly<Record<string, string>>) => listed(files, rule);
    assert.deepEqual(found({ [ROOT]: `PidFile run/pid\n${name}${hosts('*:8080', '*:80', '*:8080', '*:8080')}` }), [
      `${ROOT}:9: warning virtual-host-comes-alive/comes-alive none`,
    ]);
    const root = 'ServerRoot /etc/httpd\nInclude a.conf\nInclude b.conf\n';
    const [a, b] = ['/etc/httpd/a.conf', '/etc/httpd/b.conf'];
    assert.deepEqual(found({ [ROOT]: root, [a]: name + hosts('*:81'), [b]: hosts('*:80', '*:81') }), [
      `${b}:4: warning virtual-host-comes-alive/comes-alive none`,
    ]);
    assert.deepEqual(found({ [ROOT]: root, [a]: name + hosts('*:80'), [b]: hosts('*:80', '*:81') }), []);
  });

  const found = (...addresses: string[]) =>
    count(`PidFile run/pid\nNameVirtualHost 192.0.2.9:9\n${hosts(...addresses)}`);
  const foundWith = (name: string, address: string) =>
    count(`PidFile run/pid\nNameVirtualHost ${name}\n${hosts(address, address)}`) > 0;

  it('compares addresses as 2.2 did', () => {
    assert.equal(found('192.0.2.1:80', '192.0.2.1:80'), 1);
    assert.equal(found('*:80', '_default_:80'), 1);
    assert.equal(found('192.0.2.1:80 192.0.2.2:80', '192.0.2.2:80 192.0.2.1:80'), 2);
    assert.equal(found('[2001:DB8::1]:80', '[2001:db8::1]:80'), 1);
    assert.equal(found('192.0.2.1:80', '192.0.2.1:81'), 0);
    assert.equal(found('192.0.2.1:80', '*:80'), 0);
    assert.equal(found('*:80 _default_:80', '*:81'), 0);
    assert.equal(found('${IP}:80', '${IP}:80'), 0);
  });

  it('takes a NameVirtualHost for one that covers the address, where it may', () => {
    for (const [name, address] of [
      ['*:80', '*:80'],
      ['*', '*:80'],
      ['*:*', '*:80'],
      ['_default_:80', '*:80'],
      ['192.0.2.1', '192.0.2.1:80'],
      ['www.example:80', '192.0.2.1:80'],
      ['${IP}', '*:80'],
    ]) {
      assert.equal(foundWith(name, address), false, `${name} ${address}`);
    }
    for (const [name, address] of [
      ['*:80', '192.0.2.1:80'],
      ['*:443', '*:80'],
      ['192.0.2.2:80', '192.0.2.1:80'],
      ['192.0.2.1:80', '*:80'],
    ]) {
      assert.equal(foundWith(name, address), true, `${name} ${address}`);
    }
  });

  const alive = (text: string) => count(text) > 0;
  const two = hosts('*:8080', '*:8080');

  it('wants to know the whole configuration', () => {
    assert.equal(alive(`PidFile run/pid\nNameVirtualHost *:80\n${two}`), true);
    assert.equal(alive(`PidFile run/pid\nNameVirtualHost *:80\nInclude more.conf\n${two}`), false, 'not here');
  });

  it('without NameVirtualHost, wants a configuration that 2.2 has read', () => {
    const of = (rest: string) => alive(`PidFile run/pid\n${two}${rest}`);
    const old = '<Directory />\nOrder deny,allow\nDeny from all\n</Directory>\n';
    assert.equal(of(''), false, 'may have been written for 2.4');
    assert.equal(of(old), true);
    assert.equal(of('LockFile logs/lock\n'), true);
    for (const line of [
      'LoadModule authz_core_module modules/mod_authz_core.so\n',
      'LoadModule mpm_event_module modules/mod_mpm_event.so\n',
      'IncludeOptional conf.d/*.conf\n',
      '<Location /a>\nRequire all denied\n</Location>\n',
      '<Location /a>\n<RequireAny>\nRequire user a\n</RequireAny>\n</Location>\n',
      '<If "true">\nServerSignature Off\n</If>\n',
    ])
      assert.equal(of(old + line), false, line);
    for (const line of [
      'LoadModule authn_alias_module modules/mod_authn_alias.so\n',
      '<Location /a>\nRequire valid-user\n</Location>\n',
    ])
      assert.equal(of(old + line), true, line);
  });

  it('counts hosts that certainly exist, and names that may', () => {
    const name = 'PidFile run/pid\nNameVirtualHost *:80\n';
    assert.equal(alive(`${name}${hosts('*:8080')}<IfDefine A>\n${hosts('*:8080')}</IfDefine>\n`), false);
    assert.equal(alive(`${name}${hosts('*:8080')}<IfVersion >= 2.4>\n${hosts('*:8080')}</IfVersion>\n`), true);
    assert.equal(alive(`${name}${hosts('*:8080')}<IfVersion < 2.4>\n${hosts('*:8080')}</IfVersion>\n`), false);
    assert.equal(alive(`${name}<IfDefine A>\nNameVirtualHost *:8080\n</IfDefine>\n${two}`), false);
    assert.equal(alive(`${name}<IfVersion < 2.4>\nNameVirtualHost *:8080\n</IfVersion>\n${two}`), true);
  });
});
