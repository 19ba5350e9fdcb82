/** What rewrite-error passes over at a glance, a whole reading must find nothing in. */
import assert from 'node:assert/strict';
import { isUsual } from '../../server/src/rules/rewrite-error';
import { lexLines } from '../../server/src/syntax/line';
import { parseRewriteCond, parseRewriteRule } from '../../server/src/syntax/rewrite';
import { placedRest } from '../../server/src/syntax/word-text';
import { Random, seed } from '../support/random';

const PIECES = [
  '^',
  '$',
  '/',
  'a',
  'index.php',
  '.*',
  '.+',
  '.',
  '*',
  '+',
  '?',
  '(',
  ')',
  '(.*)',
  '(a|b)',
  '([^/]+)',
  '[',
  ']',
  '\\.',
  '\\d',
  '\\',
  '|',
  '{2}',
  '!',
  '-',
  '-f',
  '-d',
  '-eq',
  '=',
  '<',
  ' ',
  '"',
  "'",
  '$1',
  '%{HTTPS}',
  '${map:$1}',
];
const FLAGS = [
  'L',
  'R',
  'R=301',
  'R=499',
  'R=permanent',
  'NC',
  'OR',
  'QSA',
  'E=a:b',
  'E=a',
  'S=1',
  'S=',
  'X',
  '',
  'end',
  'PT',
  'CO=a:b:c',
  'H=x',
];

describe('rewrite-error at a glance', () => {
  it('passes over nothing that the server refuses', () => {
    const runSeed = seed();
    const random = new Random(runSeed);
    const some = (pieces: readonly string[], most: number) =>
      Array.from({ length: random.below(most + 1) }, () => random.pick(pieces)).join('');
    let passed = 0;
    for (let round = 0; round < 20_000; round++) {
      const isRule = random.below(2) === 0;
      const flags =
        random.below(2) === 0
          ? ''
          : ` [${Array.from({ length: 1 + random.below(3) }, () => random.pick(FLAGS)).join(random.below(9) === 0 ? ', ' : ',')}]`;
      const text = isRule
        ? `RewriteRule ${some(PIECES, 4)} ${random.pick(['/b', '-', '/c$1', '"/d"', ''])}${flags}\n`
        : `RewriteCond ${random.pick(['%{HTTPS}', '%{HTTP_HOST}', 'expr', '$1'])} ${some(PIECES, 4)}${flags}\n`;
      const [line] = lexLines(text);
      if (!isUsual(line)) continue;
      passed++;
      const { value } = placedRest(line);
      const { error } = isRule ? parseRewriteRule(value) : parseRewriteCond(value);
      assert.equal(error?.message, undefined, `seed ${runSeed}: ${text}`);
    }
    assert.ok(passed > 1000, `only ${passed} lines were passed over`);
  });
});
