/**
 * The long run of the access-control models: `npm run bench:access` generates 100,000
 * configurations, converts each, and compares the models of 2.2 and 2.4 for requests to everything
 * in it; and times the conversion of long sections and of many sections. Recorded in
 * test/bench/access-results.json.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { prove } from '../../server/src/access/prove';
import { readSection } from '../../server/src/access/read';
import { translate } from '../../server/src/access/translate';
import type { Line } from '../../server/src/syntax/line';
import { Tree } from '../../server/src/syntax/document';
import { forEachLine } from '../../server/src/syntax/tree';
import { askedAbout, disagreement, shrunk } from '../access/converted';
import { randomConfiguration } from '../access/generate';
import { longSection, manySections, planOf } from '../access/large';
import { Random, seed } from '../support/random';
import { repositoryRoot } from '../support/paths';
import { machine } from './machine';

const COUNT = Number(process.env.HTTPD_UPGRADE_CONFIGURATIONS ?? 100_000);

function main(): void {
  const start = seed();
  const began = performance.now();
  let disagreements = 0;
  const asked = { configurations: 0, converted: 0, requests: 0 };
  for (let i = 0; i < COUNT; i++) {
    const generated = randomConfiguration(new Random(start + i));
    const problem = disagreement(generated, start + i);
    const { isConverted, requests } = askedAbout();
    asked.configurations++;
    if (isConverted) asked.converted++;
    asked.requests += requests;
    if (problem !== null && disagreements++ < 3)
      console.log(`HTTPD_UPGRADE_SEED=${start + i}: ${disagreement(shrunk(generated, start + i), start + i)}`);
  }
  const seconds = Math.round((performance.now() - began) / 1000);
  const record = {
    ...machine(),
    generated: { ...asked, disagreements, seconds, seed: start },
    milliseconds: {
      'one section of 5,000 Allow and Deny lines, read, translated and proven': section(5_000),
      'a configuration of 1,000 sections, converted': whole(1_000),
      'a configuration of 4,000 sections, converted': whole(4_000),
    },
  };
  console.log(record);
  writeFileSync(
    path.join(repositoryRoot, 'test', 'bench', 'access-results.json'),
    `${JSON.stringify(record, null, 2)}\n`,
  );
  process.exitCode = disagreements > 0 ? 1 : 0;
}

function section(lines: number): number {
  const { root } = Tree.parse(longSection(lines));
  return time(() => {
    const all: Line[] = [];
    forEachLine(root, 0, root.length, (line) => all.push(line));
    const read = readSection(all);
    const verdict = prove(read, translate(read));
    if (verdict !== 'proven') throw new Error(verdict);
  });
}

function whole(sections: number): number {
  const texts = manySections(sections);
  return time(() => planOf(texts));
}

/** The best of three, in milliseconds. */
function time(job: () => void): number {
  const runs = [1, 2, 3].map(() => {
    const from = performance.now();
    job();
    return performance.now() - from;
  });
  return Math.round(Math.min(...runs) * 10) / 10;
}

main();
