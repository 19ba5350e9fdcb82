/**
 * Requests to random servers on a real 2.4 with mod_access_compat: no answer of `decide` is wrong,
 * and few are unknown. HTTPD_UPGRADE_REQUEST_TREES is the number of servers, HTTPD_UPGRADE_SEED the
 * first seed.
 */
import assert from 'node:assert/strict';
import { requestText } from '../../server/src/requests/request-text';
import { decide } from '../../server/src/requests/decide';
import { requireHttpd } from '../httpd/harness';
import { Random, seed } from '../support/random';
import { described } from '../trees/trial';
import { ServedTrees } from './served';

const GIVEN = process.env.HTTPD_UPGRADE_REQUEST_TREES;
const COUNT = Number(GIVEN ?? 10);
const QUESTIONS = 200;

describe('requests to random servers and a real httpd', function () {
  this.timeout(600_000 + COUNT * 6000);
  let trees: ServedTrees;
  before(function () {
    requireHttpd(this);
    trees = new ServedTrees();
  });
  after(() => trees?.remove());

  it(`${COUNT} of them are answered as by the server`, async () => {
    const start = GIVEN ? seed() : 1;
    const counts = { trees: 0, asked: 0, unknown: 0, wrong: 0 };
    const reasons = new Map<string, number>();
    for (let number = start; counts.trees < COUNT; number++) {
      assert.ok(number < start + COUNT * 20, 'hardly any tree can be served');
      if (!(await trees.open(number))) continue;
      counts.trees++;
      const random = new Random(number);
      const requests = Array.from({ length: QUESTIONS }, () => trees.question(random));
      const configuration = trees.configuration();
      const given = await trees.answers(requests);
      const wrong = requests.flatMap((request, index) => {
        counts.asked++;
        const { access, why, unknown } = decide(request, configuration, '2.4-compat');
        if (access === 'unknown') {
          counts.unknown++;
          for (const { what } of unknown) reasons.set(what, (reasons.get(what) ?? 0) + 1);
        }
        return access === 'unknown' || access === given[index]
          ? []
          : [`${requestText(request)}: ${access} (${why}), the server: ${given[index]}`];
      });
      counts.wrong += wrong.length;
      if (wrong.length === 0) continue;
      const text = `HTTPD_UPGRADE_SEED=${number}\n${wrong.slice(0, 3).join('\n')}`;
      const tree = described(trees.generated, { name: 'write', run: [['explain']] });
      if (!GIVEN) assert.fail(`${text}\n${tree}`);
      console.log(process.env.HTTPD_UPGRADE_DESCRIBE ? `${text}\n${tree}` : text);
    }
    if (GIVEN) {
      console.log(start, counts);
      console.log([...reasons].sort(([, a], [, b]) => b - a).slice(0, 25));
    }
    assert.equal(counts.wrong, 0);
    assert.ok(counts.unknown <= counts.asked * 0.05, `${counts.unknown} of ${counts.asked} are unknown`);
  });
});
