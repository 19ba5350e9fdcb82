/**
 * Templates after every fix, including suggestions, rendered and served by a real httpd 2.4: it
 * answers as 2.2 answered for the template before.
 */
import assert from 'node:assert/strict';
import { Engine } from '../../server/src/analysis/engine';
import { fixText } from '../../server/src/analysis/fixes';
import { ALL_RULES } from '../../server/src/rules/all';
import { CASES } from '../templates/cases';
import { inLanguage, LANGUAGES, render, rendered } from '../templates/languages';
import { answers, REQUESTS } from '../templates/support';
import { requestFor, statusOf } from './access-scenarios';
import { requireHttpd, serve } from './harness';

/**
 * Whose sections have directories or locations of their own, so that many stand beside each other
 * in one server.
 */
const NAMES = [
  'one branch lets in, the other keeps out',
  'branches with whole decisions',
  'networks in a loop',
  'networks in a value',
  'the order in a value',
  'a directory in a value',
  'a limit in a branch',
  'sections in a loop',
  'one of two sections in a branch of its own lines',
  'a section in each branch',
];
const ASKED = REQUESTS.flatMap(({ url, method, client }, index) =>
  method === 'GET' && client.user === null && client.address.startsWith('127.')
    ? [{ url, from: client.address, index }]
    : [],
);

describe('templates on a real httpd', function () {
  this.timeout(600_000);

  before(function () {
    requireHttpd(this);
  });

  it('a rendering of what was fixed answers as 2.2 did', async () => {
    const engine = new Engine({ rules: ALL_RULES, assumeStandalone: true });
    const served = NAMES.flatMap((name) => {
      const of = CASES.find((each) => each.name === name)!;
      return LANGUAGES.flatMap((language) => {
        const text = inLanguage(of.text, language);
        if (text === null) return [];
        const fixed = fixText(engine, text, { isHtaccess: false }, { unsafe: true }).text;
        return of.renderings.map((values) => ({
          what: `${language.name}: ${name}, with ${JSON.stringify(values)}`,
          text: render(fixed, language, values),
          right: answers(rendered(of.text, values), '2.2', of),
        }));
      });
    });
    assert.ok(served.length >= 200, `${served.length}`);
    const files: Record<string, string> = {};
    const texts = served.map(({ text }, id) => {
      for (const { url } of ASKED) files[`htdocs/${id}${url}`] = '';
      return text.replaceAll('/srv/www', `/srv/www/htdocs/${id}`).replaceAll('<Location /', `<Location /${id}/`);
    });
    const server = await serve(texts.join(''), { modules: 'all', files, replace: [['/srv/www', '@ROOT@']] });
    const got = await server.requestAll(
      served.flatMap((_, id) =>
        ASKED.map(({ url, from }) => requestFor(`/${id}${url}`, { from, method: 'GET', env: [] })),
      ),
    );
    await server.stop();
    const wrong = served.flatMap(({ what, text, right }, id) =>
      ASKED.flatMap(({ url, from, index }, at) => {
        const status = statusOf(got[id * ASKED.length + at]);
        return status === right[index]
          ? []
          : [`${what}: ${status} instead of ${String(right[index])} for ${url} from ${from}\n${text}`];
      }),
    );
    assert.deepEqual(wrong.slice(0, 3), []);
  });
});
