/**
 * How many sections of the corpus's servers one refusal holds back: the smallest set stays, and the
 * rest is converted. Each section with old lines in turn gets a line that cannot be converted;
 * refusals.tsv has how many others then stay, and how many there are. UPDATE=1 writes the current
 * table.
 *
 * On the servers of Gentoo one refusal keeps all, whichever section has it. `<Directory />` denies
 * everything there, and each other section allows requests below it, or by a URL. A section that
 * stays allows through mod_access_compat alone, so the section around it must not become `Require
 * all denied`: `<Directory />` stays. `<Directory />` then denies below it, unless an old line
 * allows again: so all sections that allow stay. One set is larger than necessary: `<FilesMatch
 * "^\\.ht">` with `Order allow,deny` and `Deny from all` denies whatever its other lines allow,
 * which the plan does not use.
 *
 * The last three columns, which are not computed here, are the results of the first version of the
 * conversion on the same trees. It read none of the included files of Gentoo's copies, so it found
 * no section there.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { accessConversion, type AccessConversion } from '../../server/src/analysis/access-conversion';
import { Engine } from '../../server/src/analysis/engine';
import { diskFileView } from '../../server/src/host/node-files';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { describeOver } from '../support/lacks';
import { corpusFolder, repositoryRoot } from '../support/paths';
import { isUpdating } from '../support/update';
import { rows } from './files';

/** Servers of 2.4 with mod_access_compat: what that decides is kept. */
const OF_24 = new Set(['binarystorm-24', 'jboss-fuse-24mixed', 'vvvggg-modular-24']);

const OLD = /^[ \t]*(?:Order|Allow|Deny)[ \t]/gim;
/** Of the table, those that are computed here. */
const COLUMNS = 6;
const REFUSED = 'Allow from ${NOBODY_KNOWS}\n';

describeOver('corpus', 'refusals in the corpus', function () {
  this.timeout(900_000);
  const view = diskFileView();
  const EXPECTED = path.join(repositoryRoot, 'test/corpus/refusals.tsv');

  it('hold back no more than is recorded', () => {
    const found = rows('TREES.tsv').map(([tree, root]) => rowOf(tree, view.realPath(path.join(corpusFolder, root))));
    const [head, ...expected] = readFileSync(EXPECTED, 'utf8').trim().split('\n');
    if (isUpdating) {
      const first = new Map(expected.map((row) => [row.split('\t')[0], row.split('\t').slice(COLUMNS)]));
      const table = found.map((row) => [...row, ...(first.get(row[0]) ?? [])].join('\t'));
      return writeFileSync(EXPECTED, `${[head, ...table].join('\n')}\n`);
    }
    assert.deepEqual(
      found,
      expected.map((row) => row.split('\t').slice(0, COLUMNS)),
    );
  });

  /**
   * The tree, its sections that are converted, those that stay, and of the refusals made here: how
   * many, and how many other sections they hold back on average and at most.
   */
  function rowOf(tree: string, mainFile: string): string[] {
    const engine = new Engine({ rules: ALL_RULES, accessSource: OF_24.has(tree) ? '2.4' : '2.2' });
    const plan = (changed?: { file: string; text: string }) => {
      const read = (file: string) => (file === changed?.file ? Tree.parse(changed.text) : view.read(file));
      return accessConversion({
        roots: [{ mainFile, engine, server: {} }],
        view: changed ? { ...view, read } : view,
      });
    };
    const whole = plan();
    const [converted, stay] = counted(whole);
    const held: number[] = [];
    for (const file of whole.configurations.flatMap(({ files }) => files)) {
      const text = view.read(file)?.text() ?? '';
      const places = [...text.matchAll(OLD)].map(({ index }) => index);
      // The first old line of each section: what stands between it and the one before is a tag.
      const firsts = places.filter(
        (at, index) => index === 0 || /^\s*<\/?(?!Limit)/im.test(text.slice(places[index - 1], at)),
      );
      for (const at of firsts) {
        const [, all] = counted(plan({ file, text: text.slice(0, at) + REFUSED + text.slice(at) }));
        if (all > stay) held.push(all - stay - 1);
      }
    }
    const mean = held.reduce((sum, count) => sum + count, 0) / (held.length || 1);
    return [tree, `${converted}`, `${stay}`, `${held.length}`, mean.toFixed(1), `${Math.max(0, ...held)}`];
  }
});

/** Sections that are converted, and that stay. */
function counted({ changes, configurations }: AccessConversion): [number, number] {
  return [
    changes.reduce((sum, { sectionCount }) => sum + sectionCount, 0),
    configurations.reduce((sum, { refusals }) => sum + refusals.length, 0),
  ];
}
