/**
 * Facts from the rest of a configuration about a file, in the editor: for open and closed files, as
 * things change.
 */
import assert from 'node:assert/strict';
import { rmSync, symlinkSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { FileChangeType, type WorkspaceDiagnosticReport } from 'vscode-languageserver-protocol/node';
import { withFolder } from '../cli/run';
import { byUri, Client, isHeld, resultIds, type ClientOptions } from './client';

const ROOT = 'conf/httpd.conf';
const SNIPPET = 'conf.d/in.conf';
const INSIDE = 'ServerRoot /etc/httpd\n<Directory /a>\nInclude conf.d/in.conf\n</Directory>\n';
const OUTSIDE = 'ServerRoot /etc/httpd\nInclude conf.d/in.conf\n';
const PROXY = 'ProxyPass / http://a/\n';
const FOUND = 'proxy-pass-in-directory';

describe(
  'configurations in the editor',
  withFolder((folder) => {
    let client: Client;
    const uri = (name: string) => pathToFileURL(folder().at(name)).href;
    const start = async (options: ClientOptions = {}) => {
      client = await Client.start({ transport: 'stdio', folders: [uri('.')], ...options });
    };
    const write = (files: Record<string, string>) =>
      Object.entries(files).forEach(([name, text]) => folder().write(name, text));
    const changed = (name: string, type: FileChangeType = FileChangeType.Changed) =>
      client.connection.sendNotification('workspace/didChangeWatchedFiles', { changes: [{ uri: uri(name), type }] });
    const found = ({ items }: Pick<WorkspaceDiagnosticReport, 'items'>, name = SNIPPET) => {
      const report = byUri(items)[uri(name)];
      return report?.kind === 'full' && report.items.some(({ code }) => code === FOUND);
    };
    const problems = async (name = SNIPPET) =>
      (await client.problems(uri(name))).filter((problem) => problem.startsWith(FOUND)).length;
    afterEach(() => client.stop());

    it('tell an open file what it is included in', async () => {
      write({ [ROOT]: INSIDE, [SNIPPET]: PROXY });
      await start();
      await client.open(uri(SNIPPET), PROXY);
      assert.equal(await problems(), 1);
      await client.open(uri('conf.d/other.conf'), PROXY);
      assert.equal(await problems('conf.d/other.conf'), 0, 'nothing includes it');
    });

    it('tell files that are not open', async () => {
      write({ [ROOT]: INSIDE, [SNIPPET]: PROXY });
      await start();
      assert.equal(found(await client.pullWorkspace()), true);
    });

    it('reach files that no name gives away', async () => {
      write({ [ROOT]: INSIDE.replace('in.conf', '*'), 'conf.d/README': PROXY });
      await start();
      assert.equal(found(await client.pullWorkspace(), 'conf.d/README'), true);
    });

    it('follow what is typed in another file, which need not be saved', async () => {
      write({ [ROOT]: OUTSIDE, [SNIPPET]: PROXY, 'conf.d/closed.conf': PROXY });
      await start();
      const root = OUTSIDE.replace('in.conf', '*.conf');
      await client.open(uri(ROOT), root);
      await client.open(uri(SNIPPET), PROXY);
      assert.equal(await problems(), 0);
      const first = await client.pullWorkspace();
      assert.equal(found(first, 'conf.d/closed.conf'), false);
      // What a look at the whole configuration finds may be news before that.
      let ids = resultIds(first.items);
      let held = client.pullWorkspace(ids);
      while (!(await isHeld(held))) {
        ids = { ...ids, ...resultIds((await held).items) };
        held = client.pullWorkspace(ids);
      }
      await client.change(uri(ROOT), [
        { text: root.replace('Include', '<Directory /a>\nInclude').concat('</Directory>\n') },
      ]);
      assert.equal(await problems(), 1);
      for (let report = await held; !found(report, 'conf.d/closed.conf'); report = await client.pullWorkspace(ids))
        ids = { ...ids, ...resultIds(report.items) };
      await client.close(uri(ROOT));
      assert.equal(await problems(), 0, 'closed without being saved');
    });

    it('have no news for anybody when others cannot tell', async () => {
      write({ [ROOT]: INSIDE, [SNIPPET]: PROXY, 'conf.d/closed.conf': '' });
      await start();
      await client.open(uri(ROOT), INSIDE);
      // What the look at the whole finds comes first.
      for (
        let refreshes = 0;
        !(await client.problems(uri(ROOT))).some((problem) => problem.startsWith('changed-defaults'));
        refreshes = client.refreshes
      ) {
        await client.until(() => client.refreshes > refreshes);
      }
      const first = await client.pullWorkspace();
      const held = client.pullWorkspace(resultIds(first.items));
      assert.ok(await isHeld(held));
      const refreshes = client.refreshes;
      await client.change(uri(ROOT), [{ text: `ServerAdmin me\n${INSIDE}` }]);
      await client.problems(uri(ROOT));
      assert.ok(await isHeld(held));
      assert.equal(client.refreshes, refreshes);
      await changed('conf.d/closed.conf');
      await held;
    });

    it('follow what changes on the disk', async () => {
      write({ [ROOT]: OUTSIDE, [SNIPPET]: PROXY });
      await start();
      await client.open(uri(SNIPPET), PROXY);
      assert.equal(await problems(), 0);
      const { refreshes } = client;
      write({ [ROOT]: INSIDE });
      await changed(ROOT);
      await client.pullWorkspace();
      assert.equal(await problems(), 1);
      await client.until(() => client.refreshes > refreshes);
      rmSync(folder().at(ROOT));
      await changed(ROOT, FileChangeType.Deleted);
      assert.equal(await problems(), 0);
    });

    it('follow the file that says what the server is started with', async () => {
      const root = 'etc/httpd/conf/httpd.conf';
      const start22 = 'etc/sysconfig/httpd';
      const text =
        '<IfDefine INSIDE>\nInclude conf.d/in.conf\n</IfDefine>\n<IfDefine OTHER>\nInclude conf.d/missing.conf\n</IfDefine>\n';
      const snippet = 'etc/httpd/conf.d/in.conf';
      write({
        [root]: `ServerRoot /etc/httpd\n<Directory /a>\n${text}</Directory>\n`,
        [snippet]: PROXY,
        [start22]: 'OPTIONS="-D INSIDE"\n',
      });
      await start();
      await client.open(uri(snippet), PROXY);
      assert.equal(await problems(snippet), 1);
      write({
        [root]: `ServerRoot /etc/httpd\n<IfDefine !INSIDE>\n<Directory /a>\nInclude conf.d/in.conf\n</Directory>\n</IfDefine>\n`,
      });
      changed(root);
      assert.equal(await problems(snippet), 0, 'the line is not read');
      write({ [start22]: 'OPTIONS=\n' });
      changed(start22);
      assert.equal(await problems(snippet), 1, 'it may be read');
      rmSync(folder().at(start22));
      changed(start22, FileChangeType.Deleted);
      assert.equal(await problems(snippet), 1);
      write({ [start22]: 'OPTIONS=-DINSIDE\n' });
      changed(start22, FileChangeType.Created);
      assert.equal(await problems(snippet), 0);
    });

    it('follow links of a copy with paths of the server, also one that is made later', async () => {
      write({ [ROOT]: INSIDE.replace('in.conf', '*.conf'), 'available/in': PROXY, 'available/more': PROXY });
      write({ 'conf.d/own.conf': '# nothing\n' });
      symlinkSync('/etc/httpd/available/in', folder().at('conf.d/in.conf'));
      await start();
      const first = await client.pullWorkspace();
      assert.equal(found(first, 'available/in'), true);
      assert.equal(found(first, 'available/more'), false);
      symlinkSync('/etc/httpd/available/more', folder().at('conf.d/more.conf'));
      changed('conf.d/more.conf', FileChangeType.Created);
      let ids = resultIds(first.items);
      for (let report = first; !found(report, 'available/more'); report = await client.pullWorkspace(ids))
        ids = { ...ids, ...resultIds(report.items) };
    });

    it('know a file by its links', async () => {
      write({ [ROOT]: INSIDE.replace('in.conf', '*.conf'), 'available/in': PROXY, 'conf.d/a.conf': '' });
      symlinkSync('../available/in', folder().at('conf.d/in.conf'));
      await start();
      await client.open(uri('available/in'), PROXY);
      assert.equal(await problems('available/in'), 1);
    });

    it('are those that settings name, as settings say', async () => {
      write({ 'main.txt': 'Include "/etc/${ENV}/in.conf"\n', 'my/in.conf': PROXY, [ROOT]: OUTSIDE });
      await start({ settings: { roots: ['main.txt'], defines: ['ENV=web'], pathMap: { '/etc/web': 'my' } } });
      await client.open(uri('main.txt'), '<Directory /a>\nInclude "/etc/${ENV}/in.conf"\n</Directory>\n');
      await client.open(uri('my/in.conf'), PROXY);
      assert.equal(await problems('my/in.conf'), 1);
    });

    it('say of a .htaccess that it is not read, until it is', async () => {
      const root = (value: string) =>
        `ServerRoot ${folder().at('.')}\nDocumentRoot ${folder().at('www')}\n<Directory />\nAllowOverride ${value}\n</Directory>\n`;
      write({ [ROOT]: root('None'), 'www/.htaccess': 'Header set X y\n' });
      await start();
      await client.open(uri('www/.htaccess'), 'Header set X y\n');
      const faded = async () =>
        (await client.diagnostics(uri('www/.htaccess')))
          .filter(({ tags }) => tags?.includes(1))
          .map(({ message }) => message);
      assert.deepEqual(await faded(), [
        '.htaccess: httpd 2.4 does not read this file\n\nReason: AllowOverride None of <Directory /> holds there.',
      ]);
      await client.open(uri(ROOT), root('All'));
      assert.deepEqual(await faded(), []);
    });

    it('say what AllowOverride grants a .htaccess, which has another name here', async () => {
      write({
        [ROOT]: `ServerRoot ${folder().at('.')}\nDocumentRoot ${folder().at('www')}\nAccessFileName rules.conf\n<Directory />\nAllowOverride All\n</Directory>\n`,
        'www/rules.conf': 'Order allow,deny\n',
      });
      await start();
      await client.open(uri('www/rules.conf'), 'Order allow,deny\n');
      assert.ok(
        (await client.diagnostics(uri('www/rules.conf'))).some(({ message }) => String(message).includes('500')),
        'the message for .htaccess files',
      );
    });

    it('are not read in restricted mode', async () => {
      write({ [ROOT]: INSIDE, [SNIPPET]: PROXY });
      await start({ initializationOptions: { trusted: false } });
      await client.open(uri(SNIPPET), PROXY);
      assert.equal(await problems(), 0);
      await client.connection.sendNotification('httpdUpgrade/trusted', {});
      await client.pullWorkspace();
      assert.equal(await problems(), 1);
    });

    it('reach the editor by pushing, too', async () => {
      write({ [ROOT]: INSIDE, [SNIPPET]: PROXY });
      await start({ capabilities: {} });
      const codes = () => client.published.get(uri(SNIPPET))?.diagnostics.map(({ code }) => code) ?? [];
      await client.open(uri(SNIPPET), PROXY);
      await client.until(() => codes().includes(FOUND));
      await client.open(uri(ROOT), OUTSIDE);
      await client.until(() => !codes().includes(FOUND));
    });
  }),
);
