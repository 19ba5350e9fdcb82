/** Which rows of the plan view are drawn again. */
import assert from 'node:assert/strict';
import type { PlanItem } from '../../client/src/plan-items';
import { renewItems } from '../../client/src/plan-redraw';

const item = (id: string, more: Partial<PlanItem> = {}): PlanItem => ({
  id,
  label: id,
  icon: '',
  context: 'group',
  subject: { kind: 'nothing' },
  children: [],
  ...more,
});
const plan = (ticked: string) =>
  item('root', {
    children: [
      item('server', {
        description: ticked === '' ? '2' : '1 of 2 done',
        children: ['a', 'b'].map((id) => item(id, { isTicked: id === ticked })),
      }),
      item('files'),
    ],
  });
const ids = (items: readonly PlanItem[]) => items.map(({ id }) => id);

describe('the rows of the plan view', () => {
  it('stay the same objects, and only those that differ have changed', () => {
    const before = renewItems([], [plan('')]);
    assert.equal(before.isTopChanged, true);
    const [a, b] = before.items[0]!.children[0]!.children;
    const after = renewItems(before.items, [plan('a')]);
    assert.deepEqual(ids(after.changedItems), ['a', 'server']);
    assert.equal(after.isTopChanged, false);
    assert.equal(after.items[0], before.items[0]);
    assert.equal(after.items[0]!.children[0]!.children[0], a);
    assert.equal(after.items[0]!.children[0]!.children[1], b);
    assert.equal(a!.isTicked, true);
    assert.deepEqual(after.items, [plan('a')]);
  });

  it('change with the list of their children', () => {
    const { items } = renewItems([], [plan('')]);
    const without = renewItems(items, [item('root', { children: [item('files', { children: [item('new')] })] })]);
    assert.deepEqual(ids(without.changedItems), ['files', 'root']);
    assert.equal(without.isTopChanged, false);
  });

  it('lose what they do not have any more', () => {
    const { items } = renewItems([], [item('root', { description: 'x', colour: 'error' })]);
    const { changedItems } = renewItems(items, [item('root')]);
    assert.deepEqual(ids(changedItems), ['root']);
    assert.deepEqual(items, [item('root')]);
  });

  it('are all new where the top differs', () => {
    const { items } = renewItems([], [item('one')]);
    const { changedItems, isTopChanged } = renewItems(items, [item('one'), item('two')]);
    assert.deepEqual(changedItems, []);
    assert.equal(isTopChanged, true);
  });
});
