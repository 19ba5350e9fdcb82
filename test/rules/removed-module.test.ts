import assert from 'node:assert/strict';
import { modules } from '../../server/src/directives';
import { annotated, findingsIn, fixed } from '../support/rules';

const rule = { rule: 'removed-module' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('removed-module', () => {
  it('every module that 2.2 could load and 2.4 does not have is found by some rule', () => {
    const gone = modules().filter(
      (module) => module['2.2']?.sharedObject && module['2.2'].status !== 'MPM' && !module['2.4'],
    );
    assert.ok(gone.length >= 6);
    for (const { '2.2': facts } of gone) {
      const found = findingsIn(`LoadModule ${facts!.identifier} modules/${facts!.sharedObject}\n`);
      assert.deepEqual(
        found.map(({ severity }) => severity),
        ['error'],
        facts!.identifier,
      );
    }
  });

  it('a line that an <IfModule> asks for is removed or renamed by nobody but a person: what stands there may keep people out', () => {
    const login = 'AuthType Basic\nRequire valid-user\n';
    const of = (name: string, body: string, mark = '') =>
      `ServerRoot /srv\nLoadModule ${name}_module modules/mod_${name}.so\n<Directory /srv/www>\n<IfModule ${mark}mod_${name}.c>\n${body}</IfModule>\n</Directory>\n`;
    const ofRules = (text: string) =>
      findingsIn(text)
        .filter(({ rule: { id } }) => /^(removed-module|authn-alias-module|disk-cache-module)$/.test(id))
        .flatMap(({ fixes }) => fixes.slice(0, 1).map(({ safety }) => safety));
    for (const name of ['authn_default', 'authz_default', 'authn_alias', 'disk_cache', 'mem_cache']) {
      assert.deepEqual(ofRules(of(name, login)), ['suggestion'], name);
      assert.deepEqual(ofRules(of(name, login, '!')), ['suggestion'], name);
      assert.deepEqual(ofRules(of(name, login).replace(`mod_${name}.c`, `${name}_module`)), ['suggestion'], name);
      assert.deepEqual(ofRules(of(name, '')), ['safe'], name);
    }
    assert.deepEqual(ofRules(of('disk_cache', 'CacheRoot /srv/cache\nCacheEnable disk /\n')), ['safe']);
  });

  it("no module that 2.4 has is called removed, nor somebody's own", () => {
    for (const { '2.4': facts } of modules()) {
      if (!facts?.identifier || !facts.sharedObject) continue;
      assert.deepEqual(
        findingsIn(`LoadModule ${facts.identifier} modules/${facts.sharedObject}\n`),
        [],
        facts.identifier,
      );
    }
  });

  it('finds the module by its file, too, in quotes, with other paths, odd case and continued', () => {
    assert.equal(
      marked(
        'loadMODULE "authz_default_module" "/usr/lib/mod_authz_default.so"\nLoadModule x_module C:\\modules\\mod_mem_cache.so\nLoadModule \\\n mem_cache_module m.so\n',
      ),
      `loadMODULE "authz_default_module" "/usr/lib/mod_authz_default.so"
#^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error removed-module/merged safe
LoadModule x_module C:\\modules\\mod_mem_cache.so
#^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error removed-module/mem-cache suggestion
LoadModule \\
#^^^^^^^^^^^ error removed-module/mem-cache suggestion
 mem_cache_module m.so
`,
    );
  });

  it('leaves comments, variables and broken lines alone', () => {
    const clean =
      '# LoadModule authz_default_module x.so\nLoadModule ${X} modules/mod_authz_default.so\nLoadModule authz_default_module\nLoadModule alias_module modules/mod_alias.so\n';
    assert.equal(marked(clean), clean);
  });

  it('removes mod_mem_cache where nothing uses it, and nothing else could', () => {
    const line = 'LoadModule mem_cache_module modules/mod_mem_cache.so\n';
    assert.equal(fix(`ServerRoot /etc/httpd\n${line}`), 'ServerRoot /etc/httpd\n');
    for (const rest of [
      'CacheEnable mem /\n',
      'MCacheSize 100\n',
      'Include conf.d/*.conf\n',
      'CacheEnable ${TYPE} /\n',
    ]) {
      const text = `ServerRoot /etc/httpd\n${line}${rest}`;
      assert.equal(fix(text), text);
      assert.equal(fix(text, true), `ServerRoot /etc/httpd\n${rest}`);
    }
    assert.equal(fix(line), line);
  });

  it('keeps the folder and the quotes of what it renames', () => {
    assert.equal(
      fix('LoadModule imap_module "libexec/mod_imap.so"\r\n', true),
      'LoadModule imagemap_module "libexec/mod_imagemap.so"\r\n',
    );
  });
});
