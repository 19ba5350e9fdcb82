/**
 * The cost of references, rename and symbols, counted: lists of the tree gathered and searched.
 * After an edit the same at 1,000 and at 100,000 lines; of other files, only those with the name
 * are read.
 */
import assert from 'node:assert/strict';
import { runToEnd } from '../../server/src/config/resumable';
import { lensesOf } from '../../server/src/features/code-lens';
import { highlightsAt } from '../../server/src/features/highlight';
import {
  forEachSymbol,
  collectNames,
  mayHaveName,
  symbolSummaryOf,
  workCounts,
} from '../../server/src/features/occurrences';
import { documentSymbols, workCounts as outline } from '../../server/src/features/outline';
import { rename } from '../../server/src/features/rename';
import { linesDefining, definitionCounts as definitions } from '../../server/src/symbols/definitions';
import { configurationText } from '../bench/texts';
import { searchableNameAt, placesOf } from '../../server/src/features/references';
import { workCounts as symbols, workspaceSymbols } from '../../server/src/features/workspace-symbols';
import { Tree } from '../../server/src/syntax/document';

const SITE = [
  '<VirtualHost *:80>',
  '    ServerName www@.example.org',
  '    SetEnvIf User-Agent Bot bot@',
  '    Define ROOT@ /srv',
  '    DocumentRoot ${ROOT@}',
  '    <Directory /srv/www>',
  '        Options FollowSymLinks',
  '        Require all granted',
  '    </Directory>',
  '    LogFormat "%h" short',
  '    CustomLog logs/a short',
  '    RewriteEngine On',
  '    RewriteRule ^ - [E=seen:1]',
  '    ErrorLog logs/error',
  '    KeepAlive On',
  '    ServerAdmin root',
  '    Timeout 60',
  '    LogLevel warn',
  '</VirtualHost>',
  '',
];

function text(lines: number): string {
  const sites = Math.ceil(lines / SITE.length);
  return Array.from({ length: sites }, (_, index) => SITE.join('\n').replaceAll('@', String(index))).join('');
}

/** Lists gathered and looked at for something that is asked after an edit in the middle. */
function afterEdit(
  lines: number,
  ask: (tree: Tree, offset: number) => unknown,
): { readonly lists: number; readonly looks: number } {
  const source = text(lines);
  const tree = Tree.parse(source);
  runToEnd(collectNames(tree.root));
  const middle = source.indexOf('ServerAdmin', Math.floor(source.length / 2));
  const edited = tree.edit(middle + 'ServerAdmin '.length, middle + 'ServerAdmin root'.length, 'someone');
  const offset = edited.text().lastIndexOf('${ROOT', middle) + 4;
  const before = { ...workCounts };
  ask(edited, offset);
  return { lists: workCounts.lists - before.lists, looks: workCounts.searchedLists - before.searchedLists };
}

describe('the cost of names', () => {
  const references = (tree: Tree, offset: number) =>
    assert.equal(placesOf(tree, searchableNameAt(tree, offset)!.occurrence, 1000).length, 2);

  it('of references does not depend on the size of the file', () => {
    const small = afterEdit(1_000, references);
    const large = afterEdit(100_000, references);
    assert.ok(small.lists <= 6 && large.lists <= 8, JSON.stringify({ small, large }));
    // One list in many has by chance the bits of a name that it does not have.
    assert.ok(large.looks <= 300, JSON.stringify({ small, large }));
  });

  it('of marks is the same', () => {
    const { lists, looks } = afterEdit(100_000, (tree, offset) => assert.equal(highlightsAt(tree, offset)!.length, 2));
    assert.ok(lists <= 8 && looks <= 300, JSON.stringify({ lists, looks }));
  });

  it('of a name that is everywhere is bounded by what is asked for', () => {
    const { looks } = afterEdit(100_000, (tree) =>
      assert.equal(placesOf(tree, { kind: 'log-format', name: 'short' }, 100).length, 100),
    );
    assert.ok(looks <= 100, `${looks} lists`);
  });

  it('of a rename is one look at the lists that have one of its names', () => {
    const tree = Tree.parse(
      `Define ROOT /srv\n${configurationText(100_000).replaceAll('/srv/www/host', '${ROOT}/host')}`,
    );
    runToEnd(collectNames(tree.root));
    const before = workCounts.searchedLists;
    const answer = rename({
      wantedName: { kind: 'variable', name: 'ROOT' },
      newName: 'BASE',
      files: [{ path: '/a.conf', tree, displayName: 'a.conf', whyUnchangeable: null }],
      defines: new Map(),
    });
    assert.equal('edits' in answer && answer.edits.get('/a.conf')!.length, 5_001);
    // A host has 20 lines, and its body and its directory are lists.
    assert.ok(workCounts.searchedLists - before <= 12_000, `${workCounts.searchedLists - before} lists`);
  });

  it('of what defines a name is that of the lines that mention it', () => {
    const source = `LogFormat "%h" short\n${configurationText(100_000)}`;
    const tree = Tree.parse(source);
    for (const [kind, name, most] of [
      ['log-format', 'short', 1],
      ['environment', 'bad_bot', 5_000],
      ['variable', 'nowhere', 0],
    ] as const) {
      const before = definitions.lines;
      linesDefining(tree, undefined, kind, name);
      // Rewrite rules have escapes, and are read.
      assert.ok(definitions.lines - before <= most + 5_000, `${name}: ${definitions.lines - before} lines`);
    }
    const before = definitions.lines;
    assert.equal(linesDefining(tree, undefined, 'environment', 'bad_bot', 100).length, 100);
    assert.ok(definitions.lines - before <= 200, `for the first hundred: ${definitions.lines - before} lines`);
  });

  it('of the outline after an edit is that of the lists on one path', () => {
    const tree = Tree.parse(configurationText(100_000));
    documentSymbols(tree);
    const middle = tree.text().indexOf('ServerAdmin', tree.length / 2);
    const edited = tree.edit(middle, middle, '\n');
    const before = outline.lists;
    documentSymbols(edited);
    assert.ok(outline.lists - before <= 8, `${outline.lists - before} lists`);
  });

  it('of code lenses and symbols is that of the lists that have some, and bounded', () => {
    const { lists } = afterEdit(100_000, (tree) => assert.equal(lensesOf(tree).length, 2000));
    assert.ok(lists <= 8, `${lists} lists`);
    const tree = Tree.parse(text(100_000));
    const before = symbols.comparedSymbols;
    const found = workspaceSymbols(
      'www77.example',
      Array.from({ length: 50 }, (_, index) => ({
        path: `/${index}`,
        forEach: (visit: Parameters<typeof forEachSymbol>[1], test: (text: string) => boolean) =>
          forEachSymbol(tree.root, visit, test),
      })),
    );
    assert.ok(found.length > 1 && found[0]!.name === 'www77.example.org', found[0]?.name);
    assert.ok(symbols.comparedSymbols - before <= 100_000, `${symbols.comparedSymbols - before} symbols`);
  });

  it('of other files is that of those that have the name', () => {
    const prints = Array.from(
      { length: 5_000 },
      (_, index) => symbolSummaryOf(Tree.parse(SITE.join('\n').replaceAll('@', String(index))).root).nameHashes,
    );
    const having = (name: string, kind: 'variable' | 'log-format' = 'variable') =>
      prints.filter((print) => mayHaveName(print, { kind, name })).length;
    assert.equal(having('root77'), 1);
    assert.equal(having('nowhere'), 0);
    assert.equal(having('short', 'log-format'), 5_000);
  });

  it('of a summary is nothing that stays with the tree', () => {
    const tree = Tree.parse(text(1_000));
    const before = workCounts.lists;
    symbolSummaryOf(tree.root);
    assert.equal(workCounts.lists, before);
  });
});
