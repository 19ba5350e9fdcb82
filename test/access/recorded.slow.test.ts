/**
 * Converts 300 configurations, for each of which recorded-answers.json has 450 answers of a real
 * httpd 2.2.35. A real 2.4 without mod_access_compat has to give the same answers.
 */
import { reasonText } from '../../server/src/access/not-converted';
import assert from 'node:assert/strict';
import { planAccessConversion, type AccessPlan } from '../../server/src/access/plan';
import { applyEdits } from '../../server/src/analysis/fixes';
import { requireHttpd, serve, type RequestOptions } from '../httpd/harness';
import {
  confOf,
  configurationOf,
  htaccessOf,
  readQuestion,
  readRecorded,
  ROOT,
  textsOf,
  type Scenario,
} from './recorded';

const foreign = (text: string) => text.replaceAll(ROOT, '@ROOT@');

describe('recorded scenarios of httpd 2.2, the whole configuration converted', function () {
  this.timeout(900_000);
  const recorded = readRecorded();
  const texts = textsOf(recorded);
  const { configuration, htaccess: accessFiles } = configurationOf(recorded);
  const plan = planAccessConversion(configuration, accessFiles, []);

  it('every section is converted', () => {
    assert.deepEqual(plan.refusals, []);
    assert.deepEqual(plan.openQuestions, []);
  });

  it('a real 2.4 without mod_access_compat answers as 2.2 did, all 135,000 times', async function () {
    requireHttpd(this);
    await compare(plan, ({ answers22 }) => answers22, recorded.scenarios, 1);
  });

  it('and from a 2.4 with mod_access_compat, as that did', async function () {
    requireHttpd(this);
    const compat = planAccessConversion(configuration, accessFiles, [], { source: '2.4' });
    const left = new Set(compat.refusals.map(({ path }) => path));
    const converted = recorded.scenarios.filter(({ id }) => !left.has(confOf(id)) && !left.has(htaccessOf(id)));
    assert.ok(
      converted.length >= 270,
      `only ${converted.length} are converted: ${compat.refusals.map(({ reason }) => reasonText(reason))[0]}`,
    );
    await compare(compat, ({ answers24compat }) => answers24compat, converted, 3);
  });

  /** Serves the scenarios as the plan has them, and asks every nth question. */
  async function compare(
    made: AccessPlan,
    expected: (scenario: Scenario) => string,
    scenarios: readonly Scenario[],
    every: number,
  ): Promise<void> {
    const asked = recorded.questions.flatMap((question, i) => (i % every === 0 ? [{ question, i }] : []));
    const served = scenarios.map((scenario) => {
      const fixed = (file: string) => foreign(applyEdits(texts[file], made.edits.get(file) ?? []));
      return {
        ...scenario,
        conf: fixed(confOf(scenario.id)),
        htaccess: scenario.htaccess === undefined ? undefined : fixed(htaccessOf(scenario.id)),
      };
    });
    const files: Record<string, string> = { 'conf/passwd': recorded.passwd, 'conf/group': recorded.group };
    for (const { id, htaccess } of served) {
      for (const file of ['index.html', 'sub/index.html', 'sub/secret.txt']) files[`htdocs/${id}/${file}`] = '';
      if (htaccess !== undefined) files[`htdocs/${id}/sub/.htaccess`] = htaccess;
    }
    const variables = 'SetEnvIf X-Flag flag flag=1\nSetEnvIf X-Flag other other=1\n';
    const config = `${variables}<Directory />\nAllowOverride All\n</Directory>\n${served.map(({ conf }) => conf).join('')}`;
    const server = await serve(config, { modules: 'all-but-access_compat', files });
    try {
      const wrong: string[] = [];
      const all = await server.requestAll(
        served.flatMap(({ id }) => asked.map(({ question }) => request(id, question))),
      );
      for (const [place, scenario] of served.entries()) {
        const answers = all.slice(place * asked.length, (place + 1) * asked.length);
        const right = expected(scenario);
        const bad = asked.filter(({ i }, at) => digit(answers[at].status) !== right[i]);
        if (bad.length > 0)
          wrong.push(
            `${scenario.id}: ${bad.length} answers differ, such as to ${bad[0].question}\n${scenario.conf}${scenario.htaccess ?? ''}`,
          );
      }
      assert.equal(
        wrong.length,
        0,
        `${wrong.length} of ${served.length} scenarios differ:\n${wrong.slice(0, 5).join('\n')}`,
      );
    } finally {
      await server.stop();
    }
  }
});

function request(id: string, text: string): RequestOptions {
  const { from, method, file, user, password, variable } = readQuestion(text);
  return {
    from,
    method,
    path: `/${id}/${file}`,
    user: user ?? undefined,
    password: password ?? undefined,
    headers: variable === null ? {} : { 'X-Flag': variable },
  };
}

function digit(status: number): string {
  return status === 401 ? '1' : status === 403 ? '3' : status === 500 ? '5' : '2';
}
