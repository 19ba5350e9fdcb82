/**
 * `.httpd-upgrade.json` and the command line: which one takes precedence, and the messages about
 * its mistakes.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { withFolder } from './run';

const OLD = 'MaxClients 1\n';
const OFF = JSON.stringify({ severity: { 'max-clients': 'off' } });

describe(
  '.httpd-upgrade.json on the command line',
  withFolder((folder) => {
    const check = async (...args: string[]) => {
      const { code, out, err } = await folder().run(['check', '--format', 'json', ...args]);
      const { files } = JSON.parse(out) as {
        files: { path: string; findings: { rule: string; severity: string }[] }[];
      };
      return {
        code,
        err,
        found: files.flatMap(({ path, findings }) =>
          findings.map(({ rule, severity }) => `${path}: ${rule} ${severity}`),
        ),
      };
    };

    it('counts for the files of its folder and below, the nearest alone', async () => {
      folder().write('.httpd-upgrade.json', OFF);
      folder().write('httpd.conf', OLD);
      folder().write('conf.d/a.conf', OLD);
      folder().write('sub/.httpd-upgrade.json', '{"severity": {"max-clients": "error"}}');
      folder().write('sub/conf.d/httpd.conf', OLD);
      assert.deepEqual(await check('httpd.conf', 'conf.d/a.conf', 'sub/conf.d/httpd.conf'), {
        code: 1,
        err: '',
        found: ['sub/conf.d/httpd.conf: max-clients error'],
      });
      assert.deepEqual((await check('.')).found, ['./sub/conf.d/httpd.conf: max-clients error']);
    });

    it('decides what is fixed', async () => {
      folder().write('.httpd-upgrade.json', OFF);
      folder().write('httpd.conf', `${OLD}MaxRequestsPerChild 1\n`);
      await folder().run(['fix', '--write', 'httpd.conf']);
      assert.equal(folder().text('httpd.conf'), 'MaxClients 1\nMaxConnectionsPerChild 1\n');
    });

    it('says the target; the option goes before it', async () => {
      folder().write('.httpd-upgrade.json', '{"target": "2.4.6"}');
      folder().write(
        'httpd.conf',
        '<IfVersion < 2.4.10>\nMaxClients 1\n</IfVersion>\n<IfVersion >= 2.4.10>\nSSLMutex default\n</IfVersion>\n',
      );
      assert.deepEqual((await check('httpd.conf')).found, ['httpd.conf: max-clients info']);
      assert.deepEqual((await check('--target', '2.4.10', 'httpd.conf')).found, ['httpd.conf: mutex-directive error']);
    });

    it('vouches that nothing else has a say in who has access', async () => {
      const old = '<Directory /srv>\nOrder allow,deny\nAllow from all\n</Directory>\n';
      folder().write('snippet.conf', old);
      const fixable = async () =>
        (
          JSON.parse((await folder().run(['check', '--format', 'json', 'snippet.conf'])).out) as {
            summary: { safe: number };
          }
        ).summary.safe > 0;
      assert.equal(await fixable(), false);
      folder().write('.httpd-upgrade.json', '{"assumeStandalone": true}');
      assert.equal(await fixable(), true);
    });

    it('says where the paths of a copied tree are', async () => {
      folder().write(
        'site/.httpd-upgrade.json',
        '{"serverRoot": "/etc/httpd", "pathMap": {"/etc/httpd": "conf", "/srv/www": "www"}}',
      );
      folder().write(
        'site/conf/httpd.conf',
        'PidFile run/httpd.pid\nDocumentRoot /srv/www\nInclude more/a.conf\n<Directory /srv/www>\nAllowOverride All\n</Directory>\n',
      );
      folder().write('site/conf/more/a.conf', OLD);
      folder().write('site/www/.htaccess', 'Order deny,allow\nDeny from all\n');
      const { found } = await check('site/conf/httpd.conf');
      assert.deepEqual(found.map((each) => each.replace(/^.*?site\//, '')).sort(), [
        'conf/more/a.conf: max-clients info',
        'www/.htaccess: order-allow-deny warning',
      ]);
    });

    describe('leads nowhere outside of its own directory', () => {
      const CONF = 'ServerRoot "/etc/httpd"\nInclude conf.d/a.conf\n';
      const written = async (settings: object, ...more: string[]) => {
        folder().write('outside/conf.d/a.conf', OLD);
        folder().write('site/httpd.conf', CONF);
        folder().write('site/.httpd-upgrade.json', `${JSON.stringify(settings)}\n`);
        const result = await folder().run(['fix', '--write', '--fail-on', 'never', ...more, 'site/httpd.conf']);
        return { ...result, isWritten: folder().text('outside/conf.d/a.conf') !== OLD };
      };

      it('by a path, an address, or a link', async () => {
        mkdirSync(folder().at('site/conf'), { recursive: true });
        symlinkSync('../../outside', folder().at('site/conf/link'));
        symlinkSync('../outside', folder().at('site/straight'));
        const outside = folder().at('outside');
        for (const to of [
          '../outside',
          'conf/../../outside',
          outside,
          `file://${outside}`,
          'straight',
          'straight/',
          'conf/link',
          './conf/link/.',
          '..',
          '../site/../outside',
          '..\\outside',
          'C:/outside',
          'C:outside',
          '//host/outside',
        ]) {
          for (const settings of [
            { pathMap: { '/etc/httpd': to } },
            { answers: { 'include-unseen:/etc/httpd': `here=${to}` } },
          ]) {
            const title = JSON.stringify(settings);
            const { code, err, isWritten } = await written(settings);
            assert.deepEqual([code, isWritten], [2, false], title);
            assert.match(
              err,
              /^httpd-upgrade: site\/\.httpd-upgrade\.json:1:\d+: ".*" leads out of the directory/m,
              title,
            );
          }
        }
      });

      it('by a map of the whole file system', async () => {
        const { code, isWritten, err } = await written({ pathMap: { '/': '../outside' } });
        assert.deepEqual([code, isWritten], [2, false]);
        assert.match(err, /leads out of the directory of this file/);
      });

      it('by a link below the directory that it names', async () => {
        mkdirSync(folder().at('site/etc'), { recursive: true });
        symlinkSync('../../outside/conf.d', folder().at('site/etc/conf.d'));
        const { isWritten } = await written({ pathMap: { '/etc/httpd': 'etc' } });
        assert.equal(isWritten, false);
        rmSync(folder().at('site/etc/conf.d'));
        symlinkSync('../more', folder().at('site/etc/conf.d'));
        folder().write('site/more/a.conf', OLD);
        await written({ pathMap: { '/etc/httpd': 'etc' } });
        assert.notEqual(folder().text('site/more/a.conf'), OLD, 'a link inside');
      });

      it('by such a link in a tree at its own place, which is no copy', async () => {
        folder().write('outside/conf.d/a.conf', OLD);
        mkdirSync(folder().at('site/etc'), { recursive: true });
        symlinkSync('../../outside/conf.d', folder().at('site/etc/conf.d'));
        folder().write('site/etc/own.conf', OLD);
        const place = folder().at('site');
        for (const [settings, include] of [
          [{ pathMap: { '/etc/other': 'etc' } }, '/etc/other'],
          [{ pathMap: { '/': 'etc' } }, ''],
          [{ answers: { 'include-unseen:/etc/other': 'here=etc' } }, '/etc/other'],
        ] as const)
          for (const first of ['PidFile x', `ServerRoot ${place}`]) {
            const title = JSON.stringify([settings, first]);
            folder().write('site/.httpd-upgrade.json', JSON.stringify(settings));
            folder().write(
              'site/httpd.conf',
              `${first}\nInclude ${include}/conf.d/a.conf\nInclude ${include}/own.conf\n`,
            );
            for (const args of [['fix', '--write', '--fail-on', 'never'], ['includes']]) {
              const { out } = await folder().run([...args, 'site/httpd.conf']);
              assert.equal(folder().text('outside/conf.d/a.conf'), OLD, title);
              assert.doesNotMatch(out, /outside/, title);
              assert.match(out, /own\.conf/, title);
            }
            folder().write('site/etc/own.conf', OLD);
          }
      });

      it('by its server root', async () => {
        folder().write('outside/conf.d/a.conf', OLD);
        folder().write('site/httpd.conf', 'PidFile x\nInclude conf.d/a.conf\n');
        const outside = folder().at('outside');
        for (const serverRoot of [
          outside,
          `/${outside}`,
          outside.replace(/\/(?=outside$)/, '//'),
          `${folder().at('site')}/../outside`,
          `${folder().at('site')}//../outside`,
          '/proc//self/cwd/outside',
          'outside',
          '../outside',
          '..//outside',
        ]) {
          folder().write('site/.httpd-upgrade.json', JSON.stringify({ serverRoot }));
          await folder().run(['fix', '--write', '--fail-on', 'never', 'site/httpd.conf']);
          assert.equal(folder().text('outside/conf.d/a.conf'), OLD, serverRoot);
        }
      });

      it('but --map, --answer and a directory below do', async () => {
        const { code, isWritten } = await written({}, '--map', `/etc/httpd=${folder().at('outside')}`);
        assert.deepEqual([code, isWritten], [0, true]);
        folder().write('site/etc/conf.d/a.conf', OLD);
        assert.equal((await written({ pathMap: { '/etc/httpd': folder().at('site/etc') } })).code, 0);
        assert.notEqual(folder().text('site/etc/conf.d/a.conf'), OLD);
      });
    });

    it('is no link out of its directory, except with --config', async () => {
      const REFUSED =
        'httpd-upgrade: site/.httpd-upgrade.json:1:1: This file is a link that leads out of its directory. Nothing in this file is used.\n';
      folder().write('outside.json', '{ "severity": { "max-clients": "off" }, "secret": 1 }');
      folder().write('site/a.conf', OLD);
      symlinkSync('../outside.json', folder().at('site/.httpd-upgrade.json'));
      const { code, err, found } = await check('site/a.conf');
      assert.deepEqual([code, err, found.length], [2, REFUSED, 1]);
      const fixed = await folder().run(['fix', '--write', 'site/a.conf']);
      assert.match(fixed.err, /nothing is written: the settings have mistakes/);
      assert.equal(folder().text('site/a.conf'), OLD);
      const named = await folder().run(['check', '--config', 'site/.httpd-upgrade.json', 'site/a.conf']);
      assert.match(named.err, /There is no setting "secret"/);
      rmSync(folder().at('site/.httpd-upgrade.json'));
      folder().write('site/team.json', '{ "severity": { "max-clients": "off" } }');
      symlinkSync('team.json', folder().at('site/.httpd-upgrade.json'));
      assert.deepEqual((await check('site/a.conf')).found, []);
    });

    it('is told of its mistakes once, and the run has failed; what is right holds', async () => {
      folder().write('.httpd-upgrade.json', '{\n  "severity": { "max-clients": "off", "default-typ": "off" }\n}');
      folder().write('a.conf', OLD);
      folder().write('b.conf', OLD);
      const { code, err, found } = await check('a.conf', 'b.conf');
      assert.deepEqual([code, found], [2, []]);
      assert.equal(
        err,
        'httpd-upgrade: .httpd-upgrade.json:2:39: There is no rule "default-typ". Did you mean "default-type"?\n',
      );
    });

    it('that is no JSON is named with the place', async () => {
      folder().write('.httpd-upgrade.json', '{\n  "target": "2.4",\n}\n');
      folder().write('a.conf', OLD);
      const { code, err } = await check('a.conf');
      assert.equal(code, 2);
      assert.equal(
        err,
        'httpd-upgrade: .httpd-upgrade.json:2:18: This is not JSON: a comma must not stand before the end. Nothing in this file is used.\n',
      );
    });

    it('is not waited for where it is a FIFO or a folder', async () => {
      folder().write('a.conf', OLD);
      spawnSync('mkfifo', [folder().at('.httpd-upgrade.json')]);
      assert.equal((await check('a.conf')).found.length, 1);
      folder().write('sub/.httpd-upgrade.json/x', '');
      folder().write('sub/a.conf', OLD);
      assert.equal((await check('sub/a.conf')).found.length, 1);
    });

    it('--distribution is one of three', async () => {
      folder().write('a.conf', 'ServerName a\n');
      assert.equal((await folder().run(['check', '--distribution', 'rhel', 'a.conf'])).code, 0);
      const { code, err } = await folder().run(['check', '--distribution', 'suse', 'a.conf']);
      assert.equal(code, 2);
      assert.match(err, /'suse' is invalid\. Allowed choices are debian, rhel, windows, ihs, ohs, upstream/);
    });
  }),
);
