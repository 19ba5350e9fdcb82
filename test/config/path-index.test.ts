/** The index of paths finds what a comparison with each path finds. */
import assert from 'node:assert/strict';
import { isWithin } from '../../server/src/config/files';
import { PathIndex } from '../../server/src/config/path-index';

const PATHS = ['/', '/srv', '/srv/a', '/srv/ab', '/srv/a/b', '/srv/a', '/opt/a', 'C:/Apache24', 'C:/', 'c:/apache24/x'];
const index = new PathIndex(
  PATHS.map((path, position) => ({ path, position })),
  ({ path }) => path,
);
const positions = (items: readonly { readonly position: number }[]) => items.map(({ position }) => position);
const positionsWhere = (test: (path: string) => boolean) =>
  PATHS.flatMap((path, position) => (test(path) ? [position] : []));

describe('an index of paths', () => {
  for (const asked of [...PATHS, '/srv/a/b/c', '/srv//a', '/none', 'D:/x', 'C:/APACHE24/X/y']) {
    it(`finds the items around ${asked}, in their order`, () =>
      assert.deepEqual(
        positions(index.itemsAround(asked)),
        positionsWhere((path) => isWithin(asked, path)),
      ));

    it(`finds the items in ${asked}, in their order`, () =>
      assert.deepEqual(
        positions(index.itemsIn(asked)),
        positionsWhere((path) => isWithin(path, asked)),
      ));
  }

  it('takes a directory with a slash at its end', () =>
    assert.deepEqual(positions(index.itemsIn('/srv/a/')), positions(index.itemsIn('/srv/a'))));

  it('has an item without a path around every path, and in no directory', () => {
    const withEmpty = new PathIndex(['', '/srv'], (path) => path);
    assert.deepEqual(withEmpty.itemsAround('/srv/a'), ['', '/srv']);
    assert.deepEqual(withEmpty.itemsIn('/'), ['/srv']);
  });
});
