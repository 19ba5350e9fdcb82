/**
 * References, rename, highlights, symbols of the workspace, code lens, call hierarchy, renamed
 * files and commands over the protocol.
 */
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import type {
  CallHierarchyIncomingCall,
  CallHierarchyItem,
  CallHierarchyOutgoingCall,
  CodeLens,
  Location,
  Range,
  SymbolInformation,
  TextDocumentEdit,
  WorkspaceEdit,
} from 'vscode-languageserver-protocol/node';
import { withFolder } from '../cli/run';
import { Client, FULL, type ClientOptions } from './client';

const ROOT = [
  'ServerRoot "@DIR@"',
  'Define LOGS logs',
  '<Macro Site $name>',
  '    ServerName $name',
  '    Use Logged',
  '</Macro>',
  '<Macro Logged>',
  '    CustomLog ${LOGS}/access short',
  '</Macro>',
  'LogFormat "%h" short',
  'Include conf.d/*.conf',
  'Include one.conf',
  'DocumentRoot "@DIR@/www"',
  '<Directory "@DIR@/www">',
  '    AllowOverride All',
  '</Directory>',
  '',
].join('\n');
const SITE = [
  '<VirtualHost *:80>',
  '    ServerName shop.example.org',
  '    ServerAlias store.example.org',
  '    DocumentRoot /srv/shop',
  '    CustomLog ${logs}/shop Short',
  '    <Location /admin>',
  '        Require ip 10.0.0.0/8',
  '    </Location>',
  '    Use Site www.example.org',
  '    SetEnvIf X y vip',
  '</VirtualHost>',
  '',
].join('\n');

const PREPARES = {
  ...FULL,
  workspace: { ...FULL.workspace, fileOperations: { willRename: true } },
  textDocument: { ...FULL.textDocument, rename: { prepareSupport: true } },
};

describe(
  'names over the protocol',
  withFolder((folder) => {
    let client: Client;
    const uri = (name: string) => pathToFileURL(folder().at(name)).href;
    const here = (text: string) =>
      text.replaceAll(
        '@DIR@',
        folder()
          .at('.')
          .replace(/\/\.?$/, ''),
      );
    const start = async (options: ClientOptions = {}, files: Readonly<Record<string, string>> = {}) => {
      const all: Record<string, string> = {
        'httpd.conf': ROOT,
        'conf.d/a.conf': SITE,
        'one.conf': 'CustomLog logs/one short\n',
        'www/.htaccess': 'Require env vip\n',
        'other/lone.conf': 'LogFormat x short\n',
        ...files,
      };
      for (const [name, text] of Object.entries(all)) folder().write(name, here(text));
      client = await Client.start({ folders: [uri('.')], capabilities: PREPARES, ...options });
      await client.open(uri('httpd.conf'), here(all['httpd.conf']!));
      await client.diagnostics(uri('httpd.conf'));
    };
    const ask = <T>(method: string, params: object) => client.connection.sendRequest<T>(method, params);
    const at = (name: string, text: string, skip = 0) => {
      const { start: position } = client.rangeOf(uri(name), text);
      return { textDocument: { uri: uri(name) }, position: { ...position, character: position.character + skip } };
    };
    const shown = (places: readonly { uri: string; range: Range }[]) =>
      places.map(
        (place) =>
          `${place.uri.slice(uri('.').length).replace(/^\//, '')}:${place.range.start.line + 1}:${place.range.start.character}-${place.range.end.character}`,
      );
    const references = async (name: string, text: string, skip = 0, includeDeclaration = true) =>
      shown(
        await ask<Location[]>('textDocument/references', { ...at(name, text, skip), context: { includeDeclaration } }),
      );
    /** Texts after an edit, of files that are open or not. */
    const applied = async (edit: WorkspaceEdit) => {
      const texts: Record<string, string> = {};
      for (const { textDocument, edits } of edit.documentChanges as TextDocumentEdit[]) {
        const name = textDocument.uri.slice(uri('.').length).replace(/^\//, '');
        const lines = folder().text(name).split('\n');
        for (const { range, newText } of [...(edits as { range: Range; newText: string }[])].sort(
          (a, b) => b.range.start.line - a.range.start.line || b.range.start.character - a.range.start.character,
        )) {
          assert.equal(range.start.line, range.end.line);
          const line = lines[range.start.line]!;
          lines[range.start.line] = line.slice(0, range.start.character) + newText + line.slice(range.end.character);
        }
        texts[name] = lines.join('\n');
      }
      return texts;
    };
    const rename = async (name: string, text: string, newName: string, skip = 0) =>
      applied(await ask<WorkspaceEdit>('textDocument/rename', { ...at(name, text, skip), newName }));
    const refusal = (promise: Promise<unknown>) =>
      promise.then(
        () => 'done',
        ({ message }: Error) => message,
      );
    afterEach(() => client.stop());

    it('places of a name are those of the configuration, open or not, and of no other file', async () => {
      await start();
      assert.deepEqual(await references('httpd.conf', 'LogFormat', 15), [
        'httpd.conf:8:29-34',
        'httpd.conf:10:15-20',
        'conf.d/a.conf:5:27-32',
        'one.conf:1:19-24',
      ]);
      assert.deepEqual(await references('httpd.conf', 'LogFormat', 15, false), [
        'httpd.conf:8:29-34',
        'conf.d/a.conf:5:27-32',
        'one.conf:1:19-24',
      ]);
      assert.deepEqual(await references('httpd.conf', 'conf.d/*'), ['httpd.conf:11:0-0']);
    });

    it('what an editor has open counts as it is there, and not as it is on the disk', async () => {
      await start();
      await client.open(uri('conf.d/a.conf'), 'KeepAlive On\nCustomLog logs/x SHORT\n');
      assert.deepEqual(await references('conf.d/a.conf', 'SHORT'), [
        'conf.d/a.conf:2:17-22',
        'httpd.conf:8:29-34',
        'httpd.conf:10:15-20',
        'one.conf:1:19-24',
      ]);
      await client.change(uri('httpd.conf'), [
        { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, text: '# a line\n' },
      ]);
      assert.deepEqual(await references('conf.d/a.conf', 'SHORT', 0, false), [
        'conf.d/a.conf:2:17-22',
        'httpd.conf:9:29-34',
        'one.conf:1:19-24',
      ]);
    });

    it('a rename reaches closed files and the .htaccess, and keeps the rest byte for byte', async () => {
      await start({}, { 'one.conf': 'CustomLog "logs/one"\t\'short\'  \r\n' });
      const texts = await rename('httpd.conf', 'LogFormat', 'brief', 15);
      assert.deepEqual(texts, {
        'httpd.conf': here(ROOT).replaceAll(' short', ' brief'),
        'conf.d/a.conf': SITE.replace('Short', 'brief'),
        'one.conf': 'CustomLog "logs/one"\t\'brief\'  \r\n',
      });
      await client.open(uri('conf.d/a.conf'), SITE);
      assert.deepEqual(await rename('conf.d/a.conf', 'vip', 'guest'), {
        'conf.d/a.conf': SITE.replace('vip', 'guest'),
        'www/.htaccess': 'Require env guest\n',
      });
    });

    it('a refusal is a sentence', async () => {
      await start({}, { 'one.conf': 'CustomLog logs/\xe9 short\n' });
      assert.equal(
        await refusal(ask('textDocument/prepareRename', at('httpd.conf', 'AllowOverride'))),
        'There is no name here that other lines use.',
      );
      assert.deepEqual(await ask('textDocument/prepareRename', at('httpd.conf', '${LOGS}', 3)), {
        range: { start: { line: 7, character: 16 }, end: { line: 7, character: 20 } },
        placeholder: 'LOGS',
      });
      assert.equal(
        await refusal(rename('httpd.conf', 'LogFormat', 'CLF', 15)),
        "`CLF` is a log format of httpd's own.",
      );
      assert.match(
        await refusal(rename('httpd.conf', 'Site $name', 'Logged')),
        /`Logged` is a macro already: httpd\.conf, line /,
      );
    });

    it('a file that is not UTF-8, or cannot be written, is in the way', async () => {
      await start();
      folder().write('one.conf', Buffer.from('# \xe9\nCustomLog logs/one short\n', 'latin1'));
      await client.connection.sendNotification('workspace/didChangeWatchedFiles', {
        changes: [{ uri: uri('one.conf'), type: 2 }],
      });
      await client.diagnostics(uri('httpd.conf'));
      assert.equal(
        await refusal(rename('httpd.conf', 'LogFormat', 'brief', 15)),
        'one.conf also has the name, and it is not UTF-8: open it with its own encoding first.',
      );
    });

    it('of a file outside of the workspace nothing is changed', async () => {
      folder().write('outside/x.conf', 'CustomLog logs/x short\n');
      await start(
        { folders: [uri('inside')], initializationOptions: { trusted: true } },
        { 'inside/httpd.conf': here('ServerRoot "@DIR@"\nLogFormat x short\nInclude outside/x.conf\n') },
      );
      await client.open(uri('inside/httpd.conf'), folder().text('inside/httpd.conf'));
      await client.diagnostics(uri('inside/httpd.conf'));
      assert.match(
        await refusal(rename('inside/httpd.conf', 'LogFormat', 'brief', 12)),
        /outside\/x\.conf also has the name, and it lies outside of this workspace\./,
      );
    });

    it('symbols are found by some of their letters, in files that are not open, too', async () => {
      await start();
      const symbols = async (query: string) =>
        (await ask<SymbolInformation[]>('workspace/symbol', { query }))
          // The name of the temporary folder is random.
          .filter(({ name }) => !name.includes(folder().at('www')))
          .map(({ name, containerName, location }) => `${name} (${containerName}) ${location.range.start.line + 1}`);
      assert.deepEqual(await symbols('shop'), ['shop.example.org (<VirtualHost *:80> · conf.d/a.conf) 2']);
      assert.deepEqual(await symbols('STORE.'), ['store.example.org (<VirtualHost *:80> · conf.d/a.conf) 3']);
      assert.deepEqual(await symbols('/admin'), ['<Location /admin> (<VirtualHost *:80> · conf.d/a.conf) 6']);
      assert.deepEqual(await symbols('logs'), ['LOGS (variable · httpd.conf) 2']);
      assert.deepEqual(await symbols('lgd'), ['Logged (macro · httpd.conf) 7']);
      assert.deepEqual(await symbols('no such thing'), []);
    });

    it('a renamed file takes its Include with it, and a wildcard that no longer matches is told of', async () => {
      await start();
      const renamed = (from: string, to: string) =>
        ask<WorkspaceEdit | null>('workspace/willRenameFiles', { files: [{ oldUri: uri(from), newUri: uri(to) }] });
      assert.deepEqual(await applied((await renamed('one.conf', 'two.conf'))!), {
        'httpd.conf': here(ROOT).replace('one.conf', 'two.conf'),
      });
      assert.deepEqual(await applied((await renamed('conf.d', 'sites'))!), {
        'httpd.conf': here(ROOT).replace('conf.d/', 'sites/'),
      });
      assert.equal(await renamed('conf.d/a.conf', 'conf.d/b.conf'), null);
      assert.deepEqual(client.shown, []);
      assert.equal(await renamed('conf.d/a.conf', 'conf.d/a.off'), null);
      await client.until(() => client.shown.length > 0);
      assert.deepEqual(client.shown, ['`Include conf.d/*.conf` no longer reads `a.conf`: httpd.conf, line 11.']);
    });

    it('lenses say what a virtual host serves and who gets in, where somebody wants them', async () => {
      await start();
      await client.open(uri('conf.d/a.conf'), SITE);
      const lenses = async (name: string) =>
        Promise.all(
          (await ask<CodeLens[]>('textDocument/codeLens', { textDocument: { uri: uri(name) } })).map(async (lens) => {
            const { range, command } = await ask<CodeLens>('codeLens/resolve', lens);
            return `${range.start.line + 1} ${command!.title}`;
          }),
        );
      assert.deepEqual(await lenses('conf.d/a.conf'), []);
      client.settings.codeLens = true;
      await client.connection.sendNotification('workspace/didChangeConfiguration', { settings: null });
      assert.deepEqual(await lenses('conf.d/a.conf'), [
        '1 serves shop.example.org, store.example.org from /srv/shop · <Location /admin>: ip 10.0.0.0/8',
      ]);
      assert.deepEqual(await lenses('httpd.conf'), ['2 2 uses', '3 1 use', '7 1 use']);
    });

    it('the call hierarchy goes from files to those that include them, and from macros to their users', async () => {
      await start();
      await client.open(uri('conf.d/a.conf'), SITE);
      const prepare = (name: string, text: string, skip = 0) =>
        ask<CallHierarchyItem[]>('textDocument/prepareCallHierarchy', at(name, text, skip));
      const incoming = async (item: CallHierarchyItem) =>
        (await ask<CallHierarchyIncomingCall[]>('callHierarchy/incomingCalls', { item })).map(
          ({ from, fromRanges }) => `${from.name} ${fromRanges.map(({ start: { line } }) => line + 1).join()}`,
        );
      const outgoing = async (item: CallHierarchyItem) =>
        (await ask<CallHierarchyOutgoingCall[]>('callHierarchy/outgoingCalls', { item })).map(
          ({ to, fromRanges }) => `${to.name} ${fromRanges.map(({ start: { line } }) => line + 1).join()}`,
        );
      const [file] = await prepare('conf.d/a.conf', 'DocumentRoot');
      assert.equal(file!.name, 'a.conf');
      assert.deepEqual([await incoming(file!), await outgoing(file!)], [['httpd.conf 11'], []]);
      const [root] = await prepare('httpd.conf', 'AllowOverride');
      assert.deepEqual([await incoming(root!), await outgoing(root!)], [[], ['a.conf 11', 'one.conf 12']]);
      const [included] = await prepare('httpd.conf', 'conf.d/*', 2);
      assert.equal(included!.name, 'a.conf');
      const [macro] = await prepare('httpd.conf', 'Site $name');
      assert.deepEqual(
        [macro!.name, await incoming(macro!), await outgoing(macro!)],
        ['Site', ['a.conf 9'], ['Logged 5']],
      );
      const [inner] = await prepare('httpd.conf', 'Use Logged', 5);
      assert.deepEqual(await incoming(inner!), ['Site 5']);
    });

    it('commands give other editors what VS Code has commands for', async () => {
      await start();
      const run = <T>(command: string, ...given: unknown[]) =>
        ask<T>('workspace/executeCommand', { command, arguments: given });
      const { commands } = client.initialized.capabilities.executeCommandProvider!;
      for (const name of ['includeTree', 'explain', 'rules', 'plan', 'report', 'verify'])
        assert.ok(commands.includes(`httpdUpgrade.${name}`), name);
      const rows = await run<{ label: string; uri: string }[]>('httpdUpgrade.includeTree', uri('httpd.conf'));
      assert.deepEqual(
        rows.map(({ label }) => label),
        ['httpd.conf', 'Include conf.d/*.conf', 'conf.d/a.conf', 'Include one.conf', 'one.conf'],
      );
      assert.match((await run<{ markdown: string }>('httpdUpgrade.explain', 'order-allow-deny')).markdown, /Order/);
      assert.ok((await run<unknown[]>('httpdUpgrade.rules')).length > 50);
      assert.ok('plan' in (await run<object>('httpdUpgrade.plan')));
      assert.match((await run<{ text: string }>('httpdUpgrade.report')).text, /^# /);
      assert.deepEqual(await run('httpdUpgrade.verify'), {
        nothing: 'Name the main configuration file (httpd.conf or apache2.conf).',
      });
      assert.equal(await run('httpdUpgrade.nothing'), null);
    });

    it('positions are in the encoding that a client wants, in files that are not open, too', async () => {
      const capabilities = { ...PREPARES, general: { positionEncodings: ['utf-8'] } };
      await start({ capabilities }, { 'one.conf': 'CustomLog logs/ä short\n' });
      assert.equal(client.initialized.capabilities.positionEncoding, 'utf-8');
      assert.ok((await references('httpd.conf', 'LogFormat', 15)).includes('one.conf:1:18-23'));
      await client.change(uri('httpd.conf'), [{ text: `${here(ROOT)}Alias /ä conf.d/x\n` }]);
      const [{ edits }] = (
        await ask<WorkspaceEdit>('workspace/willRenameFiles', {
          files: [{ oldUri: uri('conf.d'), newUri: uri('sites') }],
        })
      ).documentChanges as [TextDocumentEdit];
      assert.deepEqual(
        edits.map((edit) => (edit as { range: Range }).range.start.character),
        [8, 10],
      );
    });

    it('in restricted mode a file stands for itself', async () => {
      await start({ initializationOptions: { trusted: false } });
      assert.deepEqual(await references('httpd.conf', 'LogFormat', 15), ['httpd.conf:8:29-34', 'httpd.conf:10:15-20']);
    });
  }),
);
