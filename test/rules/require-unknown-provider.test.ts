import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { MODULE_BY_PROVIDER } from '../../server/src/access/require';
import { Engine } from '../../server/src/analysis/engine';
import { fileInfoOf } from '../../server/src/analysis/places';
import { Configurations } from '../../server/src/config/configurations';
import { configView } from '../../server/src/config/config-view';
import { DEFAULT_TARGET } from '../../server/src/config/target';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { memoryFiles } from '../../server/src/config/memory-files';
import { fileContext, unixModules, type Made } from '../support/file-context';
import { annotated, findingsIn, fixed, type Asked } from '../support/rules';
import { repositoryRoot } from '../support/paths';

const rule = { rule: 'require-unknown-provider' };
const marked = (text: string, asked: Asked = {}) => annotated(text, { ...rule, ...asked });
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('require-unknown-provider', () => {
  it('knows the providers that httpd has', () => {
    const facts = JSON.parse(
      readFileSync(path.join(repositoryRoot, 'server/src/directives/data/providers.json'), 'utf8'),
    );
    const expected = Object.entries<string[]>(facts['2.4'].authz).map(([name, [file]]) => [
      name,
      file.replace('.c', ''),
    ]);
    assert.deepEqual([...MODULE_BY_PROVIDER].sort(), expected.sort());
  });

  it("leaves httpd's own alone, and what other modules may well provide", () => {
    const others = [
      'shibboleth',
      'shib-session',
      'shib-attr',
      'adfs-group',
      'external-group',
      'unix-group',
      'claim',
      'cas-attribute',
      'pam-account',
      'sspi-user',
      'oauth2_claim',
      'vip',
      'tls',
      'my-rule',
      'Valid-User',
      'memberof',
      'entitlement',
    ];
    const clean =
      [...MODULE_BY_PROVIDER.keys(), ...others].map((name) => `Require ${name} x\nRequire not ${name} x\n`).join('') +
      '# Require vaild-user\nRequire ${A}\nRequire {{ who }}\nRequire @WHO@\n';
    assert.equal(marked(clean), clean);
    assert.equal(fix(clean, true), clean);
  });

  it('leaves alone what the file defines, also further down', () => {
    const text = (define: string) => `<Directory /a>\nRequire hosts\n</Directory>\n${define}`;
    assert.equal(findingsIn(text(''), rule).length, 1);
    for (const define of [
      '<AuthzProviderAlias ip hosts "10">\n</AuthzProviderAlias>\n',
      '<IfModule mod_lua.c>\nLuaAuthzProvider hosts /a.lua f\n</IfModule>\n',
      'PerlAddAuthzProvider hosts My::Hosts\n',
    ]) {
      assert.deepEqual(findingsIn(text(define), rule), []);
    }
  });

  it('marks each line with such a word, in odd case, in sections and containers', () => {
    assert.equal(
      marked(
        '<Directory /a>\n  rEQUIRE  vaild-user\n  <RequireAny>\n    Require not vaild-user\n    Require denied\n  </RequireAny>\n  Require\n</Directory>\n',
      ),
      `<Directory /a>
  rEQUIRE  vaild-user
#          ^^^^^^^^^^ error require-unknown-provider/unknown suggestion
  <RequireAny>
    Require not vaild-user
#               ^^^^^^^^^^ error require-unknown-provider/unknown suggestion
    Require denied
#           ^^^^^^ error require-unknown-provider/not-a-name suggestion
  </RequireAny>
  Require
# ^^^^^^^ error require-unknown-provider/nothing none
</Directory>
`,
    );
  });

  it('offers what was meant, and names the module that has it', () => {
    const meanings = [
      ['valid_user', 'valid-user'],
      ['valid-usr', 'valid-user'],
      ['users ann', 'user ann'],
      ['Gruop staff', 'group staff'],
      ['ldap-groups cn=x', 'ldap-group cn=x'],
      ['locla', 'local'],
      ['192.0.2.1', 'ip 192.0.2.1'],
      ['10.1 10.2', 'ip 10.1 10.2'],
      ['nobody', 'all denied'],
      ['granted', 'all granted'],
      ['localhost', 'local'],
      ["'all denied'", 'all denied'],
    ];
    for (const [before, after] of meanings) assert.equal(fix(`Require ${before}\r\n`, true), `Require ${after}\r\n`);
    assert.match(findingsIn('Require users ann', rule)[0].message, /`user`, which is in mod_authz_user/);
    assert.equal(fix('Require vaild-user\n'), 'Require vaild-user\n', 'not safely');
    assert.equal(fix('Require \\\n  users ann\n', true), 'Require \\\n  user ann\n');
  });

  it('has no fix where nobody knows what was meant', () => {
    for (const text of [
      'Require\n',
      'Require not\n',
      'Require ""\n',
      'Require from all\n',
      'Require a,b\n',
      'Require none of them\n',
    ]) {
      assert.equal(findingsIn(text, rule).length, 1, text);
      assert.equal(fix(text, true), text);
    }
  });

  it('is silent in a section that 2.4 does not read, and in a macro', () => {
    const inactive =
      '<IfModule !mod_authz_core.c>\nRequire vaild-user\n</IfModule>\n<Macro a $who>\nRequire users $who\n</Macro>\n';
    assert.equal(marked(inactive), inactive);
  });

  describe('where all modules and names are known', () => {
    const engine = new Engine({ rules: ALL_RULES });
    const within = (text: string, made: Made = {}) =>
      engine
        .analyze(Tree.parse(`<Directory /srv>\n${text}</Directory>\n`), {
          isHtaccess: false,
          fileContext: fileContext({ providers: [], ...made }),
        })
        .findings()
        .filter(({ severity }) => severity === 'error')
        .map(({ rule: { id }, messageId }) => `${id}/${messageId}`);

    it('says so of every other name', () => {
      assert.deepEqual(within('Require no ip 192.0.2.1\n'), ['require-unknown-provider/not-provided']);
      assert.deepEqual(within('<RequireAll>\nRequire not entitlement x\nRequire valid-user\n</RequireAll>\n'), [
        'require-unknown-provider/not-provided',
      ]);
      assert.deepEqual(within('Require example.org\n'), ['require-unknown-provider/not-provided']);
      assert.deepEqual(within('Require vaild-user\n'), ['require-unknown-provider/unknown']);
      assert.deepEqual(within('AuthBasicProvider file more\n'), ['invalid-value/refused']);
      assert.deepEqual(within('Require valid-user\nAuthBasicProvider file anon\n'), []);
    });

    it('leaves names alone that the configuration gives', () => {
      assert.deepEqual(within('Require staff\nAuthBasicProvider more file\n', { providers: ['staff', 'more'] }), []);
      assert.deepEqual(within('Require shib-session\n', { providers: ['shib-session'] }), []);
    });

    it('is silent where another module may have the name, or the names are not known', () => {
      assert.deepEqual(
        within('Require no ip 192.0.2.1\nAuthBasicProvider more\n', { modules: [...unixModules(), 'mod_foo'] }),
        [],
      );
      assert.deepEqual(within('Require no ip 192.0.2.1\nAuthBasicProvider more\n', { providers: undefined }), []);
      assert.deepEqual(within('Require no ip 192.0.2.1\nAuthBasicProvider more\n', { modules: null }), []);
    });

    it("says of other people's names whose they are", () =>
      assert.deepEqual(within('Require shib-session\n'), ['invalid-value/refused']));

    it('knows the names that a configuration gives, also in other files and by way of a macro', () => {
      const files = {
        '/httpd.conf':
          'ServerRoot /\nInclude aliases.conf\n<Macro Alias $n>\n<AuthzProviderAlias ip $n "192.0.2.1">\n</AuthzProviderAlias>\n</Macro>\nUse Alias net\n<Directory /srv>\nRequire net\nRequire lan\nRequire script\nAuthBasicProvider one\nRequire neither\nAuthBasicProvider lan neither\n</Directory>\n',
        '/aliases.conf':
          '<AuthnProviderAlias file one>\nAuthUserFile /u\n</AuthnProviderAlias>\n<AuthzProviderAlias ip lan "192.0.2.2">\n</AuthzProviderAlias>\nLuaAuthzProvider script /a.lua f\n',
      };
      const view = memoryFiles(files);
      const configurations = new Configurations();
      configurations.update(
        [{ mainFile: '/httpd.conf', target: DEFAULT_TARGET, server: { builtIn: unixModules() } }],
        configView(view),
        [],
      );
      const found = engine
        .analyze(view.read('/httpd.conf')!, fileInfoOf(configurations.publishedContextsOf('/httpd.conf')!))
        .findings();
      const lines = found
        .filter(({ severity }) => severity === 'error')
        .map(({ start }) => files['/httpd.conf'].slice(0, start).split('\n').length);
      assert.deepEqual(lines, [13, 14]);
    });
  });
});
