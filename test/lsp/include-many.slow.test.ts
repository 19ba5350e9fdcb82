/** An Include of thousands of files that are no configuration: only the first ones are read. */
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { nodeHost } from '../../server/src/host/node';
import { withFolder } from '../cli/run';
import { FULL } from './client';
import { inProcess } from './in-process';

const FILES = 2000;

describe(
  'an Include of many files',
  withFolder((folder) => {
    /** How many of the files are read until the tree of Include lines is there. */
    const readOf = async (text: string): Promise<number> => {
      const top = folder().at('.');
      const main = `ServerRoot "${top}"\nListen 80\nInclude bin/*\n`;
      for (let i = 0; i < FILES; i++) folder().write(`bin/${i}`, text);
      folder().write('httpd.conf', main);
      const read = new Set<string>();
      const noted = (uri: string) => {
        if (uri.includes('/bin/')) read.add(uri);
        return uri;
      };
      const host: typeof nodeHost = {
        ...nodeHost,
        readFile: (uri) => nodeHost.readFile(noted(uri)),
        readNow: (uri) => nodeHost.readNow!(noted(uri)),
      };
      const { connection } = inProcess(host);
      const uri = pathToFileURL(folder().at('httpd.conf')).href;
      await connection.sendRequest('initialize', {
        processId: process.pid,
        rootUri: null,
        capabilities: FULL,
        workspaceFolders: [],
        initializationOptions: { client: 'httpd-upgrade', trusted: true },
      });
      await connection.sendNotification('initialized', {});
      await connection.sendNotification('textDocument/didOpen', {
        textDocument: { uri, languageId: 'apacheconf', version: 1, text: main },
      });
      await connection.sendRequest('textDocument/diagnostic', { textDocument: { uri } });
      await connection.sendRequest('httpdUpgrade/includeTree', { uri: null });
      await connection.sendRequest('shutdown');
      connection.dispose();
      return read.size;
    };

    it('reads all that are configuration', async () => assert.ok((await readOf('ServerAlias a\n')) >= FILES));

    it('reads few that are none', async () => {
      const count = await readOf('\x7fELF\x02\x01\n');
      assert.ok(count > 50 && count < 600, String(count));
    });
  }),
);
