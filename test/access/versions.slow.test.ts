/**
 * Converts generated single files with lines of both versions, without the answer which version the
 * server runs, or with the answer 2.2. 2.4 has to answer as it did before the conversion and, where
 * no line of 2.4 applies, as 2.2 did. HTTPD_UPGRADE_CONFIGURATIONS is the number of files.
 */
import assert from 'node:assert/strict';
import { Random, seed } from '../support/random';
import { listed, METHODS, told } from './converted';
import { MAIN, randomClient, randomConfiguration, siteOf, URLS, type Generated, type Piece } from './generate';
import { convertLone } from './lone';
import { PROVIDERS_24, Server, type Node, type Saying } from './server-model';

const COUNT = Number(process.env.HTTPD_UPGRADE_CONFIGURATIONS ?? 400);
const QUESTIONS = 12;

describe('generated files with lines of both versions', function () {
  this.timeout(COUNT * 300 + 600_000);

  it(`${COUNT} answer as before, whichever version runs`, () => {
    const start = seed();
    let converted = 0;
    for (let i = 0; i < COUNT; i++) {
      const random = new Random(start + i);
      const generated = withLinesOf24(randomConfiguration(random), random);
      const file = convertLone(generated, random, { is22: random.below(3) === 0 });
      if (!file) continue;
      converted++;
      const problem = difference(generated, file, new Random(start + i));
      assert.equal(problem, null, `HTTPD_UPGRADE_SEED=${start + i}: ${problem}`);
    }
    assert.ok(converted * 100 > COUNT, `only ${converted}`);
  });
});

/** Some of the sections have a Require line of 2.4, alone or beside others. */
function withLinesOf24(generated: Generated, random: Random): Generated {
  const main = generated.files[MAIN];
  const sections = main.filter(
    (piece) => typeof piece !== 'string' && /^<(directory|location|files)/i.test(piece.open),
  );
  const chosen = new Set(Array.from({ length: random.pick([1, 1, 2]) }, () => random.pick(sections)));
  const pieces = main.map((piece): Piece => {
    if (typeof piece === 'string' || !chosen.has(piece)) return piece;
    const line = `Require ${random.pick(['all granted', 'all granted', 'all denied', 'ip 10', 'env ok', 'all Granted'])}`;
    return { ...piece, body: random.below(4) === 0 ? [...piece.body, line] : [line] };
  });
  return { ...generated, files: { ...generated.files, [MAIN]: pieces } };
}

function difference(
  generated: Generated,
  { texts, fixed, isWhole }: NonNullable<ReturnType<typeof convertLone>>,
  random: Random,
): string | null {
  const in22 = new Server(siteOf(generated, texts), '2.2');
  const in24 = new Server(siteOf(generated, texts), '2.4');
  const after = new Server(siteOf(generated, fixed), '2.4');
  if (in22.isRefused || in24.isRefused) return null;
  for (let host = -1; host < in22.hostCount; host++) {
    for (const url of URLS) {
      const [of22, of24, now] = [in22, in24, after].map((server) => server.applied(url, host)) as [
        Saying[],
        Saying[],
        Saying[],
      ];
      const comparesWith22 = isWhole && !of22.some(({ requires }) => requires.some(isOf24));
      for (let i = 0; i < QUESTIONS; i++) {
        const [method, client] = [random.pick(METHODS), randomClient(random)];
        const answers = [
          comparesWith22 ? in22.answer(of22, method, client) : null,
          in24.answer(of24, method, client),
          after.answer(now, method, client),
        ];
        const [before22, before24, given] = answers;
        // An AuthType without Require is an error of 2.4 alone, before and after.
        if (given === before24 && (before22 === null || given === before22 || given === 500)) continue;
        const asked = `${method} ${url} at host ${host} from ${told(client)}: ${answers.join(' ')}`;
        return `${asked}\n${listed(texts)}\n--- converted:\n${listed(fixed)}`;
      }
    }
  }
  return null;
}

function isOf24(node: Node): boolean {
  return (
    node.type !== 'require' || (PROVIDERS_24.has(node.words[0]!) && !/^(user|valid-user|group)$/.test(node.words[0]!))
  );
}
