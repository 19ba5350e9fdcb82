import assert from 'node:assert/strict';
import { findingsInFiles, listed } from '../support/configurations';

const ROOT = '/etc/httpd/conf/httpd.conf';
const asked = { rule: 'require-group-above' };
const rows = (text: string, more: Readonly<Record<string, string>> = {}) =>
  listed({ [ROOT]: text, ...more }, asked).map((row) =>
    row.replace('/etc/httpd/conf/', '').replace('require-group-above/', ''),
  );
const dir = (path: string, body: string) => `<Directory ${path}>\n${body}\n</Directory>\n`;
const GROUP = dir('/srv/www', 'Require group staff');
const FOUND = 'httpd.conf:5: warning group suggestion';

describe('require-group-above', () => {
  it('marks the line of a directory below, in a virtual host and in an included file', () => {
    for (const owner of ['GroupExternal g', 'AuthzUnixgroup On', 'WSGIAuthGroupScript /g', 'AuthPAM_Enabled On'])
      assert.deepEqual(
        rows(dir('/srv', owner) + GROUP).map((row) => row.replace(/ suggestion| none/, '')),
        [FOUND.replace(' suggestion', '')],
        owner,
      );
    assert.deepEqual(rows(GROUP + dir('/srv', 'GroupExternal g')), [FOUND.replace('5', '2')]);
    assert.deepEqual(rows(`${dir('/', 'GroupExternal g')}<VirtualHost *>\n${GROUP}</VirtualHost>\n`), [
      FOUND.replace('5', '6'),
    ]);
    assert.deepEqual(
      rows(`${dir('/srv', 'GroupExternal g')}Include /etc/httpd/a.conf\n`, { '/etc/httpd/a.conf': GROUP }),
      ['/etc/httpd/a.conf:2: warning group suggestion'],
    );
  });

  it('says where the module is set', () => {
    const [finding] = findingsInFiles({ [ROOT]: dir('/srv', 'GroupExternal g') + GROUP }, asked).get(ROOT)!;
    assert.match(finding!.what, /^`Require group` ignores `GroupExternal` in 2\.4 and allows nobody/);
    assert.match(finding!.cause!, /in the section for \/srv \(\/etc\/httpd\/conf\/httpd\.conf:2\) applies here, too/);
  });

  it('is silent where other lines decide', () => {
    for (const text of [
      GROUP,
      dir('/srv/other', 'GroupExternal g') + GROUP,
      dir('/srv/w', 'GroupExternal g') + GROUP,
      dir('/srv', 'AuthzUnixgroup Off') + GROUP,
      dir('/srv', 'GroupExternal g\nAuthGroupFile /g') + GROUP,
      dir('/srv', 'GroupExternal g') + dir('/srv/www', 'AuthGroupFile /g\nRequire group a'),
      dir('/srv', 'GroupExternal g') + dir('/srv/www', 'Require external-group a\nRequire valid-user'),
      // Lines of the module replace those above; the rule require-group-module looks at the own
      // ones.
      dir('/srv', 'GroupExternal g') + dir('/srv/www', 'AuthExternal p\nRequire group a'),
      dir('/srv', 'GroupExternal g') + dir('/srv/www', 'GroupExternal h\nRequire group a'),
      dir('/srv', '<IfModule authnz_external_module>\nGroupExternal g\n</IfModule>') + GROUP,
      dir('/srv', 'GroupExternal g') + dir('/srv/www', '<IfDefine X>\nRequire group a\n</IfDefine>'),
      dir('/srv', 'GroupExternal g') + GROUP + dir('/srv/www', 'AuthGroupFile /g'),
    ])
      assert.deepEqual(rows(text), [], text);
  });
});
