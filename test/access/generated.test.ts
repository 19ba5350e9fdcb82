/**
 * Generated configurations: what is converted must answer every request as 2.2 did, as far as the second opinion of requests.ts
 * goes. HTTPD_UPGRADE_CONFIGURATIONS says how many; a failing one is shrunk before it is shown.
 */
import assert from 'node:assert/strict';
import { planAccess } from '../../server/src/access/plan';
import { discoverHtaccess } from '../../server/src/access/discover';
import { ACCESS_NAMES } from '../../server/src/access/whole';
import { applyEdits } from '../../server/src/analysis/fixes';
import { readConfiguration } from '../../server/src/config/configuration';
import { memoryFiles } from '../support/memory-files';
import { Random, seed } from '../support/random';
import { FILES, FOLDERS, MAIN, randomClient, randomConfiguration, ROOT, siteOf, smaller, textsOf, URLS, type Generated } from './generate';
import { Server, type Client } from './requests';

const COUNT = Number(process.env.HTTPD_UPGRADE_CONFIGURATIONS ?? 2000);
/** How many of the configurations with access lines are converted whole at least, in percent. */
const CONVERTED = 22;
const METHODS = ['GET', 'POST', 'PUT', 'OPTIONS'];
const QUESTIONS = 24;

export interface Converted {
  readonly texts: Readonly<Record<string, string>>;
  readonly fixed: Readonly<Record<string, string>>;
  readonly reasons: readonly string[];
  readonly doubts: readonly string[];
  readonly edits: number;
}

describe('generated configurations', function () {
  this.timeout(COUNT * 100 + 20_000);

  it(`${COUNT} converted ones answer as before`, () => {
    const start = seed();
    const reasons = new Map<string, number>();
    let whole = 0;
    let partly = 0;
    let doubted = 0;
    for (let i = 0; i < COUNT; i++) {
      const generated = randomConfiguration(new Random(start + i));
      const converted = convert(generated);
      if (converted.doubts.length > 0) doubted++;
      else if (converted.reasons.length === 0) whole++;
      else if (converted.edits > 0) partly++;
      for (const reason of converted.reasons) count(reasons, reason.replace(/^.*which is not converted: /, 'beside: ').replace(/\/srv\S*|<[^>]*>/g, 'X'));
      const problem = disagreement(generated, start + i);
      if (problem === null) continue;
      const least = shrunk(generated, start + i);
      assert.fail(`HTTPD_UPGRADE_SEED=${start + i}: ${disagreement(least, start + i)}`);
    }
    if (process.env.HTTPD_UPGRADE_CONFIGURATIONS) {
      console.log(`${whole} converted whole, ${partly} in part, ${doubted} in doubt of ${COUNT}`);
      for (const [reason, times] of [...reasons].sort((a, b) => b[1] - a[1]).slice(0, 25)) console.log(`${times} ${reason}`);
    }
    assert.ok(whole * 100 >= CONVERTED * COUNT, `only ${whole} of ${COUNT} are converted whole`);
  });
});

export function convert(generated: Generated): Converted {
  const texts = textsOf(generated);
  const view = memoryFiles({ ...texts, ...Object.fromEntries(FOLDERS.flatMap((folder) => FILES.map((file) => [`${folder}/${file}`, '']))) });
  const configuration = readConfiguration({ root: MAIN, view, names: ACCESS_NAMES, serverRoot: ROOT })!;
  const { htaccess, doubts } = discoverHtaccess(configuration, view);
  const plan = planAccess(configuration, htaccess, doubts);
  const fixed: Record<string, string> = {};
  for (const path of Object.keys(texts)) fixed[path] = applyEdits(texts[path], plan.edits.get(path) ?? []);
  return { texts, fixed, reasons: plan.refusals.map(({ reason }) => reason), doubts: plan.doubts, edits: [...plan.edits.values()].flat().length };
}

/** The first request that is answered otherwise, told with the configuration; null where there is none. */
function disagreement(generated: Generated, from: number): string | null {
  const { texts, fixed, doubts, edits } = convert(generated);
  if (doubts.length > 0 || edits === 0) return null;
  const before = new Server(siteOf(generated, texts), '2.2');
  const after = new Server(siteOf(generated, fixed), '2.4');
  const untouched = new Server(siteOf(generated, texts), '2.4');
  const random = new Random(from);
  const seen = new Set<string>();
  for (let host = -1; host < before.hostCount; host++) {
    for (const url of URLS) {
      const old = before.applied(url, host);
      const now = after.applied(url, host);
      const key = `${old.map(({ id }) => id).join()} ${now.map(({ id }) => id).join()}`;
      if (seen.has(key)) continue;
      seen.add(key);
      for (let i = 0; i < QUESTIONS; i++) {
        const method = random.pick(METHODS);
        const client = randomClient(random);
        const expected = before.answer(old, method, client);
        const given = after.answer(now, method, client);
        if (given === expected) continue;
        // Where the section was left as it is, the answer is that of mod_access_compat before and after.
        if (given === untouched.answer(untouched.applied(url, host), method, client)) continue;
        const asked = `${method} ${url} at host ${host} from ${told(client)}: 2.2 answers ${expected}, 2.4 ${given}`;
        return `${asked}\n${listed(texts)}\n--- converted:\n${listed(fixed)}\n${defines(generated)}`;
      }
    }
  }
  return null;
}

function shrunk(generated: Generated, from: number): Generated {
  let least = generated;
  again: for (;;) {
    for (const candidate of smaller(least)) {
      try {
        if (disagreement(candidate, from) === null) continue;
      } catch {
        continue;
      }
      least = candidate;
      continue again;
    }
    return least;
  }
}

function told({ address, name, variables, user }: Client): string {
  return `${address} (${name ?? 'no name'}) ${[...variables].join('+')} as ${user ?? 'nobody'}`;
}

function defines({ defines: names }: Generated): string {
  return names.length > 0 ? `defined: ${names.join(' ')}` : '';
}

function listed(texts: Readonly<Record<string, string>>): string {
  return Object.entries(texts).map(([path, text]) => `# ${path}\n${text}`).join('');
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
