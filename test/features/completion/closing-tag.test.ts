/** The closing tag after an open tag typed by hand. `|` is the cursor, after the typed `>`. */
import assert from 'node:assert/strict';
import { closingTag } from '../../../server/src/features/completion/closing-tag';
import { Tree } from '../../../server/src/syntax/document';

const CASES: readonly (readonly [source: string, tag: string | null])[] = [
  ['<Directory /x>|', '</Directory>'],
  ['<Directory /x>|\n', '</Directory>'],
  ['Listen 80\n\t<directory "/x y">|\nListen 81\n', '</directory>'],
  ['<VirtualHost *:80>|\r\nServerName a\r\n', '</VirtualHost>'],
  ['<VirtualHost *:80>\n<Directory /x>|\n</VirtualHost>\n', '</Directory>'],
  // Before another section of the name, and around one.
  ['<Directory /x>|\n<Directory /y>\n</Directory>\n', '</Directory>'],
  ['<IfModule a>\n<IfModule b>|\n</IfModule>\n', '</IfModule>'],
  ['<RequireAny>|\n', '</RequireAny>'],
  ['<If "%{TIME_HOUR} -gt 12">|\n', '</If>'],
  // Closed already.
  ['<Directory /x>|\n</Directory>\n', null],
  ['<VirtualHost *>\n<Files a>|\n</Files>\n</VirtualHost>\n', null],
  // Not the end of a tag.
  ['<If "%{TIME_HOUR} >|\n', null],
  ['<If "%{TIME_HOUR} >|"\n', null],
  ['<IfVersion >|\n', null],
  ['<IfVersion >|= 2.4>\n', null],
  ['<Directory>|\n', null],
  ['<Directory /x>| y\n', null],
  ['# <Directory /x>|\n', null],
  ['RewriteCond %{X} >|\n', null],
  ['</Directory>|\n', null],
  ['<Nothing /x>|\n', null],
  ['', null],
];

describe('the closing tag of an open tag that was typed', () => {
  for (const [source, tag] of CASES) {
    it(`${JSON.stringify(source)}: ${tag ?? 'none'}`, () => {
      const offset = Math.max(0, source.indexOf('|'));
      assert.equal(closingTag(Tree.parse(source.replace('|', '')), offset), tag);
    });
  }
});
