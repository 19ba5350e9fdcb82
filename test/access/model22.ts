/**
 * Asks the product's model of httpd 2.2 the recorded questions: it reads sections, merges them, and
 * decides.
 */
import assert from 'node:assert/strict';
import type { Scope } from '../../server/src/config/configuration';
import type { Decision, Source, Assignment } from '../../server/src/access/model';
import type { InheritedAccess } from '../../server/src/access/inherited-access';
import type { Survey } from '../../server/src/access/survey';
import {
  configurationOf,
  FILES,
  isInStaff,
  knownUser,
  readQuestion,
  readRecorded,
  ROOT,
  type Question,
  type Recorded,
} from './recorded';
import { isInNetwork } from './server-model';

const DIGITS: Record<Decision | 'broken', string> = { unauthorized: '1', allowed: '2', forbidden: '3', broken: '5' };

let known: {
  readonly recorded: Recorded;
  readonly questions: readonly Question[];
  /** The scopes in which a file lies, in the order in which they apply, by `SCENARIO/FILE`. */
  readonly around: ReadonlyMap<string, readonly Scope[]>;
  readonly scopes: readonly Scope[];
  readonly modules: readonly string[];
} | null = null;

/**
 * How often each decision was the recorded one, for every nth question; or the first that was not.
 */
export function recordedAnswers(
  load: (name: string) => any,
  every = 1,
  source: Source = '2.2',
): Record<Decision | 'broken', number> | string {
  const { recorded, questions, around, scopes, modules } = (known ??= read());
  const survey: Survey = load('survey').surveyOf(scopes.flatMap(withChildren), modules, source);
  const seen = { allowed: 0, unauthorized: 0, forbidden: 0, broken: 0 };
  for (const { id, answers22, answers24compat } of recorded.scenarios) {
    const answers = source === '2.2' ? answers22 : answers24compat;
    const states = new Map(FILES.map((file) => [file, stateIn(around.get(`${id}/${file}`)!, load, survey)]));
    for (let i = 0; i < questions.length; i += every) {
      const question = questions[i]!;
      const decision = answer(states.get(question.file)!, question, load, survey);
      if (DIGITS[decision] !== answers[i]) return `${id}: ${recorded.questions[i]}: ${decision}`;
      seen[decision]++;
    }
  }
  return seen;
}

function read() {
  const recorded = readRecorded();
  const { configuration, htaccess } = configurationOf(recorded);
  const scopes = [...configuration.rootScope.children, ...htaccess.map(({ scope }) => scope)];
  const files = recorded.scenarios.flatMap(({ id }) => FILES.map((file) => `${id}/${file}`));
  return {
    recorded,
    questions: recorded.questions.map(readQuestion),
    around: new Map(files.map((file) => [file, scopesAround(scopes, file)])),
    scopes,
    modules: configuration.modules,
  };
}

function withChildren(scope: Scope): Scope[] {
  return [scope, ...scope.children.flatMap(withChildren)];
}

/** What applies after scopes that apply in this order. */
function stateIn(scopes: readonly Scope[], load: (name: string) => any, survey: Survey): InheritedAccess {
  const { accessAfter, startState } = load('inherited-access');
  const { readSectionAccess } = load('section-access');
  return scopes.reduce(
    (state, scope) => accessAfter(state, readSectionAccess(scope, survey), survey.source),
    startState(survey),
  );
}

/**
 * Directories with their .htaccess, then Files sections, then Locations. The scenarios have no
 * more.
 */
function scopesAround(scopes: readonly Scope[], file: string): Scope[] {
  const folder = `${ROOT}/htdocs/${file.slice(0, file.lastIndexOf('/'))}`;
  const directories = scopes.filter((scope) =>
    isAround(
      scope.kind === 'htaccess' ? scope.folder : scope.kind === 'directory' ? scope.words[0] : undefined,
      folder,
    ),
  );
  const ranked = directories.map((scope) => ({
    scope,
    rank: (scope.folder ?? scope.words[0]).split('/').length + (scope.kind === 'htaccess' ? 0.5 : 0),
  }));
  const inOrder = ranked.sort((a, b) => a.rank - b.rank).map(({ scope }) => scope);
  const name = file.slice(file.lastIndexOf('/') + 1);
  const files = [...scopes, ...inOrder.flatMap(({ children }) => children)].filter(
    ({ kind, words }) =>
      (kind === 'files' && words[0] === name) || (kind === 'filesmatch' && new RegExp(words[0]).test(name)),
  );
  const locations = scopes.filter(
    ({ kind, words }) =>
      (kind === 'location' && isAround(words[0], `/${file}`)) ||
      (kind === 'locationmatch' && new RegExp(words[0]).test(`/${file}`)),
  );
  return [...inOrder, ...files, ...locations];
}

function isAround(outer: string | undefined, path: string): boolean {
  return outer !== undefined && (outer === '/' || path === outer || path.startsWith(`${outer}/`));
}

function answer(
  state: InheritedAccess,
  question: Question,
  load: (name: string) => any,
  survey: Survey,
): Decision | 'broken' {
  const method = question.method === 'HEAD' ? 'GET' : question.method;
  const section = state.rulesByMethod.get(survey.methodClasses.includes(method) ? method : '*')!;
  const user = knownUser(question);
  const assignment: Assignment = {
    matches: (provider, operand) =>
      provider === 'ip' ? isInNetwork(operand, question.from) : provider === 'env' && operand === question.variable,
    user: user === null ? null : ({ text }) => meets(text, user),
  };
  if (survey.source === '2.4') {
    const { hostRules, satisfy } = section;
    const isLet =
      satisfy === 'any' &&
      load('decide-compat').decideCompatTree({ hostRules: hostRules, satisfy: 'all', tree: null }, assignment) ===
        'allowed';
    if (
      state.tree === null &&
      state.hasAuthType &&
      !isLet &&
      (satisfy === 'any' ||
        load('decide-compat').decideCompatTree({ hostRules: hostRules, satisfy, tree: null }, assignment) === 'allowed')
    )
      return 'broken';
    return load('decide-compat').decideCompatTree(
      { hostRules: hostRules, satisfy, tree: state.tree },
      { ...assignment, method },
    );
  }
  const requires = load('access-tree').effectiveRequirements(section.userRequirements, state.hasGroupFile, survey);
  assert.ok(Array.isArray(requires));
  return load('decide22').decide22({ ...section, userRequirements: requires }, assignment);
}

function meets(requirement: string, user: string): boolean {
  const [name, ...words] = requirement.split(/\s+/);
  if (name === 'valid-user') return true;
  return name === 'user' ? words.includes(user) : words.includes('staff') && isInStaff(user);
}
