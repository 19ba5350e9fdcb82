import assert from 'node:assert/strict';
import { shortEditorText } from '../../server/src/analysis/findings';
import { annotated, findingsIn, fixed } from '../support/rules';

const rule = { rule: 'access-mixed' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });
const dir = (body: string) => `<Directory /srv>\n${body}</Directory>\n`;

describe('access-mixed', () => {
  it('leaves old lines alone, and new ones, and both where one of them may not be there', () => {
    for (const body of [
      'Order allow,deny\nAllow from all\nRequire valid-user\n',
      'Require ip 10\n',
      'Order allow,deny\n<Files x>\nRequire all granted\n</Files>\n',
      'Order allow,deny\n# Require all granted\n',
      'Order allow,deny\nRequire ${A}\n',
      'Order allow,deny\nRequire shib-session\n',
      '<IfModule mod_authz_core.c>\nRequire all granted\n</IfModule>\n<IfModule !mod_authz_core.c>\nOrder allow,deny\n</IfModule>\n',
      '<IfModule mod_access_compat.c>\nOrder allow,deny\n</IfModule>\nRequire all granted\n',
      '<Limit GET>\nOrder allow,deny\n</Limit>\n<LimitExcept GET>\nRequire all denied\n</LimitExcept>\n',
      '<IfVersion < 2.4>\nOrder allow,deny\nRequire all granted\n</IfVersion>\n',
      'Satisfy All\nRequire ip 10\n',
    ]) {
      assert.equal(marked(dir(body)), dir(body));
    }
  });

  it('tells an editor what happens, not only that something changes', () => {
    const said = (more: string) => {
      const [found] = findingsIn(dir(`Order allow,deny\nAllow from all\nRequire all granted\n${more}`), rule);
      return shortEditorText(found!);
    };
    assert.match(
      said(''),
      /\n\nWhere `Order`, `Allow` and `Deny` deny a request, `Require` cannot allow it \(AH01797\)\.\n/,
    );
    assert.match(said('Satisfy Any\n'), /\n\nA request that .* gets access, even where `Require` denies it\.\nHelp: /);
    assert.doesNotMatch(said(''), /differently/);
  });

  it('marks the first old line of each section, in odd case, continued, within limits', () => {
    assert.equal(
      marked(
        dir(
          '  rEQUIRE all granted\n  dENY \\\n  from all\n  Allow from 10\n  <Files x>\n    <Limit GET>\n      Satisfy aNY\n      <RequireAll>\n        Require user ann\n      </RequireAll>\n    </Limit>\n  </Files>\n',
        ),
      ),
      `<Directory /srv>
  rEQUIRE all granted
  dENY \\
# ^^^^^^ warning access-mixed/mixed suggestion
  from all
  Allow from 10
  <Files x>
    <Limit GET>
      Satisfy aNY
#     ^^^^^^^^^^^ warning access-mixed/mixed-any none
      <RequireAll>
        Require user ann
      </RequireAll>
    </Limit>
  </Files>
</Directory>
`,
    );
  });

  it('removes or converts the old lines where one side says nothing of its own, and leaves it to a person', () => {
    const cases = [
      ['Order deny,allow\r\nRequire ip 10\r\n', 'Require ip 10\r\n'],
      ['Order deny,allow\nDeny from all\nRequire all denied\n', 'Require all denied\n'],
      ['Allow from 10\nRequire all granted\nDeny from all\n# x\n', 'Require ip 10\n# x\n'],
      [
        '  Order allow,deny\n  Require all granted\n  Allow from 10\n  Deny from 10.1\n',
        '  <RequireAll>\n    Require ip 10\n    Require not ip 10.1\n  </RequireAll>\n',
      ],
    ];
    for (const [before, after] of cases) {
      assert.equal(fix(dir(before)), dir(before));
      assert.equal(fix(dir(before), true), dir(after));
    }
    assert.match(
      findingsIn(dir('Order deny,allow\nRequire ip 10\n'), rule)[0].fixes[0].assumes!,
      /^no enclosing section/,
    );
  });

  it('has no fix where both sides decide, with Satisfy Any, containers, methods, conditions, and words nobody knows', () => {
    for (const body of [
      'Deny from all\nAllow from 10\nRequire ip 11\n',
      'Order deny,allow\nSatisfy Any\nRequire ip 10\n',
      'Order deny,allow\n<RequireAll>\nRequire ip 10\n</RequireAll>\n',
      '<Limit GET>\nOrder deny,allow\nRequire ip 10\n</Limit>\n',
      '<IfDefine A>\nOrder deny,allow\nRequire ip 10\n</IfDefine>\n',
      'Allow from ${A}\nRequire ip 10\n',
      'Order deny,allow\nDeny from 10,11\nRequire all granted\n',
      'Order deny,allow\nInclude x\nRequire all granted\n',
      'Order allow, deny\nRequire ip 10\n',
    ]) {
      assert.equal(findingsIn(dir(body), rule).length, 1, body);
      assert.equal(fix(dir(body), true), dir(body), body);
    }
  });
});
