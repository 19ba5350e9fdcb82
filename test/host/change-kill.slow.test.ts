/**
 * `kill -9` at random moments of `fix --write` and `undo` over a tree of 200 files. After the next
 * run all files are old or all are new, with their modes, owners and links, and no temporary files
 * are left. 20 kills; HTTPD_UPGRADE_KILLS sets another number, HTTPD_UPGRADE_SEED repeats a run.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { changeFunctions } from '../../server/src/host/change';
import { nodeDisk } from '../../server/src/host/disk';
import { isRoot, OTHER_USER, run } from '../cli/run';
import { bundle } from '../support/built';
import { fastFolder } from '../support/paths';
import { Random, seed } from '../support/random';

const FILES = 200;
const KILLS = Number(process.env.HTTPD_UPGRADE_KILLS ?? 20);
const OLD_TIME = 1_500_000_000_000;
const MODES = [0o644, 0o640, 0o600, 0o664];

describe('kill -9 of fix --write and undo', function () {
  this.timeout(300_000 + KILLS * 50_000);
  let top: string;
  let env: Record<string, string>;
  before(() => {
    // In memory where there is such a place: to be killed is the same there.
    top = mkdtempSync(path.join(fastFolder(), 'httpd-upgrade-kill-'));
    env = { HTTPD_UPGRADE_STATE: path.join(top, 'state') };
    mkdirSync(env.HTTPD_UPGRADE_STATE);
    for (let index = 0; index < FILES; index++) {
      mkdirSync(path.dirname(fileOf(index)), { recursive: true });
      writeFileSync(fileOf(index), textOf(index, 'old'), 'latin1');
      chmodSync(fileOf(index), MODES[index % 4]);
      if (isRoot && index % 5 === 0) chownSync(fileOf(index), OTHER_USER, OTHER_USER);
      utimesSync(fileOf(index), OLD_TIME / 1000, OLD_TIME / 1000);
    }
    mkdirSync(path.join(top, 'tree', 'sites-enabled'));
    symlinkSync('../conf/part-1.conf', path.join(top, 'tree', 'sites-enabled', 'one.conf'));
    writeFileSync(path.join(top, 'clean.conf'), 'ServerName a\n');
  });
  after(() => rmSync(top, { recursive: true, force: true }));

  it('leaves all or nothing behind the next run', async () => {
    const given = seed();
    const random = new Random(given);
    let state: State = 'old';
    const length: { [action: string]: number } = { fix: 0, undo: 0 };
    for (const [action, after] of [
      ['fix', 'new'],
      ['undo', 'old'],
    ] as const) {
      const start = performance.now();
      await killed(action, null);
      length[action] = performance.now() - start;
      check('not killed', after, readdirSync(changes()).length);
    }
    const figures = { kills: 0, ended: 0, cut: 0, completed: 0, takenBack: 0 };
    for (let round = 1; figures.kills < KILLS; round++) {
      const action: 'fix' | 'undo' = state === 'old' ? 'fix' : 'undo';
      // Half of them while files are renamed, which takes a hundredth of the time.
      const isAimed = random.below(2) === 0;
      const wasKilled: boolean = await killed(
        action,
        isAimed ? { inWriting: random.below(40) } : { after: random.next() * length[action] * 1.1 },
      );
      const title: string = `HTTPD_UPGRADE_SEED=${given}, round ${round}, ${action}${isAimed ? ', while writing' : ''}`;
      figures[wasKilled ? 'kills' : 'ended']++;
      if (stateNow() === null) figures.cut++;
      // What an Include of the directory would read, now.
      assert.equal(readdirSync(path.join(top, 'tree'), { recursive: true }).length, FILES + 4, title);
      if (random.below(8) === 0) {
        const { code, err } = await run(['fix', '--write', 'clean.conf'], { cwd: top, env });
        assert.equal(code, 0, `${title}: ${err}`);
      } else {
        const { completed, rolledBack, problems } = await changeFunctions(nodeDisk, () => [
          path.join(env.HTTPD_UPGRADE_STATE, 'httpd-upgrade'),
        ]).recover();
        assert.deepEqual(problems, [], title);
        figures.completed += completed.length;
        figures.takenBack += rolledBack.length;
      }
      const now: State | null = stateNow();
      assert.ok(now !== null, `${title}: neither all nor nothing`);
      check(title, now, existsSync(changes()) ? readdirSync(changes()).length : 0);
      state = now;
    }
    if (process.env.HTTPD_UPGRADE_KILLS) console.log(JSON.stringify(figures));
  });

  /** Whether it was killed before it had ended by itself. */
  async function killed(
    action: 'fix' | 'undo',
    when: { after: number } | { inWriting: number } | null,
  ): Promise<boolean> {
    const words = action === 'fix' ? ['fix', '--write', '--fail-on', 'never', 'tree'] : ['undo'];
    const child = spawn(process.execPath, [bundle('cli.js'), ...words], {
      cwd: top,
      env: { ...process.env, ...env },
      stdio: 'ignore',
    });
    const ended = new Promise<boolean>((resolve) =>
      child.once('exit', (_code, signal) => resolve(signal === 'SIGKILL')),
    );
    if (when && 'after' in when) setTimeout(() => child.kill('SIGKILL'), when.after);
    if (when && 'inWriting' in when) watch(child, when.inWriting);
    return ended;
  }

  /** Kills as soon as so many files have taken their places. */
  function watch(child: ReturnType<typeof spawn>, files: number): void {
    const look = () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      if (isWriting(files)) child.kill('SIGKILL');
      else setTimeout(look, 1);
    };
    look();
  }

  function isWriting(files: number): boolean {
    try {
      return readdirSync(changes()).some(
        (name) =>
          existsSync(path.join(changes(), name, 'is-writing')) &&
          readdirSync(path.join(changes(), name, 'new')).length <= FILES - files,
      );
    } catch {
      return false;
    }
  }

  type State = 'old' | 'new';

  function stateNow(): State | null {
    const texts = Array.from({ length: FILES }, (_, index) => readFileSync(fileOf(index), 'latin1'));
    return (
      (['old', 'new'] as const).find((state) => texts.every((text, index) => text === textOf(index, state))) ?? null
    );
  }

  function check(title: string, state: State, records: number): void {
    assert.equal(stateNow(), state, title);
    assert.equal(readdirSync(path.join(top, 'tree'), { recursive: true }).length, FILES + 4, title);
    assert.deepEqual(readdirSync(top).sort(), ['clean.conf', 'state', 'tree'], title);
    assert.equal(readlinkSync(path.join(top, 'tree', 'sites-enabled', 'one.conf')), '../conf/part-1.conf', title);
    for (let index = 0; index < FILES; index++) {
      const info = lstatSync(fileOf(index));
      const owner = isRoot && index % 5 === 0 ? OTHER_USER : process.getuid!();
      assert.deepEqual([info.mode & 0o7777, info.uid, info.nlink], [MODES[index % 4], owner, 1], title);
      if (state === 'old') assert.equal(info.mtimeMs, OLD_TIME, title);
    }
    assert.equal(records, state === 'new' ? 1 : 0, title);
    for (const name of records > 0 ? readdirSync(changes()) : [])
      assert.deepEqual(readdirSync(path.join(changes(), name)).sort(), ['is-done', 'journal.json', 'old'], title);
    assert.deepEqual(readdirSync(path.join(env.HTTPD_UPGRADE_STATE, 'httpd-upgrade', 'locks')), [], title);
  }

  function changes(): string {
    return path.join(env.HTTPD_UPGRADE_STATE, 'httpd-upgrade', 'changes');
  }

  function fileOf(index: number): string {
    return path.join(top, 'tree', index % 2 === 0 ? 'conf.d' : 'conf', `part-${index}.conf`);
  }
});

function textOf(index: number, state: 'old' | 'new'): string {
  return `<VirtualHost *:${index}>\n# ${'\xe4'.repeat(index % 3)}\n${state === 'old' ? 'MaxClients' : 'MaxRequestWorkers'} ${index + 1}\r\n</VirtualHost>`;
}
