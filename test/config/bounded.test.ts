/** Directories without end, as a link to `/` makes them: the walks end, and what they leave out is a gap. */
import assert from 'node:assert/strict';
import { accessConditions } from '../../server/src/access/conditions';
import { ACCESS_NAMES } from '../../server/src/access/configuration-conversion';
import { discoverHtaccess } from '../../server/src/access/htaccess-files';
import { readConfiguration } from '../../server/src/config/configuration';
import { configView } from '../../server/src/config/config-view';
import { includedFiles, isIncomplete, type FileView } from '../../server/src/config/files';
import { memoryFiles } from '../../server/src/config/memory-files';
import { readModel } from '../../server/src/config/read-model';

const MAIN = '/srv/conf/httpd.conf';
const LINK = '/srv/www/all';
const NAMES = Array.from({ length: 20 }, (_, i) => `d${i}`);

describe('directories without end', () => {
  it('in an Include with a wildcard are not all looked at', () => {
    const { view, lists } = endless('');
    const files = includedFiles(`${LINK}/*/*/*/*/*/*/*/*/*.conf`, view);
    assert.deepEqual(files, []);
    assert.ok(isIncomplete(files));
    assert.ok(lists() < 10_000, String(lists()));
    assert.ok(isIncomplete(includedFiles(LINK, view)));
    assert.ok(!isIncomplete(includedFiles('/srv/conf/*.conf', view)));
  });

  it('are a gap of the configuration, and many such lines take no longer', () => {
    const { view, lists } = endless(`Include ${LINK}/*/*/*/*/*/*/*/*/*.conf\n`.repeat(100));
    const { gaps } = readModel({ root: MAIN, view: configView(view), server: {} })!;
    assert.ok(gaps.every(({ reason }) => reason === 'too-many'));
    assert.equal(gaps.length, 100);
    assert.ok(lists() < 30_000, String(lists()));
  });

  it('below a DocumentRoot are not all searched for .htaccess files', () => {
    const { view, lists } = endless(
      'DocumentRoot /srv/www\n<Directory /srv/www>\nAllowOverride All\nOrder allow,deny\nAllow from all\n</Directory>\n',
    );
    const configuration = readConfiguration({
      root: MAIN,
      view,
      names: ACCESS_NAMES,
      conditions: accessConditions(),
    })!;
    const { doubts } = discoverHtaccess(configuration, view);
    assert.ok(doubts.some(({ kind }) => kind === 'too-many-directories'));
    assert.ok(lists() < 40_000, String(lists()));
  });
});

/** `/srv/www/all` leads to `/`, below which each directory has twenty. */
function endless(main: string): { readonly view: FileView; readonly lists: () => number } {
  const files = memoryFiles({ [MAIN]: main, '/srv/www/index.html': '' });
  let lists = 0;
  const isEndless = (path: string) => path === LINK || path.startsWith(`${LINK}/`) || /^\/d\d+/.test(path);
  const view: FileView = {
    ...files,
    list: (path) => {
      lists++;
      if (path === '/srv/www') return ['index.html', 'all'];
      return isEndless(path) ? NAMES : files.list(path);
    },
    kind: (path) => (isEndless(path) ? 'folder' : files.kind(path)),
    identity: (path) => (isEndless(path) ? path.replace(LINK, '') || '/' : path),
  };
  return { view, lists: () => lists };
}
