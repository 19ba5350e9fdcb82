/** The files generated from the rules are up to date. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { ALL_RULES } from '../../server/src/rules/all';
import { withVisibleCharacters } from '../../server/src/syntax/hidden-text';
import { generatedFiles } from '../../server/src/rules/support/documentation';
import { rulePage, versionOfExample } from '../../server/src/rules/support/page';
import type { Rule } from '../../server/src/rules/rule';

// Tests run in the project's root.
const read = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '');

describe('the pages of the rules', () => {
  it('are up to date (node server/scripts/generate-rule-pages.mjs)', () => {
    const wanted = generatedFiles(read);
    assert.deepEqual(
      Object.keys(wanted).filter((file) => read(file) !== wanted[file]),
      [],
      'stale files',
    );
    assert.deepEqual(
      readdirSync('docs/rules').filter((name) => !(`docs/rules/${name}` in wanted)),
      [],
      'files of rules that are no more',
    );
  });

  it('say how to silence the rule, and show both versions', () => {
    for (const rule of ALL_RULES) {
      const page = rulePage(rule);
      assert.ok(
        page.startsWith(`# ${rule.id}\n`) && page.endsWith('\n') && !/\n{3}|undefined(?! symbol)/.test(page),
        rule.id,
      );
      assert.ok(page.includes(`# httpd-upgrade-ignore ${rule.id}: reason`) && page.includes(rule.url));
      assert.ok(
        rule.examples.every(
          ({ before, after }) =>
            page.includes(withVisibleCharacters(before.trimEnd())) &&
            page.includes(withVisibleCharacters((after ?? '').trimEnd())),
        ),
      );
      assert.equal((page.match(/^```/gm) ?? []).length % 2, 0);
    }
  });

  it('claim "2.2 or 2.4" only for lines that 2.4 accepts and reads as 2.2 does', () => {
    const differs =
      /^(will not start|requests get 500|access opens|may not start|requests may get 500|ignored|meaning changed)$/;
    for (const rule of ALL_RULES) {
      for (const example of rule.examples) {
        if (example.finds.length === 0 || !differs.test(rule.consequence)) continue;
        assert.notEqual(versionOfExample(rule, example), 'either', `${rule.id}: ${example.title}`);
      }
    }
  });

  it('name the version of each example, and no version for a problem that both have', () => {
    const label = (id: string, index = 0) =>
      /^(.*):\n\n```/m.exec(rulePage(ALL_RULES.find((rule) => rule.id === id)!).split('\n### ')[index + 1])?.[1];
    assert.equal(label('keep-alive-value'), 'Before (httpd 2.2)');
    assert.equal(label('authtype-without-require'), 'Before (httpd 2.2)');
    assert.equal(label('default-type'), 'Before (httpd 2.2)');
    assert.equal(label('max-clients'), 'Before (httpd 2.2 or 2.4)');
    assert.equal(label('byte-order-mark'), 'Before');
    assert.equal(label('wrong-arguments'), 'Lines with the problem');
    assert.equal(label('missing-module', 0), 'Before (httpd 2.4)', 'a LoadModule line of an MPM is of 2.4');
    assert.equal(label('ssl-protocol-sslv2', 3), 'httpd 2.2 or 2.4', 'an example without a problem');
  });

  it('survive an example with a fence in it', () => {
    const rule: Rule = { ...ALL_RULES[0], examples: [{ title: 'x', before: '# ```\n', finds: [] }] };
    assert.ok(rulePage(rule).includes('````apacheconf\n# ```\n````'));
  });
});
