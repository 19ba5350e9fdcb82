import assert from 'node:assert/strict';
import { findingsInFiles, listed, type Files } from '../support/configurations';

const ROOT = '/etc/apache2/httpd.conf';
const LIST = '/etc/sysconfig/apache2';
const WRITTEN = 'Include /etc/apache2/sysconfig.d/loadmodule.conf\n';
const of = (modules: string, root = `Listen 80\n${WRITTEN}`): Files => ({ [ROOT]: root, [LIST]: modules });
const rows = (files: Files) => listed(files, { rule: 'sysconfig-modules' });
const found = (files: Files) => [...findingsInFiles(files, { rule: 'sysconfig-modules' }).values()].flat();

describe('sysconfig-modules', () => {
  it('tells all modules of the list at once, at the line that includes what is written of it', () => {
    const files = of('# by YaST\nAPACHE_MODULES="alias authz_default \\\n  disk_cache mem_cache dir"\n');
    assert.deepEqual(rows(files), [`${ROOT}:2: warning sysconfig-modules/removed none`]);
    const [{ message, run }] = found(files);
    assert.match(message, /APACHE_MODULES names 3 modules that 2\.4 does not have/);
    assert.match(message, /authz_default \([^)]*apache2:2\), disk_cache \([^)]*apache2:3\), mem_cache/);
    assert.equal(run, 'a2dismod authz_default\na2dismod disk_cache\na2dismod mem_cache\na2enmod cache_disk');
  });

  it('adds no module that is in the list', () => {
    const [{ run }] = found(of('APACHE_MODULES="authn_alias authn_core"\n'));
    assert.equal(run, 'a2dismod authn_alias');
  });

  it('leaves a list of 2.4 alone, modules of other people, comments, and a server that reads no such list', () => {
    for (const files of [
      of('APACHE_MODULES="alias authz_core cache_disk php7 my_own"\n'),
      of('# APACHE_MODULES="authz_default"\n'),
      of('APACHE_MODULES=""\n'),
      of('APACHE_MODULES="authz_default"\n', 'Include /etc/apache2/other.conf\n'),
      of('APACHE_MODULES="authz_default"\n', `<IfVersion < 2.4>\n${WRITTEN}</IfVersion>\n`),
      { [ROOT]: WRITTEN },
    ])
      assert.deepEqual(rows(files), [], JSON.stringify(files));
  });
});
