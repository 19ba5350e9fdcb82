/**
 * Converts each case of conversions.ts and compares the text. Then compares the answers of 2.2
 * before and 2.4 after, by the model in requests.ts, for all clients and paths.
 */
import assert from 'node:assert/strict';
import { Server, type Client } from './server-model';
import { CONVERSIONS, convertCase, FROM_COMPAT, MAIN, ON_WINDOWS, siteOf, URLS, type Texts } from './conversions';

const METHODS = ['GET', 'POST', 'OPTIONS'];
const CLIENTS: readonly Client[] = ['10.1.2.3', '10.9.9.9', '192.0.2.1', '::1'].flatMap((address) =>
  ([[], ['ok'], ['bad']] as const).flatMap((variables) =>
    [null, 'ann', 'bob'].flatMap((user) =>
      [null, 'www.example.org'].map(
        (name): Client => ({
          address,
          name,
          variables: new Set(variables),
          user,
          groups: user === 'bob' ? ['staff'] : [],
        }),
      ),
    ),
  ),
);

describe('conversions', () => {
  for (const { name, before, after, reason, openQuestion, links, mayAdmit, source = '2.2' } of [
    ...CONVERSIONS,
    ...FROM_COMPAT,
  ]) {
    it(source === '2.2' ? name : `from mod_access_compat: ${name}`, () => {
      const converted = convertCase({ before, links, source, mayAdmit });
      assert.deepEqual(converted.after, after);
      if (reason) assert.match(converted.reasons.join('\n'), reason);
      else assert.deepEqual(converted.reasons, []);
      if (openQuestion) assert.match(converted.openQuestions.join('\n'), openQuestion);
      else assert.deepEqual(converted.openQuestions, []);
      if (reason || openQuestion) return;
      for (const value of before[MAIN]!.includes('${') ? VALUES : [null])
        assertSameAnswers(withValue(before, value), withValue(after, value), source);
    });
  }

  for (const { name, before, after, reason } of ON_WINDOWS) {
    it(`on Windows: ${name}`, () => {
      const converted = convertCase({ before });
      assert.deepEqual(converted.after, after);
      assert.match(converted.reasons.join('\n'), reason ?? /^$/);
    });
  }
});

// ---------------------------------------------------------------------------------------------------------------------

/** What a variable in a tag stands for. */
const VALUES: readonly string[] = ['/', '/srv', '/srv/www', '/srv/www/a', '/srv/www/a/b', '/status', 'a'];

function withValue(texts: Texts, value: string | null): Texts {
  if (value === null) return texts;
  return Object.fromEntries(
    Object.entries(texts).map(([path, text]) => [path, text.replace(/\$\{\w+\}/g, () => value)]),
  );
}

/** Compares the answers of `source` with the old texts and of 2.4 with the new ones. */
function assertSameAnswers(before: Texts, after: Texts, source: '2.2' | '2.4'): void {
  const old = new Server(siteOf(before), source);
  const now = new Server(siteOf(after), '2.4');
  for (let host = -1; host < old.hostCount; host++) {
    for (const url of URLS) {
      const sayings = [old.applied(url, host), now.applied(url, host)];
      for (const method of METHODS) {
        for (const client of CLIENTS) {
          const [is, was] = [now.answer(sayings[1], method, client), old.answer(sayings[0], method, client)];
          // Half a million are right: no text is put together for them.
          if (is !== was)
            assert.fail(`${method} ${url} at host ${host} from ${client.address} as ${client.user}: ${was} -> ${is}`);
        }
      }
    }
  }
}
