/** Configurations with unreadable, missing or circular files: a message, and an end. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, symlinkSync } from 'node:fs';
import { isRoot, OTHER_USER, withFolder } from './run';

const OLD = '<Directory /srv>\nOrder allow,deny\nAllow from all\n</Directory>\n';

describe(
  'hostile configurations',
  withFolder((folder) => {
    const includes = async (uid?: number) => {
      const { out, code, err } = await folder().run(['includes', 'httpd.conf'], { uid });
      assert.equal(err, '');
      assert.equal(code, 0);
      return out.split('\n').map((row) => row.trim());
    };
    const check = async () => {
      const { code, out } = await folder().run(['check', '--format', 'json', 'httpd.conf']);
      assert.ok(code === 0 || code === 1, out);
      return (JSON.parse(out) as { files: { findings: { rule: string }[] }[] }).files.flatMap(({ findings }) =>
        findings.map(({ rule }) => rule),
      );
    };

    for (const [title, target] of [
      ['a device', '/dev/zero'],
      ['a FIFO', 'fifo'],
      ['a socket or nothing', 'none'],
    ]) {
      it(`an Include of ${title} is not read, and the rest is`, async () => {
        if (target === 'fifo') assert.equal(spawnSync('mkfifo', [folder().at('fifo')]).status, 0);
        folder().write('httpd.conf', `ServerRoot "${folder().at('')}"\nInclude ${target}\nMaxClients 1\n`);
        assert.match((await includes())[1], /^2: Include .*\((its directory is )?not in this copy\)$/);
        assert.ok((await check()).includes('max-clients'));
      });
    }

    for (const target of ['/dev/zero', 'fifo'])
      for (const option of ['--config', '--baseline'])
        it(`${option} ${target} is refused`, async () => {
          if (target === 'fifo') assert.equal(spawnSync('mkfifo', [folder().at('fifo')]).status, 0);
          folder().write('httpd.conf', 'MaxClients 1\n');
          const { code, err } = await folder().run(['check', option, target, 'httpd.conf']);
          assert.equal(code, 2);
          assert.match(err, /is a (device|FIFO), not a regular file/);
        });

    it('a pattern of .httpd-upgradeignore that would take forever is named, and not used', async () => {
      folder().write(`${'a'.repeat(200)}.conf`, OLD);
      folder().write('.httpd-upgradeignore', `${'**/a/'.repeat(20)}b\n*.bak*\n`);
      folder().write('b.bak.conf', OLD);
      const { out, err, code } = await folder().run(['check', '.']);
      assert.match(err, /\.httpd-upgradeignore: has a pattern with too many \*\*: \*\*\/a/);
      assert.equal(code, 2);
      assert.match(out, /aaa\.conf/);
      assert.doesNotMatch(out, /bak/);
    });

    it('settings and patterns that are links to a device are none', async () => {
      folder().write('httpd.conf', 'MaxClients 1\n');
      for (const name of ['.httpd-upgrade.json', '.httpd-upgradeignore']) symlinkSync('/dev/zero', folder().at(name));
      assert.ok((await check()).includes('max-clients'));
    });

    it('a folder without permission is said to be one', async () => {
      folder().write('httpd.conf', `ServerRoot "${folder().at('')}"\nInclude closed/*.conf\nInclude closed\n`);
      folder().write('closed/a.conf', '');
      chmodSync(folder().at('closed'), 0o000);
      try {
        const rows = await includes(isRoot ? OTHER_USER : undefined);
        assert.match(rows[1], /a directory that cannot be read/);
        assert.match(rows[2], /a directory that cannot be read/);
      } finally {
        chmodSync(folder().at('closed'), 0o755);
      }
    });

    it('directories in each other are searched up to a depth', async () => {
      for (const [depth, isSearched] of [
        [90, true],
        [200, false],
      ] as const) {
        const file = `top${depth}/${'a/'.repeat(depth)}httpd.conf`;
        folder().write(file, 'MaxClients 1\n');
        const { out, err, code } = await folder().run(['check', '--color', 'never', `top${depth}`]);
        assert.equal(/max-clients/.test(out), isSearched);
        if (isSearched) assert.equal(err, '');
        else assert.match(err, /is not searched: it is more than 100 directories deep/);
        assert.equal(code, isSearched ? 0 : 2);
      }
    });

    it('a file whose name is an option of the next command is named as a file', async () => {
      folder().write('--write', OLD);
      for (const command of ['check', 'plan', 'fix', 'verify']) {
        const { out, err } = await folder().run([command, '--', '--write']);
        assert.doesNotMatch(out + err, /httpd-upgrade \w+( [^\n]*)? --write$/m, command);
      }
    });

    it('a program to which an Include leads is not changed, unless the user names it', async () => {
      const script = '#!/bin/sh\nx=1\ncase "$x" in\n1) ;;\nesac\n';
      folder().write('httpd.conf', `ServerRoot "${folder().at('')}"\nListen 80\nInclude bin/*\n`);
      for (const name of ['a', 'b']) folder().write(`bin/${name}`, script);
      const write = ['fix', '--write', '--unsafe', '--assume-standalone'];
      const { err } = await folder().run([...write, 'httpd.conf']);
      assert.match(err, /bin\/a: begins with #!, so it is a program and no configuration: it is not changed/);
      assert.match(folder().text('httpd.conf'), /IncludeOptional bin/);
      assert.deepEqual([folder().text('bin/a'), folder().text('bin/b')], [script, script]);
    });

    it('a circle is named where it is', async () => {
      folder().write('httpd.conf', `ServerRoot "${folder().at('')}"\nInclude a.conf\nMaxClients 1\n`);
      folder().write('a.conf', 'Include b.conf\nInclude b.conf\n');
      folder().write('b.conf', 'Include a.conf\nInclude a.conf\n');
      assert.ok((await includes()).some((row) => /goes round in circles/.test(row)));
      assert.ok((await check()).includes('max-clients'));
    });

    it('an Include of files that the kernel makes up ends', async () => {
      folder().write('httpd.conf', `ServerRoot "${folder().at('')}"\nInclude /proc/self\nMaxClients 1\n`);
      assert.ok((await check()).includes('max-clients'));
    });

    it('a hundred thousand sections, one in another, end', async () => {
      folder().write(
        'httpd.conf',
        `ServerRoot "${folder().at('')}"\n${'<Directory /a>\n'.repeat(100_000)}Include httpd.conf\n${'</Directory>\n'.repeat(100_000)}`,
      );
      assert.match((await includes())[0], /^httpd\.conf/);
    });

    it('a million lines are read', async () => {
      folder().write(
        'httpd.conf',
        `ServerRoot "${folder().at('')}"\n${'<IfModule a.c>\nAlias /a /b\n</IfModule>\n'.repeat(333_333)}Include last.conf\n`,
      );
      folder().write('last.conf', '');
      assert.deepEqual((await includes()).slice(0, 3), [
        'httpd.conf  (2 files)',
        '1000001: Include last.conf',
        'last.conf',
      ]);
    });

    it('a name that grows with every macro ends', async () => {
      folder().write(
        'httpd.conf',
        `ServerRoot "${folder().at('')}"\n<Macro A $x>\nUse A $x$x\nUse A $x$x\n</Macro>\nUse A ab\n`,
      );
      assert.match((await includes())[0], /^httpd\.conf/);
    });

    it('nothing that a file or its name says reaches the terminal as an order', async () => {
      const name = 'a\n\u001b]0;x\u0007::error file=x.conf';
      folder().write(
        'httpd.conf',
        `ServerRoot "${folder().at('')}"\nInclude "conf.d"\nInclude "\u001b[2J\u009bx"\nMaxClients 1\n`,
      );
      folder().write(
        `conf.d/${name}`,
        '<Directory /a>\nOrder deny,allow\nDeny from all\nAllow from env=\u001b[31mx\u0007\n</Directory>\nMaxClients \u001b[1m1\n',
      );
      for (const args of [
        ['includes', 'httpd.conf'],
        ['check', 'httpd.conf'],
        ['check', 'conf.d'],
        ['explain', '--access', `conf.d/${name}:2`],
        ['explain', '\u001b[31m'],
        ['fix', '--write', '--unsafe', 'httpd.conf'],
      ]) {
        const { out, err } = await folder().run(args);
        for (const text of [out, err]) {
          assert.doesNotMatch(text, /[\0-\x08\x0b-\x1f\x7f-\x9f]/, args.join(' '));
          assert.doesNotMatch(text, /^::error file=x/m, args.join(' '));
        }
      }
    });
  }),
);
