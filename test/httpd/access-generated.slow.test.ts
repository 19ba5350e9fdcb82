/**
 * Generated configurations on a real httpd: virtual hosts, patterns, snippets, .htaccess files and
 * all. A whole conversion must answer, without mod_access_compat, like the independent model of 2.2
 * in test/access/server-model.ts. One server, with one configuration in force at a time.
 */
import assert from 'node:assert/strict';
import { convert } from '../access/converted';
import { randomConfiguration } from '../access/generate';
import { Random, seed } from '../support/random';
import { compare, install, nameOf, serveGenerated } from './generated';
import { requireHttpd } from './harness';

const CONFIGURATIONS = 200;

describe('generated configurations on a real httpd', function () {
  this.timeout(600_000);

  before(function () {
    requireHttpd(this);
  });

  it(`${CONFIGURATIONS} converted ones answer as 2.2 did`, async () => {
    const start = seed();
    const localName = await nameOf('127.0.0.1');
    const server = await serveGenerated();
    try {
      let tried = 0;
      for (let i = 0; tried < CONFIGURATIONS; i++) {
        assert.ok(i < CONFIGURATIONS * 20, 'hardly any is converted whole');
        const generated = randomConfiguration(new Random(start + i));
        const converted = convert(generated, server.root);
        if (converted.reasons.length > 0 || converted.openQuestions.length > 0 || converted.edits === 0) continue;
        tried++;
        await install(server, converted, generated);
        await compare(server, generated, converted, new Random(start + i), { localName, start: start + i });
      }
    } finally {
      await server.stop();
    }
  });
});
