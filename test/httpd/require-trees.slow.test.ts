/**
 * Random Require trees: server/src/access/decide24.ts compared with the answers of a real httpd
 * 2.4. Containers in containers, `not`, every provider that needs no further server, limits,
 * logins, and nested sections with every AuthMerging.
 */
import assert from 'node:assert/strict';
import { lookupService } from 'node:dns/promises';
import { decide24 } from '../../server/src/access/decide24';
import type { Decision, Tree24, Assignment } from '../../server/src/access/model';
import {
  mergeAuthorization,
  NO_AUTHORIZATION,
  readTree,
  type Authorization,
  type Merging,
} from '../../server/src/access/read24';
import { readConfiguration, type Scope } from '../../server/src/config/configuration';
import { argumentsOf } from '../../server/src/syntax/line';
import { isInNetwork } from '../access/server-model';
import { memoryFiles } from '../../server/src/config/memory-files';
import { Random, seed } from '../support/random';
import { PASSWD } from './access-scenarios';
import { requireHttpd, serve, type RequestOptions } from './harness';

const TREES = 2400;
const QUESTIONS = 8;
/** Sections over each other: a folder, and two locations in it. */
const LEVELS = 3;
const STATUS: Record<Decision, number> = { allowed: 200, unauthorized: 401, forbidden: 403 };
const GROUPS: Record<string, string> = { ann: 'staff', bob: 'others' };
/** Expressions, and their results. */
const EXPRESSIONS: Record<string, (client: Client) => boolean> = {
  '"%{HTTP:X-Ok} == \'1\'"': ({ variables }) => variables.has('ok'),
  "\"reqenv('bad') == '1'\"": ({ variables }) => variables.has('bad'),
  '"-R \'127.0.1.0/24\'"': ({ address }) => isInNetwork('127.0.1.0/24', address),
  '"%{REMOTE_USER} == \'ann\'"': ({ user }) => user === 'ann',
  '"%{REMOTE_USER} != \'ann\'"': ({ user }) => user !== 'ann',
  true: () => true,
  false: () => false,
};

interface Client {
  readonly address: string;
  readonly name: string | null;
  readonly method: string;
  readonly variables: ReadonlySet<string>;
  readonly user: string | null;
}

describe('Require trees on a real httpd', function () {
  this.timeout(300_000);

  before(function () {
    requireHttpd(this);
  });

  it(`${TREES} random ones are decided as the model says`, async () => {
    const start = seed();
    const random = new Random(start);
    const text = Array.from({ length: TREES / LEVELS }, (_, group) => sectionsOf(random, group)).join('');
    const folders = Object.fromEntries(Array.from({ length: TREES / LEVELS }, (_, group) => [`htdocs/t${group}/`, '']));
    const server = await serve(`SetEnvIf X-Ok . ok\nSetEnvIf X-Bad . bad=1\n${text}`, {
      modules: 'all-but-access_compat',
      files: { ...folders, 'conf/passwd': PASSWD, 'conf/group': 'staff: ann\nothers: bob\n' },
    });
    try {
      const names = new Map(
        await Promise.all(
          ['127.0.0.1', '127.0.1.9', '127.0.2.5'].map(async (address) => [address, await nameOf(address)] as const),
        ),
      );
      const root = readConfiguration({
        root: '/httpd.conf',
        view: memoryFiles({ '/httpd.conf': text }),
        names: new Set(['require', 'authmerging']),
      })!.rootScope;
      const asked = root.children.flatMap((_, at) =>
        Array.from({ length: QUESTIONS }, () => ({ at, client: randomClient(random, names) })),
      );
      const answers = await server.requestAll(
        asked.map(({ at, client }) => requestOf(`${pathOf(Math.floor(at / LEVELS), at % LEVELS)}file`, client)),
      );
      const trees = effective(root.children);
      const seen = new Map<number, number>();
      const problems = asked.flatMap(({ at, client }, i) => {
        const tree = trees[at];
        // A login is configured, so nothing that asks for users is 500 (AH01627).
        const expected = tree === null ? 500 : STATUS[decide24(tree, assignmentOf(client))];
        const given = [401, 403, 500].includes(answers[i].status) ? answers[i].status : 200;
        seen.set(given, (seen.get(given) ?? 0) + 1);
        return given === expected
          ? []
          : [
              `${given} instead of ${expected} for ${JSON.stringify({ ...client, variables: [...client.variables] })}\n${textOf(text, Math.floor(at / LEVELS))}`,
            ];
      });
      assert.equal(
        problems.length,
        0,
        `HTTPD_UPGRADE_SEED=${start}: ${problems.length} answers differ:\n${problems.slice(0, 3).join('\n')}`,
      );
      for (const status of [200, 401, 403])
        assert.ok(
          (seen.get(status) ?? 0) > asked.length / 20,
          `HTTPD_UPGRADE_SEED=${start}: ${status} is answered ${seen.get(status) ?? 0} times`,
        );
    } finally {
      await server.stop();
    }
  });
});

/**
 * The tree in effect in each section: a folder's alone, then that with one or two locations, which
 * are merged with each other first.
 */
function effective(scopes: readonly Scope[]): (Tree24 | null)[] {
  let folder = NO_AUTHORIZATION;
  let locations = NO_AUTHORIZATION;
  return scopes.map((scope) => {
    const own = authorizationOf(scope);
    if (scope.kind === 'directory') [folder, locations] = [own, NO_AUTHORIZATION];
    else locations = mergeAuthorization(locations, own);
    return mergeAuthorization(folder, locations).tree;
  });
}

function authorizationOf({ lines }: Scope): Authorization {
  const merging = lines.find(({ line: { name } }) => name === 'authmerging');
  return {
    tree: readTree(lines),
    authMerging: merging ? (argumentsOf(merging.line)[0].value.toLowerCase() as Merging) : null,
  };
}

function assignmentOf({ address, name, method, variables, user }: Client): Assignment {
  return {
    method,
    matches(provider, operand) {
      if (provider === 'ip') return isInNetwork(operand, address);
      if (provider === 'env') return variables.has(operand);
      return name !== null && (name === operand || name.endsWith(operand.startsWith('.') ? operand : `.${operand}`));
    },
    holds(text, isUserKnown) {
      if (text === 'local') return address.startsWith('127.');
      return EXPRESSIONS[text.replace(/^expr /, '')]({
        address,
        name,
        method,
        variables,
        user: isUserKnown ? user : null,
      });
    },
    user:
      user === null
        ? null
        : ({ text }) => {
            const [provider, ...words] = text.split(' ');
            return provider === 'valid-user' || words.includes(provider === 'user' ? user : GROUPS[user]);
          },
  };
}

// --- Writing
// ---------------------------------------------------------------------------------------------------------

function sectionsOf(random: Random, group: number): string {
  return Array.from({ length: LEVELS }, (_, level) => {
    const merging = random.pick(['', '', '    AuthMerging And\n', '    AuthMerging Or\n', '    AuthMerging Off\n']);
    const login =
      level === 0
        ? '    AuthType Basic\n    AuthName "members"\n    AuthUserFile @ROOT@/conf/passwd\n    AuthGroupFile @ROOT@/conf/group\n'
        : '';
    const isEmpty = level > 0 && random.below(8) === 0;
    const tag = level === 0 ? ['Directory', `@ROOT@/htdocs/t${group}`] : ['Location', pathOf(group, level)];
    return `<${tag.join(' ')}>\n${login}${merging}${isEmpty ? '' : children(random, 'any', 3, '    ')}</${tag[0]}>\n`;
  }).join('');
}

function pathOf(group: number, level: number): string {
  return `/t${group}/${'x/'.repeat(level)}`;
}

function textOf(text: string, group: number): string {
  const from = text.indexOf(`<Directory @ROOT@/htdocs/t${group}>`);
  const next = text.indexOf(`<Directory @ROOT@/htdocs/t${group + 1}>`);
  return text.slice(from, next < 0 ? undefined : next);
}

/** What stands in a container: never empty, and never only negatives, which the server refuses. */
function children(random: Random, kind: 'any' | 'all' | 'none', depth: number, indent: string): string {
  const count = 1 + random.below(3);
  const parts = Array.from({ length: count }, () => positive(random, depth, indent));
  if (kind === 'all')
    for (let i = random.below(3); i > 0; i--)
      parts.splice(random.below(parts.length + 1), 0, negative(random, depth, indent));
  return parts.join('');
}

function positive(random: Random, depth: number, indent: string): string {
  if (depth > 0 && random.below(3) === 0) return container(random, random.pick(['any', 'all']), depth, indent);
  const line = `Require ${leaf(random)}\n`;
  return random.below(6) === 0 ? limited(random, `${indent}    ${line}`, indent) : indent + line;
}

function negative(random: Random, depth: number, indent: string): string {
  if (depth > 0 && random.below(3) === 0) return container(random, 'none', depth, indent);
  const line = `Require not ${leaf(random)}\n`;
  return random.below(8) === 0 ? limited(random, `${indent}    ${line}`, indent) : indent + line;
}

function container(random: Random, kind: 'any' | 'all' | 'none', depth: number, indent: string): string {
  const name = { any: 'RequireAny', all: 'RequireAll', none: 'RequireNone' }[kind];
  return `${indent}<${name}>\n${children(random, kind, depth - 1, `${indent}    `)}${indent}</${name}>\n`;
}

function limited(random: Random, body: string, indent: string): string {
  const name = random.pick(['Limit', 'LimitExcept']);
  return `${indent}<${name} ${random.pick(['GET', 'POST', 'GET POST', 'OPTIONS'])}>\n${body}${indent}</${name}>\n`;
}

function leaf(random: Random): string {
  return random.pick([
    () => 'all granted',
    () => 'all denied',
    () =>
      `ip ${random.pick(['127.0.1', '127.0.1.9', '127.0.2.0/24', '127.0.0.0/255.255.254.0', '10.0.0.0/8 127.0.2.5', '2001:db8::/32'])}`,
    () => `ip ${random.pick(['127.0.1', '127.0.0.1 127.0.2.5', '127'])}`,
    () => `host ${random.pick(['localhost', 'example.org', '.example.org localhost'])}`,
    () => `env ${random.pick(['ok', 'bad', 'ok bad'])}`,
    () => `method ${random.pick(['GET', 'POST', 'GET OPTIONS', 'HEAD'])}`,
    () => `expr ${random.pick(Object.keys(EXPRESSIONS))}`,
    () => 'local',
    () => 'valid-user',
    () => `user ${random.pick(['ann', 'bob', 'ann bob'])}`,
    () => `group ${random.pick(['staff', 'others', 'staff others'])}`,
  ])();
}

function randomClient(random: Random, names: ReadonlyMap<string, string | null>): Client {
  const address = random.pick([...names.keys()]);
  return {
    address,
    name: names.get(address)!,
    method: random.pick(['GET', 'GET', 'POST', 'OPTIONS']),
    variables: new Set(['ok', 'bad'].filter(() => random.below(2) === 0)),
    user: random.pick([null, 'ann', 'bob']),
  };
}

function requestOf(path: string, { address, method, variables, user }: Client): RequestOptions {
  const headers = Object.fromEntries([...variables].map((name) => [`X-${name}`, '1']));
  return { path, from: address, method, headers, ...(user === null ? {} : { user, password: 'secret' }) };
}

/** What this machine calls an address, which is what the server learns, too. */
async function nameOf(address: string): Promise<string | null> {
  try {
    const { hostname } = await lookupService(address, 80);
    return hostname === address ? null : hostname;
  } catch {
    return null;
  }
}
