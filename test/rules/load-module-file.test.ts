import assert from 'node:assert/strict';
import { findingsIn, fixed } from '../support/rules';

const asked = { rule: 'load-module-file' };
const files = (text: string) => findingsIn(text, asked).map(({ fixes }) => fixes.map(({ title }) => title));

describe('load-module-file', () => {
  it('names the file of the module and the module of the file', () => {
    assert.deepEqual(files('LoadModule rewrite_module modules/mod_alias.so\n'), [
      ['Change mod_alias.so to mod_rewrite.so', 'Change rewrite_module to alias_module'],
    ]);
    assert.deepEqual(files('LoadModule wsgi_module modules/mod_proxy_http.so\n'), [
      ['Change mod_proxy_http.so to mod_wsgi.so', 'Change wsgi_module to proxy_http_module'],
    ]);
    assert.deepEqual(files('LoadModule rewrite_module ${DIR}/mod_alias.so\n'), [
      ['Change mod_alias.so to mod_rewrite.so', 'Change rewrite_module to alias_module'],
    ]);
    assert.deepEqual(files('LoadModule our_module modules/mod_mpm_event.so\n'), [
      ['Change our_module to mpm_event_module'],
    ]);
    assert.equal(
      fixed('LoadModule "wsgi_module" "/m/mod_dir.so"\n', { ...asked, unsafe: true }),
      'LoadModule "wsgi_module" "/m/mod_wsgi.so"\n',
    );
  });

  it('is silent about the right file, files of others, and what other rules report', () => {
    for (const line of [
      'alias_module modules/mod_alias.so',
      'mpm_event_module modules/mod_mpm_event.so',
      'ldap_module modules/mod_ldap.so',
      'wsgi_module modules/mod_wsgi.so-3.11',
      'alias_module modules/alias.so',
      'rewrite_module ${FILE}',
      'rewrite_module ${DIR}mod_alias.so',
      'disk_cache_module modules/mod_cache_disk.so',
      'disk_cache_module modules/mod_disk_cache.so',
      'cache_disk_module modules/mod_disk_cache.so',
      'config_log_module modules/mod_log_config.so',
      'access_module modules/mod_authz_host.so',
      'mem_cache_module modules/mod_mem_cache.so',
    ])
      assert.deepEqual(files(`LoadModule ${line}\n`), [], line);
  });

  it('is silent where a line above loads the same module', () => {
    assert.deepEqual(
      files('LoadModule dir_module modules/mod_dir.so\nLoadModule dir_module modules/mod_alias.so\n'),
      [],
    );
  });
});
