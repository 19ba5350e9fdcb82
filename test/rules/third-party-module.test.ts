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

  it("is silent about variables, comments, broken lines, names that are no modules' and PHP of today", () => {
    const clean =
      'LoadModule ${M} x.so\n# LoadModule jk_module x.so\nLoadModule jk_module\nLoadModule jk x.so\nLoadModule php_module modules/libphp.so\nLoadModule php7_module modules/libphp7.so\n';
    assert.equal(annotated(clean, rule), clean);
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
      fixed(text, { ...rule, unsafe: true, answered: { answers: new Map([['php', version]]), folder: '/' } });
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
