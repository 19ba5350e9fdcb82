/**
 * Small questions to the models: the decision of Require lines, of overlapping sections, and of old
 * lines with mod_access_compat. Random trees on a real server show the same for 2.4
 * (test/httpd/require-trees.slow.test.ts, test/httpd/access-sections.slow.test.ts).
 */
import type { Decision, Tree24, Assignment } from '../../server/src/access/model';
import { readConfiguration } from '../../server/src/config/configuration';
import { memoryFiles } from '../../server/src/config/memory-files';

/** Gives a module of server/src/access by its name. */
export type Load = (name: string) => any;

export interface DecisionCase {
  readonly name: string;
  decide(load: Load): string;
  readonly expected: string;
}

/**
 * Require lines (`---` between sections over each other, `===` between directories and locations),
 * what is true of the request, and the answer.
 */
const TREES: readonly (readonly [string, string, Decision])[] = [
  ['Require all granted', 'GET', 'allowed'],
  ['Require all denied', 'GET ann', 'forbidden'],
  ['Require ip 10 11', 'GET ip:11', 'allowed'],
  ['Require ip 10 11', 'GET', 'forbidden'],
  ['Require ip 10\nRequire env ok', 'GET env:ok', 'allowed'],
  ['Require valid-user', 'GET', 'unauthorized'],
  ['Require valid-user', 'GET ann', 'allowed'],
  ['Require user bob', 'GET ann', 'unauthorized'],
  ['Require ip 10\nRequire valid-user', 'GET', 'unauthorized'],
  ['Require ip 10\nRequire user bob', 'GET ip:10', 'allowed'],
  ['<RequireAny>\nRequire ip 10\nRequire env ok\n</RequireAny>', 'GET ip:10', 'allowed'],
  ['<RequireAll>\nRequire ip 10\nRequire valid-user\n</RequireAll>', 'GET', 'forbidden'],
  ['<RequireAll>\nRequire ip 10\nRequire valid-user\n</RequireAll>', 'GET ip:10', 'unauthorized'],
  ['<RequireAll>\nRequire ip 10\nRequire valid-user\n</RequireAll>', 'GET ann', 'forbidden'],
  ['<RequireAll>\nRequire ip 10\nRequire env ok\n</RequireAll>', 'GET ip:10', 'forbidden'],
  ['<RequireAll>\nRequire all granted\nRequire not ip 10\n</RequireAll>', 'GET', 'allowed'],
  ['<RequireAll>\nRequire all granted\nRequire not ip 10\n</RequireAll>', 'GET ip:10', 'forbidden'],
  ['<RequireAll>\nRequire not ip 10\nRequire env ok\n</RequireAll>', 'GET env:ok', 'allowed'],
  [
    '<RequireAll>\nRequire not ip 10\n<RequireAny>\nRequire env ok\nRequire env bad\n</RequireAny>\n</RequireAll>',
    'GET',
    'forbidden',
  ],
  ['<RequireAll>\nRequire all granted\nRequire not user ann\n</RequireAll>', 'GET', 'allowed'],
  ['<RequireAll>\nRequire valid-user\nRequire not user ann\n</RequireAll>', 'GET ann', 'unauthorized'],
  ['<RequireAll>\nRequire valid-user\nRequire not user ann\n</RequireAll>', 'GET bob', 'allowed'],
  [
    '<RequireAll>\nRequire all granted\n<RequireNone>\nRequire ip 10\nRequire ip 11\n</RequireNone>\n</RequireAll>',
    'GET ip:11',
    'forbidden',
  ],
  ['<RequireAll>\nRequire all granted\n<RequireNone>\nRequire ip 10\n</RequireNone>\n</RequireAll>', 'GET', 'allowed'],
  ['<RequireAll>\nRequire not ip 10\n</RequireAll>', 'GET', 'forbidden'],
  ['Require method GET', 'GET', 'allowed'],
  ['Require method HEAD', 'GET', 'allowed'],
  ['Require method POST', 'GET', 'forbidden'],
  ['<RequireAll>\nRequire not method POST\nRequire ip 10\n</RequireAll>', 'GET', 'forbidden'],
  ['<RequireAll>\nRequire not method POST\nRequire all granted\n</RequireAll>', 'POST', 'forbidden'],
  ['<Limit POST>\nRequire ip 10\n</Limit>', 'POST', 'forbidden'],
  ['<Limit POST>\nRequire ip 10\n</Limit>', 'GET', 'allowed'],
  ['<Limit HEAD>\nRequire ip 10\n</Limit>', 'GET', 'forbidden'],
  ['<LimitExcept GET>\nRequire ip 10\n</LimitExcept>', 'GET', 'allowed'],
  ['<LimitExcept GET>\nRequire ip 10\n</LimitExcept>', 'POST', 'forbidden'],
  ['<Limit POST>\nRequire ip 10\n</Limit>\nRequire env ok', 'GET', 'forbidden'],
  ['<Limit POST>\nRequire ip 10\n</Limit>\nRequire env ok', 'GET env:ok', 'allowed'],
  ['<RequireAll>\n<Limit POST>\nRequire ip 10\n</Limit>\nRequire env ok\n</RequireAll>', 'GET env:ok', 'allowed'],
  ['Require local', 'GET holds:local', 'allowed'],
  ['Require local', 'GET ann', 'forbidden'],
  ['Require expr "%{REMOTE_USER} == \'ann\'"', 'GET', 'unauthorized'],
  ['Require ip 10\n---\nRequire env ok', 'GET ip:10', 'forbidden'],
  ['Require ip 10\n---\nRequire env ok', 'GET env:ok', 'allowed'],
  ['Require ip 10\n---\n', 'GET ip:10', 'allowed'],
  ['Require ip 10\n---\n', 'GET', 'forbidden'],
  ['Require ip 10\n---\nAuthMerging And\nRequire env ok', 'GET env:ok', 'forbidden'],
  ['Require ip 10\n---\nAuthMerging And\nRequire env ok', 'GET env:ok ip:10', 'allowed'],
  ['Require ip 10\n---\nAuthMerging Or\nRequire env ok', 'GET ip:10', 'allowed'],
  ['Require ip 10\n---\nAuthMerging Or\nRequire env ok', 'GET', 'forbidden'],
  ['AuthMerging Or\nRequire env ok', 'GET', 'forbidden'],
  ['Require ip 10\n---\nAuthMerging And', 'GET', 'forbidden'],
  ['Require ip 10\n---\nAuthMerging Off', 'GET', 'allowed'],
  ['Require all granted\n===\nRequire ip 10\n---\nAuthMerging Or\nRequire env ok', 'GET', 'allowed'],
  ['Require all denied\n===\nRequire ip 10\n---\nAuthMerging And\nRequire env ok', 'GET ip:10 env:ok', 'forbidden'],
  ['Require all denied\n===\nAuthMerging Or\nRequire ip 10\n---\nRequire env ok', 'GET ip:10', 'forbidden'],
  ['Require all denied\n===\nAuthMerging Or\nRequire ip 10\n---\n', 'GET ip:10', 'allowed'],
];

/** Old lines under mod_access_compat of 2.4. */
const COMPAT: readonly (readonly [string, string, Decision | 'broken'])[] = [
  ['Order allow,deny\nAllow from 10\nSatisfy Any\nRequire valid-user', 'GET ip:10', 'allowed'],
  ['Order allow,deny\nAllow from 10\nSatisfy Any\nRequire valid-user', 'GET', 'unauthorized'],
  ['Order allow,deny\nAllow from 10\nRequire valid-user', 'GET ann', 'forbidden'],
  ['Order allow,deny\nAllow from 10\nRequire valid-user', 'GET ip:10', 'unauthorized'],
  ['Order allow,deny\nAllow from 10\nSatisfy Any', 'GET', 'allowed'],
  ['AuthType Basic\nOrder allow,deny\nAllow from all', 'GET', 'broken'],
  ['Order allow,deny\nAllow from all', 'GET', 'allowed'],
];

/** A tree that the translation writes, and what it does. */
const NOT_POST: Tree24 = { type: 'method', methods: ['POST'], isNegated: true };

/** Trees and how they are written. */
const PRINTED: readonly (readonly [string, Tree24, string])[] = [
  ['a name with a blank', { type: 'match', provider: 'env', operands: ['a b'] }, 'Require env "a b"\n'],
  [
    'more operands than a line takes',
    { type: 'match', provider: 'ip', operands: numbers(45) },
    `Require ip ${numbers(45).slice(0, 20).join(' ')}\nRequire ip ${numbers(45).slice(20, 40).join(' ')}\nRequire ip ${numbers(45).slice(40).join(' ')}\n`,
  ],
  [
    'many of which any will do, where all must match',
    {
      type: 'all',
      inner: [
        { type: 'match', provider: 'ip', operands: numbers(21) },
        { type: 'match', provider: 'env', operands: ['ok'] },
      ],
    },
    `<RequireAll>\n <RequireAny>\n  Require ip ${numbers(20).join(' ')}\n  Require ip 20\n </RequireAny>\n Require env ok\n</RequireAll>\n`,
  ],
  [
    'none, and what is negated',
    {
      type: 'all',
      inner: [
        { type: 'granted' },
        { type: 'none', inner: [{ type: 'other', text: 'local' }] },
        { type: 'not', inner: { type: 'user', requirement: { text: 'user ann' } } },
      ],
    },
    '<RequireAll>\n Require all granted\n <RequireNone>\n  Require local\n </RequireNone>\n Require not user ann\n</RequireAll>\n',
  ],
];

/** Folders of items; null may be anywhere. Found for `/a/b`: around it, below it, and near it. */
const FOLDERS = ['/a/b/c', null, '/', '/a', '/x/*', '/a/bc', '/a/b', '/z'];

/** An index of a few items compares them; one of many looks them up. Both find the same. */
const FOLDER_INDEXES = [4, 8].map(
  (count): DecisionCase => ({
    name: `an index of ${count} folders`,
    decide(load) {
      const { FolderIndex } = load('directory-index');
      const folders = FOLDERS.slice(0, count);
      const partsOf = (folder: string | null) => (folder === null ? null : folder.split('/').filter(Boolean));
      const index = new FolderIndex(folders, partsOf);
      return [index.itemsAround(['a', 'b']), index.itemsBelow(['a', 'b']), index.itemsAroundOrBelow(['a', 'b'])]
        .map((found: (string | null)[]) => found.map(String).join(' '))
        .join('; ');
    },
    expected:
      count === 4
        ? 'null / /a; /a/b/c null; /a/b/c null / /a'
        : 'null / /a /x/* /a/b; /a/b/c null /x/* /a/b; /a/b/c null / /a /x/* /a/bc /a/b',
  }),
);

export const DECISIONS: readonly DecisionCase[] = [
  ...FOLDER_INDEXES,
  ...TREES.map(
    ([text, asked, expected]): DecisionCase => ({
      name: `${shown(text)}: ${asked}`,
      expected,
      decide: (load) => load('decide24').decide24(treeOf(text, load), assignmentOf(asked)) ?? 'none',
    }),
  ),
  ...COMPAT.map(
    ([text, asked, expected]): DecisionCase => ({
      name: `mod_access_compat: ${shown(text)}: ${asked}`,
      expected,
      decide: (load) =>
        load('decide-compat').decideCompat(
          load('read').readSection(linesOf(text)[0].map(({ line }) => line)),
          text.includes('AuthType'),
          assignmentOf(asked),
        ),
    }),
  ),
  ...(
    [
      ['GET', 'forbidden'],
      ['POST', 'forbidden'],
    ] as const
  ).map(
    ([asked, expected]): DecisionCase => ({
      name: `not method POST alone: ${asked}`,
      expected,
      decide: (load) => load('decide24').decide24({ type: 'all', inner: [NOT_POST] }, assignmentOf(asked)),
    }),
  ),
  ...PRINTED.map(
    ([name, tree, expected]): DecisionCase => ({
      name,
      expected,
      decide: (load) => load('print').printTree(tree, { indent: '', indentStep: ' ', eol: '\n' }),
    }),
  ),
];

// ---------------------------------------------------------------------------------------------------------------------

/** Sections of one walk, and behind `===` of the next. */
function treeOf(text: string, load: Load): Tree24 {
  const { readTree, mergeAuthorization, NO_AUTHORIZATION } = load('read24');
  const walks = text.split('===\n').map((walk) =>
    linesOf(walk).map((lines) => ({
      tree: readTree(lines),
      authMerging:
        lines
          .find(({ line }) => line.name === 'authmerging')
          ?.line.text.trim()
          .split(' ')[1]
          .toLowerCase() ?? null,
    })),
  );
  return (
    walks
      .map((sections) => sections.reduce(mergeAuthorization, NO_AUTHORIZATION))
      .reduce(mergeAuthorization, NO_AUTHORIZATION).tree ?? { type: 'granted' }
  );
}

function linesOf(text: string) {
  const names = new Set(['require', 'authmerging', 'order', 'allow', 'deny', 'satisfy']);
  return text
    .split('---\n')
    .map((section) => readConfiguration({ root: '/a', view: memoryFiles({ '/a': section }), names })!.rootScope.lines);
}

/** "GET ip:10 env:ok ann": the method, what matches, what holds, and the user. */
function assignmentOf(asked: string): Assignment {
  const [method, ...words] = asked.split(' ');
  const user = words.find((word) => !word.includes(':')) ?? null;
  return {
    method,
    matches: (provider, operand) => words.includes(`${provider}:${operand}`),
    holds: (text) => words.includes(`holds:${text}`),
    user: user === null ? null : ({ text }) => text === 'valid-user' || text === `user ${user}`,
  };
}

function shown(text: string): string {
  return text.replace(/\n/g, '; ');
}

function numbers(count: number): string[] {
  return Array.from({ length: count }, (_, i) => String(i));
}
