/**
 * Extreme lines: thousands of operands, deep nesting, placeholders. Findings, fixes and hovers
 * work, and nothing overflows.
 */
import assert from 'node:assert/strict';
import { Engine } from '../../server/src/analysis/engine';
import { DEFAULT_TARGET } from '../../server/src/config/target';
import { hover } from '../../server/src/features/hover/hover';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';

const MANY = 6000;
const operands = (word: (index: number) => string) => Array.from({ length: MANY }, (_, index) => word(index)).join(' ');
const address = (index: number) => `10.${index % 250}.${Math.floor(index / 250)}.1`;

const LONG: Readonly<Record<string, string>> = {
  'Allow from': `Allow from ${operands(address)}`,
  'Require ip': `Require ip ${operands(address)}`,
  'Require user': `Require user ${operands((index) => `u${index}`)}`,
  Options: `Options ${operands(() => '+Indexes')}`,
  'Options, the last one wrong': `Options ${operands(() => '+Indexes')} +Indexe`,
  IndexOptions: `IndexOptions ${operands(() => '+FancyIndexing')}`,
  AllowOverride: `AllowOverride ${operands(() => 'All')}`,
  SSLProtocol: `SSLProtocol ${operands(() => '+TLSv1.2')}`,
  LogLevel: `LogLevel ${operands(() => 'ssl:info')}`,
  ProxyPass: `ProxyPass /x http://a/ ${operands(() => 'retry=0')}`,
  'maps in maps': `RewriteRule ^ ${'${m:'.repeat(MANY)}x${'}'.repeat(MANY)}`,
  'maps that are not closed': `RewriteRule ^ ${'${m:'.repeat(MANY)}`,
  variables: `RewriteCond ${'%{'.repeat(MANY)} x`,
  groups: `RewriteRule ${'('.repeat(MANY)}${')'.repeat(MANY)} -`,
  references: `RewriteRule ^ ${'$1'.repeat(MANY)}`,
  expression: `Require expr ${'('.repeat(MANY)}`,
};

describe('lines that no person writes', function () {
  this.timeout(600_000);

  for (const [name, line] of Object.entries(LONG)) {
    it(name, () => {
      const text = `<Directory /x>\nOrder deny,allow\n${line}\n</Directory>\n`;
      const tree = Tree.parse(text);
      for (const isHtaccess of [false, true])
        for (const finding of new Engine({ rules: ALL_RULES }).analyze(tree, { isHtaccess }).findings())
          assert.ok(finding.end <= text.length);
      const at = text.indexOf(line);
      for (const offset of [at + 2, at + line.length - 2])
        assert.doesNotThrow(() => hover(tree, offset, DEFAULT_TARGET));
    });
  }

  it('a variable whose name is too long for a regular expression', () => {
    const name = '${'.repeat(30_000) + 'a';
    const tree = Tree.parse(
      `Define ${'b'.repeat(30_000)} c\nServerName ${name}}\nServerAlias \${${'b'.repeat(30_000)}}\n`,
    );
    for (const part of [0.1, 0.5, 0.9])
      assert.doesNotThrow(() => hover(tree, Math.floor(tree.length * part), DEFAULT_TARGET));
    assert.match(JSON.stringify(hover(tree, tree.length - 100, DEFAULT_TARGET)), /stands for|`c`|is c/);
  });

  it('a wrong word behind thousands of right ones is still found', () => {
    const found = new Engine({ rules: ALL_RULES })
      .analyze(Tree.parse(`<Directory /x>\n${LONG['Options, the last one wrong']}\n</Directory>\n`), {
        isHtaccess: false,
      })
      .findings()
      .filter(({ rule: { id } }) => id !== 'line-too-long');
    assert.deepEqual(
      found.map(({ rule: { id }, fixes }) => [id, fixes[0]?.title]),
      [['invalid-value', 'Change +Indexe to +Indexes in Options']],
    );
  });

  it('the hover on access lines with placeholders tells what is known', () => {
    for (const operand of ['@IP@', 'user@host', 'a$b', '$x', '%h', '${X}', 'a@b@c']) {
      for (const lines of [
        `Allow from ${operand}`,
        `Allow from ${operand} 192.0.2.1\nDeny from ${operand}`,
        `<Limit GET>\nAllow from ${operand}\n</Limit>`,
      ]) {
        const text = `<Directory /x>\nOrder deny,allow\n${lines}\n</Directory>\n`;
        const said = JSON.stringify(hover(Tree.parse(text), text.indexOf('Allow from') + 2, DEFAULT_TARGET));
        if (operand === 'user@host' && lines.includes('Deny')) assert.match(said, /whose value is not known/, operand);
        assert.doesNotMatch(said, /matches nobody/, operand);
      }
    }
  });
});
