/**
 * Choices on a real httpd: generated servers with any MPM, log, PHP, defaults or modules that a
 * user chooses. A whole conversion must answer like the independent model of 2.2 in
 * test/access/server-model.ts. A dozen; HTTPD_UPGRADE_CONFIGURATIONS sets another number.
 */
import assert from 'node:assert/strict';
import { PHP, randomChoices, written } from '../access/choices';
import { siteOf } from '../access/generate';
import { Server } from '../access/server-model';
import { Random, seed } from '../support/random';
import { compare, install, nameOf, serveGenerated } from './generated';
import { requireHttpd } from './harness';

const COUNT = Number(process.env.HTTPD_UPGRADE_CONFIGURATIONS ?? 12);

/**
 * What the generated server has of its own: where it listens, modules that are files there, and the
 * lines of a log that a person wants to change by hand.
 */
const OWN = /^[ \t]*(?:PidFile|Listen|LoadModule|RewriteLog|RewriteLogLevel)[ \t].*\n/gm;
const OLD = /^[ \t]*(?:Order|Allow|Deny|Satisfy)[ \t]/im;
/** Limits in limits: a real 2.4 refuses most of them. */
const NESTED_LIMITS = /<Limit(?:Except)?[ \t](?:(?!<\/Limit)[^])*<Limit(?:Except)?[ \t]/i;

describe('choices on a real httpd', function () {
  this.timeout(600_000 + COUNT * 5_000);

  before(function () {
    requireHttpd(this);
  });

  it(`at least ${COUNT} servers answer as 2.2 did, whatever was chosen`, async () => {
    const start = seed();
    const localName = await nameOf('127.0.0.1');
    const server = await serveGenerated(['rewrite']);
    const seen = { tried: 0, php: 0 };
    try {
      // Few of them get an answer about PHP; at least one has to.
      for (let i = 0; seen.tried < COUNT || seen.php === 0; i++) {
        assert.ok(i < COUNT * 100, 'hardly any is converted whole');
        const random = new Random(start + i);
        const { given, texts, answers } = randomChoices(random, server.root);
        const { fixed, restsOn } = written(texts, answers, server.root);
        const all = Object.values(fixed);
        if (
          JSON.stringify(fixed) === JSON.stringify(texts) ||
          all.some((text) => OLD.test(text) || NESTED_LIMITS.test(text))
        )
          continue;
        if (new Server(siteOf(given, texts, server.root), '2.2').isRefused) continue;
        seen.tried++;
        if (restsOn.has('php')) seen.php++;
        // A module that is there stands for PHP.
        const names = PHP[answers.get('php')!];
        const adapted = (text: string) =>
          text
            .replace(OWN, '')
            .replace(/(<IfModule !?)(mod_php\d?\.c|php\d?_module)>/g, (_, open: string, name: string) =>
              names.includes(name) ? `${open}mod_alias.c>` : `${open}${name}>`,
            );
        await install(server, { fixed }, given, adapted);
        await compare(server, given, { texts, fixed }, random, { localName, start: start + i, isWhole: false });
      }
    } finally {
      await server.stop();
    }
    if (process.env.HTTPD_UPGRADE_CONFIGURATIONS) console.log(JSON.stringify(seen));
  });
});
