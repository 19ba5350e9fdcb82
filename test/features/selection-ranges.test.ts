/** The steps of an expanding selection. `|` is the cursor. */
import assert from 'node:assert/strict';
import { selectionRanges } from '../../server/src/features/selection-ranges';
import { Tree } from '../../server/src/syntax/document';

const CASES: readonly (readonly [source: string, selections: readonly string[]])[] = [
  [
    'Alias /a "/srv/w|ww x"\n',
    ['www', '/srv/www x', '"/srv/www x"', '/a "/srv/www x"', 'Alias /a "/srv/www x"', 'Alias /a "/srv/www x"\n'],
  ],
  [
    '<If a>\n  Opt|ions None\n</If>\nListen 80\n',
    [
      'Options',
      'Options None',
      '  Options None\n',
      '<If a>\n  Options None\n</If>',
      '<If a>\n  Options None\n</If>\n',
      '<If a>\n  Options None\n</If>\nListen 80\n',
    ],
  ],
  ['<If a>\nA b\nC d\n</I|f>\n', ['If', '</If>', '<If a>\nA b\nC d\n</If>', '<If a>\nA b\nC d\n</If>\n']],
  [
    '<If a>\nA| b\nC d\n</If>\n',
    ['A', 'A b', 'A b\n', 'A b\nC d\n', '<If a>\nA b\nC d\n</If>', '<If a>\nA b\nC d\n</If>\n'],
  ],
  ['# two wo|rds\nA\n', ['words', '# two words', '# two words\n', '# two words\nA\n']],
  [
    'AddType a \\\n  b| \\\n  c\n',
    ['b', 'a \\\n  b \\\n  c', 'AddType a \\\n  b \\\n  c', 'AddType a \\\n  b \\\n  c\n'],
  ],
  ['A\n|\nB\n', ['A\n\nB\n']],
  ['|', ['']],
];

describe('selections', () => {
  for (const [source, selections] of CASES) {
    it(JSON.stringify(source), () => {
      const text = source.replace('|', '');
      assert.deepEqual(
        selectionRanges(Tree.parse(text), source.indexOf('|')).map(({ start, end }) => text.slice(start, end)),
        selections,
      );
    });
  }
});
