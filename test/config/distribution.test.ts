/** The detected layout of a configuration, and the facts about each layout. */
import assert from 'node:assert/strict';
import {
  detectDistribution,
  DISTRIBUTIONS,
  loadModuleLine,
  PROFILES,
  type Distribution,
  type DistributionClues,
} from '../../server/src/config/distribution';
import { module as moduleNamed } from '../../server/src/directives';

describe('distributions', () => {
  detects('debian', { files: ['/etc/apache2/apache2.conf'] });
  detects('debian', { files: ['/srv/backup/etc/apache2/mods-available/ssl.load'] });
  detects('debian', { files: ['sites-enabled/000-default.conf'] });
  detects('debian', { files: ['/tmp/httpd.conf'], loadModulePaths: ['/usr/lib/apache2/modules/mod_alias.so'] });
  detects('debian', {
    files: ['/srv/apache2/sites-enabled/a.conf', '/srv/apache2/httpd.conf'],
    loadModulePaths: ['modules/mod_a.so', '/usr/lib/apache2/modules/mod_alias.so'],
  });
  // Who likes Debian's names for the folders of virtual hosts makes such folders elsewhere, too.
  detects('rhel', { files: ['/etc/httpd/conf/httpd.conf', '/etc/httpd/sites-enabled/www.conf'] });
  detects('rhel', { files: ['/tmp/conf/httpd.conf', '/tmp/sites-enabled/www.conf'], serverRoot: '/etc/httpd' });
  detects('upstream', {
    files: ['/usr/local/apache2/conf/httpd.conf', '/usr/local/apache2/conf/sites-enabled/www.conf'],
  });
  detects(null, {
    files: ['/srv/conf/httpd.conf', '/srv/sites-enabled/www.conf'],
    loadModulePaths: ['modules/mod_unixd.so'],
  });
  for (const path of ['./apache/lib/modules/mod_alias.so', 'libexec/apache22/mod_alias.so'])
    detects(null, { files: ['/srv/httpd.conf', '/srv/mods-enabled/alias.load'], loadModulePaths: [path] });
  detects('debian', {
    files: ['/srv/httpd.conf', '/srv/mods-enabled/passenger.load'],
    loadModulePaths: ['/var/lib/gems/1.8/gems/passenger-3.0.9/ext/apache2/mod_passenger.so'],
  });
  detects('rhel', { files: ['/etc/httpd/conf/httpd.conf'] });
  detects('rhel', { files: ['/backup/conf.modules.d/00-base.conf'] });
  detects('rhel', { files: ['/tmp/httpd.conf'], serverRoot: '/etc/httpd' });
  detects('rhel', { files: ['/tmp/httpd.conf'], loadModulePaths: ['/usr/lib64/httpd/modules/mod_alias.so'] });
  detects('upstream', { files: ['/usr/local/apache2/conf/httpd.conf'] });
  detects('upstream', { files: ['/opt/web/conf/extra/httpd-ssl.conf'] });
  detects('upstream', { files: ['httpd.conf'], serverRoot: '/usr/local/apache2' });

  // XAMPP, WampServer, AppServ, Apache Lounge; a XAMPP that was not set up has no drive.
  detects('windows', {
    files: ['C:/xampp/apache/conf/httpd.conf', 'C:/xampp/apache/conf/extra/httpd-vhosts.conf'],
    loadModulePaths: ['modules/mod_alias.so'],
    serverRoot: 'C:/xampp/apache',
  });
  detects('windows', { files: ['/backup/conf/httpd.conf'], serverRoot: 'c:/wamp64/bin/apache/apache2.4.54' });
  detects('windows', { files: ['D:/AppServ/Apache2.2/conf/httpd.conf'], serverRoot: 'D:\\AppServ\\Apache2.2' });
  detects('windows', { files: ['/srv/Apache24/conf/extra/httpd-ssl.conf'], serverRoot: 'c:/Apache24' });
  detects('windows', {
    files: ['/xampp/apache/conf/extra/httpd-xampp.conf'],
    loadModulePaths: ['modules/mod_alias.so', 'modules/mod_isapi.so'],
    serverRoot: '/xampp/apache',
  });
  detects('windows', { files: ['httpd.conf'], loadModulePaths: ['"C:/xampp/php/php5apache2_4.dll"'] });

  // Arch, Slackware.
  detects(null, {
    files: ['/etc/httpd/conf/httpd.conf', '/etc/httpd/conf/extra/httpd-vhosts.conf'],
    serverRoot: '/etc/httpd',
  });
  detects(null, { files: ['/etc/httpd/httpd.conf', '/etc/httpd/extra/httpd-mpm.conf'], serverRoot: '/usr' });
  detects('rhel', {
    files: [
      '/etc/httpd/conf/httpd.conf',
      '/etc/httpd/conf/extra/httpd-vhosts.conf',
      '/etc/httpd/conf.modules.d/00-mpm.conf',
    ],
  });
  detects('rhel', { files: ['/opt/rh/httpd24/root/etc/httpd/conf/httpd.conf'] });
  detects(null, { files: ['/etc/apache2/httpd.conf'] });
  detects(null, { files: ['/etc/apache2/vhosts.d/www.conf'], loadModulePaths: ['modules/mod_alias.so'] });
  detects(null, { files: ['httpd.conf'], serverRoot: '/etc/httpd2' });
  detects(null, { files: [] });
  detects('ihs', { files: ['conf/httpd.conf'], serverRoot: '/opt/IBM/HTTPServer' });
  detects('ihs', { files: ['conf/httpd.conf'], serverRoot: '/usr/IBM/HTTPServer' });
  detects('ihs', { files: ['conf/httpd.conf'], serverRoot: '/opt/WebSphere/IBMIHS9' });
  detects('ihs', { files: ['httpd.conf'], loadModulePaths: ['modules/mod_ibm_ssl.so'] });
  detects(null, { files: ['httpd.conf'], serverRoot: '/srv/IBM/www' });
  detects('ohs', { files: ['httpd.conf'], loadModulePaths: ['"${ORACLE_HOME}/ohs/modules/mod_alias.so"'] });
  detects('ohs', { files: ['httpd.conf'], loadModulePaths: ['"${PRODUCT_HOME}/modules/mod_ossl.so"'] });
  detects('ohs', { files: ['httpd.conf'], serverRoot: '${ORACLE_INSTANCE}/config/OHS/ohs1' });

  for (const distribution of DISTRIBUTIONS) {
    it(`${distribution}: its modules are the manual's`, () => {
      for (const name of PROFILES[distribution].builtIn ?? []) assert.ok(moduleNamed(name)?.['2.4'], name);
    });
  }

  it('LoadModule lines are in the style of each', () => {
    assert.deepEqual(
      DISTRIBUTIONS.map((distribution) => loadModuleLine('mod_alias', distribution)),
      [
        'LoadModule alias_module /usr/lib/apache2/modules/mod_alias.so',
        'LoadModule alias_module modules/mod_alias.so',
        'LoadModule alias_module modules/mod_alias.so',
        'LoadModule alias_module modules/mod_alias.so',
        'LoadModule alias_module ${PRODUCT_HOME}/modules/mod_alias.so',
        'LoadModule alias_module modules/mod_alias.so',
      ],
    );
    assert.equal(loadModuleLine('event', 'rhel'), 'LoadModule mpm_event_module modules/mod_mpm_event.so');
  });
});

function detects(expected: Distribution | null, clues: DistributionClues): void {
  it(`${expected ?? 'nobody knows'}: ${[...clues.files, ...(clues.loadModulePaths ?? []), clues.serverRoot ?? ''].join(' ')}`, () => {
    assert.equal(detectDistribution(clues), expected);
  });
}
