import assert from 'node:assert/strict';
import { applyEdits, fixesOf } from '../../server/src/analysis/fixes';
import { annotated, findingsIn, fixed, type Asked } from '../support/rules';

const rule = { rule: 'default-type' };
const marked = (text: string, asked: Asked = {}) => annotated(text, { ...rule, ...asked });
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });
/** The text after each fix of its only finding. */
const choices = (text: string) => fixesOf(findingsIn(text, rule)[0]).map(({ edits }) => applyEdits(text, edits));

describe('default-type', () => {
  it('leaves other lines alone, and what is an error in 2.2 already', () => {
    const clean =
      '# DefaultType text/plain\nForceType text/plain\nDefaultType\nDefaultType text/plain # or so\nDefaultTypes x\n';
    assert.equal(marked(clean), clean);
    assert.equal(fix(clean, true), clean);
  });

  it('takes `none` away, in any case, with its line', () => {
    assert.equal(
      marked('DefaultType None\n<Files "a">\n    dEFAULTtYPE "NONE"\n</Files>\n'),
      `DefaultType None
#^^^^^^^^^^^^^^^ info default-type/none safe
<Files "a">
    dEFAULTtYPE "NONE"
#   ^^^^^^^^^^^^^^^^^^ info default-type/none safe
</Files>
`,
    );
    assert.equal(fix('DefaultType None\n<Files "a">\n    dEFAULTtYPE "NONE"\n</Files>\n'), '<Files "a">\n</Files>\n');
    assert.equal(fix('# No type.\r\nDefaultType \\\r\n   none\r\nTimeout 5\r\n'), '# No type.\r\nTimeout 5\r\n');
    assert.equal(fix('Timeout 5\nDefaultType none'), 'Timeout 5\n');
  });

  it('takes another type away, too: 2.4 ignores it', () => {
    const text =
      'DefaultType text/plain\n<Directory "/srv">\n  <Files "README">\n    DefaultType text/html\n  </Files>\n</Directory>\n';
    assert.equal(
      marked(text),
      `DefaultType text/plain
#^^^^^^^^^^^^^^^^^^^^^ warning default-type/ignored safe
<Directory "/srv">
  <Files "README">
    DefaultType text/html
#   ^^^^^^^^^^^^^^^^^^^^^ warning default-type/ignored safe
  </Files>
</Directory>
`,
    );
    assert.equal(fix(text), '<Directory "/srv">\n  <Files "README">\n  </Files>\n</Directory>\n');
  });

  it('offers to remove the line, or a Header that gives the type', () => {
    assert.deepEqual(choices('  DefaultType text/plain\r\n'), [
      '',
      '  Header set Content-Type text/plain "expr=-z %{CONTENT_TYPE}"\r\n',
    ]);
    assert.deepEqual(choices('DefaultType \\\n "text/html; charset=x"\n'), [
      '',
      'Header set Content-Type "text/html; charset=x" "expr=-z %{CONTENT_TYPE}"\n',
    ]);
  });

  it('offers no Header for a type that it cannot read', () => {
    assert.deepEqual(choices('DefaultType ${TYPE}\n'), ['']);
    assert.deepEqual(choices('DefaultType a/%b\n'), ['']);
  });

  it('finds it in a .htaccess, and not in a section that 2.4 does not read', () => {
    assert.match(marked('DefaultType x/y\n', { file: '.htaccess' }), /default-type\/ignored/);
    const inactive = '<IfVersion < 2.4>\nDefaultType text/plain\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
