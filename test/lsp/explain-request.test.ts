/** The command `httpdUpgrade.explainRequest` over the protocol. */
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { withFolder } from '../cli/run';
import { Client } from './client';

describe(
  'httpdUpgrade.explainRequest',
  withFolder((folder) => {
    let client: Client;
    const uri = (name: string) => pathToFileURL(folder().at(name)).href;
    const ask = (given: unknown) =>
      client.connection.sendRequest<Record<string, never>>('workspace/executeCommand', {
        command: 'httpdUpgrade.explainRequest',
        arguments: [uri('conf/httpd.conf'), given],
      });
    beforeEach(async () => {
      const text = `ServerRoot ${folder().path}\nListen 80\nDocumentRoot htdocs\n<Location /a>\nOrder deny,allow\nDeny from all\n</Location>\n`;
      folder().write('conf/httpd.conf', text);
      folder().write('htdocs/a/f', '');
      client = await Client.start({ folders: [uri('.')] });
      // The text in the editor counts.
      await client.open(uri('conf/httpd.conf'), text.replace('Deny from all', 'Deny from 192.0.2'));
      await client.diagnostics(uri('conf/httpd.conf'));
    });
    afterEach(() => client.stop());

    it('gives the JSON of the command line, and the URIs of its files', async () => {
      const { decisions, uris } = await ask({ request: 'GET /a/f', from: '192.0.2.7' });
      assert.deepEqual(
        (decisions as { server: string; access: string }[]).map(({ server, access }) => `${server} ${access}`),
        ['2.2 denied', '2.4-compat denied', '2.4 denied'],
      );
      assert.deepEqual(Object.values(uris), [uri('conf/httpd.conf')]);
      const other = await ask({ request: '/a/f', from: '198.51.100.1', at: '2.4-compat' });
      assert.deepEqual(
        (other.decisions as { access: string }[]).map(({ access }) => access),
        ['granted'],
      );
    });

    for (const given of [undefined, null, 7, {}, { request: 'x' }, { request: '/a', from: 'nowhere' }])
      it(`has no answer to ${JSON.stringify(given)}`, async () => {
        assert.match((await ask(given)).nothing, /Give a method and a URL/);
      });
  }),
);
