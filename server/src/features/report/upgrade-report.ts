/**
 * The upgrade report: one page for the person who approves the upgrade, as Markdown or as one HTML
 * file. Takes data and returns text: the command line writes it to a file, the editor shows it. The
 * contents are made once; a `ReportWriter` writes them in a format.
 */
import { tasksOf, type OnServerItem } from '../../analysis/server-tasks';
import {
  byHandText,
  rootTitle,
  verdictOf,
  type ByHandItem,
  type ConfigurationPlan,
  type GivenAnswer,
  type PlanPlace,
  type PlanQuestion,
  type UpgradePlan,
} from '../../analysis/upgrade-plan';
import {
  planCounts,
  countsWithNouns,
  effectText,
  remainingCount,
  stateText,
  type PlanCounts,
} from '../../analysis/plan-figures';
import { orderAllowDeny } from '../../rules/order-allow-deny';
import {
  findOutCommandOf,
  partsOfMeaning,
  DONT_KNOW_LABEL,
  dontKnowText,
  markOfUsualAnswer,
  typeOfFindOut,
} from '../../analysis/question-surfaces';
import { shellPath } from '../../syntax/shell-word';
import { COMPAT_NOTE, PLAIN_TEXT_WRITER, type AccessAnswer, type MarkupWriter } from '../explain-access';
import { hasProof, proofParts, proofVerdict, type AccessProof } from './access-proof';
import { htmlWriter } from './html';
import { markdownWriter } from './markdown';
import type { ReportWriter, ProgressPart, ReportSection } from './page';
import { addTo } from '../../syntax/groups';

/** What the report of an upgrade shows. */
export interface UpgradeReport {
  /** The plan of the upgrade. */
  readonly plan: UpgradePlan;
  /** The counts to show; undefined to compute them for all configurations together. */
  readonly counts?: PlanCounts;
  /** For each configuration of the plan, in order, details that the plan does not contain. */
  readonly details: readonly ReportDetails[];
  /**
   * The options and paths for the next command, as shell words; null in an editor, which has
   * commands of its own.
   */
  readonly argumentsToRepeat: string | null;
  /**
   * Whether the configuration was read from standard input: `fix` then prints the result instead of
   * writing a file.
   */
  readonly isInputPiped?: boolean;
  /** How many items of the plan are done, including answers; undefined if that was not counted. */
  readonly itemsDone?: number;
  /** This program and its version: `httpd-upgrade 0.1.0`. */
  readonly madeBy: string;
  /** The date: `2026-11-22`; null if the page must not depend on the date. */
  readonly date: string | null;
}

/** What the report shows of one configuration, besides the plan. */
export interface ReportDetails {
  /** Findings that prevent the start of 2.4, or make it answer 500. */
  readonly blocking: readonly ReportFinding[];
  /** The sections with access control of 2.2, each with the place of one of its lines. */
  readonly access: readonly ReportAccess[];
  /** All answers that the user gave, also those that have no question in the plan. */
  readonly answers: readonly GivenAnswer[];
  /** Which clients gain or lose access by the fixes; null if it was not computed. */
  readonly proof?: AccessProof | null;
  /**
   * Returns whether the user has ticked off a task on the server; undefined if there are no ticks.
   */
  readonly isTicked?: (task: OnServerItem) => boolean;
}

/** A finding in the report. */
export interface ReportFinding extends PlanPlace {
  /** The id of the rule. */
  readonly rule: string;
  readonly message: string;
}

/** A section with old access control in the report. */
export interface ReportAccess extends PlanPlace {
  /** Returns the access that the section gives; null if it is unknown. */
  readonly answer: (markup: MarkupWriter) => AccessAnswer | null;
}

/** Writes the report as a complete document. */
export function upgradeReport(report: UpgradeReport, format: 'markdown' | 'html'): string {
  return composeReport(report, format === 'html' ? htmlWriter() : markdownWriter());
}

// ---------------------------------------------------------------------------------------------------------------------

/** A headline, whose text in backticks becomes code. */
function markedHeadline(text: string, page: ReportWriter): string {
  return text
    .split(/`([^`]+)`/)
    .map((part, index) => (index % 2 === 1 ? page.code(part) : page.text(part)))
    .join('');
}

/** Limit for the listed places of one group. */
const MAX_LISTED_PLACES = 40;
/** Limit for the access tables of one configuration. */
const MAX_ACCESS_TABLES = 60;

/** Writes the whole report with the functions of `page`, which decides the format. */
function composeReport(report: UpgradeReport, page: ReportWriter): string {
  const { plan, details, argumentsToRepeat, madeBy, date } = report;
  const { configurations, summary } = plan;
  const progress: ProgressPart[] = [
    { kind: 'ready', label: 'Ready', count: summary.ready },
    { kind: 'waiting', label: 'Waiting for an answer', count: summary.waiting },
    { kind: 'hand', label: 'By hand', count: summary.byHand },
  ];
  const glanceSection: ReportSection = { level: 2, title: 'At a glance', id: 'glance' };
  const verifySection: ReportSection = { level: 2, title: 'How to verify', id: 'verify' };
  const sections = configurations.map(
    (each, index): ReportSection => ({
      level: 2,
      title: rootTitle(each.root, countWithNoun(each.files, 'file')),
      id: `c${index + 1}`,
    }),
  );
  const body = [
    page.section(glanceSection, [
      page.progress(progress),
      page.list([...nextSteps(report), ...progressText(report)].map((row) => stepText(row, page))),
    ]),
    ...configurations.map((each, index) =>
      page.section(
        sections[index]!,
        configurationParts(each, details[index] ?? NO_DETAILS, { id: `c${index + 1}`, page, argumentsToRepeat }),
      ),
    ),
    page.section(verifySection, [page.list(verificationParts(report, page), true)]),
  ];
  return page.document({
    title: 'Upgrade from httpd 2.2 to 2.4',
    lead: [
      page.strong([...accessRows(report), verdictOf(plan, countsIn(report))].map(page.text).join(' ')),
      `This report shows the upgrade of ${configurations
        .slice(0, 5)
        .map(({ root }) => (root === '.' ? 'files without a main configuration file' : page.code(root)))
        .join(
          ', ',
        )}${configurations.length > 5 ? ` and ${configurations.length - 5} more` : ''}: what to do, who has access before and after, and what is left to decide.`,
    ],
    contents: [glanceSection, ...sections, verifySection],
    body,
    end: page.text(date === null ? `Made by ${madeBy}.` : `Made by ${madeBy} on ${date}.`),
  });
}

const NO_DETAILS: ReportDetails = { blocking: [], access: [], answers: [] };

/** The counts, without the tasks on the server that are ticked off. */
function countsIn({ plan: { configurations }, counts, details }: UpgradeReport): PlanCounts {
  return counts ?? planCounts(configurations, (index, task) => details[index]?.isTicked?.(task) === true);
}

/** Sentences about what is done already and how many tasks on the server are left. */
function progressText(report: UpgradeReport): string[] {
  const {
    plan: { configurations },
    details,
    itemsDone,
  } = report;
  const summaryRows: string[] = [];
  if (itemsDone !== undefined && itemsDone > 0) {
    const itemCount = itemsDone + remainingCount(countsIn(report));
    summaryRows.push(
      `${itemsDone} of ${countWithNoun(itemCount, 'item')} of the plan ${itemsDone === 1 ? 'is' : 'are'} done.`,
    );
  }
  // Several configurations may have the same answer, which counts once.
  const answerCount = new Set(
    details.flatMap((each) => answersWithQuestion(each.answers).map(({ id, value }) => `${id}=${value}`)),
  ).size;
  if (answerCount > 0) summaryRows.push(`The upgrade depends on ${countWithNoun(answerCount, 'answer')}.`);
  const taskCount = configurations.flatMap(({ onServer }) => tasksOf(onServer)).length;
  const doneCount = configurations.flatMap(({ onServer }, index) => tickedTasks(onServer, details[index])).length;
  if (taskCount > 0)
    summaryRows.push(
      doneCount > 0
        ? `${doneCount} of ${countWithNoun(taskCount, 'step')} on the server ${doneCount === 1 ? 'is' : 'are'} done.`
        : `${countWithNoun(taskCount, 'step')} on the server ${taskCount === 1 ? 'goes' : 'go'} with the upgrade.`,
    );
  return summaryRows;
}

/** The tasks that the user has ticked off. */
function tickedTasks(onServer: readonly OnServerItem[], details: ReportDetails | undefined): readonly OnServerItem[] {
  return tasksOf(onServer).filter((task) => details?.isTicked?.(task) === true);
}

/** The answers whose questions still exist. */
function answersWithQuestion(answers: readonly GivenAnswer[]): (GivenAnswer & { readonly question: string })[] {
  return answers.filter((each): each is GivenAnswer & { readonly question: string } => each.question !== null);
}

/** The next steps, as short sentences. */
function nextSteps(report: UpgradeReport): string[] {
  const { argumentsToRepeat, isInputPiped } = report;
  const figures = countsIn(report);
  const { ready, waiting, byHand, mayStay, questions: openCount } = figures;
  const stepTexts = [`${countsWithNouns(figures).join(' · ')}.`];
  if (openCount > 0)
    stepTexts.push(
      `${countWithNoun(openCount, 'question')} ${openCount === 1 ? 'is' : 'are'} open: ${countWithNoun(waiting, 'fix')} ${waiting === 1 ? 'waits' : 'wait'} for ${openCount === 1 ? 'it' : 'them'}.`,
    );
  if (ready > 0)
    stepTexts.push(
      `${countWithNoun(ready, 'fix')} ${ready === 1 ? 'is' : 'are'} ready${argumentsToRepeat === null ? '.' : `: httpd-upgrade fix ${isInputPiped ? '' : '--write '}${argumentsToRepeat}`}`,
    );
  const changeCount = byHand - mayStay;
  if (changeCount > 0)
    stepTexts.push(`${countWithNoun(changeCount, 'change')} ${changeCount === 1 ? 'is' : 'are'} left to do by hand.`);
  if (mayStay > 0)
    stepTexts.push(`${countWithNoun(mayStay, 'line')} ${mayStay === 1 ? 'is' : 'are'} left to check by hand.`);
  return stepTexts;
}

/**
 * The rows about access: clients that gain or lose access by the fixes, and how many sections keep
 * their old lines.
 */
function accessRows({ plan: { configurations }, details }: UpgradeReport): string[] {
  const accessItemCount = (items: readonly { readonly rule: string }[]) =>
    items.filter(({ rule }) => rule === orderAllowDeny.id).length;
  const sum = (countOf: (each: ConfigurationPlan) => number) =>
    configurations.reduce((total, each) => total + countOf(each), 0);
  const readyCount = sum((each) => accessItemCount(each.ready));
  const waitingCount = sum((each) => accessItemCount(each.waiting));
  const unconvertedCount = sum((each) => accessItemCount(unconvertedItems(each)));
  const restsOnAnswers = configurations.some((each) =>
    each.ready.some(({ rule, restsOn }) => rule === orderAllowDeny.id && restsOn.length > 0),
  );
  const proofs = details.flatMap(({ proof }) => proof ?? []);
  const sentences = [
    ...(proofs.length > 0
      ? [proofVerdict(proofs, readyCount, restsOnAnswers)]
      : readyCount > 0
        ? [
            `No client gains or loses access by the fixes that are ready${restsOnAnswers ? ', if your answers are right' : ''}.`,
          ]
        : []),
    ...(waitingCount > 0
      ? [`The access control of ${countWithNoun(waitingCount, 'section')} waits for an answer.`]
      : []),
    ...(unconvertedCount > 0
      ? [
          `${countWithNoun(unconvertedCount, 'section')} ${unconvertedCount === 1 ? 'is' : 'are'} not converted: 2.4 reads the old lines only with mod_access_compat. See "By hand".`,
        ]
      : []),
  ];
  return sentences;
}

/** The items about sections that are not converted. */
function unconvertedItems({ byHand }: Pick<ConfigurationPlan, 'byHand'>): readonly ByHandItem[] {
  return byHand.filter(({ rule, what }) => rule === orderAllowDeny.id && what.startsWith('Not converted: '));
}

/** Writes a sentence. If it ends in a command of this program, the command becomes code. */
function stepText(row: string, page: ReportWriter): string {
  const commandIndex = row.indexOf(': httpd-upgrade ');
  return commandIndex < 0
    ? page.text(row)
    : `${page.text(row.slice(0, commandIndex))}: ${page.code(row.slice(commandIndex + 2))}`;
}

/** The steps under the heading "How to verify", in order. */
function verificationParts(
  { plan: { configurations, summary }, details, argumentsToRepeat, isInputPiped }: UpgradeReport,
  page: ReportWriter,
): string[] {
  const roots = configurations.map(({ root }) => root).filter((root) => root !== '.');
  const steps =
    argumentsToRepeat === null
      ? [
          ...(summary.ready > 0
            ? ['Apply the fixes that are ready in the view "httpd upgrade". All files are written, or none.']
            : []),
          `Let a real httpd 2.4 read the result, without starting a server: use "Verify with httpd -t" in this view.`,
        ]
      : [
          ...(summary.ready === 0
            ? []
            : [
                isInputPiped
                  ? `Print the text with the fixes that are ready: ${page.code(`httpd-upgrade fix ${argumentsToRepeat}`)}.`
                  : `Write the fixes that are ready: ${page.code(`httpd-upgrade fix --write ${argumentsToRepeat}`)}. All files are written, or none. ${page.code('httpd-upgrade undo')} restores the old files.`,
              ]),
          ...roots
            .slice(0, 5)
            .map(
              (root) =>
                `Let a real httpd 2.4 read the result, without starting a server: ${page.code(`httpd-upgrade verify ${shellPath(root)}`)}.`,
            ),
        ];
  return [
    ...steps,
    `On the 2.4 server: ${page.code('apachectl -t')}, then the steps on the server. Then start httpd.`,
    ...(details.some(({ access }) => access.length > 0)
      ? ['Send one request for each row of the tables "Who has access".']
      : []),
  ];
}

/** The sections of the report about one configuration, in order. */
function configurationParts(
  plan: ConfigurationPlan,
  { blocking, access, answers, proof, isTicked }: ReportDetails,
  pageContext: { readonly id: string; readonly page: ReportWriter; readonly argumentsToRepeat: string | null },
): string[] {
  const { id, page } = pageContext;
  const { state, questions, ready, waiting, byHand, onServer, commentedOut } = plan;
  const sections: string[] = [];
  const addSection = (title: string, idEnding: string, body: readonly string[]) =>
    sections.push(page.section({ level: 3, title, id: `${id}-${idEnding}` }, body));
  const keyOfPlace = ({ rule, file, line }: PlanPlace & { rule: string }) => `${rule} ${line} ${file}`;
  const readyKeys = new Set(ready.map(keyOfPlace));
  const waitingKeys = new Set(waiting.map(keyOfPlace));
  const stateIn = (finding: ReportFinding) =>
    readyKeys.has(keyOfPlace(finding))
      ? 'ready'
      : waitingKeys.has(keyOfPlace(finding))
        ? 'waits for an answer'
        : 'by hand';
  addSection(
    'What prevents 2.4 from starting',
    'stops',
    blocking.length === 0
      ? [
          page.paragraph(
            `${stateText(
              state,
              planCounts([plan], (_, task) => isTicked?.(task) === true),
              undefined,
              plan.root !== '.',
            )}.`,
          ),
        ]
      : [
          page.table(
            'What prevents 2.4 from starting',
            ['Problem', 'Where', 'Fix'],
            groupedItems(blocking, (each) => `${each.rule}\n${each.message}\n${stateIn(each)}`).map((group) => [
              `${markedHeadline(group[0]!.message, page)} ${page.rule(group[0]!.rule)}`,
              placesText(group, page),
              stateIn(group[0]!),
            ]),
          ),
        ],
  );
  addSection(
    `Ready: ${countWithNoun(ready.length, 'fix')}`,
    'ready',
    ready.length === 0
      ? [page.paragraph('No fix is ready.')]
      : [
          page.table(
            'What is ready, by rule',
            ['Rule', 'Change', 'Fixes', 'Where'],
            groupedItems(ready, ({ rule, title, restsOn }) => `${rule}\n${title}\n${restsOn.join('\n')}`).map(
              (group) => [
                page.rule(group[0]!.rule),
                page.text(group[0]!.title) +
                  (group[0]!.restsOn.length > 0 ? ` (rests on ${group[0]!.restsOn.map(page.code).join(', ')})` : ''),
                String(group.length),
                placesText(group, page),
              ],
            ),
          ),
        ],
  );
  // Answers of the user to questions that the plan no longer contains.
  const earlierAnswers = answersWithQuestion(answers).filter(
    (answer) => !questions.some((question) => question.id === answer.id),
  );
  const questionCount = questions.length + earlierAnswers.length;
  addSection(
    questionCount === 0
      ? 'Questions'
      : `Questions: ${questions.filter(({ answer }) => answer !== null).length + earlierAnswers.length} of ${questionCount} answered`,
    'questions',
    questionCount === 0
      ? [page.paragraph('There are no questions.')]
      : [
          ...questions.map((question, index) => questionPart(question, plan, `${id}-q${index + 1}`, page)),
          ...earlierAnswers.map(({ id: name, question, value, label }, index) =>
            page.section({ level: 4, title: question, id: `${id}-q${questions.length + index + 1}` }, [
              page.choices(
                [{ isChecked: true, markedText: `${page.code(`${name}=${value}`)}: ${page.text(label)}` }],
                ANSWERED_TITLE,
              ),
              page.paragraph('No fix waits for this answer now.'),
            ]),
          ),
        ],
  );
  if (waiting.length > 0) {
    addSection(`Waiting: ${countWithNoun(waiting.length, 'fix')}`, 'waiting', [
      page.table(
        'What waits for an answer',
        ['Rule', 'Change', 'Waits for', 'Where'],
        groupedItems(waiting, ({ rule, title, waitsFor }) => `${rule}\n${title}\n${waitsFor.join('\n')}`).map(
          (group) => [
            page.rule(group[0]!.rule),
            page.text(group[0]!.title),
            group[0]!.waitsFor.map(page.code).join(', '),
            placesText(group, page),
          ],
        ),
      ),
    ]);
  }
  if (access.length > 0)
    addSection('Who has access, before and after', 'access', accessParts(access, unconvertedItems(plan), pageContext));
  if (proof && hasProof(proof)) addSection('Requests that prove it', 'requests', proofParts(proof, page));
  if (byHand.length > 0) {
    addSection(`By hand: ${byHand.length}`, 'hand', [
      ...(plan.forBothVersions === undefined ? [] : [page.paragraph(markedHeadline(plan.forBothVersions, page))]),
      page.table(
        'What is to be done by hand',
        ['What to do', 'Where'],
        groupedItems(byHand, (each) => `${each.rule}\n${byHandText(each)}`).map((group) => [
          `${markedHeadline(byHandText(group[0]!), page)} ${page.rule(group[0]!.rule)}`,
          placesText(group, page),
        ]),
      ),
    ]);
  }
  if (commentedOut.length > 0) {
    addSection(`Commented out in converted sections: ${commentedOut.length}`, 'commented-out', [
      page.list(commentedOut.map((each) => `${page.code(each.text)} (${placesText([each], page)})`)),
    ]);
  }
  if (onServer.length > 0) {
    const tasks = tasksOf(onServer);
    const doneCount = tickedTasks(onServer, { blocking, access, answers, isTicked }).length;
    const taskText = ({ what, because, commands = [] }: OnServerItem) =>
      page.text(what) +
      commands.map((command) => ` ${page.code(command)}`).join('') +
      (because.length > 0 ? ` (${placesText(because, page)})` : '');
    if (tasks.length > 0)
      addSection(`On the server: ${doneCount > 0 ? `${doneCount} of ${tasks.length} done` : tasks.length}`, 'server', [
        isTicked
          ? page.choices(
              tasks.map((item) => ({ isChecked: isTicked(item), markedText: taskText(item) })),
              'Done',
            )
          : page.list(tasks.map(taskText)),
      ]);
    const noteItems = onServer.filter(({ isNote }) => isNote);
    if (noteItems.length > 0)
      addSection(`Good to know: ${noteItems.length}`, 'notes', [page.list(noteItems.map(taskText))]);
  }
  return sections;
}

/** The parts that say how to find the answer to a question. `findOut`: see `typeOfFindOut`. */
function findOutParts(findOut: string, page: ReportWriter): string[] {
  const title = 'How to find the answer';
  const typeOfAdvice = typeOfFindOut(findOut);
  if (typeOfAdvice !== 'command')
    return [page.paragraph(`${title}:`), page.paragraph(page.text(typeOfAdvice === 'page' ? findOut : `${findOut}.`))];
  const { placeToRun, command, meaning } = findOutCommandOf(findOut);
  const { intro, rules } = partsOfMeaning(meaning);
  return [
    page.paragraph(`${title}${placeToRun === '' ? '' : `, ${page.text(placeToRun)}`}:`),
    page.command(command),
    ...(intro === '' ? [] : [page.paragraph(page.text(intro))]),
    ...(rules.length === 0 ? [] : [page.list(rules.map((rule) => page.text(rule)))]),
  ];
}

/** The reason for a question, in parts. Lines that begin with a dash become lists. */
function whyParts(reasonText: string, page: ReportWriter): string[] {
  return reasonText.split(/\n(?!- )/).flatMap((part) => {
    const [first = '', ...items] = part.split('\n- ').map((row) => page.text(row));
    return [page.paragraph(first), ...(items.length > 0 ? [page.list(items)] : [])];
  });
}

/** The word for the chosen answer, in a format without checkboxes. */
const ANSWERED_TITLE = 'Answered';

/**
 * The section about one question: why it is asked, its answers, and the fixes that depend on it.
 */
function questionPart(
  askedQuestion: PlanQuestion,
  plan: Pick<ConfigurationPlan, 'ready' | 'waiting' | 'questions'>,
  anchor: string,
  page: ReportWriter,
): string {
  const { id, question, why, findOut, ifUnknown, answers, answer, places } = askedQuestion;
  const { ready, waiting } = plan;
  const affectedItems = [
    ...ready.filter(({ restsOn }) => restsOn.includes(id)),
    ...waiting.filter(({ waitsFor }) => waitsFor.includes(id)),
  ];
  const isChosenAnswer = (value: string) =>
    answer === value || (value.endsWith('=') && answer?.startsWith(value) === true);
  return page.section({ level: 4, title: question, id: anchor }, [
    ...whyParts(why, page),
    ...findOutParts(findOut, page),
    page.choices(
      answers.map(({ value, label }, index) => ({
        isChecked: isChosenAnswer(value),
        markedText: `${page.code(`${id}=${isChosenAnswer(value) && answer !== null ? answer : value}${value.endsWith('=') && !isChosenAnswer(value) ? 'PATH' : ''}`)}: ${page.text(label)}${remarksText([markOfUsualAnswer(id, index, value), effectText(askedQuestion, value, plan)])}`,
      })),
      ANSWERED_TITLE,
    ),
    ...(answer === null
      ? [page.paragraph(`${page.strong('Not answered yet.')} ${DONT_KNOW_LABEL}: ${dontKnowText(ifUnknown)}.`)]
      : []),
    ...(affectedItems.length > 0
      ? [
          page.paragraph(
            `${countWithNoun(affectedItems.length, 'fix')} ${answer === null ? (affectedItems.length === 1 ? 'waits for' : 'wait for') : affectedItems.length === 1 ? 'depends on' : 'depend on'} this answer, at ${placesText(affectedItems, page)}.`,
          ),
        ]
      : []),
    ...(places.length > 0 && placesText(places, page) !== placesText(affectedItems, page)
      ? [page.paragraph(`The question is about ${placesText(places, page)}.`)]
      : []),
  ]);
}

/** Joins the remarks that apply, in brackets. */
function remarksText(parts: readonly (string | false)[]): string {
  const summary = parts.filter(Boolean).join('; ');
  return summary === '' ? '' : ` (${summary})`;
}

/** The access tables. Sections with the same access share one table. */
function accessParts(
  access: readonly ReportAccess[],
  unconvertedPlaces: readonly PlanPlace[],
  {
    id,
    page,
    argumentsToRepeat,
  }: { readonly id: string; readonly page: ReportWriter; readonly argumentsToRepeat: string | null },
): string[] {
  const keyOf = ({ file, line }: PlanPlace) => `${line} ${file}`;
  const unconvertedKeys = new Set(unconvertedPlaces.map(keyOf));
  const sectionsWithAnswer = access.flatMap((each) => {
    const accessAnswer = each.answer(page);
    const isUnconverted = unconvertedKeys.has(keyOf(each));
    return accessAnswer
      ? [
          {
            ...each,
            answer: accessAnswer,
            isUnconverted,
            shownName: plainName(each.answer(PLAIN_TEXT_WRITER), each.file),
          },
        ]
      : [];
  });
  const groups = groupedItems(
    sectionsWithAnswer,
    ({ isUnconverted, answer: { sentenceEnd, tables, convertedLines, remark } }) =>
      JSON.stringify([isUnconverted, sentenceEnd, tables, convertedLines, remark]),
  );
  const unshownCount = groups.length - MAX_ACCESS_TABLES;
  const shownKeys = new Set(sectionsWithAnswer.map(keyOf));
  const sectionsWithoutAnswer = access.filter((each) => !shownKeys.has(keyOf(each)));
  return [
    page.paragraph(
      'Each table is about the lines of one section. Other sections that apply to the same requests can restrict access further. “allowed” means that the client has access, “login” that it is asked for a password, “denied” that it gets 403.',
    ),
    ...groups.slice(0, MAX_ACCESS_TABLES).map((group, index) => {
      const {
        shownName,
        isUnconverted,
        answer: { name, sentenceEnd, tables, convertedLines, remark },
      } = group[0]!; // A group has at least one section.
      const title = group.length === 1 ? shownName : `${countWithNoun(group.length, 'section')} such as ${shownName}`;
      return page.section({ level: 4, title, id: `${id}-a${index + 1}` }, [
        ...(isUnconverted ? [page.paragraph(page.strong('Not converted: the old lines stay. See "By hand".'))] : []),
        page.paragraph(`Access by the lines of ${name}${sentenceEnd}`),
        ...tables.flatMap((each) => [
          ...(each.methods === null ? [] : [page.paragraph(`${each.methods}: access for ${each.inWords}.`)]),
          page.table(`Who has access by ${title}`, each.isSame ? ['Client', '2.2 and 2.4'] : each.head, each.rows),
          ...(each.isSame ? [] : [page.paragraph(COMPAT_NOTE)]),
        ]),
        ...(convertedLines === null ? [] : [page.paragraph(`In 2.4: ${convertedLines}`)]),
        ...(remark === null ? [] : [page.paragraph(remark)]),
        page.paragraph(
          `The lines of ${group.length === 1 ? 'this section' : 'these sections'} are at ${placesText(group, page)}.`,
        ),
      ]);
    }),
    ...(unshownCount > 0
      ? [
          page.paragraph(
            `${countWithNoun(unshownCount, 'more kind')} of access: ${argumentsToRepeat === null ? 'the hover of an access line' : page.code('httpd-upgrade explain --access FILE:LINE')} shows each.`,
          ),
        ]
      : []),
    ...(sectionsWithoutAnswer.length > 0
      ? [
          page.paragraph(
            `There is no table for ${placesText(sectionsWithoutAnswer, page)}: who has access there is not known.`,
          ),
        ]
      : []),
  ];
}

/** The maximum length of a section's name in a headline, in UTF-16 units. */
const MAX_SECTION_NAME_LENGTH = 120;

/** The name of a section for a headline. */
function plainName(answer: AccessAnswer | null, file: string): string {
  const sectionName = answer && answer.name !== 'this file' ? answer.name : file;
  return sectionName.length > MAX_SECTION_NAME_LENGTH
    ? `${sectionName.slice(0, MAX_SECTION_NAME_LENGTH)}…`
    : sectionName;
}

/** Groups the items by the result of `keyOf`, the largest group first. */
function groupedItems<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const groupKey = keyOf(item);
    const groupOfKey = groups.get(groupKey);
    if (groupOfKey) groupOfKey.push(item);
    else groups.set(groupKey, [item]);
  }
  return [...groups.values()].sort((a, b) => b.length - a.length);
}

/** Places in a short form: `httpd.conf:17, 24, 343; ssl.conf:9`. */
function placesText(places: readonly PlanPlace[], page: ReportWriter): string {
  const linesByFile = new Map<string, number[]>();
  for (const { file, line } of places.slice(0, MAX_LISTED_PLACES)) addTo(linesByFile, file, line + 1);
  const placeTexts = [...linesByFile].map(([file, lines]) =>
    page.code(`${file}:${[...new Set(lines)].sort((a, b) => a - b).join(', ')}`),
  );
  return (
    placeTexts.join('; ') + (places.length > MAX_LISTED_PLACES ? ` and ${places.length - MAX_LISTED_PLACES} more` : '')
  );
}

function countWithNoun(count: number, noun: string): string {
  if (count === 1) return `1 ${noun}`;
  return `${count} ${noun}${noun.endsWith('x') ? 'es' : 's'}`;
}
