/**
 * Generated standalone files on a real httpd, each under a generated main file that restricts
 * nothing: a file converted after one answer must answer, without mod_access_compat, like the
 * independent model of 2.2 in test/access/server-model.ts. A dozen;
 * HTTPD_UPGRADE_CONFIGURATIONS sets another number.
 */
import assert from 'node:assert/strict';
import { randomConfiguration, type Generated } from '../access/generate';
import { convertLone, convertPart, type LoneFile } from '../access/lone';
import { Random, seed } from '../support/random';
import { compare, install, nameOf, serveGenerated } from './generated';
import { requireHttpd } from './harness';

/**
 * Limits in limits: a real 2.4 refuses most of them (`methods already excluded`), before and after.
 */
function hasNestedLimits(text: string): boolean {
  return /<Limit(?:Except)?[ \t](?:(?!<\/Limit)[^])*<Limit(?:Except)?[ \t]/i.test(text);
}

const COUNT = Number(process.env.HTTPD_UPGRADE_CONFIGURATIONS ?? 12);

describe('generated files by themselves on a real httpd', function () {
  this.timeout(600_000 + COUNT * 5_000);

  before(function () {
    requireHttpd(this);
  });

  it(`${COUNT} converted ones answer as 2.2 did`, async () => {
    await answerAsBefore((generated, random, base) => convertLone(generated, random, { base, withHosts: false }));
  });

  it(`${COUNT} converted ones answer as 2.2 did inside of other sections`, async () => {
    await answerAsBefore((generated, random, base) => convertPart(generated, random, { base, withHosts: false }));
  });
});

async function answerAsBefore(
  convert: (generated: Generated, random: Random, base: string) => LoneFile | null,
): Promise<void> {
  const start = seed();
  const localName = await nameOf('127.0.0.1');
  const server = await serveGenerated();
  try {
    let tried = 0;
    for (let i = 0; tried < COUNT; i++) {
      assert.ok(i < COUNT * 100, 'hardly any is converted whole');
      const random = new Random(start + i);
      const generated = randomConfiguration(random);
      const file = convert(generated, random, server.root);
      if (!file?.isWhole || Object.values(file.texts).some(hasNestedLimits)) continue;
      tried++;
      await install(server, file, generated);
      await compare(server, generated, file, new Random(start + i), { localName, start: start + i, isWhole: false });
    }
  } finally {
    await server.stop();
  }
}
