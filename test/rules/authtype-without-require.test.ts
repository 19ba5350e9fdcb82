import assert from 'node:assert/strict';
import { annotated, findingsIn, fixed, type Asked } from '../support/rules';

const rule = { rule: 'authtype-without-require' };
const marked = (text: string, asked: Asked = {}) => annotated(text, { ...rule, ...asked });
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });
const whole = (body: string) => `PidFile x\n<Directory /srv>\n${body}</Directory>\n`;

describe('authtype-without-require', () => {
  it('leaves alone what has a Require anywhere, what a .htaccess or another file may complete, and what asks for nothing', () => {
    for (const text of [
      whole('AuthType Basic\nRequire valid-user\n'),
      whole('AuthType Basic\n') + '<Location />\nRequire all granted\n</Location>\n',
      whole('AuthType Basic\nAllowOverride AuthConfig\n'),
      whole('AuthType Basic\nAllowOverride All\n'),
      whole('AuthType Basic\n') + 'Include x\n',
      '<Directory /srv>\nAuthType Basic\n</Directory>\n',
      whole('AuthType None\n'),
      whole('AuthType ${A}\n'),
      whole('# AuthType Basic\n'),
      whole('<IfModule a.c>\nAuthType Basic\n</IfModule>\n'),
      whole('<IfVersion < 2.4>\nAuthType Basic\n</IfVersion>\n'),
      'PidFile x\nAuthType Basic\n',
      'PidFile x\n<Macro a>\n<Location /a>\nAuthType Basic\n</Location>\n</Macro>\n',
      whole('AuthType Basic\n<RequireAny>\nRequire ip 10\n</RequireAny>\n'),
      whole('AuthType Basic\n<IfDefine A>\nRequire valid-user\n</IfDefine>\n'),
    ]) {
      assert.equal(marked(text), text);
    }
    assert.equal(marked('AuthType Basic\n', { file: '.htaccess' }), 'AuthType Basic\n');
  });

  it('marks each, in odd case, nested', () => {
    assert.equal(
      marked(
        'ServerRoot /x\n<VirtualHost *>\n<Directory /a>\n  aUTHtYPE  Digest\n  <Files x>\n    AuthType basic\n  </Files>\n</Directory>\n</VirtualHost>\n',
      ),
      `ServerRoot /x
<VirtualHost *>
<Directory /a>
  aUTHtYPE  Digest
# ^^^^^^^^^^^^^^^^ error authtype-without-require/no-require suggestion
  <Files x>
    AuthType basic
#   ^^^^^^^^^^^^^^ error authtype-without-require/no-require suggestion
  </Files>
</Directory>
</VirtualHost>
`,
    );
  });

  it('offers what 2.2 did, and what was probably wanted; a person decides', () => {
    const text = whole('  AuthType Basic\r\n');
    assert.equal(fix(text), text);
    assert.equal(fix(text, true), whole('  AuthType Basic\r\n  Require all granted\r\n'));
    assert.deepEqual(
      findingsIn(text, rule)[0].fixes.map(({ edits }) => edits[0].text.trim()),
      ['Require all granted', 'Require valid-user'],
    );
  });

  it('has no fix where old lines decide, or on a continued line', () => {
    for (const text of [whole('AuthType Basic\nOrder allow,deny\nAllow from 10\n'), whole('AuthType \\\nBasic\n')]) {
      assert.equal(findingsIn(text, rule).length, 1);
      assert.equal(fix(text, true), text);
    }
  });
});
