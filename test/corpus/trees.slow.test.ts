/** Whole servers of the corpus: the main file reaches as many files as were found by hand. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { configView } from '../../server/src/config/config-view';
import { readModel } from '../../server/src/config/read-model';
import { diskFileView } from '../../server/src/host/node-files';
import { describeOver } from '../support/lacks';
import { corpusFolder } from '../support/paths';

/** Trees of which more or less is reached, and why. */
const OTHERWISE: Readonly<Record<string, [number, string]>> = {
  'wikimedia-2012': [1, 'its folder has another name here, so nothing tells where /usr/local/apache/conf is'],
  'vvvggg-modular-24': [15, 'its Include lines have variables, which the list left unresolved'],
};

describeOver('corpus', 'trees of the corpus', () => {
  const rows = readFileSync(path.join(corpusFolder, 'TREES.tsv'), 'utf8').trim().split('\n').slice(1);
  for (const row of rows) {
    const [name, root, , , , , reachable] = row.split('\t');
    const [expected, why] = OTHERWISE[name] ?? [Number(reachable), ''];
    it(`${name}: ${expected} files${why && ` (${why})`}`, () => {
      const model = readModel({ mainFile: path.join(corpusFolder, root), view: configView(diskFileView()) })!;
      assert.equal(model.files.size, expected);
    });
  }
});
