/** Answers written by hand are equal to the output of JSON.stringify. */
import assert from 'node:assert/strict';
import type { WorkspaceEdit } from 'vscode-languageserver';
import { locations, messageText, plainEdits } from '../../server/src/lsp/answer-text';

const URIS = ['file:///etc/httpd/a.conf', 'untitled:"\\\n', 'file:///gr%C3%B6%C3%9Fe', 'größe \u2028\ud800'];

const range = (seed: number) => ({
  start: { line: seed * 7, character: seed % 90 },
  end: { line: seed * 7 + (seed % 2), character: seed + 3 },
});
const edits = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ range: range(index), newText: URIS[index % URIS.length]! }));

describe('the text of an answer', () => {
  const same = (result: unknown, id: string | number = 7) => {
    const message = { jsonrpc: '2.0', id, result };
    assert.equal(messageText(message), JSON.stringify(message));
  };

  for (const count of [0, 1, 2, 50])
    it(`is JSON, of ${count} places`, () => {
      same(locations(Array.from({ length: count }, (_, index) => ({ uri: URIS[index % 4]!, range: range(index) }))));
      same(plainEdits({ changes: Object.fromEntries(URIS.map((uri) => [uri, edits(count)])) }), 'an "id"');
      const documentChanges = URIS.map((uri, index) => ({
        textDocument: { uri, version: index === 0 ? null : index },
        edits: edits(count),
      }));
      same(plainEdits({ documentChanges }));
    });

  it('is that of what is there when it is sent', () => {
    const list = locations([]);
    list.push({ uri: 'a', range: range(1) });
    same(list);
    const edit: WorkspaceEdit = plainEdits({ documentChanges: [] });
    edit.documentChanges!.push({ kind: 'create', uri: 'file:///a' });
    same(edit);
  });

  it('is that of JSON.stringify for all else', () => {
    for (const message of [
      { jsonrpc: '2.0', id: 1, result: null },
      { jsonrpc: '2.0', id: 1, result: [{ uri: 'a', range: range(2), more: true }] },
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'ß' } },
      { jsonrpc: '2.0', method: 'window/logMessage', params: { message: 'a\tb' } },
    ])
      assert.equal(messageText(message), JSON.stringify(message));
  });

  it('shows control characters as a dot', () => {
    const message = (text: string) => ({ jsonrpc: '2.0', method: 'window/logMessage', params: { message: text } });
    assert.equal(messageText(message('\u0000')), JSON.stringify(message('·')));
  });
});
