import assert from 'node:assert/strict';
import { annotated, findingsIn, fixed, type Asked } from '../support/rules';

const rule = { rule: 'require-mixed-modules' };
const marked = (text: string, asked: Asked = {}) => annotated(text, { ...rule, ...asked });
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });
const dir = (body: string) => `<Directory /srv>\n${body}</Directory>\n`;

describe('require-mixed-modules', () => {
  it('leaves lines of one module alone, and what was written for 2.4', () => {
    for (const body of [
      'Require user ann\nRequire valid-user\n',
      'Require group a\nRequire group b\n',
      'Require ldap-user a\nRequire ldap-group b\n',
      'Require file-owner\nRequire file-group\n',
      '# Require group a\nRequire user b\n',
      'Require user ann\nRequire group a\nRequire ip 10\n',
      '<RequireAny>\nRequire user ann\nRequire group a\n</RequireAny>\n',
      'Require user ann\nRequire group a\nAuthMerging Or\n',
      'Require user ${A}\nRequire group a\n',
      'Require user ann\n<Files x>\nRequire group a\n</Files>\n',
      '<Limit GET>\nRequire user ann\n</Limit>\n<Limit POST>\nRequire group a\n</Limit>\n',
      'Require user ann\n<IfDefine A>\nRequire group a\n</IfDefine>\n',
      'Require user ann\nRequire shib-session\n',
    ]) {
      assert.equal(marked(dir(body)), dir(body));
    }
  });

  it('leaves alone what Authoritative Off made alternatives of in 2.2, and only that', () => {
    const lines = 'Require user ann\nRequire group a\n';
    const both = dir(`${lines}AuthzUserAuthoritative Off\nAuthzGroupFileAuthoritative off\n`);
    assert.equal(marked(both), both);
    assert.equal(findingsIn(dir(`${lines}AuthzUserAuthoritative Off\n`), rule).length, 1);
    assert.equal(
      findingsIn(dir(`${lines}AuthzUserAuthoritative On\nAuthzGroupFileAuthoritative On\n`), rule).length,
      1,
    );
  });

  it('leaves lines alone about which mod_shib decides', () => {
    const lines = 'Require user ann\nRequire group a\n';
    for (const more of ['AuthType shibboleth\n', 'AUTHTYPE "Shibboleth"\n', 'ShibRequireAll On\n'])
      assert.equal(marked(dir(more + lines)), dir(more + lines));
    assert.equal(findingsIn(dir(`AuthType Kerberos\n${lines}`), rule).length, 1);
  });

  it('knows which module 2.2 asked first', () => {
    const ldap = 'Require ldap-group cn=x\nRequire valid-user\n';
    for (const off of ['AuthzLDAPAuthoritative off\n', 'authzldapauthoritative OFF\nAuthzUserAuthoritative on\n'])
      assert.equal(marked(dir(ldap + off)), dir(ldap + off));
    const files = 'Require file-owner\nRequire group a\nAuthzOwnerAuthoritative Off\n';
    assert.equal(marked(dir(files)), dir(files));
    const titles = (body: string) =>
      findingsIn(dir(body), rule).flatMap(({ fixes }) => fixes.map(({ title }) => title));
    assert.deepEqual(titles(ldap), ['Keep only the Require lines about LDAP']);
    assert.deepEqual(titles(`${ldap}AuthzUserAuthoritative Off\n`), ['Keep only the Require lines about LDAP']);
    // Where the module for groups came first, it left the request to the other; where it came
    // second, it was not asked.
    assert.deepEqual(titles('Require user ann\nRequire group a\nAuthzGroupFileAuthoritative Off\n'), [
      'Keep only the Require lines about users',
    ]);
  });

  it('marks the first line of the second module, in each section, in odd case, continued, with CR LF', () => {
    assert.equal(
      marked(
        dir(
          '  rEQUIRE USER ann\r\n  <IfModule mod_authz_core.c>\n  </IfModule>\n  Require \\\n  group staff\n  <Files x>\n    Require valid-user\n    Require ldap-group cn=x\n  </Files>\n',
        ),
      ),
      `<Directory /srv>
  rEQUIRE USER ann\r
  <IfModule mod_authz_core.c>
  </IfModule>
  Require \\
# ^^^^^^^^^ warning require-mixed-modules/mixed suggestion
  group staff
  <Files x>
    Require valid-user
    Require ldap-group cn=x
#   ^^^^^^^^^^^^^^^^^^^^^^^ warning require-mixed-modules/mixed suggestion
  </Files>
</Directory>
`,
    );
  });

  it('offers to keep the lines of each module, none of it safely', () => {
    const text = dir('Require user ann\nRequire group a\nRequire user joe\n');
    assert.equal(fix(text), text);
    const fixes = findingsIn(text, rule)[0].fixes;
    assert.deepEqual(
      fixes.map(({ safety, edits }) => [safety, edits.length]),
      [
        ['suggestion', 2],
        ['suggestion', 1],
      ],
    );
    assert.deepEqual(
      fixes.map(({ title }) => /^Keep only the Require lines about (\w+)$/.exec(title)?.[1]),
      ['groups', 'users'],
    );
    assert.equal(fix(text, true), dir('Require group a\n'));
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = dir('<IfVersion < 2.4>\nRequire user ann\nRequire group a\n</IfVersion>\n');
    assert.equal(marked(inactive), inactive);
  });
});
