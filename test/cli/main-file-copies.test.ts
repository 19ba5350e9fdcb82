/** Copies of a main file beside it: `check`, `plan` and `fix` of their directory. */
import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { withFolder } from './run';

const MAIN = 'ServerRoot /etc/apache2\nPidFile run/pid\nListen 80\nMaxClients 150\nInclude sites/a.conf\n';

describe(
  'copies of a main file',
  withFolder((folder) => {
    const rootsOf = async (...paths: string[]) => {
      const { out, err } = await folder().run(['plan', '--format', 'json', ...paths]);
      const { configurations } = JSON.parse(out) as { configurations: { root: string }[] };
      return { roots: configurations.map(({ root }) => root), err };
    };
    const writeBoth = (copy = MAIN) => {
      folder().write('d/apache2.conf', MAIN);
      folder().write('d/apache2-off.conf', copy);
      folder().write('d/sites/a.conf', 'MaxClients 100\n');
    };
    const NOTE = /apache2-off\.conf has the same text as .*apache2\.conf and counts once: /;

    it('is one configuration, and a note names the copy', async () => {
      writeBoth();
      const { roots, err } = await rootsOf('d');
      assert.deepEqual(roots, ['d/apache2.conf']);
      assert.match(err, NOTE);
      const { out, err: errOfCheck } = await folder().run(['check', 'd']);
      assert.doesNotMatch(out, /off/);
      assert.match(errOfCheck, NOTE);
    });

    it('is named at the start of the plan of its main file, with the command for both', async () => {
      writeBoth();
      const { out } = await folder().run(['plan', 'd/apache2.conf']);
      assert.match(out, /^2 main configuration files here can read the same files\.\sd\/apache2-off\.conf is\snot\s/);
      assert.match(out, /\n {2}httpd-upgrade plan d\n/);
      assert.doesNotMatch(out, /is a main file, too/);
      const { err } = await folder().run(['migrate', 'd/apache2.conf']);
      assert.match(err, /2 main configuration files .*: httpd-upgrade migrate d\n/);
    });

    it('is two configurations if one byte differs, or if the user names the copy', async () => {
      writeBoth(MAIN.replace('150', '151'));
      assert.deepEqual(await rootsOf('d'), { roots: ['d/apache2-off.conf', 'd/apache2.conf'], err: '' });
      writeBoth();
      assert.deepEqual(await rootsOf('d/apache2-off.conf'), { roots: ['d/apache2-off.conf'], err: '' });
    });

    it('gets the same changes, which undo takes back', async () => {
      writeBoth();
      const fixed = MAIN.replace('MaxClients', 'MaxRequestWorkers');
      const { out: diff } = await folder().run(['fix', '--diff', 'd']);
      assert.equal(diff.match(/^\+MaxRequestWorkers 150$/gm)?.length, 2);
      const { out, err } = await folder().run(['fix', '--write', 'd']);
      assert.match(err, NOTE);
      assert.match(out, /^d\/apache2-off\.conf: the same changes as its main file$/m);
      for (const name of ['apache2', 'apache2-off']) assert.equal(folder().text(`d/${name}.conf`), fixed);
      assert.deepEqual((await rootsOf('d')).roots, ['d/apache2.conf']);
      await folder().run(['undo']);
      for (const name of ['apache2', 'apache2-off']) assert.equal(folder().text(`d/${name}.conf`), MAIN);
    });

    it('gets the same changes of parts that no server reads, too', async () => {
      const off = '#<Directory /x>\n#Order allow,deny\n#Deny from all\n#</Directory>\n';
      folder().write('d/apache2.conf', MAIN + off);
      folder().write('d/apache2-off.conf', MAIN + off);
      folder().write('d/sites/a.conf', 'Listen 81\n');
      await folder().run(['fix', '--write', '--dormant', 'd']);
      assert.match(folder().text('d/apache2.conf'), /^MaxClients [^]*^#Require all denied/m);
      assert.equal(folder().text('d/apache2-off.conf'), folder().text('d/apache2.conf'));
    });

    it('changes no backup, and no file that the project file calls unused', async () => {
      writeBoth();
      folder().write('d/.httpd-upgrade.json', '{ "unused": ["apache2-off.conf"] }');
      for (const name of ['apache2.conf.bak', 'apache2.conf.orig', 'apache2.conf-2019', 'notes.txt'])
        folder().write(`d/${name}`, MAIN);
      const { err } = await folder().run(['fix', '--write', 'd']);
      assert.doesNotMatch(err, /counts once/);
      assert.notEqual(folder().text('d/apache2.conf'), MAIN);
      for (const name of [
        'apache2.conf.bak',
        'apache2.conf.orig',
        'apache2.conf-2019',
        'notes.txt',
        'apache2-off.conf',
      ])
        assert.equal(folder().text(`d/${name}`), MAIN, name);
    });

    it('leaves links and empty files alone', async () => {
      folder().write('d/apache2.conf', '');
      folder().write('d/empty.conf', '');
      folder().write('d/x/apache2-off.conf', MAIN);
      symlinkSync('apache2-off.conf', folder().at('d/x/apache2.conf'));
      const { err } = await rootsOf('d');
      assert.doesNotMatch(err, /counts once/);
    });
  }),
);
