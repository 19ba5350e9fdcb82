/** Editors with fewer or different capabilities than VS Code get all information, too. */
import assert from 'node:assert/strict';
import { rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  FileChangeType,
  type ClientCapabilities,
  type CompletionItem,
  type CompletionList,
  type SignatureHelp,
} from 'vscode-languageserver-protocol/node';
import { withFolder } from '../cli/run';
import { inProcess } from './in-process';
import { byUri, Client, FULL, isHeld, type ClientOptions } from './client';

const URI = 'file:///etc/httpd/httpd.conf';
const OLD = 'ServerName a\nMaxClients 1\n';
const FOUND = 'max-clients';
const MODULES = ['authz_core', 'authz_host', 'authn_core', 'dir', 'mime', 'ssl', 'unixd', 'mpm_event']
  .map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`)
  .join('');

/** What takes published findings and asks for nothing. */
const PUSH: ClientCapabilities = { textDocument: { publishDiagnostics: {} }, workspace: { workspaceFolders: true } };

describe(
  'other editors',
  withFolder((folder) => {
    let client: Client;
    const uri = (name: string) => pathToFileURL(folder().at(name)).href;
    const start = async (options: ClientOptions = {}) => {
      client = await Client.start(options);
    };
    const tree = () => {
      folder().write(
        'etc/httpd/conf/httpd.conf',
        `ServerRoot "/etc/httpd"\nListen 80\n${MODULES}Include conf.d/*.conf\n`,
      );
      folder().write('etc/httpd/conf.d/site.conf', `SSLSessionCache shmcb:/run/httpd/cache(512000)\n${OLD}`);
    };
    const ROOT = 'etc/httpd/conf/httpd.conf';
    const SITE = 'etc/httpd/conf.d/site.conf';
    const published = (name: string) =>
      client.published
        .get(uri(name))
        ?.diagnostics.map(({ code }) => String(code))
        .sort() ?? [];
    const changed = (name: string, type: FileChangeType) =>
      client.connection.sendNotification('workspace/didChangeWatchedFiles', { changes: [{ uri: uri(name), type }] });
    afterEach(() => client.stop());

    for (const [title, params] of [
      ['rootUri', () => ({ workspaceFolders: null, rootUri: uri('.') })],
      ['rootPath', () => ({ workspaceFolders: undefined, rootUri: null, rootPath: folder().at('') })],
      ['rootUri beside no folders', () => ({ workspaceFolders: [], rootUri: uri('.'), rootPath: folder().at('') })],
    ] as const) {
      it(`name the workspace by ${title}`, async () => {
        tree();
        await start({ params: params() });
        assert.ok(byUri((await client.pullWorkspace()).items)[uri(SITE)]);
      });
    }

    for (const [title, initializationOptions] of [
      ['settings', { settings: { severity: { [FOUND]: 'off' } } }],
      ['settings under their name', { httpdUpgrade: { severity: { [FOUND]: 'off' } } }],
      ['settings as they are pushed', { settings: { httpdUpgrade: { severity: { [FOUND]: 'off' } } } }],
    ] as const) {
      for (const capabilities of [PUSH, { ...PUSH, workspace: { configuration: true } }]) {
        it(`say their ${title} when they begin${capabilities.workspace?.configuration ? ', and nothing when they are asked' : ''}`, async () => {
          await start({
            capabilities,
            initializationOptions,
            answers: { 'workspace/configuration': { value: [null] } },
          });
          await client.open(URI, OLD);
          await client.until(() => client.published.has(URI));
          assert.deepEqual(client.published.get(URI)!.diagnostics, []);
        });
      }
    }

    it('have later settings count before those', async () => {
      await start({
        initializationOptions: { settings: { severity: { [FOUND]: 'off' } } },
        settings: { severity: { [FOUND]: 'error' } },
      });
      await client.open(URI, OLD);
      assert.deepEqual(await client.problems(URI), [`${FOUND}: MaxClients`]);
    });

    for (const initializationOptions of [
      null,
      7,
      'trusted',
      [],
      { trusted: 'yes' },
      { trusted: 1, settings: 7 },
      { settings: [], httpdUpgrade: null },
    ]) {
      it(`may say ${JSON.stringify(initializationOptions)}`, async () => {
        await start({ initializationOptions });
        await client.open(URI, OLD);
        assert.deepEqual(await client.problems(URI), [`${FOUND}: MaxClients`]);
      });
    }

    it('get no commands that they do not have, trusted or not', async () => {
      await start({ initializationOptions: { trusted: true } });
      await client.open(URI, OLD);
      assert.equal(
        (await client.actions(URI, 'MaxClients')).some(({ command }) => command?.command === 'httpdUpgrade.showRule'),
        false,
      );
    });

    it('hear of all files that are not open, and when there is nothing any more', async () => {
      tree();
      await start({ capabilities: PUSH, folders: [uri('.')] });
      await client.until(() => published(SITE).includes('missing-module'));
      assert.ok(published(SITE).includes(FOUND));
      await client.until(() => published(ROOT).includes('changed-defaults'));
      folder().write(SITE, '# nothing\n');
      await changed(SITE, FileChangeType.Changed);
      await client.until(() => published(SITE).length === 0);
      folder().write('etc/httpd/conf.d/new.conf', OLD);
      await changed('etc/httpd/conf.d/new.conf', FileChangeType.Created);
      await client.until(() => published('etc/httpd/conf.d/new.conf').includes(FOUND));
      rmSync(folder().at('etc/httpd/conf.d/new.conf'));
      await changed('etc/httpd/conf.d/new.conf', FileChangeType.Deleted);
      await client.until(() => published('etc/httpd/conf.d/new.conf').length === 0);
      await client.open(uri(SITE), OLD);
      await client.until(() => published(SITE).includes(FOUND));
      await client.close(uri(SITE));
      await client.until(() => published(SITE).length === 0);
      await client.connection.sendNotification('workspace/didChangeConfiguration', {
        settings: { httpdUpgrade: { workspaceDiagnostics: false } },
      });
      await client.until(() => published(ROOT).length === 0);
    });

    it("hear nothing of those where the settings or nobody's trust say so", async () => {
      tree();
      for (const initializationOptions of [{ trusted: false }, { settings: { workspaceDiagnostics: false } }]) {
        client = await Client.start({ capabilities: PUSH, folders: [uri('.')], initializationOptions });
        await client.open(uri(SITE), OLD);
        await client.until(() => published(SITE).includes(FOUND));
        assert.deepEqual([...client.published.keys()], [uri(SITE)]);
        if ('trusted' in initializationOptions) await client.stop();
      }
    });

    it('that ask and cannot be told to ask again have everything published, and nothing twice', async () => {
      tree();
      await start({ capabilities: { textDocument: { diagnostic: {}, publishDiagnostics: {} } }, folders: [uri('.')] });
      assert.equal(client.initialized.capabilities.diagnosticProvider, undefined);
      await client.open(uri(ROOT), `ServerRoot "/etc/httpd"\nListen 80\n${MODULES}Include conf.d/*.conf\n`);
      await client.until(
        () => published(ROOT).includes('changed-defaults') && published(SITE).includes('missing-module'),
      );
      assert.equal(new Set(published(ROOT).filter((code) => code === 'changed-defaults')).size, 1);
    });

    it('that can only ask, once, are answered when all is known', async () => {
      tree();
      await start({ capabilities: { textDocument: { diagnostic: {} } }, folders: [uri('.')] });
      await client.open(uri(SITE), `SSLSessionCache shmcb:/run/httpd/cache(512000)\n${OLD}`);
      const report = await client.pull(uri(SITE));
      assert.ok(report.kind === 'full' && report.items.some(({ code }) => code === 'missing-module'));
    });

    it('that know no kinds of code actions, and so ask for none, get Fix All behind the others', async () => {
      const of = async (valueSet: string[]) => {
        const codeActionLiteralSupport = { codeActionKind: { valueSet } };
        await start({ capabilities: { textDocument: { codeAction: { codeActionLiteralSupport } } } });
        await client.open(URI, OLD);
        return client.actions(URI, 'MaxClients');
      };
      const some = await of(['quickfix', 'source.fixAll']);
      const all = await of([]);
      assert.ok(some.length > 0 && some.every(({ kind }) => kind === 'quickfix'));
      assert.deepEqual(
        all.slice(0, -1).map(({ title }) => title),
        some.map(({ title }) => title),
      );
      assert.equal(all.at(-1)!.kind, 'source.fixAll.httpdUpgrade');
      assert.deepEqual(
        Object.values(all.at(-1)!.edit!.changes!).flatMap((edits) => edits.map(({ newText }) => newText)),
        ['MaxRequestWorkers'],
      );
    });

    it('get plain text where they show no Markdown', async () => {
      const plain = (formats: string[] | undefined): ClientCapabilities => ({
        ...FULL,
        textDocument: {
          ...FULL.textDocument,
          hover: { contentFormat: formats as never },
          completion: { completionItem: { documentationFormat: formats as never } },
          signatureHelp: { signatureInformation: { documentationFormat: formats as never } },
        },
      });
      for (const [formats, kind] of [
        [['plaintext'], 'plaintext'],
        [['plaintext', 'markdown'], 'plaintext'],
        [['markdown', 'plaintext'], 'markdown'],
        [[], 'markdown'],
        [undefined, 'markdown'],
        [[7, null], 'markdown'],
      ] as [never, string][]) {
        client = await Client.start({ capabilities: plain(formats) });
        await client.open(URI, '<Directory /x>\nOrder allow,deny\nAllow from all\n</Directory>\nOptions \n');
        const hover = (await client.hover(URI, 'Order')) as unknown as { contents: { kind: string; value: string } };
        assert.equal(hover.contents.kind, kind);
        if (kind === 'plaintext') assert.doesNotMatch(hover.contents.value, /\*\*|`|\]\(|\|/);
        const position = { line: 4, character: 8 };
        const list = await client.connection.sendRequest<CompletionList>('textDocument/completion', {
          textDocument: { uri: URI },
          position,
        });
        const item = list.items.find(({ label }) => label === 'MultiViews')!;
        const resolved = await client.connection.sendRequest<CompletionItem>('completionItem/resolve', {
          ...item,
          data: item.data ?? list.itemDefaults?.data,
        });
        assert.equal((resolved.documentation as { kind: string }).kind, kind);
        const help = await client.connection.sendRequest<SignatureHelp>('textDocument/signatureHelp', {
          textDocument: { uri: URI },
          position,
        });
        assert.equal((help.signatures[0].documentation as { kind: string }).kind, kind);
        await client.stop();
      }
      await start();
    });

    describe('say whether the workspace is trusted', () => {
      /**
       * The configuration includes a file beside the workspace, one by a link out of it, and one in
       * it.
       */
      const outside = () => {
        folder().write('outside/out.conf', `${OLD}<Macro Out>\n</Macro>\n`);
        folder().write(
          'work/conf/httpd.conf',
          `ServerRoot "${folder().at('work')}"\nInclude in.conf\nInclude ${folder().at('outside')}/*.conf\nInclude link/*.conf\nUse Out\nUse In\n`,
        );
        folder().write('work/in.conf', '<Macro In>\n</Macro>\n');
        symlinkSync(folder().at('outside'), folder().at('work/link'));
      };
      const included = async (): Promise<string[]> => {
        const rows = await client.connection.sendRequest<{ uri: string; label: string }[]>('httpdUpgrade/includeTree', {
          uri: null,
        });
        return [...new Set(rows.map((row) => path.basename(new URL(row.uri).pathname)))].sort();
      };
      const begin = async (trusted: boolean | undefined) => {
        outside();
        await start({ folders: [uri('work')], initializationOptions: trusted === undefined ? undefined : { trusted } });
        await client.open(
          uri('work/conf/httpd.conf'),
          `ServerRoot "${folder().at('work')}"\nInclude in.conf\nInclude ${folder().at('outside')}/*.conf\nInclude link/*.conf\nUse Out\nUse In\n`,
        );
        return client.problems(uri('work/conf/httpd.conf'));
      };
      const ofIncludes = (problems: readonly string[]) =>
        problems.filter((problem) => /^(include-no-match|path-missing|macro-use)/.test(problem));

      it('with a yes: what it includes is read wherever it is', async () => {
        assert.deepEqual(ofIncludes(await begin(true)), []);
        assert.deepEqual(await included(), ['httpd.conf', 'in.conf', 'out.conf']);
      });

      it('with nothing: what is in it is looked through, and nothing outside; of that nothing is claimed', async () => {
        assert.deepEqual(ofIncludes(await begin(undefined)), []);
        assert.deepEqual(await included(), ['httpd.conf', 'in.conf']);
        const { items } = await client.pullWorkspace();
        assert.deepEqual(
          items.filter((item) => item.uri.includes('outside') || item.uri.includes('link')),
          [],
        );
        await client.connection.sendNotification('httpdUpgrade/trusted', {});
        assert.deepEqual(await included(), ['httpd.conf', 'in.conf', 'out.conf']);
      });

      it('with a no: only what is open', async () => {
        await begin(false);
        assert.deepEqual(await included(), []);
        assert.deepEqual((await client.pullWorkspace()).items, []);
        assert.ok(await isHeld(client.pullWorkspace()));
      });
    });
  }),
);

describe('what a client says that it can', () => {
  const ALL: ClientCapabilities = {
    workspace: {
      configuration: true,
      didChangeConfiguration: { dynamicRegistration: true },
      didChangeWatchedFiles: { dynamicRegistration: true },
      workspaceEdit: { documentChanges: true },
      workspaceFolders: true,
      diagnostics: { refreshSupport: true },
      inlayHint: { refreshSupport: true },
      applyEdit: true,
    },
    textDocument: {
      diagnostic: { dynamicRegistration: true },
      hover: { contentFormat: ['markdown'] },
      codeAction: { resolveSupport: { properties: ['edit'] }, dataSupport: true },
      definition: { linkSupport: true },
      publishDiagnostics: { relatedInformation: true },
      completion: {
        completionItem: {
          snippetSupport: true,
          tagSupport: { valueSet: [1] },
          resolveSupport: { properties: ['additionalTextEdits'] },
        },
        completionList: { itemDefaults: ['editRange', 'data'] },
      },
      signatureHelp: { signatureInformation: { documentationFormat: ['markdown'] } },
    },
    window: { workDoneProgress: true },
  };
  const ODD = [null, 7, 'x', [], {}];
  const subsets: [string, unknown][] = [
    ['everything', ALL],
    ['nothing', {}],
    ['null', null],
    ['no object', 7],
    ['a list', []],
    ['undefined', undefined],
  ];
  const paths = (value: unknown, at: string[] = []): string[][] =>
    typeof value !== 'object' || value === null
      ? []
      : Object.keys(value).flatMap((key) => [
          [...at, key],
          ...paths((value as Record<string, unknown>)[key], [...at, key]),
        ]);
  const withAt = (value: unknown, [key, ...rest]: string[], put: unknown): unknown => ({
    ...(value as object),
    [key]: rest.length === 0 ? put : withAt((value as Record<string, unknown>)[key], rest, put),
  });
  for (const at of paths(ALL)) {
    if (at.some((key) => /^\d+$/.test(key))) continue;
    for (const put of [undefined, ODD[subsets.length % ODD.length]])
      subsets.push([`${at.join('.')}: ${put === undefined ? 'left out' : JSON.stringify(put)}`, withAt(ALL, at, put)]);
  }

  it(`may be any of ${subsets.length} subsets: a document gets findings`, async function () {
    this.timeout(600_000);
    // One server each would take minutes: each in this process.
    for (const [title, capabilities] of subsets) {
      const { connection, log, published } = inProcess();
      await connection
        .sendRequest('initialize', { processId: null, rootUri: null, workspaceFolders: null, capabilities })
        .catch((error: Error) => assert.fail(`${title}: ${error.message}`));
      await connection.sendNotification('initialized', {});
      await connection.sendNotification('textDocument/didOpen', {
        textDocument: { uri: URI, languageId: '', version: 1, text: OLD },
      });
      const pulled = await connection
        .sendRequest<{ items: { code: string }[] }>('textDocument/diagnostic', { textDocument: { uri: URI } })
        .catch(() => null);
      const codes = pulled
        ? pulled.items.map(({ code }) => code)
        : (await published(URI)).map(({ code }) => String(code));
      assert.deepEqual(codes, [FOUND], title);
      for (const method of ['hover', 'completion', 'signatureHelp', 'definition'])
        await connection.sendRequest(`textDocument/${method}`, {
          textDocument: { uri: URI },
          position: { line: 1, character: 3 },
        });
      await connection.sendRequest('textDocument/codeAction', {
        textDocument: { uri: URI },
        range: { start: { line: 1, character: 3 }, end: { line: 1, character: 3 } },
        context: { diagnostics: [] },
      });
      assert.deepEqual(
        log.filter((message) => message.includes('Please report')),
        [],
        title,
      );
      connection.dispose();
    }
  });
});
