/**
 * Converts generated configurations so that both versions can read them. 2.2 has to answer each
 * request as before, and 2.4 as 2.2 did, by the models in requests.ts. HTTPD_UPGRADE_CONFIGURATIONS
 * is the number of configurations.
 */
import assert from 'node:assert/strict';
import { Random, seed } from '../support/random';
import { convert, listed, METHODS, told } from './converted';
import { randomClient, randomConfiguration, siteOf, URLS, type Generated } from './generate';
import { Server } from './server-model';

const COUNT = Number(process.env.HTTPD_UPGRADE_CONFIGURATIONS ?? 250);
const QUESTIONS = 12;

describe('generated configurations that keep both versions', function () {
  this.timeout(COUNT * 500 + 600_000);

  it(`${COUNT} answer as before, in 2.2 and in 2.4`, () => {
    const start = seed();
    let written = 0;
    for (let i = 0; i < COUNT; i++) {
      const generated = randomConfiguration(new Random(start + i));
      const { openQuestions, edits, texts, fixed } = convert(generated, '', { keepsBoth: true });
      if (openQuestions.length > 0 || edits === 0) continue;
      written++;
      const problem = disagreement(generated, texts, fixed, start + i);
      assert.equal(problem, null, `HTTPD_UPGRADE_SEED=${start + i}: ${problem}`);
    }
    assert.ok(written * 10 > COUNT, `only ${written}`);
  });
});

type Texts = Readonly<Record<string, string>>;

function disagreement(generated: Generated, texts: Texts, fixed: Texts, from: number): string | null {
  const serverOf = (of: Texts, version: '2.2' | '2.4') => {
    const site = siteOf(generated, of);
    return new Server(
      { ...site, defined: { ...site.defined, '2.4': new Set([...site.defined['2.4'], 'mod_authz_core.c']) } },
      version,
    );
  };
  const before = serverOf(texts, '2.2');
  if (before.isRefused) return null;
  const still = serverOf(fixed, '2.2');
  const after = serverOf(fixed, '2.4');
  const untouched = serverOf(texts, '2.4');
  const random = new Random(from);
  const seen = new Set<string>();
  for (let host = -1; host < before.hostCount; host++) {
    for (const url of URLS) {
      const applied = [before, still, after, untouched].map((server) => server.applied(url, host));
      const key = applied.map((sayings) => sayings.map(({ id }) => id).join()).join(' ');
      if (seen.has(key)) continue;
      seen.add(key);
      for (let question = 0; question < QUESTIONS; question++) {
        const method = random.pick(METHODS);
        const client = randomClient(random);
        const [was, old, now, left] = [before, still, after, untouched].map((server, index) =>
          server.answer(applied[index], method, client),
        );
        const asked = () =>
          `${method} ${url} at host ${host} from ${told(client)}: 2.2 answered ${was}, and now ${old}; 2.4 ${now}\n${listed(texts)}\n--- converted:\n${listed(fixed)}`;
        if (old !== was) return asked();
        if (now !== was && now !== left) return asked();
      }
    }
  }
  return null;
}
