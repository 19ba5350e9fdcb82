/**
 * Hovers on arguments anywhere in the corpus, if present: no crash, a range around the cursor,
 * non-empty Markdown.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { MarkupContent } from 'vscode-languageserver-types';
import { Engine } from '../../server/src/analysis/engine';
import { DEFAULT_TARGET } from '../../server/src/config/target';
import { hover } from '../../server/src/features/hover/hover';
import { inlayHints } from '../../server/src/features/inlay-hints';
import { decode } from '../../server/src/host/decode';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { argumentsOf } from '../../server/src/syntax/line';
import { forEachLine } from '../../server/src/syntax/tree';
import { describeOver } from '../support/lacks';
import { corpusFolder } from '../support/paths';

/** One argument of so many is asked for. */
const STEP = 11;

describeOver('corpus', 'hovers in the corpus', function () {
  this.timeout(900_000);

  it('stand where they are asked for', () => {
    const engine = new Engine({ rules: ALL_RULES });
    let seen = 0;
    let said = 0;
    for (const file of walk(corpusFolder)) {
      const decoded = decode(readFileSync(file));
      if (!('text' in decoded)) continue;
      const tree = Tree.parse(decoded.text);
      engine.analyze(tree, { isHtaccess: false });
      forEachLine(tree.root, 0, tree.length, (line, offset) => {
        if (line.name === '') return;
        for (const word of argumentsOf(line)) {
          if (seen++ % STEP !== 0) continue;
          const at = offset + ((word.start + word.end) >> 1);
          const found = hover(tree, at, DEFAULT_TARGET, { engine });
          if (!found) continue;
          said++;
          const context = `${file}: ${line.text.trim()}`;
          assert.ok(tree.offsetAt(found.range!.start) <= at && at <= tree.offsetAt(found.range!.end), context);
          const { value } = found.contents as MarkupContent;
          assert.ok(value.length > 10 && !/undefined|NaN|\[object/.test(value), `${context}\n${value}`);
        }
      });
      inlayHints({
        tree,
        start: 0,
        end: tree.length,
        engine,
        isHtaccess: false,
        showsInherited: true,
        showsDefaults: true,
      });
    }
    assert.ok(said > seen / STEP / 4, `${said} of ${Math.floor(seen / STEP)}`);
  });
});

function walk(folder: string): string[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const full = path.join(folder, name);
      return statSync(full).isDirectory() ? walk(full) : [full];
    });
}
