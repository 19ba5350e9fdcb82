import assert from 'node:assert/strict';
import { annotated, findingsIn, fixed } from '../support/rules';

const rule = { rule: 'access-operand-never-matches' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });

describe('access-operand-never-matches', () => {
  it('leaves right lines alone, names, variables, placeholders, and comments behind the line', () => {
    const clean =
      'Order Allow,Deny\norder "deny,allow"\nOrder mutual-failure\nAllow from all\nDENY FROM 10 10.1. 10.0.0.0/8 ::1 .example.org a_b env=a env=!b\nAllow from ${A},${B}\nAllow from @HOST@ {{ x }}\nAllow from 10 # a,b\n# Allow from 10,11\nAllowOverride None\n<Macro a $x>\nAllow from $x,\n</Macro>\n';
    assert.equal(marked(clean), clean);
    assert.equal(fix(clean, true), clean);
  });

  it('marks the words, in odd case, in limits, with a severity of its own', () => {
    assert.equal(
      marked(
        '<Directory /a>\n  oRDER allow, deny\n  <Limit GET>\n    Allow From 10.* none 10.1/16\n    deny all\n  </Limit>\n</Directory>\n',
      ),
      `<Directory /a>
  oRDER allow, deny
# ^^^^^^^^^^^^^^^^^ error access-operand-never-matches/order suggestion
  <Limit GET>
    Allow From 10.* none 10.1/16
#              ^^^^ warning access-operand-never-matches/never-matches suggestion
#                   ^^^^ hint access-operand-never-matches/none none
#                        ^^^^^^^ error access-operand-never-matches/not-an-address suggestion
    deny all
#   ^^^^^^^^ error access-operand-never-matches/from suggestion
  </Limit>
</Directory>
`,
    );
  });

  it('offers what was meant, and never safely', () => {
    const meanings = [
      ['Order allow , deny', 'Order allow,deny'],
      ['Order Deny Allow', 'Order deny,allow'],
      ['Allow from 10.0.0.1,10.0.0.2', 'Allow from 10.0.0.1 10.0.0.2'],
      ['Allow from *', 'Allow from all'],
      ['Deny from *.example.org', 'Deny from .example.org'],
      ['Deny from 10.0.0.0/8,11.0.0.0/8', 'Deny from 10.0.0.0/8 11.0.0.0/8'],
      ['Deny from http://a.example/x', 'Deny from a.example'],
      ['Deny 10.1', 'Deny from 10.1'],
      ['Allow form all', 'Allow from all'],
      ['Allow from "10.1 10.2"', 'Allow from 10.1 10.2'],
      ['Allow from 0.0.0.0/0', 'Allow from all'],
      ['Allow from \\\n10.1/16', 'Allow from \\\n10.1.0.0/16'],
    ];
    for (const [before, after] of meanings) {
      assert.equal(fix(`${before}\r\n`), `${before}\r\n`);
      assert.equal(fix(`${before}\r\n`, true), `${after}\r\n`);
    }
  });

  it('has no fix where nobody knows what was meant', () => {
    for (const text of [
      'Order allow',
      'Order',
      'Order allow,deny # x y',
      'Allow from',
      'Allow',
      'Allow from 300.1.1.1',
      'Allow from 10.0.0.1-9',
      'Deny from none',
      'Deny everybody',
    ]) {
      assert.equal(findingsIn(text, rule).length, text.includes('#') ? 0 : 1, text);
      assert.equal(fix(text, true), text);
    }
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = '<IfVersion < 2.4>\nAllow from 10,11\n</IfVersion>\n';
    assert.equal(marked(inactive), inactive);
  });
});
