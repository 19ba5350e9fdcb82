/** The texts of all questions: what they name, and which answers they offer. */
import assert from 'node:assert/strict';
import { KEEP, QUESTION_KINDS, questionText, type QuestionText } from '../../server/src/analysis/answers';
import { canOpenAccess } from '../../server/src/analysis/question-surfaces';

const SUBJECTS: Readonly<Record<string, string>> = {
  'htaccess-unseen': '/srv/shop',
  'include-unseen': 'mods-enabled/*.load',
  'outside-unseen': 'conf/a.conf',
  'served-anywhere': 'UserDir public_html',
  'other-main': 'conf/httpd.conf.old',
  'override-admitted': 'AllowOverride Limit',
  define: 'SSL',
  'operand-host': 'None',
  overlap: '<Location /a> and <Directory /b>',
};

const textOf = (kind: string, facts: readonly string[] = []): QuestionText =>
  questionText(kind in SUBJECTS ? `${kind}:${SUBJECTS[kind]}` : kind, [], undefined, facts)!;

describe('the text of a question', () => {
  for (const kind of QUESTION_KINDS) {
    it(`names its subject, asks, and offers the usual answer first: ${kind}`, () => {
      const { question, why, choices } = textOf(kind);
      const subject = SUBJECTS[kind];
      if (subject !== undefined) assert.ok(question.includes(subject), question);
      assert.match(question, /\?$/);
      assert.ok(question.length <= 120, question);
      assert.notEqual(choices[0]!.value, KEEP);
      assert.ok(choices.length >= 2, question);
      assert.equal(new Set(choices.map(({ label }) => label)).size, choices.length);
      for (const text of [question, why, ...choices.map(({ label }) => label)])
        assert.doesNotMatch(text, /\b(folder|operand|blank|not here|unseen|new server|old server)\b/i, text);
    });
  }

  it('offers no answer first that weakens the server', () => {
    assert.equal(textOf('defaults').choices[0]!.value, '2.4');
  });

  it('shows the lines and values at stake', () => {
    const kinds = ['client-address', 'rewrite-log', 'php', 'modules', 'defaults'];
    for (const kind of kinds) {
      const { question, why } = textOf(kind, ['FACT 1 (was 2)', 'FACT 3']);
      assert.match(`${question} ${why}`, /FACT 1 \(was 2\).*FACT 3/, kind);
    }
    assert.match(questionText('running-version', ['Require all granted'])!.why, /: Require all granted\./);
    assert.match(questionText('unknown-directives', ['FooAllow'])!.question, /FooAllow/);
  });

  it('names a single fact without "and"', () => {
    for (const kind of ['php', 'modules', 'rewrite-log']) {
      const { why } = questionText(kind, [], undefined, ['FACT 1', ''])!;
      assert.match(why, /FACT 1/);
      assert.doesNotMatch(why, / {2}|and FACT/, kind);
    }
  });

  it('is answered by Yes or No where a wrong answer opens access and it asks a fact', () => {
    for (const kind of QUESTION_KINDS.filter(canOpenAccess).filter((each) => each !== 'client-address'))
      assert.match(
        textOf(kind)
          .choices.map(({ label }) => label)
          .join('\n'),
        /^(Yes|No)\b/m,
        kind,
      );
  });
});
