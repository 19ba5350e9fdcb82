/** The examples on the rules' pages, executed; and requirements that every rule must meet. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { directive } from '../../server/src/directives';
import { ALL_RULES } from '../../server/src/rules/all';
import { writtenPage } from '../../server/src/rules/support/page';
import type { Example, Rule } from '../../server/src/rules/rule';
import { SOURCES, sources } from '../architecture/sources';
import { findingsInFiles, fixedFiles } from '../support/configurations';
import { repositoryRoot } from '../support/paths';
import { findingsIn, fixed } from '../support/rules';
import { isUpdating, updateExample } from '../support/update';

describe('rules', () => {
  for (const rule of ALL_RULES) {
    describe(rule.id, () => {
      it('is complete: id, title, page, examples', () => {
        assert.match(rule.id, /^[a-z0-9]+(-[a-z0-9]+)*$/);
        const page = writtenPage(rule);
        for (const text of [rule.title, page.what, page.why, page.httpd, page.fixing])
          assert.ok(text.length > 10, text);
        assert.ok(page.sources.length > 0 && rule.examples.length > 0);
        assert.match(rule.url, /^https:\/\/httpd\.apache\.org\/docs\/2\.4\//);
        for (const name of rule.names) assert.equal(name, name.toLowerCase());
      });
      const run = rule.checks === 'configuration' ? runConfiguration : runExample;
      rule.examples.forEach((example) => it(example.title, () => run(rule, example)));
      it('advises nothing without a condition that 2.2 refuses, if 2.2 reads the files, too', () => {
        if (BESIDE_LINES_OF_24.has(rule.id)) return;
        for (const help of helpsForBoth(rule))
          for (const [, name] of help.matchAll(/`<?([A-Za-z]{4,})[^`]*`/g)) {
            const facts = [true, false].map((section) => directive(name!, { section }));
            if (facts.some((each) => each?.['2.4'] && !each['2.2']) && !facts.some((each) => each?.['2.2']))
              assert.match(help, /`<If(?:Version|Module)|Only 2\.4 knows/, help);
          }
      });
      if (rule.needsLineIn22)
        it('does not advise to remove a line if 2.2 reads the files, too', () => {
          const helps = helpsForBoth(rule);
          assert.ok(helps.length > 0);
          for (const help of helps) {
            assert.doesNotMatch(help, /remove/i);
            assert.match(
              help,
              /(?:^|\. )2\.2 reads this file, too: put|^Keep the line|both versions have|^Put the line into `<If[^`]*>`\.$/,
            );
          }
        });
    });
  }
});

/** Rules about lines that 2.2 refuses, so that they are inside a condition already. */
const BESIDE_LINES_OF_24 = new Set(['require-included', 'ssl-stapling-cache-missing']);

/** The advice of a rule for its examples, if 2.2 also reads the files. */
function helpsForBoth(rule: Rule): string[] {
  return rule.examples.flatMap(({ before, file, files }) => {
    const asked = { ...FOR_BOTH, rule: rule.id };
    const found =
      rule.checks === 'configuration'
        ? [...findingsInFiles({ [file ?? '/srv/httpd.conf']: before, ...files }, asked).values()].flat()
        : findingsIn(before, { ...asked, file });
    return found.map(({ help = '' }) => help);
  });
}

/** The answer that 2.2 also reads the files. */
const FOR_BOTH = { answerSet: { answers: new Map([['versions', 'both']]), folder: '/srv' } };

function runExample(rule: Rule, example: Example): void {
  const asked = { rule: rule.id, file: example.file };
  const find = (text: string) => findingsIn(text, asked).map((finding) => finding.messageId);
  const result = fixed(example.before, { ...asked, unsafe: true });
  if (isUpdating) return update(rule, example, find(example.before), result);
  assert.deepEqual(find(example.before), example.finds);
  assert.equal(result, example.after ?? example.before);
  assert.equal(fixed(result, { ...asked, unsafe: true }), result, 'fixing twice equals fixing once');
  if (example.after !== undefined)
    assert.ok(find(result).length < example.finds.length, 'the fixed text has fewer findings of the rule');

  assert.deepEqual(find(crlf(example.before)), example.finds, 'with CR LF');
  assert.equal(fixed(crlf(example.before), { ...asked, unsafe: true }), crlf(result), 'fixed with CR LF');
  assert.deepEqual(find(oddCase(example.before, rule)), example.finds, 'in odd case');
  if (!isAboutAnyLine(rule)) assert.deepEqual(find(comments(example.before)), [], 'in comments');
  // Tags must pair in text that is skipped, too; and one rule is about what is skipped.
  if (rule.id !== 'section-unpaired' && rule.id !== 'condition-one-version')
    assert.deepEqual(
      find(`<IfVersion < 2.4>\n${closed(example.before)}</IfVersion>\n`),
      [],
      'in an inactive conditional',
    );
  assert.deepEqual(
    find(closed(example.before) + closed(example.before)).length >= example.finds.length,
    true,
    'twice in a file',
  );
  const silenced = example.before.replace(/^(?=[^\n])/gm, `# httpd-upgrade-ignore ${rule.id}: test\n`);
  assert.deepEqual(find(silenced), [], 'with a comment above that silences the rule');
}

/** Writes what an example finds, and its fixed text, into the file of the rule. */
function update(rule: Rule, example: Example, finds: readonly string[], after: string): void {
  const file = path.relative(
    repositoryRoot,
    sources(path.join(SOURCES, 'rules')).find((each) => isFileOf(each, rule))!,
  );
  if (finds.join() !== example.finds.join()) assert.ok(updateExample(file, example.title, 'finds', finds), file);
  if (after !== (example.after ?? example.before)) assert.ok(updateExample(file, example.title, 'after', after), file);
}

function isFileOf(file: string, rule: Rule): boolean {
  return readFileSync(file, 'utf8').includes(`id: '${rule.id}'`);
}

/** The example is the whole configuration. */
function runConfiguration(rule: Rule, example: Example): void {
  const asked = { rule: rule.id };
  const files = (text: string) => ({ '/srv/conf/httpd.conf': text, ...example.files });
  const find = (text: string) =>
    [...findingsInFiles(files(text), asked).values()].flat().map((finding) => finding.messageId);
  const fix = (text: string) => fixedFiles(files(text), { ...asked, unsafe: true })['/srv/conf/httpd.conf'];
  const result = fix(example.before);
  if (isUpdating) return update(rule, example, find(example.before), result);
  assert.deepEqual(find(example.before), example.finds);
  assert.equal(result, example.after ?? example.before);
  assert.equal(fix(result), result, 'fixing twice equals fixing once');
  if (example.after !== undefined)
    assert.ok(find(result).length < example.finds.length, 'the fixed text has fewer findings of the rule');

  assert.deepEqual(find(crlf(example.before)), example.finds, 'with CR LF');
  assert.equal(fix(crlf(example.before)), crlf(result), 'fixed with CR LF');
  assert.deepEqual(find(oddCase(example.before, rule)), example.finds, 'in odd case');
  assert.deepEqual(find(comments(example.before)), [], 'in comments');
  // A rule may report what only 2.2 reads.
  assert.deepEqual(
    find(`<IfVersion < 2.0>\n${closed(example.before)}</IfVersion>\n`),
    [],
    'in an inactive conditional',
  );
  const silenced = example.before.replace(/^(?=[^\n])/gm, `# httpd-upgrade-ignore ${rule.id}: test\n`);
  assert.deepEqual(find(silenced), [], 'with a comment above that silences the rule');
}

/** Some rules are about how lines end, comments too. */
function isAboutAnyLine(rule: Rule): boolean {
  return rule.checks === 'line' && rule.checksOddLines === true;
}

function crlf(text: string): string {
  return text.replace(/\n/g, '\r\n');
}

function closed(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

/** The names the rule listens to, in changing case. */
function oddCase(text: string, rule: Rule): string {
  return text.replace(/^([ \t]*<?\/?)([A-Za-z]+)/gm, (all, lead: string, name: string) =>
    rule.names.includes(name.toLowerCase())
      ? lead + [...name].map((c, i) => (i % 2 ? c.toUpperCase() : c.toLowerCase())).join('')
      : all,
  );
}

function comments(text: string): string {
  return text.replace(/^(?=.)/gm, '#');
}
