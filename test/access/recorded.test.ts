/**
 * 300 scenarios and what a real httpd 2.2.35 answered to 450 questions each (recorded-answers.json). The whole configuration is
 * converted, and a real 2.4 without mod_access_compat must give the recorded answers.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { planAccess, type AccessPlan } from '../../server/src/access/plan';
import { ACCESS_NAMES } from '../../server/src/access/whole';
import { applyEdits } from '../../server/src/analysis/fixes';
import { readConfiguration, readHtaccess } from '../../server/src/config/configuration';
import { requireHttpd, serve, type RequestOptions } from '../httpd/harness';
import { memoryFiles } from '../support/memory-files';
import { repositoryRoot } from '../support/paths';

interface Recorded {
  /** "client address, method, path below /<id>/, user:password or -, value of the X-Flag header or -" */
  readonly questions: readonly string[];
  /** The 2.2 server's main file; `@ROOT@` is its folder. */
  readonly main: string;
  readonly passwd: string;
  readonly group: string;
  readonly scenarios: readonly {
    readonly id: string;
    readonly conf: string;
    /** Of the folder `sub/`. */
    readonly htaccess?: string;
    /** One digit a question: 1 is 401, 2 let in, 3 is 403. */
    readonly answers22: string;
  }[];
}

const ROOT = '/srv/recorded';
const local = (text: string) => text.replaceAll('@ROOT@', ROOT);
const foreign = (text: string) => text.replaceAll(ROOT, '@ROOT@');

describe('recorded scenarios of httpd 2.2, the whole configuration converted', function () {
  this.timeout(180_000);
  const recorded = JSON.parse(readFileSync(path.join(repositoryRoot, 'test', 'access', 'recorded-answers.json'), 'utf8')) as Recorded;
  const texts = textsOf(recorded);
  const plan = planOf(recorded, texts);

  it('every section is converted', () => {
    assert.deepEqual(plan.refusals, []);
    assert.deepEqual(plan.doubts, []);
  });

  it('a real 2.4 without mod_access_compat answers as 2.2 did, all 135,000 times', async function () {
    requireHttpd(this);
    const served = recorded.scenarios.map((scenario) => {
      const fixed = (file: string) => foreign(applyEdits(texts[file], plan.edits.get(file) ?? []));
      return { ...scenario, conf: fixed(confOf(scenario.id)), htaccess: scenario.htaccess === undefined ? undefined : fixed(htaccessOf(scenario.id)) };
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
      for (const scenario of served) {
        const answers = await server.requestAll(recorded.questions.map((question) => request(scenario.id, question)));
        const bad = recorded.questions.filter((_, i) => digit(answers[i].status) !== scenario.answers22[i]);
        if (bad.length > 0) wrong.push(`${scenario.id}: ${bad.length} answers differ, such as to ${bad[0]}\n${scenario.conf}${scenario.htaccess ?? ''}`);
      }
      assert.equal(wrong.length, 0, `${wrong.length} of ${served.length} scenarios differ:\n${wrong.slice(0, 5).join('\n')}`);
    } finally {
      await server.stop();
    }
  });
});

function textsOf(recorded: Recorded): Record<string, string> {
  const texts: Record<string, string> = { [`${ROOT}/conf/httpd.conf`]: local(recorded.main) };
  for (const { id, conf, htaccess } of recorded.scenarios) {
    texts[confOf(id)] = local(conf);
    if (htaccess !== undefined) texts[htaccessOf(id)] = htaccess;
  }
  return texts;
}

function planOf(recorded: Recorded, texts: Record<string, string>): AccessPlan {
  const view = memoryFiles(texts);
  const options = { view, names: ACCESS_NAMES, serverRoot: ROOT };
  const configuration = readConfiguration({ ...options, root: `${ROOT}/conf/httpd.conf` })!;
  const htaccess = recorded.scenarios.flatMap(({ id, htaccess: text }) => {
    if (text === undefined) return [];
    const file = htaccessOf(id);
    return [{ scope: readHtaccess({ ...options, root: file, folder: path.dirname(file) })!, override: ['all'] }];
  });
  return planAccess(configuration, htaccess, []);
}

function confOf(id: string): string {
  return `${ROOT}/conf/scenarios/${id}.conf`;
}

function htaccessOf(id: string): string {
  return `${ROOT}/htdocs/${id}/sub/.htaccess`;
}

function request(id: string, question: string): RequestOptions {
  const [from, method, file, credentials, flag] = question.split(' ');
  const [user, password] = credentials === '-' ? [] : credentials.split(':');
  return { from, method, path: `/${id}/${file}`, user, password, headers: flag === '-' ? {} : { 'X-Flag': flag } };
}

function digit(status: number): string {
  return status === 401 ? '1' : status === 403 ? '3' : status === 500 ? '5' : '2';
}
