/**
 * What a virtual host with one old section costs: calls of our functions, as V8 counts them. Files of 2.2 have thousands of such hosts, so that a call more for each is
 * thousands more. The limits are what is reached, with a little room: who goes beyond one has lost something, and sees here where it went.
 */
import assert from 'node:assert/strict';
import { Session, type Profiler } from 'node:inspector';
import { setFlagsFromString } from 'node:v8';
import { Engine } from '../../server/src/analysis/engine';
import { PlacedFinding } from '../../server/src/analysis/findings';
import { memoryFiles } from '../../server/src/config/memory-files';
import { selectConfigurationFixes } from '../../server/src/features/configuration-findings';
import { wholeConfigurations } from '../../server/src/features/whole-configurations';
import { findingsIn, type LookedAt } from '../../server/src/features/whole-findings';
import { ALL_RULES } from '../../server/src/rules/all';
import { packagePath } from '../../server/src/rules/package-path';
import { Tree } from '../../server/src/syntax/document';
import { oldText } from '../bench/old-files';

const MAIN = '/etc/httpd/conf/httpd.conf';
const ROOT =
  'ServerRoot /etc/httpd\nListen 80\nLoadModule authz_core_module modules/mod_authz_core.so\nLoadModule access_compat_module modules/mod_access_compat.so\nLoadModule alias_module modules/mod_alias.so\n<Directory />\nAllowOverride None\nOrder deny,allow\nDeny from all\n</Directory>\n';
const LINES_OF_HOST = 14;

/** A job that goes through a file of so many old virtual hosts, and the calls that one more of them may take. */
const JOBS: Readonly<Record<string, { readonly most: number; run(text: string): void }>> = {
  'to read it': { most: 240, run: (text) => void Tree.parse(text) },
  'to run the rules': {
    most: 610,
    run: (text) => void new Engine({ rules: ALL_RULES }).analyze(Tree.parse(text), { isHtaccess: false }),
  },
  'to check it': { most: 1700, run: check },
};

describe('what a virtual host of 2.2 costs', () => {
  // What is optimized is put into its callers, and counts nothing.
  before(() => setFlagsFromString('--no-opt'));
  after(() => setFlagsFromString('--opt'));

  for (const [what, { most, run }] of Object.entries(JOBS)) {
    it(`${what}: no more than ${most} calls`, async () => {
      // What is made at the first question is made now.
      run(hosts(20));
      const [few, many] = [await calls(() => run(hosts(300))), await calls(() => run(hosts(600)))];
      const [before, after] = [total(few), total(many)];
      const perHost = (after - before) / 300;
      const busiest = [...many]
        .map(([name, count]) => ({ name, count: (count - (few.get(name) ?? 0)) / 300 }))
        .sort((a, b) => b.count - a.count)
        .slice(0, 25)
        .map(({ name, count }) => `${count.toFixed(1)} ${name}`);
      assert.ok(before > 300, 'calls are counted');
      assert.ok(perHost <= most, `${perHost.toFixed(1)} calls:\n${busiest.join('\n')}`);
    });
  }

  it('to choose the fixes of configurations: in proportion to the findings', async () => {
    const work = async (count: number) =>
      total(
        await calls(() => {
          const { applied } = selectConfigurationFixes(new Map([[MAIN, Array.from({ length: count }, findingAt)]]));
          assert.equal(applied.length, count);
        }),
      );
    const [few, many] = [await work(500), await work(1000)];
    assert.ok(many < few * 2.5, `${few} calls for 500 findings, ${many} for 1000`);
  });
});

// ---------------------------------------------------------------------------------------------------------------------

function hosts(count: number): string {
  return ROOT + oldText(count * LINES_OF_HOST);
}

function check(text: string): void {
  const view = memoryFiles({ [MAIN]: text });
  const engine = new Engine({ rules: ALL_RULES });
  const projects = { engineOf: () => engine, serverOf: () => ({}) };
  const whole = wholeConfigurations({
    view,
    given: {
      candidates: [MAIN],
      all: [MAIN],
      others: [],
      isFile: () => true,
      holds: () => true,
      finds: () => true,
      named: (file) => file,
    },
    projects,
    absolute: (file) => file,
    shown: (file) => file,
  });
  let count = 0;
  for (const _ of findingsIn(projects, { path: MAIN, tree: view.read(MAIN)! } as LookedAt, whole)) count++;
  assert.ok(count > text.length / 1000, `${count} findings`);
}

function findingAt(_: unknown, index: number): PlacedFinding {
  const start = index * 10;
  const edits = [{ start, end: start + 5, text: 'x' }];
  const finding = {
    messageId: 'module',
    what: 'made up',
    start,
    end: start + 5,
    fixes: [{ title: 'Change it', safety: 'safe' as const, edits }],
  };
  return new PlacedFinding(packagePath, finding, 'warning', 0);
}

/** How often each of our functions is called. */
async function calls(job: () => void): Promise<ReadonlyMap<string, number>> {
  const session = new Session();
  session.connect();
  const post = <T>(method: string, params?: object) =>
    new Promise<T>((resolve, reject) =>
      session.post(method, params, (error, result) => (error ? reject(error) : resolve(result as T))),
    );
  try {
    await post('Profiler.enable');
    await post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await post('Profiler.takePreciseCoverage');
    job();
    const { result } = await post<Profiler.TakePreciseCoverageReturnType>('Profiler.takePreciseCoverage');
    await post('Profiler.stopPreciseCoverage');
    const counts = new Map<string, number>();
    for (const { url, functions } of result) {
      const file = /[\\/]out[\\/]server[\\/]src[\\/](.*)$/.exec(url)?.[1];
      if (file === undefined) continue;
      for (const { functionName, ranges } of functions) {
        // How a file of the build gives others what it exports.
        if (ranges[0]!.endOffset - ranges[0]!.startOffset < 40 && /^(get|[A-Z]\w*)$/.test(functionName)) continue;
        const name = `${file} ${functionName === '' ? `at ${ranges[0]!.startOffset}` : functionName}`;
        counts.set(name, (counts.get(name) ?? 0) + ranges[0]!.count);
      }
    }
    return counts;
  } finally {
    session.disconnect();
  }
}

function total(counts: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const count of counts.values()) sum += count;
  return sum;
}
