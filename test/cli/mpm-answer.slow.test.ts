/** After all answers a real httpd 2.4 finds an MPM, even with few or no LoadModule lines. */
import assert from 'node:assert/strict';
import type { UpgradePlan } from '../../server/src/analysis/upgrade-plan';
import { requireHttpd } from '../httpd/harness';
import { withFolder } from './run';

const OLD = '<Directory />\n AllowOverride None\n Order deny,allow\n Deny from all\n</Directory>\n';
const USER = 'User daemon\nGroup daemon\n';
/** As in the main file of a 2.2 that was built from its sources. */
const USER_IN_CONDITIONS = `<IfModule !mpm_netware_module>\n<IfModule !mpm_winnt_module>\n${USER}</IfModule>\n</IfModule>\n`;

/** By what the tree is like: the start of its main file, and the directory of its modules. */
const TREES: Readonly<Record<string, string>> = {
  'built from the sources, no LoadModule line': `ServerRoot "/usr/local/apache2"\nListen 8080\n${USER}`,
  'built from the sources, PHP alone': `ServerRoot "/usr/local/apache2"\nListen 8080\nLoadModule php5_module modules/libphp5.so\n${USER}`,
  'built from the sources, two modules': `ServerRoot "/usr/local/apache2"\nListen 8080\nLoadModule authz_host_module modules/mod_authz_host.so\nLoadModule dir_module modules/mod_dir.so\n${USER}`,
  'an own place, no LoadModule line': `ServerRoot "/opt/web"\nListen 8080\n${USER}`,
  'built from the sources, User in conditions': `ServerRoot "/usr/local/apache2"\nListen 8080\n${USER_IN_CONDITIONS}`,
  'an own place, User in conditions': `ServerRoot "/opt/web"\nListen 8080\n${USER_IN_CONDITIONS}`,
  'an own place, mod_mem_cache alone': `ServerRoot "/opt/web"\nListen 8080\nLoadModule mem_cache_module modules/mod_mem_cache.so\n${USER}`,
  'an own place, mod_mem_cache in what stays': `ServerRoot "/opt/web"\nListen 8080\nLoadModule authz_host_module modules/mod_authz_host.so\n<IfModule mod_cache.c>\n LoadModule mem_cache_module modules/mod_mem_cache.so\n</IfModule>\n${USER}`,
  'an own place, mod_wsgi alone': `ServerRoot "/opt/web"\nListen 8080\nLoadModule wsgi_module modules/mod_wsgi.so\n${USER}`,
  macOS: `ServerRoot "/usr"\nListen 8080\nLoadModule authz_host_module libexec/apache2/mod_authz_host.so\nLoadModule bonjour_module libexec/apache2/mod_bonjour.so\n${USER}`,
};

/** Nothing but an MPM is missing, or mod_unixd, too. */
const MACOS = `ServerRoot "/usr"\nListen 8080\n${['authz_core', 'authz_host', 'mime', 'dir', 'alias'].map((name) => `LoadModule ${name}_module libexec/apache2/mod_${name}.so\n`).join('')}`;
const CONVERTED: Readonly<Record<string, string>> = {
  'macOS, without old lines': MACOS,
  'macOS, with mod_unixd': `${MACOS}LoadModule unixd_module libexec/apache2/mod_unixd.so\n${USER}`,
};

describe(
  'the MPM after all answers',
  withFolder((folder) => {
    before(function () {
      requireHttpd(this);
    });

    const options = (answers: Readonly<Record<string, string>>) =>
      Object.entries(answers).flatMap(([id, value]) => ['--answer', `${id}=${value}`]);

    for (const [title, text] of [
      ...Object.entries(TREES).map(([name, start]) => [name, start + OLD] as const),
      ...Object.entries(CONVERTED),
    ]) {
      it(title, async function () {
        this.timeout(60_000);
        folder().write('conf/httpd.conf', text);
        const answers: Record<string, string> = { php: 'none' };
        for (;;) {
          const { out } = await folder().run(['plan', '--format', 'json', ...options(answers), '.']);
          const { configurations } = JSON.parse(out) as UpgradePlan;
          const open = configurations
            .flatMap(({ questions }) => questions)
            .filter(({ id }) => answers[id] === undefined);
          if (open.length === 0) break;
          for (const { id, answers: all } of open)
            answers[id] = { 'running-version': '2.2', mpm: 'event' }[id] ?? all[0].value;
        }
        assert.equal(answers.mpm, 'event');
        // With enough LoadModule lines, mod_unixd is loaded unless it is compiled in.
        if (!text.includes('unixd')) assert.equal(answers.modules, text.startsWith(MACOS) ? undefined : 'files');
        await folder().run(['fix', '--write', ...options(answers), '.']);
        const fixedText = folder().text('conf/httpd.conf');
        await folder().run(['fix', '--write', ...options(answers), '.']);
        assert.equal(folder().text('conf/httpd.conf'), fixedText, 'a second run changes nothing');
        assert.match(folder().text('conf/httpd.conf'), /^ *LoadModule mpm_event_module \S+\/mod_mpm_event\.so$/m);
        const { out, err } = await folder().run(['verify', 'conf/httpd.conf']);
        assert.doesNotMatch(out + err, /No MPM loaded|More than one MPM/);
        assert.match(out + err, /httpd reports no error|No such file|cannot open/);
      });
    }

    it('is loaded above the conditions about it, which 2.4 decides where it reads them', async () => {
      const limits = '# Limits\n<IfModule prefork.c>\n MaxClients 5\n</IfModule>\n';
      const loads = 'LoadModule authz_host_module modules/mod_authz_host.so\n';
      folder().write('conf/httpd.conf', `ServerRoot "/etc/httpd"\nListen 8080\n${limits}${loads}${USER}${OLD}`);
      await folder().run(['fix', '--write', '--answer', 'modules=files', '--answer', 'mpm=prefork', '.']);
      assert.match(
        folder().text('conf/httpd.conf'),
        /Listen 8080\n(<IfModule !mpm_\w+>\n){3}LoadModule mpm_prefork_module modules\/mod_mpm_prefork\.so\n(<\/IfModule>\n){3}# Limits\n<IfModule prefork\.c>/,
      );
    });

    it('a server that was built from the sources may have its MPM compiled in: the line is in a condition', async () => {
      folder().write('conf/httpd.conf', TREES['built from the sources, no LoadModule line'] + OLD);
      await folder().run(['fix', '--write', '--answer', 'modules=files', '--answer', 'mpm=prefork', '.']);
      assert.match(
        folder().text('conf/httpd.conf'),
        /<IfModule !mpm_event_module>\n<IfModule !mpm_worker_module>\n<IfModule !mpm_prefork_module>\nLoadModule mpm_prefork_module modules\/mod_mpm_prefork\.so\n(<\/IfModule>\n){3}/,
      );
    });
  }),
);
