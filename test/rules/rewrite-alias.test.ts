import assert from 'node:assert/strict';
import { listed } from '../support/configurations';

const ROOT = '/etc/httpd/conf/httpd.conf';
const rows = (text: string, more: Readonly<Record<string, string>> = {}) =>
  listed({ [ROOT]: text, ...more }, { rule: 'rewrite-alias' }).map((row) => row.replace('/etc/httpd/conf/', ''));
const dir = (path: string, body: string) => `<Directory ${path}>\n${body}</Directory>\n`;
const ON = 'RewriteEngine On\n';
const RULE = 'RewriteRule ^a$ b.html\n';
const ALIAS = 'Alias /docs /srv/docs\n';

describe('rewrite-alias', () => {
  it('marks the rules of a directory that an Alias serves', () => {
    assert.deepEqual(rows(ALIAS + dir('/srv/docs', ON + RULE)), ['httpd.conf:4: hint rewrite-alias/works none']);
    assert.deepEqual(rows(ALIAS + dir('/srv/docs/a', `${ON}RewriteRule ^(.*)$ $1.html\n`)), [
      'httpd.conf:4: hint rewrite-alias/works none',
    ]);
    assert.deepEqual(
      rows(`<VirtualHost *:80>\nDocumentRoot /srv/www\n${ALIAS}</VirtualHost>\n${dir('/srv/docs', ON + RULE)}`),
      ['httpd.conf:7: hint rewrite-alias/works none'],
    );
  });

  it('marks those of .htaccess files that may have them', () => {
    const file = { '/srv/docs/x/.htaccess': ON + RULE };
    assert.deepEqual(rows(ALIAS + dir('/srv/docs', 'AllowOverride FileInfo\n'), file), [
      '/srv/docs/x/.htaccess:2: hint rewrite-alias/works none',
    ]);
    for (const override of ['', 'AllowOverride None\n', 'AllowOverride Limit\n'])
      assert.deepEqual(rows(ALIAS + dir('/srv/docs', override), file), [], override);
  });

  it('leaves alone what both versions do alike', () => {
    for (const [head, body] of [
      ['', ON + RULE],
      [ALIAS, RULE],
      [ALIAS, `${ON}RewriteBase /docs/\n${RULE}`],
      [ALIAS, `RewriteEngine Off\n${RULE}`],
      [ALIAS, `${ON}RewriteRule ^a$ /b.html\n`],
      [ALIAS, `${ON}RewriteRule ^a$ - [F]\n`],
      [ALIAS, `${ON}RewriteRule ^a$ http://o.test/\n`],
      [ALIAS, `${ON}RewriteRule ^a$ %{DOCUMENT_ROOT}/b\n`],
      ['Alias /srv/docs /srv/docs\n', ON + RULE],
      [`DocumentRoot /srv\n${ALIAS}`, ON + RULE],
      ['Alias /other /srv/other\n', ON + RULE],
    ])
      assert.deepEqual(rows(head + dir('/srv/docs', body!)), [], head! + body!);
  });
});
