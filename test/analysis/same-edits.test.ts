/** Groups of plans for 2.2 and 2.4 with the same edits, found with and without these edits. */
import assert from 'node:assert/strict';
import type { AccessGroup } from '../../server/src/access/plan';
import { keyOfEdits, sameEditsTest } from '../../server/src/analysis/same-edits';
import { MAIN, randomConfiguration, textsOf } from '../access/generate';
import { planOfFiles } from '../access/plan-of-files';
import { Random } from '../support/random';

const keyOf = ({ edits }: AccessGroup) =>
  JSON.stringify([...edits].map(([path, own]) => [path, keyOfEdits(own)]).sort());

describe('the same edits in two plans', () => {
  it('are found as by a comparison of all edits', () => {
    const found = { same: 0, other: 0 };
    for (let seed = 1; seed <= 100; seed++) {
      const { [MAIN]: main, ...others } = textsOf(randomConfiguration(new Random(seed)));
      const files = { [MAIN]: main!, ...others };
      const { plan } = planOfFiles(files);
      const { plan: planFor24 } = planOfFiles(files, { source: '2.4' });
      const keys = new Set(planFor24.groups.map(keyOf));
      const hasSameEdits = sameEditsTest(plan, planFor24);
      for (const group of plan.groups) {
        const isSame = keys.has(keyOf(group));
        assert.equal(hasSameEdits(group), isSame, `seed ${seed}`);
        found[isSame ? 'same' : 'other']++;
      }
    }
    assert.ok(found.same > 10 && found.other > 10, JSON.stringify(found));
  });
});
