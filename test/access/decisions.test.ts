/** Tests the models of server/src/access by small questions. */
import assert from 'node:assert/strict';
import { DECISIONS } from './decisions';

describe('decisions', () => {
  for (const { name, decide, expected } of DECISIONS)
    it(name, () =>
      assert.equal(
        decide((module) => require(`../../server/src/access/${module}`)),
        expected,
      ),
    );
});
