/** `httpd-upgrade format`. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { bundle } from '../support/built';
import { withFolder } from './run';

const OLD = '<If true>\nOptions   None\n</If>\n';
const NEW = '<If true>\n    Options None\n</If>\n';

describe(
  'format',
  withFolder((folder) => {
    const piped = (input: string | Buffer, ...args: string[]) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [bundle('cli.js'), 'format', ...args, '-'], {
        input,
      });
      return { code: status, out: stdout, err: stderr.toString() };
    };

    it('shows what would change', async () => {
      folder().write('a.conf', OLD);
      folder().write('b.conf', NEW);
      const { code, out, err } = await folder().run(['format', 'a.conf', 'b.conf']);
      assert.equal(
        out,
        '--- a.conf\n+++ a.conf\n@@ -1,3 +1,3 @@\n <If true>\n-Options   None\n+    Options None\n </If>\n',
      );
      assert.deepEqual(
        [code, err, folder().text('a.conf')],
        [1, '1 of 2 files would change. To write the changes, run format with --write.\n', OLD],
      );
      assert.equal((await folder().run(['format', '--diff', 'a.conf', 'b.conf'])).out, out);
    });

    it('lists files that are not formatted', async () => {
      folder().write('a.conf', OLD);
      folder().write('b.conf', NEW);
      assert.deepEqual(await folder().run(['format', '--check', '.']), {
        code: 1,
        out: './a.conf: not formatted\n',
        err: '1 of 2 files would change. To write the changes, run format with --write.\n',
      });
      assert.deepEqual(await folder().run(['format', '--check', 'b.conf']), {
        code: 0,
        out: '',
        err: '1 file: nothing to format.\n',
      });
    });

    it('writes, and undo brings the old files back', async () => {
      folder().write('a.conf', OLD);
      folder().write('.htaccess', OLD.replace(/\n/g, '\r\n'));
      assert.deepEqual(await folder().run(['format', '--write', '.']), {
        code: 0,
        out: './.htaccess: formatted\n./a.conf: formatted\n',
        err: 'Formatted 2 of 2 files.\n',
      });
      assert.deepEqual([folder().text('a.conf'), folder().text('.htaccess')], [NEW, NEW.replace(/\n/g, '\r\n')]);
      assert.equal((await folder().run(['format', '--check', '.'])).code, 0);
      assert.equal((await folder().run(['undo'])).code, 0);
      assert.equal(folder().text('a.conf'), OLD);
    });

    it('keeps bytes that are no UTF-8', async () => {
      folder().write('a.conf', Buffer.from('ServerAdmin   "J\xfcrgen"\n# \xe4  \n', 'latin1'));
      await folder().run(['format', '--write', 'a.conf']);
      assert.deepEqual(folder().bytes('a.conf'), Buffer.from('ServerAdmin "J\xfcrgen"\n# \xe4\n', 'latin1'));
    });

    it('formats what a main file includes, and nothing that another file includes', async () => {
      folder().write(
        'conf/httpd.conf',
        `ServerRoot "${folder().at('.')}"\nListen 80\nLoadModule a_module m\nInclude conf.d/*.conf\n`,
      );
      folder().write('conf.d/a.conf', `${OLD}Include other/*.inc\n`);
      folder().write('other/b.inc', OLD);
      assert.equal(
        (await folder().run(['format', '--check', 'conf/httpd.conf'])).out,
        'conf.d/a.conf: not formatted\nother/b.inc: not formatted\n',
      );
      assert.equal((await folder().run(['format', '--check', 'conf.d/a.conf'])).out, 'conf.d/a.conf: not formatted\n');
    });

    it('takes how to indent, and what becomes of columns', async () => {
      folder().write('a.conf', `${OLD}ServerName    a\nDocumentRoot  /b\n`);
      await folder().run(['format', '--write', '--indent', 'tab', 'a.conf']);
      assert.equal(folder().text('a.conf'), '<If true>\n\tOptions None\n</If>\nServerName    a\nDocumentRoot  /b\n');
      await folder().run(['format', '--write', '--indent', '2', '--alignment', 'none', 'a.conf']);
      assert.equal(folder().text('a.conf'), '<If true>\n  Options None\n</If>\nServerName a\nDocumentRoot /b\n');
    });

    it('formats standard input', () => {
      const bytes = (text: string) => Buffer.from(text, 'latin1');
      assert.deepEqual(piped(bytes(`${OLD}# \xfc`)), { code: 0, out: bytes(`${NEW}# \xfc\n`), err: '' });
      assert.deepEqual(piped(OLD, '--check', '--stdin-filename', 'a.conf'), {
        code: 1,
        out: Buffer.from('a.conf: not formatted\n'),
        err: '',
      });
      assert.match(piped(OLD, '--diff').out.toString(), /^--- -\n/);
      assert.deepEqual(piped('\0\x01\x02'), {
        code: 2,
        out: Buffer.from(''),
        err: 'httpd-upgrade: -: is a binary file\n',
      });
    });

    it('writes no standard input', () => {
      assert.deepEqual(piped(OLD, '--write'), {
        code: 2,
        out: Buffer.from(''),
        err: 'httpd-upgrade: --write needs files: what comes from a pipe is formatted to standard output\n',
      });
    });

    it('leaves out what is excluded', async () => {
      folder().write('a.conf', OLD);
      folder().write('b.conf', OLD);
      assert.equal(
        (await folder().run(['format', '--check', '--exclude', 'b.*', '.'])).out,
        './a.conf: not formatted\n',
      );
    });

    it('says what it cannot read, and formats the rest', async () => {
      folder().write('a.conf', OLD);
      const { code, out, err } = await folder().run(['format', '--check', 'none.conf', 'a.conf']);
      assert.deepEqual([code, out], [2, 'a.conf: not formatted\n']);
      assert.match(err, /none\.conf: does not exist/);
    });

    for (const [args, reason] of [
      [[], 'no files given: add files or directories'],
      [['--check', '--write', 'a'], '--check, --diff and --write do not work together: use one of them'],
      [['--indent', '0', 'a'], '--indent is a number of spaces from 1 to 16, or tab, not "0"'],
      [
        ['--alignment', 'x', 'a'],
        "option '--alignment <which>' argument 'x' is invalid. Allowed choices are keep, none",
      ],
    ] as const) {
      it(`says why "format ${args.join(' ')}" is wrong`, async () => {
        assert.deepEqual(await folder().run(['format', ...args]), {
          code: 2,
          out: '',
          err: `httpd-upgrade: ${reason}\nTry "httpd-upgrade format --help".\n`,
        });
      });
    }
  }),
);
