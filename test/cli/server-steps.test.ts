/** The steps on the server stay in the plan after fixes were written, and in a copy on request. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readlinkSync, symlinkSync } from 'node:fs';
import type { UpgradePlan } from '../../server/src/analysis/upgrade-plan';
import { withFolder } from './run';

const OLD = `ServerRoot /etc/httpd
Listen 80
ServerName a
Timeout 60
DavLockDB /var/lib/dav/lockdb
LoadModule authz_host_module modules/mod_authz_host.so
LoadModule log_config_module modules/mod_log_config.so
LoadModule dav_module modules/mod_dav.so
LoadModule dav_fs_module modules/mod_dav_fs.so
LoadModule auth_kerb_module modules/mod_auth_kerb.so
<Directory />
    Order deny,allow
    Deny from all
</Directory>
`;
const ANSWERS = ['--answer', 'modules=files', '--answer', 'defaults=2.4'];

describe(
  'the steps on the server',
  withFolder((folder) => {
    const planned = async (...args: string[]) => {
      const { out, err } = await folder().run(['plan', '--format', 'json', ...ANSWERS, ...args]);
      assert.notEqual(out, '', err);
      return (JSON.parse(out) as UpgradePlan).configurations[0]!.onServer;
    };
    const steps = async (...args: string[]) =>
      (await planned(...args)).filter(({ isNote }) => !isNote).map(({ id }) => id);

    it('patterns of file names are not said to match URLs with two slashes', async () => {
      const deny = (tag: string, pattern: string) =>
        `<${tag} "${pattern}">\n    Order allow,deny\n    Deny from all\n</${tag}>\n`;
      folder().write(
        'patterns/httpd.conf',
        `${OLD}${deny('FilesMatch', '\\.bak$')}${deny('LocationMatch', '^/[^/]+/x')}`,
      );
      const notes = (await planned('patterns/httpd.conf')).filter(({ id }) => /patterns|slashes/.test(id));
      assert.deepEqual(
        notes.map(({ id, what }) => [id, what.replace(/\. .*$/s, '')]),
        [
          ['patterns', 'These patterns match URLs with a newline (`%0a`) differently in 2.4: `\\.bak$`'],
          ['merged-slashes', 'These patterns also apply to URLs with `//` in 2.4: `^/[^/]+/x`'],
        ],
      );
    });

    it('sites and files that no link enables, with the main file of the 2.4 package', async () => {
      const main =
        'ServerRoot /etc/apache2\nInclude ports.conf\nIncludeOptional conf-enabled/*.conf\nIncludeOptional sites-enabled/*.conf\n';
      const site = '<VirtualHost *:80>\nServerName a.example.org\n</VirtualHost>\n';
      const write = (name: string, text: string) => folder().write(`renamed/${name}`, text);
      const task = async () => {
        const tasks = await planned('--distribution', 'debian', 'renamed/apache2.conf');
        return tasks.find(({ id }) => id === 'files-to-enable');
      };
      write('apache2.conf', main);
      write('ports.conf', 'Listen 80\n');
      assert.equal(await task(), undefined);
      write('conf-available/cgi.conf', 'Timeout 60\n');
      write('conf-available/charset.conf', '# Only a comment.\n');
      for (const name of ['shop.conf', '000-default.conf', 'shop.conf.bak', 'old'])
        write(`sites-available/${name}`, site);
      const step = (await task())!;
      assert.match(
        step.what,
        /For conf-available: `a2enconf cgi`\. For sites-available: `a2ensite 000-default` and `a2ensite shop`\./,
      );
      assert.deepEqual([step.isNote, step.because.map(({ line }) => line + 1)], [undefined, [3, 4]]);
      // With a link, the other files may be disabled on purpose.
      write('conf-enabled/cgi.conf', 'Timeout 60\n');
      write('sites-enabled/shop.conf', site);
      const note = (await task())!;
      assert.match(note.what, /only those\. For sites-available: `a2ensite 000-default`\. /);
      assert.deepEqual([note.isNote, note.because.map(({ line }) => line + 1)], [true, [4]]);
      // The step `enable-files` is about a link with an old name.
      symlinkSync('../sites-available/000-default.conf', folder().at('renamed/sites-enabled/default'));
      assert.equal(await task(), undefined);
      // The main file of 2.2 reads all of sites-enabled: its plan asks about missing links.
      write('apache2.conf', 'ServerRoot /etc/apache2\nInclude ports.conf\nInclude sites-enabled/\n');
      assert.equal(await task(), undefined);
    });

    it('links that are text files: one step, and its command makes them links', async () => {
      const modules = ['alias', 'authz_host', 'dir'];
      for (const name of modules) {
        folder().write(`a b/mods-available/${name}.load`, `LoadModule ${name}_module modules/mod_${name}.so\n`);
        folder().write(`a b/mods-enabled/${name}.load`, `../mods-available/${name}.load`);
      }
      folder().write('a b/mods-enabled/own.load', '# ../mods-available/dir.load\n');
      folder().write('a b/apache2.conf', `${OLD}Include mods-enabled/*.load\n`);
      const [step, ...others] = (await planned('.')).filter(({ id }) => id === 'links-as-text');
      assert.deepEqual([others.length, step!.because.length, step!.commands!.length], [0, 3, 1]);
      execFileSync('sh', ['-c', step!.commands![0]!], { cwd: folder().path });
      for (const name of modules)
        assert.equal(readlinkSync(folder().at(`a b/mods-enabled/${name}.load`)), `../mods-available/${name}.load`);
      assert.equal(folder().text('a b/mods-enabled/own.load'), '# ../mods-available/dir.load\n');
      assert.ok(!(await planned('.')).some(({ id }) => id === 'links-as-text'));
    });

    it('have NameVirtualHost of a stock file, which the user leaves out', async () => {
      const ports =
        'NameVirtualHost *:80\nListen 80\n<IfModule mod_ssl.c>\n    Listen 443\n</IfModule>\n<IfModule mod_gnutls.c>\n    Listen 443\n</IfModule>\n';
      folder().write(
        'apache2/apache2.conf',
        'ServerRoot /etc/apache2\nInclude ports.conf\nInclude /etc/apache2/sites-enabled/\n',
      );
      const planOf = async (text: string) => {
        folder().write('apache2/ports.conf', text);
        const { out } = await folder().run(['plan', '--format', 'json', 'apache2/apache2.conf']);
        const [{ byHand, onServer }] = (JSON.parse(out) as UpgradePlan).configurations;
        return [
          byHand.some(({ rule }) => rule === 'virtual-host-comes-alive'),
          onServer.some(({ id }) => id === 'virtual-hosts'),
        ];
      };
      assert.deepEqual(await planOf(ports), [false, true]);
      assert.deepEqual(await planOf(ports.replace('Listen 80', 'Listen 8080')), [true, false]);
    });

    it('Debian without mods-enabled: name the modules of <IfModule> sections, and where they are', async () => {
      folder().write(
        'etc/apache2.conf',
        'ServerRoot /etc/apache2\nListen 80\nInclude mods-enabled/*.load\nInclude sites-enabled/\nProxyRequests Off\n',
      );
      folder().write(
        'etc/sites-enabled/a',
        'Listen 81\n<IfModule mod_ssl.c>\nListen 443\n</IfModule>\n<IfModule rewrite_module>\nRewriteEngine On\n</IfModule>\n',
      );
      const [step, ...others] = (await planned('etc/apache2.conf')).filter(({ id }) => id === 'modules-of-sections');
      assert.deepEqual(others, []);
      assert.match(
        step!.what,
        /^Only <IfModule> sections need these modules: ssl \(etc\/sites-enabled\/a:2\), rewrite \(etc\/sites-enabled\/a:5\)\. .*`a2enmod ssl`\.$/,
      );
      assert.deepEqual(step!.because, [
        { file: 'etc/sites-enabled/a', line: 1 },
        { file: 'etc/sites-enabled/a', line: 4 },
      ]);
      assert.equal(step!.commands, undefined);
      assert.equal(step!.isBlocking, undefined);
    });

    it('say with which option httpd reads the lines, and leave out lines that it does not read', async () => {
      folder().write(
        'httpd.conf',
        'ServerRoot /srv/x\nListen 80\nSetEnvIf X_Always y z\n<IfDefine OLD>\nListen 81\nAuthUserFile /srv/users\nSetEnvIf X_Old y z\n</IfDefine>\n',
      );
      const rows = async (...args: string[]) =>
        (await planned(...args, 'httpd.conf'))
          .filter(({ id }) => /^(?:htpasswd-md5|header-underscore|beside)$/.test(id))
          .map(({ id, what, because }) => [
            id,
            /Only an httpd.*|$/.exec(what)![0],
            because.map(({ line }) => line + 1).join(),
          ]);
      const only = 'Only an httpd that starts with `-D OLD` reads';
      assert.deepEqual(await rows(), [
        ['htpasswd-md5', `${only} these lines.`, '6'],
        ['header-underscore', `${only} some of these lines.`, '3,7'],
        ['beside', '', '2'],
      ]);
      for (const args of [
        ['-D', 'OTHER'],
        ['--answer', 'define:OLD=off'],
      ])
        assert.deepEqual(await rows(...args), [
          ['header-underscore', '', '3'],
          ['beside', '', '2'],
        ]);
      assert.deepEqual(await rows('-D', 'OLD'), [
        ['htpasswd-md5', '', '6'],
        ['header-underscore', '', '3,7'],
        ['beside', '', '2,5'],
      ]);
    });

    for (const flags of [[], ['--unsafe']])
      it(`stay after fix --write ${flags.join('')}`, async () => {
        folder().write('conf/httpd.conf', OLD);
        const before = await steps('conf/httpd.conf');
        assert.ok(before.includes('dav-lock-db') && before.includes('rebuilt-modules'), before.join(' '));
        await folder().run(['fix', '--write', ...flags, ...ANSWERS, 'conf/httpd.conf']);
        assert.match(folder().text('conf/httpd.conf'), /Require all denied/);
        // A suggestion chose the MPM.
        const after = await steps('conf/httpd.conf');
        assert.deepEqual(
          after.filter((id) => id !== 'choose-mpm'),
          before,
        );
        assert.equal(after.includes('choose-mpm'), flags.length > 0);
      });

    it('are in the plan of a copy with --source 2.2; without it, a note says so', async () => {
      folder().write('conf/httpd.conf', OLD);
      const before = await steps('conf/httpd.conf');
      await folder().run(['fix', '--write', ...ANSWERS, 'conf/httpd.conf']);
      folder().write('copy/httpd.conf', folder().text('conf/httpd.conf'));
      assert.deepEqual(await steps('--source', '2.2', 'copy/httpd.conf'), before);
      assert.deepEqual(await steps('--answer', 'running-version=2.2', 'copy/httpd.conf'), before);
      folder().write('.httpd-upgrade.json', '{ "source": "2.2" }');
      assert.deepEqual(await steps('copy/httpd.conf'), before);
      folder().write('.httpd-upgrade.json', '{}');
      assert.equal((await steps('copy/httpd.conf')).includes('dav-lock-db'), false);
      const noted = async (...args: string[]) =>
        (await planned(...args)).filter(({ id }) => id === 'steps-from-22').map(({ what }) => what);
      assert.deepEqual(await noted('--source', '2.4', 'copy/httpd.conf'), []);
      assert.deepEqual(await noted('--source', '2.2', 'copy/httpd.conf'), []);
      assert.match((await noted('copy/httpd.conf'))[0] ?? '', /--source 2\.2/);
    });

    it('files beside a main file for 2.4 have none of an upgrade either', async () => {
      folder().write('mixed/extra/ports.conf', 'Listen 8080\n');
      const idsOfLooseFiles = async (main: string) => {
        folder().write('mixed/httpd.conf', main);
        const { out } = await folder().run(['plan', '--format', 'json', 'mixed']);
        const { configurations } = JSON.parse(out) as UpgradePlan;
        return configurations.at(-1)!.onServer.map(({ id }) => id);
      };
      const main = 'ServerRoot /etc/httpd\nListen 80\nServerName a\nInclude none/a.conf\n';
      const load = (name: string) => `LoadModule ${name}_module modules/mod_${name}.so\n`;
      assert.ok((await idsOfLooseFiles(main + load('authz_host'))).includes('beside'));
      assert.deepEqual(await idsOfLooseFiles(main + load('authz_core')), ['steps-from-22']);
    });
  }),
);
