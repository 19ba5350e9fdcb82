import assert from 'node:assert/strict';
import { annotated, fixed } from '../support/rules';

const rule = { rule: 'require-all-argument' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('require-all-argument', () => {
  it('leaves granted and denied alone, variables, placeholders, and comments behind the line', () => {
    const clean =
      'Require all granted\nrequire all DENIED\nRequire all ${A}\nRequire all {{ access }}\nRequire all granted # yes\n# Require all allowed\nRequire allowed\nRequire user all allowed\n';
    assert.equal(marked(clean), clean);
    assert.equal(fix(clean, true), clean);
  });

  it('marks what follows, twice in a file, in odd case', () => {
    assert.equal(
      marked('<Directory /a>\n  rEQUIRE all Allowed\n</Directory>\n<Files x>\nRequire not all\n</Files>\n'),
      `<Directory /a>
  rEQUIRE all Allowed
#             ^^^^^^^ error require-all-argument/argument suggestion
</Directory>
<Files x>
Require not all
#^^^^^^^^^^^^^^ error require-all-argument/argument none
</Files>
`,
    );
  });

  it('offers the word that was meant, and only where there is one', () => {
    assert.equal(fix('Require all allowed\n'), 'Require all allowed\n');
    assert.equal(
      fix('Require all \\\n allow\r\nRequire all deny\r\nRequire all "granted"\n', true),
      'Require all \\\n granted\r\nRequire all denied\r\nRequire all granted\n',
    );
    for (const text of [
      'Require all\n',
      'Require all granted please\n',
      'Require all valid-user\n',
      'Require all from\n',
    ])
      assert.equal(fix(text, true), text);
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\nRequire all allowed\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
