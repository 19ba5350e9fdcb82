import assert from 'node:assert/strict';
import { annotated, fixed } from '../support/rules';

const rule = { rule: 'win32-disable-acceptex' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('win32-disable-acceptex', () => {
  it('leaves comments and longer names alone', () => {
    const clean = '# Win32DisableAcceptEx\nWin32DisableAcceptExx\nAcceptFilter http none\n';
    assert.equal(marked(clean), clean);
  });

  it('becomes two lines with the indentation and line ends of the one, when asked', () => {
    const text = 'Listen 80\r\n\twIN32dISABLEaCCEPTeX\r\nListen 81\r\n';
    assert.equal(fix(text), text);
    assert.equal(
      fix(text, true),
      'Listen 80\r\n\tAcceptFilter http none\r\n\tAcceptFilter https none\r\nListen 81\r\n',
    );
    assert.equal(fix('Win32DisableAcceptEx \\\n on', true), 'AcceptFilter http none\nAcceptFilter https none');
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\nWin32DisableAcceptEx\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
