import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { hasHiddenCharacter } from '../../server/src/syntax/hidden-text';
import { shellWord } from '../../server/src/syntax/shell-word';

it('a word in a command is what bash reads back, and has no invisible character as it is', () => {
  for (const word of ['a', 'a b', "it's", 'a\u202eb', "\u00ad'\\\u{e0041}\x1b x", '\u00e9\u200b', '\ufeff$HOME']) {
    assert.ok(!hasHiddenCharacter(shellWord(word)));
    assert.equal(execFileSync('bash', ['-c', `printf %s ${shellWord(word)}`], { encoding: 'utf8', env: {} }), word);
  }
});
