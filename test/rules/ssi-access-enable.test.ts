import assert from 'node:assert/strict';
import { annotated, fixed } from '../support/rules';

const rule = { rule: 'ssi-access-enable' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('ssi-access-enable', () => {
  it('leaves comments and longer names alone', () => {
    const clean = '# SSIAccessEnable on\nSSIAccessEnabled on\nSSIETag on\n';
    assert.equal(marked(clean), clean);
  });

  it('removes what says the default, and leaves the rest to a person', () => {
    assert.equal(
      fix('<Files x>\n  ssiACCESSenable \\\r\n OFF\r\n</Files>\nSSIAccessEnable Off\n'),
      '<Files x>\n</Files>\n',
    );
    for (const text of ['SSIAccessEnable on\n', 'SSIAccessEnable\n', 'SSIEnableAccess off\n', 'SSIEnableAccess on\n']) {
      assert.equal(fix(text), text);
      assert.equal(fix(text, true), '');
    }
    assert.equal(fix('SSIAccessEnable ${X}\n', true), 'SSIAccessEnable ${X}\n', 'a value that something may fill in');
    assert.ok(marked('SSIEnableAccess on\n').includes('error ssi-access-enable/never-known suggestion'));
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\nSSIAccessEnable on\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
