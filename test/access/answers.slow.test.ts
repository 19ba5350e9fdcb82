/**
 * Hides parts of generated servers from the planner: directories with .htaccess files, and included
 * files. Fixes that are ready without an answer have to be right whatever is hidden. Then gives the
 * first answer to each question. If the answer is true, the fixes have to be right. If it is false
 * and a response changes, a question has to name the hidden file. HTTPD_UPGRADE_CONFIGURATIONS is
 * the number of servers.
 */
import assert from 'node:assert/strict';
import { accessConversion } from '../../server/src/analysis/access-conversion';
import { questionId, questionText, type Answers } from '../../server/src/analysis/answers';
import { Engine } from '../../server/src/analysis/engine';
import { applyEdits } from '../../server/src/analysis/fixes';
import { parentDirectories, type OpenQuestion } from '../../server/src/access/open-question';
import { ALL_RULES } from '../../server/src/rules/all';
import { memoryFiles } from '../../server/src/config/memory-files';
import { Random, seed } from '../support/random';
import { differenceOf } from './converted';
import { FILES, FOLDERS, MAIN, randomConfiguration, ROOT, textsOf, type Generated } from './generate';

const COUNT = Number(process.env.HTTPD_UPGRADE_CONFIGURATIONS ?? 250);
const QUESTIONS = 8;
const PART = `${ROOT}/conf/part.conf`;
const DOCUMENTS = `${ROOT}/htdocs`;

type Texts = Readonly<Record<string, string>>;

describe('answers to questions about what is not here', function () {
  this.timeout(COUNT * 600 + 600_000);

  it(`${COUNT} servers: right where they are true, and asked for where they are not`, () => {
    const start = seed();
    const seen = { ready: 0, answered: 0, wrong: 0, named: 0 };
    for (let i = 0; i < COUNT; i++) {
      const random = new Random(start + i);
      const generated = randomConfiguration(random);
      const hidden = random.below(2) === 0 ? hideDirectories(generated, random) : hideInclude(generated, random);
      const fail = (what: string, problem: string | null) =>
        assert.equal(problem, null, `HTTPD_UPGRADE_SEED=${start + i}, ${what}: ${problem}`);

      const before = planned(hidden, new Map());
      if (before.isReady) {
        seen.ready++;
        fail(
          'without an answer',
          differenceOf(generated, hidden.real, { ...hidden.real, ...before.fixed }, start + i, QUESTIONS),
        );
      }
      if (before.ids.size === 0) continue;
      const answers: Answers = new Map([...before.ids.keys()].map((id) => [id, questionText(id)!.choices[0].value]));
      const after = planned(hidden, answers);
      if (!after.isReady) continue;
      seen.answered++;
      fail(
        'where the answers are true',
        differenceOf(generated, hidden.harmless, { ...hidden.harmless, ...after.fixed }, start + i, QUESTIONS),
      );
      const problem = differenceOf(generated, hidden.real, { ...hidden.real, ...after.fixed }, start + i, QUESTIONS);
      if (problem === null) continue;
      seen.wrong++;
      const isNamed = hidden.paths.some((path) => before.openQuestions.some((each) => covers(each, path)));
      if (isNamed) seen.named++;
      fail('where the answers are false, and no question had named what is hidden', isNamed ? null : problem);
    }
    assert.ok(seen.answered * 8 > COUNT && seen.wrong * 60 > COUNT, JSON.stringify(seen));
  });
});

/** A server, and what the planner sees of it. */
interface Hidden {
  readonly seen: Texts;
  /** Folders that are here. */
  readonly folders: readonly string[];
  readonly real: Texts;
  /** The same with nothing that decides in what is hidden. */
  readonly harmless: Texts;
  /** What is hidden. */
  readonly paths: readonly string[];
}

function hideDirectories(generated: Generated, random: Random): Hidden {
  const real = withListen(textsOf(generated));
  // A directory that is here is all here: what is hidden is served from its top on.
  const gone = random.pick([DOCUMENTS, `${ROOT}/other`]);
  const isGone = (path: string) => path === gone || path.startsWith(`${gone}/`);
  const paths = Object.keys(real).filter(isGone);
  const seen = Object.fromEntries(Object.entries(real).filter(([path]) => !isGone(path)));
  return { seen, real, harmless: seen, paths, folders: FOLDERS.filter((folder) => !isGone(folder)) };
}

/** Some of the main file's sections stand in a file that it includes. */
function hideInclude(generated: Generated, random: Random): Hidden {
  const texts = withListen(textsOf(generated));
  const blocks = texts[MAIN].split(/^(?=<(?:Directory|Location|Files|VirtualHost)\b)/m);
  const from = 1 + random.below(Math.max(blocks.length - 1, 1));
  const [head, tail] = [blocks.slice(0, from).join(''), blocks.slice(from).join('')];
  const seen = { ...texts, [MAIN]: `${head}Include ${PART}\n` };
  return {
    seen,
    real: { ...seen, [PART]: tail },
    harmless: { ...seen, [PART]: '# Nothing\n' },
    paths: [PART],
    folders: FOLDERS,
  };
}

function withListen(texts: Texts): Texts {
  return { ...texts, [MAIN]: `Listen 80\n${texts[MAIN]}` };
}

interface Planned {
  /** What ready changes make of the files. */
  readonly fixed: Texts;
  readonly isReady: boolean;
  readonly openQuestions: readonly OpenQuestion[];
  readonly ids: ReadonlyMap<string, OpenQuestion>;
}

function planned({ seen, folders }: Hidden, answers: Answers): Planned {
  const view = memoryFiles({
    ...Object.fromEntries(folders.flatMap((folder) => FILES.map((file) => [`${folder}/${file}`, '']))),
    ...seen,
  });
  const answerSet = { answers, folder: '/' };
  const engine = new Engine({ rules: ALL_RULES, answerSet });
  const conversion = accessConversion({
    roots: [{ mainFile: MAIN, engine, server: { serverRoot: ROOT }, isNamed: true }],
    view,
  });
  const fixed: Record<string, string> = {};
  for (const path of Object.keys(seen)) {
    const edits = conversion.editsOfFile(path, false);
    if (edits.length > 0) fixed[path] = applyEdits(seen[path], edits);
  }
  const openQuestions = conversion.configurations.flatMap(({ waitsFor }) => waitsFor);
  const ids = new Map(
    openQuestions.flatMap((each): [string, OpenQuestion][] => {
      const id = questionId(each, answerSet);
      return id === null ? [] : [[id, each]];
    }),
  );
  return { fixed, isReady: Object.keys(fixed).length > 0, openQuestions, ids };
}

/** Whether an open question is about what is hidden at a path. */
function covers({ kind, subject }: OpenQuestion, path: string): boolean {
  if (kind === 'served-anywhere') return true;
  const around = [path, ...parentDirectories(path)];
  // Of what lies above a directory that is not here, its .htaccess files are in question, too.
  if (kind === 'htaccess-unseen')
    return (
      around.includes(subject) ||
      [...parentDirectories(subject)].some((above) => `${above === '/' ? '' : above}/.htaccess` === path)
    );
  return kind === 'include-unseen' && subject === path;
}
