/**
 * package-path on a real httpd: a root directory with the modules where FreeBSD's package of 2.4
 * has them.
 */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { Chroot } from '../support/chroot';
import { fixedFiles } from '../support/configurations';
import { lacks } from '../support/lacks';
import { requireHttpd } from './harness';

const MAIN = '/usr/local/etc/apache24/httpd.conf';
const MODULES = ['mpm_event', 'authz_core', 'alias'];

describe('package-path on a real httpd', function () {
  this.timeout(60_000);
  let chroot: Chroot | null = null;
  before(async function () {
    requireHttpd(this);
    chroot = await Chroot.open();
    if (!chroot) lacks(this, 'a root directory of its own needs root, unshare, nsenter and overlays');
  });
  after(() => chroot?.close());

  it('FreeBSD: the modules of 2.2 are not there, those of 2.4 are', function () {
    const { binary, modulesDir } = requireHttpd(this);
    const inside = chroot!;
    mkdirSync(inside.at('/usr/local/libexec/apache24'), { recursive: true });
    mkdirSync(inside.at('/usr/local/etc/apache24'), { recursive: true });
    for (const name of MODULES)
      cpSync(`${modulesDir}/mod_${name}.so`, inside.at(`/usr/local/libexec/apache24/mod_${name}.so`));
    const check = (text: string) => {
      writeFileSync(inside.at(MAIN), text);
      return inside.run(binary, ['-t', '-f', MAIN]).err;
    };
    const before = `ServerRoot "/usr/local"\nServerName localhost\nListen 8099\nErrorLog /tmp/e\nDefaultRuntimeDir /tmp\nPidFile /tmp/p\n${MODULES.map((name) => `LoadModule ${name}_module libexec/apache22/mod_${name}.so\n`).join('')}Alias /icons/ "/usr/local/www/apache22/icons/"\n`;
    assert.match(check(before), /Cannot load libexec\/apache22\/mod_mpm_event\.so into server/);
    const after = fixedFiles({ [MAIN]: before }, { rule: 'package-path' })[MAIN];
    assert.equal(after, before.replaceAll('libexec/apache22', 'libexec/apache24'));
    assert.match(check(after), /Syntax OK/);
  });
});
