/** The closed files of a workspace: what is reported about them, and when. */
import assert from 'node:assert/strict';
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import {
  CancellationTokenSource,
  type WorkspaceDiagnosticReport,
  type WorkspaceDocumentDiagnosticReport,
} from 'vscode-languageserver-protocol/node';
import { withFolder } from '../cli/run';
import { byUri, Client, isHeld, resultIds, type ClientOptions } from './client';

const OLD = 'DefaultType text/plain\n';

describe(
  'the workspace',
  withFolder((folder) => {
    let client: Client;
    const uri = (name: string) => pathToFileURL(folder().at(name)).href;
    const start = async (options: ClientOptions = {}) => {
      client = await Client.start({ folders: [uri('.')], ...options });
    };
    const changed = (...names: string[]) =>
      client.connection.sendNotification('workspace/didChangeWatchedFiles', {
        changes: names.map((name) => ({ uri: uri(name), type: existsSync(folder().at(name)) ? 2 : 3 })),
      });
    const summary = ({ items }: Pick<WorkspaceDiagnosticReport, 'items'>) =>
      Object.fromEntries(
        Object.entries(byUri(items)).map(([key, item]) => [
          key,
          item.kind === 'full' ? item.items.map(({ code }) => code) : item.kind,
        ]),
      );
    afterEach(() => client.stop());

    it('is checked file by file, where a file is configuration', async () => {
      folder().write('conf/httpd.conf', OLD);
      folder().write('.htaccess', 'SetEnv a b\n');
      folder().write('notes.conf', 'key = value\n');
      folder().write('binary/.htaccess', Buffer.alloc(100));
      symlinkSync('httpd.conf', folder().at('conf/httpd-link.conf'));
      await start();
      const report = await client.pullWorkspace();
      assert.deepEqual(summary(report), {
        [uri('.htaccess')]: [],
        [uri('binary/.htaccess')]: [],
        [uri('conf/httpd-link.conf')]: ['default-type'],
      });
      assert.ok(report.items.every(({ version }) => version === null));
    });

    it('leaves open files to their own requests', async () => {
      for (const name of ['a/.htaccess', 'b/.htaccess']) folder().write(name, OLD);
      await start();
      await client.open(uri('a/.htaccess'), 'SetEnv a b\n');
      const first = await client.pullWorkspace();
      assert.deepEqual(summary(first), { [uri('b/.htaccess')]: ['default-type'] });
      const next = client.pullWorkspace(resultIds(first.items));
      await client.close(uri('a/.htaccess'));
      assert.deepEqual(summary(await next), { [uri('a/.htaccess')]: ['default-type'] });
    });

    it('has no news until there are some', async () => {
      for (const name of ['a/.htaccess', 'b/.htaccess']) folder().write(name, OLD);
      await start();
      const first = await client.pullWorkspace();
      const held = client.pullWorkspace(resultIds(first.items));
      assert.ok(await isHeld(held));
      folder().write('b/.htaccess', 'SetEnv a b\n');
      await changed('b/.htaccess');
      assert.deepEqual(summary(await held), { [uri('b/.htaccess')]: [] });
    });

    it('finds new files, and forgets those that are gone', async () => {
      folder().write('a/.htaccess', OLD);
      await start();
      const first = await client.pullWorkspace();
      const held = client.pullWorkspace(resultIds(first.items));
      folder().write('b/.htaccess', OLD);
      rmSync(folder().at('a/.htaccess'));
      await changed('a/.htaccess', 'b/.htaccess');
      const second = await held;
      assert.deepEqual(summary(second), { [uri('a/.htaccess')]: [], [uri('b/.htaccess')]: ['default-type'] });
    });

    it('finds the files of folders that are added later', async () => {
      folder().write('one/.htaccess', OLD);
      folder().write('two/.htaccess', OLD);
      client = await Client.start({ folders: [uri('one')] });
      const first = await client.pullWorkspace();
      assert.deepEqual(Object.keys(summary(first)), [uri('one/.htaccess')]);
      const held = client.pullWorkspace(resultIds(first.items));
      const change = { added: [{ uri: uri('two'), name: 'two' }], removed: [{ uri: uri('one'), name: 'one' }] };
      await client.connection.sendNotification('workspace/didChangeWorkspaceFolders', { event: change });
      assert.deepEqual(summary(await held), { [uri('one/.htaccess')]: [], [uri('two/.htaccess')]: ['default-type'] });
    });

    it('is checked again when settings change', async () => {
      folder().write('a/.htaccess', OLD);
      await start();
      const first = await client.pullWorkspace();
      const held = client.pullWorkspace(resultIds(first.items));
      client.settings = { severity: { 'default-type': 'off' } };
      await client.connection.sendNotification('workspace/didChangeConfiguration', { settings: null });
      assert.deepEqual(summary(await held), { [uri('a/.htaccess')]: [] });
    });

    it('is left alone where the setting says so', async () => {
      folder().write('a/.htaccess', OLD);
      await start({ settings: { workspaceDiagnostics: false } });
      assert.deepEqual(await client.pullWorkspace(), { items: [] });
    });

    it('is cleared when the setting is switched off', async () => {
      folder().write('a/.htaccess', OLD);
      await start();
      const first = await client.pullWorkspace();
      client.settings = { workspaceDiagnostics: false };
      await client.connection.sendNotification('workspace/didChangeConfiguration', { settings: null });
      assert.deepEqual(summary(await client.pullWorkspace(resultIds(first.items))), { [uri('a/.htaccess')]: [] });
    });

    it('asks to be told of changes', async () => {
      await start();
      await client.until(() => client.registered.includes('workspace/didChangeWatchedFiles'));
    });

    it('of many files comes in parts, with progress', async () => {
      for (let i = 0; i < 120; i++) folder().write(`${String(i).padStart(3, '0')}/.htaccess`, OLD);
      await start();
      const parts: WorkspaceDocumentDiagnosticReport[][] = [];
      const progress: string[] = [];
      client.connection.onNotification(
        '$/progress',
        ({
          token,
          value,
        }: {
          token: string;
          value: { kind?: string; items?: WorkspaceDocumentDiagnosticReport[] };
        }) => {
          if (token === 'part') parts.push(value.items!);
          if (token === 'work') progress.push(value.kind!);
        },
      );
      const last = await client.pullWorkspace({}, { partialResultToken: 'part', workDoneToken: 'work' });
      assert.deepEqual([...parts.map((items) => items.length), last.items.length], [50, 50, 20]);
      assert.equal(Object.keys(byUri([...parts.flat(), ...last.items])).length, 120);
      assert.deepEqual(progress, ['begin', 'report', 'report', 'end']);
    });

    it('can be cancelled while it is checked, and then asked for again', async () => {
      for (let i = 0; i < 200; i++) folder().write(`${i}/.htaccess`, OLD);
      await start();
      const source = new CancellationTokenSource();
      const progress: string[] = [];
      client.connection.onNotification('$/progress', ({ token, value }: { token: string; value: { kind: string } }) => {
        if (token === 'part') source.cancel();
        else progress.push(value.kind);
      });
      await assert.rejects(
        client.pullWorkspace({}, { partialResultToken: 'part', workDoneToken: 'work' }, source.token),
        { code: -32800 },
      );
      assert.equal(progress[progress.length - 1], 'end', 'no progress goes on for ever');
      assert.equal((await client.pullWorkspace()).items.length, 200);
    });

    it('can be cancelled while it is held', async () => {
      await start();
      const first = await client.pullWorkspace();
      const source = new CancellationTokenSource();
      const held = client.pullWorkspace(resultIds(first.items), {}, source.token);
      assert.ok(await isHeld(held));
      source.cancel();
      await assert.rejects(held, { code: -32800 });
      folder().write('.htaccess', OLD);
      await changed('.htaccess');
      assert.deepEqual(summary(await client.pullWorkspace()), { [uri('.htaccess')]: ['default-type'] });
    });

    it('may shut down while a request is held', async () => {
      await start();
      await client.pullWorkspace();
      void client.pullWorkspace().catch(() => null);
    });

    describe('in restricted mode', () => {
      it('is not read before it is trusted; what is open is checked all the same', async () => {
        folder().write('a/.htaccess', OLD);
        await start({ initializationOptions: { trusted: false } });
        const first = await client.pullWorkspace();
        assert.deepEqual(first, { items: [] });
        await client.open(uri('b/.htaccess'), OLD);
        assert.deepEqual(await client.problems(uri('b/.htaccess')), ['default-type: DefaultType text/plain']);
        assert.deepEqual(await client.pullWorkspace(), { items: [] }, 'the news is that a file is open');
        const held = client.pullWorkspace();
        assert.ok(await isHeld(held));
        await client.connection.sendNotification('httpdUpgrade/trusted', {});
        assert.deepEqual(summary(await held), { [uri('a/.htaccess')]: ['default-type'] });
      });

      it('asks no client for a file', async () => {
        const files = { 'vscode-vfs://host/.htaccess': OLD };
        client = await Client.start({ transport: 'worker', files, initializationOptions: { trusted: false } });
        assert.deepEqual(await client.pullWorkspace(), { items: [] });
        assert.deepEqual(client.read, []);
        await client.connection.sendNotification('httpdUpgrade/trusted', {});
        assert.deepEqual(summary(await client.pullWorkspace()), { 'vscode-vfs://host/.htaccess': ['default-type'] });
      });
    });
  }),
);
