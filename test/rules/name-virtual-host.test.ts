import assert from 'node:assert/strict';
import { annotated, findingsIn, fixed } from '../support/rules';

const rule = { rule: 'name-virtual-host' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string) => fixed(text, rule);
const ids = (text: string) => findingsIn(text, rule).map(({ messageId }) => messageId);

/** Two virtual hosts with these addresses. */
const hosts = (...addresses: string[]) =>
  addresses.map((address, i) => `<VirtualHost ${address}>\n  ServerName h${i}.example\n</VirtualHost>\n`).join('');

describe('name-virtual-host: the directive', () => {
  it('leaves other lines alone, and what is an error in 2.2 already', () => {
    const clean = `# NameVirtualHost *:80\nNameVirtualHost\nNameVirtualHost *:80 *:443\nNameVirtualHosts *:80\n${hosts('*:80', '*:80')}`;
    assert.equal(marked(clean), clean);
    assert.equal(fix(clean), clean);
  });

  it('is found twice in a file, in odd case, in a conditional, and removed; a comment above stays', () => {
    assert.equal(
      marked(
        '# By name.\nNameVirtualHost *:80\n<IfModule mod_ssl.c>\n    nAMEvIRTUALhOST 192.0.2.1:443\n</IfModule>\n',
      ),
      `# By name.
NameVirtualHost *:80
#^^^^^^^^^^^^^^^^^^^ warning name-virtual-host/ignored safe
<IfModule mod_ssl.c>
    nAMEvIRTUALhOST 192.0.2.1:443
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning name-virtual-host/ignored safe
</IfModule>
`,
    );
    assert.equal(
      fix('# By name.\nNameVirtualHost *:80\n<IfModule mod_ssl.c>\n    nAMEvIRTUALhOST 192.0.2.1:443\n</IfModule>\n'),
      '# By name.\n<IfModule mod_ssl.c>\n</IfModule>\n',
    );
  });

  it('goes with its continuation, its variable, its CR LF', () => {
    assert.equal(fix('Listen 80\r\nNameVirtualHost \\\r\n  ${IP}:80\r\nTimeout 5\r\n'), 'Listen 80\r\nTimeout 5\r\n');
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\nNameVirtualHost *:80\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});

describe('name-virtual-host: hosts that come alive', () => {
  it('stands on the second host of an address that no NameVirtualHost names', () => {
    assert.equal(
      marked(`PidFile run/pid\nNameVirtualHost *:80\n${hosts('*:8080', '*:80', '*:8080', '*:8080')}`)
        .split('\n')
        .filter((row) => /Virt|name-v/.test(row))
        .join('\n'),
      `NameVirtualHost *:80
#^^^^^^^^^^^^^^^^^^^ warning name-virtual-host/ignored safe
<VirtualHost *:8080>
</VirtualHost>
<VirtualHost *:80>
</VirtualHost>
<VirtualHost *:8080>
#^^^^^^^^^^^^^^^^^^^ warning name-virtual-host/comes-alive none
</VirtualHost>
<VirtualHost *:8080>
</VirtualHost>`,
    );
  });

  const found = (...addresses: string[]) =>
    ids(`PidFile run/pid\nNameVirtualHost 192.0.2.9:9\n${hosts(...addresses)}`).filter((id) => id !== 'ignored').length;
  const foundWith = (name: string, address: string) =>
    ids(`PidFile run/pid\nNameVirtualHost ${name}\n${hosts(address, address)}`).includes('comes-alive');

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

  const alive = (text: string) => ids(text).includes('comes-alive');
  const two = hosts('*:8080', '*:8080');

  it('wants to know the whole configuration, written for 2.2', () => {
    assert.equal(alive(`PidFile run/pid\nNameVirtualHost *:80\n${two}`), true);
    assert.equal(alive(`NameVirtualHost *:80\n${two}`), false, 'a part of a configuration');
    assert.equal(
      alive(`PidFile run/pid\nNameVirtualHost *:80\nInclude more.conf\n${two}`),
      false,
      'another file may name the address',
    );
    assert.equal(alive(`PidFile run/pid\n${two}`), false, 'may have been written for 2.4');
  });

  it('counts hosts that certainly exist, and names that may', () => {
    const name = 'PidFile run/pid\nNameVirtualHost *:80\n';
    assert.equal(alive(`${name}${hosts('*:8080')}<IfDefine A>\n${hosts('*:8080')}</IfDefine>\n`), false);
    assert.equal(alive(`${name}${hosts('*:8080')}<IfVersion >= 2.4>\n${hosts('*:8080')}</IfVersion>\n`), true);
    assert.equal(alive(`${name}${hosts('*:8080')}<IfVersion < 2.4>\n${hosts('*:8080')}</IfVersion>\n`), false);
    assert.equal(alive(`${name}<IfDefine A>\nNameVirtualHost *:8080\n</IfDefine>\n${two}`), false);
    assert.equal(alive(`${name}<IfVersion < 2.4>\nNameVirtualHost *:8080\n</IfVersion>\n${two}`), true);
  });

  it('finds the second host behind thousands of others, and gives up on many addresses', () => {
    const many = (count: number) => hosts(...Array.from({ length: 3000 }, (_, i) => `192.0.2.${i % count}:80`));
    const text = (count: number) =>
      `PidFile run/pid\nNameVirtualHost *:80\n${hosts('*:8080')}${many(count)}${hosts('*:8080')}`;
    assert.equal(
      findingsIn(text(10), rule).filter(({ message }) => message.includes('<VirtualHost *:8080>')).length,
      1,
    );
    assert.equal(alive(text(40)), false);
  });

  it('has nothing left to say once the directives are gone', () => {
    assert.deepEqual(ids(fix(`PidFile run/pid\nNameVirtualHost *:80\n${hosts('*:80', '*:80')}${two}`)), []);
  });
});
