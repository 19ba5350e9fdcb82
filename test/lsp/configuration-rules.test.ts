/**
 * The findings of rules about whole configurations, in the editor: in their files, with fixes that
 * change other files.
 */
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { DiagnosticSeverity, type CodeAction } from 'vscode-languageserver-protocol/node';
import { withFolder } from '../cli/run';
import { byUri, Client, type ClientOptions } from './client';

const MODULES = ['authz_core', 'authz_host', 'authn_core', 'dir', 'mime', 'ssl', 'unixd', 'mpm_event']
  .map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`)
  .join('');
const ROOT = `ServerRoot "/etc/httpd"\nListen 80\n${MODULES}Include conf.d/*.conf\n`;
const SITE = 'SSLSessionCache shmcb:/run/httpd/cache(512000)\n';

describe(
  'rules about whole configurations in the editor',
  withFolder((folder) => {
    let client: Client;
    const uri = (name: string) => pathToFileURL(folder().at(name)).href;
    const start = async (options: ClientOptions = {}) => {
      folder().write('etc/httpd/conf/httpd.conf', ROOT);
      folder().write('etc/httpd/conf.d/site.conf', SITE);
      client = await Client.start({ folders: [uri('.')], ...options });
    };
    const site = () => uri('etc/httpd/conf.d/site.conf');
    const root = () => uri('etc/httpd/conf/httpd.conf');
    const problems = () => client.problems(site());
    /** The server asks the client to ask again once it knows. */
    const until = async (test: (found: string[]) => boolean): Promise<string[]> => {
      for (let refreshes = -1; ; ) {
        const found = await problems();
        if (test(found)) return found;
        refreshes = client.refreshes;
        await client.until(() => client.refreshes > refreshes);
      }
    };
    afterEach(() => client.stop());

    it('stand on the file that they belong to, and go when another file is edited', async () => {
      await start();
      await client.open(site(), SITE);
      assert.deepEqual(await until((found) => found.includes('missing-module: SSLSessionCache')), [
        'missing-module: SSLSessionCache',
      ]);
      await client.open(root(), ROOT);
      await client.change(root(), [
        {
          range: { start: { line: 1, character: 0 }, end: { line: 1, character: 0 } },
          text: 'LoadModule socache_shmcb_module modules/mod_socache_shmcb.so\n',
        },
      ]);
      assert.deepEqual(await until((found) => found.length === 0), []);
    });

    it('move with the text while it is typed in', async () => {
      await start();
      await client.open(site(), SITE);
      await until((found) => found.includes('missing-module: SSLSessionCache'));
      await client.change(site(), [
        { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, text: '# a comment\n' },
      ]);
      assert.deepEqual(await problems(), ['missing-module: SSLSessionCache']);
    });

    it('are fixed in the file that loads the modules', async () => {
      await start();
      await client.open(site(), SITE);
      await until((found) => found.includes('missing-module: SSLSessionCache'));
      const offered = async () => {
        const actions = await client.connection.sendRequest<CodeAction[]>('textDocument/codeAction', {
          textDocument: { uri: site() },
          range: client.rangeOf(site(), 'SSLSessionCache'),
          context: { diagnostics: [] },
        });
        return actions.find(({ title }) => title.startsWith('Load socache_shmcb_module'))!;
      };
      // A file that is not open is changed past the editor, which would read and write it in
      // whatever encoding.
      const { edit, command } = await offered();
      assert.deepEqual([edit, command?.command], [undefined, 'httpdUpgrade.applyFix']);
      await client.open(root(), ROOT);
      await client.diagnostics(root());
      let action = await offered();
      while (!action?.edit) {
        await client.diagnostics(root());
        action = await offered();
      }
      assert.deepEqual(
        action.edit.documentChanges!.map((change) =>
          'textDocument' in change
            ? [change.textDocument.uri, change.edits.map((each) => ('newText' in each ? each.newText : ''))]
            : null,
        ),
        [[root(), ['LoadModule socache_shmcb_module modules/mod_socache_shmcb.so\n']]],
      );
      assert.equal(action.isPreferred, true);
    });

    it('speak of a site that nothing includes, and no more when its name is one that is', async () => {
      const text = 'PidFile ${APACHE_PID_FILE}\nListen 80\nIncludeOptional sites-enabled/*.conf\n';
      folder().write('etc/apache2/apache2.conf', text);
      folder().write(
        'etc/apache2/sites-enabled/shop',
        '<VirtualHost *:80>\nServerName shop.example.org\n</VirtualHost>\n',
      );
      await start();
      const main = uri('etc/apache2/apache2.conf');
      await client.open(main, text);
      const found = async () => (await client.problems(main)).filter((each) => each.startsWith('enabled-not-included'));
      let last = await found();
      while (last.length === 0) last = await found();
      assert.deepEqual(last, ['enabled-not-included: IncludeOptional sites-enabled/*.conf']);
      await client.change(main, [
        { range: { start: { line: 2, character: 30 }, end: { line: 2, character: 36 } }, text: '' },
      ]);
      while (last.length > 0) last = await found();
    });

    it('are part of what is said of files that are not open, hints included', async () => {
      await start();
      const first = await client.pullWorkspace();
      const ids = Object.fromEntries(first.items.map((item) => [item.uri, item.resultId!]));
      const report = first.items.some(
        (item) => item.kind === 'full' && item.items.some(({ code }) => code === 'missing-module'),
      )
        ? first
        : await client.pullWorkspace(ids);
      const items = byUri(report.items)[site()];
      assert.deepEqual(items.kind === 'full' && items.items.map(({ code }) => code), ['missing-module']);
      const main = byUri(report.items)[root()];
      const hints =
        main.kind === 'full'
          ? main.items.filter(({ severity }) => severity === DiagnosticSeverity.Hint).map(({ code }) => code)
          : [];
      assert.ok(hints.includes('changed-defaults') && hints.includes('server-name-missing'), String(hints));
    });

    it('offer at once what adds a missing ServerName, in a file that was just opened', async () => {
      folder().write(
        'httpd.conf',
        `ServerRoot "/etc/httpd"\nListen 80\n${MODULES}<VirtualHost *:80>\nServerName www.example.com\n</VirtualHost>\n`,
      );
      client = await Client.start({ folders: [uri('.')] });
      for (let round = 0; round < 2; round++) {
        await client.open(uri('httpd.conf'), folder().text('httpd.conf'));
        const at = { line: 1, character: 0 };
        const actions = (await client.connection.sendRequest('textDocument/codeAction', {
          textDocument: { uri: uri('httpd.conf') },
          range: { start: at, end: at },
          context: { diagnostics: [], triggerKind: 1 },
        })) as CodeAction[];
        assert.equal(actions[0]?.title, 'Add ServerName www.example.com');
        await client.close(uri('httpd.conf'));
      }
    });

    it('are not asked in a workspace that nobody trusts', async () => {
      await start({ initializationOptions: { trusted: false } });
      await client.open(root(), ROOT);
      await client.open(site(), SITE);
      assert.deepEqual(await problems(), []);
    });
  }),
);
