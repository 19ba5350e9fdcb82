/**
 * Completion and signature help as an editor requests them: over a process, and in a web worker.
 */
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import type { CompletionItem, CompletionList, SignatureHelp } from 'vscode-languageserver-protocol/node';
import { withFolder } from '../cli/run';
import { Client, FULL, type Transport } from './client';

const URI = 'file:///etc/httpd/httpd.conf';

/** What VS Code says of completion. */
const RICH = {
  ...FULL,
  textDocument: {
    ...FULL.textDocument,
    completion: {
      completionItem: {
        snippetSupport: true,
        labelDetailsSupport: true,
        insertReplaceSupport: true,
        tagSupport: { valueSet: [1 as const] },
        resolveSupport: { properties: ['documentation', 'additionalTextEdits'] },
      },
      completionList: { itemDefaults: ['editRange', 'data'] },
    },
  },
};

for (const transport of ['stdio', 'worker'] as Transport[]) {
  describe(`completion over ${transport}`, () => {
    let client: Client;
    before(async () => {
      client = await Client.start({ transport, capabilities: RICH });
      await client.open(URI, 'Doc\nOptions \n<Direc\n# Doc\nListen 443 \n');
    });
    after(() => client.stop());

    it('is announced', () => {
      const { completionProvider, signatureHelpProvider } = client.initialized.capabilities;
      assert.equal(completionProvider?.resolveProvider, true);
      for (const character of ['<', '/', '$', '{', '%', ' '])
        assert.ok(completionProvider?.triggerCharacters?.includes(character), character);
      assert.deepEqual(signatureHelpProvider?.triggerCharacters, [' ', '"']);
    });

    it('offers names, explained when asked', async () => {
      const { items, itemDefaults } = (await complete(client, 0, 3))!;
      const item = items.find(({ label }) => label === 'DocumentRoot')!;
      assert.equal(item.documentation, undefined);
      const resolved: CompletionItem = await client.connection.sendRequest('completionItem/resolve', {
        ...item,
        data: itemDefaults!.data,
      });
      assert.match((resolved.documentation as { value: string }).value, /DocumentRoot/);
    });

    it('loads a module when its directive is looked at', async () => {
      const uri = 'file:///etc/httpd/modules.conf';
      await client.open(uri, 'LoadModule dir_module modules/mod_dir.so\n\n');
      const { items, itemDefaults } = (await complete(client, 1, 0, uri))!;
      const item = items.find(({ label }) => label === 'RewriteEngine')!;
      assert.equal(item.additionalTextEdits, undefined);
      // What is written in the meantime moves the place.
      await client.connection.sendNotification('textDocument/didChange', {
        textDocument: { uri, version: 2 },
        contentChanges: [
          { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, text: '# First\n' },
        ],
      });
      const resolved: CompletionItem = await client.connection.sendRequest('completionItem/resolve', {
        ...item,
        data: itemDefaults!.data,
      });
      const at = { line: 1, character: 40 };
      assert.deepEqual(resolved.additionalTextEdits, [
        { range: { start: at, end: at }, newText: '\nLoadModule rewrite_module modules/mod_rewrite.so' },
      ]);
    });

    it('offers values', async () => {
      const { items } = (await complete(client, 1, 8))!;
      assert.ok(items.some(({ label }) => label === 'FollowSymLinks'));
    });

    it('closes sections by a snippet', async () => {
      const { items } = (await complete(client, 2, 6))!;
      assert.equal(
        items.find(({ label }) => label === '<Directory>')?.textEditText,
        '<Directory "${1:/path}">\n\t$0\n</Directory>',
      );
    });

    it('offers nothing in a comment', async () => assert.equal(await complete(client, 3, 5), null));

    it('shows arguments', async () => {
      const help: SignatureHelp = await client.connection.sendRequest('textDocument/signatureHelp', {
        textDocument: { uri: URI },
        position: { line: 4, character: 11 },
      });
      assert.equal(help.signatures[0].label, 'Listen address [protocol]');
      assert.equal(help.activeParameter, 1);
    });
  });
}

describe(
  'completion of paths',
  withFolder((folder) => {
    const uri = () => pathToFileURL(folder().at('httpd.conf')).href;
    const paths = async (trusted: boolean) => {
      folder().write('conf.d/site.conf', '');
      folder().write('httpd.conf', 'Include conf.d/\n');
      const client = await Client.start({ initializationOptions: { trusted } });
      await client.open(uri(), folder().text('httpd.conf'));
      const labels = (await complete(client, 0, 15, uri()))?.items.map(({ label }) => label);
      await client.stop();
      return labels;
    };

    it('reads folders', async () => assert.deepEqual(await paths(true), ['site.conf']));
    it('reads none in restricted mode', async () => assert.equal(await paths(false), undefined));
  }),
);

function complete(client: Client, line: number, character: number, uri = URI): Promise<CompletionList | null> {
  return client.connection.sendRequest('textDocument/completion', {
    textDocument: { uri },
    position: { line, character },
  });
}
