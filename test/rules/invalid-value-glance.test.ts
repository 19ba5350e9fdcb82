/** What invalid-value passes over at a glance, it must find nothing in when it reads the line: as it does where the line is continued. */
import assert from 'node:assert/strict';
import { isUsual } from '../../server/src/rules/invalid-value';
import { placeOf } from '../../server/src/validation/place';
import { lexLines } from '../../server/src/syntax/line';
import { Random, seed } from '../support/random';
import { findingsIn } from '../support/rules';

const NAMES = ['ServerName', 'Alias', 'SetEnvIf', 'Header', 'HEADER', '<Directory', '<Location', '<Files'];
const WORDS = [
  'www.example.org',
  'example.org:80',
  'example.org:0',
  '*:80',
  '/srv/www',
  '"/srv/my www"',
  '/a',
  'set',
  'always',
  'add',
  'unset',
  'edit',
  'X-Frame-Options',
  'DENY',
  '"a b"',
  '"%t"',
  '%x',
  '$1',
  'env=x',
  'expr=true',
  'early',
  'User-Agent',
  'bot',
  '"(bot"',
  '(bot',
  'a.*',
  'bad=1',
  '!bad',
  '~',
  '""',
  "'x'",
  '"unclosed',
  '[a-',
  'x\\',
  'é',
];
const AROUND = [
  ['', ''],
  ['<Location /x>\n', '</Location>\n'],
  ['<VirtualHost *:80>\n', '</VirtualHost>\n'],
];

describe('invalid-value at a glance', () => {
  it('passes over nothing that a whole reading finds', () => {
    const runSeed = seed();
    const random = new Random(runSeed);
    const top = placeOf({ containers: [], limits: [], isHtaccess: false, isWholeChain: true, overrides: null })!;
    let passed = 0;
    for (let round = 0; round < 6000; round++) {
      const name = random.pick(NAMES);
      const words = Array.from({ length: random.below(5) }, () => random.pick(WORDS)).join(' ');
      const isSection = name.startsWith('<');
      const end = isSection ? '>\n' : '\n';
      if (!isUsual(lexLines(`${name} ${words}${end}`)[0], top)) continue;
      passed++;
      const [before, after] = random.pick(AROUND);
      const close = isSection ? `</${name.slice(1)}>\n` : '';
      const ids = (line: string) =>
        findingsIn(`ServerRoot /x\n${before}${line}${close}${after}`, { rule: 'invalid-value' }).map(
          ({ messageId }) => messageId,
        );
      const continued = ids(`${name} \\\n${words}${end}`);
      assert.deepEqual(ids(`${name} ${words}${end}`), continued, `seed ${runSeed}: ${before}${name} ${words}${end}`);
    }
    assert.ok(passed > 300, `only ${passed} lines were passed over`);
  });
});
