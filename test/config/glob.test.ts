/**
 * Wildcards of Include, Directory and Files: the same answers as a regular expression, in a time
 * that does not grow with the stars.
 */
import assert from 'node:assert/strict';
import { globPattern, includedFiles } from '../../server/src/config/files';
import { Random, seed } from '../support/random';

/** [glob, names that it matches, names that it does not] */
const CASES: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['*', ['', 'a', 'a.conf'], ['a/b']],
  ['*.conf', ['.conf', 'a.conf', 'a.conf.conf'], ['a.conf~', 'a.cond']],
  ['?', ['a'], ['', 'ab', '/']],
  ['[a-c]x', ['ax', 'cx'], ['dx', 'x']],
  ['[!a-c]', ['d', '-'], ['a', '']],
  ['[^a]', ['b'], ['a']],
  ['[]]', [']'], ['[', '']],
  ['[!]]', ['a'], [']']],
  ['[', ['['], ['a']],
  ['[z-a]', [], ['a', 'z', '[z-a]']],
  ['\\*', ['*'], ['a', '\\*']],
  ['a\\', ['a\\'], ['a']],
  ['a.b+(c)|$^{1}', ['a.b+(c)|$^{1}'], ['axb+(c)|$^{1}']],
  ['*a*a*b', ['aab', 'xaxaxb', 'aaaaab'], ['ab', 'aa', 'aaba']],
];

describe('wildcards', () => {
  for (const [glob, matched, others] of CASES) {
    it(glob, () => {
      for (const name of matched) assert.ok(globPattern(glob).test(name), name);
      for (const name of others) assert.ok(!globPattern(glob).test(name), name);
    });
  }

  it('are those of a regular expression, for any glob and name', () => {
    const start = seed();
    const random = new Random(start);
    const word = (alphabet: string, most: number) =>
      Array.from({ length: random.below(most) }, () => random.pick([...alphabet])).join('');
    for (let i = 0; i < 20_000; i++) {
      const glob = word('ab*?.', 8);
      const name = word('ab./', 8);
      const source = glob.replace(/[.]/g, '\\.').replace(/\*/g, '[^/]*').replace(/\?/g, '[^/]');
      assert.equal(
        globPattern(glob).test(name),
        new RegExp(`^${source}$`).test(name),
        `${glob} and ${name}, HTTPD_UPGRADE_SEED=${start}`,
      );
    }
  });

  it('with many stars end', () => {
    // A regular expression takes 2 to the power of the stars here: the suite would not end.
    assert.equal(globPattern(`${'*a'.repeat(200)}*b`).test('a'.repeat(5000)), false);
    assert.equal(globPattern(`${'*'.repeat(5000)}b`).test('a'.repeat(5000)), false);
  });
});

describe('the files of an Include with wildcards', () => {
  it('are sorted by the bytes of their names in UTF-8', () => {
    const names = ['\u{1F600}.conf', '\uFF5E.conf', 'b.conf', 'a\u{1F600}.conf', 'a\uE000.conf', 'é.conf', 'a.conf'];
    const view = { kind: () => 'file' as const, list: () => names };
    const sorted = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    assert.deepEqual(
      includedFiles('/srv/*.conf', view),
      sorted.map((name) => `/srv/${name}`),
    );
  });
});
