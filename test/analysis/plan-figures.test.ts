/** The counts of a plan and the words for its three final states. */
import assert from 'node:assert/strict';
import {
  planCounts,
  countsOfReadFiles,
  countsWithNouns,
  effectText,
  stateOfAll,
  stateText,
  type CountedPlan,
} from '../../server/src/analysis/plan-figures';
import { neededStepsText } from '../../server/src/analysis/upgrade-plan';

const TASK = { id: 'enable-modules', title: 'Enable modules', what: 'Enable', because: [] };
const plan = (given: Partial<CountedPlan> = {}): CountedPlan => ({
  root: 'httpd.conf',
  blocking: 0,
  mayBlock: 0,
  state: 'steps',
  questions: [],
  ready: [],
  waiting: [],
  byHand: [],
  onServer: [],
  ...given,
});
const text = (given: Partial<CountedPlan>) => {
  const each = plan(given);
  return stateText(each.state, planCounts([each]));
};

describe('the figures of a plan', () => {
  it('are sums, without steps that are ticked off and without notes', () => {
    const note = { ...TASK, id: 'note', isNote: true as const };
    const one = plan({ blocking: 2, questions: [{ answer: null }, { answer: 'x' }], onServer: [TASK, note] });
    const two = plan({ blocking: 1, mayBlock: 2, ready: [1, 2], onServer: [TASK] });
    assert.deepEqual(
      planCounts([one, two], (index) => index === 1),
      { blocking: 3, mayBlock: 2, questions: 1, answered: 1, ready: 2, waiting: 0, byHand: 0, mayStay: 0, steps: 1 },
    );
    assert.equal(
      countsWithNouns(planCounts([one, two])).join(' · '),
      '3 blocking · 1 question open · 2 fixes ready · 2 steps on the server',
    );
    assert.deepEqual(countsWithNouns(planCounts([])), ['0 blocking']);
    assert.deepEqual(countsWithNouns(planCounts([plan({ mayBlock: 2 })])), ['2 problems may block httpd 2.4']);
  });

  it('leave out files that no configuration reads, where there are configurations', () => {
    const tasks = plan({ ready: [1], onServer: [TASK] });
    const unread = plan({ blocking: 1, ready: [1, 2], onServer: [TASK] });
    const last = (index: number) => index === 1;
    assert.deepEqual(
      countsWithNouns(countsOfReadFiles([unread, tasks], last)).join(' · '),
      '0 blocking · 1 fix ready · 1 step on the server',
    );
    assert.deepEqual(countsWithNouns(countsOfReadFiles([unread, tasks], last, last)), ['0 blocking', '1 fix ready']);
    assert.equal(countsOfReadFiles([unread], () => false).ready, 2);
  });

  it('never call files ready while something is left', () => {
    assert.equal(text({ state: 'blocking', blocking: 1 }), '1 problem in the files blocks httpd 2.4');
    for (const [left, open] of [
      [{ questions: [{ answer: null }] }, '1 question is open'],
      [{ ready: [1] }, '1 fix is ready'],
      [{ waiting: [1] }, '1 fix waits for an answer'],
    ] as const)
      assert.equal(text(left), `No problem in the files blocks httpd 2.4, but ${open}`);
    assert.equal(
      text({ mayBlock: 2, questions: [{ answer: null }], ready: [1] }),
      '2 problems in the files may block httpd 2.4; 1 question is open and 1 fix is ready',
    );
    assert.equal(text({ onServer: [TASK] }), 'Ready after 1 step on the server');
    assert.equal(
      text({ byHand: [{}, {}], onServer: [TASK] }),
      'Ready after 1 step on the server and 2 changes by hand',
    );
    const check = { mayStay: true } as const;
    assert.equal(text({ byHand: [check] }), 'Ready after 1 check by hand');
    assert.equal(
      text({ byHand: [check, {}, check], onServer: [TASK] }),
      'Ready after 1 step on the server, 1 change by hand and 2 checks by hand',
    );
    assert.equal(text({}), 'No change is left: verify the files');
    assert.equal(text({ state: 'accepted' }), 'httpd -t accepts it');
  });

  it('promise of an answer only what it makes ready by itself', () => {
    const question = {
      id: 'a',
      answer: null,
      answers: [
        { value: 'no', ready: 3 },
        { value: 'keep', ready: 0 },
      ],
    };
    const waiting = [['a'], ['a', 'b'], ['b', 'a']].map((waitsFor) => ({ waitsFor }));
    const effect = (answer: string | null, value = 'no') =>
      effectText(question, value, { questions: [question, { id: 'b', answer }], waiting });
    assert.equal(effect(null), 'makes 1 fix ready; 2 fixes then still need other answers');
    assert.equal(effect('x'), 'makes 3 fixes ready');
    assert.equal(effect(null, 'keep'), '');
  });

  it('have the state that is furthest from the end', () => {
    const states = (...all: CountedPlan['state'][]) => stateOfAll(all.map((state) => ({ state })));
    assert.equal(states('accepted', 'steps', 'blocking'), 'blocking');
    assert.equal(states('accepted', 'steps'), 'steps');
    assert.equal(states('accepted', 'accepted'), 'accepted');
    assert.equal(states(), 'steps');
  });

  it('joins problems in the files and steps on the server, if both keep 2.4 from starting', () => {
    const onServer = [{ ...TASK, isBlocking: true as const }];
    assert.match(
      neededStepsText([{ onServer }], 'blocking'),
      /^To start httpd 2\.4, solve what blocks it in the files, and also do the steps/,
    );
    assert.match(neededStepsText([{ onServer }], 'steps'), /^httpd 2\.4 does not start before you do the steps/);
    assert.equal(neededStepsText([{ onServer: [TASK] }], 'blocking'), '');
  });
});
