import assert from 'node:assert/strict';
import { listed } from '../support/configurations';

const ROOT = '/srv/conf/httpd.conf';
const OLD = '<IfModule !mod_authz_core.c>\nOrder deny,allow\nDeny from all\n</IfModule>\n';
const NEW = '<IfModule mod_authz_core.c>\nRequire all denied\n</IfModule>\n';
const rows = (override: string, htaccess: string) =>
  listed(
    {
      [ROOT]: `ServerRoot /srv\n<Directory /srv/www>\nAllowOverride ${override}\n</Directory>\n`,
      '/srv/www/.htaccess': htaccess,
    },
    { rule: 'htaccess-comes-alive' },
  ).map((row) => row.slice(ROOT.length + 1));

describe('htaccess-comes-alive', () => {
  it('finds access lines for 2.2 alone where 2.2 does not allow them', () => {
    for (const override of ['AuthConfig', 'FileInfo Indexes'])
      assert.deepEqual(rows(override, OLD), ['3: error htaccess-comes-alive/opens none'], override);
    assert.deepEqual(rows('AuthConfig', OLD + NEW), ['3: hint htaccess-comes-alive/answers none']);
    assert.equal(rows('AuthConfig', '<IfVersion < 2.4>\nDeny from all\n</IfVersion>\n').length, 1);
  });

  it('says nothing where both versions answer alike', () => {
    for (const override of ['All', 'Limit', 'AuthConfig Limit', 'None', '${X}'])
      assert.deepEqual(rows(override, OLD), [], override);
    for (const htaccess of ['Deny from all\n', `${OLD}Deny from all\n`, NEW, 'Options None\n'])
      assert.deepEqual(rows('AuthConfig', htaccess), [], htaccess);
  });
});
