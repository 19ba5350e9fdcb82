/** The search for .htaccess files around given ones, and its limits. */
import assert from 'node:assert/strict';
import type { FileView } from '../../server/src/config/files';
import { memoryFiles } from '../../server/src/config/memory-files';
import { htaccessFilesAround } from '../../server/src/features/htaccess-around';
import { projectOfTexts } from '../../server/src/features/project-of-texts';
import { projectOf } from '../support/project';

const FILE = '/srv/.htaccess';
const ANSWER = { answers: { 'outside-unseen:.': 'none' } };

/** A view of one file and of this number of empty directories beside it. */
function viewWithFolders(count: number): FileView {
  const files = memoryFiles({ [FILE]: 'Order allow,deny\nAllow from all\n' });
  const folders = Array.from({ length: count }, (_, index) => `d${index}`);
  const isFolder = (path: string) => /^\/srv\/d\d+$/.test(path);
  return {
    ...files,
    read: (path) => files.read(path),
    realPath: (path) => path,
    kind: (path) => (isFolder(path) ? 'folder' : files.kind(path)),
    list: (path) => (path === '/srv' ? ['.htaccess', ...folders] : isFolder(path) ? [] : files.list(path)),
  };
}

describe('the .htaccess files around a given one', () => {
  it('are those above and below, but not those in other directories', () => {
    const paths = ['/srv/a/.htaccess', '/srv/a/b/c/.htaccess', FILE, '/srv/other/.htaccess', '/srv/a/x.conf'];
    const view = memoryFiles(Object.fromEntries(paths.map((path) => [path, ''])));
    assert.deepEqual(htaccessFilesAround(['/srv/a/.htaccess'], view, '/srv'), {
      files: [FILE, '/srv/a/b/c/.htaccess'],
      isIncomplete: false,
    });
  });

  it('are not all known where too many directories lie below', () => {
    assert.equal(
      htaccessFilesAround([FILE], viewWithFolders(3), '/srv', { folders: 3, names: 100 }).isIncomplete,
      true,
    );
    assert.equal(
      htaccessFilesAround([FILE], viewWithFolders(3), '/srv', { folders: 4, names: 100 }).isIncomplete,
      false,
    );
    assert.equal(htaccessFilesAround([FILE], viewWithFolders(3), '/srv', { folders: 4, names: 3 }).isIncomplete, true);
  });

  it('hold the conversion back where they are not all known, whatever the answer is', () => {
    const { settings } = projectOfTexts({ x: '' }, ANSWER);
    const finding = (folders: number) => {
      const view = viewWithFolders(folders);
      const { findings } = projectOf(view, settings, FILE);
      return findings({ path: FILE, tree: view.read(FILE)! }).find(({ rule }) => rule?.id === 'order-allow-deny')!;
    };
    assert.equal(finding(3).fixes[0]?.safety, 'safe');
    assert.deepEqual(finding(20_001).fixes, []);
    assert.match(
      finding(20_001).cause!,
      /too many directories below this file .* run on the directory that contains it/,
    );
  });
});
