/**
 * Makes the upgrade plan: fixes that are ready, fixes that wait for an answer, changes by hand, and
 * questions. Each question is asked once for all fixes that wait for it. This file does no I/O: it
 * gets findings and open questions, and returns plain data. The command line, the editor and the
 * report show the plan.
 */
import type { OpenQuestion, OpenQuestionKind } from '../access/open-question';
import type { Fix } from '../rules/rule';
import { sourceTextOf, type StartOptions } from '../config/service-file';
import {
  textOfActions,
  shownFactsOf,
  openQuestionId,
  openQuestionTexts,
  joinedSearch,
  RUNNING_VERSION_QUESTION,
  UNKNOWN_DIRECTIVES_QUESTION,
} from '../access/open-question';
import {
  answerProblem,
  pathInAnswer,
  kindAndSubject,
  isForBothVersions,
  ANSWER_KEEP,
  ANSWER_NONE_24,
  answerWithCopy,
  offeredChoices,
  questionId,
  questionText,
  settlesQuestion,
  STANDALONE_QUESTION_ID,
  versionInStandaloneAnswer,
  type AnswerSet,
  type QuestionText,
} from './answers';
import { groupedBy } from '../syntax/groups';
import { optionInCause } from './conditions-around';
import type { PlacedFinding } from './engine';
import { withoutNoteForBoth } from './findings';
import { choiceStateOf, type ChoiceState } from './choices';
import { isOnlyServerNote, isSolvedOnServer } from './on-server';
import { isTaskToTakeNewFile } from './stock-layout';
import { consequenceOfDontKnow } from './question-surfaces';
import { planCounts, stateOfAll, stateText, type PlanState } from './plan-figures';
import type { OnServerItem, PlanPlace } from './server-tasks';

export type { OnServerItem, PlanPlace };

/** A question of the plan that the user can answer. */
export interface PlanQuestion {
  /** The id of the question, which never changes: `htaccess-unseen:/var/www`. */
  readonly id: string;
  /** The kind of the question: the part of the id before the colon. */
  readonly kind: string;
  /** What the question is about: the part of the id after the colon. */
  readonly subject: string;
  /** The question in a few words, for a narrow list. */
  readonly title: string;
  /** The question as a sentence. */
  readonly question: string;
  /** Why the answer matters. */
  readonly why: string;
  /** How to find the answer: a command to run on the server, or a place to look. */
  readonly findOut: string;
  /** The consequence of the answer *I don't know*. This answer is not stored. */
  readonly ifUnknown: string;
  /**
   * The possible answers; the usual one comes first. `ready`: how many fixes become safe with this
   * answer, if all other questions get their usual answers.
   */
  readonly answers: readonly { readonly value: string; readonly label: string; readonly ready: number }[];
  /** The answer that the user gave. Null if there is none. */
  readonly answer: string | null;
  /** The lines that cause the question. */
  readonly places: readonly PlanPlace[];
}

/** An entry of the plan that is about one line. `rule`: the id of the rule whose finding it is. */
interface PlanItem extends PlanPlace {
  readonly rule: string;
}

/** A fix that keeps the behaviour of the server, so that it can be applied at once. */
export interface ReadyItem extends PlanItem {
  /** What the fix does: `Change KeepAlive 1 to KeepAlive On`. */
  readonly title: string;
  /**
   * The directive that changes, as the user wrote it, such as `MaxClients` or `LoadModule
   * authn_default_module`.
   */
  readonly directive?: string;
  /**
   * Ids of the questions whose answers made the fix safe. Empty if it is safe without an answer.
   */
  readonly restsOn: readonly string[];
}

/** A fix that waits for answers of the user. */
export interface WaitingItem extends PlanItem {
  /** What the fix does: `Change KeepAlive 1 to KeepAlive On`. */
  readonly title: string;
  /** The directive that changes, as the user wrote it. */
  readonly directive?: string;
  /** Ids of the questions that must be answered before the fix is safe. */
  readonly waitsFor: readonly string[];
}

/** A problem that the user has to solve by hand. */
export interface ByHandItem extends PlanItem {
  /** The headline of the problem. */
  readonly what: string;
  /** The title of a fix that the user may choose. Absent if there is none. */
  readonly suggestion?: string;
  /** What the user has to do. Absent if the suggestion or `what` says it. */
  readonly help?: string;
  /** Set if the line may be right as it is: `help` says when to change it. */
  readonly mayStay?: true;
  /** Set if the user must open the directory with all files of the configuration. */
  readonly opensFolder?: true;
}

/** A change by hand as one text, for surfaces that show it on one line. */
export function byHandText({ what, suggestion, help }: ByHandItem): string {
  const textWithHelp = help === undefined ? what : `${what}. ${help}`;
  return suggestion === undefined
    ? textWithHelp
    : `${textWithHelp.replace(/(?<![.?!])$/, '.')} Suggestion: ${suggestion}`;
}

/** The first words of the item about a comment that stays above a removed line. */
const REMAINING_COMMENT_TEXT_START = 'Remove or change this comment:';

/** Whether a change by hand is about a comment above a line that a fix removes. */
export function isAboutRemainingComment({ what }: ByHandItem): boolean {
  return what.startsWith(REMAINING_COMMENT_TEXT_START);
}

/**
 * A commented-out access line of 2.2 in a section that is converted. If the user removes the `#`
 * later, httpd 2.4 needs a Require line in its place.
 */
export interface CommentedOut extends PlanPlace {
  readonly text: string;
}

/**
 * A file with lines of 2.2 that the server does not read. `lines`: how many of them `fix --dormant`
 * converts.
 */
export interface DormantFile {
  readonly file: string;
  readonly lines: number;
  /** True if another server may start with the file: it has the lines of a main file. */
  readonly isMainFile?: true;
}

/** The plan of one configuration. */
export interface ConfigurationPlan {
  /** The display name of the main file: the name that users see, not the path. */
  readonly root: string;
  /** The number of files. */
  readonly files: number;
  readonly state: PlanState;
  /**
   * Number of problems that prevent the start of 2.4, or make it answer 500. A problem that a task
   * on the server solves is not counted here (`OnServerItem.isBlocking`).
   */
  readonly blocking: number;
  /**
   * Number of problems that may prevent the start of 2.4. The files alone do not show whether they
   * do.
   */
  readonly mayBlock: number;
  /** The questions, including those that the user has answered. */
  readonly questions: readonly PlanQuestion[];
  /** The fixes that can be applied at once. */
  readonly ready: readonly ReadyItem[];
  /** The fixes that wait for answers. */
  readonly waiting: readonly WaitingItem[];
  /** The problems that the user has to solve by hand. */
  readonly byHand: readonly ByHandItem[];
  /** The tasks on the server. */
  readonly onServer: readonly OnServerItem[];
  readonly commentedOut: readonly CommentedOut[];
  /** How to write lines if 2.2 also reads the files. Absent if only 2.4 reads them. */
  readonly forBothVersions?: string;
  /** Files with lines that the server does not read, and that `fix --dormant` converts. */
  readonly dormant?: readonly DormantFile[];
  /**
   * Names that `<IfDefine>` sections test, and for which it is unknown whether the server starts
   * with them (`-D`). If it does, it can have problems that are not in the plan.
   */
  readonly openNames?: readonly string[];
}

/** The plan of all configurations. */
export interface UpgradePlan {
  /** The version of this format. */
  readonly version: 1;
  readonly configurations: readonly ConfigurationPlan[];
  readonly summary: {
    readonly blocking: number;
    readonly ready: number;
    readonly waiting: number;
    readonly byHand: number;
    readonly questions: number;
    readonly answered: number;
  };
}

/** The parts of a finding that the plan needs. */
export interface PlanFinding extends PlanPlace {
  readonly rule: string;
  readonly messageId: string;
  readonly message: string;
  /** What to do. */
  readonly help?: string;
  /** Whether the problem prevents the start of 2.4, or makes it answer 500. */
  readonly isBlocking: boolean;
  /** Whether the problem may prevent the start of 2.4, but the files alone do not show it. */
  readonly mayBlock?: boolean;
  /** The directive with the problem, as the user wrote it. */
  readonly directive?: string;
  /** Whether commands on the server solve the problem, and not a change of the files. */
  readonly isSolvedByCommands?: boolean;
  /** The first offered fix. Null if there is none. */
  readonly fix: PlanFix | null;
  /** Commented-out lines near the problem that would need the same change. */
  readonly commentedOut?: readonly CommentedOut[];
  /** Comments above lines that the fix removes. `text` is the removed directive. */
  readonly remainingComments?: readonly CommentedOut[];
  /**
   * The fixes among which the user's answers choose. To save memory, all other fixes are left out.
   */
  readonly offeredFixes?: readonly Fix[];
  /** The rows of other unknown directives in the file. One question asks about all of them. */
  readonly unknownLines?: readonly number[];
  /** Questions whose answers change the commands of the finding. */
  readonly asks?: readonly OpenQuestion[];
  /** Whether both versions read the line, so that it can stay as long as 2.2 reads the file. */
  readonly isReadByBoth?: boolean;
  /** Whether the line may be right as it is, so that the user only checks it. */
  readonly mayStay?: true;
}

/** A fix, as the plan needs it. */
export interface PlanFix {
  /** What the fix does. */
  readonly title: string;
  /** Whether the fix keeps the behaviour of the server. */
  readonly isSafe: boolean;
  /**
   * Whether the user must choose between this fix and others by hand, because no answer and no
   * option selects it.
   */
  readonly isChoice?: boolean;
  readonly waitsFor: readonly OpenQuestion[];
  readonly restsOn: readonly OpenQuestion[];
}

/**
 * The input of `upgradePlan` for one configuration. All files that no configuration reads are one
 * such input together; its root is then the given directory.
 */
export interface PlannedConfiguration {
  /** The display name of the main file: the name that users see, not the path. */
  readonly root: string;
  readonly files: number;
  /** The findings in the files of the configuration. */
  readonly findings: readonly PlanFinding[];
  readonly answerSet: AnswerSet;
  /** Converts the place of an open question to the plan's form of a place. */
  readonly placeOf: (place: OpenQuestion['places'][number]) => PlanPlace | null;
  /** The open questions about access control, even if nothing can be converted. */
  readonly openQuestions?: readonly OpenQuestion[];
  readonly onServer?: readonly OnServerItem[];
  /**
   * The start options of the server, from the distribution's file for them
   * (config/service-file.ts). Null if there is no such file.
   */
  readonly startOptions?: StartOptions | null;
  /** Whether a real `httpd -t` has read exactly these files without an error. */
  readonly isAccepted?: boolean;
  /** Files next to the configuration that no configuration reads. */
  readonly dormant?: readonly DormantFile[];
  /**
   * Questions about which files the server reads. While they are open, the files in
   * `unreadFilesWithOldLines` keep their old lines.
   */
  readonly questionsAboutReaders?: readonly OpenQuestion[];
  /**
   * Names of files with old access lines that no server reads if the missing files of Includes have
   * no access lines.
   */
  readonly unreadFilesWithOldLines?: readonly string[];
  /**
   * Names in `<IfDefine>` for which it is unknown whether the server starts with them
   * (`ConfigurationPlan.openNames`).
   */
  readonly openNames?: readonly string[];
}

/** Makes the plan of all configurations. */
export function upgradePlan(configurations: readonly PlannedConfiguration[]): UpgradePlan {
  const plans = configurations.map(planOf);
  return { version: 1, configurations: plans, summary: planSums(plans) };
}

/** The sums over all configurations. All surfaces show these sums. */
export function planSums(plans: readonly ConfigurationPlan[]): UpgradePlan['summary'] {
  const { blocking, ready, waiting, byHand, questions, answered } = planCounts(plans);
  return { blocking, ready, waiting, byHand, questions: questions + answered, answered };
}

/**
 * The name of a configuration in texts: that of its main file, or words for files without a main
 * file, with the number of its files. `filesText`: that number, such as `3 files`.
 */
export function rootTitle(root: string, filesText: string): string {
  return root === '.'
    ? `${filesText}, read as a part of a configuration: no main file was found`
    : `${root} (${filesText})`;
}

/**
 * The state of the upgrade in one or two sentences. `placeText`: as for `stateText`. `textOfState`
 * returns the first sentence.
 */
export function verdictOf(
  { configurations }: Pick<UpgradePlan, 'configurations'>,
  figures = planCounts(configurations),
  placeText?: string,
  textOfState = stateText,
): string {
  if (configurations.length === 0) return 'No httpd configuration was found.';
  const hasMainFile = configurations.some(({ root }) => root !== '.');
  const state = stateOfAll(configurations);
  const verdictText = `${textOfState(state, figures, placeText, hasMainFile)}.`;
  const [onlyConfiguration, ...others] = configurations;
  const options = onlyConfiguration && others.length === 0 ? optionsText(onlyConfiguration) : '';
  return [
    verdictText,
    options,
    sharedFilesText(configurations),
    htaccessModuleText(configurations),
    neededStepsText(configurations, state),
  ]
    .filter(Boolean)
    .join(' ');
}

/**
 * The sentence about tasks on the server that must be done before 2.4 starts. Empty if there are
 * none. If problems in the files block 2.4, too (`state`), the sentence names both.
 */
export function neededStepsText(
  configurations: readonly Pick<ConfigurationPlan, 'onServer'>[],
  state: PlanState,
): string {
  const areStepsNeeded = configurations.some(({ onServer }) => onServer.some(({ isBlocking }) => isBlocking));
  if (!areStepsNeeded) return '';
  return state === 'blocking'
    ? 'To start httpd 2.4, solve what blocks it in the files, and also do the steps under "On the server".'
    : 'httpd 2.4 does not start before you do the steps under "On the server".';
}

/**
 * The sentence about sums: they count a shared file once for each configuration that reads it.
 * Needed because other reports count such a file once. Empty if the configurations share no file
 * with problems.
 */
export function sharedFilesText(configurations: readonly ConfigurationPlan[]): string {
  const roots = configurations.filter(({ root }) => root !== '.');
  const filesOf = ({ ready, waiting, byHand }: ConfigurationPlan) =>
    new Set([...ready, ...waiting, ...byHand].map(({ file }) => file));
  const fileSets = roots.length < 2 ? [] : roots.map(filesOf);
  const areFilesShared = fileSets.some((files, index) =>
    fileSets.slice(index + 1).some((others) => haveCommonItem(files, others)),
  );
  return areFilesShared
    ? `${roots.length} main configuration files share files: a problem in a shared file counts once for each of them.`
    : '';
}

/** Whether a text is in both sets. */
function haveCommonItem(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  for (const each of some) if (others.has(each)) return true;
  return false;
}

/**
 * The sentence about the module that .htaccess files with old access lines need, if the server is
 * unknown. Empty if the server is known, because its modules show whether such lines are blocking.
 */
export function htaccessModuleText(configurations: readonly ConfigurationPlan[]): string {
  const isInOldHtaccess = ({ rule, file }: PlanItem) =>
    rule === 'order-allow-deny' && /(?:^|[\\/])\.htaccess$/.test(file);
  const hasOldHtaccess = configurations.some(
    ({ root, ready, waiting, byHand }) => root === '.' && [...ready, ...waiting, ...byHand].some(isInOldHtaccess),
  );
  return hasOldHtaccess ? 'With the old access lines, 2.4 needs mod_access_compat: without it, requests get 500.' : '';
}

/** An answer that the user gave, with its texts, even if no question needs it now. */
export interface GivenAnswer {
  /** The id of the answered question. */
  readonly id: string;
  readonly value: string;
  /** The question in a few words; the id if there is no such question. */
  readonly title: string;
  /** The text of the question. Null if there is no question with this id. */
  readonly question: string | null;
  readonly label: string;
}

/**
 * All answers that the user gave for a configuration. `sharedWith`: other configurations whose
 * answers are stored in the same file. Answers to questions of only these other configurations are
 * left out.
 */
export function givenAnswers(
  { answers }: Pick<AnswerSet, 'answers'>,
  configuration: Pick<ConfigurationPlan, 'questions'>,
  sharedWith: readonly Pick<ConfigurationPlan, 'questions'>[],
): GivenAnswer[] {
  const askedIds = new Set(configuration.questions.map(({ id }) => id));
  const idsOfOthers = new Set(sharedWith.flatMap(({ questions }) => questions.map(({ id }) => id)));
  return [...answers].flatMap(([id, value]) => {
    if (!askedIds.has(id) && idsOfOthers.has(id)) return [];
    const questionTexts = questionText(id);
    const label = questionTexts?.choices.find((choice) => choice.value === value)?.label ?? value;
    return [{ id, value, title: questionTexts?.title ?? id, question: questionTexts?.question ?? null, label }];
  });
}

/**
 * Ids of answers that have an effect even if no question asks for them, because rules and tasks use
 * them.
 */
const IDS_ALWAYS_NEEDED: ReadonlySet<string> = new Set(['versions', 'mpm']);

/** The ids of answers to questions that no configuration has. Such answers have no effect. */
export function unneededAnswers({ configurations }: UpgradePlan, { answers }: Pick<AnswerSet, 'answers'>): string[] {
  const askedIds = new Set(configurations.flatMap(({ questions }) => questions.map(({ id }) => id)));
  const isVersionInStandaloneAnswer = standaloneAnswerNamesVersion({ answers });
  return [...answers]
    .filter(
      ([id, answer]) =>
        !askedIds.has(id) &&
        !IDS_ALWAYS_NEEDED.has(id) &&
        !(id === VERSION_QUESTION_ID && isVersionInStandaloneAnswer) &&
        // The files at this path are read, so that nothing is left to ask.
        pathInAnswer(answer) === null,
    )
    .map(([id]) => id);
}

/** The parts of a `PlanFinding` that come from the text near the finding. */
type PlanContext = Pick<PlanFinding, 'directive' | 'commentedOut' | 'unknownLines' | 'remainingComments'>;

/**
 * The text of a finding: what is wrong. If the error depends on an option of httpd, a sentence
 * about the option is added.
 */
function headlineWithOption({ what, cause, severity }: PlacedFinding): string {
  const option = severity === 'error' ? optionInCause(cause) : null;
  return option === null ? what : `${what}. Only an httpd that starts ${option} reads this line`;
}

/**
 * The sentence about the options of httpd, if each blocking problem depends on an option. Otherwise
 * empty.
 */
export function optionsText({ blocking, byHand }: Pick<ConfigurationPlan, 'blocking' | 'byHand'>): string {
  const options = byHand.flatMap(
    ({ what }) => /\. Only an httpd that starts (with(?:out)? `-D [^`]+`) reads this line$/.exec(what)?.[1] ?? [],
  );
  if (blocking === 0 || options.length !== blocking) return '';
  return `${blocking === 1 ? 'It blocks' : 'They block'} only an httpd that starts ${[...new Set(options)].join(' or ')}.`;
}

/**
 * Makes the plan's form of a finding. `refusal`: the reason why a section is not converted; null if
 * it is converted or has no old access lines.
 */
export function planFinding(
  finding: PlacedFinding,
  place: PlanPlace,
  { directive, commentedOut, unknownLines, remainingComments }: PlanContext = {},
  refusal: string | null = null,
): PlanFinding {
  const [first] = finding.fixes;
  // One object literal without spreads, because spreads take several times the memory, and there
  // are thousands of findings.
  return {
    file: place.file,
    line: place.line,
    rule: finding.rule.id,
    messageId: finding.messageId,
    message: refusal === null ? headlineWithOption(finding) : `Not converted: ${refusal}`,
    // The reason also says what to do, so no help is added.
    help: refusal === null ? withoutNoteForBoth(helpByHand(finding)) : undefined,
    isBlocking:
      finding.severity === 'error' && !finding.rule.isAbout22 && !isSolvedOnServer(finding.rule.id, finding.messageId),
    mayBlock: finding.consequence === 'may not start' && !isSolvedOnServer(finding.rule.id, finding.messageId),
    fix: first
      ? {
          title: first.title,
          isSafe: first.safety === 'safe',
          isChoice: first.isAppliedAlone === true,
          waitsFor: first.waitsFor ?? [],
          restsOn: first.restsOn ?? [],
        }
      : finding.waitsFor.length > 0
        ? { title: CONVERSION_TITLE, isSafe: false, waitsFor: finding.waitsFor, restsOn: [] }
        : null,
    offeredFixes: finding.fixesToChoose,
    isSolvedByCommands: finding.run !== undefined,
    asks: finding.asks,
    isReadByBoth: finding.isReadByBoth,
    mayStay: finding.mayStay,
    directive,
    commentedOut,
    unknownLines,
    remainingComments,
  };
}

// ---------------------------------------------------------------------------------------------------------------------

/** The answers that select this fix, if the fix changes something. */
function answersWithEffect({
  choice,
  edits,
  elsewhere,
}: NonNullable<PlanFinding['offeredFixes']>[number]): readonly string[] {
  return choice && (edits.length > 0 || elsewhere) ? choice.values : [];
}

/** Makes the plan of one configuration. */
function planOf({
  root,
  files,
  findings,
  answerSet,
  placeOf,
  openQuestions = [],
  onServer = [],
  startOptions,
  isAccepted = false,
  dormant = [],
  questionsAboutReaders = NO_QUESTIONS,
  unreadFilesWithOldLines = [],
  openNames,
}: PlannedConfiguration): ConfigurationPlan {
  // Fixes of one configuration share lists of open questions, so each list is processed only once.
  const factsByQuestions = new Map<
    readonly OpenQuestion[],
    {
      readonly ids: readonly string[];
      readonly unanswerableQuestions: readonly OpenQuestion[];
      readonly questionsWithValues: readonly { readonly id: string; readonly values: readonly string[] }[];
    }
  >();
  const factsOfQuestions = (openQuestions: readonly OpenQuestion[]) => {
    let cachedQuestions = factsByQuestions.get(openQuestions);
    if (cachedQuestions) return cachedQuestions;
    const idsOfQuestions = openQuestions.map((each) => questionId(each, answerSet));
    idsOfQuestions.forEach((id, index) => id !== null && causesOf(id).openQuestions.push(openQuestions[index]!));
    factsByQuestions.set(
      openQuestions,
      (cachedQuestions = {
        ids: [...new Set(idsOfQuestions.filter((id) => id !== null))],
        unanswerableQuestions: openQuestions.filter((_, index) => idsOfQuestions[index] === null),
        questionsWithValues: openQuestions.flatMap(({ safeAnswers }, index) =>
          safeAnswers && idsOfQuestions[index] != null ? [{ id: idsOfQuestions[index], values: safeAnswers }] : [],
        ),
      }),
    );
    return cachedQuestions;
  };
  const isMainFileReplaced = onServer.some(isTaskToTakeNewFile);
  const isReplaced = (finding: PlanFinding) => isMainFileReplaced && finding.file === root && isOnlyByHand(finding);
  const readyItems: ReadyItem[] = [];
  const waitingItems: WaitingItem[] = [];
  const itemsByHand: ByHandItem[] = [];
  const convertedComments: CommentedOut[] = [];
  const causesByQuestionId = new Map<string, QuestionCauses>();
  const causesOf = (id: string): QuestionCauses =>
    causesByQuestionId.get(id) ?? causesByQuestionId.set(id, { openQuestions: [], values: [], places: [] }).get(id)!;
  for (const {
    rule,
    messageId,
    file,
    line,
    message,
    help,
    directive,
    fix,
    isSolvedByCommands,
    asks = NO_QUESTIONS,
    offeredFixes = [],
    commentedOut = [],
    remainingComments = [],
    unknownLines = [],
    mayStay,
  } of withoutLinesForBoth(findings, answerSet).filter((each) => !isReplaced(each))) {
    const {
      ids: waitsFor,
      unanswerableQuestions,
      questionsWithValues,
    } = factsOfQuestions(fix?.waitsFor ?? NO_QUESTIONS);
    for (const [id, values] of answersByQuestion(questionsWithValues)) causesOf(id).values.push(values);
    const { ids: restsOn } = factsOfQuestions(fix?.restsOn ?? NO_QUESTIONS);
    for (const id of [...factsOfQuestions(asks).ids, ...questionsWithoutPlaces(root, waitsFor)])
      causesOf(id).places.push({ file, line });
    for (const unknownLine of unknownLines)
      causesOf(openQuestionId(UNKNOWN_DIRECTIVES_QUESTION)).places.push({ file, line: unknownLine });
    const choiceState = choiceStateAmong(offeredFixes, answerSet);
    if (choiceState.kind !== 'no-alternatives') {
      causesOf(choiceState.question).places.push({ file, line });
      causesOf(choiceState.question).values.push(offeredFixes.flatMap(answersWithEffect));
      // After the answer there may be no fix left. The question must still show the lines that it
      // is about.
      causesOf(choiceState.question).openQuestions.push(
        ...offeredFixes.flatMap((each) => each.choice?.openQuestion ?? []),
      );
      // The user's answer means that nothing changes.
      if (choiceState.kind === 'selected' && fix === null) continue;
    }
    // A finding that is a task on the server is left out: no change of the files solves it, or
    // commands on the server solve it better.
    const mayBeTask = (fix === null || isSolvedByCommands) && choiceState.kind === 'no-alternatives';
    if (mayBeTask ? isSolvedOnServer(rule, messageId) : isOnlyServerNote(rule, messageId)) continue;
    if (choiceState.kind === 'none-selected')
      itemsByHand.push({
        rule,
        file,
        line,
        what: `${message} (${choiceState.question}: ${answerSet.answers.get(choiceState.question)})`,
        ...adviceByHand(null, help),
      });
    else if (fix === null || (!fix.isSafe && fix.waitsFor.length === 0))
      itemsByHand.push({
        rule,
        file,
        line,
        what: message,
        ...adviceByHand(fix, help),
        ...markOfCheck(fix, mayStay),
      });
    else if (fix.isSafe) {
      readyItems.push({ rule, file, line, title: fix.title, restsOn, ...(directive !== undefined && { directive }) });
      convertedComments.push(...commentedOut);
      itemsByHand.push(
        ...remainingComments.map((remainingComment) => ({
          rule,
          file: remainingComment.file,
          line: remainingComment.line,
          what: `${REMAINING_COMMENT_TEXT_START} it is about \`${remainingComment.text}\`, which 2.4 does not have`,
        })),
      );
    } else {
      const isSettled = (id: string) => settlesQuestion(id, answerSet.answers.get(id));
      const remainingItem = itemByHand({
        unanswerableQuestions: unanswerableQuestions.map((each) => withVersion(each, answerSet)),
        waitsFor,
        title: fix.title,
        message,
        isSettled,
      });
      if (remainingItem) itemsByHand.push({ rule, file, line, ...remainingItem });
      else {
        waitingItems.push({
          rule,
          file,
          line,
          title: fix.title,
          waitsFor,
          ...(directive !== undefined && { directive }),
        });
        convertedComments.push(...commentedOut);
      }
    }
  }
  // A question whose answer keeps lines is listed, too, although no fix waits for the answer.
  for (const each of openQuestions) {
    const idOfOpenQuestion = questionId(each, answerSet);
    if (isQuestionListed(each, idOfOpenQuestion, { answerSet, causesByQuestion: causesByQuestionId }))
      causesOf(idOfOpenQuestion!).openQuestions.push(each);
  }
  const causesOfReaderQuestions = causesById(questionsAboutReaders, answerSet, placeOf);
  addCauses(causesOfReaderQuestions, causesOf);
  const {
    linesOf24,
    waitingItems: shownWaitingItems,
    readyItems: shownReadyItems,
  } = joinedVersionQuestion(causesByQuestionId, answerSet, {
    waiting: waitingItems,
    ready: readyItems,
  });
  const questions = [...causesByQuestionId]
    .flatMap(
      ([id, causes]) =>
        questionOf(id, causes, answerSet, {
          ready: readyItems,
          waiting: waitingItems,
          placeOf,
          startOptions,
          linesOf24,
          unreadFilesThatWaitFor: (asking) => (causesOfReaderQuestions.has(asking) ? unreadFilesWithOldLines : []),
        }) ?? [],
    )
    .sort((a, b) => rankOfKind(a.kind) - rankOfKind(b.kind));
  const blocking = findings.filter((finding) => finding.isBlocking).length;
  const planState = blocking > 0 ? 'blocking' : isAccepted ? 'accepted' : 'steps';
  return {
    root,
    files,
    state: planState,
    blocking,
    mayBlock: findings.filter((finding) => finding.mayBlock).length,
    questions,
    ready: shownReadyItems,
    waiting: shownWaitingItems,
    byHand: withOneFolderItem(root, withoutConvertedLines(itemsByHand, [...readyItems, ...waitingItems])),
    onServer,
    commentedOut: convertedComments,
    ...adviceForBoth(answerSet, root),
    dormant,
    openNames,
  };
}

/**
 * Returns the item for a change by hand, if no answer can make the fix safe. Null if the fix waits
 * for an answer that can. `unanswerable`: the open questions that no answer decides.
 */
function itemByHand(waitingFix: {
  readonly unanswerableQuestions: readonly OpenQuestion[];
  readonly waitsFor: readonly string[];
  readonly title: string;
  readonly message: string;
  readonly isSettled: (id: string) => boolean;
}): Pick<ByHandItem, 'what' | 'suggestion' | 'help'> | null {
  if (waitingFix.unanswerableQuestions.length > 0) {
    const help = textOfActions(waitingFix.unanswerableQuestions);
    const what = openQuestionTexts(waitingFix.unanswerableQuestions).map(asSentence).join('. ');
    return { what, ...(help !== '' && { help }) };
  }
  // All questions are answered, but the fix is not safe for another reason.
  if (waitingFix.waitsFor.length > 0 && waitingFix.waitsFor.every(waitingFix.isSettled))
    return { what: waitingFix.message, suggestion: waitingFix.title };
  return null;
}

/**
 * Adds the user's answer to the open question about the version, so that its text leaves out words
 * that are no longer needed.
 */
function withVersion(question: OpenQuestion, { answers }: AnswerSet): OpenQuestion {
  return question.kind === 'running-version' ? { ...question, detail: answers.get(VERSION_QUESTION_ID) } : question;
}

/**
 * The advice for a change by hand: the suggestion, and the help if it is short. A long help is
 * shown only in the hover.
 */
function adviceByHand(fix: PlanFix | null, help: string | undefined): Pick<ByHandItem, 'suggestion' | 'help'> {
  const isHelpShort = help !== undefined && !help.includes('\n');
  if (fix !== null) {
    const helpBesideTitle = isHelpShort && !fix.isChoice ? helpWithoutTitle(help, fix.title) : isHelpShort ? help : '';
    return { suggestion: fix.title, ...(helpBesideTitle !== '' && { help: helpBesideTitle }) };
  }
  if (isHelpShort) return { help };
  return help !== undefined && !isTooLong(help) ? { help: `${help.replace(/:\n/, ': ').replace(/\n/g, '; ')}.` } : {};
}

/** The mark of an entry whose line may be right as it is. Empty if there is a suggestion. */
function markOfCheck(fix: PlanFix | null, mayStay: true | undefined): Pick<ByHandItem, 'mayStay'> {
  return fix === null && mayStay ? { mayStay } : {};
}

/**
 * The help without its first sentence, if that sentence repeats the title of the fix, such as
 * `Remove the line.`
 */
function helpWithoutTitle(help: string, title: string): string {
  const [firstSentence = ''] = /^.*?[.!?](?= |$)/.exec(help) ?? [];
  const repeatsTitle = firstSentence.startsWith(title.split(' ', 1)[0]!) && !/ (?:or|and|with) /.test(firstSentence);
  return repeatsTitle ? help.slice(firstSentence.length).trim() : help;
}

/**
 * The help for a finding in the list of changes by hand. Old access lines without a fix always get
 * a help that is short enough for the plan. The help about a macro includes the line of the macro.
 * Undefined if the finding has no help.
 */
function helpByHand(finding: PlacedFinding): string | undefined {
  const { rule, fixes, help, cause = '' } = finding;
  if (rule.id === 'macro-use' && /^Line [^\n]*$/.test(cause)) return `${cause}. ${help ?? ''}`.trim();
  if (rule.id !== 'order-allow-deny') return help;
  const [fix] = fixes;
  if (fix !== undefined)
    return help === undefined && fix.safety !== 'safe' && fix.assumes !== undefined
      ? `The suggestion is right only if ${fix.assumes}.`
      : help;
  const advice = 'No fix is certain to keep the access here. Convert these lines by hand';
  if (help === undefined)
    return cause !== '' && finding.ruleFixes.length === 0 ? `${cause} Convert these lines by hand.` : `${advice}.`;
  return isTooLong(help)
    ? `${advice}. \`httpd-upgrade check\` and the editor show the new lines, and what must be true for them.`
    : help;
}

/** Whether a help of several lines is too long for one line of the plan. */
function isTooLong(help: string): boolean {
  return help.includes('\n') && help.length > MAX_HELP_LENGTH;
}

/** Maximum length of a help of several lines that the plan shows as one line. */
const MAX_HELP_LENGTH = 160;

/**
 * The end of the reason for a file that the editor does not change, because the file is outside of
 * the workspace.
 */
export const OUTSIDE_WORKSPACE = 'lies outside of this workspace';

/**
 * If files cannot be changed because the directory of the configuration is not open, one item
 * replaces all these changes. It says that the user has to open that directory.
 */
function withOneFolderItem(root: string, byHand: readonly ByHandItem[]): readonly ByHandItem[] {
  const isOutsideWorkspace = ({ what }: ByHandItem) => what.includes(OUTSIDE_WORKSPACE);
  const firstOutside = byHand.find(isOutsideWorkspace);
  if (!firstOutside) return byHand;
  const folderNames = root.split('/').slice(0, -1);
  // Red Hat's main file is in `conf`, and conf.d is beside that directory. So the directory above
  // both is shown.
  const shownFolder = (folderNames.at(-1) === 'conf' && folderNames.length > 1 ? folderNames.slice(0, -1) : folderNames)
    .slice(-2)
    .join('/');
  const { rule, file, line } = firstOutside;
  const folderAdvice = `Open the folder ${shownFolder === '' ? 'of this file' : `\`${shownFolder}\``} to convert access control`;
  return [
    { rule, file, line, what: folderAdvice, opensFolder: true },
    ...byHand.filter((each) => !isOutsideWorkspace(each)),
  ];
}

/**
 * Leaves out changes by hand of `access-mixed` (lines of both versions) if a conversion of the same
 * lines is ready or waits for an answer. That conversion replaces these lines.
 */
function withoutConvertedLines(byHand: readonly ByHandItem[], fixes: readonly PlanItem[]): readonly ByHandItem[] {
  const placeKey = ({ file, line }: PlanPlace) => `${line} ${file}`;
  const convertedPlaces = new Set(fixes.filter(({ rule }) => rule === 'order-allow-deny').map(placeKey));
  return byHand.filter((each) => each.rule !== 'access-mixed' || !convertedPlaces.has(placeKey(each)));
}

const NO_QUESTIONS: readonly OpenQuestion[] = [];

/**
 * Whether only a change by hand can solve a finding, and 2.4 starts without this change. Such a
 * finding is left out of a main file that the file of the 2.4 package replaces.
 */
function isOnlyByHand({ isBlocking, mayBlock, fix, asks = NO_QUESTIONS, offeredFixes = [] }: PlanFinding): boolean {
  const needsPerson = fix === null || (!fix.isSafe && fix.waitsFor.length === 0);
  return needsPerson && !isBlocking && !mayBlock && asks.length === 0 && offeredFixes.length === 0;
}

/** Leaves out findings about lines that both versions read, if 2.2 also reads the files. */
function withoutLinesForBoth(findings: readonly PlanFinding[], answerSet: AnswerSet): readonly PlanFinding[] {
  return isForBothVersions(answerSet) ? findings.filter(({ isReadByBoth }) => !isReadByBoth) : findings;
}

/**
 * How to write lines if both versions read the files; otherwise empty. `root`: the main file; `.`
 * if there is none. Without a main file, the advice about LoadModule lines is left out.
 */
function adviceForBoth(answerSet: AnswerSet, root: string): Pick<ConfigurationPlan, 'forBothVersions'> {
  if (!isForBothVersions(answerSet)) return {};
  return {
    forBothVersions: [ADVICE_FOR_LINES_OF_VERSIONS, ...(root === '.' ? [] : ADVICE_FOR_LOADMODULE_LINES)].join(' '),
  };
}

/** The advice for lines that only one version reads. */
const ADVICE_FOR_LINES_OF_VERSIONS =
  '2.2 reads these files, too: remove no line that it needs. Put lines of 2.2 into `<IfModule !mod_authz_core.c>`, and lines of 2.4 into `<IfModule mod_authz_core.c>`.';

/** Further advice for a configuration with LoadModule lines. */
const ADVICE_FOR_LOADMODULE_LINES = [
  'These sections must be below the LoadModule lines, or the Include line that leads to them.',
  'Put LoadModule lines of 2.2 into `<IfVersion < 2.4>`, and those of 2.4 into `<IfVersion >= 2.4>`: mod_version must be loaded before them.',
];

/**
 * The questions that get the place of a fix, because their open questions have no places: those of
 * files without a main file (`root` is `.`). `waitsFor`: the questions for which the fix waits.
 */
function questionsWithoutPlaces(root: string, waitsFor: readonly string[]): readonly string[] {
  return root === '.' ? waitsFor : [];
}

/** The title for access control that waits for an answer. */
const CONVERSION_TITLE = 'Convert the access control of the whole configuration';

/** Kinds of questions of which only one answer can be right. */
const EXCLUSIVE_KINDS: ReadonlySet<OpenQuestionKind> = new Set<OpenQuestionKind>([
  'define',
  'overlap',
  'running-version',
  'denied-now',
]);

/**
 * For each question, the answers that are in all of its lists. A fix can need one question for
 * several open questions, and only such an answer is right for all of them.
 */
function answersByQuestion(
  answerLists: readonly { readonly id: string; readonly values: readonly string[] }[],
): ReadonlyMap<string, readonly string[]> {
  const commonValues = new Map<string, readonly string[]>();
  for (const { id, values } of answerLists) {
    const valuesBefore = commonValues.get(id);
    commonValues.set(id, valuesBefore === undefined ? values : valuesBefore.filter((value) => values.includes(value)));
  }
  return commonValues;
}

/**
 * The state of the choice between the offered fixes. If 2.2 also reads the files, there is no
 * choice, because no answer changes these lines.
 */
function choiceStateAmong(offeredFixes: readonly Fix[], answerSet: AnswerSet): ChoiceState {
  return choiceStateOf(isForBothVersions(answerSet) ? [] : offeredFixes, answerSet);
}

/**
 * Adds causes to those of their questions. `causesOf`: returns the causes of a question, by its id.
 */
function addCauses(causes: ReturnType<typeof causesById>, causesOf: (id: string) => QuestionCauses): void {
  for (const [id, { openQuestions, places }] of causes) {
    causesOf(id).openQuestions.push(...openQuestions);
    causesOf(id).places.push(...places);
  }
}

/** Open questions and their places, by the id of the question that the user gets for them. */
function causesById(
  openQuestions: readonly OpenQuestion[],
  answerSet: AnswerSet,
  placeOf: PlannedConfiguration['placeOf'],
): ReadonlyMap<string, Pick<QuestionCauses, 'openQuestions' | 'places'>> {
  const openQuestionsById = groupedBy(openQuestions, (each) => questionId(each, answerSet) ?? '');
  openQuestionsById.delete('');
  return new Map(
    [...openQuestionsById].map(([id, group]) => [
      id,
      { openQuestions: group, places: group.flatMap((each) => each.places.flatMap((at) => placeOf(at) ?? [])) },
    ]),
  );
}

/**
 * Whether the plan lists the question for an open question that no fix needs. It does if the user
 * has answered it. It also does if the question is asked anyway and this open question adds facts
 * to its text.
 */
function isQuestionListed(
  { shownFacts }: OpenQuestion,
  id: string | null,
  {
    answerSet,
    causesByQuestion,
  }: { readonly answerSet: AnswerSet; readonly causesByQuestion: ReadonlyMap<string, QuestionCauses> },
): boolean {
  return id !== null && (answerSet.answers.has(id) || (shownFacts !== undefined && causesByQuestion.has(id)));
}

/** What causes a question: open questions, findings, and the places of both. */
interface QuestionCauses {
  readonly openQuestions: OpenQuestion[];
  /** One item for each finding that the answer affects: the answers with which its lines change. */
  readonly values: (readonly string[])[];
  readonly places: PlanPlace[];
}

/** The parts of the plan of one configuration that decide the texts of its questions. */
interface PartialPlan {
  readonly ready: readonly ReadyItem[];
  readonly waiting: readonly WaitingItem[];
  readonly placeOf: PlannedConfiguration['placeOf'];
  readonly startOptions: PlannedConfiguration['startOptions'];
  /**
   * The lines of 2.4, if the question about other files also asks for the running version.
   * Otherwise null.
   */
  readonly linesOf24: readonly string[] | null;
  /**
   * The names of the files for which the answer to this question decides whether a server reads
   * them.
   */
  readonly unreadFilesThatWaitFor: (id: string) => readonly string[];
}

/** A sentence for a question whose answer only matters for `fix --dormant`. */
function textAboutUnreadFiles([first, ...others]: readonly string[]): string {
  const isOneFile = others.length === 0;
  const files = isOneFile ? first : `${first} and ${others.length} more`;
  return `Here, only ${files} ${isOneFile ? 'waits' : 'wait'} for the answer: with No, fix --dormant converts the old lines there.`;
}

/**
 * The texts of the question for these open questions. Null if the id has an unknown kind. With
 * `answerSet`, the choices include the copy that the question offers.
 */
export function questionTextOf(
  id: string,
  openQuestions: readonly OpenQuestion[],
  linesOf24: readonly string[] | null = null,
  answerSet: Pick<AnswerSet, 'folder' | 'folderOfCopies'> | null = null,
): QuestionText | null {
  const subjects = subjectsOf(openQuestions);
  const search = joinedSearch(openQuestions);
  const texts = questionText(id, subjects, search, shownFactsOf(openQuestions), linesOf24);
  const offeredCopy = openQuestions.find((each) => each.offeredCopy)?.offeredCopy;
  if (!texts || !offeredCopy || !answerSet) return texts;
  const value = answerWithCopy(offeredCopy.path, answerSet);
  const choice = { value, label: offeredCopy.label };
  return { ...texts, choices: offeredCopy.isUsual ? [choice, ...texts.choices] : [...texts.choices, choice] };
}

/**
 * Makes the question about other files also ask for the running version, so that the user gets one
 * question instead of two. This is not done if a fix waits only for the version. If the user's
 * answer to the joined question names the version, the answer about the version is contained in it.
 *
 * Returns the lines of 2.4 for the text of the question (null if the questions are not joined), and
 * the fixes without the question about the version.
 */
function joinedVersionQuestion(
  causesByQuestion: Map<string, QuestionCauses>,
  answerSet: AnswerSet,
  { waiting, ready }: Pick<PartialPlan, 'waiting' | 'ready'>,
): {
  readonly linesOf24: readonly string[] | null;
  readonly waitingItems: readonly WaitingItem[];
  readonly readyItems: readonly ReadyItem[];
} {
  const questionIdLists = [...waiting.map(({ waitsFor }) => waitsFor), ...ready.map(({ restsOn }) => restsOn)];
  const needsOfVersion = questionIdLists.filter((ids) => ids.includes(VERSION_QUESTION_ID));
  const areVersionNeedsJoined =
    needsOfVersion.length > 0 && needsOfVersion.every((ids) => ids.includes(STANDALONE_QUESTION_ID));
  const linesOf24 = areVersionNeedsJoined ? takeVersionQuestion(causesByQuestion, answerSet) : null;
  const isVersionInStandaloneAnswer =
    causesByQuestion.has(STANDALONE_QUESTION_ID) && standaloneAnswerNamesVersion(answerSet);
  if (isVersionInStandaloneAnswer) causesByQuestion.delete(VERSION_QUESTION_ID);
  const withoutVersion = (ids: readonly string[]) => ids.filter((id) => id !== VERSION_QUESTION_ID);
  return {
    linesOf24,
    waitingItems:
      linesOf24 === null ? waiting : waiting.map((each) => ({ ...each, waitsFor: withoutVersion(each.waitsFor) })),
    readyItems: isVersionInStandaloneAnswer
      ? ready.map((each) => ({ ...each, restsOn: withoutVersion(each.restsOn) }))
      : ready,
  };
}

/** The id of the question which version runs. */
const VERSION_QUESTION_ID = openQuestionId(RUNNING_VERSION_QUESTION);

/**
 * Whether the user's answer about other files names the same version as the answer about the
 * version.
 */
function standaloneAnswerNamesVersion({ answers }: Pick<AnswerSet, 'answers'>): boolean {
  return (
    answers.has(VERSION_QUESTION_ID) && answers.get(VERSION_QUESTION_ID) === versionInStandaloneAnswer({ answers })
  );
}

/** The subjects of the open questions, each once. */
function subjectsOf(openQuestions: readonly OpenQuestion[]): string[] {
  return [...new Set(openQuestions.map(({ subject }) => subject))];
}

/**
 * Removes the question which version runs, if the question about other files is also open and can
 * ask for both. Returns the lines of 2.4 of the removed question; null if no question was removed.
 */
export function takeVersionQuestion(
  causesByQuestion: Map<string, { readonly openQuestions: readonly OpenQuestion[] }>,
  { answers }: Pick<AnswerSet, 'answers'>,
): readonly string[] | null {
  const causesOfVersion = causesByQuestion.get(VERSION_QUESTION_ID);
  const isAnswered = answers.has(VERSION_QUESTION_ID) || answers.has(STANDALONE_QUESTION_ID);
  if (!causesOfVersion || !causesByQuestion.has(STANDALONE_QUESTION_ID) || isAnswered) return null;
  causesByQuestion.delete(VERSION_QUESTION_ID);
  return subjectsOf(causesOfVersion.openQuestions);
}

/**
 * The order of questions. If the answer to a question may decide another question, it comes first.
 */
const QUESTION_ORDER: readonly string[] = [
  'versions',
  'running-version',
  'denied-now',
  'include-unseen',
  'outside-unseen',
  'other-main',
  'define',
  'htaccess-unseen',
  'served-anywhere',
  'override-admitted',
  'unknown-directives',
  'operand-host',
  'overlap',
  'mpm',
  'modules',
  'php',
  'client-address',
  'rewrite-log',
  'defaults',
];

/** A clause with a capital letter, unless it begins with a name or a quote. */
function asSentence(clause: string): string {
  return clause.replace(/^[a-z]+(?= )/, (word) => word[0]!.toUpperCase() + word.slice(1));
}

/** The position of a kind of question in `QUESTION_ORDER`. Kinds that are not listed come last. */
function rankOfKind(kind: string): number {
  const indexOfKind = QUESTION_ORDER.indexOf(kind);
  return indexOfKind < 0 ? QUESTION_ORDER.length : indexOfKind;
}

/** Makes the plan's form of a question. Null if no answer to it would change anything. */
function questionOf(
  id: string,
  causes: QuestionCauses,
  answerSet: AnswerSet,
  { ready, waiting, placeOf, startOptions, linesOf24: linesOfJoinedQuestion, unreadFilesThatWaitFor }: PartialPlan,
): PlanQuestion | null {
  const linesOf24 = id === STANDALONE_QUESTION_ID ? linesOfJoinedQuestion : null;
  const unreadFilesWithOldLines = unreadFilesThatWaitFor(id);
  const { answers } = answerSet;
  const questionTexts = questionTextOf(id, causes.openQuestions, linesOf24, answerSet)!;
  const givenAnswer = answers.get(id);
  const givenPath = givenAnswer === undefined ? null : pathInAnswer(givenAnswer);
  // The question is still asked, so the directory that the user named lacks the files.
  const validAnswer =
    givenAnswer !== undefined && givenPath === null && answerProblem(id, givenAnswer) === null ? givenAnswer : null;
  const settledCount =
    ready.filter(({ restsOn }) => restsOn.includes(id)).length +
    waiting.filter(({ waitsFor }) => waitsFor.includes(id)).length;
  const countOfBothVersions = waiting.filter(
    ({ waitsFor }) => waitsFor.includes(id) && !waitsFor.includes(VERSION_QUESTION_ID),
  ).length;
  const readyCountWith = (value: string): number => {
    if (linesOf24 !== null && value !== ANSWER_NONE_24 && value !== ANSWER_KEEP) return countOfBothVersions;
    if (value === ANSWER_KEEP || !(settlesQuestion(id, value) || pathInAnswer(value) !== null)) return 0;
    // A question can have only one right answer, so after the user's answer the others make no fix
    // ready.
    if (
      validAnswer !== null &&
      value !== validAnswer &&
      causes.openQuestions.some(({ kind }) => EXCLUSIVE_KINDS.has(kind))
    )
      return 0;
    return causes.values.length > 0 ? causes.values.filter((values) => values.includes(value)).length : settledCount;
  };
  const choices = offeredChoices(id, questionTexts, linesOf24 !== null, validAnswer);
  const fixCount = Math.max(settledCount, ...choices.map(({ value }) => readyCountWith(value)));
  // Each fix that needs this question also waits for an open question that no answer decides, so an
  // answer to this question changes nothing.
  if (fixCount === 0 && validAnswer === null && causes.places.length === 0) return null;
  const [kind, subject] = kindAndSubject(id);
  // On Debian, a2enmod loads the MPM, so the answer changes no file.
  const changesOnlyCommand = kind === 'mpm' && fixCount === 0;
  const placesByKey = new Map<string, PlanPlace>();
  for (const place of [
    ...causes.places,
    ...causes.openQuestions.flatMap((each) => each.places.flatMap((at) => placeOf(at) ?? [])),
  ])
    placesByKey.set(`${place.line} ${place.file}`, place);
  const mpmBefore = (kind === 'mpm' && startOptions?.mpm) || null;
  return {
    id,
    kind,
    subject,
    title: questionTexts.title,
    question: questionTexts.question,
    why: [
      givenPath ? `${givenPath}, which you named, does not have them.` : '',
      mpmBefore ? `The 2.2 server runs ${mpmBefore.name}: ${sourceTextOf(mpmBefore)} names it.` : '',
      questionTexts.why,
      ...new Set(causes.openQuestions.map(({ hint }) => (hint ? `${hint}.` : ''))),
      changesOnlyCommand
        ? 'Your answer changes no file. It adds the MPM to the command `a2enmod` in the list of steps on the server.'
        : '',
      fixCount === 0 && unreadFilesWithOldLines.length > 0 ? textAboutUnreadFiles(unreadFilesWithOldLines) : '',
    ]
      .filter(Boolean)
      .join(' ')
      .replaceAll(' \n', '\n'),
    findOut: questionTexts.findOut,
    ifUnknown:
      fixCount === 0 && unreadFilesWithOldLines.length > 0
        ? `${unreadFilesWithOldLines.length === 1 ? '1 file keeps its' : `${unreadFilesWithOldLines.length} files keep their`} old lines`
        : consequenceOfDontKnow(fixCount),
    answers: choices
      .map(({ value, label }) => ({
        value,
        label: value === mpmBefore?.name ? `${label} (runs now)` : label,
        ready: readyCountWith(value),
      }))
      .sort((a, b) => Number(b.value === mpmBefore?.name) - Number(a.value === mpmBefore?.name)),
    answer: validAnswer,
    places: changesOnlyCommand ? [] : [...placesByKey.values()],
  };
}
