import assert from 'node:assert/strict';
import { annotated, findingsIn, fixed } from '../support/rules';
import { planOfFiles } from '../access/plan-of-files';

const rule = { rule: 'require-group-module' };
const dir = (body: string) => `<Directory /srv>\n${body}</Directory>\n`;
const fix = (body: string) => fixed(dir(body), { ...rule, unsafe: true });

describe('require-group-module', () => {
  it('gives each module its own word', () => {
    for (const [owner, word] of [
      ['GroupExternal g', 'external-group'],
      ['AuthzUnixgroup on', 'unix-group'],
      ['WSGIAuthGroupScript /g.py', 'wsgi-group'],
      ['SSPIAuth On', 'sspi-group'],
    ])
      assert.equal(
        fix(`${owner}\nRequire group a b\nRequire user x\n`),
        dir(`${owner}\nRequire ${word} a b\nRequire user x\n`),
      );
  });

  it('groups in a database: mod_authz_dbd, with the query', () => {
    const asked = (body: string) => findingsIn(dir(body), rule)[0];
    const mysql = asked(
      'AuthMySQLEnable On\nAuthMySQLGroupTable members\nAuthMySQLGroupField grp\nAuthMySQLNameField login\nRequire group a\n',
    );
    assert.deepEqual([...mysql.fixes], []);
    assert.match(mysql.message, /AuthzDBDQuery "SELECT grp FROM members WHERE login = %s"/);
    const pg = asked('Auth_PG_grp_table g\nAuth_PG_grp_group_field f\nRequire group a\n');
    assert.match(pg.message, /AuthzDBDQuery "SELECT f FROM g WHERE USER = %s"/);
  });

  it('a section alone is converted with the word of the module, or says which word is missing', () => {
    const lone = (owner: string) =>
      `<Directory /srv/a>\nAuthType Basic\n${owner}\nRequire group staff\nOrder deny,allow\nDeny from all\nAllow from 10.0.0.0/8\n</Directory>\n`;
    const asked = { rule: 'order-allow-deny', assumeStandalone: true };
    for (const [owner, word] of [
      ['AuthzUnixgroup on', 'unix-group'],
      ['GroupExternal g', 'external-group'],
      ['WSGIAuthGroupScript /g.py', 'wsgi-group'],
      ['AuthzUnixgroup off', 'group'],
      ['AuthzUnixgroup on\nAuthGroupFile /g', 'group'],
    ]) {
      assert.match(
        fixed(lone(owner), { ...asked, unsafe: true }),
        new RegExp(`\\n\\s*Require ${word} staff\\n`),
        owner,
      );
    }
    for (const [owner, help] of [
      ['SSPIAuth On', /Write `Require sspi-group`/],
      ['Auth_PG_grp_table g', /Write `Require dbd-group`/],
      ['AuthPAM_Enabled on', /Write the word for groups/],
    ] as const) {
      const [finding] = findingsIn(lone(owner), asked);
      assert.deepEqual([...finding.fixes], [], owner);
      assert.match(finding.message, help);
      assert.match(finding.message, new RegExp(`\`${owner.split(' ')[0]}\``));
    }
  });

  it('a backslash is an expression and no variable', () => {
    const text = '<Directory /srv/a>\nRequire user "DOM\\bob"\nOrder allow,deny\nAllow from all\n</Directory>\n';
    const [finding] = findingsIn(text, { rule: 'order-allow-deny' });
    assert.match(finding.message, /Convert these lines by hand\. Write `Require user "DOM\\\\bob"`\./);
    assert.doesNotMatch(finding.message, /variable/);
  });

  it('leaves groups alone that are in a file, or may be, and modules that are off', () => {
    for (const body of [
      'Require group a\n',
      'AuthzUnixgroup off\nRequire group a\n',
      'GroupExternal g\nAuthGroupFile /g\nRequire group a\n',
      'GroupExternal g\nAuthDBMGroupFile /g\nRequire group a\n',
      'GroupExternal g\nInclude g.conf\nRequire group a\n',
      'GroupExternal g\nRequire external-group a\nRequire user group\nRequire valid-user\n',
    ])
      assert.equal(annotated(dir(body), rule), dir(body));
  });

  it('a group file that passes users on: the module is named, and the line stays', () => {
    const body = 'GroupExternal g\nAuthGroupFile /g\nAuthzGroupFileAuthoritative Off\nRequire group a\n';
    const [finding] = findingsIn(dir(body), rule);
    assert.match(finding!.message, /^`Require group` ignores `GroupExternal` in 2\.4\n/);
    assert.match(finding!.message, /Add `Require external-group`/);
    assert.deepEqual([...finding!.fixes], []);
    assert.deepEqual(findingsIn(dir(body.replace('Off', 'On')), rule), []);
  });

  it('Shibboleth: attributes and patterns of users, and no word that 2.4 has', () => {
    const body = (a: string, b: string) =>
      `AuthType Shibboleth\nRequire valid-user\nRequire shib-session\n${a} staff@x\n${b} ~ ^.+@x$\nRequire user ann\nRequire shibboleth\n`;
    assert.equal(
      fix(body('Require affiliation', 'Require user')),
      dir(body('Require shib-attr affiliation', 'Require shib-user')),
    );
    const basic = dir('AuthType Basic\nRequire affiliation x\n');
    assert.deepEqual(findingsIn(basic, rule), []);
  });

  it('access control is converted with the word of the module', () => {
    const text = (section: string) =>
      `ServerRoot /srv\nListen 80\nDocumentRoot /srv/www\n<Directory />\nAllowOverride None\n</Directory>\n${section}`;
    const section = (owner: string, more = '') =>
      `<Directory /srv/a>\n${owner}AuthType Basic\nRequire group staff\nOrder deny,allow\nDeny from all\nAllow from 10.0.0.0/8\n</Directory>\n${more}`;
    const edits = (of: string) =>
      [...planOfFiles({ '/srv/httpd.conf': text(of) }).plan.edits.values()].flat().map((edit) => edit.text);
    assert.match(edits(section('AuthzUnixgroup on\n')).join('|'), /Require unix-group staff/);
    assert.match(edits(section('GroupExternal g\n')).join('|'), /Require external-group staff/);
    // Somewhere else, or beside a group file, 2.2 may ask other modules.
    assert.deepEqual(edits(section('AuthzUnixgroup off\n')), []);
    assert.deepEqual(edits(section('AuthzUnixgroup on\nAuthGroupFile /g\n')), []);
    assert.deepEqual(edits(section('', '<Directory /srv/b>\nAuthzUnixgroup on\n</Directory>\n')), []);
  });

  it('modules without a word in 2.4: the advice about the module, and no fix', () => {
    for (const [line, advice] of [
      ['AuthPAM_Enabled On', /Use mod_authnz_pam/],
      ['AuthzLDAPMethod ldap', /Use mod_authnz_ldap/],
      ['Auth_PG_grp_table g', /Use mod_authn_dbd and mod_authz_dbd/],
      ['AuthIBMDB2GroupTable g', /Use mod_authn_dbd and mod_authz_dbd/],
      ['AuthNTGroups On', /mod_auth/],
      ['PerlAuthzHandler My::Groups', /mod_perl 2\.0\.9/],
    ] as const) {
      const text = `<Directory /srv>\nAuthType Basic\nAuthName x\n${line}\nRequire group a\n</Directory>\n`;
      const [found] = findingsIn(text, { rule: 'require-group-module' });
      assert.deepEqual([...found.fixes], [], line);
      assert.match(found.message, advice, line);
      assert.match(found.message, /Then write its word for groups in `Require`\./);
    }
  });
});
