import assert from 'node:assert/strict';
import { findingsInFiles, fixedFiles, listed } from '../support/configurations';

const ROOT = '/etc/httpd/conf/httpd.conf';
const asked = { rule: 'satisfy-any-above' };
const rows = (text: string, more: Readonly<Record<string, string>> = {}) =>
  listed({ [ROOT]: text, ...more }, asked).map((row) =>
    row.replace('/etc/httpd/conf/', '').replace('satisfy-any-above/', ''),
  );
const dir = (path: string, body: string) => `<Directory ${path}>\n${body}</Directory>\n`;
const ANY = dir('/srv', 'Satisfy Any\n');
const DENIED = 'Require all denied\n';
const OPEN = 'httpd.conf:5: error open suggestion';

describe('satisfy-any-above', () => {
  it('marks the line of a directory below, whatever comes first, in a virtual host and in an included file', () => {
    assert.deepEqual(rows(ANY + dir('/srv/a', DENIED)), [OPEN]);
    assert.deepEqual(rows(ANY + dir('"/srv/a/b/"', DENIED)), [OPEN]);
    assert.deepEqual(rows(dir('/srv/a', DENIED) + ANY), [OPEN.replace('5', '2')]);
    assert.deepEqual(rows(`${ANY}<VirtualHost *:80>\n${dir('/srv/a', DENIED)}</VirtualHost>\n`), [
      OPEN.replace('5', '6'),
    ]);
    assert.deepEqual(
      rows(`${ANY.replace('\nS', '\nOrder deny,allow\nAllow from 10\nS')}${dir('/srv/a', 'Require ip 11\n')}`),
      ['httpd.conf:7: warning open-to-more suggestion'],
    );
    assert.deepEqual(rows(`${ANY}Include /etc/httpd/a.conf\n`, { '/etc/httpd/a.conf': dir('/srv/a', DENIED) }), [
      '/etc/httpd/a.conf:2: error open suggestion',
    ]);
    assert.deepEqual(rows(`${ANY}<Location /status>\nDeny from all\n</Location>\n${dir('/srv/a', DENIED)}`), [
      OPEN.replace('5', '8'),
    ]);
    assert.deepEqual(rows(`${ANY}${dir('/home/*/www', 'Deny from all\n')}${dir('/srv/a', DENIED)}`), [
      OPEN.replace('5', '8'),
    ]);
  });

  it('marks sections for URLs, names and patterns that a request shows to be open', () => {
    const open = (section: string) =>
      `DocumentRoot /srv\n${dir('/srv', 'AllowOverride None\nSatisfy Any\n')}${section}`;
    const section = (tag: string, body = DENIED) => `<${tag}>\n${body}</${tag.split(' ')[0]}>\n`;
    const found = OPEN.replace('5', '7');
    for (const tag of [
      'Location /private',
      'LocationMatch ^/private',
      'DirectoryMatch ^/srv/private',
      'Directory ~ ^/srv/private',
      'Directory /srv/priv*',
      'Files secret.txt',
      'FilesMatch ^secret',
    ]) {
      assert.deepEqual(rows(open(section(tag))), [found], tag);
      assert.deepEqual(rows(open(section(tag, `Satisfy All\n${DENIED}`))), [], tag);
      // The last section decides, or the directory is another one.
      assert.deepEqual(rows(open(`${section(tag)}<Location />\nOrder allow,deny\n</Location>\n`)), [], tag);
      assert.deepEqual(rows(`DocumentRoot /www\n${open(section(tag)).replace('DocumentRoot /srv\n', '')}`), [], tag);
    }
    assert.deepEqual(rows(open(section('Location /private', 'Require ip 10\n'))), [
      'httpd.conf:7: warning open-to-more suggestion',
    ]);
  });

  it('marks the line of a .htaccess file that may have it', () => {
    const any = (override: string) => `DocumentRoot /srv\n${dir('/srv', `Satisfy Any\n${override}`)}`;
    const file = { '/srv/a/.htaccess': DENIED, '/srv/index.html': '' };
    assert.deepEqual(rows(any('AllowOverride AuthConfig\n'), file), ['/srv/a/.htaccess:1: error open suggestion']);
    assert.deepEqual(rows(any('AllowOverride All\n'), file), ['/srv/a/.htaccess:1: error open suggestion']);
    for (const override of ['AllowOverride None\n', 'AllowOverride Limit\n', ''])
      assert.deepEqual(rows(any(override), file), [], override);
    assert.deepEqual(rows(any('AllowOverride All\n'), { ...file, '/srv/a/.htaccess': `Satisfy All\n${DENIED}` }), []);
  });

  it('finds Satisfy Any in a .htaccess file above', () => {
    const text = `DocumentRoot /srv\n${dir('/srv', 'AllowOverride All\n')}`;
    const files = { '/srv/a/.htaccess': 'Satisfy Any\n', '/srv/a/b/.htaccess': DENIED, '/srv/index.html': '' };
    assert.deepEqual(rows(text, files), ['/srv/a/b/.htaccess:1: error open suggestion']);
    assert.deepEqual(rows(text, { ...files, '/srv/a/.htaccess': 'Satisfy All\n' }), []);
    assert.deepEqual(rows(text, { ...files, '/srv/a/.htaccess': 'Satisfy Any\nDeny from all\n' }), []);
  });

  it('leaves alone what is not inherited, what the old lines deny, and what is not known', () => {
    const below = dir('/srv/a', DENIED);
    for (const text of [
      below,
      dir('/srv', 'Satisfy All\n') + below,
      dir('/srv', '# Satisfy Any\n') + below,
      dir('/srv', 'Satisfy Any\nDeny from all\n') + below,
      dir('/srv', 'Satisfy Any\nInclude x\n') + below,
      dir('/srv', '<Limit GET>\nSatisfy Any\n</Limit>\n') + below,
      dir('/srv', '<IfDefine X>\nSatisfy Any\n</IfDefine>\n') + below,
      dir('/srv2', 'Satisfy Any\n') + below,
      dir('/srv/a/b', 'Satisfy Any\n') + below,
      dir('/s*', 'Satisfy Any\n') + below,
      `${ANY}${dir('/srv/a', 'Order deny,allow\n')}${dir('/srv/a/b', DENIED)}`,
      ANY + dir('/srv/a', 'Require valid-user\n'),
      ANY + dir('/srv/a', `${DENIED}AuthMerging And\n`),
      ANY + dir('/srv/a', `<RequireAll>\n${DENIED}</RequireAll>\n`),
      ANY + dir('/srv/a', `<IfModule mod_x.c>\n${DENIED}</IfModule>\n`),
      ANY + below + dir('/srv/a', 'Require ip 10 x\nSatisfy All\n'),
      `${ANY}${below}<DirectoryMatch a>\nDeny from all\n</DirectoryMatch>\n`,
      `${ANY}${below}<Location />\nDeny from all\n</Location>\n`,
      `${ANY}${below}<Location /a>\nDeny from all\n</Location>\n`,
      `<VirtualHost *:80>\n${ANY}</VirtualHost>\n<VirtualHost *:81>\n${below}</VirtualHost>\n`,
    ])
      assert.deepEqual(rows(text), [], text);
  });

  it('names the line above, and ends it with Satisfy All', () => {
    const files = { [ROOT]: ANY + dir('/srv/a', DENIED) };
    const [finding] = findingsInFiles(files, asked).get(ROOT)!;
    assert.match(finding!.message, /inherits `Satisfy Any` of \/srv \(\/etc\/httpd\/conf\/httpd\.conf:2\)/);
    const fixed = fixedFiles(files, { ...asked, unsafe: true });
    assert.equal(fixed[ROOT], ANY + dir('/srv/a', `Satisfy All\n${DENIED}`));
    assert.deepEqual(listed(fixed, asked), []);
  });
});
