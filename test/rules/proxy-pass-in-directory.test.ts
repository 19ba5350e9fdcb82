import assert from 'node:assert/strict';
import { annotated, fixed } from '../support/rules';

const rule = { rule: 'proxy-pass-in-directory' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('proxy-pass-in-directory', () => {
  it('leaves those alone that are where they belong, comments, other directives', () => {
    const clean =
      'ProxyPass /a http://b/\n<Location /x>\nProxyPass http://b/\n</Location>\n<Proxy http://x/>\nProxyPass http://y/\n</Proxy>\n<Directory /x>\n# ProxyPass http://b/\nProxyPassReverseCookiePath / /a\n</Directory>\n';
    assert.equal(marked(clean), clean);
  });

  it('marks the line, in odd case, in every section of files, in conditionals and limits; and has no fix', () => {
    for (const section of ['Directory', 'DirectoryMatch', 'Files', 'FilesMatch']) {
      const text = `<VirtualHost *>\r\n<${section} x>\r\n<IfDefine A>\r\n<Limit GET>\r\n  pROXYpASS \\\r\n  http://b/\r\n</Limit>\r\n</IfDefine>\r\nProxyPassReverse http://b/\r\n</${section}>\r\n</VirtualHost>\r\n`;
      assert.equal((marked(text).match(/error proxy-pass-in-directory\/in-directory none/g) ?? []).length, 2, section);
      assert.equal(fix(text, true), text);
    }
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\n<Directory /x>\\nProxyPass http://b/\\n</Directory>\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
