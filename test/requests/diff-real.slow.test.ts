/**
 * `access --diff` judged by a real 2.4: random servers and small changes to them. The diff reports
 * each change to which the server answers differently, in both directions, and the server confirms
 * the requests that it shows. HTTPD_UPGRADE_TREES is the number of changes, HTTPD_UPGRADE_SEED the
 * first seed.
 */
import assert from 'node:assert/strict';
import { requestText } from '../../server/src/requests/request-text';
import { compareAccess, type DiffWitness, type SectionDiff } from '../../server/src/requests/access-diff';
import type { Access, Request, RequestConfiguration } from '../../server/src/requests/model';
import { requireHttpd } from '../httpd/harness';
import { Random, seed } from '../support/random';
import { described } from '../trees/trial';
import { mutationsOf, type Mutation } from './mutations';
import { ServedTrees } from './served';

const COUNT = Number(process.env.HTTPD_UPGRADE_TREES ?? 20);
const OF_ONE_TREE = 5;
const QUESTIONS = 200;
const RANK: Readonly<Record<string, number>> = { error: 0, denied: 1, login: 2, granted: 3 };

/** A witness with the answer of the server after the change. That before is asked at the end. */
interface Shown {
  readonly about: string;
  readonly witness: DiffWitness;
  readonly after: Access;
}

describe('access --diff of random servers and a real httpd', function () {
  this.timeout(600_000 + COUNT * 6000);
  const counts = { mutations: 0, changed: 0, reported: 0, unknown: 0, witnesses: 0, problems: 0 };
  let trees: ServedTrees;
  before(function () {
    requireHttpd(this);
    trees = new ServedTrees();
  });
  after(() => trees?.remove());

  it(`${COUNT} changes are seen as by the server`, async () => {
    const isLong = process.env.HTTPD_UPGRADE_TREES !== undefined;
    const start = isLong ? seed() : 1;
    for (let number = start; counts.mutations < COUNT; number++) {
      assert.ok(number < start + COUNT * 20, 'hardly any tree can be served');
      if (!(await trees.open(number))) continue;
      const problems = await problemsOf(number);
      counts.problems += problems.length;
      if (problems.length === 0) continue;
      const text = `HTTPD_UPGRADE_SEED=${number}\n${problems.join('\n')}`;
      if (!isLong) assert.fail(`${text}\n${described(trees.generated, { name: 'write', run: [['access']] })}`);
      console.log(text);
      if (process.env.HTTPD_UPGRADE_DESCRIBE)
        console.log(described(trees.generated, { name: 'write', run: [['access']] }));
    }
    if (isLong) console.log(start, counts);
    assert.equal(counts.problems, 0);
  });

  async function problemsOf(number: number): Promise<string[]> {
    const random = new Random(number);
    const files = trees.files();
    const questions = Array.from({ length: QUESTIONS }, () => trees.question(random));
    const before = await trees.answers(questions);
    const shown: Shown[] = [];
    const problems: string[] = [];
    for (const mutation of mutationsOf(files, random, OF_ONE_TREE)) {
      const original = { file: mutation.file, text: files[mutation.file]! };
      trees.write(mutation);
      if (await trees.load()) {
        const sides = [trees.configuration(original), trees.configuration()] as const;
        problems.push(...(await ofMutation(mutation, sides, { questions, before }, shown)));
      }
      trees.write(original);
    }
    if (!(await trees.load())) return [...problems, 'the server does not start any more'];
    const answers = await trees.answers(shown.map(({ witness }) => witness.request));
    counts.witnesses += shown.length;
    return [
      ...problems,
      ...shown.flatMap(({ about, witness, after }, index) =>
        witness.before === answers[index] && witness.after === after
          ? []
          : [
              `${about}: ${requestText(witness.request)}: ${witness.before} → ${witness.after}, the server ${answers[index]} → ${after}`,
            ],
      ),
    ];
  }

  async function ofMutation(
    { name, file, text }: Mutation,
    [old, now]: readonly [RequestConfiguration, RequestConfiguration],
    { questions, before }: { readonly questions: readonly Request[]; readonly before: readonly Access[] },
    shown: Shown[],
  ): Promise<string[]> {
    counts.mutations++;
    const about = `${name} in ${file}${process.env.HTTPD_UPGRADE_DESCRIBE ? `\n${text}\n` : ''}`;
    const forth = diffOf(old, now);
    const back = diffOf(now, old);
    const after = await trees.answers(questions);
    const changed = questions.flatMap((request, index) => {
      const difference = RANK[after[index]!]! - RANK[before[index]!]!;
      return difference === 0
        ? []
        : [{ request, before: before[index]!, after: after[index]!, isGain: difference > 0 }];
    });
    if (changed.length > 0) counts.changed++;
    if (forth.some(({ change }) => change !== 'none')) counts.reported++;
    if (forth.some(({ change }) => change === 'unknown')) counts.unknown++;
    const missed = changed.filter(({ isGain }) => !reports(forth, isGain) || !reports(back, !isGain)).slice(0, 1);
    const witnesses = [...knownWitnesses(forth), ...knownWitnesses(back).map(reversed)];
    const answers = await trees.answers(witnesses.map(({ request }) => request));
    witnesses.forEach((witness, index) => shown.push({ about, witness, after: answers[index]! }));
    return missed.map((each) => `${about}: not reported: ${requestText(each.request)}: ${each.before} → ${each.after}`);
  }
});

function diffOf(old: RequestConfiguration, now: RequestConfiguration): readonly SectionDiff[] {
  return compareAccess({ configuration: old, server: '2.4-compat' }, { configuration: now, server: '2.4-compat' })!;
}

function reports(diff: readonly SectionDiff[], isGain: boolean): boolean {
  const enough = isGain ? ['gain', 'both', 'unknown'] : ['loss', 'both', 'unknown'];
  return diff.some(({ change, loss }) => enough.includes(change) || (!isGain && loss !== null));
}

/** The witnesses of gains and losses that do not hang on unknown facts. */
function knownWitnesses(diff: readonly SectionDiff[]): DiffWitness[] {
  return diff
    .filter(({ change }) => change !== 'unknown')
    .flatMap(({ witness, loss }) => [witness, loss])
    .filter((witness) => witness !== null)
    .filter(({ before, after }) => before !== 'unknown' && after !== 'unknown');
}

function reversed({ request, before, after }: DiffWitness): DiffWitness {
  return { request, before: after, after: before };
}
