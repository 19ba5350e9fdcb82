/**
 * Finds questions whose answers would convert more sections:
 * - whether the server starts with a name (`-D`)
 * - what a word after `from` means
 * - whether two sections apply to the same request
 * - whether the server already runs 2.4
 *
 * A question is asked only if one of its answers converts a section. To find that out, the
 * configuration is planned with each answer.
 */
import {
  openQuestion,
  mergedQuestions,
  type OpenQuestion,
  type OpenQuestionKind,
  type FilePosition,
} from '../access/open-question';
import type { AccessGroup, AccessPlan, AccessRefusal } from '../access/plan';
import type { Configuration } from '../config/configuration';
import {
  ALL_SUSPECT_OPERANDS,
  questionIdOrFallback,
  ANSWER_IS_A_HOST,
  ANSWER_NEVER_MATCHES,
  ANSWER_NEVER_MEET,
  ANSWER_NO_ACCESS_CONTROL,
  ANSWER_OFF,
  ANSWER_ON,
  type AnswerSet,
  type AnswerEffects,
} from './answers';

/** The input of the search for further questions, for one configuration. */
interface FurtherQuestionsInput {
  /** The plan with all known facts and answers. */
  readonly plan: AccessPlan;
  readonly effects: AnswerEffects;
  /**
   * The user's answers. A question that the user answered is not asked again, even if its answer
   * has no effect.
   */
  readonly answerSet: AnswerSet;
  /**
   * The unanswered questions about names in `<IfDefine>`: whether the server starts with the name
   * (`-D`).
   */
  readonly flagQuestionsToAsk: readonly OpenQuestion[];
  /** The number of files in the configuration. */
  readonly fileCount: number;
  /**
   * Plans the same configuration with the effects of other answers. Returns null if that is not
   * possible.
   */
  readonly planWith: (effects: AnswerEffects) => AccessPlan | null;
  /** Whether the user's answers already decide an open question. */
  readonly isSettled: (openQuestion: OpenQuestion) => boolean;
}

/** The questions whose answers would convert more sections. */
export interface FurtherQuestions {
  /** All these questions, each only once. */
  readonly questions: readonly OpenQuestion[];
  /**
   * The questions that must be answered before the old line at an offset is converted. Each
   * question has the answers after which the line is converted.
   */
  readonly waitsFor: (file: string, offset: number) => readonly OpenQuestion[];
  /**
   * The conversion of the old line at an offset, after the first answer that converts it. Null if
   * no answer does.
   */
  readonly groupAt: (file: string, offset: number) => AccessGroup | null;
}

/** Finds questions whose answers convert more lines, by planning with each possible answer. */
export function furtherQuestions({
  plan,
  effects,
  answerSet,
  flagQuestionsToAsk,
  fileCount,
  isSettled,
  ...furtherInput
}: FurtherQuestionsInput): FurtherQuestions {
  const { refusals } = plan;
  let comparisonCount = plan.comparisonCount;
  const trialPlanFor = (trialEffects: AnswerEffects): AccessPlan | null => {
    const trial = comparisonCount > MAX_COMPARISONS_OF_TRIALS ? null : furtherInput.planWith(trialEffects);
    comparisonCount += trial?.comparisonCount ?? 0;
    return trial;
  };
  if (refusals.length === 0 || fileCount > MAX_FILES_FOR_TRIALS) return NO_FURTHER_QUESTIONS;
  const isUnanswered = (each: OpenQuestion) => !answerSet.answers.has(questionIdOrFallback(each, answerSet));
  const questionsNow = mergedQuestions(refusals.flatMap((each) => each.questions)).filter(isUnanswered);
  // The sections may wait for more answers if the server already runs 2.4. Only a plan for that
  // case shows these questions.
  const planIfSourceIs24 = questionsNow.some(asksForRunningVersion)
    ? trialPlanFor({ ...effects, source: '2.4' })
    : null;
  const questionsOf24 = (planIfSourceIs24?.refusals ?? [])
    .flatMap((each) => each.questions)
    .filter(({ kind }) => kind === 'overlap');
  const unansweredQuestions = mergedQuestions([...questionsOf24.filter(isUnanswered), ...questionsNow]);
  // A section with a mistake in an operand is not converted, and the mistake hides whether a name
  // in `<IfDefine>` is also a reason. So the questions about names are tried, too.
  const flagQuestions =
    unansweredQuestions.length > 0 || refusals.some(({ mayDependOnCondition }) => mayDependOnCondition)
      ? flagQuestionsToAsk.filter(isUnanswered).slice(0, MAX_FLAG_QUESTIONS)
      : [];
  const questions = [...triedQuestionsOfSections(unansweredQuestions), ...flagQuestionsToTry(flagQuestions)];
  const refusedLines = refusals.flatMap((each) => each.lines);
  const convertsLine = (planOfTrial: AccessPlan | null, { path, offset }: FilePosition) =>
    planOfTrial !== null && planOfTrial.groupAt(path, offset) !== null;
  const trialsOf = (question: TriedQuestion, others: AnswerEffects) =>
    question.answers.map(({ value, withAnswer }): Trial => ({ value, plan: trialPlanFor(withAnswer(others)) }));
  const triedQuestions = questions.map((question) => ({
    question,
    trialsAlone: trialsOf(question, effects),
    trialsWithOthers: NO_TRIALS,
    planOfOthers: null as AccessPlan | null,
  }));
  const withUsualAnswersExcept = (exceptedQuestion: TriedQuestion | null) =>
    questions.reduce(
      (givenEffects, question) =>
        question === exceptedQuestion ? givenEffects : question.answers[0]!.withAnswer(givenEffects),
      effects,
    );
  const planWithUsualAnswers = questions.length > 1 ? trialPlanFor(withUsualAnswersExcept(null)) : null;
  // A line may need the answers to several questions. So each answer is also tried together with
  // the usual answers to the other questions.
  const needsSeveralAnswers = refusedLines.some(
    (line) =>
      convertsLine(planWithUsualAnswers, line) &&
      !triedQuestions.some(({ trialsAlone }) => trialsAlone.some((trial) => convertsLine(trial.plan, line))),
  );
  if (needsSeveralAnswers) {
    for (const each of triedQuestions) {
      const effectsOfOthers = withUsualAnswersExcept(each.question);
      each.trialsWithOthers = trialsOf(each.question, effectsOfOthers);
      each.planOfOthers = trialPlanFor(effectsOfOthers);
    }
  }
  const trialsFor = (
    { trialsAlone, trialsWithOthers, planOfOthers }: (typeof triedQuestions)[number],
    line: FilePosition,
  ): Trial[] => {
    const convertingTrials = trialsAlone.filter((trial) => convertsLine(trial.plan, line));
    return convertingTrials.length > 0 || convertsLine(planOfOthers, line)
      ? convertingTrials
      : trialsWithOthers.filter((trial) => convertsLine(trial.plan, line));
  };
  const countConvertedLines = (each: (typeof triedQuestions)[number]) =>
    refusedLines.filter((line) => trialsFor(each, line).length > 0).length;
  const helpfulQuestions = triedQuestions
    .map((each) => ({ each, gain: countConvertedLines(each) }))
    .filter((each) => each.gain > 0)
    .sort((x, y) => y.gain - x.gain);
  const askedQuestions = (
    ['running-version', 'unknown-directives', 'operand-host', 'overlap', 'define'] as const
  ).flatMap((kind) =>
    helpfulQuestions
      .filter(({ each }) => each.question.openQuestions[0]!.kind === kind)
      .slice(0, MAX_QUESTIONS_OF_KIND)
      .map(({ each }) => each),
  );
  if (askedQuestions.length === 0) return NO_FURTHER_QUESTIONS;
  const questionsAfter = (helpfulTrialsByQuestion: readonly (readonly Trial[])[]) =>
    askedQuestions.flatMap((each, index): OpenQuestion[] => {
      const helpfulTrials = helpfulTrialsByQuestion[index]!;
      const [firstTrial] = helpfulTrials;
      if (!firstTrial) return [];
      const safeAnswers = helpfulTrials.map(({ value }) => value);
      // The questions that are open after this answer, without those that this file tries itself.
      const addedQuestions = firstTrial.plan!.openQuestions.filter(
        (other) => !isSettled(other) && !HANDLED_KINDS.has(other.kind),
      );
      return [
        ...each.question.openQuestions.map((question): OpenQuestion => ({ ...question, safeAnswers })),
        ...addedQuestions,
      ];
    });
  // Thousands of lines can need the same answers. They share one list, so that the plan handles the
  // list only once.
  let lastQuestions: { readonly trials: readonly (readonly Trial[])[]; readonly list: readonly OpenQuestion[] } | null =
    null;
  const waitsFor = (path: string, offset: number) => {
    const trials = askedQuestions.map((each) => trialsFor(each, { path, offset }));
    if (lastQuestions === null || !areSameTrials(lastQuestions.trials, trials))
      lastQuestions = { trials, list: questionsAfter(trials) };
    return lastQuestions.list;
  };
  const groupAt = (path: string, offset: number) =>
    askedQuestions.flatMap((each) => trialsFor(each, { path, offset }))[0]?.plan?.groupAt(path, offset) ?? null;
  return {
    questions: mergedQuestions(askedQuestions.flatMap(({ question }) => question.openQuestions)),
    waitsFor,
    groupAt,
  };
}

/**
 * The questions about names in `<IfDefine>` that the user answered and whose answers affect the
 * conversion.
 */
export function answeredFlagQuestions(
  { undefinedFlags }: Configuration,
  { defineFlags }: AnswerEffects,
): OpenQuestion[] {
  return [...undefinedFlags].flatMap(([name, place]) => (defineFlags.has(name) ? [flagQuestion(name, place)] : []));
}

/** The questions about the MPM that the user answered and whose answers affect the conversion. */
export function answeredMpmQuestions({ mpmConditions }: Configuration, { mpm }: AnswerEffects): OpenQuestion[] {
  const conditionPlaces = mpmConditions.map(({ file, offset }) => ({ path: file.path, offset }));
  return mpm === null || conditionPlaces.length === 0 ? [] : [openQuestion('mpm', '', conditionPlaces)];
}

/**
 * The questions about names in `<IfDefine>` around access control that the user has not answered.
 */
export function unansweredFlagQuestions(
  { undefinedFlags }: Configuration,
  { defineFlags }: AnswerEffects,
): OpenQuestion[] {
  return [...undefinedFlags].flatMap(([name, place]) => (defineFlags.has(name) ? [] : [flagQuestion(name, place)]));
}

/**
 * The questions that the user answered, but whose answers do not affect the conversion. The plan
 * still lists them with their answers.
 */
export function answeredWithoutEffect(
  refusals: readonly AccessRefusal[],
  { undefinedFlags }: Configuration,
  answerSet: AnswerSet,
): OpenQuestion[] {
  if (answerSet.answers.size === 0) return [];
  const openQuestions = [
    ...refusals.flatMap(({ questions }) => questions),
    ...[...undefinedFlags].map(([name, place]) => flagQuestion(name, place)),
  ];
  return mergedQuestions(openQuestions.filter((each) => answerSet.answers.has(questionIdOrFallback(each, answerSet))));
}

// ---------------------------------------------------------------------------------------------------------------------

/** Whether two lists have the same trials (the same objects) for each question. */
function areSameTrials(some: readonly (readonly Trial[])[], others: readonly (readonly Trial[])[]): boolean {
  return some.every(
    (trials, index) =>
      trials.length === others[index]!.length && trials.every((trial, at) => trial === others[index]![at]),
  );
}

/** The result if no further question helps. */
const NO_FURTHER_QUESTIONS: FurtherQuestions = { questions: [], waitsFor: () => [], groupAt: () => null };

/**
 * The maximum number of files for which answers are tried. With more files, the plans for all
 * answers would take too long, so no further question is asked.
 */
const MAX_FILES_FOR_TRIALS = 300;

/**
 * Maximum number of comparisons between sections in all plans together. They take about a second. A
 * server with ten thousand sections, as hosting companies have, needs 200,000 comparisons for each
 * plan.
 */
const MAX_COMPARISONS_OF_TRIALS = 500_000;

/** Maximum number of names in `<IfDefine>` for which answers are tried. */
const MAX_FLAG_QUESTIONS = 4;

/**
 * Maximum number of questions of one kind. It is small because the user must also answer the other
 * questions of the plan.
 */
const MAX_QUESTIONS_OF_KIND = 2;

/** The kinds of questions that this file finds. */
const HANDLED_KINDS: ReadonlySet<OpenQuestionKind> = new Set<OpenQuestionKind>([
  'define',
  'operand-host',
  'overlap',
  'running-version',
  'unknown-directives',
]);

/** A question to the user, with answers to try. It can cover several open questions. */
interface TriedQuestion {
  readonly openQuestions: readonly OpenQuestion[];
  /**
   * The answers to try; the usual one comes first. `withAnswer` adds an answer to other answers.
   */
  readonly answers: readonly {
    readonly value: string;
    readonly withAnswer: (effects: AnswerEffects) => AnswerEffects;
  }[];
}

/**
 * An answer and the plan that was made with it. The plan is null if nothing can be read, or if the
 * limit of comparisons is reached.
 */
interface Trial {
  readonly value: string;
  readonly plan: AccessPlan | null;
}

const NO_TRIALS: readonly Trial[] = [];

/** Whether an open question is the question which version the server runs. */
function asksForRunningVersion({ kind }: OpenQuestion): boolean {
  return kind === 'running-version';
}

/** The questions to try for the open questions that the conversion has about sections. */
function triedQuestionsOfSections(questionsOfSections: readonly OpenQuestion[]): TriedQuestion[] {
  const operandQuestions = questionsOfSections.filter(({ kind }) => kind === 'operand-host');
  const subjects = new Set(operandQuestions.map(({ subject }) => subject));
  const answerWithMeaning = (value: typeof ANSWER_NEVER_MATCHES | typeof ANSWER_IS_A_HOST) => ({
    value,
    withAnswer: (effects: AnswerEffects): AnswerEffects => ({
      ...effects,
      meaningOf: (word) => (subjects.has(word) ? value : effects.meaningOf(word)),
    }),
  });
  // Several words that look like mistakes share one question to the user.
  const openQuestions =
    operandQuestions.length > 1
      ? operandQuestions.map((each): OpenQuestion => ({ ...each, coveringQuestion: ALL_SUSPECT_OPERANDS }))
      : operandQuestions;
  const versionQuestions = questionsOfSections.filter(asksForRunningVersion);
  const unknownDirectiveQuestions = questionsOfSections.filter(({ kind }) => kind === 'unknown-directives');
  const overlapQuestions = questionsOfSections.filter(({ kind }) => kind === 'overlap').slice(0, MAX_QUESTIONS_OF_KIND);
  return [
    ...(versionQuestions.length > 0
      ? [
          {
            openQuestions: versionQuestions,
            answers: [
              { value: '2.4', withAnswer: (effects: AnswerEffects): AnswerEffects => ({ ...effects, source: '2.4' }) },
            ],
          },
        ]
      : []),
    ...(unknownDirectiveQuestions.length > 0
      ? [
          {
            openQuestions: unknownDirectiveQuestions,
            answers: [
              {
                value: ANSWER_NO_ACCESS_CONTROL,
                withAnswer: (effects: AnswerEffects): AnswerEffects => ({
                  ...effects,
                  areUnknownDirectivesNeutral: true,
                }),
              },
            ],
          },
        ]
      : []),
    ...(operandQuestions.length > 0
      ? [{ openQuestions, answers: [answerWithMeaning(ANSWER_NEVER_MATCHES), answerWithMeaning(ANSWER_IS_A_HOST)] }]
      : []),
    ...overlapQuestions.map((each) => ({
      openQuestions: [each],
      answers: [
        {
          value: ANSWER_NEVER_MEET,
          withAnswer: (effects: AnswerEffects): AnswerEffects => ({
            ...effects,
            subjectsNeverTogether: new Set([...effects.subjectsNeverTogether, each.subject]),
          }),
        },
      ],
    })),
  ];
}

/** The questions to try about names in `<IfDefine>`: each with the answers `off` and `on`. */
function flagQuestionsToTry(flagQuestions: readonly OpenQuestion[]): TriedQuestion[] {
  const flagAnswer = (name: string, value: string, isOn: boolean) => ({
    value,
    withAnswer: (effects: AnswerEffects): AnswerEffects => ({
      ...effects,
      defineFlags: new Map([...effects.defineFlags, [name, isOn]]),
    }),
  });
  return flagQuestions.map((each) => ({
    openQuestions: [each],
    answers: [flagAnswer(each.subject, ANSWER_OFF, false), flagAnswer(each.subject, ANSWER_ON, true)],
  }));
}

/**
 * The open question whether the server starts with `-D NAME`. `place`: a line that tests the name.
 */
function flagQuestion(
  name: string,
  { file, offset }: { readonly file: { readonly path: string }; readonly offset: number },
): OpenQuestion {
  return openQuestion('define', name, [{ path: file.path, offset }]);
}
