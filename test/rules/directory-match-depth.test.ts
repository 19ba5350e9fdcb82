import assert from 'node:assert/strict';
import { annotated, fixed } from '../support/rules';

const rule = { rule: 'directory-match-depth' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('directory-match-depth', () => {
  it('leaves expressions without $ alone, escaped and bracketed ones, other sections, comments, variables', () => {
    const clean =
      '<DirectoryMatch "^/a/.*/b/">\n</DirectoryMatch>\n<DirectoryMatch "a\\$b[$][^]$x]">\n</DirectoryMatch>\n<Directory "/a$">\n</Directory>\n<LocationMatch "a$">\n</LocationMatch>\n# <DirectoryMatch "a$">\n<DirectoryMatch "${X}$">\n</DirectoryMatch>\n';
    assert.equal(marked(clean), clean);
  });

  it('marks the expression, in odd case, with ~, in virtual hosts; and has no fix', () => {
    const text =
      '<dIRECTORYmATCH "^/a$">\n</dIRECTORYmATCH>\n<VirtualHost *>\n<Directory ~ (a|b$)>\n</Directory>\n</VirtualHost>\n';
    assert.equal(
      marked(text),
      `<dIRECTORYmATCH "^/a$">
#               ^^^^^^ warning directory-match-depth/end-of-path none
</dIRECTORYmATCH>
<VirtualHost *>
<Directory ~ (a|b$)>
#            ^^^^^^ warning directory-match-depth/end-of-path none
</Directory>
</VirtualHost>
`,
    );
    assert.equal(fix(text, true), text);
    assert.match(marked('<DirectoryMatch \\\r\n  a$>\r\n</DirectoryMatch>\r\n'), /warning/);
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\n<DirectoryMatch a$>\\n</DirectoryMatch>\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
