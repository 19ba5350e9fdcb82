import assert from 'node:assert/strict';
import { annotated, fixed, type Asked } from '../support/rules';

const rule = { rule: 'authz-authoritative' };
const marked = (text: string, asked: Asked = {}) => annotated(text, { ...rule, ...asked });
const fix = (text: string, unsafe = false, asked: Asked = {}) => fixed(text, { ...rule, ...asked, unsafe });
const dir = (body: string) => `<Directory /srv>\n${body}</Directory>\n`;
/** Whether the line goes safely, given the other lines of its section. Unsafely it goes anyway. */
const isSafe = (line: string, others: string) => {
  const text = dir(`${line}\n${others}`);
  assert.equal(fix(text, true), dir(others), text);
  const safe = fix(text);
  assert.ok(safe === text || safe === dir(others));
  return safe !== text;
};

describe('authz-authoritative', () => {
  it('leaves other lines alone, and their like that 2.4 has', () => {
    const clean = dir(
      'AuthBasicAuthoritative Off\n# AuthzUserAuthoritative On\nAuthzSVNAuthoritative On\nRequire valid-user\nAuthzSendForbiddenOnFailure On\n',
    );
    assert.equal(marked(clean), clean);
    assert.equal(fix(clean, true), clean);
  });

  it('marks the line, twice in a file, in odd case, within limits and conditionals', () => {
    assert.equal(
      marked(
        dir(
          '  aUTHZuSERaUTHORITATIVE  oN\n  Require user ann\n  <Files x>\n    <Limit GET>\n      AuthzLDAPAuthoritative Off\n    </Limit>\n  </Files>\n',
        ),
      ),
      `<Directory /srv>
  aUTHZuSERaUTHORITATIVE  oN
# ^^^^^^^^^^^^^^^^^^^^^^^^^^ error authz-authoritative/on safe
  Require user ann
  <Files x>
    <Limit GET>
      AuthzLDAPAuthoritative Off
#     ^^^^^^^^^^^^^^^^^^^^^^^^^^ error authz-authoritative/off suggestion
    </Limit>
  </Files>
</Directory>
`,
    );
  });

  it('removes On safely where all Require lines of the section belong to one module', () => {
    const line = 'AuthzUserAuthoritative On';
    assert.equal(isSafe(line, 'Require valid-user\n'), true);
    assert.equal(isSafe(line, 'require User ann\n<Limit POST>\nREQUIRE valid-user\n</Limit>\n'), true);
    assert.equal(isSafe(line, 'Require group staff\n'), true);
    assert.equal(isSafe('AuthzOwnerAuthoritative On', 'Require file-owner\n'), true);
    assert.equal(isSafe(line, 'Require user ann\nRequire group staff\n'), false);
    assert.equal(
      isSafe(line, 'Require valid-user\n<IfModule mod_authnz_ldap.c>\nRequire ldap-group cn=x\n</IfModule>\n'),
      false,
    );
    assert.equal(isSafe(line, 'Require file-group\n'), false);
    assert.equal(isSafe(line, 'Require something-else\n'), false);
    assert.equal(isSafe(line, '<RequireAny>\nRequire valid-user\n</RequireAny>\n'), false);
    assert.equal(isSafe(line, ''), false, 'the Require lines are elsewhere');
    assert.equal(isSafe(line, '<Files x>\nRequire valid-user\n</Files>\n'), false, 'the Require lines are elsewhere');
  });

  it('does so only where the section would not inherit what the module forgot in 2.2', () => {
    assert.equal(isSafe('AuthzGroupFileAuthoritative On', 'AuthGroupFile /g\nRequire group staff\n'), true);
    assert.equal(isSafe('AuthzGroupFileAuthoritative On', 'Require group staff\n'), false);
    assert.equal(isSafe('AuthzDBMAuthoritative On', 'AuthDBMGroupFile /g\nRequire group staff\n'), true);
    assert.equal(isSafe('AuthzDBMAuthoritative On', 'AuthGroupFile /g\nRequire group staff\n'), false);
    assert.equal(isSafe('AuthzLDAPAuthoritative On', 'AuthLDAPURL ldap://x/o=y\nRequire ldap-group cn=x\n'), true);
    assert.equal(isSafe('AuthzLDAPAuthoritative On', 'Require ldap-group cn=x\n'), false);
  });

  it('removes Off safely where the module has no Require line, and leaves the decision to one other', () => {
    const url = 'AuthLDAPURL ldap://x/o=y\n';
    assert.equal(isSafe('AuthzLDAPAuthoritative off', `${url}Require valid-user\n`), true);
    assert.equal(isSafe('AuthzLDAPAuthoritative off', `${url}Require group staff\n`), true);
    assert.equal(isSafe('AuthzLDAPAuthoritative off', 'Require valid-user\n'), false, 'it forgot an inherited URL');
    assert.equal(isSafe('AuthzLDAPAuthoritative off', `${url}Require ldap-group cn=x\n`), false);
    assert.equal(isSafe('AuthzLDAPAuthoritative off', `${url}Require valid-user\nRequire group x\n`), false);
    assert.equal(isSafe('AuthzLDAPAuthoritative off', `${url}Require file-group\n`), false);
    assert.equal(isSafe('AuthzLDAPAuthoritative off', url), false, 'the Require lines are elsewhere');
    assert.equal(isSafe('AuthzUserAuthoritative Off', 'Require group staff\n'), true);
    assert.equal(isSafe('AuthzDBMAuthoritative Off', 'AuthDBMGroupFile /g\nRequire group staff\n'), false);
  });

  it('removes On of the last resorts safely, wherever', () => {
    assert.equal(isSafe('AuthzDefaultAuthoritative On', ''), true);
    assert.equal(isSafe('AuthDefaultAuthoritative on', 'Require user ann\nRequire group staff\n'), true);
  });

  it('leaves Off, what it cannot read, and what 2.2 did not have to a person', () => {
    for (const line of [
      'AuthzUserAuthoritative Off',
      'AuthzDefaultAuthoritative Off',
      'AuthzUserAuthoritative ${X}',
      'AuthzUserAuthoritative',
      'AuthzUserAuthoritative yes',
      'AuthzDBDAuthoritative On',
      'AuthLDAPAuthzEnabled on',
    ]) {
      assert.equal(isSafe(line, 'Require valid-user\n'), false, line);
    }
  });

  it('goes without the Require lines that Off made alternatives', () => {
    const lines = 'AuthType Basic\nAuthName x\nRequire ldap-group cn=a,o=x\nRequire valid-user\n';
    for (const off of ['AuthzLDAPAuthoritative off', 'AUTHZLDAPAUTHORITATIVE "Off"']) {
      assert.equal(fixed(dir(`${off}\n${lines}`), { unsafe: true }), dir(lines));
      assert.equal(fixed(`${off}\n${lines}`, { unsafe: true, file: '.htaccess' }), lines);
    }
    const groups = 'AuthGroupFile /x\nRequire group a\nRequire file-owner\nRequire valid-user\n';
    const offs = 'AuthzGroupFileAuthoritative off\nAuthzUserAuthoritative off\nAuthzOwnerAuthoritative off\n';
    assert.equal(fixed(`${offs}${groups}`, { unsafe: true, file: '.htaccess' }), groups);
  });

  it('goes with its continuation and CR LF, from a .htaccess', () => {
    assert.equal(
      fix('AuthName x\r\nRequire valid-user\r\nAuthzUserAuthoritative \\\r\n  On\r\nOptions None\r\n', false, {
        file: '.htaccess',
      }),
      'AuthName x\r\nRequire valid-user\r\nOptions None\r\n',
    );
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = dir(
      '<IfModule mod_authz_default.c>\nAuthzDefaultAuthoritative On\n</IfModule>\n<IfModule !mod_authz_core.c>\nAuthzUserAuthoritative Off\n</IfModule>\n',
    );
    assert.equal(marked(inactive), inactive);
  });
});
