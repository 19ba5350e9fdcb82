/**
 * Root writes in directories of another user, who replaces them by links all the time: nothing
 * outside is written, and every written file is complete. 60 writes and 20 undos;
 * HTTPD_UPGRADE_SWAPS sets another number for both.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import path from 'node:path';
import { changeFunctions, realPaths, type Change } from '../../server/src/host/change';
import { MOVED_ERROR_CODE, nodeDisk, diskCounters, type Disk } from '../../server/src/host/disk';
import { needsRoot, OTHER_USER, withFolder } from '../cli/run';

const WRITES = Number(process.env.HTTPD_UPGRADE_SWAPS ?? 60);
const UNDOS = Number(process.env.HTTPD_UPGRADE_SWAPS ?? 20);
const OLD = 'Require all denied\n';
const NEW = 'Require all granted\n';

describe(
  'directories of others, who swap them while root writes',
  withFolder((folder) => {
    const at = (name: string) => folder().at(name);
    const change = (name: string, before = OLD, after = NEW): Change => ({
      path: at(name),
      before: Buffer.from(before),
      after: Buffer.from(after),
    });
    /** A tree of the other user, and one of the same names and contents outside of it. */
    const trees = (names: readonly string[]) => {
      for (const top of ['site', 'outside']) {
        for (const name of names) folder().write(`${top}/${name}`, OLD);
      }
      giveAway(at('site'));
    };
    const assertUntouched = (names: readonly string[], title = '') => {
      for (const name of names) {
        assert.equal(folder().text(`outside/${name}`), OLD, `${title}: outside/${name} was written`);
        const info = lstatSync(at(`outside/${name}`));
        assert.deepEqual([info.uid, info.mode & 0o7777, info.nlink], [0, 0o644, 1], title);
      }
    };

    for (const [title, swapped, target] of [
      ['the directory of the file', 'site/sub', 'outside/sub'],
      ['a directory above it', 'site', 'outside'],
    ] as const) {
      it(`${title}: ${WRITES} writes and undos land inside, or nowhere`, async function () {
        needsRoot(this);
        this.timeout(600_000 + WRITES * 500);
        const names = ['sub/.htaccess', 'sub/other.conf'];
        trees(names);
        // The other user may rename what lies here, too.
        chmodSync(folder().path, 0o755);
        chownSync(folder().path, OTHER_USER, OTHER_USER);
        const bounds = await realPaths([at('site')]);
        const opened = diskCounters.openedHandles - diskCounters.closedHandles;
        const figures = { written: 0, refused: 0, undone: 0 };
        const swapper = await swaps(at(swapped), at(target));
        try {
          for (let round = 0; round < WRITES; round++) {
            const outcome = await changeFunctions().write(
              names.map((name) => change(`site/${name}`)),
              { writablePaths: bounds },
            );
            assertUntouched(names, `round ${round}: ${JSON.stringify(outcome)}`);
            if (!('id' in outcome)) {
              figures.refused++;
              continue;
            }
            figures.written++;
            for (let tries = 0; tries < 500; tries++) {
              const { undone } = await changeFunctions().undo(outcome.id);
              assertUntouched(names, `round ${round}, undo`);
              if (!undone) continue;
              figures.undone++;
              break;
            }
          }
        } finally {
          await ended(swapper);
        }
        if (process.env.HTTPD_UPGRADE_SWAPS) console.log(JSON.stringify(figures));
        assertUntouched(names);
        assert.equal(diskCounters.openedHandles - diskCounters.closedHandles, opened, 'handles that are not closed');
        assert.deepEqual(readdirSync(at('outside'), { recursive: true }).sort(), [
          'sub',
          'sub/.htaccess',
          'sub/other.conf',
        ]);
      });
    }

    it(`a failed write or undo restores all files, also where a directory is a link for a moment`, async function () {
      needsRoot(this);
      const names = ['a/a.conf', 'b/b.conf'];
      for (const top of ['site', 'outside']) for (const name of names) folder().write(`${top}/${name}`, OLD);
      const texts = () => names.map((name) => folder().text(`site/${name}`));
      const all = (before: string, after: string) => names.map((name) => change(`site/${name}`, before, after));
      let swappedBack = Promise.resolve();
      /** At the second rename, the directory of the first file becomes a link for a moment. */
      const swapping = (ms: number): Disk => {
        const disk: Disk = { ...nodeDisk };
        disk.rename = async (from, to) => {
          if (to !== at('site/b/b.conf') || /old/.test(from)) return nodeDisk.rename(from, to);
          renameSync(at('site/a'), at('site/kept'));
          symlinkSync(at('outside/a'), at('site/a'));
          swappedBack = new Promise((resolve) => {
            setTimeout(() => {
              rmSync(at('site/a'));
              renameSync(at('site/kept'), at('site/a'));
              resolve();
            }, ms);
          });
          throw Object.assign(new Error('swapped'), { code: MOVED_ERROR_CODE });
        };
        return disk;
      };
      const failed = await changeFunctions(swapping(100)).write(all(OLD, NEW));
      assert.ok('problems' in failed);
      await swappedBack;
      assert.deepEqual(texts(), [OLD, OLD]);
      const written = await changeFunctions().write(all(OLD, NEW));
      assert.ok('id' in written);
      const { undone } = await changeFunctions(swapping(100)).undo(written.id);
      assert.equal(undone, null);
      await swappedBack;
      assert.deepEqual(texts(), [NEW, NEW]);
      assert.equal((await changeFunctions().undo(written.id)).undone?.id, written.id);
      assert.deepEqual(texts(), [OLD, OLD]);
      // The directory stays a link longer than anybody waits.
      const kept = await changeFunctions(swapping(3000)).write(all(OLD, NEW));
      assert.ok('problems' in kept);
      const reasons = kept.problems.filter((each) => each.path === at('site/a/a.conf')).map((each) => each.reason);
      assert.equal(reasons.length, 1);
      const copy = / its old content is in (\/\S+-0-a\.conf)$/.exec(reasons[0])?.[1];
      assert.ok(copy, reasons[0]);
      assert.equal(readFileSync(copy, 'utf8'), OLD);
      assert.equal(statSync(copy).mode & 0o077, 0);
      await swappedBack;
      assert.deepEqual(texts(), [NEW, OLD]);
      assertUntouched(names);
    });

    it(`undo: ${UNDOS} changes are undone, inside, while a directory is swapped`, async function () {
      needsRoot(this);
      this.timeout(600_000 + UNDOS * 6000);
      const names = ['a/.htaccess', 'b/.htaccess', 'a/other.conf'];
      trees(names);
      const texts = () => names.map((name) => folder().text(`site/${name}`));
      const figures = { tries: 0, undone: 0 };
      for (let round = 0; round < UNDOS; round++) {
        const outcome = await changeFunctions().write(names.map((name) => change(`site/${name}`)));
        assert.ok('id' in outcome, JSON.stringify(outcome));
        const swapper = await swaps(at('site/a'), at('outside/a'));
        let last: unknown;
        try {
          for (let tries = 0; tries < 500; tries++) {
            figures.tries++;
            const result = await changeFunctions().undo(outcome.id);
            assertUntouched(names, `round ${round}, undo`);
            last = result;
            if (result.undone) break;
            last = { result, tries };
          }
        } finally {
          await ended(swapper);
        }
        assert.deepEqual(texts(), [OLD, OLD, OLD], `round ${round}: ${JSON.stringify(last)}`);
        figures.undone++;
      }
      if (process.env.HTTPD_UPGRADE_SWAPS) console.log(JSON.stringify(figures));
    });

    it('a link, a FIFO or a second name in the place of a file that is about to be written: nothing is written or waited for', async function () {
      needsRoot(this);
      const cases: readonly [title: string, replace: (file: string) => void][] = [
        ['a link', (file) => symlinkSync(at('outside/a.conf'), file)],
        ['a FIFO', (file) => assert.equal(spawnSync('mkfifo', [file]).status, 0)],
        ['a second name', (file) => linkSync(at('outside/a.conf'), file)],
        ['a directory', (file) => mkdirSync(file)],
      ];
      for (const [title, replace] of cases)
        for (const step of ['hold', 'copy', 'rename'] as const) {
          for (const top of ['site', 'outside']) rmSync(at(top), { recursive: true, force: true });
          trees(['a.conf']);
          const opened = diskCounters.openedHandles - diskCounters.closedHandles;
          const disk: Disk = { ...nodeDisk };
          let isDone = false;
          disk[step] = (async (...args: never[]) => {
            if (!isDone) {
              isDone = true;
              rmSync(at('site/a.conf'));
              replace(at('site/a.conf'));
            }
            return (nodeDisk[step] as (...all: never[]) => Promise<unknown>)(...args);
          }) as never;
          const outcome = await changeFunctions(disk).write([change('site/a.conf')]);
          assert.ok('problems' in outcome, `${title}, ${step}`);
          assert.equal(folder().text('outside/a.conf'), OLD, title);
          assert.equal(
            diskCounters.openedHandles - diskCounters.closedHandles,
            opened,
            `${title}, ${step}: handles that are not closed`,
          );
        }
    });

    it('root refuses what a third user can lead elsewhere, as it is named and as it is', async function () {
      needsRoot(this);
      folder().write('theirs/site/a.conf', OLD);
      folder().write('own/a.conf', OLD);
      symlinkSync('../own', at('theirs/link'));
      chownSync(at('theirs'), OTHER_USER, OTHER_USER);
      for (const name of ['theirs/site/a.conf', 'theirs/link/a.conf']) {
        const [problem] = await changeFunctions().preflight([change(name)]);
        assert.match(
          problem?.reason ?? '',
          /^is reached through .*\/theirs, which the user 65534 may change; run this/,
          name,
        );
      }
      assert.deepEqual(await changeFunctions().preflight([change('own/a.conf')]), []);
      chownSync(at('theirs/site/a.conf'), OTHER_USER, OTHER_USER);
      assert.deepEqual(
        await changeFunctions().preflight([change('theirs/site/a.conf')]),
        [],
        'the owner of the file may',
      );
      chmodSync(at('own'), 0o777);
      assert.match(
        (await changeFunctions().preflight([change('own/a.conf')]))[0]?.reason ?? '',
        /every user may change/,
      );
      chmodSync(at('own'), 0o1777);
      assert.deepEqual(await changeFunctions().preflight([change('own/a.conf')]), [], 'sticky');
    });

    it('a journal is kept nowhere where another user may replace it', async function () {
      needsRoot(this);
      folder().write('a', OLD);
      mkdirSync(at('theirs'));
      chownSync(at('theirs'), OTHER_USER, OTHER_USER);
      mkdirSync(at('theirs/state'), { mode: 0o700 });
      mkdirSync(at('safe'), { mode: 0o700 });
      symlinkSync(at('safe'), at('theirs/link'));
      for (const home of ['theirs/state', 'theirs/new', 'theirs/link/state']) {
        const outcome = await changeFunctions(nodeDisk, () => [at(home)]).write([change('a')]);
        assert.ok('problems' in outcome && /cannot be kept for undo/.test(outcome.problems[0].reason), home);
      }
      assert.deepEqual(
        ['theirs', 'theirs/state', 'safe'].map((name) => readdirSync(at(name))),
        [['link', 'state'], [], []],
      );
      assert.equal(folder().text('a'), OLD);
    });
  }),
);

// ---------------------------------------------------------------------------------------------------------------------

function giveAway(place: string): void {
  chownSync(place, OTHER_USER, OTHER_USER);
  if (!lstatSync(place).isDirectory()) return;
  for (const name of readdirSync(place)) giveAway(path.join(place, name));
}

/**
 * A process of the other user that swaps a directory for a link to another one, and back, until it
 * is ended.
 */
async function swaps(directory: string, target: string): Promise<ChildProcess> {
  const script = `
    const fs = require('fs');
    const [directory, target] = process.argv.slice(1);
    process.setgroups([]); process.setgid(${OTHER_USER}); process.setuid(${OTHER_USER});
    const [kept, link] = [directory + '.kept', directory + '.link'];
    fs.symlinkSync(target, link);
    let isOver = false;
    process.on('SIGTERM', () => (isOver = true));
    const wait = (ms) => { for (const end = performance.now() + ms; performance.now() < end; ); };
    console.log('ready');
    (function swap() {
      for (let count = 0; count < 5; count++) {
        fs.renameSync(directory, kept); fs.renameSync(link, directory);
        wait(Math.random() ** 6 * 15);
        fs.renameSync(directory, link); fs.renameSync(kept, directory);
        wait(Math.random() ** 2 * 150);
      }
      if (isOver) fs.unlinkSync(link); else setImmediate(swap);
    })();`;
  const child = spawn(process.execPath, ['-e', script, directory, target], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => child.stdout!.once('data', resolve));
  return child;
}

function ended(child: ChildProcess): Promise<unknown> {
  const end = new Promise((resolve) => child.once('exit', resolve));
  if (child.exitCode !== null) return Promise.resolve();
  child.kill('SIGTERM');
  return end;
}
