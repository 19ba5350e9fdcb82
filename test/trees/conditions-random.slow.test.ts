/**
 * Fixes random servers on a disk with many conditions in several ways. They have to answer as
 * before. If 2.4 opens what 2.2 refused without any change, a finding has to report it.
 * HTTPD_UPGRADE_TREES is the number of servers, HTTPD_UPGRADE_SEED the first seed. With
 * HTTPD_UPGRADE_TREES_REPORT, the test goes on after a problem and writes it to that file.
 */
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { forgetChanges } from '../support/state';
import { seed } from '../support/random';
import { Place } from './disk';
import { Editor } from './editor';
import { openedBy24, shown } from './judge';
import { command, writeQuickly } from './product';
import { described, generatedFor, shrunk, tried, type Mode } from './trial';

const COUNT = Number(process.env.HTTPD_UPGRADE_TREES ?? 40);
const REPORT = process.env.HTTPD_UPGRADE_TREES_REPORT;
/** Of twelve lines and sections so many stand in a condition. */
const CONDITIONS = 3;
/** A finding with one of these says that other requests are allowed than in 2.2. */
const SAYS_SO: ReadonlySet<string> = new Set(['access opens', 'meaning changed']);

interface Report {
  readonly files: readonly { readonly findings: readonly { readonly rule: string; readonly consequence: string }[] }[];
}

describe('random servers with many conditions', function () {
  this.timeout(600_000 + COUNT * 2000);
  const start = process.env.HTTPD_UPGRADE_TREES ? seed() : 1;
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
    const bench = { place, editor: () => (editor ??= Editor.start()) };
    let changed = 0;
    let problems = 0;
    for (let i = 0; i < COUNT; i++) {
      const { generated, modes } = generatedFor(start + i, CONDITIONS);
      const main = generated.tree.servers[0].main;
      const both: Mode = { name: 'both', run: [['fix', '--write', '--keep-both', main]] };
      forgetChanges();
      for (const mode of [...modes, both]) {
        const result = await tried(generated, mode, bench);
        changed += Number(result.isChanged);
        if (result.problems.length === 0) continue;
        problems++;
        const least = await shrunk(generated, mode, bench, 250);
        const rest = (await tried(least, mode, bench)).problems.join('\n');
        report(`HTTPD_UPGRADE_SEED=${start + i}\n${rest}\n${described(least, mode)}`);
      }
    }
    if (process.env.HTTPD_UPGRADE_TREES) console.log(`${COUNT} trees from seed ${start}: ${changed} are changed`);
    assert.equal(problems, 0);
    assert.ok(COUNT < 50 || changed * 10 >= COUNT, `only ${changed} are changed`);
  });

  it(`${COUNT} of them have a problem where 2.4 opens what 2.2 refused`, async () => {
    let opened = 0;
    let silent = 0;
    const rules = new Map<string, number>();
    for (let i = 0; i < COUNT; i++) {
      const { generated } = generatedFor(start + i, CONDITIONS);
      const { tree, urls, isAllHere } = generated;
      if (!isAllHere || tree.servers.length > 1) continue;
      forgetChanges();
      place.write(tree);
      const opening = openedBy24(tree, urls, place.read());
      if (opening === null) continue;
      opened++;
      const definitions = (tree.servers[0].defines ?? []).flatMap((name) => ['-D', name]);
      const args = ['check', '--format', 'json', ...definitions, tree.servers[0].main, '.'];
      const { out } = await command(args, { cwd: place.path });
      const findings = (JSON.parse(out) as Report).files.flatMap((file) => file.findings);
      const saying = new Set(findings.filter((each) => SAYS_SO.has(each.consequence)).map(({ rule }) => rule));
      for (const rule of saying) rules.set(rule, (rules.get(rule) ?? 0) + 1);
      if (saying.size > 0) continue;
      silent++;
      report(
        `HTTPD_UPGRADE_SEED=${start + i}\nsilent: ${shown(opening)}\n${described(generated, { name: 'write', run: [args] })}`,
      );
    }
    if (process.env.HTTPD_UPGRADE_TREES)
      console.log(`${opened} open by themselves; ${[...rules].map(([rule, count]) => `${rule} ${count}`).join(', ')}`);
    assert.equal(silent, 0, `${silent} of ${opened} are silent`);
    assert.ok(COUNT < 50 || opened > 3, `only ${opened} open`);
  });

  function report(given: string): void {
    const text = given.replaceAll(place.path, '@ROOT@');
    if (!REPORT) assert.fail(text);
    appendFileSync(REPORT, `${text}\n\n=====\n`);
  }
});
