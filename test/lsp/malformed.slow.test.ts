/**
 * Invalid messages: the server survives, answers every request, and answers the next valid one
 * correctly.
 */
import assert from 'node:assert/strict';
import { Random, seed } from '../support/random';
import { inProcess } from './in-process';

const URI = 'file:///etc/httpd/httpd.conf';
const OLD = 'ServerName a\nMaxClients 1\n';

const RANGE = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };

/** So many messages; HTTPD_UPGRADE_MALFORMED=10000 for a long run. */
const MESSAGES = Number(process.env.HTTPD_UPGRADE_MALFORMED ?? 1000);

const REQUESTS = [
  'initialize',
  'textDocument/hover',
  'textDocument/completion',
  'textDocument/signatureHelp',
  'textDocument/definition',
  'textDocument/documentLink',
  'textDocument/documentSymbol',
  'textDocument/foldingRange',
  'textDocument/inlayHint',
  'textDocument/codeAction',
  'textDocument/diagnostic',
  'textDocument/formatting',
  'textDocument/rangeFormatting',
  'textDocument/rangesFormatting',
  'workspace/textDocumentContent',
  'textDocument/onTypeFormatting',
  'textDocument/selectionRange',
  'textDocument/linkedEditingRange',
  'textDocument/semanticTokens/full',
  'textDocument/semanticTokens/full/delta',
  'textDocument/semanticTokens/range',
  'completionItem/resolve',
  'codeAction/resolve',
  'workspace/executeCommand',
  'httpdUpgrade/target',
  'httpdUpgrade/closingTag',
  'httpdUpgrade/verify',
  'httpdUpgrade/includeTree',
  'httpdUpgrade/rulePage',
  'httpdUpgrade/rules',
  'httpdUpgrade/planConversion',
  'httpdUpgrade/applyConversion',
  'httpdUpgrade/undoConversion',
  'textDocument/references',
  'textDocument/documentHighlight',
  'textDocument/prepareRename',
  'textDocument/rename',
  'textDocument/codeLens',
  'textDocument/prepareCallHierarchy',
  'textDocument/willSaveWaitUntil',
  'codeLens/resolve',
  'callHierarchy/incomingCalls',
  'callHierarchy/outgoingCalls',
  'workspace/symbol',
  'workspace/willRenameFiles',
  'httpdUpgrade/report',
  'no/such',
  '',
  '$/no',
  'httpdUpgrade/refused',
];
const NOTIFICATIONS = [
  'textDocument/didOpen',
  'textDocument/didChange',
  'textDocument/didClose',
  'textDocument/didSave',
  'workspace/didChangeConfiguration',
  'workspace/didChangeWatchedFiles',
  'workspace/didChangeWorkspaceFolders',
  '$/setTrace',
  '$/progress',
  'initialized',
  'no/such',
  'window/workDoneProgress/cancel',
  'textDocument/willSave',
  'workspace/didRenameFiles',
  'notebookDocument/didOpen',
  'notebookDocument/didChange',
  'httpdUpgrade/ran',
  '$/cancelRequest',
];

/** Of no file, of other systems, of bytes that are no text, without an end. */
const ODD_URIS = [
  'untitled:Untitled-1',
  'vscode-notebook-cell:/a.ipynb#W0',
  'git:/a/.htaccess?%7B%22ref%22%3A%22~%22%7D',
  'file:///c%3A/Apache/conf/httpd.conf',
  'file:///C:/Apache/conf/httpd.conf',
  'file:////h/s/httpd.conf',
  'file:///%ff%fe/.htaccess',
  'file:///a%00b/httpd.conf',
  'file:///a/../../../httpd.conf',
  'file:///a b/\u{1F600}/httpd.conf',
  'file:///\ud800.conf',
  'FILE:///etc/httpd/httpd.conf',
  'file:/etc/httpd/httpd.conf',
  'http://h/httpd.conf',
  'javascript:x',
  'file:',
  '://',
  'file:///etc/httpd/httpd.conf#1?2',
  `file:///${'a/'.repeat(5000)}`,
];
/** With a byte order mark, with other line ends and none, with what is no text, and long. */
const TEXTS = [
  OLD,
  `\uFEFF${OLD}`,
  OLD.replaceAll('\n', '\r'),
  OLD.replaceAll('\n', '\r\n'),
  OLD.replaceAll('\n', '\u2028'),
  `\0${OLD}\0`,
  '\ud800\n\udc00',
  '<Directory /a>\nOrder allow,deny\n',
  "'\uFEFF\n{%",
  '\\',
  '',
  'Order allow,deny\n'.repeat(1000),
];
/** Settings, and what is none. */
const NAMES = ['maxFindings', 'format', 'serverRoot', 'answers', 'ignore', '__proto__', 'constructor', ''];

/** What has an answer of its own in the protocol's errors, and nothing else. */
const CODES = new Set([-32600, -32601, -32602, -32603, -32002, -32800, -32801, -32803]);

describe('what another client or server has made', () => {
  it('is refused or answered, and is no mistake of this one', async () => {
    const { connection, log } = inProcess();
    await connection.sendRequest('initialize', { processId: null, rootUri: null, capabilities: {} });
    await connection.sendNotification('initialized', {});
    const uri = 'file:///etc/httpd/httpd.conf';
    const text = OLD;
    await connection.sendNotification('textDocument/didOpen', {
      textDocument: { uri, languageId: 'apacheconf', version: 1, text },
    });
    const codes = new Set<unknown>();
    const ask = (method: string, params: object) =>
      connection.sendRequest(method, params).then(
        () => codes.add(0),
        ({ code }: { code: number }) => codes.add(code),
      );
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
    for (const argument of [undefined, null, 7, uri, [uri], {}, { uri }, { uri, title: 'x' }, { uri, title: 7, range }])
      for (const command of ['applyFix', 'convertAccess', 'convertConfiguration', 'includeTree', 'explain', 'report'])
        await ask('workspace/executeCommand', { command: `httpdUpgrade.${command}`, arguments: [argument] });
    for (const data of [7, 'x', [], {}, { id: 1 }, { directive: 7 }, { of: 'Options' }, { word: 'x' }, { text: {} }])
      await ask('completionItem/resolve', { label: 'x', data });
    assert.deepEqual([...codes].sort(), [-32602, 0]);
    assert.deepEqual(log, []);
    connection.dispose();
  });
});

describe('wrong parameters of our own requests', () => {
  const task = { id: 'x', what: 'x', because: [] };
  for (const [method, params] of [
    ['httpdUpgrade/planConversion', { access: 5 }],
    ['httpdUpgrade/planConversion', { access: { uri: 7, line: 1 } }],
    ['httpdUpgrade/planConversion', { access: { uri: URI } }],
    ['httpdUpgrade/planConversion', { fix: 5 }],
    ['httpdUpgrade/planConversion', { fix: { uri: 7 } }],
    ['httpdUpgrade/planConversion', { fix: { uri: URI, title: 'x', range: {} } }],
    ['httpdUpgrade/planConversion', { ready: true }],
    ['httpdUpgrade/planConversion', { ready: { root: 5 } }],
    ['httpdUpgrade/planConversion', { ready: { file: 5 } }],
    ['httpdUpgrade/planConversion', { ready: { items: 5 } }],
    ['httpdUpgrade/planConversion', { ready: { items: [null] } }],
    ['httpdUpgrade/planConversion', { ready: { items: [{ rule: 'x', file: URI, line: 'x', title: 'x' }] } }],
    ['httpdUpgrade/report', { tasks: JSON.parse('{"__proto__": 5}') }],
    ['httpdUpgrade/report', { tasks: { ['__proto__']: [task] } }],
    ['httpdUpgrade/report', { tasks: { [URI]: [{ ...task, commands: 5 }] } }],
    ['httpdUpgrade/report', { tasks: { [URI]: [{ ...task, because: [null] }] } }],
    ['workspace/textDocumentContent', { uri: 'httpd-upgrade:/fixed?%' }],
    ['workspace/textDocumentContent', { uri: 'httpd-upgrade:/fixed?%ff' }],
    ['codeLens/resolve', { range: RANGE, data: { uri: 7, kind: 'macro', name: 'x' } }],
    ['codeLens/resolve', { range: RANGE, data: { uri: URI, kind: 'macro', name: 7 } }],
    ['codeAction/resolve', { title: 'x', data: { fixAllOf: 'max-clients', uri: URI } }],
    ['codeAction/resolve', { title: 'x', data: { fixAllOf: 'max-clients', uri: URI }, diagnostics: [{}] }],
  ] as const) {
    it(`${method} refuses ${JSON.stringify(params)}`, async () => {
      const { connection, log } = inProcess();
      await connection.sendRequest('initialize', { processId: null, rootUri: null, capabilities: {} });
      await connection.sendNotification('initialized', {});
      await connection.sendNotification('textDocument/didOpen', {
        textDocument: { uri: URI, languageId: 'apacheconf', version: 1, text: OLD },
      });
      await assert.rejects(connection.sendRequest(method, params), { code: -32602 });
      assert.deepEqual(log, []);
      connection.dispose();
    });
  }

  it('a trace without a value is ignored, and is no mistake of the server', async () => {
    const { connection, log } = inProcess();
    await connection.sendRequest('initialize', { processId: null, rootUri: null, capabilities: {} });
    await connection.sendNotification('$/setTrace', null as never);
    await connection.sendNotification('$/setTrace', { value: 'off' });
    assert.ok(Array.isArray(await connection.sendRequest('httpdUpgrade/rules', {})));
    assert.deepEqual(
      log.filter((line) => /mistake/.test(line)),
      [],
    );
    connection.dispose();
  });
});

describe('messages that are not what the protocol says', () => {
  const start = seed();

  it(`${MESSAGES} of them, and the server answers the next one (seed ${start})`, async function () {
    this.timeout(600_000);
    const source = new Random(start);
    const random = () => source.next();
    const int = (limit: number) => source.below(limit);
    const pick = <T>(choices: readonly T[]): T => source.pick(choices);
    const { connection, log } = inProcess();
    await connection.sendRequest('initialize', {
      processId: null,
      rootUri: null,
      workspaceFolders: null,
      capabilities: { textDocument: { diagnostic: {} }, workspace: { diagnostics: { refreshSupport: true } } },
    });
    await connection.sendNotification('initialized', {});
    const uris = [URI, 'file:///a', '', 'x:y', 'file://h/s', 'file:///%', 7, null, ...ODD_URIS];
    const odd = (depth = 0): unknown =>
      pick<() => unknown>([
        () => null,
        () => undefined,
        () => 7,
        () => -1,
        () => 1e308,
        () => 2 ** 53,
        () => 0.5,
        () => 'x',
        () => '',
        () => true,
        () => [],
        () => ({}),
        () => 'a'.repeat(10_000),
        () => (depth > 3 ? null : [odd(depth + 1), odd(depth + 1)]),
        () => (depth > 3 ? null : { uri: odd(depth + 1), text: odd(depth + 1), range: odd(depth + 1) }),
      ])();
    const orOdd = (value: unknown) => (random() < 0.15 ? odd() : value);
    const position = () =>
      orOdd({ line: orOdd(pick([0, 1, 5, 1e9, 1e308, 2 ** 31])), character: orOdd(pick([0, 3, 1e9, 1e308])) });
    const range = () => orOdd({ start: position(), end: position() });
    const textDocument = () =>
      orOdd({
        uri: orOdd(pick(uris)),
        version: orOdd(int(9)),
        text: orOdd(pick(TEXTS)),
        languageId: orOdd('apacheconf'),
      });
    const params = (): unknown =>
      orOdd({
        textDocument: textDocument(),
        position: position(),
        range: range(),
        context: orOdd({ diagnostics: orOdd([odd()]), only: orOdd([orOdd('quickfix')]), triggerKind: orOdd(1) }),
        previousResultId: orOdd('1'),
        contentChanges: orOdd([
          orOdd({ text: orOdd(pick(TEXTS)), range: orOdd(range()) }),
          orOdd({ text: orOdd(OLD) }),
        ]),
        changes: orOdd([orOdd({ uri: orOdd(pick(uris)), type: orOdd(int(4)) })]),
        event: orOdd({
          added: orOdd([orOdd({ uri: orOdd(pick(uris)) })]),
          removed: orOdd([orOdd({ uri: orOdd(pick(uris)) })]),
        }),
        settings: orOdd({
          httpdUpgrade: orOdd({ severity: odd(), roots: odd(), target: odd(), [pick(NAMES)]: odd() }),
        }),
        files: orOdd([orOdd({ oldUri: orOdd(pick(uris)), newUri: orOdd(pick(uris)) })]),
        item: orOdd({ name: orOdd('x'), uri: orOdd(pick(uris)), range: range(), selectionRange: range(), data: odd() }),
        newName: orOdd('x'),
        query: orOdd('x'),
        commands: orOdd([orOdd('x')]),
        tasks: odd(),
        notebookDocument: orOdd({ uri: orOdd(pick(uris)), cells: odd() }),
        cellTextDocuments: orOdd([textDocument()]),
        label: orOdd('x'),
        title: orOdd('x'),
        data: orOdd({ fixAllOf: odd(), uri: orOdd(pick(uris)), from: odd() }),
        diagnostics: orOdd([orOdd({ range: range() })]),
        command: orOdd('httpdUpgrade.convertConfiguration'),
        arguments: orOdd([odd()]),
        uri: orOdd(pick(uris)),
        rule: odd(),
        id: odd(),
        token: odd(),
        value: odd(),
        code: odd(),
        message: odd(),
      });
    const answers: Promise<unknown>[] = [];
    for (let i = 0; i < MESSAGES; i++) {
      const given = params() as object;
      if (random() < 0.5) {
        await connection.sendNotification(pick(NOTIFICATIONS), given).catch(() => undefined);
        continue;
      }
      const method = pick(REQUESTS);
      answers.push(
        connection
          .sendRequest(method, given)
          .catch((error: { code: number; message: string }) =>
            assert.ok(
              CODES.has(error.code) || method === 'httpdUpgrade/refused',
              `${method} ${JSON.stringify(given)?.slice(0, 300)}: ${error.code} ${error.message}`,
            ),
          ),
      );
      if (answers.length >= 50) await Promise.all(answers.splice(0));
    }
    await Promise.all(answers);
    await connection.sendNotification('textDocument/didOpen', {
      textDocument: { uri: URI, languageId: '', version: 1, text: OLD },
    });
    await connection.sendNotification('workspace/didChangeConfiguration', { settings: { httpdUpgrade: {} } });
    const { items } = await connection.sendRequest<{ items: { code: string }[] }>('textDocument/diagnostic', {
      textDocument: { uri: URI },
    });
    assert.deepEqual(
      items.map(({ code }) => code),
      ['max-clients'],
    );
    // Only the server reads `data`, which it sends: an item with other data is returned unchanged.
    assert.deepEqual(
      log.filter((message) => message.includes('Please report') && !/^on\w+Resolve failed/.test(message)),
      [],
    );
    connection.dispose();
  });
});
