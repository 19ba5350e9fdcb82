/** The index of names, kept current, and the cost of a question: files looked at, counted. */
import assert from 'node:assert/strict';
import { fileNamesOf, namesOfFileCounts as gathered } from '../../server/src/symbols/names-of-file';
import { NameIndex, searchCounts } from '../../server/src/symbols/name-index';
import { Tree } from '../../server/src/syntax/document';

const names = (text: string) => fileNamesOf(Tree.parse(text));
const every = () => true;

describe('names of files', () => {
  it('are what lines define, and what the top level says last', () => {
    const { definingLines, topLines, hasOverride } = names(
      'ServerAdmin a\n<IfModule x>\nErrorLog one\n</IfModule>\nErrorLog two\n<IfDefine Y>\n<IfModule !z>\nErrorLog three\n</IfModule>\n</IfDefine>\n<Directory />\nAllowOverride None\nSetEnv here 1\n</Directory>\n',
    );
    assert.deepEqual(definingLines, [{ kind: 'environment', name: 'here', value: '1', row: 12 }]);
    assert.deepEqual(
      [...topLines].map(([name, lines]) => [
        name,
        ...lines.map(({ text, row, conditions }) =>
          `${row} ${text} ${conditions.map((line) => line.name).join(' ')}`.trim(),
        ),
      ]),
      [
        ['serveradmin', '0 ServerAdmin a'],
        ['errorlog', '4 ErrorLog two', '7 ErrorLog three ifdefine ifmodule'],
      ],
    );
    assert.equal(hasOverride, true);
  });

  it('have rows behind continued lines and sections', () => {
    assert.deepEqual(
      names(
        'Define \\\n  A \\\n  1\n<VirtualHost \\\n *>\n\nSetEnv B 2\n</VirtualHost>\nDefine C 3\n',
      ).definingLines.map(({ name, row }) => [name, row]),
      [
        ['A', 0],
        ['B', 6],
        ['C', 8],
      ],
    );
  });

  it('are gathered once for a text', () => {
    const tree = Tree.parse('Define A 1\n');
    const before = gathered.files;
    assert.equal(fileNamesOf(tree), fileNamesOf(tree));
    assert.equal(gathered.files - before, 1);
  });
});

describe('the index of names', () => {
  it('forgets what a file said before', () => {
    const index = new NameIndex();
    index.set('/a', names('LogFormat x Short\nTimeout 5\n'));
    index.set('/b', names('LogFormat y short\n'));
    assert.deepEqual(
      index.placesDefining('log-format', 'SHORT', every, 10).map(({ path, value }) => path + value),
      ['/ax', '/by'],
    );
    index.set('/a', names('LogFormat x other\n'));
    assert.deepEqual(
      index.placesDefining('log-format', 'short', every, 10).map(({ path }) => path),
      ['/b'],
    );
    assert.deepEqual(index.topLines('timeout', every), []);
    index.set('/b', null);
    assert.deepEqual([...index.namesOfKind('log-format', every, 10).keys()], ['other']);
  });

  it('looks at the files that have a name, of however many', () => {
    const cost = (files: number) => {
      const index = new NameIndex();
      for (let i = 0; i < files; i++)
        index.set(`/sites/${i}`, names(`<VirtualHost *>\nSetEnv site${i} 1\n</VirtualHost>\n`));
      index.set('/root', names('LogFormat x short\nServerAdmin a\n'));
      const before = searchCounts.files;
      index.placesDefining('log-format', 'short', every, 50);
      index.topLines('serveradmin', every);
      index.namesOfKind('log-format', every, 200);
      return searchCounts.files - before;
    };
    assert.equal(cost(20_000), cost(20));
  });

  it('looks at a bounded number where all have it', () => {
    const index = new NameIndex();
    for (let i = 0; i < 20_000; i++)
      index.set(`/sites/${i}`, names(`SetEnv site${i} 1\nSetEnv all 1\nServerAdmin a\n`));
    const before = searchCounts.files;
    assert.equal(index.placesDefining('environment', 'all', every, 50).length, 50);
    assert.equal(index.namesOfKind('environment', every, 200).size, 200);
    assert.equal(index.topLines('serveradmin', every), null);
    index.namesOfKind('environment', () => false, 200);
    assert.ok(searchCounts.files - before < 6000, `${searchCounts.files - before} looks`);
  });
});
