/**
 * The message of a problem in an editor: three short lines, without raw backticks, or as Markdown
 * if the client accepts it.
 */
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import type { ClientCapabilities, Diagnostic } from 'vscode-languageserver-protocol/node';
import { withFolder } from '../cli/run';
import { Client, FULL } from './client';

const TEXT = 'ServerRoot /etc/httpd\nListen 80\nMaxClients 10\nSSLMutex default\nDefaultType text/plain\n';

describe(
  'the message of a problem',
  withFolder((folder) => {
    const found = async (capabilities?: ClientCapabilities): Promise<Diagnostic[]> => {
      folder().write('httpd.conf', TEXT);
      const uri = pathToFileURL(folder().at('httpd.conf')).href;
      const client = await Client.start({
        folders: [pathToFileURL(folder().path).href],
        ...(capabilities && { capabilities }),
      });
      await client.open(uri, TEXT);
      const all = await client.diagnostics(uri);
      await client.stop();
      return all;
    };

    it('has no raw backticks, and is a headline, a consequence and what to do', async () => {
      const all = await found();
      assert.ok(all.length >= 3);
      for (const { message, relatedInformation = [] } of all) {
        assert.equal(typeof message, 'string');
        assert.doesNotMatch(`${message as string}${relatedInformation.map((each) => each.message).join()}`, /`/);
      }
      const renamed = all.find(({ code }) => code === 'max-clients')!.message as string;
      assert.match(renamed, /^MaxClients is now MaxRequestWorkers; .*\n\nIt is renamed in httpd 2\.4\./);
      for (const { message } of all) {
        const [, blank, ...rest] = (message as string).split('\n');
        assert.ok(blank === undefined || blank === '', message as string);
        assert.ok(rest.length <= 2, message as string);
      }
    });

    it('is Markdown for a client that takes it', async () => {
      const { textDocument } = FULL;
      const diagnostic = { ...textDocument?.diagnostic, markupMessageSupport: true };
      const all = await found({ ...FULL, textDocument: { ...textDocument, diagnostic } });
      const renamed = all.find(({ code }) => code === 'max-clients')!.message as unknown as Record<string, string>;
      assert.equal(renamed.kind, 'markdown');
      assert.match(renamed.value!, /^`MaxClients` is now `MaxRequestWorkers`; /);
    });
  }),
);
