/** The unified diff alone: it turns one text into the other, and its time is linear. */
import assert from 'node:assert/strict';
import { unifiedDiff } from '../../server/src/cli/diff';
import { Random, seed } from '../support/random';

/** What `patch` does, for a diff of one file whose lines all end. */
function patched(before: string, diff: string): string {
  const old = before.split(/(?<=\n)/).filter(Boolean);
  const made: string[] = [];
  let at = 0;
  for (const row of diff.split(/(?<=\n)/).slice(2)) {
    const hunk = /^@@ -(\d+),(\d+) /.exec(row);
    if (hunk) {
      const start = Number(hunk[1]) - (hunk[2] === '0' ? 0 : 1);
      while (at < start) made.push(old[at++]);
    } else if (row.startsWith('+')) made.push(row.slice(1));
    else if (row !== '') {
      assert.equal(old[at], row.slice(1));
      if (row.startsWith(' ')) made.push(old[at]);
      at++;
    }
  }
  return [...made, ...old.slice(at)].join('');
}

const section = (name: string, ...lines: string[]) =>
  `<Directory ${name}>\n${lines.map((line) => `    ${line}\n`).join('')}</Directory>\n`;

describe('a unified diff', () => {
  it('makes the new text of the old one', () => {
    const start = seed();
    const random = new Random(start);
    for (let i = 0; i < 2000; i++) {
      const words = ['a\n', 'b\n', 'c\n', '\n', `${i}\n`];
      const before = Array.from({ length: random.below(30) }, () => random.pick(words));
      const after = before.flatMap((line) =>
        random.below(5) === 0 ? [] : random.below(5) === 0 ? [line, random.pick(words)] : [line],
      );
      const diff = unifiedDiff('x', before.join(''), after.join(''));
      assert.equal(patched(before.join(''), diff), after.join(''), `HTTPD_UPGRADE_SEED=${start}, ${i}`);
    }
  });

  it('keeps each change small where sections have two lines in common', () => {
    const old = (name: string) => section(name, 'Order allow,deny', 'Allow from all');
    const now = (name: string) => section(name, 'Require all granted');
    const names = Array.from({ length: 50 }, (_, i) => `/srv/${i}`);
    const diff = unifiedDiff('x', names.map(old).join(''), names.map(now).join(''));
    assert.equal(diff.match(/^-/gm)!.length, 1 + 2 * 50);
    assert.equal(diff.match(/^\+/gm)!.length, 1 + 50);
  });

  // With work that grows with the square of the text these take minutes, and the suite does not end
  // in time.
  for (const [title, name] of [
    ['of many names', (i: number) => `/srv/${i}`],
    ['of one name', () => '/srv'],
  ] as const) {
    it(`ends for 10,000 sections ${title}`, () => {
      const all = (...lines: string[]) => Array.from({ length: 10_000 }, (_, i) => section(name(i), ...lines)).join('');
      const [before, after] = [
        all('Order allow,deny', 'Allow from all', 'Options None'),
        all('Require all granted', 'Options None'),
      ];
      assert.equal(patched(before, unifiedDiff('x', before, after)), after);
    });
  }

  it('ends for texts that have nothing in common', () => {
    const [before, after] = ['a', 'b'].map((letter) =>
      Array.from({ length: 100_000 }, (_, i) => `${letter}${i % 7}\n`).join(''),
    );
    assert.equal(patched(before, unifiedDiff('x', before, after)), after);
  });
});
