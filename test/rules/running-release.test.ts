/**
 * With a release of 2.4 that runs now, only later changes are problems. The configuration has a
 * line for each change before 2.4.6 that is no error, and lists all that may be said of it.
 */
import assert from 'node:assert/strict';
import { parseTarget } from '../../server/src/config/target';
import { listed } from '../support/configurations';
import { annotated } from '../support/rules';

const SERVER = `ServerRoot "/etc/httpd"
Include conf.modules.d/*.conf
LoadModule passenger_module modules/mod_passenger.so
LoadModule alias_module modules/mod_alias.so
LoadModule authz_host_module modules/mod_authz_host.so
LoadModule proxy_module modules/mod_proxy.so
LoadModule proxy_balancer_module modules/mod_proxy_balancer.so
User apache
Listen 80
DefaultType text/plain
MaxClients 150
NameVirtualHost *:80
AddHandler server-parsed .shtml
AddOutputFilter INCLUDES .shtml
CustomLog "|/bin/cat >> /var/log/httpd/all_log" common
CacheEnable mem /
SSLCARevocationFile /etc/httpd/crl.pem
SSLRequire %{SSL_CLIENT_S_DN} eq "/CN=a"
SSLProxyEngine On
Alias /icons/ "/var/www/icons/"
<Directory "/var/www/icons">
    Order allow,deny
    Allow from all
</Directory>
<IfModule mod_disk_cache.c>
    CacheRoot /var/cache/httpd
</IfModule>
<IfModule mod_authz_core.c>
    <Location /a>
        Require local
    </Location>
</IfModule>
`;

/** What is said of the lines of the file by itself, and of the configuration. */
function said(accessSource: string): string[] {
  const ofLines = annotated(SERVER, { accessSource })
    .split('\n')
    .flatMap((row) => /^#[ ^]*\^ (.*)/.exec(row)?.[1] ?? []);
  const files = { '/etc/httpd/conf/httpd.conf': SERVER, '/etc/httpd/conf.modules.d/00-base.conf': 'Timeout 60\n' };
  return [...ofLines, ...listed(files, { accessSource }).map((row) => row.replace(/^.*?: /, ''))].filter(
    (row) => !row.includes('path-missing/'),
  );
}

describe('a server that runs a release of 2.4', () => {
  it('2.4.6: what is no error and came before is not reported', () => {
    assert.deepEqual(said('2.4.6'), [
      // This server, too, ignores its lists.
      'warning ssl-crl-check/not-checked suggestion',
      'info order-allow-deny/access suggestion',
      'hint changed-defaults/defaults suggestion',
    ]);
  });

  it('2.2: all of it is reported', () => {
    assert.deepEqual(said('2.2'), [
      'warning third-party-module/known none',
      'warning default-type/ignored safe',
      'info max-clients/renamed safe',
      'warning name-virtual-host/ignored suggestion',
      'hint ssi-expression/conditions none',
      'warning piped-log/needs-shell safe',
      'warning mem-cache/cache-enable suggestion',
      'warning ssl-crl-check/not-checked suggestion',
      'warning ssl-dn-format/dn suggestion',
      'warning order-allow-deny/access suggestion',
      'warning ifmodule-renamed/renamed suggestion',
      'info condition-one-version/gained none',
      'hint changed-defaults/defaults suggestion',
      'hint missing-module/built-in suggestion',
      'warning package-path/directory suggestion',
    ]);
  });

  it('later changes are reported also for files of 2.4', () => {
    const text = '<FilesMatch "\\.bak$">\n    Require all denied\n</FilesMatch>\n';
    const has = (accessSource: string) =>
      annotated(text, { accessSource, target: parseTarget('2.4')! }).includes('pattern-difference');
    assert.deepEqual([has('2.4.6'), has('2.4.62')], [true, false]);
  });
});
