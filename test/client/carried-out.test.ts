/**
 * After a change of several files in the editor: the user is informed, whatever happens when open
 * documents are saved.
 */
import assert from 'node:assert/strict';
import { showProgressIfLong, saveChanged, type OpenDocument } from '../../client/src/carried-out';

interface Saving extends OpenDocument {
  isDirty: boolean;
  readonly uri: { toString(): string };
  readonly saves: number;
}

/** `save` says what the editor does of it; it may make the document clean. */
function document(name: string, save: (document: Saving) => PromiseLike<boolean>, isDirty = true): Saving {
  const made = {
    uri: { toString: () => name },
    isDirty,
    saves: 0,
    save() {
      made.saves++;
      return save(made);
    },
  };
  return made;
}

const works = (each: Saving) => {
  each.isDirty = false;
  return Promise.resolve(true);
};
const never = () => new Promise<boolean>(() => undefined);

describe('saving what a change has changed', () => {
  const cases: [title: string, made: Saving, expected: { unsaved: boolean; saves: number }][] = [
    ['a document that is saved', document('a', works), { unsaved: false, saves: 1 }],
    ['one that the editor saves by itself', document('a', works, false), { unsaved: false, saves: 0 }],
    ['one that had changes of a person', document('mine', works), { unsaved: true, saves: 0 }],
    ['one whose file cannot be written', document('a', () => Promise.resolve(false)), { unsaved: true, saves: 1 }],
    [
      'one that is closed meanwhile',
      document('a', () => Promise.reject(new Error('Document has been closed'))),
      { unsaved: true, saves: 1 },
    ],
    ['one whose save never ends', document('a', never), { unsaved: true, saves: 1 }],
    [
      'one that is saved while another save of it never ends',
      document('a', (each) => {
        each.isDirty = false;
        return never();
      }),
      { unsaved: false, saves: 1 },
    ],
  ];
  for (const [title, made, expected] of cases) {
    it(title, async () => {
      const unsaved = await saveChanged([made], ({ uri }) => uri.toString() === 'mine', 20);
      assert.deepEqual({ unsaved: unsaved.includes(made), saves: made.saves }, expected);
    });
  }

  it('asks for all saves before it waits for one', async () => {
    const all = [document('a', never), document('b', never), document('c', works)];
    const unsaved = saveChanged(all, () => false, 20);
    assert.deepEqual(
      all.map(({ saves }) => saves),
      [1, 1, 1],
    );
    assert.deepEqual(await unsaved, all.slice(0, 2));
  });
});

describe('work that a person waits for', () => {
  /** Runs work that ends once it was shown, or at once. */
  const run = async (delay: number, work: (shown: Promise<void>) => Promise<string>) => {
    let show: () => void = () => undefined;
    const shown = new Promise<void>((resolve) => (show = resolve));
    let times = 0;
    const end = showProgressIfLong(work(shown), delay, () => (times++, show()));
    return { end: await end.catch((error: Error) => error.message), times };
  };
  const LONG_ENOUGH = 1_000_000;

  it('is not shown where it ends soon', async () => {
    assert.deepEqual(await run(LONG_ENOUGH, () => Promise.resolve('done')), { end: 'done', times: 0 });
  });

  it('is shown where it takes longer', async () => {
    assert.deepEqual(await run(1, (shown) => shown.then(() => 'done')), { end: 'done', times: 1 });
  });

  it('fails as it fails, soon or late', async () => {
    const fail = () => Promise.reject(new Error('no'));
    assert.deepEqual(await run(LONG_ENOUGH, fail), { end: 'no', times: 0 });
    assert.deepEqual(await run(1, (shown) => shown.then(fail)), { end: 'no', times: 1 });
  });
});
