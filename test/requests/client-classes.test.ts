/** Addresses that stand for all clients: one for each combination of networks. */
import assert from 'node:assert/strict';
import { isInNetwork } from '../../server/src/requests/addresses';
import { representativeAddresses } from '../../server/src/requests/client-classes';

describe('addresses that stand for all clients', () => {
  it('has one address for each combination of networks, those in the fewest first', () => {
    const networks = [
      '10',
      '10.1',
      '10.1.0.0/16',
      '10.1.2.3',
      '10.1.2.4/30',
      '192.0.2.0/255.255.255.0',
      '2001:db8::/32',
    ];
    const words = [
      ...networks,
      '2001:db8::9',
      'none',
      '10.1',
      '10/255.0.255.0',
      '10/',
      '1.2.3.4/33',
      '0.0.0.0/0',
      'all',
    ];
    const counted = (address: string) =>
      [...networks, '2001:db8::9', '0.0.0.0/0'].filter((each) => isInNetwork(each, address) === true);
    const addresses = representativeAddresses(words);
    assert.deepEqual(
      addresses.map((each) => `${each} ${counted(each).length}`),
      [
        '2001:db9::9 0',
        '203.0.113.9 1',
        '2001:db8::1 1',
        '192.0.2.9 2',
        '2001:db8::9 2',
        '10.0.0.9 2',
        '10.1.0.9 4',
        '10.1.2.3 5',
        '10.1.2.5 5',
      ],
    );
    assert.equal(new Set(addresses.map((each) => counted(each).join())).size, addresses.length);
  });

  it('takes a moment for thousands of networks', () => {
    const words = Array.from({ length: 3000 }, (_, i) => `10.${i % 250}.${Math.floor(i / 250) * 2}.7`);
    const before = process.cpuUsage();
    assert.equal(representativeAddresses(words).length, 3001);
    assert.ok(process.cpuUsage(before).user < 1_000_000);
  });
});
