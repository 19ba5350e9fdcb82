/** `fix --keep-both`: access control for 2.2 and 2.4 in one file, each under a condition. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { UpgradePlan } from '../../server/src/analysis/upgrade-plan';
import { withFolder } from './run';

const LONE = ['--answer', 'outside-unseen:.=none'];
const both = (now: string, old: string, indent = '') =>
  [
    `<IfModule mod_authz_core.c>`,
    ...now.split('\n').map((line) => `    ${line}`),
    '</IfModule>',
    '<IfModule !mod_authz_core.c>',
    ...old.split('\n').map((line) => `    ${line}`),
    '</IfModule>',
  ]
    .map((line) => `${indent}${line}\n`)
    .join('');

describe(
  'fix --keep-both',
  withFolder((folder) => {
    const kept = async (text: string, file = '.htaccess', ...args: string[]) => {
      folder().write(file, text);
      const { code, err } = await folder().run([
        'fix',
        '--write',
        '--fail-on',
        'never',
        '--keep-both',
        ...LONE,
        ...args,
        file,
      ]);
      assert.equal(code, 0, err);
      return folder().text(file);
    };

    it('writes AuthMerging for 2.4 beside a Require line that both versions read', async () => {
      const whole = ['--answer', 'outside-unseen:httpd.conf=none'];
      const login = '    AuthType Basic\n    AuthName x\n    AuthUserFile /u\n';
      const site = (files: string, merging: string) =>
        `Listen 80\n<Files ".ht*">\n${files}</Files>\n<Location /admin>\n${login}${merging}    Require valid-user\n    AuthGroupFile /g\n</Location>\n`;
      const old = 'Order allow,deny\nDeny from all';
      const written = await kept(site(`    ${old.replace('\n', '\n    ')}\n`, ''), 'httpd.conf', ...whole);
      assert.equal(
        written,
        site(
          both('Require all denied', old, '    '),
          `    <IfModule mod_authz_core.c>
        # As before: what the sections around this one require is required here, too.
        AuthMerging And
    </IfModule>
`,
        ),
      );
      assert.equal(await kept(written, 'httpd.conf', ...whole), written);
    });

    const DENIED = both('Require all denied', 'Deny from all');
    it('converts the .htaccess files of an application without a question', async () => {
      folder().write('plugins/a/logs/.htaccess', 'Deny from all\n');
      folder().write('plugins/b/.htaccess', 'Deny from all\n<Files "a.css">\n    Allow from all\n</Files>\n');
      folder().write('cache/.htaccess', DENIED);
      folder().write('index.php', '<?php // no configuration\n');
      const { code, err } = await folder().run(['fix', '--keep-both', '--write', '.']);
      assert.equal(code, 0, err);
      assert.match(err, /as if nothing else controls access .* --answer outside-unseen:\.=keep/);
      assert.doesNotMatch(err, /Not converted/);
      assert.equal(folder().text('plugins/a/logs/.htaccess'), DENIED);
      assert.equal(
        folder().text('plugins/b/.htaccess'),
        `${DENIED}<Files "a.css">\n${both('Require all granted', 'Allow from all', '    ')}</Files>\n`,
      );
      assert.equal(folder().text('cache/.htaccess'), DENIED);
      assert.equal((await folder().run(['check', '.'])).code, 0);
    });

    it('is named by the plan of .htaccess files alone', async () => {
      folder().write('a/.htaccess', 'Deny from all\n');
      const { out } = await folder().run(['plan', 'a']);
      assert.match(
        out.replace(/\s+/g, ' '),
        /1\. Does a 2\.2 server still read these \.htaccess files, too\? .* httpd-upgrade fix --write --keep-both a 2\. Answer/,
      );
      await folder().run(['fix', '--write', '--keep-both', 'a']);
      const both = await folder().run(['plan', 'a']);
      assert.doesNotMatch(both.out, /keep-both/);
    });

    it('is named by the plan with the answer that keeps PHP settings working without a PHP module', async () => {
      for (const [path, text] of [
        ['a/.htaccess', 'Deny from all\n'],
        ['app.conf', '<Directory /usr/share/app>\nOrder allow,deny\nAllow from all\n</Directory>\n'],
      ] as const) {
        folder().write('a/.htaccess', 'Deny from all\n');
        folder().write(path, text);
        folder().write('.htaccess', 'php_value memory_limit 128M\n');
        const { out } = await folder().run(['plan', '.']);
        assert.match(out.replace(/\s+/g, ' '), /the PHP settings once for each PHP module/);
        const command = /httpd-upgrade (fix --write --keep-both .*)/.exec(out)![1]!;
        assert.match(command, / --answer php=any( |$)/);
        const { code, err } = await folder().run(command.split(' '));
        assert.equal(code, 0, err);
        assert.match(folder().text('.htaccess'), /^<IfModule mod_php5\.c>\n {4}php_value memory_limit 128M\n/);
        assert.doesNotMatch(folder().text('.htaccess'), /^php_value/m);
        assert.match(folder().text(path), /Require all /);
      }
    });

    it('is named by the plan without an answer about PHP that is given, or that no line takes', async () => {
      folder().write('a/.htaccess', 'Deny from all\nphp_value memory_limit 128M\n');
      const given = await folder().run(['plan', '--answer', 'php=8', 'a']);
      assert.match(given.out, /fix --write --keep-both --answer php=8 a\n/);
      assert.doesNotMatch(given.out, /PHP settings once/);
      folder().write('a/.htaccess', 'Deny from all\nphp_flag engine off\n');
      const stops = await folder().run(['plan', 'a']);
      assert.match(stops.out, /fix --write --keep-both a\n/);
    });

    it('is named by the plan of an application, with the answer that it needs', async () => {
      folder().write('data/.htaccess', 'Deny from all\n');
      folder().write('app.conf', '<Directory /usr/share/app>\nOrder allow,deny\nAllow from all\n</Directory>\n');
      const { out } = await folder().run(['plan', '.']);
      assert.match(
        out.replace(/\s+/g, ' '),
        /1\. Does a 2\.2 server still read these files, too\? .* no other file controls access to the same directories.* If that is not true, do not run it: httpd-upgrade fix /,
      );
      const command = /httpd-upgrade (fix --write --keep-both .*)/.exec(out)![1]!;
      const { code, err } = await folder().run(command.split(' '));
      assert.equal(code, 0, err);
      assert.equal(folder().text('data/.htaccess'), DENIED);
      assert.match(folder().text('app.conf'), /Require all granted/);
    });

    it('converts the files of an application with the commands of the page', async () => {
      const page = readFileSync('docs/how-to/both-versions.md', 'utf8');
      const [alone, withOthers] = [...page.matchAll(/^httpd-upgrade (fix --keep-both --write .*)$/gm)].map(
        ([, words]) => words!.split(' '),
      );
      folder().write('data/.htaccess', 'Deny from all\n');
      await folder().run(alone!);
      assert.equal(folder().text('data/.htaccess'), DENIED);
      folder().write('data/.htaccess', 'Deny from all\n');
      folder().write('app.conf', '<Directory /usr/share/app>\nOrder allow,deny\nAllow from all\n</Directory>\n');
      await folder().run(alone!);
      assert.equal(folder().text('data/.htaccess'), 'Deny from all\n');
      assert.doesNotMatch(folder().text('app.conf'), /Require/);
      await folder().run(withOthers!);
      assert.equal(folder().text('data/.htaccess'), DENIED);
      assert.match(folder().text('app.conf'), /Require all granted/);
    });

    it('asks where the answer is given, or where a file of a server is among them', async () => {
      folder().write('.htaccess', 'Deny from all\n');
      await folder().run(['fix', '--keep-both', '--write', '--answer', 'outside-unseen:.=keep', '.']);
      assert.equal(folder().text('.htaccess'), 'Deny from all\n');
      folder().write('site.conf', '<Directory /srv>\n    Order allow,deny\n    Allow from all\n</Directory>\n');
      await folder().run(['fix', '--keep-both', '--write', '.']);
      assert.equal(folder().text('.htaccess'), 'Deny from all\n');
    });

    const cases: [title: string, before: string, after: string][] = [
      ['a refusal', 'Order deny,allow\nDeny from all\n', both('Require all denied', 'Order deny,allow\nDeny from all')],
      [
        'addresses, in a section',
        '<Files "a">\n    Order deny,allow\n    Deny from all\n    Allow from 192.0.2.1\n</Files>\n',
        `<Files "a">\n${both('Require ip 192.0.2.1', 'Order deny,allow\nDeny from all\nAllow from 192.0.2.1', '    ')}</Files>\n`,
      ],
      [
        'what stands between stays',
        'Order deny,allow\nOptions None\nDeny from all\n',
        `${both('Require all denied', 'Order deny,allow\nDeny from all')}Options None\n`,
      ],
      [
        'comments go with their lines',
        '# Nobody\nOrder deny,allow\nDeny from all\n# The office\nAllow from 192.0.2.1\n',
        `# Nobody\n${both('Require ip 192.0.2.1', 'Order deny,allow\nDeny from all\n# The office\nAllow from 192.0.2.1')}`,
      ],
      [
        'no line end at the end',
        'Order deny,allow\nDeny from all',
        both('Require all denied', 'Order deny,allow\nDeny from all'),
      ],
      [
        'CR LF',
        'Order deny,allow\r\nDeny from all\r\n',
        both('Require all denied', 'Order deny,allow\nDeny from all').replace(/\n/g, '\r\n'),
      ],
      [
        'a login beside',
        'AuthType Basic\nAuthName a\nAuthUserFile /a\nRequire valid-user\nOrder deny,allow\nDeny from all\nAllow from 192.0.2.1\nSatisfy any\n',
        `AuthType Basic\nAuthName a\nAuthUserFile /a\n${both('Require valid-user\nRequire ip 192.0.2.1', 'Require valid-user\nOrder deny,allow\nDeny from all\nAllow from 192.0.2.1\nSatisfy any')}`,
      ],
      [
        'a limit',
        '<LimitExcept GET>\n    # Nobody\n    Order deny,allow\n    Deny from all\n</LimitExcept>\n',
        both(
          'Require method GET',
          '<LimitExcept GET>\n    # Nobody\n    Order deny,allow\n    Deny from all\n</LimitExcept>',
        ),
      ],
    ];
    for (const [title, before, after] of cases) {
      it(`writes both, and nothing the second time: ${title}`, async () => {
        const result = await kept(before);
        assert.deepEqual(
          result
            .replace(/\r?\n?$/, '')
            .split('\n')
            .sort(),
          after
            .replace(/\r?\n?$/, '')
            .split('\n')
            .sort(),
        );
        assert.equal(await kept(result), result);
      });
    }

    it('changes nothing that 2.2 would not read', async () => {
      const rest = 'MaxClients 10\nDefaultType none\n';
      assert.equal(
        await kept(`${rest}<Files a>\nOrder deny,allow\nDeny from all\n</Files>\n`, 'a.conf'),
        `${rest}<Files a>\n${both('Require all denied', 'Order deny,allow\nDeny from all')}</Files>\n`,
      );
    });

    it('leaves a login in a section further in as both versions read it', async () => {
      const login =
        '<Directory /srv/app>\nAuthType Basic\nAuthName a\nAuthUserFile /a\nRequire valid-user\n</Directory>\n';
      const once = await kept(`<Directory /srv>\nOrder allow,deny\nAllow from all\n</Directory>\n${login}`, 'a.conf');
      assert.equal(
        once,
        `<Directory /srv>\n${both('Require all granted', 'Order allow,deny\nAllow from all')}</Directory>\n${login}`,
      );
      assert.equal(await kept(once, 'a.conf'), once);
    });

    it('leaves what cannot be kept as one block', async () => {
      const limited = '<Limit POST>\nAuthName a\nOrder deny,allow\nDeny from all\n</Limit>\n';
      assert.equal(await kept(limited), limited);
    });

    /** An application: its pages, a login with Satisfy, and files that only few may call. */
    const application = (satisfy: string, limit = 'Limit GET POST') => {
      folder().write('.htaccess', '<FilesMatch "\\.(inc|log)$">\nOrder allow,deny\nDeny from all\n</FilesMatch>\n');
      folder().write('inc/.htaccess', 'deny from all\n');
      folder().write('files/.htaccess', 'Order allow,deny\nDeny from all\n');
      const login = 'AuthType Basic\nAuthName a\nAuthUserFile /a\nRequire valid-user\n';
      const office = 'Order deny,allow\nDeny from all\nAllow from 192.0.2.0/24\n';
      folder().write('admin/.htaccess', `${login}${office}${satisfy}`);
      folder().write('setup/.htaccess', `<${limit}>\n${office}</${limit.split(' ')[0]}>\n`);
    };
    const written = () =>
      ['.', 'inc', 'files', 'admin', 'setup'].filter((name) =>
        folder().text(`${name}/.htaccess`).includes('!mod_authz_core.c'),
      );

    it('converts the files of an application with a limit', async () => {
      for (const satisfy of ['', 'Satisfy any\n']) {
        application(satisfy);
        await folder().run(['fix', '--keep-both', '--write', '.']);
        assert.deepEqual(written(), ['.', 'inc', 'files', 'admin', 'setup']);
      }
    });

    /** A section that a copy of the section above it would replace in admin/. */
    const LATER = '<Files "*.log">\nOrder allow,deny\nDeny from all\nSatisfy All\n</Files>\n';

    it('converts what does not depend on a file that stays, and gives the reason of each that does', async () => {
      application('Satisfy any\n');
      folder().write('.htaccess', folder().text('.htaccess') + LATER);
      const { err, out } = await folder().run(['fix', '--keep-both', '--write', '.']);
      assert.deepEqual(written(), ['inc', 'files', 'setup']);
      assert.match(
        `${out}${err}`,
        /^ *\.\/\.htaccess:2: Not converted: [^]*"Satisfy\s+any"\s+\(admin\/\.htaccess:8\) also applies[^]*: write/m,
      );
      assert.match(`${out}${err}`, /^ *\.\/admin\/\.htaccess:5: Not converted: waits for /m);
      assert.doesNotMatch(`${out}${err}`, /--unsafe|questions? (is|are) open/);
    });

    it('promises before the answer what comes with it, with the reasons of the rest', async () => {
      application('Satisfy any\n');
      folder().write('.htaccess', folder().text('.htaccess') + LATER);
      const plan = async (...args: string[]) => {
        const { out } = await folder().run(['plan', '--format', 'json', ...args, '.']);
        const { configurations } = JSON.parse(out) as UpgradePlan;
        assert.deepEqual(
          configurations.map(({ root }) => root),
          ['.'],
        );
        return configurations[0]!;
      };
      const [before, after] = [await plan(), await plan(...LONE)];
      assert.equal(before.questions[0]!.answers[0]!.ready, 3);
      assert.equal(before.waiting.length, 3);
      assert.equal(after.ready.length, 3);
      assert.deepEqual(before.byHand, after.byHand);
      const reasons = before.byHand.filter(({ rule }) => rule === 'order-allow-deny').map(({ what }) => what);
      assert.equal(reasons.length, 3);
      for (const what of reasons) assert.match(what, /^Not converted: .*: (write|convert)/);
      const { out } = await folder().run(['plan', ...LONE, '.']);
      assert.doesNotMatch(out, /httpd-upgrade verify/);
    });

    it('takes no suggestions', async () => {
      folder().write('.htaccess', 'Order deny,allow\n');
      const { code, err } = await folder().run(['fix', '--keep-both', '--unsafe', '.htaccess']);
      assert.equal(code, 2);
      assert.match(err, /--keep-both/);
    });

    it('is what the answer about versions does, without a question, and with nothing else', async () => {
      const text = 'MaxClients 5\n<Directory /srv>\n    Order deny,allow\n    Deny from all\n</Directory>\n';
      const wanted = await kept(text, 'a.conf');
      for (const args of [[], ['--unsafe']]) {
        folder().write('a.conf', text);
        const { code, err } = await folder().run([
          'fix',
          '--write',
          '--fail-on',
          'never',
          ...LONE,
          '--answer',
          'versions=both',
          ...args,
          'a.conf',
        ]);
        assert.equal(code, 0, err);
        assert.doesNotMatch(err, /is not needed/);
        assert.equal(folder().text('a.conf'), wanted);
      }
      assert.match(wanted, /^MaxClients 5\n/);
      folder().write('a.conf', text);
      folder().write('.httpd-upgrade.json', '{ "answers": { "versions": "both", "outside-unseen:.": "none" } }');
      const { out } = await folder().run(['plan', '--format', 'json', '.']);
      const [{ ready, byHand, questions }] = (JSON.parse(out) as UpgradePlan).configurations;
      assert.deepEqual(
        [ready.map(({ rule }) => rule), byHand.map(({ rule }) => rule), questions.map(({ id }) => id)],
        [['order-allow-deny'], [], ['outside-unseen:.']],
      );
      await folder().run(['fix', '--write', '--fail-on', 'never', '.']);
      assert.equal(folder().text('a.conf'), wanted);
      folder().write('a.conf', text);
      await folder().run(['fix', '--write', '--fail-on', 'never', '--answer', 'versions=2.4', '.']);
      assert.match(folder().text('a.conf'), /^MaxRequestWorkers 5\n.*\n    Require all denied\n/);
    });

    it('names what it does not convert in a file without a main file', async () => {
      const fixed = async (file: string, text: string, ...args: string[]) => {
        folder().write(file, text);
        const { out, err } = await folder().run(['fix', '--keep-both', ...args, file]);
        return `${out}${err}`.replace(/\s+/g, ' ');
      };
      const login = 'AuthType Basic\nAuthName x\nRequire valid-user\n';
      assert.match(
        await fixed(
          'a.conf',
          `<Directory /srv>\n<FilesMatch "bak">\nOrder allow,deny\nDeny from all\n</FilesMatch>\n${LATER}</Directory>\n<Directory /srv/x>\n${login}Order deny,allow\nDeny from all\nAllow from 10.0.0.1\nSatisfy any\n</Directory>\n`,
          ...LONE,
        ),
        /a\.conf:3: Not converted: "Satisfy any" \(a\.conf:19\) also applies .* a\.conf:16: Not converted: waits for <FilesMatch "bak"> \(a\.conf:2\)/,
      );
      assert.match(
        await fixed('site.conf', '<Directory /srv>\nOrder allow,deny\nAllow from all\n</Directory>\n'),
        /site\.conf:2: Not converted: answer "outside-unseen:\.", which plan asks, then run again/,
      );
      assert.match(
        await fixed('.htaccess', '<Limit POST>\nAuthName x\nOrder deny,allow\nDeny from all\n</Limit>\n', ...LONE),
        /\.htaccess:3: Not converted: it would be right only if .* Write the lines by hand/,
      );
    });

    it('names no converted section of .htaccess files among those that stay', async () => {
      folder().write('.htaccess', '<Files a>\nOrder allow,deny\nDeny from all\n</Files>\n');
      const { out, err } = await folder().run(['fix', '--keep-both', '--fail-on', 'never', '.']);
      assert.match(out, /^\+ +Require all denied$/m);
      assert.doesNotMatch(err, /Not converted/);
    });

    it('keeps the access that 2.4 gives now where some .htaccess files are of 2.4', async () => {
      folder().write('a/.htaccess', 'Order deny,allow\nDeny from all\n');
      folder().write('b/.htaccess', 'Require all denied\n');
      const fixed = (...args: string[]) => folder().run(['fix', '--keep-both', '--fail-on', 'never', ...args, '.']);
      const { out, err } = await fixed();
      assert.match(out, /^\+ +Require all denied$/m);
      assert.match(err, /each version keeps the access that it gives now/);
      assert.doesNotMatch(err, /Not converted/);
      const of22 = await fixed('--answer', 'running-version=2.2');
      assert.equal(of22.out, '');
      assert.match(of22.err, /a\/\.htaccess:1: Not converted: the files mix both versions: /);
    });

    it('ends the advice about PHP when the sections for PHP 7 and 8 are there', async () => {
      const of = (name: string) => `<IfModule ${name}>\nphp_flag engine on\n</IfModule>\n`;
      const results = async (text: string, answer: string) => {
        folder().write('.htaccess', text);
        const args = ['--answer', answer, '.htaccess'];
        const { out } = await folder().run(['check', '--format', 'json', ...args]);
        const { findings } = JSON.parse(out).files[0] as { findings: { rule: string; help?: string }[] };
        const { out: diff } = await folder().run(['fix', '--unsafe', ...args]);
        return [findings.filter(({ rule }) => rule === 'ifmodule-renamed').map(({ help }) => help), diff];
      };
      const all = of('mod_php5.c') + of('php7_module') + of('mod_php.c');
      for (const answer of ['versions=both', 'php=7', 'php=8', 'php=5'])
        assert.deepEqual(await results(all, answer), [[], ''], answer);
      const two = of('mod_php5.c') + of('mod_php7.c');
      assert.deepEqual((await results(two, 'versions=both'))[0], [
        'Keep this section for 2.2. Below it, add a copy for `<IfModule mod_php.c>` (PHP 8).',
      ]);
      assert.equal((await results(two, 'php=7'))[1], '');
      assert.match(String((await results(two, 'php=8'))[1]), /^\+<IfModule mod_php\.c>$/m);
      const apart = `${of('mod_php5.c')}<Files a>\n${of('mod_php7.c')}${of('mod_php.c')}</Files>\n`;
      assert.equal((await results(apart, 'versions=both'))[0]!.length, 1);
    });

    it('gives advice for both versions beside access control, too', async () => {
      const sections = ['mod_php5.c', '!mod_php5.c', 'mod_php4.c']
        .map((name) => `<IfModule ${name}>\nphp_flag engine on\n</IfModule>\n`)
        .join('');
      folder().write('httpd.conf', `${sections}MaxClients 5\n`);
      const { out } = await folder().run(['check', '--format', 'json', '--answer', 'versions=both', 'httpd.conf']);
      const { findings } = JSON.parse(out).files[0] as { findings: { rule: string; help?: string }[] };
      const advice = (rule: string) => findings.filter((each) => each.rule === rule).map(({ help }) => help);
      assert.deepEqual(advice('ifmodule-renamed'), [
        'Keep this section for 2.2. Below it, add a copy for `<IfModule mod_php7.c>` (PHP 7) and one for `<IfModule mod_php.c>` (PHP 8).',
        'Keep this section, and put it into `<IfModule !mod_php7.c>` and `<IfModule !mod_php.c>`.',
        'Keep this section for the servers of 2.2 with this PHP. If none has it, remove the section.',
      ]);
      assert.deepEqual(advice('max-clients'), [
        'Keep the line: both versions read it. Change it after the last 2.2 server is gone.',
      ]);
    });

    it('advises no step and no change after which 2.2 does not start', async () => {
      folder().write(
        'conf/httpd.conf',
        `ServerRoot "/etc/httpd"
Listen 80
NameVirtualHost *:80
Include conf.d/*.conf
<IfModule prefork.c>
    MaxClients 5
</IfModule>
LoadModule authz_host_module modules/mod_authz_host.so
LoadModule authz_default_module modules/mod_authz_default.so
LoadModule ssl_module modules/mod_ssl.so
LoadModule dav_module modules/mod_dav.so
LoadModule dav_fs_module modules/mod_dav_fs.so
LoadModule include_module modules/mod_include.so
DavLockDB /var/lib/dav/lockdb
AddOutputFilter INCLUDES .shtml
SSLMutex default
RewriteLog /var/log/rewrite
DefaultType text/plain
ExtendedStatus On
`,
      );
      folder().write('conf.d/a.conf', '# empty\n');
      const asked = [
        '--distribution',
        'rhel',
        '--answer',
        'versions=both',
        '--answer',
        'modules=files',
        'conf/httpd.conf',
      ];
      const { out } = await folder().run(['plan', ...asked]);
      const text = out.replace(/\s+/g, ' ');
      assert.doesNotMatch(text, /(?<!\w)[Rr]emove (?!none|no line)/, out);
      assert.doesNotMatch(text, /After you stop 2\.2|Rewrite them|2\.2 reads this file, too/, out);
      assert.equal(text.split('2.2 reads these files, too').length, 2, out);
      assert.match(
        text,
        /Include conf\.modules\.d\/\*\.conf in `<IfVersion >= 2\.4>`, .* LoadModule lines of 2\.2 in httpd\.conf into `<IfVersion < 2\.4>`, and remove none/,
      );
      assert.match(text, /`authz_default_module` was removed; .*? Put the line into `<IfVersion < 2\.4>`\. \[removed-/);
      assert.match(text, /`SSLMutex` was removed; .*? Put the line into `<IfModule !mod_authz_core\.c>`\. \[mutex-/);
      assert.match(text, /This loads the MPM and the modules that only 2\.4 needs, too\. \[package-modules\]/);
      assert.doesNotMatch(text, /\[missing-module\]|(?<!\w)Load \w/, out);
      const { onServer, byHand } = (
        JSON.parse((await folder().run(['plan', '--format', 'json', ...asked])).out) as UpgradePlan
      ).configurations[0]!;
      assert.deepEqual(
        onServer.filter(({ id }) => id === 'later-changes').map(({ what, isNote }) => [what, isNote]),
        [
          [
            'Both versions read these old lines, so they can stay: NameVirtualHost, Include, MaxClients, DefaultType. Change them after the last 2.2 server is gone. For an Include with a wildcard, keep one file that always matches, even an empty one: 2.4 does not start without.',
            true,
          ],
        ],
      );
      assert.deepEqual(
        byHand.filter(({ rule }) => rule === 'max-clients' || rule === 'name-virtual-host'),
        [],
      );
      // A LoadModule line of 2.4 does not mean that 2.2 is gone.
      const load24 = 'LoadModule authz_core_module modules/mod_authz_core.so\n';
      folder().write(
        'conf/httpd.conf',
        `${folder().text('conf/httpd.conf')}<IfVersion >= 2.4>\n${load24}</IfVersion>\n`,
      );
      const steps = (JSON.parse((await folder().run(['plan', '--format', 'json', ...asked])).out) as UpgradePlan)
        .configurations[0]!.onServer;
      assert.deepEqual(
        steps.map(({ id }) => id),
        onServer.map(({ id }) => id),
      );
    });

    it('keeps the paths and the PHP handler that 2.2 needs', async () => {
      folder().write(
        'conf/httpd.conf',
        `ServerRoot "/etc/httpd"
Listen 80
Alias /icons/ "/var/www/icons/"
<Directory "/var/www/icons">
    Options None
</Directory>
AddHandler php5-script .php
AddHandler x-httpd-php53 .php5
`,
      );
      const plan = async () =>
        (
          await folder().run(['plan', '--distribution', 'rhel', '--answer', 'versions=both', 'conf/httpd.conf'])
        ).out.replace(/\s+/g, ' ');
      assert.match(
        await plan(),
        /Put this line and the whole `<Directory>` section into `<IfModule !mod_authz_core\.c>` for 2\.2, and copies with \/usr\/share\/httpd\/icons into `<IfModule mod_authz_core\.c>`\. If/,
      );
      assert.match(await plan(), /Put this line into `<IfModule mod_php5\.c>`, .*php-script/);
      assert.match(await plan(), /Ask the host for the name on the 2\.4 server\. Put this line into `<IfModule !mod_/);
      assert.doesNotMatch(await plan(), /remove the line|until PHP-FPM runs them/);
      const split = (old: string, now: string) =>
        `<IfModule !mod_authz_core.c>\n${old}</IfModule>\n<IfModule mod_authz_core.c>\n${now}</IfModule>\n`;
      const lines = (icons: string) =>
        `Alias /icons/ "${icons}/"\n<Directory "${icons}">\nOptions None\n</Directory>\n`;
      folder().write(
        'conf/httpd.conf',
        `ServerRoot "/etc/httpd"\nListen 80\n${split(
          `${lines('/var/www/icons')}AddHandler php5-script .php\nAddHandler x-httpd-php53 .php5\n`,
          `${lines('/usr/share/httpd/icons')}AddHandler php-script .php\n`,
        )}`,
      );
      assert.doesNotMatch(await plan(), /\[package-path\]|\[php-handler\]/);
    });

    it('writes PHP lines once for each module, and is content with that', async () => {
      const plan = async (lines: string) => {
        folder().write('www/.htaccess', lines);
        return (await folder().run(['plan', '--answer', 'versions=both', 'www/.htaccess'])).out.replace(/\s+/g, ' ');
      };
      assert.match(
        await plan('php_value memory_limit 9M\n'),
        /\(PHP 8\)\. For PHP-FPM, also write them into `\.user\.ini`/,
      );
      assert.match(
        await plan('php_flag magic_quotes_gpc off\n'),
        /into `<IfModule mod_php5\.c>`: later versions of PHP/,
      );
      const section = '<IfModule mod_php5.c>\nAddHandler php5-script .php\n</IfModule>\n';
      assert.doesNotMatch(await plan(section), /\[php-handler\]/);
      assert.match(await plan('AddHandler php5-script .php\n'), /\[php-handler\]/);
      assert.doesNotMatch(await plan('AddHandler php5-script .php\n'), /LoadModule/);
    });

    it('counts no line that both versions read as a problem that is left', async () => {
      const left = async (lines: string, ...args: string[]) => {
        folder().write('conf/httpd.conf', `ServerRoot "/srv"\nListen 80\n${lines}`);
        const { err } = await folder().run(['fix', ...args, '--fail-on', 'never', 'conf/httpd.conf']);
        return /(\d+) problems? (?:is|are) left/.exec(err)?.[1];
      };
      const both = ['--answer', 'versions=both'];
      assert.equal(await left('MaxClients 9\n', ...both), await left('', ...both));
      assert.notEqual(await left('MaxClients 9\n', ...both), undefined);
    });

    it('lists new defaults until the answer is to use them', async () => {
      folder().write('conf/httpd.conf', 'ServerRoot "/srv"\nListen 80\n');
      const plan = async (...args: string[]) =>
        (await folder().run(['plan', '--answer', 'versions=both', ...args, 'conf/httpd.conf'])).out.replace(
          /\s+/g,
          ' ',
        );
      assert.match(await plan(), /Write the lines into `<IfModule mod_authz_core\.c>`\. If .*? \[changed-defaults\]/);
      assert.doesNotMatch(await plan('--answer', 'defaults=2.4'), /\[changed-defaults\]/);
    });

    it('names a section for each version for modules with a new name', async () => {
      folder().write('httpd.conf', 'ServerRoot /srv\nListen 80\nLoadModule disk_cache_module m/mod_disk_cache.so\n');
      const { out } = await folder().run(['plan', '--answer', 'versions=both', 'httpd.conf']);
      assert.match(
        out.replace(/\s+/g, ' '),
        /Put the line into `<IfVersion < 2\.4>`, and a line that loads cache_disk_module .*? into `<IfVersion >= 2\.4>`/,
      );
    });

    it('puts the module directory of 2.2 into a test for the version', async () => {
      folder().write(
        'httpd.conf',
        'ServerRoot "/usr/local"\nListen 80\nLoadModule alias_module libexec/apache22/mod_alias.so\n',
      );
      const { out } = await folder().run(['plan', '--answer', 'versions=both', 'httpd.conf']);
      assert.match(
        out.replace(/\s+/g, ' '),
        /Put this line into `<IfVersion < 2\.4>` for 2\.2, and a copy with \/usr\/local\/libexec\/apache24 into `<IfVersion >= 2\.4>`\. mod_version must be loaded before them\. \[package-path\]/,
      );
    });

    it('asks for a file that an Include matches only if there is none', async () => {
      folder().write('conf/httpd.conf', 'ServerRoot "/etc/httpd"\nListen 80\nInclude conf.d/*.conf\n');
      const plan = async () =>
        (
          await folder().run(['plan', '--distribution', 'rhel', '--answer', 'versions=both', 'conf/httpd.conf'])
        ).out.replace(/\s+/g, ' ');
      const ofLater = /so they can stay: Include\. .* keep one file that always matches.* \[later-changes\]/;
      assert.match(await plan(), ofLater);
      assert.doesNotMatch(await plan(), /\[include-/);
      folder().write('conf.d/README', 'none\n');
      assert.match(await plan(), /Add a file that matches, even an empty one.* \[include-no-match\]/);
      folder().write('conf.d/empty.conf', '');
      assert.doesNotMatch(await plan(), /\[include-/);
      assert.match(await plan(), ofLater);
    });

    it('has one step on Red Hat for the modules that the packages of 2.4 load', async () => {
      folder().write(
        'conf/httpd.conf',
        `ServerRoot "/etc/httpd"
Listen 80
Include conf.d/*.conf
LoadModule auth_basic_module modules/mod_auth_basic.so
LoadModule authz_host_module modules/mod_authz_host.so
LoadModule dir_module modules/mod_dir.so
LoadModule mime_module modules/mod_mime.so
LoadModule version_module modules/mod_version.so
User apache
`,
      );
      folder().write('conf.d/a.conf', 'SSLRandomSeed startup builtin\n<Location /a>\nDeny from all\n</Location>\n');
      const planned = async (...more: string[]) =>
        (
          JSON.parse(
            (
              await folder().run([
                'plan',
                ...['--format', 'json', '--distribution', 'rhel', '--answer', 'versions=both'],
                ...more,
                'conf/httpd.conf',
              ])
            ).out,
          ) as UpgradePlan
        ).configurations[0]!;
      const { byHand, onServer, blocking } = await planned();
      const hand = byHand.filter(({ rule }) => rule === 'missing-module').map(({ what }) => what);
      // mod_ssl is in another package.
      assert.deepEqual(hand, ['`SSLRandomSeed` needs mod_ssl, which is not loaded']);
      const step = onServer.find(({ id }) => id === 'package-modules')!;
      assert.deepEqual(
        [step.isBlocking, ...step.because.map(({ file, line }) => `${file}:${line + 1}`).sort()],
        [true, 'conf.d/a.conf:3', 'conf/httpd.conf:4', 'conf/httpd.conf:5', 'conf/httpd.conf:9'],
      );
      assert.equal(blocking, 2);
    });

    it('keeps a LoadModule line that 2.2 needs and a package of 2.4 has, too', async () => {
      folder().write(
        'conf/httpd.conf',
        `ServerRoot /etc/httpd
Listen 80
LoadModule version_module modules/mod_version.so
<IfVersion >= 2.4>
Include conf.modules.d/*.conf
</IfVersion>
LoadModule ssl_module modules/mod_ssl.so
`,
      );
      folder().write(
        'conf.modules.d/00-base.conf',
        'LoadModule version_module modules/mod_version.so\nLoadModule ssl_module modules/mod_ssl.so\n',
      );
      const { out } = await folder().run([
        'plan',
        '--distribution',
        'rhel',
        '--answer',
        'versions=both',
        'conf/httpd.conf',
      ]);
      const text = out.replace(/\s+/g, ' ');
      assert.match(text, /`ssl_module` is already loaded\. Put this line into `<IfVersion < 2\.4>`\. \[load-/);
      assert.doesNotMatch(text, /`version_module`/);
    });

    it('does not ask for the one PHP of 2.4, and the next commands know of both versions', async () => {
      const php = '<IfModule mod_php5.c>\n    php_value post_max_size 16M\n</IfModule>\n';
      folder().write('.htaccess', `${php}Deny from all\n<Files a>\nOrder allow,deny\n</Files>\n`);
      const { err } = await folder().run(['fix', '--keep-both', '--write', ...LONE, '.']);
      assert.doesNotMatch(err, /php=/);
      const plan = await folder().run(['plan', '--format', 'json', ...LONE, '--answer', 'versions=both', '.']);
      assert.deepEqual(
        (JSON.parse(plan.out) as UpgradePlan).configurations[0]!.questions.map(({ id }) => id).filter(
          (id) => id === 'php',
        ),
        [],
      );
      folder().write('site.conf', '<Directory /srv>\nOrder allow,deny\nAllow from all\n</Directory>\n');
      const asked = await folder().run(['fix', '--keep-both', '--write', 'site.conf']);
      assert.match(asked.err, /httpd-upgrade migrate --answer versions=both site\.conf/);
      assert.match(
        asked.err.replace(/\s+/g, ' '),
        /an application ships these files\? Then add --answer outside-unseen:\.=none, /,
      );
    });
  }),
);
