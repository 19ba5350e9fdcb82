/**
 * Every file of the corpus, if present: no crash, nothing lost, stable fixes, edits that equal a
 * fresh parse.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { Engine } from '../../server/src/analysis/engine';
import { fixText } from '../../server/src/analysis/fixes';
import { decode, encode } from '../../server/src/host/decode';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { outline } from '../syntax/outline';
import { Random, seed } from '../support/random';
import { describeOver } from '../support/lacks';
import { corpusFolder } from '../support/paths';

describeOver('corpus', 'the corpus', function () {
  this.timeout(600_000);
  const engine = new Engine({ rules: ALL_RULES });
  const files = textsIn(corpusFolder);

  it('is there', () => assert.ok(files.length > 500, `${files.length} files`));

  it('every file survives reading, parsing and writing byte for byte', () => {
    for (const { file, bytes, text, encoding } of files) {
      assert.equal(Tree.parse(text).text(), text, file);
      assert.ok(Buffer.from(encode(text, encoding)!).equals(bytes), file);
    }
  });

  it('fixes settle: what is fixed safely has nothing left to fix safely, and fixing all leaves nothing to fix', () => {
    for (const { file, text, isHtaccess } of files) {
      for (const unsafe of [false, true]) {
        const once = fixText(engine, text, { isHtaccess }, { unsafe });
        const twice = fixText(engine, once.text, { isHtaccess }, { unsafe });
        assert.equal(twice.appliedCount, 0, `${file}: ${JSON.stringify(twice.fixes)}`);
        assert.equal(twice.text, once.text, file);
      }
    }
  });

  it('random edits equal a fresh parse, findings too', () => {
    const start = seed();
    files.forEach(({ file, text, isHtaccess }, index) => {
      const random = new Random(start + index);
      let tree = Tree.parse(text);
      engine.analyze(tree, { isHtaccess });
      for (let i = 0; i < 5; i++) {
        const from = random.below(tree.length + 1);
        const to = Math.min(tree.length, from + random.below(60));
        const take = random.below(text.length);
        tree = tree.edit(from, to, text.slice(take, take + random.below(80)));
        const context = `HTTPD_UPGRADE_SEED=${start} ${file} edit ${i}`;
        const fresh = Tree.parse(tree.text());
        assert.equal(outline(tree.root), outline(fresh.root), context);
        const show = (of: Tree) =>
          engine
            .analyze(of, { isHtaccess })
            .findings()
            .map((f) => `${f.start}-${f.end} ${f.rule.id} ${f.severity} ${JSON.stringify(f.fixes)}`);
        assert.deepEqual(show(tree), show(fresh), context);
      }
    });
  });
});

function textsIn(folder: string) {
  return walk(folder).flatMap((file) => {
    if (path.dirname(file) === folder) return [];
    const bytes = readFileSync(file);
    const decoded = decode(bytes);
    return 'text' in decoded ? [{ file, bytes, ...decoded, isHtaccess: path.basename(file) === '.htaccess' }] : [];
  });
}

function walk(folder: string): string[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const full = path.join(folder, name);
      return statSync(full).isDirectory() ? walk(full) : [full];
    });
}
