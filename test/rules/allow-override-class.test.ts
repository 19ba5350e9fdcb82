import assert from 'node:assert/strict';
import { annotated, fixed, type Asked } from '../support/rules';

const rule = { rule: 'allow-override-class' };
const marked = (text: string, asked: Asked = {}) => annotated(text, { ...rule, ...asked });
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('allow-override-class', () => {
  it('leaves alone what admits Require too, or neither', () => {
    const clean =
      'AllowOverride None\nAllowOverride All\nAllowOverride Limit AuthConfig\nAllowOverride FileInfo\nAllowOverride Limit None\nAllowOverride ${A} Limit\nAllowOverrideList Order Require\nAllowOverrideList Options\n<Directory /a>\nAllowOverride Limit\nAllowOverrideList Order\nAllowOverrideList Require\n</Directory>\n# AllowOverride Limit\nAllowOverride Limit All\n';
    assert.equal(marked(clean), clean);
    assert.equal(fix(clean, true), clean);
    assert.equal(
      marked('AllowOverride Limit\n', { file: '.htaccess' }),
      'AllowOverride Limit\n',
      'it has no place in one',
    );
  });

  it('marks the class, twice in a file, in odd case, in nested sections', () => {
    assert.equal(
      marked(
        '<Directory /a>\n  aLLOWoVERRIDE Indexes LIMIT\n</Directory>\n<VirtualHost *>\n<Directory /b>\nAllowOverrideList order Deny\n</Directory>\n</VirtualHost>\n',
      ),
      `<Directory /a>
  aLLOWoVERRIDE Indexes LIMIT
#                       ^^^^^ warning allow-override-class/limit suggestion
</Directory>
<VirtualHost *>
<Directory /b>
AllowOverrideList order Deny
#                 ^^^^^^^^^^ warning allow-override-class/list suggestion
</Directory>
</VirtualHost>
`,
    );
  });

  it('admits Require and no more, and leaves it to a person', () => {
    const needed = 'Require "<RequireAll" "<RequireAny" "<RequireNone"';
    assert.equal(fix('AllowOverride Limit\n'), 'AllowOverride Limit\n');
    assert.equal(
      fix('AllowOverride \\\n  Limit Indexes\r\nAllowOverrideList Allow\r\n', true),
      `AllowOverride \\\n  Limit Indexes\r\nAllowOverrideList Allow ${needed}\r\n`,
    );
  });

  it('adds AuthConfig where there is no list: a new one would have .htaccess files read that AllowOverride None keeps out further in', () => {
    assert.equal(
      fix('<Directory /a>\n\tAllowOverride Limit\n</Directory>\nAllowOverride Limit', true),
      '<Directory /a>\n\tAllowOverride Limit AuthConfig\n</Directory>\nAllowOverride Limit AuthConfig',
    );
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\nAllowOverride Limit\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
