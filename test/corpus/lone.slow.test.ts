/**
 * Files of the corpus that no main file includes: at least nine of ten sections with old access
 * lines are ready after the user sets `assumeStandalone`. Templates are not counted.
 */
import assert from 'node:assert/strict';
import { STANDALONE_QUESTION_ID } from '../../server/src/analysis/answers';
import { Engine } from '../../server/src/analysis/engine';
import { itemsAround } from '../../server/src/analysis/suppression';
import { isTransparent, sectionKind } from '../../server/src/config/sections';
import { ALL_RULES } from '../../server/src/rules/all';
import { orderAllowDeny } from '../../server/src/rules/order-allow-deny';
import { Tree } from '../../server/src/syntax/document';
import { Section } from '../../server/src/syntax/tree';
import { describeOver } from '../support/lacks';
import { corpusFiles } from './files';

/** In percent. */
const READY = 90;

describeOver('corpus', 'lone files of the corpus', function () {
  this.timeout(900_000);

  it(`${READY} of 100 sections with old lines are ready after one answer, and none without it`, () => {
    const sections = (answers: ReadonlyMap<string, string>) => {
      const engine = new Engine({ rules: ALL_RULES, answered: { answers, folder: '/' } });
      let all = 0;
      const left: string[] = [];
      for (const { path, kind, text } of corpusFiles()) {
        const tree = Tree.parse(text);
        if (tree.root.templates > 0) continue;
        const seen = new Set<number>();
        for (const finding of engine.analyze(tree, { isHtaccess: kind === 'htaccess' }).findings()) {
          if (finding.rule !== orderAllowDeny) continue;
          const section =
            itemsAround(tree, finding.start)
              .flatMap(({ item, offset }) =>
                item instanceof Section && !isTransparent(sectionKind(item.name)) ? [offset] : [],
              )
              .at(-1) ?? -1;
          if (seen.has(section)) continue;
          seen.add(section);
          all++;
          if (finding.fixes[0]?.safety !== 'safe') left.push(`${path}: ${finding.message.slice(0, 120)}`);
        }
      }
      return { all, left };
    };
    const { all, left } = sections(new Map([[STANDALONE_QUESTION_ID, 'none']]));
    assert.ok(all > 250, `${all} sections`);
    assert.ok((all - left.length) * 100 >= READY * all, `${all - left.length} of ${all}:\n${left.join('\n')}`);
    const unanswered = sections(new Map());
    assert.equal(unanswered.left.length, unanswered.all, 'nothing is ready while nobody has answered');
  });
});
