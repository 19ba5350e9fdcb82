/** The names of files in a workspace: `folders -> path = name`. */
import assert from 'node:assert/strict';
import { pathNames } from '../../server/src/features/folder-names';

const NAMES: readonly (readonly [folders: string, path: string, name: string])[] = [
  ['/srv/httpd', '/srv/httpd/conf/a.conf', 'conf/a.conf'],
  ['/srv/httpd', '/srv/httpd2/a.conf', '/srv/httpd2/a.conf'],
  ['/srv/one /srv/two', '/srv/one/conf/a.conf', 'one/conf/a.conf'],
  ['/srv/one /srv/two', '/srv/two/conf/a.conf', 'two/conf/a.conf'],
  ['/srv/one /srv/two', '/etc/a.conf', '/etc/a.conf'],
  ['/a/httpd /b/httpd', '/b/httpd/a.conf', 'b/httpd/a.conf'],
  ['/httpd /b/httpd', '/httpd/a.conf', '/httpd/a.conf'],
  ['/httpd /b/httpd', '/b/httpd/a.conf', 'b/httpd/a.conf'],
  ['/etc /etc/httpd', '/etc/httpd/a.conf', 'httpd/a.conf'],
  ['/etc/httpd /etc', '/etc/a.conf', 'etc/a.conf'],
  ['/etc /etc', '/etc/a.conf', 'a.conf'],
];

describe('the names of files in a workspace', () => {
  for (const [folders, path, name] of NAMES)
    it(`${folders}: ${path} is ${name}`, () => {
      const names = pathNames(folders.split(' '));
      assert.equal(names.nameOf(path), name);
      assert.equal(names.withNames(`"${path}" and ${path}`), `"${name}" and ${name}`);
    });
});
