import assert from 'node:assert/strict';
import { findingsIn, fixed } from '../support/rules';

const rule = { rule: 'line-too-long' };
const htaccess = { ...rule, file: '.htaccess' };
const found = (text: string, asked = rule) =>
  findingsIn(text, asked).map(({ messageId, severity, start, end }) => [
    messageId,
    severity,
    text.slice(start, end).length,
  ]);
const line = (bytes: number, start = 'RewriteCond a ') => start + 'x'.repeat(bytes - start.length);

describe('line-too-long', () => {
  it('knows the limit of a .htaccess to the byte, line end and comments counted', () => {
    assert.deepEqual(found(`${line(8191)}\n`, htaccess), []);
    assert.deepEqual(found(line(8192), htaccess), []);
    assert.deepEqual(found(`${line(8192)}\n`, htaccess), [['too-long', 'error', 8192]]);
    assert.deepEqual(found(`${line(8191)}\r\n`, htaccess), [['too-long', 'error', 8191]]);
    assert.deepEqual(found(`${line(8192, '# ')}\n`, htaccess), [['too-long', 'error', 8192]]);
    assert.deepEqual(found(`RewriteCond ${'é'.repeat(4000)}\n`, htaccess), []);
    assert.deepEqual(found(`RewriteCond ${'é'.repeat(4100)}\n`, htaccess), [['too-long', 'error', 4112]]);
  });

  it('counts continued lines together', () => {
    assert.deepEqual(found(`${line(5000)}\\\n${'x'.repeat(3191)}\n`, htaccess), []);
    assert.deepEqual(found(`${line(5000)}\\\n${'x'.repeat(3192)}\nA b\n`, htaccess), [['too-long', 'error', 5001]]);
  });

  it('warns elsewhere of what 2.2 cut, twice, in sections; not of comments', () => {
    assert.deepEqual(found(`${line(8190)}\n`), []);
    assert.deepEqual(found(`${line(9000)}\n<Files a>\n${line(8191)}\n</Files>\n${line(9000, '# ')}\n`), [
      ['cut', 'warning', 9000],
      ['cut', 'warning', 8191],
    ]);
  });

  it('has no fix', () => {
    const text = `${line(9000)}\n`;
    assert.equal(fixed(text, { ...htaccess, unsafe: true }), text);
  });

  it('is silent in a section that 2.4 does not read', () => {
    assert.deepEqual(found(`<IfVersion < 2.4>\n${line(9000)}\n</IfVersion>\n`, htaccess), []);
  });
});
