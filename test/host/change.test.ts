/** Files written whole or not at all: what the command line's tests cannot bring about from outside. */
import assert from 'node:assert/strict';
import { readdirSync, statSync, symlinkSync, unlinkSync, utimesSync } from 'node:fs';
import { writeWhole } from '../../server/src/host/write';
import { withFolder } from '../cli/run';

const bytes = (text: string) => Buffer.from(text);

describe('writing a file whole', withFolder((folder) => {
  it('takes the old content for what is to be replaced', async () => {
    folder().write('a', 'old');
    assert.equal(await writeWhole(folder().at('a'), bytes('old'), bytes('new')), null);
    assert.equal(folder().text('a'), 'new');
  });

  it('refuses when the file says something else by now, of the same length and time too', async () => {
    folder().write('a', 'old');
    const { atime, mtime } = statSync(folder().at('a'));
    folder().write('a', 'odd');
    utimesSync(folder().at('a'), atime, mtime);
    assert.equal(await writeWhole(folder().at('a'), bytes('old'), bytes('new')), 'has been changed by somebody else in the meantime');
    assert.equal(folder().text('a'), 'odd');
    assert.deepEqual(readdirSync(folder().path), ['a']);
  });

  it('refuses when the file is gone, or is something else', async () => {
    folder().write('a', 'old');
    unlinkSync(folder().at('a'));
    assert.equal(await writeWhole(folder().at('a'), bytes('old'), bytes('new')), 'does not exist');
    assert.equal(await writeWhole(folder().path, bytes('old'), bytes('new')), 'is not a regular file');
    symlinkSync('/dev/null', folder().at('null'));
    assert.equal(await writeWhole(folder().at('null'), bytes(''), bytes('new')), 'is not a regular file');
    assert.deepEqual(readdirSync(folder().path), ['null']);
  });

  it('takes names of any length', async () => {
    const name = 'x'.repeat(250);
    folder().write(name, 'old');
    assert.equal(await writeWhole(folder().at(name), bytes('old'), bytes('new')), null);
    assert.equal(folder().text(name), 'new');
  });

  it('writes megabytes', async () => {
    folder().write('a', 'old');
    const large = Buffer.alloc(20_000_000, 'abc\n');
    assert.equal(await writeWhole(folder().at('a'), bytes('old'), large), null);
    assert.ok(folder().bytes('a').equals(large));
  });
}));
