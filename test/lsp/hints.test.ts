/** Inlay hints and hovers on arguments, as an editor asks for them. */
import assert from 'node:assert/strict';
import type { Hover, InlayHint, MarkupContent } from 'vscode-languageserver-protocol/node';
import { Client, FULL } from './client';

const URI = 'file:///etc/httpd/conf/httpd.conf';
const TEXT = 'ServerRoot /etc/httpd\nDefine ROOT /srv\nDocumentRoot ${ROOT}\n<VirtualHost *:80>\n</VirtualHost>\n';

describe('hints and hovers over the protocol', () => {
  let client: Client;
  const hints = async () => {
    const range = { start: { line: 0, character: 0 }, end: { line: 5, character: 0 } };
    const found = await client.connection.sendRequest<InlayHint[]>('textDocument/inlayHint', { textDocument: { uri: URI }, range });
    return found.map(({ position, label }) => `${position.line}:${position.character} ${String(label)}`);
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
    const found = await client.connection.sendRequest<Hover>('textDocument/hover', { textDocument: { uri: URI }, position: { line: 2, character: 17 } });
    assert.match((found.contents as MarkupContent).value, /Stands for `\/srv`\. Defined in line 2\./);
    assert.deepEqual(found.range, { start: { line: 2, character: 13 }, end: { line: 2, character: 20 } });
  });
});
