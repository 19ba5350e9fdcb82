/**
 * A .htaccess file that is given alone. Other .htaccess files on the disk apply to the same
 * requests, so an answer that there are none is not believed.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
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
