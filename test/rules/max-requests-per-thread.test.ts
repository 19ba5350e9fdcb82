import assert from 'node:assert/strict';
import { annotated, fixed } from '../support/rules';

const rule = { rule: 'max-requests-per-thread' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('max-requests-per-thread', () => {
  it('leaves comments and longer names alone', () => {
    const clean = '# MaxRequestsPerThread 0\nMaxRequestsPerThreads 0\n';
    assert.equal(marked(clean), clean);
  });

  it('removes the line: odd case, twice, in sections, continued, with CR LF', () => {
    assert.equal(
      marked('  MAXREQUESTSPERTHREAD 0\n')
        .split('\n')[1]
        .replace(/^# \^+ /, ''),
      'error max-requests-per-thread/removed safe',
    );
    assert.equal(
      fix(
        'A\r\nMaxRequestsPerThread \\\r\n 0\r\n<IfDefine X>\r\n<Files f>\r\n  maxrequestsperthread 0\r\n</Files>\r\n</IfDefine>\r\n',
      ),
      'A\r\n<IfDefine X>\r\n<Files f>\r\n</Files>\r\n</IfDefine>\r\n',
    );
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfModule beos.c>\nMaxRequestsPerThread 0\n</IfModule>\n';
    assert.equal(marked(inactive), inactive);
  });
});
