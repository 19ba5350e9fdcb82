import assert from 'node:assert/strict';
import { annotated, findingsIn, fixed } from '../support/rules';

const rule = { rule: 'line-ends-with-escaped-backslash' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('line-ends-with-escaped-backslash', () => {
  it('leaves continuations alone, backslashes elsewhere, and a comment at the end', () => {
    const clean = 'Timeout \\\n 5\nSetEnv A b\\\\c\n# a \\\n b\nSetEnv A b\\\\ \nSetEnv A \\\\\n# a \\\n';
    assert.equal(marked(clean.replace('SetEnv A \\\\\n', '')), clean.replace('SetEnv A \\\\\n', ''));
  });

  it('marks the backslashes, in comments and directives, in sections, twice', () => {
    assert.equal(
      marked('# x \\\\\nListen 80\n<Files a>\n  SetEnv A b\\\\\n</Files>\n'),
      `# x \\\\
#   ^^ warning line-ends-with-escaped-backslash/escaped-backslash safe
Listen 80
<Files a>
  SetEnv A b\\\\
#           ^^ warning line-ends-with-escaped-backslash/escaped-backslash suggestion
</Files>
`,
    );
  });

  it('ends comments, and leaves directives to a person', () => {
    assert.equal(fix('# x \\\\\\\\\r\nListen 80\r\n'), '# x \r\nListen 80\r\n');
    assert.equal(fix('SetEnv A b\\\\\nListen 80\n'), 'SetEnv A b\\\\\nListen 80\n');
    assert.equal(fix('SetEnv A b\\\\\r\nListen 80\r\n', true), 'SetEnv A b\\ \r\nListen 80\r\n');
  });

  it('finds the last line that 2.2 dropped', () => {
    assert.deepEqual(
      findingsIn('Listen 80\nTimeout 5 \\\n', rule).map(({ messageId }) => messageId),
      ['dropped-at-end'],
    );
    assert.equal(fix('  Timeout 5 \\\n', true), '  #Timeout 5\n');
    assert.equal(fix('Listen 80\nTimeout \\\n 5 \\\n', true), 'Listen 80\n');
    assert.deepEqual(findingsIn('Timeout 5 \\', rule), []);
    const tag = '<Files f>\n</Files>\\\n';
    assert.equal(fix(tag, true), tag, 'a closing tag stays: without it the section is an error');
  });

  it('leaves lines about access to a person, who takes them one by one, in directives and behind comments', () => {
    for (const text of [
      'AuthType Basic\nRequire group staff\\\n',
      '"Deny" from all\\\n',
      'Deny from 10\\\\\nTimeout 5\n',
      'IndexIgnore x\\\\\n  Satisfy Any\n',
      '# C:\\\\\nSatisfy Any\n',
      '# C:\\\\\n<IfVersion < 2.4>\nOrder deny,allow\n</IfVersion>\n',
      'Include acl.conf\\\n',
    ]) {
      const [finding] = findingsIn(text, rule);
      assert.deepEqual(
        finding!.fixes.map(({ safety, isAppliedAlone }) => [safety, isAppliedAlone]),
        [['suggestion', true]],
        text,
      );
    }
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\n# x \\\\\\\\\\nListen 80\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
