/**
 * `.httpd-upgrade.json` in the editor: which one is used, what it overrides, the messages about its
 * mistakes, and when it is read again.
 */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { withFolder } from '../cli/run';
import { Client, FULL, type ClientOptions } from './client';

const OLD = 'MaxClients 1\n';
const OFF = JSON.stringify({ severity: { 'max-clients': 'off' } });

describe(
  '.httpd-upgrade.json in the editor',
  withFolder((folder) => {
    let client: Client;
    const uri = (name: string) => pathToFileURL(folder().at(name)).href;
    const start = async (options: ClientOptions = {}) => {
      client = await Client.start({ folders: [uri('site')], ...options });
    };
    const problemsOf = async (name: string) => {
      await client.open(uri(name), OLD);
      return (await client.diagnostics(uri(name))).map(({ code, severity }) => `${code} ${severity}`);
    };
    const changed = (name: string, type: 1 | 2 | 3) =>
      client.connection.sendNotification('workspace/didChangeWatchedFiles', { changes: [{ uri: uri(name), type }] });
    const saidOf = (name: string) => client.published.get(uri(name))?.diagnostics.map(({ message }) => message);
    afterEach(() => client.stop());

    it('counts from its folder downward, up to the folder of the workspace', async () => {
      folder().write('site/.httpd-upgrade.json', OFF);
      folder().write('.httpd-upgrade.json', '{"severity": {"max-clients": "error"}}');
      // What is outside of the workspace is looked at when somebody vouches for it.
      await start({ initializationOptions: { trusted: true } });
      assert.deepEqual(await problemsOf('site/httpd.conf'), []);
      assert.deepEqual(await problemsOf('site/conf/extra/a.conf'), []);
      assert.deepEqual(await problemsOf('elsewhere.conf'), ['max-clients 1']);
    });

    it('above the folder of the workspace does not count', async () => {
      folder().write('.httpd-upgrade.json', OFF);
      await start();
      assert.deepEqual(await problemsOf('site/conf/httpd.conf'), ['max-clients 3']);
    });

    it('that is nearest counts alone', async () => {
      folder().write('site/.httpd-upgrade.json', OFF);
      folder().write('site/conf/.httpd-upgrade.json', '{}');
      await start();
      assert.deepEqual(await problemsOf('site/conf/httpd.conf'), ['max-clients 3']);
    });

    it("goes before the editor's settings, rule by rule", async () => {
      folder().write('site/.httpd-upgrade.json', '{"severity": {"max-clients": "error"}}');
      await start({ settings: { severity: { 'max-clients': 'off', 'max-requests-per-child': 'off' } } });
      await client.open(uri('site/httpd.conf'), 'MaxClients 1\nMaxRequestsPerChild 1\n');
      assert.deepEqual(await client.problems(uri('site/httpd.conf')), ['max-clients: MaxClients']);
    });

    it('is not read in restricted mode, and is once the workspace is trusted', async () => {
      folder().write('site/.httpd-upgrade.json', OFF);
      await start({ initializationOptions: { trusted: false } });
      assert.deepEqual(await problemsOf('site/httpd.conf'), ['max-clients 3']);
      await client.connection.sendNotification('httpdUpgrade/trusted', {});
      await client.until(() => client.refreshes > 0);
      assert.deepEqual(await client.diagnostics(uri('site/httpd.conf')), []);
    });

    it('is read again when it changes, comes and goes', async () => {
      await start();
      assert.deepEqual(await problemsOf('site/httpd.conf'), ['max-clients 3']);
      folder().write('site/.httpd-upgrade.json', OFF);
      await changed('site/.httpd-upgrade.json', 1);
      await client.until(() => client.refreshes === 1);
      assert.deepEqual(await client.diagnostics(uri('site/httpd.conf')), []);
      rmSync(folder().at('site/.httpd-upgrade.json'));
      await changed('site/.httpd-upgrade.json', 3);
      await client.until(() => client.refreshes === 2);
      assert.equal((await client.diagnostics(uri('site/httpd.conf'))).length, 1);
    });

    it('is told of its mistakes, until they are gone', async () => {
      folder().write('site/.httpd-upgrade.json', '{\n  "severity": { "max-client": "off" }\n}\n');
      await start();
      assert.deepEqual(await problemsOf('site/httpd.conf'), ['max-clients 3']);
      assert.deepEqual(saidOf('site/.httpd-upgrade.json'), [
        'There is no rule "max-client". Did you mean "max-clients"?',
      ]);
      assert.deepEqual(client.published.get(uri('site/.httpd-upgrade.json'))?.diagnostics[0].range, {
        start: { line: 1, character: 16 },
        end: { line: 1, character: 28 },
      });
      folder().write('site/.httpd-upgrade.json', OFF);
      await changed('site/.httpd-upgrade.json', 2);
      await client.until(() => client.refreshes === 1);
      assert.deepEqual(await client.diagnostics(uri('site/httpd.conf')), []);
      assert.deepEqual(saidOf('site/.httpd-upgrade.json'), []);
    });

    describe('places', () => {
      const linked = async (text = 'ServerRoot "/etc/httpd"\nPidFile x\nInclude conf.d/a.conf\n') => {
        folder().write('outside/conf.d/a.conf', OLD);
        await client.open(uri('site/httpd.conf'), text);
        await client.diagnostics(uri('site/httpd.conf'));
        const links = await client.connection.sendRequest<{ target?: string }[] | null>('textDocument/documentLink', {
          textDocument: { uri: uri('site/httpd.conf') },
        });
        return (links ?? []).flatMap(({ target }) => target ?? []).filter((target) => target.includes('/conf.d/'));
      };
      const outside = () => [uri('outside/conf.d/a.conf')];

      it('of the project and of its settings lead nowhere outside', async () => {
        mkdirSync(folder().at('site'), { recursive: true });
        symlinkSync('../outside', folder().at('site/link'));
        for (const to of ['../outside', folder().at('outside'), 'link', pathToFileURL(folder().at('outside')).href]) {
          for (const project of [
            { pathMap: { '/etc/httpd': to } },
            { answers: { 'include-unseen:/etc/httpd': `here=${to}` } },
          ]) {
            folder().write('site/.httpd-upgrade.json', JSON.stringify(project));
            await start({ initializationOptions: { trusted: true } });
            const links = await linked();
            assert.ok(!links.includes(outside()[0]), JSON.stringify(project));
            assert.match(saidOf('site/.httpd-upgrade.json')?.join() ?? '', /leads out of the directory of this file/);
            await client.stop();
            rmSync(folder().at('site/.httpd-upgrade.json'));
          }
          await start({ settings: { pathMap: { '/etc/httpd': to } }, initializationOptions: { trusted: true } });
          assert.ok(!(await linked()).includes(outside()[0]), to);
          await client.stop();
        }
        await start({ settings: { roots: ['../outside/main.conf'] }, initializationOptions: { trusted: true } });
      });

      it('by the server root lead nowhere outside', async () => {
        const MAIN = 'PidFile x\nInclude conf.d/a.conf\n';
        const at = folder().at('outside');
        for (const serverRoot of [
          at,
          `/${at}`,
          at.replace(/\/(?=outside$)/, '//'),
          `${folder().at('site')}/../outside`,
          `${folder().at('site')}//../outside`,
          '/proc//self/cwd/outside',
          '../outside',
          '..//outside',
        ]) {
          folder().write('site/.httpd-upgrade.json', JSON.stringify({ serverRoot }));
          await start({ initializationOptions: { trusted: true } });
          assert.deepEqual(await linked(MAIN), [], `${serverRoot} of the project`);
          await client.stop();
          rmSync(folder().at('site/.httpd-upgrade.json'));
          await start({ settings: { serverRoot }, initializationOptions: { trusted: true } });
          assert.deepEqual(await linked(MAIN), [], `${serverRoot} of the workspace`);
          await client.stop();
        }
        await start({ initializationOptions: { trusted: true, settings: { serverRoot: at } } });
        assert.deepEqual(await linked(MAIN), outside(), 'the user may name it');
        await client.stop();
        folder().write('site/.httpd-upgrade.json', JSON.stringify({ serverRoot: folder().at('site') }));
        folder().write('site/conf.d/a.conf', OLD);
        await start({ initializationOptions: { trusted: true } });
        assert.deepEqual(await linked(MAIN), [uri('site/conf.d/a.conf')]);
      });

      it('of a settings file that is itself a link out are not used', async () => {
        folder().write('settings.json', OFF);
        mkdirSync(folder().at('site'), { recursive: true });
        symlinkSync('../settings.json', folder().at('site/.httpd-upgrade.json'));
        await start({ initializationOptions: { trusted: true } });
        assert.deepEqual(await problemsOf('site/httpd.conf'), ['max-clients 3']);
        assert.deepEqual(saidOf('site/.httpd-upgrade.json'), [
          'This file is a link that leads out of its directory. Nothing in this file is used.',
        ]);
      });

      it('of a file over 512 kB are not used, and it is told so', async () => {
        folder().write('site/.httpd-upgrade.json', OFF + ' '.repeat(600_000));
        await start();
        assert.deepEqual(await problemsOf('site/httpd.conf'), ['max-clients 3']);
        assert.deepEqual(saidOf('site/.httpd-upgrade.json'), [
          'This file is larger than 512 kB. Nothing in this file is used.',
        ]);
      });

      it('of the user lead anywhere', async () => {
        const own = { '/etc/httpd': folder().at('outside') };
        for (const options of [
          { initializationOptions: { trusted: true, settings: { pathMap: own } } },
          {
            settings: { pathMap: own, user: { pathMap: own } },
            initializationOptions: { trusted: true, client: 'httpd-upgrade' },
          },
          { settings: { user: { chosen: own } }, initializationOptions: { trusted: true, client: 'httpd-upgrade' } },
        ]) {
          await start(options);
          assert.deepEqual(await linked(), outside(), JSON.stringify(options));
          await client.stop();
        }
        await start({ settings: { pathMap: own, user: { pathMap: own } }, initializationOptions: { trusted: true } });
        assert.ok(!(await linked()).includes(outside()[0]), 'only our own client tells them apart');
      });
    });

    it('takes its mistakes with it when it goes', async () => {
      folder().write('site/.httpd-upgrade.json', '{');
      await start();
      await problemsOf('site/httpd.conf');
      assert.equal(saidOf('site/.httpd-upgrade.json')?.length, 1);
      rmSync(folder().at('site/.httpd-upgrade.json'));
      await changed('site/.httpd-upgrade.json', 3);
      await client.until(() => saidOf('site/.httpd-upgrade.json')?.length === 0);
    });

    it('says for which version a file is checked, and that it is the one to say so', async () => {
      folder().write('site/.httpd-upgrade.json', '{"target": "2.4.6"}');
      await start({ settings: { target: '2.4.57' } });
      const target = (name: string) => client.connection.sendRequest('httpdUpgrade/target', { uri: uri(name) });
      assert.deepEqual(await target('site/httpd.conf'), { target: '2.4.6', project: uri('site/.httpd-upgrade.json') });
      assert.deepEqual(await target('elsewhere.conf'), { target: '2.4.57', project: null });
    });

    it('works for editors that do not ask for diagnostics', async () => {
      folder().write('site/.httpd-upgrade.json', OFF);
      await start({ capabilities: { ...FULL, textDocument: {} } });
      await client.open(uri('site/httpd.conf'), OLD);
      await client.until(() => client.published.has(uri('site/httpd.conf')));
      assert.deepEqual(client.published.get(uri('site/httpd.conf'))?.diagnostics, []);
      folder().write('site/.httpd-upgrade.json', '{}');
      await changed('site/.httpd-upgrade.json', 2);
      await client.until(() => client.published.get(uri('site/httpd.conf'))?.diagnostics.length === 1);
    });
  }),
);
