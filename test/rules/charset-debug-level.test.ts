import assert from 'node:assert/strict';
import { annotated, findingsIn, fixed } from '../support/rules';

const rule = { rule: 'charset-debug-level' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('charset-debug-level', () => {
  it('leaves other options alone, comments, and other directives', () => {
    const clean =
      '<Location />\nCharsetOptions NoImplicitAdd\n# CharsetOptions DebugLevel=1\nCharsetOptionss DebugLevel=1\nCharsetOptions XDebugLevel=1\n</Location>\n';
    assert.equal(marked(clean), clean);
    assert.equal(fix(clean, true), clean);
  });

  it('marks the words, in odd case, twice in a file', () => {
    const found = marked(
      '<Location />\n  charsetoptions dEBUGlEVEL=2 NoImplicitAdd\n</Location>\n<Files x>\nCharsetOptions DebugLevel=0\n</Files>\n',
    );
    assert.equal((found.match(/error charset-debug-level\/debug-level suggestion/g) ?? []).length, 1);
    assert.equal((found.match(/error charset-debug-level\/debug-level safe/g) ?? []).length, 1);
  });

  it('asks to remove the line if it has no other option', () => {
    const [alone] = findingsIn('CharsetOptions DebugLevel=0\n', rule);
    assert.match(alone.help!, /^Remove the line\./);
    assert.equal(alone.fixes[0]!.title, 'Remove CharsetOptions DebugLevel=0');
    assert.match(findingsIn('CharsetOptions NoImplicitAdd DebugLevel=0\n', rule)[0]!.help!, /^Remove `DebugLevel`\./);
  });

  it('removes what says 0, alone or among others, and leaves a level to a person', () => {
    assert.equal(fix('CharsetOptions DebugLevel=0\nA\n'), 'A\n');
    assert.equal(fix('CharsetOptions NoImplicitAdd DebugLevel=0 DebugLevel=x\n'), 'CharsetOptions NoImplicitAdd\n');
    assert.equal(
      fix('CharsetOptions \\\r\n  debuglevel=0 \\\r\n  NoImplicitAdd\r\n'),
      'CharsetOptions \\\r\n  NoImplicitAdd\r\n',
    );
    for (const text of ['CharsetOptions DebugLevel=3\n', 'CharsetOptions DebugLevel=${LEVEL} NoImplicitAdd\n']) {
      assert.equal(fix(text), text);
      assert.ok(!/DebugLevel/.test(fix(text, true)));
    }
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfModule !core.c>\nCharsetOptions DebugLevel=1\n</IfModule>\n';
    assert.equal(marked(inactive), inactive);
  });
});
