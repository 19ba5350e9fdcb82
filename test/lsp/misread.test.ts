/**
 * A file that is not UTF-8, opened as if it were: any change in the editor is saved, and saving
 * destroys the file.
 */
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import type { CodeAction } from 'vscode-languageserver-protocol/node';
import { withFolder } from '../cli/run';
import { Client, FULL } from './client';

const TEXT = 'Alias /gä /srv/gä\nMaxClients 1\nKeepAlive 5\n';
const LATIN1 = Buffer.from(TEXT, 'latin1');
const FIX_ALL = 'source.fixAll.httpdUpgrade';

describe(
  'a file that was opened with the wrong encoding',
  withFolder((folder) => {
    let client: Client;
    const uri = () => pathToFileURL(folder().at('httpd.conf')).href;
    const start = async (bytes: Uint8Array, text: string, options: { isOwn?: boolean; trusted?: boolean } = {}) => {
      folder().write('httpd.conf', bytes);
      const capabilities = { ...FULL, textDocument: { ...FULL.textDocument, codeAction: { disabledSupport: true } } };
      const initializationOptions =
        options.isOwn || options.trusted === false
          ? { trusted: options.trusted !== false, ...(options.isOwn && { client: 'httpd-upgrade' }) }
          : undefined;
      client = await Client.start({
        capabilities,
        folders: [pathToFileURL(folder().path).href],
        initializationOptions,
      });
      await client.open(uri(), text);
    };
    const edits = async (): Promise<CodeAction[]> =>
      [
        ...(await client.actions(uri(), 'MaxClients')),
        ...(await client.actions(uri(), 'MaxClients', [FIX_ALL])),
      ].filter(({ edit }) => edit !== undefined);
    afterEach(() => client.stop());

    it('is not changed by quick fixes or Fix All, which say why', async () => {
      await start(LATIN1, LATIN1.toString('utf8'), { isOwn: true });
      assert.deepEqual(await edits(), []);
      const [all] = await client.actions(uri(), 'MaxClients', [FIX_ALL]);
      assert.match(all.disabled!.reason, /wrong encoding/);
      assert.deepEqual(
        (await client.actions(uri(), 'MaxClients')).map(({ command }) => command?.command),
        ['workbench.action.editor.changeEncoding'],
      );
    });

    it('nor after changes', async () => {
      await start(LATIN1, LATIN1.toString('utf8'));
      await client.replace(uri(), 'KeepAlive', 'MaxClients 2\nKeepAlive');
      assert.deepEqual(await edits(), []);
    });

    it('is fixed once it was opened again with its own', async () => {
      await start(LATIN1, LATIN1.toString('utf8'));
      await client.replace(uri(), LATIN1.toString('utf8').split('\n')[0], TEXT.split('\n')[0]);
      assert.ok((await edits()).length > 1);
    });

    for (const [what, bytes, text] of [
      ['its own encoding', LATIN1, TEXT],
      ['UTF-8 that holds U+FFFD', Buffer.from('# \ufffd\nMaxClients 1\n'), '# \ufffd\nMaxClients 1\n'],
    ] as const) {
      it(`is fixed with ${what}`, async () => {
        await start(bytes, text);
        assert.ok((await edits()).length > 1);
      });
    }

    it('is known as such in restricted mode, too', async () => {
      await start(LATIN1, LATIN1.toString('utf8'), { trusted: false });
      assert.deepEqual(await edits(), []);
    });
  }),
);
