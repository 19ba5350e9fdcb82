/** Settings of the PHP module, after the answer that the 2.4 server has no PHP module. */
import assert from 'node:assert/strict';
import { byHandText, type UpgradePlan } from '../../server/src/analysis/upgrade-plan';
import { withFolder } from './run';

const NONE = ['--answer', 'php=none', '--answer', 'outside-unseen:.=none'];

describe(
  'scripts of PHP without the PHP module',
  withFolder((folder) => {
    const planned = async (...args: string[]) => {
      const { out } = await folder().run(['plan', '--format', 'json', ...args, 'httpd.conf']);
      const [{ byHand, onServer }] = (JSON.parse(out) as UpgradePlan).configurations;
      const task = (id: string) => onServer.find((each) => each.id === id);
      return {
        byHand: byHand.map(byHandText).join('\n'),
        scripts: task('php-scripts'),
        rebuilt: task('rebuilt-modules'),
      };
    };
    const server = 'ServerRoot /etc/httpd\nListen 80\nLoadModule php5_module modules/libphp5.so\n';
    const NO_PHP = ['--answer', 'php=none'];

    it('clients get their source text: by hand, and a task that names the lines', async () => {
      folder().write('httpd.conf', `${server}AddHandler php5-script .php\nAddType application/x-httpd-php .phtml\n`);
      const none = await planned(...NO_PHP);
      assert.match(none.byHand, /With PHP-FPM: replace the line by/);
      assert.match(none.scripts!.what, /^Connect PHP-FPM before 2\.4 answers clients: .*source text/);
      assert.deepEqual(
        none.scripts!.because.map(({ line }) => line),
        [3, 4],
      );
      // A module that is removed is not installed.
      assert.equal(none.rebuilt, undefined);
      const eight = await planned('--answer', 'php=8');
      assert.doesNotMatch(eight.byHand + eight.scripts?.what, /source text/);
      // The task stays after the LoadModule line is removed.
      await folder().run(['fix', '--write', '--fail-on', 'never', ...NO_PHP, 'httpd.conf']);
      assert.doesNotMatch(folder().text('httpd.conf'), /php5_module/);
      assert.ok((await planned(...NO_PHP)).scripts);
    });

    it('the source as a page, and scripts of an Action, are no problem', async () => {
      for (const lines of [
        'AddHandler php5-source .phps\nAddType application/x-httpd-php-source .phps\n',
        'AddHandler application/x-httpd-php .php\nAction application/x-httpd-php /cgi-bin/php\n',
      ]) {
        folder().write('httpd.conf', server + lines);
        assert.equal((await planned(...NO_PHP)).scripts, undefined, lines);
      }
    });
  }),
);

describe(
  'settings of PHP without the PHP module',
  withFolder((folder) => {
    const task = async (wantedId: string, ...args: string[]) => {
      const { out } = await folder().run(['plan', '--format', 'json', ...args, '.htaccess']);
      const [{ onServer }] = (JSON.parse(out) as UpgradePlan).configurations;
      return onServer.find(({ id }) => id === wantedId)?.what;
    };

    it('are a task of the plan, before and after the fix, and fix names them', async () => {
      folder().write('.htaccess', 'php_value upload_max_filesize 20M\nOptions -Indexes\n');
      const wanted = /Write into \.user\.ini in the directory of the PHP files, .*: upload_max_filesize = 20M\.$/;
      assert.match((await task('php-settings', ...NONE))!, wanted);
      assert.equal(await task('php-settings'), undefined);
      const { err } = await folder().run(['fix', '--write', '--fail-on', 'never', ...NONE, '.htaccess']);
      assert.match(err, /\.user\.ini/);
      assert.equal(folder().text('.htaccess'), '# .user.ini: upload_max_filesize = 20M\nOptions -Indexes\n');
      assert.match((await task('php-settings', ...NONE))!, wanted);
      assert.match((await task('php-settings'))!, wanted);
    });

    it('have a task to install PHP after an answer with a PHP module', async () => {
      folder().write('.htaccess', 'php_value upload_max_filesize 20M\n');
      const install = (answer: string) => task('php-module', '--answer', `php=${answer}`);
      const afterAnswer8 = /^Install PHP 8 as a module for 2\.4 .* package libapache2-mod-php\), /;
      const afterAnswerAny = /libapache2-mod-php\) or with PHP-FPM\. .* \.user\.ini .*: upload_max_filesize = 20M\.$/;
      assert.match((await install('8'))!, afterAnswer8);
      assert.match((await install('any'))!, afterAnswerAny);
      for (const answer of ['none', 'keep']) assert.equal(await install(answer), undefined);
      const any = ['--answer', 'php=any', '--answer', 'outside-unseen:.=none'];
      await folder().run(['fix', '--write', '--fail-on', 'never', ...any, '.htaccess']);
      assert.match((await install('any'))!, afterAnswerAny);
    });

    it('are written for each PHP module after the answer "any", also for both versions', async () => {
      for (const options of [['--answer', 'outside-unseen:.=none'], ['--keep-both']]) {
        folder().write('.htaccess', 'php_value upload_max_filesize 20M\n');
        await folder().run(['fix', '--write', '--fail-on', 'never', ...options, '--answer', 'php=any', '.htaccess']);
        assert.match(folder().text('.htaccess'), /^<IfModule mod_php5\.c>\n {4}php_value upload_max_filesize 20M\n/);
      }
    });

    it('are a task as long as the lines are in conditions, unless an answer says how PHP runs', async () => {
      folder().write('.htaccess', 'php_value upload_max_filesize 20M\nphp_flag magic_quotes_gpc off\n');
      const any = ['--answer', 'php=any', '--answer', 'outside-unseen:.=none'];
      assert.equal(await task('php-module'), undefined);
      await folder().run(['fix', '--write', '--fail-on', 'never', ...any, '.htaccess']);
      const wanted = /\. With it, write into \.user\.ini .*: upload_max_filesize = 20M\.$/;
      assert.match((await task('php-module'))!, wanted);
      assert.match((await task('php-module', '--answer', 'php=keep'))!, wanted);
      assert.match((await task('php-module', ...any))!, wanted);
      assert.equal(await task('php-module', ...NONE), undefined);
      assert.match((await task('php-module', '--answer', 'php=8'))!, /^Install PHP 8 as a module for 2\.4/);
      const { out } = await folder().run(['plan', '.']);
      assert.match(out, /On the server: 1\n/);
      // Another condition does not name the PHP module, and a removed setting has no new place.
      for (const text of [
        '<IfModule mod_rewrite.c>\nphp_flag display_errors off\n</IfModule>\n',
        '<IfModule !mod_php5.c>\nphp_flag display_errors off\n</IfModule>\n',
        '<IfModule mod_php5.c>\nphp_flag magic_quotes_gpc off\nphp_flag engine off\n</IfModule>\n',
      ]) {
        folder().write('.htaccess', text);
        assert.equal(await task('php-module'), undefined, text);
      }
    });

    it('are a task with all their names, and not in other files, or beside a PHP module', async () => {
      const settings = Array.from({ length: 7 }, (_, index) => `php_value a${index} ${index}\n`).join('');
      const inCondition = `<IfModule mod_php5.c>\n${settings}</IfModule>\n`;
      folder().write('.htaccess', inCondition);
      assert.match((await task('php-module'))!, /: a0 = 0, a1 = 1, a2 = 2, a3 = 3, a4 = 4, a5 = 5, a6 = 6\.$/);
      const main =
        'ServerRoot /etc/httpd\nListen 80\nDocumentRoot www\n<Directory www>\nAllowOverride All\n</Directory>\n';
      const tasksOf = async (text: string) => {
        folder().write('httpd.conf', text);
        const { out } = await folder().run(['plan', '--format', 'json', '.']);
        return (JSON.parse(out) as UpgradePlan).configurations.flatMap(({ onServer }) => onServer.map(({ id }) => id));
      };
      assert.ok((await tasksOf(main)).includes('php-module'));
      assert.ok(!(await tasksOf(`${main}LoadModule php5_module modules/libphp5.so\n`)).includes('php-module'));
      folder().write('.htaccess', '');
      assert.ok(!(await tasksOf(main + inCondition)).includes('php-module'));
    });

    it('are a task where a condition keeps them, too', async () => {
      folder().write('.htaccess', '<IfModule mod_php5.c>\nphp_flag display_errors off\n</IfModule>\n');
      assert.match((await task('php-settings', ...NONE))!, /: display_errors = Off\.$/);
      assert.equal(await task('php-settings', '--answer', 'php=8'), undefined);
    });

    it('a section for PHP 4 is not switched on beside that for PHP 5', async () => {
      const of = (name: string) => `<IfModule ${name}>\n    php_flag a on\n</IfModule>\n`;
      folder().write('.htaccess', of('mod_php4.c') + of('mod_php5.c'));
      for (const [answer, count] of [
        ['none', 0],
        ['5', 0],
        ['8', 1],
      ] as const) {
        const { out } = await folder().run(['check', '--format', 'json', '--answer', `php=${answer}`, '.htaccess']);
        const { findings } = JSON.parse(out).files[0] as { findings: { rule: string; fixes: unknown[] }[] };
        const older = findings.filter(({ rule, fixes }) => rule === 'ifmodule-renamed' && fixes.length === 0);
        assert.equal(older.length, count, answer);
      }
      await folder().run(['fix', '--write', '--fail-on', 'never', '--answer', 'php=8', '.htaccess']);
      assert.equal(folder().text('.htaccess'), of('mod_php4.c') + of('mod_php.c'));
    });
  }),
);
