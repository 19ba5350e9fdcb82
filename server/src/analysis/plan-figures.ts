/**
 * Counts the items of an upgrade plan that are not done (questions, fixes, tasks), and finds the
 * state of a configuration. The view, the status bar, the invitation, `plan` and the report all use
 * these functions, so that their numbers and words are equal. Does no I/O. Clients import this file
 * without the tables of directives.
 */
import { tasksOf, type OnServerItem } from './server-tasks';

/**
 * - `blocking`: a problem in the files prevents the start of 2.4, or makes it answer 500.
 * - `steps`: there is no such problem. But tasks on the server are left, or `httpd -t` has not read
 *   the files.
 * - `accepted`: a real `httpd -t` has read exactly these files without an error.
 */
export type PlanState = 'blocking' | 'steps' | 'accepted';

/** The parts of a configuration's plan that are counted. `ConfigurationPlan` explains them. */
export interface CountedPlan {
  readonly root: string;
  readonly blocking: number;
  readonly mayBlock: number;
  readonly state: PlanState;
  readonly questions: readonly { readonly answer: string | null }[];
  readonly ready: readonly unknown[];
  readonly waiting: readonly unknown[];
  readonly byHand: readonly { readonly mayStay?: true }[];
  readonly onServer: readonly OnServerItem[];
}

/** The parts of a question that are needed to tell what its answers change. */
export interface CountedQuestion {
  readonly id: string;
  readonly answers: readonly { readonly value: string; readonly ready: number }[];
  readonly answer: string | null;
}

/**
 * How many items of a plan are not done, by the type of item. `answered` is different: the number
 * of questions that have an answer.
 */
export interface PlanCounts {
  readonly blocking: number;
  /** Problems that may prevent the start of 2.4. The files alone do not show whether they do. */
  readonly mayBlock: number;
  /** Questions without an answer. */
  readonly questions: number;
  /** Questions with an answer. */
  readonly answered: number;
  readonly ready: number;
  readonly waiting: number;
  readonly byHand: number;
  /** How many of the entries in `byHand` may need no change: the user only checks their lines. */
  readonly mayStay: number;
  /** Tasks on the server that are not ticked off. */
  readonly steps: number;
}

/**
 * Whether the user ticked off a task. `index`: the index of the task's configuration in the plan.
 */
export type IsTicked = (index: number, task: OnServerItem) => boolean;

const NOTHING_TICKED: IsTicked = () => false;

/** The numbers of items that are not done, in all configurations together. */
export function planCounts(configurations: readonly CountedPlan[], isTicked: IsTicked = NOTHING_TICKED): PlanCounts {
  const sumOf = (countIn: (each: CountedPlan, index: number) => number) =>
    configurations.reduce((total, each, index) => total + countIn(each, index), 0);
  return {
    blocking: sumOf(({ blocking }) => blocking),
    mayBlock: sumOf(({ mayBlock }) => mayBlock),
    questions: sumOf(({ questions }) => questions.filter(({ answer }) => answer === null).length),
    answered: sumOf(({ questions }) => questions.filter(({ answer }) => answer !== null).length),
    ready: sumOf(({ ready }) => ready.length),
    waiting: sumOf(({ waiting }) => waiting.length),
    byHand: sumOf(({ byHand }) => byHand.length),
    mayStay: sumOf(({ byHand }) => byHand.filter(({ mayStay }) => mayStay).length),
    steps: sumOf(({ onServer }, index) => tasksOf(onServer).filter((task) => !isTicked(index, task)).length),
  };
}

/**
 * The numbers of items that are not done, in the configurations that a server reads
 * (`isConfigurationRead`, by their index). If a server reads none of them, the numbers for all
 * other files. The two are not added up, because no button changes both.
 */
export function countsOfReadFiles(
  configurations: readonly CountedPlan[],
  isConfigurationRead: (index: number) => boolean,
  isTicked: IsTicked = NOTHING_TICKED,
): PlanCounts {
  const readConfigurations = configurations
    .map((each, index) => ({ each, index }))
    .filter(({ index }) => isConfigurationRead(index));
  if (readConfigurations.length === 0) return planCounts(configurations, isTicked);
  return planCounts(
    readConfigurations.map(({ each }) => each),
    (at, task) => isTicked(readConfigurations[at]!.index, task),
  );
}

/** The number of changes by hand that have a suggestion. */
export function suggestionCount(
  configurations: readonly { readonly byHand: readonly { readonly suggestion?: string }[] }[],
): number {
  return configurations.flatMap(({ byHand }) => byHand).filter(({ suggestion }) => suggestion !== undefined).length;
}

/** The number of items of all kinds that are not done. */
export function remainingCount({ questions, ready, waiting, byHand, steps }: PlanCounts): number {
  return questions + ready + waiting + byHand + steps;
}

/** Whether the files need no further changes, apart from changes by hand. */
export function areFilesDone({ blocking, questions, ready, waiting }: PlanCounts): boolean {
  return blocking + questions + ready + waiting === 0;
}

/**
 * The numbers with their nouns (`3 blocking`), in the same order everywhere. Zeros are left out,
 * except for `0 blocking`. If problems may block, their number replaces `0 blocking`.
 */
export function countsWithNouns({
  blocking,
  mayBlock,
  questions,
  ready,
  waiting,
  byHand,
  steps,
}: PlanCounts): string[] {
  return [
    blocking === 0 && mayBlock > 0 ? `${countText(mayBlock, 'problem')} may block httpd 2.4` : `${blocking} blocking`,
    questions > 0 ? `${countText(questions, 'question')} open` : '',
    ready > 0 ? `${countText(ready, 'fix', 'fixes')} ready` : '',
    waiting > 0 ? `${countText(waiting, 'fix', 'fixes')} ${waiting === 1 ? 'waits' : 'wait'} for an answer` : '',
    byHand > 0 ? `${byHand} by hand` : '',
    steps > 0 ? `${countText(steps, 'step')} on the server` : '',
  ].filter(Boolean);
}

/**
 * The state of the upgrade as a text that all surfaces show. `placeText`: which files were counted,
 * in words. `hasMainFile`: whether there is a main configuration file, because only such a file can
 * be verified.
 */
export function stateText(
  state: PlanState,
  figures: PlanCounts,
  placeText = 'in the files',
  hasMainFile = true,
): string {
  const text = shortStateText(state, figures, placeText, hasMainFile);
  if (state !== 'steps' || areFilesDone(figures)) return text;
  return `${text}${figures.mayBlock > 0 ? ';' : ', but'} ${openItemsText(figures)}`;
}

/** Like `stateText`, without the open questions and fixes, for texts that name these elsewhere. */
export function shortStateText(
  state: PlanState,
  figures: PlanCounts,
  placeText = 'in the files',
  hasMainFile = true,
): string {
  const { blocking, mayBlock, steps } = figures;
  if (state === 'accepted') return 'httpd -t accepts it';
  if (state === 'blocking')
    return `${countText(blocking, 'problem')} ${placeText} ${blocking === 1 ? 'blocks' : 'block'} httpd 2.4`;
  if (!areFilesDone(figures))
    return mayBlock > 0
      ? `${countText(mayBlock, 'problem')} ${placeText} may block httpd 2.4`
      : `No problem ${placeText} blocks httpd 2.4`;
  const remainingTexts = [steps > 0 ? `${countText(steps, 'step')} on the server` : '', ...byHandTexts(figures)].filter(
    Boolean,
  );
  if (remainingTexts.length > 0) return `Ready after ${joinedWithAnd(remainingTexts)}`;
  return hasMainFile ? 'No change is left: verify the files' : 'No change is left';
}

/**
 * What is left to do by hand, as texts: the changes, and the lines that the user only checks. Empty
 * if nothing is left.
 */
export function byHandTexts({ byHand, mayStay }: Pick<PlanCounts, 'byHand' | 'mayStay'>): string[] {
  return [
    byHand > mayStay ? `${countText(byHand - mayStay, 'change')} by hand` : '',
    mayStay > 0 ? `${countText(mayStay, 'check')} by hand` : '',
  ].filter(Boolean);
}

/** The questions without an answer. */
export function openQuestions<Q extends Pick<CountedQuestion, 'answer'>>({
  questions,
}: {
  readonly questions: readonly Q[];
}): readonly Q[] {
  return questions.filter(({ answer }) => answer === null);
}

/**
 * What an answer changes, as text: how many fixes it makes ready, and how many fixes also wait for
 * other answers. Empty if no fix waits for the answer.
 */
export function effectText(
  { id, answers }: Pick<CountedQuestion, 'id' | 'answers'>,
  value: string,
  plan: {
    readonly questions: readonly Pick<CountedQuestion, 'id' | 'answer'>[];
    readonly waiting: readonly { readonly waitsFor: readonly string[] }[];
  },
): string {
  const readyCount = answers.find((each) => each.value === value)?.ready ?? 0;
  if (readyCount === 0) return '';
  const idsOfOpenQuestions = new Set(openQuestions(plan).map((each) => each.id));
  const waitingFixes = plan.waiting.filter(({ waitsFor }) => waitsFor.includes(id));
  const sharedCount = waitingFixes.filter(({ waitsFor }) =>
    waitsFor.some((each) => each !== id && idsOfOpenQuestions.has(each)),
  ).length;
  const readyCountAlone = Math.max(0, readyCount - sharedCount);
  const readyText =
    readyCount < waitingFixes.length
      ? `${readyCountAlone} of ${waitingFixes.length} fixes`
      : countText(readyCountAlone, 'fix', 'fixes');
  return [
    readyCountAlone > 0 ? `makes ${readyText} ready${otherLinesText(waitingFixes.length - readyCount)}` : '',
    sharedCount > 0
      ? `${countText(sharedCount, 'fix', 'fixes')} then still ${sharedCount === 1 ? 'needs' : 'need'} other answers`
      : '',
  ]
    .filter(Boolean)
    .join('; ');
}

/** What an answer leaves as it is: the lines of the fixes that it does not make ready. */
function otherLinesText(fixCount: number): string {
  if (fixCount <= 0) return '';
  return fixCount === 1
    ? '; 1 line stays as it is: plan then names it, and says what to do'
    : `; ${fixCount} lines stay as they are: plan then names them, and says what to do`;
}

/** The questions and fixes that are not done in the files, as text. */
function openItemsText({ questions, ready, waiting }: PlanCounts): string {
  const itemTexts = [
    questions > 0 ? `${countText(questions, 'question')} ${questions === 1 ? 'is' : 'are'} open` : '',
    ready > 0 ? `${countText(ready, 'fix', 'fixes')} ${ready === 1 ? 'is' : 'are'} ready` : '',
    waiting > 0 ? `${countText(waiting, 'fix', 'fixes')} ${waiting === 1 ? 'waits' : 'wait'} for an answer` : '',
  ];
  return joinedWithAnd(itemTexts.filter(Boolean));
}

/** Texts in one row: `a, b and c`. */
function joinedWithAnd(texts: readonly string[]): string {
  return texts.join(', ').replace(/, ([^,]*)$/, ' and $1');
}

/**
 * The state of all configurations together. It is that of the configuration that is furthest from
 * `accepted`.
 */
export function stateOfAll(configurations: readonly Pick<CountedPlan, 'state'>[]): PlanState {
  const hasState = (wanted: PlanState) => configurations.some(({ state }) => state === wanted);
  return hasState('blocking') ? 'blocking' : hasState('steps') || configurations.length === 0 ? 'steps' : 'accepted';
}

// ---------------------------------------------------------------------------------------------------------------------

/** The number with its noun. `several`: the plural of the noun. */
function countText(number: number, noun: string, several = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : several}`;
}
