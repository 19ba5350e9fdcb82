/**
 * Invisible characters: no text in an editor contains one unescaped; texts written into files do.
 */
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import type { CompletionList } from 'vscode-languageserver-protocol/node';
import { hasHiddenCharacter, withVisibleTexts } from '../../server/src/syntax/hidden-text';
import { withFolder } from '../cli/run';
import { Client, FULL, type Transport } from './client';

const ALL = '\u202e\u2066\u200b\u200f\u2060\ufeff\u00ad\u061c\u{e0041}';
const TEXT = `Listen 80
Define V${ALL} x${ALL}
<Macro M${ALL} $a>
  MaxClients 1
</Macro>
<VirtualHost *:80>
  ServerName a${ALL}.example.org
  <Directory /srv/${ALL}>
    Order deny,allow
    Deny from a${ALL}
  </Directory>
  Use M${ALL} ${ALL}
  CustomLog logs/a l${ALL}
</VirtualHost>
LogFormat "%h" l${ALL}
Foo${ALL} b
`;

describe('a completion whose label has characters that are not seen', () => {
  for (const itemDefaults of [undefined, ['editRange']])
    it(`inserts the name as it is${itemDefaults ? ', with the range that all items have' : ''}`, async () => {
      const client = await Client.start({
        capabilities: {
          ...FULL,
          textDocument: { ...FULL.textDocument, completion: { completionList: { itemDefaults } } },
        } as never,
      });
      const uri = 'file:///a/httpd.conf';
      await client.open(uri, `<Macro M\u200b $a>\n</Macro>\nUse \n`);
      const list: CompletionList | null = await client.connection.sendRequest('textDocument/completion', {
        textDocument: { uri },
        position: { line: 2, character: 4 },
      });
      const item = list?.items.find(({ label }) => label.startsWith('M<U+200B>'));
      assert.ok(item, JSON.stringify(list));
      assert.equal(item.textEdit?.newText ?? item.textEditText, 'M\u200b');
      assert.equal(item.filterText, 'M\u200b');
      await client.stop();
    });
});

describe(
  'invisible characters in an editor',
  withFolder((folder) => {
    for (const transport of ['warm', 'ipc', 'worker'] as const satisfies readonly Transport[])
      it(`over ${transport}`, async () => {
        folder().write('httpd.conf', TEXT);
        const uri = pathToFileURL(folder().at('httpd.conf')).href;
        const client = await Client.start({
          transport,
          folders: [pathToFileURL(folder().at('.')).href],
          ...(transport === 'worker' && { files: { [uri]: TEXT } }),
        });
        await client.open(uri, TEXT);
        const textDocument = { uri };
        const range = { start: { line: 0, character: 0 }, end: { line: 16, character: 0 } };
        const ask = async (method: string, params: object) => {
          const answer = await client.connection.sendRequest<unknown>(method, params).catch(String);
          assert.equal(withVisibleTexts(answer), answer, `${method}: ${JSON.stringify(answer)}`);
          return answer;
        };
        assert.ok((await client.diagnostics(uri)).some(({ code }) => code === 'invisible-character'));
        await ask('textDocument/diagnostic', { textDocument });
        const symbols = JSON.stringify(await ask('textDocument/documentSymbol', { textDocument }));
        assert.match(symbols, /<U\+202E>/);
        assert.ok(!hasHiddenCharacter(symbols));
        await ask('workspace/symbol', { query: 'a' });
        await ask('textDocument/codeLens', { textDocument });
        await ask('textDocument/inlayHint', { textDocument, range });
        await ask('textDocument/codeAction', { textDocument, range, context: { diagnostics: [] } });
        await ask('httpdUpgrade/includeTree', { uri: null });
        for (const [line, text] of TEXT.split('\n').entries())
          for (const character of [2, Math.max(2, text.length - 3)]) {
            const position = { line, character: Math.min(character, text.length) };
            for (const method of ['hover', 'completion', 'signatureHelp', 'documentHighlight', 'prepareCallHierarchy'])
              await ask(`textDocument/${method}`, { textDocument, position });
          }
        await client.stop();
      });
  }),
);
