import assert from 'node:assert/strict';
import { annotated, findingsIn, fixed } from '../support/rules';

const rule = { rule: 'third-party-module' };

describe('third-party-module', () => {
  it('says what is known of a module', () => {
    const [finding] = findingsIn('LoadModule rpaf_module modules/mod_rpaf-2.0.so\n', rule);
    assert.equal(finding.severity, 'warning');
    assert.match(finding.message, /built for 2\.2 does not load in 2\.4/);
    assert.match(finding.message, /mod_remoteip/);
  });

  it('is silent about variables, comments, broken lines and PHP of today', () => {
    const clean =
      'LoadModule ${M} x.so\n# LoadModule jk_module x.so\nLoadModule jk_module\nLoadModule php_module modules/libphp.so\nLoadModule php7_module modules/libphp7.so\n';
    assert.equal(annotated(clean, rule), clean);
  });

  it('names a module whatever its identifier ends in', () => {
    for (const [line, advice] of [
      ['mod_shib /usr/lib64/shibboleth/mod_shib_22.so', /mod_shib_24\.so/],
      ['evasive20 modules/mod_evasive20.so', /mod_evasive/],
      ['mod_wsgi modules/mod_wsgi.so', /mod_wsgi 4/],
      ['jk x.so', /mod_jk/],
      ['weblogic_module modules/mod_wl_22.so', /mod_wl_24\.so/],
      ['ourown modules/ourown.so', /build it from source/],
    ] as const) {
      const [finding] = findingsIn(`LoadModule ${line}\n`, rule);
      assert.match(finding?.message ?? '', advice, line);
    }
  });

  it('leaves a file of httpd to the rule load-module-file', () => {
    assert.deepEqual(findingsIn('LoadModule wsgi_module modules/mod_proxy.so\n', rule), []);
    assert.equal(findingsIn('LoadModule wsgi_module modules/mod_wsgi.so\n', rule).length, 1);
  });

  it('is silent about a file that only builds for 2.4 have', () => {
    for (const line of [
      'pagespeed_module /usr/lib/httpd/modules/mod_pagespeed_ap24.so',
      'mod_shib /usr/lib64/shibboleth/mod_shib_24.so',
      'weblogic_module modules/mod_wl_24.so',
    ])
      assert.deepEqual(findingsIn(`LoadModule ${line}\n`, rule), [], line);
  });

  it('leaves modules of 1.3 to removed-module, which knows what they are', () => {
    for (const line of [
      'access_module modules/mod_access.so',
      'config_log_module modules/mod_log_config.so',
      'digest_module modules/mod_digest.so',
      'agent_log_module modules/mod_log_agent.so',
      'db_auth_module modules/mod_auth_db.so',
      'includes_module modules/mod_include.so',
    ]) {
      assert.deepEqual(findingsIn(`LoadModule ${line}\n`, rule), [], line);
      assert.deepEqual(
        findingsIn(`LoadModule ${line}\n`, { rule: 'removed-module' }).map(({ messageId }) => messageId),
        ['older'],
        line,
      );
    }
    assert.match(findingsIn('LoadModule php3_module libexec/libphp3.so\n', rule)[0].message, /time of Apache 1\.3/);
  });

  it('is silent where the file loads what only 2.4 has', () => {
    assert.deepEqual(findingsIn('LoadModule jk_module a.so\nLoadModule authz_core_module b.so\n', rule), []);
    assert.equal(findingsIn('LoadModule jk_module a.so\nLoadModule authz_host_module b.so\n', rule).length, 1);
  });

  it('PHP on Windows: the module and its library, for each version that a person may answer', () => {
    const text = 'LoadFile "C:\\php\\php5ts.dll"\nLoadModule php5_module "C:/php/php5apache2_2.dll"\n';
    const of = (version: string) =>
      fixed(text, { ...rule, unsafe: true, answerSet: { answers: new Map([['php', version]]), folder: '/' } });
    assert.equal(of('8'), 'LoadFile "C:\\php\\php8ts.dll"\nLoadModule php_module "C:/php/php8apache2_4.dll"\n');
    assert.equal(of('7'), 'LoadFile "C:\\php\\php7ts.dll"\nLoadModule php7_module "C:/php/php7apache2_4.dll"\n');
    assert.equal(of('5'), 'LoadFile "C:\\php\\php5ts.dll"\nLoadModule php5_module "C:/php/php5apache2_4.dll"\n');
    assert.equal(of('none'), '');
    for (const clean of [
      'LoadModule php5_module "C:/php/php5apache2_4.dll"\nLoadModule authz_core_module x.so\n',
      'LoadFile C:/php/libmysql.dll\n',
      'LoadFile C:/php/php8ts.dll\n',
    ])
      assert.deepEqual(findingsIn(clean, rule), [], clean);
  });
});
