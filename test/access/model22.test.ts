/** The models of server/src/access against a real httpd: reading a section, folding what sections say, deciding as 2.2 does. */
import assert from 'node:assert/strict';
import type { Scope } from '../../server/src/config/configuration';
import { decide22 } from '../../server/src/access/decide22';
import type { Decision, World } from '../../server/src/access/model';
import { fold, liveRequirements, readOwn, startState, surveyOf, type State, type Survey } from '../../server/src/access/state';
import { isInNetwork } from './requests';
import { configurationOf, FILES, isInStaff, knownUser, readQuestion, readRecorded, ROOT, type Question } from './recorded';

const DIGITS: Record<Decision, string> = { unauthorized: '1', allowed: '2', forbidden: '3' };

describe('the model of httpd 2.2', function () {
  this.timeout(30_000);

  it('gives all 135,000 recorded answers of a real server', () => {
    const recorded = readRecorded();
    const { configuration, htaccess } = configurationOf(recorded);
    const scopes = [...configuration.root.children, ...htaccess.map(({ scope }) => scope)];
    const survey = surveyOf(scopes.flatMap(withChildren), configuration.modules);
    const seen = { allowed: 0, unauthorized: 0, forbidden: 0 };
    for (const { id, answers22 } of recorded.scenarios) {
      const states = new Map(FILES.map((file) => [file, stateAt(scopes, `${id}/${file}`, survey)]));
      recorded.questions.forEach((text, i) => {
        const question = readQuestion(text);
        const decision = answer(states.get(question.file)!, question, survey);
        seen[decision]++;
        assert.equal(DIGITS[decision], answers22[i], `${id}: ${text}`);
      });
    }
    assert.deepEqual(seen, { allowed: 58_928, unauthorized: 25_512, forbidden: 50_560 });
  });
});

function withChildren(scope: Scope): Scope[] {
  return [scope, ...scope.children.flatMap(withChildren)];
}

/** What is in effect for a file: directories with their .htaccess, then Files sections, then Locations. The scenarios have no more. */
function stateAt(scopes: readonly Scope[], file: string, survey: Survey): State {
  const folder = `${ROOT}/htdocs/${file.slice(0, file.lastIndexOf('/'))}`;
  const directories = scopes.filter((scope) => isAround(scope.kind === 'htaccess' ? scope.folder : scope.kind === 'directory' ? scope.words[0] : undefined, folder));
  const ranked = directories.map((scope) => ({ scope, rank: (scope.folder ?? scope.words[0]).split('/').length + (scope.kind === 'htaccess' ? 0.5 : 0) }));
  const inOrder = ranked.sort((a, b) => a.rank - b.rank).map(({ scope }) => scope);
  const name = file.slice(file.lastIndexOf('/') + 1);
  const files = [...scopes, ...inOrder.flatMap(({ children }) => children)].filter(({ kind, words }) =>
    (kind === 'files' && words[0] === name) || (kind === 'filesmatch' && new RegExp(words[0]).test(name)));
  const locations = scopes.filter(({ kind, words }) => (kind === 'location' && isAround(words[0], `/${file}`)) || (kind === 'locationmatch' && new RegExp(words[0]).test(`/${file}`)));
  return [...inOrder, ...files, ...locations].reduce((state, scope) => fold(state, readOwn(scope, survey), false), startState(survey));
}

function isAround(outer: string | undefined, path: string): boolean {
  return outer !== undefined && (outer === '/' || path === outer || path.startsWith(`${outer}/`));
}

function answer(state: State, question: Question, survey: Survey): Decision {
  const method = question.method === 'HEAD' ? 'GET' : question.method;
  const section = state.byMethod.get(survey.classes.includes(method) ? method : '*')!;
  const requires = liveRequirements(section.requires, state.hasGroupFile, survey);
  assert.ok(typeof requires !== 'string');
  const user = knownUser(question);
  const world: World = {
    matches: (provider, operand) => (provider === 'ip' ? isInNetwork(operand, question.from) : provider === 'env' && operand === question.variable),
    user: user === null ? null : ({ text }) => meets(text, user),
  };
  return decide22({ ...section, requires }, world);
}

function meets(requirement: string, user: string): boolean {
  const [name, ...words] = requirement.split(/\s+/);
  if (name === 'valid-user') return true;
  return name === 'user' ? words.includes(user) : words.includes('staff') && isInStaff(user);
}
