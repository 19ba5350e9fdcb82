/**
 * Formatting, selections, linked names and semantic tokens over the protocol; and clients that send
 * whole texts.
 */
import assert from 'node:assert/strict';
import type {
  CodeActionOptions,
  LinkedEditingRanges,
  SelectionRange,
  SemanticTokens,
  SemanticTokensDelta,
  TextEdit,
} from 'vscode-languageserver-protocol/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { Client, type ClientOptions } from './client';

const URI = 'file:///etc/httpd/httpd.conf';
const OLD = '<If true>\nOptions   None\n</If>\nServerName     a\nErrorLog       b\n';
const OPTIONS = { tabSize: 2, insertSpaces: true };

describe('the language over the protocol', () => {
  let client: Client;
  const start = async (options: ClientOptions = {}, text = OLD) => {
    client = await Client.start(options);
    await client.open(URI, text);
  };
  afterEach(() => client.stop());
  const ask = <T>(method: string, params: object) =>
    client.connection.sendRequest<T>(`textDocument/${method}`, { textDocument: { uri: URI }, ...params });
  const made = (edits: TextEdit[]) => TextDocument.applyEdits(TextDocument.create(URI, '', 0, client.text(URI)), edits);

  it('formats a file, a range, and what is typed', async () => {
    await start();
    const formatted = OLD.replace('Options   None', '  Options None');
    assert.equal(made(await ask('formatting', { options: OPTIONS })), formatted);
    assert.equal(
      made(await ask('rangeFormatting', { range: client.rangeOf(URI, 'Options'), options: OPTIONS })),
      formatted,
    );
    assert.deepEqual(await ask('rangeFormatting', { range: client.rangeOf(URI, 'ErrorLog'), options: OPTIONS }), []);
    assert.equal(
      made(await ask('onTypeFormatting', { position: client.rangeOf(URI, '</If>').start, ch: '\n', options: OPTIONS })),
      formatted,
    );
  });

  it('formats several ranges at once', async () => {
    await start({}, `${OLD}<If true>\nOptions   All\n</If>\n`);
    const ranges = [client.rangeOf(URI, 'Options   All'), client.rangeOf(URI, 'Options   None')];
    const edits = await ask<TextEdit[]>('rangesFormatting', { ranges: [...ranges, ranges[0]], options: OPTIONS });
    assert.equal(made(edits), `${OLD}<If true>\nOptions   All\n</If>\n`.replace(/Options {3}/g, '  Options '));
  });

  it('has texts without a file: a rule, the report, a file after its safe fixes', async () => {
    await start({}, 'MaxClients 5\nDefaultType text/plain\n');
    assert.deepEqual(client.initialized.capabilities.workspace!.textDocumentContent as object, {
      schemes: ['httpd-upgrade'],
    });
    const text = async (uri: string) =>
      (await client.connection.sendRequest<{ text: string }>('workspace/textDocumentContent', { uri })).text;
    assert.match(await text('httpd-upgrade:/rules/max-clients.md'), /^# max-clients\n/);
    assert.equal(await text(`httpd-upgrade:/fixed?${encodeURIComponent(URI)}`), 'MaxRequestWorkers 5\n');
    assert.ok((await text('httpd-upgrade:/report.md')).length > 20);
    for (const wrong of ['httpd-upgrade:/rules/no-such.md', 'file:///etc/passwd', 'httpd-upgrade:/fixed?file:///no'])
      await assert.rejects(text(wrong), /no text of httpd-upgrade/);
  });

  it('documents code actions, where the client shows that', async () => {
    await start({ capabilities: { textDocument: { codeAction: { documentationSupport: true } } } });
    const { documentation } = client.initialized.capabilities.codeActionProvider as CodeActionOptions;
    assert.deepEqual(
      documentation!.map(({ kind, command }) => [kind, command.command]),
      [
        ['quickfix', 'httpdUpgrade.openDocumentation'],
        ['source.fixAll.httpdUpgrade', 'httpdUpgrade.openDocumentation'],
      ],
    );
    const opened = await client.connection.sendRequest('workspace/executeCommand', documentation![0]!.command);
    assert.match((opened as { url: string }).url, /\/docs\/safe\.html$/);
  });

  it('keeps columns, or does not, as the setting says', async () => {
    await start({ settings: { format: { alignment: 'none' } } });
    assert.match(made(await ask('formatting', { options: OPTIONS })), /ServerName a\nErrorLog b\n/);
  });

  it('formats for a client that does not say how it indents', async () => {
    await start();
    assert.match(made(await ask('formatting', {})), /^ {4}Options None$/m);
  });

  for (const [title, options, tag] of [
    ['gets', {}, '<If a>\n</If>'],
    ['gets no', { settings: { autoClosingTags: false } }, '<If a>'],
    // It asks for it, and puts the cursor between the two.
    ['that is ours gets no', { initializationOptions: { client: 'httpd-upgrade' } }, '<If a>'],
  ] as const) {
    it(`a client ${title} closing tags`, async () => {
      await start(options, '<If a>');
      assert.equal(
        made(await ask('onTypeFormatting', { position: { line: 0, character: 6 }, ch: '>', options: OPTIONS })),
        tag,
      );
    });
  }

  it('selects more and more', async () => {
    await start();
    const [selection] = await ask<SelectionRange[]>('selectionRange', {
      positions: [client.rangeOf(URI, 'None').start],
    });
    const texts: string[] = [];
    const document = TextDocument.create(URI, '', 0, OLD);
    for (let at: SelectionRange | undefined = selection; at; at = at.parent) texts.push(document.getText(at.range));
    assert.deepEqual([texts[0], texts.at(-1), texts.length], ['None', OLD, 6]);
  });

  it('links the names of two tags', async () => {
    await start();
    const { ranges } = await ask<LinkedEditingRanges>('linkedEditingRange', { position: { line: 2, character: 3 } });
    assert.deepEqual(
      ranges.map(({ start: { line, character } }) => [line, character]),
      [
        [0, 1],
        [2, 2],
      ],
    );
    assert.equal(await ask('linkedEditingRange', { position: { line: 1, character: 3 } }), null);
  });

  it('gives tokens, and later what changed of them', async () => {
    await start();
    const first = await ask<SemanticTokens>('semanticTokens/full', {});
    assert.equal(first.data.length / 5, 9);
    await client.replace(URI, 'true', 'true and true');
    const delta = await ask<SemanticTokensDelta>('semanticTokens/full/delta', { previousResultId: first.resultId });
    assert.equal(delta.edits.length, 1);
    assert.ok(delta.edits[0]!.data!.length <= 15, JSON.stringify(delta.edits));
    assert.ok('data' in (await ask<object>('semanticTokens/full/delta', { previousResultId: 'other' })));
    assert.equal(
      (await ask<SemanticTokens>('semanticTokens/range', { range: client.rangeOf(URI, 'Options') })).data.length,
      10,
    );
  });

  it('offers tokens to clients without our grammar only', async () => {
    await start({ initializationOptions: { client: 'httpd-upgrade' } });
    assert.equal(client.initialized.capabilities.semanticTokensProvider, undefined);
  });

  it('takes whole texts for changes', async () => {
    await start();
    await client.change(URI, [{ text: '# é\nMaxClients 5\n' }]);
    await client.change(URI, [{ text: 'ServerName a\nMaxClients   6\n' }]);
    assert.equal(made(await ask('formatting', { options: OPTIONS })), 'ServerName a\nMaxClients 6\n');
    assert.deepEqual(await client.problems(URI), ['max-clients: MaxClients']);
  });

  it('says nothing of what is not open', async () => {
    await start();
    const textDocument = { uri: 'file:///none.conf' };
    for (const [method, params, answer] of [
      ['formatting', { options: OPTIONS }, null],
      ['selectionRange', { positions: [{ line: 0, character: 0 }] }, null],
      ['linkedEditingRange', { position: { line: 0, character: 0 } }, null],
      ['semanticTokens/full', {}, { data: [] }],
    ] as const)
      assert.deepEqual(await ask(method, { textDocument, ...params }), answer, method);
  });
});
