/** test/cli/client-address.test.ts has the same on the command line. */
import assert from 'node:assert/strict';
import { CLIENT_ADDRESS_DIRECTIVES } from '../../server/src/access/client-address';
import { allThirdPartyModules } from '../../server/src/directives/third-party';

describe('client-address', () => {
  it('knows all directives of these modules', () => {
    const names = allThirdPartyModules().flatMap(({ address, directives }) => (address ? directives : []));
    assert.ok(names.length > 20);
    assert.deepEqual(
      names.map((name) => name.toLowerCase()).filter((name) => !CLIENT_ADDRESS_DIRECTIVES.includes(name)),
      [],
    );
  });
});
