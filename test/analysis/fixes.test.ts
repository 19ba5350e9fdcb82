/** Several fixes for one text: which are selected, and the result. */
import assert from 'node:assert/strict';
import { Engine } from '../../server/src/analysis/engine';
import { applyEdits, fixText, selectFixes, SelectedEdits } from '../../server/src/analysis/fixes';
import { Tree } from '../../server/src/syntax/document';
import { fixed } from '../support/rules';
import { RIVALS, RULES } from './made-up-rules';

const file = { isHtaccess: false };

describe('edits', () => {
  it('insert in front of what is replaced from the same place on, in whatever order they come', () => {
    const [replacing, inserting, another] = [
      { start: 2, end: 4, text: 'XY' },
      { start: 2, end: 2, text: '+' },
      { start: 2, end: 2, text: '-' },
    ];
    assert.equal(applyEdits('abcdef', [replacing, inserting, another]), 'ab+-XYef');
    assert.equal(applyEdits('abcdef', [inserting, another, replacing]), 'ab+-XYef');
    assert.equal(applyEdits('abcdef', [inserting, { start: 0, end: 2, text: '' }, replacing]), '+XYef');
  });
});

describe('edits that were chosen', () => {
  const replacing = { start: 3, end: 10, text: 'x' };
  const inserting = { start: 3, end: 3, text: '+' };
  for (const [order, edits] of Object.entries({
    'an insertion before it': [inserting, replacing],
    'an insertion behind it': [replacing, inserting],
  })) {
    it(`are found inside of what one replaces, with ${order} at the same place`, () => {
      const taken = new SelectedEdits();
      for (const edit of edits) taken.add([edit]);
      assert.equal(taken.overlapsWith({ start: 5, end: 6, text: '' }), true);
      assert.equal(taken.overlapsWith({ start: 5, end: 5, text: '' }), true);
      assert.equal(taken.overlapsWith({ start: 10, end: 11, text: '' }), false);
      assert.equal(taken.overlapsWith({ start: 3, end: 3, text: '' }), false);
      assert.deepEqual(taken.edits, edits);
    });
  }
});

describe('fixes together', () => {
  it('takes safe ones only', () => {
    assert.equal(fixed('OldName a\nGuess b\nPlain c\n', { rules: RULES }), 'NewName a\nGuess b\nPlain c\n');
  });

  it('takes the first of several suggestions when asked to', () => {
    assert.equal(
      fixed('OldName a\nGuess b\nPlain c\n', { rules: RULES, unsafe: true }),
      'NewName a\nFirst b\nPlain c\n',
    );
  });

  it('takes a fix that several findings share once, and counts it once', () => {
    const text = 'Pair a\nListen 80\nPair b\nPair c\n';
    const result = fixText(new Engine({ rules: RULES }), text, file);
    assert.equal(result.text, 'One a\nListen 80\n');
    assert.equal(result.appliedCount, 1);
    assert.deepEqual(result.remainingFindings, []);
  });

  it('fixes each scope by itself', () => {
    assert.equal(
      fixed('Pair a\n<Files x>\nPair b\nPair c\n</Files>\nPair d\n', { rules: RULES }),
      'One a\n<Files x>\nOne b\n</Files>\n',
    );
  });

  it('takes the first of two that change the same text, and looks again', () => {
    const result = fixText(new Engine({ rules: RIVALS }), 'OldName a\nListen 80\n', file);
    assert.equal(result.text, 'Listen 80\n');
    assert.deepEqual(
      result.fixes.map(({ rule }) => rule),
      ['old-name', 'rival'],
    );
  });

  it('takes fixes of the rules asked for', () => {
    assert.equal(fixed('OldName a\nPair b\n', { rules: RULES, rule: 'pair' }), 'OldName a\nOne b\n');
  });

  it('leaves line ends and everything else as they are', () => {
    assert.equal(
      fixed('\uFEFF# a\r\n\tOldName  "a b"\\\r\n   c \r\nOldName d\n\n\rOldName é', { rules: RULES }),
      '\uFEFF# a\r\n\tNewName  "a b"\\\r\n   c \r\nNewName d\n\n\rNewName é',
    );
  });

  it('gives up on rules that undo each other, instead of going on for ever', () => {
    const [oldName] = RULES;
    const back = { ...oldName, id: 'back', names: ['newname'], check: swap } as (typeof RULES)[number];
    const result = fixText(new Engine({ rules: [oldName, back] }), 'OldName a\n', file);
    assert.match(result.text, /^(Old|New)Name a\n$/);
    assert.ok(result.appliedCount <= 10);
  });

  it('takes two that insert at one place, in their order', () => {
    assert.equal(
      applyEdits('ab', [
        { start: 1, end: 1, text: 'x' },
        { start: 1, end: 1, text: 'y' },
        { start: 0, end: 0, text: 'w' },
      ]),
      'wax' + 'yb',
    );
  });

  it('costs no more for many fixes than they are', () => {
    const text = 'OldName a\n'.repeat(50_000);
    const findings = new Engine({ rules: RULES }).analyze(Tree.parse(text), file).findings();
    // Comparing each with each would be more than a thousand million comparisons.
    assert.equal(selectFixes(findings).length, 50_000);
  });
});

function swap({ line }: { line: { nameStart: number; nameEnd: number } }) {
  const { nameStart: start, nameEnd: end } = line;
  return [
    {
      messageId: 'back',
      what: '',
      start,
      end,
      fixes: [{ title: 'Back', safety: 'safe', edits: [{ start, end, text: 'OldName' }] }],
    },
  ];
}
