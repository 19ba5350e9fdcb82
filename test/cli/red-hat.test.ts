/** The upgrade of a Red Hat configuration of 2.2: each order of its steps has the same result. */
import assert from 'node:assert/strict';
import type { UpgradePlan } from '../../server/src/analysis/upgrade-plan';
import { withFolder } from './run';

const MAIN = 'etc/httpd/conf/httpd.conf';
const INCLUDE = 'Include conf.modules.d/*.conf\n';
const loads = (...names: string[]) => names.map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`);
const STOCK = loads('auth_basic', 'authz_host', 'dir', 'mime', 'alias', 'ldap', 'speling').join('');
/** Needs mod_unixd, mod_authz_core and an MPM, which 2.2 has compiled in. */
const text = (include: string) =>
  `ServerRoot "/etc/httpd"\nListen 80\nServerName a\n${include}<IfModule prefork.c>\nStartServers 3\nMaxClients 9\n</IfModule>\n${STOCK}User apache\n<Directory />\nOrder deny,allow\nDeny from all\n</Directory>\n`;

describe(
  'a Red Hat configuration',
  withFolder((folder) => {
    const planned = async (...args: string[]) =>
      (JSON.parse((await folder().run(['plan', '--format', 'json', ...args, 'etc/httpd'])).out) as UpgradePlan)
        .configurations[0]!;
    const asked = async (...args: string[]) => (await planned(...args)).questions.map(({ id }) => id);
    const stepOf = async (id: string, ...args: string[]) =>
      (await planned(...args)).onServer.find((step) => step.id === id);
    const ANSWERS = ['--answer', 'mpm=prefork', '--answer', 'defaults=2.4'];

    it('written before the Include: the MPM of the fix gives way to that of the packages', async () => {
      folder().write(MAIN, text(''));
      assert.ok((await asked()).includes('mpm'));
      await folder().run(['fix', '--write', ...ANSWERS, 'etc/httpd']);
      const fixed = folder().text(MAIN);
      const guard =
        '<IfModule !mpm_event_module>\n<IfModule !mpm_worker_module>\n<IfModule !mpm_prefork_module>\nLoadModule mpm_prefork_module modules/mod_mpm_prefork.so\n</IfModule>\n</IfModule>\n</IfModule>\n';
      assert.ok(fixed.includes(`${guard}<IfModule prefork.c>`), fixed);
      assert.equal((await planned(...ANSWERS)).blocking, 0);
      assert.match(
        (await stepOf('package-modules', ...ANSWERS))!.what,
        /write Include conf\.modules\.d\/\*\.conf above/,
      );
      const choose = (await stepOf('choose-mpm', ...ANSWERS))!;
      assert.match(choose.what, /00-mpm\.conf: your answer is prefork\./);
      assert.equal(choose.commands!.length, 1);
      // The fix wrote the answer as a line.
      const later = (await stepOf('choose-mpm'))!;
      assert.match(later.what, /00-mpm\.conf: httpd\.conf loads prefork\./);
      assert.deepEqual(later.commands, choose.commands);

      folder().write(MAIN, fixed.replace(guard, INCLUDE + guard));
      const { what } = (await stepOf('package-modules', ...ANSWERS))!;
      assert.doesNotMatch(what, /write Include/);
      assert.match(
        what,
        /^The files of conf\.modules\.d [^]*Remove all LoadModule lines[^]*speling[^]*package mod_ldap/,
      );

      folder().write(MAIN, fixed.replace(guard, INCLUDE).replace(/LoadModule (?!speling).*\n/g, ''));
      assert.equal(await stepOf('package-modules'), undefined);
      assert.match((await stepOf('choose-mpm', ...ANSWERS))!.what, /00-mpm\.conf: your answer is prefork\./);
      assert.match((await stepOf('choose-mpm'))!.what, /00-mpm\.conf: the one that 2\.2 ran, usually prefork\./);
      assert.deepEqual(await asked('--answer', 'defaults=2.4'), ['defaults']);
      assert.equal((await planned()).blocking, 0);
    });

    it('written with suggestions: the question about defaults stays the same', async () => {
      const defaults = async () =>
        (await planned('--answer', 'mpm=prefork')).questions.find(({ id }) => id === 'defaults')!.title;
      folder().write(MAIN, `${text('')}DefaultType text/plain\n`);
      const before = await defaults();
      await folder().run(['fix', '--write', '--unsafe', ...ANSWERS, 'etc/httpd']);
      assert.doesNotMatch(folder().text(MAIN), /DefaultType/);
      assert.equal(await defaults(), before);
    });

    it('written after the Include: no question about the files of the packages and the MPM', async () => {
      folder().write(MAIN, text(INCLUDE));
      assert.deepEqual(await asked(), ['defaults']);
      await folder().run(['fix', '--write', 'etc/httpd']);
      const fixed = folder().text(MAIN);
      assert.match(fixed, /Require all denied/);
      assert.doesNotMatch(fixed, /mpm_|unixd|authz_core/);
      assert.equal((await planned()).blocking, 0);
    });

    it('a module that the packages do not load is still missing', async () => {
      folder().write(MAIN, `${text(INCLUDE).replace(/LoadModule speling.*\n/, '')}CheckSpelling on\n`);
      const { out } = await folder().run(['check', 'etc/httpd']);
      assert.match(out, /`CheckSpelling` needs mod_speling/);
    });

    it('asks about any other missing directory, and on any other server', async () => {
      const question = (what: string) => `include-unseen:${what}`;
      folder().write(MAIN, text('Include more/conf.modules.d/*.conf\n'));
      assert.ok((await asked()).includes(question('more/conf.modules.d/*.conf')));
      folder().write(MAIN, text(INCLUDE));
      assert.ok((await asked('--distribution', 'upstream')).includes(question('conf.modules.d/*.conf')));
    });

    it('counts the problems in the files, and names the steps on the server', async () => {
      folder().write(MAIN, `${text('')}Alias /icons/ /var/www/icons/\nDavLockDB /var/lib/dav/lockdb\n`);
      const { err } = await folder().run(['fix', '--write', ...ANSWERS, 'etc/httpd']);
      assert.match(
        err.replace(/\s+/g, ' '),
        / 2 problems are left in the files\. To see what to do in the files and on the server, and how to find the answer: /,
      );
    });
  }),
);
