/** Diagnostics of the protocol after edits of a long file. */
import assert from 'node:assert/strict';
import { Engine } from '../../server/src/analysis/engine';
import { diagnostics } from '../../server/src/features/diagnostics';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { oldText } from '../bench/old-files';
import { Random, seed } from '../support/random';
import { rounds } from '../support/rounds';

describe('diagnostics of a long file', () => {
  const start = seed();

  const count = rounds(2);

  it(`are those of a fresh look, whatever was shown before (${count * 60} edits)`, () => {
    for (let round = 0; round < count; round++) {
      const random = new Random(start + round);
      const engine = new Engine({ rules: ALL_RULES });
      let tree = Tree.parse(oldText(2100));
      for (let edit = 0; edit < 60; edit++) {
        const text = tree.text();
        const from = random.below(text.length + 1);
        const to = random.below(3) > 0 ? from : Math.min(text.length, from + random.below(300));
        tree = tree.edit(from, to, random.pick(TYPED));
        const told = (of: Engine, file: Tree) =>
          diagnostics(of.analyze(file, { isHtaccess: false }), 200, [], () => null, 'file:///a');
        assert.deepEqual(
          told(engine, tree),
          told(new Engine({ rules: ALL_RULES }), Tree.parse(tree.text())),
          `HTTPD_UPGRADE_SEED=${start + round}, edit ${edit}`,
        );
      }
    }
  });
});

const TYPED = [
  'x',
  '\n',
  'NameVirtualHost *:80\n',
  'Listen 80\n',
  '<VirtualHost *:80>\nMaxClients 1\n</VirtualHost>\n',
  '</VirtualHost>\n',
  '<VirtualHost *:80>\n',
  '\r',
  '\\\n',
  'Satisfy Any\n',
  '# httpd-upgrade-ignore order-allow-deny: x\n',
  'ServerRoot /x\n',
  '${A}\n',
];
