/** The two names of a section. `|` is the cursor. */
import assert from 'node:assert/strict';
import { namesToEditTogether, tagPair } from '../../server/src/features/tag-pair';
import { Tree } from '../../server/src/syntax/document';

/** The text with its pair in brackets; null where there is none. */
function marked(source: string, of: 'pair' | 'linked'): string | null {
  const offset = source.indexOf('|');
  const text = source.replace('|', '');
  const tree = Tree.parse(text);
  const pair = of === 'pair' ? tagPair(tree, offset) : null;
  const spans = of === 'pair' ? pair && [pair.open, pair.close] : namesToEditTogether(tree, offset);
  if (!spans) return null;
  const [open, close] = spans as [(typeof spans)[0], (typeof spans)[0]];
  return `${text.slice(0, open.start)}[${open.name}]${text.slice(open.end, close.start)}[${close.name}]${text.slice(close.end)}`;
}

const CASES: readonly (readonly [source: string, pair: string | null, linked?: string | null])[] = [
  ['<Dir|ectory /x>\nA\n</Directory>\n', '<[Directory] /x>\nA\n</[Directory]>\n'],
  ['<Directory| /x>\nA\n</Directory>\n', '<[Directory] /x>\nA\n</[Directory]>\n'],
  ['<If a>\n\t<Files b>\n\t</Fi|les>\n</If>\n', '<If a>\n\t<[Files] b>\n\t</[Files]>\n</If>\n'],
  ['<If a>\n<Files b>\n</Files>\n</|If>', '<[If] a>\n<Files b>\n</Files>\n</[If]>'],
  ['|<If a>\n</If>', '<[If] a>\n</[If]>', null],
  ['<if a>\n</I|f>', '<[if] a>\n</[If]>', null],
  ['<Perl>\n</Pe|rl>', '<[Perl]>\n</[Perl]>'],
  ['<If a|>\n</If>', null],
  ['<I|f a>\n', null],
  ['<If a>\nOpt|ions None\n</If>', null],
  ['|', null],
];

describe('the two tags of a section', () => {
  for (const [source, pair, linked = pair] of CASES) {
    it(JSON.stringify(source), () => {
      assert.equal(marked(source, 'pair'), pair);
      assert.equal(marked(source, 'linked'), linked);
    });
  }
});
