/** Access lines in `<IfModule>` sections of unknown result, and what becomes of them. */
import { accessConditionDecider } from '../../server/src/access/conditions';
import type { AssumedConditions } from '../../server/src/access/condition-branches';
import { ACCESS_NAMES } from '../../server/src/access/conversion-input';
import { ONE_VERSION_NAMES } from '../../server/src/access/one-version';
import type { AccessPlan } from '../../server/src/access/plan';
import { readConfiguration } from '../../server/src/config/configuration';
import { memoryFiles } from '../../server/src/config/memory-files';
import type { Line } from '../../server/src/syntax/line';
import { applyEdits } from '../../server/src/analysis/fixes';
import type { Load } from './decisions';

export interface BranchesCase {
  readonly name: string;
  readonly before: string;
  /** Absent: nothing changes. */
  readonly after?: string;
  readonly files?: Readonly<Record<string, string>>;
}

const DENIED = 'Order deny,allow\nDeny from all\n';
const GRANTED = 'Order allow,deny\nAllow from all\n';
const NEW_DENIED = 'Require all denied\n';
const NEW_GRANTED = 'Require all granted\n';
const branch = (name: string, lines: string) => `<IfModule ${name}>\n${lines}</IfModule>\n`;
const directory = (path: string, lines: string) => `<Directory ${path}>\n${lines}</Directory>\n`;
const both = (one: string, other: string, name = 'mod_dav.c') =>
  directory('/srv', branch(name, one) + branch(`!${name}`, other));
const inner = directory('/srv/a', 'AuthType Basic\nAuthName a\nRequire valid-user\nSatisfy Any\n');
const LOGIN_OR_10 = 'AuthType Basic\nAuthName a\nRequire valid-user\nOrder allow,deny\nAllow from 10\n';
const four = ['a', 'b', 'c', 'd'].map((name) => directory(`/srv/${name}`, branch('mod_dav.c', DENIED)));
const LOAD = 'LoadModule dav_module modules/mod_dav.so\n';

export const BRANCHES: readonly BranchesCase[] = [
  { name: 'both branches', before: both(DENIED, GRANTED), after: both(NEW_DENIED, NEW_GRANTED) },
  {
    name: 'both branches, by the name of the module and its identifier',
    before: directory('/srv', branch('mod_dav.c', DENIED) + branch('!dav_module', GRANTED)),
    after: directory('/srv', branch('mod_dav.c', NEW_DENIED) + branch('!dav_module', NEW_GRANTED)),
  },
  {
    name: 'one branch alone',
    before: directory('/srv', `Options None\n${branch('mod_dav.c', DENIED)}`),
    after: directory('/srv', `Options None\n${branch('mod_dav.c', NEW_DENIED)}`),
  },
  {
    name: 'a branch in a branch',
    before: directory('/srv', branch('mod_dav.c', branch('mod_proxy.c', DENIED))),
    after: directory('/srv', branch('mod_dav.c', branch('mod_proxy.c', NEW_DENIED))),
  },
  {
    name: 'mod_authz_host',
    before: directory('/srv', branch('mod_authz_host.c', DENIED)),
    after: directory('/srv', branch('mod_authz_host.c', NEW_DENIED)),
  },
  {
    name: 'a section below that is the same in each case',
    before: both(DENIED, GRANTED) + directory('/srv/a', GRANTED),
    after: both(NEW_DENIED, NEW_GRANTED) + directory('/srv/a', NEW_GRANTED),
  },
  {
    name: 'two modules in one section, each in both branches',
    before: both(DENIED, DENIED) + directory('/b', branch('mod_proxy.c', GRANTED)),
    after: both(NEW_DENIED, NEW_DENIED) + directory('/b', branch('mod_proxy.c', NEW_GRANTED)),
  },
  {
    name: 'four sections about one module',
    before: four.join(''),
    after: four.join('').replaceAll(DENIED, NEW_DENIED),
  },
  { name: 'lines outside', before: directory('/srv', DENIED + branch('mod_dav.c', 'Allow from 10.0.0.0/8\n')) },
  {
    name: 'two modules of which both, or none, may be there',
    before: directory('/srv', branch('mod_dav.c', DENIED) + branch('mod_proxy.c', 'Allow from 10.0.0.0/8\n')),
  },
  { name: 'a section below that would inherit something else', before: both(DENIED, GRANTED) + inner },
  {
    name: 'a section below that inherits another Satisfy in each case',
    before: both(`${DENIED}Satisfy Any\n`, GRANTED) + directory('/srv/a', LOGIN_OR_10),
  },
  {
    name: 'a section below that is converted in one case alone',
    before: both(`${DENIED}Allow from ${'${NET}'}\nSatisfy Any\n`, GRANTED) + directory('/srv/a', LOGIN_OR_10),
  },
  {
    name: 'a module that may be loaded between four sections',
    before: `${four[0]}${branch('mod_proxy.c', LOAD)}${four.slice(1).join('')}`,
  },
  {
    name: 'four modules',
    before: ['dav', 'proxy', 'status', 'info']
      .map((name) => directory(`/srv/${name}`, branch(`mod_${name}.c`, DENIED)))
      .join(''),
  },
  ...[
    ...['mod_access_compat.c', '!mod_access_compat.c', '"mod_dav.c"', '${NAME}', 'mod_php5.c', 'mod_other.c'],
    ...['mod_authz_default.c', 'mod_authz_user.c', '!mod_auth_basic.c', 'prefork.c', 'mod_mem_cache.c', 'mod_lua.c'],
  ].map((name) => ({ name: `<IfModule ${name}>`, before: directory('/srv', branch(name, DENIED)) })),
  {
    name: 'a file that two sections include',
    before: directory('/srv/a', 'Include /etc/p\n') + directory('/srv/b', 'Include /etc/p\n'),
    files: { '/etc/p': branch('mod_dav.c', DENIED) },
  },
  {
    name: 'a macro',
    before: `<Macro m>\n${branch('mod_dav.c', DENIED)}</Macro>\n${directory('/srv', 'Use m\n')}`,
  },
];

/** The text that the plan makes of a case. */
export function convertBranches(load: Load, { before, files = {} }: BranchesCase): string {
  const view = memoryFiles({ '/conf': before, ...files });
  const planned = (assumed: AssumedConditions | null): AccessPlan => {
    const unknownTags = new Set<Line>();
    const configuration = readConfiguration({
      root: '/conf',
      view,
      names: ACCESS_NAMES,
      oneVersionNames: ONE_VERSION_NAMES,
      decideCondition: load('condition-branches').withAssumptions(
        accessConditionDecider(),
        assumed ?? new Map(),
        unknownTags,
      ),
      serverRoot: '/srv',
    })!;
    const plan: AccessPlan = load('plan').planAccessConversion(configuration, [], []);
    if (assumed !== null) return plan;
    return load('condition-branches').withBranches({ plan, configuration, htaccess: [], unknownTags }, planned);
  };
  return applyEdits(before, planned(null).edits.get('/conf') ?? []);
}

/** The first case that comes out otherwise. */
export function branchesProblem(load: Load): string | null {
  return BRANCHES.find((each) => convertBranches(load, each) !== (each.after ?? each.before))?.name ?? null;
}
