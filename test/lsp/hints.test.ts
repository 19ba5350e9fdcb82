/** Inlay hints and hovers on arguments, as an editor asks for them. */
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import type {
  CompletionList,
  Hover,
  InlayHint,
  InlayHintLabelPart,
  Location,
  MarkupContent,
} from 'vscode-languageserver-protocol/node';
import { withFolder } from '../cli/run';
import { Client, FULL } from './client';

const URI = 'file:///etc/httpd/conf/httpd.conf';
const TEXT = 'ServerRoot /etc/httpd\nDefine ROOT /srv\nDocumentRoot ${ROOT}\n<VirtualHost *:80>\n</VirtualHost>\n';

describe('hints and hovers over the protocol', () => {
  let client: Client;
  const hints = async () => {
    const range = { start: { line: 0, character: 0 }, end: { line: 5, character: 0 } };
    const found = await client.connection.sendRequest<InlayHint[]>('textDocument/inlayHint', {
      textDocument: { uri: URI },
      range,
    });
    return found.map(
      ({ position, label }) =>
        `${position.line}:${position.character} ${typeof label === 'string' ? label : label.map(({ value }) => value).join('')}`,
    );
  };

  afterEach(() => client.stop());

  it('shows the hints that the settings ask for', async () => {
    client = await Client.start({ settings: { inlayHints: { inherited: true } } });
    await client.open(URI, TEXT);
    assert.deepEqual(await hints(), ['3:18 inherits DocumentRoot']);
  });

  it('shows none by default', async () => {
    client = await Client.start({ capabilities: FULL });
    await client.open(URI, TEXT);
    assert.deepEqual(await hints(), []);
  });

  it('says what a variable stands for', async () => {
    client = await Client.start({});
    await client.open(URI, TEXT);
    const found = await client.connection.sendRequest<Hover>('textDocument/hover', {
      textDocument: { uri: URI },
      position: { line: 2, character: 17 },
    });
    assert.match((found.contents as MarkupContent).value, /Stands for `\/srv`\. Defined in line 2\./);
    assert.deepEqual(found.range, { start: { line: 2, character: 13 }, end: { line: 2, character: 20 } });
  });
});

describe(
  'hints in a configuration, over the protocol',
  withFolder((folder) => {
    let client: Client;
    const uri = (name: string) => pathToFileURL(folder().at(name)).href;
    const ROOT = 'ServerRoot /etc/httpd\nServerAdmin a\nInclude sites/*.conf\n';
    const SITE = '<VirtualHost *:80>\nCustomLog a short\n</VirtualHost>\n';
    const start = async (settings: Record<string, unknown>) => {
      folder().write('httpd.conf', ROOT);
      folder().write('logs.conf', 'LogFormat "%h" short\n');
      folder().write('sites/a.conf', SITE);
      client = await Client.start({
        folders: [uri('.')],
        settings,
        capabilities: { ...FULL, workspace: { ...FULL.workspace, inlayHint: { refreshSupport: true } } },
      });
      client.connection.onRequest('workspace/inlayHint/refresh', () => {
        refreshes++;
        return null;
      });
      await client.open(uri('sites/a.conf'), SITE);
      await client.diagnostics(uri('sites/a.conf'));
    };
    let refreshes = 0;
    const hints = async () => {
      const range = { start: { line: 0, character: 0 }, end: { line: 3, character: 0 } };
      const found = await client.connection.sendRequest<InlayHint[]>('textDocument/inlayHint', {
        textDocument: { uri: uri('sites/a.conf') },
        range,
      });
      return found.flatMap(({ label }) =>
        (label as InlayHintLabelPart[]).flatMap(({ value, location }) =>
          location ? [`${value} ${location.uri}:${location.range.start.line}`] : [],
        ),
      );
    };
    afterEach(() => client.stop());

    it('lead to what other files say, as they are now', async () => {
      await start({ inlayHints: { inherited: true } });
      assert.deepEqual(await hints(), [`ServerAdmin ${uri('httpd.conf')}:1`]);
      await client.open(uri('httpd.conf'), ROOT);
      await client.diagnostics(uri('httpd.conf'));
      refreshes = 0;
      await client.replace(uri('httpd.conf'), 'ServerAdmin a', 'Timeout 5\nErrorLog b');
      assert.deepEqual(await hints(), [`ErrorLog ${uri('httpd.conf')}:2`, `Timeout ${uri('httpd.conf')}:1`]);
      await wait(() => refreshes > 0);
    });

    it('and names that other files define are found', async () => {
      await start({});
      await client.open(uri('httpd.conf'), ROOT.replace('Include', 'Include logs.conf\nInclude'));
      await client.diagnostics(uri('httpd.conf'));
      await client.diagnostics(uri('sites/a.conf'));
      const at = {
        textDocument: { uri: uri('sites/a.conf') },
        position: client.rangeOf(uri('sites/a.conf'), 'short').start,
      };
      const [target] = await client.connection.sendRequest<Location[]>('textDocument/definition', at);
      assert.deepEqual([target.uri, target.range.start.line], [uri('logs.conf'), 0]);
      assert.match(
        (await client.hover(uri('sites/a.conf'), 'short'))!.contents.value,
        /`%h`, defined in logs\.conf, line 1\./,
      );
      const { items } = await client.connection.sendRequest<CompletionList>('textDocument/completion', at);
      assert.deepEqual(
        items.map(({ label }) => label),
        ['short'],
      );
    });
  }),
);

async function wait(test: () => boolean): Promise<void> {
  while (!test()) await new Promise((resolve) => setTimeout(resolve, 20));
}
