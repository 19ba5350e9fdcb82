/**
 * Root writes in directories of another user, who swaps them for links all the while: nothing outside is written, and what is written is whole. 60 writes;
 * HTTPD_UPGRADE_SWAPS says how many instead.
 */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, chownSync, lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { changesOn, realPaths, type Change } from '../../server/src/host/change';
import { work } from '../../server/src/host/disk';
import { needsRoot, OTHER_USER, withFolder } from '../cli/run';

const WRITES = Number(process.env.HTTPD_UPGRADE_SWAPS ?? 60);
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
        this.timeout(60_000 + WRITES * 500);
        const names = ['sub/.htaccess', 'sub/other.conf'];
        trees(names);
        // The other user may rename what lies here, too.
        chmodSync(folder().path, 0o755);
        chownSync(folder().path, OTHER_USER, OTHER_USER);
        const bounds = await realPaths([at('site')]);
        const opened = work.opened - work.closed;
        const figures = { written: 0, refused: 0, undone: 0 };
        const swapper = await swaps(at(swapped), at(target));
        try {
          for (let round = 0; round < WRITES; round++) {
            const outcome = await changesOn().write(
              names.map((name) => change(`site/${name}`)),
              { within: bounds },
            );
            assertUntouched(names, `round ${round}: ${JSON.stringify(outcome)}`);
            if (!('id' in outcome)) {
              figures.refused++;
              continue;
            }
            figures.written++;
            for (let tries = 0; tries < 500; tries++) {
              const { undone } = await changesOn().undo(outcome.id);
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
        assert.equal(work.opened - work.closed, opened, 'handles that are not closed');
        assert.deepEqual(readdirSync(at('outside'), { recursive: true }).sort(), [
          'sub',
          'sub/.htaccess',
          'sub/other.conf',
        ]);
      });
    }
  }),
);

// ---------------------------------------------------------------------------------------------------------------------

function giveAway(place: string): void {
  chownSync(place, OTHER_USER, OTHER_USER);
  if (!lstatSync(place).isDirectory()) return;
  for (const name of readdirSync(place)) giveAway(path.join(place, name));
}

/** A process of the other user that swaps a directory for a link to another one, and back, until it is ended. */
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
