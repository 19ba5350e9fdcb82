/** Options of httpd and names of its `-D`: all that `explain` knows exist in a real server. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { explanationOfCommand, TEXT_BY_DEFINED_NAME, TEXT_BY_OPTION } from '../../server/src/directives/command-line';
import { requireHttpd, type Httpd } from '../httpd/harness';

describe('the command line of httpd', () => {
  let httpd: Httpd;
  before(function () {
    httpd = requireHttpd(this);
  });

  it('has each option', () => {
    const { stdout, stderr } = spawnSync(httpd.binary, ['-h'], { encoding: 'utf8' });
    const usage = stdout + stderr;
    for (const option of Object.keys(TEXT_BY_OPTION)) assert.match(usage, new RegExp(`[ []${option}\\b`), option);
  });

  it('has each name', () => {
    const files = readdirSync(httpd.modulesDir)
      .filter((file) => file.startsWith('mod_mpm'))
      .map((file) => path.join(httpd.modulesDir, file));
    const binaries = [httpd.binary, ...files].map((file) => readFileSync(file, 'latin1')).join('\n');
    for (const name of Object.keys(TEXT_BY_DEFINED_NAME)) assert.ok(binaries.includes(name), name);
  });

  it('is read with the program, its path and a prompt before it', () => {
    const table: Record<string, string> = {
      '-DSSL': '-D SSL',
      '$ sudo /usr/sbin/httpd -D DUMP_MODULES': '-D DUMP_MODULES',
      'apache2ctl -t -D DUMP_VHOSTS': '-D DUMP_VHOSTS',
      'httpd -t -f /etc/httpd/conf/httpd.conf': 'httpd -t',
      'service apache2 restart': 'systemctl',
      'a2ensite shop': 'a2enmod, a2ensite, a2enconf',
    };
    for (const [term, title] of Object.entries(table)) assert.equal(explanationOfCommand(term)?.title, title, term);
    for (const term of ['-ge', 'Listen 80', '-D', 'httpd', 'httpd -Q'])
      assert.equal(explanationOfCommand(term), undefined, term);
  });
});
