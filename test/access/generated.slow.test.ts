/**
 * Converts generated configurations. 2.4 has to answer each request as 2.2 did, by the model in
 * requests.ts. HTTPD_UPGRADE_CONFIGURATIONS is the number of configurations. A failing one is
 * shrunk before it is shown.
 */
import assert from 'node:assert/strict';
import { Random, seed } from '../support/random';
import { convert, disagreement, shrunk } from './converted';
import { randomConfiguration } from './generate';

const COUNT = Number(process.env.HTTPD_UPGRADE_CONFIGURATIONS ?? 800);
/** How many of the configurations with access lines are converted whole at least, in percent. */
const CONVERTED = 22;

describe('generated configurations', function () {
  this.timeout(COUNT * 500 + 600_000);

  it(`${COUNT} converted ones answer as before`, () => {
    const start = seed();
    const reasons = new Map<string, number>();
    let whole = 0;
    let partly = 0;
    let doubted = 0;
    for (let i = 0; i < COUNT; i++) {
      const generated = randomConfiguration(new Random(start + i));
      const converted = convert(generated);
      if (converted.openQuestions.length > 0) doubted++;
      else if (converted.reasons.length === 0) whole++;
      else if (converted.edits > 0) partly++;
      for (const reason of converted.reasons)
        count(reasons, reason.replace(/^waits for .*/, 'beside').replace(/\/srv\S*|<[^>]*>/g, 'X'));
      const problem = disagreement(generated, start + i, converted);
      if (problem === null) continue;
      const least = shrunk(generated, start + i);
      assert.fail(`HTTPD_UPGRADE_SEED=${start + i}: ${disagreement(least, start + i)}`);
    }
    if (process.env.HTTPD_UPGRADE_CONFIGURATIONS) {
      console.log(`${whole} converted whole, ${partly} in part, ${doubted} in openQuestion of ${COUNT}`);
      for (const [reason, times] of [...reasons].sort((a, b) => b[1] - a[1]).slice(0, 25))
        console.log(`${times} ${reason}`);
    }
    assert.ok(whole * 100 >= CONVERTED * COUNT, `only ${whole} of ${COUNT} are converted whole`);
  });
});

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
