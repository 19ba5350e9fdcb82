/**
 * Addresses in Listen and <VirtualHost>: those that we refuse compared with a real server.
 * ADDRESSES_COUNT is the number of generated ones.
 */
import assert from 'node:assert/strict';
import { fileContext } from '../support/file-context';
import { Random, seed } from '../support/random';
import { configTest, requireHttpd } from './harness';
import { ourErrors } from './verdict';

const ADDRESSES = [
  '80',
  '0',
  '65535',
  '65536',
  '4294967376',
  '99999999999999999999999',
  '*',
  '*:80',
  '*:0',
  '*:*',
  ':*',
  ':80',
  '_default_:*',
  '_DEFAULT_',
  '127.0.0.1',
  '127.0.0.1:80',
  '127.0.0.1:',
  '127.0.0.1:80:80',
  '[::1]',
  '[::1]:80',
  '[::1]:*',
  '[::1]:',
  '[::1]80',
  '[::1:80',
  '::1',
  '[]',
  '[]:80',
  '[:]:80',
  '[::]:80',
  '[:::]:80',
  '[00000:000::2]:7080',
  '[10000::]:80',
  '[012345::]:80',
  '[1:2:3:4:5:6:7:8]:80',
  '[1:2:3:4:5:6:7:8:]:80',
  '[1:2:3:4:5:6:7:8:9]:80',
  '[1:2:3:4:5:6:7::8]:80',
  '[1::2::3]:80',
  '[::ffff:127.0.0.1]:80',
  '[::ffff:127.0.0.256]:80',
  '[::127.0.0.01]:80',
  '[::127.0.0]:80',
  '[1:2:3:4:5:6:7:127.0.0.1]:80',
  '[1:2:3:4:5:6:127.0.0.1]:80',
  '[::1%]:80',
  '[::g]:80',
  '[1:]:80',
  '[::1.]:80',
  '[::1.2.3.4.]:80',
  '[127.0.0.1]:80',
  '*:80x',
  '*:+80',
  '[*]:80',
];

const PIECES = [
  '1',
  '0',
  '00',
  '80',
  'ffff',
  '10000',
  '00001',
  ':',
  ':',
  ':',
  '::',
  '.',
  '127.0.0.1',
  '*',
  '[',
  ']',
  ']:',
  ']:80',
  'db8',
  '%',
  'g',
  ':80',
  ':*',
];

/** What is looked up, on this machine and in DNS, is not for us to say. */
const LOOKED_UP = /AH00547|AH00077|AH00076|AH1010[23]|Name or service|Cannot assign|could not bind/;

describe('addresses on a real httpd', function () {
  this.timeout(1_500_000);

  before(function () {
    requireHttpd(this);
  });

  for (const [name, lines] of [
    ['Listen', (address: string) => `Listen ${address}\n`],
    ['<VirtualHost>', (address: string) => `<VirtualHost ${address}>\n</VirtualHost>\n`],
  ] as const) {
    it(`${name}: refused where we say so, and nowhere else`, async () => {
      const start = seed();
      const random = new Random(start);
      const generated = Array.from(
        { length: Number(process.env.ADDRESSES_COUNT ?? 40) },
        () =>
          (random.below(3) > 0 ? '[' : '') +
          Array.from({ length: 1 + random.below(7) }, () => random.pick(PIECES)).join('') +
          (random.below(2) > 0 ? ']:80' : ''),
      );
      const around = fileContext();
      const different = await Promise.all(
        [...new Set([...ADDRESSES, ...generated])].map(async (address) => {
          const { ok, error, stderr } = await configTest(lines(address), { modules: ['authz_core'] });
          const ours = ourErrors(lines(address), { fileContext: around });
          if (
            ok === (ours.length === 0) ||
            (!ok &&
              /^\(?Listen (setup|step)/.test(error!.message) &&
              !address.startsWith('[') &&
              LOOKED_UP.test(stderr)) ||
            (!ok && /AH1010[23]|AH0007[26]/.test(stderr))
          )
            return [];
          return [
            `${address} (seed ${start})\n  the server: ${error?.message ?? 'takes it'}\n  ours: ${ours.map(({ text }) => text).join(' | ') || 'nothing'}`,
          ];
        }),
      );
      assert.deepEqual(different.flat(), []);
    });
  }
});
