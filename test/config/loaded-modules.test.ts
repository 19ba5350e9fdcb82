/**
 * The LoadModule lines of a configuration on Windows, where the layout is that of httpd's sources
 * and the program is another one.
 */
import assert from 'node:assert/strict';
import { readConfiguration } from '../../server/src/config/configuration';
import { detectDistribution, type Distribution } from '../../server/src/config/distribution';
import { linesOf, readLoadedModules } from '../../server/src/config/loaded-modules';
import { memoryFiles } from '../../server/src/config/memory-files';
import { parseTarget } from '../../server/src/config/target';
import { argumentsOf } from '../../server/src/syntax/line';
import { findingsInFiles, type Files } from '../support/configurations';

const loads = (...names: string[]) =>
  names.map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`).join('');
const OF_22 = loads('actions', 'alias', 'authz_host', 'dir', 'env', 'mime', 'setenvif');
const SECTIONS =
  'Listen 80\n<IfModule mpm_winnt_module>\nThreadsPerChild 150\n</IfModule>\n<IfModule event.c>\nServerLimit 4\n</IfModule>\n';

const TREES: Readonly<Record<string, Files>> = {
  XAMPP: {
    'C:/xampp/apache/conf/httpd.conf': `ServerRoot "C:/xampp/apache"\n${OF_22}${SECTIONS}Include "conf/extra/httpd-xampp.conf"\n`,
    'C:/xampp/apache/conf/extra/httpd-xampp.conf':
      'LoadFile "C:/xampp/php/php5ts.dll"\nLoadModule php5_module "C:/xampp/php/php5apache2_2.dll"\n',
  },
  'XAMPP that was not set up': {
    '/xampp/apache/conf/httpd.conf': `ServerRoot "/xampp/apache"\n${OF_22}LoadModule isapi_module modules/mod_isapi.so\n${SECTIONS}Include "conf/extra/httpd-xampp.conf"\n`,
    '/xampp/apache/conf/extra/httpd-xampp.conf': 'Alias /licenses "/xampp/licenses/"\n',
  },
  WampServer: {
    'C:/wamp/bin/apache/apache2.2.22/conf/httpd.conf': `ServerRoot "c:/wamp/bin/apache/apache2.2.22"\n${OF_22}${SECTIONS}Include "c:/wamp/alias/*"\n`,
    'C:/wamp/alias/phpmyadmin.conf': 'Alias /phpmyadmin "c:/wamp/apps/phpmyadmin3.5.1/"\n',
  },
  AppServ: {
    'C:/AppServ/Apache2.2/conf/httpd.conf': `ServerRoot "C:/AppServ/Apache2.2"\n${OF_22}${SECTIONS}Include conf/extra/httpd-autoindex.conf\n`,
    'C:/AppServ/Apache2.2/conf/extra/httpd-autoindex.conf': 'IndexOptions FancyIndexing\n',
  },
  'Apache Lounge, copied': {
    '/backup/Apache24/conf/httpd.conf': `Define SRVROOT "c:/Apache24"\nServerRoot "\${SRVROOT}"\n${OF_22}${SECTIONS}Include conf/extra/httpd-mpm.conf\n`,
    '/backup/Apache24/conf/extra/httpd-mpm.conf': '<IfModule mpm_winnt_module>\nThreadsPerChild 150\n</IfModule>\n',
  },
};

describe('modules on Windows', () => {
  for (const [what, files] of Object.entries(TREES)) {
    it(`${what}: the MPM is the one of Windows, and nothing of a build for Unix is taken for granted`, () => {
      const { found, has } = modulesIn(files);
      assert.equal(found, 'windows');
      assert.deepEqual(
        ['mpm_winnt', 'event', 'prefork', 'mod_unixd', 'mod_alias', 'mod_log_config'].map((name) => has(name)),
        ['active', 'inactive', 'inactive', 'inactive', 'active', 'inactive'],
      );
      const missing = [...findingsInFiles(files, { rule: 'missing-module' }).values()].flat();
      assert.deepEqual(
        missing.filter(({ messageId }) => messageId === 'unixd' || /mpm/.test(messageId)),
        [],
      );
    });

    it(`${what}: so it is where a person says that the server was built from the sources`, () => {
      if (what.startsWith('XAMPP that')) return void assert.equal(modulesIn(files, 'windows').has('event'), 'inactive');
      const { has } = modulesIn(files, 'upstream');
      assert.deepEqual([has('mpm_winnt'), has('event')], ['active', 'inactive']);
    });
  }
});

function modulesIn(files: Files, said: Distribution | null = null) {
  const configuration = readConfiguration({
    root: Object.keys(files)[0]!,
    view: memoryFiles(files),
    names: new Set(['loadmodule']),
    target: parseTarget('2.4')!,
  })!;
  const found = detectDistribution({
    files: Object.keys(files),
    loadModulePaths: linesOf(configuration, 'loadmodule').map(({ line }) => argumentsOf(line)[1]?.value ?? ''),
    serverRoot: configuration.serverRoot,
  });
  return { found, has: readLoadedModules(configuration, said ?? found).activityOfModule };
}

describe('modules under a condition', () => {
  it('are loaded by a line that only stands there because they are not loaded yet', () => {
    const text = `Listen 80\n<IfModule !mod_authz_core.c>\n${loads('authz_core')}</IfModule>\n${loads('authn_core', 'authz_host', 'mime', 'dir', 'alias', 'unixd', 'setenvif', 'log_config', 'mpm_event')}<Directory />\nRequire all denied\n</Directory>\n`;
    const find = (files: Files) =>
      [...findingsInFiles(files, { rule: 'missing-module', distribution: 'rhel' }).values()]
        .flat()
        .map(({ what }) => what);
    assert.deepEqual(find({ '/etc/httpd/conf/httpd.conf': text }), []);
    // The condition asks for another module.
    assert.notDeepEqual(
      find({
        '/etc/httpd/conf/httpd.conf': text.replace('<IfModule !mod_authz_core.c>', '<IfModule mod_authz_default.c>'),
      }),
      [],
    );
  });
});
