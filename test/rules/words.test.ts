/**
 * The style rules for headlines, titles of fixes and the server's own words, as far as a test can
 * check them.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ALL_RULES } from '../../server/src/rules/all';
import { isAboutComments, SEVERITY_OF } from '../../server/src/rules/rule';
import { repositoryRoot } from '../support/paths';
import { allProse, programTexts, ownWords, sentencesIn } from '../support/prose';
import { inCorpus, inExamples, type Met } from '../support/words';

describe('words', function () {
  this.timeout(600_000);
  let met: readonly Met[] = [];
  before(() => {
    met = [...inExamples(), ...inCorpus()];
  });
  const distinct = (of: (each: Met) => readonly string[]) => [...new Set(met.flatMap(of))];
  const headlines = () => distinct(({ finding }) => [finding.what]);
  const titles = () => distinct(({ finding }) => finding.fixes.map(({ title }) => title));

  it('every rule is met', () => {
    const seen = new Set(met.map(({ finding }) => finding.rule.id));
    assert.deepEqual(
      ALL_RULES.filter((rule) => !isAboutComments(rule) && !seen.has(rule.id)).map(({ id }) => id),
      ['include-too-many', 'line-too-long', 'not-in-22'],
    );
  });

  it('headlines are short: median at most 55, nine of ten at most 82, none over 90', () => {
    const lengths = sorted(headlines());
    assert.deepEqual(
      headlines().filter((text) => text.length > 90),
      [],
    );
    assert.ok(
      quantile(lengths, 0.5) <= 55 && quantile(lengths, 0.9) <= 82,
      `${quantile(lengths, 0.5)} ${quantile(lengths, 0.9)}`,
    );
  });

  it('titles of fixes name what they change, in at most 60 characters', () => {
    const VAGUE = /^(Replace|Rename|Change) (by|to) |\b(it|the lines?|the words?|the values?|the operands?|instead)$/;
    assert.deepEqual(
      titles().filter((text) => text.length > 60 || VAGUE.test(text)),
      [],
    );
    assert.ok(quantile(sorted(titles()), 0.5) <= 45, `${quantile(sorted(titles()), 0.5)}`);
  });

  it('headlines begin with what the user wrote, and are one clause on one line', () => {
    assert.deepEqual(
      headlines().filter((text) => !(text.startsWith('`') || OF_ALL.test(text)) || /\n|\.$/.test(text)),
      [],
    );
  });

  it('titles of fixes begin with a verb and say nothing of safety or assumptions', () => {
    const VERB =
      /^(Add|Allow|Change|Comment out|Convert|Define|Include|Switch off|Take|Correct|End|Keep|Load|Make|Move|Put|Remove|Rename|Replace|Set|Write) /;
    assert.deepEqual(
      titles().filter((text) => !VERB.test(text) || /assuming|\bsafe|, as httpd|: /.test(text)),
      [],
    );
  });

  it("no text has words that are not the field's", () => {
    const texts = distinct(({ finding: { what, cause = '', help = '', fixes } }) =>
      [what, cause, help, ...fixes.flatMap(({ title, assumes = '' }) => [title, assumes])].map((text) =>
        text.replace(/`[^`]*`|"[^"]*"/g, '`…`'),
      ),
    );
    const FORBIDDEN =
      /\b(folders?|lets? (nobody|everybody|somebody|people|in)|keeps? (nobody|everybody|out)|whom|has a say|have a say|comes? to|spoken|(?<!to )admits?)\b|^What /i;
    assert.deepEqual(
      texts.filter((text) => FORBIDDEN.test(text)),
      [],
    );
  });

  it('a problem says what to do, also if it has a fix: a hover shows no fix', () => {
    const mute = distinct(({ finding: { what, cause, help, rule } }) =>
      help !== undefined || cause?.startsWith('Not converted: ') ? [] : [`${what} [${rule.id}]`],
    );
    // These headlines name the new line.
    assert.deepEqual(
      mute.filter((text) => !/equivalent: |replaces it$|is missing$|operand$/.test(text)),
      [],
    );
  });

  it('the severity of a finding follows from its consequence', () => {
    const wrong = met.filter(
      ({ finding, where }) =>
        finding.severity !== SEVERITY_OF[finding.consequence] && !where.includes('template') && !isLowered(finding),
    );
    assert.deepEqual(
      wrong.map(({ finding, where }) => `${where}: ${finding.rule.id} ${finding.severity} ${finding.consequence}`),
      [],
    );
  });

  it('a rule is as grave as the gravest that it says', () => {
    const RANK = ['hint', 'info', 'warning', 'error'];
    const graver = met.filter(
      ({ finding }) => RANK.indexOf(finding.severity) > RANK.indexOf(SEVERITY_OF[finding.rule.consequence]),
    );
    assert.deepEqual([...new Set(graver.map(({ finding }) => finding.rule.id))], []);
  });

  it("the server's words stand by themselves, and are no part of a headline", () => {
    assert.deepEqual(
      headlines().filter((text) => /AH\d{5}|Invalid command/.test(text)),
      [],
    );
    assert.deepEqual(
      distinct(({ finding: { serverText } }) => [serverText ?? '']).filter((text) => /\n|^"|"$|…/.test(text)),
      [],
    );
  });
});

describe('words of pages, hovers, questions, documents', () => {
  it('no sentence has more than 25 words', () => {
    const long = allProse().flatMap(({ where, text }) =>
      sentencesIn(text)
        .filter((sentence) => wordsIn(sentence) > 25)
        .map((sentence) => `${where}: ${sentence}`),
    );
    assert.deepEqual(long, []);
  });

  it('one sentence describes the program on all surfaces', () => {
    const TAGLINE = 'Brings Apache httpd 2.2 configuration to 2.4 and keeps access as it was';
    const files = [
      'README.md',
      'docs/README.md',
      'package.json',
      'server/src/cli/program.ts',
      'server/src/cli/man-page.ts',
      'server/src/mcp/serve.ts',
      'client/site/pages.ts',
      '.github/docker/Dockerfile',
    ];
    const texts = files.map((file) => readFileSync(path.join(repositoryRoot, file), 'utf8'));
    assert.deepEqual(
      files.filter((_, index) => !texts[index]!.includes(TAGLINE)),
      [],
    );
    assert.doesNotMatch(texts.join('\n'), /who gets in/i);
  });

  it("no text has words that are not the field's, or begins as a riddle", () => {
    const FOREIGN =
      /\b((?<!Open )folders?|whom|ha(s|ve) a say|comes? to nothing|keeps? (out|nobody)|lets? (nobody|everybody|in)|gets? in\b|admits?|further in|belongs? into|refuse[sd]?|everybody|anybody|somebody else)\b/i;
    const RIDDLE = /^(What|Whoever|Whom|Whose|Where|Whatever) (?![^.]*\?)/;
    const texts = allProse().filter(({ text }) => FOREIGN.test(ownWords(text)) || RIDDLE.test(text));
    assert.deepEqual(
      texts.map(({ where, text }) => `${where}: ${text}`),
      [],
    );
  });

  it('one thing has one word', () => {
    const odd = allProse().filter(({ text }) => OTHER_WORDS.some((word) => word.test(ownWords(text))));
    assert.deepEqual(
      odd.map(({ where, text }) => `${where}: ${text}`),
      [],
    );
  });

  it('one thing has one word in output, in help, in the editor, on the page and for agents', () => {
    const texts = programTexts();
    assert.ok(texts.length > 800, `${texts.length}`);
    const odd = texts.filter(({ text }) =>
      [...OTHER_WORDS, ...FOREIGN_WORDS].some((word) => word.test(ownWords(text))),
    );
    assert.deepEqual(
      odd.map(({ where, text }) => `${where}: ${text}`),
      [],
    );
  });

  it('hovers begin with a subject or a verb, and not in the middle of a question', () => {
    const odd = allProse().filter(
      ({ where, text }) =>
        where.startsWith('hover ') && /^(How|Which|Whether|What|Who|Where|When|For|Of|As) /.test(text),
    );
    assert.deepEqual(
      odd.map(({ where, text }) => `${where}: ${text}`),
      [],
    );
  });
});

/** Words for things that have another word on all surfaces. */
const OTHER_WORDS: readonly RegExp[] = [
  /\boperands?\b/i, // argument
  /\bblanks?\b/i, // space
  /\b(new|old) server\b/i, // the 2.4 server, the 2.2 server
  /\b(is|are) not here\b|(?<!-)\bunseen\b/i, // not in this copy
  /\b(turn|switch)(ed|es|s|ing)? off the rule\b/i, // ignore
  /\bto choose: /i, // suggestion
  /\bpackage of 2\.[24]\b/i, // the 2.2 package
];

/** Words that no text for users has. */
const FOREIGN_WORDS: readonly RegExp[] = [
  /\bfindings?\b/i, // problem
  /\bwhom\b|\bha(s|ve) a say\b/i,
  /\blets? (nobody|everybody|in)\b|\bgets? in\b|\bkeeps? (out|nobody)\b/i, // allow and deny
  /\btarget server\b/i, // the 2.4 server
];

function wordsIn(sentence: string): number {
  return sentence.split(' ').filter((word) => /\w/.test(word)).length;
}

/**
 * What is not set has no line of the user's: this one finding is about the configuration as a
 * whole.
 */
const OF_ALL = /^\d+ directives? that you never set /;

/** In a template nothing is certain. */
function isLowered({ severity }: Met['finding']): boolean {
  return severity === 'info';
}

function sorted(texts: readonly string[]): number[] {
  return texts.map(({ length }) => length).sort((a, b) => a - b);
}

function quantile(lengths: readonly number[], part: number): number {
  return lengths[Math.min(lengths.length - 1, Math.floor(lengths.length * part))];
}
