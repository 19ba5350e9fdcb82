/** `check` and `fix` of whole configurations: results that depend on several files. */
import assert from 'node:assert/strict';
import { withFolder } from './run';

const MODULES = ['authz_core', 'authz_host', 'authn_core', 'dir', 'mime', 'ssl', 'unixd', 'mpm_event']
  .map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`)
  .join('');
const ROOT =
  `ServerRoot "/etc/httpd"\nListen 80\nServerName localhost\nTimeout 60\nEnableSendfile Off\nFileETag None\nLimitRequestBody 0\nMaxConnectionsPerChild 0\nMaxMemFree 0\nDocumentRoot /srv\n<Directory />\nOptions None\nAllowOverride None\n</Directory>\n${MODULES}` +
  'Include conf.d/*.conf\nInclude empty.d/*.conf\n';
const SITE = 'SSLSessionCache shmcb:/run/httpd/cache(512000)\n<Location /a>\n  Require valid-user\n</Location>\n';

describe(
  'check and fix of a whole configuration',
  withFolder((folder) => {
    function tree(): void {
      folder().write('etc/httpd/conf/httpd.conf', ROOT);
      folder().write('etc/httpd/conf.d/site.conf', SITE);
      folder().write('etc/httpd/empty.d/README', '');
    }

    it('finds conf.d beside the main file of a copy, if it is not in the ServerRoot', async () => {
      const order = '<Location /old>\n  Order allow,deny\n</Location>\n';
      folder().write('conf/httpd.conf', 'ServerRoot "/etc/no-httpd"\nListen 80\nIncludeOptional conf.d/*.conf\n');
      folder().write('conf/conf.d/x.conf', order);
      const check = () => folder().run(['check', '--fail-on', 'warning', 'conf/httpd.conf']);
      const { code, out } = await check();
      assert.deepEqual([code, /conf\/conf\.d\/x\.conf:2:3/.test(out)], [1, true], out);
      // A directory in the ServerRoot comes first.
      folder().write('conf.d/other.conf', '# nothing\n');
      assert.doesNotMatch((await check()).out, /order-allow-deny/);
      folder().write('conf/httpd.conf', `ServerRoot "${folder().path}"\nListen 80\nIncludeOptional none.d/*.conf\n`);
      folder().write('conf/none.d/x.conf', order);
      assert.doesNotMatch((await check()).out, /order-allow-deny/);
    });

    it('says of an answer that it is not for CI', async () => {
      const section = '<Location /admin>\n  Require all denied\n</Location>\n';
      const old = '<Location /admin/old>\n  Order allow,deny\n</Location>\n';
      folder().write('conf/httpd.conf', `ServerRoot "/etc/no-httpd"\nListen 80\n${section}${old}`);
      const { out } = await folder().run(['check', '--format', 'github', 'conf/httpd.conf']);
      assert.match(out, /--answer running-version=2\.4 \(not in CI: old lines then never fail\)/);
    });

    it('check says it of the file where it belongs, whatever was given', async () => {
      tree();
      for (const given of ['etc/httpd/conf/httpd.conf', 'etc/httpd']) {
        const { code, out } = await folder().run(['check', '--format', 'json', given]);
        const { files } = JSON.parse(out) as { files: { path: string; findings: { rule: string; fix: string }[] }[] };
        const found = files.flatMap(({ path, findings }) =>
          findings.map(({ rule, fix }) => `${path.replace(/.*\/(?=conf)/, '')} ${rule} ${fix}`),
        );
        assert.deepEqual(found.filter((row) => /missing|no-match/.test(row)).sort(), [
          'conf.d/site.conf missing-module safe',
          // Without mod_authz_user 2.2 denied every login.
          'conf.d/site.conf missing-module suggestion',
          'conf/httpd.conf include-no-match safe',
        ]);
        assert.equal(code, 1);
      }
    });

    it('fix writes into other files than the finding is in, and has nothing to do the second time', async () => {
      tree();
      const { out } = await folder().run(['fix', '--write', '--unsafe', 'etc/httpd/conf/httpd.conf']);
      assert.match(out, /^etc\/httpd\/conf\/httpd\.conf: \d fixes\n$/);
      const text = folder().text('etc/httpd/conf/httpd.conf');
      assert.match(
        text,
        /mod_ssl\.so\nLoadModule socache_shmcb_module modules\/mod_socache_shmcb\.so\n|mod_mpm_event\.so\nLoadModule socache_shmcb_module modules\/mod_socache_shmcb\.so\n/,
      );
      assert.match(text, /mod_authz_host\.so\nLoadModule authz_user_module modules\/mod_authz_user\.so\n/);
      assert.match(text, /^IncludeOptional empty\.d\/\*\.conf$/m);
      assert.equal(folder().text('etc/httpd/conf.d/site.conf'), SITE);
      const again = await folder().run(['fix', '--write', '--unsafe', 'etc/httpd/conf/httpd.conf']);
      assert.equal(again.out, '');
      assert.equal(folder().text('etc/httpd/conf/httpd.conf'), text);
      const { out: left } = await folder().run(['check', 'etc/httpd/conf/httpd.conf']);
      assert.doesNotMatch(left, /missing-module|include-no-match/);
    });

    it('what is missing is said once', async () => {
      tree();
      folder().write('etc/httpd/conf.d/more.conf', 'ExpiresActive On\n');
      const { out } = await folder().run(['check', '--format', 'github', 'etc/httpd/conf/httpd.conf']);
      for (const [file, line] of [
        ['site', 1],
        ['site', 3],
        ['more', 1],
      ]) {
        assert.equal(
          out.split('\n').filter((row) => row.includes(`${file}.conf`) && new RegExp(`line=${line}\\b`).test(row))
            .length,
          1,
          out,
        );
      }
    });

    it('old access lines are an error, once, where mod_access_compat is known to be missing', async () => {
      tree();
      await folder().run(['fix', '--write', 'etc/httpd/conf/httpd.conf']);
      folder().write(
        'etc/httpd/conf.d/old.conf',
        '<IfDefine X>\n<Location /b>\nOrder allow,deny\n</Location>\n</IfDefine>\n<Location /c>\nDeny from all\n</Location>\n',
      );
      const { out } = await folder().run(['check', '--format', 'github', 'etc/httpd/conf/httpd.conf']);
      const said = out
        .split('\n')
        .filter((row) => row.includes('old.conf'))
        .map((row) => `${/line=\d+/.exec(row)![0]} ${/^::(\w+)/.exec(row)![1]} ${/title=([\w-]+)/.exec(row)![1]}`);
      assert.deepEqual(said, ['line=3 warning order-allow-deny', 'line=7 error order-allow-deny']);
    });

    it('what a person said to be compiled in is not missing', async () => {
      tree();
      folder().write('etc/httpd/conf/httpd.conf', ROOT.replace(/LoadModule (unixd|mpm_event)_module .*\n/g, ''));
      const { out } = await folder().run(['check', 'etc/httpd/conf/httpd.conf']);
      assert.match(out, /mod_unixd/);
      assert.match(out, /MPM/);
      const told = await folder().run(['check', '--modules', 'unixd,mpm_event', 'etc/httpd/conf/httpd.conf']);
      assert.doesNotMatch(told.out, /missing-module\].*(mod_unixd|MPM)/);
    });

    it('what a person said has no MPM, and loads none, has none, in whatever layout', async () => {
      folder().write(
        'conf/httpd.conf',
        `ServerRoot /opt/web\nListen 80\n${['dir', 'mime', 'alias', 'env'].map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`).join('')}`,
      );
      const found = (out: string) =>
        [...out.matchAll(/^(error\[\S+\]): .*\n *--> (\S+)$/gm)].map(([, rule, place]) => `${place}: ${rule}`);
      const { out } = await folder().run(['check', '--modules', 'unixd', 'conf/httpd.conf']);
      assert.deepEqual(found(out), ['conf/httpd.conf:3:1: error[missing-module]']);
      assert.match(out, /will not start\n[^]*AH00534[^]*= message: No MPM loaded\./);
      assert.deepEqual(
        found((await folder().run(['check', '--modules', 'unixd,mpm_worker', 'conf/httpd.conf'])).out),
        [],
      );
    });

    it('what a person said to be compiled in does not tell for which version the modules of other people are', async () => {
      const lines = `ServerRoot /opt/web\nListen 80\n${['dir', 'mime', 'alias'].map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`).join('')}LoadModule jk_module modules/mod_jk.so\n`;
      folder().write('conf/httpd.conf', lines);
      assert.match(
        (await folder().run(['check', '--modules', 'upstream', 'conf/httpd.conf'])).out,
        /third-party-module/,
      );
      folder().write('conf/httpd.conf', `${lines}LoadModule authz_core_module modules/mod_authz_core.so\n`);
      assert.doesNotMatch(
        (await folder().run(['check', '--modules', 'upstream', 'conf/httpd.conf'])).out,
        /third-party-module/,
      );
    });

    it('a file by itself is not the whole of it', async () => {
      tree();
      const { out } = await folder().run(['check', 'etc/httpd/conf.d/site.conf']);
      assert.doesNotMatch(out, /missing-module/);
    });

    it('a rule can be switched off, and given another severity', async () => {
      tree();
      folder().write('.httpd-upgrade.json', '{ "severity": { "missing-module": "off", "include-no-match": "info" } }');
      const { out } = await folder().run(['check', 'etc/httpd/conf/httpd.conf']);
      assert.doesNotMatch(out, /missing-module/);
      assert.match(out, /info\[include-no-match\]/);
    });
  }),
);
