/**
 * One change of several files: what is refused, what is preserved, and that nothing is left over.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { changeFunctions, digest, realPaths, type Change, type ChangeOptions } from '../../server/src/host/change';
import { stateHomes } from '../../server/src/host/change-home';
import { AttributesLostError, nodeDisk, diskCounters, type Disk } from '../../server/src/host/disk';
import { needs, needsRoot, OTHER_USER, withFolder } from '../cli/run';
import { stateHome } from '../support/state';

const bytes = (text: string) => Buffer.from(text);
const CHANGED = 'has been changed by somebody else in the meantime';

describe(
  'writing files',
  withFolder((folder) => {
    const change = (name: string, before = 'old', after = 'new'): Change => ({
      path: folder().at(name),
      before: bytes(before),
      after: bytes(after),
    });
    const state = () => path.join(stateHome(), 'httpd-upgrade');
    /** What is kept beside what can be undone: nothing. */
    const assertTidy = () => {
      for (const name of readdirSync(path.join(state(), 'changes')))
        assert.deepEqual(readdirSync(path.join(state(), 'changes', name)).sort(), ['is-done', 'journal.json', 'old']);
      assert.deepEqual(readdirSync(path.join(state(), 'locks')), []);
    };
    const refused = async (
      changes: readonly Change[],
      expected: Readonly<Record<string, string | RegExp>>,
      options: ChangeOptions = {},
    ) => {
      const names = readdirSync(folder().path, { recursive: true }).sort();
      for (const problems of [
        await changeFunctions().preflight(changes, options),
        await changeFunctions()
          .write(changes, options)
          .then((outcome) => ('problems' in outcome ? outcome.problems : [])),
      ]) {
        assert.deepEqual(
          problems.map((problem) => path.relative(folder().path, problem.path)),
          Object.keys(expected),
        );
        for (const [index, reason] of Object.values(expected).entries()) {
          if (typeof reason === 'string') assert.equal(problems[index].reason, reason);
          else assert.match(problems[index].reason, reason);
        }
      }
      assert.deepEqual(readdirSync(folder().path, { recursive: true }).sort(), names);
      assertTidy();
    };

    it('changes all of them, and leaves nothing beside them', async () => {
      for (const name of ['a', 'd/b']) folder().write(name, 'old');
      const outcome = await changeFunctions().write([change('a'), change('d/b', 'old', '')]);
      assert.ok('id' in outcome);
      assert.deepEqual([folder().text('a'), folder().text('d/b')], ['new', '']);
      assert.deepEqual(readdirSync(folder().path, { recursive: true }).sort(), ['a', 'd', 'd/b']);
      assertTidy();
    });

    it('refuses what says something else by now, of the same length and time too', async () => {
      for (const name of ['a', 'b']) folder().write(name, 'old');
      const { atime, mtime } = statSync(folder().at('a'));
      folder().write('a', 'odd');
      utimesSync(folder().at('a'), atime, mtime);
      await refused([change('b'), change('a')], { a: CHANGED });
      assert.deepEqual([folder().text('a'), folder().text('b')], ['odd', 'old']);
    });

    it('refuses what is gone, what is something else, and what leads nowhere', async () => {
      for (const name of ['a', 'gone']) folder().write(name, 'old');
      unlinkSync(folder().at('gone'));
      mkdirSync(folder().at('d'));
      symlinkSync('/dev/null', folder().at('null'));
      symlinkSync('loop', folder().at('loop'));
      await refused([change('a'), change('gone'), change('d'), change('null'), change('loop')], {
        gone: 'does not exist',
        d: 'is not a regular file',
        null: 'is not a regular file',
        loop: 'is a symbolic link that leads back to itself',
      });
      assert.equal(folder().text('a'), 'old');
    });

    it('refuses a file with several names, of which one would be left behind', async () => {
      for (const name of ['a', 'c']) folder().write(name, 'old');
      linkSync(folder().at('a'), folder().at('b'));
      await refused([change('c'), change('a')], {
        a: 'has 2 names (hard links), and writing it would separate them',
      });
    });

    it('writes the file that a link leads to, once, and the link stays one', async () => {
      folder().write('sites-available/x', 'old');
      mkdirSync(folder().at('sites-enabled'));
      symlinkSync('../sites-available/x', folder().at('sites-enabled/x'));
      assert.ok(
        'id' in
          (await changeFunctions().write([change('sites-enabled/x'), change('sites-available/x')], {
            writablePaths: [folder().path],
          })),
      );
      assert.equal(readlinkSync(folder().at('sites-enabled/x')), '../sites-available/x');
      assert.equal(folder().text('sites-available/x'), 'new');
      await refused([change('sites-enabled/x', 'new', 'one'), change('sites-available/x', 'new', 'two')], {
        'sites-available/x':
          /^is the same file as .*sites-enabled\/x \(a link\), and writing both would separate them$/,
      });
    });

    it('refuses what lies outside of what was given, and links that lead there', async () => {
      for (const name of ['in/a', 'out/b', 'inner']) folder().write(name, 'old');
      symlinkSync('../out/b', folder().at('in/link'));
      symlinkSync('../out', folder().at('in/dir'));
      const within = [folder().at('in')];
      await refused(
        [change('in/a'), change('in/link'), change('in/dir/b'), change('out/b'), change('inner')],
        {
          'in/link': /^leads to .*\/out\/b, which is not among what was given$/,
          'in/dir/b': /^leads to .*\/out\/b, which is not among what was given$/,
          'out/b': 'is not among what was given',
          inner: 'is not among what was given',
        },
        { writablePaths: within },
      );
      assert.ok(
        'id' in
          (await changeFunctions().write([change('in/link')], {
            writablePaths: await realPaths([folder().at('in/link')]),
          })),
        'given by itself, it may lead anywhere',
      );
    });

    it('refuses what is protected against every change, and what stands in such a directory', async function () {
      needsRoot(this);
      needs(this, 'chattr');
      for (const name of ['a', 'd/b', 'c']) folder().write(name, 'old');
      for (const name of ['a', 'd']) assert.equal(spawnSync('chattr', ['+i', folder().at(name)]).status, 0);
      try {
        await refused([change('c'), change('a'), change('d/b')], {
          a: 'is immutable (chattr +i)',
          'd/b': /^no permission to write in the directory /,
        });
      } finally {
        for (const name of ['a', 'd']) spawnSync('chattr', ['-i', folder().at(name)]);
      }
    });

    it('takes back what is written where a later file turns out not to take it (chattr +a)', async function () {
      needsRoot(this);
      needs(this, 'chattr');
      for (const name of ['a', 'b']) folder().write(name, 'old');
      const before = statSync(folder().at('a'));
      assert.equal(spawnSync('chattr', ['+a', folder().at('b')]).status, 0);
      try {
        const outcome = await changeFunctions().write([change('a'), change('b')]);
        assert.ok('problems' in outcome && outcome.problems[0].path === folder().at('b'), JSON.stringify(outcome));
        assert.deepEqual(
          [folder().text('a'), folder().text('b'), statSync(folder().at('a')).mtimeMs],
          ['old', 'old', before.mtimeMs],
        );
        assertTidy();
      } finally {
        spawnSync('chattr', ['-a', folder().at('b')]);
      }
    });

    it('refuses a file system that is read-only', async function () {
      needsRoot(this);
      await mounted(folder().at('d'), ['-t', 'tmpfs', 'tmpfs'], async () => {
        for (const name of ['a', 'd/b']) folder().write(name, 'old');
        assert.equal(spawnSync('mount', ['-o', 'remount,ro', folder().at('d')]).status, 0);
        await refused([change('a'), change('d/b')], { 'd/b': 'is on a file system that is read-only' });
      });
    });

    it('refuses a file that is mounted by itself', async function () {
      needsRoot(this);
      for (const name of ['a', 'b', 'c']) folder().write(name, 'old');
      await mounted(folder().at('b'), ['--bind', folder().at('a')], async () => {
        await refused([change('c'), change('b')], {
          b: 'is a mount point and cannot be replaced; change the file that is mounted there',
        });
      });
    });

    it('writes a file once that a mounted directory shows a second time', async function () {
      needsRoot(this);
      folder().write('d/a', 'old');
      await mounted(folder().at('e'), ['--bind', folder().at('d')], async () => {
        assert.ok('id' in (await changeFunctions().write([change('d/a'), change('e/a')])));
        assert.equal(folder().text('e/a'), 'new');
      });
    });

    it('prepares files of another file system there, as far from them as can be, and nowhere else', async function () {
      needsRoot(this);
      await mounted(folder().at('d'), ['-t', 'tmpfs', 'tmpfs'], async () => {
        for (const name of ['d/conf/a', 'd/conf.d/b', 'c']) folder().write(name, 'old');
        chmodSync(folder().at('d/conf/a'), 0o640);
        chownSync(folder().at('d/conf/a'), OTHER_USER, OTHER_USER);
        const places = new Set<string>();
        const disk: Disk = {
          ...nodeDisk,
          rename: (from, to) => (places.add(path.dirname(path.dirname(path.dirname(from)))), nodeDisk.rename(from, to)),
        };
        const changes = [change('d/conf/a'), change('d/conf.d/b'), change('c')];
        const outcome = await changeFunctions(disk).write(changes);
        assert.ok('id' in outcome, JSON.stringify(outcome));
        assert.ok(places.has(folder().at('d')), [...places].join(' '));
        assert.deepEqual(readdirSync(folder().at('d')).sort(), ['conf', 'conf.d']);
        const { mode, uid, gid } = statSync(folder().at('d/conf/a'));
        assert.deepEqual([mode & 0o7777, uid, gid, folder().text('d/conf/a')], [0o640, OTHER_USER, OTHER_USER, 'new']);
        assert.ok((await changeFunctions().undo(outcome.id)).undone);
        assert.deepEqual(
          changes.map((each) => readFileSync(each.path, 'utf8')),
          ['old', 'old', 'old'],
        );
        assert.deepEqual(readdirSync(folder().at('d')).sort(), ['conf', 'conf.d']);
        folder().write('d/a', 'old');
        const beside = await changeFunctions().write([change('d/a')]);
        assert.ok(
          'problems' in beside &&
            /^is on a file system where only the directories of the configuration are writable; set XDG_STATE_HOME/.test(
              beside.problems[0].reason,
            ),
          JSON.stringify(beside),
        );
        assert.ok(
          'id' in (await changeFunctions().write([change('d/a')], { mayHoldTemporary: () => true })),
          'the caller vouches for it',
        );
        assert.deepEqual(readdirSync(folder().at('d')).sort(), ['a', 'conf', 'conf.d']);
      });
    });

    it('leaves all as it was where a disk is full, whichever it is', async function () {
      needsRoot(this);
      const large = 'x'.repeat(40_000);
      await mounted(folder().at('d'), ['-t', 'tmpfs', '-o', 'size=128k', 'tmpfs'], async () => {
        const larger = large.repeat(2);
        for (const name of ['d/conf/a', 'd/conf/b', 'c']) folder().write(name, name === 'c' ? larger : large);
        for (const [home, changes] of [
          [
            stateHome(),
            [change('c', larger), change('d/conf/a', large, `${large}y`), change('d/conf/b', large, `${large}y`)],
          ],
          [folder().at('d'), [change('c', larger)]],
        ] as const) {
          const outcome = await changeFunctions(nodeDisk, () => [path.join(home, 'httpd-upgrade')]).write(changes);
          assert.ok('problems' in outcome);
          assert.deepEqual(outcome.problems, [
            { path: changes.length === 1 ? folder().at('c') : '', reason: 'the disk is full' },
          ]);
          for (const each of ['d/conf/a', 'd/conf/b', 'c'])
            assert.equal(folder().text(each), each === 'c' ? larger : large);
          assert.deepEqual(readdirSync(folder().at('d/conf')), ['a', 'b']);
        }
        assert.deepEqual(readdirSync(folder().at('d'), { recursive: true }).sort(), [
          'conf',
          'conf/a',
          'conf/b',
          'httpd-upgrade',
          'httpd-upgrade/changes',
          'httpd-upgrade/locks',
        ]);
      });
    });

    it('takes names of any length, and of blanks and line ends', async () => {
      const names = ['x'.repeat(255), 'a b\n-c', '-t'];
      for (const name of names) folder().write(name, 'old');
      assert.ok('id' in (await changeFunctions().write(names.map((name) => change(name)))));
      for (const name of names) assert.equal(folder().text(name), 'new');
    });

    it('writes megabytes', async () => {
      folder().write('a', 'old');
      const large = Buffer.alloc(20_000_000, 'abc\n');
      assert.ok(
        'id' in (await changeFunctions().write([{ path: folder().at('a'), before: bytes('old'), after: large }])),
      );
      assert.ok(folder().bytes('a').equals(large));
    });

    it('keeps access control lists and extended attributes', async function () {
      needs(this, 'python3');
      folder().write('a', 'old');
      chmodSync(folder().at('a'), 0o640);
      attributes(
        folder().at('a'),
        "os.setxattr(f, 'user.origin', b'puppet')\nos.setxattr(f, 'system.posix_acl_access', struct.pack('<I', 2) + b''.join(struct.pack('<HHI', *e) for e in [(1, 6, 2**32-1), (2, 4, 65534), (4, 4, 2**32-1), (16, 4, 2**32-1), (32, 0, 2**32-1)]))",
      );
      const before = attributes(folder().at('a'));
      assert.match(before, /user\.origin.*system\.posix_acl_access|system\.posix_acl_access.*user\.origin/s);
      const outcome = await changeFunctions().write([change('a')]);
      assert.ok('id' in outcome);
      assert.deepEqual([attributes(folder().at('a')), folder().text('a')], [before, 'new']);
      await changeFunctions().undo(outcome.id);
      assert.deepEqual([attributes(folder().at('a')), folder().text('a')], [before, 'old']);
    });

    it('copies files of many directories together', async () => {
      const names = Array.from({ length: 230 }, (_, i) => `site${i}/.htaccess`);
      for (const name of names) folder().write(name, 'old');
      const before = diskCounters.startedPrograms;
      assert.ok('id' in (await changeFunctions().write(names.map((name) => change(name)))));
      assert.equal(diskCounters.startedPrograms - before, process.platform === 'linux' ? 2 : 0);
      assert.deepEqual(
        names.map((name) => folder().text(name)),
        names.map(() => 'new'),
      );
      assertTidy();
    });

    it('refuses a file whose access control list cannot be kept, and names it', async () => {
      for (const name of ['a', 'b']) folder().write(name, 'old');
      const disk: Disk = {
        ...nodeDisk,
        copy: (names) =>
          Promise.reject(
            new AttributesLostError(`cp: setting attribute 'user.x' for '${names[1]}': Operation not supported`),
          ),
      };
      const outcome = await changeFunctions(disk).write([change('a'), change('b')]);
      assert.ok('problems' in outcome);
      assert.equal(outcome.problems[0].path, folder().at('b'));
      assert.match(
        outcome.problems[0].reason,
        /^cannot be copied with its access control list and extended attributes \(cp: setting attribute 'user\.x' for '.*\/b': Operation not supported\)$/,
      );
      assert.deepEqual([folder().text('a'), folder().text('b')], ['old', 'old']);
      assertTidy();
    });

    it('finds out that a file changes while it is prepared, or between two others', async () => {
      const steps: readonly (keyof Disk)[] = ['copy', 'rename', 'sync'];
      for (const step of steps) {
        for (const name of ['a', 'b', 'c']) folder().write(name, 'old');
        const disk: Disk = { ...nodeDisk };
        disk[step] = (async (...args: never[]) => {
          const result = await (nodeDisk[step] as (...all: never[]) => Promise<unknown>)(...args);
          folder().write('c', 'mine');
          return result;
        }) as never;
        const outcome = await changeFunctions(disk).write([change('a'), change('b'), change('c')]);
        assert.deepEqual(outcome, { problems: [{ path: folder().at('c'), reason: CHANGED }], refused: [] });
        assert.deepEqual([folder().text('a'), folder().text('b'), folder().text('c')], ['old', 'old', 'mine'], step);
        assertTidy();
      }
    });

    it('writes nothing where a file has changed that stays as it is', async () => {
      for (const name of ['a', 'b']) folder().write(name, 'old');
      const basis = new Map([[folder().at('b'), digest(Buffer.from('old'))]]);
      assert.ok('id' in (await changeFunctions().write([change('a', 'old', 'new')], { expectedDigests: basis })));
      for (const replace of [() => folder().write('b', 'mine'), () => rmSync(folder().at('b'))]) {
        replace();
        assert.deepEqual(await changeFunctions().write([change('a', 'new', 'newer')], { expectedDigests: basis }), {
          problems: [{ path: folder().at('b'), reason: CHANGED }],
          refused: [],
        });
        assert.equal(folder().text('a'), 'new');
        assertTidy();
      }
    });

    it('does not write where another file, or a link, has taken the place of one', async () => {
      for (const [title, replace] of [
        ['a link', () => (renameSync(folder().at('b'), folder().at('c')), symlinkSync('c', folder().at('b')))],
        ['a second name', () => linkSync(folder().at('b'), folder().at('c'))],
      ] as const) {
        for (const name of ['a', 'b', 'c']) rmSync(folder().at(name), { force: true });
        for (const name of ['a', 'b']) folder().write(name, 'old');
        let isDone = false;
        const disk: Disk = {
          ...nodeDisk,
          async rename(from, to) {
            await nodeDisk.rename(from, to);
            if (isDone || !to.endsWith('is-writing')) return;
            isDone = true;
            replace();
          },
        };
        assert.deepEqual(
          await changeFunctions(disk).write([change('a'), change('b')]),
          { problems: [{ path: folder().at('b'), reason: CHANGED }], refused: [] },
          title,
        );
        assert.deepEqual([folder().text('a'), folder().text('b')], ['old', 'old'], title);
      }
    });

    it('is completed, or taken back, with files that somebody changed after it was cut off', async () => {
      const cases: [title: string, changed: string, expected: readonly string[]][] = [
        ['a file that had its new content', 'a', ['mine', 'new', 'new', 'new']],
        ['a file that had not', 'c', ['old', 'old', 'mine', 'old']],
      ];
      for (const [title, changed, expected] of cases) {
        for (const name of ['a', 'b', 'c', 'd']) folder().write(name, 'old');
        let count = 0;
        const disk: Disk = {
          ...nodeDisk,
          rename: (from, to) =>
            path.dirname(to) === folder().path && ++count > 2
              ? new Promise(() => undefined)
              : nodeDisk.rename(from, to),
        };
        // In a module of its own, whose turn never ends: an interrupted change does not block
        // others.
        const cut = (await freshModule()).changeFunctions(disk).write(['a', 'b', 'c', 'd'].map((name) => change(name)));
        while (count < 3) await Promise.race([cut, new Promise((resolve) => setTimeout(resolve, 5))]);
        assert.equal((await changeFunctions().unfinishedChanges()).length, 1, title);
        folder().write(changed, 'mine');
        const recovered = await changeFunctions().recover();
        assert.deepEqual(
          [recovered.completed.length, recovered.rolledBack.length, recovered.problems],
          changed === 'a' ? [1, 0, []] : [0, 1, []],
          title,
        );
        assert.deepEqual(
          ['a', 'b', 'c', 'd'].map((name) => folder().text(name)),
          expected,
          title,
        );
        assertTidy();
      }
    });

    it('waits for nobody who is dead, and not for long for somebody who writes', async () => {
      folder().write('a', 'old');
      const other = spawn('sleep', ['60']);
      try {
        const stat = readFileSync(`/proc/${other.pid}/stat`, 'latin1')
          .replace(/^.*\) /s, '')
          .split(' ');
        const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8);
        await changeFunctions().write([]);
        const lock = path.join(state(), 'locks', `${other.pid}-${stat[19]}-${boot}`);
        writeFileSync(lock, '');
        for (const busy of [await changeFunctions().write([change('a')]), await changeFunctions().recover()]) {
          assert.deepEqual('problems' in busy && busy.problems, [
            {
              path: '',
              reason: `another run of httpd-upgrade is writing (process ${other.pid}); try again when it has ended`,
            },
          ]);
        }
        assert.deepEqual([folder().text('a'), existsSync(lock)], ['old', true]);
        writeFileSync(path.join(state(), 'locks', `${other.pid}-1-${boot}`), '');
        other.kill('SIGKILL');
        await new Promise((resolve) => other.once('exit', resolve));
        assert.ok('id' in (await changeFunctions().write([change('a')])));
        assertTidy();
      } finally {
        other.kill('SIGKILL');
      }
    });

    it('keeps the last twenty changes to be undone', async () => {
      folder().write('a', '0');
      const fast: Disk = { ...nodeDisk, sync: () => Promise.resolve(), copy: () => Promise.resolve(false) };
      for (let round = 0; round < 25; round++)
        assert.ok('id' in (await changeFunctions(fast).write([change('a', String(round), String(round + 1))])));
      const past = (await changeFunctions().list()).filter(({ files }) => files[0] === folder().at('a'));
      assert.equal(past.length, 20);
      for (let round = 25; round > 5; round--) assert.ok((await changeFunctions(fast).undo()).undone);
      assert.equal(folder().text('a'), '5');
    });
  }),
);

describe(
  'undo of a change',
  withFolder((folder) => {
    const change = (name: string, before = 'old', after = 'new'): Change => ({
      path: folder().at(name),
      before: bytes(before),
      after: bytes(after),
    });

    it('brings back contents, and times', async () => {
      folder().write('a', Buffer.from([0xff, 13, 10, 0]));
      utimesSync(folder().at('a'), 1_500_000_000, 1_500_000_000);
      chmodSync(folder().at('a'), 0o604);
      const outcome = await changeFunctions().write([
        { path: folder().at('a'), before: folder().bytes('a'), after: bytes('new') },
      ]);
      assert.ok('id' in outcome);
      assert.ok(statSync(folder().at('a')).mtimeMs > 1_600_000_000_000);
      const { undone } = await changeFunctions().undo();
      assert.deepEqual([undone?.id, undone?.files], [outcome.id, [folder().at('a')]]);
      const info = lstatSync(folder().at('a'));
      assert.deepEqual(
        [[...folder().bytes('a')], info.mtimeMs, info.mode & 0o7777],
        [[0xff, 13, 10, 0], 1_500_000_000_000, 0o604],
      );
      assert.deepEqual(await changeFunctions().list(), []);
      assert.deepEqual((await changeFunctions().undo()).undone, null);
    });

    it('brings back times before 1970', async () => {
      folder().write('a', 'old');
      const long = new Date('1901-12-14T00:00:00.500Z');
      utimesSync(folder().at('a'), long, long);
      const { mtimeMs } = statSync(folder().at('a'));
      assert.ok(mtimeMs < 0);
      for (const copies of [nodeDisk.copy, () => Promise.resolve(false)]) {
        const disk: Disk = { ...nodeDisk, copy: copies };
        assert.ok('id' in (await changeFunctions(disk).write([change('a')])));
        assert.ok((await changeFunctions(disk).undo()).undone);
        assert.equal(statSync(folder().at('a')).mtimeMs, mtimeMs);
      }
    });

    it('changes nothing where one of the files was changed since, is gone, or cannot be written', async function () {
      for (const name of ['a', 'b']) folder().write(name, 'old');
      const outcome = await changeFunctions().write([change('a'), change('b')]);
      assert.ok('id' in outcome);
      const cases: [spoil: () => void, reason: RegExp][] = [
        [() => folder().write('b', 'mine'), /^has been changed since$/],
        [() => folder().write('b', 'old'), /^has been changed since$/],
        [() => unlinkSync(folder().at('b')), /^does not exist$/],
        [() => (folder().write('c', 'new'), symlinkSync('c', folder().at('b'))), /^has been changed since$/],
        [() => (unlinkSync(folder().at('b')), linkSync(folder().at('c'), folder().at('b'))), /hard links/],
      ];
      for (const [spoil, reason] of cases) {
        spoil();
        const { undone, problems } = await changeFunctions().undo();
        assert.equal(undone, null);
        assert.equal(problems[0].path, folder().at('b'));
        assert.match(problems[0].reason, reason);
        assert.equal(folder().text('a'), 'new');
      }
      rmSync(folder().at('b'));
      rmSync(folder().at('c'));
      folder().write('b', 'new');
      assert.ok((await changeFunctions().undo(outcome.id)).undone);
      assert.deepEqual([folder().text('a'), folder().text('b')], ['old', 'old']);
    });

    it('takes the changes in any order that the files allow', async () => {
      for (const name of ['a', 'b']) folder().write(name, '0');
      const ids: string[] = [];
      for (const [name, before, after] of [
        ['a', '0', '1'],
        ['b', '0', '1'],
        ['a', '1', '2'],
      ]) {
        const outcome = await changeFunctions().write([change(name, before, after)]);
        assert.ok('id' in outcome);
        ids.push(outcome.id);
      }
      assert.deepEqual((await changeFunctions().undo(ids[0])).problems, [
        { path: folder().at('a'), reason: 'has been changed since' },
      ]);
      assert.ok((await changeFunctions().undo(ids[1])).undone);
      assert.ok((await changeFunctions().undo()).undone);
      assert.ok((await changeFunctions().undo()).undone);
      assert.deepEqual([folder().text('a'), folder().text('b')], ['0', '0']);
      assert.deepEqual((await changeFunctions().undo('20200101-000000')).problems, [
        { path: '', reason: 'there is no change "20200101-000000" to undo' },
      ]);
    });
  }),
);

describe(
  'the place of the journal',
  withFolder((folder) => {
    it('is the state directory of the user, apart from all configuration', () => {
      assert.equal(stateHomes({ XDG_STATE_HOME: '/x' })[0], '/x/httpd-upgrade');
      assert.deepEqual(stateHomes({ XDG_STATE_HOME: '/x', HTTPD_UPGRADE_STATE: '/y' }), ['/y/httpd-upgrade']);
      const [own, spare] = stateHomes({ XDG_STATE_HOME: 'relative' });
      assert.match(own, /^(\/var\/lib|.*\/\.local\/state)\/httpd-upgrade$/);
      assert.match(spare, /^\/var\/tmp\/httpd-upgrade-\d+$/);
    });

    it("is not taken where others may write, or where it is somebody else's", async function () {
      needsRoot(this);
      folder().write('a', 'old');
      const write = (...homes: string[]) =>
        changeFunctions(nodeDisk, () => homes).write([
          { path: folder().at('a'), before: bytes('old'), after: bytes('old') },
        ]);
      mkdirSync(folder().at('open'));
      chmodSync(folder().at('open'), 0o777);
      mkdirSync(folder().at('theirs'));
      chownSync(folder().at('theirs'), OTHER_USER, OTHER_USER);
      symlinkSync('theirs', folder().at('link'));
      for (const home of ['open', 'theirs', 'link']) {
        const outcome = await write(folder().at(home));
        assert.ok('problems' in outcome);
        assert.match(
          outcome.problems[0].reason,
          /^the old files cannot be kept for undo: none of .* is a directory that only you can write to; set XDG_STATE_HOME$/,
        );
        assert.deepEqual(readdirSync(folder().at(home)), []);
      }
      assert.ok('id' in (await write(folder().at('open'), folder().at('own'))));
      assert.equal(statSync(folder().at('own')).mode & 0o7777, 0o700);
    });
  }),
);

// ---------------------------------------------------------------------------------------------------------------------

async function freshModule(): Promise<typeof import('../../server/src/host/change')> {
  const file = require.resolve('../../server/src/host/change');
  const known = require.cache[file];
  delete require.cache[file];
  const fresh = (await import('../../server/src/host/change')) as typeof import('../../server/src/host/change');
  require.cache[file] = known;
  return fresh;
}

async function mounted(place: string, words: readonly string[], body: () => Promise<void>): Promise<void> {
  if (!existsSync(place)) mkdirSync(place, { recursive: true });
  const { status, stderr } = spawnSync('mount', [...words, place], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  try {
    await body();
  } finally {
    assert.equal(spawnSync('umount', [place]).status, 0);
  }
}

/** The extended attributes of a file, after what is to be done to it. */
function attributes(file: string, first = ''): string {
  const { status, stdout, stderr } = spawnSync(
    'python3',
    [
      '-c',
      `import os, struct, sys\nf = sys.argv[1]\n${first}\nprint([(n, os.getxattr(f, n)) for n in sorted(os.listxattr(f))])`,
      file,
    ],
    { encoding: 'utf8' },
  );
  assert.equal(status, 0, stderr);
  return stdout;
}
