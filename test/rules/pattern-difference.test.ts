import assert from 'node:assert/strict';
import { parseTarget } from '../../server/src/config/target';
import { findingsIn, fixed } from '../support/rules';

const rule = { rule: 'pattern-difference' };
const ids = (text: string, more: object = {}) =>
  findingsIn(`${text}\n`, { ...rule, ...more }).map(({ severity, messageId }) => `${severity} ${messageId}`);
const deny = (tag: string, lines = 'Order allow,deny\nDeny from all') => `<${tag}>\n${lines}\n</${tag.split(' ')[0]}>`;

describe('pattern-difference', () => {
  it('finds a pattern that denies and ends in $', () => {
    for (const text of [
      deny('FilesMatch "\\.php$"'),
      deny('Files ~ "\\.(inc|bak)$"'),
      deny('LocationMatch "(a|b$)"'),
      deny('FilesMatch "\\.php$"', 'Require valid-user'),
      'RewriteRule "\\.php$" - [F]',
      'RedirectMatch 404 \\.svn$',
      'RewriteCond %{REQUEST_URI} \\.php$\nRewriteRule . - [F]',
      'RewriteCond %{request_filename} "\\.php$" [NC,OR]\nRewriteCond %{QUERY_STRING} x$\nRewriteRule ^ - [L,F]',
    ])
      assert.deepEqual(ids(text), ['hint end-of-name'], text);
  });

  it('says nothing where nothing is denied, and of other patterns', () => {
    for (const text of [
      deny('FilesMatch "\\.php$"', 'SetHandler x'),
      deny('FilesMatch "\\.php$"', 'Order allow,deny\nAllow from all'),
      deny('FilesMatch "\\.php$"', 'Require all granted'),
      deny('FilesMatch "^\\\\ht"'),
      deny('FilesMatch "a\\\\$"'),
      deny('FilesMatch "\\.[^/]+$"'),
      'RewriteRule ^(.*)$ - [F]',
      deny('Files "*.php$"'),
      deny('DirectoryMatch "/a$"'),
      'RewriteRule "a$" /b [L]',
      'RedirectMatch 301 "a$" http://o/',
      'RewriteRule "!a$" - [F]',
      'RewriteRule . - [F]',
      'RewriteCond %{HTTP_USER_AGENT} bot$\nRewriteRule ^ - [F]',
      'RewriteCond %{REQUEST_URI} !\\.php$\nRewriteRule ^ - [F]',
      'RewriteCond %{REQUEST_URI} \\.php$\nRewriteRule ^ /b [L]\nRewriteRule ^ - [F]',
    ])
      assert.deepEqual(ids(text), [], text);
  });

  it('finds a variable that access lines may use, in a directory', () => {
    const used = 'Order allow,deny\nAllow from all\nDeny from env=bad';
    const line = 'SetEnvIf request_uri "\\.php$" bad';
    assert.deepEqual(ids(`${line}\n${used}`, { file: '.htaccess' }), ['hint variable']);
    assert.deepEqual(ids(`<Directory /srv>\nSetEnvIfNoCase Request_URI \\.php$ bad\n${used}\n</Directory>`), [
      'hint variable',
    ]);
    // mod_setenvif sees %0a there: it runs before the URL is decoded.
    assert.deepEqual(ids(`${line}\n<Directory /srv>\n${used}\n</Directory>`), []);
    assert.deepEqual(ids(line, { file: '.htaccess' }), []);
    assert.deepEqual(ids(`${line.replace('bad', 'no-gzip')}\n${used}`, { file: '.htaccess' }), []);
    const inFiles = `<Files x>\nRequire not env bad\n</Files>`;
    assert.deepEqual(ids(`${line.replace('bad', 'BAD=1')}\n${inFiles}`, { file: '.htaccess' }), ['hint variable']);
    assert.deepEqual(ids(`SetEnvIf User-Agent "bot$" bad\n${used}`, { file: '.htaccess' }), []);
  });

  it('says nothing of a rule for a directory that matches no request', () => {
    assert.deepEqual(ids('RewriteRule "^/a\\.php$" - [F]', { file: '.htaccess' }), []);
    assert.deepEqual(ids('<Directory /srv>\nRewriteRule "^/a\\.php$" - [F]\n</Directory>'), []);
    assert.deepEqual(ids('RewriteRule "^/?a\\.php$" - [F]', { file: '.htaccess' }), ['hint end-of-name']);
    assert.deepEqual(ids('RewriteRule "^/a\\.php$" - [F]'), ['hint end-of-name']);
    assert.deepEqual(ids('<Location /x>\nRewriteRule "^/a\\.php$" - [F]\n</Location>'), ['hint end-of-name']);
  });

  it('finds slashes that are merged, unless they are kept', () => {
    assert.deepEqual(ids(deny('LocationMatch "^/a/"')), ['hint merged-slashes']);
    assert.deepEqual(ids(deny('LocationMatch "^//a/"')), ['error two-slashes']);
    assert.deepEqual(ids('RewriteRule ^/a//x - [F]'), ['error two-slashes']);
    assert.deepEqual(ids(`MergeSlashes Off\n${deny('LocationMatch "^//a/"')}`), []);
    assert.deepEqual(ids('RewriteRule ^(.*)//(.*)$ $1/$2 [R]'), []);
    assert.deepEqual(ids('RewriteRule a//x - [F]', { file: '.htaccess' }), []);
  });

  it('finds a dot, which matches a newline', () => {
    assert.deepEqual(ids(deny('LocationMatch "a.b"')), ['hint newline']);
    assert.deepEqual(ids(deny('LocationMatch "a[.]b"')), []);
  });

  it('writes \\n? once where a person wants it, in all places', () => {
    const text = `${deny('FilesMatch "\\.php$"')}\nRewriteRule "\\.(a|b$)" - [F]\n`;
    const after = text.replace('php$', 'php\\n?$').replace('b$', 'b\\n?$');
    assert.equal(fixed(text, { ...rule, unsafe: true }), after);
    assert.deepEqual(ids(after), []);
  });

  it('reports no more than the target release does', () => {
    const of = (release: string) => ({ target: parseTarget(release)! });
    assert.deepEqual(ids(deny('FilesMatch "\\.php$"'), of('2.4.29')), []);
    assert.deepEqual(ids(deny('LocationMatch "^//a"'), of('2.4.38')), []);
    assert.deepEqual(ids(deny('LocationMatch "a.b"'), of('2.4.40')), []);
  });
});
