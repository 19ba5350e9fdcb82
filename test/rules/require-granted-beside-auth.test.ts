import assert from 'node:assert/strict';
import { annotated, findingsIn, fixed } from '../support/rules';

const rule = { rule: 'require-granted-beside-auth' };
const marked = (text: string) => annotated(text, rule);
const dir = (body: string) => `<Directory /srv>\n${body}</Directory>\n`;

describe('require-granted-beside-auth', () => {
  it('leaves it alone on its own, in a RequireAll, for other methods, in other sections, and where nobody knows', () => {
    for (const body of [
      'Require all granted\n',
      'Require all granted\nRequire all granted\n',
      'Require all denied\nRequire valid-user\n',
      '<RequireAll>\nRequire all granted\nRequire valid-user\n</RequireAll>\n',
      '<Limit GET>\nRequire all granted\n</Limit>\n<LimitExcept GET>\nRequire valid-user\n</LimitExcept>\n',
      'Require all granted\n<Files x>\nRequire valid-user\n</Files>\n',
      '<IfDefine OPEN>\nRequire all granted\n</IfDefine>\n<IfDefine !OPEN>\nRequire valid-user\n</IfDefine>\n',
      'Require all granted\n<IfDefine A>\nRequire valid-user\n</IfDefine>\n',
      '# Require all granted\nRequire valid-user\n',
      'Require all ${A}\nRequire valid-user\n',
      'Require all granted\nRequire not ip 10\n',
      '<IfVersion < 2.4>\nRequire valid-user\n</IfVersion>\nRequire all granted\n',
      '<IfModule !mod_authz_core.c>\nRequire valid-user\nRequire all granted\n</IfModule>\n',
    ]) {
      assert.equal(marked(dir(body)), dir(body));
    }
  });

  it('leaves the top level of a file alone that a RequireAll may include', () => {
    const text = 'Require all granted\nRequire valid-user\n';
    assert.equal(marked(text), text);
    assert.equal(findingsIn(text, { ...rule, file: '.htaccess' }).length, 1);
  });

  it('marks it beside a login and beside hosts, in odd case, continued, in a RequireAny and a limit, with CR LF', () => {
    assert.equal(
      marked(
        dir(
          '  Require group staff\n  rEQUIRE all GRANTED\r\n  <Files y>\n    <Limit GET>\n    <RequireAny>\n    Require all \\\n granted\n    <RequireAll>\n    Require ip 10\n    </RequireAll>\n    </RequireAny>\n    </Limit>\n  </Files>\n',
        ),
      ),
      `<Directory /srv>
  Require group staff
  rEQUIRE all GRANTED\r
# ^^^^^^^^^^^^^^^^^^^ warning require-granted-beside-auth/beside-login none
  <Files y>
    <Limit GET>
    <RequireAny>
    Require all \\
#   ^^^^^^^^^^^^^ warning require-granted-beside-auth/beside-others none
 granted
    <RequireAll>
    Require ip 10
    </RequireAll>
    </RequireAny>
    </Limit>
  </Files>
</Directory>
`,
    );
  });

  it('sees a login within a container', () => {
    assert.deepEqual(
      findingsIn(
        dir('Require all granted\n<RequireAll>\nRequire ip 10\nRequire ldap-group cn=x\n</RequireAll>\n'),
        rule,
      ).map(({ messageId }) => messageId),
      ['beside-login'],
    );
  });

  it('has no fix', () => {
    const text = dir('Require all granted\nRequire valid-user\n');
    assert.equal(fixed(text, { ...rule, unsafe: true }), text);
  });
});
