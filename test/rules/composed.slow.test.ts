/**
 * Safe fixes of the rules' own examples, with the same lines in other forms: equivalent lines get
 * equivalent fixes, unread lines stay unchanged, and in any file context fixing twice equals fixing
 * once.
 */
import assert from 'node:assert/strict';
import { STANDALONE_QUESTION_ID } from '../../server/src/analysis/answers';
import { Engine } from '../../server/src/analysis/engine';
import { fixText } from '../../server/src/analysis/fixes';
import { ALL_RULES } from '../../server/src/rules/all';
import { lexLines, LineKind } from '../../server/src/syntax/line';
import { ALIKE, examplesOfFiles, OTHERWISE, UNREAD } from '../support/composed';

const engine = new Engine({ rules: ALL_RULES });
/** What AllowOverride grants a .htaccess, a condition around the other lines leaves open. */
const admitting = new Engine({
  rules: ALL_RULES,
  answerSet: { answers: new Map([[STANDALONE_QUESTION_ID, 'none']]), folder: '' },
});
const EXAMPLES = examplesOfFiles();

describe('safe fixes, wherever the lines stand', () => {
  const fix = (text: string, file?: string) =>
    fixText(file === '.htaccess' ? admitting : engine, text, { isHtaccess: file === '.htaccess' }).text;
  // Tags that pair with nothing pair with what is around them.
  const fixable = EXAMPLES.filter(
    ({ rule, before, file }) => rule !== 'section-unpaired' && fix(before, file) !== before,
  );

  it('there are some', () => assert.ok(fixable.length > 30, String(fixable.length)));

  for (const [name, dress] of Object.entries(ALIKE)) {
    it(`${name}: the same`, () => {
      for (const { rule, before, file } of fixable)
        assert.deepEqual(read(fix(dress(before), file)), read(dress(fix(before, file))), `${rule}:\n${dress(before)}`);
    });
  }

  for (const [name, dress] of Object.entries(UNREAD)) {
    it(`${name}: nothing`, () => {
      for (const { rule, before, file } of fixable) assert.equal(fix(dress(before), file), dress(before), rule);
    });
  }

  for (const [name, dress] of Object.entries({ ...ALIKE, ...OTHERWISE })) {
    it(`${name}: once`, () => {
      for (const { rule, before, file } of EXAMPLES) {
        for (const unsafe of [false, true]) {
          const once = fixText(engine, dress(before), { isHtaccess: file === '.htaccess' }, { unsafe }).text;
          assert.equal(
            fixText(engine, once, { isHtaccess: file === '.htaccess' }, { unsafe }).text,
            once,
            `${rule}:\n${dress(before)}`,
          );
        }
      }
    });
  }
});

/** Lines as the server reads them, names without case, without blanks and comments. */
function read(text: string): string[] {
  return lexLines(text.replace(/^\ufeff/, ''))
    .filter(({ kind }) => kind !== LineKind.Comment && kind !== LineKind.Blank)
    .map((line) =>
      line.text
        .replace(/\\\r?\n/g, ' ')
        .trim()
        .replace(/\s+/g, ' ')
        .replace(/^\S+/, (name) => name.toLowerCase()),
    );
}
