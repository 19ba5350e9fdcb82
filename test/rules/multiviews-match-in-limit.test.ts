import assert from 'node:assert/strict';
import { annotated, fixed } from '../support/rules';

const rule = { rule: 'multiviews-match-in-limit' };
const marked = (text: string) => annotated(text, rule);

describe('multiviews-match-in-limit', () => {
  it('leaves the directive alone elsewhere, and comments', () => {
    const clean =
      'MultiviewsMatch Any\n<Files x>\nMultiviewsMatch Any\n<Limit GET>\n# MultiviewsMatch Any\n</Limit>\n</Files>\n';
    assert.equal(marked(clean), clean);
  });

  it('marks the line, in odd case, twice, nested, continued, with CR LF; and has no fix', () => {
    const text =
      '<Files x>\r\n<Limit GET>\r\n<IfDefine A>\r\nmULTIVIEWSmATCH \\\r\n Any\r\n</IfDefine>\r\n</Limit>\r\n<LimitExcept GET>\r\nMultiviewsMatch Any\r\n</LimitExcept>\r\n</Files>\r\n';
    assert.equal((marked(text).match(/error multiviews-match-in-limit\/in-limit none/g) ?? []).length, 2);
    assert.equal(fixed(text, { ...rule, unsafe: true }), text);
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\n<Limit GET>\nMultiviewsMatch Any\n</Limit>\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
