/**
 * Makes the items of the plan view from the upgrade plan: labels, counts, places. All functions are
 * pure, so that tests can call them. plan-view.ts shows the items.
 */
import { tasksOf, type OnServerItem } from '../../server/src/analysis/server-tasks';
import {
  planCounts,
  countsOfReadFiles,
  countsWithNouns,
  effectText,
  openQuestions,
  remainingCount,
  stateOfAll,
  stateText,
  type PlanCounts,
} from '../../server/src/analysis/plan-figures';
import type { ConfigurationPlan, PlanPlace, PlanQuestion } from '../../server/src/analysis/upgrade-plan';
import { isConfigurationDone, taskKey } from '../../server/src/features/remembered-tasks';
import type { IncludeTreeRow } from '../../server/src/lsp/navigation';
import type { ConfigurationOfReply, PlanReply } from '../../server/src/lsp/plans';
import { groupedBy } from '../../server/src/syntax/groups';

export type { ConfigurationOfReply, PlanReply };

/** A fix, with the fields by which the server finds it again. */
export interface FixItem extends PlanPlace {
  readonly rule: string;
  readonly title: string;
  /** The directive that the fix changes, as spelled in the file. */
  readonly directive?: string;
}

/**
 * What an item is about. The commands of the view use it to find out what to do. `root` is the URI
 * of a main file; null for files that no configuration reads.
 */
export type ItemSubject =
  | { readonly kind: 'configuration'; readonly root: string | null }
  | { readonly kind: 'question'; readonly root: string | null; readonly id: string }
  /** Fixes that are ready. */
  | { readonly kind: 'fixes'; readonly root: string | null; readonly items: readonly FixItem[] }
  /** A finding of a rule. */
  | { readonly kind: 'finding'; readonly rule: string }
  /** A task on the server. */
  | { readonly kind: 'task'; readonly key: string; readonly id: string; readonly commands: readonly string[] }
  /** The files that no server reads. */
  | { readonly kind: 'dormant' }
  | { readonly kind: 'nothing' };

/** A row of the plan view, with the rows below it. */
export interface PlanItem {
  /**
   * Stays the same in each new plan, so that the editor knows whether the user expanded the item.
   */
  readonly id: string;
  /** A short text: a side bar of 300 pixels shows about 30 characters. */
  readonly label: string;
  /** The full text of label and description, for screen readers. */
  readonly accessibleText?: string;
  readonly description?: string;
  readonly tooltip?: string;
  /** The icon; '' if the checkbox is enough. */
  readonly icon: string;
  readonly colour?: 'error' | 'warning' | 'done' | 'waiting';
  /** The context value, which decides about the item's menu. */
  readonly context: string;
  /** Whether the children are shown at first. */
  readonly isExpanded?: boolean;
  /** Whether the user has ticked off the task; undefined for an item without a checkbox. */
  readonly isTicked?: boolean;
  readonly place?: { readonly uri: string; readonly line: number };
  /** The command that a click runs; undefined if a click goes to `place`. */
  readonly command?: string;
  readonly subject: ItemSubject;
  readonly rule?: string;
  readonly children: readonly PlanItem[];
}

/** The view shows the findings of this rule in a group of their own. */
const RULE_OF_DEFAULTS = 'changed-defaults';

/** The keys (`taskKey`) of the tasks that the user has ticked off. */
export type TickedKeys = ReadonlySet<string>;

/** The data that the view shows in addition to the plan. */
export interface ViewMemory {
  readonly tickedKeys?: TickedKeys;
  /**
   * The keys (`questionKey`) of questions in the order in which they were first shown, so that rows
   * keep their places.
   */
  readonly shownOrder?: readonly string[];
  /** The result of the last `httpd -t` for each main file, by its URI. */
  readonly checkByMainFile?: ReadonlyMap<string, CheckCounts>;
}

/** How many messages a real httpd had about a configuration. */
export interface CheckCounts {
  readonly errorCount: number;
  /** How many of the errors come from tasks on the server that are not done. */
  readonly openTaskErrorCount: number;
  /** How many lines could not be checked on this machine. */
  readonly uncheckedCount: number;
}

/** The items at the top level of the view, one for each configuration. */
export function planItems(reply: PlanReply, memory: ViewMemory = {}): PlanItem[] {
  const placeNames = new PlaceNames(reply.uris);
  const hasMainFile = reply.configurations.some(({ uri }) => uri !== null);
  const configurationItems = reply.plan.configurations
    .map((plan, index) => ({ plan, configuration: reply.configurations[index]! }))
    // Files that no configuration reads come last.
    .sort((a, b) => Number(a.configuration.uri === null) - Number(b.configuration.uri === null))
    .map(({ plan, configuration }) =>
      configurationItem({
        plan,
        configuration,
        placeNames,
        memory,
        isForUnreadFiles: hasMainFile && configuration.uri === null,
      }),
    );
  return configurationItems.length === 1 ? [{ ...configurationItems[0]!, isExpanded: true }] : configurationItems;
}

/**
 * The counts of a plan, as every part of the editor shows them. Not counted: tasks that the user
 * has ticked off, and files that no configuration reads. Those files have a row with counts of
 * their own.
 */
export function countsWithoutTicked(
  { plan, configurations }: PlanReply,
  tickedKeys: TickedKeys = new Set(),
): PlanCounts {
  return countsOfReadFiles(
    plan.configurations,
    (index) => configurations[index]!.uri !== null,
    (index, task) => tickedKeys.has(taskKey(configurations[index]!.uri, task)),
  );
}

/**
 * The progress of the upgrade as a text with a bar. It compares the number of items that are left
 * with `mostLeft`, the largest number that was ever left.
 */
export function progressText(counts: PlanCounts, mostLeft: number): string {
  const doneCount = Math.max(0, mostLeft - remainingCount(counts));
  const percent = mostLeft === 0 ? 100 : Math.floor((doneCount * 100) / mostLeft);
  const bar = '▰'.repeat(Math.floor(percent / 10)) + '▱'.repeat(10 - Math.floor(percent / 10));
  // In a narrow view, the line breaks only after a dot.
  return [`${bar} ${percent} %`, ...countsWithNouns(counts)].map((part) => part.replaceAll(' ', '\u00a0')).join(' · ');
}

/**
 * The plan as if a question had this answer (null: no answer), so that the view shows the answer
 * before the server has made a new plan.
 */
export function withAnswer(reply: PlanReply, { id, answersIn, value }: NewAnswer): PlanReply {
  const configurations = reply.plan.configurations.map((plan, index) =>
    reply.configurations[index]!.answersIn !== answersIn
      ? plan
      : {
          ...plan,
          questions: plan.questions.map((question) => (question.id === id ? { ...question, answer: value } : question)),
        },
  );
  return { ...reply, plan: { ...reply.plan, configurations } };
}

/** An answer that the user gave and that the server may not know yet. */
export interface NewAnswer {
  readonly id: string;
  /** The URI of the `.httpd-upgrade.json` that the answer is written to. */
  readonly answersIn: string;
  readonly value: string | null;
}

/**
 * Returns a key that identifies a question among the questions of all configurations. `root`: the
 * URI of the main file; null for files that no configuration reads.
 */
export function questionKey(root: string | null, id: string): string {
  return `${root ?? ''}\n${id}`;
}

/**
 * The keys of all questions in the order of the view: first the questions in `shownBefore`, then
 * the new questions.
 */
export function questionOrder({ plan, configurations }: PlanReply, shownBefore: readonly string[]): readonly string[] {
  const currentKeys = configurations.flatMap(({ uri, answers }, index) =>
    [...plan.configurations[index]!.questions, ...answers].map(({ id }) => questionKey(uri, id)),
  );
  return [...new Set([...shownBefore, ...currentKeys])];
}

/** Describes what the answer `value` changes, also if it leaves the lines as they are. */
export function effectOf(
  question: PlanQuestion,
  value: string,
  plan: Pick<ConfigurationPlan, 'questions' | 'waiting'>,
): string {
  const text = effectText(question, value, plan);
  return text === '' && value === 'keep' ? 'the lines that wait for the answer stay as they are' : text;
}

/** The state of the plan, for the status bar. */
export interface PlanState {
  readonly text: string;
  /** Whether a real `httpd -t` has accepted all configurations. */
  readonly isAccepted: boolean;
  /** How many problems prevent a start of the 2.4 server. */
  readonly blockingCount: number;
}

/** The state of all configurations together, without the tasks that the user has ticked off. */
export function planState(reply: PlanReply, tickedKeys: TickedKeys = new Set()): PlanState {
  const counts = countsWithoutTicked(reply, tickedKeys);
  const configurations = reply.plan.configurations.filter((_, index) => reply.configurations[index]!.uri !== null);
  const overallState = stateOfAll(configurations);
  return {
    text: stateText(overallState, counts),
    isAccepted: overallState === 'accepted' && counts.blocking === 0,
    blockingCount: counts.blocking,
  };
}

/** The texts at the end of a plan: whether everything is done, and what is still left. */
export function endTexts(
  plan: ConfigurationPlan,
  configuration: Pick<ConfigurationOfReply, 'uri' | 'answers'>,
  { tickedKeys = new Set(), checkByMainFile }: ViewMemory = {},
): string[] {
  const answerCount = configuration.answers.filter(({ question }) => question !== null).length;
  const statementTexts = [
    '0 blocking, 0 questions open',
    answerCount === 0 ? 'No answers were needed' : `Depends on ${countWithNoun(answerCount, 'answer')}`,
  ];
  if (plan.byHand.length > 0) statementTexts.push(`${plan.byHand.length} to check by hand`);
  const taskCount = tasksOf(plan.onServer).length;
  const openCount = openTasks(plan, configuration, tickedKeys).length;
  if (taskCount > 0)
    statementTexts.push(
      openCount === 0
        ? `${countWithNoun(taskCount, 'step')} on the server done`
        : `${openCount} of ${countWithNoun(taskCount, 'step')} on the server left`,
    );
  const lastCheck = configuration.uri === null ? undefined : checkByMainFile?.get(configuration.uri);
  if (lastCheck && plan.state !== 'accepted') statementTexts.push(checkText(lastCheck));
  return statementTexts;
}

/** The result of a check with a real httpd, in one line. */
export function checkText({ errorCount, openTaskErrorCount, uncheckedCount }: CheckCounts): string {
  if (errorCount === 0)
    return uncheckedCount === 0
      ? 'httpd -t accepts it'
      : `httpd -t: ${countWithNoun(uncheckedCount, 'line')} not checked here`;
  const causeText =
    openTaskErrorCount === 0
      ? ''
      : openTaskErrorCount === errorCount
        ? ', all from open steps'
        : `, ${openTaskErrorCount} from open steps`;
  return `httpd -t: ${countWithNoun(errorCount, 'error')}${causeText}`;
}

/** The tasks on the server that the user has not ticked off. */
function openTasks(
  { onServer }: ConfigurationPlan,
  { uri }: Pick<ConfigurationOfReply, 'uri'>,
  tickedKeys: TickedKeys,
): readonly OnServerItem[] {
  return tasksOf(onServer).filter((item) => !tickedKeys.has(taskKey(uri, item)));
}

/** A place as text: `conf/httpd.conf:317`. */
export function placeText({ file, line }: PlanPlace): string {
  return `${file}:${line + 1}`;
}

/** How many fixes wait for the answer to a question: `2 fixes wait`; '' if none does. */
export function waitingFixesText({ answers }: PlanQuestion): string {
  const waitingFixCount = Math.max(0, ...answers.map(({ ready }) => ready));
  return waitingFixCount === 0
    ? ''
    : `${countWithNoun(waitingFixCount, 'fix', 'fixes')} ${waitingFixCount === 1 ? 'waits' : 'wait'}`;
}

/** A count with its noun: `1 fix`, `2 fixes`. */
export function countWithNoun(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Finds the URI and the short name of each place in a plan. */
class PlaceNames {
  /** How many files of the plan have each name. */
  private readonly countByName = new Map<string, number>();

  constructor(private readonly uris: PlanReply['uris']) {
    for (const file of Object.keys(uris)) {
      const fileName = fileNameOf(file);
      this.countByName.set(fileName, (this.countByName.get(fileName) ?? 0) + 1);
    }
  }

  /** The place with the URI of its file; undefined if the plan has no URI for the file. */
  placeOf({ file, line }: PlanPlace): PlanItem['place'] {
    const uri = this.uris[file];
    return uri === undefined ? undefined : { uri, line };
  }

  /**
   * The name of the file and the line, such as `ssl.conf:12`. If several files of the plan have
   * this name, the directory is added. The tooltip has the full path.
   */
  shortName(place: PlanPlace): string {
    const isNameUnique = (this.countByName.get(fileNameOf(place.file)) ?? 0) < 2;
    return placeText({
      ...place,
      file: isNameUnique ? fileNameOf(place.file) : place.file.split('/').slice(-2).join('/'),
    });
  }
}

/** The last part of a path. */
function fileNameOf(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1);
}

/** The places for a tooltip, one on each line. */
function placesText(places: readonly PlanPlace[]): string {
  return places.map(placeText).join('\n');
}

const NO_SUBJECT: ItemSubject = { kind: 'nothing' };

/** What the item of a configuration is made from. */
interface ShownConfiguration {
  readonly plan: ConfigurationPlan;
  readonly configuration: ConfigurationOfReply;
  readonly placeNames: PlaceNames;
  readonly memory: ViewMemory;
  /**
   * Whether these are the files that no configuration reads. False if the plan has no
   * configuration.
   */
  readonly isForUnreadFiles: boolean;
}

/**
 * The item of one configuration, with a group for each part of its plan. The ids of the groups and
 * of their rows begin with the id of this item: the parameter `idPrefix` of the functions below.
 */
function configurationItem(configurationToShow: ShownConfiguration): PlanItem {
  const { plan, configuration, placeNames, memory, isForUnreadFiles } = configurationToShow;
  const root = configuration.uri;
  const idPrefix = root ?? 'lone';
  const isAllDone = root !== null && isConfigurationDone(plan);
  const tickedKeys = memory.tickedKeys ?? new Set<string>();
  const counts = planCounts([plan], (_, task) => tickedKeys.has(taskKey(root, task)));
  const isAccepted = isAllDone && plan.state === 'accepted';
  const groups = [
    ...(isAllDone ? [endItem(idPrefix, configurationToShow, counts)] : []),
    isForUnreadFiles ? null : reviewItem(idPrefix, root, plan),
    questionsGroup(idPrefix, plan, configuration, placeNames, memory.shownOrder ?? []),
    readyGroup(idPrefix, root, plan, placeNames),
    waitingGroup(idPrefix, plan, placeNames),
    byHandGroup(idPrefix, plan, placeNames),
    defaultsGroup(idPrefix, plan, placeNames),
    serverTasksGroup(isAllDone ? `${idPrefix} end` : idPrefix, root, plan, placeNames, tickedKeys, isAllDone),
    filesGroup(idPrefix, configuration, placeNames),
    dormantGroup(idPrefix, plan, placeNames),
  ].flatMap((group) => group ?? []);
  return {
    id: idPrefix,
    label:
      root !== null ? plan.root : isForUnreadFiles ? 'Files that no configuration reads' : 'No main configuration file',
    description: isForUnreadFiles
      ? String(configuration.files.length)
      : plan.blocking > 0
        ? `${plan.blocking} blocking`
        : countWithNoun(plan.files, 'file'),
    tooltip:
      root === null
        ? 'No main configuration file (httpd.conf or apache2.conf) in this workspace includes these files. They are not changed together with the configurations.'
        : [
            `Upgrade of ${plan.root} (${countWithNoun(plan.files, 'file')}) from httpd 2.2 to 2.4`,
            stateText(plan.state, counts),
            countsWithNouns(counts).join(' · '),
          ].join('\n'),
    icon: isAccepted ? 'pass-filled' : root === null ? 'files' : 'server-environment',
    colour: isAccepted ? 'done' : plan.blocking > 0 && !isForUnreadFiles ? 'error' : undefined,
    context: `configuration${isForUnreadFiles ? '.unread' : ''}${plan.ready.length > 0 ? '.ready' : ''}`,
    isExpanded: root !== null,
    place: root === null ? undefined : { uri: root, line: 0 },
    subject: { kind: 'configuration', root },
    children: groups,
  };
}

/** The row of the main action, which is to review the ready fixes. Null if no fix is ready. */
function reviewItem(idPrefix: string, root: string | null, plan: ConfigurationPlan): PlanItem | null {
  if (plan.ready.length === 0) return null;
  return {
    id: `${idPrefix} review`,
    label: `Review ${countWithNoun(plan.ready.length, 'fix', 'fixes')}…`,
    tooltip: `Preview all fixes of ${plan.root} that are ready, then apply them. Nothing is written before you confirm.`,
    icon: 'check-all',
    context: 'review',
    command: 'httpdUpgrade.applyItem',
    subject: { kind: 'configuration', root },
    children: [],
  };
}

/** Whether a text of `endTexts` says that nothing is left to do. */
function isDoneText(text: string): boolean {
  return /^0 blocking|^Depends on|^No answers|done$|accepts it$/.test(text);
}

/**
 * The item that says that nothing is left to fix, with the facts that show it and the next steps.
 * The configuration must have a main file.
 */
function endItem(idPrefix: string, { plan, configuration, memory }: ShownConfiguration, counts: PlanCounts): PlanItem {
  const textsOfEnd = endTexts(plan, configuration, memory);
  const isAccepted = plan.state === 'accepted';
  const stepItem = (name: string, label: string, icon: string, command: string, tooltip: string): PlanItem => ({
    id: `${idPrefix} ${name}`,
    label,
    icon,
    command,
    tooltip,
    context: 'step',
    subject: { kind: 'configuration', root: configuration.uri },
    children: [],
  });
  return {
    id: `${idPrefix} end`,
    label: stateText(plan.state, counts),
    tooltip: textsOfEnd.join('; '),
    icon: isAccepted ? 'pass-filled' : 'list-ordered',
    colour: isAccepted ? 'done' : 'warning',
    context: 'end',
    isExpanded: true,
    subject: NO_SUBJECT,
    children: [
      ...textsOfEnd.map(
        (text, index): PlanItem => ({
          id: `${idPrefix} end ${index}`,
          label: text,
          icon: isDoneText(text) ? 'check' : 'info',
          colour: isDoneText(text) ? 'done' : undefined,
          context: 'end',
          place: { uri: configuration.uri!, line: 0 },
          subject: NO_SUBJECT,
          children: [],
        }),
      ),
      stepItem(
        'verify',
        'Verify with httpd -t',
        'verified',
        'httpdUpgrade.verify',
        'Let a real httpd 2.4 read the configuration. This starts no server.',
      ),
      stepItem(
        'report',
        'Save report…',
        'save',
        'httpdUpgrade.saveReport',
        'The report is one page for the person who approves the upgrade.',
      ),
    ],
  };
}

/**
 * The group of questions, open or answered, in the order of the keys in `shownOrder` (see
 * `questionOrder`). Null if there are none.
 */
function questionsGroup(
  idPrefix: string,
  plan: ConfigurationPlan,
  configuration: ConfigurationOfReply,
  placeNames: PlaceNames,
  shownOrder: readonly string[],
): PlanItem | null {
  const root = configuration.uri;
  const rankByKey = new Map(shownOrder.map((key, index) => [key, index]));
  const rankOf = ({ subject }: PlanItem) =>
    (subject.kind === 'question' ? rankByKey.get(questionKey(root, subject.id)) : undefined) ?? rankByKey.size;
  const children = [
    ...plan.questions.map((question) => questionItem(idPrefix, root, plan, question, placeNames)),
    ...unneededAnswerItems(idPrefix, plan, configuration),
  ].sort((a, b) => rankOf(a) - rankOf(b));
  if (children.length === 0) return null;
  const openCount = openQuestions(plan).length;
  return groupItem(
    idPrefix,
    'questions',
    'Questions',
    openCount === 0 ? 'all answered' : `${openCount} open`,
    'comment-discussion',
    children,
    { isExpanded: openCount > 0, tooltip: 'Each question appears once, for all fixes that wait for the answer.' },
  );
}

/** The item of a question: open with the number of fixes that wait for it, or with its answer. */
function questionItem(
  idPrefix: string,
  root: string | null,
  plan: ConfigurationPlan,
  question: PlanQuestion,
  placeNames: PlaceNames,
): PlanItem {
  const { answers, answer } = question;
  const [firstPlace] = question.places;
  const chosenAnswer = answers.find(
    ({ value }) => value === answer || (value.endsWith('=') && answer?.startsWith(value)),
  );
  const waitingText = waitingFixesText(question);
  return {
    id: `${idPrefix} question ${question.id}`,
    label: question.title,
    accessibleText: joinedWithCommas(
      question.question,
      answer === null ? waitingText : `answered: ${chosenAnswer?.label ?? answer}`,
    ),
    description: answer === null ? waitingText : shortAnswer(chosenAnswer?.label ?? answer),
    tooltip: [
      question.question,
      answer === null ? effectOf(question, answers[0]!.value, plan) : `answered: ${chosenAnswer?.label ?? answer}`,
      question.why,
      `Find out: ${question.findOut}`,
    ]
      .filter(Boolean)
      .join('\n\n'),
    icon: answer === null ? 'question' : 'pass',
    colour: answer === null ? 'warning' : 'done',
    context: answer === null ? 'question.open' : 'question.answered',
    command: 'httpdUpgrade.answerQuestion',
    place: firstPlace && placeNames.placeOf(firstPlace),
    subject: { kind: 'question', root, id: question.id },
    children: [],
  };
}

/**
 * The group of fixes that are ready, with equal fixes together in one row. Null if there are none.
 */
function readyGroup(
  idPrefix: string,
  root: string | null,
  plan: ConfigurationPlan,
  placeNames: PlaceNames,
): PlanItem | null {
  if (plan.ready.length === 0) return null;
  const children = groupedByLabel(plan.ready).map((items): PlanItem => {
    const firstFix = items[0]!; // A group has at least one item.
    const dependsText =
      firstFix.restsOn.length === 0 ? '' : `\n\nDepends on the answer to ${firstFix.restsOn.join(', ')}.`;
    const fixItem = (item: (typeof items)[number], label: string, description: string): PlanItem => ({
      id: `${idPrefix} ready ${item.rule} ${placeText(item)} ${item.title}`,
      label,
      accessibleText: label === placeText(item) ? label : joinedWithCommas(label, description),
      description,
      tooltip: `${item.title} [${item.rule}]\n${placeText(item)}${dependsText}`,
      icon: 'wand',
      context: 'fix',
      place: placeNames.placeOf(item),
      subject: { kind: 'fixes', root, items: [fixIdentity(item)] },
      rule: item.rule,
      children: [],
    });
    if (items.length === 1) return fixItem(firstFix, fixLabel(firstFix), placeNames.shortName(firstFix));
    return {
      id: `${idPrefix} ready ${firstFix.rule} ${fixLabel(firstFix)}`,
      label: fixLabel(firstFix),
      accessibleText: joinedWithCommas(fixLabel(firstFix), countWithNoun(items.length, 'place')),
      description: countWithNoun(items.length, 'place'),
      tooltip: `${firstFix.title} [${firstFix.rule}]${dependsText}`,
      icon: 'wand',
      context: 'fix.group',
      subject: { kind: 'fixes', root, items: items.map(fixIdentity) },
      rule: firstFix.rule,
      children: items.map((item) => fixItem(item, placeText(item), '')),
    };
  });
  const subject: ItemSubject = { kind: 'configuration', root };
  return groupItem(
    idPrefix,
    'ready',
    'Ready',
    countWithNoun(plan.ready.length, 'fix', 'fixes'),
    'checklist',
    children,
    {
      context: 'group.ready',
      subject,
      isExpanded: true,
      tooltip: 'Safe fixes, and fixes whose question is answered. You see all changes before they are written.',
    },
  );
}

/**
 * The group of fixes that wait for an answer, with equal fixes together. Null if there are none.
 */
function waitingGroup(idPrefix: string, plan: ConfigurationPlan, placeNames: PlaceNames): PlanItem | null {
  if (plan.waiting.length === 0) return null;
  const textOfQuestion = new Map(plan.questions.map((question) => [question.id, question.question]));
  const questionsOf = ({ waitsFor }: (typeof plan.waiting)[number]) =>
    waitsFor.map((each) => textOfQuestion.get(each) ?? each).join(' ');
  const fixItem = (
    item: (typeof plan.waiting)[number],
    index: number,
    label: string,
    description: string,
  ): PlanItem => ({
    id: `${idPrefix} waiting ${index} ${item.rule} ${placeText(item)}`,
    label,
    accessibleText: joinedWithCommas(label, description, `waits for: ${questionsOf(item)}`),
    description,
    tooltip: `${item.title}\n${placeText(item)}\nWaits for: ${questionsOf(item)}`,
    icon: 'watch',
    colour: 'waiting',
    context: 'finding',
    place: placeNames.placeOf(item),
    subject: { kind: 'finding', rule: item.rule },
    rule: item.rule,
    children: [],
  });
  const children = groupedByLabel(plan.waiting).map((items): PlanItem => {
    const firstFix = items[0]!;
    const indexOf = (item: (typeof items)[number]) => plan.waiting.indexOf(item);
    if (items.length === 1)
      return fixItem(firstFix, indexOf(firstFix), fixLabel(firstFix), placeNames.shortName(firstFix));
    return {
      id: `${idPrefix} waiting ${firstFix.rule} ${fixLabel(firstFix)}`,
      label: fixLabel(firstFix),
      description: countWithNoun(items.length, 'place'),
      tooltip: `Waits for: ${questionsOf(firstFix)}`,
      icon: 'watch',
      colour: 'waiting',
      context: 'group',
      subject: NO_SUBJECT,
      children: items.map((item) => fixItem(item, indexOf(item), placeText(item), '')),
    };
  });
  return groupItem(
    idPrefix,
    'waiting',
    'Waiting',
    countWithNoun(plan.waiting.length, 'fix', 'fixes'),
    'watch',
    children,
    {
      tooltip: 'Fixes that wait for the answer to a question.',
    },
  );
}

/** The group of changes by hand, but for changed defaults. Null if there are none. */
function byHandGroup(idPrefix: string, plan: ConfigurationPlan, placeNames: PlaceNames): PlanItem | null {
  const itemsByHand = plan.byHand.filter(({ rule }) => rule !== RULE_OF_DEFAULTS);
  if (itemsByHand.length === 0) return null;
  return groupItem(
    idPrefix,
    'byHand',
    'By hand',
    String(itemsByHand.length),
    'tools',
    byHandItems(idPrefix, itemsByHand, placeNames),
    {
      isExpanded: true,
      tooltip: ['Change these lines by hand: there is no safe fix for them.', plan.forBothVersions]
        .filter(Boolean)
        .join('\n'),
    },
  );
}

/** The group of changes by hand because of changed defaults. Null if there are none. */
function defaultsGroup(idPrefix: string, plan: ConfigurationPlan, placeNames: PlaceNames): PlanItem | null {
  const defaultsByHand = plan.byHand.filter(({ rule }) => rule === RULE_OF_DEFAULTS);
  if (defaultsByHand.length === 0) return null;
  return groupItem(
    idPrefix,
    'defaults',
    'Changed defaults',
    String(defaultsByHand.length),
    'settings',
    defaultsByHand.map((item, index) => byHandItem(`${idPrefix} defaults ${index}`, item, placeNames)),
    { tooltip: 'Directives that the configuration does not set and that have a new default in httpd 2.4.' },
  );
}

/** The items for changes by hand: one for each reason, with the places as its children. */
function byHandItems(idPrefix: string, items: ConfigurationPlan['byHand'], placeNames: PlaceNames): PlanItem[] {
  const groups = groupedBy(items, (item) => JSON.stringify([item.rule, item.what, item.suggestion, item.help]));
  return [...groups.values()].map((group): PlanItem => {
    const firstOfGroup = group[0]!;
    const rowsOfGroup = group.map((item) => byHandItem(`${idPrefix} byHand ${items.indexOf(item)}`, item, placeNames));
    if (rowsOfGroup.length === 1) return rowsOfGroup[0]!;
    return {
      ...rowsOfGroup[0]!,
      id: `${idPrefix} byHand ${firstOfGroup.rule} ${firstOfGroup.what}`,
      description: countWithNoun(group.length, 'place'),
      tooltip: [`${firstOfGroup.what} [${firstOfGroup.rule}]`, placesText(group), ...actionRows(firstOfGroup)].join(
        '\n',
      ),
      context: 'group',
      place: undefined,
      children: rowsOfGroup.map((row, index) => ({ ...row, label: placeText(group[index]!), description: '' })),
    };
  });
}

/** The item of one change by hand. */
function byHandItem(idPrefix: string, item: ConfigurationPlan['byHand'][number], placeNames: PlaceNames): PlanItem {
  return {
    id: `${idPrefix} ${item.rule} ${placeText(item)}`,
    // In Markdown, backticks mark code; in a list they would be shown.
    label: item.what.replaceAll('`', ''),
    description: placeNames.shortName(item),
    tooltip: [`${item.what} [${item.rule}]`, placeText(item), ...actionRows(item)].join('\n'),
    icon: item.opensFolder ? 'folder-opened' : item.rule === RULE_OF_DEFAULTS ? 'symbol-property' : 'edit',
    context: item.opensFolder ? 'outside' : item.suggestion === undefined ? 'finding' : 'finding.choice',
    ...(item.opensFolder && { command: 'httpdUpgrade.openFolderOf' }),
    place: placeNames.placeOf(item),
    subject: { kind: 'finding', rule: item.rule },
    rule: item.rule,
    children: [],
  };
}

/**
 * The rows of a tooltip that say what to do by hand. Empty if the text of the item already says
 * that.
 */
function actionRows({ suggestion, help }: ConfigurationPlan['byHand'][number]): string[] {
  if (suggestion !== undefined) return [`Suggestion: ${suggestion}`];
  return help === undefined ? [] : [help];
}

/**
 * The group of tasks on the server. It is expanded when everything else is done (`isExpanded`). The
 * editor remembers collapsed items by their ids, so the group then has another id. Null if there
 * are no tasks.
 */
function serverTasksGroup(
  idPrefix: string,
  root: string | null,
  plan: ConfigurationPlan,
  placeNames: PlaceNames,
  tickedKeys: TickedKeys,
  isExpanded: boolean,
): PlanItem | null {
  if (plan.onServer.length === 0) return null;
  const children = plan.onServer.map((item): PlanItem => {
    const { title, commands = [], what, because, isNote } = item;
    const key = taskKey(root, item);
    const locations = because.map((cause) => placeNames.shortName(cause)).join(', ');
    return {
      id: `${idPrefix} onServer ${item.id}`,
      label: title,
      accessibleText: joinedWithCommas(commands.length > 0 ? commands.join('; ') : what, locations),
      description: commands.length > 0 ? commands.join('; ') : locations,
      tooltip: [what, ...commands, placesText(because)].join('\n'),
      icon: isNote ? 'info' : '',
      context: isNote ? 'note' : `task${commands.length > 0 ? '.commands' : ''}${tickedKeys.has(key) ? '.done' : ''}`,
      ...(!isNote && { isTicked: tickedKeys.has(key) }),
      place: because.length > 0 ? placeNames.placeOf(because[0]!) : undefined,
      subject: isNote ? NO_SUBJECT : { kind: 'task', key, id: item.id, commands },
      children: [],
    };
  });
  const doneCount = children.filter(({ isTicked }) => isTicked).length;
  const taskCount = tasksOf(plan.onServer).length;
  return groupItem(
    idPrefix,
    'onServer',
    'On the server',
    doneCount === 0 ? String(taskCount) : `${doneCount} of ${taskCount} done`,
    'server-process',
    children,
    {
      isExpanded,
      tooltip:
        'Tasks on the server. The configuration files do not show whether a task is done: tick its box when you have done it.',
    },
  );
}

/**
 * Answers that are no longer needed, because the fixes that waited for them are done. The user can
 * remove them.
 */
function unneededAnswerItems(
  idPrefix: string,
  plan: ConfigurationPlan,
  configuration: ConfigurationOfReply,
): PlanItem[] {
  const questionIds = new Set(plan.questions.map((question) => question.id));
  return configuration.answers
    .filter((answer) => !questionIds.has(answer.id))
    .map(
      (answer): PlanItem => ({
        id: `${idPrefix} answer ${answer.id}`,
        label: answer.title,
        accessibleText:
          answer.question === null
            ? joinedWithCommas(answer.id, 'there is no such question')
            : joinedWithCommas(answer.question, `answered: ${answer.label}`),
        description: answer.question === null ? 'there is no such question' : shortAnswer(answer.label),
        tooltip:
          answer.question === null
            ? 'Correct the name of the question, or take back the answer.'
            : `${answer.question}\n\nanswered: ${answer.label}\n\nNo fix waits for this answer now.`,
        icon: answer.question === null ? 'warning' : 'pass',
        colour: answer.question === null ? 'warning' : 'done',
        context: 'question.answered',
        command: 'httpdUpgrade.openAnswers',
        subject: { kind: 'question', root: configuration.uri, id: answer.id },
        children: [],
      }),
    );
}

/**
 * The group of files: those that the configuration reads as a tree, and which of them are missing.
 * For files that no configuration reads: a list of them. Null if there are no files.
 */
function filesGroup(idPrefix: string, configuration: ConfigurationOfReply, placeNames: PlaceNames): PlanItem | null {
  if (configuration.uri === null) {
    const children = configuration.files.map(
      (file): PlanItem => ({
        id: `${idPrefix} file ${file}`,
        label: file,
        icon: 'file',
        context: 'file.lone',
        place: placeNames.placeOf({ file, line: 0 }),
        subject: NO_SUBJECT,
        children: [],
      }),
    );
    return children.length === 0
      ? null
      : groupItem(idPrefix, 'files', 'Files', String(children.length), 'files', children, {
          tooltip: 'No configuration in this workspace includes these files.',
        });
  }
  const missingIncludes = configuration.includes.filter(
    ({ detail, row }) => row !== null && /not in this copy|cannot be read/.test(detail),
  );
  const children = nestedItems(idPrefix, configuration.includes);
  const missingItems = missingIncludes.map(
    (row, index): PlanItem => ({
      id: `${idPrefix} missing ${index}`,
      label: row.label,
      description: row.detail,
      icon: 'circle-slash',
      colour: 'warning',
      context: 'missing',
      place: { uri: row.uri, line: row.row ?? 0 },
      subject: NO_SUBJECT,
      children: [],
    }),
  );
  const itemsWithMissing =
    missingItems.length === 0
      ? children
      : [
          ...children,
          groupItem(
            idPrefix,
            'missing',
            'Not in this workspace',
            String(missingItems.length),
            'circle-slash',
            missingItems,
            {
              tooltip: 'Included files that are not in this workspace.',
            },
          ),
        ];
  return itemsWithMissing.length === 0
    ? null
    : groupItem(
        idPrefix,
        'files',
        'Files',
        missingIncludes.length > 0 ? `${countWithNoun(missingIncludes.length, 'Include')} not in this copy` : '',
        'files',
        itemsWithMissing,
        { tooltip: 'The files that the server reads, in the order in which it reads them.' },
      );
}

/** Makes a tree of items from rows with levels: a row is below the last row of the level before. */
function nestedItems(idPrefix: string, rows: readonly IncludeTreeRow[]): PlanItem[] {
  const topItems: PlanItem[] = [];
  const listOfLevel: PlanItem[][] = [topItems];
  rows.forEach(({ level, label, detail, uri, row }, index) => {
    const children: PlanItem[] = [];
    listOfLevel.length = Math.min(listOfLevel.length, level + 1);
    listOfLevel.at(-1)!.push({
      id: `${idPrefix} row ${index}`,
      label,
      description: [row === null ? '' : `line ${row + 1}`, detail].filter(Boolean).join(' · '),
      icon: row === null ? 'file' : 'arrow-small-right',
      context: 'file',
      place: { uri, line: row ?? 0 },
      subject: NO_SUBJECT,
      isExpanded: true,
      children,
    });
    listOfLevel.push(children);
  });
  return topItems;
}

/**
 * The group of files that no server reads. No question is asked about these files, and they are
 * changed only if the user converts this group. Null if there are no such files.
 */
function dormantGroup(idPrefix: string, { dormant = [] }: ConfigurationPlan, placeNames: PlaceNames): PlanItem | null {
  if (dormant.length === 0) return null;
  const oldLineCount = dormant.reduce((sum, each) => sum + each.lines, 0);
  return groupItem(
    idPrefix,
    'dormant',
    'Old lines not read by the server',
    `${countWithNoun(oldLineCount, 'old line')} in ${countWithNoun(dormant.length, 'file')}`,
    'archive',
    dormant.map((each): PlanItem => {
      const startOfFile = { file: each.file, line: 0 };
      return {
        id: `${idPrefix} dormant ${each.file}`,
        label: each.file,
        description: countWithNoun(each.lines, 'old line'),
        icon: 'file',
        context: 'dormant',
        place: placeNames.placeOf(startOfFile),
        subject: NO_SUBJECT,
        children: [],
      };
    }),
    {
      context: 'group.dormant',
      subject: { kind: 'dormant' },
      tooltip:
        'Other fixes do not change these lines. To convert them, apply this group. Each part is converted by itself, without other sections and .htaccess files. It also converts files outside of the directories of the servers.',
    },
  );
}

/** How a group looks and what its commands apply to. */
interface GroupAppearance {
  readonly context?: string;
  readonly subject?: ItemSubject;
  readonly isExpanded?: boolean;
  readonly tooltip?: string;
}

/** The item of a group. `name` is the last part of its id; `children` are its rows. */
function groupItem(
  idPrefix: string,
  name: string,
  label: string,
  description: string,
  icon: string,
  children: readonly PlanItem[],
  { context = 'group', subject = NO_SUBJECT, isExpanded = false, tooltip }: GroupAppearance,
): PlanItem {
  return { id: `${idPrefix} ${name}`, label, description, icon, context, subject, isExpanded, tooltip, children };
}

/** Groups fixes by rule and label, the largest group first. */
function groupedByLabel<Item extends FixItem>(items: readonly Item[]): Item[][] {
  const groups = groupedBy(items, (item) => `${item.rule}\n${fixLabel(item)}`);
  return [...groups.values()].sort((a, b) => b.length - a.length);
}

/** The parts that are not empty, joined with commas. */
function joinedWithCommas(...parts: readonly string[]): string {
  return parts.filter(Boolean).join(', ');
}

/** The short form of an answer: `prefork` for `prefork: processes, as usual in 2.2`. */
function shortAnswer(label: string): string {
  return label.replace(/: .*/s, '');
}

/**
 * The label of a fix, which begins with what it changes: `MaxClients → MaxRequestWorkers`. The
 * tooltip has the whole title.
 */
export function fixLabel({ title }: Pick<FixItem, 'title'>): string {
  return title
    .replaceAll('`', '')
    .replace(/^(?:Rename|Change) (.+?) to (.+)$/, '$1 → $2')
    .replace(/^Remove LoadModule (?=\S)/, 'Remove ')
    .replace(/^Convert the access control of .*/, 'Convert access control')
    .replace(/ instead\b.*/, '');
}

/** A fix with only the fields by which the server finds it again. */
function fixIdentity({ rule, file, line, title, directive }: FixItem): FixItem {
  return { rule, file, line, title, ...(directive !== undefined && { directive }) };
}
