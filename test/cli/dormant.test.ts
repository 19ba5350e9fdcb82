/** Files that no server reads: they are shown, ask nothing, and change only if somebody asks for that. */
import assert from 'node:assert/strict';
import type { ConfigurationPlan, UpgradePlan } from '../../server/src/analysis/upgrade-plan';
import { withFolder } from './run';

const ACCESS = '<Directory />\n    AllowOverride None\n    Order deny,allow\n    Deny from all\n</Directory>\n';
const MAIN = `ServerRoot "/etc/httpd"\nListen 80\nMaxClients 5\n${ACCESS}Include conf.d/*.conf\n`;

const ASIDE = [
  'etc/httpd/conf/httpd.conf.org',
  'etc/httpd/conf/httpd.conf.orig',
  'etc/httpd/conf/httpd.conf.bak',
  'etc/httpd/conf/httpd.conf~',
  'etc/httpd/conf/httpd.conf.save',
  'etc/httpd/conf/httpd.conf.rpmsave',
  'etc/httpd/conf/httpd.conf.rpmnew',
  'etc/httpd/conf/httpd.conf.dpkg-dist',
  'etc/httpd/conf/httpd.conf.dpkg-old',
  'etc/httpd/conf/httpd.conf.ucf-dist',
  'etc/httpd/conf/original/httpd.conf',
  'etc/httpd/conf/original/extra/httpd-mpm.conf',
  'etc/httpd/conf/keepalived.conf.bak',
];

describe(
  'files that no server reads',
  withFolder((folder) => {
    const planned = async (...args: string[]): Promise<readonly ConfigurationPlan[]> => {
      const { out, err } = await folder().run(['plan', '--format', 'json', ...args]);
      assert.notEqual(out, '', err);
      return (JSON.parse(out) as UpgradePlan).configurations;
    };
    const dormantIn = (plan: readonly ConfigurationPlan[]) =>
      plan.flatMap(({ dormant = [] }) => dormant.map(({ file }) => file)).sort();

    for (const file of ASIDE) {
      it(`${file} is no main file, and stays as it is unless somebody asks`, async () => {
        folder().write('etc/httpd/conf/httpd.conf', MAIN);
        const expected = await planned('.');
        folder().write(file, MAIN);
        const plan = await planned('.');
        assert.deepEqual(
          plan.map(({ root, questions, ready }) => [root, questions.map(({ id }) => id), ready.map((row) => row.file)]),
          expected.map(({ root, questions, ready }) => [
            root,
            questions.map(({ id }) => id),
            ready.map((row) => row.file),
          ]),
        );
        assert.deepEqual(dormantIn(plan), [file]);
        const lines = plan.flatMap(({ dormant = [] }) => dormant.map((each) => each.lines));
        assert.ok(lines[0] > 0, lines.join());
        await folder().run(['fix', '--write', '.']);
        assert.equal(folder().text(file), MAIN);
        assert.match(folder().text('etc/httpd/conf/httpd.conf'), /MaxRequestWorkers/);
        await folder().run(['fix', '--write', '--dormant', '.']);
        assert.match(folder().text(file), /MaxRequestWorkers 5/);
      });
    }

    it('a copy that the server reads is read, and one that is given by itself is looked at', async () => {
      folder().write('etc/httpd/conf/httpd.conf', `${MAIN}Include conf.d/*\n`);
      folder().write('etc/httpd/conf.d/old.conf.bak', 'MaxClients 5\n');
      assert.deepEqual(dormantIn(await planned('.')), []);
      await folder().run(['fix', '--write', '.']);
      assert.equal(folder().text('etc/httpd/conf.d/old.conf.bak'), 'MaxRequestWorkers 5\n');
      folder().write('httpd.conf.bak', 'MaxClients 5\n');
      await folder().run(['fix', '--write', 'httpd.conf.bak']);
      assert.equal(folder().text('httpd.conf.bak'), 'MaxRequestWorkers 5\n');
    });

    it('what the team says is not used is not, with its directories', async () => {
      folder().write('etc/httpd/conf/httpd.conf', MAIN);
      folder().write('etc/httpd/test/httpd.conf', MAIN);
      folder().write('.httpd-upgrade.json', '{ "unused": ["etc/httpd/test"] }');
      const plan = await planned('.');
      assert.deepEqual(
        [plan.map(({ root }) => root), dormantIn(plan)],
        [['etc/httpd/conf/httpd.conf'], ['etc/httpd/test/httpd.conf']],
      );
      await folder().run(['fix', '--write', '.']);
      assert.equal(folder().text('etc/httpd/test/httpd.conf'), MAIN);
    });

    it('so is a file beside a configuration that is all here and does not read it', async () => {
      folder().write('etc/httpd/conf/httpd.conf', MAIN);
      folder().write('etc/httpd/conf.d/a.conf', 'MaxClients 6\n');
      folder().write('etc/httpd/extra/httpd-userdir.conf', `MaxClients 5\n${ACCESS}`);
      assert.deepEqual(dormantIn(await planned('.')), ['etc/httpd/extra/httpd-userdir.conf']);
      await folder().run(['fix', '--write', '.']);
      assert.equal(folder().text('etc/httpd/extra/httpd-userdir.conf'), `MaxClients 5\n${ACCESS}`);
      assert.equal(folder().text('etc/httpd/conf.d/a.conf'), 'MaxRequestWorkers 6\n');
    });
  }),
);
