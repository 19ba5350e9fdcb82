/** Shows the upgrade plan as text for a terminal: 80 columns, with the next steps at the end. */
import { tasksOf, type OnServerItem } from '../analysis/server-tasks';
import { textAboutNames } from '../analysis/unread-lines';
import { shellPath } from '../syntax/shell-word';
import {
  neededStepsText,
  byHandText,
  sharedFilesText,
  htaccessModuleText,
  optionsText,
  rootTitle,
  verdictOf,
  type ConfigurationPlan,
  type PlanPlace,
  type PlanQuestion,
  type UpgradePlan,
} from '../analysis/upgrade-plan';
import { pathInAnswer, STANDALONE_QUESTION_ID, type Answers } from '../analysis/answers';
import { isHtaccessName } from '../config/configurations';
import { orderAllowDeny } from '../rules/order-allow-deny';
import { ANY_PHP_ANSWER } from '../rules/support/php';
import { answerOption, optionRows, pathText } from './answer-options';
import { dormantRows } from './dormant-rows';
import { withRuleLink } from './rule-link';
import { countWithNoun, printable, type Terminal } from './terminal';
import { USUAL_WIDTH, wrapTextAfter, wrapText } from './wrap';
import { addTo } from '../syntax/groups';
import {
  findOutCommandOf,
  partsOfMeaning,
  DONT_KNOW_LABEL,
  dontKnowText,
  markOfUsualAnswer,
  typeOfFindOut,
} from '../analysis/question-surfaces';
import {
  planCounts,
  countsWithNouns,
  effectText,
  stateOfAll,
  shortStateText,
  stateText,
  suggestionCount,
} from '../analysis/plan-figures';

/** The options of `planText`. */
export interface PlanTextOptions {
  readonly terminal: Terminal;
  /** The options and paths of this command, to repeat in the next command. */
  readonly argumentsToRepeat: string;
  /** Like `argumentsToRepeat`, for a command that writes. For an archive, it writes a copy. */
  readonly argumentsToRepeatForWriting: string;
  /** The options about the server's files (`--map`, `-D` and so on). */
  readonly serverOptions: readonly string[];
  /** Whether the input comes from a pipe, so that nothing can be written back. */
  readonly isInputPiped: boolean;
  /** The answers in the project file of the first configuration. Null if there are none. */
  readonly storedAnswers?: StoredAnswers | null;
  /** All answers for the first configuration, from the command and the project file. */
  readonly answers?: Answers;
  /**
   * The ids of answers in this command that no question asks for any more, because their fixes are
   * written.
   */
  readonly idsNoLongerAsked?: readonly string[];
  /** Main files beside the given ones; null if there are none. */
  readonly mainFilesBeside?: MainFilesBeside | null;
  /**
   * Whether there are other files than .htaccess files, as in an application that ships its
   * configuration. Then `fix --keep-both` does not convert files without a main file until the user
   * answers whether other files control access.
   */
  readonly areOthersThanHtaccess?: boolean;
}

/** Main files that the user did not name, beside those that the user named. */
export interface MainFilesBeside {
  readonly files: readonly string[];
  /** What to do; the command follows. */
  readonly text: string;
  /** The command that converts all main files together. */
  readonly command: string;
}

/** The rows about main files that the plan does not have. The command is not wrapped. */
export function mainFilesBesideRows({ text, command }: MainFilesBeside, width = USUAL_WIDTH): string[] {
  return [...wrapText(printable(text), '', width), `  ${printable(command)}`];
}

/** The answers in a project file. */
export interface StoredAnswers {
  /** The path of the project file, as users see it. */
  readonly file: string;
  readonly answers: Answers;
}

/** The plan as text: the counts, each configuration, and the next steps. */
export function planText(plan: UpgradePlan, options: PlanTextOptions): string {
  if (plan.configurations.length === 0) return `${verdictOf(plan)}\n`;
  const planRows = plan.configurations.flatMap((each, index) =>
    configurationRows(
      each,
      options,
      index === 0 ? storedAnswerRows(plan, options) : [],
      index === 0 ? answersInUse(plan, options.answers) : new Map(),
      plan.configurations.length === 1,
    ),
  );
  const countTexts = countsWithNouns(planCounts(plan.configurations));
  const countRows = wrapText(countTexts.join(' · '), '');
  const rowsAboutMainFilesBeside = options.mainFilesBeside ? [...mainFilesBesideRows(options.mainFilesBeside), ''] : [];
  const sharedFilesNote = sharedFilesText(plan.configurations);
  return `${[...rowsAboutMainFilesBeside, ...countRows, ...(sharedFilesNote === '' ? [] : wrapText(sharedFilesNote, '')), '', ...planRows, ...nextStepRows(plan, options)].join('\n')}\n`;
}

/**
 * The rows below a question: why it is asked, the places that it is about, and how to find the
 * answer.
 */
export function questionRows({ why, findOut, places }: PlanQuestion, indent: string, width = USUAL_WIDTH): string[] {
  return [
    ...why
      .split('\n')
      .flatMap((row) =>
        wrapTextAfter(`${indent}${row.startsWith('- ') ? '- ' : ''}`, printable(row.replace(/^- /, '')), width),
      ),
    ...(places.length > 0 ? wrapText(`The question is about ${placesText(places)}.`, indent, width) : []),
    ...findOutRows(findOut, 'How to find the answer', indent, width),
  ];
}

/**
 * The rows that say how to find the answer to a question. `title`: the heading, without a colon. A
 * command or URL has a line of its own, unchanged, so that the user can copy it. The row before
 * says where to run the command, the rows after say what its output means. A sentence is wrapped.
 */
export function findOutRows(findOut: string, title: string, indent: string, width = USUAL_WIDTH): string[] {
  const innerIndent = `${indent}  `;
  const findOutType = typeOfFindOut(findOut);
  if (findOutType === 'advice')
    return [`${indent}${title}:`, ...wrapText(`${printable(findOut)}.`, innerIndent, width)];
  if (findOutType === 'page') return [`${indent}${title}:`, innerIndent + printable(findOut)];
  const { placeToRun, command, meaning } = findOutCommandOf(findOut);
  const { intro, rules } = partsOfMeaning(printable(meaning));
  return [
    ...wrapText(`${title}${placeToRun === '' ? '' : `, ${printable(placeToRun)}`}:`, indent, width),
    ...command.split('\n').map((row) => innerIndent + printable(row)),
    ...(intro === '' ? [] : wrapText(intro, innerIndent, width)),
    ...rules.flatMap((rule) => wrapTextAfter(`${innerIndent}- `, rule, width)),
  ];
}

/** The rows of a task on the server: what to do, the places that need it, the commands. */
function serverTaskRows({ id, what, because, commands = [] }: OnServerItem, terminal: Terminal): string[] {
  return [
    ...wrapTextAfter('  ', `${printable(what)} [${id}]`),
    ...(because.length > 0 ? wrapTextAfter('    ', placesText(because)) : []),
    // The user copies these commands, so they are not wrapped.
    ...commands.map((command) => `    ${terminal.style('cyan', printable(command))}`),
  ];
}

/** Open questions as options for the next command (see `optionRows`). */
export function answerOptionRows({ configurations }: UpgradePlan): string[] {
  const unansweredQuestions = configurations.flatMap(({ questions }) =>
    questions.filter(({ answer }) => answer === null),
  );
  return optionRows(unansweredQuestions);
}

/** Lists places as text: `httpd.conf:17, 24; ssl.conf:9 and 3 more`. */
export function placesText(places: readonly PlanPlace[]): string {
  const lineNumbersByFile = new Map<string, number[]>();
  for (const { file, line } of places.slice(0, MAX_PLACES_SHOWN)) addTo(lineNumbersByFile, file, line + 1);
  const shownPlaces = [...lineNumbersByFile]
    .map(([file, lines]) => `${printable(file)}:${[...new Set(lines)].sort((a, b) => a - b).join(', ')}`)
    .join('; ');
  return places.length > MAX_PLACES_SHOWN ? `${shownPlaces} and ${places.length - MAX_PLACES_SHOWN} more` : shownPlaces;
}

// ---------------------------------------------------------------------------------------------------------------------

/** `placesText` lists at most this many places, and only counts the others. */
const MAX_PLACES_SHOWN = 5;

/**
 * The step for a file that has the name of a main configuration file, but not its lines. Empty if
 * there is no such file.
 */
function mainFileStep({ root, ready, waiting, byHand, questions }: ConfigurationPlan): string {
  if (root !== '.') return '';
  const allItems = [...ready, ...waiting, ...byHand, ...questions.flatMap(({ places }) => places)];
  const itemInMainFile = allItems.find(({ file }) => /(?:^|[\\/])(?:httpd|apache2)\.conf$/.test(file));
  return itemInMainFile === undefined
    ? ''
    : `${itemInMainFile.file} has neither a ServerRoot nor a Listen line. If it is the main configuration file, add both (httpd -V shows ServerRoot as HTTPD_ROOT), and run again.`;
}

/** The ids of all questions in the plan. */
function questionIdsIn({ configurations }: UpgradePlan): ReadonlySet<string> {
  return new Set(configurations.flatMap(({ questions }) => questions.map(({ id }) => id)));
}

/** The answers that name a copy, if no question is left, because the files of the copy are read. */
function answersInUse(plan: UpgradePlan, answers: Answers = new Map()): Answers {
  const idsOfQuestions = questionIdsIn(plan);
  return new Map([...answers].filter(([id, answer]) => !idsOfQuestions.has(id) && pathInAnswer(answer) !== null));
}

/** The rows about answers that no question needs now, and about those in the project file. */
function storedAnswerRows(
  plan: UpgradePlan,
  { storedAnswers: stored = null, idsNoLongerAsked = [], answers }: PlanTextOptions,
): string[] {
  const noLongerAskedRows =
    idsNoLongerAsked.length === 0
      ? []
      : wrapText(printable(`Not asked any more: ${idsNoLongerAsked.join(', ')}`), '  ');
  if (stored === null) return noLongerAskedRows;
  const neededIds = new Set([...questionIdsIn(plan), ...answersInUse(plan, answers).keys()]);
  const unneededIds = [...stored.answers.keys()].filter((id) => !neededIds.has(id) && id !== 'versions');
  const unneededText = unneededIds.length === 0 ? '' : ` No question needs these now: ${unneededIds.join(', ')}.`;
  return [
    ...noLongerAskedRows,
    ...wrapText(printable(`${stored.file} has ${countWithNoun(stored.answers.size, 'answer')}.${unneededText}`), '  '),
  ];
}

/**
 * The rows of the plan for one configuration. `storedRows`: the rows about the answers in the
 * project file. `otherAnswers`: answers in use that have no question. `isOnlyConfiguration`:
 * whether the plan has no other configuration.
 */
function configurationRows(
  plan: ConfigurationPlan,
  { terminal, argumentsToRepeatForWriting, isInputPiped, mainFilesBeside }: PlanTextOptions,
  storedRows: readonly string[],
  otherAnswers: Answers,
  isOnlyConfiguration: boolean,
): string[] {
  const { root, files, state, questions, ready, waiting, byHand, onServer, commentedOut, dormant = [] } = plan;
  const { forBothVersions } = plan;
  const title = (text: string) => terminal.style('bold', printable(text));
  const rows = [
    title(rootTitle(root, countWithNoun(files, 'file'))),
    ...wrapText(
      [
        // The counts of the only configuration stand above, in the first row of the plan.
        `${(isOnlyConfiguration ? shortStateText : stateText)(state, planCounts([plan]), undefined, root !== '.')}.`,
        optionsText(plan),
        htaccessModuleText([plan]),
        neededStepsText([plan], state),
      ]
        .filter(Boolean)
        .join(' '),
      '  ',
    ),
    '',
  ];
  const openQuestions = questions.filter(({ answer }) => answer === null);
  const answeredQuestions = questions.filter(({ answer }) => answer !== null);
  if (openQuestions.length > 0) rows.push(title(`Questions: ${openQuestions.length}`), '');
  openQuestions.forEach((question, index) => {
    const lead = `${index + 1}. `;
    const [first = '', ...others] = wrapTextAfter(lead, printable(question.question));
    rows.push(
      lead + title(first.slice(lead.length)),
      ...others.map((row) => terminal.style('bold', row)),
      ...questionRows(question, '   '),
    );
    const indexOfQuestionWithSameAnswers = openQuestions.findIndex(
      ({ answers }) => JSON.stringify(answers) === JSON.stringify(question.answers),
    );
    rows.push(
      indexOfQuestionWithSameAnswers < index
        ? `   The answers are those of question ${indexOfQuestionWithSameAnswers + 1}:`
        : '   Answers:',
    );
    for (const [at, { value, label }] of question.answers.entries()) {
      const answerNotes = [
        markOfUsualAnswer(question.id, at, value),
        effectText(question, value, { questions, waiting }),
      ].filter(Boolean);
      const answerText = `${printable(label)}${answerNotes.length > 0 ? ` (${answerNotes.join('; ')})` : ''}`;
      rows.push(
        ...(indexOfQuestionWithSameAnswers < index ? [] : wrapText(answerText, '     ')),
        `       ${terminal.style('cyan', answerOption(question.id, value))}`,
        ...(value.endsWith('=') ? wrapText(`${pathText(printable(question.subject))}.`, '       ') : []),
      );
    }
    rows.push(...wrapText(`${DONT_KNOW_LABEL}: ${dontKnowText(question.ifUnknown)}.`, '     '), '');
  });
  const answersToList = [
    ...otherAnswers,
    ...answeredQuestions.map(({ id, answer }): [string, string] => [id, answer!]),
  ];
  if (answersToList.length + storedRows.length > 0)
    rows.push(
      title(answersToList.length > 0 ? `Answered: ${answersToList.length}` : 'Answers'),
      ...answersToList.flatMap(([id, answer]) => wrapTextAfter('  ', printable(`${id} = ${answer}`))),
      ...storedRows,
      '',
    );
  if (forBothVersions !== undefined && byHand.length + onServer.length > 0)
    rows.push(...wrapText(printable(forBothVersions), ''), '');
  const heldBackItemCount = heldBackCount(byHand);
  const heldBackNote =
    heldBackItemCount > 0
      ? ` (${heldBackItemCount} ${heldBackItemCount === 1 ? 'waits' : 'wait'} for another change)`
      : '';
  rows.push(...groupedItemRows(terminal, title(`By hand: ${byHand.length}${heldBackNote}`), byHand));
  if (onServer.length > 0) {
    const serverNotes = onServer.filter(({ isNote }) => isNote);
    const tasks = tasksOf(onServer);
    if (tasks.length > 0)
      rows.push(
        title(`On the server: ${tasks.length}`),
        ...tasks.flatMap((each) => serverTaskRows(each, terminal)),
        '',
      );
    if (serverNotes.length > 0)
      rows.push(
        title(`Good to know: ${serverNotes.length}`),
        ...serverNotes.flatMap((each) => serverTaskRows(each, terminal)),
        '',
      );
  }
  rows.push(
    ...groupedItemRows(
      terminal,
      title(`Ready: ${countWithNoun(ready.length, 'fix')}`),
      ready.map((item) => ({ ...item, what: item.title })),
    ),
  );
  rows.push(
    ...groupedItemRows(
      terminal,
      title(`Waiting for an answer: ${countWithNoun(waiting.length, 'fix')}`),
      waiting.map((item) => ({ ...item, what: item.title })),
    ),
  );
  if (commentedOut.length > 0) {
    rows.push(
      title(`Commented out in converted sections: ${commentedOut.length}`),
      ...commentedOut.flatMap((each) => wrapTextAfter('  ', `${printable(each.text)} (${placesText([each])})`)),
      '',
    );
  }
  rows.push(
    ...dormantRows(
      // The first rows of the plan name these main files.
      dormant.map((each) => (mainFilesBeside?.files.includes(each.file) ? { ...each, isMainFile: undefined } : each)),
      'fix --write does not change these lines.',
      isInputPiped ? null : argumentsToRepeatForWriting,
      title,
      root === '.' && forBothVersions === undefined,
    ),
  );
  return rows;
}

/** A fix or a change by hand, as a row of the plan. */
interface ItemRow extends PlanPlace {
  readonly rule: string;
  readonly what: string;
  readonly suggestion?: string;
}

/** The rows for items, grouped by rule and text. The largest group comes first. */
function groupedItemRows(terminal: Terminal, title: string, items: readonly ItemRow[]): string[] {
  if (items.length === 0) return [];
  const groups = new Map<string, ItemRow[]>();
  for (const item of items) {
    const ruleAndText = `${item.rule}\n${byHandText(item)}`;
    addTo(groups, ruleAndText, item);
  }
  const groupRows = [...groups.values()]
    .sort((a, b) => Number(waitsForOtherChange(a)) - Number(waitsForOtherChange(b)) || b.length - a.length)
    .flatMap((group) => [
      ...withRuleLink(
        wrapTextAfter('  ', `${printable(byHandText(group[0]!))}${heldBackText(group)} [${group[0]!.rule}]`),
        terminal,
        group[0]!.rule,
      ),
      ...wrapTextAfter('    ', placesText(group)),
    ]);
  return [title, ...groupRows, ''];
}

/**
 * A text that says how many sections wait for a change of one line, if the reason names this line;
 * otherwise ''.
 */
function heldBackText({ length, 0: first }: readonly ItemRow[]): string {
  const isOneLine = /^Not converted: "[^"]*" \([^()]*:\d+\) /.test(first!.what);
  return length > 1 && isOneLine ? `. ${length} sections wait for this change; they are listed here` : '';
}

/** Whether the user must make another change first, which the text of these items names. */
function waitsForOtherChange([first]: readonly ItemRow[]): boolean {
  return first!.what.startsWith('Not converted: waits for ');
}

/** The number of changes that the user can make only after another change by hand. */
function heldBackCount(byHand: readonly ItemRow[]): number {
  return byHand.filter((item) => waitsForOtherChange([item])).length;
}

/**
 * The step for the entries by hand. `changeCount`: the number of changes. `heldCount`: how many of
 * them can be made only after the other changes, so that plan must run again. `checkCount`: the
 * number of further entries, which may need no change.
 */
function byHandStep(changeCount: number, heldCount: number, checkCount: number): string {
  if (checkCount === 0) return changeStep(changeCount, heldCount);
  const [are, entries, they] = checkCount === 1 ? ['is', 'entry', 'it'] : ['are', 'entries', 'they'];
  if (changeCount === 0)
    return `Look at the ${checkCount === 1 ? '' : `${checkCount} `}${entries} by hand that ${are} listed above: ${they} may need no change.`;
  const otherEntries = checkCount === 1 ? 'other entry' : `${checkCount} other entries`;
  return `${changeStep(changeCount, heldCount)} Look at the ${otherEntries} by hand, which may need no change.`;
}

/** The step to make the changes by hand. The parameters are those of `byHandStep`. */
function changeStep(changeCount: number, heldCount: number): string {
  const firstChangeCount = changeCount - heldCount;
  if (firstChangeCount === 0)
    return `Make the change by hand that ${heldCount === 1 ? 'the entry' : `the ${heldCount} entries`} above ${heldCount === 1 ? 'names' : 'name'}. Then run plan again.`;
  const isOneChange = firstChangeCount === 1;
  const exceptionText = heldCount === 0 ? '' : ', without those that wait for others';
  const instruction = `Make the ${isOneChange ? 'change' : `${firstChangeCount} changes`} by hand that ${isOneChange ? 'is' : 'are'} listed above${exceptionText}`;
  return heldCount === 0
    ? `${instruction}.`
    : `${instruction}. Then run plan again: ${countWithNoun(heldCount, 'other change')} ${heldCount === 1 ? 'waits' : 'wait'} for ${isOneChange ? 'it' : 'them'}.`;
}

/** The step to find the names (`-D`) with which the server starts. */
function namesStep(names: readonly string[]): string {
  const isOneName = names.length === 1;
  const name = isOneName ? names[0]! : 'NAME';
  return `${namesText(names)} If the server starts with ${isOneName ? 'it' : 'some of them'}, add -D ${name} to the commands${isOneName ? '' : ', once for each'}, or write "defines": ["${name}"] into .httpd-upgrade.json. Then run plan again: such a server may have more problems, such as a missing module. ${textAboutNames(names)}`;
}

/**
 * A sentence with the names in `<IfDefine>` of which it is not known whether the server starts with
 * them.
 */
export function namesText(names: readonly string[]): string {
  const shownNamesText = names.slice(0, MAX_NAMES_SHOWN).join(', ');
  const moreText = names.length > MAX_NAMES_SHOWN ? ` and ${names.length - MAX_NAMES_SHOWN} more` : '';
  return names.length === 1
    ? `The files test the name ${shownNamesText} in <IfDefine>.`
    : `The files test these names in <IfDefine>: ${shownNamesText}${moreText}.`;
}

/** Limit for the names (`-D`) that `namesText` lists. It only counts further names. */
const MAX_NAMES_SHOWN = 40;

/** The step to answer the open questions, with the command that asks them. */
function answerStep(
  { openCount, waiting, ready }: { readonly openCount: number; readonly waiting: number; readonly ready: number },
  {
    argumentsToRepeat,
    argumentsToRepeatForWriting,
    isInputPiped,
  }: Pick<PlanTextOptions, 'argumentsToRepeat' | 'argumentsToRepeatForWriting' | 'isInputPiped'>,
): string[] {
  const isOneQuestion = openCount === 1;
  const instruction = `Answer the ${isOneQuestion ? 'open question' : `${openCount} open questions`}`;
  const options = `one --answer option${isOneQuestion ? '' : ' for each question'}`;
  if (waiting === 0 && !isInputPiped)
    return [
      `${instruction}: run plan again with ${options}, or let migrate ask and write:`,
      `httpd-upgrade migrate ${argumentsToRepeatForWriting}`,
    ];
  const waitingText = `${countWithNoun(waiting, 'fix')} ${waiting === 1 ? 'waits' : 'wait'} for ${isOneQuestion ? 'it' : 'them'}`;
  const start = `${instruction}: ${waitingText}.`;
  if (isInputPiped)
    return [
      `${start} Add ${options} to the ${ready > 0 ? 'commands below' : `command "httpd-upgrade fix ${argumentsToRepeat}"`}.`,
    ];
  const migrateCommand = `httpd-upgrade migrate ${argumentsToRepeatForWriting}`;
  return ready > 0
    ? [`${start} Add ${options} to the commands below, or let migrate ask and write:`, migrateCommand]
    : [
        `${start} Let migrate ask and write, or add ${options} to the second command:`,
        migrateCommand,
        `httpd-upgrade fix --write ${argumentsToRepeatForWriting}`,
      ];
}

/**
 * The step for .htaccess files without a main file, if a 2.2 server still reads them, too. Null if
 * no access lines in such files are converted, or if the files are already for both versions.
 */
function bothVersionsStep(
  { configurations }: UpgradePlan,
  {
    argumentsToRepeatForWriting,
    isInputPiped,
    areOthersThanHtaccess = false,
  }: Pick<PlanTextOptions, 'argumentsToRepeatForWriting' | 'isInputPiped' | 'areOthersThanHtaccess'>,
): string[] | null {
  const convertedConfiguration = configurations.find(
    ({ root, ready, waiting, forBothVersions }) =>
      root === '.' &&
      forBothVersions === undefined &&
      [...ready, ...waiting].some(({ file, rule }) => rule === orderAllowDeny.id && isHtaccessName(file)),
  );
  if (convertedConfiguration === undefined || isInputPiped) return null;
  const isAnswerNeeded =
    areOthersThanHtaccess &&
    convertedConfiguration.questions.some(({ id, answer }) => id === STANDALONE_QUESTION_ID && answer === null);
  // Without the PHP module, a setting outside <IfModule> makes requests fail with 500.
  const isPhpAsked = convertedConfiguration.questions.some(
    ({ id, answer, answers }) =>
      id === 'php' && answer === null && answers.some(({ value, ready }) => value === ANY_PHP_ANSWER && ready > 0),
  );
  const start = `Does a 2.2 server still read these ${areOthersThanHtaccess ? '' : '.htaccess '}files, too?`;
  const effect = `It writes the access lines of both versions${isPhpAsked ? ', and the PHP settings once for each PHP module. It' : ', and'} changes nothing else`;
  const neededAnswers = [
    ...(isAnswerNeeded ? [`--answer ${STANDALONE_QUESTION_ID}=none`] : []),
    ...(isPhpAsked ? [`--answer php=${ANY_PHP_ANSWER}`] : []),
  ];
  const condition = isAnswerNeeded
    ? `. Its answer ${isPhpAsked ? `${STANDALONE_QUESTION_ID}=none ` : ''}says that no other file controls access to the same directories, as in an application that ships all its access lines. If that is not true, do not run it:`
    : ':';
  return [
    `${start} Then use this command instead of those below. ${effect}${condition}`,
    ['httpd-upgrade fix --write --keep-both', ...neededAnswers, argumentsToRepeatForWriting].join(' '),
  ];
}

/** The rows with the next steps, in the order of work. */
function nextStepRows(
  plan: UpgradePlan,
  {
    terminal,
    argumentsToRepeat,
    argumentsToRepeatForWriting,
    serverOptions,
    isInputPiped,
    areOthersThanHtaccess,
  }: PlanTextOptions,
): string[] {
  const { ready, waiting, byHand, mayStay, questions: openCount, steps: onServer } = planCounts(plan.configurations);
  const command = (text: string) => `     ${terminal.style('cyan', printable(text))}`;
  const steps: string[][] = plan.configurations.flatMap((each) => {
    const step = mainFileStep(each);
    return step === '' ? [] : [[step]];
  });
  const openFlagNames = [...new Set(plan.configurations.flatMap(({ openNames = [] }) => openNames))];
  if (openFlagNames.length > 0) steps.push([printable(namesStep(openFlagNames))]);
  const stepForBoth = bothVersionsStep(plan, { argumentsToRepeatForWriting, isInputPiped, areOthersThanHtaccess });
  if (stepForBoth !== null) steps.push(stepForBoth);
  if (openCount > 0)
    steps.push(
      answerStep({ openCount, waiting, ready }, { argumentsToRepeat, argumentsToRepeatForWriting, isInputPiped }),
    );
  if (ready > 0)
    steps.push([
      `${isInputPiped ? 'Print the text with' : 'Write'} the ${ready === 1 ? 'fix that is' : `${ready} fixes that are`} ready${isInputPiped ? '' : '. "httpd-upgrade undo" restores the old files'}:`,
      `httpd-upgrade fix ${isInputPiped ? argumentsToRepeat : `--write ${argumentsToRepeatForWriting}`}`,
    ]);
  if (byHand > 0) {
    const heldBackChanges = plan.configurations.reduce((sum, each) => sum + heldBackCount(each.byHand), 0);
    const step = byHandStep(byHand - mayStay, heldBackChanges, mayStay);
    steps.push(
      suggestionCount(plan.configurations) > 0 && !isInputPiped
        ? [`${step} To see the suggestions as a diff:`, `httpd-upgrade fix --diff --unsafe ${argumentsToRepeat}`]
        : [step],
    );
  }
  if (onServer > 0)
    steps.push([
      `Do the ${onServer === 1 ? 'step' : `${onServer} steps`} on the server that ${onServer === 1 ? 'is' : 'are'} listed above.`,
    ]);
  const roots = plan.configurations.map(({ root }) => root).filter((root) => root !== '.');
  if (roots.length > 0 && stateOfAll(plan.configurations) !== 'accepted')
    steps.push([
      'Let a real httpd 2.4 read the result:',
      ...roots.slice(0, 3).map((root) => ['httpd-upgrade verify', ...serverOptions, shellPath(root)].join(' ')),
    ]);
  return [
    terminal.style('bold', 'What to do next'),
    ...(plan.configurations.length > 1 ? wrapText(verdictOf(plan), '  ') : []),
    ...(steps.length === 0 ? ['  Nothing more for these files.'] : []),
    ...steps.flatMap(([text = '', ...commands], index) => [
      ...wrapTextAfter(`  ${index + 1}. `, text),
      ...commands.map(command),
    ]),
  ];
}
