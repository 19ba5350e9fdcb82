/** The proof that a Require tree of 2.4 decides as the old lines of 2.2 do. */
import assert from 'node:assert/strict';
import { prove } from '../../server/src/access/prove';
import type { Tree24, UserRequirement } from '../../server/src/access/model';

describe('the proof of access control', () => {
  it('sees a missing Require line among many', () => {
    const requirements = Array.from({ length: 15 }, (_, i): UserRequirement => ({ text: `user u${i}` }));
    const section = { hostRules: null, satisfy: 'all' as const, userRequirements: requirements };
    const anyOf = (listed: readonly UserRequirement[]): Tree24 => ({
      type: 'any',
      inner: listed.map((requirement) => ({ type: 'user', requirement })),
    });
    assert.equal(prove(section, anyOf(requirements)), 'proven');
    for (const missing of requirements)
      assert.equal(prove(section, anyOf(requirements.filter((each) => each !== missing))), 'differs', missing.text);
  });
});
