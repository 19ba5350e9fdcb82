/**
 * Random servers on a disk, fixed in every way there is. HTTPD_UPGRADE_TREES says how many; HTTPD_UPGRADE_SEED where to begin, so that a long run can be taken up
 * again. A tree with a problem is made small before it is shown. Thousands go twice as fast where TMPDIR is in memory (a tmpfs; not /dev/shm, which the program does not read).
 */
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { seed } from '../support/random';
import { Place } from './disk';
import { Editor } from './editor';
import { forgetChanges } from '../support/state';
import { writeQuickly } from './product';
import { described, generatedFor, shrunk, tried } from './trial';

const COUNT = Number(process.env.HTTPD_UPGRADE_TREES ?? 100);
/** Goes on behind a problem, and writes it here. */
const REPORT = process.env.HTTPD_UPGRADE_TREES_REPORT;
/** This part of the trees, in percent, has something that is changed at least. */
const CHANGED = 20;

describe('random servers on a disk', function () {
  this.timeout(60_000 + COUNT * 2000);
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

  it(`${COUNT} of them answer after a fix as they did before`, async () => {
    // The short form looks at the same trees each time; whoever wants others says so.
    const start = process.env.HTTPD_UPGRADE_TREES ? seed() : 1;
    const bench = { place, editor: () => (editor ??= Editor.start()) };
    const counts = new Map<string, { trees: number; changed: number; asked: number; unmended: number; problems: number }>();
    const failures: string[] = [];
    for (let i = 0; i < COUNT; i++) {
      const { generated, modes } = generatedFor(start + i);
      forgetChanges();
      for (const mode of modes) {
        const result = await tried(generated, mode, bench);
        if (result.isSkipped) continue;
        const own = counts.get(mode.name) ?? { trees: 0, changed: 0, asked: 0, unmended: 0, problems: 0 };
        counts.set(mode.name, { trees: own.trees + 1, changed: own.changed + Number(result.isChanged), asked: own.asked + result.asked, unmended: own.unmended + result.unmended, problems: own.problems + Number(result.problems.length > 0) });
        if (result.problems.length === 0) continue;
        const least = await shrunk(generated, mode, bench, REPORT ? 250 : 600);
        const text = `HTTPD_UPGRADE_SEED=${start + i}\n${(await tried(least, mode, bench)).problems.join('\n')}\n${described(least, mode)}`.replaceAll(place.path, '@ROOT@');
        if (!REPORT) assert.fail(text);
        failures.push(text);
        appendFileSync(REPORT, `${text}\n\n=====\n`);
      }
      if (COUNT > 500 && (i + 1) % 500 === 0) console.log(`${i + 1} trees from seed ${start}: ${said(counts)}`);
    }
    if (process.env.HTTPD_UPGRADE_TREES) console.log(`${COUNT} trees from seed ${start}: ${said(counts)}`);
    assert.equal(failures.length, 0, `${failures.length} problems: ${REPORT}`);
    const usual = counts.get('write')!;
    if (COUNT >= 50) assert.ok(usual.changed * 100 >= usual.trees * CHANGED, `only ${usual.changed} of ${usual.trees} trees are changed (seed ${start})`);
  });
});

function said(counts: ReadonlyMap<string, Readonly<Record<string, number>>>): string {
  return [...counts].map(([mode, own]) => `${mode}: ${Object.entries(own).map(([name, count]) => `${count} ${name}`).join(', ')}`).join('; ');
}
