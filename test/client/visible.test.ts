/** File names shown by the client: no character hides or reverses another one. */
import assert from 'node:assert/strict';
import { visibleItems } from '../../client/src/visible';

describe('items of a list to choose from', () => {
  it('show characters that are not seen, and keep what they lead to', () => {
    const item = { label: 'a\u202eb', description: 'c\u200bd', detail: 'e', uri: 'file:///a\u202eb' };
    assert.deepEqual(visibleItems([item]), [
      { label: 'a<U+202E>b', description: 'c<U+200B>d', detail: 'e', uri: 'file:///a\u202eb' },
    ]);
  });
});
