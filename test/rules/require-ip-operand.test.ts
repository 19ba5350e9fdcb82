import assert from 'node:assert/strict';
import { annotated, findingsIn, fixed } from '../support/rules';

const rule = { rule: 'require-ip-operand' };
const marked = (text: string) => annotated(text, rule);
const fix = (text: string, unsafe = false) => fixed(text, { ...rule, unsafe });
const dir = (body: string) => `<Directory /srv>\n${body}</Directory>\n`;

describe('require-ip-operand', () => {
  it('leaves right operands alone, variables, placeholders and comments behind the line', () => {
    const clean = dir(
      'Require ip 10 10.1 10.1.2.3 10.0.0.0/8 10.0.0.0/255.0.0.0 ::1 2001:db8::/32 10.1.\nRequire host a.b .example.org localhost\nRequire env a b\nRequire ip ${A} {{ b }}\nRequire ip 10 # the office\n# Require ip a.b\nRequire user ip a.b\nRequire host a # 10.1.2.3\n',
    );
    assert.equal(marked(clean), clean);
    assert.equal(fix(clean, true), clean);
  });

  it('marks each word, in odd case, in containers and limits', () => {
    assert.equal(
      marked(
        dir(
          '  rEQUIRE ip a.example 10 10.*\n  <Limit GET>\n    <RequireAll>\n      Require not env !a\n      Require host 10.1.2.3\n    </RequireAll>\n    Require ip\n  </Limit>\n',
        ),
      ),
      `<Directory /srv>
  rEQUIRE ip a.example 10 10.*
#            ^^^^^^^^^ error require-ip-operand/host none
#                         ^^^^ error require-ip-operand/not-an-address suggestion
  <Limit GET>
    <RequireAll>
      Require not env !a
#                     ^^ warning require-ip-operand/negated-variable none
      Require host 10.1.2.3
#                  ^^^^^^^^ warning require-ip-operand/address-for-host suggestion
    </RequireAll>
    Require ip
#   ^^^^^^^^^^ error require-ip-operand/nothing none
  </Limit>
</Directory>
`,
    );
  });

  it('gives names a line of their own: alternatives stay so, also in a RequireAll', () => {
    assert.equal(
      fix(dir('  Require ip 10 a.b 11 c.d\r\n'), true),
      dir('  Require ip 10 11\r\n  Require host a.b c.d\r\n'),
    );
    assert.equal(fix(dir('Require ip "a.b"\n'), true), dir('Require host a.b\n'));
    assert.equal(
      fix(dir('<RequireAll>\nRequire ip a.b\nRequire ip 10 c.d\n</RequireAll>\n'), true),
      dir(
        '<RequireAll>\nRequire host a.b\n<RequireAny>\n    Require ip 10\n    Require host c.d\n</RequireAny>\n</RequireAll>\n',
      ),
    );
    assert.equal(
      fix(dir('<RequireNone>\n\tRequire ip 10 a.b\n</RequireNone>\n'), true),
      dir('<RequireNone>\n\tRequire ip 10\n\tRequire host a.b\n</RequireNone>\n'),
    );
    assert.equal(
      fix(dir('<RequireAll>\nRequire not ip 10 a.b\n</RequireAll>\n'), true),
      dir('<RequireAll>\nRequire not ip 10\nRequire not host a.b\n</RequireAll>\n'),
    );
  });

  it('leaves all of that to a person: neither version let anybody in by the line', () => {
    for (const line of ['ip 10 a.b', 'ip a.b']) assert.equal(fix(dir(`Require ${line}\n`)), dir(`Require ${line}\n`));
    assert.match(findingsIn(dir('Require ip a.b\n'), rule)[0].fixes[0].assumes!, /clients with these names/);
    assert.match(findingsIn('Require ip 10 a.b\n', rule)[0].fixes[0].assumes!, /^no <RequireAll>/);
  });

  it('offers what was meant by other words, one after the other', () => {
    const meanings = [
      ['10.0.0.1,10.0.0.2', 'ip 10.0.0.1 10.0.0.2'],
      ['10.0.0.1, 10.0.0.2', 'ip 10.0.0.1 10.0.0.2'],
      ['10.1.*', 'ip 10.1'],
      ['10.1.*.*', 'ip 10.1'],
      ['10.1/16', 'ip 10.1.0.0/16'],
      ['[::1]', 'ip ::1'],
      ['0.0.0.0/0', 'all granted'],
      ['all', 'all granted'],
      ['*.example.org', 'host .example.org'],
      ['::ffff:10.0.0.1', 'ip 10.0.0.1'],
    ];
    for (const [before, after] of meanings) {
      assert.equal(fix(dir(`Require ip ${before}\n`)), dir(`Require ip ${before}\n`), 'not safely');
      assert.equal(fix(dir(`Require ip ${before}\n`), true), dir(`Require ${after}\n`));
    }
  });

  it('has no fix where it takes more than that', () => {
    for (const line of [
      'Require ip 10.0.0.1-10.0.0.9',
      'Require ip 300.1.1.1',
      'Require ip',
      'Require ip a.b \\\n 10',
      'Require host 10 a.b',
      'Require env a !b',
      'Require ip 10 all',
    ]) {
      assert.ok(findingsIn(dir(`${line}\n`), rule).length > 0, line);
      assert.equal(fix(dir(`${line}\n`), true), dir(`${line}\n`));
    }
  });

  it('writes "not set" as 2.4 does', () => {
    assert.equal(
      fix(dir('\tRequire env !a\n'), true),
      dir('\t<RequireAll>\n\t\tRequire all granted\n\t\tRequire not env a\n\t</RequireAll>\n'),
    );
    assert.equal(
      fix(dir('<RequireAll>\nRequire ip 10\nRequire env !a\n</RequireAll>\n'), true),
      dir('<RequireAll>\nRequire ip 10\nRequire not env a\n</RequireAll>\n'),
    );
  });

  it('is silent in a section that 2.4 does not read', () => {
    const inactive = dir('<IfVersion < 2.4>\nRequire ip a.b\n</IfVersion>\n');
    assert.equal(marked(inactive), inactive);
  });
});
