/**
 * Chooses an MPM, log, PHP, defaults or modules. 2.4 has to answer as 2.2, if the new server is as
 * chosen. If its PHP is another one and a response changes, a fix has to state that it depends on
 * the choice. HTTPD_UPGRADE_CONFIGURATIONS is the number of servers.
 */
import assert from 'node:assert/strict';
import { Random, seed } from '../support/random';
import { PHP, randomChoices, withPhp, written } from './choices';
import { differenceOf } from './converted';

const COUNT = Number(process.env.HTTPD_UPGRADE_CONFIGURATIONS ?? 80);
const QUESTIONS = 8;
/** Servers that once had another answer. */
const KNOWN = [412134976, 412664336];

describe('choices', function () {
  this.timeout(COUNT * 600 + 600_000);

  it(`${COUNT} servers: whatever is chosen, nobody gets another answer, and what rests on a choice says so`, () => {
    const start = seed();
    const seen = { changed: 0, php: 0, wrong: 0 };
    for (const at of [...KNOWN, ...Array.from({ length: COUNT }, (_, i) => start + i)]) {
      const random = new Random(at);
      const { given, texts, answers } = randomChoices(random);
      const { fixed, restsOn } = written(texts, answers);
      if (JSON.stringify(fixed) === JSON.stringify(texts)) continue;
      seen.changed++;
      const where = `HTTPD_UPGRADE_SEED=${at}, ${JSON.stringify([...answers])}`;
      const php = answers.get('php')!;
      const problem = differenceOf(withPhp(given, php), texts, fixed, at, QUESTIONS);
      assert.equal(problem, null, `${where}: ${problem}`);
      if (restsOn.has('php')) seen.php++;
      const other = random.pick(Object.keys(PHP).filter((each) => each !== php));
      const wrong = differenceOf(withPhp(given, other), texts, fixed, at, QUESTIONS);
      // Where the answer changes nothing, the difference is not its doing.
      if (
        wrong === null ||
        JSON.stringify(written(texts, new Map([...answers].filter(([kind]) => kind !== 'php'))).fixed) ===
          JSON.stringify(fixed)
      )
        continue;
      seen.wrong++;
      assert.ok(restsOn.has('php'), `${where}, with PHP ${other}: nothing says that it rests on it: ${wrong}`);
    }
    assert.ok(seen.changed * 2 > COUNT && seen.php > 0 && seen.wrong > 0, JSON.stringify(seen));
    if (process.env.HTTPD_UPGRADE_CONFIGURATIONS) console.log(JSON.stringify(seen));
  });
});
