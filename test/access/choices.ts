/**
 * Generated servers with lines that the plan's choices are about, the answers, and the files that
 * `fix --write` makes with these.
 */
import {
  questionIdOrFallback,
  STANDALONE_QUESTION_ID,
  questionText,
  type Answers,
} from '../../server/src/analysis/answers';
import { Engine } from '../../server/src/analysis/engine';
import { applyEdits } from '../../server/src/analysis/fixes';
import { fixedFile } from '../../server/src/features/fixed-file';
import { ALL_RULES } from '../../server/src/rules/all';
import { Tree } from '../../server/src/syntax/document';
import { memoryFiles } from '../../server/src/config/memory-files';
import type { Random } from '../support/random';
import { FILES, FOLDERS, MAIN, randomConfiguration, ROOT, textsOf, type Generated, type Piece } from './generate';

const CHOICES = ['mpm', 'rewrite-log', 'php', 'defaults', 'modules'] as const;

/**
 * What `<IfModule>` finds of PHP on a server of 2.4, by the answer that says so. A server that had
 * none has none.
 */
export const PHP: Readonly<Record<string, readonly string[]>> = {
  '8': ['mod_php.c', 'php_module'],
  '7': ['mod_php7.c', 'php7_module'],
  '5': ['mod_php5.c', 'php5_module'],
  none: [],
};

export type Texts = Readonly<Record<string, string>>;

/** A server, and what a person chose. */
export interface Chosen {
  readonly given: Generated;
  readonly texts: Texts;
  readonly answers: Map<string, string>;
}

/** With a base, everything lies below that folder. */
export function randomChoices(random: Random, base = ''): Chosen {
  const given = withChoices(randomConfiguration(random), random);
  const texts: Texts = { ...textsOf(given, base) };
  const answers = new Map(CHOICES.map((kind) => [kind as string, random.pick(questionText(kind)!.choices).value]));
  answers.set('php', given.defines.includes('mod_php5.c') ? random.pick(['8', '7', '5']) : 'none');
  return { given, texts, answers };
}

/** The same on a server of 2.4 that has PHP as an answer says. */
export function withPhp(given: Generated, answer: string): Generated {
  return { ...given, defines24: [...given.defines.filter((name) => !name.includes('php')), ...PHP[answer]] };
}

/**
 * What `fix --write` of the main file makes of all files, and the questions that ready fixes of it
 * rest on.
 */
export function written(
  texts: Texts,
  choices: Answers,
  base = '',
): { readonly fixed: Texts; readonly restsOn: ReadonlySet<string> } {
  const main = base + MAIN;
  const view = memoryFiles({
    ...Object.fromEntries(FOLDERS.flatMap((folder) => FILES.map((file) => [`${base}${folder}/${file}`, '']))),
    ...texts,
  });
  const answerSet = { answers: new Map([...choices, [STANDALONE_QUESTION_ID, 'none']]), folder: '/' };
  const engine = new Engine({ rules: ALL_RULES, answerSet });
  const tree = Tree.parse(texts[main]);
  const { text, editsInOtherFiles } = fixedFile({
    file: main,
    tree,
    view,
    settings: { engineOf: () => engine, serverOf: () => ({ serverRoot: base + ROOT }) },
    mayChange: () => true,
  });
  const others = [...editsInOtherFiles].map(([path, edits]) => [path, applyEdits(texts[path], edits)]);
  const fixes = engine
    .analyze(tree, { isHtaccess: false })
    .findings()
    .flatMap((finding) => finding.fixes.filter(({ safety }) => safety === 'safe'));
  return {
    fixed: { ...texts, ...Object.fromEntries(others), [main]: text },
    restsOn: new Set(fixes.flatMap(({ restsOn = [] }) => restsOn.map((each) => questionIdOrFallback(each, answerSet)))),
  };
}

// ---------------------------------------------------------------------------------------------------------------------

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
