import assert from 'node:assert/strict';
import { annotated, fixed } from '../support/rules';

const rule = { rule: 'auth-digest-nonce-format' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('auth-digest-nonce-format', () => {
  it('leaves comments and longer names alone', () => {
    const clean = '# AuthDigestNonceFormat base64\nAuthDigestNonceFormats base64\n';
    assert.equal(marked(clean), clean);
  });

  it('removes the line: odd case, twice, in sections, continued, with CR LF', () => {
    assert.equal(
      marked('  AUTHDIGESTNONCEFORMAT base64\n')
        .split('\n')[1]
        .replace(/^# \^+ /, ''),
      'error auth-digest-nonce-format/removed safe',
    );
    assert.equal(
      fix(
        'A\r\nAuthDigestNonceFormat \\\r\n base64\r\n<IfDefine X>\r\n<Files f>\r\n  authdigestnonceformat base64\r\n</Files>\r\n</IfDefine>\r\n',
      ),
      'A\r\n<IfDefine X>\r\n<Files f>\r\n</Files>\r\n</IfDefine>\r\n',
    );
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfModule beos.c>\nAuthDigestNonceFormat base64\n</IfModule>\n';
    assert.equal(marked(inactive), inactive);
  });
});
