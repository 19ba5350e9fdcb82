import assert from 'node:assert/strict';
import { annotated, fixed } from '../support/rules';

describe('disk-cache-module, authn-alias-module', () => {
  it('replace both names and keep the rest', () => {
    assert.equal(
      fixed(
        '  loadmodule  "disk_cache_module" \'/usr/lib/apache2/modules/mod_disk_cache.so\'\nLoadModule authn_alias_module \\\n  modules/mod_authn_alias.so\r\n',
        { assumeStandalone: true },
      ),
      '  loadmodule  "cache_disk_module" \'/usr/lib/apache2/modules/mod_cache_disk.so\'\nLoadModule authn_core_module \\\n  modules/mod_authn_core.so\r\n',
    );
  });

  it('find lines with one name right', () => {
    assert.equal(
      annotated(
        'LoadModule cache_disk_module modules/mod_disk_cache.so\nLoadModule disk_cache_module modules/mod_cache_disk.so\n',
        { assumeStandalone: true },
      ),
      `LoadModule cache_disk_module modules/mod_disk_cache.so
#^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error disk-cache-module/renamed safe
LoadModule disk_cache_module modules/mod_cache_disk.so
#^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error disk-cache-module/renamed safe
`,
    );
  });

  it('leave variables, comments and what 2.4 does not read alone', () => {
    const clean =
      '#LoadModule disk_cache_module modules/mod_disk_cache.so\nLoadModule disk_cache_module ${FILE}\n<IfModule mod_disk_cache.c>\nLoadModule authn_alias_module modules/mod_authn_alias.so\n</IfModule>\n';
    assert.equal(annotated(clean, { rule: 'disk-cache-module' }), clean);
    assert.equal(annotated(clean, { rule: 'authn-alias-module' }), clean);
  });
});
