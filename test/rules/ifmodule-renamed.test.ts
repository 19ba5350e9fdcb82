import assert from 'node:assert/strict';
import { modules } from '../../server/src/directives';
import { annotated, findingsIn, fixed } from '../support/rules';

const rule = { rule: 'ifmodule-renamed' };
const marked = (text: string) => annotated(text, rule);

describe('ifmodule-renamed', () => {
  it('every name of a module that 2.2 had and 2.4 does not have is found, and none that 2.4 has', () => {
    const names24 = new Set(modules().flatMap(({ '2.4': facts }) => [facts?.identifier, facts?.sourceFile]));
    for (const { '2.2': facts, '2.4': now } of modules()) {
      if (facts?.status === 'MPM') continue;
      for (const name of [facts?.identifier, facts?.sourceFile, now?.identifier, now?.sourceFile]) {
        if (name === undefined) continue;
        assert.equal(findingsIn(`<IfModule ${name}>\n</IfModule>\n`, rule).length, names24.has(name) ? 0 : 1, name);
      }
    }
  });

  it('marks the name, negated, in quotes, in odd case and in sections', () => {
    assert.equal(
      marked(
        '<VirtualHost *>\n<ifMODULE !mod_disk_cache.c>\n</ifMODULE>\n  <IfModule "authz_default_module">\n  </IfModule>\n</VirtualHost>\n',
      ),
      `<VirtualHost *>
<ifMODULE !mod_disk_cache.c>
#         ^^^^^^^^^^^^^^^^^ warning ifmodule-renamed/renamed suggestion
</ifMODULE>
  <IfModule "authz_default_module">
#           ^^^^^^^^^^^^^^^^^^^^^^ info ifmodule-renamed/removed none
  </IfModule>
</VirtualHost>
`,
    );
  });

  it('removes a section that has only lines of mod_mem_cache, and no other', () => {
    const section = (...lines: string[]) => `<IfModule mod_mem_cache.c>\n${lines.join('')}</IfModule>\n`;
    const ofMemCache = section('  CacheEnable mem /\n', '\n', '  MCacheSize 4096\n');
    assert.equal(fixed(`Listen 80\n${ofMemCache}Listen 81\n`, rule), 'Listen 80\nListen 81\n');
    assert.equal(
      fixed(`<VirtualHost *>\n<IfModule mod_cache.c>\n${ofMemCache}</IfModule>\n</VirtualHost>\n`, rule),
      '<VirtualHost *>\n<IfModule mod_cache.c>\n</IfModule>\n</VirtualHost>\n',
    );
    assert.equal(fixed(section('# A comment\n', 'MCacheSize 1\n', '#B\n'), rule), '# A comment\n#B\n');
    const kept = [
      section('CacheEnable disk /\n', 'MCacheSize 1\n'),
      section('CacheDefaultExpire 1\n'),
      section('<IfDefine X>\n', 'MCacheSize 1\n', '</IfDefine>\n'),
      section('MCacheSize {{ size }}\n'),
      section('MCacheSize 1\n').replace('mod_mem', '!mod_mem'),
      section('MCacheSize 1\n').replace('</IfModule>\n', ''),
      section('AuthzDefaultAuthoritative Off\n').replace('mem_cache', 'authz_default'),
    ];
    for (const each of kept) assert.equal(fixed(each, rule), each);
  });

  it('replaces the name only', () => {
    assert.equal(
      fixed('<IfModule !"x">\n</IfModule>\n<IfModule "!mod_authn_alias.c">\n</IfModule>\n', { ...rule, unsafe: true }),
      '<IfModule !"x">\n</IfModule>\n<IfModule "!mod_authn_core.c">\n</IfModule>\n',
    );
  });

  it('leaves alone what may be the name of a module, and what nobody can read', () => {
    const clean =
      '<IfModule mod_shib>\n</IfModule>\n<IfModule mod_own>\n</IfModule>\n<IfModule wsgi_module>\n</IfModule>\n<IfModule mpm_itk.c>\n</IfModule>\n<IfModule ${X}>\n</IfModule>\n<IfModule>\n</IfModule>\n';
    assert.equal(marked(clean), clean);
  });

  it('finds names that no module has in either version: they are compared as they are', () => {
    const of = (name: string) =>
      findingsIn(`<IfModule ${name}>\n</IfModule>\n`, rule).map(({ messageId, fixes }) =>
        [messageId, ...fixes.map(({ edits }) => edits[0].text)].join(' '),
      );
    for (const [name, right] of [
      ['mod_authz_host', 'mod_authz_host.c'],
      ['!mod_rewrite', 'mod_rewrite.c'],
      ['Mod_Alias.c', 'mod_alias.c'],
      ['rewrite', 'mod_rewrite.c'],
      ['Rewrite_Module', 'rewrite_module'],
      ['mod_ssl.so', 'mod_ssl.c'],
      ['prefork', 'prefork.c'],
      ['mod_wsgi', 'mod_wsgi.c'],
      ['mod_php5', 'mod_php5.c'],
      ['mod_disk_cache', 'mod_cache_disk.c'],
    ])
      assert.deepEqual(of(name), [`no-name ${right}`], name);
    assert.deepEqual(of('mod_mem_cache'), ['no-name']);
  });

  it('a section for PHP 3 or 4 names that version: 2.2 with PHP 5 skips it, too', () => {
    const [plain] = findingsIn('<IfModule mod_php4.c>\n</IfModule>\n', rule);
    assert.equal(plain!.what, '`<IfModule mod_php4.c>`: without PHP 4, httpd skips this section');
    assert.match(
      plain!.help!,
      /^If 2\.2 also runs without PHP 4, remove the section: 2\.2 skips it, too\. Otherwise move/,
    );
    const [negated] = findingsIn('<IfModule !sapi_apache2.c>\n</IfModule>\n', rule);
    assert.match(negated!.what, /: without PHP as a filter, httpd always uses this section$/);
    assert.match(negated!.help!, /it uses these lines, too: remove only the `<IfModule>` and `<\/IfModule>` lines/);
  });

  it('what stands in such a section is read by no server, and behind a ! by every one', () => {
    const errors = (text: string) =>
      findingsIn(text)
        .filter(({ severity }) => severity === 'error')
        .map(({ rule: { id } }) => id);
    assert.deepEqual(errors('<IfModule mod_rewrite>\nRewriteLog x\n</IfModule>\n'), []);
    assert.deepEqual(errors('<IfModule !mod_rewrite>\nRewriteLog x\n</IfModule>\n'), ['rewrite-log']);
  });
});
