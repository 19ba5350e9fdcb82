/**
 * Directives with invalid values, in allowed places: our verdict on each line equals the server's.
 * JUNK is the number of lines (400 by default), JUNK_SEED the random seed.
 */
import assert from 'node:assert/strict';
import { directives } from '../../server/src/directives';
import { Random } from '../support/random';
import { requireHttpd, findHttpd } from './harness';
import { junkLine } from './junk-lines';
import { differences, modulesOf } from './mutants/compare';

const COUNT = Number(process.env.JUNK ?? 400);
const SEED = Number(process.env.JUNK_SEED ?? 1);

/** At most so many lines of 1,000 that the server refuses may be none of our errors. */
const MOST_MISSED = 2;

/** What another build, another network or another file would not refuse. */
const OF_THIS_BUILD =
  /Invalid command|suEXEC is disabled|SSLCryptoDevice|Invalid (?:global|client) certificate file path|file not found|ProxySourceAddress invalid value|not possible to configure|RemoteIP: Error parsing IP [\w.-]+ \(/;

/** Lines that the server refuses and that no rule reports, by what they say, and why. */
const ACCOUNTED: readonly (readonly [what: RegExp, why: string])[] = [
  [/^xml2EncDefault /, 'iconv of the machine tells which charsets there are'],
  [/^SSLCompression on/i, 'the build of OpenSSL tells whether there is compression'],
  [/^SSLOpenSSLConfCmd /, 'OpenSSL has the list of commands'],
  [/^ProxySet /, 'the workers of the rest of the configuration decide'],
  [/^CacheEnable \S+ \S+ +\[Loc/, 'a check of values is not given the path of the section around'],
  [/^(?:Input|Output)Sed "?\/"?(?:\s|$)/, 'httpd reads behind the end of the text: it depends on the memory'],
];

/** Accepted by the check, and refused when the server starts: test/httpd/start.slow.test.ts. */
const AT_START = /piped-log\//;

describe('junk values', function () {
  this.timeout(1_500_000);

  before(function () {
    requireHttpd(this);
  });

  it(`${COUNT} lines: refused where we report an error, and nowhere else`, async () => {
    const modules = [...findHttpd()!.loadable].filter((name) => !/^mpm_/.test(name));
    const names = modulesOf(modules);
    const known = directives().filter(
      ({ '2.4': facts }) => facts?.arguments && facts.modules.some((module) => names.has(module)),
    );
    const random = new Random(SEED);
    const lines = Array.from({ length: COUNT }, () => junkLine(known, random));
    const { found: all, refused, left } = await differences(lines, names, {});
    const judged = all.filter(
      ({ server, ours }) => !OF_THIS_BUILD.test(server) && !(server === 'Syntax OK' && AT_START.test(ours)),
    );
    const found = judged.filter(
      ({ what, ours }) => !(ours === 'nothing' && ACCOUNTED.some(([line]) => line.test(what))),
    );
    const shown = found
      .map(({ what, server, ours }) => `${what}\n    the server: ${server}\n    ours: ${ours}`)
      .join('\n');
    console.log(
      `      ${COUNT} lines, ${refused} refused, ${left} left out (this machine), ${judged.length} different, ` +
        `${judged.length - found.length} of them with a known reason\n${shown}`,
    );
    assert.ok(refused > COUNT / 10, 'too few lines are refused to tell anything');
    assert.deepEqual(
      found.filter(({ server }) => server === 'Syntax OK').map(({ what, ours }) => `${what}: ${ours}`),
      [],
    );
    assert.ok(judged.length <= Math.max(1, (COUNT * MOST_MISSED) / 1000), shown);
  });
});
