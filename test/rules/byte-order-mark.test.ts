import assert from 'node:assert/strict';
import { annotated, findingsIn, fixed } from '../support/rules';

const rule = { rule: 'byte-order-mark' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('byte-order-mark', () => {
  it('leaves other text alone, and the character in the middle of a line', () => {
    const clean = 'Listen 80\nServerAdmin \uFEFFa\n# \uFEFF\n\u00efx y\n';
    assert.equal(marked(clean), clean);
    assert.equal(fix(clean), clean);
  });

  it('removes the mark: before a directive, a comment, a tag, nothing; in the middle of a file; read as single bytes; with CR LF', () => {
    assert.equal(marked('\uFEFFListen 80\n'), '\uFEFFListen 80\n#^^^^^^ error byte-order-mark/byte-order-mark safe\n');
    assert.equal(fix('\uFEFFListen 80\r\nTimeout 5\r\n'), 'Listen 80\r\nTimeout 5\r\n');
    assert.equal(fix('\uFEFF# A\n\uFEFFTimeout \\\n 5\n'), '# A\nTimeout \\\n 5\n');
    assert.equal(fix('\uFEFF<IfModule a.c>\n  Timeout 5\n</IfModule>\n'), '<IfModule a.c>\n  Timeout 5\n</IfModule>\n');
    assert.equal(fix('\uFEFF'), '');
    assert.equal(fix(`${'\uFEFF'.repeat(300)}Timeout 5\n`), 'Timeout 5\n');
    assert.equal(fix('\u00ef\u00bb\u00bfTimeout 5 # \u00e9\n'), 'Timeout 5 # \u00e9\n');
  });

  for (const [text, message] of [
    ['\uFEFFListen 80\n', '`Listen` starts with an invisible byte order mark'],
    ['\u00ef\u00bb\u00bfListen 80\n', '`Listen` starts with an invisible byte order mark'],
    ['\u00ef\u00bb\u00bf# A\n', '`#`: an invisible byte order mark stands before this comment'],
    ['\uFEFF\n', 'This line contains only an invisible byte order mark'],
    ['\u00ef\u00bb\u00bf\r\n', 'This line contains only an invisible byte order mark'],
  ] as const) {
    it(`says of ${JSON.stringify(text)}: ${message}`, () => {
      assert.deepEqual(
        findingsIn(text, rule).map(({ what }) => what),
        [message],
      );
    });
  }

  it('is a suggestion in a .htaccess, which is not read with it: it would be', () => {
    assert.equal(fixed('\uFEFFDeny from all\n', { ...rule, file: '.htaccess' }), '\uFEFFDeny from all\n');
    assert.equal(fixed('\uFEFFDeny from all\n', { ...rule, file: '.htaccess', unsafe: true }), 'Deny from all\n');
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\n\\uFEFFTimeout 5\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
