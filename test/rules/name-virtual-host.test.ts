import assert from 'node:assert/strict';
import { annotated, fixed } from '../support/rules';

const rule = { rule: 'name-virtual-host' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string) => fixed(text, { ...rule, unsafe: true });

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
#^^^^^^^^^^^^^^^^^^^ warning name-virtual-host/ignored suggestion
<IfModule mod_ssl.c>
    nAMEvIRTUALhOST 192.0.2.1:443
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning name-virtual-host/ignored suggestion
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

  it('stays where the virtual hosts are not compared', () => {
    const text = `NameVirtualHost *:80\n${hosts('*:80', '*:80')}`;
    assert.equal(fixed(text, rule), text);
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\nNameVirtualHost *:80\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
