/**
 * Fixes random servers on a disk in all ways. HTTPD_UPGRADE_TREES is their number.
 * HTTPD_UPGRADE_SEED is the first seed, to continue a long run. A tree with a problem is shrunk
 * before it is shown. Thousands of trees take half the time if TMPDIR is in memory (a tmpfs; not
 * /dev/shm, which the program does not read).
 */
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { Random, seed } from '../support/random';
import { Place } from './disk';
import { Editor } from './editor';
import { randomTree, SHAPES } from './generate';
import { forgetChanges } from '../support/state';
import { writeQuickly } from './product';
import { described, generatedFor, shrunk, tried } from './trial';

const COUNT = Number(process.env.HTTPD_UPGRADE_TREES ?? 60);
/** Goes on behind a problem, and writes it here. */
const REPORT = process.env.HTTPD_UPGRADE_TREES_REPORT;
/** Of so many trees so many have each shape, at least. */
const SHAPED = 1000;
const LEAST = 5;
/** This part of the trees, in percent, has something that is changed at least. */
const CHANGED = 20;
/**
 * With this part of the trees, in percent, `--unsafe` is tried, because what its suggestions assume
 * is true: less often since most trees have conditions.
 */
const UNSAFE = 15;

describe('random servers on a disk', function () {
  // A tree with a problem is made small, which is some hundred trials.
  this.timeout(600_000 + COUNT * 2000);
  let place: Place;
  let editor: Promise<Editor> | null = null;
  let writeAsUsual: () => void;
  before(() => {
    place = new Place();
    writeAsUsual = writeQuickly();
  });
  after(async () => {
    writeAsUsual();
    place.remove();
    await (await editor)?.stop();
  });

  it('have every shape', () => {
    const counts = new Map(Object.keys(SHAPES).map((name) => [name, 0]));
    for (let i = 1; i <= SHAPED; i++) {
      const generated = randomTree(new Random(i));
      for (const [name, isOne] of Object.entries(SHAPES)) if (isOne(generated)) counts.set(name, counts.get(name)! + 1);
    }
    if (process.env.HTTPD_UPGRADE_TREES)
      console.log(`of ${SHAPED} trees have ${[...counts].map(([name, count]) => `${name}: ${count}`).join(', ')}`);
    assert.deepEqual(
      [...counts].filter(([, count]) => count < LEAST),
      [],
    );
  });

  it(`${COUNT} of them answer after a fix as they did before`, async () => {
    // The short form looks at the same trees each time; whoever wants others says so.
    const start = process.env.HTTPD_UPGRADE_TREES ? seed() : 1;
    const bench = { place, editor: () => (editor ??= Editor.start()) };
    const counts = new Map<
      string,
      { trees: number; changed: number; asked: number; unmended: number; problems: number }
    >();
    /** Why `--unsafe` was not tried, by what is not true. */
    const skipped = new Map<string, number>();
    const failures: string[] = [];
    for (let i = 0; i < COUNT; i++) {
      const { generated, modes } = generatedFor(start + i);
      forgetChanges();
      for (const mode of modes) {
        const result = await tried(generated, mode, bench);
        if (result.skipped !== undefined) {
          skipped.set(result.skipped, (skipped.get(result.skipped) ?? 0) + 1);
          continue;
        }
        const own = counts.get(mode.name) ?? { trees: 0, changed: 0, asked: 0, unmended: 0, problems: 0 };
        counts.set(mode.name, {
          trees: own.trees + 1,
          changed: own.changed + Number(result.isChanged),
          asked: own.asked + result.asked,
          unmended: own.unmended + result.unmended,
          problems: own.problems + Number(result.problems.length > 0),
        });
        if (result.problems.length === 0) continue;
        const least = await shrunk(generated, mode, bench, REPORT ? 250 : 600);
        const text =
          `HTTPD_UPGRADE_SEED=${start + i}\n${(await tried(least, mode, bench)).problems.join('\n')}\n${described(least, mode)}`.replaceAll(
            place.path,
            '@ROOT@',
          );
        if (!REPORT) assert.fail(text);
        failures.push(text);
        appendFileSync(REPORT, `${text}\n\n=====\n`);
      }
      if (COUNT > 500 && (i + 1) % 500 === 0) console.log(`${i + 1} trees from seed ${start}: ${said(counts)}`);
    }
    if (process.env.HTTPD_UPGRADE_TREES)
      console.log(
        `${COUNT} trees from seed ${start}: ${said(counts)}\nnot tried with --unsafe, because it is not known: ${[...skipped].map(([what, count]) => `${what} ${count}`).join(', ')}`,
      );
    assert.equal(failures.length, 0, `${failures.length} problems: ${REPORT}`);
    const usual = counts.get('write')!;
    if (COUNT >= 1000 || !process.env.HTTPD_UPGRADE_TREES)
      assert.ok(
        (counts.get('unsafe')?.trees ?? 0) * 100 >= COUNT * UNSAFE,
        `only ${counts.get('unsafe')?.trees} of ${COUNT} trees are tried with --unsafe (seed ${start})`,
      );
    if (COUNT >= 50)
      assert.ok(
        usual.changed * 100 >= usual.trees * CHANGED,
        `only ${usual.changed} of ${usual.trees} trees are changed (seed ${start})`,
      );
  });
});

function said(counts: ReadonlyMap<string, Readonly<Record<string, number>>>): string {
  return [...counts]
    .map(
      ([mode, own]) =>
        `${mode}: ${Object.entries(own)
          .map(([name, count]) => `${count} ${name}`)
          .join(', ')}`,
    )
    .join('; ');
}
