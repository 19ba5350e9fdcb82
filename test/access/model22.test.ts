/** The models of server/src/access against a real httpd 2.2. */
import assert from 'node:assert/strict';
import { recordedAnswers } from './model22';

describe('the model of httpd 2.2', function () {
  this.timeout(30_000);

  it('gives all 135,000 recorded answers of a real server', () => {
    const seen = recordedAnswers((name) => require(`../../server/src/access/${name}`));
    assert.deepEqual(seen, { allowed: 58_928, unauthorized: 25_512, forbidden: 50_560 });
  });
});
