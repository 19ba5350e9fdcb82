/**
 * Requests to random trees, compared with the independent models of both servers (test/trees): no
 * answer is wrong, and few are unknown. HTTPD_UPGRADE_REQUEST_TREES is the number of trees,
 * HTTPD_UPGRADE_SEED the first seed.
 */
import assert from 'node:assert/strict';
import { Engine } from '../../server/src/analysis/engine';
import { requestConfiguration } from '../../server/src/features/requests';
import { diskFileView } from '../../server/src/host/node-files';
import { decide } from '../../server/src/requests/decide';
import type { Request, RequestConfiguration, RequestServer } from '../../server/src/requests/model';
import { parseRequest } from '../../server/src/requests/parse';
import { ALL_RULES } from '../../server/src/rules/all';
import { Random, seed } from '../support/random';
import { Place } from '../trees/disk';
import { CLIENTS, METHODS, serversOf } from '../trees/judge';
import { writeQuickly } from '../trees/product';
import { MAIN, type Answer, type Server } from '../trees/server';
import { described, generatedFor, type Mode } from '../trees/trial';

const COUNT = Number(process.env.HTTPD_UPGRADE_REQUEST_TREES ?? 60);
const QUESTIONS = 40;
const STATUS = { granted: 200, denied: 403, login: 401, error: 500, unknown: null } as const;

describe('requests to random trees', function () {
  this.timeout(600_000 + COUNT * 3000);
  let place: Place;
  let writeAsUsual: () => void;
  before(() => {
    place = new Place();
    writeAsUsual = writeQuickly();
  });
  after(() => {
    writeAsUsual();
    place.remove();
  });

  it(`${COUNT} of them are answered as by the models`, () => {
    const start = process.env.HTTPD_UPGRADE_REQUEST_TREES ? seed() : 1;
    const counts = { asked: 0, unknown: 0, wrong: 0 };
    for (let i = 0; i < COUNT; i++) {
      const problems = problemsOf(start + i, counts);
      counts.wrong += problems.length;
      if (process.env.HTTPD_UPGRADE_REQUEST_TREES) problems.slice(0, 3).forEach((each) => console.log(each));
      else assert.deepEqual(problems.slice(0, 3), [], `HTTPD_UPGRADE_SEED=${start + i}`);
    }
    if (process.env.HTTPD_UPGRADE_REQUEST_TREES) console.log(counts);
    assert.equal(counts.wrong, 0);
    assert.ok(counts.unknown <= counts.asked * 0.05, `${counts.unknown} of ${counts.asked} are unknown`);
  });

  function problemsOf(number: number, counts: { asked: number; unknown: number }): string[] {
    const { generated, modes } = generatedFor(number);
    const { tree, urls } = generated;
    const [spec] = tree.servers;
    // Variables of the environment, and letters in other encodings than UTF-8, are unknown.
    const isOrdinary = Object.keys(spec.variables ?? {}).length === 0 && urls.every((url) => /^[!-~]*$/.test(url));
    if (spec.elsewhere || !isOrdinary) return [];
    place.write(tree);
    const disk = place.read();
    const [was, , , strict] = serversOf(spec, disk, disk);
    const engine = new Engine({ rules: ALL_RULES });
    const configuration = requestConfiguration({
      root: place.at(spec.main),
      view: diskFileView(),
      settings: {
        engineOf: () => engine,
        serverOf: () => ({ defines: new Map((spec.defines ?? []).map((name) => [name, ''])) }),
      },
    });
    const random = new Random(number);
    const problems: string[] = [];
    const servers: [RequestServer, Server][] = [
      ['2.2', was],
      ['2.4-compat', strict],
    ];
    for (const [server, model] of servers)
      if (model.refusal === null)
        for (let i = 0; i < QUESTIONS; i++)
          problems.push(...problemOf(questionFor(random, model, urls), server, configuration, counts));
    if (problems.length > 0 && process.env.HTTPD_UPGRADE_DESCRIBE) console.log(described(generated, modes[0] as Mode));
    return problems;
  }
});

/** Each character of a tree is a byte. */
function escaped(url: string): string {
  return url.replace(/[^!-~]|%/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

interface Question {
  readonly request: Request;
  readonly host: string;
  /** Whether a virtual host has the name. */
  readonly isNamed: boolean;
  readonly wanted: Answer;
  readonly text: string;
}

const USUAL = CLIENTS.filter(({ variables, isRefused }) => variables.size === 0 && isRefused !== true);

function questionFor(random: Random, model: Server, urls: readonly string[]): Question {
  const hosts = model.hostNames.filter((name) => name !== MAIN);
  const host = hosts.length > 0 ? random.pick(hosts) : 'nowhere.test';
  const url = random.pick(urls);
  const client = random.pick(USUAL);
  const method = random.pick(METHODS);
  const request = parseRequest(`${method} ${escaped(url)}`, {
    from: client.address,
    user: client.user,
    headers: [`Host: ${host}`],
  })!;
  return {
    // The clients of the models use TLS.
    request: { ...request, isSecure: true, port: 80 },
    host,
    isNamed: hosts.length > 0,
    wanted: model.answer(host, url, method, client),
    text: `${host} ${method} ${url} from ${client.address} ${client.user}`,
  };
}

function problemOf(
  { request, host, isNamed, wanted, text }: Question,
  server: RequestServer,
  configuration: RequestConfiguration,
  counts: { asked: number; unknown: number },
): string[] {
  const answer = decide(request, configuration, server);
  // The models choose hosts by names alone; test/config/virtual-hosts.test.ts has the tables.
  if (isNamed && answer.host.name !== host && answer.host.name !== '') return [];
  counts.asked++;
  if (answer.access !== 'unknown')
    return STATUS[answer.access] === wanted
      ? []
      : [`${server} ${text}: ${answer.access} (${answer.why}), the model says ${wanted}`];
  counts.unknown++;
  if (process.env.HTTPD_UPGRADE_UNKNOWN)
    console.log(`${server} ${text}: ${answer.unknown.map(({ what }) => what).join('; ')}`);
  return [];
}
