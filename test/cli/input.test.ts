/**
 * The input of the command line: folders, links, and everything that is no readable configuration.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync, symlinkSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { lacks } from '../support/lacks';
import { bundle } from '../support/built';
import { isRoot, needs, OTHER_USER, withFolder } from './run';

const OLD = 'MaxClients 1\n';

describe(
  'folders',
  withFolder((folder) => {
    it('are searched in an order that stays the same', async () => {
      const names = [
        'httpd/conf/httpd.conf',
        'httpd/conf/extra/httpd-b.conf',
        'httpd/conf/extra/httpd-a.conf',
        'httpd/conf.d/z.conf',
        'a/.htaccess',
        'z/.htaccess',
        '.htaccess',
      ];
      for (const name of names) folder().write(name, OLD);
      const expected = [
        './.htaccess',
        './a/.htaccess',
        './httpd/conf/httpd.conf',
        './httpd/conf/extra/httpd-a.conf',
        './httpd/conf/extra/httpd-b.conf',
        './httpd/conf.d/z.conf',
        './z/.htaccess',
      ];
      assert.deepEqual((await paths(['.'])).paths, expected);
      assert.deepEqual(
        (await paths([folder().at('a')])).paths,
        [folder().at('a/.htaccess')],
        'named below the folder as it was given',
      );
      assert.deepEqual((await paths(['a/'])).paths, ['a/.htaccess']);
    });

    it('are searched for configuration and for nothing else', async () => {
      folder().write('httpd.conf', OLD);
      folder().write('conf/site.conf', '<VirtualHost *:80>\nMaxClients 1\n</VirtualHost>\n');
      folder().write('conf/other.conf', 'key = value\n[section]\n');
      folder().write('notes.txt', OLD);
      folder().write('httpd.conf~/x', OLD);
      folder().write('node_modules/a/.htaccess', OLD);
      folder().write('.git/httpd.conf', OLD);
      assert.deepEqual((await paths(['.'])).paths, ['./httpd.conf', './conf/site.conf']);
    });

    for (const command of ['check', 'plan', 'fix'])
      it(`name files that look like configuration, except for their names: ${command}`, async () => {
        const section = '<Directory /srv/a>\nOrder allow,deny\nAllow from all\n</Directory>\n';
        folder().write('deploy/site.conf', section);
        for (const name of ['new', 'www.example.org', 'left', 'unused', 'README', 'notes.txt'])
          folder().write(`deploy/${name}`, section);
        folder().write('deploy/install', `#!/bin/sh\ncat > /etc/a <<E\n${section}E\n`);
        folder().write('deploy/TODO', 'Deploy the site.\nAllow all hosts.\n');
        folder().write('deploy/.httpd-upgradeignore', 'left\n');
        folder().write('.httpd-upgrade.json', '{ "unused": ["deploy/unused"] }');
        assert.equal(spawnSync('mkfifo', [folder().at('deploy/pipe')]).status, 0);
        const { err } = await folder().run([command, 'deploy']);
        assert.match(
          err,
          /^httpd-upgrade: not read: deploy\/new and deploy\/www\.example\.org look like httpd configuration, but their names do not\. To read them, too, add the paths, or a pattern, to the command$/m,
        );
        const named = await folder().run([command, 'deploy', 'deploy/new', 'deploy/www.example.org']);
        assert.doesNotMatch(named.err, /not read:/);
      });

    it('name templates that look like configuration', async () => {
      const template = '<VirtualHost *:80>\nServerName {{ name }}\nDocumentRoot /srv\n</VirtualHost>\n';
      folder().write('site.conf', template.replace('{{ name }}', 'a'));
      for (const name of ['b.tpl', 'c.j2']) folder().write(name, template);
      folder().write('d.tpl', 'Hello {{ name }}\n');
      assert.match(
        (await folder().run(['check', '.'])).err,
        /not read: b\.tpl and c\.j2 look like httpd configuration/,
      );
    });

    it('do not name files that a configuration includes', async () => {
      const main = `ServerRoot ${folder().path}\nListen 80\nInclude site\n`;
      folder().write('httpd.conf', main);
      folder().write('site', '<Directory /srv/a>\nOrder allow,deny\nAllow from all\n</Directory>\n');
      assert.doesNotMatch((await folder().run(['check', '.'])).err, /not read:/);
    });

    it('report a file that several links lead to once', async () => {
      folder().write('apache2/sites-available/a.conf', OLD);
      mkdirSync(folder().at('apache2/sites-enabled'));
      symlinkSync('../sites-available/a.conf', folder().at('apache2/sites-enabled/a.conf'));
      symlinkSync('sites-available', folder().at('apache2/sites-other'));
      assert.deepEqual((await paths(['apache2'])).paths, ['apache2/sites-available/a.conf']);
      assert.deepEqual(
        (await paths(['apache2/sites-enabled/a.conf', 'apache2', 'apache2/sites-available/a.conf'])).paths,
        ['apache2/sites-enabled/a.conf'],
      );
      assert.deepEqual((await paths(['apache2', 'apache2', '.'])).err, '');
    });

    it('may hold links in circles', async () => {
      folder().write('conf/httpd.conf', OLD);
      symlinkSync('..', folder().at('conf/up'));
      symlinkSync('.', folder().at('conf/here'));
      symlinkSync('httpd.conf.orig', folder().at('conf/httpd.conf.bak'));
      symlinkSync('httpd.conf.bak', folder().at('conf/httpd.conf.orig'));
      symlinkSync('/nowhere', folder().at('conf/httpd-dangling.conf'));
      const { paths: found, err, code } = await paths(['.']);
      assert.deepEqual(found, ['./conf/httpd.conf']);
      assert.deepEqual(err.split('\n').sort(), [
        '',
        'httpd-upgrade: ./conf/httpd.conf.bak: is a symbolic link that leads back to itself',
        'httpd-upgrade: ./conf/httpd.conf.orig: is a symbolic link that leads back to itself',
      ]);
      assert.equal(code, 2);
    });

    it('may hold folders and FIFOs with the names of files', async function () {
      needs(this, 'mkfifo');
      folder().write('conf/httpd.conf/httpd.conf', OLD);
      spawnSync('mkfifo', [folder().at('conf/.htaccess')]);
      assert.deepEqual(await paths(['conf']), { paths: ['conf/httpd.conf/httpd.conf'], err: '', code: 0 });
    });

    it('with files and folders that may not be read are read as far as possible', async () => {
      for (const name of ['a/httpd.conf', 'b/httpd.conf', 'c/httpd.conf']) folder().write(name, OLD);
      chmodSync(folder().at('a/httpd.conf'), 0);
      chmodSync(folder().at('b'), 0);
      const found = await paths(['.'], isRoot ? OTHER_USER : undefined);
      chmodSync(folder().at('b'), 0o755);
      assert.deepEqual(found, {
        paths: ['./c/httpd.conf'],
        err: 'httpd-upgrade: ./a/httpd.conf: permission denied\nhttpd-upgrade: ./b: permission denied\n',
        code: 2,
      });
    });

    it('without configuration are an error, also if other paths have some', async () => {
      const err =
        'httpd-upgrade: .: no httpd configuration found in this directory; give the directory of httpd.conf or apache2.conf\n';
      folder().write('notes.txt', OLD);
      for (const command of ['check', 'fix', 'format'])
        assert.deepEqual(await folder().run([command, '.']), { code: 2, out: '', err }, command);
      const plan = await folder().run(['plan', '.']);
      assert.deepEqual([plan.code, plan.err], [2, err]);
      folder().write('httpd.conf', '# nothing\n');
      folder().write('empty/notes.txt', OLD);
      const emptyMessage = `${err.trim().replace('.:', 'empty:')}, or a pattern: 'empty/**'\n`;
      for (const command of ['check', 'fix', 'format', 'plan']) {
        const result = await folder().run([command, 'empty', 'httpd.conf']);
        assert.deepEqual([result.code, result.err.slice(0, emptyMessage.length)], [2, emptyMessage], command);
      }
    });

    it('without configuration, but with PHP code that writes old lines, are worth none', async () => {
      folder().write('empty/notes.txt', OLD);
      folder().write('app/install.php', `<?php $lines = "Order deny,allow\\nDeny from all\\n";`);
      const { err, out, code } = await folder().run(['check', 'empty', 'app']);
      assert.deepEqual(
        [err, code],
        [
          "httpd-upgrade: empty: no httpd configuration found in this directory; give the directory of httpd.conf or apache2.conf, or a pattern: 'empty/**'\n",
          2,
        ],
      );
      assert.match(out, /^app\/install\.php$/m);
    });

    it('without configuration are not called ready', async () => {
      folder().write('notes.txt', OLD);
      for (const args of [
        ['plan', '.'],
        ['plan', '--format', 'markdown', '.'],
      ]) {
        const { out } = await folder().run(args);
        assert.match(out, /No httpd configuration was found\./, args.join(' '));
        assert.doesNotMatch(out, /Ready for/, args.join(' '));
      }
      assert.deepEqual(await folder().run(['migrate', '.']), {
        code: 2,
        out: '',
        err: 'httpd-upgrade: .: no httpd configuration found in this directory; give the directory of httpd.conf or apache2.conf\n',
      });
    });

    async function paths(args: string[], uid?: number): Promise<{ paths: string[]; err: string; code: unknown }> {
      const { out, err, code } = await folder().run(['check', '--format', 'json', ...args], { uid });
      return { paths: JSON.parse(out).files.map((file: { path: string }) => file.path), err, code };
    }
  }),
);

describe(
  'files that cannot be read',
  withFolder((folder) => {
    const cases: [title: string, make: (at: string) => void, message: string][] = [
      ['a file that is not there', () => {}, 'does not exist'],
      ['a link that leads nowhere', (at) => symlinkSync('nowhere.conf', at), 'does not exist'],
      ['a link to itself', (at) => symlinkSync(at, at), 'is a symbolic link that leads back to itself'],
      ['a device', (at) => symlinkSync('/dev/zero', at), 'is a device, not a regular file'],
      [
        'a binary file',
        (at) => write(at, Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0])),
        'is a binary file',
      ],
      ['a program', (at) => symlinkSync(process.execPath, at), 'is a binary file'],
      [
        'UTF-16',
        (at) => write(at, Buffer.from(`\uFEFF${OLD}`, 'utf16le')),
        'is UTF-16, which httpd does not read; save it as UTF-8',
      ],
      [
        'UTF-16, big endian',
        (at) => write(at, Buffer.from(`\uFEFF${OLD}`, 'utf16le').swap16()),
        'is UTF-16, which httpd does not read; save it as UTF-8',
      ],
      ['UTF-16 without a mark', (at) => write(at, Buffer.from(OLD, 'utf16le')), 'is a binary file'],
    ];
    for (const [title, make, message] of cases) {
      it(`${title}: says so, and goes on`, async () => {
        make(folder().at('a.conf'));
        await complained(message);
      });
    }

    it('a FIFO to which no program writes: says so, and does not wait for ever', async function () {
      needs(this, 'mkfifo');
      spawnSync('mkfifo', [folder().at('a.conf')]);
      await complained('is a FIFO to which no program writes');
    });

    it('a socket: says so', async () => {
      const server = createServer().listen(folder().at('a.conf'));
      await new Promise((resolve) => server.once('listening', resolve));
      await complained('is a socket, not a regular file').finally(() => server.close());
    });

    it('a file below a file: says so', async () => {
      folder().write('file', '');
      const { err, code } = await folder().run(['check', 'file/a.conf']);
      assert.deepEqual([err, code], ['httpd-upgrade: file/a.conf: does not exist\n', 2]);
    });

    it('a file that may not be read: says so', async () => {
      folder().write('a.conf', OLD);
      chmodSync(folder().at('a.conf'), 0);
      await complained('permission denied', isRoot ? OTHER_USER : undefined);
    });

    it('names with orders to the terminal are shown without them', async () => {
      const { err } = await folder().run(['check', 'a\x1b[31m\n.conf']);
      assert.equal(err, 'httpd-upgrade: a·[31m·.conf: does not exist\n');
    });

    async function complained(message: string, uid?: number): Promise<void> {
      folder().write('b.conf', OLD);
      for (const command of [['check', '--format', 'github'], ['fix']]) {
        const { code, out, err } = await folder().run([...command, 'a.conf', 'b.conf'], { uid });
        assert.equal(err.split('\n')[0], `httpd-upgrade: a.conf: ${message}`);
        assert.match(out, /b\.conf/);
        assert.equal(code, 2);
      }
    }
  }),
);

describe(
  'files that are odd, but can be read',
  withFolder((folder) => {
    const cases: [title: string, content: string | Buffer, findings: number][] = [
      ['empty', '', 0],
      ['only a byte order mark', '\uFEFF', 0],
      ['only line ends', '\r\n\n\r', 0],
      ['a NUL in a line, behind which httpd reads nothing', `MaxClients 1\0 x\n${OLD}${'# x\n'.repeat(50)}`, 2],
      ['bytes of no encoding', Buffer.from([...Buffer.from('# '), 0xc3, 0x28, 0xff, 0x80, 10, ...Buffer.from(OLD)]), 1],
      ['half a character at the end', Buffer.from([...Buffer.from(OLD), 0xe2, 0x82]), 1],
      ['a line of a megabyte', `# ${'x'.repeat(1 << 20)}\n${OLD}ServerAlias ${'a '.repeat(1 << 19)}\n`, 1],
      ['a million line ends', `${'\n'.repeat(1_000_000)}${OLD}`, 1],
      [
        'ten thousand sections in each other',
        `${'<Directory />\n'.repeat(10_000)}${OLD}${'</Directory>\n'.repeat(10_000)}`,
        1,
      ],
      ['ten thousand sections without an end', `${'<Directory />\n'.repeat(10_000)}${OLD}`, 1],
      ['a continuation without an end', `MaxClients 1 \\\n${'a \\\n'.repeat(10_000)}`, 1],
    ];
    for (const [title, content, findings] of cases) {
      it(title, async () => {
        folder().write('a.conf', content);
        const { out, err } = await folder().run(['check', '--format', 'json', 'a.conf']);
        assert.equal(err, '');
        const { files, summary } = JSON.parse(out) as {
          files: { findings: { rule: string }[] }[];
          summary: { files: number };
        };
        const found = files.flatMap((file) => file.findings).filter(({ rule }) => rule === 'max-clients');
        assert.deepEqual([summary.files, found.length], [1, findings]);
      });
    }

    it('a /proc file, whose size is said to be 0', async function () {
      if (!existsSync('/proc/self/status')) lacks(this, 'no /proc here: this is for Linux');
      assert.deepEqual(await folder().run(['check', '/proc/self/status']), {
        code: 0,
        out: 'No problems in 1 file.\n',
        err: '',
      });
    });

    it('50 MB, in bounded time and memory', async function () {
      this.timeout(900_000);
      const site = `<VirtualHost *:80>\n    ServerName www.example.org\n    # ${'The old site, kept until it is no longer asked for. '.repeat(6)}\n    DocumentRoot /var/www/html\n</VirtualHost>\n`;
      const file = openSync(folder().at('a.conf'), 'w');
      writeSync(file, OLD);
      for (let size = 0; size < 50_000_000; size += writeSync(file, site.repeat(1000)));
      writeSync(file, OLD);
      closeSync(file);
      assert.ok(statSync(folder().at('a.conf')).size > 50_000_000);
      const child = spawn(
        process.execPath,
        ['--max-old-space-size=1024', bundle('cli.js'), 'check', '--format', 'github', 'a.conf'],
        { cwd: folder().path },
      );
      let out = '';
      child.stdout.on('data', (chunk) => (out += chunk));
      const code = await new Promise((resolve) => child.on('close', resolve));
      assert.equal(code, 0);
      assert.deepEqual(out.match(/line=\d+/g)?.length, 2);
    });

    it('in a folder, a file beyond 32 MB is left out with a word', async () => {
      folder().write('conf/httpd.conf', '# x\n'.repeat(9_000_000));
      const { code, err } = await folder().run(['check', 'conf']);
      assert.match(
        err,
        /^httpd-upgrade: conf\/httpd\.conf: is larger than 32 MB; to check it, name it on the command line\n/,
      );
      assert.equal(code, 2);
    });
  }),
);

// ---------------------------------------------------------------------------------------------------------------------

function write(at: string, content: Buffer): void {
  const file = openSync(at, 'w');
  writeSync(file, content);
  closeSync(file);
}
