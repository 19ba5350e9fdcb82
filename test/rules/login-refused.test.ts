import assert from 'node:assert/strict';
import { annotated, findingsIn, fixed } from '../support/rules';

const rule = { rule: 'login-refused' };
const section = (lines: string) => `<Directory /srv>\n${lines}\n</Directory>\n`;

describe('login-refused', () => {
  it('finds AuthBasicAuthoritative Off, and removes it where a person says so', () => {
    const text = section('AuthType Basic\naUTHbASICaUTHORITATIVE oFF\nRequire valid-user');
    assert.match(annotated(text, rule), /\n#\^+ warning login-refused\/unknown-user suggestion\n/);
    assert.equal(fixed(text, rule), text);
    assert.equal(fixed(text, { ...rule, unsafe: true }), section('AuthType Basic\nRequire valid-user'));
  });

  it('says that 2.4 inherits the provider, where the section names none', () => {
    const helpOf = (more: string) => findingsIn(section(`AuthBasicAuthoritative Off\n${more}`), rule)[0]!.help!;
    assert.match(helpOf('AuthUserFile /p'), /2\.4 uses it here too: write `AuthBasicProvider file`/);
    assert.doesNotMatch(helpOf('AuthBasicProvider ldap file'), /outer section/);
  });

  it('finds AuthType None where nothing else decides', () => {
    assert.match(annotated(section('AuthType none'), rule), /\n#\^+ hint login-refused\/no-type none\n/);
    const beside = 'AuthType none\nRequire valid-user';
    assert.match(annotated(section(beside), rule), /\n#\^+ warning login-refused\/no-type none\n/);
    assert.equal(findingsIn('AuthType "None"\n', { ...rule, file: '.htaccess' }).length, 1);
    for (const lines of [
      'AuthType None\nRequire valid-user\nRequire all granted',
      'AuthType None\nRequire all granted',
      'AuthType None\nSatisfy Any\nAllow from all',
      'AuthType Basic',
      'AuthBasicAuthoritative On',
    ])
      assert.equal(annotated(section(lines), rule), section(lines));
  });

  it('leaves alone what another module checks', () => {
    const off = (more: string) =>
      findingsIn(`<Location /a>\nAuthBasicAuthoritative Off\nRequire valid-user\n${more}\n</Location>\n`, {
        rule: 'login-refused',
      }).length;
    assert.equal(off('AuthName x'), 1);
    for (const line of ['PythonAuthenHandler a.b', 'PerlAuthenHandler A', 'AuthExternal x', 'AuthPAM_Enabled on'])
      assert.equal(off(line), 0, line);
  });
});
