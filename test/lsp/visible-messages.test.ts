import assert from 'node:assert/strict';
import { messageText } from '../../server/src/lsp/visible-messages';

describe('the text of a message', () => {
  it('shows control characters as a dot', () => {
    const message = (text: string) => ({ jsonrpc: '2.0', method: 'window/logMessage', params: { message: text } });
    assert.equal(messageText(message('\u0000')), JSON.stringify(message('·')));
  });

  it('has the texts of edits as they are', () => {
    const edits = [{ range: { start: { line: 1, character: 0 }, end: { line: 1, character: 3 } }, newText: 'a\u0000' }];
    const message = {
      jsonrpc: '2.0',
      id: 1,
      result: { documentChanges: [{ textDocument: { uri: 'file:///a' }, edits }] },
    };
    assert.equal(messageText(message), JSON.stringify(message));
  });
});
