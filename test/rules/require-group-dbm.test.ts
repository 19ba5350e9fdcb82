import assert from 'node:assert/strict';
import { annotated, findingsIn, fixed } from '../support/rules';

const rule = { rule: 'require-group-dbm' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });
const dir = (body: string) => `<Directory /srv>\n${body}</Directory>\n`;

describe('require-group-dbm', () => {
  it('leaves groups alone that are in a text file, or may be', () => {
    for (const body of [
      'Require group a\n',
      'AuthGroupFile /g\nRequire group a\n',
      'AuthDBMGroupFile /g\nAuthGroupFile /h\nRequire group a\n',
      'AuthDBMGroupFile /g\nRequire dbm-group a\nRequire user group\n',
      'AuthDBMGroupFile /g\nInclude h.conf\nRequire group a\n',
      'AuthDBMGroupFile /g\n<Files x>\nRequire group a\n</Files>\n',
      '# AuthDBMGroupFile /g\nRequire group a\n',
      'AuthDBMGroupFile /g\nRequire ${A} a\n',
    ]) {
      assert.equal(marked(dir(body)), dir(body));
    }
  });

  it('marks the word, twice in a section, in odd case, in containers, behind not', () => {
    assert.equal(
      marked(
        dir(
          '  aUTHdbmGROUPFILE /g\n  rEQUIRE  group a\n  <RequireAll>\n    Require not "file-group"\n  </RequireAll>\n',
        ),
      ),
      `<Directory /srv>
  aUTHdbmGROUPFILE /g
  rEQUIRE  group a
#          ^^^^^ warning require-group-dbm/group suggestion
  <RequireAll>
    Require not "file-group"
#               ^^^^^^^^^^^^ warning require-group-dbm/group suggestion
  </RequireAll>
</Directory>
`,
    );
  });

  it('writes the new name, and leaves it to a person', () => {
    const text = dir('AuthDBMGroupFile /g\r\nRequire \\\r\n group a\r\n');
    assert.equal(fix(text), text);
    assert.equal(fix(text, true), dir('AuthDBMGroupFile /g\r\nRequire \\\r\n dbm-group a\r\n'));
    assert.match(findingsIn(text, rule)[0].fixes[0].assumes!, /AuthGroupFile/);
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = dir('AuthDBMGroupFile /g\n<IfVersion < 2.4>\nRequire group a\n</IfVersion>\n');
    assert.equal(marked(inactive), inactive);
  });
});
