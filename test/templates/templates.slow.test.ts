/**
 * Templates in many languages: no fix changes the decisions of any rendering, under any assumption,
 * and template text gets no error. The templates are ours (cases.ts), written in each language
 * (languages.ts) and rendered by a small implementation of it.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Tree } from '../../server/src/syntax/document';
import { findingsIn } from '../support/rules';
import { itOver } from '../support/lacks';
import { templatesFolder } from '../support/paths';
import { CASES, HEAD, type Case } from './cases';
import { inLanguage, LANGUAGES, render, rendered, type Language, type Values } from './languages';
import { answers, fixedTexts } from './support';

const TEMPLATES = LANGUAGES.flatMap((language) =>
  CASES.flatMap((of) => {
    const text = inLanguage(of.text, language);
    return text === null ? [] : [{ language, of, text }];
  }),
);

describe('templates', () => {
  it('are at least sixty, in eight languages', () => {
    assert.ok(TEMPLATES.length >= 60, `${TEMPLATES.length}`);
    assert.ok(new Set(TEMPLATES.map(({ language }) => language)).size >= 8);
  });

  it('have renderings that decide otherwise, or values that have no say', () => {
    const alike = CASES.filter(
      (of) =>
        new Set(of.renderings.map((values) => JSON.stringify(answers(rendered(of.text, values), '2.2', of)))).size ===
        1,
    ).map(({ name }) => name);
    assert.deepEqual(alike, [
      'a virtual host with values, and switches',
      'a value of another line between the access lines',
      'a remark over several lines',
      'a main file with a name in a value',
    ]);
  });

  for (const { language, of, text } of TEMPLATES) {
    it(`${language.name}: ${of.name}`, () => {
      for (const values of of.renderings)
        assert.equal(
          render(text, language, values),
          rendered(of.text, values),
          'the language is read as it is written',
        );
      for (const [what, fixed] of fixedTexts(text, of))
        for (const values of of.renderings) assertSame(what, fixed, values, language, of);
    });

    if (!language.isUnknown)
      it(`${language.name}: ${of.name}: no errors on lines that are template text`, () => {
        const marked = linesWithMarks(of.text);
        for (const head of ['', of.isMain ? '' : HEAD, 'PidFile /x\nLoadModule alias_module modules/mod_alias.so\n']) {
          const first = head.split('\n').length - 1;
          const errors = errorsIn(head + text, (row) => marked.has(row - first));
          assert.deepEqual(
            language.isLikeHttpd
              ? errors.filter((found) => !/^(?:warning|error) order-allow-deny\/access/.test(found))
              : errors,
            [],
          );
        }
      });
  }

  itOver('templates', 'of public modules have no errors on lines that are template text', () => {
    const files = readdirSync(templatesFolder, { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile() && entry.name !== 'MANIFEST.tsv',
    );
    assert.ok(files.length >= 48, `${files.length} files`);
    for (const { parentPath, name } of files) {
      const text = readFileSync(path.join(parentPath, name), 'utf8');
      // Whatever their lines are: none is an error.
      assert.deepEqual(
        errorsIn(text, () => true).filter((found) => !found.startsWith('warning')),
        [],
        `${parentPath}/${name}`,
      );
    }
  });
});

/**
 * What fixing did to a template changes nothing that a rendering of it decides, and no value that
 * it has.
 */
function assertSame(what: string, fixed: string, values: Values, language: Language, of: Case): void {
  const before = rendered(of.text, values);
  const after = render(fixed, language, values);
  const now = answers(after, '2.4', of);
  // What a fix leaves as it was is decided by mod_access_compat, as before the fix.
  const isSame = [answers(before, '2.2', of), answers(before, '2.4', of)].some(
    (right) => JSON.stringify(right) === JSON.stringify(now),
  );
  assert.ok(
    isSame,
    `${what}, rendered with ${JSON.stringify(values)}:\n--- the template, fixed\n${fixed}\n--- rendered before\n${before}\n--- rendered after\n${after}`,
  );
  assert.deepEqual(switches(after), switches(before), what);
}

function switches(text: string): string[] {
  return text.split('\n').filter((line) => /^\s*(KeepAlive|ServerName|Options|DocumentRoot)\b/.test(line));
}

/**
 * The lines that a language writes template text into, counted from 0: a mark may go over several.
 */
function linesWithMarks(marked: string): Set<number> {
  const rows = new Set<number>();
  for (const { 0: mark, index } of marked.matchAll(/«[^»]*»/g)) {
    const first = marked.slice(0, index).split('\n').length - 1;
    mark.split('\n').forEach((_, row) => rows.add(first + row));
  }
  return rows;
}

/** Errors and warnings on lines for which the test holds. */
function errorsIn(text: string, isOne: (row: number) => boolean): string[] {
  const tree = Tree.parse(text);
  return findingsIn(text).flatMap(({ severity, start, rule, messageId }) => {
    if ((severity !== 'error' && severity !== 'warning') || !isOne(tree.positionAt(start).line)) return [];
    return [`${severity} ${rule.id}/${messageId}: ${tree.lineAt(start)!.line.text.trim()}`];
  });
}
