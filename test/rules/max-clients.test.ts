import assert from 'node:assert/strict';
import { annotated, fixed } from '../support/rules';

const rule = { rule: 'max-clients' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string) => fixed(text, rule);

describe('max-clients', () => {
  it('finds the name, in any case, any number of times, in sections', () => {
    const text = 'MaxClients 1\n<IfModule worker.c>\n\tmAXcLIENTS 2\n</IfModule>\n';
    assert.equal(
      marked(text),
      `MaxClients 1
#^^^^^^^^^ info max-clients/renamed safe
<IfModule worker.c>
	mAXcLIENTS 2
#^^^^^^^^^^ info max-clients/renamed safe
</IfModule>
`,
    );
    assert.equal(fix(text), 'MaxRequestWorkers 1\n<IfModule worker.c>\n\tMaxRequestWorkers 2\n</IfModule>\n');
  });

  it('keeps what follows the name: blanks, a variable, a continuation, CR LF, and no last line end', () => {
    assert.equal(fix('  MaxClients\t"${MAX}"  \r\n'), '  MaxRequestWorkers\t"${MAX}"  \r\n');
    assert.equal(fix('MaxClients \\\n  10\n'), 'MaxRequestWorkers \\\n  10\n');
    assert.equal(fix('Max\\\nClients 10'), 'MaxRequestWorkers 10');
  });

  it('leaves the new name alone, comments, longer names, and what 2.4 does not read', () => {
    const clean =
      'MaxRequestWorkers 1\n# MaxClients 1\nMaxClientsPerHost 1\n<IfVersion < 2.4>\nMaxClients 1\n</IfVersion>\n';
    assert.equal(marked(clean), clean);
    assert.equal(fix(clean), clean);
  });
});
