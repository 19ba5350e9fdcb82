import assert from 'node:assert/strict';
import { annotated, fixed } from '../support/rules';

const rule = { rule: 'suexec-user-group' };
const marked = (text: string) => annotated(text, rule);

describe('suexec-user-group', () => {
  it('marks the line where httpd reads it: at the top, in a virtual host, in conditions, in odd case', () => {
    assert.equal(
      marked(
        'SuexecUserGroup ann users\n<VirtualHost *:80>\n<IfModule mod_suexec.c>\n  sUEXECuSERgROUP \\\n    ann users\n</IfModule>\n</VirtualHost>\n',
      ),
      `SuexecUserGroup ann users
#^^^^^^^^^^^^^^^^^^^^^^^^ info suexec-user-group/program none
<VirtualHost *:80>
<IfModule mod_suexec.c>
  sUEXECuSERgROUP \\
# ^^^^^^^^^^^^^^^^^ info suexec-user-group/program none
    ann users
</IfModule>
</VirtualHost>
`,
    );
  });

  it('changes nothing, whatever is asked for: without the line the scripts would have all rights of the server', () => {
    const text = 'SuexecUserGroup ann users\n';
    assert.equal(fixed(text, { ...rule, unsafe: true }), text);
  });

  it('leaves those alone that the server refuses where they are, comments, longer names, and what 2.4 does not read', () => {
    const clean =
      '<Directory /srv>\nSuexecUserGroup ann users\n</Directory>\n<VirtualHost *:80>\n<Location />\nSuexecUserGroup ann users\n</Location>\n</VirtualHost>\n# SuexecUserGroup ann users\nSuexecUserGroups ann users\n<IfVersion < 2.4>\nSuexecUserGroup ann users\n</IfVersion>\n';
    assert.equal(marked(clean), clean);
  });
});
