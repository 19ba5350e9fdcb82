/**
 * The recorded scenarios of a real httpd 2.2 (test/access/recorded-answers.json): after safe fixes
 * a real 2.4, without mod_access_compat, must give the answers of 2.2 to all requests.
 */
import assert from 'node:assert/strict';
import { Engine } from '../../server/src/analysis/engine';
import { fixText } from '../../server/src/analysis/fixes';
import { ALL_RULES } from '../../server/src/rules/all';
import { readRecorded, type Scenario } from '../access/recorded';
import { isOld } from './access-scenarios';
import { requireHttpd, serve, type RequestOptions } from './harness';

const VARIABLES = 'SetEnvIf X-Flag flag flag=1\nSetEnvIf X-Flag other other=1\n';
/**
 * How many of the scenarios are fixed safely at least. Raise it when the rules learn more; never
 * lower it.
 */
const FIXED = 42;

describe('recorded answers of httpd 2.2', function () {
  this.timeout(600_000);

  before(function () {
    requireHttpd(this);
  });

  it('are those of 2.4 to every scenario that is fixed safely', async () => {
    const recorded = readRecorded();
    const served = recorded.scenarios.flatMap((scenario) => fixed(scenario) ?? []);
    assert.ok(served.length >= FIXED, `only ${served.length} of ${recorded.scenarios.length} are fixed`);

    const files: Record<string, string> = { 'conf/passwd': recorded.passwd, 'conf/group': recorded.group };
    for (const { id, htaccess } of served) {
      for (const file of ['index.html', 'sub/index.html', 'sub/secret.txt']) files[`htdocs/${id}/${file}`] = '';
      if (htaccess !== undefined) files[`htdocs/${id}/sub/.htaccess`] = htaccess;
    }
    const config = `${VARIABLES}<Directory />\nAllowOverride All\n</Directory>\n${served.map(({ conf }) => conf).join('')}`;
    const server = await serve(config, { modules: 'all-but-access_compat', files });
    const answers = await server.requestAll(
      served.flatMap(({ id }) => recorded.questions.map((question) => request(id, question))),
    );
    await server.stop();

    const problems = served.flatMap((scenario, index) => {
      const digits = recorded.questions.map((_, q) => digit(answers[index * recorded.questions.length + q].status));
      const wrong = recorded.questions.filter((_, q) => digits[q] !== scenario.answers22[q]);
      const original = recorded.scenarios.find(({ id }) => id === scenario.id)!;
      return wrong.length > 0
        ? [
            `${original.conf}${original.htaccess ?? ''}--- served:\n${scenario.conf}${scenario.htaccess ?? ''}${wrong.length} answers differ, such as to ${wrong[0]}`,
          ]
        : [];
    });
    assert.equal(
      problems.length,
      0,
      `${problems.length} of ${served.length} differ:\n${problems.slice(0, 3).join('\n\n')}`,
    );
  });
});

/** The scenario with its safe fixes, or null where they leave something. */
function fixed(scenario: Scenario): Scenario | null {
  // Where there is no .htaccess file, nothing lies outside of the file.
  const engine = new Engine({ rules: ALL_RULES, assumeStandalone: scenario.htaccess === undefined });
  // A whole configuration; where there is no .htaccess file, one that reads none.
  const header = `ServerRoot @ROOT@\nListen 80\n${VARIABLES}<Directory />\n    AllowOverride ${scenario.htaccess === undefined ? 'None' : 'All'}\n</Directory>\n`;
  const conf = fixText(engine, local(header + scenario.conf), { isHtaccess: false }).text;
  const htaccess =
    scenario.htaccess === undefined ? undefined : fixText(engine, scenario.htaccess, { isHtaccess: true }).text;
  if (isOld(conf) || (htaccess !== undefined && isOld(htaccess))) return null;
  return { ...scenario, conf: foreign(conf.slice(local(header).length)), htaccess };
}

function local(text: string): string {
  return text.replaceAll('@ROOT@', '/srv/www');
}

function foreign(text: string): string {
  return text.replaceAll('/srv/www', '@ROOT@');
}

/** "client address, method, path, user:password or -, value of the X-Flag header or -" */
function request(id: string, question: string): RequestOptions {
  const [from, method, file, credentials, flag] = question.split(' ');
  const [user, password] = credentials === '-' ? [] : credentials.split(':');
  return { from, method, path: `/${id}/${file}`, user, password, headers: flag === '-' ? {} : { 'X-Flag': flag } };
}

function digit(status: number): string {
  return status === 401 ? '1' : status === 403 ? '3' : status === 500 ? '5' : '2';
}
