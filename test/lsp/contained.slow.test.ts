/** Errors of a client or of the server itself affect only one request. */
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import type { ClientCapabilities, Diagnostic, WorkspaceDiagnosticReport } from 'vscode-languageserver-protocol/node';
import { nodeHost } from '../../server/src/host/node';
import { ALL_RULES } from '../../server/src/rules/all';
import { withFolder } from '../cli/run';
import { inProcess } from './in-process';
import { byUri, Client, FULL, type Answer, type ClientOptions } from './client';

const URI = 'file:///etc/httpd/httpd.conf';
const OLD = 'ServerName a\nMaxClients 1\n';
const FOUND = 'max-clients';

/** All that the server may ask. */
const ASKED = [
  'client/registerCapability',
  'workspace/diagnostic/refresh',
  'workspace/inlayHint/refresh',
  'window/workDoneProgress/create',
  'workspace/configuration',
  'window/showMessageRequest',
  'workspace/applyEdit',
];

const CAPABLE: ClientCapabilities = { ...FULL, workspace: { ...FULL.workspace, inlayHint: { refreshSupport: true } } };

describe(
  'answers of the client',
  withFolder((folder) => {
    let client: Client;
    const uri = (name: string) => pathToFileURL(folder().at(name)).href;
    const start = async (options: ClientOptions = {}) => {
      folder().write('httpd.conf', `ServerRoot "${folder().at('')}"\nInclude other.conf\n`);
      folder().write('other.conf', OLD);
      client = await Client.start({ folders: [uri('.')], capabilities: CAPABLE, ...options });
    };
    afterEach(() => client.stop());

    /** Everything that makes the server ask something. */
    const live = async () => {
      await client.open(uri('httpd.conf'), `ServerRoot "${folder().at('')}"\nInclude other.conf\nMaxClients 1\n`);
      assert.ok((await client.problems(uri('httpd.conf'))).includes(`${FOUND}: MaxClients`));
      await client.connection.sendNotification('workspace/didChangeConfiguration', { settings: null });
      await client.connection.sendNotification('workspace/didChangeWatchedFiles', {
        changes: [{ uri: uri('other.conf'), type: 2 }],
      });
      assert.ok((await client.problems(uri('httpd.conf'))).includes(`${FOUND}: MaxClients`));
      assert.ok(byUri((await client.pullWorkspace()).items)[uri('other.conf')]);
      assert.match((await client.hover(uri('httpd.conf'), 'MaxClients'))!.contents.value, /MaxRequestWorkers/);
    };

    for (const answer of ['error', 'never'] as const) {
      it(`may all be ${answer === 'error' ? 'errors' : 'left out'}`, async () => {
        await start({ answers: Object.fromEntries(ASKED.map((method) => [method, answer])) });
        await live();
        assert.ok(
          client.asked.includes('client/registerCapability') && client.asked.includes('workspace/configuration'),
        );
        assert.deepEqual(
          client.warnings.filter((message) => message.includes('mistake')),
          [],
        );
      });
    }

    for (const value of [
      null,
      7,
      'no',
      [],
      {},
      [null],
      [7],
      ['x'],
      [[[]]],
      [{ severity: 7, target: [], roots: [1], maxFindings: 'x', inlayHints: 3, pathMap: null }],
    ]) {
      it(`may be ${JSON.stringify(value)}`, async () => {
        await start({
          answers: {
            'workspace/configuration': { value },
            'client/registerCapability': { value },
            'window/workDoneProgress/create': { value },
          },
        });
        await live();
      });
    }

    it('are told once', async () => {
      await start({ answers: { 'workspace/diagnostic/refresh': 'error' } });
      for (let i = 0; i < 20; i++)
        await client.connection.sendNotification('workspace/didChangeConfiguration', { settings: null });
      await live();
      assert.equal(client.warnings.filter((message) => message.includes('workspace/diagnostic/refresh')).length, 1);
    });

    it('count when they come late', async () => {
      let answer!: (value: unknown) => void;
      const late = new Promise((resolve) => (answer = resolve));
      await start({ answers: { 'workspace/configuration': { late } } });
      await client.open(uri('httpd.conf'), OLD);
      assert.deepEqual(await client.problems(uri('httpd.conf')), [`${FOUND}: MaxClients`], 'is not waited for');
      const { refreshes } = client;
      answer([{ severity: { [FOUND]: 'off' } }]);
      await client.until(() => client.refreshes > refreshes);
      while ((await client.problems(uri('httpd.conf'))).length > 0)
        await new Promise((resolve) => setTimeout(resolve, 50));
    });

    it('hear of files by plain patterns', async () => {
      await start();
      await client.until(() => client.watched.length > 0);
      for (const pattern of client.watched) assert.match(pattern, /^\*\*\/[^{}[\]?]+$/);
      assert.ok(client.watched.includes('**/*.conf'));
    });
  }),
);

describe('files by way of a client', () => {
  const REMOTE = 'vscode-vfs://host/conf/httpd.conf';
  const answers: Record<string, Answer>[] = [
    ...['httpdUpgrade/findFiles', 'httpdUpgrade/readFile'].flatMap((method) => [
      { [method]: 'error' as const },
      ...[null, 7, {}, { uris: 7, content: 7 }, { uris: [7, null, 'no uri'], content: '***' }].map((value) => ({
        [method]: { value },
      })),
    ]),
  ];
  for (const given of answers) {
    it(`may be ${JSON.stringify(given)}`, async () => {
      const client = await Client.start({ transport: 'worker', files: { [REMOTE]: OLD }, answers: given });
      await client.pullWorkspace();
      await client.open(REMOTE, OLD);
      assert.deepEqual(await client.problems(REMOTE), [`${FOUND}: MaxClients`]);
      await client.stop();
    });
  }
});

describe(
  'documents with odd names',
  withFolder((folder) => {
    const URIS = [
      'file://host/share/a.conf',
      'file:///x/a%2Fb/httpd.conf',
      'file:///x/a%252Fb/httpd.conf',
      'untitled:Untitled-1',
      'vscode-vfs://github/o/r/httpd.conf',
      'git:/etc/httpd.conf?%7B%22ref%22%3A%22%22%7D',
      'file:///c%3A/x/httpd.conf',
      'file:///C:/x/httpd.conf',
      'file:///x/a.conf?x=1',
      'file:///x/a.conf#L3',
      'file:///x/%C3%A4/httpd.conf',
      'file:///x/%ff/httpd.conf',
      'file:///x/%/httpd.conf',
      'file:///x/%zz.conf',
      'file:///x/%00/httpd.conf',
      'FILE:///x/httpd.conf',
      'file:x',
      'file:',
      'file://',
      '',
      'x',
      ':',
      '/etc/httpd.conf',
      'C:\\x\\httpd.conf',
      'http://[',
      'file://[/x',
      'file:///x/ä ö/http d.conf',
      '\u0000',
      'vscode-notebook-cell:/x#1',
      `file:///${'a/'.repeat(3000)}x.conf`,
      'file:///dev/zero',
      'file:////',
      'file://localhost/x.conf',
      'output:x',
      'none:',
    ];

    // All but those that are the root of the file system: to look through that takes its time.
    const folders = URIS.filter((uri) => !/^file:\/*$/.test(uri) && uri !== 'file:///dev/zero');
    for (const workspaceFolders of [[], folders.map((uri) => ({ uri, name: uri }))]) {
      it(`cost nobody anything${workspaceFolders.length > 0 ? ', as folders of the workspace, too' : ''}`, async () => {
        folder().write('own/httpd.conf', OLD);
        const own = pathToFileURL(folder().at('own/httpd.conf')).href;
        const client = await Client.start({
          params: {
            workspaceFolders: [...workspaceFolders, { uri: pathToFileURL(folder().at('own')).href, name: 'own' }],
          },
        });
        await client.open(own, OLD);
        for (const uri of URIS) {
          await client.open(uri, OLD);
          assert.deepEqual(await client.problems(uri), [`${FOUND}: MaxClients`], uri);
          assert.ok(await client.hover(uri, 'MaxClients'), uri);
          assert.ok((await client.actions(uri, 'MaxClients')).length > 0, uri);
          for (const method of ['documentLink', 'documentSymbol', 'foldingRange'])
            await client.connection.sendRequest(`textDocument/${method}`, { textDocument: { uri } });
          for (const method of ['definition', 'completion', 'signatureHelp'])
            await client.connection.sendRequest(`textDocument/${method}`, {
              textDocument: { uri },
              position: { line: 1, character: 11 },
            });
          await client.connection.sendRequest('httpdUpgrade/target', { uri });
          await client.connection.sendRequest('httpdUpgrade/includeTree', { uri });
        }
        await client.pullWorkspace();
        await client.connection.sendNotification('workspace/didChangeWatchedFiles', {
          changes: URIS.flatMap((uri) => [1, 2, 3].map((type) => ({ uri, type }))),
        });
        await client.connection.sendNotification('workspace/didChangeWorkspaceFolders', {
          event: { added: folders.map((uri) => ({ uri, name: '' })), removed: [] },
        });
        assert.deepEqual(await client.problems(own), [`${FOUND}: MaxClients`]);
        for (const uri of URIS) await client.close(uri);
        assert.deepEqual(await client.problems(own), [`${FOUND}: MaxClients`]);
        assert.deepEqual(client.warnings, []);
        assert.equal(await client.stop(), 0);
      });
    }
  }),
);

describe('the order of the protocol', () => {
  it('is kept: nothing before initialize, one initialize, nothing after shutdown', async () => {
    const client = await Client.start();
    await assert.rejects(
      client.connection.sendRequest('initialize', { processId: null, rootUri: null, capabilities: {} }),
      { code: -32600 },
    );
    await client.open(URI, OLD);
    assert.deepEqual(await client.problems(URI), [`${FOUND}: MaxClients`]);
    await client.connection.sendRequest('shutdown');
    await assert.rejects(client.hover(URI, 'MaxClients'), { code: -32600 });
    await assert.rejects(client.connection.sendRequest('shutdown'), { code: -32600 });
    await client.connection.sendNotification('exit');
    assert.equal(await client.ended, 0);
    client.connection.dispose();
  });

  it('is answered as it says before initialize', async () => {
    const client = Client.connect({});
    await assert.rejects(
      client.connection.sendRequest('textDocument/hover', {
        textDocument: { uri: URI },
        position: { line: 0, character: 0 },
      }),
      { code: -32002 },
    );
    await assert.rejects(client.connection.sendRequest('no/such'), { code: -32002 });
    await client.connection.sendNotification('textDocument/didOpen', {
      textDocument: { uri: URI, text: '', version: 1, languageId: '' },
    });
    await client.initialize();
    await client.open(URI, OLD);
    assert.deepEqual(await client.problems(URI), [`${FOUND}: MaxClients`]);
    await assert.rejects(client.connection.sendRequest('no/such'), { code: -32601 });
    await assert.rejects(client.connection.sendRequest('textDocument/hover', { textDocument: {} }), { code: -32602 });
    await client.stop();
  });

  it('has a name and a version', async () => {
    const client = await Client.start();
    assert.equal(client.initialized.serverInfo?.name, 'httpd-upgrade');
    assert.match(client.initialized.serverInfo?.version ?? '', /^\d+\.\d+\.\d+/);
    await client.stop();
  });
});

describe(
  'what goes wrong in the server',
  withFolder((folder) => {
    const uri = (name: string) => pathToFileURL(folder().at(name)).href;
    const rules = ALL_RULES as unknown as unknown[];
    const thrower = (scope: string, check = 'check') => ({
      ...ALL_RULES.find((rule) => rule.checks === scope && check in rule)!,
      id: `throws-${scope}-${check}`,
      names: ['servername', 'order'],
      [check]: () => {
        throw new Error(`thrown by ${scope} ${check}!`);
      },
    });
    const throwers = [
      thrower('line'),
      thrower('section'),
      thrower('section', 'checkFile'),
      thrower('section', 'checkComments'),
      thrower('configuration'),
    ];

    const started = async (host?: typeof nodeHost) => {
      const { connection, log } = inProcess(host);
      const capabilities: ClientCapabilities = {
        textDocument: { diagnostic: {} },
        workspace: { diagnostics: { refreshSupport: true } },
      };
      await connection.sendRequest('initialize', {
        processId: null,
        rootUri: null,
        workspaceFolders: [{ uri: uri('.'), name: '' }],
        capabilities,
      });
      await connection.sendNotification('initialized', {});
      return { connection, log };
    };

    it('a rule of any kind that throws: all other findings are there, and it is told once', async () => {
      rules.push(...throwers);
      try {
        folder().write(
          'httpd.conf',
          `ServerRoot "${folder().at('')}"\n${OLD}Order allow,deny\n</Directory>\n# httpd-upgrade-ignore ${FOUND}\n\nTimeout 5\nInclude conf.d/*.conf\n`,
        );
        for (let i = 0; i < 30; i++) folder().write(`conf.d/${i}.conf`, OLD);
        const { connection, log } = await started();
        const { items } = await connection.sendRequest<WorkspaceDiagnosticReport>('workspace/diagnostic', {
          previousResultIds: [],
        });
        const found = byUri(items);
        for (let i = 0; i < 30; i++)
          assert.ok(
            (found[uri(`conf.d/${i}.conf`)] as unknown as { items: Diagnostic[] }).items.some(
              ({ code }) => code === FOUND,
            ),
          );
        assert.ok(
          (found[uri('httpd.conf')] as unknown as { items: Diagnostic[] }).items.some(({ code }) => code === FOUND),
        );
        for (const scope of ['line check', 'section check', 'section checkFile', 'section checkComments'])
          assert.equal(log.filter((message) => message.includes(`thrown by ${scope}!`)).length, 1, scope);
        for (const message of log) assert.match(message, /Please report it/);
        connection.dispose();
      } finally {
        rules.splice(-throwers.length);
      }
    });

    it('in restricted mode, no directory is looked at for what fixes have written', async () => {
      folder().write('httpd.conf', OLD);
      const asked: string[] = [];
      const { connection } = inProcess({
        ...nodeHost,
        isConverted(directory) {
          asked.push(directory);
          return false;
        },
        isUpgraded(directory) {
          asked.push(directory);
          return false;
        },
      });
      await connection.sendRequest('initialize', {
        processId: null,
        rootUri: null,
        workspaceFolders: [{ uri: uri('.'), name: '' }],
        capabilities: { textDocument: { diagnostic: {} } },
        initializationOptions: { trusted: false },
      });
      await connection.sendNotification('initialized', {});
      await connection.sendNotification('textDocument/didOpen', {
        textDocument: { uri: uri('httpd.conf'), languageId: 'apacheconf', version: 1, text: OLD },
      });
      const { items } = await connection.sendRequest<{ items: Diagnostic[] }>('textDocument/diagnostic', {
        textDocument: { uri: uri('httpd.conf') },
      });
      assert.notDeepEqual(items, []);
      assert.deepEqual(asked, []);
      connection.dispose();
    });

    it('a file that throws: it says so itself, and every other one is checked', async () => {
      folder().write('httpd.conf', `ServerRoot "${folder().at('')}"\nInclude conf.d/*.conf\n`);
      folder().write('bad/apache2.conf', OLD);
      for (let i = 0; i < 5; i++) folder().write(`conf.d/${i}.conf`, OLD);
      const { connection, log } = await started({
        ...nodeHost,
        readNow(asked) {
          if (asked.endsWith('apache2.conf')) throw new Error('thrown by a file');
          return nodeHost.readNow!(asked);
        },
      });
      const again = byUri(
        (await connection.sendRequest<WorkspaceDiagnosticReport>('workspace/diagnostic', { previousResultIds: [] }))
          .items,
      );
      const codes = (name: string) =>
        (again[uri(name)] as unknown as { items: Diagnostic[] }).items.map(({ code }) => code);
      assert.deepEqual(codes('bad/apache2.conf'), ['not-checked']);
      for (let i = 0; i < 5; i++) assert.deepEqual(codes(`conf.d/${i}.conf`), [FOUND]);
      assert.equal(log.filter((message) => message.includes('thrown by a file')).length, 1);
      connection.dispose();
    });

    it('a request that throws: its own answer is empty, and the others are right', async () => {
      folder().write('httpd.conf', OLD);
      const { connection, log } = await started({
        ...nodeHost,
        fileView() {
          throw new Error('thrown by a view');
        },
      });
      await connection.sendNotification('textDocument/didOpen', {
        textDocument: { uri: uri('httpd.conf'), languageId: '', version: 1, text: OLD },
      });
      const textDocument = { uri: uri('httpd.conf') };
      for (let i = 0; i < 10; i++) {
        assert.equal(await connection.sendRequest('textDocument/documentLink', { textDocument }), null);
        assert.ok(await connection.sendRequest('textDocument/documentSymbol', { textDocument }));
      }
      const { items } = await connection.sendRequest<{ items: Diagnostic[] }>('textDocument/diagnostic', {
        textDocument,
      });
      assert.deepEqual(
        items.map(({ code }) => code),
        [FOUND],
      );
      assert.equal(log.filter((message) => message.includes('thrown by a view')).length, 1, log.join('\n'));
      connection.dispose();
    });
  }),
);
