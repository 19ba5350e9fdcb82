/**
 * The configuration that 2.4 is shipped with, by Debian and in the sources of httpd: it has no
 * finding above a hint.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { needs, run } from '../cli/run';
import { itOver } from '../support/lacks';
import { corpusFolder } from '../support/paths';

describe('configuration as shipped', function () {
  this.timeout(900_000);
  let folder: string;

  before(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'httpd-upgrade-test-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('by Debian: every file by itself, and as a configuration with all modules, sites and snippets', async function () {
    needs(this, 'apt-get');
    needs(this, 'dpkg-deb');
    const root = debianFiles(folder);
    const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
    const files = names.map((name) => path.join(root, name)).filter((file) => /\.(conf|load)$/.test(file));
    assert.deepEqual(await problemsIn(...files), []);
    for (const kind of ['mods', 'conf', 'sites']) {
      for (const name of readdirSync(path.join(root, `${kind}-available`))) {
        // One MPM and one way to run CGI is enough.
        if (!/^(mpm_(worker|prefork)|cgid)\./.test(name))
          symlinkSync(`../${kind}-available/${name}`, path.join(root, `${kind}-enabled`, name));
      }
    }
    assert.deepEqual(await problemsIn(path.join(root, 'apache2.conf')), []);
  });

  itOver('corpus', 'by httpd itself', async () => {
    const shipped = path.join(corpusFolder, 'apache+httpd/@f45abec1bd/docs/conf');
    const files = ['httpd.conf.in', ...readdirSync(path.join(shipped, 'extra')).map((name) => `extra/${name}`)];
    assert.deepEqual(await problemsIn(...files.map((file) => path.join(shipped, file))), []);
  });
});

/** The files of /etc/apache2 in Debian's package; downloaded, to avoid installing a web server. */
function debianFiles(folder: string): string {
  const download = spawnSync('apt-get', ['download', 'apache2'], { cwd: folder, encoding: 'utf8' });
  const file = readdirSync(folder).find((name) => name.endsWith('.deb'));
  assert.ok(file, download.stderr);
  assert.equal(spawnSync('dpkg-deb', ['-x', file, 'files'], { cwd: folder }).status, 0);
  const root = path.join(folder, 'files/etc/apache2');
  assert.ok(existsSync(path.join(root, 'apache2.conf')));
  return root;
}

/** What is found and more than a hint. */
async function problemsIn(...paths: string[]): Promise<string[]> {
  const { out, err, code } = await run(['check', '--format', 'json', ...paths]);
  assert.notEqual(code, 2, err);
  const { files } = JSON.parse(out) as {
    files: { path: string; findings: { rule: string; severity: string; message: string }[] }[];
  };
  assert.ok(files.length > 5, `${files.length} files`);
  return files.flatMap(({ path, findings }) =>
    findings
      .filter(({ severity }) => severity !== 'hint')
      .map(({ rule, severity, message }) => `${path}: ${severity} ${rule}: ${message}`),
  );
}
