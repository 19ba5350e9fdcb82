/** `fix --write` as one change, and `undo`, as processes. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { Folder, needsRoot, OTHER_USER, withFolder } from './run';

const MAIN =
  'ServerRoot "."\nPidFile run/httpd.pid\nMaxClients 1\nInclude conf.d/*.conf\n<Directory />\nAllowOverride None\nOrder deny,allow\nDeny from all\n</Directory>\n';
const PART = '<Directory /srv>\nAllowOverride None\nOrder allow,deny\nAllow from all\n</Directory>\n';

describe(
  'fix --write of several files',
  withFolder((folder) => {
    const state = new Folder();
    const env = { HTTPD_UPGRADE_STATE: state.path };
    after(() => state.remove());
    const run = (...args: string[]) => folder().run(args, { env });

    it('is one change, which undo takes back', async () => {
      const latin1 = Buffer.from('# \xe4\r\nMaxClients 3', 'latin1');
      folder().write('conf/a.conf', '# a\nMaxClients 1\n');
      folder().write('conf/c.conf', latin1);
      mkdirSync(folder().at('enabled'));
      symlinkSync('../conf/a.conf', folder().at('enabled/a.conf'));
      assert.equal((await run('undo', '--list')).out, 'There is nothing to undo.\n');
      assert.match(
        (await run('fix', '--write', 'conf/a.conf', 'enabled/a.conf', 'conf/c.conf')).err,
        /^Wrote 2 fixes in 2 files\. /,
      );
      assert.equal(folder().text('conf/a.conf'), '# a\nMaxRequestWorkers 1\n');
      const listed = await run('undo', '--list');
      assert.match(listed.out, /^\d{8}-\d{6}  \d{4}-\d\d-\d\d \d\d:\d\d:\d\d  conf\/a\.conf and 1 other file\n$/);
      const { code, out, err } = await run('undo');
      assert.deepEqual([code, err], [0, '']);
      assert.match(
        out,
        /^conf\/a\.conf\nconf\/c\.conf\nRestored 2 files from before the change of \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\n$/,
      );
      assert.deepEqual(
        [folder().text('conf/a.conf'), folder().bytes('conf/c.conf'), readlinkSync(folder().at('enabled/a.conf'))],
        ['# a\nMaxClients 1\n', latin1, '../conf/a.conf'],
      );
      assert.deepEqual(readdirSync(folder().path, { recursive: true }).sort(), [
        'conf',
        'conf/a.conf',
        'conf/c.conf',
        'enabled',
        'enabled/a.conf',
      ]);
      assert.deepEqual((await run('undo')).out, 'There is nothing to undo.\n');
    });

    it('is not undone where a file has changed since', async () => {
      for (const name of ['a.conf', 'b.conf']) folder().write(name, 'MaxClients 1\n');
      await run('fix', '--write', 'a.conf', 'b.conf');
      const id = (await run('undo', '--list')).out.split(' ')[0];
      folder().write('b.conf', 'MaxRequestWorkers 7\n');
      for (const args of [['undo'], ['undo', id]]) {
        const { code, out, err } = await run(...args);
        assert.deepEqual(
          [code, out, err],
          [
            2,
            '',
            `httpd-upgrade: ${folder().at('b.conf')}: has been changed since\nhttpd-upgrade: nothing is undone: all files must be as the change left them. "httpd-upgrade undo --list" lists other changes\n`,
          ],
        );
      }
      assert.deepEqual(
        [folder().text('a.conf'), folder().text('b.conf')],
        ['MaxRequestWorkers 1\n', 'MaxRequestWorkers 7\n'],
      );
      folder().write('b.conf', 'MaxRequestWorkers 1\n');
      assert.equal((await run('undo', id)).code, 0);
      assert.equal(folder().text('b.conf'), 'MaxClients 1\n');
    });

    it('is undone from a directory above it; a change of files elsewhere only by its ID', async () => {
      for (const name of ['one/a.conf', 'two/a.conf']) folder().write(name, 'MaxClients 1\n');
      for (const name of ['one', 'two']) await run('fix', '--write', `${name}/a.conf`);
      await folder().run(['undo'], { env, cwd: folder().at('one') });
      assert.deepEqual(
        [folder().text('one/a.conf'), folder().text('two/a.conf')],
        ['MaxClients 1\n', 'MaxRequestWorkers 1\n'],
      );
      const { code, err } = await folder().run(['undo'], { env, cwd: folder().at('one') });
      assert.deepEqual([code, folder().text('two/a.conf')], [2, 'MaxRequestWorkers 1\n']);
      const [, id] = /two\/a\.conf \(ID (\S+)\)\n$/.exec(err) ?? [];
      assert.ok(id, err);
      assert.equal((await folder().run(['undo', id], { env, cwd: folder().at('one') })).code, 0);
      assert.equal(folder().text('two/a.conf'), 'MaxClients 1\n');
    });

    it('says what it takes', async () => {
      for (const [args, message] of [
        [['undo', 'a', 'b'], "too many arguments for 'undo'. Expected 1 argument but got 2"],
        [['undo', '--list', 'a'], '--list and an ID do not work together: use one of them'],
        [['undo', 'nonsense'], 'there is no change "nonsense" to undo'],
      ] as const) {
        const { code, err } = await run(...args);
        assert.deepEqual([code, err.split('\n')[0]], [2, `httpd-upgrade: ${message}`]);
        assert.doesNotMatch(err, /as the change left them/);
      }
    });

    it('writes nothing of a plan that needs a file that cannot be written, and says which', async () => {
      folder().write('httpd.conf', MAIN.replace('"."', `"${folder().path}"`));
      folder().write('conf.d/part.conf', PART);
      linkSync(folder().at('conf.d/part.conf'), folder().at('second-name'));
      const { code, err } = await run('fix', '--write', '--assume-standalone', '--unsafe', 'httpd.conf');
      assert.equal(code, 2);
      assert.match(
        err,
        /conf\.d\/part\.conf: has 2 names \(hard links\), and writing it would separate them; not written\n/,
      );
      assert.equal(folder().text('conf.d/part.conf'), PART);
      assert.ok(folder().text('httpd.conf').includes('Order deny,allow\nDeny from all'), folder().text('httpd.conf'));
      assert.ok(folder().text('httpd.conf').includes('MaxRequestWorkers 1'), 'what stands by itself is fixed');
    });

    it('writes nothing through a link that leads out of the directory that was given', async () => {
      folder().write('tree/a.conf', '<VirtualHost *:80>\nMaxClients 1\n</VirtualHost>\n');
      folder().write('elsewhere/b.conf', '<VirtualHost *:80>\nMaxClients 1\n</VirtualHost>\n');
      symlinkSync('../elsewhere/b.conf', folder().at('tree/b.conf'));
      const { code, err } = await run('fix', '--write', '--unsafe', 'tree');
      assert.equal(code, 2);
      assert.match(
        err,
        /^httpd-upgrade: tree\/b\.conf: leads to .*\/elsewhere\/b\.conf, which is not among what was given; not written\. To change it, add this path to the command\.\n/,
      );
      assert.ok(folder().text('elsewhere/b.conf').includes('MaxClients'));
      assert.ok(!folder().text('tree/a.conf').includes('MaxClients'));
    });

    it('refuses a read-only file, unless root runs it', async function () {
      needsRoot(this);
      folder().write('a.conf', 'MaxClients 1\n');
      chmodSync(folder().at('a.conf'), 0o444);
      chownSync(folder().at('a.conf'), OTHER_USER, OTHER_USER);
      chmodSync(folder().path, 0o777);
      const { code, err } = await folder().run(['fix', '--write', 'a.conf'], { uid: OTHER_USER });
      assert.equal(code, 2);
      assert.match(err, /^httpd-upgrade: a\.conf: is read-only; not written\n/);
      assert.equal(folder().text('a.conf'), 'MaxClients 1\n');
      chmodSync(folder().at('a.conf'), 0o644);
      const again = await folder().run(['fix', '--write', 'a.conf'], { uid: OTHER_USER });
      assert.deepEqual([again.code, folder().text('a.conf')], [0, 'MaxRequestWorkers 1\n'], again.err);
      assert.equal((await folder().run(['undo'], { uid: OTHER_USER })).code, 0);
      assert.equal(folder().text('a.conf'), 'MaxClients 1\n');
    });

    it('warns of an interrupted change where its files are looked at, once its process has ended', async () => {
      for (const name of ['one/conf/httpd.conf', 'one/extra/a.conf', 'two/httpd.conf'])
        folder().write(name, 'ServerName a\n');
      const record = folder().at('state/httpd-upgrade/changes/20260101-000000');
      const locks = folder().at('state/httpd-upgrade/locks');
      for (const each of [record, locks]) mkdirSync(each, { recursive: true, mode: 0o700 });
      const entry = {
        path: folder().at('one/extra/a.conf'),
        before: '',
        after: '',
        mtimeMs: null,
        oldMtimeMs: 0,
        staging: record,
      };
      const journal = { version: 1, id: '20260101-000000', at: 1, undoes: null, files: [entry] };
      writeFileSync(`${record}/journal.json`, JSON.stringify(journal));
      writeFileSync(`${record}/is-writing`, '');
      const env = { HTTPD_UPGRADE_STATE: folder().at('state') };
      const warns = async (...paths: string[]) => {
        const { err } = await folder().run(['check', ...paths], { env });
        return err.includes('was interrupted');
      };
      for (const each of ['one', 'one/conf/httpd.conf', 'one/extra/a.conf', '.']) assert.ok(await warns(each), each);
      for (const each of ['two', 'two/httpd.conf']) assert.ok(!(await warns(each)), each);
      const other = spawn('sleep', ['60']);
      try {
        const stat = readFileSync(`/proc/${other.pid}/stat`, 'latin1')
          .replace(/^.*\) /s, '')
          .split(' ');
        const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8);
        writeFileSync(`${locks}/${other.pid}-${stat[19]}-${boot}`, '');
        assert.ok(!(await warns('one')), 'a process writes');
      } finally {
        other.kill('SIGKILL');
      }
      await new Promise((resolve) => other.once('exit', resolve));
      assert.ok(await warns('one'), 'the process has ended');
    });

    it('writes nothing while an interrupted change cannot be settled', async () => {
      folder().write('a.conf', 'MaxClients 1\n');
      const record = path.join('httpd-upgrade', 'changes', '20200101-000000');
      for (const [name, text] of [
        ['journal.json', '{'],
        ['is-writing', ''],
      ])
        state.write(path.join(record, name), text);
      for (const place of ['httpd-upgrade', 'httpd-upgrade/changes', record]) chmodSync(state.at(place), 0o700);
      try {
        const { code, err } = await run('fix', '--write', 'a.conf');
        assert.equal(code, 2);
        assert.match(
          err,
          /^httpd-upgrade: .*\/20200101-000000: an interrupted change cannot be completed .* journal is damaged; compare/,
        );
        assert.equal(folder().text('a.conf'), 'MaxClients 1\n');
      } finally {
        rmSync(state.at('httpd-upgrade'), { recursive: true });
      }
    });
  }),
);
