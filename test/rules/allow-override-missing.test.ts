import assert from 'node:assert/strict';
import { fixedFiles, listed, type Files } from '../support/configurations';

const rule = 'allow-override-missing';
const ROOT = '/etc/httpd/conf/httpd.conf';
const found = (files: Files) => listed(files, { rule });
const fixed = (files: Files) => fixedFiles(files, { rule, unsafe: true });

const files = (text: string, more: Files = { '/srv/www/.htaccess': 'Header set X y\n' }): Files => ({
  [ROOT]: `ServerRoot /etc/httpd\n${text}`,
  ...more,
});

describe('allow-override-missing', () => {
  it('finds the folder by its DocumentRoot or Alias, once', () => {
    assert.deepEqual(
      found(
        files('DocumentRoot /srv/www\nAlias /a /srv/www/\nAlias /b "/srv/other"\n', {
          '/srv/www/.htaccess': 'A b\n',
          '/srv/other/sub/.htaccess': 'A b\n',
        }),
      ),
      [`${ROOT}:2: error ${rule}/missing suggestion`, `${ROOT}:4: error ${rule}/missing suggestion`],
    );
  });

  it('is silent where something says what is allowed, where there is nothing to read, and where a part is missing', () => {
    const clean = [
      files('DocumentRoot /srv/www\n<Directory />\nAllowOverride None\n</Directory>\n'),
      files('DocumentRoot /srv/www\n<Directory /srv>\nAllowOverride All\n</Directory>\n'),
      files('DocumentRoot /srv/www\n', { '/srv/www/.htaccess': '# nothing\n\n' }),
      files('DocumentRoot /srv/www\n', { '/srv/www/index.html': '' }),
      files('DocumentRoot /srv/www\nInclude missing.conf\n'),
      files('DocumentRoot /srv/www\nAccessFileName .acl\n'),
      files('<IfDefine X>\nDocumentRoot /srv/www\n</IfDefine>\n'),
      files('DocumentRoot ${WWW}\n'),
    ];
    for (const each of clean) assert.deepEqual(found(each), [], each[ROOT]);
  });

  it('writes into the section of the folder, in whatever file it stands', () => {
    const given = files('DocumentRoot "/srv/www"\nInclude www.conf\n', {
      '/srv/www/.htaccess': 'A b\n',
      '/etc/httpd/www.conf': '<Directory "/srv/www/">\n  Options None\n</Directory>\n',
    });
    const result = fixed(given);
    assert.equal(
      result['/etc/httpd/www.conf'],
      '<Directory "/srv/www/">\n  AllowOverride All\n  Options None\n</Directory>\n',
    );
    assert.equal(result[ROOT], given[ROOT]);
    assert.deepEqual(found(result), []);
  });

  it('writes a section where there is none, with the line ends of the file', () => {
    const result = fixed(
      files('<VirtualHost *>\r\n  DocumentRoot "/srv/a b"\r\n</VirtualHost>\r\n', { '/srv/a b/.htaccess': 'A b\n' }),
    );
    assert.equal(
      result[ROOT],
      'ServerRoot /etc/httpd\n<VirtualHost *>\r\n  DocumentRoot "/srv/a b"\r\n  <Directory "/srv/a b">\r\n      AllowOverride All\r\n  </Directory>\r\n</VirtualHost>\r\n',
    );
  });
});
