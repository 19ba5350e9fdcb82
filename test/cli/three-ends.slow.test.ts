/**
 * The three final states of an upgrade, on a real httpd: blocking, steps, accepted. A green state
 * is true.
 */
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import type { UpgradePlan } from '../../server/src/analysis/upgrade-plan';
import type { PlanReply } from '../../server/src/lsp/plans';
import type { VerifyReply } from '../../server/src/lsp/verify';
import { findHttpd, requireHttpd } from '../httpd/harness';
import { Client } from '../lsp/client';
import { DEBIAN6 } from '../support/debian6';
import { withFolder } from './run';

const OLD = `ServerRoot "/etc/httpd"
Listen 127.0.0.1:8080
ServerName localhost
LoadModule mpm_prefork_module modules/mod_mpm_prefork.so
LoadModule authz_core_module modules/mod_authz_core.so
LoadModule authz_host_module modules/mod_authz_host.so
LoadModule unixd_module modules/mod_unixd.so
LoadModule mime_module modules/mod_mime.so
LoadModule dir_module modules/mod_dir.so
DocumentRoot "/var/www/html"
DefaultType text/plain
SSLMutex default
`;
const NEW = OLD.replace('DefaultType text/plain\nSSLMutex default\n', '');

describe(
  'the three ends of an upgrade',
  withFolder((folder) => {
    before(function () {
      requireHttpd(this);
    });

    const state = async (name = 'httpd.conf') => {
      const { out } = await folder().run(['plan', '--format', 'json', '--answer', 'defaults=2.4', '.']);
      const { configurations } = JSON.parse(out) as UpgradePlan;
      return configurations.find(({ root }) => root.endsWith(name))!.state;
    };
    const verify = (name = 'httpd.conf', ...more: string[]) =>
      folder().run(['verify', '--httpd', findHttpd()!.binary, ...more, name]);

    it('are blocking before the fixes, steps after them, accepted once httpd -t has read these very files', async () => {
      folder().write('httpd.conf', OLD);
      assert.equal(await state(), 'blocking');
      assert.equal((await verify()).code, 1);
      assert.equal(await state(), 'blocking');
      folder().write('httpd.conf', NEW);
      assert.equal(await state(), 'steps', 'nobody has asked httpd -t');
      const said = await verify();
      assert.equal(said.code, 0, said.out + said.err);
      assert.equal(await state(), 'accepted');
      const text = await folder().run(['plan', '--answer', 'defaults=2.4', '.']);
      assert.match(text.out, /^ {2}httpd -t accepts it\.$/m);
      folder().write('httpd.conf', `${NEW}# a comment\n`);
      assert.equal(await state(), 'steps', 'a later change takes the green away');
      folder().write('httpd.conf', NEW);
      assert.equal(await state(), 'accepted', 'the very files that were read');
      folder().write('httpd.conf', `${NEW}Nonsense on\n`);
      assert.equal((await verify()).code, 1);
      folder().write('httpd.conf', NEW);
      assert.equal(await state(), 'steps', 'the last check failed');
    });

    it('are not accepted by a change of an included file, nor of another file with the same text', async () => {
      folder().write('conf/httpd.conf', `${NEW}Include conf.d/*.conf\n`);
      folder().write('conf.d/a.conf', 'Timeout 60\n');
      folder().write('conf.d/b.conf', 'KeepAlive On\n');
      const said = await verify('conf/httpd.conf');
      assert.equal(said.code, 0, said.out + said.err);
      assert.equal(await state(), 'accepted');
      folder().write('conf.d/a.conf', 'KeepAlive On\n');
      folder().write('conf.d/b.conf', 'Timeout 60\n');
      assert.equal(await state(), 'steps');
    });

    it('are refused for a directive of a known module that no line loads', async () => {
      const lines = 'LoadModule stranger_module modules/mod_stranger.so\nMonoApplications "/:/srv"\nStrangerThing on\n';
      folder().write('httpd.conf', `${NEW}${lines}`);
      const { code, out } = await folder().run(['verify', 'httpd.conf']);
      assert.equal(code, 1);
      assert.match(out, /error: Invalid command 'MonoApplications'/);
      assert.match(
        out,
        /not checked: this directive is unknown here; it can belong to mod_stranger, which is not installed here/,
      );
    });

    it('are not accepted while a line was not checked: a module that is not installed here', async () => {
      folder().write('httpd.conf', `${NEW}LoadModule stranger_module modules/mod_stranger.so\n`);
      const said = await verify();
      assert.equal(said.code, 0, said.out);
      assert.match(said.out, /mod_stranger\.so is not installed here/);
      assert.equal(await state(), 'steps');
    });

    it('names the steps that errors come from, and is not ready while a2enmod is outstanding', async () => {
      for (const [name, text] of Object.entries(DEBIAN6)) folder().write(name, text);
      await folder().run(['fix', '--write', '--answer', 'mpm=prefork', '--answer', 'defaults=2.4', '.']);
      const { out } = await folder().run(['plan', '--answer', 'mpm=prefork', '--answer', 'defaults=2.4', '.']);
      assert.match(out, /^ {2}Ready after \d+ steps on the server\./m);
      assert.match(out, /a2enmod mpm_prefork/);
      const said = await verify('apache2/apache2.conf', '--answer', 'mpm=prefork', '--format', 'json');
      const { problems } = JSON.parse(said.out) as { problems: { step?: { id: string } }[] };
      assert.ok(problems.length > 10);
      assert.deepEqual(
        problems.filter(({ step }) => step?.id !== 'enable-modules'),
        [],
      );
      assert.match(
        (await verify('apache2/apache2.conf', '--answer', 'mpm=prefork')).out,
        /All of them come from steps/,
      );
      assert.equal(await state('apache2.conf'), 'steps');
    });

    it('are the same in the editor: a check of one is known to the other, and steps that are done are checked with', async () => {
      for (const [name, text] of Object.entries(DEBIAN6)) folder().write(name, text);
      folder().write('.httpd-upgrade.json', '{"answers":{"mpm":"prefork","defaults":"2.4"}}');
      await folder().run(['fix', '--write', '.']);
      const uri = (name: string) => pathToFileURL(folder().at(name)).href;
      const client = await Client.start({
        folders: [uri('.')],
        initializationOptions: { client: 'httpd-upgrade', trusted: true },
      });
      const main = uri('apache2/apache2.conf');
      const plan = async () => {
        const answer = await client.connection.sendRequest<PlanReply>('httpdUpgrade/plan', {});
        return answer.plan.configurations[answer.configurations.findIndex((each) => each.uri === main)]!;
      };
      const check = () =>
        client.connection.sendRequest<VerifyReply>('httpdUpgrade/verify', { uri: main, httpd: findHttpd()!.binary });
      const before = await check();
      assert.deepEqual([before.problems.length > 10, before.problems.filter(({ step }) => !step).length], [true, 0]);
      assert.equal((await plan()).state, 'steps');
      const commands = (await plan()).onServer.flatMap((item) => item.commands ?? []);
      await client.connection.sendNotification('httpdUpgrade/ran', { commands });
      const after = await check();
      assert.deepEqual(after.problems, []);
      assert.equal((await plan()).state, 'accepted');
      await client.connection.sendNotification('httpdUpgrade/ran', { commands: [] });
      assert.equal((await plan()).state, 'steps', 'a tick that is taken back takes the green away');
      assert.equal(await state('apache2.conf'), 'steps', 'the files alone were not accepted');
      await client.stop();
    });

    it('are accepted without a module of others once the step that installs it is done', async () => {
      folder().write('httpd.conf', `${NEW}LoadModule stranger_module modules/mod_stranger.so\n`);
      folder().write('.httpd-upgrade.json', '{"answers":{"defaults":"2.4"}}');
      const uri = pathToFileURL(folder().at('httpd.conf')).href;
      const client = await Client.start({
        folders: [pathToFileURL(folder().path).href],
        initializationOptions: { client: 'httpd-upgrade', trusted: true },
      });
      const now = async () =>
        (await client.connection.sendRequest<PlanReply>('httpdUpgrade/plan', {})).plan.configurations[0]!;
      const check = async () => {
        const { binary } = findHttpd()!;
        return client.connection.sendRequest<VerifyReply>('httpdUpgrade/verify', { uri, httpd: binary });
      };
      assert.deepEqual([(await check()).accepted, (await now()).state], [false, 'steps']);
      await client.connection.sendNotification('httpdUpgrade/ran', { commands: ['rebuilt-modules'] });
      assert.deepEqual([(await check()).accepted, (await now()).state], [true, 'accepted']);
      await client.connection.sendNotification('httpdUpgrade/ran', { commands: [] });
      assert.equal((await now()).state, 'steps', 'the tick is taken back');
      // Of a directive that no module here has, nothing is known.
      folder().write('httpd.conf', `${NEW}LoadModule stranger_module modules/mod_stranger.so\nStrangerDirective On\n`);
      const changes = [{ uri, type: 2 }];
      await client.connection.sendNotification('workspace/didChangeWatchedFiles', { changes });
      await client.connection.sendNotification('httpdUpgrade/ran', { commands: ['rebuilt-modules'] });
      assert.equal((await check()).accepted, false);
      await client.stop();
    });

    it('knows in the editor what the command line has checked, until a line is typed', async () => {
      folder().write('httpd.conf', NEW);
      folder().write('.httpd-upgrade.json', '{"answers":{"defaults":"2.4"}}');
      assert.equal((await verify()).code, 0);
      const uri = pathToFileURL(folder().at('httpd.conf')).href;
      const client = await Client.start({
        folders: [pathToFileURL(folder().path).href],
        initializationOptions: { client: 'httpd-upgrade', trusted: true },
      });
      const now = async () =>
        (await client.connection.sendRequest<PlanReply>('httpdUpgrade/plan', {})).plan.configurations[0]!.state;
      assert.equal(await now(), 'accepted');
      await client.open(uri, `${NEW}# typed\n`);
      assert.equal(await now(), 'steps');
      await client.stop();
    });
  }),
);
