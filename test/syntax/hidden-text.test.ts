import assert from 'node:assert/strict';
import {
  hasHiddenCharacter,
  withVisibleCharacters,
  jsonWithVisibleText,
  withVisibleTexts,
} from '../../server/src/syntax/hidden-text';

describe('invisible characters', () => {
  for (const [text, shown] of [
    ['', ''],
    ['a b\tc\r\nd', 'a b\tc\r\nd'],
    ['caf\u00e9 \u05d0', 'caf\u00e9 \u05d0'],
    ['a\u202eb', 'a<U+202E>b'],
    ['\ufeff'.repeat(1_000_000), '<U+FEFF ×1000000>'],
    ['\u{e0041}\u{e0041}\u00ad', '<U+E0041 ×2><U+00AD>'],
    ['\x1b[31m\x00\x9b\x7f\x0c', '·[31m····'],
  ] as const)
    it(JSON.stringify(text.slice(0, 20)), () => {
      assert.equal(withVisibleCharacters(text), shown);
      assert.ok(!hasHiddenCharacter(withVisibleCharacters(text)));
    });

  it('are shown in JSON where texts are shown, and exact where a program reads them back', () => {
    const value = { message: 'a\u202e', path: '/a\u202e\u{e0041}', edits: [{ newText: 'x\u200b' }], list: ['\x1b'] };
    const json = jsonWithVisibleText(value);
    assert.ok(!hasHiddenCharacter(json));
    assert.deepEqual(JSON.parse(json), { ...value, message: 'a<U+202E>', list: ['·'] });
  });

  it('make no copy of a value that has none', () => {
    const value = { message: 'a', list: [{ b: 1, c: null, data: '\u202e' }] };
    assert.equal(withVisibleTexts(value), value);
  });
});
