/**
 * Layouts of distributions on the command line: the commands in `plan` for the server, and the tree
 * after `fix --write`.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import type { OnServerItem, UpgradePlan } from '../../server/src/analysis/upgrade-plan';
import { DEBIAN6 } from '../support/debian6';
import { withFolder } from './run';

/** The directives of the apache2.conf of Debian 7 (apache2 2.2.22). */
const DEBIAN7_MAIN = `LockFile \${APACHE_LOCK_DIR}/accept.lock
PidFile \${APACHE_PID_FILE}
Timeout 300
KeepAlive On
MaxKeepAliveRequests 100
KeepAliveTimeout 5
<IfModule mpm_prefork_module>
    StartServers 5
    MinSpareServers 5
    MaxSpareServers 10
    MaxClients 150
    MaxRequestsPerChild 0
</IfModule>
User \${APACHE_RUN_USER}
Group \${APACHE_RUN_GROUP}
AccessFileName .htaccess
<Files ~ "^\\.ht">
    Order allow,deny
    Deny from all
    Satisfy all
</Files>
DefaultType None
HostnameLookups Off
ErrorLog \${APACHE_LOG_DIR}/error.log
LogLevel warn
Include mods-enabled/*.load
Include mods-enabled/*.conf
Include ports.conf
LogFormat "%{Referer}i -> %U" referer
LogFormat "%{User-agent}i" agent
Include conf.d/
Include sites-enabled/
`;

describe(
  'layouts of distributions',
  withFolder((folder) => {
    const write = (files: Readonly<Record<string, string>>) =>
      Object.entries(files).forEach(([file, text]) => folder().write(file, text));
    const planned = async (root: string, ...args: string[]): Promise<UpgradePlan> =>
      JSON.parse((await folder().run(['plan', '--format', 'json', ...args, root])).out) as UpgradePlan;
    const commands = ({ configurations }: UpgradePlan) =>
      configurations.flatMap(({ onServer }) => onServer.flatMap(({ commands: own = [] }: OnServerItem) => own));

    describe('Debian', () => {
      const ENABLE = 'a2enmod mpm_prefork authn_core authz_core filter socache_shmcb';

      it('a server of 40 files: nothing by hand, and one line for a2enmod', async () => {
        write(DEBIAN6);
        const plan = await planned('apache2');
        assert.deepEqual(
          plan.configurations.map(({ root, files, byHand }) => ({ root, files, byHand })),
          [{ root: 'apache2/apache2.conf', files: 40, byHand: [] }],
        );
        assert.deepEqual(commands(plan), [ENABLE, 'a2dismod authz_default']);
        const enabling = plan.configurations[0]!.onServer.find(({ id }) => id === 'enable-modules');
        // The modules of the copy that 2.4 also has: on a new machine, none of them is enabled.
        assert.match(
          enabling!.what,
          /also enable the modules of this copy that you need: `a2enmod actions alias .* status`\./,
        );
        assert.doesNotMatch(enabling!.what, /authz_default/);
        assert.match(enabling!.what, /refuses mpm_prefork while .* "a2dismod mpm_event mpm_worker" first\.$/);
        const { out } = await folder().run(['check', 'apache2']);
        assert.equal(out.match(/\[missing-module\]/g)?.length, 1, 'one finding');
        assert.match(out.replace(/\s+/g, ' '), new RegExp(`Run \`${ENABLE}\``.replace(/ /g, '[ =]+')));
      });

      it('names the files that the apache2.conf of 2.4 does not read', async () => {
        write({
          'layout/apache2.conf':
            'ServerRoot /etc/apache2\nInclude mods-enabled/*.load\nInclude conf.d/\nInclude sites-enabled/\n',
          'layout/mods-enabled/alias.load': 'LoadModule alias_module /usr/lib/apache2/modules/mod_alias.so\n',
          'layout/conf.d/security': 'ServerTokens OS\n',
          'layout/sites-enabled/shop.example.com': '<VirtualHost *:80>\n</VirtualHost>\n',
          'layout/sites-enabled/000-default.conf': '<VirtualHost *:80>\n</VirtualHost>\n',
        });
        const [item] = (await planned('layout')).configurations.flatMap(({ onServer }) =>
          onServer.filter(({ id }) => id === 'debian-layout'),
        );
        assert.match(item!.what, /so not (sites-enabled\/shop\.example\.com|conf\.d\/security|, ){3}\./);
        assert.deepEqual(item!.because.map(({ file, line }) => `${file}:${line + 1}`).sort(), [
          'layout/apache2.conf:3',
          'layout/apache2.conf:4',
          'layout/conf.d/security:1',
          'layout/sites-enabled/shop.example.com:1',
        ]);
      });

      it('names the own lines of the main file, and the files that are the unchanged ones of the package', async () => {
        const own = async () =>
          (await planned('own')).configurations
            .flatMap(({ onServer }) => onServer)
            .filter(({ id }) => id === 'main-file' || id === 'stock-files');
        write({
          'own/apache2.conf': DEBIAN7_MAIN.replace('Timeout 300', 'Timeout 60')
            .replace('    Satisfy all', '    Satisfy any')
            .replace(
              'Include conf.d/',
              '<Directory /srv/www>\n    Order allow,deny\n    Allow from all\n</Directory>\nInclude conf.d/',
            ),
          'own/mods-enabled/alias.load': 'LoadModule alias_module /usr/lib/apache2/modules/mod_alias.so\n',
          'own/conf.d/mine': 'ServerTokens OS\n',
          'own/ports.conf':
            'NameVirtualHost *:80\nListen 80\n<IfModule mod_ssl.c>\n    Listen 443\n</IfModule>\n<IfModule mod_gnutls.c>\n    Listen 443\n</IfModule>\n',
        });
        const [main, stock, ...more] = await own();
        assert.deepEqual(more, []);
        assert.match(
          main!.what,
          /^Keep using your own apache2\.conf: if 2\.4 runs on a new machine, copy the file there\. Your apache2\.conf is that of Debian 7 with 3 changed lines/,
        );
        assert.match(
          main!.what,
          /conf-available\/local\.conf.*`Timeout 60` \(line 3\), `Satisfy any` in `<Files ~ .*>` \(line \d+\), `<Directory \/srv\/www>` \(line \d+\)\. Lines of the old package that this file does not have: /,
        );
        assert.deepEqual(main!.because.map(({ line }) => line + 1)[0], 3);
        assert.match(
          stock!.what,
          /^Do not carry over ports\.conf: it is the unchanged file of the 2\.2 package of Debian/,
        );
        // A conversion changes lines of the package: these are not the user's.
        await folder().run(['fix', '--write', 'own']);
        assert.match((await own())[0]!.what, /with \d changed lines?/);
      });

      it('says to keep the main file or to take the new one, but not both', async () => {
        const advice = async () =>
          (await planned('stock')).configurations
            .flatMap(({ onServer }) => onServer)
            .flatMap(({ id, what }) => (id === 'main-file' || id === 'debian-layout' ? [what] : []));
        const threads =
          'MinSpareThreads 25\nMaxSpareThreads 75\nThreadLimit 64\nThreadsPerChild 25\nMaxClients 150\nMaxRequestsPerChild 0\n';
        const sections = ['worker', 'event'].map(
          (mpm) => `<IfModule mpm_${mpm}_module>\nStartServers 2\n${threads}</IfModule>\n`,
        );
        const main = DEBIAN7_MAIN.replace('User $', `${sections.join('')}User $`);
        write({
          'stock/apache2.conf': main,
          'stock/sites-enabled/000-default': '<VirtualHost *:80>\n</VirtualHost>\n',
        });
        const [take, ...more] = await advice();
        assert.match(
          take!,
          /^Take the apache2\.conf .* do not rename or move other files\. .* a2ensite and a2enconf\.$/,
        );
        assert.deepEqual(more, []);
        write({ 'stock/apache2.conf': main.replace('Timeout 300', 'Timeout 60') });
        assert.deepEqual(
          (await advice()).map((text) => text.slice(0, 10)),
          ['Keep using', 'Keep using'],
        );
      });

      it('the MPM of the command is the one that a person chose, or that 2.2 had', async () => {
        write(DEBIAN6);
        const asked = async (...args: string[]) => {
          const plan = await planned('apache2', ...args);
          const question = plan.configurations.flatMap(({ questions }) => questions).find(({ id }) => id === 'mpm');
          return [question?.answer, commands(plan)[0]];
        };
        const others = ENABLE.replace('a2enmod mpm_prefork', '');
        assert.deepEqual(await asked(), [null, ENABLE], 'asked, and prefork meanwhile');
        assert.deepEqual(await asked('--answer', 'mpm=event'), ['event', `a2enmod mpm_event${others}`]);
        assert.deepEqual(await asked('--answer', 'mpm=worker'), ['worker', `a2enmod mpm_worker${others}`]);
        assert.deepEqual(await asked('--answer', 'mpm=keep'), ['keep', ENABLE]);
        const load = (name: string) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so\n`;
        write({ 'apache2/mods-enabled/cgid.load': load('cgid'), 'apache2/mods-enabled/cgi.load': '\n' });
        assert.deepEqual(await asked(), [null, `a2enmod mpm_worker${others}`], 'a2enmod chose cgid for threads');
        write({ 'apache2/mods-enabled/cgi.load': load('cgi') });
        assert.deepEqual(await asked(), [null, ENABLE]);
        write({
          'apache2/mods-enabled/php5.load': 'LoadModule php5_module /usr/lib/apache2/modules/libphp5.so\n',
          'apache2/mods-enabled/cgi.load': '\n',
        });
        assert.deepEqual(await asked(), [undefined, ENABLE], 'mod_php needs prefork: nothing to ask');
      });

      it('once it is fixed, nothing in the files stops 2.4, and the command is what is left', async () => {
        write(DEBIAN6);
        const answers = ['--answer', 'defaults=2.2'];
        await folder().run(['fix', '--write', ...answers, 'apache2']);
        const {
          summary,
          configurations: [{ onServer, waiting }],
        } = await planned('apache2', ...answers);
        assert.deepEqual([summary.blocking, summary.ready, waiting.length, summary.byHand], [0, 0, 0, 0]);
        assert.deepEqual(
          onServer.filter(({ isBlocking }) => isBlocking).map(({ commands: own }) => own),
          [[ENABLE]],
        );
        const { out } = await folder().run(['plan', ...answers, 'apache2']);
        assert.match(out, new RegExp(`^    ${ENABLE}$`, 'm'), 'on a line of its own, not broken');
        assert.match(
          out.replace(/\s+/g, ' '),
          /^0 blocking · 1 question open .* No problem in the files blocks httpd 2\.4\. httpd 2\.4 does not start before you do the steps under "On the server"\./,
          'the question for the MPM is open',
        );
        // As a2enmod does.
        for (const name of ENABLE.split(' ').slice(1))
          folder().write(
            `apache2/mods-enabled/${name}.load`,
            `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so\n`,
          );
        assert.deepEqual(commands(await planned('apache2', ...answers)), []);
        // Some defaults are those of a module that is enabled now.
        await folder().run(['fix', '--write', ...answers, 'apache2']);
        assert.match(
          (await folder().run(['plan', ...answers, 'apache2'])).out,
          /Ready after 8 steps on the server\.$/m,
        );
      });

      it('with mod_php there is no word of threads; modules with other names in 2.4 are enabled', async () => {
        write({
          ...DEBIAN6,
          'apache2/mods-enabled/php5.load': 'LoadModule php5_module /usr/lib/apache2/modules/libphp5.so\n',
          'apache2/mods-enabled/disk_cache.load':
            'LoadModule disk_cache_module /usr/lib/apache2/modules/mod_disk_cache.so\n',
          'apache2/mods-enabled/cache.load': 'LoadModule cache_module /usr/lib/apache2/modules/mod_cache.so\n',
          'apache2/mods-enabled/mem_cache.load':
            'LoadModule mem_cache_module /usr/lib/apache2/modules/mod_mem_cache.so\n',
        });
        assert.deepEqual(commands(await planned('apache2')), [
          ENABLE,
          'a2dismod authz_default disk_cache mem_cache',
          'a2enmod cache_disk',
        ]);
        assert.doesNotMatch((await folder().run(['check', 'apache2'])).out, /mpm_event/);
      });

      const STOCK =
        'ServerRoot "/etc/apache2"\nIncludeOptional mods-enabled/*.load\nIncludeOptional conf-enabled/*.conf\nIncludeOptional sites-enabled/*.conf\n';
      const SITE = (name: string) => `<VirtualHost *:80>\n    ServerName ${name}\n</VirtualHost>\n`;
      const OLD_SITES = {
        'apache2/sites-available/default': SITE('www'),
        'apache2/sites-available/shop': SITE('shop'),
        'apache2/sites-available/two': SITE('two'),
        'apache2/sites-available/taken': SITE('taken'),
        'apache2/sites-available/taken.conf': '',
        'apache2/sites-available/taken-local.conf': '',
        'apache2/sites-available/named.conf': SITE('named'),
        'apache2/sites-enabled/own site': SITE('own'),
        'apache2/sites-enabled/more/inner.conf': SITE('inner'),
        'apache2/sites-enabled/old/gone': SITE('gone'),
        'elsewhere/far': SITE('far'),
        'apache2/conf.d/charset': 'AddDefaultCharset UTF-8\n',
        'apache2/conf.d/charset.conf': 'AddDefaultCharset Off\n',
        'apache2/conf.d/security.conf': 'ServerTokens Prod\n',
        'apache2/conf.d/zz/deep': 'ServerSignature Off\n',
        'apache2/httpd.conf': 'ServerName www.example.org\n',
        'apache2/ports.conf': 'Listen 80\n',
      };
      const LINKS = {
        'apache2/sites-enabled/000-default': '../sites-available/default',
        'apache2/sites-enabled/010-shop $1': '../sites-available/shop',
        'apache2/sites-enabled/two': '../sites-available/two',
        'apache2/sites-enabled/two-again': '../sites-available/two',
        'apache2/sites-enabled/taken': '../sites-available/taken',
        'apache2/sites-enabled/named': '../sites-available/named.conf',
        'apache2/sites-enabled/far': '../../elsewhere/far',
        'apache2/conf.d/far.conf': '../../elsewhere/far',
        'apache2/conf.d/zz/far.conf': '../../../elsewhere/far',
      };
      const writeOld = (main: string) => {
        write({ 'apache2/apache2.conf': main, ...OLD_SITES });
        for (const [link, target] of Object.entries(LINKS)) symlinkSync(target, folder().at(link));
      };

      it('the stock apache2.conf of 2.4 beside sites and snippets of 2.2: one command for each file', async () => {
        writeOld(STOCK);
        const plan = await planned('apache2');
        const [AVAILABLE, ENABLED] = ['/etc/apache2/sites-available', '/etc/apache2/sites-enabled'];
        const [CONF, SNIPPETS] = ['/etc/apache2/conf-available', '/etc/apache2/conf.d'];
        // Of a copy, what a link leads to outside of it is not looked at: 2.2 read it, or did not
        // start.
        assert.deepEqual(commands(plan), [
          // The package of 2.4 has a site of this name.
          `mv ${AVAILABLE}/default ${AVAILABLE}/000-default-local.conf && rm ${ENABLED}/000-default && a2ensite 000-default-local`,
          // A2ensite takes a blank for the end of a name.
          `mv ${AVAILABLE}/shop '${AVAILABLE}/010-shop $1.conf' && rm '${ENABLED}/010-shop $1' && ln -s '../sites-available/010-shop $1.conf' '${ENABLED}/010-shop $1.conf'`,
          `mv ${ENABLED}/far ${ENABLED}/far.conf`,
          `mv ${ENABLED}/more/inner.conf ${AVAILABLE}/more-inner.conf && a2ensite more-inner`,
          `mv ${ENABLED}/named ${ENABLED}/named.conf`,
          `mv '${ENABLED}/own site' '${AVAILABLE}/own site.conf' && ln -s '../sites-available/own site.conf' '${ENABLED}/own site.conf'`,
          `mv ${AVAILABLE}/taken ${AVAILABLE}/taken-local2.conf && rm ${ENABLED}/taken && a2ensite taken-local2`,
          `mv ${AVAILABLE}/two ${AVAILABLE}/two.conf && rm ${ENABLED}/two && a2ensite two`,
          `ln -s ../sites-available/two.conf ${ENABLED}/two-again.conf && rm ${ENABLED}/two-again`,
          `mv ${SNIPPETS}/charset ${CONF}/charset.local.conf && a2enconf charset.local`,
          `mv ${SNIPPETS}/charset.conf ${CONF}/charset.local2.conf && a2enconf charset.local2`,
          `mv ${SNIPPETS}/far.conf /etc/apache2/conf-enabled/far.conf`,
          `mv ${SNIPPETS}/security.conf ${CONF}/security.local.conf && a2enconf security.local`,
          `mv ${SNIPPETS}/zz/deep ${CONF}/zz-deep.conf && a2enconf zz-deep`,
          // A relative link leads elsewhere from another place.
          `ln -s /etc/elsewhere/far /etc/apache2/conf-enabled/zz-far.conf && rm ${SNIPPETS}/zz/far.conf`,
          'mv /etc/apache2/httpd.conf /etc/apache2/conf-available/httpd.conf && a2enconf httpd',
        ]);
        assert.deepEqual(
          plan.configurations[0].byHand.map(({ what, suggestion }) => [what, suggestion]),
          [['`ports.conf`: httpd does not read this file', 'Add IncludeOptional ports.conf']],
        );
      });

      const LOADS = ['authz_core', 'authz_host', 'dir', 'mime', 'alias', 'mpm_prefork']
        .map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so\n`)
        .join('');
      it('links of a copy name paths of the server: they lead to the files of the copy', async () => {
        write({
          'apache2/apache2.conf': `ServerRoot "/etc/apache2"\nListen 80\n${LOADS}<Directory />\n    AllowOverride None\n</Directory>\nInclude sites-enabled/\n`,
          'apache2/sites-available/shop':
            '<VirtualHost *:80>\n    ServerName shop\n    <Location />\n        Order allow,deny\n        Deny from all\n    </Location>\n</VirtualHost>\n',
          'apache2/shared/blog/site': SITE('blog'),
        });
        mkdirSync(folder().at('apache2/sites-enabled'));
        for (const [link, target] of Object.entries({
          'sites-enabled/shop': '/etc/apache2/sites-available/shop',
          // Through another link, and one to a directory.
          'sites-enabled/again': '../again',
          again: '/etc/apache2/sites-available/../sites-available/shop',
          'sites-enabled/blog': '../by-name/site',
          'by-name': '/etc/apache2/shared/blog',
          // What this machine has under that name is not the server's.
          'sites-enabled/zz-outside': '/etc/passwd',
          'sites-enabled/zz-round': '/etc/apache2/sites-enabled/zz-round',
        }))
          symlinkSync(target, folder().at(`apache2/${link}`));
        const { out } = await folder().run(['includes', 'apache2/apache2.conf']);
        assert.deepEqual(
          [...out.matchAll(/^ {4}(\S+)/gm)].map(([, file]) => file),
          ['apache2/sites-available/shop', 'apache2/shared/blog/site', 'apache2/sites-available/shop'],
          out,
        );
        assert.doesNotMatch(out, /passwd/);
        // Two are not here: nothing is converted for sure. Without them it is, by the name that the
        // file has.
        for (const link of ['zz-outside', 'zz-round', 'again']) rmSync(folder().at(`apache2/sites-enabled/${link}`));
        const fixed = await folder().run(['fix', '--write', 'apache2']);
        assert.match(folder().text('apache2/sites-available/shop'), /Require all denied/, fixed.out);
        assert.equal(readlinkSync(folder().at('apache2/sites-enabled/shop')), '/etc/apache2/sites-available/shop');
        write({ 'apache2/apache2.conf': STOCK });
        assert.deepEqual(commands(await planned('apache2')), [
          'mv /etc/apache2/sites-enabled/blog /etc/apache2/sites-enabled/blog.conf',
          'mv /etc/apache2/sites-available/shop /etc/apache2/sites-available/shop.conf && rm /etc/apache2/sites-enabled/shop && a2ensite shop',
        ]);
      });

      it('a link that leads out of the copy stays where an Include line reads it', async () => {
        write({ 'apache2/apache2.conf': 'ServerRoot /etc/apache2\nInclude sites-enabled/*.conf\nInclude conf.d/\n' });
        for (const link of ['conf.d/a.conf', 'sites-enabled/b.conf', 'sites-enabled/c']) {
          mkdirSync(folder().at(`apache2/${link.split('/')[0]}`), { recursive: true });
          symlinkSync('/etc/elsewhere/x.conf', folder().at(`apache2/${link}`));
        }
        assert.deepEqual(commands(await planned('apache2')), [
          'mv /etc/apache2/sites-enabled/c /etc/apache2/sites-enabled/c.conf',
        ]);
      });

      it('the commands do what they promise: all is read, and the sites in the same order', async () => {
        const root = folder().at('apache2');
        writeOld(
          STOCK.replace('/etc/apache2', root).replace(
            'IncludeOptional mods',
            'Include ports.conf\nIncludeOptional mods',
          ),
        );
        // What a2ensite and a2enconf do with a name: perl's glob splits it at blanks; a link to the
        // file in …-available, which has to be there (myglob, check_link and add_link of Debian's
        // a2enmod).
        for (const [tool, kind] of [
          ['a2ensite', 'sites'],
          ['a2enconf', 'conf'],
        ]) {
          folder().write(
            `bin/${tool}`,
            `#!/bin/sh\nset -e\ncase $1 in *[!A-Za-z0-9._+-]*) exit 1;; esac\nmkdir -p '${root}/${kind}-enabled'\ntest -e "${root}/${kind}-available/$1.conf"\nln -s "../${kind}-available/$1.conf" "${root}/${kind}-enabled/$1.conf"\n`,
          );
          chmodSync(folder().at(`bin/${tool}`), 0o755);
        }
        write({ 'apache2/conf-enabled/.keep': '', 'apache2/conf-available/.keep': '' });
        const served = async () => (await folder().run(['includes', 'apache2/apache2.conf'])).out;
        const all = commands(await planned('apache2'));
        assert.equal(all.length, 16);
        for (const command of all) {
          const { status, stderr } = spawnSync('/bin/sh', ['-e', '-c', command], {
            encoding: 'utf8',
            env: { ...process.env, PATH: `${folder().at('bin')}:${process.env.PATH ?? ''}` },
          });
          assert.equal(status, 0, `${command}: ${stderr}`);
        }
        assert.deepEqual(commands(await planned('apache2')), []);
        assert.deepEqual(
          readdirSync(`${root}/sites-enabled`)
            .filter((name) => name.endsWith('.conf'))
            .sort(),
          [
            '000-default-local.conf',
            '010-shop $1.conf',
            'far.conf',
            'more-inner.conf',
            'named.conf',
            'own site.conf',
            'taken-local2.conf',
            'two-again.conf',
            'two.conf',
          ],
        );
        assert.deepEqual(readdirSync(`${root}/conf-enabled`).sort(), [
          '.keep',
          'charset.local.conf',
          'charset.local2.conf',
          'far.conf',
          'httpd.conf',
          'security.local.conf',
          'zz-deep.conf',
          'zz-far.conf',
        ]);
        // All that 2.2 served, in its order, and each file with its own text.
        const out = await served();
        assert.match(out, /\(15 files/);
        for (const name of ['www', 'shop', 'two', 'taken', 'named', 'own', 'inner', 'far'])
          assert.ok(
            [...out.matchAll(/^ +(\S.*?)(?: {2}\(through .*)?$/gm)].some(
              ([, file]) => /-available|elsewhere/.test(file!) && folder().text(file!) === SITE(name),
            ),
            `${name} in\n${out}`,
          );
        for (const file of ['taken.conf', 'taken-local.conf'])
          assert.equal(folder().text(`apache2/sites-available/${file}`), '', 'nothing is overwritten');
        assert.ok(!existsSync(`${root}/conf.d/charset`));
      });
    });

    describe('what the server is started with', () => {
      const LOADS =
        'LoadModule authz_host_module modules/mod_authz_host.so\nLoadModule mod_alias modules/mod_alias.so\n';
      /** A section whose conversion hangs on a name, and on a variable. */
      const main = (serverRoot: string, more = '') =>
        `ServerRoot "${serverRoot}"\n${LOADS}Listen 80\n<Directory />\n    AllowOverride None\n    Order deny,allow\n    Deny from all\n</Directory>\n` +
        `<IfDefine OPEN>\n<Directory />\n    Order allow,deny\n    Allow from all\n</Directory>\n</IfDefine>\n<Directory "/srv/www">\n    Options None\n    Satisfy Any\n</Directory>\n${more}`;
      const answer = async (root: string) => (await folder().run(['includes', root])).out;
      const LAYOUTS: readonly (readonly [
        string,
        main: string,
        text: string,
        start: string,
        (flag: string) => string,
      ])[] = [
        [
          'Red Hat',
          'etc/httpd/conf/httpd.conf',
          main('/etc/httpd'),
          'etc/sysconfig/httpd',
          (flag) => `OPTIONS="${flag}"\n`,
        ],
        [
          'Gentoo',
          'etc/apache2/httpd.conf',
          main('/usr/lib64/apache2'),
          'etc/conf.d/apache2',
          (flag) => `APACHE2_OPTS="-D SSL ${flag}"\n`,
        ],
        [
          'SUSE',
          'etc/apache2/httpd.conf',
          main('/etc/apache2'),
          'etc/sysconfig/apache2',
          (flag) => `APACHE_SERVER_FLAGS="${flag.replace('-D ', '')}"\n`,
        ],
        [
          'Debian',
          'etc/apache2/apache2.conf',
          main('/etc/apache2'),
          'etc/apache2/envvars',
          (flag) => `export APACHE_ARGUMENTS='${flag}'\n`,
        ],
      ];
      for (const [name, root, text, start, options] of LAYOUTS)
        it(`${name}: a name that is given with -D is defined; of others nothing is known`, async () => {
          const included = (flag: string) => {
            write({
              [root]: `${text}<IfDefine OPEN>\nInclude /${root.replace(/[^/]*$/, 'open.inc')}\n</IfDefine>\n<IfDefine !OPEN>\nInclude /${root.replace(/[^/]*$/, 'closed.inc')}\n</IfDefine>\n`,
              [root.replace(/[^/]*$/, 'open.inc')]: '# open\n',
              [root.replace(/[^/]*$/, 'closed.inc')]: '# closed\n',
              [start]: options(flag),
            });
            return answer(root);
          };
          const on = await included('-D OPEN');
          assert.match(on, /open\.inc/);
          assert.doesNotMatch(on, /closed\.inc(?!.*(not read|not hold|is defined))/);
          const off = await included('-D ELSE');
          assert.match(off, /open\.inc.*/);
          assert.match(off, /closed\.inc.*/);
          const plan = await planned(root);
          assert.ok(
            plan.configurations.some(({ questions }) => questions.some(({ id }) => id === 'define:OPEN')),
            'asked, where the file does not name it',
          );
          await included('-D OPEN');
          const known = await planned(root);
          assert.ok(!known.configurations.some(({ questions }) => questions.some(({ id }) => id === 'define:OPEN')));
          const items = ({ configurations }: UpgradePlan) =>
            configurations.flatMap(({ onServer }) => onServer.filter(({ id }) => id === 'start-options'));
          assert.deepEqual(items(plan), [], 'no section asks for ELSE');
          const [item, ...more] = items(known);
          assert.deepEqual(more, []);
          assert.match(item!.what, /^Start 2\.4 with -D OPEN, too: \/etc\/\S+ does this/);
          // A contrary answer takes precedence.
          const said = await planned(root, '--answer', 'define:OPEN=off');
          assert.deepEqual(
            said.configurations.flatMap(({ questions }) =>
              questions.filter(({ id }) => id === 'define:OPEN').map((each) => each.answer),
            ),
            ['off'],
          );
        });

      const MPMS: readonly (readonly [
        string,
        main: string,
        serverRoot: string,
        files: Record<string, string>,
        says: string | null,
      ])[] = [
        [
          'Red Hat',
          'etc/httpd/conf/httpd.conf',
          '/etc/httpd',
          { 'etc/sysconfig/httpd': '#\nHTTPD=/usr/sbin/httpd.worker\n' },
          'HTTPD in /etc/sysconfig/httpd:2',
        ],
        [
          'Mandriva',
          'etc/httpd/conf/httpd.conf',
          '/etc/httpd',
          { 'etc/sysconfig/httpd': 'HTTPD="/usr/sbin/httpd-worker"\n' },
          'HTTPD in /etc/sysconfig/httpd:1',
        ],
        [
          'Red Hat, a comment',
          'etc/httpd/conf/httpd.conf',
          '/etc/httpd',
          { 'etc/sysconfig/httpd': '#HTTPD=/usr/sbin/httpd.worker\n' },
          null,
        ],
        [
          'Red Hat, a program of its own',
          'etc/httpd/conf/httpd.conf',
          '/etc/httpd',
          { 'etc/sysconfig/httpd': 'HTTPD=/opt/httpd/bin/httpd\n' },
          null,
        ],
        [
          'SUSE',
          'etc/apache2/httpd.conf',
          '/etc/apache2',
          { 'etc/sysconfig/apache2': 'APACHE_MODULES="dir"\nAPACHE_MPM="worker"\n' },
          'APACHE_MPM in /etc/sysconfig/apache2:2',
        ],
        [
          'SUSE, left to the packages',
          'etc/apache2/httpd.conf',
          '/etc/apache2',
          { 'etc/sysconfig/apache2': 'APACHE_MPM=""\n' },
          null,
        ],
        [
          'Gentoo',
          'etc/apache2/httpd.conf',
          '/usr/lib64/apache2',
          { 'etc/conf.d/apache2': 'APACHE2_OPTS="-D SSL"\n', 'etc/make.conf': 'USE="x"\nAPACHE2_MPMS="worker"\n' },
          'APACHE2_MPMS in /etc/make.conf:2',
        ],
        [
          'Gentoo, several',
          'etc/apache2/httpd.conf',
          '/usr/lib64/apache2',
          { 'etc/conf.d/apache2': '', 'etc/portage/make.conf': 'APACHE2_MPMS="worker event"\n' },
          null,
        ],
      ];
      for (const [name, root, serverRoot, files, says] of MPMS)
        it(`the MPM of 2.2, ${name}: ${says ?? 'nobody says it'}`, async () => {
          write({
            ...files,
            [root]: `ServerRoot "${serverRoot}"\n${['authz_host', 'dir', 'mime', 'alias'].map((each) => `LoadModule ${each}_module modules/mod_${each}.so\n`).join('')}AcceptMutex fcntl\nListen 80\n`,
          });
          const plan = await planned(root);
          const question = plan.configurations.flatMap(({ questions }) => questions).find(({ id }) => id === 'mpm');
          assert.equal(question!.answer, null, 'a person may choose another one');
          assert.equal(question!.why.includes(`The 2.2 server runs worker: ${says} names it.`), says !== null);
          assert.deepEqual(
            question!.answers.map(({ value, label }) => [value, label.endsWith('(runs now)')]),
            says === null
              ? [
                  ['prefork', false],
                  ['event', false],
                  ['worker', false],
                  ['keep', false],
                ]
              : [
                  ['worker', true],
                  ['prefork', false],
                  ['event', false],
                  ['keep', false],
                ],
          );
          if (serverRoot !== '/etc/httpd') return;
          const choose = async (...args: string[]) =>
            (await planned(root, ...args)).configurations
              .flatMap(({ onServer }) => onServer)
              .find(({ id }) => id === 'choose-mpm');
          if (says === null) return assert.equal(await choose(), undefined);
          assert.match((await folder().run(['check', root])).out, /Load mpm_worker: 2\.2 runs worker/);
          // The file as the package of 2.4 has it.
          const stock = (active: string) =>
            ['prefork', 'worker', 'event']
              .map(
                (each) =>
                  `# ${each} MPM\n${each === active ? '' : '#'}LoadModule mpm_${each}_module modules/mod_mpm_${each}.so\n`,
              )
              .join('');
          for (const [answer, chosen] of [
            [[], 'worker'],
            [['--answer', 'mpm=event'], 'event'],
            [['--answer', 'mpm=worker'], 'worker'],
            [['--answer', 'mpm=keep'], null],
          ] as const) {
            const item = (await choose(...answer))!;
            assert.match(item.what, new RegExp(`2\\.4 does not read ${says}, and 2\\.2 runs worker`));
            assert.deepEqual(item.commands?.length, chosen === null ? undefined : 1);
            for (const before of ['prefork', 'worker', 'event']) {
              if (chosen === null) continue;
              folder().write('00-mpm.conf', stock(before));
              const { status } = spawnSync('/bin/sh', [
                '-c',
                item.commands![0]!.replace('/etc/httpd/conf.modules.d/00-mpm.conf', folder().at('00-mpm.conf')),
              ]);
              assert.equal(status, 0);
              assert.equal(folder().text('00-mpm.conf'), stock(chosen));
            }
          }
        });

      it('Debian: a variable of envvars is what a path is', async () => {
        write({
          'etc/apache2/apache2.conf': main('/etc/apache2', 'Include ${SITES}/*.inc\n').replace(
            '"/srv/www"',
            '"${SITE_ROOT}/www"',
          ),
          'etc/apache2/more/shop.inc': '<Directory /srv/shop>\n    Order allow,deny\n    Deny from all\n</Directory>\n',
          'etc/apache2/envvars': 'export SITES=/etc/apache2/more\nexport SITE_ROOT=/srv\n',
        });
        assert.match(await answer('etc/apache2/apache2.conf'), /shop\.inc/);
        write({ 'etc/apache2/envvars': 'SITES=/etc/apache2/more\n' });
        assert.doesNotMatch(
          await answer('etc/apache2/apache2.conf'),
          /shop\.inc/,
          'not exported: httpd does not see it',
        );
      });
    });

    describe('Red Hat', () => {
      const MAIN =
        'ServerRoot "/etc/httpd"\nLoadModule dir_module modules/mod_dir.so\nLoadModule auth_basic_module modules/mod_auth_basic.so\nListen 80\n<Directory />\n    AllowOverride None\n    Order deny,allow\n    Deny from all\n</Directory>\n<Directory /srv/x>\n    AuthType Basic\n    AuthName x\n    AuthUserFile /etc/x\n    Require valid-user\n</Directory>\n';
      const loads = (text: string) => [...text.matchAll(/^\+LoadModule (\S+)/gm)].map(([, name]) => name);

      it('few LoadModule lines: whether the rest is compiled in is asked, and an MPM is loaded that a person chose', async () => {
        write({ 'etc/httpd/conf/httpd.conf': MAIN });
        const ids = async (...args: string[]) =>
          (await planned('etc', ...args)).configurations
            .flatMap(({ questions }) => questions.map(({ id }) => id))
            .filter((id) => id === 'modules' || id === 'mpm')
            .sort();
        const diff = async (...args: string[]) => loads((await folder().run(['fix', '--diff', ...args, 'etc'])).out);
        assert.deepEqual(await ids(), ['modules']);
        assert.deepEqual(await diff(), [], 'not before somebody has answered');
        const files = ['--answer', 'modules=files'];
        assert.deepEqual(await ids(...files), ['modules', 'mpm'], 'an MPM is one of the files');
        assert.deepEqual(await ids(...files, '--answer', 'mpm=worker'), ['modules', 'mpm']);
        // Without mod_authz_user 2.2 denied every login. The answer says that logins work.
        const modules = [
          'authz_core_module',
          'authz_user_module',
          'authn_core_module',
          'authn_file_module',
          'unixd_module',
        ];
        const loaded = await diff(...files);
        assert.deepEqual([...loaded].sort(), [...modules].sort());
        assert.deepEqual((await diff(...files, '--answer', 'mpm=worker')).length, modules.length + 1);
        assert.deepEqual(await diff('--answer', 'modules=keep'), []);
        await folder().run(['fix', '--write', ...files, '--answer', 'mpm=worker', 'etc']);
        assert.doesNotMatch((await folder().run(['check', ...files, 'etc'])).out, /missing-module/);
      });

      it('the files of the packages that this copy lacks load what no line here loads', async () => {
        const asked = async (include: string) => {
          write({ 'etc/httpd/conf/httpd.conf': MAIN.replace('Listen', `${include}\nListen`) });
          const questions = (await planned('etc')).configurations.flatMap((each) => each.questions);
          return questions.find(({ id }) => id === 'modules')!;
        };
        // What the packages load is known.
        assert.equal(await asked('Include conf.modules.d/*.conf'), undefined);
        const { question, answers } = await asked('Include more/conf.modules.d/*.conf');
        assert.match(question, /^Do the files of more\/conf\.modules\.d\/\*\.conf load mod_/);
        assert.deepEqual(
          answers.map(({ value }) => value),
          ['keep', 'files'],
        );
        assert.match((await asked('Include conf.d/*.conf')).question, /separate files/);
      });

      it('without any LoadModule line there is none to write another one like', async () => {
        write({ 'etc/httpd/conf/httpd.conf': MAIN.replace(/LoadModule.*\n/g, '') });
        assert.ok(
          (await planned('etc')).configurations.every(({ questions }) => questions.every(({ id }) => id !== 'modules')),
        );
      });
    });

    describe('Gentoo', () => {
      const LOADS =
        'LoadModule authz_host_module modules/mod_authz_host.so\nLoadModule dir_module modules/mod_dir.so\n';
      const onServer = async (makeConf: string, options: string) => {
        write({
          'etc/apache2/httpd.conf': `ServerRoot "/usr/lib64/apache2"\n${LOADS}Listen 80\n`,
          'etc/conf.d/apache2': `APACHE2_OPTS="${options}"\n`,
          'etc/portage/make.conf': makeConf,
        });
        return (await planned('etc/apache2/httpd.conf')).configurations[0].onServer;
      };

      it('the modules that the package of 2.4 is to be built with', async () => {
        const items = await onServer(
          'USE="apache2"\nAPACHE2_MODULES="actions alias authz_default authz_host \\\n  dir disk_cache mime"\n',
          '-D SSL',
        );
        const item = items.find(({ id }) => id === 'portage-modules')!;
        assert.equal(
          item.what,
          'Remove authz_default, disk_cache: 2.4 does not have them. Add authn_core, authz_core, unixd, cache_disk, socache_shmcb: 2.4 needs them. ' +
            'The list is APACHE2_MODULES in /etc/portage/make.conf:2. Then build 2.4.',
        );
        assert.deepEqual(item.commands, ['emerge --ask --oneshot www-servers/apache']);
      });

      it('a list that 2.4 starts with, or none, is nothing to do', async () => {
        for (const makeConf of [
          'APACHE2_MODULES="authn_core authz_core authz_host dir mime unixd alias"\n',
          'APACHE2_MPMS="worker"\n',
        ])
          assert.ok(
            (await onServer(makeConf, '')).every(({ id }) => id !== 'portage-modules'),
            makeConf,
          );
      });
    });

    describe('Arch', () => {
      it('no command enables modules, and systemd restarts the server', async () => {
        write({
          'etc/httpd/conf/httpd.conf': `ServerRoot "/etc/httpd"\nLoadModule authz_host_module modules/mod_authz_host.so\nListen 80\nInclude conf/extra/httpd-vhosts.conf\n`,
          'etc/httpd/conf/extra/httpd-vhosts.conf': 'NameVirtualHost *:80\n',
        });
        const { onServer } = (await planned('etc/httpd/conf/httpd.conf')).configurations[0];
        const item = onServer.find(({ id }) => id === 'service')!;
        assert.match(item.what, /^On Arch, 2\.4 reads \/etc\/httpd\/conf\/httpd\.conf/);
        assert.deepEqual(item.commands, ['apachectl configtest', 'systemctl restart httpd.service']);
      });
    });

    describe('SUSE', () => {
      const SUSE = {
        'etc/apache2/httpd.conf':
          'Include /etc/apache2/uid.conf\nServerName www.example.org\nErrorLog /var/log/apache2/error_log\nInclude /etc/apache2/sysconfig.d/loadmodule.conf\nInclude /etc/apache2/listen.conf\nInclude /etc/apache2/sysconfig.d/global.conf\nDocumentRoot /srv/www/htdocs\n<Directory />\n    AllowOverride None\n    Order deny,allow\n    Deny from all\n</Directory>\nInclude /etc/apache2/vhosts.d/*.conf\n',
        'etc/apache2/uid.conf': 'User wwwrun\nGroup www\n',
        'etc/apache2/listen.conf': 'Listen 80\n',
        'etc/apache2/vhosts.d/shop.conf':
          '<VirtualHost *:80>\n    ServerName shop.example.org\n    <Location /private>\n        AuthType Basic\n        AuthName x\n        AuthUserFile /etc/apache2/p\n        Require valid-user\n    </Location>\n</VirtualHost>\n',
      };
      const sysconfig = (modules: string) =>
        `## Path: Network/WWW/Apache2\nAPACHE_CONF_INCLUDE_FILES=""\n# APACHE_MODULES="example"\nAPACHE_MODULES="${modules}"\nAPACHE_SERVER_FLAGS="SSL"\n`;
      const OLD =
        'actions alias auth_basic authn_file authz_host authz_default \\\nauthz_user autoindex dir disk_cache env log_config mime negotiation setenvif';

      it('httpd.conf is the main file, if the modules are listed in a file with any name', async () => {
        write({ ...SUSE, 'etc/apache2/httpd.conf': SUSE['etc/apache2/httpd.conf'].replaceAll('/sysconfig.d/', '/') });
        const { configurations } = await planned('etc/apache2');
        assert.deepEqual(
          configurations.map(({ root, files }) => ({ root, files })),
          [{ root: 'etc/apache2/httpd.conf', files: 4 }],
        );
      });

      it('the modules of sysconfig are loaded: what is missing, and what 2.4 does not have, with a command each', async () => {
        write({ ...SUSE, 'etc/sysconfig/apache2': sysconfig(OLD) });
        const plan = await planned('etc/apache2');
        assert.deepEqual(
          plan.configurations.map(({ root, files, byHand }) => ({ root, files, byHand })),
          [{ root: 'etc/apache2/httpd.conf', files: 4, byHand: [] }],
        );
        assert.deepEqual(commands(plan), [
          'a2enmod authn_core',
          'a2enmod authz_core',
          'a2dismod authz_default',
          'a2dismod disk_cache',
          'a2enmod cache_disk',
        ]);
        const { out } = await folder().run(['check', 'etc/apache2']);
        assert.match(
          out.replace(/\s+/g, ' '),
          /authz_default \(\/etc\/sysconfig\/apache2:4\), disk_cache \(\/etc\/sysconfig\/apache2:5\)/,
        );
      });

      it('modules of 2.4: nothing is missing', async () => {
        write({
          ...SUSE,
          'etc/sysconfig/apache2': sysconfig(
            'alias auth_basic authn_core authn_file authz_core authz_host authz_user dir env log_config mime setenvif',
          ),
        });
        const plan = await planned('etc/apache2');
        assert.deepEqual(commands(plan), []);
        assert.doesNotMatch((await folder().run(['check', 'etc/apache2'])).out, /missing-module|sysconfig-modules/);
      });

      it('without the file, nothing is called missing', async () => {
        write(SUSE);
        assert.deepEqual(commands(await planned('etc/apache2')), []);
        assert.doesNotMatch((await folder().run(['check', 'etc/apache2'])).out, /(error|warning)\[missing-module/);
      });
    });
  }),
);
