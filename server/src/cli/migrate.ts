/**
 * The command `migrate`: a dialog. It shows the findings, asks the questions one by one, shows the
 * diff, and then writes everything or nothing. Before the final confirmation nothing is written, so
 * Ctrl-C leaves all files unchanged.
 */
import { existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cancel, confirm, intro, isCancel, log, outro, select, text } from '@clack/prompts';
import { idBelowFolder, type Answers } from '../analysis/answers';
import { PROJECT_FILE, withAnswers } from '../settings/project-file';
import { isInFolder } from '../config/files';
import { LINK_RESOLVING_VIEW } from './files';
import { whyPathIsUnsafe } from '../host/replaceable';
import { shellPath, shellWord } from '../syntax/shell-word';
import { canOpenAccess, DONT_KNOW_LABEL, dontKnowText, markOfUsualAnswer } from '../analysis/question-surfaces';
import { tasksOf } from '../analysis/server-tasks';
import { textAboutNames } from '../analysis/unread-lines';
import {
  byHandText,
  isAboutRemainingComment,
  rootTitle,
  type ByHandItem,
  type PlanPlace,
  type PlanQuestion,
  type UpgradePlan,
} from '../analysis/upgrade-plan';
import { effectText, planCounts } from '../analysis/plan-figures';
import { guessServerRoot } from '../config/server-root';
import {
  answerOptionRows,
  findOutRows,
  mainFilesBesideRows,
  namesText,
  placesText,
  questionRows,
  type MainFilesBeside,
} from './plan-text';
import { readSettingsNow } from '../host/read-now';
import { countWithNoun, printable, type Terminal } from './terminal';
import { wrapTextAfter, wrapText } from './wrap';
import { shortPath } from './short-path';

/** The arguments of `migrate`, and the functions that do the steps of the dialog. */
export interface MigrateDialog {
  readonly paths: readonly string[];
  /** The answers on the command line. */
  readonly answers: Answers;
  /**
   * The names and values of the options `-D`. They are saved with the answers. Null if the user
   * gives none.
   */
  readonly defines: ReadonlyMap<string, string> | null;
  readonly terminal: Terminal;
  /**
   * The options and paths of this command with other answers, for a command that the dialog prints.
   */
  argumentsToRepeat(answers: Answers): string;
  /** Reads the files again, and makes the plan with these answers. */
  plan(answers: Answers): Promise<UpgradePlan>;
  /**
   * Whether the files that `plan` read last are certainly of 2.2. Must be called before writing,
   * because the written files no longer show it.
   */
  isFrom22(): boolean;
  /** The main files beside the given ones that the last `plan` does not have. Null if none. */
  mainFilesBeside(): MainFilesBeside | null;
  /** Runs `fix`: shows the difference, or writes the files. Returns its exit code. */
  fix(answers: Answers, write: boolean): Promise<number>;
  /** Runs `verify` for a main file. Returns its exit code. */
  verify(root: string, answers: Answers): Promise<number>;
}

/** The exit code after Ctrl-C, as in shells. */
const EXIT_CODE_INTERRUPTED = 130;

/**
 * Runs the dialog; without a terminal, prints the commands to run instead. Returns the exit code: 0
 * if the dialog was completed, 2 if it could not run, 130 if the user left.
 */
export async function runMigrate(dialog: MigrateDialog): Promise<number> {
  const { terminal } = dialog;
  if (!process.stdin.isTTY || !process.stdout.isTTY) return printCommands(dialog);
  try {
    return await runDialog(dialog);
  } catch (error) {
    if (!(error instanceof UserLeftError)) throw error;
    terminal.clearProgress();
    cancel('Stopped. Nothing was changed.');
    return EXIT_CODE_INTERRUPTED;
  }
}

// ---------------------------------------------------------------------------------------------------------------------

/** Thrown if the user leaves the dialog with Ctrl-C. */
class UserLeftError extends Error {}

/** Prints the commands to run instead of the dialog, which needs a terminal. */
async function printCommands(dialog: MigrateDialog): Promise<number> {
  const plan = await dialog.plan(dialog.answers);
  if (plan.configurations.length === 0) return 2;
  const optionRows = answerOptionRows(plan);
  const openCount = openQuestions(plan).length;
  const mainFilesBeside = dialog.mainFilesBeside();
  if (mainFilesBeside) dialog.terminal.note(printable(`${mainFilesBeside.text} ${mainFilesBeside.command}`));
  dialog.terminal.reportFailure('migrate asks its questions in a terminal, and there is none');
  const repeatedArguments = dialog.argumentsToRepeat(dialog.answers);
  const commandRows =
    optionRows.length === 0
      ? [
          'There are no questions. This command writes the fixes that are ready:',
          `  httpd-upgrade fix --write ${repeatedArguments}`,
        ]
      : [
          `${countWithNoun(openCount, 'question')} ${openCount === 1 ? 'is' : 'are'} open. To see how to find ${openCount === 1 ? 'the answer' : 'the answers'}:`,
          `  httpd-upgrade plan ${repeatedArguments}`,
          'Then run this command:',
          `  httpd-upgrade fix --write ${repeatedArguments}`,
          `Add to it one of these options${openCount === 1 ? '' : ' for each question'}:`,
          ...optionRows.map((line) => `  ${line}`),
        ];
  process.stderr.write(`${commandRows.join('\n')}\n`);
  return 2;
}

/** Runs the dialog in a terminal. Returns the exit code. Throws `UserLeftError` after Ctrl-C. */
async function runDialog(dialog: MigrateDialog): Promise<number> {
  const { terminal } = dialog;
  intro(`httpd-upgrade: ${printable(dialog.paths.join(' '))}, from httpd 2.2 to 2.4`);
  let plan = await dialog.plan(dialog.answers);
  const isFrom22 = dialog.isFrom22();
  terminal.clearProgress();
  if (plan.configurations.length === 0) return endDialog('No configuration was found.', 2);
  const mainFilesBeside = dialog.mainFilesBeside();
  if (mainFilesBeside && !(await askToGoOnAlone(mainFilesBeside)))
    return endDialog(`Nothing was changed. Run:\n  ${printable(mainFilesBeside.command)}`, 0);
  printRows([...problemRows(plan), ...rowsAboutNames(plan)]);
  const answerById = new Map(dialog.answers);
  const answeredQuestions: AnsweredQuestion[] = [];
  let mustSave = false;
  let nextStep: NextStep;
  do {
    plan = await askAllQuestions(dialog, plan, answerById, answeredQuestions);
    const newAnswers = givenAnswers(answeredQuestions);
    mustSave = newAnswers.size > 0 && (await offerToSaveAnswers(dialog, newAnswers));
    nextStep = await askNextStep(dialog, plan, answerById, answeredQuestions);
    if (typeof nextStep !== 'string') plan = await takeBackAnswer(dialog, answerById, answeredQuestions, nextStep);
  } while (typeof nextStep !== 'string');
  const newAnswersOfDialog = givenAnswers(answeredQuestions);
  const writes = nextStep === 'write';
  const readyCount = plan.summary.ready;
  let hasSucceeded = true;
  if (writes) {
    hasSucceeded = (await dialog.fix(answerById, true)) !== 2;
    terminal.clearProgress();
  }
  const savedIds = mustSave && hasSucceeded ? saveAnswers(dialog, newAnswersOfDialog, isFrom22) : NOTHING_SAVED;
  hasSucceeded &&= savedIds !== null;
  if (!hasSucceeded) return endDialog('Not everything could be done. See the messages above.', 2);
  if (!writes)
    return endDialog(plan.summary.ready === 0 ? 'No fix is ready. Nothing was written.' : 'Nothing was written.', 0);
  // The project file has the saved answers, so the next commands need no options for them.
  const unsavedAnswers = new Map([...answerById].filter(([id]) => savedIds?.has(id) !== true));
  const commentsToChange = plan.configurations.flatMap(({ byHand }) => byHand.filter(isAboutRemainingComment));
  // The plan is made again after writing, because lines have moved.
  plan = await dialog.plan(unsavedAnswers);
  terminal.clearProgress();
  printRows(remainingTaskRows(plan, commentsToChange));
  await offerVerify(dialog, plan, unsavedAnswers);
  const hasOpenTasks = openQuestions(plan).length + plan.summary.byHand > 0;
  return endDialog(
    [
      `Wrote ${countWithNoun(readyCount, 'fix')}. "httpd-upgrade undo" restores the old files.`,
      ...(hasOpenTasks
        ? ['To see what is left:', `  httpd-upgrade plan ${dialog.argumentsToRepeat(unsavedAnswers)}`]
        : []),
    ].join('\n'),
    0,
  );
}

/** Asks whether to go on without the other main files, which share files with the given one. */
async function askToGoOnAlone(mainFilesBeside: MainFilesBeside): Promise<boolean> {
  printRows(mainFilesBesideRows(mainFilesBeside, FRAME_WIDTH));
  return answerOrLeave(confirm({ message: 'Go on without the other main files?', initialValue: false }));
}

/** A question and its answer; null for "I don't know". */
interface AnsweredQuestion {
  readonly question: PlanQuestion;
  readonly answer: string | null;
}

/** The answers to these questions, without "I don't know". */
function givenAnswers(answeredQuestions: readonly AnsweredQuestion[]): Answers {
  return new Map(
    answeredQuestions.flatMap(({ question, answer }): [string, string][] =>
      answer === null ? [] : [[question.id, answer]],
    ),
  );
}

/**
 * Asks questions until none is open. Adds each answer to `answers` and `answeredQuestions`. Returns
 * the plan with these answers.
 */
async function askAllQuestions(
  dialog: MigrateDialog,
  firstPlan: UpgradePlan,
  answers: Map<string, string>,
  answeredQuestions: AnsweredQuestion[],
): Promise<UpgradePlan> {
  const { terminal } = dialog;
  let plan = firstPlan;
  for (;;) {
    // A question is asked once, even if it is open again because of a later answer.
    const questionsToAsk = openQuestions(plan).filter(
      ({ id }) => !answeredQuestions.some(({ question }) => question.id === id),
    );
    const [question] = questionsToAsk;
    if (!question) break;
    const chosenAnswer = await askQuestion(
      question,
      effectsOf(question, plan),
      `Question ${answeredQuestions.length + 1}${questionsToAsk.length > 1 ? `, ${questionsToAsk.length - 1} more after it` : ''}`,
      answeredQuestions.length > 0,
    );
    if (chosenAnswer === BACK_VALUE) {
      plan = await takeBackAnswer(dialog, answers, answeredQuestions, answeredQuestions.at(-1)!);
      continue;
    }
    answeredQuestions.push({ question, answer: chosenAnswer });
    if (chosenAnswer === null) continue;
    answers.set(question.id, chosenAnswer);
    const readyBefore = plan.summary.ready;
    plan = await dialog.plan(answers);
    terminal.clearProgress();
    const newlyReadyCount = plan.summary.ready - readyBefore;
    log.success(
      newlyReadyCount > 0
        ? `${newlyReadyCount} more ${newlyReadyCount === 1 ? 'fix is' : 'fixes are'} ready: ${plan.summary.ready} now.`
        : `${countWithNoun(plan.summary.ready, 'fix')} ready now.`,
    );
  }
  const unansweredQuestions = openQuestions(plan);
  if (unansweredQuestions.length > 0) {
    printRows([
      `Still open, so the fixes that wait for ${unansweredQuestions.length === 1 ? 'the answer' : 'the answers'} are not made:`,
      ...unansweredQuestions.flatMap(({ question, findOut }) => [
        ...wrapTextAfter('- ', printable(question)),
        ...findOutRows(findOut, 'How to find the answer', '  ', FRAME_WIDTH),
      ]),
      ...wrapText(
        'When you know the answers, run migrate again. If you save the answers that you gave, it asks only the open questions.',
        '',
        FRAME_WIDTH,
      ),
    ]);
  }
  return plan;
}

/**
 * Removes an answer from `answers` and `answeredQuestions`, so that its question is asked again.
 * Returns the new plan.
 */
async function takeBackAnswer(
  dialog: MigrateDialog,
  answers: Map<string, string>,
  answeredQuestions: AnsweredQuestion[],
  takenBackQuestion: AnsweredQuestion,
): Promise<UpgradePlan> {
  answeredQuestions.splice(answeredQuestions.indexOf(takenBackQuestion), 1);
  answers.delete(takenBackQuestion.question.id);
  const plan = await dialog.plan(answers);
  dialog.terminal.clearProgress();
  return plan;
}

function endDialog(text: string, code: number): number {
  outro(text);
  return code;
}

/** The number of columns inside the frame that the library for dialogs draws. */
const FRAME_WIDTH = 76;

function printRows(rows: readonly string[]): void {
  log.message(rows.join('\n'));
}

/** The rows at the beginning of the dialog: files, problems and fixes. */
function problemRows({ configurations, summary }: UpgradePlan): string[] {
  const { blocking, ready, waiting, byHand, questions, answered } = summary;
  const { mayBlock } = planCounts(configurations);
  const openCount = questions - answered;
  return [
    ...configurations.map(({ root, files }) => printable(rootTitle(root, countWithNoun(files, 'file')))),
    blocking === 0
      ? mayBlock > 0
        ? `${countWithNoun(mayBlock, 'problem')} may prevent the start of 2.4.`
        : 'No problem was found that prevents the start of 2.4.'
      : `${countWithNoun(blocking, 'problem')} ${blocking === 1 ? 'is an error' : 'are errors'}: 2.4 does not start, or requests get 500.`,
    `${countWithNoun(ready, 'fix')} ${ready === 1 ? 'is' : 'are'} ready, ${waiting} ${waiting === 1 ? 'waits' : 'wait'} for an answer. ${countWithNoun(byHand, 'change')} by hand.`,
    ...(openCount > 0
      ? [`${countWithNoun(openCount, 'question')}. Nothing is written before you say so; Ctrl-C leaves.`]
      : []),
  ];
}

/** The questions without an answer, each once. */
function openQuestions({ configurations }: UpgradePlan): PlanQuestion[] {
  const seenIds = new Set<string>();
  return configurations.flatMap(({ questions }) =>
    questions.filter(({ id, answer }) => answer === null && !seenIds.has(id) && seenIds.add(id)),
  );
}

/**
 * For each answer of a question, which fixes it makes ready in all configurations, and how many
 * then still need other answers.
 */
function effectsOf(question: PlanQuestion, { configurations }: UpgradePlan): ReadonlyMap<string, string> {
  const askedQuestions = configurations.flatMap(({ questions }) => questions.filter(({ id }) => id === question.id));
  const answers = question.answers.map(({ value }) => ({
    value,
    ready: askedQuestions
      .map((each) => each.answers.find((answer) => answer.value === value)?.ready ?? 0)
      .reduce((sum, count) => sum + count, 0),
  }));
  const questions = configurations.flatMap((each) => each.questions);
  const waiting = configurations.flatMap((each) => each.waiting);
  return new Map(
    answers
      .map(({ value }): [string, string] => [
        value,
        effectText({ id: question.id, answers }, value, { questions, waiting }),
      ])
      .filter(([, text]) => text !== ''),
  );
}

/**
 * Asks a question. `effects`: what each answer makes ready. Returns the chosen value; null for
 * "I don't know"; `BACK_VALUE` to go back to the previous question.
 */
async function askQuestion(
  question: PlanQuestion,
  effects: ReadonlyMap<string, string>,
  title: string,
  canGoBack: boolean,
): Promise<string | null> {
  log.step([title, ...wrapText(printable(question.question), '', FRAME_WIDTH)].join('\n'));
  printRows(questionRows(question, '', FRAME_WIDTH));
  for (;;) {
    const chosenValue = await answerOrLeave(
      select({
        message: 'Your answer:',
        // Pressing Enter alone must not choose an answer that can open access.
        initialValue: canOpenAccess(question.kind) ? DONT_KNOW_VALUE : question.answers[0]!.value,
        options: [
          ...question.answers.map(({ value: answerValue, label }, index) => ({
            value: answerValue,
            // The dialog shows a hint only beside the selected answer. So the mark of the usual
            // answer is in the label.
            label: `${printable(label)}${markOfUsualAnswer(question.id, index, answerValue) === '' ? '' : ' (the usual answer)'}`,
            ...(effects.has(answerValue) && { hint: effects.get(answerValue) }),
          })),
          {
            value: DONT_KNOW_VALUE,
            label: DONT_KNOW_LABEL,
            hint: dontKnowText(question.ifUnknown),
          },
          ...(canGoBack ? [{ value: BACK_VALUE, label: 'Go back to the previous question' }] : []),
        ],
      }),
    );
    if (chosenValue === DONT_KNOW_VALUE) return null;
    if (!chosenValue.endsWith('=')) return chosenValue;
    const copyPath = await answerOrLeave(
      text({
        message: 'Where is the copy on this machine? (type a path; leave it empty to go back)',
        validate: (typedPath) =>
          typedPath === undefined || typedPath.trim() === '' || existsSync(typedPath.trim())
            ? undefined
            : 'no file or directory has this name',
      }),
    );
    if (copyPath?.trim()) return chosenValue + copyPath.trim();
  }
}

/** Values of the dialog that are not answers. A real answer is never empty and has no spaces. */
const DONT_KNOW_VALUE = '';
const BACK_VALUE = 'go back';

/** Asks whether to save the answers in the project file. */
async function offerToSaveAnswers({ paths, defines }: MigrateDialog, newAnswers: Answers): Promise<boolean> {
  const file = path.join(projectFolder(paths[0]!), PROJECT_FILE);
  return answerOrLeave(
    confirm({
      message: `Keep ${newAnswers.size === 1 ? 'the answer' : `the ${newAnswers.size} answers`}${defines === null ? '' : ' and the names of -D'} in ${printable(shortPath(file))}, for the editors of the team and for CI?`,
    }),
  );
}

/**
 * The user's choice after the last question. If it is an answered question, this question is asked
 * again.
 */
type NextStep = 'write' | 'stop' | AnsweredQuestion;

/**
 * Rows before the first question: the files test names of `-D`, and the plan does not know whether
 * the server starts with them.
 */
function rowsAboutNames({ configurations }: UpgradePlan): string[] {
  const openFlagNames = [...new Set(configurations.flatMap(({ openNames = [] }) => openNames))];
  if (openFlagNames.length === 0) return [];
  const isOneName = openFlagNames.length === 1;
  const namesNote = `${namesText(openFlagNames)} If the server starts with ${isOneName ? 'it' : 'some of them'}, leave now (Ctrl+C), and run migrate again with -D ${isOneName ? openFlagNames[0]! : 'NAME, once for each'}. Otherwise problems that only such a server has are missing here. ${textAboutNames(openFlagNames)}`;
  return wrapText(printable(namesNote), '', FRAME_WIDTH);
}

/** Asks what to do after the questions: show the changes, write, stop, or change an answer. */
async function askNextStep(
  dialog: MigrateDialog,
  plan: UpgradePlan,
  answers: Answers,
  answeredQuestions: readonly AnsweredQuestion[],
): Promise<NextStep> {
  const { ready } = plan.summary;
  if (ready === 0 && answeredQuestions.length === 0) return 'stop';
  let isDiffShown = false;
  for (;;) {
    const chosenStep = await answerOrLeave(
      select({
        message:
          ready === 0 ? 'No fix is ready.' : `${countWithNoun(ready, 'fix')} ${ready === 1 ? 'is' : 'are'} ready.`,
        initialValue: isDiffShown ? 'write' : undefined,
        options: [
          ...(ready === 0
            ? []
            : [
                { value: 'diff', label: 'Show the changes' },
                { value: 'write', label: 'Write', hint: 'all files, or none; undo restores the old files' },
              ]),
          { value: 'stop', label: 'Write nothing' },
          ...(answeredQuestions.length > 0 ? [{ value: BACK_VALUE, label: 'Change an answer' }] : []),
        ],
      }),
    );
    if (chosenStep === 'write' || chosenStep === 'stop') return chosenStep;
    if (chosenStep === BACK_VALUE) {
      const answerToChange = await askWhichAnswer(answeredQuestions);
      if (answerToChange) return answerToChange;
      continue;
    }
    await dialog.fix(answers, false);
    dialog.terminal.clearProgress();
    isDiffShown = true;
  }
}

/** Asks which answer to change. Null if the user chooses none. */
async function askWhichAnswer(answeredQuestions: readonly AnsweredQuestion[]): Promise<AnsweredQuestion | null> {
  if (answeredQuestions.length === 1) return answeredQuestions[0]!;
  return answerOrLeave(
    select<AnsweredQuestion | null>({
      message: 'Which one?',
      options: [
        ...answeredQuestions.map((each) => ({
          value: each,
          label: printable(each.question.question),
          hint: each.answer === null ? 'not known' : printable(each.answer),
        })),
        { value: null, label: 'None of them' },
      ],
    }),
  );
}

/**
 * The rows about what is left to do by hand and on the server. `commentsToChange`: changes of
 * comments from the plan before writing. Later plans do not have them, and their lines have moved.
 */
function remainingTaskRows({ configurations }: UpgradePlan, commentsToChange: readonly ByHandItem[]): string[] {
  const taskRows: string[] = [];
  const addTasks = (
    title: string,
    items: readonly {
      readonly what: string;
      readonly places: readonly PlanPlace[];
      readonly commands?: readonly string[];
    }[],
  ) => {
    if (items.length > 0) taskRows.push(title);
    for (const taskText of new Set(items.map((item) => item.what))) {
      const placesOfTask = items.flatMap((item) => (item.what === taskText ? item.places : []));
      taskRows.push(
        ...wrapTextAfter('- ', printable(taskText), FRAME_WIDTH),
        ...(placesOfTask.length > 0 ? wrapTextAfter('    ', placesText(placesOfTask), FRAME_WIDTH) : []),
      );
      // The user copies these commands, so they are not wrapped.
      taskRows.push(
        ...new Set(
          items
            .flatMap((item) => (item.what === taskText ? (item.commands ?? []) : []))
            .map((command) => `    ${printable(command)}`),
        ),
      );
    }
  };
  addTasks('Left to do by hand:', [
    ...configurations.flatMap(({ byHand }) => byHand.map((item) => ({ what: byHandText(item), places: [item] }))),
    ...commentsToChange.map(({ what, file }) => ({ what: `${what} (${file})`, places: [] })),
  ]);
  addTasks(
    'Left to do on the server:',
    configurations.flatMap(({ onServer }) =>
      tasksOf(onServer).map(({ what, because, commands }) => ({ what, places: because, commands })),
    ),
  );
  return taskRows.length > 0 ? taskRows : ['There is nothing to do by hand.'];
}

/** Asks whether a real httpd may read the written files, and lets it do so. */
async function offerVerify(dialog: MigrateDialog, { configurations }: UpgradePlan, answers: Answers): Promise<void> {
  const roots = configurations.map(({ root }) => root).filter((root) => root !== '.');
  if (roots.length === 0) return;
  const isCheckWanted = await confirm({
    message: 'Let a real httpd 2.4 of this machine read the result? (httpd -t; this starts no server)',
  });
  if (isCancel(isCheckWanted) || !isCheckWanted) {
    printRows([
      'To check the result later, or with another httpd:',
      ...roots.map((root) => `httpd-upgrade verify ${printable(shellPath(root))}`),
    ]);
    return;
  }
  for (const root of roots) await dialog.verify(root, answers);
}

/** The user's answer. Throws `UserLeftError` if the user leaves the dialog. */
async function answerOrLeave<T>(answer: Promise<T>): Promise<Exclude<T, symbol>> {
  const answerOrCancel = await answer;
  if (isCancel(answerOrCancel)) throw new UserLeftError();
  return answerOrCancel as Exclude<T, symbol>;
}

// ---------------------------------------------------------------------------------------------------------------------

/**
 * Returns the folder for the project file: the folder of the nearest project file at the path or
 * above it. If there is no project file, returns the given folder. For a main file, returns the
 * ServerRoot that its path suggests.
 */
function projectFolder(givenPath: string): string {
  const fullPath = path.resolve(givenPath);
  const isFolder = existsSync(fullPath) && statSync(fullPath).isDirectory();
  const firstFolder = isFolder ? fullPath : path.dirname(fullPath);
  for (let folder = firstFolder; ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, PROJECT_FILE))) return folder;
    if (path.dirname(folder) === folder) return isFolder ? fullPath : guessServerRoot(fullPath);
  }
}

/** The result of `saveAnswers` if there is nothing to save. */
const NOTHING_SAVED: ReadonlySet<string> = new Set();

/**
 * Saves the answers in the project file, and the names of -D. Returns the ids of the answers that
 * it saved; null if the file cannot be written. `isFrom22`: see `withAnswers`.
 */
function saveAnswers(
  { paths, defines, terminal }: MigrateDialog,
  newAnswers: Answers,
  isFrom22: boolean,
): ReadonlySet<string> | null {
  const folder = projectFolder(paths[0]!);
  const file = path.join(folder, PROJECT_FILE);
  const isNewFile = !existsSync(file);
  // Here, paths in the ids are relative to the current directory. In the project file, they must be
  // relative to its folder.
  const savedIds = new Set<string>();
  const idsAndAnswers = [...newAnswers].flatMap(([id, answer]): [string, string][] => {
    const equalsIndex = answer.indexOf('=');
    const pathInProject =
      equalsIndex < 0 ? null : path.relative(folder, path.resolve(answer.slice(equalsIndex + 1))) || '.';
    if (pathInProject !== null && !isInFolder(pathInProject, folder, LINK_RESOLVING_VIEW)) {
      terminal.note(
        `the answer ${shellWord(`${id}=${answer}`)} names a directory outside of ${printable(shortPath(folder))} and is not saved; give it with --answer`,
      );
      return [];
    }
    savedIds.add(id);
    return [
      [
        isNewFile ? idBelowFolder(id, process.cwd(), folder) : id,
        answer.slice(0, equalsIndex + 1) + (pathInProject ?? answer),
      ],
    ];
  });
  if (idsAndAnswers.length === 0) return NOTHING_SAVED;
  const temporaryFile = `${file}.${process.pid}`;
  try {
    const unsafePathReason = whyPathIsUnsafe(file, statSync(folder));
    if (unsafePathReason !== null) {
      terminal.reportProblem(shortPath(file), `${unsafePathReason}; the answers are not saved`);
      return null;
    }
    const textBefore = isNewFile ? null : readSettingsNow(file).toString('utf8');
    const changedText = withAnswers(textBefore, new Map(idsAndAnswers), { isFrom22, defines: defines ?? undefined });
    if (changedText === null) {
      terminal.reportProblem(shortPath(file), 'is not JSON; the answers are not saved');
      return null;
    }
    writeFileSync(temporaryFile, changedText, { flag: 'wx', mode: isNewFile ? 0o644 : statSync(file).mode & 0o777 });
    renameSync(temporaryFile, file);
    log.success(`The answers are in ${printable(shortPath(file))}.`);
    return savedIds;
  } catch (error) {
    rmSync(temporaryFile, { force: true });
    terminal.reportProblem(shortPath(file), `the answers could not be saved (${(error as Error).message})`);
    return null;
  }
}
