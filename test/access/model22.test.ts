/**
 * Compares the models of server/src/access with a real httpd 2.2, and with a real 2.4 with
 * mod_access_compat.
 */
import assert from 'node:assert/strict';
import type { Load } from './decisions';
import { recordedAnswers } from './model22';

/** Asked for with each answer: `require` takes as long as the answer. */
const loaded = new Map<string, unknown>();
const load = ((name: string) => {
  if (!loaded.has(name)) loaded.set(name, require(`../../server/src/access/${name}`));
  return loaded.get(name);
}) as Load;

describe('the model of a server', function () {
  this.timeout(150_000);

  it('gives all 135,000 recorded answers of a real 2.2', () => {
    const seen = recordedAnswers(load);
    assert.deepEqual(seen, { allowed: 58_928, unauthorized: 25_512, forbidden: 50_560, broken: 0 });
  });

  it('with mod_access_compat, gives all that a real 2.4 answered', () => {
    const seen = recordedAnswers(load, 1, '2.4');
    assert.deepEqual(seen, { allowed: 62_300, unauthorized: 26_000, forbidden: 46_700, broken: 0 });
  });
});
