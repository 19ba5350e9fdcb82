/**
 * A .htaccess file that is given alone. Other .htaccess files on the disk apply to the same
 * requests, so an answer that there are none is not believed.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { bundle } from '../support/built';
import { accessConversion } from '../../server/src/analysis/access-conversion';
import { memoryFiles } from '../../server/src/config/memory-files';
import { projectOfTexts } from '../../server/src/features/project-of-texts';
import { withFolder } from './run';

const TOP = 'Order allow,deny\nAllow from all\nDeny from 198.51.100.23\n';
const CONVERTED = '<RequireAll>\n    Require all granted\n    Require not ip 198.51.100.23\n</RequireAll>\n';
const LOGIN = 'AuthType Basic\nAuthName a\nAuthUserFile /srv/users\nRequire valid-user\n';
const ANSWER = ['--fail-on', 'never', '--answer', 'outside-unseen:.=none'];

describe(
  'a .htaccess file that is given alone',
  withFolder((folder) => {
    const fix = (...paths: string[]) => folder().run(['fix', '--write', ...ANSWER, ...paths]);

    it('stays where one in a directory below would have to change with it, and this one is named', async () => {
      folder().write('.htaccess', TOP);
      folder().write('intern/.htaccess', LOGIN);
      await fix('.htaccess');
      assert.equal(folder().text('.htaccess'), TOP);
      const { out } = await folder().run(['plan', ...ANSWER, '.htaccess']);
      assert.match(
        out.replace(/\s+/g, ' '),
        /intern\/\.htaccess applies to the same requests and must change, too, but lies outside of what was given: run on the directory that contains both files/,
      );
      assert.doesNotMatch(out, /AuthUserFile|2 files/, 'the other file is read, and not reported');
    });

    it('stays where one lies deep below, beside hundreds of other directories', async () => {
      folder().write('.htaccess', TOP);
      for (let index = 0; index < 520; index++) mkdirSync(folder().at(`d${index}`));
      folder().write('d1/deep/.htaccess', LOGIN);
      await fix('.htaccess');
      assert.equal(folder().text('.htaccess'), TOP);
    });

    it('stays where one in a directory above would have to change with it', async () => {
      folder().write('.htaccess', TOP);
      folder().write('site/intern/.htaccess', `${LOGIN}Order deny,allow\nDeny from all\nAllow from 10\n`);
      const before = folder().text('site/intern/.htaccess');
      await fix('site');
      assert.equal(folder().text('site/intern/.htaccess'), before);
    });

    it('stays on standard input where one on the disk would have to change with it', () => {
      const fed = (name: string, answer: readonly string[]) =>
        spawnSync(process.execPath, [bundle('cli.js'), 'fix', ...answer, '--stdin-filename', name, '-'], {
          cwd: folder().path,
          input: folder().text(name),
          encoding: 'utf8',
        }).stdout;
      folder().write('.htaccess', 'Order deny,allow\nDeny from all\n');
      folder().write('intern/.htaccess', `${LOGIN}Satisfy Any\n`);
      for (const answer of [ANSWER.slice(2), ['--assume-standalone']])
        for (const name of ['.htaccess', 'intern/.htaccess'])
          assert.equal(fed(name, answer), folder().text(name), `${name} ${answer}`);
      folder().write('intern/.htaccess', 'Options -Indexes\n');
      assert.equal(fed('.htaccess', ANSWER), 'Require all denied\n');
    });

    it('keeps a line that AllowOverride may refuse, where the main file is not UTF-8', async () => {
      const main = `ServerRoot ${folder().path}\nPidFile run/pid\nListen 80\nDocumentRoot ${folder().path}/www\n<Directory />\nAllowOverride None\n</Directory>\n<Directory "${folder().path}/www/g\xc3\xbc">\nAllowOverride Limit\n</Directory>\n# \xfc\n`;
      folder().write('etc/main.cf', Buffer.from(main, 'latin1'));
      const lines = 'DefaultType text/plain\n';
      folder().write('www/g\u00fc/.htaccess', lines);
      await folder().run(['fix', '--write', '--fail-on', 'never', '--assume-standalone', '.']);
      assert.equal(folder().text('www/g\u00fc/.htaccess'), lines);
    });

    it('is converted where those beside it have no access lines', async () => {
      folder().write('.htaccess', TOP);
      folder().write('intern/.htaccess', 'Options -Indexes\n');
      await fix('.htaccess');
      assert.equal(folder().text('.htaccess'), CONVERTED);
      assert.equal(folder().text('intern/.htaccess'), 'Options -Indexes\n');
    });

    it('stays beside a <Directory> that may be for its directory, unless --map says for which it is', async () => {
      const login = '<Directory /usr/share/app/web>\nAuthType Basic\nAuthName a\nRequire valid-user\n</Directory>\n';
      folder().write('web/.htaccess', TOP);
      folder().write('contrib/site.conf', login);
      await fix('.');
      assert.equal(folder().text('web/.htaccess'), TOP);
      const { out } = await folder().run(['plan', ...ANSWER, '.']);
      assert.match(
        out.replace(/\s+/g, ' '),
        /not known which directory of the server \S+web is\. .* add --map DIRECTORY=\S+web, where DIRECTORY is its path/,
      );
      await fix('--map', '/usr/share/app/web=web', '.');
      assert.equal(
        folder().text('web/.htaccess'),
        '<RequireAll>\n    Require valid-user\n    Require not ip 198.51.100.23\n</RequireAll>\n',
      );
    });

    it('stays where the directory of a section is not known', async () => {
      folder().write('web/.htaccess', TOP);
      const login = 'AuthType Basic\nAuthName a\nRequire valid-user\n';
      for (const text of [
        `<Directory "C:/web">\n${login}</Directory>\n`,
        `<Directory \${WEB}/x>\n${login}</Directory>\n`,
        `<Macro M $d>\n<Directory $d>\n${login}</Directory>\n</Macro>\nUse M /srv/web\n`,
        `<Macro M>\n${login}</Macro>\n<Directory /srv/web>\nUse M\n</Directory>\n`,
        `<VirtualHost *:80>\n<Directory /srv/[w]eb>\n${login}</Directory>\n</VirtualHost>\n`,
      ]) {
        folder().write('site.conf', text);
        await fix('.');
        assert.equal(folder().text('web/.htaccess'), TOP, text);
      }
    });

    it('stays beside a file that includes another one, and so does a section', async () => {
      const section = '<Directory /srv/web>\nOrder allow,deny\nAllow from all\nDeny from 10\n</Directory>\n';
      folder().write('web/.htaccess', TOP);
      folder().write('a.conf', section);
      folder().write('other.conf', 'KeepAlive On\n');
      folder().write('site.conf', `Include other.conf\n<Directory /srv/web>\n${LOGIN}</Directory>\n`);
      await fix('.');
      assert.equal(folder().text('web/.htaccess'), TOP);
      assert.equal(folder().text('a.conf'), section);
    });

    it('beside a section says nothing about --map where too many directories lie below', () => {
      const { settings } = projectOfTexts({ x: '' }, { answers: { 'outside-unseen:.': 'none' } });
      const access = accessConversion({
        roots: [],
        standaloneFiles: ['/r/.htaccess', '/r/a.conf'].map((mainFile) => ({
          mainFile,
          engine: settings.engineOf(mainFile),
          server: {},
        })),
        hasUnsearchedFolders: true,
        view: memoryFiles({ '/r/.htaccess': TOP, '/r/a.conf': `<Directory /srv>\n${LOGIN}</Directory>\n` }),
      });
      const result = access.resultAt('/r/.htaccess', 0);
      assert.ok(result && 'refusal' in result);
      assert.equal(result.refusal.code, 'directories-not-searched');
    });

    it('holds the section back where one of several may be above it', async () => {
      folder().write('web/a/.htaccess', LOGIN);
      folder().write('web/b/.htaccess', TOP);
      const section = '<Directory /srv/x/a/../b>\nOrder allow,deny\nAllow from all\n</Directory>\n';
      folder().write('site.conf', section);
      await fix('.');
      assert.equal(folder().text('site.conf'), section);
    });

    it('stays with all others where there are too many to try each at each place', async () => {
      folder().write('site.conf', '<Directory /srv/a>\nOrder allow,deny\nAllow from all\n</Directory>\n');
      for (let index = 0; index < 110; index++) folder().write(`web/d${index}/.htaccess`, TOP);
      const { out } = await folder().run(['fix', '--diff', ...ANSWER, '.']);
      assert.equal(out, '');
      for (let index = 10; index < 110; index++) rmSync(folder().at(`web/d${index}`), { recursive: true });
      assert.match((await folder().run(['fix', '--diff', ...ANSWER, '.'])).out, /Require not ip/);
    });

    it('is converted with them where the directory is given', async () => {
      folder().write('.htaccess', TOP);
      folder().write('intern/.htaccess', LOGIN);
      await fix('.');
      assert.equal(folder().text('.htaccess'), CONVERTED);
      assert.match(
        folder().text('intern/.htaccess'),
        /<RequireAll>\n {4}Require valid-user\n {4}Require not ip 198\.51\.100\.23\n<\/RequireAll>\n$/,
      );
    });
  }),
);
