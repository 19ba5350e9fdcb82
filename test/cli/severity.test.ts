/** A safe fix never makes anything worse: no finding becomes an error. */
import assert from 'node:assert/strict';
import { withFolder } from './run';

const HOST = '<Directory /srv/a>\n    Order allow,deny\n    Allow from all\n</Directory>\n';
const MAIN = `ServerRoot "/etc/httpd"
Listen 80
ServerName a
LoadModule mpm_prefork_module modules/mod_mpm_prefork.so
LoadModule authz_host_module modules/mod_authz_host.so
LoadModule auth_basic_module modules/mod_auth_basic.so
LoadModule log_config_module modules/mod_log_config.so
User apache
Include conf.d/*.conf
DocumentRoot /srv/a
<Directory />
    AllowOverride None
    Order deny,allow
    Deny from all
</Directory>
`;

describe(
  'severity',
  withFolder((folder) => {
    it('of access lines does not jump when a safe fix loads the modules that 2.4 needs', async () => {
      folder().write('conf/httpd.conf', MAIN);
      folder().write('conf.d/a.conf', HOST);
      const errors = async () => {
        const { out } = await folder().run([
          'check',
          '--format',
          'json',
          '--server-root',
          '.',
          'conf/httpd.conf',
          'conf.d',
        ]);
        const { files } = JSON.parse(out) as { files: { findings: { severity: string; rule: string }[] }[] };
        return files
          .flatMap(({ findings }) => findings)
          .filter(({ severity, rule }) => severity === 'error' && rule === 'order-allow-deny').length;
      };
      const before = await errors();
      assert.ok(before > 0, 'known from the beginning');
      const load = (name: string) =>
        folder().write(
          'conf/httpd.conf',
          folder().text('conf/httpd.conf').replace('User', `LoadModule ${name}_module modules/mod_${name}.so\nUser`),
        );
      for (const name of ['authz_core', 'authn_core', 'unixd']) {
        load(name);
        assert.ok((await errors()) <= before, name);
      }
      load('access_compat');
      assert.equal(await errors(), 0);
    });
  }),
);
