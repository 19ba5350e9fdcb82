/** Definitions, links, faded text and the include tree over the protocol. */
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import type { DocumentLink, Location, LocationLink } from 'vscode-languageserver-protocol/node';
import { withFolder } from '../cli/run';
import { Client, FULL, type ClientOptions } from './client';

const ROOT =
  'ServerRoot /etc/httpd\nDefine PORT 80\n<VirtualHost *:80>\nInclude conf.d/*.conf\n</VirtualHost>\n<IfVersion < 2.4>\nListen 1\n</IfVersion>\n';
const SITE = 'ServerName ${PORT}\nDefaultType text/plain\n';

describe(
  'around a configuration',
  withFolder((folder) => {
    let client: Client;
    const uri = (name: string) => pathToFileURL(folder().at(name)).href;
    const start = async (options: ClientOptions = {}) => {
      folder().write('conf/httpd.conf', ROOT);
      folder().write('conf.d/a.conf', SITE);
      client = await Client.start({ folders: [uri('.')], ...options });
      await client.open(uri('conf/httpd.conf'), ROOT);
      await client.open(uri('conf.d/a.conf'), SITE);
      // What is asked while the folder is still looked through is answered without it.
      await client.diagnostics(uri('conf.d/a.conf'));
    };
    const at = (name: string, text: string) => ({
      textDocument: { uri: uri(name) },
      position: client.rangeOf(uri(name), text).start,
    });
    afterEach(() => client.stop());

    it('a variable leads to its Define, where it is now', async () => {
      await start();
      await client.change(uri('conf/httpd.conf'), [
        { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, text: '# a line\n' },
      ]);
      const found = await client.connection.sendRequest<Location[]>(
        'textDocument/definition',
        at('conf.d/a.conf', '${PORT}'),
      );
      assert.deepEqual(
        found.map((location) => [location.uri, location.range.start.line]),
        [[uri('conf/httpd.conf'), 2]],
      );
    });

    it('a client that can gets the range of the word, too', async () => {
      await start({
        capabilities: { ...FULL, textDocument: { ...FULL.textDocument, definition: { linkSupport: true } } },
      });
      const [link] = await client.connection.sendRequest<LocationLink[]>(
        'textDocument/definition',
        at('conf/httpd.conf', 'conf.d/*'),
      );
      assert.equal(link.targetUri, uri('conf.d/a.conf'));
      assert.deepEqual(link.originSelectionRange, client.rangeOf(uri('conf/httpd.conf'), 'conf.d/*.conf'));
    });

    it('an Include is a link', async () => {
      await start();
      const links = await client.connection.sendRequest<DocumentLink[]>('textDocument/documentLink', {
        textDocument: { uri: uri('conf/httpd.conf') },
      });
      assert.deepEqual(
        links.map(({ target }) => target),
        [uri('conf.d/a.conf')],
      );
    });

    it('hovers say what an Include brings in', async () => {
      await start();
      assert.match((await client.hover(uri('conf/httpd.conf'), 'conf.d/*'))!.contents.value, /conf\.d\/a\.conf/);
    });

    it('findings in a section of another file say where they are included, to clients that can show it', async () => {
      await start({ capabilities: { ...FULL, textDocument: { diagnostic: { relatedInformation: true } } } });
      const [found] = (await client.diagnostics(uri('conf.d/a.conf'))).filter(({ code }) => code === 'default-type');
      assert.deepEqual(
        found.relatedInformation!.map(({ message, location }) => [message, location.uri, location.range.start.line]),
        [['included here, in <VirtualHost *:80>', uri('conf/httpd.conf'), 3]],
      );
    });

    it('findings about a macro that is used name its lines in the other file, where they are now', async () => {
      await start({ capabilities: { ...FULL, textDocument: { diagnostic: { relatedInformation: true } } } });
      const root =
        'ServerRoot /etc/httpd\n<Macro Signed $how>\n    # how\n    ServerSignature $how\n</Macro>\nInclude conf.d/*.conf\n';
      await client.change(uri('conf/httpd.conf'), [{ text: root }]);
      await client.change(uri('conf.d/a.conf'), [{ text: 'Use Signed off\nUse Signed never\n' }]);
      const places = async () =>
        (await client.diagnostics(uri('conf.d/a.conf')))
          .filter(({ code }) => code === 'macro-use')
          .map(({ code, range, relatedInformation }) => [
            code,
            range.start.line,
            relatedInformation?.map(({ location }) => [location.uri, location.range.start.line]),
          ]);
      assert.deepEqual(await places(), [['macro-use', 1, [[uri('conf/httpd.conf'), 3]]]]);
      await client.change(uri('conf/httpd.conf'), [
        { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, text: '# a line\n' },
      ]);
      assert.deepEqual(await places(), [['macro-use', 1, [[uri('conf/httpd.conf'), 4]]]]);
      assert.match(
        (await client.hover(uri('conf.d/a.conf'), 'Use Signed never'))!.contents.value,
        /ServerSignature never/,
      );
    });

    it('text that is not read is faded, unless that is switched off', async () => {
      await start();
      const faded = async () =>
        (await client.diagnostics(uri('conf/httpd.conf')))
          .filter(({ tags }) => tags?.includes(1))
          .map(({ code, severity, range }) => [code, severity, range.start.line]);
      assert.deepEqual(await faded(), [['inactive-text', 4, 6]]);
      client.settings = { fadeInactive: false };
      await client.connection.sendNotification('workspace/didChangeConfiguration', { settings: null });
      assert.deepEqual(await faded(), []);
    });

    it('the include tree has a row for each file and Include', async () => {
      await start();
      const rows = await client.connection.sendRequest<
        { level: number; label: string; uri: string; row: number | null }[]
      >('httpdUpgrade/includeTree', { uri: uri('conf.d/a.conf') });
      assert.deepEqual(
        rows.map(({ level, label, row }) => [level, label, row]),
        [
          [0, 'conf/httpd.conf', null],
          [1, 'Include conf.d/*.conf', 3],
          [2, 'conf.d/a.conf', null],
        ],
      );
      assert.equal(rows[2].uri, uri('conf.d/a.conf'));
    });
  }),
);
