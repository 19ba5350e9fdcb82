/** The record of configurations that fixes have begun to convert, and when it is ignored. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { convertedDirectoryTest, rememberConverted, stateHomes } from '../../server/src/host/change-home';
import { forgetChanges } from '../support/state';

const FIXED = 'ServerRoot /etc/httpd\n<Directory />\n    Require all denied\n</Directory>\n';

describe('configurations that fixes have begun to convert', () => {
  let folder: string;
  const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);

  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'httpd-upgrade-test-'));
    mkdirSync(stateHomes()[0]!, { recursive: true, mode: 0o700 });
    write('httpd.conf', FIXED);
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
    forgetChanges();
  });
  const remembered = () => {
    rememberConverted({ converted: [folder] });
    assert.equal(convertedDirectoryTest()(folder), true);
  };

  it('are remembered, whatever a user changes that 2.2 knows', () => {
    assert.equal(convertedDirectoryTest()(folder), false);
    remembered();
    write('httpd.conf', `ServerName a\n${FIXED}MaxClients 5\nOrder deny,allow\n`);
    assert.equal(convertedDirectoryTest()(folder), true);
  });

  it('are remembered, if LoadModule lines beside those of modules that 2.2 can have go', () => {
    const kept = 'LoadModule speling_module a.so\n';
    const php = 'LoadModule php5_module libphp5.so\n';
    write('httpd.conf', `LoadModule dir_module a.so\n${kept}LoadModule unixd_module a.so\n${php}${FIXED}`);
    remembered();
    write('httpd.conf', kept + php + FIXED);
    assert.equal(convertedDirectoryTest()(folder), true);
  });

  it('are not, once another line may tell of 2.4', () => {
    for (const line of [
      'Require local',
      'LoadModule unixd_module a.so',
      '<RequireAny>',
      'IncludeOptional x',
      'Mutex file',
    ]) {
      write('httpd.conf', FIXED);
      remembered();
      write('httpd.conf', `${FIXED}${line}\n`);
      assert.equal(convertedDirectoryTest()(folder), false, line);
      // What a fix writes then is added.
      remembered();
    }
  });

  it('are not, if the same line stands elsewhere, or in another file', () => {
    remembered();
    write('httpd.conf', FIXED.replace('<Directory />', '<Directory /srv>'));
    assert.equal(convertedDirectoryTest()(folder), false);
    write('httpd.conf', FIXED);
    assert.equal(convertedDirectoryTest()(folder), true);
    write('other.conf', FIXED);
    assert.equal(convertedDirectoryTest()(folder), false);
  });

  it('are not, if a link leads to a file with such a line', () => {
    remembered();
    const elsewhere = path.join(folder, 'below');
    mkdirSync(elsewhere);
    writeFileSync(path.join(elsewhere, 'site'), FIXED);
    symlinkSync('below/nothing', path.join(folder, 'broken.conf'));
    assert.equal(convertedDirectoryTest()(folder), true);
    symlinkSync('below/site', path.join(folder, 'site.conf'));
    assert.equal(convertedDirectoryTest()(folder), false);
  });

  it('go by the text that an editor has not saved yet', () => {
    write('httpd.conf', 'ServerRoot /etc/httpd\n<Directory />\n    Deny from all\n</Directory>\n');
    rememberConverted({ converted: [folder] }, new Map([[path.join(folder, 'httpd.conf'), FIXED]]));
    assert.equal(convertedDirectoryTest()(folder), true);
    write('httpd.conf', FIXED);
    assert.equal(convertedDirectoryTest()(folder), true);
  });

  it('stand in one record, however many directories a run has written to', () => {
    const directories = ['conf', 'sites', 'www/one', 'www/two'].map((name) => path.join(folder, name));
    for (const each of directories) {
      mkdirSync(each, { recursive: true });
      writeFileSync(path.join(each, 'a.conf'), FIXED);
    }
    const records = () => readdirSync(path.join(stateHomes()[0]!, 'converted')).length;
    const found = () => directories.map((each) => convertedDirectoryTest()(each));
    rememberConverted({ converted: directories });
    assert.equal(records(), 1);
    assert.deepEqual(found(), [true, true, true, true]);
    assert.equal(convertedDirectoryTest()(folder), false, 'the directory around them');
    assert.equal(convertedDirectoryTest('upgraded')(directories[0]!), true, 'also for the steps');
    // A later run writes to one of them again.
    writeFileSync(path.join(directories[3]!, 'a.conf'), `${FIXED}Require local\n`);
    assert.deepEqual(found(), [true, true, true, false]);
    rememberConverted({ converted: [directories[3]!] });
    assert.deepEqual(found(), [true, true, true, true]);
    rememberConverted({ converted: directories, upgraded: directories });
    assert.equal(records(), 2);
    assert.deepEqual(found(), [true, true, true, true]);
    assert.equal(convertedDirectoryTest('upgraded')(directories[0]!), true);
  });

  it('still count for the steps of the upgrade beside a line of 2.4 that the user adds', () => {
    remembered();
    write('httpd.conf', `${FIXED}<IfModule event.c>\n    MaxRequestWorkers 256\n</IfModule>\n`);
    assert.equal(convertedDirectoryTest()(folder), false);
    assert.equal(convertedDirectoryTest('upgraded')(folder), true);
    write('httpd.conf', 'MaxRequestWorkers 256\n');
    assert.equal(convertedDirectoryTest('upgraded')(folder), false, 'nothing of the fixes is left');
  });

  it('are looked at within bounds: no FIFO is opened, and too much is not read', function () {
    if (process.platform === 'win32') return;
    remembered();
    execFileSync('mkfifo', [path.join(folder, 'fifo.conf')]);
    symlinkSync('/dev/zero', path.join(folder, 'zero.conf'));
    assert.equal(convertedDirectoryTest()(folder), true);
    write('large', '');
    truncateSync(path.join(folder, 'large'), 64 * 1024 * 1024);
    assert.equal(convertedDirectoryTest()(folder), false);
  });
});
