/**
 * Servers of IBM and Oracle, which are builds of httpd with modules of their own. The lines are in
 * the form of the vendors' documentation.
 */
import assert from 'node:assert/strict';
import type { UpgradePlan } from '../../server/src/analysis/upgrade-plan';
import { withFolder } from './run';

const IHS = `ServerRoot "/opt/IBM/HTTPServer"
Listen 80
LoadModule authz_host_module modules/mod_authz_host.so
LoadModule auth_basic_module modules/mod_auth_basic.so
LoadModule log_config_module modules/mod_log_config.so
LoadModule dir_module modules/mod_dir.so
LoadModule alias_module modules/mod_alias.so
LoadModule mime_module modules/mod_mime.so
LoadModule ibm_ssl_module modules/mod_ibm_ssl.so
LoadModule was_ap22_module /opt/IBM/WebSphere/Plugins/bin/64bits/mod_was_ap22_http.so
WebSpherePluginConfig /opt/IBM/WebSphere/Plugins/config/webserver1/plugin-cfg.xml
<Directory />
    AllowOverride None
    Order deny,allow
    Deny from all
</Directory>
Listen 443
<VirtualHost *:443>
    SSLEnable
    SSLProtocolDisable SSLv2
    SSLServerCert default
    SSLCipherSpec 3A
</VirtualHost>
Keyfile /opt/IBM/HTTPServer/ihsserverkey.kdb
`;

const OHS = `ServerRoot "/u01/instances/instance1/config/OHS/ohs1"
Listen 7777
LoadModule authz_host_module "\${ORACLE_HOME}/ohs/modules/mod_authz_host.so"
LoadModule auth_basic_module "\${ORACLE_HOME}/ohs/modules/mod_auth_basic.so"
LoadModule mime_module "\${ORACLE_HOME}/ohs/modules/mod_mime.so"
LoadModule dir_module "\${ORACLE_HOME}/ohs/modules/mod_dir.so"
LoadModule alias_module "\${ORACLE_HOME}/ohs/modules/mod_alias.so"
LoadModule onsint_module "\${ORACLE_HOME}/ohs/modules/mod_onsint.so"
LoadModule weblogic_module "\${ORACLE_HOME}/ohs/modules/mod_wl_ohs.so"
LoadModule ossl_module "\${ORACLE_HOME}/ohs/modules/mod_ossl.so"
<Directory />
    AllowOverride None
    Order deny,allow
    Deny from all
</Directory>
<IfModule ossl_module>
    Listen 4443
    SSLSessionCache "shmcb:/u01/logs/ssl_scache(512000)"
    SSLMutex none
    <VirtualHost *:4443>
        SSLEngine on
        SSLProtocol nzos_Version_1_0 nzos_Version_3_0
        SSLCipherSuite SSL_RSA_WITH_RC4_128_SHA
        SSLWallet /u01/keystores/default
    </VirtualHost>
</IfModule>
`;

describe(
  'servers of IBM and Oracle',
  withFolder((folder) => {
    const rulesIn = async (text: string): Promise<string[]> => {
      folder().write('conf/httpd.conf', text);
      const { out } = await folder().run(['check', '--format', 'json', 'conf/httpd.conf']);
      const { files } = JSON.parse(out) as {
        files: { findings: { rule: string; range: { start: { line: number } } }[] }[];
      };
      const lines = text.split('\n');
      return files.flatMap(({ findings }) =>
        findings.map(({ rule, range }) => `${rule}: ${lines[range.start.line]!.trim()}`),
      );
    };
    const tasks = async (text: string): Promise<string[]> => {
      folder().write('conf/httpd.conf', text);
      const { out } = await folder().run(['plan', '--format', 'json', 'conf/httpd.conf']);
      return (JSON.parse(out) as UpgradePlan).configurations.flatMap(({ onServer }) => onServer.map(({ id }) => id));
    };

    it('IBM: modules of its next release are no problem, the plug-in gets its name for 2.4', async () => {
      const found = await rulesIn(IHS);
      assert.deepEqual(
        found.filter((each) => /ibm_ssl|SSL|Keyfile|WebSphere/i.test(each)),
        ['third-party-module: LoadModule was_ap22_module /opt/IBM/WebSphere/Plugins/bin/64bits/mod_was_ap22_http.so'],
      );
      assert.ok((await tasks(IHS)).includes('ibm-http-server'));
      await folder().run(['fix', '--write', '--unsafe', 'conf/httpd.conf']);
      assert.match(
        folder().text('conf/httpd.conf'),
        /^LoadModule was_ap24_module \/opt\/IBM\/WebSphere\/Plugins\/bin\/64bits\/mod_was_ap24_http\.so$/m,
      );
    });

    it('Oracle: directives of mod_ossl are not judged by the rules of mod_ssl', async () => {
      const found = await rulesIn(OHS);
      assert.deepEqual(
        found.filter((each) => /ossl|SSL|onsint|weblogic/i.test(each)),
        [],
      );
      assert.ok((await tasks(OHS)).includes('oracle-http-server'));
    });

    it('the same lines with mod_ssl are judged', async () => {
      const found = await rulesIn(
        OHS.replaceAll('${ORACLE_HOME}/ohs/', '')
          .replace(/ossl/g, 'ssl')
          .replace(/^.*(onsint|wl_ohs).*\n/gm, ''),
      );
      assert.ok(found.includes('invalid-value: SSLProtocol nzos_Version_1_0 nzos_Version_3_0'), found.join('\n'));
      assert.ok(found.includes('mutex-directive: SSLMutex none'));
    });

    it('access control is converted', async () => {
      for (const text of [IHS, OHS]) {
        folder().write('conf/httpd.conf', text);
        await folder().run(['fix', '--write', 'conf/httpd.conf']);
        assert.match(folder().text('conf/httpd.conf'), /^ {4}Require all denied$/m);
      }
    });
  }),
);
