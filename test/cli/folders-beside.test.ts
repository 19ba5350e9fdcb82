/** Which directories `fix --dormant` of a main file searches. */
import assert from 'node:assert/strict';
import os from 'node:os';
import path from 'node:path';
import { serverFoldersOf } from '../../server/src/cli/files';

describe('the directories beside main files', () => {
  it('are those of one server', () => {
    assert.deepEqual(serverFoldersOf(['/etc/httpd/conf/httpd.conf', '/etc/httpd/conf/httpd.conf']), ['/etc/httpd']);
    assert.deepEqual(serverFoldersOf(['/etc/apache2/apache2.conf']), ['/etc/apache2']);
    assert.deepEqual(serverFoldersOf(['/etc/httpd/conf.d/a.conf']), []);
  });

  it('are none that other programs share', () => {
    const shared = ['/', '/etc', '/usr/local/etc', '/etc/conf', os.homedir(), os.tmpdir()];
    for (const folder of shared) assert.deepEqual(serverFoldersOf([path.join(folder, 'httpd.conf')]), [], folder);
  });
});
