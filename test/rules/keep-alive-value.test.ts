import assert from 'node:assert/strict';
import { annotated, findingsIn, fixed } from '../support/rules';

const rule = { rule: 'keep-alive-value' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string) => fixed(text, rule);

describe('keep-alive-value', () => {
  it('leaves On and Off alone, and what is an error in 2.2 already', () => {
    const clean =
      'KeepAlive On\nkeepalive oFF\nKeepAlive "on"\n# KeepAlive 1\nKeepAliveTimeout 1\nKeepAlive\nKeepAlive ""\nKeepAlive 1 2\n';
    assert.equal(marked(clean), clean);
    assert.equal(fix(clean), clean);
  });

  it('leaves variables alone', () => {
    const unknown = 'KeepAlive ${KEEPALIVE}\nKeepAlive ${A}1\n';
    assert.equal(marked(unknown), unknown);
  });

  it('writes the word that 2.2 took the value for', () => {
    const meanings = [
      ['1', 'On'],
      ['0', 'Off'],
      ['yes', 'On'],
      ['no', 'On'],
      ['false', 'On'],
      ['true', 'On'],
      ['5', 'On'],
      ['00', 'On'],
      ['none', 'On'],
      ['"0"', 'Off'],
      ["'yes'", 'On'],
    ];
    for (const [value, meant] of meanings) assert.equal(fix(`KeepAlive ${value}\n`), `KeepAlive ${meant}\n`);
  });

  it('marks the word, twice in a file, in a virtual host, in odd case', () => {
    assert.equal(
      marked('KeepAlive 1\n<VirtualHost *>\n  kEEPaLIVE  no \n</VirtualHost>\n'),
      `KeepAlive 1
#         ^ error keep-alive-value/not-a-switch safe
<VirtualHost *>
  kEEPaLIVE  no${' '}
#            ^^ error keep-alive-value/not-a-switch safe
</VirtualHost>
`,
    );
    assert.equal(
      fix('KeepAlive 1\n<VirtualHost *>\n  kEEPaLIVE  no \n</VirtualHost>\n'),
      'KeepAlive On\n<VirtualHost *>\n  kEEPaLIVE  On \n</VirtualHost>\n',
    );
  });

  it('offers Off where the word reads like it, but only offers it', () => {
    const titles = (text: string) =>
      findingsIn(text, rule)[0].fixes!.map(({ safety, edits }) => [safety, edits[0].text]);
    assert.deepEqual(titles('KeepAlive no'), [
      ['safe', 'On'],
      ['suggestion', 'Off'],
    ]);
    assert.deepEqual(titles('KeepAlive 1'), [['safe', 'On']]);
    assert.deepEqual(titles('KeepAlive 0'), [['safe', 'Off']]);
  });

  it('fixes a continued line and one with CR LF', () => {
    assert.equal(fix('KeepAlive \\\n   1\r\nTimeout 5\r\n'), 'KeepAlive \\\n   On\r\nTimeout 5\r\n');
    assert.equal(fix('KeepAlive y\\\nes\n'), 'KeepAlive On\n');
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfModule !core.c>\nKeepAlive 1\n</IfModule>\n';
    assert.equal(marked(inactive), inactive);
  });
});
