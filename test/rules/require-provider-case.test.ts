import assert from 'node:assert/strict';
import { annotated, findingsIn, fixed, type Asked } from '../support/rules';

const rule = { rule: 'require-provider-case' };
const marked = (text: string, asked: Asked = {}) => annotated(text, { ...rule, ...asked });
const fix = (text: string, unsafe = false, asked: Asked = {}) => fixed(text, { ...rule, ...asked, unsafe });

describe('require-provider-case', () => {
  it('leaves lower case alone, other words, and what may be anything', () => {
    const clean =
      'Require valid-user\nREQUIRE "group" Staff\nRequire NOT ip 10\nRequire all GRANTED\nRequire Shibboleth\nRequire ${KIND} ann\nRequire\n# Require Valid-User\nRequire shib-attr User\n<Macro a $x>\nRequire IP $x\n</Macro>\n';
    assert.equal(marked(clean), clean);
    assert.equal(fix(clean, true), clean);
  });

  it('marks the word, twice in a file, in sections and containers, behind not, in quotes', () => {
    assert.equal(
      marked(
        '<Directory /a>\n  rEQUIRE  Valid-User\n  <RequireAll>\n    Require not "IP" 192.0.2.1\n  </RequireAll>\n</Directory>\n',
      ),
      `<Directory /a>
  rEQUIRE  Valid-User
#          ^^^^^^^^^^ error require-provider-case/case safe
  <RequireAll>
    Require not "IP" 192.0.2.1
#               ^^^^ error require-provider-case/case suggestion
  </RequireAll>
</Directory>
`,
    );
  });

  it('writes it in lower case, whatever follows', () => {
    assert.equal(
      fix('Require USER Ann # Joe\r\nRequire \\\r\n  ALL granted\r\n', true),
      'Require user Ann # Joe\r\nRequire \\\r\n  all granted\r\n',
    );
    assert.equal(fix('Require not "Ip" 192.0.2.1', true, { file: '.htaccess' }), 'Require not ip 192.0.2.1');
  });

  it('leaves to a person what lets somebody in whom neither version let in', () => {
    for (const line of ['ALL granted', 'IP 10', 'Host example.org', 'Env a', 'not ALL denied']) {
      const [{ fixes }] = findingsIn(`Require ${line}\n`, rule);
      assert.equal(fixes[0].safety, 'suggestion', line);
      assert.match(fixes[0].assumes!, /you want to allow clients that 2\.2 denied/);
    }
    assert.equal(fix('Require ALL Denied\n'), 'Require all Denied\n');
  });

  it('leaves to a person what 2.2 compared with case as well', () => {
    for (const name of ['LDAP-User', 'Ldap-Group', 'File-Owner', 'FILE-GROUP']) {
      assert.equal(fix(`Require ${name} x\n`), `Require ${name} x\n`);
      assert.equal(fix(`Require ${name} x\n`, true), `Require ${name.toLowerCase()} x\n`);
    }
    assert.match(findingsIn('Require LDAP-User x', rule)[0].fixes[0].assumes!, /that 2\.2 denied/);
  });

  it('leaves to a person what stood in quotes, which matched nobody in 2.2', () => {
    for (const line of ['Require "User" bob', "Require 'Valid-User'", 'Require not "GROUP" x']) {
      const [{ cause, fixes }] = findingsIn(`${line}\n`, rule);
      assert.equal(fixes[0].safety, 'suggestion', line);
      assert.match(cause!, /the quotes were part of the word/);
    }
    assert.equal(fixed('Require "User" bob\n', {}), 'Require "User" bob\n');
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfModule !mod_authz_core.c>\nRequire Valid-User\n</IfModule>\n';
    assert.equal(marked(inactive), inactive);
  });
});
