import assert from 'node:assert/strict';
import { regexMatches, stepCounts } from '../../server/src/syntax/regex-match';
import { Random, seed } from '../support/random';

describe('regular expressions of a configuration', () => {
  const CASES: readonly (readonly [string, string, boolean | null])[] = [
    ['', '', true],
    ['\\.php$', 'index.php', true],
    ['\\.php$', 'index.php.txt', false],
    ['^\\.ht', '.htaccess', true],
    ['\\.(gif|jpe?g|png)$', 'a.jpg', true],
    ['^[[:alpha:]_-]+$', 'a_-b', true],
    ['^[^[:alpha:]]+$', 'A1', false],
    ['^[]a]$', ']', true],
    ['^[^]a]$', ']', false],
    ['^[a\\-z]$', '-', true],
    ['^[a\\-z]$', 'b', false],
    ['^a{2,3}$', 'aaa', true],
    ['^a{2,3}$', 'aaaa', false],
    ['^a{2}$', 'aa', true],
    ['^a{,2}$', 'aa', null],
    ['^a{x$', 'a{x', true],
    ['(?i)^A$', 'a', true],
    ['^(?<name>a)(?:b)(?P<other>c)$', 'abc', true],
    ['\\bfoo\\b', 'a foo b', true],
    ['\\Bfoo', 'foo', false],
    ['^\\x2e\\.$', '..', true],
    ['a|^b$', 'b', true],
    ['()', 'x', true],
    ['(a|)+$', 'x', true],
    ['^(^a)*$', 'a', true],
    ['a*?b', 'aab', true],
    // What cannot be expressed, or is not certain.
    ['^(?!a)', 'b', null],
    ['(?<=a)b', 'ab', null],
    ['(a)\\1', 'aa', null],
    ['a++b', 'aab', null],
    ['(?>a)', 'a', null],
    ['(*UTF)a', 'a', null],
    ['\\Qa\\E', 'a', null],
    ['\\pL', 'a', null],
    ['a**', 'a', null],
    ['*', 'a', null],
    ['(', 'a', null],
    [')', 'a', null],
    ['[z-a]', 'a', null],
    ['[', 'a', null],
    ['\u00e9', '\u00e9', null],
    ['.', '\u00e9', null],
    ['.', '\n', null],
    ['a'.repeat(3000), 'a', null],
    ['(?:a{400}){400}', 'a', null],
    ['('.repeat(500) + ')'.repeat(500), 'a', null],
  ];
  for (const [pattern, text, expected] of CASES)
    it(`${pattern.slice(0, 40)} and ${JSON.stringify(text)}: ${expected}`, () => {
      assert.equal(regexMatches(pattern, text), expected);
    });

  it('ignores case only when asked', () => {
    assert.equal(regexMatches('^[a-c]D$', 'Bd'), false);
    assert.equal(regexMatches('^[a-c]D$', 'Bd', { ignoreCase: true }), true);
    assert.equal(regexMatches('^[^b]$', 'B', { ignoreCase: true }), false);
    assert.equal(regexMatches('^[[:lower:]]$', 'B', { ignoreCase: true }), true);
  });

  it('takes few steps for patterns that backtrack forever', () => {
    const text = `${'a'.repeat(200)}b`;
    for (const pattern of [
      '^(a+)+$',
      '^(a|a)*$',
      '^(.*a){25}$',
      `^${'a?'.repeat(80)}${'a'.repeat(80)}c$`,
      '^(a*)*$',
      '(a*a*a*a*)*c',
    ]) {
      const before = stepCounts.states;
      assert.equal(regexMatches(pattern, text), false, pattern);
      assert.ok(stepCounts.states - before < 200_000, `${pattern}: ${stepCounts.states - before}`);
    }
  });

  it('searches for a word without states', () => {
    const before = stepCounts.states;
    assert.deepEqual(
      ['b/c', '^a', '^b', '^', ''].map((pattern) => regexMatches(pattern, 'a-b/c')),
      [true, true, false, true, true],
    );
    assert.equal(stepCounts.states, before);
  });

  it('are compiled once, even if a file has thousands and each request asks for all of them', () => {
    const askForAll = () => {
      for (let i = 0; i < 3_000; i++) assert.equal(regexMatches(`^/a${i}/.*b$`, '/a7/b'), i === 7);
    };
    askForAll();
    const before = stepCounts.compiledPatterns;
    askForAll();
    assert.equal(stepCounts.compiledPatterns, before);
  });

  it('does not answer yes where PCRE may give up first', () => {
    assert.equal(regexMatches('^(a+)+c|b$', `${'a'.repeat(40)}b`), null);
    assert.equal(regexMatches('a*a*a*a*a*c|b$', `${'a'.repeat(90)}b`), null);
    assert.equal(regexMatches(`^${'a?'.repeat(40)}c|b$`, `${'a'.repeat(40)}b`), null);
    assert.equal(regexMatches('^(a+)+$', 'aaaa'), true);
  });

  it('answers as JavaScript does, where both read a pattern alike', () => {
    const start = seed();
    const random = new Random(start);
    let answers = 0;
    for (let i = 0; i < 3000; i++) {
      const pattern = randomPattern(random, 3);
      let expected: RegExp;
      const flags = random.below(4) === 0 ? 'i' : '';
      try {
        expected = new RegExp(pattern, flags);
      } catch {
        continue;
      }
      for (let j = 0; j < 5; j++) {
        const text = Array.from({ length: random.below(7) }, () => random.pick([...'abB1._-'])).join('');
        const answer = regexMatches(pattern, text, { ignoreCase: flags === 'i' });
        if (answer === null) continue;
        answers++;
        assert.equal(answer, expected.test(text), `seed ${start}: /${pattern}/${flags} and "${text}"`);
      }
    }
    assert.ok(answers > 5000, String(answers));
  });
});

function randomPattern(random: Random, depth: number): string {
  const atom = (): string => {
    switch (random.below(depth > 0 ? 8 : 5)) {
      case 0:
        return random.pick(['\\.', '\\d', '\\W', '\\w', '\\D', '.', '\\b', '^', '$', '\\-']);
      case 1:
        return random.pick(['[ab]', '[^a]', '[a-b1]', '[\\d_]', '[^\\w.]', '[-a]', '[a-]', '[A-Z]']);
      case 5:
        return `(${randomPattern(random, depth - 1)})`;
      case 6:
        return `(?:${randomPattern(random, depth - 1)})`;
      case 7:
        return `(${randomPattern(random, depth - 1)}|${randomPattern(random, depth - 1)})`;
      default:
        return random.pick([...'abB1']);
    }
  };
  const quantified = (text: string): string =>
    /^[\^$]$|^\\b$/.test(text) || random.below(2) === 0
      ? text
      : text + random.pick(['*', '+', '?', '{2}', '{1,}', '{0,2}', '*?', '+?']);
  return Array.from({ length: random.below(4) }, () => quantified(atom())).join('');
}
