/**
 * One change of several files on a failing disk: every step fails once, and the process ends once
 * at every step. Afterwards, and after the next run, all files are old or all are new, and no
 * temporary files are left. Then 60 random faults; HTTPD_UPGRADE_FAULTS sets another number,
 * HTTPD_UPGRADE_SEED repeats a run.
 */
import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import path from 'node:path';
import { changeFunctions, type ChangeOptions, type ChangeFunctions } from '../../server/src/host/change';
import { nodeDisk, diskCounters, type Disk, type HeldDirectory } from '../../server/src/host/disk';
import { Random, seed } from '../support/random';
import { fastFolder } from '../support/paths';

const FILES: readonly [name: string, mode: number][] = [
  ['httpd.conf', 0o640],
  ['conf.d/a.conf', 0o644],
  ['conf.d/b.conf', 0o600],
  ['sites/x', 0o755],
];
const CHANGED = FILES.map(([name]) => (name === 'sites/x' ? 'enabled/x' : name));
const FAULTS = Number(process.env.HTTPD_UPGRADE_FAULTS ?? 60);

/** In memory, where there is such a place: thousands of runs. */
const OLD_TIME = 1_500_000_000;

/** How a disk breaks at its n-th step. */
type Fault =
  /** This step fails, and no other. */
  | 'fails'
  /** From here on nothing can be written any more, but names can be changed and removed. */
  | 'full'
  /** From here on it cannot be written to at all. */
  | 'read-only'
  /** The process ends before this step, in the middle of it, or after it. */
  | 'ends before'
  | 'ends within'
  | 'ends behind';

const ENDS: readonly Fault[] = ['ends before', 'ends within', 'ends behind'];
const ALL_FAULTS: readonly Fault[] = [...ENDS, 'fails', 'fails', 'full', 'read-only'];
/**
 * What systems say of a step that fails: of a disk, of rights and files that cannot be changed, of
 * too many open files, of what somebody else holds.
 */
const CODES = [
  'EIO',
  'EACCES',
  'EPERM',
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EMFILE',
  'ENFILE',
  'EBUSY',
  'ESTALE',
  'ETXTBSY',
  'EXDEV',
  'ELOOP',
  'ENAMETOOLONG',
  'ENOTEMPTY',
  'EINTR',
] as const;
/** How files are copied; where they lie. */
const WAYS = ['copying by cp', 'copying by itself', 'on another file system'] as const;
type Way = (typeof WAYS)[number];

describe('a change of several files, on a disk that breaks', function () {
  this.timeout(1_500_000);
  let top: string;
  beforeEach(() => (top = mkdtempSync(path.join(fastFolder(), 'httpd-upgrade-faults-'))));
  afterEach(() => {
    rmSync(top, { recursive: true, force: true });
    assert.equal(diskCounters.openedHandles, diskCounters.closedHandles, 'a file or a directory stays open');
  });

  for (const action of ['write', 'undo'] as const) {
    for (const fault of ['fails', 'full', 'read-only', 'ends within', 'ends behind'] as const) {
      for (const way of fault === 'ends within' || fault === 'fails' ? WAYS : WAYS.slice(1)) {
        it(`${action}: ${fault} at any step, ${way}`, async () => {
          const steps = await stepsOf(action, way);
          assert.ok(steps > 40, String(steps));
          for (let step = 1; step <= steps; step++) await trial({ action, way, breaks: [{ fault, step }] });
        });
      }
    }

    it(`${action}: the process ends at any step, and so does the run that completes it`, async () => {
      const random = new Random(seed());
      for (const way of WAYS.slice(1)) {
        for (let step = 1, steps = await stepsOf(action, way); step <= steps; step++) {
          const breaks = [
            { fault: ENDS[random.below(3)], step },
            { fault: ([...ENDS, 'fails'] as const)[random.below(4)], step: 1 + random.below(30) },
            { fault: ENDS[random.below(3)], step: 1 + random.below(20) },
          ];
          await trial({ action, way, breaks });
        }
      }
    });
  }

  it(`${FAULTS} faults at random`, async () => {
    const given = seed();
    const random = new Random(given);
    const figures: { [fault: string]: number } = {};
    for (let faults = 0; faults < FAULTS; ) {
      const action = random.pick(['write', 'undo'] as const);
      const way = random.below(8) === 0 ? WAYS[0] : random.pick(WAYS.slice(1));
      const steps = await stepsOf(action, way);
      const breaks = Array.from({ length: 1 + random.below(3) }, (_, run) => ({
        fault: random.pick(ALL_FAULTS),
        step: 1 + random.below(run === 0 ? steps : 30),
        code: random.pick(CODES),
      }));
      for (const fault of await trial({ action, way, breaks }, `HTTPD_UPGRADE_SEED=${given}, fault ${faults}: `)) {
        figures[fault] = (figures[fault] ?? 0) + 1;
        faults++;
      }
    }
    if (process.env.HTTPD_UPGRADE_FAULTS) console.log(JSON.stringify(figures));
  });

  it('a program that copies lives on behind the end of the process: what it still writes is removed too', async () => {
    const isCopying = (place: unknown) => typeof place === 'string' && place.endsWith('/old');
    const steps: Step[] = [];
    fresh();
    await act(
      changeFunctions(
        watched(plain('copying by cp'), (name) => void steps.push(name)),
        () => [home()],
      ),
      'write',
    );
    fresh();
    const cut = changeFunctions(
      broken(plain('copying by cp'), { fault: 'ends within', step: steps.indexOf('copy') + 1 }),
      () => [home()],
    );
    await act(cut, 'write').catch((error: Error) => assert.ok(error instanceof Ended));
    let late = 0;
    const copying = wrapped(plain('copying by cp'), async (name, args, go) => {
      const result = await go(...args);
      if (name === 'list' && isCopying(args[0]) && late < 5)
        writeFileSync(path.join(args[0] as string, `late-${late++}`), '');
      return result;
    });
    const { problems } = await changeFunctions(copying, () => [home()]).recover();
    assert.deepEqual({ problems, late }, { problems: [], late: 5 });
    check('behind it', contents());
  });

  it('takes the same steps with the real cp', async () => {
    const taken: string[][] = [];
    for (const disk of [plain('copying by cp'), { ...plain('copying by cp'), copy: nodeDisk.copy }]) {
      fresh();
      const steps: string[] = [];
      const changes = changeFunctions(
        watched(disk, (name) => void steps.push(name)),
        () => [home()],
      );
      assert.deepEqual([await act(changes, 'write'), contents()], ['yes', 'new']);
      check('written', 'new');
      assert.deepEqual([await act(changes, 'undo'), contents()], ['yes', 'old']);
      check('undone', 'old');
      taken.push(steps);
    }
    assert.deepEqual(taken[0], taken[1]);
  });

  it('is on the disk, all of it, before the first file is touched; and each directory before it is said to be done', async () => {
    fresh();
    const said: string[] = [];
    await changeFunctions(
      watched(
        nodeDisk,
        (name, args) =>
          void said.push(
            `${name} ${args.map((each) => (typeof each === 'string' ? path.relative(top, each) : '')).join(' ')}`,
          ),
      ),
      () => [home()],
    ).write(theChange());
    const begun = said.findIndex((each) => /^rename .*is-preparing .*is-writing/.test(each));
    const ended = said.findIndex((each) => /^rename .*is-writing .*is-written/.test(each));
    const isSynced = (file: string, from: number, to: number) =>
      said.slice(from, to).some((each) => each === `sync ${file}`);
    for (const [index, each] of said.entries()) {
      const [name, from, to] = each.split(' ');
      if (name !== 'rename' || !to.startsWith('tree/')) continue;
      assert.ok(index > begun && index < ended, each);
      assert.ok(
        isSynced(from, 0, begun) &&
          isSynced(path.dirname(from), 0, begun) &&
          isSynced(from.replace('/new/', '/old/'), 0, begun),
        each,
      );
      assert.ok(isSynced(path.dirname(to), index, ended), each);
    }
    assert.ok(isSynced(said[begun].split(' ')[2].replace('/is-writing', ''), begun, begun + 2), 'the mark itself');
  });

  interface Trial {
    readonly action: 'write' | 'undo';
    readonly way: Way;
    /** The runs one after the other, each with its disk; then there is one that does not break. */
    readonly breaks: readonly Break[];
  }

  /** The faults that occurred: a trial with fewer steps does not reach some. */
  async function trial({ action, way, breaks }: Trial, prefix = ''): Promise<Fault[]> {
    const title = `${prefix}${JSON.stringify({ action, way, breaks })}`;
    const happened: Fault[] = [];
    fresh();
    if (action === 'undo')
      assert.ok(
        'id' in (await changeFunctions(plain(madeBy(way)), () => [home()]).write(theChange(), options())),
        title,
      );
    const before = contents();
    for (const [run, each] of breaks.entries()) {
      const { fault } = each;
      const changes = changeFunctions(
        broken(plain(way), each, () => void happened.push(fault)),
        () => [home()],
      );
      const isDone = await (run === 0 ? act(changes, action) : changes.recover().then(() => null)).catch(
        (error: Error) => (error instanceof Ended ? null : Promise.reject(error)),
      );
      // A process that survives reports the true result.
      if (fault.startsWith('ends') || isDone === null) continue;
      if (isDone === 'stuck') assert.equal(fault, 'read-only', title);
      else assert.equal(contents(), isDone === 'yes' ? opposite(before) : before, `${title}: ${isDone}`);
    }
    await changeFunctions(plain(way), () => [home()]).recover();
    const now = contents();
    assert.ok(now === 'old' || now === 'new', `${title}: ${now}`);
    check(title, now);
    const left = await changeFunctions(plain(way), () => [home()]).list();
    // What was written can be undone, and what was undone cannot.
    assert.equal(left.length, now === 'new' ? 1 : 0, title);
    return happened;
  }

  /** Whether it says that it is done; stuck: that it could not take back what was written. */
  async function act(changes: ChangeFunctions, action: 'write' | 'undo'): Promise<'yes' | 'no' | 'stuck'> {
    const result = action === 'write' ? await changes.write(theChange(), options()) : await changes.undo();
    if ('id' in result || ('undone' in result && result.undone)) return 'yes';
    return result.problems.some(({ reason }) => /could not be restored/.test(reason)) ? 'stuck' : 'no';
  }

  async function stepsOf(action: 'write' | 'undo', way: Way): Promise<number> {
    fresh();
    if (action === 'undo') await changeFunctions(plain(madeBy(way)), () => [home()]).write(theChange(), options());
    let steps = 0;
    assert.equal(
      await act(
        changeFunctions(
          watched(plain(way), () => void steps++),
          () => [home()],
        ),
        action,
      ),
      'yes',
    );
    return steps;
  }

  function fresh(): void {
    rmSync(top, { recursive: true, force: true });
    for (const folder of ['state', 'tree/conf.d', 'tree/sites', 'tree/enabled'])
      mkdirSync(path.join(top, folder), { recursive: true, mode: 0o755 });
    for (const [name, mode] of FILES) {
      writeFileSync(tree(name), `old ${name}`);
      chmodSync(tree(name), mode);
      utimesSync(tree(name), OLD_TIME, OLD_TIME);
    }
    symlinkSync('../sites/x', tree('enabled/x'));
  }

  function theChange() {
    return CHANGED.map((name) => ({
      path: tree(name),
      before: Buffer.from(`old ${real(name)}`),
      after: Buffer.from(`new ${real(name)}, longer`),
    }));
  }

  function options(): ChangeOptions {
    return { mayHoldTemporary: (directory) => directory === path.join(top, 'tree') };
  }

  /** old, new, or all contents where they are mixed. */
  function contents(): string {
    const all = FILES.map(([name]) => readFileSync(tree(name), 'utf8'));
    if (all.every((text, index) => text === `old ${FILES[index][0]}`)) return 'old';
    return all.every((text, index) => text === `new ${FILES[index][0]}, longer`) ? 'new' : all.join(' | ');
  }

  /** That all is as it was but for the contents, and nothing is there that was not. */
  function check(title: string, now: string): void {
    const names = readdirSync(path.join(top, 'tree'), { recursive: true }).map(String).sort();
    assert.deepEqual(
      names,
      ['conf.d', 'conf.d/a.conf', 'conf.d/b.conf', 'enabled', 'enabled/x', 'httpd.conf', 'sites', 'sites/x'],
      title,
    );
    assert.equal(readlinkSync(tree('enabled/x')), '../sites/x', title);
    for (const [name, mode] of FILES) {
      const info = lstatSync(tree(name));
      assert.deepEqual([info.mode & 0o7777, info.uid, info.nlink], [mode, process.getuid!(), 1], title);
      if (now === 'old') assert.equal(info.mtimeMs, OLD_TIME * 1000, title);
    }
    const kept = readdirSync(home(), { recursive: true })
      .map(String)
      .filter((name) => name.split('/').length > 2 || name.startsWith('locks/'));
    const id = existsSync(path.join(home(), 'changes')) ? readdirSync(path.join(home(), 'changes')) : [];
    assert.equal(id.length, now === 'new' ? 1 : 0, `${title}: ${id.join(' ')}`);
    const expected =
      now === 'new'
        ? ['is-done', 'journal.json', 'old', 'old/0', 'old/1', 'old/2', 'old/3'].map(
            (each) => `changes/${id[0]}/${each}`,
          )
        : [];
    assert.deepEqual(kept.sort(), expected, title);
  }

  function home(): string {
    return path.join(top, 'state');
  }

  function tree(name: string): string {
    return path.join(top, 'tree', name);
  }
});

// ---------------------------------------------------------------------------------------------------------------------

function real(name: string): string {
  return name.replace('enabled/', 'sites/');
}

/** What is to be undone is written by a disk of which nothing is asked here. */
function madeBy(way: Way): Way {
  return way === 'copying by cp' ? 'copying by itself' : way;
}

function opposite(state: string): string {
  return state === 'old' ? 'new' : 'old';
}

/** The process is no more: whatever it would still do does not happen. */
class Ended extends Error {}

/** node's own disk, without waiting for the real one: a million steps are taken here. */
function plain(way: Way): Disk {
  const disk: Disk = { ...nodeDisk, sync: () => Promise.resolve(), copy: () => Promise.resolve(false) };
  if (way === 'copying by cp') return { ...disk, copy: promised(copyLikeCp) };
  return { ...disk, ...(way === 'on another file system' ? { status: look } : {}) };
}

/**
 * What cp does to files that have nothing but a mode, an owner and times, without a process for
 * each of some thousand trials.
 */
function copyLikeCp(files: readonly string[], directory: string, names: readonly string[]): boolean {
  for (const [index, file] of files.entries()) {
    const [copy, { mode, uid, gid, atimeMs, mtimeMs }] = [path.join(directory, names[index]), statSync(file)];
    copyFileSync(file, copy);
    chownSync(copy, uid, gid);
    chmodSync(copy, mode & 0o7777);
    utimesSync(copy, atimeMs / 1000, mtimeMs / 1000);
  }
  return true;
}

const promised =
  <A extends readonly unknown[], R>(call: (...args: A) => R) =>
  async (...args: A) =>
    call(...args);

/** The tree as another file system than the journal's. */
async function look(place: string): Promise<Stats> {
  const info = await nodeDisk.status(place);
  return /\/tree(\/|$)/.test(place) ? Object.assign(info, { dev: info.dev + 1 }) : info;
}

type Step = keyof Disk;

function watched(disk: Disk, on: (name: Step, args: readonly unknown[]) => void): Disk {
  return wrapped(disk, (name, args, go) => {
    on(name, args);
    return go(...args);
  });
}

function wrapped(
  disk: Disk,
  step: (
    name: Step,
    args: readonly unknown[],
    go: (...args: readonly unknown[]) => Promise<unknown>,
  ) => Promise<unknown>,
): Disk {
  const result: Partial<{ [key: string]: unknown }> = {};
  for (const name of Object.keys(disk) as Step[]) {
    const go = disk[name] as (...args: readonly unknown[]) => Promise<unknown>;
    result[name] = (...args: readonly unknown[]) => step(name, args, go);
  }
  return result as unknown as Disk;
}

const TAKES_SPACE: readonly Step[] = ['create', 'overwrite', 'copy', 'makeDirectory'];
const READS: readonly Step[] = ['realpath', 'status', 'list', 'read', 'hold'];

interface Break {
  readonly fault: Fault;
  readonly step: number;
  /** Of a step that fails. */
  readonly code?: string;
}

/** `onFault` hears of it once. */
function broken(disk: Disk, { fault, step: at, code = 'EIO' }: Break, onFault?: () => void): Disk {
  let count = 0;
  let isEnded = false;
  return wrapped(disk, async (name, args, go) => {
    if (isEnded) throw new Ended();
    count++;
    if (count === at) onFault?.();
    if (fault === 'fails' && count === at) throw failure(code);
    if (fault === 'full' && count >= at && TAKES_SPACE.includes(name)) throw failure('ENOSPC');
    if (fault === 'read-only' && count >= at && !READS.includes(name)) throw failure('EROFS');
    if (!fault.startsWith('ends') || count !== at) return go(...args);
    isEnded = true;
    if (fault === 'ends within') await half(name, args, go);
    if (fault === 'ends behind') {
      const result = await go(...args);
      // With a process its handles go.
      if (name === 'hold') (result as HeldDirectory).release();
    }
    throw new Ended();
  });
}

/** As much of a step as can be done before it is done. */
async function half(
  name: Step,
  args: readonly unknown[],
  go: (...args: readonly unknown[]) => Promise<unknown>,
): Promise<void> {
  const [first, second] = args;
  if (name === 'create' || name === 'overwrite')
    await go(first, (second as Uint8Array).subarray(0, (second as Uint8Array).length >> 1));
  if (name === 'copy') await go((first as string[]).slice(0, 1), second, args[2]);
}

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: of this test`), { code });
}
