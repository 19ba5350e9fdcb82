/**
 * Changes to a workspace while the server works: it answers, and reports nothing that does not
 * exist any more.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, renameSync, rmSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { FileChangeType, type WorkspaceDocumentDiagnosticReport } from 'vscode-languageserver-protocol/node';
import { isRoot, withFolder } from '../cli/run';
import { Client, type ClientOptions } from './client';

const ROOT = 'conf/httpd.conf';
const PROXY = 'ProxyPass / http://a/\n';
const FOUND = 'proxy-pass-in-directory';
/** More than a look in one go takes. */
const MANY = 300;

describe(
  'a workspace where anything may happen',
  withFolder((folder) => {
    let client: Client;
    let known: Map<string, string[]>;
    let ids: Record<string, string>;
    const uri = (name: string) => pathToFileURL(folder().at(name)).href;
    const start = async (options: ClientOptions = {}) => {
      known = new Map();
      ids = {};
      client = await Client.start({ folders: [uri('.')], ...options });
      client.connection.onNotification(
        '$/progress',
        ({ token, value }: { token: string; value: { items?: WorkspaceDocumentDiagnosticReport[] } }) => {
          if (token === 'part') take(value.items ?? []);
        },
      );
    };
    const take = (items: readonly WorkspaceDocumentDiagnosticReport[]) => {
      for (const item of items) {
        if (item.kind === 'full')
          known.set(
            item.uri,
            item.items.map(({ code }) => String(code)),
          );
        if (item.resultId !== undefined) ids[item.uri] = item.resultId;
        else delete ids[item.uri];
      }
    };
    /** What the client shows of files that are not open, after as many answers as it takes. */
    const until = async (test: () => boolean) => {
      do take((await client.pullWorkspace(ids, { partialResultToken: 'part' })).items);
      while (!test());
    };
    const saysOf = (name: string) => (known.get(uri(name)) ?? []).filter((code) => code === FOUND).length;
    const changed = (...changes: [string, FileChangeType][]) =>
      client.connection.sendNotification('workspace/didChangeWatchedFiles', {
        changes: changes.map(([name, type]) => ({ uri: uri(name), type })),
      });
    const inSection = (what: string) =>
      `ServerRoot "${folder().at('')}"\n<Directory /a>\nInclude ${what}\n</Directory>\n`;
    const many = (count = MANY) => {
      folder().write(ROOT, inSection('sites/*.conf'));
      for (let i = 0; i < count; i++) folder().write(`sites/${i}.conf`, PROXY);
    };
    afterEach(() => client.stop());

    for (const [title, lines] of [
      ['a device', 'Include /dev/zero'],
      ['a FIFO', 'Include fifo'],
      ['what the kernel makes up', 'Include /proc/*/environ'],
      ['itself', 'Include conf/httpd.conf\nInclude conf/*.conf'],
      ['everything', 'Include /**/*.conf'],
    ]) {
      it(`an Include of ${title} is not waited for`, async () => {
        assert.equal(spawnSync('mkfifo', [folder().at('fifo')]).status, 0);
        folder().write(ROOT, `${inSection('sites/*.conf')}${lines}\n`);
        folder().write('sites/a.conf', PROXY);
        await start();
        await until(() => saysOf('sites/a.conf') === 1);
      });
    }

    it('a folder without permission is skipped', async function () {
      folder().write(ROOT, `${inSection('sites/*.conf')}Include closed/*.conf\n`);
      folder().write('sites/a.conf', PROXY);
      folder().write('closed/b.conf', PROXY);
      chmodSync(folder().at('closed'), 0o000);
      try {
        await start();
        await until(() => saysOf('sites/a.conf') === 1);
        if (!isRoot) assert.equal(known.has(uri('closed/b.conf')), false);
      } finally {
        chmodSync(folder().at('closed'), 0o755);
      }
    });

    it('a hundred thousand sections inside one another are a long file and no more', async () => {
      folder().write(ROOT, `${inSection('sites/*.conf')}Include deep.conf\n`);
      folder().write(
        'deep.conf',
        `${'<IfModule !a.c>\n'.repeat(100_000)}Define X 1\n${'</IfModule>\n'.repeat(100_000)}`,
      );
      folder().write('sites/a.conf', PROXY);
      await start();
      await until(() => saysOf('sites/a.conf') === 1);
    });

    it('files that are deleted while they are read leave nothing behind', async () => {
      many();
      await start();
      const pulled = client.pullWorkspace(ids, { partialResultToken: 'part' });
      rmSync(folder().at('sites/7.conf'));
      take((await pulled).items);
      await changed(['sites/7.conf', FileChangeType.Deleted]);
      await until(() => saysOf('sites/7.conf') === 0 && saysOf('sites/8.conf') === 1);
    });

    it('a folder that gets another name takes its findings along', async () => {
      many();
      folder().write(ROOT, `${inSection('sites/*.conf')}<Directory /b>\nInclude moved/*.conf\n</Directory>\n`);
      await start();
      await until(() => saysOf('sites/7.conf') === 1);
      renameSync(folder().at('sites'), folder().at('moved'));
      await changed(['sites', FileChangeType.Deleted], ['moved', FileChangeType.Created]);
      await until(() => saysOf('sites/7.conf') === 0 && saysOf('moved/7.conf') === 1);
      assert.deepEqual(
        [...known].filter(([name, codes]) => name.startsWith(uri('sites/')) && codes.length > 0),
        [],
      );
    });

    it('a root that comes and goes is noticed', async () => {
      folder().write('sites/a.conf', PROXY);
      await start();
      await until(() => saysOf('sites/a.conf') === 0);
      folder().write(ROOT, inSection('sites/*.conf'));
      await changed([ROOT, FileChangeType.Created]);
      await until(() => saysOf('sites/a.conf') === 1);
      rmSync(folder().at(ROOT));
      await changed([ROOT, FileChangeType.Deleted]);
      await until(() => saysOf('sites/a.conf') === 0);
    });

    it('settings that change in the middle of a walk are those that count', async () => {
      many();
      await start();
      const pulled = client.pullWorkspace(ids, { partialResultToken: 'part' });
      client.settings = { severity: { [FOUND]: 'off' } };
      await client.connection.sendNotification('workspace/didChangeConfiguration', { settings: null });
      take((await pulled).items);
      await until(() => saysOf('sites/7.conf') === 0 && known.has(uri(`sites/${MANY - 1}.conf`)));
      assert.ok([...known.values()].every((codes) => !codes.includes(FOUND)));
    });

    it('two folders are two configurations; what one says ends with it', async () => {
      for (const name of ['one', 'two']) {
        folder().write(
          `${name}/conf/httpd.conf`,
          `ServerRoot "${folder().at(name)}"\n<Directory /a>\nInclude in.conf\n</Directory>\n`,
        );
        folder().write(`${name}/in.conf`, PROXY);
      }
      await start({ folders: [uri('one'), uri('two')] });
      await until(() => saysOf('one/in.conf') === 1 && saysOf('two/in.conf') === 1);
      await client.connection.sendNotification('workspace/didChangeWorkspaceFolders', {
        event: { added: [], removed: [{ uri: uri('one'), name: 'one' }] },
      });
      await until(() => saysOf('one/in.conf') === 0);
      assert.equal(saysOf('two/in.conf'), 1);
    });

    it('a server that is shut down in the middle of it ends', async () => {
      many(2000);
      await start();
      const progress = new Promise<void>((resolve) => client.connection.onNotification('$/progress', () => resolve()));
      client.pullWorkspace({}, { partialResultToken: 'part', workDoneToken: 'work' }).catch(() => undefined);
      await progress;
    });

    it('rules about whole configurations speak of as many files, in their thread, with fixes; what is typed meanwhile counts', async () => {
      many();
      const modules = ['authz_core', 'authz_host', 'authn_core', 'dir', 'mime', 'ssl', 'unixd', 'mpm_event', 'proxy']
        .map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`)
        .join('');
      const root = `ServerRoot "${folder().at('')}"\n${modules}Include sites/*.conf\n`;
      const site = 'SSLSessionCache shmcb:/run/httpd/cache(512000)\n';
      folder().write(ROOT, root);
      folder().write('sites/site.conf', site);
      await start();
      await client.open(uri('sites/site.conf'), site);
      const problems = async (count: number) => {
        for (let refreshes = -1; ; ) {
          const found = (await client.problems(uri('sites/site.conf'))).filter((problem) =>
            problem.startsWith('missing-module'),
          );
          if (found.length === count) return found;
          refreshes = client.refreshes;
          await client.until(() => client.refreshes > refreshes);
        }
      };
      assert.deepEqual(await problems(1), ['missing-module: SSLSessionCache']);
      await client.change(uri('sites/site.conf'), [
        { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, text: '# above\n' },
      ]);
      assert.deepEqual(await problems(1), ['missing-module: SSLSessionCache'], 'it moves with the text');
      await client.open(uri(ROOT), root);
      await client.change(uri(ROOT), [
        {
          range: { start: { line: 1, character: 0 }, end: { line: 1, character: 0 } },
          text: 'LoadModule socache_shmcb_module modules/mod_socache_shmcb.so\n',
        },
      ]);
      await problems(0);
    });
  }),
);
