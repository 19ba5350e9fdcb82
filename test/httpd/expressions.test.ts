/**
 * The parser and the server accept and refuse the same expressions; written into a .htaccess, which
 * is read with each request.
 */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Engine } from '../../server/src/analysis/engine';
import { expressionError } from '../../server/src/directives/expressions';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { parseCondition, parseStringExpression, type Expression } from '../../server/src/syntax/expression';
import { Random, seed } from '../support/random';
import { CONDITIONS, JAMMING, LINES, randomCondition, STRINGS } from './expression-samples';
import { configTest, requireHttpd, serve, type Server } from './harness';

/** Not in a .htaccess: what is read there, modules unknown. */
function refusal(expression: Expression) {
  return expressionError(expression, { isHtaccess: true, modules: null });
}

describe('expressions on a real httpd', function () {
  this.timeout(300_000);
  let server: Server;
  let asked = 0;

  before(async function () {
    requireHttpd(this);
    // One process for one connection: a process that ends takes no other request with it.
    server = await serve(
      'KeepAlive Off\nStartServers 8\nMinSpareServers 8\nMaxSpareServers 70\nLogLevel crit core:alert\n<Directory "@ROOT@/htdocs">\nAllowOverride All\n</Directory>\n',
      { mpm: 'prefork' },
    );
  });

  after(() => server?.stop());

  /** Whether the server takes each text, and what it says. */
  async function answers(texts: readonly string[]): Promise<{ isTaken: boolean; said: string }[]> {
    const folders = texts.map((text) => {
      const folder = `e${asked++}`;
      mkdirSync(path.join(server.root, 'htdocs', folder));
      writeFileSync(path.join(server.root, 'htdocs', folder, '.htaccess'), text);
      return folder;
    });
    const responses = await server.requestAll(folders.map((folder) => ({ path: `/${folder}/` })));
    const log = server.errorLog();
    return responses.map(({ status }, index) => {
      const at = log.indexOf(`/${folders[index]}/.htaccess: `);
      return {
        isTaken: status !== 500,
        said:
          at < 0
            ? ''
            : log
                .slice(at, log.indexOf('\n', at))
                .replace(/^.*?: /, '')
                .replaceAll('\\\\', '\\'),
      };
    });
  }

  const inQuotes = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;
  const asCondition = (text: string) => `<If ${inQuotes(text)}>\n</If>\n`;
  const asString = (text: string) => `AuthName ${inQuotes(text)}\n`;

  async function differences(
    texts: readonly string[],
    parse: (text: string) => Expression,
    write: (text: string) => string,
  ): Promise<string[]> {
    const ours = texts.map((text) => refusal(parse(text)));
    const theirs = await answers(texts.map(write));
    return texts.flatMap((text, index) => {
      const { isTaken, said } = theirs[index];
      if (isTaken !== (ours[index] === undefined))
        return [`${text}    we: ${ours[index]?.message ?? 'right'}    httpd: ${isTaken ? 'right' : said}`];
      // What a message quotes is what the server says.
      const quoted = ours[index]?.serverText;
      return quoted === undefined || said.includes(quoted) ? [] : [`${text}    we quote: ${quoted}    httpd: ${said}`];
    });
  }

  it('conditions made by hand', async () =>
    assert.deepEqual(await differences(CONDITIONS, parseCondition, asCondition), []));

  it('text with variables, made by hand', async () =>
    assert.deepEqual(await differences(STRINGS, parseStringExpression, asString), []));

  it('conditions at random', async () => {
    const start = seed();
    const random = new Random(start);
    const texts = Array.from({ length: 600 }, () => randomCondition(random)).filter(
      (text) => !/[\n"]$/.test(text) && refusal(parseCondition(text))?.id !== 'jammed',
    );
    const found = await differences(texts, parseCondition, asCondition);
    const refused = texts.filter((text) => refusal(parseCondition(text))).length;
    assert.ok(refused > texts.length / 10 && refused < texts.length * 0.9, `${refused} of ${texts.length} are refused`);
    assert.ok(
      found.length <= texts.length / 100,
      `HTTPD_UPGRADE_SEED=${start}: ${found.length} of ${texts.length}\n${found.join('\n')}`,
    );
  });

  it('the places where lines have them', async () => {
    const engine = new Engine({
      rules: ALL_RULES.filter(({ id }) => ['expression-error', 'rewrite-error', 'value-refused'].includes(id)),
    });
    const ours = LINES.map((line) =>
      engine
        .analyze(Tree.parse(line), { isHtaccess: true })
        .findings()
        .some(({ severity }) => severity === 'error'),
    );
    const theirs = await answers(LINES.map((line) => `${line}\n`));
    // Who is refused by such a line is not asked here: a line that does not parse says so.
    const differ = LINES.filter((_, index) => ours[index] === (theirs[index].said === '')).map(
      (line) =>
        `${line}    we: ${ours[LINES.indexOf(line)] ? 'wrong' : 'right'}    httpd: ${theirs[LINES.indexOf(line)].said}`,
    );
    assert.deepEqual(differ, []);
  });

  it('what ends the process', async () => {
    for (const text of JAMMING) {
      assert.equal(refusal(parseCondition(text))?.id, 'jammed', text);
      const { ok, stderr } = await configTest(`<Location "/">\n${asCondition(text)}</Location>\n`, {
        modules: ['authz_core', 'ssl'],
      });
      assert.ok(!ok && stderr.includes('flex scanner jammed'), `${text}: ${stderr}`);
    }
  });
});
