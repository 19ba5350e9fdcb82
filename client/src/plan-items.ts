/**
 * The upgrade plan as items of a tree, for a view: labels, counts, places. Values only, so that tests can read them; plan-view.ts shows them.
 */
import { tasksOf, type OnServerItem } from '../../server/src/analysis/server-tasks';
import type { ConfigurationPlan, PlanPlace, UpgradePlan } from '../../server/src/analysis/upgrade-plan';
import { isDone, openQuestions, taskKey } from '../../server/src/features/remembered-tasks';
import type { IncludeTreeRow } from '../../server/src/lsp/navigation';
import type { ConfigurationPlace, PlanAnswer } from '../../server/src/lsp/plans';

export type { ConfigurationPlace, PlanAnswer };

/** A fix, as the server finds it again. */
export interface FixItem extends PlanPlace {
  readonly rule: string;
  readonly title: string;
}

/** What a command of the view is about. */
export type Subject =
  | { readonly is: 'configuration'; readonly root: string | null }
  | { readonly is: 'question'; readonly root: string | null; readonly id: string }
  /** Ready fixes. */
  | { readonly is: 'fixes'; readonly root: string | null; readonly items: readonly FixItem[] }
  /** What a rule found at a place. */
  | { readonly is: 'finding'; readonly rule: string }
  /** What is to be done on the server. */
  | { readonly is: 'task'; readonly key: string; readonly commands: readonly string[] }
  | { readonly is: 'nothing' };

export interface PlanItem {
  /** The same from plan to plan, so that the view keeps what is open. */
  readonly id: string;
  /** Short: a side bar of 300 pixels shows about 30 characters of it. */
  readonly label: string;
  /** All that label and description stand for, for who hears it. */
  readonly heard?: string;
  readonly description?: string;
  readonly tooltip?: string;
  /** '' where a box is enough. */
  readonly icon: string;
  readonly colour?: 'error' | 'warning' | 'done' | 'waiting';
  /** What menus go by. */
  readonly context: string;
  readonly isOpen?: boolean;
  /** Of a task that a person ticks off; undefined where there is no box. */
  readonly isTicked?: boolean;
  readonly place?: { readonly uri: string; readonly line: number };
  /** A command to run, where it is not to go to the place. */
  readonly command?: string;
  readonly subject: Subject;
  readonly rule?: string;
  readonly children: readonly PlanItem[];
}

/** The rule whose findings have a group of their own. */
const DEFAULTS = 'changed-defaults';

/** What a person has ticked off on the server, by the tasks' keys. */
export type Ticked = ReadonlySet<string>;

export function planItems(answer: PlanAnswer, ticked: Ticked = new Set()): PlanItem[] {
  const places = new Places(answer.uris);
  const items = answer.plan.configurations.map((plan, index) =>
    configurationItem(plan, answer.configurations[index]!, places, ticked),
  );
  // What nothing reads is of interest where there is nothing else.
  return items.length === 1 ? [{ ...items[0]!, isOpen: true }] : items;
}

/** What is left to be done; done is what has been of it. */
export interface Progress {
  readonly left: number;
  readonly done: number;
  readonly text: string;
}

/** `most`: the most that was ever left. */
export function progressOf(
  { blocking, ready, waiting, byHand, questions, answered }: UpgradePlan['summary'],
  most: number,
): Progress {
  const open = questions - answered;
  const left = ready + waiting + byHand;
  const done = Math.max(0, most - left);
  const percent = most === 0 ? 100 : Math.floor((done * 100) / most);
  const bar = '▰'.repeat(Math.floor(percent / 10)) + '▱'.repeat(10 - Math.floor(percent / 10));
  return {
    left,
    done,
    // In a narrow view the line breaks behind a dot.
    text: [`${bar} ${percent} %`, `${blocking} blocking`, `${amount(open, 'question')} open`, `${ready} ready`]
      .map((part) => part.replaceAll(' ', '\u00a0'))
      .join(' · '),
  };
}

/** What the status bar shows: of the configurations that read the file in front; of all of them where none does, or no file is there. */
export interface Standing {
  /** The main files; '' for all. */
  readonly of: string;
  readonly blocking: number;
  /** Nothing is left to do but by hand. */
  readonly isDone: boolean;
}

export function standing({ plan, configurations }: PlanAnswer, isInFront: (uri: string) => boolean): Standing {
  const all = plan.configurations.map((each, index) => ({ plan: each, place: configurations[index]! }));
  const mine = all.filter(
    ({ place }) =>
      place.uri !== null &&
      (isInFront(place.uri) || place.includes.some(({ uri, row }) => row === null && isInFront(uri))),
  );
  const chosen = mine.length > 0 ? mine : all;
  return {
    of: chosen.length < all.length ? mine.map(({ plan: { root } }) => root).join(', ') : '',
    blocking: chosen.reduce((sum, { place }) => sum + place.blocking, 0),
    isDone: chosen.every(
      ({ plan: { ready, waiting, questions } }) =>
        ready.length + waiting.length + openQuestions({ questions }).length === 0,
    ),
  };
}

/** Why it may be said that it is done, and what is left all the same. */
export function endTexts(
  plan: ConfigurationPlan,
  place: Pick<ConfigurationPlace, 'uri' | 'answers'>,
  ticked: Ticked = new Set(),
): string[] {
  const answers = place.answers.filter(({ question }) => question !== null).length;
  const texts = [
    '0 blocking problems, 0 open questions',
    answers === 0 ? 'No answers were needed' : `Depends on ${amount(answers, 'answer')}`,
  ];
  if (plan.byHand.length > 0) texts.push(`${plan.byHand.length} to check by hand`);
  const tasks = tasksOf(plan.onServer).length;
  const left = tasksLeft(plan, place, ticked).length;
  if (tasks > 0)
    texts.push(
      left === 0
        ? `${amount(tasks, 'task')} on the server done`
        : left === tasks
          ? `${amount(tasks, 'task')} on the server`
          : `${left} of ${amount(tasks, 'task')} left on the server`,
    );
  if (needsServer(plan, place, ticked)) texts.push('First run the commands on the server');
  return texts;
}

function tasksLeft(
  { onServer }: ConfigurationPlan,
  { uri }: Pick<ConfigurationPlace, 'uri'>,
  ticked: Ticked,
): readonly OnServerItem[] {
  return tasksOf(onServer).filter((item) => !ticked.has(taskKey(uri, item)));
}

/** 2.4 does not start before a task is done that nobody has ticked off. */
function needsServer(plan: ConfigurationPlan, place: Pick<ConfigurationPlace, 'uri'>, ticked: Ticked): boolean {
  return tasksLeft(plan, place, ticked).some(({ isBlocking }) => isBlocking);
}

/** `conf/httpd.conf:317`. */
export function placeText({ file, line }: PlanPlace): string {
  return `${file}:${line + 1}`;
}

export function amount(count: number, noun: string, several = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : several}`;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Where the files of a plan are, and how a place is named in the little room behind a label. */
class Places {
  private readonly counts = new Map<string, number>();

  constructor(private readonly uris: PlanAnswer['uris']) {
    for (const file of Object.keys(uris)) {
      const name = nameOf(file);
      this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    }
  }

  of({ file, line }: PlanPlace): PlanItem['place'] {
    const uri = this.uris[file];
    return uri === undefined ? undefined : { uri, line };
  }

  /** The file's name, and the directory where several have the same. The tooltip has all of it. */
  short(place: PlanPlace): string {
    const isAlone = (this.counts.get(nameOf(place.file)) ?? 0) < 2;
    return placeText({ ...place, file: isAlone ? nameOf(place.file) : place.file.split('/').slice(-2).join('/') });
  }
}

function nameOf(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1);
}

/** The places for the tooltip, one a line. */
function placesText(places: readonly PlanPlace[]): string {
  return places.map(placeText).join('\n');
}

const NOTHING: Subject = { is: 'nothing' };

function configurationItem(
  plan: ConfigurationPlan,
  place: ConfigurationPlace,
  places: Places,
  ticked: Ticked,
): PlanItem {
  const root = place.uri;
  const id = root ?? 'lone';
  const isEnd = root !== null && isDone(plan, place);
  const groups = [
    ...(isEnd ? [endItem(id, plan, place, ticked)] : []),
    questionsGroup(id, plan, place, places),
    readyGroup(id, root, plan, places),
    waitingGroup(id, plan, places),
    byHandGroup(id, plan, places),
    defaultsGroup(id, plan, places),
    onServerGroup(isEnd ? `${id} end` : id, root, plan, places, ticked, isEnd),
    filesGroup(id, place, places),
  ].flatMap((group) => group ?? []);
  const counts = [
    place.blocking > 0 ? `${place.blocking} blocking` : '',
    isEnd ? (needsServer(plan, place, ticked) ? 'files ready' : 'ready') : '',
  ]
    .filter(Boolean)
    .join(' · ');
  return {
    id,
    label: root === null ? 'No main configuration file' : plan.root,
    description: counts || amount(plan.files, 'file'),
    tooltip:
      root === null
        ? 'No main configuration file (httpd.conf or apache2.conf) in this workspace includes these files.'
        : `Upgrade of ${plan.root} (${amount(plan.files, 'file')}) from httpd 2.2 to 2.4`,
    icon: isEnd ? 'pass-filled' : root === null ? 'files' : 'server-environment',
    colour: isEnd ? 'done' : place.blocking > 0 ? 'error' : undefined,
    context: `configuration${plan.ready.length > 0 ? '.ready' : ''}`,
    isOpen: root !== null,
    place: root === null ? undefined : { uri: root, line: 0 },
    subject: { is: 'configuration', root },
    children: groups,
  };
}

/** Whether nothing is left to do of it. */
function isGood(text: string): boolean {
  return /^0 blocking|^Depends on|^No answers|done$/.test(text);
}

function endItem(id: string, plan: ConfigurationPlan, place: ConfigurationPlace, ticked: Ticked): PlanItem {
  const texts = endTexts(plan, place, ticked);
  const step = (name: string, label: string, icon: string, command: string, tooltip: string): PlanItem => ({
    id: `${id} ${name}`,
    label,
    icon,
    command,
    tooltip,
    context: 'step',
    subject: { is: 'configuration', root: place.uri },
    children: [],
  });
  return {
    id: `${id} end`,
    label: needsServer(plan, place, ticked) ? 'The files are ready for httpd 2.4' : 'Ready for httpd 2.4',
    tooltip: texts.join('; '),
    icon: 'pass-filled',
    colour: 'done',
    context: 'end',
    isOpen: true,
    subject: NOTHING,
    children: [
      ...texts.map(
        (text, index): PlanItem => ({
          id: `${id} end ${index}`,
          label: text,
          icon: isGood(text) ? 'check' : 'info',
          colour: isGood(text) ? 'done' : undefined,
          context: 'end',
          place: { uri: id, line: 0 },
          subject: NOTHING,
          children: [],
        }),
      ),
      step(
        'verify',
        'Check with httpd -t',
        'verified',
        'httpdUpgrade.verify',
        'Let a real httpd 2.4 read the configuration. This starts no server.',
      ),
      step(
        'report',
        'Save report…',
        'save',
        'httpdUpgrade.saveReport',
        'The report is one page for the person who approves the upgrade.',
      ),
    ],
  };
}

function questionsGroup(
  id: string,
  plan: ConfigurationPlan,
  place: ConfigurationPlace,
  places: Places,
): PlanItem | null {
  const settled = settledItems(id, plan, place);
  if (plan.questions.length + settled.length === 0) return null;
  const root = place.uri;
  const open = openQuestions(plan).length;
  const children = [...plan.questions]
    .sort((a, b) => Number(a.answer !== null) - Number(b.answer !== null))
    .map((question): PlanItem => {
      const { answers, answer } = question;
      const [first] = question.places;
      const waits = Math.max(0, ...answers.map(({ ready }) => ready));
      const given = answers.find(({ value }) => value === answer || (value.endsWith('=') && answer?.startsWith(value)));
      const waiting = waits > 0 ? `${amount(waits, 'fix', 'fixes')} ${waits === 1 ? 'waits' : 'wait'}` : '';
      return {
        id: `${id} question ${question.id}`,
        label: question.title,
        heard: listed(question.question, answer === null ? waiting : `answered: ${given?.label ?? answer}`),
        description: answer === null ? waiting : shortAnswer(given?.label ?? answer),
        tooltip: [
          question.question,
          answer === null ? '' : `answered: ${given?.label ?? answer}`,
          question.why,
          `Find out: ${question.findOut}`,
        ]
          .filter(Boolean)
          .join('\n\n'),
        icon: answer === null ? 'question' : 'pass',
        colour: answer === null ? 'warning' : 'done',
        context: answer === null ? 'question.open' : 'question.answered',
        command: 'httpdUpgrade.answerQuestion',
        place: first && places.of(first),
        subject: { is: 'question', root, id: question.id },
        children: [],
      };
    });
  return group(
    id,
    'questions',
    'Questions',
    open === 0 ? 'all answered' : `${open} open`,
    'comment-discussion',
    [...children, ...settled],
    { isOpen: open > 0, tooltip: 'Each question appears once, for all fixes that wait for the answer.' },
  );
}

function readyGroup(id: string, root: string | null, plan: ConfigurationPlan, places: Places): PlanItem | null {
  if (plan.ready.length === 0) return null;
  const children = byTitle(plan.ready).map((items): PlanItem => {
    const first = items[0]!; // A group has at least one.
    const rests = first.restsOn.length === 0 ? '' : `\n\nDepends on the answer to ${first.restsOn.join(', ')}.`;
    const leaf = (item: (typeof items)[number], label: string, description: string): PlanItem => ({
      id: `${id} ready ${item.rule} ${placeText(item)} ${item.title}`,
      label,
      heard: label === placeText(item) ? label : listed(item.title, description),
      description,
      tooltip: `${item.title} [${item.rule}]\n${placeText(item)}${rests}`,
      icon: 'wand',
      context: 'fix',
      place: places.of(item),
      subject: { is: 'fixes', root, items: [plain(item)] },
      rule: item.rule,
      children: [],
    });
    if (items.length === 1) return leaf(first, shortTitle(first.title), places.short(first));
    return {
      id: `${id} ready ${first.rule} ${first.title}`,
      label: shortTitle(first.title),
      heard: listed(first.title, amount(items.length, 'place')),
      description: amount(items.length, 'place'),
      tooltip: `${first.title} [${first.rule}]${rests}`,
      icon: 'wand',
      context: 'fix.group',
      subject: { is: 'fixes', root, items: items.map(plain) },
      rule: first.rule,
      children: items.map((item) => leaf(item, placeText(item), '')),
    };
  });
  const subject: Subject = { is: 'configuration', root };
  return group(id, 'ready', 'Ready', amount(plan.ready.length, 'fix', 'fixes'), 'checklist', children, {
    context: 'group.ready',
    subject,
    isOpen: true,
    tooltip: 'Safe fixes, and fixes whose question is answered. You see all changes before they are written.',
  });
}

function waitingGroup(id: string, plan: ConfigurationPlan, places: Places): PlanItem | null {
  if (plan.waiting.length === 0) return null;
  const asked = new Map(plan.questions.map((question) => [question.id, question.question]));
  const children = plan.waiting.map((item, index): PlanItem => {
    const waits = item.waitsFor.map((each) => asked.get(each) ?? each).join(' ');
    const description = `${places.short(item)} · waits for: ${waits}`;
    return {
      id: `${id} waiting ${index} ${item.rule} ${placeText(item)}`,
      label: shortTitle(item.title),
      heard: listed(item.title, description),
      description,
      tooltip: `${placeText(item)}\nWaits for: ${waits}`,
      icon: 'watch',
      colour: 'waiting',
      context: 'finding',
      place: places.of(item),
      subject: { is: 'finding', rule: item.rule },
      rule: item.rule,
      children: [],
    };
  });
  return group(id, 'waiting', 'Waiting', amount(plan.waiting.length, 'fix', 'fixes'), 'watch', children, {
    tooltip: 'Fixes that wait for the answer to a question.',
  });
}

function byHandGroup(id: string, plan: ConfigurationPlan, places: Places): PlanItem | null {
  const items = plan.byHand.filter(({ rule }) => rule !== DEFAULTS);
  if (items.length === 0) return null;
  return group(
    id,
    'byHand',
    'By hand',
    String(items.length),
    'tools',
    items.map((item, index) => handItem(`${id} byHand ${index}`, item, places)),
    { isOpen: true, tooltip: 'Change these lines by hand: there is no safe fix for them.' },
  );
}

function defaultsGroup(id: string, plan: ConfigurationPlan, places: Places): PlanItem | null {
  const items = plan.byHand.filter(({ rule }) => rule === DEFAULTS);
  if (items.length === 0) return null;
  return group(
    id,
    'defaults',
    'Changed defaults',
    String(items.length),
    'settings',
    items.map((item, index) => handItem(`${id} defaults ${index}`, item, places)),
    { tooltip: 'Directives that the configuration does not set and that have a new default in httpd 2.4.' },
  );
}

function handItem(id: string, item: ConfigurationPlan['byHand'][number], places: Places): PlanItem {
  return {
    id: `${id} ${item.rule} ${placeText(item)}`,
    // Backticks are code on a page, and noise in a list.
    label: item.what.replaceAll('`', ''),
    description: places.short(item),
    tooltip: [
      `${item.what} [${item.rule}]`,
      placeText(item),
      ...(item.suggestion === undefined ? [] : [`Suggestion: ${item.suggestion}`]),
    ].join('\n'),
    icon: item.rule === DEFAULTS ? 'symbol-property' : 'edit',
    context: item.suggestion === undefined ? 'finding' : 'finding.choice',
    place: places.of(item),
    subject: { is: 'finding', rule: item.rule },
    rule: item.rule,
    children: [],
  };
}

/** At the end it is what is left, and open: the editor keeps an item closed that was closed under the same id, so that it has another then. */
function onServerGroup(
  id: string,
  root: string | null,
  plan: ConfigurationPlan,
  places: Places,
  ticked: Ticked,
  isOpen: boolean,
): PlanItem | null {
  if (plan.onServer.length === 0) return null;
  const children = plan.onServer.map((item): PlanItem => {
    const { title, commands = [], what, because, isNote } = item;
    const key = taskKey(root, item);
    const where = because.map((place) => places.short(place)).join(', ');
    return {
      id: `${id} onServer ${item.id}`,
      label: title,
      heard: listed(commands.length > 0 ? commands.join('; ') : what, where),
      description: commands.length > 0 ? commands.join('; ') : where,
      tooltip: [what, ...commands, placesText(because)].join('\n'),
      icon: isNote ? 'info' : '',
      context: isNote ? 'note' : `task${commands.length > 0 ? '.commands' : ''}${ticked.has(key) ? '.done' : ''}`,
      ...(!isNote && { isTicked: ticked.has(key) }),
      place: because.length > 0 ? places.of(because[0]!) : undefined,
      subject: isNote ? NOTHING : { is: 'task', key, commands },
      children: [],
    };
  });
  const done = children.filter(({ isTicked }) => isTicked).length;
  const tasks = tasksOf(plan.onServer).length;
  return group(
    id,
    'onServer',
    'On the server',
    done === 0 ? String(tasks) : `${done} of ${tasks} done`,
    'server-process',
    children,
    {
      isOpen,
      tooltip:
        'Tasks on the server. The configuration files do not show whether a task is done: tick its box when you have done it.',
    },
  );
}

/** Answers that nothing asks for any more, because what waited for them is done: to be taken back. */
function settledItems(id: string, plan: ConfigurationPlan, place: ConfigurationPlace): PlanItem[] {
  const asked = new Set(plan.questions.map((question) => question.id));
  return place.answers
    .filter((answer) => !asked.has(answer.id))
    .map(
      (answer): PlanItem => ({
        id: `${id} answer ${answer.id}`,
        label: answer.title,
        heard:
          answer.question === null
            ? listed(answer.id, 'there is no such question')
            : listed(answer.question, `answered: ${answer.label}`),
        description: answer.question === null ? 'there is no such question' : shortAnswer(answer.label),
        tooltip:
          answer.question === null
            ? 'Correct the name of the question, or take back the answer.'
            : `${answer.question}\n\nanswered: ${answer.label}\n\nNo fix waits for this answer now.`,
        icon: answer.question === null ? 'warning' : 'pass',
        colour: answer.question === null ? 'warning' : 'done',
        context: 'question.answered',
        command: 'httpdUpgrade.openAnswers',
        subject: { is: 'question', root: place.uri, id: answer.id },
        children: [],
      }),
    );
}

function filesGroup(id: string, place: ConfigurationPlace, places: Places): PlanItem | null {
  if (place.uri === null) {
    const children = place.files.map(
      (file): PlanItem => ({
        id: `${id} file ${file}`,
        label: file,
        icon: 'file',
        context: 'file',
        place: places.of({ file, line: 0 }),
        subject: NOTHING,
        children: [],
      }),
    );
    return children.length === 0
      ? null
      : group(id, 'files', 'Files', String(children.length), 'files', children, {
          tooltip: 'No configuration in this workspace includes these files.',
        });
  }
  const missing = place.includes.filter(({ detail }) => /not here|not even|cannot be read/.test(detail));
  const children = nested(id, place.includes);
  const notHere = missing.map(
    (row, index): PlanItem => ({
      id: `${id} missing ${index}`,
      label: row.label,
      description: row.detail,
      icon: 'circle-slash',
      colour: 'warning',
      context: 'missing',
      place: { uri: row.uri, line: row.row ?? 0 },
      subject: NOTHING,
      children: [],
    }),
  );
  const all =
    notHere.length === 0
      ? children
      : [
          ...children,
          group(id, 'missing', 'Not in this workspace', String(notHere.length), 'circle-slash', notHere, {
            tooltip: 'Included files that are not in this workspace.',
          }),
        ];
  return all.length === 0
    ? null
    : group(
        id,
        'files',
        'Files',
        missing.length > 0 ? `${amount(missing.length, 'Include')} not here` : '',
        'files',
        all,
        { tooltip: 'The files that the server reads, in the order in which it reads them.' },
      );
}

/** Rows with their levels as a tree. */
function nested(id: string, rows: readonly IncludeTreeRow[]): PlanItem[] {
  const top: PlanItem[] = [];
  const open: PlanItem[][] = [top];
  rows.forEach(({ level, label, detail, uri, row }, index) => {
    const children: PlanItem[] = [];
    open.length = Math.min(open.length, level + 1);
    open.at(-1)!.push({
      id: `${id} row ${index}`,
      label,
      description: [row === null ? '' : `line ${row + 1}`, detail].filter(Boolean).join(' · '),
      icon: row === null ? 'file' : 'arrow-small-right',
      context: 'file',
      place: { uri, line: row ?? 0 },
      subject: NOTHING,
      isOpen: true,
      children,
    });
    open.push(children);
  });
  return top;
}

interface GroupLook {
  readonly context?: string;
  readonly subject?: Subject;
  readonly isOpen?: boolean;
  readonly tooltip?: string;
}

function group(
  id: string,
  name: string,
  label: string,
  description: string,
  icon: string,
  children: readonly PlanItem[],
  { context = 'group', subject = NOTHING, isOpen = false, tooltip }: GroupLook,
): PlanItem {
  return { id: `${id} ${name}`, label, description, icon, context, subject, isOpen, tooltip, children };
}

/** By rule and title, the most first. */
function byTitle<Item extends FixItem>(items: readonly Item[]): Item[][] {
  const groups = new Map<string, Item[]>();
  for (const item of items)
    groups.set(`${item.rule}\n${item.title}`, [...(groups.get(`${item.rule}\n${item.title}`) ?? []), item]);
  return [...groups.values()].sort((a, b) => b.length - a.length);
}

function listed(...parts: readonly string[]): string {
  return parts.filter(Boolean).join(', ');
}

/** `prefork` of `prefork: processes, as usual in 2.2`. */
function shortAnswer(label: string): string {
  return label.replace(/: .*/s, '');
}

/** A title of a fix without what its place says as well; the tooltip has all of it. */
function shortTitle(title: string): string {
  return title.replace(/^Convert the access control of .*/, 'Convert access control').replace(/ instead\b.*/, '');
}

function plain({ rule, file, line, title }: FixItem): FixItem {
  return { rule, file, line, title };
}
