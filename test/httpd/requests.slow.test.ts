/**
 * Requests to a real 2.4 with mod_access_compat, with the files as they are and after the safe
 * fixes: decide() gives the same answers. Each scenario is about one way in which httpd finds the
 * sections or decides.
 */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Engine } from '../../server/src/analysis/engine';
import { requestConfiguration } from '../../server/src/features/requests';
import { diskFileView } from '../../server/src/host/node-files';
import { decide } from '../../server/src/requests/decide';
import type { Access } from '../../server/src/requests/model';
import { parseRequest } from '../../server/src/requests/parse';
import { ALL_RULES } from '../../server/src/rules/all';
import { requireHttpd, serve, type RequestOptions, type Server } from './harness';
import { AROUND, FILES, SCENARIOS, type Scenario } from './request-scenarios';

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
  'autoindex',
  'setenvif',
  'userdir',
  'vhost_alias',
  'rewrite',
  'mime',
  'env',
  'macro',
  'proxy',
  'proxy_http',
  'cgid',
  'ssl',
  'socache_shmcb',
];

interface Asked extends RequestOptions {
  readonly text: string;
  readonly host: string | null;
}

describe('requests to a real httpd', function () {
  this.timeout(600_000);
  let server: Server;
  before(async function () {
    requireHttpd(this);
    server = await serve('DocumentRoot "@ROOT@/htdocs"\n', { modules: MODULES });
  });
  after(() => server?.stop());

  const unknown: string[] = [];
  let count = 0;
  for (const scenario of SCENARIOS) {
    it(scenario.name, async () => {
      const local = (text: string) => text.replaceAll('@ROOT@', server.root).replaceAll('@PORT@', String(server.port));
      rmSync(path.join(server.root, 'htdocs'), { recursive: true, force: true });
      const write = (name: string, text: string) => {
        const file = path.join(server.root, name);
        mkdirSync(path.dirname(file), { recursive: true });
        writeFileSync(file, local(text));
      };
      for (const [name, text] of Object.entries({ ...FILES, ...scenario.files })) write(name, text);
      const config = `${AROUND}${scenario.config}`;
      write('httpd.conf', config);
      const engine = new Engine({ rules: ALL_RULES });
      const configuration = requestConfiguration({
        root: path.join(server.root, 'httpd.conf'),
        view: diskFileView(),
        settings: { engineOf: () => engine, serverOf: () => ({ defines: new Map() }) },
      });
      const wrong: string[] = [];
      const compare = async (of: '2.4-compat' | '2.4') => {
        const requests = scenario.requests.map(asked);
        const answers = await server.requestAll(requests);
        requests.forEach((request, index) => {
          const real = accessOf(answers[index]!.status);
          const { access, why, unknown: facts } = decideFor(request, configuration, of, server.port);
          count++;
          if (access === 'unknown')
            unknown.push(`${scenario.name} ${of} ${request.text}: ${facts.map(({ what }) => what).join('; ')}`);
          else if (access !== real)
            wrong.push(`${of} ${request.text}: ${access} (${why}), httpd answers ${answers[index]!.status}`);
        });
      };
      await server.reload(local(config));
      await compare('2.4-compat');
      const converted = configuration.convertedFiles();
      if (converted) {
        for (const name of ['httpd.conf', ...Object.keys(scenario.files ?? {})]) {
          const text = converted.view.read(path.join(server.root, name))?.text();
          if (text !== undefined) write(name, text);
        }
        await server.reload(converted.view.read(configuration.mainFile)!.text());
        await compare('2.4');
      }
      assert.deepEqual(wrong, []);
    });
  }

  it('few are unknown', () => {
    if (process.env.HTTPD_UPGRADE_UNKNOWN) console.log(unknown.join('\n'), unknown.length, count);
    const allowed = SCENARIOS.filter(({ isUnknown }) => isUnknown).map(({ name }) => name);
    const others = unknown.filter((each) => !allowed.some((name) => each.startsWith(name)));
    assert.deepEqual(others, []);
  });
});

function decideFor(
  { text, from, user, headers, method, host }: Asked,
  configuration: Parameters<typeof decide>[1],
  of: '2.4-compat' | '2.4',
  port: number,
): ReturnType<typeof decide> {
  const url = host === null ? text : `http://${host}:${port}${text}`;
  const request = parseRequest(`${method ?? 'GET'} ${url}`, {
    from: from ?? '127.0.0.1',
    user: user ?? null,
    headers: Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`),
  })!;
  return decide(request, configuration, of);
}

/** `POST /a from=127.0.1.9 user=ann host=a.test X-Flag:y` */
function asked(request: Scenario['requests'][number]): Asked {
  const words = request.split(' ');
  const method = /^[A-Za-z]+$/.test(words[0]!) ? words.shift()! : 'GET';
  const text = words.shift()!;
  const value = (name: string) => words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
  const host = value('host') ?? null;
  const headers = Object.fromEntries(
    words
      .filter((word) => /^[\w-]+:/.test(word))
      .map((word) => [word.slice(0, word.indexOf(':')), word.slice(word.indexOf(':') + 1)]),
  );
  const user = value('user');
  return {
    text,
    path: text,
    method,
    host,
    ...(value('from') !== undefined && { from: value('from') }),
    ...(user !== undefined && { user, password: 'secret' }),
    headers: { ...headers, ...(host !== null && { Host: host }) },
  };
}

function accessOf(status: number): Access {
  if (status === 401) return 'login';
  if (status === 403) return 'denied';
  return status === 500 ? 'error' : 'granted';
}
