import assert from 'node:assert/strict';
import { annotated } from '../support/rules';

const rule = { rule: 'php-handler' };
const marked = (text: string) => annotated(text, rule);

describe('php-handler', () => {
  it('finds the handler in any case and in quotes, for an extension and for a section', () => {
    assert.equal(
      marked('addhandler "PHP5-Script" .php .phtml\n<FilesMatch "\\.php$">\nSetHandler php5-script\n</FilesMatch>\n'),
      'addhandler "PHP5-Script" .php .phtml\n#          ^^^^^^^^^^^^^ warning php-handler/php5 suggestion\n<FilesMatch "\\.php$">\nSetHandler php5-script\n#          ^^^^^^^^^^^ warning php-handler/php5 suggestion\n</FilesMatch>\n',
    );
  });

  it('leaves the names of other versions, and those that all versions have', () => {
    const text =
      'AddHandler php-script .php\nAddHandler php7-script .php\nSetHandler application/x-httpd-php\nAddHandler cgi-script php5-script\n';
    assert.equal(marked(text), text);
  });
});
