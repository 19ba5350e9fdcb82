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

  it('looks at the directories below, where the line is in effect', () => {
    const found = (sections: string, files: Readonly<Record<string, string>>) =>
      listed(
        { [ROOT]: `ServerRoot /srv\nDocumentRoot /srv/www\n${sections}`, ...files },
        { rule: 'htaccess-comes-alive' },
      ).map((row) => row.slice(ROOT.length + 1));
    const section = '<Directory /srv/www>\nAllowOverride AuthConfig\n</Directory>\n';
    const files = { '/srv/www/a/b/.htaccess': OLD, '/srv/www/c/.htaccess': OLD };
    assert.deepEqual(found(section, files), ['4: error htaccess-comes-alive/opens none']);
    const all = '<Directory /srv/www/a>\nAllowOverride All\n</Directory>\n';
    assert.deepEqual(found(section + all, { '/srv/www/a/b/.htaccess': OLD }), []);
    assert.deepEqual(found(section + all, files), ['4: error htaccess-comes-alive/opens none']);
    assert.deepEqual(found(section.replace('AuthConfig', 'FileInfo'), { '/srv/www/c/.htaccess': OLD + NEW }), []);
  });
});
