/** Code actions whose edit is computed when they are chosen: fix all of a rule. */
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { CodeAction, TextDocumentEdit } from 'vscode-languageserver-protocol/node';
import { withFolder } from '../cli/run';
import { Client, FULL } from './client';

const LAZY = {
  ...FULL,
  textDocument: { ...FULL.textDocument, codeAction: { dataSupport: true, resolveSupport: { properties: ['edit'] } } },
};

describe(
  'actions that are worked out when taken',
  withFolder((folder) => {
    let client: Client;
    const uri = (name: string) => pathToFileURL(folder().at(name)).href;
    const take = async (name: string, at: string, title: string): Promise<CodeAction> => {
      const action = (await client.actions(uri(name), at)).find((each) => each.title.startsWith(title));
      assert.ok(action, title);
      assert.equal(action.edit, undefined);
      return client.connection.sendRequest('codeAction/resolve', action);
    };
    const applied = (action: CodeAction): Record<string, string> =>
      Object.fromEntries(
        ((action.edit?.documentChanges ?? []) as TextDocumentEdit[]).map(({ textDocument, edits }) => {
          const name = textDocument.uri.slice(uri('.').length).replace(/^\//, '');
          return [name, TextDocument.applyEdits(TextDocument.create('', '', 0, folder().text(name)), edits as never)];
        }),
      );
    beforeEach(async () => {
      client = await Client.start({ capabilities: LAZY, folders: [uri('.')] });
    });
    afterEach(() => client.stop());

    it('fix all of a rule in the file', async () => {
      folder().write('httpd.conf', 'MaxClients 1\nMaxClients 2\n');
      await client.open(uri('httpd.conf'), folder().text('httpd.conf'));
      assert.deepEqual(applied(await take('httpd.conf', 'MaxClients', 'Fix all 2')), {
        'httpd.conf': 'MaxRequestWorkers 1\nMaxRequestWorkers 2\n',
      });
    });

    it('convert all access control in the file', async () => {
      folder().write(
        'a.conf',
        '<Files a>\nDeny from all\n</Files>\n<Files b>\nOrder allow,deny\nAllow from 10\n</Files>\n',
      );
      await client.open(uri('a.conf'), folder().text('a.conf'));
      assert.deepEqual(applied(await take('a.conf', 'Deny', 'Convert all access control in this file')), {
        'a.conf': '<Files a>\nRequire all denied\n</Files>\n<Files b>\nRequire ip 10\n</Files>\n',
      });
    });
  }),
);
