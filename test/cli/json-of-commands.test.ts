/** `--format json` of the commands that change files or list them, and paths for build servers. */
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { SITE } from '../../server/src/rules/support/links';
import { withFolder } from './run';

const MAIN = 'ServerRoot /srv\nListen 80\nMaxClients 3\nIncludeOptional sub/*.conf\n';

describe(
  'JSON of commands',
  withFolder((folder) => {
    const json = async (...args: string[]): Promise<Record<string, any>> =>
      JSON.parse((await folder().run([...args, '--format', 'json'])).out);
    beforeEach(() => {
      folder().write('conf/httpd.conf', MAIN.replace('/srv', `${folder().path}/conf`));
      folder().write('conf/sub/a.conf', '  Timeout   60\n');
    });

    it('fix shows what would change, and what it has written', async () => {
      const shown = await json('fix', 'conf');
      assert.deepEqual([shown.version, shown.written], [1, false]);
      assert.deepEqual(
        shown.files.map(({ path, fixes }: any) => [path, fixes]),
        [['conf/httpd.conf', 1]],
      );
      assert.match(shown.files[0].diff, /^-MaxClients 3\n\+MaxRequestWorkers 3$/m);
      assert.match(folder().text('conf/httpd.conf'), /MaxClients/);
      const written = await json('fix', '--write', 'conf');
      assert.deepEqual([written.written, written.files.length], [true, 1]);
      assert.match(folder().text('conf/httpd.conf'), /MaxRequestWorkers/);
    });

    it('undo lists changes, and says what it has restored', async () => {
      await folder().run(['fix', '--write', 'conf']);
      const { changes } = await json('undo', '--list');
      assert.deepEqual(changes[0].files, ['conf/httpd.conf']);
      assert.ok(!Number.isNaN(Date.parse(changes[0].at)), changes[0].at);
      const { undone } = await json('undo');
      assert.equal(undone.id, changes[0].id);
      assert.match(folder().text('conf/httpd.conf'), /MaxClients/);
    });

    it('includes has a row for each file and line', async () => {
      const { configurations } = await json('includes', 'conf/httpd.conf');
      assert.deepEqual(
        configurations[0].rows.map(({ level, file, line }: any) => [level, file, line]),
        [
          [0, 'conf/httpd.conf', null],
          [1, 'conf/httpd.conf', 3],
          [2, 'conf/sub/a.conf', null],
        ],
      );
    });

    it('includes names the conditions whose results are not known', async () => {
      const host = '<VirtualHost *:80>\n<IfModule mod_foo.c>\nInclude b.conf\n</IfModule>\n</VirtualHost>\n';
      folder().write(
        'cond/httpd.conf',
        `ServerRoot ${folder().path}/cond\nListen 80\n<IfDefine  HOST>\n${host}</IfDefine>\n`,
      );
      folder().write('cond/b.conf', 'ServerAdmin a@example.com\n');
      const { out } = await folder().run(['includes', 'cond/httpd.conf']);
      assert.match(
        out,
        / {2}\(in <VirtualHost \*:80>; only if <IfDefine HOST> and <IfModule mod_foo\.c> are true, not known here\)\n/,
      );
    });

    it('format has the files that would change', async () => {
      const { files } = await json('format', 'conf/httpd.conf');
      assert.deepEqual(
        files.map(({ path }: any) => path),
        ['conf/sub/a.conf'],
      );
    });

    it('build servers get paths without ./, and links to our pages', async () => {
      const of = async (format: string) => (await folder().run(['check', '--format', format, './conf'])).out;
      assert.match(await of('github'), /^::notice file=conf\/httpd\.conf,/m);
      for (const format of ['github', 'gitlab', 'checkstyle', 'junit', 'sarif'])
        assert.doesNotMatch(await of(format), /["=]\.\//, format);
      const { runs } = JSON.parse(await of('sarif'));
      const { driver } = runs[0].tool;
      assert.deepEqual(
        [driver.informationUri, driver.semanticVersion, runs[0].automationDetails.id],
        [SITE, driver.version, 'httpd-upgrade/'],
      );
      assert.equal(runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri, 'conf/httpd.conf');
      for (const { id, helpUri } of driver.rules) assert.equal(helpUri, `${SITE}rules/${id}.html`);
      assert.equal(runs[0].originalUriBaseIds.SRCROOT.uri, `${pathToFileURL(folder().path).href}/`);
    });
  }),
);
