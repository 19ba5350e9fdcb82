/** Which files a main file may lead a change to, by its path, its ServerRoot and its checkout. */
import assert from 'node:assert/strict';
import { makeChangeTest, type ChangeOptions } from '../../server/src/config/changeable-folders';
import { Tree } from '../../server/src/syntax/document';

/** Whether a change may reach `file` from a main file with these lines. */
function reaches(root: string, file: string, lines = 'Listen 80\n', options: Partial<ChangeOptions> = {}): boolean {
  return makeChangeTest(Tree.parse(lines).root, { root, realPath: (path) => path, kind: () => null, ...options })(file);
}

describe('files that a main file may lead a change to', () => {
  it('are all files, in a directory of the system or at its ServerRoot', () => {
    for (const root of ['/etc/httpd/conf/httpd.conf', '/usr/local/apache2/conf/httpd.conf'])
      assert.equal(reaches(root, '/srv/www/.htaccess'), true, root);
    assert.equal(reaches('/opt/web/conf/httpd.conf', '/srv/www/.htaccess', 'ServerRoot /opt/web\n'), true);
    assert.equal(reaches('/opt/lampp/etc/httpd.conf', '/srv/www/.htaccess', 'ServerRoot "/opt/lampp/"\n'), true);
  });

  it('are those in its directory otherwise', () => {
    const root = '/home/me/copy/conf/httpd.conf';
    assert.equal(reaches(root, '/home/me/copy/conf.d/a.conf'), true);
    assert.equal(reaches(root, '/home/me/other/a.conf'), false);
    assert.equal(reaches(root, '/home/me/other/a.conf', 'ServerRoot /\n'), false);
    assert.equal(reaches('/usr/home/me/httpd.conf', '/srv/a.conf'), false);
  });

  it('are none, if the directory is a home directory or the like', () => {
    for (const root of ['/home/me/httpd.conf', '/root/httpd.conf', '/Users/me/conf/httpd.conf', '/tmp/httpd.conf'])
      assert.equal(reaches(root, `${root.replace(/(conf\/)?httpd\.conf$/, '')}.ssh/config`), false, root);
    assert.equal(
      reaches('/data/me/httpd.conf', '/data/me/.ssh/config', '', { sharedFolders: new Set(['/data/me']) }),
      false,
    );
  });

  it('are those of its checkout, whatever its ServerRoot says', () => {
    const kind = (path: string) => (path === '/home/me/clone/.git' ? ('folder' as const) : null);
    const root = '/home/me/clone/etc/httpd/conf/httpd.conf';
    for (const lines of ['', 'ServerRoot /etc/httpd\n', 'ServerRoot /home/me/clone/etc/httpd\n', 'ServerRoot /\n']) {
      assert.equal(reaches(root, '/home/me/clone/var/www/.htaccess', lines, { kind }), true, lines);
      assert.equal(reaches(root, '/home/me/.ssh/config', lines, { kind }), false, lines);
    }
  });
});
