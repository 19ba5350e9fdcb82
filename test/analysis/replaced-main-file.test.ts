/** A main file that the file of the 2.4 package replaces needs no change by hand. */
import assert from 'node:assert/strict';
import { NO_ANSWERS } from '../../server/src/analysis/answers';
import type { OnServerItem } from '../../server/src/analysis/server-tasks';
import { upgradePlan, type PlanFinding } from '../../server/src/analysis/upgrade-plan';

const finding = (rule: string, file: string, more: Partial<PlanFinding> = {}): PlanFinding => ({
  ...{ rule, messageId: 'any', message: rule, isBlocking: false, fix: null, file, line: 0 },
  ...more,
});

const task = (title: string): OnServerItem => ({ id: 'main-file', title, what: title, because: [] });

describe('the plan of a main file that is replaced', () => {
  const rulesByHand = (title: string) =>
    upgradePlan([
      {
        root: 'conf/httpd.conf',
        files: 2,
        findings: [
          finding('package-path', 'conf/httpd.conf'),
          finding('may-block', 'conf/httpd.conf', { mayBlock: true }),
          finding('blocks', 'conf/httpd.conf', { isBlocking: true }),
          finding('other-file', 'conf.d/own.conf'),
        ],
        answerSet: { answers: NO_ANSWERS, folder: '/' },
        placeOf: () => null,
        onServer: [task(title)],
      },
    ]).configurations[0]!.byHand.map(({ rule }) => rule);

  it('lists what blocks, and what other files need', () => {
    assert.deepEqual(rulesByHand('Take the new httpd.conf'), ['may-block', 'blocks', 'other-file']);
  });

  it('lists all of it if the user keeps the file', () => {
    assert.deepEqual(rulesByHand('Keep your httpd.conf'), ['package-path', 'may-block', 'blocks', 'other-file']);
  });
});
