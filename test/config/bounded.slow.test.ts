/** Endless directories, as a link to `/` makes them: the walks end, and omitted parts are gaps. */
import assert from 'node:assert/strict';
import { accessConditionDecider } from '../../server/src/access/conditions';
import { ACCESS_NAMES } from '../../server/src/access/conversion-input';
import { discoverHtaccess } from '../../server/src/access/htaccess-files';
import { readConfiguration } from '../../server/src/config/configuration';
import { configView } from '../../server/src/config/config-view';
import { includedFiles, isIncompleteList, type FileView } from '../../server/src/config/files';
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
    assert.ok(isIncompleteList(files));
    assert.ok(lists() < 10_000, String(lists()));
    assert.ok(isIncompleteList(includedFiles(LINK, view)));
    assert.ok(!isIncompleteList(includedFiles('/srv/conf/*.conf', view)));
  });

  it('are a gap of the configuration, and many such lines take no longer', () => {
    const { view, lists } = endless(`Include ${LINK}/*/*/*/*/*/*/*/*/*.conf\n`.repeat(100));
    const { gaps } = readModel({ mainFile: MAIN, view: configView(view), server: {} })!;
    assert.ok(gaps.every(({ reason }) => reason === 'too-many'));
    assert.equal(gaps.length, 100);
    assert.ok(lists() < 10_000, String(lists()));
  });

  it('are a gap, too, after many Include lines that each read a part of them', () => {
    const lines = Array.from({ length: 100 }, (_, i) => `Include ${LINK}/*/*/*/x${i}*.conf\n`).join('');
    const { view, lists } = endless(lines);
    const { gaps } = readModel({ mainFile: MAIN, view: configView(view), server: {} })!;
    const reasons = gaps.map(({ reason }) => reason);
    assert.ok(reasons.filter((reason) => reason === 'too-many').length > 50);
    assert.ok(lists() < 10_000, String(lists()));
  });

  it('are searched once for equal Include lines', () => {
    const { view, lists } = endless(`Include ${LINK}/*/*/*.conf\n`.repeat(100));
    const { gaps } = readModel({ mainFile: MAIN, view: configView(view), server: {} })!;
    assert.ok(!gaps.some(({ reason }) => reason === 'too-many'));
    assert.ok(lists() < 1_000, String(lists()));
  });

  it('below a DocumentRoot are not all searched for .htaccess files', () => {
    const { view, lists } = endless(
      'DocumentRoot /srv/www\n<Directory /srv/www>\nAllowOverride All\nOrder allow,deny\nAllow from all\n</Directory>\n',
    );
    const configuration = readConfiguration({
      root: MAIN,
      view,
      names: ACCESS_NAMES,
      decideCondition: accessConditionDecider(),
    })!;
    const { openQuestions } = discoverHtaccess(configuration, view);
    assert.ok(openQuestions.some(({ kind }) => kind === 'too-many-directories'));
    assert.ok(lists() < 40_000, String(lists()));
  });

  it('with files of anything in them are read up to the hundredth that is no configuration', () => {
    for (const text of ['Usage: a [options]\n', 'option a\n', '# a\n\n<html>\n']) {
      const { view, reads } = directoryOf(500, text);
      assert.deepEqual(
        readModel({ mainFile: MAIN, view: configView(view), server: {} })!.gaps.map(({ reason }) => reason),
        ['too-many'],
      );
      const { gaps, files } = readConfiguration({ root: MAIN, view, names: ACCESS_NAMES })!;
      assert.deepEqual(
        gaps.map(({ reason }) => reason),
        ['too-many'],
      );
      assert.equal(files.size, 101);
      assert.ok(reads().size <= 102, String(reads().size));
    }
  });

  it('with configuration in them are read, whatever the lines are for', () => {
    for (const text of ['<VirtualHost *:80>\n</VirtualHost>\n', '', '# a\n', '${A} b\n', 'Listen 1\noption a\n']) {
      const { view } = directoryOf(500, text);
      assert.equal(readConfiguration({ root: MAIN, view, names: ACCESS_NAMES })!.files.size, 501);
      assert.ok(
        !readModel({ mainFile: MAIN, view: configView(view), server: {} })!.gaps.some(
          ({ reason }) => reason === 'too-many',
        ),
      );
    }
  });
});

describe('.htaccess files without end', () => {
  const SERVING =
    'AccessFileName README\nDocumentRoot /srv/www\n<Directory />\nAllowOverride All\nOrder allow,deny\n</Directory>\n';

  it('that are no configuration are read up to the hundredth, and a question says so', () => {
    const texts = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`/srv/www/d${i}/README`, 'Read me\n']));
    const view = memoryFiles({ [MAIN]: SERVING, ...texts });
    const configuration = readConfiguration({
      root: MAIN,
      view,
      names: ACCESS_NAMES,
      decideCondition: accessConditionDecider(),
    })!;
    const { openQuestions, accessFiles } = discoverHtaccess(configuration, view);
    assert.deepEqual(
      openQuestions.map(({ kind }) => kind),
      ['too-many-directories'],
    );
    assert.equal(accessFiles.size, 100);
  });
});

/** A directory of so many files of one text, which the main file includes. */
function directoryOf(
  count: number,
  text: string,
): { readonly view: FileView; readonly reads: () => ReadonlySet<string> } {
  const names = Array.from({ length: count }, (_, i) => `/srv/all/f${i}`);
  const files = memoryFiles({
    [MAIN]: 'Include /srv/all\n',
    ...Object.fromEntries(names.map((name) => [name, text])),
  });
  const reads = new Set<string>();
  const read = (path: string) => {
    reads.add(path);
    return files.read(path);
  };
  return { view: { ...files, read }, reads: () => reads };
}

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
    realPath: (path) => (isEndless(path) ? path.replace(LINK, '') || '/' : path),
  };
  return { view, lists: () => lists };
}
