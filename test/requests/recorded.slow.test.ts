/**
 * Decisions about requests, compared with recorded answers of a real 2.2 and of a real 2.4 with
 * mod_access_compat: scenarios of access control, and trees around conditions.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { decide } from '../../server/src/requests/decide';
import type { Access, RequestServer } from '../../server/src/requests/model';
import { parseRequest } from '../../server/src/requests/parse';
import { describeOver, itOver } from '../support/lacks';
import { accessAnswers, conditionTrees } from '../support/paths';
import { configurationOf } from './support';

/** How many answers were compared, unknown and wrong. */
class Tally {
  asked = 0;
  unknown = 0;
  readonly wrong: string[] = [];

  take(access: Access, recorded: string, about: string): void {
    this.asked++;
    if (access === 'unknown') this.unknown++;
    else if (CODES[access] !== recorded) this.wrong.push(`${about}: ${access}, recorded ${recorded}`);
  }
}

const CODES: Readonly<Record<Access, string>> = {
  granted: '200',
  login: '401',
  denied: '403',
  error: '500',
  unknown: '',
};

interface Scenarios {
  readonly questions: readonly string[];
  readonly main: string;
  readonly passwd: string;
  readonly group: string;
  readonly scenarios: readonly Scenario[];
}

interface Scenario {
  readonly id: string;
  readonly conf: string;
  readonly htaccess?: string;
  readonly answers22: string;
  readonly answers24compat: string;
}

/** The scenarios are compared in so many tests: each ends early enough on a slow machine. */
const PARTS = 8;

describe('recorded scenarios of access control', function () {
  this.timeout(900_000);
  for (let part = 0; part < PARTS; part++)
    itOver('access answers', `are decided as the servers did, part ${part + 1} of ${PARTS}`, () => {
      const recorded = JSON.parse(readFileSync(accessAnswers, 'utf8')) as Scenarios;
      const tally = new Tally();
      recorded.scenarios.forEach((scenario, index) => {
        if (index % PARTS === part) compareScenario(scenario, recorded, tally);
      });
      if (process.env.HTTPD_UPGRADE_COUNTS) console.log(tally.asked, tally.unknown);
      assert.deepEqual(tally.wrong.slice(0, 10), [], `${tally.wrong.length} of ${tally.asked}`);
      assert.ok(tally.unknown <= tally.asked * 0.05, `${tally.unknown} of ${tally.asked} are unknown`);
    });
});

function compareScenario(
  { id, conf, htaccess, answers22, answers24compat }: Scenario,
  { questions, main, passwd, group }: Scenarios,
  tally: Tally,
): void {
  const at = (text: string) => text.replaceAll('@ROOT@', '/srv/httpd').replaceAll('@MODULES@', '/usr/lib');
  const folder = `/srv/httpd/htdocs/${id}`;
  const configuration = configurationOf({
    '/srv/httpd/conf/httpd.conf': at(main),
    '/srv/httpd/conf/passwd': passwd,
    '/srv/httpd/conf/group': group,
    [`/srv/httpd/conf/scenarios/${id}.conf`]: at(conf),
    [`${folder}/index.html`]: '',
    [`${folder}/sub/index.html`]: '',
    [`${folder}/sub/secret.txt`]: '',
    ...(htaccess === undefined ? {} : { [`${folder}/sub/.htaccess`]: at(htaccess) }),
  });
  questions.forEach((question, index) => {
    const [from, method, file, login, flag] = question.split(' ') as [string, string, string, string, string];
    const [user, password] = login.split(':');
    const isRight = login !== '-' && password === user![0];
    const request = parseRequest(`${method} /${id}/${file}`, {
      from,
      user: isRight ? user : null,
      headers: flag === '-' ? [] : [`X-Flag: ${flag}`],
    })!;
    for (const [server, answers] of [
      ['2.2', answers22],
      ['2.4-compat', answers24compat],
    ] as [RequestServer, string][]) {
      const recorded = { '1': '401', '2': '200', '3': '403' }[answers[index]!] ?? '500';
      tally.take(decide(request, configuration, server).access, recorded, `${id} ${server} ${question}`);
    }
  });
}

interface Recorded {
  readonly modules: { readonly modules22: readonly string[]; readonly modules24: readonly string[] };
  readonly trees: readonly {
    readonly name: string;
    readonly files: Readonly<Record<string, string>>;
    readonly mpm22: string;
    readonly mpm24: string;
    readonly requests: readonly {
      readonly from: string;
      readonly user: string | null;
      readonly method: string;
      readonly path: string;
      readonly v22: number;
      readonly v24compat: number;
    }[];
  }[];
}

describeOver('conditions', 'recorded trees around conditions', function () {
  this.timeout(900_000);
  it('are decided as the servers did', () => {
    const { modules, trees } = JSON.parse(readFileSync(conditionTrees, 'utf8')) as Recorded;
    const tally = new Tally();
    const loading = (names: readonly string[]) =>
      names.map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`).join('');
    for (const { name, files, mpm24, requests } of trees)
      for (const [server, of] of [
        ['2.2', 'v22'],
        ['2.4-compat', 'v24compat'],
      ] as ['2.2' | '2.4-compat', 'v22' | 'v24compat'][]) {
        const texts = Object.fromEntries(
          Object.entries(files).map(([file, text]) => [
            `/srv/httpd/${file}`,
            text.replaceAll('@PORT@', '8080').replaceAll('@ROOT@', '/srv/httpd'),
          ]),
        );
        const main = '/srv/httpd/conf/httpd.conf';
        const configuration = {
          ...configurationOf({
            [main]: texts[main],
            ...texts,
            '/srv/httpd/conf/modules.conf': loading(server === '2.2' ? modules.modules22 : modules.modules24),
          }),
          mpm: mpm24,
          server: { serverRoot: '/srv/httpd', defines: new Map() },
        };
        for (const request of requests) {
          if (request[of] === 404) continue;
          const user = request.user?.split(':')[0] ?? null;
          const asked = parseRequest(`${request.method} ${request.path}`, { from: request.from, user })!;
          const { access } = decide(asked, configuration, server);
          tally.take(access, String(request[of]), `${name} ${server} ${request.method} ${request.path} ${user}`);
        }
      }
    if (process.env.HTTPD_UPGRADE_COUNTS) console.log(tally.asked, tally.unknown);
    assert.deepEqual(tally.wrong.slice(0, 10), [], `${tally.wrong.length} of ${tally.asked}`);
    assert.ok(tally.unknown <= tally.asked * 0.05, `${tally.unknown} of ${tally.asked} are unknown`);
  });
});
