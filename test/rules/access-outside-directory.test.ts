import assert from 'node:assert/strict';
import { annotated, findingsIn, fixed, type Asked } from '../support/rules';

const rule = { rule: 'access-outside-directory' };
const marked = (text: string, asked: Asked = {}) => annotated(text, { ...rule, ...asked });
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });
const host = (body: string) => `<VirtualHost *>\n${body}</VirtualHost>\n`;

describe('access-outside-directory', () => {
  it('leaves sections alone, .htaccess files, and files that a section may include', () => {
    const clean = host(
      '<Location />\nRequire all granted\n</Location>\n<IfModule a.c>\n<Directory />\nOrder allow,deny\n</Directory>\n</IfModule>\n# Require all granted\nAuthLDAPURL ldap://x\n',
    );
    assert.equal(marked(clean), clean);
    assert.equal(fix(clean, true), clean);
    const snippet = 'Listen 80\nRequire all granted\n<RequireAll>\nRequire all granted\n</RequireAll>\n';
    assert.equal(marked(snippet), snippet);
    assert.equal(marked(`ServerRoot /x\n${snippet}`, { file: '.htaccess' }), `ServerRoot /x\n${snippet}`);
    const macro = `<Macro a>\nRequire all granted\n${host('Require all granted\n')}</Macro>\n`;
    assert.equal(marked(macro), macro);
  });

  it('marks every line, but not what stands in a container or a limit, which is wrong there itself', () => {
    assert.equal(
      marked(
        `PidFile x\n${host('  rEQUIRE all granted\n  <RequireAny>\n    Require ip 10\n  </RequireAny>\n  <IfDefine A>\n    Order allow,deny\n  </IfDefine>\n  <Limit GET>\n    Require ip 10\n  </Limit>\n')}Satisfy Any\n`,
      ),
      `PidFile x
<VirtualHost *>
  rEQUIRE all granted
# ^^^^^^^^^^^^^^^^^^^ error access-outside-directory/outside none
  <RequireAny>
# ^^^^^^^^^^^^ error access-outside-directory/outside none
    Require ip 10
  </RequireAny>
  <IfDefine A>
    Order allow,deny
#   ^^^^^^^^^^^^^^^^ error access-outside-directory/outside none
  </IfDefine>
  <Limit GET>
    Require ip 10
  </Limit>
</VirtualHost>
Satisfy Any
#^^^^^^^^^^ error access-outside-directory/outside suggestion
`,
    );
  });

  it('puts them into a section, with comments, continuations, containers and CR LF', () => {
    assert.equal(
      fix(
        host(
          '  AuthType Basic\r\n  # x\r\n  AuthName \\\r\n  y\r\n\r\n  <RequireAny>\r\n    Require user ann\r\n  </RequireAny>\r\n  ServerName z\r\n',
        ),
        true,
      ),
      host(
        '  <Location />\r\n    AuthType Basic\r\n    # x\r\n    AuthName \\\r\n  y\r\n\r\n    <RequireAny>\r\n      Require user ann\r\n    </RequireAny>\r\n  </Location>\r\n  ServerName z\r\n',
      ),
    );
    assert.equal(
      fix(host('<IfDefine A>\nRequire all denied\n</IfDefine>\n'), true),
      host('<IfDefine A>\n<Location />\n    Require all denied\n</Location>\n</IfDefine>\n'),
    );
  });

  it('leaves it to a person, and does nothing where other lines stand between', () => {
    const one = host('Require all granted\n');
    assert.equal(fix(one), one);
    for (const text of [
      host('Require ip 10\nServerName x\nRequire ip 11\n'),
      host('Require ip 10\n<IfDefine A>\nRequire ip 11\n</IfDefine>\n'),
    ]) {
      assert.equal(findingsIn(text, rule).length, 2);
      assert.equal(fix(text, true), text);
    }
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = host('<IfVersion < 2.4>\nRequire all granted\n</IfVersion>\n');
    assert.equal(marked(inactive), inactive);
  });
});
