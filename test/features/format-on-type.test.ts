/** Formatting while the user types. `|` is the cursor, after the typed text. */
import assert from 'node:assert/strict';
import { textWithEdits } from '../../server/src/features/format';
import { formatOnType } from '../../server/src/features/format-on-type';
import { Tree } from '../../server/src/syntax/document';

const CASES: readonly (readonly [what: string, typed: string, before: string, after?: string])[] = [
  [
    'a section gets its closing tag',
    '>',
    '  <Directory /x>|\nListen 80\n',
    '  <Directory /x>\n  </Directory>\nListen 80\n',
  ],
  ['with the line ends of the file', '>', 'Listen 80\r\n<If a>|', 'Listen 80\r\n<If a>\r\n</If>'],
  ['one that is closed gets none', '>', '<Directory /x>|\n</Directory>\n'],
  [
    'a closing tag goes below its section',
    '>',
    '  <If a>\n    Options None\n      </If>|\n',
    '<If a>\n    Options None\n</If>\n'.replace(/^<If a>/, '  <If a>'),
  ],
  [
    'one in a section, too',
    '>',
    '<If a>\n    <Files b>\n        </Files>|\n</If>\n',
    '<If a>\n    <Files b>\n    </Files>\n</If>\n',
  ],
  ['a > elsewhere is nothing', '>', 'RewriteCond  a  >|\n'],
  ['a line is formatted when it ends', '\n', 'Listen   80\n|', 'Listen 80\n'],
  ['and no other', '\n', 'Listen   80\nListen   81\n|Listen   82\n', 'Listen   80\nListen 81\nListen 82\n'],
  ['the next line is indented', '\n', '<If a>\nOptions   None\n|\n</If>\n', '<If a>\n    Options None\n    \n</If>\n'],
  [
    'in a section that is not closed yet, too, and it is closed below',
    '\n',
    '    <If a>\n|\nListen 80\n',
    '    <If a>\n        \n    </If>\nListen 80\n',
  ],
  ['at the end of the file, too', '\n', '<If a>\n|', '<If a>\n    \n</If>'],
  ['with the line ends of the file', '\n', '<If a>\r\n|\r\n', '<If a>\r\n    \r\n</If>\r\n'],
  ['one that is not complete is not closed', '\n', '<Directory\n|\n'],
  [
    'one that a section around has closed is',
    '\n',
    '<If a>\n    <If b>\n|\n</If>\n',
    '<If a>\n    <If b>\n        \n    </If>\n</If>\n',
  ],
  [
    'one that a branch of a template may close is not',
    '\n',
    '<If a>\n|\n{% if b %}</If>{% endif %}\n',
    '<If a>\n    \n{% if b %}</If>{% endif %}\n',
  ],
  ['a closing tag that comes down is outdented', '\n', '<If a>\n|    </If>\n', '<If a>\n</If>\n'],
  ['behind a closing tag', '\n', '<If a>\n        </If>\n|\n', '<If a>\n</If>\n\n'],
  ['a continued line stays', '\n', 'Alias  /a  \\\n|  /b\n'],
  ['in <Perl> nothing is formatted', '\n', '<Perl>\nuse  a;\n|    b\n</Perl>\n'],
  ['nor indented', '\n', '<Perl>\nuse  a;\n|\n</Perl>\n'],
  ['the first line has none before it', '\n', '|Listen  80\n'],
];

describe('formatting on type', () => {
  for (const [what, typed, source, expected] of CASES) {
    it(what, () => {
      const offset = source.indexOf('|');
      const text = source.replace('|', '');
      const edits = formatOnType(Tree.parse(text), offset, typed, {
        tabSize: 4,
        insertSpaces: true,
        alignment: 'keep',
        closesTags: true,
      });
      assert.equal(textWithEdits(text, edits), expected ?? text);
    });
  }

  it('closes no tag where the setting says so', () => {
    assert.deepEqual(
      formatOnType(Tree.parse('<If a>'), 6, '>', {
        tabSize: 4,
        insertSpaces: true,
        alignment: 'keep',
        closesTags: false,
      }),
      [],
    );
  });
});
