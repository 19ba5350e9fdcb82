/**
 * The script of `collect`, run under several shells, and the archive that it writes as input of
 * other commands.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { UpgradePlan } from '../../server/src/analysis/upgrade-plan';
import { unpackArchive } from '../../server/src/host/archive';
import { CENTOS6 } from '../support/centos6';
import { Chroot } from '../support/chroot';
import { DEBIAN6 } from '../support/debian6';
import { lacks } from '../support/lacks';
import { Folder, needs, run, withFolder } from './run';

const OPEN = 'Order allow,deny\nAllow from all\n';
const SHUT = 'Order deny,allow\nDeny from all\nAllow from 10.0.0.0/8\n';

/** Names that a shell takes apart where it is careless. */
const ODD_NAMES = [
  'new\nline',
  '-rf',
  'quo\'te"s\\b',
  'dol$x `id` $(id)',
  ' space ',
  'a*b?[c]',
  'tab\tx',
  'end\n',
  '\\n',
];

const SECRET = 'PLANTED';

/** Lines with secrets, all of which contain the word. */
const SECRETS = [
  `AuthLDAPBindPassword "${SECRET}-ldap with spaces"`,
  `  # AuthLDAPBindPassword ${SECRET}comment`,
  `authldapbindpassword '${SECRET}'`,
  `SetEnv DB_PASSWORD ${SECRET}env`,
  `SetEnv AWS_SECRET_ACCESS_KEY "${SECRET}=="`,
  `SetEnvIf Request_URI . MYSQL_PASS=${SECRET}`,
  `PerlSetVar dbpassword \\\n    "${SECRET} perl"`,
  `php_admin_value mysql.default_password ${SECRET}`,
  `ProxyPass /x http://user:${SECRET}pp@backend/`,
  `ProxyPassMatch ^/y$ ajp://backend:8009/ secret=${SECRET}`,
  `DBDParams "host=x user=y password=${SECRET}dbd dbname=z"`,
  `SSLPassPhraseDialog "exec:/bin/pp ${SECRET}phrase"`,
  `SSLPassPhraseDialog exec:/bin/pp ${SECRET}phrase`,
  `RequestHeader set Authorization "Basic ${SECRET}UExBTlRFRA=="`,
  `RequestHeader set X-Api-Key ${SECRET}`,
  `CustomLog "|/usr/bin/log --password ${SECRET}log" common`,
  `LDAPTrustedClientCert CERT_BASE64 /x/y.pem ${SECRET}cert`,
  `RewriteRule ^/a /b [E=APP_SECRET:${SECRET}rw,L]`,
  `OIDCClientSecret ${SECRET}`,
  `SessionCryptoPassphrase ${SECRET}`,
  `AuthBasicFake demo ${SECRET}`,
  `Auth_MySQL_Info localhost user ${SECRET}`,
  `SetEnvIf X-Secret-Token "^${SECRET}$" from_proxy`,
  `RewriteCond %{HTTP:X-Auth-Key} !^${SECRET}$`,
  `# admin password: ${SECRET}`,
  `# -----BEGIN RSA PRIVATE KEY-----\n# ${SECRET}\n# -----END RSA PRIVATE KEY-----`,
];

const SITE = '<VirtualHost *:80>\nServerName linked\nDocumentRoot /var/www/x\n</VirtualHost>\n';

const HTTPD = `#!/bin/sh
case "$*" in
*-V) echo 'Server version: Apache/2.2.15 (Unix)'; echo 'Server MPM:     Prefork'
  echo ' -D HTTPD_ROOT="/etc/httpd"'; echo ' -D SERVER_CONFIG_FILE="conf/httpd.conf"' ;;
*-M) echo 'Loaded Modules:'; echo ' core_module (static)'; echo 'Syntax OK' >&2 ;;
*-S) echo 'VirtualHost configuration:' ;;
esac
`;

const planOf = async (folder: Folder, ...args: string[]): Promise<UpgradePlan> =>
  JSON.parse((await folder.run(['plan', '--format', 'json', ...args])).out) as UpgradePlan;

const openIds = ({ configurations }: UpgradePlan) =>
  configurations.flatMap(({ questions }) => questions.filter(({ answer }) => answer === null).map(({ id }) => id));

/** Temporary directories of this program. */
const temporary = () =>
  readdirSync(tmpdir()).filter((name) => /^(httpd-upgrade-[A-Za-z0-9]{6}|httpd-collect\..*)$/.test(name));

describe('the script of collect', () => {
  it('is printed', async () => {
    const { code, out, err } = await run(['collect']);
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, /^#!\/bin\/sh\n/);
  });

  it('is short of bashisms', async function () {
    needs(this, 'dash');
    const { out } = await run(['collect']);
    assert.equal(spawnSync('dash', ['-n'], { input: out }).status, 0);
    assert.doesNotMatch(out, /^\s*(if |while )?\[\[ |^\s*local |<<<|&>/m);
  });
});

/** busybox is tested where it is installed. */
const SHELLS = [
  ['dash', '-u'],
  ['bash', '--posix', '-u'],
  ...(spawnSync('busybox', ['true']).status === 0 ? [['busybox', 'sh', '-u']] : []),
];

for (const shell of SHELLS)
  describe(
    `collect under ${shell.slice(0, -1).join(' ')}`,
    withFolder((folder) => {
      let root = '';
      beforeEach(async function () {
        needs(this, shell[0]!);
        root = realpathSync(folder().path);
        folder().write('collect.sh', (await run(['collect'])).out);
        folder().write('bin/httpd', HTTPD);
        chmodSync(folder().at('bin/httpd'), 0o755);
      });
      const main = () => path.join(root, 's/etc/httpd/conf/httpd.conf');
      const collect = (...args: string[]) => {
        const { status, stdout, stderr } = spawnSync(
          shell[0]!,
          [
            ...shell.slice(1),
            'collect.sh',
            ...['-f', main(), '--httpd', path.join(root, 'bin/httpd'), '-o', 'a.tar.gz'],
            ...args,
          ],
          { cwd: root, encoding: 'utf8', env: { ...process.env, TMPDIR: root } },
        );
        return { status, stdout, stderr };
      };
      const write = (name: string, text: string) => {
        const file = path.join(root, 's', name);
        mkdirSync(path.dirname(file), { recursive: true });
        writeFileSync(file, text);
      };
      const configure = (...lines: string[]) =>
        write('etc/httpd/conf/httpd.conf', `ServerRoot "${root}/s/etc/httpd"\nListen 80\n${lines.join('\n')}\n`);
      /** The place of a file of the server in the unpacked archive. */
      const unpacked = (name: string) => path.join(root, 'x/httpd-collected/server', root, 's', name);
      const unpack = async () => {
        mkdirSync(folder().at('x'));
        await unpackArchive(folder().at('a.tar.gz'), folder().at('x'));
      };
      const facts = () => folder().text('x/httpd-collected/facts/collected');

      it('takes all files that the configuration reads, with their links', async () => {
        configure(
          'Define SITES sites-enabled',
          'Include conf.d/*.conf',
          'Include ${SITES}/',
          'Include "conf/with space.inc"',
          'IncludeOptional conf/none/*.conf',
          `Include ${root}/s/linked/*.conf`,
          '<Macro Part $name>',
          '  Include parts/$name.inc',
          '</Macro>',
          '<IfDefine NEVER>',
          '  include never.inc',
          '</IfDefine>',
          '#Include comment.inc',
        );
        for (const name of ['conf.d/a.conf', 'sites-available/shop', 'sites-available/abs', 'conf/with space.inc'])
          write(`etc/httpd/${name}`, 'ServerTokens Prod\n');
        write('etc/httpd/parts/one.inc', 'ServerSignature Off\n');
        write('etc/httpd/never.inc', 'Include conf.d/../deep.inc\n');
        write('etc/httpd/deep.inc', 'Include conf.d\n');
        write('etc/httpd/comment.inc', '');
        for (const name of ODD_NAMES) write(`etc/httpd/conf.d/${name}.conf`, `# ${JSON.stringify(name)}\n`);
        write('elsewhere/x.conf', 'ServerName x\n');
        symlinkSync(
          '../sites-available/shop',
          (mkdirSync(path.join(root, 's/etc/httpd/sites-enabled')), path.join(root, 's/etc/httpd/sites-enabled/shop')),
        );
        symlinkSync(
          path.join(root, 's/etc/httpd/sites-available/abs'),
          path.join(root, 's/etc/httpd/sites-enabled/abs'),
        );
        symlinkSync('missing', path.join(root, 's/etc/httpd/sites-enabled/broken'));
        symlinkSync('elsewhere', path.join(root, 's/linked'));
        const { status, stdout, stderr } = collect();
        assert.deepEqual([status, stderr], [0, '']);
        assert.match(stdout, /Took \d+ configuration files/);
        assert.equal(statSync(folder().at('a.tar.gz')).mode & 0o777, 0o600);
        await unpack();
        for (const name of [
          ...['conf.d/a.conf', 'conf/with space.inc', 'parts/one.inc', 'never.inc', 'deep.inc'],
          ...ODD_NAMES.map((each) => `conf.d/${each}.conf`),
        ])
          assert.deepEqual(
            readFileSync(unpacked(`etc/httpd/${name}`)),
            readFileSync(path.join(root, 's/etc/httpd', name)),
            name,
          );
        assert.ok(!existsSync(unpacked('etc/httpd/comment.inc')));
        assert.equal(readlinkSync(unpacked('etc/httpd/sites-enabled/shop')), '../sites-available/shop');
        assert.equal(readlinkSync(unpacked('linked')), 'elsewhere');
        // An absolute link leads to the same file in the archive.
        assert.equal(realpathSync(unpacked('etc/httpd/sites-enabled/abs')), unpacked('etc/httpd/sites-available/abs'));
        assert.ok(lstatSync(unpacked('etc/httpd/sites-enabled/broken')).isSymbolicLink());
        assert.ok(existsSync(unpacked('elsewhere/x.conf')));
        assert.deepEqual(readdirSync(root).sort(), ['a.tar.gz', 'bin', 'collect.sh', 's', 'x']);
      });

      it('takes files beside the configuration that the server does not read, and names them so', async () => {
        configure('Include sites-enabled/*.conf', 'Include conf.d/*.conf');
        write('etc/httpd/sites-enabled/a.conf', 'ServerTokens Prod\n');
        write('etc/httpd/sites-available/shop.example.com', SITE);
        write('etc/httpd/conf.d/a.conf', 'ServerTokens Prod\n');
        write(
          'etc/httpd/conf.d/b.conf.disabled',
          `<Location /b>\n${SHUT}AuthLDAPBindPassword ${SECRET}\n</Location>\n`,
        );
        write('etc/httpd/conf/httpd.conf.rpmnew', 'ServerRoot /x\nListen 81\n');
        write('etc/httpd/conf/old-httpd.conf', 'ServerRoot /x\nListen 81\n');
        // No name of a configuration file, and no place of one; a key; a link; another directory.
        write('etc/httpd/conf/magic', 'x\n');
        write('etc/httpd/conf/passwd', `x:$apr1$${SECRET}\n`);
        write('etc/httpd/conf.d/passwd', `x:$apr1$${SECRET}\n`);
        write(
          'etc/httpd/conf.d/key.conf',
          `-----BEGIN RSA PRIVATE KEY-----\n${SECRET}\n-----END RSA PRIVATE KEY-----\n`,
        );
        write('etc/other/c.conf', `${SECRET}\n`);
        symlinkSync('../../other/c.conf', path.join(root, 's/etc/httpd/conf.d/link.txt'));
        const { status, stdout, stderr } = collect();
        assert.deepEqual([status, stderr], [0, '']);
        assert.match(stdout, /Took 3 configuration files from \S+, 4 that it does not read/);
        await unpack();
        assert.deepEqual(
          facts()
            .split('\n')
            .filter((row) => row.endsWith('\tdormant'))
            .map((row) => row.split('\t')[1]!.replace(`${root}/s/etc/httpd/`, ''))
            .sort(),
          [
            'conf.d/b.conf.disabled',
            'conf/httpd.conf.rpmnew',
            'conf/old-httpd.conf',
            'sites-available/shop.example.com',
          ],
        );
        assert.ok(!readFileSync(unpacked('etc/httpd/conf.d/b.conf.disabled'), 'utf8').includes(SECRET));
        for (const name of ['conf/magic', 'conf/passwd', 'conf.d/passwd', 'conf.d/key.conf', 'conf.d/link.txt'])
          assert.ok(!existsSync(unpacked(`etc/httpd/${name}`)), name);
        const plan = await planOf(folder(), 'a.tar.gz');
        assert.deepEqual(
          openIds(plan).filter((id) => id !== 'defaults' && id !== 'modules' && id !== 'mpm'),
          [],
        );
        assert.deepEqual(
          plan.configurations.flatMap(({ dormant = [] }) => dormant.map(({ file }) => path.basename(file))),
          ['b.conf.disabled'],
        );
      });

      it('takes .htaccess files below what is served, and says what it did not search', async () => {
        configure(
          `DocumentRoot ${root}/s/www/html`,
          `Alias /docs/ "${root}/s/docs"`,
          `Alias /gone ${root}/s/gone/../also-gone`,
          `VirtualDocumentRoot ${root}/s/vhosts/%0/htdocs`,
          `AliasMatch ^/m/(.*)$ ${root}/s/matched/$1`,
          `RewriteRule ^/r/(.*)$ ${root}/s/rewritten/$1`,
          'AccessFileName .htaccess .acl',
        );
        for (const name of ODD_NAMES) write(`www/html/${name}/.htaccess`, OPEN);
        const others = ['www/.htaccess', 'www/html/a/.acl', 'docs/x/.htaccess', 'docs.old/.htaccess'];
        const more = ['vhosts/a/htdocs/.htaccess', 'matched/b/.htaccess', 'rewritten/c/.htaccess', 'other/.htaccess'];
        for (const name of [...others, ...more]) write(name, SHUT);
        write('unserved/.htaccess', SHUT);
        write('www/html/index.html', 'x');
        symlinkSync('../../other', path.join(root, 's/www/html/link'));
        symlinkSync('..', path.join(root, 's/www/html/a/loop'));
        assert.equal(collect().status, 0);
        await unpack();
        for (const name of [...ODD_NAMES.map((each) => `www/html/${each}/.htaccess`), ...others, ...more])
          assert.equal(readFileSync(unpacked(name), 'utf8'), readFileSync(path.join(root, 's', name), 'utf8'), name);
        for (const name of ['unserved', 'www/html/index.html']) assert.ok(!existsSync(unpacked(name)), name);
        assert.equal(readlinkSync(unpacked('www/html/link')), '../../other');
        assert.match(facts(), /^absent\t.*\/s\/gone\/\.\.\/also-gone$/m);
        assert.ok(existsSync(unpacked('also-gone')));
      });

      it('marks directories whose .htaccess files it did not take', async () => {
        configure(`DocumentRoot ${root}/s/www`);
        for (const name of ['a', 'b', 'c']) write(`www/${name}/.htaccess`, OPEN);
        const { stdout } = collect('--htaccess', '2');
        assert.match(stdout, /\.htaccess files are missing below/);
        await unpack();
        assert.match(facts(), /^incomplete\t/m);
        assert.ok(lstatSync(unpacked('www/.not-collected/.htaccess')).isSymbolicLink());
        const marks = ['a', 'b', 'c'].filter((name) => existsSync(unpacked(`www/${name}/.htaccess`)));
        assert.equal(marks.length, 2);
      });

      it('takes no file that a link of a user leads to', async () => {
        configure(`DocumentRoot ${root}/s/www`);
        write('root/secrets', `${SECRET}\n`);
        write('shared/htaccess.common', OPEN);
        for (const name of ['a', 'b', 'c']) mkdirSync(path.join(root, 's/www', name), { recursive: true });
        symlinkSync('../../root/secrets', path.join(root, 's/www/a/.htaccess'));
        symlinkSync('../../shared/htaccess.common', path.join(root, 's/www/b/.htaccess'));
        symlinkSync('/', path.join(root, 's/www/c/all'));
        assert.equal(collect().status, 0);
        await unpack();
        assert.equal(spawnSync('grep', ['-rl', SECRET, folder().at('x')], { encoding: 'utf8' }).stdout, '');
        assert.equal(readFileSync(unpacked('www/b/.htaccess'), 'utf8'), OPEN);
        assert.match(facts(), /^incomplete\t.*\/s\/www\/a\t/m);
        assert.match(facts(), /^incomplete\t\/\t/m);
      });

      it('takes no key, no password file and no password', async () => {
        configure(
          ...SECRETS,
          'SSLCertificateKeyFile conf/server.key',
          `AuthUserFile ${root}/s/etc/httpd/users`,
          'Include conf.d/*',
          `DocumentRoot ${root}/s/www`,
        );
        write('etc/httpd/conf/server.key', `-----BEGIN PRIVATE KEY-----\n${SECRET}\n`);
        write('etc/httpd/users', `bob:$apr1$${SECRET}$abcdefgh\n`);
        write('etc/httpd/conf.d/k.pem', `-----BEGIN RSA PRIVATE KEY-----\n${SECRET}\n-----END RSA PRIVATE KEY-----\n`);
        write('etc/httpd/conf.d/apr1', `# users\nbob:$apr1$${SECRET}$abcdefgh\n`);
        write('etc/httpd/conf.d/crypt', `bob:${SECRET}abcdef\n`);
        write('etc/httpd/conf.d/sha', `bob:{SHA}${SECRET}\n`);
        write('etc/httpd/conf.d/digest', `bob:${SECRET}:0123456789abcdef0123456789abcdef\n`);
        write('etc/httpd/conf.d/binary', `x\0${SECRET}\n`);
        write('etc/httpd/conf.d/crlf.conf', `Timeout 5\r\nAuthLDAPBindPassword ${SECRET}\r\nKeepAlive On`);
        write('www/.htaccess', `SetEnv API_TOKEN ${SECRET}\n${OPEN}`);
        write('www/.htpasswd', `bob:$apr1$${SECRET}$abcdefgh\n`);
        const { status, stdout, stderr } = collect();
        assert.deepEqual([status, stderr], [0, '']);
        assert.doesNotMatch(stdout, new RegExp(SECRET));
        await unpack();
        const found = spawnSync('grep', ['-rl', SECRET, folder().at('x')], { encoding: 'utf8' });
        assert.equal(found.stdout, '');
        for (const name of ['k.pem', 'apr1', 'crypt', 'sha', 'digest', 'binary']) {
          assert.ok(!existsSync(unpacked(`etc/httpd/conf.d/${name}`)), name);
          assert.match(facts(), new RegExp(`^left-out\t.*/conf.d/${name}\t`, 'm'), name);
        }
        assert.match(facts(), /^name\tconf\/server\.key\tSSLCertificateKeyFile$/m);
        assert.match(facts(), /^name\t.*\/users\tAuthUserFile$/m);
        // The numbers and ends of lines stay.
        const before = readFileSync(main(), 'utf8').split('\n');
        const after = readFileSync(unpacked('etc/httpd/conf/httpd.conf'), 'utf8').split('\n');
        assert.equal(after.length, before.length);
        assert.equal(
          readFileSync(unpacked('etc/httpd/conf.d/crlf.conf'), 'utf8').trimEnd(),
          'Timeout 5\r\nAuthLDAPBindPassword REMOVEDX\r\nKeepAlive On',
        );
        assert.match(after.join('\n'), /^ProxyPass \/x http:\/\/user:REMOVEDX+@backend\/$/m);
        assert.match(after.join('\n'), /^DBDParams "host=x user=y password=REMOVEDX+ dbname=z"$/m);
        // Each is listed with its line.
        const listed = [...facts().matchAll(/^secret\t.*\/httpd\.conf\t(\d+)\t/gm)].map(([, row]) => Number(row));
        const changed = before.flatMap((line, i) => (line.includes(SECRET) && !line.startsWith('    ') ? [i + 1] : []));
        assert.ok(
          changed.length > 20 &&
            changed.every((row) => listed.includes(row) || /^# PLANTED|^# ---/.test(before[row - 1]!)),
          listed.join(),
        );
      });

      it('leaves other text as it is', async () => {
        const lines = [
          'Alias /password-reset /srv/x',
          'RewriteRule ^/login /l.php?token=$1 [L]',
          '# The basic Authentication of users',
          "# user file needs this password: `xxj31ZMTZzkVA'.",
          'php_value allow_call_time_pass_reference On',
          'ProxyPassReverse / http://backend:8080/',
          '<Location "/password=x">',
          '</Location>',
          'SetEnvIf Authorization "(.*)" HTTP_AUTHORIZATION=$1',
          'RewriteCond %{HTTP:Authorization} ^(.+)$',
          'LogFormat "%h \\\n  %u" common',
          'SSLPassPhraseDialog builtin',
        ];
        configure(...lines);
        assert.equal(collect().status, 0);
        await unpack();
        assert.equal(readFileSync(unpacked('etc/httpd/conf/httpd.conf'), 'utf8'), readFileSync(main(), 'utf8'));
      });

      it('runs httpd only with -V, -M and -S, and not at all with --no-httpd', () => {
        configure();
        folder().write('bin/httpd', `#!/bin/sh\necho "$*" >> ${root}/asked\n${HTTPD.slice('#!/bin/sh\n'.length)}`);
        assert.equal(collect('--no-httpd').status, 0);
        assert.ok(!existsSync(path.join(root, 'asked')));
        assert.equal(collect('-o', 'b.tar.gz').status, 0);
        assert.deepEqual(folder().text('asked').trim().split('\n'), [
          `-f ${main()} -V`,
          `-f ${main()} -M`,
          `-f ${main()} -S`,
        ]);
      });

      it('replaces no archive', () => {
        configure();
        assert.equal(collect().status, 0);
        const { status, stderr } = collect();
        assert.equal(status, 2);
        assert.match(stderr, /exists already/);
        assert.equal(collect('-f', `${root}/none.conf`, '-o', 'c.tar.gz').status, 2);
      });
    }),
  );

describe(
  'an archive of collect',
  withFolder((folder) => {
    let root = '';
    const bare = () => folder().at('s/etc/httpd/conf/httpd.conf');
    beforeEach(async function () {
      needs(this, 'sh');
      root = realpathSync(folder().path);
      folder().write('collect.sh', (await run(['collect'])).out);
      folder().write('bin/httpd', HTTPD);
      chmodSync(folder().at('bin/httpd'), 0o755);
      folder().write(
        's/etc/httpd/conf/httpd.conf',
        [
          `ServerRoot "${root}/s/etc/httpd"`,
          'Listen 80',
          'Include conf/none.conf',
          'Include optional/*.conf',
          `DocumentRoot ${root}/s/www`,
          `Alias /gone ${root}/s/gone`,
          '<IfDefine SSL>',
          '<Directory />',
          'Order allow,deny',
          'Allow from all',
          '</Directory>',
          '</IfDefine>',
          `<Directory ${root}/s/www>`,
          'AllowOverride All',
          OPEN,
          '</Directory>',
          `<Directory ${root}/s/gone>`,
          'AllowOverride All',
          OPEN,
          '</Directory>',
          'AuthLDAPBindPassword geheim',
          '',
        ].join('\n'),
      );
      folder().write(`s/www/it's/.htaccess`, SHUT);
      const { status, stderr } = spawnSync(
        'sh',
        ['collect.sh', '-f', `${root}/s/etc/httpd/conf/httpd.conf`, '--httpd', `${root}/bin/httpd`, '-o', 'a.tar.gz'],
        { cwd: root, encoding: 'utf8' },
      );
      assert.deepEqual([status, stderr], [0, '']);
    });

    it('is planned without the questions that it answers', async () => {
      const asked = openIds(await planOf(folder(), '--map', `${root}/s=${root}/copy`, bare())).filter(
        (id) => id !== 'defaults',
      );
      assert.ok(asked.length >= 2, asked.join());
      const plan = await planOf(folder(), 'a.tar.gz');
      assert.deepEqual(
        openIds(plan).filter((id) => id !== 'defaults'),
        [],
      );
      assert.equal(plan.configurations[0]!.root, `${root}/s/etc/httpd/conf/httpd.conf`);
      assert.deepEqual(plan, await planOf(folder(), 'a.tar.gz'));
    });

    it('is shown with the paths of the server, and leaves nothing behind', async () => {
      const before = temporary();
      for (const args of [
        ['check'],
        ['check', '--format', 'sarif'],
        ['plan'],
        ['plan', '--format', 'html'],
        ['fix'],
        ['includes'],
      ]) {
        const { out, err } = await folder().run([...args, 'a.tar.gz']);
        assert.ok(out.includes('/s/etc/httpd/conf/httpd.conf'), args.join(' '));
        assert.doesNotMatch(out + err, /httpd-collected\/|httpd-upgrade-\w{6}\//, args.join(' '));
      }
      await folder().run(['plan', '--format', 'markdown', '-o', 'plan.md', 'a.tar.gz']);
      assert.doesNotMatch(folder().text('plan.md'), /httpd-collected\//);
      assert.match(folder().text('plan.md'), /s\/etc\/httpd\/conf\/httpd\.conf/);
      assert.deepEqual(temporary(), before);
    });

    it('unpacked by hand is the same', async () => {
      mkdirSync(folder().at('x'));
      await unpackArchive(folder().at('a.tar.gz'), folder().at('x'));
      for (const given of ['x', 'x/httpd-collected'])
        assert.deepEqual(
          openIds(await planOf(folder(), given)).filter((id) => id !== 'defaults'),
          [],
        );
      assert.ok(!existsSync(folder().at('x/httpd-collected/.httpd-upgrade.json')), 'plan writes nothing');
    });

    it('is not changed: fix and migrate write a copy', async () => {
      const bytes = folder().bytes('a.tar.gz');
      const without = await folder().run(['fix', '--write', 'a.tar.gz']);
      assert.equal(without.code, 2);
      assert.match(without.err, /add --output/);
      const answer = ['--fail-on', 'never'];
      const intoFolder = await folder().run(['fix', '--write', ...answer, '--output', 'out', 'a.tar.gz']);
      assert.equal(intoFolder.code, 0, intoFolder.err);
      assert.match(intoFolder.err, /1 password in it is a placeholder/);
      const htaccess = `httpd-collected/server${root}/s/www/it's/.htaccess`;
      assert.equal(folder().text(`out/${htaccess}`), 'Require ip 10.0.0.0/8\n');
      assert.equal((await folder().run(['fix', '--write', ...answer, '--output', 'o.tgz', 'a.tar.gz'])).code, 0);
      mkdirSync(folder().at('y'));
      await unpackArchive(folder().at('o.tgz'), folder().at('y'));
      assert.equal(folder().text(`y/${htaccess}`), 'Require ip 10.0.0.0/8\n');
      assert.equal((await folder().run(['fix', '--write', '--output', 'out', 'a.tar.gz'])).code, 2);
      assert.equal((await folder().run(['migrate', 'a.tar.gz'])).code, 2);
      const asked = await folder().run(['migrate', '--output', 'm', 'a.tar.gz']);
      assert.match(asked.err, /httpd-upgrade fix --write m\n/);
      assert.deepEqual(folder().bytes('a.tar.gz'), bytes);
      assert.equal(folder().text(`s/www/it's/.htaccess`), SHUT);
    });

    it('whose search for .htaccess files was not finished keeps the lines that wait for it', async () => {
      const { status } = spawnSync(
        'sh',
        [
          ...['collect.sh', '-f', `${root}/s/etc/httpd/conf/httpd.conf`, '--no-httpd', '-o', 'cut.tar.gz'],
          ...['--htaccess', '1'],
        ],
        { cwd: root },
      );
      assert.equal(status, 0);
      const ready = async (archive: string) =>
        (await planOf(folder(), archive)).configurations
          .flatMap((each) => each.ready)
          .filter(({ rule }) => rule === 'order-allow-deny').length;
      assert.ok((await ready('a.tar.gz')) > 0);
      assert.ok((await ready('cut.tar.gz')) > 0, 'one .htaccess file is all there is');
      folder().write('s/www/b/.htaccess', SHUT);
      spawnSync(
        'sh',
        [
          ...['collect.sh', '-f', `${root}/s/etc/httpd/conf/httpd.conf`, '--no-httpd', '-o', 'cut2.tar.gz'],
          ...['--htaccess', '1'],
        ],
        { cwd: root },
      );
      const plan = await planOf(folder(), 'cut2.tar.gz');
      const lines = plan.configurations.flatMap((each) => each.ready).filter(({ rule }) => rule === 'order-allow-deny');
      assert.deepEqual(
        lines.filter(({ file }) => file.includes('/www/')),
        [],
        JSON.stringify(lines),
      );
    });

    it('that is damaged is a problem, and nothing is planned', async () => {
      folder().write('b.tar.gz', folder().bytes('a.tar.gz').subarray(0, 500));
      const { code, out, err } = await folder().run(['plan', 'b.tar.gz']);
      assert.deepEqual([code, out], [2, '']);
      assert.match(err, /b\.tar\.gz: is no archive/);
    });
  }),
);

describe('collect on a server of', () => {
  const files = (chroot: Chroot, tree: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(tree)) {
      mkdirSync(path.dirname(chroot.at(name)), { recursive: true });
      writeFileSync(chroot.at(name), text);
    }
  };
  const collected = async (chroot: Chroot, shell: string) => {
    writeFileSync(chroot.at('/root/collect.sh'), (await run(['collect'])).out);
    // No program runs on this server: an httpd of another test is none of it.
    writeFileSync(chroot.at('/usr/bin/ps'), '#!/bin/sh\n');
    const { code, out, err } = chroot.run('/bin/sh', ['-c', `cd /root && exec ${shell} collect.sh -o /root/a.tar.gz`]);
    assert.deepEqual([code, err], [0, ''], out);
    return new Folder({ 'a.tar.gz': readFileSync(chroot.at('/root/a.tar.gz')) });
  };
  const onServer = (title: string, body: (chroot: Chroot) => Promise<void>) =>
    it(title, async function () {
      this.timeout(600_000);
      const chroot = await Chroot.open();
      if (!chroot) return lacks(this, 'overlays need root');
      try {
        await body(chroot);
      } finally {
        chroot.close();
      }
    });

  onServer('CentOS 6: it asks nothing about files', async (chroot) => {
    files(chroot, {
      ...Object.fromEntries(Object.entries(CENTOS6).map(([name, text]) => [`/etc/${name}`, text])),
      '/etc/sysconfig/httpd': 'OPTIONS="-D FOO"\n',
      '/etc/redhat-release': 'CentOS release 6.10 (Final)\n',
      '/usr/sbin/httpd': HTTPD,
      '/var/www/html/x/.htaccess': SHUT,
    });
    chmodSync(chroot.at('/usr/sbin/httpd'), 0o755);
    const main = chroot.at('/etc/httpd/conf/httpd.conf');
    writeFileSync(
      main,
      `${readFileSync(main, 'utf8')}<IfDefine FOO>\n<Location /a>\n${SHUT}</Location>\n</IfDefine>\n`,
    );
    const folder = await collected(chroot, 'sh -u');
    const { out } = await folder.run(['plan', '--format', 'json', 'a.tar.gz']);
    const plan = JSON.parse(out) as UpgradePlan;
    assert.deepEqual(
      openIds(plan).filter((id) => !['defaults', 'rewrite-log', 'php'].includes(id)),
      [],
    );
    assert.equal(plan.configurations[0]!.root, '/etc/httpd/conf/httpd.conf');
    folder.remove();
  });

  onServer('Debian 6: links, envvars and sites are there', async (chroot) => {
    files(chroot, {
      ...Object.fromEntries(Object.entries(DEBIAN6).map(([name, text]) => [`/etc/${name}`, text])),
      '/etc/apache2/envvars': 'export APACHE_RUN_USER=www-data\nexport SITE_PASSWORD=PLANTED\n',
      '/var/www/x/.htaccess': SHUT,
    });
    mkdirSync(chroot.at('/etc/apache2/sites-available'), { recursive: true });
    writeFileSync(chroot.at('/etc/apache2/sites-available/linked'), SITE);
    symlinkSync('/etc/apache2/sites-available/linked', chroot.at('/etc/apache2/sites-enabled/linked'));
    const folder = await collected(chroot, 'bash --posix');
    const { out } = await folder.run(['plan', '--format', 'json', 'a.tar.gz']);
    const plan = JSON.parse(out) as UpgradePlan;
    assert.deepEqual(
      openIds(plan).filter((id) => /unseen|served-anywhere|running-version/.test(id)),
      [],
    );
    mkdirSync(folder.at('x'));
    await unpackArchive(folder.at('a.tar.gz'), folder.at('x'));
    assert.doesNotMatch(folder.text('x/httpd-collected/server/etc/apache2/envvars'), /PLANTED/);
    assert.equal(folder.text('x/httpd-collected/server/etc/apache2/sites-enabled/linked'), SITE);
    folder.remove();
  });
});
