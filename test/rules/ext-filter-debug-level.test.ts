import assert from 'node:assert/strict';
import { annotated, fixed } from '../support/rules';

const rule = { rule: 'ext-filter-debug-level' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('ext-filter-debug-level', () => {
  it('leaves other options alone, comments, and other directives', () => {
    const clean =
      '<Location />\nExtFilterOptions LogStderr\n# ExtFilterOptions DebugLevel=1\nExtFilterOptionss DebugLevel=1\nExtFilterOptions XDebugLevel=1\n</Location>\n';
    assert.equal(marked(clean), clean);
    assert.equal(fix(clean, true), clean);
  });

  it('marks the words, in odd case, twice in a file', () => {
    const found = marked(
      '<Location />\n  extfilteroptions dEBUGlEVEL=2 LogStderr\n</Location>\n<Files x>\nExtFilterOptions DebugLevel=0\n</Files>\n',
    );
    assert.equal((found.match(/error ext-filter-debug-level\/debug-level suggestion/g) ?? []).length, 1);
    assert.equal((found.match(/error ext-filter-debug-level\/debug-level safe/g) ?? []).length, 1);
  });

  it('removes what says 0, alone or among others, and leaves a level to a person', () => {
    assert.equal(fix('ExtFilterOptions DebugLevel=0\nA\n'), 'A\n');
    assert.equal(fix('ExtFilterOptions LogStderr DebugLevel=0 DebugLevel=x\n'), 'ExtFilterOptions LogStderr\n');
    assert.equal(
      fix('ExtFilterOptions \\\r\n  debuglevel=0 \\\r\n  LogStderr\r\n'),
      'ExtFilterOptions \\\r\n  LogStderr\r\n',
    );
    for (const text of ['ExtFilterOptions DebugLevel=3\n', 'ExtFilterOptions DebugLevel=${LEVEL} LogStderr\n']) {
      assert.equal(fix(text), text);
      assert.ok(!/DebugLevel/.test(fix(text, true)));
    }
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfModule !core.c>\nExtFilterOptions DebugLevel=1\n</IfModule>\n';
    assert.equal(marked(inactive), inactive);
  });
});
