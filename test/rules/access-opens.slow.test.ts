import assert from 'node:assert/strict';
import { findingsInFiles, listed } from '../support/configurations';

const ROOT = '/etc/httpd/conf/httpd.conf';
const rows = (text: string, more: Readonly<Record<string, string>> = {}) =>
  listed({ [ROOT]: text, ...more }, { rule: 'access-opens' }).map((row) => row.replace('/etc/httpd/', ''));
const causes = (text: string) =>
  [...findingsInFiles({ [ROOT]: text }, { rule: 'access-opens' }).values()].flat().map(({ cause }) => cause);
const section = (tag: string, ...lines: string[]) => `<${tag}>\n${lines.join('\n')}\n</${tag.split(' ')[0]}>\n`;

const TOP = 'Listen 80\nDocumentRoot /srv/www\n';
const LOGIN = ['AuthType Basic', 'AuthName a', 'AuthUserFile /srv/users', 'Require valid-user'];
const FOR_22 = ['<IfModule !mod_authz_core.c>', 'Order allow,deny', 'Allow from all', '</IfModule>'];
const FOR_24 = ['<IfModule mod_authz_core.c>', 'Require all granted', '</IfModule>'];
const OPEN = section('Directory /srv/www', 'Order allow,deny', 'Allow from all');
const OPENED = 'error access-opens/opened none';
const LOST = 'error access-opens/lost none';

describe('access-opens', () => {
  it('reports the line for 2.4 that replaces the login of an enclosing section', () => {
    const inner = section('Directory /srv/www/pub', ...FOR_22, ...FOR_24);
    const closed = section('Directory /srv/www', ...LOGIN);
    assert.deepEqual(rows(TOP + closed + inner), [`conf/httpd.conf:15: ${OPENED}`]);
    assert.deepEqual(rows(TOP + closed + section('LocationMatch ^/pub/', ...FOR_22, ...FOR_24)), [
      `conf/httpd.conf:15: ${OPENED}`,
    ]);
    const [cause] = causes(TOP + closed + inner);
    assert.match(cause!, /`GET \/pub\/x from 203\.0\.113\.9`\. 2\.2 answers 401 .*:7\)\. .* answers 200/);
    assert.deepEqual(rows(TOP + inner), []);
    assert.deepEqual(rows(TOP + closed + section('Directory /srv/other', ...FOR_22, ...FOR_24)), []);
    assert.deepEqual(rows(TOP + closed + section('Directory /srv/www/pub', 'Order allow,deny', 'Allow from all')), []);
  });

  it('says that it looks at nothing in more than a thousand files', () => {
    const inner = section('Directory /srv/www/pub', ...FOR_22, ...FOR_24);
    const main = `${TOP}${section('Directory /srv/www', ...LOGIN)}Include /etc/httpd/more/*.conf\n`;
    const files = (count: number, text: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`/etc/httpd/more/${i}.conf`, text]));
    const reported = ['conf/httpd.conf:1: info access-opens/too-many-files none'];
    assert.deepEqual(rows(main, { ...files(1000, 'ServerTokens Prod\n'), '/etc/httpd/more/a.conf': inner }), reported);
    assert.deepEqual(rows(main, files(1000, 'ServerTokens Prod\n')), []);
    const found = rows(main, { ...files(5, 'ServerTokens Prod\n'), '/etc/httpd/more/a.conf': inner });
    assert.deepEqual(found, [`more/a.conf:7: ${OPENED}`]);
  });

  it('says that it compares only a part of the requests, and reports what it finds', () => {
    const inner = section('Directory /srv/www/pub', ...FOR_22, ...FOR_24);
    const main = TOP + section('Directory /srv/www', ...LOGIN) + inner;
    const hosts = (count: number) =>
      Array.from({ length: count }, (_, i) =>
        section('VirtualHost *:80', `ServerName h${i}`, `<Directory /srv/h${i}>`, ...LOGIN, '</Directory>'),
      ).join('');
    const opened = `conf/httpd.conf:15: ${OPENED}`;
    assert.deepEqual(rows(main + hosts(20)), [opened]);
    assert.deepEqual(rows(main + hosts(400)), ['conf/httpd.conf:1: info access-opens/too-many-requests none', opened]);
  });

  it('looks at the directories below the document roots of many hosts without sections', () => {
    const hosts = Array.from({ length: 20 }, (_, i) =>
      section('VirtualHost *:80', `ServerName h${i}`, `DocumentRoot /srv/h${i}`),
    ).join('');
    const inner = section('Directory /srv/h17', ...LOGIN) + section('Directory /srv/h17/sub', ...FOR_22, ...FOR_24);
    assert.deepEqual(
      rows(`${TOP}NameVirtualHost *:80\n${hosts}${inner}`).map((row) => row.split(': ')[1]),
      [OPENED],
    );
  });

  it('follows a name that only 2.4 defines, in another file', () => {
    const define = '<IfVersion >= 2.4>\nDefine NEW\n</IfVersion>\n';
    const closed = section('Directory /srv/www/private', 'Order deny,allow', 'Deny from all');
    const files = (condition: string) => ({
      '/etc/httpd/a.conf': define,
      '/etc/httpd/b.conf': OPEN + section(condition, closed.trim()),
    });
    const main = `${TOP}Include /etc/httpd/a.conf\nInclude /etc/httpd/b.conf\n`;
    assert.deepEqual(rows(main, files('IfDefine !NEW')), [`b.conf:8: ${LOST}`]);
    assert.deepEqual(rows(main, files('IfDefine !OTHER')), []);
    assert.deepEqual(rows(main, files('IfDefine NEW')), []);
  });

  it('reports lines of 2.4 in a configuration that 2.2 reads', () => {
    const closed = OPEN + section('Directory /srv/www/private', ...LOGIN);
    const ip = section('Location /private/open', 'Require ip 10.0.0.0/8');
    assert.deepEqual(rows(TOP + closed + ip), [`conf/httpd.conf:14: ${OPENED}`]);
    const is24 = 'LoadModule authz_core_module modules/mod_authz_core.so\n';
    assert.deepEqual(rows(is24 + TOP + closed + ip), []);
    assert.deepEqual(rows(TOP + closed + section('Location /private/open', 'Require user bob')), []);
  });

  it('leads host names through VirtualDocumentRoot', () => {
    const vhost = `${TOP}VirtualDocumentRoot /srv/hosts/%0\n${section('Directory /srv/hosts/c', ...LOGIN)}`;
    const found = rows(vhost + section('LocationMatch ^/a/', ...FOR_22, ...FOR_24));
    assert.deepEqual(found, [`conf/httpd.conf:16: ${OPENED}`]);
    assert.match(causes(vhost + section('LocationMatch ^/a/', ...FOR_22, ...FOR_24))[0]!, /http:\/\/c\/a\//);
  });

  it('reads a provider in odd case as the user corrects it', () => {
    const closed = section('Directory /srv/www', ...LOGIN.slice(0, 3), 'Require Valid-User');
    const inner = section('Directory /srv/www/pub', ...FOR_22, ...FOR_24);
    assert.deepEqual(rows(TOP + closed + inner), [`conf/httpd.conf:15: ${OPENED}`]);
  });

  it('reads .htaccess files', () => {
    const main = `${TOP}<Directory /srv/www>\nAllowOverride All\n${LOGIN.join('\n')}\n</Directory>\n`;
    const file = '/srv/www/pub/.htaccess';
    const text = [...FOR_22, ...FOR_24].join('\n');
    assert.deepEqual(rows(main, { [file]: text, '/srv/www/index.html': '' }), [`/srv/www/pub/.htaccess:6: ${OPENED}`]);
  });
});
