/** Extreme texts, and bytes that are no text: every request is answered, and soon. */
import assert from 'node:assert/strict';
import { decode } from '../../server/src/host/decode';
import { Random } from '../support/random';
import { GENERATORS } from './generators';
import { WORK } from './look';

const SNIPPETS = Object.values(GENERATORS).map((make) => make(300));

/** How many were looked at. */
export function hostileInputs(seed: number, count: number): number {
  const random = new Random(seed);
  const work = Object.values(WORK);
  for (let i = 0; i < count; i++) {
    const text = hostile(random);
    try {
      work[random.below(10) === 0 ? random.below(work.length) : 0](text);
    } catch (error) {
      assert.fail(`seed ${seed}, input ${i}: ${JSON.stringify(text.slice(0, 1000))}: ${(error as Error).stack}`);
    }
  }
  return count;
}

function hostile(random: Random): string {
  switch (random.below(4)) {
    case 0: {
      const content = decode(Uint8Array.from({ length: random.below(400) }, () => random.below(256)));
      return 'text' in content ? content.text : '';
    }
    case 1:
      return Array.from({ length: 1 + random.below(4) }, () => random.pick(SNIPPETS)).join('');
    case 2: {
      // A piece of one in the middle of another.
      const [one, other] = [random.pick(SNIPPETS), random.pick(SNIPPETS)];
      const at = random.below(one.length);
      return one.slice(0, at) + other.slice(random.below(other.length)) + one.slice(at);
    }
    default: {
      const letters = [...random.pick(SNIPPETS)];
      for (let i = random.below(10); i >= 0; i--)
        letters[random.below(letters.length)] = random.pick([
          '"',
          '\\',
          '\n',
          '<',
          '>',
          '${',
          '}',
          '%{',
          '\0',
          '\ufeff',
          '/',
          '\r',
          ' ',
          '\ud800',
          '#',
          '(',
        ]);
      return letters.join('');
    }
  }
}
