/**
 * The operands of Allow and Deny in server/src/access/operand.ts, compared with what a real httpd
 * 2.4 accepts.
 */
import assert from 'node:assert/strict';
import { parseOperand, type Operand } from '../../server/src/access/operand';
import { Random, seed } from '../support/random';
import { configTest, configTestAll, requireHttpd } from './harness';

const WORDS = [
  'all',
  'ALL',
  'none',
  'localhost',
  'example.org',
  '.example.org',
  'a-b.example.org',
  'example.org.',
  '10',
  '10.',
  '10.1',
  '10.1.',
  '10.1.2',
  '10.1.2.',
  '10.1.2.3',
  '10.1.2.3.',
  '256',
  '10.256',
  '010.1',
  '10..1',
  '.10',
  '0',
  '1.2.3.4.5',
  '10.1/16',
  '10/8',
  '10.0.0.0/8',
  '10.0.0.0/0',
  '10.0.0.0/33',
  '10.0.0.0/32',
  '10.0.0.0/1',
  '10.0.0.0/08',
  '10.0.0.0/',
  '10.0.0.0/255.0.0.0',
  '10.0.0.0/255.0.255.0',
  '10.0.0.0/255.255',
  '10.0.0.0/0.0.0.255',
  '10.0.0.0/a',
  '/',
  '/8',
  '10.1.2.3/24',
  '10.0.0.0/8/8',
  '10.0.0.1-10.0.0.9',
  '10.0.0.1,10.0.0.2',
  '10.0.0.*',
  '*',
  '*.example.org',
  '::1',
  '::',
  '2001:db8::',
  '2001:db8::/32',
  '2001:db8::/0',
  '2001:db8::/129',
  '2001:db8::/128',
  '2001:db8',
  '2001:db8:',
  '::ffff:10.0.0.1',
  '::ffff:10.0.0.0/104',
  '2001:db8::1::2',
  '2001:db8:0:0:0:0:0:1',
  '2001:db8:0:0:0:0:0:1:2',
  'fe80::1%eth0',
  '[::1]',
  '1:2:3:4:5:6:7::',
  '12345::',
  'g::1',
  '::00db8',
  '::000000008',
  '::0012345',
  '2001:00db8::/32',
  '10.0.0.0/08',
  'a::/00010',
  'env=a',
  'ENV=a',
  'env=!a',
  'env',
  'env=',
  'http://example.org',
  '10.0.0.1:80',
  'from',
  '10.0.0.1;',
  '1e3',
  '0x7f.1',
  '127.1',
  '10.0.0.0/255.255.255.256',
  '300.1.1.1',
  '1.2.3.400',
];

const PIECES = [
  '1',
  '10',
  '255',
  '256',
  '0',
  '00',
  '08',
  '.',
  '.',
  '.',
  '/',
  ':',
  '::',
  'db8',
  '8',
  '24',
  '33',
  'a',
  '-',
  '*',
  ',',
];

describe('operands of Allow and Deny on a real httpd', function () {
  this.timeout(600_000);
  const words = [...new Set([...WORDS, ...randomWords(200)])];
  const sorted = new Map<Operand['kind'], string[]>();
  for (const word of words) {
    const { kind } = parseOperand(word);
    sorted.set(kind, [...(sorted.get(kind) ?? []), word]);
  }
  const of = (...kinds: Operand['kind'][]) => kinds.flatMap((kind) => sorted.get(kind) ?? []);

  before(function () {
    requireHttpd(this);
  });

  it('what is an error is refused, and nothing else', async () => {
    await accepted('Allow from', of('all', 'ip', 'host', 'env', 'never'));
    await refused('Allow from', of('error'));
  });

  it('what is an address, and that only, is one for Require ip as well', async () => {
    await accepted('Require ip', of('ip'));
    await refused('Require ip', of('host', 'never'));
  });

  it('what is a host name is one for Require host', () => accepted('Require host', of('host')));
});

async function accepted(directive: string, words: readonly string[]): Promise<void> {
  const errors = await configTestAll(section(directive, words), {
    modules: ['access_compat', 'authz_core', 'authz_host'],
  });
  assert.deepEqual(
    errors.map(({ line, message }) => `${words[(line ?? 0) - 2]}: ${message}`),
    [],
  );
}

async function refused(directive: string, words: readonly string[]): Promise<void> {
  const verdicts = await Promise.all(
    words.map((word) =>
      configTest(section(directive, [word]), { modules: ['access_compat', 'authz_core', 'authz_host'] }),
    ),
  );
  assert.deepEqual(
    words.filter((_, index) => verdicts[index].ok),
    [],
  );
}

function section(directive: string, words: readonly string[]): string {
  return `<Directory /x>\n${words.map((word) => `${directive} ${word}\n`).join('')}</Directory>\n`;
}

function randomWords(count: number): string[] {
  const random = new Random(seed());
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + random.below(8) }, () => random.pick(PIECES)).join(''),
  );
}
