/** How tags pair, in whole and in broken files. */
import assert from 'node:assert/strict';
import { Tree } from '../../server/src/syntax/document';
import { forEachItem, type List, Section } from '../../server/src/syntax/tree';

/** `a{b c}`: section a with b and c in it; a tag that pairs with nothing is `<a` or `/a`. */
function shape(text: string): string {
  const lines = text
    .split(' ')
    .map((word) => `${word}\n`)
    .join('');
  const of = (list: List): string => {
    const parts: string[] = [];
    forEachItem(list, 0, (item) => {
      parts.push(
        item instanceof Section
          ? `${item.name}{${of(item.body)}}`
          : item.text.trim().replace(/>$/, '').replace(/^<\//, '/'),
      );
    });
    return parts.join(' ');
  };
  return of(Tree.parse(lines).root);
}

const CASES: [title: string, text: string, shape: string][] = [
  ['sections nest', '<a> x <b> y </b> </a>', 'a{x b{y}}'],
  ['names pair without case', '<A> x </a>', 'a{x}'],
  ['an open without close captures nothing', '<a> x y', '<a x y'],
  ['a close without open is a line', 'x </a> y', 'x /a y'],
  ['an open without close inside a section', '<a> x <b> y </a> z', 'a{x <b y} z'],
  ['a close without open inside a section', '<a> x </b> y </a> z', 'a{x /b y} z'],
  ['the nearest open of the name is taken', '<a> <a> x </a>', '<a a{x}'],
  ['a half-typed tag pairs with nothing', '<a x </a>', '<a x /a'],
  ['a half-typed tag in a section', '<a> <b x </a>', 'a{<b x}'],
  ['crossed tags: the first close decides', '<a> <b> </a> </b>', 'a{<b} /b'],
  ['a stray close between siblings', '<a> </a> </b> <a> </a>', 'a{} /b a{}'],
  ['two stray closes, nested', '<a> <b> </x> </b> </y> </a>', 'a{b{/x} /y}'],
  ['an open before a stray close still pairs', '<a> </b> x </a>', 'a{/b x}'],
];

describe('the tree', () => {
  for (const [title, text, expected] of CASES) it(title, () => assert.equal(shape(text), expected));

  it('survives 100,000 nested sections', () => {
    const depth = 100_000;
    const text = '<a>\n'.repeat(depth) + '</a>\n'.repeat(depth);
    const tree = Tree.parse(text);
    assert.equal(tree.text(), text);
    assert.equal(tree.edit(depth * 4, depth * 4, 'x\n').length, text.length + 2);
  });

  it('survives a line of 5 MB, and a file of nothing but closes', () => {
    const long = `# ${'x'.repeat(5_000_000)}\n`;
    assert.equal(Tree.parse(long).edit(3, 3, 'y').length, long.length + 1);
    assert.equal(Tree.parse('</a>\n'.repeat(50_000)).edit(0, 0, '<a>\n').length, 250_004);
  });
});
