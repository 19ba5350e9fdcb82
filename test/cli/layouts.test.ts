/** Layouts of distributions, on the command line: what `plan` lists as commands for the server, and what is left of a tree after `fix --write`. */
import assert from 'node:assert/strict';
import type { OnServerItem, UpgradePlan } from '../../server/src/analysis/upgrade-plan';
import { DEBIAN6 } from '../support/debian6';
import { withFolder } from './run';

describe('layouts of distributions', withFolder((folder) => {
  const write = (files: Readonly<Record<string, string>>) => Object.entries(files).forEach(([file, text]) => folder().write(file, text));
  const planned = async (root: string, ...args: string[]): Promise<UpgradePlan> => JSON.parse((await folder().run(['plan', '--format', 'json', ...args, root])).out) as UpgradePlan;
  const commands = ({ configurations }: UpgradePlan) => configurations.flatMap(({ onServer }) => onServer.flatMap(({ commands: own = [] }: OnServerItem) => own));

  describe('Debian', () => {
    const ENABLE = 'a2enmod mpm_prefork authn_core authz_core filter socache_shmcb';

    it('a server of 40 files: nothing by hand, and one line for a2enmod', async () => {
      write(DEBIAN6);
      const plan = await planned('apache2');
      assert.deepEqual(plan.configurations.map(({ root, files, byHand }) => ({ root, files, byHand })), [{ root: 'apache2/apache2.conf', files: 40, byHand: [] }]);
      assert.deepEqual(commands(plan), [ENABLE, 'a2dismod authz_default']);
      const { out } = await folder().run(['check', 'apache2']);
      assert.equal(out.match(/\[missing-module\]/g)?.length, 1, 'one finding');
      assert.match(out.replace(/\s+/g, ' '), new RegExp(`Run \`${ENABLE}\``.replace(/ /g, '[ =]+')));
    });

    it('once it is fixed, nothing in the files stops 2.4, and the command is what is left', async () => {
      write(DEBIAN6);
      const answers = ['--answer', 'defaults=2.2'];
      await folder().run(['fix', '--write', ...answers, 'apache2']);
      const { summary, configurations: [{ onServer, waiting }] } = await planned('apache2', ...answers);
      assert.deepEqual([summary.blocking, summary.ready, waiting.length, summary.byHand], [0, 0, 0, 0]);
      assert.deepEqual(onServer.filter(({ isBlocking }) => isBlocking).map(({ commands: own }) => own), [[ENABLE]]);
      const { out } = await folder().run(['plan', ...answers, 'apache2']);
      assert.match(out, new RegExp(`^    ${ENABLE}$`, 'm'), 'on a line of its own, not broken');
      assert.match(out.replace(/\s+/g, ' '), /Nothing that was found in the files keeps 2\.4 from starting\. 2\.4 does not start before the commands on the server have run\./);
      // As a2enmod does.
      for (const name of ENABLE.split(' ').slice(1)) folder().write(`apache2/mods-enabled/${name}.load`, `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so\n`);
      const after = await planned('apache2', ...answers);
      assert.deepEqual(commands(after), []);
      assert.match((await folder().run(['plan', ...answers, 'apache2'])).out, /Nothing that was found keeps 2\.4 from starting\.$/m);
    });

    it('with mod_php there is no word of threads; modules with other names in 2.4 are enabled', async () => {
      write({
        ...DEBIAN6,
        'apache2/mods-enabled/php5.load': 'LoadModule php5_module /usr/lib/apache2/modules/libphp5.so\n',
        'apache2/mods-enabled/disk_cache.load': 'LoadModule disk_cache_module /usr/lib/apache2/modules/mod_disk_cache.so\n',
        'apache2/mods-enabled/cache.load': 'LoadModule cache_module /usr/lib/apache2/modules/mod_cache.so\n',
        'apache2/mods-enabled/mem_cache.load': 'LoadModule mem_cache_module /usr/lib/apache2/modules/mod_mem_cache.so\n',
      });
      assert.deepEqual(commands(await planned('apache2')), [ENABLE, 'a2dismod authz_default disk_cache mem_cache', 'a2enmod cache_disk']);
      assert.doesNotMatch((await folder().run(['check', 'apache2'])).out, /mpm_event/);
    });
  });
}));
