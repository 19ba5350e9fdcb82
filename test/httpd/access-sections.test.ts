/**
 * Access sections, request by request: as written, on a real httpd 2.4 with mod_access_compat; fixed, on one without it.
 * The first shows that the model of access-scenarios.ts is right (and where mod_access_compat is not 2.2), the second that
 * what a fix writes is what 2.2 meant.
 */
import assert from 'node:assert/strict';
import { answer, PASSWD, PRELUDE, render, type Lines, type Order, type Question, type Scope } from './access-scenarios';
import { requireHttpd, serve, type RequestOptions, type Server } from './harness';

/** What stands around a path, outermost first: `/n/` has the first scope, `/n/c/` the first two, and so on. */
type Chain = readonly Scope[];

const ORDERS: readonly (Order | undefined)[] = ['allow,deny', 'deny,allow', 'mutual-failure', undefined];
const ALLOWS: readonly (readonly string[] | undefined)[] = [
  undefined, ['all'], ['127.0.1.9'], ['127.0.1'], ['127.0.1.'], ['127.0.1.0/255.255.255.0'], ['127.0.0.0/23'], ['127.0.1.9', '127.0.2.5'],
  ['::1', '2001:db8::/32'], ['env=ok'], ['env=!bad'], ['127.0.2.5', 'env=ok'], ['127.0.2.5', 'env=!ok'],
];
const DENIES: readonly (readonly string[] | undefined)[] = [
  undefined, ['all'], ['127.0.2.5'], ['127.0.2'], ['127.0.0.0/255.255.254.0'], ['127.0.1.9', '127.0.0.1/32'], ['env=bad'], ['env=!ok'], ['127.0.1.9', 'env=bad'],
  ['127.0.2', 'env=!ok', 'env=bad'],
];

const HOST_PARTS: readonly Lines[] = ORDERS.flatMap((order) => ALLOWS.flatMap((allow) => DENIES.map((deny): Lines => ({ order, allow, deny }))));
/** A few of each row of the translation's table. */
const SOME_HOST_PARTS: readonly Lines[] = [
  {}, ...ORDERS.flatMap((order) => [undefined, ['all'], ['127.0.1'], ['127.0.2.5', 'env=ok']].flatMap((allow) =>
    [undefined, ['all'], ['127.0.0.0/23'], ['env=bad']].map((deny): Lines => ({ order, allow, deny })))),
];
const USER_PARTS: readonly Scope[] = [['valid-user'], ['user ann'], ['user carl', 'user bob ann']].flatMap((require) =>
  [undefined, 'All' as const, 'Any' as const].map((satisfy): Scope => ({ login: true, require, satisfy })));
const WITHOUT_USER: readonly Scope[] = [{ satisfy: 'Any' }, { satisfy: 'All' }, { login: true }, { login: true, satisfy: 'Any' }];

const ADDRESSES = ['127.0.0.1', '127.0.1.9', '127.0.2.5', '127.1.0.1'];
const VARIABLES = [[], ['ok'], ['bad'], ['ok', 'bad']];
const USERS = [{}, { user: 'ann', password: 'secret' }, { user: 'bob', password: 'secret' }, { user: 'ann', password: 'wrong' }];

/** Every address, with every variable, as every user, with every method of those given. */
function questions(variables: readonly string[][], users: readonly object[], methods: readonly string[]): Question[] {
  return ADDRESSES.flatMap((from) => variables.flatMap((env) => users.flatMap((user) => methods.map((method) => ({ from, env, method, ...user })))));
}

const FOR_HOSTS = questions(VARIABLES, [{}], ['GET']);
const FOR_USERS = questions([[], ['ok', 'bad']], USERS, ['GET']);
const FOR_METHODS = questions([[], ['bad']], USERS.slice(0, 2), ['GET', 'HEAD', 'POST', 'OPTIONS']);

const HOSTS_ONLY: readonly Chain[] = HOST_PARTS.filter(isWritten).map((host) => [host]);
const WITH_USERS: readonly Chain[] = SOME_HOST_PARTS.flatMap((host) => [...USER_PARTS, ...WITHOUT_USER].map((user) => [{ ...host, ...user }]));
const LIMITED: readonly Chain[] = limitedSections();
const NESTED: readonly Chain[] = nestedSections();

describe('access sections on a real httpd', function () {
  this.timeout(120_000);

  before(function () {
    requireHttpd(this);
  });

  describe('2.2 lines under mod_access_compat answer as the model says', () => {
    it(`host rules (${HOSTS_ONLY.length} sections)`, () => checkCompat(HOSTS_ONLY, FOR_HOSTS));
    it(`host rules and users (${WITH_USERS.length} sections)`, () => checkCompat(WITH_USERS, FOR_USERS));
    it(`methods (${LIMITED.length} sections)`, () => checkCompat(LIMITED, FOR_METHODS));
    it(`sections inside sections (${NESTED.length} chains)`, () => checkCompat(NESTED, FOR_USERS));
  });
});

async function checkCompat(chains: readonly Chain[], asked: readonly Question[]): Promise<void> {
  const server = await start(configuration(chains), chains, 'all');
  try {
    await compare(server, chains, asked, (chain, question) => answer(chain, question, 'compat'));
  } finally {
    await server.stop();
  }
}

/** Asks about every chain, and fails with the first few chains where an answer is not the expected one. */
async function compare(server: Server, chains: readonly Chain[], asked: readonly Question[], expected: (chain: Chain, question: Question) => number): Promise<void> {
  const requests = chains.flatMap((chain, index) => asked.map((question) => request(index, chain, question)));
  const answers = (await server.requestAll(requests)).map((response) => (response.status === 405 ? 200 : response.status));
  const problems = chains.flatMap((chain, index) => {
    const wrong = asked.flatMap((question, q) => {
      const actual = answers[index * asked.length + q];
      return actual === expected(chain, question) ? [] : [`${actual} instead of ${expected(chain, question)} for ${JSON.stringify(question)}`];
    });
    return wrong.length > 0 ? [`/${index}:\n${chain.map((scope) => render(scope)).join('    ---\n')}${wrong.slice(0, 3).join('\n')}`] : [];
  });
  assert.equal(problems.length, 0, `${problems.length} of ${chains.length} differ:\n${problems.slice(0, 5).join('\n\n')}`);
}

function request(index: number, chain: Chain, question: Question): RequestOptions {
  const headers = Object.fromEntries(question.env.map((name) => [`X-${name}`, '1']));
  const { from, method, user, password } = question;
  return { path: `${pathOf(index, chain.length - 1)}x`, from, method, user, password, headers };
}

function pathOf(index: number, depth: number): string {
  return `/${index}/${'c/'.repeat(depth)}`;
}

function configuration(chains: readonly Chain[]): string {
  return PRELUDE + chains.flatMap((chain, index) => chain.map((scope, depth) =>
    `<Directory /srv/www/htdocs${pathOf(index, depth).slice(0, -1)}>\n${render(scope)}</Directory>\n`)).join('');
}

function start(config: string, chains: readonly Chain[], modules: 'all' | 'all-but-access_compat'): Promise<Server> {
  const files: Record<string, string> = { 'conf/passwd': PASSWD };
  chains.forEach((chain, index) => {
    files[`htdocs${pathOf(index, chain.length - 1)}x`] = '';
  });
  return serve(config, { modules, files, replace: [['/srv/www', '@ROOT@']] });
}

function isWritten({ order, allow, deny }: Lines): boolean {
  return order !== undefined || allow !== undefined || deny !== undefined;
}

function limitedSections(): Chain[] {
  const bodies: readonly Lines[] = [
    { order: 'deny,allow', deny: ['all'] }, { order: 'deny,allow', deny: ['all'], allow: ['127.0.1'] }, { order: 'allow,deny', allow: ['all'], deny: ['env=bad'] },
    { allow: ['127.0.1'] }, { deny: ['127.0.2.5'] }, { require: ['valid-user'] }, { require: ['valid-user'], satisfy: 'Any', order: 'allow,deny', allow: ['127.0.1'] },
  ];
  const outsides: readonly Scope[] = [{}, { order: 'allow,deny', allow: ['all'] }, { order: 'deny,allow', deny: ['127.0.2'] }, { require: ['user bob'] }, { satisfy: 'Any' }];
  const shells = [['Limit', ['POST']], ['Limit', ['GET', 'OPTIONS']], ['LimitExcept', ['GET']], ['LimitExcept', ['POST', 'OPTIONS']]] as const;
  return outsides.flatMap((outside) => bodies.flatMap((body) => shells.map(([tag, methods]): Chain =>
    [{ login: true, ...outside, limits: [{ tag, methods, ...body }] }])));
}

/** A parent and a child that each touch some of host rules, Satisfy and Require; some with a third level. */
function nestedSections(): Chain[] {
  const login = { login: true };
  const parents: readonly Scope[] = [
    { order: 'deny,allow', deny: ['all'] }, { order: 'allow,deny', allow: ['all'], deny: ['env=bad'] }, { order: 'deny,allow', deny: ['all'], allow: ['127.0.1'] },
    { ...login, require: ['valid-user'] }, { ...login, require: ['valid-user'], satisfy: 'Any', order: 'deny,allow', deny: ['all'], allow: ['127.0.1'] },
    { ...login, require: ['user ann'], order: 'allow,deny', allow: ['127.0.1'] }, { satisfy: 'Any' }, { ...login },
    { ...login, require: ['valid-user'], limits: [{ tag: 'LimitExcept', methods: ['GET'], order: 'deny,allow', deny: ['all'] }] },
  ];
  const children: readonly Scope[] = [
    {}, { order: 'allow,deny', allow: ['all'] }, { order: 'deny,allow', deny: ['all'] }, { allow: ['127.0.2.5'] }, { deny: ['127.0.2.5'] }, { order: 'allow,deny' },
    { satisfy: 'Any' }, { satisfy: 'All' }, { ...login, require: ['user bob'] }, { ...login, require: ['user bob'], satisfy: 'Any' },
    { ...login, satisfy: 'Any', order: 'deny,allow', deny: ['all'] }, { ...login },
    { ...login, order: 'mutual-failure', allow: ['127.0.1', '127.0.2'], deny: ['env=bad'], require: ['valid-user'], satisfy: 'Any' },
  ];
  const grandchildren: readonly Scope[] = [{ order: 'allow,deny', allow: ['env=ok'] }, { satisfy: 'Any' }, { ...login, require: ['valid-user'] }];
  const pairs = parents.flatMap((parent) => children.map((child): Chain => [parent, child]));
  return [...pairs, ...pairs.flatMap((pair, index) => (index % 3 === 0 ? [[...pair, grandchildren[(index / 3) % 3]]] : []))];
}
