/** Invisible characters in file names and texts: no output contains one unescaped. */
import assert from 'node:assert/strict';
import { hasHiddenCharacter } from '../../server/src/syntax/hidden-text';
import { withFolder } from './run';

const FORMATS = ['text', 'json', 'sarif', 'github', 'gitlab', 'checkstyle', 'junit'];
const ALL = '\u202e\u2066\u200b\u200f\u2060\ufeff\u00ad\u061c\u180e\u{e0041}\x1b[31m\x9b\x07';

describe(
  'invisible characters',
  withFolder((folder) => {
    const none = (text: string, what: string) => {
      assert.ok(!hasHiddenCharacter(text), `${what}: ${JSON.stringify(text).slice(0, 300)}`);
    };

    for (const format of FORMATS)
      it(`are not in the output of check --format ${format}`, async () => {
        const name = `a\u202e\x1b[31m\u200b.conf`;
        folder().write(
          name,
          `ServerRoot "/x${ALL}"\nMaxClients${ALL} 1\nOrder${ALL} a\nFoo${ALL} b\n<Dir${ALL}>\n</Dir${ALL}>\nLoadModule x${ALL} y\n` +
            `MaxClients 1${ALL}\n<Directory /a${ALL}>\nOrder deny,allow\nDeny from ${ALL}\n</Directory>\nInclude ${ALL}.conf\nUse m${ALL}\n# ${ALL}\n`,
        );
        const { out, err } = await folder().run(['check', '--format', format, name]);
        none(out, 'standard output');
        none(err, 'standard error');
        assert.match(out, /invisible-character/);
      });

    for (const command of [
      ['plan'],
      ['plan', '--format', 'json'],
      ['plan', '--format', 'html'],
      ['plan', '--format', 'markdown'],
      ['includes'],
    ])
      it(`are not in the output of ${command.join(' ')}`, async () => {
        folder().write(
          'httpd.conf',
          `ServerRoot "/x${ALL}"\nListen 80\nMaxClients 1\n<VirtualHost *:80>\nServerName a${ALL}\n<Directory /a${ALL}>\nOrder deny,allow\n` +
            `Deny from ${ALL}\n</Directory>\n</VirtualHost>\nInclude ${ALL}.conf\nUse m${ALL}\n`,
        );
        const { out, err } = await folder().run([...command, 'httpd.conf']);
        none(out, 'standard output');
        none(err, 'standard error');
      });

    for (const text of ['\ufeff', '\ufeff\u200b', 'a'])
      it(`a name of a million ${JSON.stringify(text)} is cut`, async () => {
        folder().write('a.conf', `${text.repeat(1_000_000 / text.length)}Listen 80\n`);
        for (const format of FORMATS.filter((each) => each !== 'sarif')) {
          const { out } = await folder().run(['check', '--format', format, 'a.conf']);
          assert.ok(out.length < 50_000, `${format}: ${out.length}`);
        }
      });
  }),
);
