/** The same requests over every transport; and how servers end. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { TextDocumentEdit } from 'vscode-languageserver-protocol/node';
import { ALL_RULES } from '../../server/src/rules/all';
import { bundle } from '../support/built';
import { byUri, Client, type Transport } from './client';

const URI = 'file:///etc/httpd/httpd.conf';
const OTHER = 'vscode-vfs://host/conf.d/other.conf';

for (const transport of ['stdio', 'cli', 'ipc', 'worker', 'warm'] as Transport[]) {
  describe(`the server over ${transport}`, () => {
    let client: Client;
    before(async () => {
      client = await Client.start({ transport, files: { [OTHER]: 'MaxClients 1\n' } });
    });
    it('says what it can', () => {
      assert.equal(client.initialized.serverInfo?.name, 'httpd-upgrade');
      const { capabilities } = client.initialized;
      assert.deepEqual(capabilities.textDocumentSync, { openClose: true, change: 2 });
      assert.deepEqual(capabilities.diagnosticProvider, {
        identifier: 'httpd-upgrade',
        interFileDependencies: true,
        workspaceDiagnostics: true,
      });
      assert.deepEqual((capabilities.codeActionProvider as { codeActionKinds: string[] }).codeActionKinds, [
        'quickfix',
        'source.fixAll.httpdUpgrade',
      ]);
      assert.deepEqual([capabilities.hoverProvider, capabilities.foldingRangeProvider], [true, true]);
      assert.ok(capabilities.documentSymbolProvider);
    });

    it('answers', async () => {
      await client.open(URI, 'ServerName a\nMaxClients 1\n# end\n');
      assert.deepEqual(await client.problems(URI), ['max-clients: MaxClients']);
      assert.match((await client.hover(URI, 'ServerName'))!.contents.value, /ServerName/);
      const [fix] = await client.actions(URI, 'MaxClients');
      const [change] = fix.edit!.documentChanges as TextDocumentEdit[];
      const text = TextDocument.applyEdits(TextDocument.create(URI, '', 1, client.text(URI)), change.edits as never);
      assert.equal(text, 'ServerName a\nMaxRequestWorkers 1\n# end\n');
    });

    it('knows the rules and their pages', async () => {
      const rules = await client.connection.sendRequest('httpdUpgrade/rules', {});
      assert.deepEqual(
        rules,
        ALL_RULES.map(({ id, title }) => ({ id, title })),
      );
      const page: { title: string; markdown: string } = await client.connection.sendRequest('httpdUpgrade/rulePage', {
        rule: 'max-clients',
      });
      assert.equal(page.title, ALL_RULES.find(({ id }) => id === 'max-clients')!.title);
      assert.match(page.markdown, /^# max-clients\n/);
      assert.equal(await client.connection.sendRequest('httpdUpgrade/rulePage', { rule: 'no-such-rule' }), null);
    });

    it('says that it does not know a request', async () => {
      await assert.rejects(client.connection.sendRequest('httpdUpgrade/nonsense', {}), { code: -32601 });
    });

    if (transport === 'worker') {
      after(() => client.stop());

      it('gets files from the client', async () => {
        const { items } = await client.pullWorkspace();
        const report = byUri(items)[OTHER];
        assert.ok(report.kind === 'full' && report.items.length === 1 && report.items[0].code === 'max-clients');
        assert.deepEqual(
          client.read.filter((uri) => !uri.endsWith('/.httpd-upgrade.json')),
          [OTHER],
        );
      });
    } else {
      it('ends in good order', async () => assert.equal(await client.stop(), 0));
    }
  });
}

describe('the end of a server', () => {
  it('without a shutdown before is an error', async () => {
    for (const transport of ['stdio', 'warm'] as const) {
      const client = await Client.start({ transport });
      await client.connection.sendNotification('exit');
      assert.equal(await client.ended, 1);
      client.connection.dispose();
    }
  });

  for (const args of [
    ['server.js', '--stdio'],
    ['cli.js', 'server', '--stdio'],
  ]) {
    it(`comes when the editor is gone (${args.join(' ')})`, async () => {
      const child = spawn(process.execPath, [bundle(args[0]), ...args.slice(1)], {
        stdio: ['pipe', 'ignore', 'ignore'],
      });
      const ended = new Promise((resolve) => child.on('exit', resolve));
      child.stdin.end();
      await ended;
    });
  }
});
