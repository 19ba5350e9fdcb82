/**
 * Whole servers of the corpus through the command line: the result of `fix --write` on a copy. The
 * second run changes nothing, unnamed files stay the same, and with CR LF the result is the same
 * with CR LF.
 */
import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Folder } from '../cli/run';
import { describeOver } from '../support/lacks';
import { corpusFolder } from '../support/paths';
import { rows } from './files';

describeOver('corpus', 'trees of the corpus through the command line', function () {
  this.timeout(900_000);
  let folder: Folder;
  beforeEach(() => {
    folder = new Folder();
  });
  afterEach(() => folder.remove());

  for (const [name, root] of rows('TREES.tsv')) {
    it(name, async () => {
      const [top] = root.split('/');
      for (const copy of ['lf', 'crlf'])
        cpSync(path.join(corpusFolder, top), folder.at(`${copy}/${top}`), { recursive: true, dereference: true });
      for (const file of filesBelow(folder.at('crlf')))
        writeFileSync(file, withCrlf(readFileSync(file, 'latin1')), 'latin1');
      const before = textsBelow(folder.at('lf'));

      const [first, other] = await Promise.all(
        ['lf', 'crlf'].map((copy) => folder.run(['fix', '--write', `${copy}/${root}`])),
      );
      assert.deepEqual(
        [first, other].filter(({ code }) => code !== 0 && code !== 1),
        [],
      );
      const after = textsBelow(folder.at('lf'));
      const changed = Object.keys(after).filter((file) => after[file] !== before[file]);
      assert.deepEqual(changed.map((file) => `lf/${file}`).sort(), written(first.out), 'the files that it names');
      assert.deepEqual(
        textsBelow(folder.at('crlf')),
        Object.fromEntries(Object.entries(after).map(([file, text]) => [file, withCrlf(text)])),
        'the same with CR LF',
      );

      const again = await folder.run(['fix', `crlf/${root}`]);
      assert.equal(again.out, '', 'nothing the second time');
    });
  }
});

function filesBelow(folder: string): string[] {
  return (readdirSync(folder, { recursive: true }) as string[])
    .map((file) => path.join(folder, file))
    .filter((file) => statSync(file).isFile());
}

function textsBelow(folder: string): Record<string, string> {
  return Object.fromEntries(
    filesBelow(folder).map((file) => [path.relative(folder, file), readFileSync(file, 'latin1')]),
  );
}

function withCrlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

/** The files named in what `fix --write` says, below the folder of the test. */
function written(out: string): string[] {
  return out
    .split('\n')
    .filter(Boolean)
    .map((row) => row.replace(/: \d+ fix(es)?$/, '').replace(/^.*?(?=lf\/)/, ''))
    .sort();
}
