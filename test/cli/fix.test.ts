/**
 * `httpd-upgrade fix` as a process: what it shows, what it writes, and what it leaves unchanged.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { lacks } from '../support/lacks';
import { bundle } from '../support/built';
import { isRoot, needs, needsRoot, OTHER_USER, runBytes, withFolder } from './run';

const SMALL =
  'ServerLimit 150\nMaxClients 150\n\n<Directory /srv>\n\tOrder allow,deny\n\tAllow from all\n</Directory>\n';
const FIXED = SMALL.replace('MaxClients', 'MaxRequestWorkers');
const UNSAFE = FIXED.replace('Order allow,deny\n\tAllow from all', 'Require all granted');

describe(
  'fix',
  withFolder((folder) => {
    it('names the comments about removed lines that stay, at their new lines', async () => {
      const comment = '#   Semaphore:\n#   Configure the path\n';
      const text = (lines: string) =>
        `ServerRoot /etc/httpd\nListen 80\nLoadModule ssl_module modules/mod_ssl.so\n${lines}`;
      const mutex = `<IfModule mod_ssl.c>\n${comment}SSLMutex file:/var/run/ssl_mutex\n</IfModule>\n`;
      folder().write('httpd.conf', text(`DefaultType text/plain\n${mutex}`));
      const left =
        /^One comment is about a directive that the fixes remove\. Change or delete it by\nhand \(this note is not shown again\):\n {4}httpd\.conf:5 \(about SSLMutex\)$/m;
      assert.match((await folder().run(['fix', '.'])).err, left);
      assert.match((await folder().run(['fix', '--write', '.'])).err, left);
      assert.equal(folder().text('httpd.conf').split('\n')[4], '#   Semaphore:');
    });

    it('writes no Require line for a login whose AuthType only 2.2 reads', async () => {
      // 2.4 would answer 500. A condition in the outer section keeps its lines as they are.
      const login = 'AuthType Basic\nRequire valid-user\n';
      const outer = `<Location /a>\n${login}<IfDefine X>\n<IfDefine !Y>\nDeny from env=a\n</IfDefine>\n</IfDefine>\nDeny from 10\n</Location>\n`;
      const inner = '<Location /a/b>\nOrder allow,deny\nAllow from all\n</Location>\n';
      folder().write(
        'httpd.conf',
        `ServerRoot /srv\nListen 80\nDocumentRoot /srv/www\n<IfModule !mod_authz_core.c>\n${outer}</IfModule>\n${inner}`,
      );
      const { out } = await folder().run(['plan', '-D', 'X', '-D', 'Y', '--assume-standalone', 'httpd.conf']);
      assert.match(out.replace(/\s+/g, ' '), /asks for a login, but only 2\.2 reads its AuthType/);
    });

    it('does not remove a byte order mark where a link makes the file a .htaccess file', async () => {
      // As a .htaccess file it gives 500 for all requests.
      folder().write('shared/rules', '\uFEFF\nOptions None\n');
      folder().write('www/f', '');
      symlinkSync('../shared/rules', folder().at('www/.htaccess'));
      const { out } = await folder().run(['fix', '--diff', '--assume-standalone', 'www']);
      assert.equal(out, '');
    });

    it('counts a problem once that an edit in another file fixes, as plan does', async () => {
      const login =
        '<Directory /srv/x>\nAuthType Basic\nAuthName x\nAuthUserFile /etc/x\nRequire valid-user\n</Directory>\n';
      folder().write(
        'httpd.conf',
        'ServerRoot /srv\nListen 80\nLoadModule mpm_event_module modules/mod_mpm_event.so\nLoadModule authz_default_module modules/mod_authz_default.so\nLoadModule authn_default_module modules/mod_authn_default.so\nInclude sites/*.conf\n',
      );
      folder().write('sites/a.conf', login);
      const map = ['--map', `/srv=${folder().path}`];
      const plan = await folder().run(['plan', '--format', 'json', ...map, '.']);
      const { ready } = (JSON.parse(plan.out) as { summary: { ready: number } }).summary;
      const shown = await folder().run(['fix', ...map, '.']);
      assert.match(shown.err, new RegExp(`^${ready} fixes in 1 file`));
      const left = /^(\d+) problem/m.exec(shown.err)?.[1];
      const written = await folder().run(['fix', '--write', ...map, '.']);
      assert.match(written.out, new RegExp(`httpd\\.conf: ${ready} fixes\n`));
      assert.match(written.err, new RegExp(`^Wrote ${ready} fixes in 1 file`));
      assert.equal(/^(\d+) problem/m.exec(written.err)?.[1], left);
      const again = await folder().run(['fix', ...map, '.']);
      assert.equal(/^(\d+) problem/m.exec(again.err)?.[1], left);
    });

    it('shows a diff and writes nothing', async () => {
      folder().write('a.conf', SMALL);
      for (const args of [
        ['fix', 'a.conf'],
        ['fix', '--diff', 'a.conf'],
      ]) {
        const { code, out, err } = await folder().run(args);
        assert.deepEqual(out.split('\n'), [
          '--- a.conf',
          '+++ a.conf',
          '@@ -1,5 +1,5 @@',
          ' ServerLimit 150',
          '-MaxClients 150',
          '+MaxRequestWorkers 150',
          ' ',
          ' <Directory /srv>',
          ' \tOrder allow,deny',
          '',
        ]);
        assert.deepEqual(err.split('\n'), [
          '1 fix in 1 file. Nothing is written yet. To write:',
          '  httpd-upgrade fix --write a.conf',
          '1 problem is left. To see what to do:',
          '  httpd-upgrade plan a.conf',
          'The problem that is left has a suggestion, which can change what the server',
          'does. To read it:',
          '  httpd-upgrade fix --diff --unsafe a.conf',
          '',
        ]);
        assert.equal(code, 1, 'the findings are still in the file');
      }
      assert.equal(folder().text('a.conf'), SMALL);
    });

    it('a LoadModule line that an <IfModule> of any file at hand asks for stays, whatever reads the file', async () => {
      const names = ['authn_default', 'authz_default', 'authn_alias', 'disk_cache'];
      const loads = names.map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`).join('');
      const fixed =
        'LoadModule authn_core_module modules/mod_authn_core.so\nLoadModule cache_disk_module modules/mod_cache_disk.so\n';
      const root = () =>
        `ServerRoot ${folder().path}/t\nDocumentRoot ${folder().path}/t/www\nInclude load.conf\nInclude rest.conf\n<Directory />\nAllowOverride All\n</Directory>\n`;
      const asked = (body: string) => `<IfModule mod_authz_default.c>\n${body}</IfModule>\n`;
      const login = asked('AuthType Basic\nAuthName x\nRequire valid-user\n');
      const of = async (files: Readonly<Record<string, string>>, ...args: string[]) => {
        const all = { 'httpd.conf': root(), 'load.conf': loads, 'rest.conf': '', 'www/.htaccess': '', ...files };
        for (const [file, text] of Object.entries(all)) folder().write(`t/${file}`, text);
        await folder().run(['fix', '--write', ...(args.length === 0 ? ['t'] : args)]);
        return folder().text('t/load.conf');
      };
      assert.equal(await of({}), fixed);
      assert.equal(await of({ 'rest.conf': asked('CacheRoot /srv/cache\n') }), fixed);
      const inDirectory = `<Directory ${folder().path}/t/www>\n${login}</Directory>\n`;
      assert.equal(await of({ 'rest.conf': inDirectory }), loads, 'an included file');
      assert.equal(await of({ 'www/.htaccess': login }), loads, 'a .htaccess');
      assert.equal(
        await of({ 'www/.htaccess': login }, 't/httpd.conf', 't/load.conf'),
        loads,
        'one that was not given',
      );
      assert.equal(
        await of({ 'rest.conf': '<IfDefine X>\nInclude more.conf\n</IfDefine>\n', 'more.conf': inDirectory }),
        loads,
        'one that may be read',
      );
      assert.equal(
        await of({
          'rest.conf': `<Macro M $name>\n<Directory $name>\n${login}</Directory>\n</Macro>\nUse M /srv\n`,
        }),
        loads,
        'a macro',
      );
      assert.equal(await of({ 'httpd.conf': '' }), loads, 'no main file: nobody knows what else is read');
      assert.equal(await of({ 'httpd.conf': '' }, 't/load.conf'), loads, 'a file by itself');
      assert.equal(await of({ 'httpd.conf': '' }, '--assume-standalone', 't/load.conf'), fixed, 'a person knows');
    });

    it('writes with --write, and says where', async () => {
      folder().write('a.conf', SMALL);
      folder().write('b.conf', 'MaxClients 1\nMaxClients 2\n');
      folder().write('clean.conf', 'ServerName a\n');
      const { code, out, err } = await folder().run(['fix', '--write', 'a.conf', 'b.conf', 'clean.conf']);
      assert.equal(out, 'a.conf: 1 fix\nb.conf: 2 fixes\n');
      assert.match(
        err,
        /^Wrote 3 fixes in 2 files\. "httpd-upgrade undo" restores the old files\.\nOne question is open/,
      );
      assert.equal(code, 1);
      assert.equal(folder().text('a.conf'), FIXED);
    });

    it('takes suggestions with --unsafe', async () => {
      folder().write('a.conf', SMALL);
      const { code, err } = await folder().run(['fix', '--write', '--unsafe', 'a.conf']);
      assert.deepEqual([code, err], [0, 'Wrote 2 fixes in 1 file. "httpd-upgrade undo" restores the old files.\n']);
      assert.equal(folder().text('a.conf'), UNSAFE);
    });

    it('leaves choices to a person, also with --unsafe, and counts them among none', async () => {
      const text = `ServerRoot ${folder().path}\nListen 80\n<IfModule mod_php5.c>\nSetEnv A 5\n</IfModule>\n`;
      folder().write('httpd.conf', text);
      const { err } = await folder().run(['fix', '--write', '--unsafe', 'httpd.conf']);
      assert.equal(folder().text('httpd.conf'), text);
      assert.match(err, /^Nothing to fix in 1 file\./);
      const { out } = await folder().run(['check', 'httpd.conf']);
      assert.match(out, /= suggestion: Change mod_php5\.c to mod_php\.c/);
      assert.match(out, /= suggestion: Add Options All and \d+ more defaults of 2\.2/);
      assert.doesNotMatch(out, /--unsafe/);
    });

    it('does nothing the second time', async () => {
      folder().write('a.conf', SMALL);
      await folder().run(['fix', '--write', 'a.conf']);
      const before = statSync(folder().at('a.conf'));
      const { out, err } = await folder().run(['fix', '--write', 'a.conf']);
      assert.deepEqual([out, err.split('\n')[0]], ['', 'Nothing to fix safely in 1 file.']);
      const after = statSync(folder().at('a.conf'));
      assert.deepEqual([after.ino, after.mtimeMs], [before.ino, before.mtimeMs], 'not even written again');
    });

    it('exits by what is left', async () => {
      folder().write('a.conf', 'MaxClients 1\n');
      assert.equal((await folder().run(['fix', '--fail-on', 'info', 'a.conf'])).code, 1);
      assert.equal((await folder().run(['fix', '--fail-on', 'info', '--write', 'a.conf'])).code, 0);
      folder().write('b.conf', SMALL);
      assert.equal((await folder().run(['fix', '--fail-on', 'never', '--write', 'b.conf'])).code, 0);
    });
  }),
);

describe(
  'the diff of fix',
  withFolder((folder) => {
    const files: [title: string, content: string | Buffer][] = [
      ['LF', SMALL],
      ['CR LF', SMALL.replace(/\n/g, '\r\n')],
      ['mixed line ends', `MaxClients 1\r\n${SMALL}MaxClients 2\r\r\n\n`],
      ['no line end at the end', 'ServerName a\nMaxClients 1'],
      ['one line without a line end', 'MaxClients 1'],
      ['a byte order mark', `\uFEFF# a\n${SMALL}`],
      ['ISO 8859-1', Buffer.from(`# Universit\xe4t\n${SMALL}# \x80\x9b\n`, 'latin1')],
      [
        'changes far apart and close together',
        `${SMALL}${'Listen 1\n'.repeat(40)}${SMALL}${'Listen 2\n'.repeat(7)}${SMALL}${'Listen 3\n'.repeat(6)}${SMALL}`,
      ],
      ['everything gone', '<Files x>\nOrder allow,deny\nAllow from all\n</Files>'],
    ];
    for (const [title, content] of files) {
      it(`is what patch needs to do the same: ${title}`, async function () {
        needs(this, 'patch');
        folder().write('a.conf', content);
        const { out } = await runBytes(['fix', '--unsafe', '--assume-standalone', 'a.conf'], { cwd: folder().path });
        folder().write('patched.conf', content);
        const patch = spawnSync('patch', ['--binary', 'patched.conf'], {
          cwd: folder().path,
          input: out,
          encoding: 'utf8',
        });
        assert.equal(patch.status, 0, patch.stdout + patch.stderr);
        await folder().run(['fix', '--write', '--unsafe', '--assume-standalone', 'a.conf']);
        assert.deepEqual(folder().bytes('patched.conf'), folder().bytes('a.conf'));
        assert.notDeepEqual(folder().bytes('a.conf'), Buffer.from(content as string));
      });
    }

    it('names several files, also with blanks in their names, for patch -p0', async function () {
      needs(this, 'patch');
      for (const name of ['sites/a b.conf', 'sites/c.conf']) folder().write(name, SMALL);
      const { out } = await folder().run(['fix', 'sites/a b.conf', 'sites/c.conf']);
      const patch = spawnSync('patch', ['-p0'], { cwd: folder().path, input: out, encoding: 'utf8' });
      assert.equal(patch.status, 0, patch.stdout + patch.stderr);
      for (const name of ['sites/a b.conf', 'sites/c.conf']) assert.equal(folder().text(name), FIXED);
    });

    it('is made in no time for many changes', async () => {
      folder().write('a.conf', 'Listen 80\nMaxClients 1\n# a\n# b\n'.repeat(20_000));
      const { out } = await folder().run(['fix', 'a.conf']);
      assert.equal(out.match(/^\+MaxRequestWorkers 1$/gm)?.length, 20_000);
    });
  }),
);

describe(
  'fix --write keeps',
  withFolder((folder) => {
    const texts: [title: string, before: string | Buffer, after: string | Buffer][] = [
      ['CR LF', SMALL.replace(/\n/g, '\r\n'), UNSAFE.replace(/\n/g, '\r\n')],
      [
        'mixed line ends',
        '# a\r\nMaxClients 1\n# b\r\r\n\rMaxClients 2\r\n',
        '# a\r\nMaxRequestWorkers 1\n# b\r\r\n\rMaxRequestWorkers 2\r\n',
      ],
      ['the lack of a line end at the end', '# a\nMaxClients 1', '# a\nMaxRequestWorkers 1'],
      [
        'everything but a byte order mark, which no httpd reads',
        '\uFEFF# a\nMaxClients 1\n',
        '# a\nMaxRequestWorkers 1\n',
      ],
      [
        'ISO 8859-1',
        latin1('# \xe4\x80\xff\nMaxClients 1 \xa0\n'),
        latin1('# \xe4\x80\xff\nMaxRequestWorkers 1 \xa0\n'),
      ],
      ['UTF-8', '# ä€😀\nMaxClients 1\n', '# ä€😀\nMaxRequestWorkers 1\n'],
      ['tabs and blanks', '\t \tMaxClients \t 1 \t\n \n\t\n', '\t \tMaxRequestWorkers \t 1 \t\n \n\t\n'],
      [
        'form feeds and other control characters',
        '# \x0c\x01\nMaxClients 1\x0b\n',
        '# \x0c\x01\nMaxRequestWorkers 1\x0b\n',
      ],
    ];
    for (const [title, before, after] of texts) {
      it(title, async () => {
        folder().write('a.conf', before);
        await folder().run(['fix', '--write', '--unsafe', 'a.conf']);
        assert.deepEqual(folder().bytes('a.conf'), Buffer.from(after as string));
      });
    }

    for (const mode of [0o640, 0o600, 0o444, 0o755]) {
      it(`the mode ${mode.toString(8)}`, async function () {
        // Other users get an error: undo.test.ts.
        if (mode === 0o444) needsRoot(this);
        folder().write('a.conf', SMALL);
        chmodSync(folder().at('a.conf'), mode);
        const { code, err } = await folder().run(['fix', '--write', 'a.conf']);
        assert.deepEqual([code, folder().text('a.conf')], [1, FIXED], err);
        assert.equal(statSync(folder().at('a.conf')).mode & 0o7777, mode);
      });
    }

    it('writes as root no file of root that another user includes, by its path or by a link', async function () {
      needsRoot(this);
      const old = '<Directory "/a">\nOrder allow,deny\nAllow from all\n</Directory>\n';
      const fix = () => folder().run(['fix', '--write', '--assume-standalone', 'site/httpd.conf']);
      const main = `ServerRoot "${folder().at('site')}"\nPidFile x\nListen 80\n`;
      const formatsNothing = async (owner: number) => {
        if (owner === 0) return;
        await folder().run(['format', '--write', 'site/httpd.conf']);
        assert.equal(folder().text('out/c.conf'), old);
      };
      for (const owner of [OTHER_USER, 0])
        for (const include of [folder().at('out/c.conf'), 'sub/*.conf', 'own.conf']) {
          for (const name of ['site', 'out']) rmSync(folder().at(name), { recursive: true, force: true });
          folder().write('out/c.conf', old);
          folder().write('site/own.conf', `Include ${folder().at('out/c.conf')}\n`);
          folder().write('site/httpd.conf', `${main}Include ${include}\n`);
          mkdirSync(folder().at('site/sub'));
          symlinkSync('../../out/c.conf', folder().at('site/sub/c.conf'));
          for (const name of ['site', 'site/sub', 'site/own.conf', 'site/httpd.conf'])
            chownSync(folder().at(name), owner, owner);
          await formatsNothing(owner);
          const { err } = await fix();
          assert.equal(folder().text('out/c.conf') === old, owner !== 0, `${include} of ${owner}: ${err}`);
          if (owner !== 0) assert.match(err, /out\/c\.conf: is .* may change; run this command as the owner/);
        }
    });

    it('the owner and the group, when root runs it', async function () {
      needsRoot(this);
      folder().write('a.conf', SMALL);
      chownSync(folder().at('a.conf'), OTHER_USER, OTHER_USER);
      chmodSync(folder().at('a.conf'), 0o640);
      await folder().run(['fix', '--write', 'a.conf']);
      const { uid, gid, mode } = statSync(folder().at('a.conf'));
      assert.deepEqual([uid, gid, mode & 0o7777, folder().text('a.conf')], [OTHER_USER, OTHER_USER, 0o640, FIXED]);
    });

    it('a link as a link', async () => {
      folder().write('sites-available/a.conf', SMALL);
      folder().write('sites-enabled/other.conf', 'ServerName a\n');
      symlinkSync('../sites-available/a.conf', folder().at('sites-enabled/a.conf'));
      await folder().run(['fix', '--write', 'sites-enabled/a.conf']);
      assert.equal(readlinkSync(folder().at('sites-enabled/a.conf')), '../sites-available/a.conf');
      assert.ok(lstatSync(folder().at('sites-available/a.conf')).isFile());
      assert.equal(folder().text('sites-available/a.conf'), FIXED);
      assert.deepEqual(readdirSync(folder().at('sites-available')), ['a.conf']);
    });

    it('what stands beside the file', async () => {
      folder().write('a.conf', SMALL);
      folder().write('.a.conf.swp', 'x');
      await folder().run(['fix', '--write', 'a.conf']);
      assert.deepEqual(readdirSync(folder().path).sort(), ['.a.conf.swp', 'a.conf']);
    });
  }),
);

describe(
  'fix --write refuses, and leaves the file as it was',
  withFolder((folder) => {
    it('a file of somebody else, which would change hands', async function () {
      needsRoot(this);
      folder().write('a.conf', SMALL);
      chmodSync(folder().path, 0o777);
      await refused(
        /^httpd-upgrade: a\.conf: belongs to another user \(uid 0\), and writing it would make you the owner; run this command as that user or as root; not written\n/,
        OTHER_USER,
      );
    });

    it('a file of a group that one is not in', async function () {
      needsRoot(this);
      folder().write('a.conf', SMALL);
      chmodSync(folder().path, 0o777);
      chownSync(folder().at('a.conf'), OTHER_USER, 0);
      await refused(/^httpd-upgrade: a\.conf: belongs to a group that you are not in \(gid 0\)/, OTHER_USER);
    });

    it('a file in a folder that may not be written to', async () => {
      folder().write('a.conf', SMALL);
      chmodSync(folder().path, 0o555);
      await refused(
        /^httpd-upgrade: a\.conf: no permission to write in the directory .*; not written\n1 fix is not written, for the reasons above\.\n/,
        isRoot ? OTHER_USER : undefined,
      );
    });

    it('a file with several names, of which only one would be changed', async () => {
      folder().write('a.conf', SMALL);
      linkSync(folder().at('a.conf'), folder().at('b.conf'));
      await refused(
        /^httpd-upgrade: a\.conf: has 2 names \(hard links\), and writing it would separate them; not written\n/,
      );
      assert.equal(statSync(folder().at('a.conf')).ino, statSync(folder().at('b.conf')).ino);
    });

    it('a file on a disk that is full', async function () {
      if (!existsSync('/dev/full')) lacks(this, 'no /dev/full here: this is for Linux');
      needs(this, 'sh');
      // A limit on the size of files breaks the write in the middle, as a full disk does.
      folder().write('a.conf', `${'# x\n'.repeat(100_000)}${SMALL}`);
      const before = folder().bytes('a.conf');
      const { err, code } = runLimited(folder().path);
      assert.match(err, /^httpd-upgrade: a\.conf: .*not written\n/);
      assert.equal(code, 2);
      assert.deepEqual(folder().bytes('a.conf'), before);
      assert.deepEqual(readdirSync(folder().path), ['a.conf']);
    });

    it('one file, and goes on with the next', async () => {
      folder().write('a.conf', SMALL);
      linkSync(folder().at('a.conf'), folder().at('b.conf'));
      folder().write('c.conf', SMALL);
      const { code, out, err } = await folder().run(['fix', '--write', 'a.conf', 'c.conf']);
      assert.deepEqual([code, out, folder().text('c.conf')], [2, 'c.conf: 1 fix\n', FIXED]);
      assert.match(err, /Wrote 1 fix in 1 file\. [^\n]*\nOne question is open\.[^]*\n3 problems are left\. To see/);
    });

    it('standard input without a name that only a .htaccess can be: the option to add', () => {
      const piped = (input: string, ...args: string[]) =>
        spawnSync(process.execPath, [bundle('cli.js'), 'fix', '--assume-standalone', ...args, '-'], {
          input,
          encoding: 'utf8',
          cwd: folder().path,
        });
      const old = 'Order deny,allow\nDeny from all\nAllow from 10.0.0.0/8\n';
      const within = (open: string, close: string) => `${open}\n${old}${close}\n`;
      // With --assume-standalone, the section that includes these lines has no others.
      assert.equal(piped(old).stdout, 'Require ip 10.0.0.0/8\n');
      for (const text of [within('<IfModule mod_rewrite.c>', '</IfModule>'), within('<Limit GET>', '</Limit>')]) {
        const { stdout, stderr } = piped(text);
        assert.equal(stdout, text);
        assert.match(stderr, /as in a \.htaccess file.*add: --stdin-filename \.htaccess\n/, text);
        assert.doesNotMatch(piped(text, '--stdin-filename', '.htaccess').stderr, /--stdin-filename/);
      }
      assert.equal(piped(old, '--stdin-filename', '.htaccess').stdout, 'Require ip 10.0.0.0/8\n');
      const section = piped(within('<Directory /srv>', '</Directory>'));
      assert.match(section.stdout, /Require ip 10/);
      assert.doesNotMatch(section.stderr, /--stdin-filename/);
    });

    async function refused(message: RegExp, uid?: number): Promise<void> {
      const names = readdirSync(folder().path);
      const { code, out, err } = await folder().run(['fix', '--write', 'a.conf'], { uid });
      assert.match(err, message);
      assert.deepEqual([code, out, folder().text('a.conf')], [2, '', SMALL]);
      assert.deepEqual(readdirSync(folder().path), names, 'nothing is left behind');
    }
  }),
);

// ---------------------------------------------------------------------------------------------------------------------

function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

function runLimited(cwd: string): { code: number | null; err: string } {
  const command = 'ulimit -f 100; trap "" XFSZ; exec "$NODE" "$CLI" fix --write a.conf';
  const env = { ...process.env, NODE: process.execPath, CLI: bundle('cli.js') };
  const { status, stderr } = spawnSync('sh', ['-c', command], { cwd, env, encoding: 'utf8' });
  return { code: status, err: stderr };
}
