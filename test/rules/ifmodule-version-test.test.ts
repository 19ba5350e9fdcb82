import assert from 'node:assert/strict';
import { annotated, fixed } from '../support/rules';

const rule = { rule: 'ifmodule-version-test' };

describe('ifmodule-version-test', () => {
  it('is silent where one of the two is missing, where the lines are old in both, and in other scopes', () => {
    const clean = [
      '<IfModule mod_authz_host.c>\nRequire all granted\n</IfModule>\n',
      '<IfModule !mod_authz_host.c>\nOrder allow,deny\n</IfModule>\n',
      '<IfModule mod_authz_host.c>\nOrder allow,deny\n</IfModule>\n<IfModule !mod_authz_host.c>\nOrder deny,allow\n</IfModule>\n',
      '<Directory /a>\n<IfModule mod_authz_host.c>\nRequire all granted\n</IfModule>\n</Directory>\n<Directory /b>\n<IfModule !mod_authz_host.c>\nOrder allow,deny\n</IfModule>\n</Directory>\n',
    ];
    for (const text of clean) assert.equal(annotated(text, rule), text);
  });

  it('marks both, in odd case, by identifier, in quotes', () => {
    const text =
      '<ifMODULE "authz_host_module">\n  Require all granted\n</ifMODULE>\n<IfModule !authz_host_module>\n  Deny from all\n</IfModule>\n';
    assert.equal(
      annotated(text, { ...rule, file: '.htaccess' }),
      `<ifMODULE "authz_host_module">
#         ^^^^^^^^^^^^^^^^^^^ info ifmodule-version-test/authz-host suggestion
  Require all granted
</ifMODULE>
<IfModule !authz_host_module>
#         ^^^^^^^^^^^^^^^^^^ info ifmodule-version-test/authz-host suggestion
  Deny from all
</IfModule>
`,
    );
    assert.equal(
      fixed(text, { ...rule, unsafe: true, file: '.htaccess' }),
      text.replaceAll('authz_host', 'authz_core'),
    );
  });
});
