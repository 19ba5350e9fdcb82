/**
 * Fixes random servers with `fix --write` and serves them by a real 2.4. It has to give the answers
 * of the 2.2 model before the fix or, if old lines are left, those of the models (judge.ts).
 * HTTPD_UPGRADE_REAL_TREES is the number of servers, HTTPD_UPGRADE_SEED the first seed.
 */
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { requireHttpd, serve, type Mpm, type RequestOptions, type Server as Httpd } from '../httpd/harness';
import { Random, seed } from '../support/random';
import { Place, type ServerSpec } from './disk';
import { CLIENTS, judge, METHODS, serversOf } from './judge';
import { command } from './product';
import { MAIN, type Answer, type Client, type Server } from './server';
import { described, generatedFor, type Mode } from './trial';

const COUNT = Number(process.env.HTTPD_UPGRADE_REAL_TREES ?? 12);
const REPORT = process.env.HTTPD_UPGRADE_TREES_REPORT;
const QUESTIONS = 120;
const USERS = ['ann', 'bob', 'carol', 'CORP\\bob'];
/**
 * Whoever asks is who a header says, so that there are clients of every address. A directory is
 * answered for itself, and not for the file in it.
 */
const AROUND =
  'RemoteIPHeader X-Client\nRemoteIPInternalProxy 127.0.0.1\nSetEnvIf X-ok . ok\nSetEnvIf X-bad . bad\nDirectoryIndex disabled\n';
const MODULES = [
  'authn_core',
  'authn_file',
  'auth_basic',
  'authz_core',
  'authz_host',
  'authz_user',
  'authz_groupfile',
  'access_compat',
  'alias',
  'dir',
  'remoteip',
  'setenvif',
  'userdir',
  'vhost_alias',
  'ssl',
  'socache_shmcb',
  'macro',
  'mime',
  'cache',
  'cache_disk',
  'slotmem_shm',
];

interface Question {
  readonly host: string;
  readonly url: string;
  readonly method: string;
  readonly client: Client;
  readonly wanted: Answer;
}

describe('random servers on a disk, fixed, on a real httpd', function () {
  this.timeout(600_000 + COUNT * 6000);
  let place: Place;
  before(function () {
    requireHttpd(this);
    place = new Place();
  });
  after(() => place?.remove());

  it(`${COUNT} of them answer as 2.2 did`, async () => {
    // The short form looks at the same trees each time; whoever wants others says so.
    const start = process.env.HTTPD_UPGRADE_REAL_TREES ? seed() : 1;
    const counts = { trees: 0, done: 0, asked: 0, problems: 0 };
    for (let i = 0; counts.trees < COUNT; i++) {
      assert.ok(i < COUNT * 20, 'hardly any tree can be served');
      const problems = await problemsOf(start + i, counts);
      if (problems.length === 0) continue;
      const { generated } = generatedFor(start + i);
      const text = `HTTPD_UPGRADE_SEED=${start + i}\n${problems.join('\n')}\n${described(generated, modeOf(generated.tree.servers[0].main))}`;
      counts.problems++;
      if (!REPORT) assert.fail(text);
      appendFileSync(REPORT, `${text}\n\n=====\n`);
    }
    if (process.env.HTTPD_UPGRADE_REAL_TREES)
      console.log(
        `from seed ${start}: ${Object.entries(counts)
          .map(([name, count]) => `${count} ${name}`)
          .join(', ')}`,
      );
    assert.equal(counts.problems, 0, `problems: ${REPORT}`);
  });

  async function problemsOf(number: number, counts: { trees: number; done: number; asked: number }): Promise<string[]> {
    const { generated } = generatedFor(number);
    const { tree, urls } = generated;
    const [spec] = tree.servers;
    // Modules that are not there, and other machines.
    if (spec.elsewhere || Object.values(tree.files).some((text) => /authzsvnaccessfile|sslrequire /i.test(text)))
      return [];
    place.write(tree);
    const before = place.read();
    await command(modeOf(spec.main).run[0], { cwd: place.path });
    const after = place.read();
    const [was, , now, strict] = serversOf(spec, before, after);
    if ([was, now, strict].some(({ refusal }) => refusal !== null)) return [];
    counts.trees++;
    if (!Object.values(after.files()).some((text) => /^\s*(order|allow|deny|satisfy)\b/im.test(text))) counts.done++;
    const texts = (disk: typeof before) => JSON.stringify(disk.files());
    // What the fix has not touched, it has not done: 2.4 reads it otherwise, and a finding says so.
    const { disagreements } =
      texts(before) === texts(after)
        ? { disagreements: [] }
        : judge({ tree: { ...tree, servers: [spec] }, urls, before, after });
    const hasSsl = Object.values(tree.files).some((text) => /sslrequiressl/i.test(text));
    const questions = questionsFor(number, now, urls, hasSsl);
    counts.asked += questions.length;
    const wrong = await ask(spec, questions);
    return [
      ...disagreements.slice(0, 2).map(({ url, was: one, now: other }) => `the models: ${url} ${one} ${other}`),
      ...wrong,
    ];
  }

  /**
   * What the model says that 2.4 answers, of any request; where that is 2.2's answer, too, the
   * promise is kept.
   */
  function questionsFor(number: number, now: Server, urls: readonly string[], isRefused: boolean): Question[] {
    const random = new Random(number);
    // One port is listened on, and all virtual hosts are for it.
    const names = now.hostNames.filter((name) => name !== MAIN);
    const hosts = names.length > 0 ? names : [''];
    const clients = CLIENTS.filter((client) => client.isRefused === isRefused);
    return Array.from({ length: QUESTIONS }, () => {
      const [host, url, method, client] = [
        random.pick(hosts),
        random.pick(urls),
        random.pick(METHODS),
        random.pick(clients),
      ];
      return { host, url, method, client, wanted: now.answer(host, url, method, client) };
    });
  }

  async function ask(
    { main, defines = [], variables = {}, mpms: [, mpm] = ['prefork', 'event'] }: ServerSpec,
    questions: readonly Question[],
  ): Promise<string[]> {
    mkdirSync(place.at('conf'), { recursive: true });
    writeFileSync(place.at('conf/passwd'), USERS.map((name) => `${name}:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n`).join(''));
    writeFileSync(place.at('conf/group'), 'staff: bob\nothers: carol\n');
    for (const [file, text] of Object.entries(place.read().files())) {
      const local = text
        .replace(/^\s*(?:listen|pidfile)\s(?:.*\\\r?\n)*.*$/gim, '')
        .replace(/(<VirtualHost )[^>]*/gi, '$1*');
      if (local !== text) writeFileSync(place.bytesAt(file), Buffer.from(local, 'latin1'));
    }
    const defined = [
      ...defines.map((name) => `Define ${name}`),
      ...Object.entries(variables).map(([name, value]) => `Define ${name} ${place.local(value)}`),
    ];
    let server: Httpd;
    try {
      server = await serve(`${defined.join('\n')}\n${AROUND}Include "${place.at(main)}"\n`, {
        modules: MODULES,
        mpm: mpm as Mpm,
      });
    } catch (error) {
      return [`it does not start: ${String(error).slice(0, 600)}`];
    }
    try {
      const answers = await server.requestAll(questions.map(request));
      return questions
        .flatMap((question, i) => {
          const { status } = answers[i];
          const given = status === 401 || status === 403 || status === 500 ? status : 200;
          return given === question.wanted
            ? []
            : [
                `${question.host} ${question.method} ${question.url} from ${question.client.address} ${question.client.user ?? 'nobody'} ${[...question.client.variables].join()}: ${given} (${status}), the model says ${question.wanted}`,
              ];
        })
        .slice(0, 4);
    } finally {
      await server.stop();
    }
  }
});

function modeOf(main: string): Mode {
  return { name: 'write', run: [['fix', '--write', main]] };
}

function request({ host, url, method, client: { address, variables, user } }: Question): RequestOptions {
  const headers = {
    'X-Client': address,
    ...(host === '' ? {} : { Host: host }),
    ...Object.fromEntries([...variables].map((name) => [`X-${name}`, '1'])),
  };
  return {
    path: url.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`),
    method,
    headers,
    ...(user === null ? {} : { user, password: 'secret' }),
  };
}
