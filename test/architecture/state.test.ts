/**
 * The only state at the top level of the server's modules is made by syntax/memory.ts: caches,
 * recent answers, counters for tests.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { SOURCES, sources } from './sources';

const MAKER = path.join(SOURCES, 'syntax', 'memory.ts');

describe('what modules keep', () => {
  it('is made by syntax/memory.ts', () => {
    const files = sources(SOURCES).filter((file) => file !== MAKER);
    assert.ok(files.length > 100);
    assert.deepEqual(
      files.flatMap((file) =>
        changeable(readFileSync(file, 'utf8')).map((row) => `${path.relative(SOURCES, file)}: ${row}`),
      ),
      [],
    );
  });

  for (const [text, isFound] of [
    ['let last = 0;', true],
    ['export let last: string | undefined;', true],
    ['var last;', true],
    ['const known = new WeakMap<List, Names>();', true],
    ['const names: Map<string, string> = new Map();', true],
    ['const members: Member[] = [];', true],
    ['const members = new Array<Member>(8).fill(NOBODY);', true],
    ['const found: { a?: string } = {};', true],
    ['export const work = { lists: 0 };', true],
    ['const NOTHING: readonly Found[] = [];', false],
    ['const NONE: ReadonlyMap<string, string> = new Map();', false],
    ["const KNOWN = new Set(['a']);", false],
    ['const known = cacheOf<List, Names>();', false],
    ['  let last = 0;', false],
  ] as const) {
    it(`${text} is ${isFound ? '' : 'not '}found`, () => assert.deepEqual(changeable(text), isFound ? [text] : []));
  }
});

/**
 * Declarations at the top of a module that may change, or hold what is empty now and is to be
 * filled.
 */
function changeable(text: string): string[] {
  return text.split('\n').filter((row) => {
    if (/^(export )?(let|var)\b/.test(row)) return true;
    const [, type, value] = /^(?:export )?const \w+(?:: (.*?))? = (.*)$/.exec(row) ?? [];
    if (value === undefined || /^readonly/i.test(type ?? '')) return false;
    return /^(?:new (?:Weak)?(?:Map|Set)(?:<.*>)?\(\);|new Array\b|\[\];|\{\};|\{(?: \w+: 0,?)+ \};)/.test(value);
  });
}
