/** The closing tag of a section that is typed by hand: `$0` is behind the `>` that was typed. */
import assert from 'node:assert/strict';
import { closingTag } from '../../client/src/closing-tag';

describe('the closing tag of a section that is typed', () => {
  const cases: [title: string, text: string, expected: string | null][] = [
    ['is written where none follows', '<Directory /srv>$0\n', '</Directory>'],
    ['is written as the open tag is', '  <virtualhost *:80>$0', '</virtualhost>'],
    ['belongs to a section without arguments, too', '<RequireAll>$0\n', '</RequireAll>'],
    ['is not written twice', '<Directory /srv>$0\n    Options None\n</directory>\n', null],
    ['is written before another section of its name', '<Files a>$0\n<Files b>\n</Files>\n', '</Files>'],
    ['is not that of a section within', '<Files a>$0\n<Files b>\n</Files>\n</Files>\n', null],
    ['is not written behind other text', 'RewriteCond %{A} <Files>$0\n', null],
    ['is not written before other text', '<Files a>$0 b\n', null],
    ['is not written behind a closing tag', '</Files>$0\n', null],
    ['is not written in a comment', '# <Files a>$0\n', null],
  ];
  for (const [title, text, expected] of cases) {
    it(title, () => {
      const [before, rest] = text.split('$0');
      const [after, ...below] = rest.split('\n');
      assert.equal(closingTag({ before, after, below, isAll: true }), expected);
    });
  }

  it('is not written where it cannot be known', () => assert.equal(closingTag({ before: '<Files a>', after: '', below: ['Listen 80'], isAll: false }), null));
});
