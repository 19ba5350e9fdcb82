/**
 * Counts, in a process of its own, the calls of our functions for a task, as V8 counts them:
 * earlier work in a process changes its counts. Prints JSON for per-host.slow.test.ts.
 */
import assert from 'node:assert/strict';
import { Session, type Profiler } from 'node:inspector';
import { Engine } from '../../server/src/analysis/engine';
import { PlacedFinding } from '../../server/src/analysis/findings';
import { addToSummary, newSummary, type Summary } from '../../server/src/cli/report';
import { textReport } from '../../server/src/cli/report-text';
import { Terminal } from '../../server/src/cli/terminal';
import { memoryFiles } from '../../server/src/config/memory-files';
import { selectConfigurationFixes } from '../../server/src/features/configuration-findings';
import type { NamedFile, ProjectOfFiles } from '../../server/src/features/project-of-files';
import { ALL_RULES } from '../../server/src/rules/all';
import { projectOf } from '../support/project';
import { packagePath } from '../../server/src/rules/package-path';
import { Tree } from '../../server/src/syntax/document';
import { loginText, oldText } from '../bench/old-files';

const MAIN = '/etc/httpd/conf/httpd.conf';
const ROOT =
  'ServerRoot /etc/httpd\nListen 80\nLoadModule authz_core_module modules/mod_authz_core.so\nLoadModule access_compat_module modules/mod_access_compat.so\nLoadModule alias_module modules/mod_alias.so\n<Directory />\nAllowOverride None\nOrder deny,allow\nDeny from all\n</Directory>\n';
const ROOT_OF_24 = ROOT.replace('Order deny,allow\nDeny from all', 'Require all denied');
const LINES_OF_HOST = 14;
const LINES_OF_LOGIN_HOST = 24;

/** Jobs that go through a number of old virtual hosts, or of findings. */
const JOBS: Readonly<Record<string, (count: number) => void>> = {
  'to read it': (count) => void Tree.parse(hosts(count)),
  'to run the rules': (count) =>
    void new Engine({ rules: ALL_RULES }).analyze(Tree.parse(hosts(count)), { isHtaccess: false }),
  'to check it': (count) => check(hosts(count)),
  'to check one with a login and rewriting': (count) => check(ROOT + loginText(count * LINES_OF_LOGIN_HOST, 'old')),
  'to check one with a login, below a section of 2.4': (count) =>
    check(ROOT_OF_24 + loginText(count * LINES_OF_LOGIN_HOST, 'old')),
  'to check it and to report what was found': (count) => report(hosts(count)),
  'to choose the fixes of configurations': (count) => {
    const { fixedFindings } = selectConfigurationFixes(new Map([[MAIN, Array.from({ length: count }, findingAt)]]));
    assert.equal(fixedFindings.length, count);
  },
};

/** For each size the calls in all, and of the busiest functions. */
export interface Counted {
  readonly total: number;
  readonly busiest: readonly (readonly [name: string, count: number])[];
}

async function main(name: string, sizes: readonly number[]): Promise<void> {
  const job = JOBS[name];
  // What is made once, and what is remembered of the hosts, is made now.
  job(Math.max(...sizes));
  const counted: Counted[] = [];
  for (const size of sizes) {
    const counts = await calls(() => job(size));
    counted.push({ total: total(counts), busiest: [...counts].sort((a, b) => b[1] - a[1]).slice(0, 25) });
  }
  console.log(JSON.stringify(counted));
}

// ---------------------------------------------------------------------------------------------------------------------

function hosts(count: number): string {
  return ROOT + oldText(count * LINES_OF_HOST);
}

function check(text: string): void {
  const { read, file } = checked(text);
  let found = 0;
  for (const _ of read.findings(file)) found++;
  assert.ok(found > text.length / 1000, `${found} findings`);
}

function checked(text: string): {
  readonly read: ProjectOfFiles;
  readonly file: NamedFile;
} {
  const view = memoryFiles({ [MAIN]: text });
  const engine = new Engine({ rules: ALL_RULES });
  const projects = { engineOf: () => engine, serverOf: () => ({}) };
  return { read: projectOf(view, projects, MAIN), file: { path: MAIN, tree: view.read(MAIN)! } };
}

/** As the command does: what was found is counted, and written for a person. */
function report(text: string): void {
  const { read, file } = checked(text);
  const summary = newSummary();
  const written: string[] = [];
  const shown = textReport({
    terminal: new Terminal({ color: 'never' }),
    write: (rows) => written.push(rows),
    argumentsToRepeat: MAIN,
    argumentsToRepeatForWriting: MAIN,
    isInputPiped: false,
    questionIdOf: () => '',
    isKnown: null,
  });
  shown.file(MAIN, file.tree, noted(read.findings(file), summary));
  assert.ok(summary.safe > text.length / 1000 && written.length < 20, `${summary.safe} findings`);
}

function* noted(findings: Iterable<PlacedFinding>, summary: Summary): Generator<PlacedFinding> {
  for (const finding of findings) {
    addToSummary(summary, finding);
    yield finding;
  }
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
        if (ranges[0]!.endOffset - ranges[0]!.startOffset < 60 && /^(get|[A-Z]\w*)$/.test(functionName)) continue;
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

void main(process.argv[2], process.argv.slice(3).map(Number));
