import assert from 'node:assert/strict';
import { annotated, fixed } from '../support/rules';

const rule = { rule: 'max-requests-per-child' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string) => fixed(text, rule);

describe('max-requests-per-child', () => {
  it('leaves the new name alone, comments, and longer names', () => {
    const clean =
      'MaxConnectionsPerChild 10\n# MaxRequestsPerChild 10\n  #MaxRequestsPerChild 10\nMaxRequestsPerChildren 10\n';
    assert.equal(marked(clean), clean);
    assert.equal(fix(clean), clean);
  });

  it('finds the name, in any case and any number of times', () => {
    assert.equal(
      marked('MaxRequestsPerChild 10\n<IfModule worker.c>\n    mAXrEQUESTSpERcHILD 0\n</IfModule>\n'),
      `MaxRequestsPerChild 10
#^^^^^^^^^^^^^^^^^^ info max-requests-per-child/renamed safe
<IfModule worker.c>
    mAXrEQUESTSpERcHILD 0
#   ^^^^^^^^^^^^^^^^^^^ info max-requests-per-child/renamed safe
</IfModule>
`,
    );
    assert.equal(
      fix('MaxRequestsPerChild 10\n<IfModule worker.c>\n    mAXrEQUESTSpERcHILD 0\n</IfModule>\n'),
      'MaxConnectionsPerChild 10\n<IfModule worker.c>\n    MaxConnectionsPerChild 0\n</IfModule>\n',
    );
  });

  it('keeps what follows the name: blanks, a variable, a continuation, CR LF', () => {
    assert.equal(fix('\tMaxRequestsPerChild\t${MAX}  \r\n'), '\tMaxConnectionsPerChild\t${MAX}  \r\n');
    assert.equal(fix('MaxRequestsPerChild \\\n  10\n'), 'MaxConnectionsPerChild \\\n  10\n');
    assert.equal(fix('MaxRequests\\\nPerChild 10'), 'MaxConnectionsPerChild 10');
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\nMaxRequestsPerChild 10\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
