import assert from 'node:assert/strict';
import { annotated, fixed } from '../support/rules';

const rule = { rule: 'ssi-expression' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('ssi-expression', () => {
  it('is silent without includes, where the file decides, and about comments', () => {
    const clean = [
      'AddOutputFilter DEFLATE .html\n',
      '# AddOutputFilter INCLUDES .shtml\n',
      'XBitHack off\n',
      'AddHandler cgi-script .cgi\n',
      'AddOutputFilter INCLUDES .shtml\n<Directory /x>\nSSILegacyExprParser off\n</Directory>\n',
    ];
    for (const text of clean) assert.equal(marked(text), text);
  });

  it('hints once in a file, at the first line: odd case, in sections, continued, with CR LF; and has no fix', () => {
    const lines = [
      'aDDoUTPUTfILTER INCLUDES .shtml',
      'SetOutputFilter DEFLATE;INCLUDES',
      'AddOutputFilterByType INCLUDES text/html',
      'XBitHack full',
      'AddHandler server-parsed .html',
      'XBitHack \\\r\n On',
    ];
    for (const line of lines) {
      const text = `<Directory /x>\r\n  ${line}\r\n</Directory>\r\nXBitHack on\r\n`;
      assert.equal((marked(text).match(/hint ssi-expression\/conditions none/g) ?? []).length, 1, line);
      assert.equal(fix(text, true), text);
    }
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\nXBitHack on\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
