/**
 * Open documents: diagnostics that follow the edits, requests at a position, settings,
 * cancellation.
 */
import assert from 'node:assert/strict';
import { TextDocument } from 'vscode-languageserver-textdocument';
import {
  CancellationTokenSource,
  type CodeAction,
  type Diagnostic,
  type DocumentSymbol,
  type FoldingRange,
  type TextDocumentContentChangeEvent,
  type TextDocumentEdit,
} from 'vscode-languageserver-protocol/node';
import { Random, seed } from '../support/random';
import { Client, FULL } from './client';

const URI = 'file:///etc/httpd/conf/httpd.conf';
const TEXT = [
  'ServerName www.example.org',
  'MaxClients 150',
  '<Directory "/var/www">',
  '    Order allow,deny',
  '    Allow from all',
  '</Directory>',
  '# the end',
  '# of it',
  '',
].join('\n');

describe('open documents', () => {
  let client: Client;
  beforeEach(async () => {
    client = await Client.start({ initializationOptions: { client: 'httpd-upgrade', trusted: true } });
    await client.open(URI, TEXT);
  });
  afterEach(() => client.stop());

  describe('diagnostics', () => {
    it('are there for the asking', async () => {
      assert.deepEqual(await client.problems(URI), ['max-clients: MaxClients', 'order-allow-deny: Order allow,deny']);
    });

    it('are unchanged as long as nothing changes', async () => {
      const first = await client.pull(URI);
      const again = await client.pull(URI, first.resultId);
      assert.deepEqual(again, { kind: 'unchanged', resultId: first.resultId });
    });

    it('are new when only their place is', async () => {
      const first = await client.pull(URI);
      await client.change(URI, [{ range: client.rangeOf(URI, 'ServerName'), text: '# \nServerName' }]);
      const report = await client.pull(URI, first.resultId);
      assert.ok(report.kind === 'full' && report.resultId !== first.resultId);
      assert.deepEqual(
        report.items.map(({ range }) => client.text(URI).split('\n')[range.start.line].trim()),
        ['MaxClients 150', 'Order allow,deny'],
      );
    });

    it('follow several changes in one message', async () => {
      await client.change(URI, [
        { range: client.rangeOf(URI, 'MaxClients 150\n'), text: '' },
        { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, text: 'MaxClients 1\r\n' },
        { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } }, text: 'min' },
      ]);
      assert.match(client.text(URI), /^minClients 1\r\nServerName/);
      assert.deepEqual(await client.problems(URI), ['order-allow-deny: Order allow,deny']);
      await client.change(URI, [{ text: 'MaxClients 2' }]);
      assert.deepEqual(await client.problems(URI), ['max-clients: MaxClients']);
    });

    it('after any edits are those of the text as it stands', async () => {
      const random = new Random(seed());
      const pieces = [
        'Order deny,allow\n',
        'Allow from all\n',
        'MaxClients 1\n',
        '<Files x>\n',
        '</Files>\n',
        '# httpd-upgrade-ignore max-clients\n',
        '\\\n',
        '😀',
        '\r\n',
        '<IfVersion < 2.4>\n',
        '</IfVersion>\n',
        '"',
        'KeepAlive 3\n',
      ];
      for (let round = 0; round < 60; round++) {
        const changes: TextDocumentContentChangeEvent[] = [];
        let text = client.text(URI);
        for (let i = 0; i <= random.below(3); i++) {
          const scratch = TextDocument.create(URI, '', 0, text);
          const from = random.below(text.length + 1);
          const change = {
            range: { start: scratch.positionAt(from), end: scratch.positionAt(from + random.below(20)) },
            text: random.pick(pieces),
          };
          changes.push(change);
          text = TextDocument.applyEdits(scratch, [{ range: change.range, newText: change.text }]);
        }
        await client.change(URI, changes);
        // The same name, because the name also decides how a file can be read.
        const fresh = URI.replace('/conf/', `/fresh${round}/`);
        await client.open(fresh, client.text(URI));
        assert.deepEqual(
          await client.diagnostics(URI),
          await client.diagnostics(fresh),
          `${JSON.stringify(client.text(URI))}`,
        );
        await client.close(fresh);
      }
    });

    it('are none for what is not open', async () => {
      await client.close(URI);
      assert.deepEqual(await client.pull(URI), { kind: 'full', items: [] });
    });

    it('of a .htaccess are those of its context', async () => {
      await client.open('file:///srv/.htaccess', 'Order allow,deny\nAllow from all\n');
      assert.ok(
        (await client.diagnostics('file:///srv/.htaccess')).every(({ message }) => String(message).includes('500')),
      );
    });

    it('of a hundred thousand lines follow an edit', async () => {
      const large = 'file:///large.conf';
      await client.open(
        large,
        `${'<Directory /srv>\n    Options None\n    AllowOverride None\n</Directory>\n'.repeat(25_000)}MaxClients 1\n`,
      );
      assert.deepEqual(await client.problems(large), ['max-clients: MaxClients']);
      await client.replace(large, 'Options None', 'Order allow,deny');
      assert.deepEqual(await client.problems(large), ['order-allow-deny: Order allow,deny', 'max-clients: MaxClients']);
      await client.replace(large, '<Directory /srv>', '<Directory');
      assert.equal((await client.problems(large)).filter((found) => /order-allow|max-clients/.test(found)).length, 2);
    });
  });

  describe('hover', () => {
    it('is there for a name, and only for a name', async () => {
      const found = await client.hover(URI, 'Order');
      assert.match(found!.contents.value, /`Order`/);
      assert.deepEqual(found!.range, client.rangeOf(URI, 'Order'));
      assert.match((await client.hover(URI, 'Directory>'))!.contents.value, /`<Directory>`/);
      for (const at of ['www.example', '# the end']) assert.equal(await client.hover(URI, at), null);
    });

    it('is none for what is not open', async () => {
      assert.equal(
        await client.connection.sendRequest('textDocument/hover', {
          textDocument: { uri: 'file:///x' },
          position: { line: 0, character: 0 },
        }),
        null,
      );
    });
  });

  describe('code actions', () => {
    const IGNORE = 'quickfix.httpdUpgrade.ignore';

    it('give the text that their titles say', async () => {
      const actions = await client.actions(URI, 'MaxClients');
      assert.deepEqual(
        actions.map(({ kind, isPreferred }) => [kind, isPreferred]),
        [
          ['quickfix', true],
          ['quickfix', undefined],
          ['quickfix', undefined],
        ],
      );
      assert.equal(applied(actions[0]), TEXT.replace('MaxClients', 'MaxRequestWorkers'));
      assert.deepEqual(actions[1].command, {
        title: 'Explain',
        command: 'httpdUpgrade.showRule',
        arguments: ['max-clients'],
      });
      assert.deepEqual(actions[2].command, {
        title: 'Ignore "max-clients"…',
        command: 'httpdUpgrade.ignoreAt',
        arguments: [URI, TEXT.split('\n').findIndex((line) => line.startsWith('MaxClients')), 'max-clients'],
      });
      const [ignore] = await client.actions(URI, 'MaxClients', [IGNORE]);
      assert.equal(
        applied(ignore),
        TEXT.replace('MaxClients', '# httpd-upgrade-ignore max-clients: reason\nMaxClients'),
      );
    });

    it('fix all that is safe, and no more', async () => {
      const actions = await client.actions(URI, 'ServerName', ['source.fixAll']);
      assert.deepEqual(
        actions.map(({ kind }) => kind),
        ['source.fixAll.httpdUpgrade'],
      );
      assert.equal(applied(actions[0]), TEXT.replace('MaxClients', 'MaxRequestWorkers'));
    });

    it('are for the version that they were made from', async () => {
      await client.replace(URI, '# of it', '# of all');
      const [action] = await client.actions(URI, 'MaxClients');
      assert.deepEqual((action.edit!.documentChanges as TextDocumentEdit[])[0].textDocument, { uri: URI, version: 2 });
    });

    it('silence what they say they silence', async () => {
      const ignore = (await client.actions(URI, 'Order allow', [IGNORE])).find(
        ({ title }) => title === 'Ignore "order-allow-deny" in this <Directory> with a comment',
      )!;
      await client.change(URI, [{ text: applied(ignore) }]);
      assert.deepEqual(await client.problems(URI), ['max-clients: MaxClients']);
    });

    function applied(action: CodeAction): string {
      const [change] = action.edit!.documentChanges as TextDocumentEdit[];
      return TextDocument.applyEdits(TextDocument.create(URI, '', 1, client.text(URI)), change.edits as never);
    }
  });

  it('symbols and folds are there', async () => {
    const symbols: DocumentSymbol[] = await client.connection.sendRequest('textDocument/documentSymbol', {
      textDocument: { uri: URI },
    });
    assert.deepEqual(
      symbols.map(({ name, children = [] }) => [name, children.length]),
      [
        ['ServerName', 0],
        ['MaxClients', 0],
        ['<Directory "/var/www">', 2],
      ],
    );
    const folds: FoldingRange[] = await client.connection.sendRequest('textDocument/foldingRange', {
      textDocument: { uri: URI },
    });
    const lines = TEXT.split('\n');
    assert.deepEqual(
      folds.map(({ startLine, endLine }) => [lines[startLine], lines[endLine]]),
      [
        ['<Directory "/var/www">', '    Allow from all'],
        ['# the end', '# of it'],
      ],
    );
  });

  describe('cancellation', () => {
    const methods: [string, object][] = [
      ['textDocument/diagnostic', {}],
      ['textDocument/documentSymbol', {}],
      ['textDocument/foldingRange', {}],
      ['textDocument/hover', { position: { line: 0, character: 1 } }],
      [
        'textDocument/codeAction',
        { range: { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } }, context: { diagnostics: [] } },
      ],
    ];
    for (const [method, params] of methods) {
      it(`right behind the request ends ${method}`, async () => {
        const source = new CancellationTokenSource();
        const answer = client.connection.sendRequest(method, { textDocument: { uri: URI }, ...params }, source.token);
        source.cancel();
        await assert.rejects(answer, { code: -32800 });
      });
    }

    it('of one request leaves the next alone', async () => {
      const source = new CancellationTokenSource();
      const first = client.pull(URI, undefined, source.token);
      const second = client.problems(URI);
      source.cancel();
      await assert.rejects(first, { code: -32800 });
      assert.equal((await second).length, 2);
    });
  });
});

describe('settings', () => {
  let client: Client;
  const start = async (settings: Record<string, unknown>) => {
    client = await Client.start({ settings });
    await client.open(URI, TEXT);
  };
  const set = async (settings: Record<string, unknown>) => {
    client.settings = settings;
    await client.connection.sendNotification('workspace/didChangeConfiguration', { settings: null });
  };
  afterEach(() => client.stop());

  it('silence rules, and give them another severity', async () => {
    await start({ severity: { 'max-clients': 'off', 'order-allow-deny': 'hint', 'no-such-rule': 'error', other: 7 } });
    assert.deepEqual(
      (await client.diagnostics(URI)).map(({ code, severity }) => [code, severity]),
      [['order-allow-deny', 4]],
    );
  });

  it('limit the findings', async () => {
    await start({ maxFindings: 1 });
    assert.deepEqual(
      (await client.diagnostics(URI)).map(({ code }) => code),
      ['max-clients', undefined],
    );
  });

  it('leave room for the notice that there are more, in an editor that shows 1,000 of a file', async () => {
    client = await Client.start({ initializationOptions: { client: 'httpd-upgrade', trusted: true } });
    const uri = 'file:///etc/httpd/conf/long.conf';
    await client.open(uri, 'MaxClients 10\n'.repeat(1200));
    const found = await client.diagnostics(uri);
    assert.equal(found.length, 1000);
    assert.match(String(found.at(-1)!.message), /^There are more problems further down\./);
  });

  it('say what no other file has a say in', async () => {
    await start({ accessControl: { assumeStandalone: true } });
    const isSafe = async () => (await client.diagnostics(URI)).map(({ data }) => (data as { fix: string }).fix);
    assert.deepEqual(await isSafe(), ['safe', 'safe']);
    await set({});
    assert.deepEqual(await isSafe(), ['safe', 'suggestion']);
  });

  it('that make no sense are told and left out', async () => {
    await start({ target: '2.2', maxFindings: 'many', severity: ['off'], accessControl: null });
    assert.equal((await client.diagnostics(URI)).length, 2);
    await client.until(() => client.warnings.length > 2);
    assert.deepEqual(client.warnings, [
      'httpdUpgrade.target is "2.2". It must be 2.4, or 2.4 with a number, for example 2.4.57. The default counts: "2.4".',
      'httpdUpgrade.severity is ["off"]. It must be an object. The default counts: {}.',
      'httpdUpgrade.maxFindings is "many". It must be a whole number from 1. The default counts: 1000.',
    ]);
  });

  it('take effect when they change: the client is told to ask again, and the answer is new', async () => {
    await start({});
    const first = await client.pull(URI);
    await client.until(() => client.registered.includes('workspace/didChangeConfiguration'));
    await set({ severity: { 'max-clients': 'off' } });
    await client.until(() => client.refreshes === 1);
    const report = await client.pull(URI, first.resultId);
    assert.ok(report.kind === 'full' && report.items.every(({ code }) => code !== 'max-clients'));
  });

  it('are taken from the notification where a client cannot be asked', async () => {
    client = await Client.start({ capabilities: { textDocument: { diagnostic: {} } } });
    await client.open(URI, TEXT);
    assert.equal((await client.diagnostics(URI)).length, 2);
    await client.connection.sendNotification('workspace/didChangeConfiguration', {
      settings: { httpdUpgrade: { maxFindings: 1 } },
    });
    assert.equal((await client.diagnostics(URI)).length, 2);
  });
});

describe('clients that can less', () => {
  let client: Client;
  afterEach(() => client.stop());

  it('are sent diagnostics where they do not ask', async () => {
    client = await Client.start({ capabilities: {} });
    assert.equal(client.initialized.capabilities.diagnosticProvider, undefined);
    const codes = () =>
      client.published
        .get(URI)
        ?.diagnostics.map(({ code }: Diagnostic) => code)
        .join(' ');
    await client.open(URI, TEXT);
    await client.until(() => codes() === 'max-clients order-allow-deny');
    assert.equal(client.published.get(URI)!.version, 1);
    await client.replace(URI, 'MaxClients', 'MaxRequestWorkers');
    await client.until(() => client.published.get(URI)!.version === 2);
    assert.equal(codes(), 'order-allow-deny');
    await client.connection.sendNotification('workspace/didChangeConfiguration', {
      settings: { httpdUpgrade: { severity: { 'order-allow-deny': 'off' } } },
    });
    await client.until(() => codes() === '');
    await client.replace(URI, 'MaxRequestWorkers', 'MaxClients');
    await client.until(() => codes() === 'max-clients');
    await client.close(URI);
    await client.until(() => codes() === '');
  });

  it('get edits without versions where they do not know these', async () => {
    client = await Client.start({
      capabilities: { ...FULL, workspace: {} },
      initializationOptions: { client: 'httpd-upgrade', trusted: true },
    });
    await client.open(URI, TEXT);
    const [action] = await client.actions(URI, 'MaxClients');
    assert.deepEqual(Object.keys(action.edit!), ['changes']);
    assert.equal(action.edit!.changes![URI][0].newText, 'MaxRequestWorkers');
  });

  it('are not offered the command of our own client', async () => {
    client = await Client.start();
    await client.open(URI, TEXT);
    assert.ok((await client.actions(URI, 'MaxClients')).every(({ command }) => command === undefined));
  });
});
