/**
 * Converts generated single files with the one answer that they need, and includes them in
 * generated roots for which it is true. 2.4 has to answer as 2.2 did before.
 * HTTPD_UPGRADE_CONFIGURATIONS is the number of files. test/httpd/access-lone.slow.test.ts does the
 * same with a real httpd.
 */
import assert from 'node:assert/strict';
import { Random, seed } from '../support/random';
import { differenceOf } from './converted';
import { randomConfiguration, type Generated } from './generate';
import { convertLone, convertPart, type LoneFile } from './lone';

const COUNT = Number(process.env.HTTPD_UPGRADE_CONFIGURATIONS ?? 400);
const QUESTIONS = 12;

describe('generated files by themselves', function () {
  this.timeout(COUNT * 300 + 600_000);

  it(`${COUNT} answer as before under any root that restricts nothing, once a person has said so`, () => {
    answerAsBefore(convertLone);
  });

  it(`${COUNT} answer as before in any section that has no other access lines, once a person has said so`, () => {
    answerAsBefore(convertPart);
  });
});

function answerAsBefore(convert: (generated: Generated, random: Random) => LoneFile | null): void {
  const start = seed();
  let converted = 0;
  for (let i = 0; i < COUNT; i++) {
    const random = new Random(start + i);
    const generated = randomConfiguration(random);
    const file = convert(generated, random);
    if (!file) continue;
    converted++;
    const problem = differenceOf(generated, file.texts, file.fixed, start + i, QUESTIONS);
    assert.equal(problem, null, `HTTPD_UPGRADE_SEED=${start + i}: ${problem}`);
  }
  assert.ok(converted * 20 > COUNT, `only ${converted}`);
}
