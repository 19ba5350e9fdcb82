import assert from 'node:assert/strict';
import { listed } from '../support/configurations';

const ROOT = '/srv/conf/httpd.conf';
const rows = (text: string) => listed({ [ROOT]: text }, { rule: 'error-document-restricted' });
const deny = (tag: string, line = 'Deny from all') => `<${tag}>\n${line}\n</${tag.split(' ')[0]}>\n`;
const PAGE = 'ErrorDocument 403 /a/e.html\n';

describe('error-document-restricted', () => {
  it('finds a page that its own section restricts', () => {
    for (const tag of [
      'Location /a',
      'Location /',
      'LocationMatch ^/a/',
      'Location /a/*',
      'Files "*.html"',
      'Files e.html',
      'FilesMatch "\\.html$"',
    ])
      assert.deepEqual(rows(deny(tag) + PAGE), [`${ROOT}:4: hint error-document-restricted/shown none`], tag);
    const login = deny('Location /a', 'Require valid-user');
    assert.equal(rows(`${login}ErrorDocument 401 /a/e.html\n`).length, 1);
  });

  it('says nothing of other pages, other statuses, other sections', () => {
    for (const text of [
      deny('Location /b') + PAGE,
      deny('Location /ab') + PAGE,
      deny('Location /a', 'Allow from all') + PAGE,
      deny('Location /a', 'Require all granted') + PAGE,
      deny('Directory /srv/a') + PAGE,
      deny('Files "*.txt"') + PAGE,
      `${deny('Location /a')}ErrorDocument 404 /a/e.html\n`,
      `${deny('Location /a')}ErrorDocument 403 "No"\n`,
      `LoadModule allowmethods_module modules/mod_allowmethods.so\n${deny('Location /a')}${PAGE}`,
    ])
      assert.deepEqual(rows(text), [], text);
  });
});
