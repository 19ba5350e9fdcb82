/**
 * The cost of an edit, counted: nodes built and rules run. The same at 1,000 and at 100,000 lines,
 * except for the additional levels of the balanced tree.
 */
import assert from 'node:assert/strict';
import { Engine, checkCounts as checked } from '../../server/src/analysis/engine';
import { diagnostics, workCounts as shown } from '../../server/src/features/diagnostics';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { nodeCounts as built } from '../../server/src/syntax/tree';
import { oldText } from '../bench/old-files';

const SITE = [
  '<VirtualHost *:80>',
  '    ServerName www.example.org',
  '    DocumentRoot /srv/www',
  '    # the pages',
  '    <Directory /srv/www>',
  '        Options FollowSymLinks',
  '        Order allow,deny',
  '        Allow from all',
  '    </Directory>',
  '    <IfModule mod_rewrite.c>',
  '        RewriteEngine On',
  '    </IfModule>',
  '    RewriteLogLevel 0',
  '    ErrorLog logs/error',
  '    KeepAlive On',
  '    ServerAdmin root',
  '    DefaultType text/html',
  '    LogLevel warn',
  '</VirtualHost>',
  '',
];

/**
 * A tree of a hundred times as many lines has this many levels more: 32 children a node at most, 8
 * at least.
 */
const EXTRA_LEVELS = 2;

/**
 * Most nodes to build on a level: a plain edit copies one, an edit that splits the tree and joins
 * it again a handful.
 */
const PLAIN = 1;
const SPLIT = 12;

const EDITS: [title: string, find: string, replace: string, perLevel: number][] = [
  ['a letter in a directive', 'ServerAdmin root', 'ServerAdmin roots', PLAIN],
  ['a letter in a comment', '# the pages', '# the pages!', PLAIN],
  ['a letter in a line with findings', 'Allow from all', 'Allow from al', PLAIN],
  ['a new line', '    ErrorLog logs/error\n', '    ErrorLog logs/error\n    ServerAlias x\n', PLAIN],
  ['a line removed', '    LogLevel warn\n', '', PLAIN],
  ['a tag broken', '    </Directory>', '    </Directry>', SPLIT],
  ['an opening tag half typed', '    RewriteLogLevel 0\n', '    RewriteLogLevel 0\n    <Directory /x>\n', SPLIT],
  ['a virtual host falling apart', '</VirtualHost>', '</VirtualHos>', SPLIT],
  ['a continuation made', 'ServerAdmin root', 'ServerAdmin root \\', SPLIT],
];

describe('the cost of an edit', () => {
  for (const [title, find, replace, perLevel] of EDITS) {
    it(`does not depend on the size of the file: ${title}`, () => {
      const small = costs(1_000, find, replace);
      const large = costs(100_000, find, replace);
      assert.equal(large.checks, small.checks, 'rules run');
      assert.ok(
        large.nodes <= small.nodes + EXTRA_LEVELS * perLevel,
        `nodes built: ${large.nodes} in the large file, ${small.nodes} in the small one`,
      );
      assert.ok(small.nodes < (perLevel === PLAIN ? 20 : 120), `nodes built: ${small.nodes}`);
    });
  }
});

describe('the cost of a keystroke in a file with a thousand findings', () => {
  it('is that of the section it is in: what is shown of the others is shown again', () => {
    const engine = new Engine({ rules: ALL_RULES });
    const text = oldText(14_000);
    let tree = Tree.parse(text);
    const show = () =>
      diagnostics(engine.analyze(tree, { isHtaccess: false }), 1000, [], () => null, 'file:///a').length;
    assert.equal(show(), 1000);
    const at = text.indexOf('webmaster', text.length / 2);
    const before = shown.made;
    // A letter, and a line end that moves all that comes after it.
    for (const typed of ['x', '\n']) {
      tree = tree.edit(at, at, typed);
      assert.ok(show() >= 1000);
    }
    assert.ok(shown.made - before <= 10, `${shown.made - before} diagnostics made for two keystrokes`);
  });
});

/** What the edit costs in the middle of a file of so many lines: tree, findings, and back again. */
function costs(lines: number, find: string, replace: string): { nodes: number; checks: number } {
  const text = Array.from({ length: lines / SITE.length }, () => SITE.join('\n')).join('\n');
  const engine = new Engine({ rules: ALL_RULES });
  const tree = Tree.parse(text);
  engine.analyze(tree, { isHtaccess: false });
  const at = text.indexOf(find, Math.floor(text.length / 2));
  const before = { nodes: built.nodes, checks: checked.checks };
  engine.analyze(tree.edit(at, at + find.length, replace), { isHtaccess: false });
  return { nodes: built.nodes - before.nodes, checks: checked.checks - before.checks };
}
