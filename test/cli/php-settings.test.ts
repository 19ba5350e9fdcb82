/** Settings of the PHP module, after the answer that the 2.4 server has no PHP module. */
import assert from 'node:assert/strict';
import type { UpgradePlan } from '../../server/src/analysis/upgrade-plan';
import { withFolder } from './run';

const NONE = ['--answer', 'php=none', '--answer', 'outside-unseen:.=none'];

describe(
  'settings of PHP without the PHP module',
  withFolder((folder) => {
    const task = async (...args: string[]) => {
      const { out } = await folder().run(['plan', '--format', 'json', ...args, '.htaccess']);
      const [{ onServer }] = (JSON.parse(out) as UpgradePlan).configurations;
      return onServer.find(({ id }) => id === 'php-settings')?.what;
    };

    it('are a task of the plan, before and after the fix, and fix names them', async () => {
      folder().write('.htaccess', 'php_value upload_max_filesize 20M\nOptions -Indexes\n');
      const wanted = /Write into \.user\.ini in the same directory, .*: upload_max_filesize = 20M\.$/;
      assert.match((await task(...NONE))!, wanted);
      assert.equal(await task(), undefined);
      const { err } = await folder().run(['fix', '--write', '--fail-on', 'never', ...NONE, '.htaccess']);
      assert.match(err, /\.user\.ini/);
      assert.equal(folder().text('.htaccess'), '# .user.ini: upload_max_filesize = 20M\nOptions -Indexes\n');
      assert.match((await task(...NONE))!, wanted);
      assert.match((await task())!, wanted);
    });

    it('are a task where a condition keeps them, too', async () => {
      folder().write('.htaccess', '<IfModule mod_php5.c>\nphp_flag display_errors off\n</IfModule>\n');
      assert.match((await task(...NONE))!, /: display_errors = Off\.$/);
      assert.equal(await task('--answer', 'php=8'), undefined);
    });

    it('a section for PHP 4 is not switched on beside that for PHP 5', async () => {
      const of = (name: string) => `<IfModule ${name}>\n    php_flag a on\n</IfModule>\n`;
      folder().write('.htaccess', of('mod_php4.c') + of('mod_php5.c'));
      await folder().run(['fix', '--write', '--fail-on', 'never', '--answer', 'php=8', '.htaccess']);
      assert.equal(folder().text('.htaccess'), of('mod_php4.c') + of('mod_php.c'));
    });
  }),
);
