/**
 * Files of the corpus that no main file includes: at least 97 of 100 sections with old access lines
 * are ready after one answer. For a file that is half of 2.4, this answer also names the version
 * that the server runs. Templates are not counted.
 */
import assert from 'node:assert/strict';
import { ANSWER_NONE, ANSWER_NONE_24, STANDALONE_QUESTION_ID } from '../../server/src/analysis/answers';
import { Engine, type PlacedFinding } from '../../server/src/analysis/engine';
import { itemsAround } from '../../server/src/analysis/suppression';
import { isTransparent, sectionKind } from '../../server/src/config/sections';
import { ALL_RULES } from '../../server/src/rules/all';
import { orderAllowDeny } from '../../server/src/rules/order-allow-deny';
import { Tree } from '../../server/src/syntax/document';
import { Section } from '../../server/src/syntax/tree';
import { describeOver } from '../support/lacks';
import { corpusFiles } from './files';

/** In percent. */
const READY = 97;

function engineWith(answer: string | null): Engine {
  const answers = new Map(answer === null ? [] : [[STANDALONE_QUESTION_ID, answer]]);
  return new Engine({ rules: ALL_RULES, answerSet: { answers, folder: '/' } });
}

const UNANSWERED = engineWith(null);
const NONE = engineWith(ANSWER_NONE);
const NONE_24 = engineWith(ANSWER_NONE_24);

/** The findings of a file, after the one answer that its question needs if `isAnswered`. */
function findingsAfter(isAnswered: boolean, tree: Tree, isHtaccess: boolean): readonly PlacedFinding[] {
  const open = UNANSWERED.analyze(tree, { isHtaccess }).findings();
  if (!isAnswered) return open;
  const asksVersion = open.some(({ fixes }) =>
    fixes.some(({ waitsFor = [] }) => waitsFor.some((each) => each.kind === 'running-version')),
  );
  return (asksVersion ? NONE_24 : NONE).analyze(tree, { isHtaccess }).findings();
}

describeOver('corpus', 'lone files of the corpus', function () {
  this.timeout(900_000);

  it(`${READY} of 100 sections with old lines are ready after one answer, and none without it`, () => {
    const sections = (isAnswered: boolean) => {
      let all = 0;
      const left: string[] = [];
      for (const { path, kind, text } of corpusFiles()) {
        const tree = Tree.parse(text);
        if (tree.root.templateLineCount > 0) continue;
        const seen = new Set<number>();
        for (const finding of findingsAfter(isAnswered, tree, kind === 'htaccess')) {
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
    const { all, left } = sections(true);
    assert.ok(all > 250, `${all} sections`);
    assert.ok((all - left.length) * 100 >= READY * all, `${all - left.length} of ${all}:\n${left.join('\n')}`);
    const unanswered = sections(false);
    assert.equal(unanswered.left.length, unanswered.all, 'nothing is ready while nobody has answered');
  });
});
