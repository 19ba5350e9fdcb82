import assert from 'node:assert/strict';
import { annotated } from '../support/rules';

const marked = (text: string) => annotated(text, { rule: 'else-without-if' });

describe('else-without-if', () => {
  it('marks the tag, in odd case, within conditionals', () => {
    assert.equal(
      marked('<Location /x>\n<IfModule x.c>\n  <eLSE>\n  </eLSE>\n</IfModule>\n</Location>\n'),
      '<Location /x>\n<IfModule x.c>\n  <eLSE>\n# ^^^^^^ error else-without-if/alone none\n  </eLSE>\n</IfModule>\n</Location>\n',
    );
  });

  it('says nothing of chains, of the top of a file, of what is not read, beside an Include, in macros', () => {
    for (const clean of [
      '<Directory /x>\n<If true>\n</If>\nOptions None\n<ElseIf true>\n</ElseIf>\n<Else>\n</Else>\n<If true>\n</If>\n<Else>\n</Else>\n</Directory>\n',
      '<Else>\n</Else>\n',
      '<Directory /x>\n<IfVersion < 2.4>\n<Else>\n</Else>\n</IfVersion>\n</Directory>\n',
      '<Directory /x>\nInclude if.conf\n<Else>\n</Else>\n</Directory>\n',
      '<Macro m>\n<Directory /x>\n<Else>\n</Else>\n</Directory>\n</Macro>\n',
      '<Directory /x>\n<If true>\n</If>\n<IfDefine X>\n<Else>\n</Else>\n</IfDefine>\n<Else>\n</Else>\n</Directory>\n',
    ]) {
      assert.equal(marked(clean), clean);
    }
  });

  it('an inactive <If> is none', () => {
    const text =
      '<Directory /x>\r\n<IfVersion < 2.4>\r\n<If true>\r\n</If>\r\n</IfVersion>\r\n<Else>\r\n</Else>\r\n</Directory>\r\n';
    assert.match(marked(text), /<Else>\r\n#\^{5,6} error else-without-if\/alone/);
  });
});
