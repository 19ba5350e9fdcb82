/** Server paths and local paths: joined, mapped and mapped back, for POSIX and for Windows. */
import assert from 'node:assert/strict';
import {
  parentFolders,
  isWithin,
  localPathOf,
  localPathAsSpelled,
  pathComponents,
  pathOfComponents,
  resolvePath,
  serverPathOf,
  wildcardFolder,
  type PathMap,
} from '../../server/src/config/files';
import { memoryFiles } from '../../server/src/config/memory-files';

describe('paths of the server', () => {
  for (const [base, path, expected] of [
    ['/etc/httpd', 'conf/a.conf', '/etc/httpd/conf/a.conf'],
    ['/etc/httpd', '/srv//x/./y/../z/', '/srv/x/z'],
    ['/', '', '/'],
    ['C:/Apache24', 'conf/a.conf', 'C:/Apache24/conf/a.conf'],
    ['C:/Apache24', 'conf\\extra\\a.conf', 'C:/Apache24/conf/extra/a.conf'],
    ['/', 'c:\\xampp\\htdocs\\', 'C:/xampp/htdocs'],
    ['/', 'd:/x/../y//z/.', 'D:/y/z'],
    ['C:/x', '..', 'C:/'],
    ['C:/', '..', 'C:/'],
    ['/', 'C:/', 'C:/'],
    ['C:/Apache24', '/www', 'C:/www'],
    ['C:/Apache24', 'D:/www', 'D:/www'],
    ['c:\\Apache24', 'www', 'C:/Apache24/www'],
    ['C:/x', '//host/share/a', '/host/share/a'],
    // A name is no drive.
    ['/etc', 'a:b', '/etc/a:b'],
    ['/etc', 'ab:/c', '/etc/ab:/c'],
  ]) {
    it(`${path} in ${base}`, () => assert.equal(resolvePath(base, path), expected));
  }

  it('have the directories around them', () => {
    assert.deepEqual(parentFolders('/a/b/c'), ['/', '/a', '/a/b']);
    assert.deepEqual(parentFolders('C:/a/b'), ['C:/', 'C:/a']);
    assert.deepEqual([parentFolders('/'), parentFolders('C:/')], [[], []]);
  });

  it('are compared by their components, on a drive in any case', () => {
    assert.deepEqual(
      [pathComponents('/Srv/www/'), pathComponents('C:/Srv/WWW')],
      [
        ['Srv', 'www'],
        ['c:', 'srv', 'www'],
      ],
    );
    assert.deepEqual([[], ['a', 'b'], ['c:'], ['c:', 'a']].map(pathOfComponents), ['/', '/a/b', 'c:/', 'c:/a']);
    assert.deepEqual(
      [isWithin('/a/b', '/a'), isWithin('/ab', '/a'), isWithin('/A/b', '/a'), isWithin('/a', '/')],
      [true, false, false, true],
    );
    assert.deepEqual(
      [
        isWithin('C:/A/b', 'C:/a'),
        isWithin('C:/ab', 'C:/a'),
        isWithin('C:/a', 'C:/'),
        isWithin('D:/a', 'C:/'),
        isWithin('C:/a', '/'),
      ],
      [true, false, true, false, false],
    );
  });

  const entry = (from: string, to: string) => ({ from, to });
  const byLength = (...entries: PathMap['entries'][number][]): PathMap => ({
    entries: entries.sort((a, b) => b.from.length - a.from.length),
  });

  it('are mapped by the longest prefix, in both directions', () => {
    const map = byLength(
      entry('C:/xampp', '/copy/xampp'),
      entry('C:/xampp/htdocs', '/copy/www'),
      entry('D:/', '/copy/d'),
    );
    for (const [there, here] of [
      ['C:/xampp', '/copy/xampp'],
      ['C:/xampp/apache/conf', '/copy/xampp/apache/conf'],
      ['C:/xampp/htdocs/a', '/copy/www/a'],
      ['D:/x', '/copy/d/x'],
    ]) {
      assert.equal(localPathOf(there, map), here);
      assert.equal(serverPathOf(here, map), there);
    }
    assert.equal(localPathOf('C:/XAMPP/Htdocs/A', map), '/copy/www/A');
    assert.equal(localPathOf('C:/xampp2', map), '/dev/null/C:/xampp2');
    assert.equal(localPathOf('/srv/x', map), '/srv/x');
  });

  it('of Windows are nowhere on another machine, and where they say on Windows', () => {
    assert.equal(localPathOf('C:/xampp', { entries: [] }), '/dev/null/C:/xampp');
    assert.equal(localPathOf('C:/xampp', { entries: [], hasDrives: true }), 'C:/xampp');
  });

  it('of Windows lead to files in whatever case these are written here', () => {
    const view = memoryFiles({ '/copy/xampp/HtDocs/Forum/.htaccess': '' });
    const map = byLength(entry('C:/xampp', '/copy/xampp'), entry('/srv', '/copy/xampp'));
    assert.equal(
      localPathAsSpelled('C:/XAMPP/htdocs/FORUM/.htaccess', map, view),
      '/copy/xampp/HtDocs/Forum/.htaccess',
    );
    assert.equal(localPathAsSpelled('C:/xampp/htdocs/new/x', map, view), '/copy/xampp/HtDocs/new/x');
    assert.equal(localPathAsSpelled('/srv/htdocs', map, view), '/copy/xampp/htdocs');
  });
});

describe('the directory of a wildcard', () => {
  for (const [path, folder] of [
    ['/etc/httpd/conf.d/*.conf', '/etc/httpd/conf.d'],
    ['/etc/*/a[b]/c', '/etc'],
    ['/*', ''],
    ['*.conf', ''],
    ['conf.d/a?', 'conf.d'],
    ['/etc/a', '/etc/a'],
  ] as const)
    it(path, () => {
      assert.equal(wildcardFolder(path), folder);
    });
});
