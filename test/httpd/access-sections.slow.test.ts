/**
 * Access sections, request by request: as written, on a real httpd 2.4 with mod_access_compat;
 * fixed, on one without it. The first shows that the model of access-scenarios.ts is right (and
 * where mod_access_compat differs from 2.2), the second that a fix keeps the meaning of 2.2.
 */
import assert from 'node:assert/strict';
import { Engine } from '../../server/src/analysis/engine';
import { fixText } from '../../server/src/analysis/fixes';
import { ALL_RULES } from '../../server/src/rules/all';
import {
  answer,
  isOld,
  PASSWD,
  PRELUDE,
  render,
  requestFor,
  statusOf,
  type Lines,
  type Order,
  type Question,
  type Scope,
} from './access-scenarios';
import { requireHttpd, serve, type ModuleSet, type Server } from './harness';

/**
 * What stands around a path, outermost first: `/n/` has the first scope, `/n/c/` the first two, and
 * so on.
 */
type Chain = readonly Scope[];

type Place = 'Directory' | 'Location' | 'Files' | '.htaccess';

interface Case {
  readonly chain: Chain;
  readonly place: Place;
  /** Of its own folder and file. */
  readonly id: number;
}

/** A case and the text that is served for it: its sections, or the content of its `.htaccess`. */
interface Served extends Case {
  readonly text: string;
}

const ORDERS: readonly (Order | undefined)[] = ['allow,deny', 'deny,allow', 'mutual-failure', undefined];
const ALLOWS: readonly (readonly string[] | undefined)[] = [
  undefined,
  ['all'],
  ['127.0.1.9'],
  ['127.0.1'],
  ['127.0.1.'],
  ['127.0.1.0/255.255.255.0'],
  ['127.0.0.0/23'],
  ['127.0.1.9', '127.0.2.5'],
  ['::1', '2001:db8::/32'],
  ['env=ok'],
  ['env=!bad'],
  ['127.0.2.5', 'env=ok'],
  ['127.0.2.5', 'env=!ok'],
];
const DENIES: readonly (readonly string[] | undefined)[] = [
  undefined,
  ['all'],
  ['127.0.2.5'],
  ['127.0.2'],
  ['127.0.0.0/255.255.254.0'],
  ['127.0.1.9', '127.0.0.1/32'],
  ['env=bad'],
  ['env=!ok'],
  ['127.0.1.9', 'env=bad'],
  ['127.0.2', 'env=!ok', 'env=bad'],
];

const HOST_PARTS: readonly Lines[] = ORDERS.flatMap((order) =>
  ALLOWS.flatMap((allow) => DENIES.map((deny): Lines => ({ order, allow, deny }))),
);
/** A few of each row of the translation's table. */
const SOME_HOST_PARTS: readonly Lines[] = [
  {},
  ...ORDERS.slice(0, 3).flatMap((order) =>
    [undefined, ['all'], ['127.0.1'], ['127.0.2.5', 'env=ok']].flatMap((allow) =>
      [undefined, ['all'], ['127.0.0.0/23'], ['env=bad']].map((deny): Lines => ({ order, allow, deny })),
    ),
  ),
];
const USER_PARTS: readonly Scope[] = [['valid-user'], ['user ann'], ['user carl', 'user bob ann']].flatMap((require) =>
  [undefined, 'All' as const, 'Any' as const].map((satisfy): Scope => ({ login: true, require, satisfy })),
);
const WITHOUT_USER: readonly Scope[] = [
  { satisfy: 'Any' },
  { satisfy: 'All' },
  { login: true },
  { login: true, satisfy: 'Any' },
];

const ADDRESSES = ['127.0.0.1', '127.0.1.9', '127.0.2.5', '127.1.0.1'];
const VARIABLES = [[], ['ok'], ['bad'], ['ok', 'bad']];
const USERS = [
  {},
  { user: 'ann', password: 'secret' },
  { user: 'bob', password: 'secret' },
  { user: 'ann', password: 'wrong' },
];

/**
 * From every address, with every set of variables, as every user, with every method of those given.
 */
function questions(
  addresses: readonly string[],
  variables: readonly string[][],
  users: readonly object[],
  methods: readonly string[],
): Question[] {
  return addresses.flatMap((from) =>
    variables.flatMap((env) => users.flatMap((user) => methods.map((method) => ({ from, env, method, ...user })))),
  );
}

const FOR_HOSTS = questions(ADDRESSES, VARIABLES, [{}], ['GET']);
const FOR_USERS = questions(ADDRESSES.slice(0, 3), [[], ['ok', 'bad']], USERS, ['GET']);
const FOR_METHODS = questions(ADDRESSES.slice(0, 3), [[], ['bad']], USERS.slice(0, 2), [
  'GET',
  'HEAD',
  'POST',
  'OPTIONS',
]);

const HOSTS_ONLY = inDirectories(HOST_PARTS.filter(isWritten).map((host) => [host]));
const WITH_USERS = inDirectories(
  SOME_HOST_PARTS.flatMap((host) => [...USER_PARTS, ...WITHOUT_USER].map((user) => [{ ...host, ...user }])),
);
const LIMITED = inDirectories(limitedSections());
const NESTED = inDirectories(nestedSections());
const ELSEWHERE: readonly Case[] = (['Location', 'Files', '.htaccess'] as const).flatMap((place, index) =>
  [...HOSTS_ONLY, ...WITH_USERS]
    .filter((_, i) => i % 7 === index)
    .map(({ chain }, i) => ({ chain, place, id: 1000 * index + i })),
);

const engine = new Engine({ rules: ALL_RULES, assumeStandalone: true });
/** What makes a fragment a whole configuration that reads no `.htaccess` files. */
const HEADER = 'ServerRoot /etc/httpd\nListen 80\n<Directory />\n    AllowOverride None\n</Directory>\n';

describe('access sections on a real httpd', function () {
  this.timeout(600_000);

  before(function () {
    requireHttpd(this);
  });

  describe('2.2 lines under mod_access_compat answer as the model says', () => {
    it(`host rules (${HOSTS_ONLY.length} sections)`, () => checkCompat(HOSTS_ONLY, FOR_HOSTS));
    it(`host rules and users (${WITH_USERS.length} sections)`, () => checkCompat(WITH_USERS, FOR_USERS));
    it(`methods (${LIMITED.length} sections)`, () => checkCompat(LIMITED, FOR_METHODS));
    it(`sections inside sections (${NESTED.length} chains)`, () => checkCompat(NESTED, FOR_USERS));
    it(`other kinds of sections, and .htaccess files (${ELSEWHERE.length})`, () => checkCompat(ELSEWHERE, FOR_USERS));
  });

  describe('fixed they answer without mod_access_compat what 2.2 answered', () => {
    it(`host rules (${HOSTS_ONLY.length} sections)`, () => checkFixed(HOSTS_ONLY, FOR_HOSTS, 1));
    it(`host rules and users (${WITH_USERS.length} sections)`, () => checkFixed(WITH_USERS, FOR_USERS, 0.98));
    it(`methods (${LIMITED.length} sections)`, () => checkFixed(LIMITED, FOR_METHODS, 0));
    it(`sections inside sections (${NESTED.length} chains)`, () => checkFixed(NESTED, FOR_USERS, 0.1));
    it(`other kinds of sections, and .htaccess files (${ELSEWHERE.length})`, () =>
      checkFixed(ELSEWHERE, FOR_USERS, 0.98));

    it('host rules of a whole configuration are all fixed safely', () => {
      const left = HOSTS_ONLY.filter((one) =>
        isOld(fixText(engine, HEADER + written(one), { isHtaccess: false }).text),
      );
      assert.deepEqual(left.map(written), []);
    });
  });
});

async function checkCompat(cases: readonly Case[], asked: readonly Question[]): Promise<void> {
  const served = cases.map((one) => ({ ...one, text: written(one) }));
  await ask(served, 'all', asked, (chain, question) => answer(chain, question, 'compat'));
}

/**
 * Fixes each case as a configuration of its own, and asks all that are fixed on one server. A safe
 * fix must be right wherever it is offered; a suggestion where nothing stands around the section,
 * since that is what suggestions assume here. At least the given share must be fixed: raise it when
 * a rule learns more.
 */
async function checkFixed(cases: readonly Case[], asked: readonly Question[], share: number): Promise<void> {
  const old = cases.filter((one) => isOld(written(one)));
  const served = old.flatMap((one) => {
    const text = fixed(one);
    return text === null ? [] : [{ ...one, text }];
  });
  assert.ok(served.length >= share * old.length, `only ${served.length} of ${old.length} are fixed`);
  await ask(served, 'all-but-access_compat', asked, (chain, question) => answer(chain, question, '2.2'));
}

/** The case in 2.4's lines, or null where there is no fix that has to be right. */
function fixed(one: Case): string | null {
  const isHtaccess = one.place === '.htaccess';
  const header = isHtaccess ? '' : HEADER;
  const before = header + written(one);
  const safe = fixText(engine, before, { isHtaccess }).text;
  const after =
    !isOld(safe) || one.chain.length > 1 ? safe : fixText(engine, before, { isHtaccess }, { unsafe: true }).text;
  return isOld(after) ? null : after.slice(header.length);
}

/**
 * Serves all texts together and asks about every one; fails with the first few where an answer is
 * not the expected one.
 */
async function ask(
  cases: readonly Served[],
  modules: ModuleSet,
  asked: readonly Question[],
  expected: (chain: Chain, question: Question) => number,
): Promise<void> {
  const server = await start(cases, modules);
  const requests = cases.flatMap((one) => asked.map((question) => requestFor(fileOf(one), question)));
  const answers = (await server.requestAll(requests)).map(statusOf);
  await server.stop();
  const problems = cases.flatMap((one, index) => {
    const wrong = asked.flatMap((question, q) => {
      const actual = answers[index * asked.length + q];
      const right = expected(one.chain, question);
      return actual === right ? [] : [`${actual} instead of ${right} for ${JSON.stringify(question)}`];
    });
    return wrong.length > 0 ? [`${written(one)}--- served:\n${one.text}${wrong.slice(0, 3).join('\n')}`] : [];
  });
  assert.equal(
    problems.length,
    0,
    `${problems.length} of ${cases.length} differ:\n${problems.slice(0, 5).join('\n\n')}`,
  );
}

function start(cases: readonly Served[], modules: ModuleSet): Promise<Server> {
  const files: Record<string, string> = { 'conf/passwd': PASSWD };
  for (const one of cases) {
    files[`htdocs${fileOf(one)}`] = '';
    if (one.place === '.htaccess') files[`htdocs/${one.id}/.htaccess`] = one.text;
  }
  const inConfig = cases.filter(({ place }) => place !== '.htaccess').map(({ text }) => text);
  const config = `${PRELUDE}<Directory /srv/www/htdocs>\nAllowOverride All\n</Directory>\n${inConfig.join('')}`;
  return serve(config, { modules, files, replace: [['/srv/www', '@ROOT@']] });
}

/** The case as 2.2 has it. */
function written({ chain, place, id }: Case): string {
  if (place === '.htaccess') return chain.map((scope) => render(scope)).join('');
  const operand = { Directory: `/srv/www/htdocs/${id}`, Location: `/${id}`, Files: `f${id}` }[place];
  return chain
    .map((scope, depth) => `<${place} ${operand}${'/c'.repeat(depth)}>\n${render(scope)}</${place}>\n`)
    .join('');
}

function fileOf({ chain, id }: Case): string {
  return `/${id}/${'c/'.repeat(chain.length - 1)}f${id}`;
}

function inDirectories(chains: readonly Chain[]): Case[] {
  return chains.map((chain, id) => ({ chain, place: 'Directory', id }));
}

function isWritten({ order, allow, deny }: Lines): boolean {
  return order !== undefined || allow !== undefined || deny !== undefined;
}

function limitedSections(): Chain[] {
  const bodies: readonly Lines[] = [
    { order: 'deny,allow', deny: ['all'] },
    { order: 'deny,allow', deny: ['all'], allow: ['127.0.1'] },
    { order: 'allow,deny', allow: ['all'], deny: ['env=bad'] },
    { allow: ['127.0.1'] },
    { deny: ['127.0.2.5'] },
    { require: ['valid-user'] },
    { require: ['valid-user'], satisfy: 'Any', order: 'allow,deny', allow: ['127.0.1'] },
  ];
  const outsides: readonly Scope[] = [
    {},
    { order: 'allow,deny', allow: ['all'] },
    { order: 'deny,allow', deny: ['127.0.2'] },
    { require: ['user bob'] },
    { satisfy: 'Any' },
  ];
  const shells = [
    ['Limit', ['POST']],
    ['Limit', ['GET', 'OPTIONS']],
    ['LimitExcept', ['GET']],
    ['LimitExcept', ['POST', 'OPTIONS']],
  ] as const;
  return outsides.flatMap((outside) =>
    bodies.flatMap((body) =>
      shells.map(([tag, methods]): Chain => [{ login: true, ...outside, limits: [{ tag, methods, ...body }] }]),
    ),
  );
}

/**
 * A parent and a child that each touch some of host rules, Satisfy and Require; some with a third
 * level.
 */
function nestedSections(): Chain[] {
  const login = { login: true };
  const parents: readonly Scope[] = [
    { order: 'deny,allow', deny: ['all'] },
    { order: 'allow,deny', allow: ['all'], deny: ['env=bad'] },
    { order: 'deny,allow', deny: ['all'], allow: ['127.0.1'] },
    { ...login, require: ['valid-user'] },
    { ...login, require: ['valid-user'], satisfy: 'Any', order: 'deny,allow', deny: ['all'], allow: ['127.0.1'] },
    { ...login, require: ['user ann'], order: 'allow,deny', allow: ['127.0.1'] },
    { satisfy: 'Any' },
    { ...login },
    {
      ...login,
      require: ['valid-user'],
      limits: [{ tag: 'LimitExcept', methods: ['GET'], order: 'deny,allow', deny: ['all'] }],
    },
  ];
  const children: readonly Scope[] = [
    {},
    { order: 'allow,deny', allow: ['all'] },
    { order: 'deny,allow', deny: ['all'] },
    { allow: ['127.0.2.5'] },
    { deny: ['127.0.2.5'] },
    { order: 'allow,deny' },
    { satisfy: 'Any' },
    { satisfy: 'All' },
    { ...login, require: ['user bob'] },
    { ...login, require: ['user bob'], satisfy: 'Any' },
    { ...login, satisfy: 'Any', order: 'deny,allow', deny: ['all'] },
    { ...login },
    {
      ...login,
      order: 'mutual-failure',
      allow: ['127.0.1', '127.0.2'],
      deny: ['env=bad'],
      require: ['valid-user'],
      satisfy: 'Any',
    },
  ];
  const grandchildren: readonly Scope[] = [
    { order: 'allow,deny', allow: ['env=ok'] },
    { satisfy: 'Any' },
    { ...login, require: ['valid-user'] },
  ];
  const pairs = parents.flatMap((parent) => children.map((child): Chain => [parent, child]));
  return [
    ...pairs,
    ...pairs.flatMap((pair, index) => (index % 3 === 0 ? [[...pair, grandchildren[(index / 3) % 3]]] : [])),
  ];
}
