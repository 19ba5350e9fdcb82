/**
 * The upgrade plan over the protocol: the same as the command line's, with notifications of
 * changes, and applied as one change.
 */
import assert from 'node:assert/strict';
import { chmodSync, cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  CancellationTokenSource,
  LSPErrorCodes,
  WorkDoneProgress,
  type ApplyWorkspaceEditParams,
  type TextDocumentEdit,
} from 'vscode-languageserver-protocol/node';
import type { UpgradePlan } from '../../server/src/analysis/upgrade-plan';
import { tasksOf } from '../../server/src/analysis/server-tasks';
import { taskKey, withRememberedTasks } from '../../server/src/features/remembered-tasks';
import type { ChangeOutcome, ShownPlan } from '../../server/src/lsp/conversions';
import type { NoPlan, PlanReply } from '../../server/src/lsp/plans';
import type { VerifyReply } from '../../server/src/lsp/verify';
import { needs, withFolder } from '../cli/run';
import { DEBIAN6 } from '../support/debian6';
import { repositoryRoot } from '../support/paths';
import { Client, type ClientOptions } from './client';

const ROOT = `ServerRoot "/etc/httpd"
Listen 80
LoadModule mpm_prefork_module modules/mod_mpm_prefork.so
LoadModule authz_core_module modules/mod_authz_core.so
LoadModule authz_host_module modules/mod_authz_host.so
LoadModule unixd_module modules/mod_unixd.so
LoadModule access_compat_module modules/mod_access_compat.so
DocumentRoot "/of-no-machine/www"
<Directory />
    AllowOverride None
</Directory>
<Directory "/of-no-machine/www">
    AllowOverride All
    Order allow,deny
    Allow from all
</Directory>
MaxClients 10
Include conf.d/*.conf
`;
const LATIN1 = Buffer.from('# für alle\nMaxRequestsPerChild 10\n', 'latin1');
const LATIN1_AFTER = Buffer.from('# für alle\nMaxConnectionsPerChild 10\n', 'latin1');
const QUESTION = 'htaccess-unseen:/of-no-machine/www';
const OURS = { initializationOptions: { client: 'httpd-upgrade', trusted: true } };

/** The command line reads files by their names, and names them as they were given. */
function inOrder(plan: UpgradePlan): UpgradePlan {
  const named = JSON.parse(JSON.stringify(plan).replaceAll('"./', '"')) as UpgradePlan;
  const sorted = <Item>(items: readonly Item[]) =>
    [...items].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  const configurations = named.configurations.map((each) => ({
    ...each,
    questions: sorted(each.questions),
    ready: sorted(each.ready),
    waiting: sorted(each.waiting),
    byHand: sorted(each.byHand),
  }));
  return { ...named, configurations: [...configurations].sort((a, b) => (a.root < b.root ? -1 : 1)) };
}

describe(
  'the upgrade plan over the protocol',
  withFolder((folder) => {
    let client: Client;
    let onChange: () => void = () => undefined;
    let changes: { summary?: UpgradePlan['summary'] }[];
    const uri = (name: string) => pathToFileURL(path.join(folder().path, name)).href;
    const start = async (options: ClientOptions = OURS): Promise<void> => {
      changes = [];
      client = await Client.start({ folders: [uri('.')], ...options });
      client.connection.onNotification('httpdUpgrade/planChanged', (params: { summary?: UpgradePlan['summary'] }) => {
        changes.push(params);
        onChange();
      });
      client.connection.onRequest('workspace/applyEdit', async ({ edit }: ApplyWorkspaceEditParams) => {
        for (const { textDocument, edits } of edit.documentChanges as TextDocumentEdit[]) {
          const backwards = [...edits].sort(
            (a, b) => b.range.start.line - a.range.start.line || b.range.start.character - a.range.start.character,
          );
          await client.change(
            textDocument.uri,
            backwards.map((each) => ({ range: each.range, text: (each as { newText: string }).newText })),
          );
        }
        return { applied: true };
      });
    };
    /** Resolves when the server has sent such a plan. */
    const told = (test: (summary: UpgradePlan['summary']) => boolean) =>
      new Promise<void>((resolve) => {
        onChange = () => {
          if (changes.some(({ summary }) => summary && test(summary))) resolve();
        };
        onChange();
      });
    const answer = () => client.connection.sendRequest<PlanReply>('httpdUpgrade/plan', {});
    const planned = (ready: object) =>
      client.connection.sendRequest<ShownPlan & { nothing?: string }>('httpdUpgrade/planConversion', { ready });
    const apply = async (ready: object): Promise<ChangeOutcome> =>
      client.connection.sendRequest<ChangeOutcome>('httpdUpgrade/applyConversion', { id: (await planned(ready)).id });
    /** Tells the server of a file that was written. */
    const written = (name: string, type = 2) =>
      client.connection.sendNotification('workspace/didChangeWatchedFiles', { changes: [{ uri: uri(name), type }] });

    beforeEach(() => {
      folder().write('conf/httpd.conf', ROOT.replace('/etc/httpd', folder().path));
      folder().write('conf.d/l.conf', LATIN1);
    });
    afterEach(() => client.stop());

    it('is that of the command line', async () => {
      const { out } = await folder().run(['plan', '--format', 'json', '.']);
      const expected = JSON.parse(out) as UpgradePlan;
      await start();
      const { plan, configurations, uris } = await answer();
      assert.deepEqual(inOrder(plan), inOrder(expected));
      assert.equal(configurations[0].uri, uri('conf/httpd.conf'));
      assert.equal(configurations[0].answersIn, uri('.httpd-upgrade.json'));
      assert.deepEqual(
        configurations[0].includes.map(({ label }) => label),
        ['conf/httpd.conf', 'Include conf.d/*.conf', 'conf.d/l.conf'],
      );
      assert.deepEqual(uris, { 'conf/httpd.conf': uri('conf/httpd.conf'), 'conf.d/l.conf': uri('conf.d/l.conf') });
    });

    it('has no file that was a configuration only while it was open: httpd.conf of OpenBSD', async () => {
      const text = 'prefork 2\nserver "example.com" {\n\tlisten on * port 80\n}\n';
      folder().write('etc/httpd.conf', text);
      await start();
      const roots = async () => (await answer()).plan.configurations.flatMap(({ root }) => root ?? []);
      assert.deepEqual(await roots(), ['conf/httpd.conf']);
      await client.open(uri('etc/httpd.conf'), text);
      assert.deepEqual(await roots(), ['conf/httpd.conf', 'etc/httpd.conf']);
      await client.close(uri('etc/httpd.conf'));
      assert.deepEqual(await roots(), ['conf/httpd.conf']);
    });

    it('has the steps on the server after the command line has written suggestions', async () => {
      const modules = ['authz_host', 'dav', 'dav_fs'].map(
        (each) => `LoadModule ${each}_module modules/mod_${each}.so\n`,
      );
      folder().write(
        'conf/httpd.conf',
        `ServerRoot "${folder().path}"\nListen 80\nServerName a\nDavLockDB /var/lib/dav/lockdb\n${modules.join('')}<Directory />\n    Order deny,allow\n    Deny from all\n</Directory>\n`,
      );
      const answers = ['--answer', 'modules=files', '--answer', 'defaults=2.4'];
      await folder().run(['fix', '--write', '--unsafe', ...answers, 'conf/httpd.conf']);
      assert.match(folder().text('conf/httpd.conf'), /Require all denied/);
      await start();
      const { plan } = await answer();
      const steps = plan.configurations.flatMap(({ onServer }) => onServer.map(({ id }) => id));
      assert.ok(steps.includes('dav-lock-db'), steps.join(' '));
    });

    it('is that of the command line for the samples, too', async () => {
      cpSync(path.join(repositoryRoot, 'test/samples'), folder().at('samples'), { recursive: true });
      const { out } = await folder().run(['plan', '--format', 'json', '.']);
      await start();
      const { plan } = await answer();
      assert.deepEqual(inOrder(plan), inOrder(JSON.parse(out) as UpgradePlan));
    });

    it('has the tasks on the server of the command line: before and after the fixes, whatever is open', async () => {
      for (const [name, text] of Object.entries(DEBIAN6)) folder().write(name, text);
      folder().write('.httpd-upgrade.json', JSON.stringify({ answers: { defaults: '2.4' } }));
      const tasks = ({ configurations }: UpgradePlan) =>
        configurations
          .find(({ root }) => root.endsWith('apache2/apache2.conf'))!
          .onServer.flatMap(({ id, commands = [], because }) => [
            `${id}: ${because.map(({ file, line }) => `${file.replace('./', '')}:${line + 1}`).join(' ')}`,
            ...commands,
          ]);
      const asked = async () =>
        tasks(JSON.parse((await folder().run(['plan', '--format', 'json', '.'])).out) as UpgradePlan);
      const before = await asked();
      await start();
      assert.deepEqual(tasks((await answer()).plan), before);
      const opened = Object.keys(DEBIAN6);
      for (const name of opened) {
        await client.open(uri(name), folder().text(name));
        assert.deepEqual(tasks((await answer()).plan), before, `with ${name}`);
        await client.close(uri(name));
      }
      await apply({ root: uri('apache2/apache2.conf') });
      const after = await asked();
      for (const name of ['', ...opened]) {
        if (name !== '') await client.open(uri(name), folder().text(name));
        assert.deepEqual(tasks((await answer()).plan), after, `after the fixes, with ${name}`);
      }
    });

    it('hears what was run on the server, and calls it a problem no more', async () => {
      for (const [name, text] of Object.entries(DEBIAN6)) folder().write(name, text);
      await start();
      const name = 'apache2/mods-enabled/deflate.conf';
      await client.open(uri(name), folder().text(name));
      const missing = async (count: number) => {
        const found = async () => (await client.diagnostics(uri(name))).filter(({ code }) => code === 'missing-module');
        while ((await found()).length !== count) await new Promise((resolve) => setTimeout(resolve, 50));
      };
      await missing(1);
      const { plan } = await answer();
      const commands = plan.configurations.flatMap(({ onServer }) => onServer.flatMap((item) => item.commands ?? []));
      assert.ok(commands.length > 0);
      await client.connection.sendNotification('httpdUpgrade/ran', { commands });
      await missing(0);
      assert.deepEqual((await answer()).plan.configurations, plan.configurations, 'the task itself stays');
      await client.connection.sendNotification('httpdUpgrade/ran', { commands: [] });
      await missing(1);
    });

    it('has the plan of an answer before a second of pause is over', async () => {
      await start();
      await told((summary) => summary.questions > 0);
      const file = uri('.httpd-upgrade.json');
      // Later changes of the start do not count.
      await answer();
      await new Promise((resolve) => setTimeout(resolve, 1200));
      changes = [];
      folder().write('.httpd-upgrade.json', JSON.stringify({ answers: { [QUESTION]: 'none' } }));
      const begun = Date.now();
      await client.connection.sendNotification('workspace/didChangeWatchedFiles', {
        changes: [{ uri: file, type: 1 }],
      });
      await told(() => true);
      // A plan after typing waits for one second; the work itself takes a tenth.
      assert.ok(Date.now() - begun < 900, `${Date.now() - begun} ms`);
    });

    it('hears an answer in .httpd-upgrade.json, and tells that it changed', async () => {
      await start();
      const answerTo = ({ plan }: PlanReply) =>
        plan.configurations[0].questions.find(({ id }) => id === QUESTION)?.answer;
      assert.equal(answerTo(await answer()), null);
      folder().write('.httpd-upgrade.json', JSON.stringify({ answers: { [QUESTION]: 'none' } }));
      await written('.httpd-upgrade.json', 1);
      await told(({ answered }) => answered === 1);
      const after = await answer();
      assert.equal(answerTo(after), 'none');
      assert.deepEqual(
        after.plan.configurations[0].waiting.filter(({ waitsFor }) => waitsFor.includes(QUESTION)),
        [],
      );
      assert.deepEqual(
        after.configurations[0].answers.map(({ id, value, question }) => [id, value, question !== null]),
        [[QUESTION, 'none', true]],
      );
    });

    it('knows what is typed and not saved', async () => {
      await start();
      await client.open(uri('conf/httpd.conf'), folder().text('conf/httpd.conf'));
      assert.equal((await answer()).plan.summary.ready, 3);
      await client.replace(uri('conf/httpd.conf'), 'MaxClients', 'MaxRequestWorkers');
      await told(({ ready }) => ready === 2);
      assert.equal((await answer()).plan.summary.ready, 2);
    });

    it('applies all that is ready: what is open in the editor, the rest on the disk, byte for byte, as fix --write does', async () => {
      await start();
      const original = folder().text('conf/httpd.conf');
      await client.open(uri('conf/httpd.conf'), original);
      const shown = await planned({ root: uri('conf/httpd.conf') });
      assert.equal(shown.question, 'Apply 3 changes in 2 files?');
      assert.deepEqual(folder().bytes('conf.d/l.conf'), LATIN1);
      const outcome = await client.connection.sendRequest<ChangeOutcome>('httpdUpgrade/applyConversion', {
        id: shown.id,
      });
      assert.deepEqual(outcome, {
        message: 'Applied 3 changes in 2 files.',
        isDone: true,
        unsaved: [uri('conf/httpd.conf')],
      });
      assert.deepEqual(folder().bytes('conf.d/l.conf'), LATIN1_AFTER);
      assert.equal(folder().text('conf/httpd.conf'), original);
      assert.equal(
        client.text(uri('conf/httpd.conf')),
        original.replace('MaxClients', 'MaxRequestWorkers').replace('Include ', 'IncludeOptional '),
      );
      assert.equal((await answer()).plan.summary.ready, 0);
      const undone = await client.connection.sendRequest<ChangeOutcome>('httpdUpgrade/undoConversion', {});
      assert.equal(undone.isDone, true);
      assert.deepEqual(folder().bytes('conf.d/l.conf'), LATIN1);
      assert.equal(client.text(uri('conf/httpd.conf')), original);
    });

    it('applies one item, or those of a file, and nothing else', async () => {
      await start();
      const { plan } = await answer();
      const [item] = plan.configurations[0].ready.filter(({ rule }) => rule === 'max-requests-per-child');
      assert.equal(
        (await apply({ root: uri('conf/httpd.conf'), items: [item] })).message,
        'Applied 1 change in conf.d/l.conf.',
      );
      assert.deepEqual(folder().bytes('conf.d/l.conf'), LATIN1_AFTER);
      assert.match(folder().text('conf/httpd.conf'), /^MaxClients/m);
      assert.equal((await apply({ file: uri('conf/httpd.conf') })).message, 'Applied 2 changes in conf/httpd.conf.');
      assert.match((await planned({})).nothing!, /^No fix is ready/);
    });

    it('writes nothing outside of the workspace, by whatever link', async () => {
      mkdirSync(folder().at('outside'));
      folder().write('outside/o.conf', 'MaxRequestsPerChild 5\n');
      mkdirSync(folder().at('inside/conf'), { recursive: true });
      folder().write('inside/conf/httpd.conf', `${ROOT.replace('/etc/httpd', folder().at('inside'))}`);
      mkdirSync(folder().at('inside/conf.d'));
      symlinkSync(folder().at('outside/o.conf'), folder().at('inside/conf.d/o.conf'));
      await start({ ...OURS, folders: [uri('inside')] });
      await answer();
      await apply({});
      assert.equal(folder().text('outside/o.conf'), 'MaxRequestsPerChild 5\n');
    });

    it('begins no configuration with a file that somebody put aside', async () => {
      for (const name of [
        'httpd.conf.org',
        'httpd.conf.bak',
        'httpd.conf.rpmnew',
        'httpd.conf~',
        'httpd.conf.20200101',
      ])
        folder().write(`conf/${name}`, ROOT);
      await start();
      assert.deepEqual(
        (await answer()).configurations.flatMap((each) => each.uri ?? []),
        [uri('conf/httpd.conf')],
      );
    });

    it('lists files that no server reads, and changes them if they are meant', async () => {
      const main = folder().text('conf/httpd.conf');
      folder().write('test/httpd.conf', main);
      folder().write('conf/old-copy.conf', 'MaxClients 5\nMaxRequestsPerChild 5\n');
      folder().write('.httpd-upgrade.json', '{ "unused": ["test"] }');
      const { out } = await folder().run(['plan', '--format', 'json', '.']);
      const expected = (JSON.parse(out) as UpgradePlan).configurations;
      await start();
      const { plan, configurations } = await answer();
      assert.deepEqual(
        configurations.map((each) => each.uri),
        [uri('conf/httpd.conf')],
      );
      const dormant = [...plan.configurations[0].dormant!].sort((a, b) => (a.file < b.file ? -1 : 1));
      assert.deepEqual(dormant[0], { file: 'conf/old-copy.conf', lines: 2 });
      assert.deepEqual(
        dormant,
        [...expected[0].dormant!].map((each) => ({ ...each, file: each.file.replace(/^\.\//, '') })),
      );
      assert.ok(plan.configurations.every(({ ready }) => ready.every(({ file }) => !/old-copy|^test/.test(file))));
      await apply({});
      assert.match(folder().text('conf/httpd.conf'), /MaxRequestWorkers/);
      assert.equal(folder().text('test/httpd.conf'), main);
      assert.equal(folder().text('conf/old-copy.conf'), 'MaxClients 5\nMaxRequestsPerChild 5\n');
      await apply({ isDormant: true });
      assert.equal(folder().text('conf/old-copy.conf'), 'MaxRequestWorkers 5\nMaxConnectionsPerChild 5\n');
      assert.match(folder().text('test/httpd.conf'), /MaxRequestWorkers/);
    });

    it('converts what no server reads as the command line does', async () => {
      const access = '<Directory /srv/app>\nOrder allow,deny\nAllow from 192.0.2.1\n</Directory>\n';
      const files = {
        'etc/conf/httpd.conf':
          `ServerRoot "/etc/httpd"\nListen 80\nLoadModule include_module m.so\nMaxClients 5\n` +
          `<IfModule !mod_include.c>\n${access}</IfModule>\n#${access.trimEnd().replaceAll('\n', '\n#')}\n`,
        'etc/conf/httpd.conf.bak': access,
        'etc/conf/extra.conf': access,
        'modules/app/site.conf': access,
        'www/.htaccess': 'Order allow,deny\nAllow from all\n',
        'www/private/.htaccess': 'Order allow,deny\nDeny from all\n',
      };
      for (const top of ['here', 'there'])
        for (const [name, text] of Object.entries(files)) folder().write(`${top}/${name}`, text);
      await folder().run(['fix', '--write', '--dormant', 'there']);
      await start({ ...OURS, folders: [uri('here')] });
      await apply({ isDormant: true });
      const converted = Object.keys(files).filter((name) => {
        assert.equal(folder().text(`here/${name}`), folder().text(`there/${name}`), name);
        return folder().text(`here/${name}`) !== files[name as keyof typeof files];
      });
      assert.deepEqual(
        converted,
        Object.keys(files).filter((name) => name !== 'www/.htaccess'),
      );
    });

    it('has no problems of files that no server reads: open ones have remarks', async () => {
      const main = folder().text('conf/httpd.conf');
      folder().write('conf/httpd.conf.bak', main);
      await start();
      await answer();
      const all = (await client.pullWorkspace()).items as { uri: string; items?: { severity: number }[] }[];
      const severities = all.flatMap(({ uri: each, items = [] }) => (each.endsWith('.bak') ? items : []));
      assert.deepEqual(severities, []);
      await client.open(uri('conf/httpd.conf.bak'), main);
      const open = await client.diagnostics(uri('conf/httpd.conf.bak'));
      assert.ok(open.length > 0);
      assert.deepEqual(
        open.filter(({ severity }) => severity! < 3),
        [],
      );
    });

    it('is left off when the server is stopped while it is made', async () => {
      await start();
      for (let i = 0; i < 200; i++) folder().write(`conf.d/${i}.conf`, 'MaxRequestsPerChild 10\n');
      const pending = client.connection.sendRequest('httpdUpgrade/plan', {}).catch(() => null);
      await Promise.race([pending, new Promise((resolve) => setImmediate(resolve))]);
      // The end of each of these tests stops the server, and waits for its process.
    });

    it('gives the report as Markdown and as a page, which tell nobody to leave the editor', async () => {
      await start();
      for (const [format, begins] of [
        ['markdown', '# Upgrade from httpd 2.2 to 2.4'],
        ['html', '<!DOCTYPE html>'],
      ] as const) {
        const { text } = await client.connection.sendRequest<{ text: string }>('httpdUpgrade/report', { format });
        assert.ok(text.startsWith(begins), text.slice(0, 80));
        assert.match(text, /MaxRequestWorkers/);
        assert.doesNotMatch(text, /httpd-upgrade (fix|check|plan|verify|undo)|--write|--answer/);
      }
    });

    it('says how many files are read and checked, to who waits and asked for it', async () => {
      for (let i = 0; i < 30; i++) folder().write(`conf.d/${i}.conf`, 'MaxRequestsPerChild 10\n');
      await start();
      const heard: { percentage: number; message: string }[] = [];
      const listening = client.connection.onProgress(WorkDoneProgress.type, 'mine', (value) => {
        if (value.kind === 'report') heard.push({ percentage: value.percentage!, message: value.message! });
      });
      const { plan } = await client.connection.sendRequest<PlanReply>('httpdUpgrade/plan', { workDoneToken: 'mine' });
      const total = plan.configurations.reduce((sum, { files }) => sum + files, 0);
      assert.ok(heard.length > 10, JSON.stringify(heard));
      assert.ok(heard.some(({ message }) => new RegExp(`^\\d+ of ${total} files read$`).test(message)));
      assert.ok(heard.some(({ message }) => new RegExp(`^\\d+ of ${total} files checked$`).test(message)));
      const percents = heard.map(({ percentage }) => percentage);
      assert.deepEqual(
        [...new Set(percents)].sort((a, b) => a - b),
        percents,
        'never backwards, and each once',
      );
      heard.length = 0;
      const { id } = await client.connection.sendRequest<ShownPlan>('httpdUpgrade/planConversion', { ready: {} });
      await client.connection.sendRequest('httpdUpgrade/applyConversion', { id, workDoneToken: 'mine' });
      const changed = total - 1;
      assert.ok(heard.some(({ message }) => new RegExp(`^\\d+ of ${changed + 1} files checked$`).test(message)));
      assert.equal(heard.at(-1)!.message, `writing ${changed + 1} files`);
      listening.dispose();
    });

    it('reports what was answered and what was done, of what the client remembers', async () => {
      for (const [name, text] of Object.entries(DEBIAN6)) folder().write(name, text);
      folder().write('.httpd-upgrade.json', JSON.stringify({ answers: { defaults: '2.4', mpm: 'prefork' } }));
      await start();
      const root = uri('apache2/apache2.conf');
      const before = withRememberedTasks(await answer(), {});
      const { ready, waiting, byHand } = before.answer.plan.summary;
      const [task] = before.tasks[root].filter(({ id }) => id === 'disable-modules');
      assert.deepEqual(task.commands, ['a2dismod authz_default']);
      await apply({ root });
      const { answer: after, tasks } = withRememberedTasks(await answer(), before.tasks);
      const end = after.plan.configurations[after.configurations.findIndex((each) => each.uri === root)];
      assert.ok(
        end.onServer.some(({ id }) => id === 'disable-modules'),
        'is still to be done',
      );
      const reported = async (params: object) =>
        (
          await client.connection.sendRequest<{ text: string }>('httpdUpgrade/report', {
            format: 'markdown',
            ...params,
          })
        ).text;
      const most = ready + waiting + byHand;
      const text = await reported({ tasks, ticked: [taskKey(root, task)], most });
      assert.match(text, /^- \d+ of \d+ items of the plan are done\.$/m);
      assert.match(text, /^- The upgrade depends on 2 answers\.$/m);
      assert.match(text, /^- \[x\] `mpm=prefork`/m);
      assert.match(text, /^- \[x\] `defaults=2\.4`/m);
      assert.match(text, new RegExp(`^### On the server: 1 of ${tasksOf(end.onServer).length} done$`, 'm'));
      assert.match(text, /^- \[x\] Disable the module .*`a2dismod authz_default`/m);
      // Without a memory it knows what the files say.
      assert.match(await reported({}), /^- \[x\] `mpm=prefork`/m);
      await assert.rejects(reported({ tasks: { [root]: 'all' } }), /not what the protocol says/);
    });

    it('has a real httpd read the configuration when a person asks, and says where it stops', async function () {
      needs(this, '/usr/sbin/apache2');
      folder().write('conf/httpd.conf', `Listen 80\nServerRoot "/etc/httpd"\nOrdre allow,deny\n`);
      await start();
      const verdict = await client.connection.sendRequest<VerifyReply>('httpdUpgrade/verify', {
        uri: uri('conf/httpd.conf'),
        httpd: '',
      });
      assert.match(verdict.program, /^httpd 2\.4\./);
      assert.deepEqual(
        verdict.problems.filter(({ line }) => line !== null).map((said) => [said.uri, said.line]),
        [[uri('conf/httpd.conf'), 2]],
      );
    });

    it('asks, and names the file, before httpd reads a configuration where it is', async function () {
      needs(this, '/usr/sbin/apache2');
      const root = folder().at('conf/httpd.conf');
      folder().write(
        'conf/httpd.conf',
        `ServerRoot "${folder().path}"\nServerName a\nLoadModule evil_module evil.so\n`,
      );
      await start();
      const asked: string[] = [];
      const answers: (string | null)[] = [null, 'Cancel', 'Run its modules'];
      client.connection.onRequest('window/showMessageRequest', ({ message }: { message: string }) => {
        asked.push(message);
        const title = answers.shift();
        return title == null ? null : { title };
      });
      const verify = (inPlace?: unknown) =>
        client.connection.sendRequest<VerifyReply & Partial<NoPlan>>('httpdUpgrade/verify', {
          uri: uri('conf/httpd.conf'),
          httpd: '',
          inPlace,
        });
      for (const each of [undefined, false, 'yes', 1]) assert.equal((await verify(each)).claimsPlace, true);
      assert.equal(asked.join(), '');
      for (let i = 0; i < 2; i++) assert.match((await verify(true)).nothing!, /did not agree/);
      assert.equal((await verify(true)).claimsPlace, false);
      assert.equal(asked.length, 3);
      for (const message of asked) assert.ok(message.includes(root), message);
    });

    it('keeps several folders apart: their names, answers, changes, and what is taken back', async () => {
      for (const name of ['one', 'two']) {
        folder().write(`${name}/conf/httpd.conf`, ROOT.replace('/etc/httpd', folder().at(name)));
        folder().write(`${name}/conf.d/l.conf`, LATIN1);
      }
      folder().write('two/.httpd-upgrade.json', JSON.stringify({ answers: { [QUESTION]: 'none' } }));
      const texts = () => ['one/conf/httpd.conf', 'two/conf/httpd.conf'].map((name) => folder().text(name));
      const [one, two] = texts();
      await start({ ...OURS, folders: [uri('one'), uri('two')] });
      const { plan, configurations, uris } = await answer();
      assert.deepEqual(
        plan.configurations.map(({ root, ready, waiting, questions }) => [
          root,
          ready.length,
          waiting.length,
          questions.find(({ id }) => id === QUESTION)!.answer,
        ]),
        [
          ['one/conf/httpd.conf', 3, 2, null],
          ['two/conf/httpd.conf', 4, 1, 'none'],
        ],
      );
      assert.deepEqual(
        configurations.map(({ answersIn, answers }) => [answersIn, answers.length]),
        [
          [uri('one/.httpd-upgrade.json'), 0],
          [uri('two/.httpd-upgrade.json'), 1],
        ],
      );
      assert.equal(uris['one/conf.d/l.conf'], uri('one/conf.d/l.conf'));
      assert.equal(uris['two/conf.d/l.conf'], uri('two/conf.d/l.conf'));
      const rename = plan.configurations[1].ready.find(
        ({ title }) => title === 'Rename MaxClients to MaxRequestWorkers',
      )!;
      const first = await planned({ root: uri('two/conf/httpd.conf'), items: [rename] });
      await client.connection.sendRequest('httpdUpgrade/applyConversion', { id: first.id });
      assert.deepEqual(texts(), [one, two.replace('MaxClients', 'MaxRequestWorkers')]);
      const shown = await planned({ root: uri('one/conf/httpd.conf') });
      assert.deepEqual(
        shown.files.map(({ name }) => name),
        ['one/conf/httpd.conf', 'one/conf.d/l.conf'],
      );
      await client.connection.sendRequest('httpdUpgrade/applyConversion', { id: shown.id });
      assert.equal(folder().text('two/conf/httpd.conf'), two.replace('MaxClients', 'MaxRequestWorkers'));
      assert.deepEqual(folder().bytes('two/conf.d/l.conf'), LATIN1);
      assert.deepEqual(folder().bytes('one/conf.d/l.conf'), LATIN1_AFTER);
      const [converted] = texts();
      await client.connection.sendRequest('httpdUpgrade/undoConversion', { id: first.id });
      assert.deepEqual(texts(), [converted, two], 'the one that is named');
      await client.connection.sendRequest('httpdUpgrade/undoConversion', {});
      assert.deepEqual(texts(), [one, two], 'the last one that is left');
      assert.equal(
        (await client.connection.sendRequest<ChangeOutcome>('httpdUpgrade/undoConversion', {})).isDone,
        false,
      );
    });

    it('says why there is none in restricted mode', async () => {
      await start({ initializationOptions: { client: 'httpd-upgrade', trusted: false } });
      assert.match(
        ((await client.connection.sendRequest('httpdUpgrade/plan', {})) as NoPlan).nothing,
        /restricted mode/,
      );
      const verdict = await client.connection.sendRequest<NoPlan>('httpdUpgrade/verify', {
        uri: uri('conf/httpd.conf'),
        httpd: folder().at('never'),
      });
      assert.equal(verdict.nothing, 'In restricted mode, no program can run.');
    });

    it('is left off when a person cancels it, at once, and made for the next who asks', async () => {
      await start();
      const cancel = new CancellationTokenSource();
      const asked = client.connection.sendRequest('httpdUpgrade/plan', {}, cancel.token);
      cancel.cancel();
      await assert.rejects(asked, { code: LSPErrorCodes.RequestCancelled });
      assert.equal((await answer()).plan.configurations.length, 1);
    });

    it('is made for who asks, without a limit, while changes start plans that have one', async () => {
      // More file-system queries than a plan without a request may make.
      for (let i = 0; i < 2_500; i++) mkdirSync(folder().at(`large/d${i}`), { recursive: true });
      folder().write('conf/httpd.conf', `${folder().text('conf/httpd.conf')}IncludeOptional large/*/*.conf\n`);
      await start();
      const asked = answer();
      for (let i = 0; i < 20; i++) {
        await client.connection.sendNotification('workspace/didChangeConfiguration', { settings: null });
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      assert.equal((await asked).plan.configurations.length, 1);
    }).timeout(60_000);

    it('changes nothing when a person cancels while it is applied', async () => {
      await start();
      await client.open(uri('conf/httpd.conf'), folder().text('conf/httpd.conf'));
      const original = folder().text('conf/httpd.conf');
      const { id } = await planned({ root: uri('conf/httpd.conf') });
      const cancel = new CancellationTokenSource();
      const asked = client.connection.sendRequest<ChangeOutcome>('httpdUpgrade/applyConversion', { id }, cancel.token);
      cancel.cancel();
      assert.deepEqual(await asked, {
        message: 'Nothing was changed: you cancelled it.',
        isDone: false,
        unsaved: [],
      });
      assert.deepEqual(folder().bytes('conf.d/l.conf'), LATIN1);
      assert.equal(client.text(uri('conf/httpd.conf')), original);
      assert.equal((await apply({ root: uri('conf/httpd.conf') })).isDone, true);
    });

    it('ends the httpd that reads the configuration when a person cancels', async function () {
      needs(this, '/bin/sh');
      folder().write(
        'slow-httpd',
        `#!/bin/sh
case "$1" in
-V) echo 'Server version: Apache/2.4.62 (Unix)' ;;
-l) ;;
*) echo $$ > '${folder().at('pid')}.new'; mv '${folder().at('pid')}.new' '${folder().at('pid')}'; exec sleep 600 ;;
esac
`,
      );
      chmodSync(folder().at('slow-httpd'), 0o755);
      await start();
      const cancel = new CancellationTokenSource();
      const asked = client.connection.sendRequest(
        'httpdUpgrade/verify',
        { uri: uri('conf/httpd.conf'), httpd: folder().at('slow-httpd') },
        cancel.token,
      );
      const isSoon = async (test: () => boolean) => {
        while (!test()) await new Promise((resolve) => setTimeout(resolve, 20));
      };
      await isSoon(() => existsSync(folder().at('pid')));
      cancel.cancel();
      await assert.rejects(asked, { code: LSPErrorCodes.RequestCancelled });
      const pid = Number(folder().text('pid'));
      await isSoon(() => {
        try {
          process.kill(pid, 0);
          return false;
        } catch {
          return true;
        }
      });
    });

    for (const transport of ['worker', 'stdio'] as const)
      it(`is there where no folder is on a disk and files come from the client: ${transport}`, async () => {
        const files = {
          'vscode-vfs://github/a/b/conf/httpd.conf': ROOT,
          'vscode-vfs://github/a/b/conf.d/l.conf': 'MaxRequestsPerChild 10\n',
        };
        await start({ ...OURS, transport, folders: ['vscode-vfs://github/a/b'], files });
        const { plan } = await answer();
        assert.deepEqual(
          plan.configurations.map(({ root }) => root),
          ['conf/httpd.conf'],
        );
        assert.ok(plan.configurations[0].ready.some(({ rule }) => rule === 'max-clients'));
        assert.deepEqual(
          plan.configurations[0].questions.map(({ id }) => id),
          [QUESTION],
        );
        const texts: Record<string, string> = files;
        client.connection.onRequest(
          'httpdUpgrade/writeFile',
          ({ uri: name, content }: { uri: string; content: string }): { error?: string } => {
            if (name.endsWith('/httpd.conf')) return { error: 'is read-only' };
            texts[name] = Buffer.from(content, 'base64').toString();
            return {};
          },
        );
        // All or nothing here, too.
        assert.match((await apply({})).message, /^Nothing was changed: conf\/httpd\.conf is read-only\.$/);
        assert.equal(texts['vscode-vfs://github/a/b/conf.d/l.conf'], 'MaxRequestsPerChild 10\n');
        assert.equal((await apply({ file: 'vscode-vfs://github/a/b/conf.d/l.conf' })).isDone, true);
        assert.equal(texts['vscode-vfs://github/a/b/conf.d/l.conf'], 'MaxConnectionsPerChild 10\n');
        // What needs a disk says so.
        const root = 'vscode-vfs://github/a/b/conf/httpd.conf';
        const verdict = await client.connection.sendRequest<NoPlan>('httpdUpgrade/verify', { uri: root, httpd: '' });
        assert.equal(verdict.nothing, 'No program can run here.');
      });

    it('plans the folder on the disk where another one is not on a disk; there it checks what is open', async () => {
      const there = 'vscode-vfs://github/a/b/conf/httpd.conf';
      const files = { [there]: 'ServerRoot "/etc/httpd"\nListen 80\nMaxClients 10\n' };
      await start({ ...OURS, folders: [uri('.'), 'vscode-vfs://github/a/b'], files });
      const before = await answer();
      assert.deepEqual(
        before.configurations.map((each) => each.uri),
        [uri('conf/httpd.conf')],
      );
      await client.open(there, files[there]);
      assert.ok((await client.diagnostics(there)).some(({ code }) => code === 'max-clients'));
      // The files around it are unknown: the plan does not include it, and changes nothing there.
      assert.deepEqual((await answer()).configurations, before.configurations);
      assert.equal((await apply({})).message, 'Applied 3 changes in 2 files.');
      assert.equal(client.text(there), files[there]);
      assert.doesNotMatch(folder().text('conf/httpd.conf'), /MaxClients/);
    });

    it('says that there is nothing to report where no configuration is', async () => {
      await start({ ...OURS, folders: [uri('nothing')] });
      const said = await client.connection.sendRequest<NoPlan>('httpdUpgrade/report', { format: 'markdown' });
      assert.equal(said.nothing, 'There is no httpd configuration in this workspace.');
    });
  }),
);
