/**
 * One section of old access lines is one finding that includes all of its lines: in every sample,
 * and in the corpus if present.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { Engine } from '../../server/src/analysis/engine';
import { isTransparent, sectionKind } from '../../server/src/config/sections';
import { sectionsAt } from '../../server/src/features/sections-at';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { LineKind } from '../../server/src/syntax/line';
import { forEachLine } from '../../server/src/syntax/tree';
import { textsOfCorpus, textsOfSamples } from '../support/words';

const OLD = new Set(['order', 'allow', 'deny', 'satisfy']);

describe('old access lines of a section', function () {
  this.timeout(900_000);

  it('are one finding, which names every line', () => {
    const engine = new Engine({ rules: ALL_RULES, findsInactive: true });
    const twice: string[] = [];
    const unsaid: string[] = [];
    let sections = 0;
    for (const { file, text } of [...textsOfSamples(), ...textsOfCorpus()]) {
      const tree = Tree.parse(text);
      const all = engine.analyze(tree, { isHtaccess: path.basename(file) === '.htaccess' }).findings();
      const found = all.filter(({ rule }) => rule.id === 'order-allow-deny');
      const where = (offset: number) => `${file}:${tree.positionAt(offset).line + 1}`;
      const scopes = new Set<number>();
      for (const { start } of found) {
        const scope = sectionsAt(tree, start).findLast(({ section }) => !isTransparent(sectionKind(section.name)));
        const key = scope?.offset ?? -1;
        if (scopes.has(key)) twice.push(where(start));
        scopes.add(key);
        sections++;
      }
      const said = new Set(
        all.flatMap(({ start, places = [] }) => [start, ...places.map((place) => place.start)]).map(where),
      );
      const unread = all.filter(({ rule }) => rule.id === 'inactive-text');
      forEachLine(tree.root, 0, tree.length, (line, offset) => {
        const isOld = line.kind === LineKind.Directive && OLD.has(line.name);
        if (!isOld || unread.some(({ start, end }) => start <= offset && offset < end)) return;
        if (!said.has(where(offset + line.nameStart))) unsaid.push(`${where(offset)}: ${line.text.trim()}`);
      });
    }
    assert.ok(sections > 10);
    assert.deepEqual(twice, []);
    assert.deepEqual(unsaid, []);
  });
});
