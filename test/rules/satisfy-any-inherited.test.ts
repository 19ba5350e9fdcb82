import assert from 'node:assert/strict';
import { annotated, findingsIn, fixed, type Asked } from '../support/rules';

const rule = { rule: 'satisfy-any-inherited' };
const marked = (text: string, asked: Asked = {}) => annotated(text, { ...rule, ...asked });
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });
const dir = (body: string) => `<Directory /srv>\n${body}</Directory>\n`;
const files = (body: string) => `<Files x>\n${body}</Files>\n`;

describe('satisfy-any-inherited', () => {
  it('leaves alone what is not inherited, what lets in anyway, what hosts do not open, and what nobody knows', () => {
    const denied = files('Require all denied\n');
    for (const body of [
      denied,
      `Satisfy All\n${denied}`,
      `# Satisfy Any\n${denied}`,
      `Satisfy Any\nOrder allow,deny\n${denied}`,
      `Satisfy Any\nDeny from all\n${denied}`,
      `Satisfy Any\nDeny from \${A}\n${denied}`,
      'Satisfy Any\nRequire all denied\n',
      `Satisfy Any\n${files('Require valid-user\n')}`,
      `Satisfy Any\n${files('Require all granted\n')}`,
      `Satisfy Any\n${files('Order deny,allow\nRequire all denied\n')}`,
      `Satisfy Any\n${files('Satisfy All\nRequire all denied\n')}`,
      `Satisfy Any\n${files('<IfDefine A>\nRequire all denied\n</IfDefine>\n')}`,
      `<IfDefine A>\nSatisfy Any\n</IfDefine>\n${denied}`,
      `<Limit GET>\nSatisfy Any\n</Limit>\n${denied}`,
      `Satisfy Any\nInclude x\n${denied}`,
      `Satisfy Any\n${files('Include x\nRequire all denied\n')}`,
      `Satisfy Any\n${files('<RequireAll>\nRequire all denied\n</RequireAll>\n')}`,
      `Satisfy Any\n<IfVersion < 2.4>\n${denied}</IfVersion>\n`,
      `Satisfy Any\n${files('# Require all denied\n')}`,
      `Satisfy Any\n${files('Require all ${A}\n')}`,
    ]) {
      assert.equal(marked(dir(body)), dir(body));
    }
  });

  it('marks the line, in each section, in odd case, continued, in a .htaccess', () => {
    assert.equal(
      marked(
        '  <fILES x>\n    rEQUIRE all DENIED\n  </fILES>\nsATISFY any\n<If "true">\n  Require \\\n  ip 10\n</If>\n',
        { file: '.htaccess' },
      ),
      `  <fILES x>
    rEQUIRE all DENIED
#   ^^^^^^^^^^^^^^^^^^ error satisfy-any-inherited/open suggestion
  </fILES>
sATISFY any
<If "true">
  Require \\
# ^^^^^^^^^ warning satisfy-any-inherited/open-to-more suggestion
  ip 10
</If>
`,
    );
  });

  it('ends it with Satisfy All, which no other rule takes back, and leaves it to a person', () => {
    const text = dir('Satisfy Any\r\n<Files x>\r\n\tRequire all denied\r\n</Files>\r\n');
    assert.equal(fix(text), text);
    assert.equal(
      fix(text, true),
      dir('Satisfy Any\r\n<Files x>\r\n\tSatisfy All\r\n\tRequire all denied\r\n</Files>\r\n'),
    );
    assert.equal(findingsIn(fixed(text, { unsafe: true }), { rule: 'access-mixed' }).length, 0);
    const all = fixed(text, { unsafe: true });
    assert.equal(fixed(all, { unsafe: true }), all);
  });

  it('reports old lines that deny all, where a login opens the section in 2.2', () => {
    const denied = files('Order allow,deny\nDeny from all\n');
    const finding = (body: string, file?: string) => findingsIn(body, { ...rule, file })[0];
    const limited = `Require valid-user\n<Limit GET POST>\nDeny from all\nSatisfy any\n</Limit>\n${denied}`;
    assert.equal(
      marked(limited, { file: '.htaccess' }),
      limited.replace(
        'Deny from all\n</Files>',
        'Deny from all\n#^^^^^^^^^^^^ warning satisfy-any-inherited/open-to-login suggestion\n</Files>',
      ),
    );
    assert.match(
      finding(limited, '.htaccess')!.message,
      /^`Deny from all` leaves access open to a login: `Satisfy Any` is inherited\n[^]*a login \(`Require valid-user`\) opens these files[^]*write `Satisfy All` into the section\.[^]*Require method GET POST\n *Require valid-user/,
    );
    for (const body of [
      `Satisfy Any\n${denied}`,
      `Require valid-user\nSatisfy All\n${denied}`,
      `Require valid-user\nSatisfy Any\n${files('Deny from all\nSatisfy All\n')}`,
      `Require valid-user\nSatisfy Any\n${files('Deny from all\nAllow from 192.0.2.1\n')}`,
      `Require valid-user\nSatisfy Any\n${files('Deny from all\nRequire user root\n')}`,
      `Require valid-user\nSatisfy Any\n${files('Deny from all\nInclude x\n')}`,
      `Require valid-user\n<IfDefine A>\nSatisfy Any\n</IfDefine>\n${denied}`,
    ])
      assert.equal(finding(dir(body)), undefined, body);
  });
});
