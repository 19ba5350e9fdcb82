/**
 * Choices are honest: whichever MPM, log, PHP, defaults or modules a person chooses, 2.4 answers whom 2.2 answered, as far as the choice is what the new server is. Where it has another PHP than
 * was said, and somebody gets another response for it, a fix has said that it rests on that. HTTPD_UPGRADE_CONFIGURATIONS says how many.
 */
import assert from 'node:assert/strict';
import { idIn, LONE_QUESTION, questionText, type Answers } from '../../server/src/analysis/answers';
import { Engine } from '../../server/src/analysis/engine';
import { applyEdits } from '../../server/src/analysis/fixes';
import { fixedFile } from '../../server/src/features/given-configurations';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { memoryFiles } from '../../server/src/config/memory-files';
import { Random, seed } from '../support/random';
import { differenceOf } from './converted';
import { FILES, FOLDERS, MAIN, randomConfiguration, ROOT, textsOf, type Generated, type Piece } from './generate';

const COUNT = Number(process.env.HTTPD_UPGRADE_CONFIGURATIONS ?? 80);
const QUESTIONS = 8;
/** Servers that once had another answer. */
const KNOWN = [412134976, 412664336];
const CHOICES = ['mpm', 'rewrite-log', 'php', 'defaults', 'modules'] as const;

/** What `<IfModule>` finds of PHP on a server of 2.4, by the answer that says so. A server that had none has none. */
const PHP: Readonly<Record<string, readonly string[]>> = {
  '8': ['mod_php.c', 'php_module'],
  '7': ['mod_php7.c', 'php7_module'],
  '5': ['mod_php5.c', 'php5_module'],
  none: [],
};

type Texts = Readonly<Record<string, string>>;

describe('choices', function () {
  this.timeout(COUNT * 600 + 100_000);

  it(`${COUNT} servers: whatever is chosen, nobody gets another answer, and what rests on a choice says so`, () => {
    const start = seed();
    const seen = { changed: 0, php: 0, wrong: 0 };
    for (const at of [...KNOWN, ...Array.from({ length: COUNT }, (_, i) => start + i)]) {
      const random = new Random(at);
      const given = withChoices(randomConfiguration(random), random);
      const texts: Texts = { ...textsOf(given) };
      const answers = new Map(CHOICES.map((kind) => [kind as string, random.pick(questionText(kind)!.choices).value]));
      answers.set('php', given.defines.includes('mod_php5.c') ? random.pick(['8', '7', '5']) : 'none');
      const { fixed, restsOn } = written(texts, answers);
      if (JSON.stringify(fixed) === JSON.stringify(texts)) continue;
      seen.changed++;
      const where = `HTTPD_UPGRADE_SEED=${at}, ${JSON.stringify([...answers])}`;
      const php = answers.get('php')!;
      const problem = differenceOf(
        { ...given, defines24: [...given.defines.filter((name) => !name.includes('php')), ...PHP[php]] },
        texts,
        fixed,
        at,
        QUESTIONS,
      );
      assert.equal(problem, null, `${where}: ${problem}`);
      if (restsOn.has('php')) seen.php++;
      const other = random.pick(Object.keys(PHP).filter((each) => each !== php));
      const wrong = differenceOf(
        { ...given, defines24: [...given.defines.filter((name) => !name.includes('php')), ...PHP[other]] },
        texts,
        fixed,
        at,
        QUESTIONS,
      );
      // Where the answer changes nothing, the difference is not its doing.
      if (
        wrong === null ||
        JSON.stringify(written(texts, new Map([...answers].filter(([kind]) => kind !== 'php'))).fixed) ===
          JSON.stringify(fixed)
      )
        continue;
      seen.wrong++;
      assert.ok(restsOn.has('php'), `${where}, with PHP ${other}: nothing says that it rests on it: ${wrong}`);
    }
    assert.ok(seen.changed * 2 > COUNT && seen.php > 0 && seen.wrong > 0, JSON.stringify(seen));
    if (process.env.HTTPD_UPGRADE_CONFIGURATIONS) console.log(JSON.stringify(seen));
  });
});

/** With lines that the choices are about. */
function withChoices(generated: Generated, random: Random): Generated {
  const has = () => random.below(2) === 0;
  const hasPhp = has();
  const [root, ...main] = generated.files[MAIN];
  const lines: Piece[] = [
    'PidFile run/httpd.pid',
    'Listen 80',
    ...(hasPhp ? ['LoadModule php5_module modules/libphp5.so'] : []),
    ...(has() ? ['RewriteEngine On', 'RewriteLog logs/rewrite', 'RewriteLogLevel 3'] : []),
    ...(has() ? [{ open: '<IfModule prefork.c>', body: ['MaxClients 10'] }] : ['MaxClients 20']),
    ...(has() ? ['Timeout 300', 'EnableSendfile Off'] : []),
  ];
  const body = main.map(
    (piece): Piece =>
      typeof piece !== 'string' && random.below(4) === 0
        ? {
            open: random.pick(['<IfModule mod_php5.c>', '<IfModule !mod_php5.c>', '<IfModule php5_module>']),
            body: [piece],
          }
        : piece,
  );
  return {
    ...generated,
    files: { ...generated.files, [MAIN]: [root, ...lines, ...body] },
    defines: [...generated.defines, ...(hasPhp ? PHP['5'] : [])],
  };
}

/** What `fix --write` of the main file makes of all files, and the questions that ready fixes of it rest on. */
function written(texts: Texts, choices: Answers): { readonly fixed: Texts; readonly restsOn: ReadonlySet<string> } {
  const view = memoryFiles({
    ...Object.fromEntries(FOLDERS.flatMap((folder) => FILES.map((file) => [`${folder}/${file}`, '']))),
    ...texts,
  });
  const answered = { answers: new Map([...choices, [LONE_QUESTION, 'none']]), folder: '/' };
  const engine = new Engine({ rules: ALL_RULES, answered });
  const tree = Tree.parse(texts[MAIN]);
  const { text, elsewhere } = fixedFile({
    file: MAIN,
    tree,
    view,
    projects: { engineOf: () => engine, serverOf: () => ({ serverRoot: ROOT }) },
    may: () => true,
  });
  const others = [...elsewhere].map(([path, edits]) => [path, applyEdits(texts[path], edits)]);
  const fixes = engine
    .analyze(tree, { isHtaccess: false })
    .findings()
    .flatMap((finding) => finding.fixes.filter(({ safety }) => safety === 'safe'));
  return {
    fixed: { ...texts, ...Object.fromEntries(others), [MAIN]: text },
    restsOn: new Set(fixes.flatMap(({ restsOn = [] }) => restsOn.map((each) => idIn(each, answered)))),
  };
}
