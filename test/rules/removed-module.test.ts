import assert from 'node:assert/strict';
import { Engine } from '../../server/src/analysis/engine';
import { fileInfoOf } from '../../server/src/analysis/places';
import { Configurations } from '../../server/src/config/configurations';
import { memoryFiles } from '../../server/src/config/memory-files';
import { configView } from '../../server/src/config/config-view';
import { DEFAULT_TARGET } from '../../server/src/config/target';
import { modules } from '../../server/src/directives';
import { ALL_RULES } from '../../server/src/rules/all';
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

  it('finds a module whose directory is a variable, as 2.4 has its file nowhere', () => {
    for (const [module, file] of [
      ['authz_default', 'authz_default'],
      ['mem_cache', 'mem_cache'],
      ['disk_cache', 'disk_cache'],
      ['authn_alias', 'authn_alias'],
    ]) {
      const line = `LoadModule ${module}_module "./apache\${ARCH}/lib/mod_${file}.so"\n`;
      assert.deepEqual(
        findingsIn(line).map(({ severity }) => severity),
        ['error'],
        line,
      );
      assert.deepEqual(findingsIn(line.replace(`/mod_${file}.so`, '${FILE}'), rule), []);
    }
    assert.equal(
      fixed('ServerRoot /srv\nLoadModule disk_cache_module ${D}/mod_disk_cache.so\n', { assumeStandalone: true }),
      'ServerRoot /srv\nLoadModule cache_disk_module ${D}/mod_cache_disk.so\n',
    );
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

  it('a line of a file that may be a part is for a person, who may say that nothing else counts', () => {
    const lines = ['authn_default', 'authz_default', 'authn_alias', 'disk_cache']
      .map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`)
      .join('');
    const safeties = (text: string, assumeStandalone = false) =>
      findingsIn(text, { assumeStandalone }).map(
        ({ fixes: [{ safety, waitsFor = [], restsOn = [] }] }) =>
          `${safety} ${[...waitsFor, ...restsOn].map(({ kind }) => kind).join()}`,
      );
    const four = (text: string) => new Array<string>(4).fill(text);
    assert.deepEqual(safeties(lines), four('suggestion outside-unseen'));
    assert.deepEqual(safeties(`ServerRoot /srv\n${lines}Include a.conf\n`), four('suggestion outside-unseen'));
    assert.deepEqual(safeties(lines, true), four('safe outside-unseen'));
    assert.deepEqual(safeties(`ServerRoot /srv\n${lines}`), four('safe '));
  });

  it('the line is for a person where another file of the configuration asks for the module, a .htaccess included', () => {
    const engine = new Engine({ rules: ALL_RULES });
    const asking = (body: string) => `<IfModule mod_authz_default.c>\n${body}</IfModule>\n`;
    const configurations = new Configurations();
    /** Of a.conf after each change of the others, as an editor has it. */
    const safety = (others: Readonly<Record<string, string>>) => {
      const files = memoryFiles({
        '/srv/httpd.conf': 'ServerRoot /srv\nInclude a.conf\nInclude b.conf\nDocumentRoot /srv/www\n',
        '/srv/a.conf': 'LoadModule authz_default_module modules/mod_authz_default.so\n',
        '/srv/b.conf': '',
        '/srv/www/.htaccess': '',
        ...others,
      });
      const view = configView(files);
      configurations.update([{ mainFile: '/srv/httpd.conf', target: DEFAULT_TARGET }], view, ['/srv/www/.htaccess']);
      const [{ fixes }] = engine
        .analyze(files.read('/srv/a.conf')!, fileInfoOf(configurations.publishedContextsOf('/srv/a.conf')!))
        .findings();
      return fixes[0].safety;
    };
    const asks = asking('Require valid-user\n');
    assert.equal(safety({}), 'safe');
    assert.equal(safety({ '/srv/b.conf': asking('') }), 'safe', 'empty');
    assert.equal(safety({ '/srv/b.conf': asks }), 'suggestion');
    assert.equal(safety({ '/srv/b.conf': `<Location />\n${asks}</Location>\n` }), 'suggestion');
    assert.equal(safety({ '/srv/b.conf': asks.replace('mod_authz_default.c', '${M}') }), 'suggestion');
    assert.equal(safety({ '/srv/www/.htaccess': asks }), 'suggestion');
    assert.equal(safety({ '/srv/b.conf': asks.replace('authz_default', 'alias') }), 'safe', 'another module');
    assert.equal(safety({ '/srv/c.conf': asks }), 'safe', 'a file that nobody reads');
    const cache = '<IfDefine MEM_CACHE>\nCacheEnable mem /\n</IfDefine>\n';
    assert.equal(safety({ '/srv/b.conf': cache }), 'safe', 'a cache of mod_mem_cache is about that module only');
  });

  it('mod_mem_cache of a whole configuration goes where no file makes it cache', () => {
    const line = 'LoadModule mem_cache_module modules/mod_mem_cache.so\n';
    const safeties = (...others: readonly string[]) =>
      others.map((other) => {
        const configurations = new Configurations();
        const files = memoryFiles({
          '/srv/httpd.conf': `ServerRoot /srv\n${line}Include b.conf\n`,
          '/srv/b.conf': other,
        });
        configurations.update([{ mainFile: '/srv/httpd.conf', target: DEFAULT_TARGET }], configView(files), []);
        const info = fileInfoOf(configurations.publishedContextsOf('/srv/httpd.conf')!);
        const findings = new Engine({ rules: ALL_RULES }).analyze(files.read('/srv/httpd.conf')!, info).findings();
        return findings.find(({ rule: { id } }) => id === 'removed-module')!.fixes[0].safety;
      });
    assert.deepEqual(safeties('', 'Timeout 3\n', 'CacheEnable disk /\n'), ['safe', 'safe', 'safe']);
    assert.deepEqual(
      safeties(
        'CacheEnable mem /\n',
        '<VirtualHost *>\nCacheEnable fd /a\n</VirtualHost>\n',
        'CacheEnable ${TYPE} /\n',
        '<IfModule mod_mem_cache.c>\nRequire all denied\n</IfModule>\n',
      ),
      ['suggestion', 'suggestion', 'suggestion', 'suggestion'],
    );
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
#^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error removed-module/merged suggestion
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

  it('suggests to remove mod_example, whose successor no package has', () => {
    assert.equal(fix('LoadModule example_module modules/mod_example.so\nListen 80\n', true), 'Listen 80\n');
  });

  it('keeps the folder and the quotes of what it renames', () => {
    assert.equal(
      fix('LoadModule imap_module "libexec/mod_imap.so"\r\n', true),
      'LoadModule imagemap_module "libexec/mod_imagemap.so"\r\n',
    );
  });
});
