import assert from 'node:assert/strict';
import { Tree } from '../../server/src/syntax/document';
import { findingsIn, fixed } from '../support/rules';

const rule = { rule: 'invisible-character' };
const found = (text: string) => findingsIn(text, rule).map(({ start, end }) => [start, end]);
const fix = (text: string) => fixed(text, { ...rule, unsafe: true });

describe('invisible-character', () => {
  it('finds each of them, in names, arguments, tags and comments', () => {
    for (const character of [
      '\u00ad',
      '\u061c',
      '\u180e',
      '\u200b',
      '\u200c',
      '\u200d',
      '\u200e',
      '\u200f',
      '\u2028',
      '\u202a',
      '\u202e',
      '\u2060',
      '\u2066',
      '\u2069',
      '\ufeff',
      '\u{e0041}',
      '\u{e007f}',
      '\x1b',
      '\x7f',
      '\x01',
    ])
      for (const text of [
        `ServerAdmin a${character}b\n`,
        `Server${character}Admin a\n`,
        `# a${character}b\n`,
        `<Directory /a${character}>\n</Directory>\n`,
        `ServerAdmin a \\\n  b${character}c\n`,
      ]) {
        assert.equal(found(text).length, 1, JSON.stringify(text));
        assert.equal(fix(text), text.replace(character, ''), JSON.stringify(text));
      }
  });

  it('leaves other text alone', () => {
    for (const text of [
      'ServerAdmin a\n',
      'ServerAdmin\ta\r\n',
      '# \u05d4\u05e9\u05e8\u05ea \u0627\u0644\u062e\u0627\u062f\u0645 123\n',
      '# \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645\n',
      '# \u{1F468}\u200d\u{1F469}\u200d\u{1F467}\n',
      '# \u0915\u094d\u200d\u0937\n',
      '# \u0093quoted\u0094 in Windows-1252\n',
      '\ufeffListen 80\n',
      '# caf\u00e9\n',
    ])
      assert.deepEqual(found(text), [], JSON.stringify(text));
  });

  it('reports one problem a line, whose text names the characters and has none of them', () => {
    const text = 'Require user ad\u202emin\u202c\u200b\u200b\u2066x\n';
    const [finding, ...others] = findingsIn(text, rule);
    assert.equal(others.length, 0);
    assert.match(
      finding!.what,
      /^`Require`: the line has invisible characters \(U\+202E, U\+202C, U\+200B and 1 more\)$/,
    );
    assert.ok(!/[\u200b-\u2069]/.test(`${finding!.what}${finding!.cause}`));
  });

  it('finds one that a keystroke brings in', () => {
    const tree = Tree.parse('ServerAdmin ab\nTimeout 5\n').edit(13, 13, '\u202e');
    assert.equal(found(tree.text()).length, 1);
    assert.ok(tree.lineAt(0)!.line.mayHaveInvisible);
  });
});
