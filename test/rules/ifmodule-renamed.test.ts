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
      marked('<VirtualHost *>\n<ifMODULE !mod_disk_cache.c>\n</ifMODULE>\n  <IfModule "authz_default_module">\n  </IfModule>\n</VirtualHost>\n'),
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

  it('replaces the name only', () => {
    assert.equal(fixed('<IfModule !"x">\n</IfModule>\n<IfModule "!mod_authn_alias.c">\n</IfModule>\n', { ...rule, unsafe: true }), '<IfModule !"x">\n</IfModule>\n<IfModule "!mod_authn_core.c">\n</IfModule>\n');
  });

  it('leaves other letters alone: names are compared as they are', () => {
    const clean = '<IfModule Mod_Disk_Cache.c>\n</IfModule>\n<IfModule mod_disk_cache>\n</IfModule>\n<IfModule ${X}>\n</IfModule>\n<IfModule>\n</IfModule>\n';
    assert.equal(marked(clean), clean);
  });
});
