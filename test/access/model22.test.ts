/** The models of server/src/access against a real httpd 2.2, and a real 2.4 with mod_access_compat. */
import assert from 'node:assert/strict';
import { recordedAnswers } from './model22';

describe('the model of a server', function () {
  this.timeout(30_000);

  it('gives all 135,000 recorded answers of a real 2.2', () => {
    const seen = recordedAnswers((name) => require(`../../server/src/access/${name}`));
    assert.deepEqual(seen, { allowed: 58_928, unauthorized: 25_512, forbidden: 50_560, broken: 0 });
  });

  it('with mod_access_compat, gives all that a real 2.4 answered', () => {
    const seen = recordedAnswers((name) => require(`../../server/src/access/${name}`), 1, '2.4');
    assert.deepEqual(seen, { allowed: 62_300, unauthorized: 26_000, forbidden: 46_700, broken: 0 });
  });
});
