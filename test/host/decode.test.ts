/** Bytes to text and back, and which bytes are no text. */
import assert from 'node:assert/strict';
import { decode, encode } from '../../server/src/host/decode';
import { Random, seed } from '../support/random';

describe('decoding', () => {
  const texts: [title: string, bytes: number[], text: string, encoding: string][] = [
    ['ASCII', [65, 10], 'A\n', 'utf-8'],
    ['UTF-8', [0xc3, 0xa4, 0xf0, 0x9f, 0x98, 0x80], 'ä😀', 'utf-8'],
    ['a byte order mark, which httpd reads, too', [0xef, 0xbb, 0xbf, 65], '\uFEFFA', 'utf-8'],
    ['ISO 8859-1', [65, 0xe4, 0x80], 'Aä\x80', 'latin1'],
    ['half a character of UTF-8', [0xc3], 'Ã', 'latin1'],
    ['a surrogate in UTF-8', [0xed, 0xa0, 0x80], 'í\xa0\x80', 'latin1'],
    ['nothing', [], '', 'utf-8'],
  ];
  for (const [title, bytes, text, encoding] of texts) {
    it(`reads ${title}`, () => assert.deepEqual(decode(Uint8Array.from(bytes)), { text, encoding }));
  }

  it('gives back the bytes it was given, whatever they are', () => {
    const random = new Random(seed());
    for (let round = 0; round < 2000; round++) {
      const bytes = Uint8Array.from({ length: random.below(40) }, () =>
        random.below(3) ? 32 + random.below(90) : random.below(256),
      );
      const decoded = decode(bytes);
      if ('text' in decoded)
        assert.deepEqual(encode(decoded.text, decoded.encoding), bytes, `HTTPD_UPGRADE_SEED, ${bytes}`);
    }
  });

  it('has no bytes for a character that the encoding lacks', () => {
    assert.equal(encode('€', 'latin1'), null);
    assert.deepEqual(encode('€', 'utf-8'), Uint8Array.from([0xe2, 0x82, 0xac]));
  });

  for (const [title, bytes] of [
    ['UTF-16', [0xff, 0xfe, 65, 0]],
    ['UTF-16 the other way round', [0xfe, 0xff, 0, 65]],
    ['NULs between control characters', [0, 1, 2, 65]],
  ] as const) {
    it(`refuses ${title}`, () => assert.ok('problem' in decode(Uint8Array.from(bytes))));
  }

  it('takes a stray NUL for a slip', () => assert.ok('text' in decode(Buffer.from(`${'Listen 80\n'.repeat(20)}\0`))));
});
